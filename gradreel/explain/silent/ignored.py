"""A backward of the program's own that never looks at the gradient it is given: what comes behind is left out."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event, Value

from ..diagnostics.diagnosis import Diagnosis, named
from ..diagnostics.registry import watcher
from ..diagnostics.showing import FirstTrouble
from ..narration.words import code, on
from ..narration.words import value as shown
from ..replay.graph_queries import all_zero, flat
from ..replay.states import NodeState
from ..replay.world import World


@watcher(e.NodeRan)
class Ignored(FirstTrouble):
    """The backwards written so, until one is given something other than ones and returns a gradient."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.deaf = {
            kind.name: (backward.args.args[1].arg, last.lineno)
            for kind in world.source.nodes
            if isinstance(kind, ast.ClassDef)
            for backward in kind.body
            if isinstance(backward, ast.FunctionDef) and backward.name == "backward"
            for last in [deaf(backward)]
            if last is not None
        }

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        return {e.NodeRan: self.ran, e.Printed: self.showing.printed} if self.deaf else {}

    def ran(self, event: e.NodeRan) -> None:
        node = self.world.nodes[event.node]
        name = node.name.removesuffix("Backward")
        if self.diagnosis is not None or not node.custom or name not in self.deaf or node.came is None:
            return
        if ones(node.came) or not any(grad is not None and not all_zero(grad) for grad in event.grads):
            return
        self.tell(self.told(node, name, node.came), self.world.source.assigned(self.world.calls[event.call].place.line))

    def told(self, node: NodeState, name: str, came: Value) -> Diagnosis:
        argument, line = self.deaf[name]
        text = code(self.world.source.text(line))
        return Diagnosis(
            kind="function_contract",
            title="A backward that ignores the gradient it is given",
            lines={"built": node.place.line, "cut": line, "raised": None},
            story=(
                f"The backward of {code(name)} was given {shown(came)} as {code(argument)} and never looks at it.",
                f"{text} {on(line)} returns the slope of forward alone, and the chain rule asks for the slope times "
                "what came.",
                f"So what is computed of the result, built {on(node.place.line)}, counts as if it were their plain "
                "sum.",
            ),
            nodes=(node.number,),
            events={"built": node.made, "seen": self.world.count - 1},
            cause="gradient_ignored",
            names=named(function=name, gradient=argument),
        )


def deaf(backward: ast.FunctionDef) -> ast.Return | None:
    """The last `return` of a backward that reads none of the gradients it is given."""
    given = {arg.arg for arg in backward.args.args[1:]}
    read = {node.id for node in ast.walk(backward) if isinstance(node, ast.Name)}
    ends = [node for node in ast.walk(backward) if isinstance(node, ast.Return) and node.value is not None]
    if not given or given & read or backward.args.vararg is not None or not ends:
        return None
    return ends[-1]


def ones(value: Value) -> bool:
    if not value.whole:
        return value.minimum == value.maximum == 1
    return all(number == 1 for number in flat(value.data))
