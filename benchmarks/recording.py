"""The engine with somebody listening: the price of a recording, in a fresh state as a run of Gradreel has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autograd_core.events import listening
from autograd_core.recording import Tape
from autograd_core.state import isolated
from gradreel.program.limits import Limits
from gradreel.program.machine import Machine
from gradreel.trace import Outcome, Recorder

from .timing import Once

NO_LIMITS = Limits(seconds=1e9, events=10**9, bytes=10**12)


def times(once: Once, count: int) -> Once:
    """`once`, so many times: a recording lasts as long as a program."""
    return lambda: [once() for _ in range(count)][-1]


def bare(once: Once) -> Once:
    """Every event goes onto a tape."""

    def recorded() -> Sequence[Any]:
        with isolated(), listening(Tape()):
            return once()

    return recorded


def whole(once: Once) -> Once:
    """Every event and value, kept and counted as a run of Gradreel does."""
    return lambda: heard(once, Recorder())


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
    with isolated(), listening(recorder.tape):
        return once()
