"""What an `if w.grad is not None:` lets happen: whether the tensor it asks about is to be changed behind it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..source import Source

KEEPS = frozenset({"requires_grad_", "retain_grad_", "detach_"})
"""In-place methods that change no number."""


def updates(source: Source, line: int) -> bool:
    """Whether the `if` on `line` asks for a gradient and the tensor that has it is written into behind it."""
    for block in blocks(source.tree):
        for at, statement in enumerate(block):
            if isinstance(statement, ast.If) and statement.lineno == line:
                asked = set(map(ast.unparse, holders(statement.test)))
                leaves = isinstance(statement.body[-1], ast.Continue)
                behind = [*statement.orelse, *block[at + 1 :]] if leaves else statement.body
                return any(written(part) in asked for other in behind for part in ast.walk(other))
    return False


def blocks(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            body = getattr(node, name, None)
            if isinstance(body, list):
                yield body


def holders(test: ast.expr) -> list[ast.expr]:
    """The tensors whose `.grad` is asked for."""
    return [part.value for part in ast.walk(test) if isinstance(part, ast.Attribute) and part.attr == "grad"]


def written(node: ast.AST) -> str | None:
    """What `node` writes into or binds anew: `w` of `w -= 1`, of `w.data = w - 1` and of `w.data.sub_(1)`."""
    goal: ast.AST | None = None
    if isinstance(node, ast.AugAssign):
        goal = node.target
    elif isinstance(node, ast.Assign):
        goal = node.targets[0]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        changes = node.func.attr.endswith("_") and node.func.attr not in KEEPS
        goal = node.func.value if changes else None
    return ast.unparse(goal).removesuffix(".data") if goal is not None else None
