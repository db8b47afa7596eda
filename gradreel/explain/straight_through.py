"""Straight-through estimators, as programs write them: `soft + (hard - soft).detach()`."""

from __future__ import annotations

import ast
from typing import TypeGuard

from .calls import callee


def is_straight_through(node: ast.AST) -> TypeGuard[ast.BinOp]:
    """Whether `node` is `a + (b - a).detach()`, in either order, with `.data` in the place of `.detach()` or not."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add):
        return False
    return any(detached_difference(part) is not None and cancels(part, other) for part, other in addends(node))


def addends(node: ast.BinOp) -> list[tuple[ast.expr, ast.expr]]:
    return [(node.right, node.left), (node.left, node.right)]


def detached_difference(node: ast.expr) -> ast.BinOp | None:
    """The difference that `node` detaches."""
    inner: ast.AST | None = None
    if isinstance(node, ast.Call) and callee(node) == "detach" and isinstance(node.func, ast.Attribute):
        inner = node.func.value
    elif isinstance(node, ast.Attribute) and node.attr == "data":
        inner = node.value
    return inner if isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Sub) else None


def cancels(part: ast.expr, other: ast.expr) -> bool:
    """Whether what the difference takes away is `other`."""
    difference = detached_difference(part)
    return difference is not None and ast.dump(difference.right) == ast.dump(other)


def parts_of(node: ast.BinOp) -> tuple[str, str]:
    """What the estimator has the value of, and what it passes the gradient to."""
    for part, other in addends(node):
        difference = detached_difference(part)
        if difference is not None and cancels(part, other):
            return ast.unparse(difference.left), ast.unparse(other)
    return "", ""


def rebound_estimators(tree: ast.AST) -> list[tuple[ast.Assign, str]]:
    """The statements such as `q = x + (q - x).detach()`, each with the name that they give to the estimator."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and is_straight_through(node.value):
            name = ast.unparse(node.targets[0])
            if parts_of(node.value)[0] == name:
                found.append((node, name))
    return found


def reads_behind(tree: ast.AST, line: int, name: str) -> list[int]:
    """The lines of the assignments that compute something with `name`, not detached, in the block of `line` behind it;
    first those in which the other side is detached, as in a loss that is to move `name`."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and any(part.lineno == line for part in body):
            later = [part for part in body if part.lineno > line and isinstance(part, ast.Assign | ast.AugAssign)]
            found = [part for part in later if reads(part, name)]
            return [part.lineno for part in sorted(found, key=lambda part: not detaches(part))]
    return []


def detaches(statement: ast.AST) -> bool:
    return any(isinstance(node, ast.Attribute) and node.attr in ("detach", "data") for node in ast.walk(statement))


def reads(statement: ast.AST, name: str) -> bool:
    """Whether `statement` reads `name` other than to detach it."""
    cut = {
        id(node.value)
        for node in ast.walk(statement)
        if isinstance(node, ast.Attribute) and node.attr in ("detach", "data", "shape", "size")
    }
    loads = (part for part in ast.walk(statement) if isinstance(part, ast.Name | ast.Attribute))
    return any(isinstance(part.ctx, ast.Load) and id(part) not in cut and ast.unparse(part) == name for part in loads)
