"""A list of views of one memory that goes on being written to, or of one tensor again and again: all show what was
written last."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event, Value

from ..diagnostics.diagnosis import Diagnosis, named
from ..diagnostics.registry import watcher
from ..diagnostics.showing import FirstTrouble
from ..narration.words import called, code, name_of, on
from ..replay.states import Place, TensorState, Write
from ..replay.world import World

ELEMENT = re.compile(r"(.+)\[(\d+)\]$")


@dataclass(frozen=True, slots=True)
class Kept:
    """A part of a list as it was when it was put there."""

    tensor: int
    value: Value | None
    place: Place
    event: int


@watcher(e.Written)
class MovingViews(FirstTrouble):
    """Compares each tensor that joins a list with the one before it: whether that has since become the same."""

    seen = re.compile("")

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.kept: dict[tuple[int, str], Kept] = {}
        """The parts of lists, by scope and name."""
        self.moved: dict[int, tuple[Kept, str]] = {}
        """The tensors that show other numbers than when they were kept, with the name of their list."""

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        return {
            e.NameBound: self.bound,
            e.TensorMade: self.made,
            e.Printed: self.showing.printed,
            e.TurnsSkipped: self.skipped,
        }

    def skipped(self, event: e.TurnsSkipped) -> None:
        self.kept.clear()
        self.moved.clear()

    def bound(self, event: e.NameBound) -> None:
        if event.tensor is None or self.diagnosis is not None or not event.name.endswith("]"):
            return
        found = ELEMENT.match(event.name)
        tensor = self.world.tensors[event.tensor]
        if found is None:
            return
        name, at = found[1], int(found[2])
        before = self.kept.get((event.scope, f"{name}[{at - 1}]"))
        self.kept[event.scope, event.name] = Kept(tensor.number, tensor.value, self.world.place, self.world.count - 1)
        if before is not None and before.place.since != self.world.place.since and self.follows(before, tensor):
            self.moved[before.tensor] = before, name

    def follows(self, before: Kept, tensor: TensorState) -> bool:
        """Whether what was kept before shows the numbers of `tensor` now, which it did not when it was kept."""
        earlier = self.world.tensors[before.tensor]
        if earlier.storage != tensor.storage or earlier.shape != tensor.shape:
            return False
        return alike(earlier.value, tensor.value) and not alike(before.value, earlier.value)

    def made(self, event: e.TensorMade) -> None:
        if self.diagnosis is not None or not self.moved or event.base is not None:
            return
        for number in event.inputs:
            if number in self.moved:
                kept, name = self.moved[number]
                joined = event.op.partition(".")[0] in ("stack", "cat") and event.inputs.count(number) > 1
                if self.world.tensors[number].base is None and not joined:
                    continue  # the tensor itself, which may be used for what it is now
                names = [element for _, element in self.world.tensors[number].names]
                write = self.write(kept)
                if write is not None and any(element.startswith(f"{name}[") for element in names):
                    self.tell(self.told(kept, name, write))
                return

    def write(self, kept: Kept) -> Write | None:
        """The write that first gave it other numbers."""
        storage = self.world.tensors[kept.tensor].storage
        events = self.world.trace.events
        for number in range(kept.event, self.world.count):
            event = events[number]
            changes = isinstance(event, e.AliasChanged | e.Written) and event.tensor == kept.tensor
            if changes and not alike(event.value, kept.value):  # type: ignore[attr-defined]
                before = [write for write in self.world.writes.get(storage, ()) if write.event <= number]
                return before[-1] if before else None
        return None

    def told(self, kept: Kept, name: str, write: Write) -> Diagnosis:
        world = self.world
        tensor = world.tensors[kept.tensor]
        base = world.tensors[tensor.base] if tensor.base is not None else tensor
        source, place = world.source, world.place
        whole = called(world, base.number) if base.called is None else code(base.called)
        what = f"{whole} itself" if base is tensor else f"a view of {whole}"
        return Diagnosis(
            kind="view_inplace",
            title="A list that shows the last numbers only",
            lines={
                "built": place.line,
                "saved": kept.place.line,
                "changed": write.place.line,
                "raised": None,
            },
            story=(
                f"{code(source.text(kept.place.line))} {on(kept.place.line)} puts {what} into {code(name)}: it shows "
                "that memory and holds no numbers of its own.",
                f"{code(source.text(write.place.line))} {on(write.place.line)} then writes into the same memory, and "
                "all that is in the list moves along.",
                f"So {code(source.text(place.line, place.end_line))} {on(place.line)} works on the last numbers each "
                "time, and gradients go to what was written last.",
                "A `clone()` keeps the numbers, and the history, of its moment.",
            ),
            events={"saved": kept.event, "changed": write.event, "built": world.count - 1},
            cause="moving_views",
            names=named(target=base.called or name_of(world, base), list=name),
        )


def alike(one: Value | None, other: Value | None) -> bool:
    return repr(one) == repr(other)
