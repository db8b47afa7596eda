"""Long loops in short: of the turns in the middle only what outlives them is kept, behind one `TurnsSkipped`.

What is left is a trace like any other: whatever a later event speaks of has been told (outliving.py says how).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from .events import Event, LineReached, TurnsSkipped
from .outliving import outliving

TURNS = (1000, 300, 100, 30, 10, 5, 3, 2, 1)
"""So many turns at each end of a loop are kept: the most that leaves few enough events."""

FEWEST = 2
"""For fewer turns no loop is cut."""

Gap = tuple[int, int]
"""The events from one up to another."""


@dataclass(slots=True)
class Loop:
    """One run through a loop: where each of its turns begins, and what was left out of it before, if anything was."""

    depth: tuple[int, int]
    """In how many loops and calls it is."""
    turn: int = 0
    """The last turn seen."""
    before: list[int] = field(default_factory=list)
    after: list[int] = field(default_factory=list)
    """Where turns begin, before and after what is left out."""
    left_out: Gap | None = None

    def begins(self, at: int, turn: int) -> None:
        (self.before if self.left_out is None else self.after).append(at)
        self.turn = turn

    def gap(self, turns: int) -> Gap | None:
        """What is to be left out so that `turns` are kept at each end; None if that is too little, or is so already."""
        if self.left_out is None:
            starts = self.before
            wide = len(starts) - 2 * turns >= FEWEST
            return (starts[turns], starts[-turns]) if wide else None
        start, stop = self.left_out
        start = self.before[turns] if turns < len(self.before) else start
        stop = self.after[-turns] if turns < len(self.after) else stop
        return None if (start, stop) == self.left_out else (start, stop)


class Skipping:
    """What could be left out of `events`."""

    def __init__(self, events: Sequence[Event]) -> None:
        self.events = events
        self.loops = sorted(loops(events), key=lambda loop: (loop.depth, loop.before))

    def within(self, most: int, turns: int = TURNS[0]) -> list[Event] | None:
        """All that happened in at most `most` events, with at most so many turns at each end of a loop.

        None if what outlives the turns is too much.
        """
        for kept in TURNS:
            if kept > turns:
                continue
            gaps = self.gaps(kept)
            in_full = len(self.events) - sum(stop - start for start, stop in gaps)
            if in_full <= most:
                shorter = without(self.events, gaps)
                if len(shorter) <= most:
                    return shorter
                if len(shorter) - in_full > most:
                    return None  # fewer turns leave no less
        return None

    def gaps(self, turns: int) -> list[Gap]:
        """What to leave out of each loop, of outer loops first; in order."""
        found: list[Gap] = []
        for loop in self.loops:
            gap = loop.gap(turns)
            if gap is None:
                continue
            at = bisect_left(found, gap)
            free = (at == 0 or found[at - 1][1] <= gap[0]) and (at == len(found) or gap[1] <= found[at][0])
            if free:
                found.insert(at, gap)
        return found


def loops(events: Sequence[Event]) -> Iterator[Loop]:
    """Every run through a loop of which the events tell.

    A turn begins where the line of the loop is reached with the next number; what stands on that line, too, has the
    same one.
    """
    running: dict[object, Loop] = {}
    at, end = 0, len(events)
    while at < end:
        event = events[at]
        if type(event) is TurnsSkipped:
            last = events[at + event.left]
            assert type(last) is LineReached
            loop = running.get(key(last))
            if loop is not None:
                loop.left_out, loop.turn = (at, at + 1 + event.left), event.last
            at += event.left
        elif type(event) is LineReached and event.loops and event.loops[-1][0] == event.line:
            turn = event.loops[-1][1]
            loop = running.get(key(event))
            if loop is None or turn not in (loop.turn, loop.turn + 1):
                loop = running[key(event)] = Loop((len(event.loops), len(event.frames)))
                yield loop
            if turn != loop.turn:
                loop.begins(at, turn)
        at += 1


def key(event: LineReached) -> object:
    return event.line, event.frames, event.loops[:-1]


def without(events: Sequence[Event], gaps: list[Gap]) -> list[Event]:
    """`events`, and of each gap only what outlives it."""
    told: list[Event] = []
    at = 0
    for start, stop in gaps:
        told.extend(events[at:start])
        told.extend(in_short(events[start:stop], events[start], events[stop]))
        at = stop
    told.extend(events[at:])
    return told


def in_short(stretch: Sequence[Event], first: Event, following: Event) -> list[Event]:
    """What outlives the turns that `stretch` tells of; the last thing said is where the last of them began."""
    begins = first.first if type(first) is TurnsSkipped else first.loops[-1][1]  # type: ignore[attr-defined]
    if type(following) is LineReached and opens(following, first.line):  # type: ignore[attr-defined]
        *around, (line, turn, total) = following.loops
        here = replace(following, loops=(*around, (line, turn - 1, total)))
    else:  # the loop ended with turns that were left out before
        assert type(stretch[-1]) is LineReached
        here = stretch[-1]
    line, last, _ = here.loops[-1]
    told, kept = outliving(stretch)
    return [TurnsSkipped(line, begins, last, told, len(kept) + 1), *kept, here]


def opens(event: LineReached, line: int) -> bool:
    """Whether `event` begins a turn of a loop on `line`."""
    return event.line == line and bool(event.loops) and event.loops[-1][0] == line
