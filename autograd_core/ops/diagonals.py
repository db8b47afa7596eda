"""Diagonals: as views, as copies, and back. Formulas: PyTorch's derivatives.yaml."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..op import both, helper, op
from ..tensor import Array
from ..views import window
from .dims import wrap


@op(
    "diagonal",
    view=True,
    self=lambda grad, self_sym_sizes, offset, dim1, dim2: diagonal_backward(grad, self_sym_sizes, offset, dim1, dim2),
)
def diagonal(self: Array, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Array:
    return diagonal_window(self, offset, dim1, dim2)


def diagonal_window(data: Array, offset: int, dim1: int, dim2: int) -> Array:
    """The diagonal of `data` in its own memory, as the last dimension."""
    a, b = wrap(dim1, data.ndim), wrap(dim2, data.ndim)
    if a == b:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    rest = [d for d in range(data.ndim) if d not in (a, b)]
    start = [slice(None)] * data.ndim
    start[a], start[b] = slice(max(-offset, 0), None), slice(max(offset, 0), None)
    part = data[tuple(start)]
    length = min(part.shape[a], part.shape[b])
    steps = (*(part.strides[d] for d in rest), part.strides[a] + part.strides[b])
    return window(part, (*(part.shape[d] for d in rest), length), steps)


@op(
    "diagonal_copy",
    node="DiagonalBackward0_copy",
    self=lambda grad, self_sym_sizes, offset, dim1, dim2: diagonal_backward(grad, self_sym_sizes, offset, dim1, dim2),
)
def diagonal_copy(self: Array, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Array:
    return diagonal_window(self, offset, dim1, dim2).copy()


@op("diag_embed", self=lambda grad, offset, dim1, dim2: diagonal(grad, offset, dim1, dim2))
def diag_embed(self: Array, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Array:
    a, b = wrap(dim1, self.ndim + 1), wrap(dim2, self.ndim + 1)
    if a == b:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    n = self.shape[-1] + abs(offset)
    shape = list(self.shape[:-1])
    for d in sorted((a, b)):
        shape.insert(d, n)
    out = np.zeros(shape, self.dtype)
    diagonal_window(out, offset, a, b)[...] = self
    return out


@op("trace", writes=2, self=lambda grad, self_sym_sizes: trace_backward(grad, self_sym_sizes))
def trace(self: Array) -> Array:
    if self.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {self.ndim}")
    return np.trace(self, dtype=self.dtype if self.dtype.kind == "f" else np.int64)


@both
def trace_backward(grad: Array, sizes: Sequence[int]) -> Array:
    flat = index_fill_tensor(blank([sizes[0] * sizes[1]], grad.dtype), 0, diagonal_places(sizes), grad)
    return view(flat, sizes)


def diagonal_places(sizes: Sequence[int]) -> Any:
    """Where the diagonal lies in a flat matrix."""
    from ..tensor import plain

    return plain(np.arange(min(sizes)) * (sizes[1] + 1))


helper(diagonal_places, lambda sizes: np.arange(min(sizes)) * (sizes[1] + 1))


@op("diagonal_backward", grad_output=lambda grad, offset, dim1, dim2: diagonal(grad, offset, dim1, dim2))
def diagonal_backward(grad_output: Array, input_sizes: Sequence[int], offset: int, dim1: int, dim2: int) -> Array:
    out = np.zeros(input_sizes, grad_output.dtype)
    diagonal_window(out, offset, dim1, dim2)[...] = grad_output
    return out
