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
        return math.prod(size for size in numbers(args) if size > 0)
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


SIZES: dict[str, Callable[[Arguments], int]] = {
    "expand": asked,
    "broadcast_to": asked,
    "repeat": repeated,
    "tile": repeated,
    "repeat_interleave": repeated,
    "cat": together,
    "stack": together,
    "concat": together,
}
PRODUCTS = frozenset(words("mm mv bmm dot matmul addmm addmv baddbmm outer ger linear einsum tensordot"))


def reserve(meter: Meter) -> Callable[[str, Arguments], None]:
    """The engine's question before each operator: may this be made?"""

    def ask(name: str, args: Arguments) -> None:
        op = name.partition(".")[0]
        if op in PRODUCTS:
            elements, flops = product(args)
            meter.work(flops)
        else:
            elements = SIZES.get(op, broadcast)(args)
        meter.elements(elements)

    return ask
