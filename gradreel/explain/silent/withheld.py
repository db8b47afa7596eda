"""A Function whose backward falls through without a `return`: it gives no gradient to anything, and nothing is raised
if forward has one argument."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ..diagnostics.diagnosis import Diagnosis, named
from ..diagnostics.registry import watcher
from ..diagnostics.showing import FirstTrouble
from ..narration.words import code, on
from ..replay.states import NodeState
from ..replay.world import World
from ..source import nodes_of


@watcher(e.NodeRan)
class Withheld(FirstTrouble):
    """Looks at each run of a Function of the program whose backward need not come to a `return`."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.backwards = falling_through(world.source.tree)
        """By Function the backward, if its last statement is no `return`."""

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        return {e.NodeRan: self.ran, e.Printed: self.showing.printed} if self.backwards else {}

    def ran(self, event: e.NodeRan) -> None:
        node = self.world.nodes[event.node]
        backward = self.backwards.get(node.name.removesuffix("Backward"))
        if self.diagnosis is not None or backward is None or node.came is None:
            return
        if any(target is not None for target, _ in node.edges) and not any(event.grads):
            self.tell(self.told(node, backward))

    def told(self, node: NodeState, backward: ast.FunctionDef) -> Diagnosis:
        function, last = node.name.removesuffix("Backward"), backward.body[-1]
        title, names = "A backward without a return", named(function=function)
        return Diagnosis(
            kind="function_contract",
            title=title,
            lines={"built": node.place.line, "saved": last.lineno, "raised": None},
            story=(
                f"**{node.title}**, built {on(node.place.line)}, got a gradient and ran the backward of "
                f"{code(function)}, which ends {on(last.lineno)} without a `return`.",
                "Python then gives None, and for a Function that means: no gradient for any argument.",
                "So nothing behind it gets a gradient, and PyTorch does not complain.",
            ),
            nodes=(node.number,),
            events={"built": node.made, "seen": self.world.count - 1},
            cause="backward_no_return",
            names=names,
        )


def falling_through(tree: ast.Module) -> dict[str, ast.FunctionDef]:
    found = {}
    for kind in [node for node in nodes_of(tree) if isinstance(node, ast.ClassDef)]:
        for part in kind.body:
            last = part.body[-1] if isinstance(part, ast.FunctionDef) and part.name == "backward" else None
            if isinstance(part, ast.FunctionDef) and isinstance(last, ast.Expr | ast.Assign | ast.If | ast.AugAssign):
                found[kind.name] = part
    return found
