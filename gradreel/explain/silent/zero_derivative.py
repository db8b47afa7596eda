"""A rounding on the way of a gradient: its derivative is zero, so all that is behind it gets zeros, and no error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event, Value

from ..ancestry import all_zero, by_graph
from ..diagnosis import Diagnosis, named, on
from ..words import called, code, name_of
from ..world.states import NodeState
from ..world.world import World
from .showing import FirstTrouble

ROUNDS = frozenset(["Round", "Floor", "Ceil", "Trunc", "Sign", "Sgn"])
"""Nodes of functions that are constant but for jumps."""


class ZeroDerivative(FirstTrouble):
    """Remembers the rounding nodes that dropped a gradient; tells of a leaf behind one that never got anything else."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.dropped: dict[int, NodeState] = {}
        """By call the first node in it that was given a gradient and handed on zeros."""
        self.zeros: dict[int, tuple[NodeState, int]] = {}
        """By leaf the node, and the event at which zeros came to it."""
        self.moved: set[int] = set()
        """Leaves that something other than zeros came to."""

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        return {
            e.NodeRan: self.ran,
            e.GradStored: self.stored,
            e.GradCaptured: self.captured,
            e.Printed: self.showing.printed,
        }

    def ran(self, event: e.NodeRan) -> None:
        node = self.world.nodes[event.node]
        rounds = node.kind in ROUNDS and not node.custom  # a Function of that name may hand on what it likes
        if rounds and event.call not in self.dropped and node.came is not None and not all_zero(node.came):
            self.dropped[event.call] = node

    def stored(self, event: e.GradStored) -> None:
        if event.after is not None and event.call is not None:
            self.arrived(event.call, event.tensor, event.after)

    def captured(self, event: e.GradCaptured) -> None:
        if event.value is not None:
            self.arrived(event.call, event.tensor, event.value)

    def arrived(self, call: int, leaf: int, gradient: Value) -> None:
        if not all_zero(gradient):
            self.moved.add(leaf)
        elif call in self.dropped and leaf not in self.zeros and leaf in self.behind(self.dropped[call]):
            self.zeros[leaf] = self.dropped[call], self.world.count - 1
            self.showing.wait()

    def behind(self, node: NodeState) -> set[int]:
        """The leaves that the graph behind `node` leads to."""
        return set().union(*(by_graph(self.world, self.world.tensors[number]) for number in node.inputs))

    def found(self) -> list[Diagnosis]:
        for leaf, (node, event) in self.zeros.items():
            if leaf not in self.moved:
                return [self.showing.shown(self.told(leaf, node, event))]
        return []

    def told(self, leaf: int, node: NodeState, event: int) -> Diagnosis:
        world, place = self.world, node.place
        story = (
            f"{code(world.source.text(place.line, place.end_line))} {on(place.line)} goes in steps: between its jumps "
            "nothing changes, so its derivative is 0.",
            f"**{node.title}** was given a gradient and handed on zeros, and they are all that came to "
            f"{called(world, leaf)}.",
            "A straight-through estimator rounds the value and lets the gradient pass as if nothing had been rounded.",
        )
        lines: dict[str, int | None] = {"built": place.line, "raised": None}
        events = {"built": node.made, "seen": event}
        names = named(target=name_of(world, world.tensors[leaf]))
        title = "A rounding sends back zeros"
        return Diagnosis("other", title, "", lines, story, (node.number,), events, "zero_derivative", names)
