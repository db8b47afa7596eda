"""A rounding on the way of a gradient: its derivative is zero, so all that is behind it gets zeros, and no error."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event, Value

from ..diagnostics.diagnosis import Diagnosis, named
from ..diagnostics.registry import watcher
from ..diagnostics.showing import FirstTrouble
from ..narration.words import called, code, name_of, on
from ..replay.graph_queries import all_zero, by_graph, flat
from ..replay.states import Call, NodeState
from ..replay.world import World

ROUNDS = frozenset(["Round", "Floor", "Ceil", "Trunc", "Sign", "Sgn"])
"""Nodes of functions that are constant but for jumps."""
OF_ONE = {"Softmax": "softmax", "LogSoftmax": "log_softmax", "NativeLayerNorm": "layer norm"}
"""Nodes of functions that are the same whatever they are given, where that is a single entry."""
LAYERS = re.compile(
    r"(Mm|Mv|Bmm|Addmv|Addr|Dot|Linear|Einsum|Bilinear|Convolution|Attention|Embedding)$", re.IGNORECASE
)
"""Nodes of what computes with weights, or compares what a network made with what it made of something else."""
AGAIN = 5
"""So many gradients in a row were zeros, of a leaf that others came to before."""


@watcher(e.NodeRan)
class ZeroDerivative(FirstTrouble):
    """Remembers the rounding nodes that dropped a gradient; tells of a leaf behind one that never got anything else."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.dropped: dict[int, NodeState] = {}
        """By call the first node in it that was given a gradient and handed on zeros."""
        self.zeros: dict[int, tuple[NodeState, int]] = {}
        """By leaf the node, and the event at which zeros first came to it since something else did."""
        self.often: Counter[int] = Counter()
        """How often zeros came to a leaf since then."""
        self.moved: set[int] = set()
        """Leaves that something other than zeros came to."""
        self.reached: dict[int, set[int]] = {}
        """The leaves behind each of those nodes."""
        self.last: set[int] = set()
        """Those of the nodes behind which comes the loss, and no layer any more."""

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        return {
            e.NodeRan: self.ran,
            e.GradStored: self.stored,
            e.GradCaptured: self.captured,
            e.Printed: self.showing.printed,
        }

    def ran(self, event: e.NodeRan) -> None:
        node = self.world.nodes[event.node]
        constant = (
            node.kind in ROUNDS or self.of_one(node)
        ) and not node.custom  # a Function may hand on what it likes
        if constant and event.call not in self.dropped and node.came is not None and not all_zero(node.came):
            self.dropped[event.call] = node

    def stored(self, event: e.GradStored) -> None:
        if event.after is not None and event.call is not None:
            self.arrived(event.call, event.tensor, event.after)

    def captured(self, event: e.GradCaptured) -> None:
        if event.value is not None:
            self.arrived(event.call, event.tensor, event.value)

    def of_one(self, node: NodeState) -> bool:
        """Whether the node normalizes entries of which there is only one: it gives 1, or 0, whatever that is."""
        if node.kind not in OF_ONE or not node.outputs:
            return False
        made = self.world.tensors[node.outputs[0]]
        if node.kind == "NativeLayerNorm":
            return bool(made.shape) and made.shape[-1] == 1
        value = made.value
        entries = [] if value is None else list(flat(value.data)) if value.whole else [value.minimum, value.maximum]
        return len(made.shape) > 1 and bool(entries) and set(entries) == {1.0 if node.kind == "Softmax" else 0.0}

    def arrived(self, call: int, leaf: int, gradient: Value) -> None:
        if not all_zero(gradient):
            self.moved.add(leaf)
            self.zeros.pop(leaf, None)
            self.often.pop(leaf, None)
        elif call in self.dropped and leaf in self.behind(self.dropped[call]):
            self.often[leaf] += 1
            if leaf not in self.zeros:
                self.zeros[leaf] = self.dropped[call], self.world.count - 1
                if not computed_on(self.world, self.world.calls[call], self.dropped[call]):
                    self.last.add(self.dropped[call].number)
                self.showing.wait()

    def behind(self, node: NodeState) -> set[int]:
        """The leaves that the graph behind `node` leads to."""
        if node.number not in self.reached:
            given = [self.world.tensors[number] for number in node.inputs]
            self.reached = {node.number: set().union(*(by_graph(self.world, tensor) for tensor in given))}
        return self.reached[node.number]

    def found(self) -> list[Diagnosis]:
        for leaf, (node, event) in self.zeros.items():
            if leaf not in self.moved or self.often[leaf] >= AGAIN:
                return [self.showing.shown(self.told(leaf, node, event))]
        return []

    def told(self, leaf: int, node: NodeState, event: int) -> Diagnosis:
        world, place, last = self.world, node.place, node.number in self.last
        story = (
            f"{code(world.source.text(place.line, place.end_line))} {on(place.line)} goes in steps: between its jumps "
            "nothing changes, so its derivative is 0.",
            f"**{node.title}** was given a gradient and handed on zeros, and they are all that came to "
            f"{called(world, leaf)}.",
            "A loss compares what was there before the rounding; to round is for counting answers."
            if last
            else "A straight-through estimator rounds the value and lets the gradient pass as if nothing had been "
            "rounded.",
        )
        lines: dict[str, int | None] = {"built": place.line, "raised": None}
        events = {"built": node.made, "seen": event}
        if node.kind in OF_ONE:
            return self.told_of_one(leaf, node, lines, events)
        return Diagnosis(
            title="A rounding sends back zeros",
            lines=lines,
            story=story,
            nodes=(node.number,),
            events=events,
            cause="zero_derivative",
            names=named(target=name_of(world, world.tensors[leaf]), how="last" if last else "within"),
        )

    def told_of_one(
        self, leaf: int, node: NodeState, lines: dict[str, int | None], events: dict[str, int]
    ) -> Diagnosis:
        world, what, place = self.world, OF_ONE[node.kind], node.place
        made = world.tensors[node.outputs[0]]
        return Diagnosis(
            title=f"A {what} of a single entry",
            lines=lines,
            story=(
                f"{code(world.source.text(place.line, place.end_line))} {on(place.line)} takes the {what} of a single "
                f"entry in each row: the shape is {list(made.shape)}.",
                "That is the same number whatever the entry is, so its derivative is 0, and zeros are all that came to "
                f"{called(world, leaf)}.",
                "One score for yes or no goes through `sigmoid`; `softmax` is for several that share one whole.",
            ),
            nodes=(node.number,),
            events=events,
            cause="of_one_entry",
            names=named(target=name_of(world, world.tensors[leaf]), kind=node.kind, wide=str(made.shape[-1] > 1)),
        )


def computed_on(world: World, call: Call, rounding: NodeState) -> bool:
    """Whether a layer, or a leaf, computes with what was rounded before it comes to the root of `call`."""
    between = {rounding.number}
    for number in sorted(number for number in call.expected if number > rounding.number):
        node = world.nodes[number]
        goals = {target for target, _ in node.edges if target is not None}
        if goals & between:
            between.add(number)
            beside = [world.nodes[target] for target in goals - between]
            if LAYERS.search(node.kind) or any(other.variable is not None for other in beside):
                return True
    return False
