"""The Recorder: collects what the engine and the program tell, while they run, and makes a Trace of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograd_core.events.gap import Gap
from autograd_core.events.recording import Reader, Tape

from .events import Event, FunctionLeft, LineReached, NodeReleased, Raised, TensorReleased, TurnsSkipped
from .skipping import Skipping
from .texts import shortening
from .trace import KINDS, Outcome, Trace

Flight = tuple[Any, ...]

EACH = 4
"""So many events at least tell of a node that is still there: its line, the node, what it keeps, its result."""

MAKE = {kind: shortening(kind) for kind in KINDS.values()}
"""What makes each kind of event of its flight."""


class Recorder:
    """Collects events in flight. `emit` takes one; without a limit it is a bare `list.append`.

    The engine notes on the `tape`, to which `emit` adds, in few words what it does; `flights` reads the tape.
    With `limit`, `spent` is called with the number of flights emitted at each one beyond it; it is expected to
    raise, and the event that went beyond is kept, so that the trace says how far the run came.

    `shorten` makes room in a recording that grows long: turns of loops are left out of it. Between `pause` and `resume`
    nothing is recorded.
    """

    emit: Callable[[Flight], None]

    def __init__(self, limit: int | None = None, spent: Callable[[int], None] | None = None) -> None:
        self.tape = Tape()
        self._reader = Reader(self.tape)
        self._earlier: list[Event] = []
        """What is left of the events before those that the reader has."""
        self._gap: tuple[Gap, int] | None = None
        """What is not recorded now, and behind which flight it began."""
        self.emit = self.tape.add if limit is None or spent is None else self._counting(limit, spent)

    def _counting(self, limit: int, spent: Callable[[int], None]) -> Callable[[Flight], None]:
        items, append = self.tape.items, self.tape.add

        def emit(flight: Flight) -> None:
            append(flight)
            if len(items) > limit:
                spent(len(items))

        return emit

    @property
    def nodes(self) -> int:
        """How many nodes the events read so far tell of, but for those that `shorten` found released."""
        return len(self._reader.nodes)

    def __len__(self) -> int:
        """How many events there are up to now."""
        return len(self._earlier) + len(self._reader.read())

    @property
    def idle(self) -> bool:
        """Whether all is told of what began: no backward call is under way."""
        return self._reader.idle

    def pause(self, free: bool) -> None:
        """Record nothing until `resume`; `free`: and let the engine not ask for room. The recording is `idle`."""
        self._gap = Gap(self.tape, self._reader, free), len(self._reader.flights)

    def listen(self) -> None:
        """The gap is over: the engine tells what became of what was known, and goes on telling."""
        assert self._gap is not None
        self._gap[0].end()

    def resume(self, first: int, said: list[Flight]) -> None:
        """Close the gap that `listen` ended: what was told since outlives the turns from `first` on, and so does what
        was `said` in them, last of all the LineReached with which the last of them began."""
        assert self._gap is not None and said[-1][0] is LineReached
        for flight in said:
            self.tape.add(flight)  # none of them makes room in the recording
        (_, begins), self._gap = self._gap, None
        flights = self._reader.read()
        line, turn, _ = said[-1][4][-1]
        flights.insert(begins, (TurnsSkipped, line, first, turn, 0, len(flights) - begins))

    def shorten(self, most: int) -> bool:
        """Leave out turns of long loops until there are `most` events or fewer; False if that cannot be done.

        It is for moments when the recording is `idle`.
        """
        alive = self.nodes - sum(flight[0] is NodeReleased for flight in self._reader.flights)
        if alive * EACH > most:
            return False
        shorter = Skipping([*self._earlier, *events_of(self._reader.read())]).within(most)
        if shorter is None:
            return False
        self._earlier = shorter
        self._reader.forget()
        return True

    def trace(self, source: str, mode: str, outcome: Outcome, program: str | None = None) -> Trace:
        """What was collected so far, as a Trace."""
        events = (*self._earlier, *events_of(self._reader.finish()))
        if mode == "script" and outcome.kind == "raised":
            events = with_frames(events)
        return Trace(source, mode, outcome, events, program=None if program == source else program)


WHOLE = frozenset(
    method.__code__ for method in (Recorder.__len__, Recorder.pause, Recorder.listen, Recorder.resume, Recorder.shorten)
)
"""What has to come to its end once it has begun, or the recording cannot be read."""


def with_frames(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """`events` of a run that an error ended, with the functions that it went through as they stood: its traceback holds
    them, so that their names are not gone."""
    last = next((at for at in reversed(range(len(events))) if isinstance(events[at], Raised)), 0)
    first = last
    while first and isinstance(events[first - 1], FunctionLeft | TensorReleased | NodeReleased):
        first -= 1
    kept = (event for event in events[first:last] if not isinstance(event, FunctionLeft))
    return (*events[:first], *kept, *events[last:])


def events_of(flights: list[Flight]) -> list[Event]:
    """The events that `flights` stand for."""
    return [MAKE[flight[0]](flight) for flight in flights]
