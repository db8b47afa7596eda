"""A layer or a parameter that `forward` makes anew each time: it gets a gradient, and is gone before the next turn."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ..calls import callee
from ..diagnostics.diagnosis import Diagnosis, named
from ..diagnostics.registry import watcher
from ..diagnostics.showing import FirstTrouble
from ..narration.words import code, on
from ..replay.graph_queries import made_from
from ..replay.states import TensorState
from ..replay.world import World
from ..source import nodes_of

LAYERS = frozenset(
    (
        *("Parameter", "Linear", "Bilinear", "Embedding", "Conv1d", "Conv2d", "Conv3d", "LSTM", "GRU", "RNN"),
        *("ConvTranspose1d", "ConvTranspose2d", "LSTMCell", "GRUCell", "RNNCell", "MultiheadAttention", "PReLU"),
        *("BatchNorm1d", "BatchNorm2d", "LayerNorm", "GroupNorm", "Sequential"),
    )
)
"""What has something to learn."""


@watcher(e.GradStored, e.GradStored)
class MadeAnew(FirstTrouble):
    """By line of a `forward` that makes such a thing: what was made there and got a gradient."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        forwards = "def forward" in world.source.whole
        calls = made_in_forward(world.source.tree) if forwards else []
        self.makers = {line: call for call in calls for line in lines_of(call)}
        self.own = {line for call in remade(self.world.source.tree) for line in lines_of(call)} if calls else set()
        """The lines that make a thing anew of what it was."""
        self.learnt: dict[int, TensorState] = {}

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        if not self.makers:
            return {}
        return {e.GradStored: self.stored, e.Printed: self.showing.printed}

    def stored(self, event: e.GradStored) -> None:
        tensor = self.world.tensors[event.tensor]
        line = tensor.place.line
        if self.diagnosis is not None or line not in self.makers or tensor.node is not None or event.how == "assigned":
            return
        if line not in self.own and any(given.node is not None for given in made_from(self.world, tensor)):
            return  # made of what others computed: that is where the graph is cut
        before = self.learnt.setdefault(line, tensor)
        if before.made < tensor.made and before.place.since != tensor.place.since:
            self.tell(self.told(before, self.makers[line]))

    def told(self, tensor: TensorState, call: ast.Call) -> Diagnosis:
        line, made = tensor.place.line, code(ast.unparse(call))
        return Diagnosis(
            title="Made anew in every forward",
            lines={"built": line, "raised": None},
            story=(
                f"{made} {on(line)} stands in `forward`, so each call of the module makes a new one.",
                "It gets a gradient, and before an optimizer could use that it is gone: what it is to learn is never "
                "learnt.",
                "What learns is made once, in `__init__`, and kept on `self`, where `parameters()` finds it.",
            ),
            events={"built": tensor.made},
            cause="made_anew",
            names=named(target=ast.unparse(call.func)),
        )


def made_in_forward(tree: ast.AST) -> list[ast.Call]:
    """The calls in methods called `forward` that make what learns."""
    forwards = [node for node in nodes_of(tree) if isinstance(node, ast.FunctionDef) and node.name == "forward"]
    calls = [node for forward in forwards for node in ast.walk(forward) if isinstance(node, ast.Call)]
    return [call for call in calls if callee(call) in LAYERS]


def remade(tree: ast.AST) -> list[ast.Call]:
    """The calls in `self.weight = Parameter(self.weight * mask)`: what is bound is what they are given."""
    bound = [node for node in nodes_of(tree) if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)]
    return [
        node.value
        for node in bound
        if isinstance(node.value, ast.Call)
        and any(ast.unparse(part) == ast.unparse(node.targets[0]) for part in ast.walk(node.value))
    ]


def lines_of(call: ast.Call) -> range:
    return range(call.lineno, (call.end_lineno or call.lineno) + 1)
