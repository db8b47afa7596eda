"""A loss of scores in a column and targets in a row: entry by entry becomes each with each, and torch at most warns."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ..ancestry import ancestors
from ..diagnosis import Diagnosis, named, on, origin
from ..words import called, code, name_of, upper
from ..world.states import NodeState, TensorState
from ..world.world import World
from .showing import Showing

SIZES = re.compile(
    r"Using a target size \(torch\.Size\((\[[\d, ]*\])\)\) that is different to the input size "
    r"\(torch\.Size\((\[[\d, ]*\])\)\)"
)
EACH = frozenset({"Pow", "Abs", "Mul", "Div", "Neg", "Sqrt", "Cosh", "Log", "Exp", "Where", "Clamp"})
"""What a loss makes of differences entry by entry."""
TOTALS = frozenset({"Mean", "Sum"})
PRODUCTS = frozenset({"Addmm", "Mm", "Unsafe", "AddBmm"})
CURVES = frozenset({"Relu", "Tanh", "Sigmoid", "Softplus", "Gelu", "Elu", "LeakyRelu", "Mul", "Add", "Sub", "Silu"})
"""What stands between the last product of a network and its scores."""
WHY = (
    "Broadcasting makes one shape of both, so that each score is compared with each target, not with its own.",
    "The loss then falls to that of a constant guess; `squeeze` or `unsqueeze` gives both one shape.",
)


class Broadcast:
    """Keeps the first warning of this kind, or the first difference of such shapes that a backward starts from."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.differences: dict[int, tuple[TensorState, TensorState]] = {}
        """By node the scores and the targets that it takes the differences of."""
        self.diagnosis: Diagnosis | None = None
        self.showing = Showing(world)

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        return {
            e.Warned: self.warned,
            e.TensorMade: self.made,
            e.BackwardStarted: self.backward,
            e.Printed: self.showing.printed,
        }

    def warned(self, event: e.Warned) -> None:
        sizes = SIZES.search(event.message)
        if sizes is None or self.diagnosis is not None:
            return
        place = self.world.place
        text = code(self.world.source.statement(place.line, place.end_line))
        story = (
            f"{text} {on(place.line)} compares scores of shape {sizes[2]} with targets of shape {sizes[1]}.",
            *WHY,
        )
        lines: dict[str, int | None] = {"built": place.line, "raised": None, "shows": place.line}
        events = {"built": self.world.count - 1}
        title = "Scores and targets of two shapes"
        self.diagnosis = Diagnosis("shape", title, "", lines, story, (), events, "broadcast")
        self.showing.wait()

    def made(self, event: e.TensorMade) -> None:
        """The difference of a column that a network gave and a row of data: nobody asked for a table of all pairs."""
        if event.node is None or not event.op.startswith(("sub", "rsub")) or len(event.inputs) != 2:
            return
        pair = [self.world.tensors[number] for number in event.inputs]
        scores, targets = sorted(pair, key=lambda tensor: -len(tensor.shape))
        n = targets.shape[0] if len(targets.shape) == 1 else 0
        of_each = n > 1 and scores.shape == (n, 1) and event.shape == (n, n)
        if of_each and not targets.requires_grad and self.from_network(scores):
            self.differences[event.node] = scores, targets

    def from_network(self, scores: TensorState) -> bool:
        """Whether `scores` came out of a product with weights, and at most a curve and a scale behind it."""
        node = self.world.nodes[scores.node] if scores.node is not None else None
        while node is not None and node.kind in CURVES:
            ways = [target for target, _ in node.edges if target is not None and self.world.nodes[target].edges]
            node = self.world.nodes[ways[0]] if len(ways) == 1 else None
        return node is not None and node.kind in PRODUCTS

    def backward(self, event: e.BackwardStarted) -> None:
        if self.diagnosis is not None or not self.differences:
            return
        for root in event.roots:
            for tensor in ancestors(self.world, self.world.tensors[root]):
                node = self.world.nodes[tensor.node] if tensor.node is not None else None
                found = self.added_up(node) if node is not None and node.kind in TOTALS and not tensor.shape else None
                if found is not None and self.diagnosis is None:
                    self.diagnosis = self.told(found, *self.differences[found.number])
                    self.showing.wait()

    def added_up(self, node: NodeState) -> NodeState | None:
        """The differences that `node` adds up all of, each made a loss of its own."""
        todo, seen = [target for target, _ in node.edges if target is not None], set()
        while todo:
            number = todo.pop()
            if number in self.differences:
                return self.world.nodes[number]
            if number not in seen and self.world.nodes[number].kind in EACH:
                seen.add(number)
                todo += [target for target, _ in self.world.nodes[number].edges if target is not None]
        return None

    def told(self, node: NodeState, scores: TensorState, targets: TensorState) -> Diagnosis:
        world, place = self.world, node.place
        base = targets if targets.called else origin(world, targets) or targets
        story = (
            f"{code(world.source.text(place.line, place.end_line))} {on(place.line)} takes the difference of scores of "
            f"shape {list(scores.shape)} and targets of shape {list(targets.shape)}.",
            f"{upper(called(world, targets.number))}, made {on(base.place.line)}, is a row beside a column.",
            *WHY,
        )
        lines: dict[str, int | None] = {"built": place.line, "saved": base.place.line, "raised": None}
        events = {"built": node.made, "saved": base.made, "seen": world.count - 1}
        names = named(target=name_of(world, targets), scores=name_of(world, scores))
        title = "Scores and targets of two shapes"
        return Diagnosis("shape", title, "", lines, story, (node.number,), events, "broadcast", names)

    def found(self) -> list[Diagnosis]:
        return [self.showing.shown(self.diagnosis)] if self.diagnosis is not None else []
