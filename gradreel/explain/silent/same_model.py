"""`reference = policy`: a model under two names, where one of them was to stay as it was."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event, Value

from ..calls import callee
from ..diagnostics.diagnosis import Diagnosis, named
from ..diagnostics.registry import watcher
from ..diagnostics.showing import FirstTrouble
from ..narration.words import code, on
from ..replay.graph_queries import flat
from ..replay.states import TensorState
from ..replay.world import World

STEPS = 2
ROUNDING = 1e-7

FIXED = re.compile(
    r"(?i)(?:^|_|\.)(?:ref|reference|target|teacher|ema|frozen|old|anchor|slow|momentum|prior|sft)(?:_|$)"
)
"""How a model is called that is not to change with the one that is trained."""


@watcher(e.OptimizerStepped, e.GradStored)
class SameModel(FirstTrouble):
    """Looks at each step whether what was written has the names of two models, of which one was assigned the other."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.again = {
            fixed: (node, model)
            for node, fixed, model in assigned_again(world.source.nodes)
            if fixed.rpartition(".")[2] != model.rpartition(".")[2] and used(world, fixed) and used(world, model)
        }
        self.steps = 0
        self.gradients = False
        """Whether any gradient was not zero."""
        self.shared: tuple[ast.Assign, str, str, TensorState] | None = None

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        if not self.again:
            return {}
        return {
            e.GradStored: self.stored,
            e.OptimizerStepped: self.stepped,
            e.TurnsSkipped: self.skipped,
            e.Printed: self.showing.printed,
        }

    def skipped(self, event: e.TurnsSkipped) -> None:
        self.gradients = self.gradients or not self.steps

    def stored(self, event: e.GradStored) -> None:
        if event.after is None or event.how == "assigned":
            return
        self.gradients |= not vanishes(event.after)
        if self.shared is None:
            self.shared = self.under_two_names(self.world.tensors[event.tensor])

    def stepped(self, event: e.OptimizerStepped) -> None:
        self.steps += event.phase != "began"
        if self.steps == STEPS and self.diagnosis is None and self.shared is not None:
            self.tell(self.told(*self.shared))

    def under_two_names(self, tensor: TensorState) -> tuple[ast.Assign, str, str, TensorState] | None:
        names = {name for _, name in tensor.names}
        for fixed, (node, model) in self.again.items():
            for name in names:
                head, _, rest = name.rpartition(f"{fixed.removeprefix('self.')}.")
                if rest and any(other.endswith(f"{model.removeprefix('self.')}.{rest}") for other in names - {name}):
                    return node, fixed, model, tensor
        return None

    def told(self, node: ast.Assign, fixed: str, model: str, tensor: TensorState) -> Diagnosis:
        line = node.lineno
        alone = fixed if FIXED.search(fixed) else model
        same = (
            f"Each step changes both: {code(alone)} does not stay as it is, it goes along."
            if self.gradients
            else "What the two compute is the same, and so is what the loss makes of their difference: every gradient "
            "is 0, and nothing is learned."
        )
        title, names = "Two names for one model", named(target=fixed, source=model)
        return Diagnosis(
            title=title,
            lines={"built": line, "raised": None},
            story=(
                f"{code(self.world.source.text(line))} {on(line)} gives {code(model)} another name; nothing is copied.",
                same,
                "`copy.deepcopy` makes a model of its own, which needs no gradients.",
            ),
            events={"built": tensor.made, "seen": self.world.count - 1},
            cause="same_model",
            names=names,
        )

    def found(self) -> list[Diagnosis]:
        if self.shared is None or self.gradients and not any(map(FIXED.search, self.shared[1:3])):
            return []
        return super().found()


def assigned_again(nodes: list[ast.AST]) -> Iterator[tuple[ast.Assign, str, str]]:
    """The assignments of one name to another, and of shallow copies: each with what is assigned, and to what."""
    for node in nodes:
        if not isinstance(node, ast.Assign) or len(node.targets) != 1:
            continue
        value = node.value
        if isinstance(value, ast.Call) and callee(value) == "copy" and len(value.args) == 1:
            value = value.args[0]
        if isinstance(value, ast.Name | ast.Attribute) and isinstance(node.targets[0], ast.Name | ast.Attribute):
            yield node, ast.unparse(node.targets[0]), ast.unparse(value)


def used(world: World, name: str) -> bool:
    """Whether the program computes with what it calls `name`: calls it, or hands it to a function."""
    return any(
        isinstance(node, ast.Call) and name in map(ast.unparse, (node.func, *node.args)) and callee(node) != "copy"
        for node in world.source.nodes
    )


def vanishes(value: Value) -> bool:
    """Whether nothing but rounding is in `value`."""
    if value.whole:
        return all(abs(number) <= ROUNDING for number in flat(value.data))
    return max(abs(value.minimum or 0), abs(value.maximum or 0)) <= ROUNDING
