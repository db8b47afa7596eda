"""Gradients that kept adding up: what one step had used was still there when the next one came."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event, Value

from ..diagnostics.diagnosis import Diagnosis, named
from ..diagnostics.registry import watcher
from ..narration.words import called, code, name_of, on
from ..replay.graph_queries import all_zero
from ..replay.world import World
from .before_skipped import BeforeSkipped


@watcher(e.GradStored)
class Piled:
    """Follows each leaf: its gradient was used for a step, then added to without being emptied, then used again."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.used: dict[int, int] = {}
        """For each tensor whose gradient was used for a step since it was last emptied: the line of the step."""
        self.again: dict[int, tuple[int, int]] = {}
        """Of these, those to which a backward has added since: its event and line."""
        self.begun: dict[int, str] = {}
        """What each leaf was when its first gradient came: two that begin alike may show two ways."""
        self.fresh: dict[int, int] = {}
        """For each leaf how many steps used a gradient that had been emptied before."""
        self.before_skipped = BeforeSkipped(world)
        self.piled: int | None = None
        self.diagnosis: Diagnosis | None = None

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        return {
            e.Written: self.written,
            e.GradStored: self.stored,
            e.AliasChanged: self.alias,
            e.TurnsSkipped: self.skipped,
        }

    def skipped(self, event: e.TurnsSkipped) -> None:
        self.before_skipped.note(self.used.keys() | self.again.keys())

    def written(self, event: e.Written) -> None:
        owner = self.world.owner_of(event.tensor)
        if owner is not None:
            if self.world.optimizer is None and not self.world.open_calls:
                self.forget(owner.number)
            return
        tensor = leaf_of(self.world, event.tensor)
        if tensor is None:
            return
        grad = self.world.tensors[tensor].grad
        if grad is None or not (self.world.optimizer is not None or from_gradient(self.world, event.inputs, tensor)):
            return
        if self.before_skipped.differs(tensor, grad):
            self.forget(tensor)
        if tensor in self.again and self.diagnosis is None:
            self.diagnosis, self.piled = self.told(tensor), tensor
        if tensor not in self.again and tensor not in self.used:
            self.fresh[tensor] = self.fresh.get(tensor, 0) + 1
        self.again.pop(tensor, None)
        self.used[tensor] = self.world.place.line

    def stored(self, event: e.GradStored) -> None:
        if event.tensor not in self.begun:
            self.begun[event.tensor] = repr(self.world.tensors[event.tensor].value)
        other = self.before_skipped.differs(event.tensor, event.before)
        if other or event.how == "assigned" or event.before is None:
            self.forget(event.tensor)
        elif event.tensor in self.used and not zero(event.before) and not zero(event.came):
            self.again.setdefault(event.tensor, (self.world.count - 1, self.world.place.line))

    def alias(self, event: e.AliasChanged) -> None:
        owner = self.world.owner_of(event.tensor)
        if owner is not None and self.world.optimizer is None and not self.world.open_calls:
            self.forget(owner.number)

    def forget(self, tensor: int) -> None:
        self.before_skipped.forget(tensor)
        self.used.pop(tensor, None)
        self.again.pop(tensor, None)

    def told(self, tensor: int) -> Diagnosis:
        world = self.world
        event, backward = self.again[tensor]
        step, line = self.used[tensor], world.place.line
        name = called(world, tensor)
        return Diagnosis(
            title="Gradients that nobody resets",
            lines={
                "built": world.tensors[tensor].place.line,
                "changed": backward,
                "raised": None,
                "shows": line,
            },
            story=(
                f"The step {on(step)} used the gradient of {name}, and left it where it was.",
                f"{code(world.source.text(backward))} {on(backward)} added the next gradient to it: `.grad` is a sum "
                "until somebody resets it.",
                f"The step {on(line)} then used the old part a second time; with every turn there is one more.",
            ),
            events={"changed": event, "seen": world.count - 1},
            cause="piled",
            names=named(target=name_of(world, world.tensors[tensor]), optimizer=world.optimizer),
        )

    def both_ways(self) -> bool:
        """Whether another leaf, which began with the same numbers, was trained with gradients emptied in time."""
        own = self.piled
        return any(
            self.fresh.get(leaf, 0) > 1
            for leaf, begun in self.begun.items()
            if leaf != own and own is not None and begun == self.begun.get(own)
        )

    def found(self) -> list[Diagnosis]:
        return [self.diagnosis] if self.diagnosis is not None and not self.both_ways() else []


LATEST = 3
"""So many of the last writes into a memory are looked at for what went into it."""


def zero(value: Value | None) -> bool:
    return value is not None and all_zero(value)


def leaf_of(world: World, number: int) -> int | None:
    """The leaf that a write into `number` changes: itself, or what it is `.data` of."""
    tensor = world.tensors.get(number)
    while tensor is not None:
        if tensor.requires_grad and tensor.node is None:
            return tensor.number
        tensor = world.tensors.get(tensor.base) if tensor.base is not None else None
    return None


def from_gradient(world: World, inputs: tuple[int, ...], leaf: int) -> bool:
    """Whether what is written was computed from the gradient of `leaf`."""
    todo, seen = list(inputs), set(inputs)
    while todo:
        number = todo.pop()
        owner = world.owner_of(number)
        if owner is not None and owner.number == leaf:
            return True
        tensor = world.tensors.get(number)
        if tensor is None:
            continue
        written = world.writes.get(tensor.storage, ())  # as a velocity is that is kept: `v.mul_(mu).add_(p.grad)`
        latest = [source for write in written[-LATEST:] for source in write.inputs]
        for source in (*tensor.inputs, *(() if tensor.base is None else (tensor.base,)), *latest):
            if source not in seen and len(seen) < 40:
                seen.add(source)
                todo.append(source)
    return False
