"""Fractions that whole numbers cannot hold: written into an integer tensor, or divided away by `//`, before a loss."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event, Value

from ..diagnostics.diagnosis import Diagnosis, named
from ..diagnostics.registry import watcher
from ..diagnostics.showing import FirstTrouble
from ..narration.words import called, code, name_of, on, upper
from ..replay.graph_queries import flat, origin
from ..replay.states import Place, TensorState
from ..replay.world import World
from .arithmetic import number_of

WHOLE = re.compile(r"u?int\d+$")
MEANT = re.compile(r"\bdtype\b|\bu?int\d*\b|\blong\b|\bshort\b|LongTensor|IntTensor|round|floor|trunc|bincount|histc")
"""What says that whole numbers are wanted."""
PLACES = frozenset({"arange", "argmax", "argmin", "argsort", "sort", "topk", "nonzero", "randperm", "multinomial"})
"""What gives places rather than amounts."""
LOOK_UP = frozenset(
    {
        *("Index", "IndexSelect", "IndexPut", "IndexAdd", "Gather", "Scatter", "ScatterAdd", "Take", "TakeAlongDim"),
        *("Embedding", "EmbeddingBag", "NllLoss", "NllLoss2D", "MaskedSelect", "MaskedFill"),
    }
)
"""Nodes that take whole numbers for places or classes."""


@dataclass(frozen=True, slots=True)
class Lost:
    """Where fractions went: into `tensor`, made there or before, with the event and the number that was cut."""

    tensor: TensorState
    place: Place
    event: int
    number: float | None = None


@watcher(e.NodeMade)
class CutFractions(FirstTrouble):
    """Follows what lost its fractions to a node that a backward goes through."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.lost: dict[int, Lost] = {}
        """By memory, of what was made of it too."""
        self.used: dict[int, Lost] = {}
        """By node that computes with it."""

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        return {
            e.Written: self.written,
            e.TensorMade: self.made,
            e.NodeMade: self.node,
            e.BackwardStarted: self.backward,
            e.Printed: self.showing.printed,
        }

    # ---- how fractions are lost

    def written(self, event: e.Written) -> None:
        if event.storage in self.lost or not event.op.startswith(("copy", "fill")) or not whole(event.value):
            return
        tensor = self.world.tensors[event.tensor]
        base = origin(self.world, tensor) or tensor
        meant = any(MEANT.search(self.statement(place)) for place in (base.place, self.world.place))
        if meant or (base.inputs and base.op != "clone"):
            return
        number = self.given(event)
        if number is not None and number != int(number):
            self.lost[event.storage] = Lost(base, self.world.place, self.world.count - 1, number)

    def given(self, event: e.Written) -> float | None:
        """The number that was written, as it was before: of a tensor the first that has a fraction."""
        for number in event.inputs:
            value = self.world.tensors[number].value
            if value is not None and value.dtype.startswith(("float", "bfloat")):
                return next((part for part in flat(value.data) if fractional(part)), None)
        for statement in self.world.source.simple(self.world.place.line):
            written: ast.expr | None = None
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript):
                written = statement.value
            elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call) and filled(statement.value):
                written = statement.value.args[0]
            found = number_of(self.world, written) if written is not None else None
            if found is not None and fractional(found):
                return found
        return None

    def divided(self, event: e.TensorMade) -> bool:
        """Whether `//` made nothing but 0 of amounts that are at most as large as what they are divided by."""
        source = self.world.tensors[event.inputs[0]]
        if source.op.partition(".")[0] in PLACES or not whole(source.value) or not whole(event.value):
            return False
        amounts = sorted(set(flat(source.value.data))) if source.value is not None and source.value.whole else []
        if len(amounts) < 3 or amounts[0] < 0 or MEANT.search(self.statement(self.world.place)):
            return False
        for statement in self.world.source.simple(self.world.place.line):
            for node in ast.walk(statement):
                if isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv):
                    divisor = number_of(self.world, node.right)
                    return divisor is not None and amounts[-1] <= divisor
        return False

    def statement(self, place: Place) -> str:
        return self.world.source.statement(place.line, place.end_line)

    # ---- where they are missed

    def made(self, event: e.TensorMade) -> None:
        if event.node is None and event.op.startswith(("div.Tensor_mode", "floor_divide")) and len(event.inputs) == 1:
            if self.divided(event):
                tensor = self.world.tensors[event.tensor]
                self.lost.setdefault(event.storage, Lost(tensor, self.world.place, self.world.count - 1))
        elif self.lost and event.node is None and event.base is None and event.dtype != "bool":
            name = event.op.partition(".")[0]
            for number in event.inputs if name not in PLACES else ():
                lost = self.lost.get(self.world.tensors[number].storage)
                if lost is not None and name not in ("index", "gather", "embedding", "one_hot"):
                    self.lost.setdefault(event.storage, lost)

    def node(self, event: e.NodeMade) -> None:
        for number in event.inputs if self.lost and event.variable is None else ():
            lost = self.lost.get(self.world.tensors[number].storage)
            if lost is not None and self.world.nodes[event.node].kind not in LOOK_UP:
                self.used.setdefault(event.node, lost)

    def backward(self, event: e.BackwardStarted) -> None:
        if self.diagnosis is not None or not self.used:
            return
        reached = self.world.calls[event.call].expected
        node = next((node for node in self.used if node in reached or node in event.nodes), None)
        if node is not None:
            self.tell(self.told(node, self.used[node]), self.world.source.assigned(self.world.place.line))

    def told(self, node: int, lost: Lost) -> Diagnosis:
        world, tensor, place = self.world, lost.tensor, lost.place
        taker = world.nodes[node]
        name = called(world, tensor.number)
        text = f"{code(world.source.text(place.line, place.end_line))} {on(place.line)}"
        lines: dict[str, int | None] = {"built": tensor.place.line, "raised": None}
        events = {"built": tensor.made, "seen": world.count - 1}
        after = f"**{taker.title}** {on(taker.place.line)} computes the loss with what is left of them."
        if lost.number is None:
            story: tuple[str, ...] = (
                f"{text} divides whole numbers by `//`, which rounds down: all that are smaller than the divisor "
                "become 0.",
                after,
                "`/` gives the fractions, as floating point numbers.",
            )
        else:
            lines["changed"], events["changed"] = place.line, lost.event
            story = (
                f"{upper(name)}, made {on(tensor.place.line)}, holds whole numbers ({code(tensor.dtype)}): it copies "
                "the type of what it was made like or made of.",
                f"{text} writes {lost.number:.4g} into it, and the fraction is cut off without a word.",
                after,
                "A tensor of floating point numbers keeps the fractions.",
            )
        cause = "divided_whole" if lost.number is None else "cut_fractions"
        return Diagnosis(
            kind="dtype",
            title="Fractions that whole numbers cannot hold",
            lines=lines,
            story=story,
            nodes=(node,),
            events=events,
            cause=cause,
            names=named(target=name_of(world, tensor)),
        )


def filled(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == "fill_" and len(call.args) == 1


def whole(value: Value | None) -> bool:
    return value is not None and WHOLE.match(value.dtype) is not None


def fractional(number: Any) -> bool:
    return isinstance(number, float) and number - number == 0 and number != int(number)
