"""Pools undone: zeros with what was the largest put back where it lay. Formulas: PyTorch's derivatives.yaml."""

from __future__ import annotations

import math

import numpy as np

from .. import errors
from ..op import op
from ..tensor import Array
from .blocks import Sizes


def check(data: Array, indices: Array, n: int) -> None:
    """Whether `indices` are places for `data`, images of `n` dimensions.

    Raises:
        RuntimeError: they are not, in torch's words.
    """
    if indices.dtype != np.int64:
        raise RuntimeError(f"elements in indices should be type int64 but got: {errors.type_name(indices.dtype)}")
    if data.ndim not in (n + 1, n + 2):
        raise RuntimeError(
            f"Input to max_unpooling{n}d should be a {n + 1}d or {n + 2}d Tensor, but got a tensor with {data.ndim} "
            "dimensions."
        )
    if indices.shape != data.shape:
        raise RuntimeError(
            f"Expected shape of indices to be same as that of the input tensor ({list(data.shape)}) but got indices "
            f"tensor with shape: {list(indices.shape)}"
        )


def put_back(data: Array, indices: Array, size: Sizes) -> Array:
    """Zeros with `data` at flat places; the last of several for one place stays."""
    n = len(size)
    rows, room = math.prod(data.shape[:-n]), math.prod(size)
    where = indices.reshape(rows, math.prod(data.shape[-n:]))
    wrong = where[(where < 0) | (where >= room)]
    if wrong.size:
        sides = "x".join(map(str, size))
        raise RuntimeError(f"Found an invalid max index: {wrong[-1]} (output volumes are of size {sides})")
    out = np.zeros((rows, room), data.dtype)
    for row, places, values in zip(out, where, data.reshape(where.shape), strict=True):
        row[places] = values
    return out.reshape(*data.shape[:-n], *size)


@op("max_unpool2d", node="MaxUnpool2DBackward0", self=lambda grad, indices: at_places(grad, indices, 2))
def max_unpool2d(self: Array, indices: Array, output_size: Sizes) -> Array:
    check(self, indices, 2)
    return put_back(self, indices, output_size)


@op("max_unpool3d", node="MaxUnpool3DBackward0", self=lambda grad, indices: at_places(grad, indices, 3))
def max_unpool3d(self: Array, indices: Array, output_size: Sizes, stride: Sizes, padding: Sizes) -> Array:
    check(self, indices, 3)
    return put_back(self, indices, output_size)
