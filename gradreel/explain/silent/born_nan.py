"""NaN and where it was born: in the backward, by a node that got numbers, or before it, by an operator that did."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event, Value

from ..diagnostics.diagnosis import Diagnosis, named
from ..diagnostics.registry import watcher
from ..narration.words import called, code, during, label, listed, on, value
from ..replay.graph_queries import all_finite, ancestors, flat, made_from
from ..replay.states import TensorState
from ..replay.world import World

NAN = re.compile(r"\bnan\b")


@watcher(e.NodeMade)
class BornNan:
    """Remembers in each call the first node that made NaN, until one reaches a leaf or a result."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.births: dict[int, tuple[int, int]] = {}
        """For each call: the event and the node."""
        self.started: dict[int, bool] = {}
        self.infinite: dict[int, int] = {}
        """For each call the first node that made infinity of numbers."""
        self.forward: TensorState | None = None
        """The first tensor of the graph that held NaN, while none of what it was made of did."""
        self.diagnosis: Diagnosis | None = None
        self.shown: int | None = None

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        if not any(map(has_nan, self.world.gradients)):
            return {}
        return {
            e.TensorMade: self.made,
            e.NodeStarted: self.start,
            e.NodeRan: self.ran,
            e.GradStored: self.stored,
            e.GradCaptured: self.got,
            e.Printed: self.printed,
        }

    def printed(self, event: e.Printed) -> None:
        """NaN that is printed after one was born shows it, or what came of it."""
        if self.shown is None and (self.forward is not None or self.births) and NAN.search(event.text):
            self.shown = self.world.place.line

    def made(self, event: e.TensorMade) -> None:
        if self.forward is not None or event.node is None or self.world.open_calls or not has_nan(event.value):
            return
        tensor = self.world.tensors[event.tensor]
        before = made_from(self.world, tensor)
        if before and not any(has_nan(source.value) for source in before):
            self.forward = tensor

    def start(self, event: e.NodeStarted) -> None:
        self.started[event.node] = any(map(has_nan, event.grads))

    def ran(self, event: e.NodeRan) -> None:
        if event.call in self.births or self.started.get(event.node):
            return
        whole = all(finite(slot.value) for slot in self.world.nodes[event.node].slots.values())
        if whole and event.call not in self.infinite and not all(finite(grad) or has_nan(grad) for grad in event.grads):
            self.infinite[event.call] = event.node
        if any(map(has_nan, event.grads)):
            self.births[event.call] = self.world.count - 1, event.node

    def stored(self, event: e.GradStored) -> None:
        if not has_nan(event.after) or has_nan(event.before):
            return
        if event.call in self.births:
            self.tell(event.call, event.tensor)
        if self.diagnosis is None and self.forward is not None:
            self.tell_forward(self.forward, event.call, event.tensor)

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
        if not finite(world.tensors[tensor].value):
            return  # the numbers themselves had gone wrong before: the gradient is right for them
        if bad:
            self.tell_hidden(number, tensor)
            return
        steep = world.nodes.get(self.infinite.get(number, -1))
        if steep is not None and steep.number != node.number:
            how: tuple[str, ...] = (
                f"**{steep.title}**, built {on(steep.place.line)}{during(steep.place)}, got numbers from above and "
                "handed on infinity. Its slope is infinite at one of the values it saved.",
                f"**{node.title}**, built {on(node.place.line)}, multiplied that by 0, and 0 · ∞ is NaN.",
            )
            node = steep
        else:
            how = (
                f"**{node.title}**, built {on(node.place.line)}{during(node.place)}, got numbers from above, and what "
                "it handed on holds NaN. Its slope is infinite or undefined at one of the values it saved.",
                "What is multiplied by 0 later, as in the branch of `where` that is not taken, is no help: 0 · ∞ is "
                "NaN.",
            )
        self.diagnosis = Diagnosis(
            title="NaN is born in the backward",
            lines={"built": node.place.line, "raised": None, "shows": call.place.line},
            story=(
                *how,
                f"{code(call.text)} {on(call.place.line)} brings it to {called(world, tensor)}.",
            ),
            nodes=(node_number,),
            events={"born": event, "built": node.made, "seen": world.count - 1},
            cause="nan",
            names=named(target=label(world, tensor)),
        )

    def tell_hidden(self, number: int, tensor: int) -> None:
        """NaN among the data that was left out of the result: its gradient is 0 times NaN."""
        world = self.world
        event, node_number = self.births[number]
        node, call = world.nodes[node_number], world.calls[number]
        roots = [world.tensors[root] for root in call.roots if root in world.tensors]
        source = next((state for root in roots for state in ancestors(world, root) if first_nan(world, state)), None)
        if source is None or source.node is not None or any(has_nan(root.value) for root in roots):
            return
        lines: dict[str, int | None] = {"saved": source.place.line, "built": node.place.line, "raised": None}
        lines["shows"] = call.place.line
        self.diagnosis = Diagnosis(
            title="NaN that was left out comes back in the gradient",
            lines=lines,
            story=(
                f"{called(world, source.number)}, made {on(source.place.line)}, holds NaN.",
                f"{called(world, roots[0].number)} holds none of it: it was left out, as `where` and masks do. But "
                f"**{node.title}**, built {on(node.place.line)}{during(node.place)}, saved it, and the gradient of "
                "what is left out is 0 times NaN, which is NaN.",
                f"{code(call.text)} {on(call.place.line)} brings it to {called(world, tensor)}.",
                "Numbers in the place of NaN have to be there before anything is computed with it.",
            ),
            nodes=(node_number,),
            events={"born": event, "saved": source.made, "built": node.made, "seen": world.count - 1},
            cause="nan",
            names=named(target=label(world, tensor), hidden=label(world, source.number)),
        )

    def tell_forward(self, born: TensorState, number: int | None, tensor: int) -> None:
        """NaN that was there before the backward: the gradients it leads to are NaN, too."""
        world = self.world
        if not finite(world.tensors[tensor].value) or number is None or born.node is None:
            return
        node, call = world.nodes[born.node], world.calls[number]
        before = [state for state in made_from(world, born) if state.value is not None]
        given = listed([f"{called(world, state.number)} ({value(state.value)})" for state in before[:2]])
        self.diagnosis = Diagnosis(
            title="NaN is born in the forward",
            lines={"built": born.place.line, "raised": None, "shows": call.place.line},
            story=(
                f"{code(world.source.text(born.place.line))} {on(born.place.line)}{during(born.place)} made NaN of "
                f"numbers that were none: **{node.title}** was given {given}.",
                "0/0, ∞ - ∞, the root or logarithm of a negative number, and the spread of a single value have no "
                "answer.",
                "NaN stays NaN in whatever is computed with it, forward and backward.",
                f"{code(call.text)} {on(call.place.line)} brings it to the gradient of {called(world, tensor)}.",
            ),
            nodes=(born.node,),
            events={"born": born.made, "built": node.made, "seen": world.count - 1},
            cause="nan",
            names=named(target=label(world, tensor)),
        )

    def found(self) -> list[Diagnosis]:
        if self.diagnosis is None or self.shown is None:
            return [] if self.diagnosis is None else [self.diagnosis]
        return [replace(self.diagnosis, lines={**self.diagnosis.lines, "shows": self.shown})]


def first_nan(world: World, tensor: TensorState) -> bool:
    """Whether it holds NaN, and nothing that it was made of does."""
    return has_nan(tensor.value) and not any(has_nan(source.value) for source in made_from(world, tensor))


def has_nan(value: Value | None) -> bool:
    if value is None:
        return False
    if type(value.data) is float:
        return math.isnan(value.data)
    if not value.whole:
        return value.mean is not None and math.isnan(value.mean)
    numbers = flat(value.data)
    return not all_finite(numbers) and any(isinstance(number, float) and math.isnan(number) for number in numbers)


def finite(value: Value | None) -> bool:
    return value is None or all_finite(flat(value.data))
