"""Timing that is fair on a busy machine: CPU time of one thread, the contestants in turns, the best turn of each."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence

ROUNDS = 15
TURN_SECONDS = 0.05


def best_of_turns(contestants: Sequence[Callable[[], object]], rounds: int = ROUNDS) -> list[float]:
    """Seconds of CPU time that one call of each contestant takes."""
    calls = [max(1, round(TURN_SECONDS / (seconds(contestant, 1) or 1e-9))) for contestant in contestants]
    best = [float("inf")] * len(contestants)
    for _ in range(rounds):
        for at, contestant in enumerate(contestants):
            best[at] = min(best[at], seconds(contestant, calls[at]))
    return best


def seconds(contestant: Callable[[], object], calls: int) -> float:
    """What one of so many calls took, the garbage collector kept out."""
    gc.collect()
    gc.disable()
    try:
        start = time.process_time()
        for _ in range(calls):
            contestant()
        return (time.process_time() - start) / calls
    finally:
        gc.enable()
