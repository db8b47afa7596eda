"""A Function that keeps what its backward needs outside of its context, where a second call writes over it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ..diagnostics.diagnosis import Diagnosis, named
from ..diagnostics.registry import watcher
from ..diagnostics.showing import FirstTrouble
from ..narration.words import called, code, on
from ..replay.states import NodeState
from ..replay.world import World
from ..source import nodes_of

Store = tuple[int, str]
"""The line of a statement of forward, and what it gives a value."""


@watcher(e.NodeMade)
class KeptElsewhere(FirstTrouble):
    """Which tensors the forward of which node had in hand, until the backward of an earlier node computes with them."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.stores = stores(world.source.tree)
        """By Function that keeps something elsewhere."""
        self.forwards: list[tuple[int, set[int]]] = []
        """The calls of forward that run: their scopes, and the tensors they had in hand."""
        self.left: set[int] = set()
        """Those of the last that ended."""
        self.owners: dict[int, list[int]] = {}
        """By tensor the nodes whose forward had it in hand."""
        self.running: list[tuple[int, set[int]]] = []
        """The nodes whose backward runs, and the tensors made in it."""

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        if not self.stores:
            return {}
        return {
            e.FunctionEntered: self.entered,
            e.FunctionLeft: self.function_left,
            e.NameBound: self.bound,
            e.TensorMade: self.made,
            e.NodeMade: self.node,
            e.NodeStarted: self.started,
            e.NodeRan: self.ran,
            e.Printed: self.showing.printed,
        }

    def entered(self, event: e.FunctionEntered) -> None:
        if event.function == "forward":
            self.forwards.append((event.scope, set()))

    def function_left(self, event: e.FunctionLeft) -> None:
        if self.forwards and self.forwards[-1][0] == event.scope:
            self.left = self.forwards.pop()[1]

    def bound(self, event: e.NameBound) -> None:
        if self.forwards and event.tensor is not None and event.scope == self.forwards[-1][0]:
            self.forwards[-1][1].add(event.tensor)

    def node(self, event: e.NodeMade) -> None:
        node = self.world.nodes[event.node]
        if node.custom and node.name.removesuffix("Backward") in self.stores:
            for number in self.left.union(event.inputs):
                self.owners.setdefault(number, []).append(event.node)

    def started(self, event: e.NodeStarted) -> None:
        if self.world.nodes[event.node].name.removesuffix("Backward") in self.stores:
            self.running.append((event.node, set()))

    def ran(self, event: e.NodeRan) -> None:
        if self.running and self.running[-1][0] == event.node:
            self.running.pop()

    def made(self, event: e.TensorMade) -> None:
        if self.forwards:
            self.forwards[-1][1].add(event.tensor)
        if not self.running:
            return
        number, own = self.running[-1]
        own.add(event.tensor)
        for tensor in event.inputs:
            later = self.later(number, tensor) if self.diagnosis is None and tensor not in own else None
            if later is not None:
                self.tell(
                    self.told(self.world.nodes[number], later, tensor),
                    self.world.source.assigned(self.world.calls[self.world.open_calls[-1]].place.line),
                )

    def later(self, number: int, tensor: int) -> NodeState | None:
        """The node, if `tensor` is not of node `number` but of a later one of the same Function."""
        node = self.world.nodes[number]
        owners = self.owners.get(tensor, [])
        if number in owners or any(slot.tensor == tensor for slot in node.slots.values()):
            return None
        others = (self.world.nodes[owner] for owner in owners)
        return next((other for other in others if other.name == node.name and other.made > node.made), None)

    def told(self, node: NodeState, later: NodeState, tensor: int) -> Diagnosis:
        world, function = self.world, node.name.removesuffix("Backward")
        line, goal = self.stores[function]
        return Diagnosis(
            kind="function_contract",
            title="Calls of a Function that share what they keep",
            lines={
                "built": node.place.line,
                "saved": line,
                "changed": later.place.line,
                "raised": None,
            },
            story=(
                f"The forward of {code(function)} keeps what its backward needs in {code(goal)}, {on(line)}: all calls "
                "share that one place.",
                f"The call {on(later.place.line)} wrote over what the call {on(node.place.line)} had kept there.",
                f"The backward of **{node.title}** then computed with {called(world, tensor)}, which belongs to the "
                "other call.",
                "`ctx.save_for_backward` and the attributes of `ctx` keep things for each call apart.",
            ),
            nodes=(node.number, later.number),
            events={"built": node.made, "changed": later.made, "seen": world.count - 1},
            cause="kept_elsewhere",
            names=named(function=function, kept=goal),
        )


def stores(tree: ast.Module) -> dict[str, Store]:
    """By Function the first statement of its forward that keeps something in a place that calls share."""
    found: dict[str, Store] = {}
    for kind in nodes_of(tree):
        if not isinstance(kind, ast.ClassDef) or not any("Function" in ast.unparse(base) for base in kind.bases):
            continue
        functions = [part for part in kind.body if isinstance(part, ast.FunctionDef) and part.args.args]
        forward = next((function for function in functions if function.name == "forward"), None)
        if forward is None:
            continue
        shared = {name for part in ast.walk(forward) if isinstance(part, ast.Global) for name in part.names}
        own = {forward.args.args[0].arg} | {
            name.id
            for name in ast.walk(forward)
            if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store) and name.id not in shared
        }
        for statement in ast.walk(forward):
            if isinstance(statement, ast.Assign) and (goal := elsewhere(statement.targets[0], own, shared)):
                found.setdefault(kind.name, (statement.lineno, goal))
    return found


def elsewhere(goal: ast.expr, own: set[str], shared: set[str]) -> str | None:
    """What is given a value, if it belongs neither to the context nor to the call."""
    root = goal
    while isinstance(root, ast.Attribute | ast.Subscript):
        root = root.value
    if not isinstance(root, ast.Name) or root.id in own:
        return None
    return ast.unparse(goal) if root is not goal or root.id in shared else None
