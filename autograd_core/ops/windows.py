"""Windows of memory: as_strided, and what comes back from them. Formulas: PyTorch's FunctionsManual.cpp."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import errors
from ..op import RAW, helper, op
from ..tensor import Array, plain
from ..transforms.batch import hidden
from ..views import extent, strided


@op(
    "as_strided",
    view=True,
    writes=1,
    self=lambda grad, self_shape_, self_strides_, size, stride, storage_offset: strided_back(
        grad, self_shape_, self_strides_, size, stride, storage_offset
    ),
)
def as_strided(self: Array, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None) -> Array:
    check_forwards(stride)
    return strided(self, tuple(size), tuple(stride), storage_offset or 0)


@op(
    "as_strided_",
    node="AsStridedBackward1",
    self=lambda grad, self_shape_, self_strides_, size, stride, storage_offset: strided_back(
        grad, self_shape_, self_strides_, size, stride, storage_offset
    ),
)
def as_strided_in_place(
    self: Array, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None
) -> Array:
    check_forwards(stride)
    return strided(self, tuple(size), tuple(stride), storage_offset or 0)


def check_forwards(stride: Sequence[int]) -> None:
    """
    Raises:
        RuntimeError: a stride is negative.
    """
    if any(step < 0 for step in stride):
        raise RuntimeError(
            f"as_strided: Negative strides are not supported at the moment, got strides: {errors.sizes(stride)}"
        )


def strided_back(
    grad: Any, sizes: Sequence[int], strides: Sequence[int], size: Any, stride: Any, offset: int | None
) -> Any:
    """The gradient of as_strided in torch's steps: a window of zeros is written, then all of them shown."""
    from ..inplace import in_place
    from .elementwise import copy, div

    if hidden(grad):
        return as_strided_backward(grad, sizes, size, stride, offset)
    length = reached(sizes, strides, size, stride, offset)
    if overlapping(size, stride):
        memory = as_strided_backward(grad, [length], size, stride, offset)
    else:
        memory = plain(np.zeros(length, grad.data_.dtype))
        in_place(copy, as_strided(memory, size, stride, offset), grad)
    if overlapping(sizes, strides):
        memory = in_place(div, memory, plain(seen(sizes, strides, length).astype(grad.data_.dtype)))
    return as_strided(memory, list(sizes), list(strides), 0)


def seen(sizes: Sequence[int], strides: Sequence[int], length: int) -> Array:
    """How often such a tensor shows each element of its memory, or 1: they all share what comes back to it."""
    times = np.zeros(length, np.int64)
    np.add.at(times, strided(np.arange(length), tuple(sizes), tuple(strides), 0), 1)
    return np.maximum(times, 1)


def reached(sizes: Sequence[int], strides: Sequence[int], size: Any, stride: Any, offset: int | None) -> int:
    """How much memory a tensor and a window of its memory take together."""
    return max(extent(sizes, strides), (offset or 0) + extent(size, stride))


def strided_back_on_arrays(
    grad: Any, sizes: Sequence[int], strides: Sequence[int], size: Any, stride: Any, offset: int | None
) -> Any:
    length = reached(sizes, strides, size, stride, offset)
    memory = RAW["as_strided_backward"](grad, [length], size, stride, offset)
    if overlapping(sizes, strides):
        memory /= seen(sizes, strides, length)
    return strided(memory, tuple(sizes), tuple(strides), 0)


def overlapping(size: Sequence[int], stride: Sequence[int]) -> bool:
    """Whether a window may show some memory twice."""
    reach = 0
    for step, n in sorted(zip(stride, size, strict=True)):
        if n > 1 and step <= reach:
            return True
        reach += step * (n - 1)
    return False


helper(strided_back, strided_back_on_arrays)


@op(
    "as_strided_backward",
    grad_output=lambda grad, size, stride, storage_offset: as_strided(grad, size, stride, storage_offset),
)
def as_strided_backward(
    grad_output: Array,
    input_sizes: Sequence[int],
    size: Sequence[int],
    stride: Sequence[int],
    storage_offset: int | None,
) -> Array:
    out = np.zeros(math.prod(input_sizes), grad_output.dtype)
    at = np.full(tuple(size), storage_offset or 0, np.int64)
    for axis, (n, step) in enumerate(zip(size, stride, strict=True)):
        at += (np.arange(n) * step).reshape((n,) + (1,) * (len(size) - axis - 1))
    np.add.at(out, at, grad_output)
    return out.reshape(input_sizes)
