"""A loss of scores in a column and targets in a row: entry by entry becomes each with each, and torch at most warns."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ..diagnostics.diagnosis import Diagnosis, named
from ..diagnostics.registry import watcher
from ..diagnostics.showing import FirstTrouble
from ..narration.words import called, code, name_of, on, upper
from ..replay.graph_queries import ancestors, origin
from ..replay.states import NodeState, TensorState
from ..replay.world import World

SIZES = re.compile(
    r"Using a target size \(torch\.Size\((\[[\d, ]*\])\)\) that is different to the input size "
    r"\(torch\.Size\((\[[\d, ]*\])\)\)"
)
EACH = frozenset({"Pow", "Abs", "Mul", "Div", "Neg", "Sqrt", "Cosh", "Log", "Exp", "Where", "Clamp"})
"""What a loss makes of differences entry by entry."""
TOTALS = frozenset({"Mean", "Sum"})
LOSSES = frozenset({"MseLoss", "SmoothL1Loss", "HuberLoss", "BinaryCrossEntropy", "BinaryCrossEntropyWithLogits"})
"""Losses that can be had entry by entry."""
PRODUCTS = frozenset({"Addmm", "Mm", "Mv", "Unsafe", "AddBmm"})
CURVES = frozenset({"Relu", "Tanh", "Sigmoid", "Softplus", "Gelu", "Elu", "LeakyRelu", "Mul", "Add", "Sub", "Silu"})
"""What stands between the last product of a network and its scores."""
RESHAPED = frozenset({"Squeeze", "View", "Select", "UnsafeView", "ReshapeAlias"})
"""What makes a row of a column."""
WHY = (
    "Broadcasting makes one shape of both, so that each score is compared with each target, not with its own.",
    "The loss then falls to that of a constant guess; `squeeze` or `unsqueeze` gives both one shape.",
)
WEIGHED = (
    "Broadcasting makes one shape of both, so that each loss is multiplied with each weight, not with its own.",
    "What should weigh nothing then counts as much as the rest; `squeeze` or `unsqueeze` gives both one shape.",
)


@watcher(e.NodeMade)
class Broadcast(FirstTrouble):
    """Keeps the first warning of this kind, or the first difference of such shapes that a backward starts from."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.differences: dict[int, tuple[TensorState, TensorState]] = {}
        """By node the scores and the targets that it takes the differences of."""

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
        self.tell(
            Diagnosis(
                kind="shape",
                title="Scores and targets of two shapes",
                lines={"built": place.line, "raised": None, "shows": place.line},
                story=(
                    f"{text} {on(place.line)} compares scores of shape {sizes[2]} with targets of shape {sizes[1]}.",
                    *WHY,
                ),
                events={"built": self.world.count - 1},
                cause="broadcast",
            )
        )

    def made(self, event: e.TensorMade) -> None:
        """A column and a row, of which nobody asked for a table of all pairs: scores that a network gave and data, or
        the losses of rows and their weights."""
        if event.node is None or len(event.inputs) != 2 or len(event.shape) != 2:
            return
        pair = [self.world.tensors[number] for number in event.inputs]
        column, row = sorted(pair, key=lambda tensor: -len(tensor.shape))
        n = row.shape[0] if len(row.shape) == 1 else 0
        if n < 2 or column.shape != (n, 1) or event.shape != (n, n):
            return
        if event.op.startswith(("sub", "rsub")):
            if not row.requires_grad and self.from_network(column, CURVES):
                self.differences[event.node] = column, row
            elif not column.requires_grad and column.base is None and self.from_network(row, CURVES | RESHAPED):
                self.differences[event.node] = row, column
        elif event.op.startswith(("mul", "div")) and not row.requires_grad and self.of_rows(column):
            self.differences[event.node] = column, row

    def from_network(self, scores: TensorState, between: frozenset[str]) -> bool:
        """Whether `scores` came out of a product with weights, and at most a curve and a scale behind it."""
        node = self.world.nodes[scores.node] if scores.node is not None else None
        while node is not None and node.kind in between:
            ways = [target for target, _ in node.edges if target is not None and self.world.nodes[target].edges]
            node = self.world.nodes[ways[0]] if len(ways) == 1 else None
        return node is not None and node.kind in PRODUCTS

    def of_rows(self, losses: TensorState) -> bool:
        """Whether `losses`, a column, holds one loss for each row: made entry by entry of what is compared with a
        column."""
        node = self.world.nodes[losses.node] if losses.node is not None else None
        while node is not None and node.kind in EACH:
            ways = [target for target, _ in node.edges if target is not None]
            node = self.world.nodes[ways[0]] if len(ways) == 1 else None
        if node is None or node.kind not in LOSSES | {"Sub"}:
            return False
        return [self.world.tensors[number].shape for number in node.inputs[:2]] == [losses.shape] * 2

    def backward(self, event: e.BackwardStarted) -> None:
        if self.diagnosis is not None or not self.differences:
            return
        for root in event.roots:
            for tensor in ancestors(self.world, self.world.tensors[root]):
                node = self.world.nodes[tensor.node] if tensor.node is not None else None
                found = self.added_up(node) if node is not None and node.kind in TOTALS and not tensor.shape else None
                if found is not None and self.diagnosis is None:
                    self.tell(self.told(found, *self.differences[found.number]))

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
        text, weighted = code(world.source.text(place.line, place.end_line)), node.kind != "Sub"
        which = "a row beside a column" if len(targets.shape) == 1 else "a column beside a row"
        shapes = f"of shape {list(scores.shape)} and {{}} of shape {list(targets.shape)}."
        if weighted:
            first = f"{text} {on(place.line)} weighs losses " + shapes.format("weights")
        else:
            first = f"{text} {on(place.line)} takes the difference of scores " + shapes.format("targets")
        return Diagnosis(
            kind="shape",
            title="Scores and targets of two shapes",
            lines={"built": place.line, "saved": base.place.line, "raised": None},
            story=(
                first,
                f"{upper(called(world, targets.number))}, made {on(base.place.line)}, is {which}.",
                *(WEIGHED if weighted else WHY),
            ),
            nodes=(node.number,),
            events={"built": node.made, "saved": base.made, "seen": world.count - 1},
            cause="broadcast",
            names=named(target=name_of(world, targets), scores=name_of(world, scores)),
        )
