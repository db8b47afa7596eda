"""What a sentence function gets: the World as it stands at the end of a beat, and the beat's own events."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

from gradreel.trace.events import Event, LineReached, NodeMade

from ..words import upper
from ..world.world import World
from .beats import Beat

E = TypeVar("E", bound=Event)


@dataclass(slots=True)
class Telling:
    world: World
    beat: Beat
    events: tuple[Event, ...]

    def all(self, kind: type[E]) -> list[E]:
        return [event for event in self.events if type(event) is kind]

    def first(self, kind: type[E]) -> E | None:
        for event in self.events:
            if type(event) is kind:
                return event
        return None

    def one(self, kind: type[E]) -> E:
        return next(event for event in self.events if type(event) is kind)

    def last(self, kind: type[E]) -> E:
        for event in reversed(self.events):
            if type(event) is kind:
                return event
        raise ValueError(f"the beat has no {kind.__name__}")

    def built(self) -> int:
        """The first node that is no leaf's."""
        for event in self.events:
            if type(event) is NodeMade and event.variable is None:
                return event.node
        raise ValueError("the beat builds no node")

    def sentence(self, text: str) -> str:
        """`text` with the line before it, if the program reaches one here, and a full stop."""
        line = self.last(LineReached).line if self.beat.opens else 0
        ended = text if text.endswith((".", "?", "!")) and not text.endswith("..") else text + "."
        return f"Line {line}: {ended}" if line else upper(ended)


def turns(world: World) -> Iterator[str]:
    """`iteration 2 of 3`, innermost loop first."""
    for turn in reversed(world.place.turns):
        yield f"iteration {turn.number} of {turn.of}" if turn.of else f"iteration {turn.number}"
