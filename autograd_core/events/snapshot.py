"""What is told of a tensor's contents: a small tensor whole, of a larger one a summary and its first elements.

Complex numbers are summed up by how large they are.

A larger tensor is also told by cells, to three digits, for those who want to look at it: a matrix of at most SIDE by
SIDE by its own, any other by at most POOLED by POOLED that stand for parts of it.
"""

from __future__ import annotations

import math
from base64 import b64encode
from dataclasses import dataclass
from functools import cache
from typing import Any
from zlib import crc32

import numpy as np

from ..functorch.batch import whole_data

BINS = 24
"""So many bars tell how the elements of a larger tensor are spread."""
COUNTED = 8192
"""So many elements are counted for the bars at most; of more, evenly placed ones."""
WHOLE = 256
"""A tensor with at most so many elements is told whole; of a larger one, a summary and its first elements."""
SIDE = 32
"""A matrix of at most so many rows and columns is told by its cells."""
POOLED = 16
"""Anything else is told by at most so many rows and columns, each the number of a part that is farthest from zero."""
LARGEST = 1 << 20
"""Of a tensor with more elements no cells are told."""


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
    bins: tuple[int, ...] | None = None
    """Of a larger tensor: how many elements lie in each of so many equal parts between `minimum` and `maximum`.

    Of one with more than COUNTED elements, some are counted for all.
    """
    cells: tuple[int, str] | None = None
    """Of a larger tensor: a power of two, and by how much of it each cell of its `grid` is, row by row, as float16,
    little-endian, in base64."""


@cache
def dtype_name(dtype: np.dtype[Any]) -> str:
    """`str(dtype)`, which takes numpy longer than the operation that is told of."""
    return str(dtype) if dtype.isnative else "bfloat16"


def item_size(name: str) -> int:
    """The bytes of an element of the dtype of this name."""
    return 2 if name == "bfloat16" else np.dtype(name).itemsize


RECENT = 4096
_recent: dict[tuple[type, bytes], Value] = {}
"""What was told of numpy scalars lately, by their bits. (Not the scalars: who holds a gradient decides its fate.)"""


def snapshot(array: np.ndarray[Any, Any] | np.generic) -> Value:
    """What an event tells of `array`.

    All of it up to WHOLE elements, else its first WHOLE // 16 with minimum, maximum, mean and how it is spread.
    """
    array = whole_data(array)
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
    numbers = flat.reshape(-1)
    head = numbers[: WHOLE // 16].tolist()
    if numbers.dtype.kind == "c":
        numbers, flat = np.abs(numbers), np.abs(flat)
    least, most = float(numbers.min()), float(numbers.max())
    mean = float(np.add.reduce(numbers, dtype=np.float64)) / numbers.size
    bins = spread(numbers, least, most, mean)
    shown_cells = None if flat.size > LARGEST else cells(flat if few(flat.shape) else pooled(flat))
    return Value(flat.shape, name, head, False, least, most, mean, bins, shown_cells)


def few(shape: tuple[int, ...]) -> bool:
    return len(shape) == 2 and max(shape) <= SIDE


def grid(shape: tuple[int, ...]) -> tuple[int, int]:
    """The rows and columns of the cells of a larger tensor."""
    if few(shape):
        return shape[0], shape[1]
    rows, columns = plane(shape)
    return -(-rows // parts(rows)), -(-columns // parts(columns))


def plane(shape: tuple[int, ...]) -> tuple[int, int]:
    """A tensor laid flat: all but its last dimension are rows; a vector is wrapped to be nearly square."""
    if len(shape) == 1:
        columns = math.isqrt(shape[0] - 1) + 1
        return -(-shape[0] // columns), columns
    return math.prod(shape[:-1]), shape[-1]


def parts(length: int) -> int:
    """How many rows or columns, of so many, one of cells stands for."""
    return -(-length // POOLED)


def pooled(tensor: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The cells of a tensor laid flat, with zeros where it does not fill the last of them."""
    rows, columns = plane(tensor.shape)
    high, wide = parts(rows), parts(columns)
    many, across = grid(tensor.shape)
    numbers = tensor.reshape(-1)
    if numbers.size < rows * columns:
        numbers = np.concatenate((numbers, np.zeros(rows * columns - numbers.size, numbers.dtype)))
    laid = numbers.reshape(rows, columns)
    if (rows, columns) != (many * high, across * wide):
        filled = np.zeros((many * high, across * wide), laid.dtype)
        filled[:rows, :columns] = laid
        laid = filled
    bands = laid.reshape(many, high, across * wide)  # whole rows first: along short axes numpy is far slower
    top, bottom = (
        reduce(reduce(bands, 1).reshape(many, across, wide), 2).astype(np.float64) for reduce in (np.max, np.min)
    )
    return np.where(top >= -bottom, top, bottom)


def cells(matrix: np.ndarray[Any, Any]) -> tuple[int, str]:
    """The cells of `matrix`.

    The largest lies below 2**15, so that what is up to 2**29 times smaller has eleven bits as well.
    """
    numbers = matrix.astype(np.float64)
    largest = float(np.max(np.abs(numbers), initial=0.0, where=np.isfinite(numbers)))
    power = math.frexp(largest)[1] - 15
    return power, b64encode(np.ldexp(numbers, -power).astype("<f2").tobytes()).decode("ascii")


_spreads: dict[tuple[float, ...], tuple[int, ...]] = {}
"""How tensors were spread lately, by a checksum of the bytes that are counted: most are told of several times, at every
node that they pass."""


def spread(numbers: np.ndarray[Any, Any], least: float, most: float, mean: float) -> tuple[int, ...] | None:
    """How many of `numbers` lie in each of BINS equal parts from `least` to `most`; None where these are not finite.

    Of more than COUNTED numbers evenly placed ones are counted.
    """
    if not math.isfinite(most - least):
        return None
    if most == least:
        return (len(numbers), *(0,) * (BINS - 1))
    sample = np.ascontiguousarray(numbers[:: -(-len(numbers) // COUNTED)])
    key = (len(numbers), least, most, mean, crc32(sample.data))
    known = _spreads.get(key)
    if known is None:
        if len(_spreads) >= RECENT:
            _spreads.clear()
        known = _spreads[key] = count_special(sample, least, most)
    return known


def count_special(numbers: np.ndarray[Any, Any], least: float, most: float) -> tuple[int, ...]:
    places = np.subtract(numbers, least, dtype=np.float64)
    places *= BINS / (most - least)
    *counts, last = np.bincount(places.astype(np.int16), minlength=BINS + 1).tolist()
    counts[-1] += last  # the largest itself
    return tuple(counts)
