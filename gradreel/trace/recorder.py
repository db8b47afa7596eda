"""The Recorder: collects what the engine and the program tell, while they run, and makes a Trace of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograd_core.events import Event

from .trace import Outcome, Trace

Flight = tuple[Any, ...]


class Recorder:
    """Collects events in flight. `emit` takes one; without a limit it is a bare `list.append`.

    With `limit`, `spent` is called with the number of events collected at each one beyond it; it is expected to
    raise, and the event that went beyond is kept, so that the trace says how far the run came.
    """

    emit: Callable[[Flight], None]

    def __init__(self, limit: int | None = None, spent: Callable[[int], None] | None = None) -> None:
        self.flights: list[Flight] = []
        self.emit = self.flights.append if limit is None or spent is None else self._counting(limit, spent)

    def _counting(self, limit: int, spent: Callable[[int], None]) -> Callable[[Flight], None]:
        flights = self.flights
        append = flights.append

        def emit(flight: Flight) -> None:
            append(flight)
            if len(flights) > limit:
                spent(len(flights))

        return emit

    def __len__(self) -> int:
        return len(self.flights)

    def trace(self, source: str, mode: str, outcome: Outcome) -> Trace:
        """What was collected so far, as a Trace."""
        return Trace(source, mode, outcome, tuple(map(Event.of, self.flights)))
