"""Nested tuples, lists and dicts of values, taken apart and put together again: torch.func takes and gives them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..ordered_dict import ORDERED
from ..tensor.size import Size


@dataclass(frozen=True)
class Shape:
    """How a nested value is built; `kind` None is a leaf. `keys` are those of a dict."""

    kind: type | None
    keys: tuple[Any, ...] = ()
    parts: tuple[Shape, ...] = ()

    def __repr__(self) -> str:
        return self.text(0)

    def text(self, depth: int) -> str:
        """As torch shows a TreeSpec."""
        if self.kind is None:
            return "*"
        context = list(self.keys) if issubclass(self.kind, dict) else None
        inner = (",\n" + "  " * (depth + 1)).join(part.text(depth + 1) for part in self.parts)
        return f"TreeSpec({self.kind.__name__}, {context}, [{inner}])"

    def brief(self) -> str:
        """As torch shows it in one line."""
        if self.kind is None:
            return "*"
        if issubclass(self.kind, dict):
            pairs = zip(self.keys, self.parts, strict=True)
            return "{" + ", ".join(f"{key!r}: {part.brief()}" for key, part in pairs) + "}"
        inner = ", ".join(part.brief() for part in self.parts)
        if issubclass(self.kind, list):
            return f"[{inner}]"
        return f"({inner},)" if len(self.parts) == 1 else f"({inner})"


LEAF = Shape(None)


def flatten(value: Any) -> tuple[list[Any], Shape]:
    """The leaves of `value` from left to right, and its shape."""
    kind = type(value)
    if isinstance(value, dict) and kind in (dict, *ORDERED):
        keys, values = tuple(value), list(value.values())
    elif kind in (tuple, list, Size) or (isinstance(value, tuple) and hasattr(value, "_fields")):
        keys, values = (), list(value)
    else:
        return [value], LEAF
    leaves: list[Any] = []
    parts = []
    for part in values:
        below, shape = flatten(part)
        leaves += below
        parts.append(shape)
    return leaves, Shape(kind, keys, tuple(parts))


def unflatten(leaves: Sequence[Any], shape: Shape) -> Any:
    """The nested value of `shape` with these leaves."""
    return _build(iter(leaves), shape)


def _build(leaves: Any, shape: Shape) -> Any:
    if shape.kind is None:
        return next(leaves)
    values = [_build(leaves, part) for part in shape.parts]
    if issubclass(shape.kind, dict):
        return shape.kind(zip(shape.keys, values, strict=True))
    build: Any = shape.kind
    return build(*values) if hasattr(build, "_fields") else build(values)


def map_tree(function: Callable[[Any], Any], value: Any) -> Any:
    """`value` with `function` applied to each leaf."""
    leaves, shape = flatten(value)
    return unflatten([function(leaf) for leaf in leaves], shape)


def spread(value: Any, shape: Shape) -> list[Any] | None:
    """A leaf for each leaf of `shape`: one where `value` stops short stands for all below. None if they do not fit."""
    leaves, own = flatten(value)
    return _spread(iter(leaves), own, shape)


def _spread(leaves: Any, own: Shape, shape: Shape) -> list[Any] | None:
    if own.kind is None:
        return [next(leaves)] * count(shape)
    if own.kind is not shape.kind or own.keys != shape.keys or len(own.parts) != len(shape.parts):
        return None
    found: list[Any] = []
    for a, b in zip(own.parts, shape.parts, strict=True):
        below = _spread(leaves, a, b)
        if below is None:
            return None
        found += below
    return found


def count(shape: Shape) -> int:
    return 1 if shape.kind is None else sum(map(count, shape.parts))
