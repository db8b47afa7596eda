"""Calls in the text of a program: what is called, and what it is given."""

from __future__ import annotations

import ast


def calls_in(text: str) -> list[ast.Call]:
    """The calls in a statement, or in the head of a block."""
    tree = parse_code(text) or parse_code(f"{text} pass")
    return [] if tree is None else [node for node in ast.walk(tree) if isinstance(node, ast.Call)]


def parse_code(text: str) -> ast.Module | None:
    """`text` as a tree; None if it is not whole, as the head of a block is not."""
    try:
        return ast.parse(text)
    except SyntaxError:
        return None


def names_in(text: str) -> set[str]:
    """The plain names in a whole statement."""
    tree = parse_code(text)
    return set() if tree is None else {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def callee(node: ast.AST | None) -> str:
    """The last name of what is called: `backward` of `loss.sum().backward()`; nothing of what is no call."""
    if not isinstance(node, ast.Call):
        return ""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def keyword(call: ast.Call, name: str) -> ast.keyword | None:
    return next((word for word in call.keywords if word.arg == name), None)


def weights(call: ast.Call) -> ast.expr | None:
    """The argument of a backward or grad call that holds the gradients to start from."""
    for name in ("gradient", "grad_outputs", "grad_tensors"):
        if (given := keyword(call, name)) is not None:
            return given.value
    method = callee(call) == "backward" and isinstance(call.func, ast.Attribute)
    alone = method and ast.unparse(call.func.value) not in ("autograd", "torch.autograd")  # type: ignore[attr-defined]
    place = 0 if alone else 1 if callee(call) == "backward" else 2
    return call.args[place] if len(call.args) > place else None
