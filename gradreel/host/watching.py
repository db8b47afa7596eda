"""Watching a run from its own process: where it is, and an alarm for the case that nobody looks at the clock.

The program's own clock is looked at with every few steps. Should the run be where no steps are counted, the alarm
stops it all the same; what was recorded is kept.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType

from gradreel.program import Limits, Spent

ALARM_SECONDS = 5.8
"""When the alarm goes off, counted from the start of the run; the program's own clock comes first."""
AGAIN_SECONDS = 0.2
"""It goes off again as long as the run goes on: there are places where Python lets no exception through."""


Place = list[int] | memoryview


@dataclass
class Watch:
    """`place[0]` is the line that the run reached last; `alarm` makes the alarm go off."""

    place: Place = field(default_factory=lambda: [0])
    alarm: bool = False

    @contextmanager
    def during(self) -> Iterator[None]:
        if not self.alarm or not hasattr(signal, "setitimer"):
            yield
            return
        signal.signal(signal.SIGALRM, ring)
        signal.setitimer(signal.ITIMER_REAL, ALARM_SECONDS, AGAIN_SECONDS)
        try:
            yield
        finally:
            signal.signal(signal.SIGALRM, signal.SIG_IGN)


def ring(number: int, frame: FrameType | None) -> None:
    """Stop the run here and now."""
    raise Spent("seconds", Limits().seconds)
