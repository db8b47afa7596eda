"""What of a run is shown where time or memory is short: without turns of its long loops, else its beginning."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from gradreel.trace import Outcome, Trace
from gradreel.trace.events import Event, LineReached, Printed, Stopped, TurnsSkipped
from gradreel.trace.skipping import Skipping

LARGEST_REPLY = 16_000_000
"""Bytes that a reply may have; a larger one is replaced by a sentence."""

SHORT = 3_000
"""Events of a trace that is made ready at once."""
SAMPLE = 500
"""Events of a longer one that are made ready first, to see how long that takes on this machine just now."""
GROWTH = 40
"""How many times more is dared after what went well."""

TURNS = 10
"""Of a loop that is too long so many turns are shown at its beginning and at its end, or fewer."""

SKIPPED = (
    "Line {line}: turns {first:,} to {last:,} of this loop are left out, for the run is too long to be shown whole; "
    "what they left is there, and all that was printed."
)
CUT = (
    "This program recorded {all:,} events, more than can be made ready in time. Its loops leave too much behind for "
    "turns to be left out, or it has none. The first {kept:,} are shown, and all that it printed."
)

Parts = tuple[bytes, bytes]
"""Scene and trace, gzipped; empty where not asked for."""


def in_time(
    trace: Trace,
    ready: Callable[[Trace], Parts],
    deadline: float,
    on_the_way: Callable[[Trace, Parts], None] = lambda trace, parts: None,
) -> tuple[Trace, Parts]:
    """The trace, or as much of it as can be made ready until `deadline` and sent, and that made ready.

    Where it is too long, turns of its loops are left out; where that does not help, its end is.
    """
    total = len(trace.events)
    if total <= SHORT:
        return trace, ready(trace)
    making = Making(ready, deadline, on_the_way)
    making.make(beginning(trace, SAMPLE))
    if total > min(making.affordable, GROWTH * SAMPLE):
        pace, events = making.pace, Skipping(trace.events).within(making.affordable, TURNS)
        if events is not None and making.make(replace(trace, events=tuple(events))):
            making.pace = max(pace, making.pace)
            return making.last(trace) if total <= making.affordable else making.best(trace)
    size = SAMPLE
    while making.affordable >= 1.3 * size:
        size = min(total, making.affordable, GROWTH * size)
        if size >= total:
            return making.last(trace)
        if not making.make(beginning(trace, size)):
            break
    return making.best(trace)


class Making:
    """Makes more and more of a run ready, and learns how long that takes on this machine just now."""

    def __init__(
        self, ready: Callable[[Trace], Parts], deadline: float, on_the_way: Callable[[Trace, Parts], None]
    ) -> None:
        self.ready, self.deadline, self.on_the_way = ready, deadline, on_the_way
        self.made: tuple[Trace, Parts] | None = None
        self.pace = 0.0
        """Events a second, the last time."""

    @property
    def affordable(self) -> int:
        """How many events can be made ready until the deadline, with some time to spare."""
        return int((self.deadline - time.perf_counter()) * self.pace * 0.7)

    def parts_of(self, trace: Trace) -> Parts | None:
        """`trace` made ready; None if that is too large, for memory or to be sent."""
        try:
            parts = self.ready(trace)
        except MemoryError:
            if self.made is None:  # there is nothing smaller to send
                raise
            return None
        return None if sum(map(len, parts)) > LARGEST_REPLY else parts

    def make(self, trace: Trace) -> bool:
        """Make `trace` ready; False if that is too large."""
        before = time.perf_counter()
        parts = self.parts_of(trace)
        if parts is None:
            return False
        self.made = trace, parts
        self.pace = len(trace.events) / (time.perf_counter() - before)
        self.on_the_way(trace, parts)
        return True

    def last(self, trace: Trace) -> tuple[Trace, Parts]:
        """`trace` made ready; what was made before it if that is too large."""
        parts = self.parts_of(trace)
        return self.best(trace) if parts is None else (trace, parts)

    def best(self, trace: Trace) -> tuple[Trace, Parts]:
        """What was made ready last; of `trace` nothing if nothing was."""
        return self.made or (trace, (b"", b""))


def beginning(trace: Trace, most: int) -> Trace:
    """The trace up to `most` events; one that was not stopped before is so then."""
    if len(trace.events) <= most:
        return trace
    outcome = trace.outcome
    if outcome.kind != "stopped":
        message = CUT.format(all=len(trace.events), kept=most)
        line = next((event.line for event in reversed(trace.events[:most]) if isinstance(event, LineReached)), None)
        outcome = Outcome("stopped", "events", message, line)
    return replace(trace, events=(*trace.events[:most], *printed_later(trace, most)), outcome=outcome)


def printed_later(trace: Trace, number: int) -> tuple[Event, ...]:
    """What was printed from event `number` on, as one: the output is whole even where the recording is cut.

    What ends a run that a budget stopped stays, too.
    """
    later = trace.events[number:]
    text = "".join(event.text for event in later if isinstance(event, Printed))
    ends = later[-1:] if later and isinstance(later[-1], Stopped) else ()
    return (*((Printed(text),) if text else ()), *ends)


def left_out(trace: Trace) -> list[str]:
    """For each loop that is told in short, which of its turns are left out; of several times the first."""
    first: dict[int, TurnsSkipped] = {}
    for event in trace.events:
        if isinstance(event, TurnsSkipped):
            first.setdefault(event.line, event)
    return [SKIPPED.format(line=turns.line, first=turns.first, last=turns.last) for turns in first.values()]
