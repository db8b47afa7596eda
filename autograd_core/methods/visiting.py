"""apply_, map_ and map2_: a Python function called for element after element, its answers written where they lie.

Torch does this below autograd and does not count the write.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import errors, tell
from ..functions.shape import expand
from ..tensor import Tensor
from ..transforms.batch import MEMORY, unseen


def apply_(self: Tensor, *callable: Any) -> Tensor:
    if len(callable) != 1:
        raise TypeError(f"TensorBase.apply_() takes exactly one argument ({len(callable)} given)")
    return visited("apply_", self, (), callable[0])


def map_(self: Tensor, other: Tensor, callable: Any) -> Tensor:
    return visited("map_", self, (other,), callable)


def map2_(self: Tensor, x: Tensor, y: Tensor, callable: Any) -> Tensor:
    return visited("map2_", self, (x, y), callable)


def visited(name: str, self: Tensor, others: tuple[Tensor, ...], function: Callable[..., Any]) -> Tensor:
    """`self` with what `function` makes of each of its elements and those of `others` in that place.

    Raises:
        RuntimeError: one of them requires grad, or cannot be brought to the shape of `self`.
        TypeError: another dtype, or the function gives what is no such number.
    """
    if any(t.requires_grad for t in (self, *others)):
        raise RuntimeError(f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() instead.")
    if any(map(unseen, (self, *others))):
        raise RuntimeError(MEMORY)
    for other, called in zip(others, CALLED[name], strict=True):
        check_kind(name, called, self, other)
    shape = self.data_.shape
    places = [self.array(), *(expand(other, shape).array() for other in others)]
    stored = storing(places[0].dtype)
    for at in np.ndindex(shape):
        places[0][at] = stored(function(*(data[at].item() for data in places)))
    tell.written(self, name, others, counted=False)
    return self


CALLED = {"apply_": (), "map_": ("'other'",), "map2_": ("argument 'x'", "argument 'y'")}
"""How messages name the operands."""


def check_kind(name: str, called: str, self: Tensor, other: Tensor) -> None:
    kinds = [f"torch.{errors.TYPE_NAMES[t.data_.dtype.name]}Tensor" for t in (self, other)]
    if kinds[0] != kinds[1]:
        raise TypeError(f"{name}: expected {kinds[0]} for {called} (got {kinds[1]})")


def storing(kind: np.dtype[Any]) -> Callable[[Any], Any]:
    """How a Python value becomes an element of this dtype."""
    if kind.kind == "f":
        return lambda value: math.ldexp(value, 0)  # the words of Python for what is no number are torch's
    if kind.kind == "b":
        return lambda value: bool(value if isinstance(value, float | complex) else operator.index(value))
    return lambda value: whole(value, kind)


def whole(value: Any, kind: np.dtype[Any]) -> int:
    """`value` without its fraction; of an unsigned dtype a negative one counts from the end."""
    number = value if isinstance(value, float) else operator.index(value)
    if abs(number) >= 1 << 63 and not isinstance(number, float):
        raise ValueError("Overflow when unpacking long long")
    most = np.iinfo(kind).max
    least = -most if kind.kind == "u" else np.iinfo(kind).min
    if not least <= number <= most:
        raise RuntimeError(f"value cannot be converted to type {kind.name} without overflow")
    return int(number) % (most + 1) if kind.kind == "u" else int(number)


METHODS = {"apply_": apply_, "map_": map_, "map2_": map2_}
