"""The engine with somebody listening: the price of a recording."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autograd_core.events import listening
from gradreel.program.limits import Limits
from gradreel.program.machine import Machine
from gradreel.trace import Recorder

from .timing import Once

NO_LIMITS = Limits(seconds=1e9, events=10**9, bytes=10**12)


def times(once: Once, count: int) -> Once:
    """`once`, so many times: a recording lasts as long as a program."""
    return lambda: [once() for _ in range(count)][-1]


def bare(once: Once) -> Once:
    """Every event goes to a list."""

    def recorded() -> Sequence[Any]:
        heard: list[tuple[Any, ...]] = []
        with listening(heard.append):
            return once()

    return recorded


def whole(once: Once) -> Once:
    """Every event and value, kept and counted as a run of Gradreel does."""

    def recorded() -> Sequence[Any]:
        with listening(Machine(NO_LIMITS, {}, Recorder()).emit):
            return once()

    return recorded
