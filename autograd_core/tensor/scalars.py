"""Numbers as the engine computes with them: what a program left in an option or a setting is looked at here, before
numpy meets it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from .tensor import Tensor

REAL = "must be real number, not {}"


def kind_name(value: Any) -> str:
    """The type of a value, as messages name it; objects of programs have one of their own."""
    own = getattr(type(value), "own_type_name", None)
    kind = type(value)
    home = "numpy." if kind.__module__ == "numpy" else ""
    return home + (kind.__name__ if own is None else str(own(value)))


def number(value: Any, message: str = REAL, tensors: bool = False) -> Any:
    """`value` as a number of Python's; `tensors` may stay what they are.

    Raises:
        TypeError, RuntimeError: it is none.
    """
    kind = type(value)
    if kind is float or kind is int or kind is bool:
        return value
    if isinstance(value, Tensor):
        if tensors:
            return value
        if value.data_.size != 1:
            raise RuntimeError(f"a Tensor with {value.data_.size} elements cannot be converted to Scalar")
        return float(value.data_.reshape(()))
    if isinstance(value, complex | np.complexfloating):
        raise RuntimeError("value cannot be converted to type float without overflow")
    for host, types in ((bool, np.bool_), (int, int | np.integer), (float, float | np.floating)):
        if isinstance(value, types):
            return host(value) if isinstance(value, np.generic) else vars(host)[f"__{host.__name__}__"](value)
    raise TypeError(message.format(kind_name(value)))


def numbers(values: Iterable[Any], message: str = REAL) -> list[Any]:
    """All of `values`, likewise; tensors stay what they are."""
    return [number(value, message, tensors=True) for value in values]
