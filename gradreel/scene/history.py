"""A history: all that becomes of one property of one kind of things, in the order in which it happened."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

Track = tuple[list[int], list[Any]]
"""The steps at which a property of one thing changed, and its value from each on; before the first it is None."""


class History(NamedTuple):
    """Of every change the thing, the step, and the value from that step on; column by column."""

    things: Sequence[Any]
    steps: Sequence[int]
    values: Sequence[Any]

    def tracks(self) -> dict[Any, Track]:
        """The same by things."""
        found: dict[Any, Track] = {}
        for thing, step, value in zip(*self, strict=True):
            track = found.get(thing)
            if track is None:
                track = found[thing] = [], []
            track[0].append(step)
            track[1].append(value)
        return found

    def changes(self) -> History:
        """Without those entries that leave things as they were."""
        known: dict[Any, Any] = {}
        told: list[int] = []
        for at, (thing, value) in enumerate(zip(self.things, self.values, strict=True)):
            if known.get(thing) != value:
                known[thing] = value
                told.append(at)
        return self if len(told) == len(self.things) else History(*(list(map(c.__getitem__, told)) for c in self))
