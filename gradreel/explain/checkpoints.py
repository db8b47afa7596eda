"""What a checkpoint runs a second time, and what in it may come out otherwise then."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from .calls import callee

CHOICES = (ast.If, ast.IfExp, ast.While, ast.BoolOp)
DRAWN_FOR = (*CHOICES, ast.For, ast.Subscript)
"""What a random number may decide: how often something is done, and which of several is taken, too."""
FILLING = ("append", "extend", "add", "insert", "pop", "setdefault", "update")
DRAWING = (
    *("random", "uniform", "randint", "randrange", "choice", "choices", "rand", "randn", "gauss", "binomial"),
    *("shuffle", "sample", "integers", "permutation", "normal", "standard_normal", "poisson", "geometric"),
)


@dataclass(frozen=True, slots=True)
class StateChange:
    """Something that outlives a call, `path`, is written by `write`, and `choice` depends on it.

    `kind` is "count" if it goes on from what was there, "kept" if it is computed where it is not there yet, "filled"
    if it is put into a list or a dict, "drawn" if it is a random number that no checkpoint sets back.
    """

    kind: str
    path: str
    write: ast.stmt | ast.expr
    choice: ast.expr | ast.stmt


def recomputed_functions(tree: ast.AST) -> list[ast.FunctionDef]:
    """The functions that a checkpoint may run, as far as names tell."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and callee(node) == "checkpoint"]
    names = {"forward"}
    for call in calls:
        first = call.args[0] if call.args else call
        names |= {ast.unparse(first).rpartition(".")[2]}
        names |= {callee(part) or "" for part in ast.walk(first) if isinstance(part, ast.Call)}
    found: list[ast.FunctionDef] = []
    while True:
        more = [one for one in functions if one.name in names and one not in found and not calls_checkpoint(one)]
        if not more:
            return found
        found += more
        names = {callee(part) or "" for one in more for part in ast.walk(one) if isinstance(part, ast.Call)}


def calls_checkpoint(function: ast.FunctionDef) -> bool:
    """Whether `function` goes on past its checkpoint itself, and is not run by it."""
    return any(isinstance(node, ast.Call) and callee(node) == "checkpoint" for node in ast.walk(function))


def find_change(tree: ast.AST) -> StateChange | None:
    """The first choice in what a checkpoint runs that may be made otherwise the second time."""
    functions = recomputed_functions(tree)
    choices = [(home, part) for home in functions for part in ast.walk(home) if isinstance(part, CHOICES)]
    for kind in ("count", "kept", "filled"):
        for _, choice in choices:
            test = deciding(choice)
            for home in functions:
                for path, write in find_writes(home, kind):
                    if path in paths(test) and not is_local(home, path):
                        return StateChange(kind, path, write, choice)
    return find_drawn(functions, find_generators(tree))


def find_drawn(functions: list[ast.FunctionDef], generators: set[str]) -> StateChange | None:
    """The first choice that a random number makes which no checkpoint sets back; else the first such number, which
    may be a size."""
    for function in functions:
        for choice in [part for part in ast.walk(function) if isinstance(part, DRAWN_FOR)]:
            drawn = find_draw(function, deciding(choice), generators)
            if drawn is not None:
                return StateChange("drawn", ast.unparse(drawn), drawn, choice)
    draws = (part for function in functions for part in ast.walk(function) if draws_elsewhere(part, generators))
    return next((StateChange("drawn", ast.unparse(one), one, one) for one in draws if isinstance(one, ast.Call)), None)


def deciding(choice: ast.AST) -> ast.expr:
    """What decides: the test of an `if`, what a `for` goes through, the place that is taken, or all of an `and`."""
    if isinstance(choice, ast.If | ast.IfExp | ast.While):
        return choice.test
    if isinstance(choice, ast.For):
        return choice.iter
    assert isinstance(choice, ast.Subscript | ast.BoolOp)
    return choice.slice if isinstance(choice, ast.Subscript) else choice


def paths(node: ast.AST) -> set[str]:
    return {ast.unparse(part) for part in ast.walk(node) if isinstance(part, ast.Name | ast.Attribute | ast.Subscript)}


def is_local(function: ast.FunctionDef, path: str) -> bool:
    """Whether `path` is a name of `function` alone, made anew in every call."""
    if not path.isidentifier():
        return False
    outer = any(isinstance(part, ast.Nonlocal | ast.Global) and path in part.names for part in ast.walk(function))
    bound = any(
        isinstance(part, ast.Name) and part.id == path and isinstance(part.ctx, ast.Store)
        for part in ast.walk(function)
    )
    return path in {arg.arg for arg in function.args.args} or (bound and not outer)


def find_writes(function: ast.FunctionDef, kind: str) -> list[tuple[str, ast.stmt | ast.expr]]:
    """What `function` writes in a way of this kind: the path, and the statement or the call."""
    found: list[tuple[str, ast.stmt | ast.expr]] = []
    for part in ast.walk(function):
        if isinstance(part, ast.AugAssign) and kind == "count":
            found.append((ast.unparse(part.target), part))
        elif isinstance(part, ast.Assign):
            for goal in part.targets:
                path = ast.unparse(goal)
                if kind == ("count" if path in paths(part.value) else "kept"):
                    found.append((path, part))
                if kind == "filled" and isinstance(goal, ast.Subscript):
                    found.append((ast.unparse(goal.value), part))
        elif isinstance(part, ast.Call) and kind == "filled" and callee(part) in FILLING:
            found.append((ast.unparse(part.func).rpartition(".")[0], part))
    return found


def find_draw(function: ast.FunctionDef, test: ast.expr, generators: set[str]) -> ast.Call | None:
    """The call of Python's or numpy's random numbers that `test` is made of, if it is."""
    parts = list(ast.walk(test))
    names = {part.id for part in parts if isinstance(part, ast.Name)}
    for step in ast.walk(function):
        if isinstance(step, ast.Assign) and {ast.unparse(goal) for goal in step.targets} & names:
            parts += ast.walk(step.value)
    return next((part for part in parts if draws_elsewhere(part, generators) and isinstance(part, ast.Call)), None)


def draws_elsewhere(node: ast.AST, generators: set[str]) -> bool:
    """Whether `node` draws from one of `generators`, which a checkpoint does not set back."""
    return isinstance(node, ast.Call) and callee(node) in DRAWING and comes_of(node, generators)


def find_generators(tree: ast.AST) -> set[str]:
    """The names and paths that stand for random numbers of Python or numpy, or for what is made of these."""
    nodes = list(ast.walk(tree))
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names = [alias for alias in node.names if alias.name.partition(".")[0] in ("random", "numpy")]
            found |= {alias.asname or alias.name.partition(".")[0] for alias in names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in ("random", "numpy"):
            found |= {alias.asname or alias.name for alias in node.names}
    for node in nodes:
        if isinstance(node, ast.Assign) and comes_of(node.value, found):
            found |= {ast.unparse(goal) for goal in node.targets}
    return found


def comes_of(node: ast.AST, generators: set[str]) -> bool:
    """Whether `node` is one of `generators`, or is read from one or called on one."""
    while isinstance(node, ast.Call | ast.Attribute | ast.Subscript):
        if ast.unparse(node) in generators:
            return True
        node = node.func if isinstance(node, ast.Call) else node.value
    return isinstance(node, ast.Name) and node.id in generators
