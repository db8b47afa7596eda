"""Straight-through estimators, as programs write them: `soft + (hard - soft).detach()`."""

from __future__ import annotations

import ast
from typing import TypeGuard

from .calls import called


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
    if isinstance(node, ast.Call) and called(node) == "detach" and isinstance(node.func, ast.Attribute):
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
