"""The plain number that an expression of a program gives, where the World knows all the names in it."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator

from ..replay.world import World

SIGNS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}


def number_of(world: World, node: ast.expr) -> float | None:
    """The number that `node` gives now; None where it cannot be told."""
    try:
        return computed(world, node, numbers_taken(world))
    except (ArithmeticError, ValueError, StopIteration):
        return None


def numbers_taken(world: World) -> Iterator[float]:
    """The numbers that the statement has taken out of tensors, in their order."""
    for seen in world.taken[-10:]:
        value = world.tensors[seen.tensor].value
        if seen.event >= world.place.since and value is not None and isinstance(value.data, int | float):
            yield value.data


def computed(world: World, node: ast.expr, taken: Iterator[float]) -> float:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return node.value
    if isinstance(node, ast.Name):
        for scope in (world.scope, 0):
            bound = world.names_in.get(scope, {}).get(node.id)
            if bound is not None:
                return float(bound.text)
    if isinstance(node, ast.BinOp) and type(node.op) in SIGNS:
        left = computed(world, node.left, taken)
        return SIGNS[type(node.op)](left, computed(world, node.right, taken))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -computed(world, node.operand, taken)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "item":
        return next(taken)
    raise ValueError(node)
