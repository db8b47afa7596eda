"""How large an operator's result will be, from its arguments alone, before the engine makes it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .limits import Meter
from .words import words

Arguments = tuple[Any, ...]


def shapes(args: Arguments) -> list[tuple[int, ...]]:
    return [arg.shape for arg in args if isinstance(arg, (np.ndarray, np.generic))]


def broadcast(args: Arguments) -> int:
    """Elements of the broadcast shape; what does not broadcast is left to the engine's own error.

    Without arrays it is a factory, and its numbers are the shape.
    """
    found = shapes(args)
    if not found:
        return whole(args)
    deepest = max(map(len, found), default=0)
    size = 1
    for axis in range(1, deepest + 1):
        size *= max(shape[-axis] for shape in found if len(shape) >= axis)
    return size


def numbers(args: Arguments) -> Iterator[int]:
    """Every whole number among the arguments, also those inside sequences."""
    for arg in args:
        if isinstance(arg, (tuple, list)):
            yield from numbers(tuple(arg))
        elif isinstance(arg, int) and not isinstance(arg, bool):
            yield arg


def whole(args: Arguments) -> int:
    """The product of all sizes among the arguments."""
    return math.prod(size for size in numbers(args) if size > 0)


def asked(args: Arguments) -> int:
    """The product of the sizes asked for (expand, new_zeros, ...)."""
    return math.prod(size for size in numbers(args[1:]) if size > 0)


def repeated(args: Arguments) -> int:
    return math.prod(shapes(args)[0]) * asked(args)


def together(args: Arguments) -> int:
    """All parts of a list one behind the other."""
    parts = args[0] if isinstance(args[0], (list, tuple)) else args
    return sum(math.prod(shape) for shape in shapes(tuple(parts)))


def product(args: Arguments) -> tuple[int, int]:
    """Elements and multiplications of a matrix product."""
    found = [shape for shape in shapes(args) if shape]
    if len(found) < 2:
        return broadcast(args), 0
    left, right = found[-2], found[-1]
    inner = left[-1]
    rows = left[-2] if len(left) > 1 else 1
    columns = right[-1] if len(right) > 1 else 1
    batch = max(math.prod(left[:-2]), math.prod(right[:-2]))
    return batch * rows * columns, batch * rows * columns * inner


def picked(args: Arguments) -> int:
    """Indexing by arrays: as many rows as the indices have elements."""
    base, *rest = args
    found = arrays(tuple(rest))
    rows = max((index.size for index in found if index.dtype.kind in "iu"), default=0)
    row: int = math.prod(base.shape[len(found) :])
    return rows * row


def selected(args: Arguments) -> int:
    """`index_select` and `gather`-like: the base with one dimension as long as the index."""
    base, *rest = args
    (index,) = arrays(tuple(rest))[:1] or (np.zeros(0),)
    return int(base.size // max(min(base.shape, default=1), 1) * index.size)


def arrays(args: Arguments) -> list[np.ndarray[Any, Any]]:
    """Every array among the arguments, also those inside sequences."""
    found: list[np.ndarray[Any, Any]] = []
    for arg in args:
        if isinstance(arg, (tuple, list)):
            found += arrays(tuple(arg))
        elif isinstance(arg, np.ndarray):
            found.append(arg)
    return found


def squared(args: Arguments) -> int:
    """A diagonal becomes a matrix."""
    base = args[0]
    side: int = base.shape[-1] if len(base.shape) == 1 else 1
    return int(math.prod(base.shape) * side)


def times_numbers(args: Arguments) -> int:
    """The elements of the first argument (a number: 1) times the largest number asked for."""
    base = math.prod(getattr(args[0], "shape", ()))
    return base * max(numbers(args[1:]), default=1)


ASKED: dict[str, Callable[[Arguments], int]] = {
    **dict.fromkeys(("Linear", "Embedding", "Bilinear", "RNN", "LSTM", "GRU", "randperm", "normal"), whole),
    **dict.fromkeys(("diag", "diag_embed", "diagflat"), squared),
    **dict.fromkeys(("one_hot", "multinomial"), times_numbers),
}
"""Functions that make something large by themselves, before any operator asks: looked at when they are called."""


SIZES: dict[str, Callable[[Arguments], int]] = {
    "expand": asked,
    "broadcast_to": asked,
    "repeat": repeated,
    "tile": repeated,
    "repeat_interleave": repeated,
    "index": picked,
    "index_select": selected,
    "cat": together,
    "stack": together,
    "concat": together,
}
SOLVERS = ("linalg", "inverse", "det", "slogdet", "logdet")
"""Operators whose work grows with the cube of their size."""

PRODUCTS = frozenset(words("mm mv bmm dot matmul addmm addmv baddbmm outer ger linear einsum tensordot"))


def reserve(meter: Meter) -> Callable[[str, Arguments], None]:
    """The engine's question before each operator: may this be made?"""

    def ask(name: str, args: Arguments) -> None:
        op = name.partition(".")[0]
        if op.startswith(SOLVERS):
            meter.work(max((shape[-1] for shape in shapes(args) if shape), default=0) ** 3)
        if op in PRODUCTS:
            elements, flops = product(args)
            meter.work(flops)
        else:
            elements = SIZES.get(op, broadcast)(args)
        meter.elements(elements)

    return ask
