"""What a sentence function gets: the World as it stands at the end of a beat, and the beat's own events."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from typing import TypeVar

from gradreel.trace.events import Event, LineReached, NodeMade

from ..replay.world import World
from .beats import Beat
from .words import short, upper

E = TypeVar("E", bound=Event)


@dataclass(slots=True)
class SentenceContext:
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

    def sentence(self, first: str, *clauses: str, because: str = "") -> str:
        """`first`, after the line that the program reaches here, and the clauses: on a line below if they are too much.

        What comes `because` stands behind a colon, or is one more clause if that is too much.
        """
        line = self.last(LineReached).line if self.beat.opens else 0
        text, others = f"Line {line}: {first}" if line else upper(first), list(clauses)
        if because and short(f"{text}: {because}"):
            text = f"{text}: {because}"
        elif because:
            others.insert(0, because)
        while others and short(f"{text}; {others[0]}"):
            text = join_clauses(text, others.pop(0))
        if not others:
            return end_sentence(text)
        return f"{end_sentence(text)}\n{end_sentence(upper(reduce(join_clauses, others)))}"


def join_clauses(text: str, clause: str) -> str:
    """`text` and a clause after it, or the sentence that it begins."""
    return f"{end_sentence(text)} {clause}" if clause[0].isupper() else f"{text}; {clause}"


def end_sentence(text: str) -> str:
    """`text` with a full stop, unless it has an end."""
    return text if text.endswith((".", "?", "!")) and not text.endswith("..") else text + "."


def turns(world: World) -> Iterator[str]:
    """`iteration 2 of 3`, innermost loop first."""
    for turn in reversed(world.place.turns):
        yield f"iteration {turn.number} of {turn.of}" if turn.of else f"iteration {turn.number}"
