"""Functions of the program's own in its text: their classes, methods, and what these return and save."""

from __future__ import annotations

import ast

from ...fixes.proposal import FixContext
from ...fixes.text import Text


def own_class(wanted: FixContext) -> ast.ClassDef | None:
    """The class of the Function in question."""
    text, name = wanted.text, wanted.name("function")
    named = [kind for kind in text.parts(text.tree, ast.ClassDef) if kind.name == name]
    return next(iter(named or function_classes(text)), None)


def function_classes(text: Text) -> list[ast.ClassDef]:
    """The Functions of the program."""
    classes = text.parts(text.tree, ast.ClassDef)
    return [kind for kind in classes if any("Function" in ast.unparse(base) for base in kind.bases)]


def method(kind: ast.ClassDef, name: str) -> ast.FunctionDef | None:
    return next((part for part in kind.body if isinstance(part, ast.FunctionDef) and part.name == name), None)


def returns(function: ast.FunctionDef) -> list[ast.Return]:
    return [node for node in ast.walk(function) if isinstance(node, ast.Return) and node.value is not None]


def is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def outputs(value: ast.expr) -> list[ast.Name]:
    parts = value.elts if isinstance(value, ast.Tuple) else [value]
    return [part for part in parts if isinstance(part, ast.Name)]


def savings(text: Text, forward: ast.FunctionDef) -> list[ast.Call]:
    return [call for statement in forward.body for call in text.calls(statement, "save_for_backward")]
