"""The Recorder: collects what the engine and the program tell, while they run, and makes a Trace of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograd_core.frozen import maker
from autograd_core.recording import Reader, Tape

from .trace import KINDS, Outcome, Trace

Flight = tuple[Any, ...]

MAKE = {kind: maker(kind) for kind in KINDS.values()}
"""What makes each kind of event of its flight."""


class Recorder:
    """Collects events in flight. `emit` takes one; without a limit it is a bare `list.append`.

    The engine notes on the `tape`, to which `emit` adds, in few words what it does; `flights` reads the tape.
    With `limit`, `spent` is called with the number of flights emitted at each one beyond it; it is expected to
    raise, and the event that went beyond is kept, so that the trace says how far the run came.
    """

    emit: Callable[[Flight], None]

    def __init__(self, limit: int | None = None, spent: Callable[[int], None] | None = None) -> None:
        self.tape = Tape()
        self._reader = Reader(self.tape)
        self.emit = self.tape.add if limit is None or spent is None else self._counting(limit, spent)

    def _counting(self, limit: int, spent: Callable[[int], None]) -> Callable[[Flight], None]:
        items, append = self.tape.items, self.tape.add

        def emit(flight: Flight) -> None:
            append(flight)
            if len(items) > limit:
                spent(len(items))

        return emit

    @property
    def flights(self) -> list[Flight]:
        """All events in flight, up to now."""
        return self._reader.read()

    @property
    def nodes(self) -> int:
        """How many nodes the events read so far tell of."""
        return len(self._reader.nodes)

    def __len__(self) -> int:
        return len(self.flights)

    def trace(self, source: str, mode: str, outcome: Outcome) -> Trace:
        """What was collected so far, as a Trace."""
        return Trace(source, mode, outcome, tuple([MAKE[flight[0]](flight) for flight in self._reader.finish()]))
