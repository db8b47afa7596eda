"""The engine with somebody listening: the price of a recording, in a fresh state as a run of Gradreel has.

Recorded is all that a trace tells of, events and values; that it is read and made a trace of comes after the run, and
is measured apart.

A run of Gradreel switches the collector of cycles off, so "as in a run" it is off on both sides: a program with nobody
listening would else pay for its visits alone, for they are seldom while a tape grows. Bare events are recorded as by
any listener, with the collector on.
"""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from autograd_core.engine.state import irregular, isolated
from autograd_core.events.recording import Tape
from autograd_core.events.session import listening
from gradreel.interpreter.limits import Limits
from gradreel.interpreter.machine import Machine
from gradreel.trace import Outcome, Recorder

from .timing import Lasting, Once

NO_LIMITS = Limits(seconds=1e9, events=10**9, bytes=10**12)


def times(once: Once, count: int) -> Once:
    """`once`, so many times: a recording lasts as long as a program."""
    return lambda: [once() for _ in range(count)][-1]


def bare(once: Once) -> Once:
    """Every event goes onto a tape."""

    def recorded(made: list[Any]) -> Sequence[Any]:
        made.append(tape := Tape())
        with fresh(), listening(tape):
            return once()

    return Lasting(recorded)


def whole(once: Once) -> Once:
    """Every event and value, kept and counted as a run of Gradreel does."""

    def recorded(made: list[Any]) -> Sequence[Any]:
        made.append(recorder := Recorder())
        return heard(once, recorder)

    return Lasting(recorded)


def traced(once: Once) -> Once:
    """The same, and the trace made of it that a run gives."""

    def recorded() -> Sequence[Any]:
        recorder = Recorder()
        found = heard(once, recorder)
        recorder.trace("", "script", Outcome("finished"))
        return found

    return recorded


def heard(once: Once, recorder: Recorder) -> Sequence[Any]:
    Machine(NO_LIMITS, {}, recorder)
    with fresh(), listening(recorder.tape):
        return once()


@contextmanager
def fresh() -> Iterator[None]:
    """A state of its own, of which nothing remains: the engine with nobody listening goes on as if it had not been."""
    before = set(irregular)
    try:
        with isolated():
            yield
    finally:
        irregular.intersection_update(before)


def reading(once: Once) -> tuple[int, float, float]:
    """How many events a recording of `once` is read as, and the seconds it takes to read them and to make the trace."""
    recorder = Recorder()
    heard(once, recorder)
    start = time.process_time()
    count = len(recorder)
    middle = time.process_time()
    recorder.trace("", "script", Outcome("finished"))
    return count, middle - start, time.process_time() - middle


def peak(once: Callable[[], Any]) -> int:
    """The bytes that `once` takes at most, over what there was before."""
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        once()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
