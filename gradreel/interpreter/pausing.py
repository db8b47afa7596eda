"""Pausing the recording: of a long loop the first turns and the last are recorded, and the middle runs unrecorded.

A loop pauses at the beginning of a turn, once a few were recorded and all of them would be too much; the same loop goes
on recording a few turns before its end. Where nobody knows its end (`while`, `break`, an error), what happened last
was not recorded: then `missed` says so, and a second run, which does the same, can know. Its `plan` says at which turn
each pause ends.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from time import process_time
from typing import Any, Protocol

from gradreel.trace import Recorder
from gradreel.trace.events import FunctionLeft, LineReached, Printed, Warned

from .limits import Limits, Meter
from .runtime.values import Cell, Frame, Value

Plan = dict[Hashable, tuple[int, int]]
"""For loops, the turn at which each pauses and the one at which it goes on recording."""

NEVER = 1 << 60
MOST, FEWEST = 10, 2
"""So many turns are recorded at each end of a loop, at most and at least."""
SHARE = 4
"""Each end of a loop may take one part in so many of what is left of the recording."""
CROWDED = 2
"""Where one turn makes a recording so many times as long as is recorded whole, the rest of the turn is not recorded."""
EARLIEST = 1 / 8
"""So much of a recording, or of the time, is taken before any loop pauses: many loops end before their range does."""
SHARE_OF_TIME = 0.3
"""A loop that would take more of the time while it is recorded pauses, however short its recording is. (Of that of the
processor: where a machine has much else to do, a program pauses where it does elsewhere.)"""


class Loop:
    """One run through a loop of statements."""

    __slots__ = (
        "line",
        "end",
        "total",
        "frame",
        "frames",
        "around",
        "turn",
        "mark",
        "first",
        "until",
        "events",
        "share",
        "began",
        "spent",
    )

    def __init__(self, line: int, end: int, total: int | None, frame: Frame, frames: Any, around: Any) -> None:
        self.line, self.end, self.total = line, end, total
        self.frame, self.frames, self.around = frame, frames, around
        self.turn, self.mark = 1, 0
        """The turn that it has begun last, while it is recorded, and how far the tape was then."""
        self.first = 0
        """The turn at which it paused."""
        self.until = 0
        """The turn at which it goes on recording."""
        self.events, self.share, self.began = 0, 0.0, 0.0
        self.spent: tuple[float, ...] = ()
        """What was spent of the budgets when it paused."""

    @property
    def key(self) -> Hashable:
        """What it is known by in another run of the program."""
        return self.line, self.frames, self.around


class Names(Protocol):
    """What tells of the names of a program."""

    on: bool
    names: dict[str, Value]

    def tell_changes(self, scope: int, names: Mapping[str, Value], cells: Mapping[str, Cell]) -> None:
        """Tell what the names of `scope` stand for now, where that is not what they were told to stand for."""


class Pauses:
    """When a run is recorded: what loops ask, at the beginning of each turn."""

    def __init__(self, recorder: Recorder, limits: Limits, meter: Meter, plan: Plan) -> None:
        self.recorder, self.limits, self.meter = recorder, limits, meter
        self.plan = plan
        self.learned: Plan = dict(plan)
        """The plan for a second run."""
        self.missed = False
        """Whether a pause ended with its loop, or in an error: the last turns were not recorded."""
        self.owner: Loop | None = None
        """The loop that paused."""
        self.active: list[Loop] = []
        """The loops that the program is in, as far as they are recorded."""
        self.left: list[int] = []
        """The scopes that the program was in when it broke off within a turn."""
        self.printed: list[str] = []
        self.warned: list[Any] = []
        self.scopes: list[int] = []
        """The scopes of the functions that the program is in."""
        self.names: Names
        self.switch: Callable[[bool], None]
        """Switches on and off what the program itself tells."""

    def hear(self, flight: Any) -> None:
        """What is kept of what a program says while it is not recorded."""
        if flight[0] is Printed:
            self.printed.append(flight[1])
        elif flight[0] is Warned:
            self.warned.append(flight)

    # ---- pause

    def begins(self, loop: Loop, turn: int) -> None:
        """`loop` is about to begin its `turn`, from the second on, and it is recorded: pause if need be."""
        planned = self.plan.get(loop.key) if self.plan else None
        until = planned[1] if planned and turn == planned[0] else 0 if planned else self.pausing_until(loop, turn)
        if until > turn and self.recorder.idle:
            loop.first, loop.until = turn, until
            loop.spent = self.meter.spent()
            self.learned[loop.key] = turn, until
            self.recorder.pause(free=self.limits.free)
            self.owner = loop
            self.switch(False)

    def pausing_until(self, loop: Loop, turn: int) -> int:
        """The turn up to which the recording had better pause; 0 if it need not."""
        events = len(self.recorder)
        if turn == FEWEST:
            loop.events, loop.share = events, max(self.limits.whole - events, 0) / SHARE
            loop.began = process_time()
        if turn <= FEWEST or self.meter.late:
            return 0
        each = max((events - loop.events) / (turn - FEWEST), 1)
        seconds = (process_time() - loop.began) / (turn - FEWEST)
        ends = min(max(int(loop.share / each), FEWEST), MOST)
        if turn <= ends or (events < EARLIEST * self.limits.whole and seconds * turn < EARLIEST * self.limits.seconds):
            return 0
        left = turn // 3 if loop.total is None else loop.total - turn + 1
        if events + each * left <= self.limits.whole and seconds * left <= SHARE_OF_TIME * self.limits.seconds:
            return 0
        if loop.total is None:
            return NEVER
        return loop.total - ends + 1 if left > 2 * ends else 0

    def breaks_off(self) -> bool:
        """Whether the rest of the turn goes unrecorded from this statement on: it has made the recording too long."""
        crowded = len(self.recorder) > CROWDED * self.limits.whole
        if not (crowded and self.limits.free and self.active and self.owner is None and self.recorder.idle):
            return False
        items = len(self.recorder.tape.items)
        loop = next((one for one in reversed(self.active) if items - one.mark > items // SHARE), self.active[0])
        loop.first, loop.until, loop.spent = loop.turn, loop.turn + 1, self.meter.spent()
        self.left = self.scopes.copy()
        self.recorder.pause(free=True)
        self.owner = loop
        self.switch(False)
        return True

    # ---- and go on

    def goes_on(self, loop: Loop, turn: int) -> None:
        """`loop`, which paused, is about to begin its `turn`: go on recording if it is time."""
        self.meter.check()  # what the engine does between charges nothing if it is free
        if turn >= loop.until or (self.meter.late and self.meter.fits_seldom(loop.spent, turn - loop.first)):
            self.resume(loop, turn - 1)

    def ends(self, loop: Loop, turn: int) -> None:
        """`loop`, which paused, is over; `turn` was its last."""
        if loop.until == loop.first + 1:
            self.resume(loop, turn)
            return
        self.missed = True
        until = turn - FEWEST + 1
        self.learned[loop.key] = loop.first, until if until - loop.first > FEWEST else 0
        self.resume(loop, turn)

    def resume(self, loop: Loop, last: int) -> None:
        """Record again; `last` is the last turn that was not recorded. A budget may be spent on the way."""
        self.owner = None
        self.switch(True)
        try:
            self.recorder.listen()
            self.leave_functions()
            self.names.tell_changes(0, self.names.names, {})
            if loop.frame.scope:
                self.names.tell_changes(loop.frame.scope, loop.frame.names, loop.frame.cells)
        finally:
            said = [*self.warned, (Printed, "".join(self.printed))] if self.printed else [*self.warned]
            self.printed, self.warned = [], []
            loops = (*loop.around, (loop.line, last, loop.total))
            reached = (LineReached, loop.line, loop.end, loop.frames, loops)
            self.recorder.resume(loop.first, [*said, reached])

    def leave_functions(self) -> None:
        """Tell of the functions that ended where nobody listened, the innermost first."""
        for scope in reversed(self.left):
            if scope not in self.scopes:
                self.recorder.tape.emit((FunctionLeft, scope))
        self.left = []
