"""A function of the program that gives a new tensor for the one it was given, called as if it changed that in place."""

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
from ..replay.world import World
from ..source import nodes_of


@watcher(e.BackwardStarted)
class PureCalls(FirstTrouble):
    """Looks for a statement that only calls such a function, and sees whether it is reached and a backward follows."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.calls = pure_calls(world.source.tree)
        self.reached: tuple[int, int] | None = None

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        if not self.calls:
            return {}
        return {e.LineReached: self.line, e.BackwardFinished: self.finished, e.Printed: self.showing.printed}

    def line(self, event: e.LineReached) -> None:
        if self.reached is None and event.line in self.calls:
            self.reached = event.line, self.world.count - 1

    def finished(self, event: e.BackwardFinished) -> None:
        if self.reached is not None and self.diagnosis is None:
            self.tell(self.told(*self.reached))

    def told(self, line: int, number: int) -> Diagnosis:
        function, name, rebound = self.calls[line]
        text = code(self.world.source.text(line))
        return Diagnosis(
            title="A result that was thrown away",
            lines={"built": rebound, "changed": line, "raised": None},
            story=(
                f"{text} {on(line)} hands {code(name)} to {code(function.name)}, and nobody takes what that returns.",
                f"{code(self.world.source.text(rebound))} {on(rebound)} gives the name another tensor within the "
                f"function alone: {code(name)} outside of it stays as it was.",
                "The result is to be taken, or what was given is to be written into, under `no_grad` if it is a "
                "parameter.",
            ),
            events={"changed": number, "seen": self.world.count - 1},
            cause="result_unused",
            names=named(target=name),
        )


Call = tuple[ast.FunctionDef, str, int]


def pure_calls(tree: ast.AST) -> dict[int, Call]:
    """By line the statements that only call such a function: the function, what it is given, and where it binds that
    anew."""
    functions = {
        node.name: (node, found)
        for node in nodes_of(tree)
        if isinstance(node, ast.FunctionDef) and (found := rebinds(node)) is not None
    }
    alone = {id(node.value) for node in nodes_of(tree) if isinstance(node, ast.Expr)}
    tried = {id(part) for node in nodes_of(tree) if isinstance(node, ast.Try) for part in ast.walk(node)}
    calls: dict[str, dict[int, Call]] = {}
    taken = set()
    for call in nodes_of(tree):
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.func.id not in functions:
            continue
        function, (at, line) = functions[call.func.id]
        text = ast.unparse(call)
        if id(call) not in alone:
            taken.add(text)  # elsewhere, it is called to be timed, or to warm up
        elif at < len(call.args) and isinstance(call.args[at], ast.Name | ast.Attribute) and id(call) not in tried:
            calls.setdefault(text, {})[call.lineno] = function, ast.unparse(call.args[at]), line
    return {line: told for text, here in calls.items() if text not in taken for line, told in here.items()}


OUTLIVES = (ast.AugAssign, ast.Global, ast.Nonlocal, ast.Yield, ast.Delete, ast.Raise, ast.Assert, ast.ListComp)
"""What changes something beyond the function, checks what it is given, or makes no tensor."""
BUILT_IN = frozenset({"len", "max", "min", "abs", "float", "int", "range", "sum", "tuple"})
TORCH = ("torch", "nn", "F", "math")


def is_pure(call: ast.Call, known: set[str]) -> bool:
    """Whether a call only computes, with what is `known`: a function or a module of the program may do anything."""
    name, owner = callee(call), call.func
    while isinstance(owner, ast.Attribute | ast.Subscript | ast.Call):
        owner = owner.func if isinstance(owner, ast.Call) else owner.value
    if isinstance(call.func, ast.Name):
        return name in BUILT_IN
    changes = name.startswith("rand") or name.endswith(("_", "append", "step", "backward", "update", "item"))
    return not changes and (not isinstance(owner, ast.Name) or owner.id in known)


def rebinds(function: ast.FunctionDef) -> tuple[int, int] | None:
    """Which argument a function gives another value and then returns, and on which line; None if it does anything that
    outlives it."""
    given = [part.arg for part in function.args.args]
    bound: dict[str, int] = {}
    own = {part.id for part in ast.walk(function) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
    for part in ast.walk(function):
        if isinstance(part, OUTLIVES) or (isinstance(part, ast.Call) and not is_pure(part, own.union(given, TORCH))):
            return None
        if isinstance(part, ast.Expr) and not isinstance(part.value, ast.Constant):
            return None
        if isinstance(part, ast.Assign):
            if not all(isinstance(goal, ast.Name) for goal in part.targets):
                return None
            bound |= {goal.id: part.lineno for goal in part.targets if isinstance(goal, ast.Name)}
    last = function.body[-1]
    name = last.value.id if isinstance(last, ast.Return) and isinstance(last.value, ast.Name) else ""
    return (given.index(name), bound[name]) if name in given and name in bound else None
