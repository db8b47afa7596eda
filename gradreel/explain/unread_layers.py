"""Layers that a program gives a model under a name which its forward never reads: `model.classifier` beside `.fc`."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from .calls import callee
from .source import nodes_of


@dataclass(frozen=True, slots=True)
class UnreadLayer:
    """A layer set as `owner.name` by `statement`, where forward reads `used` instead, first on line `read`."""

    statement: ast.Assign
    owner: str
    name: str
    used: str
    read: int


def unread_layer(tree: ast.AST) -> UnreadLayer | None:
    """The first layer that a program gives a model under a name which no class of its own reads."""
    nodes = nodes_of(tree)
    classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
    own = {part.attr for node in classes for part in ast.walk(node) if isinstance(part, ast.Attribute) and is_own(part)}
    shown = {ast.unparse(node) for node in nodes if isinstance(node, ast.Attribute)}
    asked_only = {id(node.value) for node in nodes if isinstance(node, ast.Attribute) and node.attr != "forward"}
    loaded = {
        ast.unparse(node)
        for node in nodes
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and id(node) not in asked_only
    }
    known = {one.name for one in classes}
    makers = {
        ast.unparse(goal): known & {callee(call) for call in ast.walk(node.value) if isinstance(call, ast.Call)}
        for node in nodes
        if isinstance(node, ast.Assign)
        for goal in node.targets
    }
    for node in nodes:
        goal = node.targets[0] if isinstance(node, ast.Assign) else None
        if not isinstance(node, ast.Assign) or not isinstance(goal, ast.Attribute) or goal.attr in own:
            continue
        owner, made = ast.unparse(goal.value), callee(node.value) if isinstance(node.value, ast.Call) else ""
        if not made[:1].isupper() or owner.split(".")[0] == "self" or f"{owner}.{goal.attr}" in loaded:
            continue
        models = [one for one in classes if one.name in (makers.get(owner) or known)]
        layers = [layer for model in models for layer in read_in_forward(model, made)]
        asked = [layer for layer in layers if f"{owner}.{layer.attr}.in_features" in shown]
        for used in (asked or layers)[-1:]:
            return UnreadLayer(node, owner, goal.attr, used.attr, used.lineno)
    return None


def is_own(part: ast.Attribute) -> bool:
    return isinstance(part.value, ast.Name) and part.value.id == "self"


def read_in_forward(model: ast.ClassDef, maker: str) -> list[ast.Attribute]:
    """Layers made by `maker` that forward calls, the last call last; none where it goes through all that there are."""
    methods = {node.name: node for node in model.body if isinstance(node, ast.FunctionDef)}
    begin, forward = methods.get("__init__"), methods.get("forward")
    if begin is None or forward is None:
        return []
    reads = [part for part in ast.walk(forward) if isinstance(part, ast.Attribute) and is_own(part)]
    if any(part.attr in ("children", "named_children", "modules", "named_modules", "_modules") for part in reads):
        return []
    made = {
        node.targets[0].attr
        for node in ast.walk(begin)
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Attribute)
        and isinstance(node.value, ast.Call)
        and callee(node.value) == maker
    }
    calls = [node for node in ast.walk(forward) if isinstance(node, ast.Call)]
    ends = sorted(calls, key=lambda call: (call.end_lineno or 0, call.end_col_offset or 0))
    return [call.func for call in ends if isinstance(call.func, ast.Attribute) and call.func.attr in made]
