"""What is told of a tensor's contents: a small tensor whole, of a larger one a summary and its first elements."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

WHOLE = 256
"""A tensor with at most so many elements is told whole; of a larger one, a summary and its first elements."""


@dataclass(frozen=True, slots=True)
class Value:
    """The contents of a tensor at one moment: whole when small, else a summary with its first elements in `data`."""

    shape: tuple[int, ...]
    dtype: str
    data: Any
    whole: bool = True
    minimum: float | None = None
    maximum: float | None = None
    mean: float | None = None


@cache
def dtype_name(dtype: np.dtype[Any]) -> str:
    """`str(dtype)`, which takes numpy longer than the operation that is told of."""
    return str(dtype)


RECENT = 4096
_recent: dict[tuple[type, bytes], Value] = {}
"""What was told of numpy scalars lately, by their bits. (Not the scalars: who holds a gradient decides its fate.)"""


def snapshot(array: np.ndarray[Any, Any] | np.generic) -> Value:
    """What an event tells of `array`.

    All of it up to WHOLE elements, else its first WHOLE // 16 with minimum, maximum and mean.
    """
    if isinstance(array, np.generic):
        bits = (array.__class__, array.tobytes())
        value = _recent.get(bits)
        if value is None:
            if len(_recent) >= RECENT:
                _recent.clear()
            value = _recent[bits] = Value((), dtype_name(array.dtype), array.item())
        return value
    flat = np.asarray(array)
    name = dtype_name(flat.dtype)
    if flat.size <= WHOLE:
        return Value(flat.shape, name, flat.tolist())
    head = flat.reshape(-1)[: WHOLE // 16].tolist()
    numbers = flat.astype(np.float64)
    return Value(flat.shape, name, head, False, float(numbers.min()), float(numbers.max()), float(numbers.mean()))
