"""What belongs to one thread of execution: grad mode, the listener, hooks on saved tensors, the count of nodes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .engine import Call
    from .levels import Level
    from .tell import Session
    from .vmapping import Loop

PackHooks = tuple[Callable[[Any], Any], Callable[[Any], Any]]


class State(threading.local):
    """The engine's state; every thread has its own."""

    def __init__(self) -> None:
        np.seterr(divide="ignore", over="ignore", under="ignore", invalid="ignore")  # torch has no such warnings
        self.reset()

    def reset(self) -> None:
        """As in a fresh process: nothing counted, nobody listening, no warning shown yet."""
        self.grad_enabled = True
        self.inference = False
        self.session: Session | None = None
        self.saved_hooks: list[PackHooks] = []
        self.saved_hooks_refused: str | None = None
        self.next_sequence: Callable[[], int] = count().__next__
        self.next_call: Callable[[], int] = count(1).__next__
        self.calls: list[Call] = []
        self.partial = False
        self.reserve: Callable[[str, tuple[Any, ...]], None] | None = None
        self.warned: set[str] = set()
        self.anomaly = False
        self.check_nan = True
        self.levels: list[Level] = []
        self.dual: Level | None = None
        self.mapped: list[Loop] = []
        self.early_stop: bool | None = None
        self.warn_always = False


state = State()


@contextmanager
def isolated() -> Iterator[State]:
    """Run as a fresh process would: a state of its own for this block, the old one back afterwards."""
    before = dict(state.__dict__)
    state.reset()
    try:
        yield state
    finally:
        state.__dict__.clear()
        state.__dict__.update(before)
