"""A write into a copy that nobody has: `x[mask].fill_(0)` fills what indexing made, and `x` stays as it was."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ..diagnostics.diagnosis import Diagnosis, named
from ..diagnostics.registry import watcher
from ..diagnostics.showing import FirstTrouble
from ..narration.words import called, code, name_of, on
from ..replay.states import Place
from ..replay.world import World

COPIES = frozenset({"index", "index_select", "masked_select", "gather", "take", "take_along_dim"})
"""Operators that pick entries by other tensors: what they give is no view."""


@dataclass(slots=True)
class Picked:
    """What `source` gave to such an operator, in one statement: where it was written into, if it was."""

    source: int
    place: Place
    tensors: list[int]
    """Those that live in its memory: itself, and views of it."""
    written: int | None = None


@watcher(e.Written)
class LostWrite(FirstTrouble):
    """Follows the copies of the statement that runs, and afterwards waits for the use of what they were taken of."""

    seen = re.compile("")

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.picked: dict[int, Picked] = {}
        """By memory."""
        self.lost: dict[int, Picked] = {}
        """By source: what was written and went."""

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        return {
            e.TensorMade: self.made,
            e.Written: self.written,
            e.NameBound: self.bound,
            e.NumbersTaken: self.taken,
            e.LineReached: self.line,
            e.Printed: self.printed,
        }

    def made(self, event: e.TensorMade) -> None:
        if self.picked and event.base is None:
            for number in event.inputs:
                self.read(self.world.tensors[number].storage, event.op)
        elif event.storage in self.picked:
            self.picked[event.storage].tensors.append(event.tensor)
        if self.lost and self.diagnosis is None:
            self.used(event)
        if event.base is None and event.inputs and event.op.partition(".")[0] in COPIES and 0 not in event.shape:
            source = self.world.tensors[event.inputs[0]]
            if source.names and self.world.place.line:
                self.picked[event.storage] = Picked(source.number, self.world.place, [event.tensor])

    def read(self, storage: int, op: str) -> None:
        """A copy that is used has been of use; a write may begin with a clone of its own of what was there."""
        picked = self.picked.get(storage)
        if picked is not None and (op != "clone" or picked.written is not None):
            del self.picked[storage]

    def written(self, event: e.Written) -> None:
        """A write into a copy; or by the copy into another tensor, which is a use of it."""
        for number in event.inputs:
            self.picked.pop(self.world.tensors[number].storage, None)
        picked = self.picked.get(event.storage)
        if picked is not None:
            picked.written = self.world.count - 1
        else:
            self.lost.pop(event.tensor, None)

    def bound(self, event: e.NameBound) -> None:
        if self.picked and event.tensor is not None:
            self.picked.pop(self.world.tensors[event.tensor].storage, None)

    def taken(self, event: e.NumbersTaken) -> None:
        self.picked.pop(self.world.tensors[event.tensor].storage, None)

    def printed(self, event: e.Printed) -> None:
        """What is printed in its own statement has been of use."""
        self.picked.clear()
        self.showing.printed(event)

    def line(self, event: e.LineReached) -> None:
        """The next line: nobody can come back to what the last one made and did not name."""
        for picked in self.picked.values():
            alive = any(self.world.tensors[number].alive for number in picked.tensors)
            if picked.written is not None and not alive:
                self.lost.setdefault(picked.source, picked)
        self.picked.clear()

    def used(self, event: e.TensorMade) -> None:
        source = next((number for number in event.inputs if number in self.lost), None)
        if source is not None:
            self.tell(self.told(self.lost[source]))

    def told(self, picked: Picked) -> Diagnosis:
        world, place = self.world, picked.place
        source, now = world.tensors[picked.source], world.place
        name = called(world, source.number)
        assert picked.written is not None
        return Diagnosis(
            kind="view_inplace",
            title="A write into a copy that nobody has",
            lines={
                "built": now.line,
                "saved": source.place.line,
                "changed": place.line,
                "raised": None,
            },
            story=(
                f"{code(world.source.text(place.line, place.end_line))} {on(place.line)} writes into what indexing "
                f"gave, and that is a copy: only slices and single places of {name} are views of it.",
                f"Nobody has the copy, so the write is lost, and {name} of **line {source.place.line}** stays as it "
                "was.",
                f"{code(world.source.text(now.line, now.end_line))} {on(now.line)} goes on with the old numbers.",
                "An assignment to the index, or `masked_fill` and `where`, changes those entries.",
            ),
            events={"saved": source.made, "changed": picked.written, "built": world.count - 1},
            cause="lost_write",
            names=named(target=name_of(world, source)),
        )
