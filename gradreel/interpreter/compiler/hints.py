"""Hints: what stands behind a parameter's `:`, behind `->`, and behind the `:` of a variable.

Python works them out where the function, the class or the program says them, so a name that is not known fails there.
Here the names are looked up as well; a hint that is more than a name with dots stands for its own text, as does one
that speaks of a library which the program can do without.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from ..refusal import Refusal
from ..runtime.values import Frame, Value
from .compiler import Compiler, Run
from .names import variable


def hint(compiler: Compiler, node: ast.expr) -> Run:
    """What works out the hint, or its text where `from __future__ import annotations` says so."""
    text, names = ast.unparse(node), names_in(node)
    if compiler.late_hints or any(name.id in compiler.left_out for name in names):
        return lambda frame: text
    if isinstance(node, ast.Constant):
        return lambda frame: node.value
    if isinstance(node, (ast.Name, ast.Attribute)):
        return or_text(compiler.expression(node), text)
    runs = [variable(compiler, name.id, name) for name in names]

    def look_up(frame: Frame) -> Value:
        for run in runs:
            run(frame)
        return text

    return look_up


def or_text(run: Run, text: str) -> Run:
    """What `run` gives; the text of a hint that cannot be had here."""

    def give(frame: Frame) -> Value:
        try:
            return run(frame)
        except Refusal:
            return text

    return give


def names_in(node: ast.AST) -> list[ast.Name]:
    """The names that working it out looks up, but for those that lambdas bind themselves."""
    if isinstance(node, ast.Lambda):
        return []
    own = [node] if isinstance(node, ast.Name) else []
    return own + [name for part in ast.iter_child_nodes(node) for name in names_in(part)]


def hints_of(compiler: Compiler, node: ast.FunctionDef | ast.Lambda) -> Callable[[Frame], dict[str, Value]]:
    """What makes the `__annotations__` of a function, in the order in which Python does."""
    given = node.args
    extra = [[one] if one is not None else [] for one in (given.vararg, given.kwarg)]
    row = [*given.posonlyargs, *given.args, *extra[0], *given.kwonlyargs, *extra[1]]
    pairs = [(one.arg, hint(compiler, one.annotation)) for one in row if one.annotation is not None]
    if isinstance(node, ast.FunctionDef) and node.returns is not None:
        pairs.append(("return", hint(compiler, node.returns)))
    return lambda frame: {name: run(frame) for name, run in pairs}
