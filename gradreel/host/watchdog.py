"""Watching a run from its own process: where it is, and an alarm for the case that nobody looks at the clock.

The program's own clock is looked at with every few steps. Should the run be where no steps are counted, the alarm
stops it all the same; what was recorded is kept.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from gradreel.interpreter import Spent
from gradreel.trace.recorder import WHOLE

from .places import here

AGAIN_SECONDS = 0.2
"""It goes off again as long as the run goes on: there are places where Python lets no exception through."""

Place = list[int] | memoryview


class Late(BaseException):
    """The time for a reply is over."""


@dataclass
class Watch:
    """`place[0]` is the line that the run reached last; `alarm` makes the alarm go off.

    What comes before and after a run, reading it and making its reply, is done `until` a moment of `time.monotonic`.
    """

    place: Place = field(default_factory=lambda: [0])
    alarm: bool = False
    until: float | None = None
    hear: Callable[[dict[str, Any]], None] | None = None
    """Takes how far the run has come, now and then."""

    def __post_init__(self) -> None:
        self.alarm = self.alarm and hasattr(signal, "setitimer")

    @contextmanager
    def during(self) -> Iterator[None]:
        """While a program runs: Spent is raised when the alarm goes off."""
        self.set(here().alarm_seconds, ring)
        try:
            yield
        finally:
            self.set_for_reply()

    @contextmanager
    def throughout(self, seconds: float) -> Iterator[None]:
        """For so many seconds; then Late is raised, unless a program runs."""
        self.until = time.monotonic() + seconds
        self.set_for_reply()
        try:
            yield
        finally:
            self.until = None
            self.set_for_reply()

    def set_for_reply(self) -> None:
        if self.until is None:
            self.set(0, signal.SIG_IGN)
        else:
            self.set(max(self.until - time.monotonic(), 0.001), be_late)

    def set(self, seconds: float, handler: Callable[[int, FrameType | None], None] | signal.Handlers) -> None:
        """Have `handler` called after so many seconds, and again and again; with 0 not at all."""
        if self.alarm:
            signal.signal(signal.SIGALRM, handler)
            signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN_SECONDS if seconds else 0)


def ring(number: int, frame: FrameType | None) -> None:
    """Stop the run here and now, but not while its recording is between two states."""
    while frame is not None:
        if frame.f_code in WHOLE:
            return
        frame = frame.f_back
    raise Spent("seconds", here().limits.seconds)


def be_late(number: int, frame: FrameType | None) -> None:
    """Stop making a reply."""
    raise Late
