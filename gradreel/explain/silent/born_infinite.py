"""Infinite gradients: a node that got numbers from above and handed on infinity, as the root does at 0."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event, Value

from ..diagnostics.diagnosis import Diagnosis, named
from ..diagnostics.registry import watcher
from ..narration.words import called, code, during, label, on
from ..replay.graph_queries import all_finite, flat
from ..replay.world import World
from .born_nan import finite, has_nan

LOOKED_FOR = frozenset({"isfinite", "isinf", "isnan", "nan_to_num", "nan_to_num_"})


@watcher(e.NodeRan)
class BornInfinite:
    """Remembers in each call the first node that made infinity of numbers, until it reaches a leaf or a result."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.births: dict[int, tuple[int, int]] = {}
        """For each call: the event and the node."""
        self.started: dict[int, bool] = {}
        self.diagnosis: Diagnosis | None = None
        self.shown: int | None = None

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        ends = self.world.gradients
        if not any(map(infinite, ends)) or any(map(has_nan, ends)) or asks(self.world.source.tree):
            return {}
        return {
            e.NodeStarted: self.start,
            e.NodeRan: self.ran,
            e.GradStored: self.stored,
            e.GradCaptured: self.got,
            e.Printed: self.printed,
        }

    def printed(self, event: e.Printed) -> None:
        if self.shown is None and self.diagnosis is not None and "inf" in event.text:
            self.shown = self.world.place.line

    def start(self, event: e.NodeStarted) -> None:
        self.started[event.node] = all(map(finite, event.grads))

    def ran(self, event: e.NodeRan) -> None:
        """A node that kept infinity, or made one, only hands on what had overflowed before the backward."""
        node = self.world.nodes[event.node]
        if event.call in self.births or not self.started.get(event.node) or not any(map(infinite, event.grads)):
            return
        if all(finite(slot.value) for slot in node.slots.values()):
            self.births[event.call] = self.world.count - 1, event.node

    def stored(self, event: e.GradStored) -> None:
        if infinite(event.after) and finite(event.before):
            self.tell(event.call, event.tensor)

    def got(self, event: e.GradCaptured) -> None:
        if infinite(event.value):
            self.tell(event.call, event.tensor)

    def tell(self, number: int | None, tensor: int) -> None:
        world = self.world
        if self.diagnosis is not None or number is None or number not in self.births:
            return
        if not finite(world.tensors[tensor].value):
            return
        event, node_number = self.births[number]
        node, call = world.nodes[node_number], world.calls[number]
        self.diagnosis = Diagnosis(
            title="An infinite slope",
            lines={"built": node.place.line, "raised": None, "shows": call.place.line},
            story=(
                f"**{node.title}**, built {on(node.place.line)}{during(node.place)}, got numbers from above and handed "
                "on infinity. Its slope is infinite at one of the values it saved, as that of a root, a logarithm or a "
                "quotient is at 0.",
                f"{code(call.text)} {on(call.place.line)} brings it to {called(world, tensor)}; a step with it would "
                "leave no number there.",
            ),
            nodes=(node_number,),
            events={"born": event, "built": node.made, "seen": world.count - 1},
            cause="infinite",
            names=named(target=label(world, tensor)),
        )

    def found(self) -> list[Diagnosis]:
        if self.diagnosis is None or self.shown is None:
            return [] if self.diagnosis is None else [self.diagnosis]
        return [replace(self.diagnosis, lines={**self.diagnosis.lines, "shows": self.shown})]


def asks(tree: ast.AST) -> bool:
    """Whether the program looks for such numbers itself: it need not be told of them."""
    return any(isinstance(node, ast.Attribute) and node.attr in LOOKED_FOR for node in ast.walk(tree))


def infinite(value: Value | None) -> bool:
    if value is None:
        return False
    numbers = flat(value.data)
    return not all_finite(numbers) and any(isinstance(number, float) and math.isinf(number) for number in numbers)
