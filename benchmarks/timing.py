"""Timing that is fair on a busy machine: CPU time of the process, everybody in turns, the median of many turns."""

from __future__ import annotations

import gc
import random
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

Once = Callable[[], Sequence[Any]]
"""A program, ready to be run again and again. It gives what it computed, so that runs can be compared."""


class Lasting:
    """A program that makes something that outlasts it, which goes outside of the time that is measured."""

    def __init__(self, once: Callable[[list[Any]], Sequence[Any]]) -> None:
        self.once = once
        self.made: list[Any] = []

    def __call__(self) -> Sequence[Any]:
        return self.once(self.made)


ROUNDS = 25
SAMPLE = 0.004
"""Seconds that one turn takes at least: the clock ticks finely enough for that."""


def medians(contestants: Sequence[Once], rounds: int, collecting: bool = True) -> list[float]:
    """Seconds of CPU time that one call of each contestant takes, all of them timed once in every round.

    The collector of cycles finds nobody's rubbish but the contestant's own; it stays on, unless `collecting` is False.
    """
    gc.collect()
    gc.freeze()
    if not collecting:
        gc.disable()
    try:
        calls = [enough(contestant) for contestant in contestants]
        samples: list[list[float]] = [[] for _ in contestants]
        for _ in range(rounds):
            for at in random.sample(range(len(contestants)), len(contestants)):
                gc.collect()
                samples[at].append(seconds(contestants[at], calls[at]) / calls[at])
    finally:
        gc.enable()
        gc.unfreeze()
    return [statistics.median(taken) for taken in samples]


def enough(contestant: Once) -> int:
    """How many calls fill a sample."""
    calls = 1
    while (took := seconds(contestant, calls)) < SAMPLE:
        calls = max(calls + 1, min(calls * 10, round(calls * 1.2 * SAMPLE / (took or 1e-9))))
    return calls


def seconds(contestant: Once, calls: int) -> float:
    start = time.process_time()
    for _ in range(calls):
        contestant()
    took = time.process_time() - start
    if isinstance(contestant, Lasting):
        contestant.made.clear()
    return took
