"""`p = p - lr * p.grad` in a loop over parameters: the name gets a new tensor, and the parameter stays as it was."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ..diagnostics.diagnosis import Diagnosis, named
from ..diagnostics.mentions import stands_for
from ..diagnostics.registry import watcher
from ..narration.words import code, on
from ..replay.states import TensorState
from ..replay.world import World

ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div)


@watcher(e.LineReached, e.NameBound)
class Rebound:
    """Looks at statements that give a loop's own name a new value which nobody reads: which tensor had it before."""

    def __init__(self, world: World) -> None:
        self.world = world
        loops = [node for node in world.source.nodes if isinstance(node, ast.For)]
        self.statements = {node.lineno: name for node, name in lost(world.source.tree, loops)}
        self.before: tuple[str, TensorState] | None = None
        self.diagnosis: Diagnosis | None = None

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        return {e.LineReached: self.line, e.NameBound: self.bound} if self.statements else {}

    def line(self, event: e.LineReached) -> None:
        name = self.statements.get(event.line)
        tensor = stands_for(self.world, name) if name is not None else None
        learns = tensor is not None and tensor.node is None and (tensor.requires_grad or of_module(tensor))
        self.before = (name, tensor) if name is not None and tensor is not None and learns else None

    def bound(self, event: e.NameBound) -> None:
        if self.before is None or self.diagnosis is not None or event.name != self.before[0] or event.tensor is None:
            return
        name, tensor = self.before
        if self.world.tensors[event.tensor].storage == tensor.storage:
            return
        world, place = self.world, self.world.place
        text = world.source.text(place.line, place.end_line)
        title, names = "A parameter that stays as it was", named(target=name)
        self.diagnosis = Diagnosis(
            title=title,
            lines={"built": place.line, "raised": None},
            story=(
                f"{code(text)} {on(place.line)} computes a new tensor and gives it the name {code(name)}.",
                f"The parameter that had the name stays as it was, and the next turn of the loop gives {code(name)} to "
                "another. Nobody has the new tensor then.",
                "What is written into a parameter stays in it: in place, under `torch.no_grad()`.",
            ),
            events={"built": world.count - 1},
            cause="rebound_parameter",
            names=names,
        )

    def found(self) -> list[Diagnosis]:
        return [self.diagnosis] if self.diagnosis is not None else []


def of_module(tensor: TensorState) -> bool:
    return any("." in name for _, name in tensor.names)


def lost(tree: ast.AST, loops: list[ast.For]) -> Iterator[tuple[ast.Assign, str]]:
    """The assignments to a name that their loop binds, computed with it, that nobody reads before it is bound anew."""
    for loop in loops:
        own = {node.id for node in ast.walk(loop.target) if isinstance(node, ast.Name)}
        for at, statement in enumerate(loop.body):
            name = ast.unparse(statement.targets[0]) if isinstance(statement, ast.Assign) else ""
            if not isinstance(statement, ast.Assign) or name not in own or not updates(statement, name):
                continue
            if not any(reads(later, name) for later in loop.body[at + 1 :]) and not read_behind(tree, loop, name):
                yield statement, name


def updates(statement: ast.Assign, name: str) -> bool:
    sums = isinstance(statement.value, ast.BinOp) and isinstance(statement.value.op, ARITHMETIC)
    return sums and any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(statement.value))


def reads(node: ast.AST, name: str) -> bool:
    """Whether `node` reads `name`, but for emptying its gradient."""
    emptied = {
        id(part.value)
        for part in ast.walk(node)
        if isinstance(part, ast.Attribute) and part.attr in ("grad", "requires_grad")
    }
    names = (part for part in ast.walk(node) if isinstance(part, ast.Name) and id(part) not in emptied)
    return any(part.id == name and isinstance(part.ctx, ast.Load) for part in names)


def read_behind(tree: ast.AST, loop: ast.For, name: str) -> bool:
    """Whether `name` is read behind the loop, where no other loop or function binds it."""
    inside = {id(node) for node in ast.walk(loop)}
    for other in ast.walk(tree):
        if isinstance(other, ast.For | ast.FunctionDef | ast.Lambda | ast.comprehension) and id(other) not in inside:
            binds = other.args if isinstance(other, ast.FunctionDef | ast.Lambda) else other.target
            bound = {node.id for node in ast.walk(binds) if isinstance(node, ast.Name)}
            bound |= {node.arg for node in ast.walk(binds) if isinstance(node, ast.arg)}
            if name in bound and not any(part is loop for part in ast.walk(other)):
                inside |= {id(node) for node in ast.walk(other)}
                inside |= {id(node) for node in comprehended(tree, other)}
    return any(
        isinstance(node, ast.Name)
        and node.id == name
        and isinstance(node.ctx, ast.Load)
        and id(node) not in inside
        and node.lineno > loop.lineno
        for node in ast.walk(tree)
    )


def comprehended(tree: ast.AST, clause: ast.AST) -> Iterator[ast.AST]:
    """All of the comprehension that `clause` belongs to."""
    for node in ast.walk(tree):
        if clause in getattr(node, "generators", ()):
            yield from ast.walk(node)
