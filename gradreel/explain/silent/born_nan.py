"""NaN that is born in a backward: a node that got numbers and handed on what is none."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event, Value

from ..ancestry import flat
from ..diagnosis import Diagnosis, during, named, on
from ..words import called, code, label
from ..world import World


class BornNan:
    """Remembers in each call the first node that made NaN, until one reaches a leaf or a result."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.births: dict[int, tuple[int, int]] = {}
        """For each call: the event and the node."""
        self.started: dict[int, bool] = {}
        self.diagnosis: Diagnosis | None = None

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        if self.diagnosis is not None:
            return {}
        return {e.NodeStarted: self.start, e.NodeRan: self.ran, e.GradStored: self.stored, e.GradCaptured: self.got}

    def start(self, event: e.NodeStarted) -> None:
        self.started[event.node] = any(has_nan(grad) for grad in event.grads)

    def ran(self, event: e.NodeRan) -> None:
        if event.call in self.births or self.started.get(event.node):
            return
        if any(has_nan(grad) for grad in event.grads):
            self.births[event.call] = self.world.count - 1, event.node

    def stored(self, event: e.GradStored) -> None:
        if event.call in self.births and has_nan(event.after) and not has_nan(event.before):
            self.tell(event.call, event.tensor)

    def got(self, event: e.GradCaptured) -> None:
        if event.call in self.births and has_nan(event.value):
            self.tell(event.call, event.tensor)

    def tell(self, number: int, tensor: int) -> None:
        world = self.world
        if self.diagnosis is not None:
            return
        event, node_number = self.births[number]
        node, call = world.nodes[node_number], world.calls[number]
        bad = [slot for slot in node.slots.values() if slot.slot != "result" and has_nan(slot.value)]
        if bad or any(not finite(leaf.value) for leaf in (world.tensors[tensor],)):
            return  # the numbers themselves had gone wrong before: the gradient is right for them
        story = (
            f"**{node.title}**, built {on(node.place.line)}{during(node.place)}, got numbers from above, and what it "
            "handed on holds NaN: its slope is infinite or undefined at one of the values it kept.",
            "What is multiplied by 0 later, as in the branch of `where` that is not taken, is no help: 0 · ∞ is NaN.",
            f"{code(call.text)} {on(call.place.line)} brings it to {called(world, tensor)}.",
        )
        lines: dict[str, int | None] = {"built": node.place.line, "raised": None, "shows": call.place.line}
        names = named(target=label(world, tensor))
        self.diagnosis = Diagnosis(
            "other",
            "NaN is born in the backward",
            "",
            lines,
            story,
            (node_number,),
            {"born": event, "built": node.made, "seen": world.count - 1},
            "nan",
            names,
        )

    def found(self) -> list[Diagnosis]:
        return [self.diagnosis] if self.diagnosis is not None else []


def has_nan(value: Value | None) -> bool:
    if value is None:
        return False
    if not value.whole:
        return value.mean is not None and math.isnan(value.mean)
    return any(isinstance(number, float) and math.isnan(number) for number in flat(value.data))


def finite(value: Value | None) -> bool:
    if value is None:
        return True
    return all(not isinstance(number, float) or math.isfinite(number) for number in flat(value.data))
