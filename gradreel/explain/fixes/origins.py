"""What a name was made of, as far as the text tells: through assignments, and out of the program's own functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..calls import callee
from .text import Text

DEEPEST = 4


def origins(text: Text, value: ast.expr, depth: int = DEEPEST) -> Iterator[ast.expr]:
    """`value`, and what the names and calls that it is may stand for: of `lp` in `a, lp = act(s)`, the second that
    `act` returns."""
    yield value
    if not depth:
        return
    if isinstance(value, ast.Name | ast.Attribute):
        for made, place in find_assigned(text, ast.unparse(value)):
            yield from parts(text, made, place, depth - 1)
    elif isinstance(value, ast.UnaryOp):
        yield from origins(text, value.operand, depth - 1)
    elif isinstance(value, ast.Call):
        yield from parts(text, value, None, depth - 1)


def find_assigned(text: Text, name: str) -> Iterator[tuple[ast.expr, int | None]]:
    """What `name` is set to, and which part of it, if it is one of several names."""
    for node in text.parts(text.tree, ast.Assign):
        for goal in node.targets:
            if isinstance(goal, ast.Tuple):
                yield from ((node.value, at) for at, part in enumerate(goal.elts) if ast.unparse(part) == name)
            elif ast.unparse(goal) == name:
                yield node.value, None


def parts(text: Text, made: ast.expr, place: int | None, depth: int) -> Iterator[ast.expr]:
    """The part `place` of `made`, or all of it."""
    if isinstance(made, ast.Tuple) and place is not None:
        if place < len(made.elts):
            yield from origins(text, made.elts[place], depth)
        return
    if place is None and not isinstance(made, ast.Call):
        yield from origins(text, made, depth)
        return
    if place is None:
        yield made
    for function in text.parts(text.tree, ast.FunctionDef) if isinstance(made, ast.Call) else ():
        if function.name == callee(made):
            for node in text.parts(function, ast.Return):
                if node.value is not None and depth:
                    yield from parts(text, node.value, place, depth - 1)
