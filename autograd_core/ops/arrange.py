"""Turning, sliding windows, blocks, and shapes changed in place. Formulas: PyTorch's derivatives.yaml."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..op import RAW, both, op
from ..strides import alike
from ..tensor import Array, default_kind
from ..views import window
from .shape import wrap


@op("rot90", self=lambda grad, k, dims: rot90(grad, -k, dims))
def rot90(self: Array, k: int = 1, dims: Sequence[int] = (0, 1)) -> Array:
    if len(dims) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(dims)}")
    if self.ndim < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {self.ndim}")
    one, other = (wrap(d, self.ndim) for d in dims)
    if one == other:
        raise RuntimeError(f"expected rotation dims to be different, but got dim0 = {dims[0]} and dim1 = {dims[1]}")
    turned = ((), (other,), (one, other), (one,))[k % 4]
    if not turned:
        return np.array(self, order="C")
    flipped = alike(np.flip(self, turned), (self,))
    return flipped.swapaxes(one, other) if k % 2 else flipped


@op(
    "unfold",
    view=True,
    self=lambda grad, self_sym_sizes, dimension, size, step: unfold_backward(
        grad, self_sym_sizes, dimension, size, step
    ),
)
def unfold(self: Array, dimension: int, size: int, step: int) -> Array:
    return windows(self, dimension, size, step)


def windows(data: Array, dimension: int, size: int, step: int) -> Array:
    """Every window of `size` along `dimension`, `step` apart, as a new last dimension in the same memory."""
    at = wrap(dimension, data.ndim)
    length = data.shape[at] if data.ndim else 1
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if size > length:
        raise RuntimeError(f"maximum size for tensor at dimension {at} is {length} but size is {size}")
    if data.ndim == 0:
        return data.reshape(1)[:size]
    shape = [*data.shape, size]
    shape[at] = (length - size) // step + 1
    strides = [*data.strides, data.strides[at]]
    strides[at] *= step
    return window(data, shape, strides)


@op("unfold_backward", grad_in=lambda grad, dim, size, step: unfold(grad, dim, size, step))
def unfold_backward(grad_in: Array, input_sizes: Sequence[int], dim: int, size: int, step: int) -> Array:
    out = np.zeros(input_sizes, grad_in.dtype)
    places = windows(np.arange(out.size).reshape(input_sizes), dim, size, step)
    np.add.at(out.reshape(-1), places, grad_in)
    return out


@op("block_diag", tensors=lambda grad, tensors_sizes_: block_diag_backward(grad, tensors_sizes_))
def block_diag(tensors: list[Array]) -> Array:
    for i, x in enumerate(tensors):
        if x.ndim > 2:
            raise RuntimeError(
                f"torch.block_diag: Input tensors must have 2 or fewer dimensions. Input {i} has {x.ndim} dimensions"
            )
    blocks = [np.atleast_2d(x) for x in tensors]
    if not blocks:
        return np.zeros((1, 0), default_kind())
    out = np.zeros(np.sum([b.shape for b in blocks], 0), np.result_type(*blocks))
    row = column = 0
    for block in blocks:
        out[row : row + block.shape[0], column : column + block.shape[1]] = block
        row, column = row + block.shape[0], column + block.shape[1]
    return out


@both
def block_diag_backward(grad: Array, sizes: Any) -> list[Array]:
    parts: list[Any] = []
    row = column = 0
    for size in sizes:
        height, width = [1] * (2 - len(size)) + list(size)
        block = slice_(slice_(grad, 0, row, row + height, 1), 1, column, column + width, 1)
        parts.append(block if len(size) == 2 else reshape(block, size))
        row, column = row + height, column + width
    return parts


@op("channel_shuffle", self=lambda grad, groups: channel_shuffle(grad, grad.shape[1] // groups))
def channel_shuffle(self: Array, groups: int) -> Array:
    if self.ndim <= 2:
        raise RuntimeError(f"channel_shuffle expects input with > 2 dims, but got input with sizes {list(self.shape)}")
    if groups <= 0:
        raise RuntimeError(f"Number of groups to divide channels in must be positive. Value of groups:{groups}")
    batch, channels, *rest = self.shape
    if channels % groups:
        raise RuntimeError(
            f"Number of channels must be divisible by groups. Got {channels} channels and {groups} groups."
        )
    parts = np.reshape(self, (batch, groups, channels // groups, *rest))
    return np.ascontiguousarray(np.swapaxes(parts, 1, 2)).reshape(self.shape)


# ---- the shape changed in place: the same memory, seen otherwise by the tensor itself


@op("t_", node="TBackward1", self=lambda grad: t(grad))
def turned(self: Array) -> Array:
    if self.ndim > 2:
        raise RuntimeError(f"t_() expects a tensor with <= 2 dimensions, but self is {self.ndim}D")
    return self.T


@op("transpose_", node="TransposeBackward1", self=lambda grad, dim0, dim1: transpose(grad, dim0, dim1))
def transposed(self: Array, dim0: int, dim1: int) -> Array:
    first, second = wrap(dim0, self.ndim), wrap(dim1, self.ndim)
    return np.swapaxes(self, first, second) if self.ndim else self


@op("unsqueeze_", node="UnsqueezeBackward1", self=lambda grad, dim: squeeze_dim(grad, dim))
def unsqueezed(self: Array, dim: int) -> Array:
    return RAW["unsqueeze"](self, dim)


@op(
    "squeeze_",
    node="SqueezeBackward3",
    self=lambda grad, self_sym_sizes: unsqueeze_to(grad, self_sym_sizes, range(len(self_sym_sizes))),
)
def squeezed(self: Array) -> Array:
    return np.squeeze(self)


@op(
    "squeeze_.dims",
    node="SqueezeBackward5",
    self=lambda grad, self_sym_sizes, dim: unsqueeze_to(grad, self_sym_sizes, dim),
)
def squeezed_dims(self: Array, dim: Sequence[int]) -> Array:
    return np.squeeze(self, tuple(d for d in (wrap(d, self.ndim) for d in dim) if self.shape[d] == 1))
