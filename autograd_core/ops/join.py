"""Operators that split, copy, repeat, turn and join: split, clone, flip, roll, cat, stack, block_diag.

Formulas: PyTorch's derivatives.yaml.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import errors
from ..dispatch.op import both, helper, op
from ..tensor.dtypes import default_kind, from_numpy, promote_types, to_numpy
from ..tensor.strides import alike
from ..tensor.strides import copy_in_format as copied_alike
from ..tensor.tensor import Array, Tensor, plain
from ._common import axes, wrap

# ---- parts, copies and joins


@op(
    "split.Tensor",
    view=True,
    many=True,
    self=lambda grads, self_sym_sizes, self_dtype_, split_size, dim: join_parts(
        grads, self_sym_sizes, self_dtype_, split_size, dim
    ),
)
def split(self: Array, split_size: int, dim: int = 0) -> list[Array]:
    return parts_of(self, split_size, dim)


def parts_of(self: Array, split_size: int, dim: int) -> list[Array]:
    if not isinstance(split_size, int) or split_size < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={split_size}")
    at = wrap(dim, self.ndim)
    n = self.shape[at]
    if n and not split_size:
        raise RuntimeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {n}")
    starts = range(0, n, split_size) if n else [0]
    return [self[(slice(None),) * at + (slice(s, min(s + split_size, n)),)] for s in starts]


@op(
    "unsafe_split.Tensor",
    many=True,
    self=lambda grads, self_sym_sizes, self_dtype_, split_size, dim: join_parts(
        grads, self_sym_sizes, self_dtype_, split_size, dim
    ),
)
def unsafe_split(self: Array, split_size: int, dim: int = 0) -> list[Array]:
    """Parts that share memory but are no views: each has a version of its own."""
    return parts_of(self, split_size, dim)


@op(
    "split_with_sizes",
    view=True,
    many=True,
    self=lambda grads, self_sym_sizes, self_dtype_, split_sizes, dim: join_parts(
        grads, self_sym_sizes, self_dtype_, split_sizes, dim
    ),
)
def split_with_sizes(self: Array, split_sizes: Sequence[int], dim: int = 0) -> list[Array]:
    return parts_of_sizes(self, split_sizes, dim)


@op(
    "unsafe_split_with_sizes",
    many=True,
    self=lambda grads, self_sym_sizes, self_dtype_, split_sizes, dim: join_parts(
        grads, self_sym_sizes, self_dtype_, split_sizes, dim
    ),
)
def unsafe_split_with_sizes(self: Array, split_sizes: Sequence[int], dim: int = 0) -> list[Array]:
    """Parts that share memory but are no views: each has a version of its own."""
    return parts_of_sizes(self, split_sizes, dim)


def parts_of_sizes(self: Array, split_sizes: Sequence[int], dim: int) -> list[Array]:
    at = wrap(dim, self.ndim)
    if sum_of(split_sizes) != self.shape[at]:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {self.shape[at]} (input tensor's size at "
            f"dimension {dim}), "
            f"but got split_sizes={errors.sizes(split_sizes)}"
        )
    if any(size < 0 for size in split_sizes):
        raise RuntimeError(
            "split_with_sizes expects split_sizes have only non-negative entries, but got "
            f"split_sizes={errors.sizes(split_sizes)}"
        )
    ends = np.cumsum([0, *split_sizes])
    return [self[(slice(None),) * at + (slice(a, b),)] for a, b in zip(ends[:-1], ends[1:], strict=True)]


def sum_of(sizes: Sequence[int]) -> int:
    return int(np.sum(sizes))


@op(
    "unbind.int",
    view=True,
    many=True,
    self=lambda grads, self_shape_, self_dtype_, dim: stack_parts(grads, self_shape_, self_dtype_, dim),
)
def unbind(self: Array, dim: int = 0) -> list[Array]:
    at = wrap(dim, self.ndim)
    if self.ndim == 0:
        raise IndexError(f"Dimension specified as {at} but tensor has no dimensions")
    return [self[(slice(None),) * at + (i, ...)] for i in range(self.shape[at])]


@both
def join_parts(grads: Any, sizes: Sequence[int], dtype: Any, split: Any, dim: int) -> Array:
    at = wrap(dim, len(sizes))
    n = sizes[at]
    lengths = [min(split, n - s) for s in range(0, max(n, 1), max(split, 1))] if isinstance(split, int) else list(split)
    parts = []
    for grad, length in zip(grads, lengths, strict=True):
        shape = (*sizes[:at], length, *sizes[at + 1 :])
        parts.append(blank(shape, dtype) if grad is None else grad)
    return cat(parts, at)


@both
def stack_parts(grads: Any, sizes: Sequence[int], dtype: Any, dim: int) -> Array:
    at = wrap(dim, len(sizes))
    shape = (*sizes[:at], *sizes[at + 1 :])
    return stack([blank(shape, dtype) if grad is None else grad for grad in grads], dim)


def blank(shape: Sequence[int], dtype: Any) -> Any:
    return plain(np.zeros(shape, getattr(dtype, "numpy", dtype))[()])


helper(blank, lambda shape, dtype: np.zeros(shape, dtype))


# ---- copies


@op("clone", self=lambda grad: grad)
def clone(self: Array, contiguous: bool | str = False) -> Array:
    """`contiguous` may name a memory format."""
    if not isinstance(self, np.ndarray):
        return self
    if contiguous is True:
        return np.array(self, order="C")[()]
    return copied_alike(self, contiguous or None)[()]


@op("repeat", self=lambda grad, repeats, self_sym_sizes: repeat_backward(grad, repeats, self_sym_sizes))
def repeat(self: Array, repeats: Sequence[int]) -> Array:
    if len(repeats) < np.ndim(self):
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    shape = [n * m for n, m in zip(repeats, (1,) * (len(repeats) - np.ndim(self)) + np.shape(self), strict=True)]
    wrong = next((n for n in shape if n < 0), None)
    if wrong is not None:
        raise RuntimeError(f"Trying to create tensor with negative dimension {wrong}: {errors.sizes(shape)}")
    return np.tile(self, tuple(repeats))


@both
def repeat_backward(grad: Array, repeats: Sequence[int], sizes: Sequence[int]) -> Array:
    extra = len(repeats) - len(sizes)
    for _ in range(extra):
        grad = sum_dim(grad, [0], False)
    folded: list[int] = []
    over: list[int] = []
    for times, size in zip(repeats[extra:], sizes, strict=True):
        if times != 1:
            over.append(len(folded))
            folded.append(times)
        folded.append(size)
    return sum_dim(reshape(grad, folded), over, False) if over else grad


@op("flip", self=lambda grad, dims: flip(grad, dims))
def flip(self: Array, dims: Sequence[int]) -> Array:
    over = axes(dims, np.ndim(self)) if dims else ()
    if not np.ndim(self):
        return self[()]
    out = np.empty_like(self)  # laid out as what is flipped
    out[...] = np.flip(self, over)
    return out


@op("roll", self=lambda grad, shifts, dims: roll(grad, negate(shifts), dims))
def roll(self: Array, shifts: Sequence[int], dims: Sequence[int]) -> Array:
    if not shifts:
        raise RuntimeError("`shifts` required")
    if len(shifts) != len(dims) and (dims or len(shifts) != 1):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(shifts)}, dims:{len(dims)}")
    if not dims:
        return np.roll(self, shifts[0]).copy()
    if not self.ndim:
        raise IndexError(f"Dimension specified as {dims[0]} but tensor has no dimensions")
    for shift, dim in zip(shifts, dims, strict=True):  # along all at once, numpy goes through 2**len(dims) blocks
        self = np.roll(self, shift, wrap(dim, self.ndim))
    return self


@both
def negate(shifts: Sequence[int]) -> list[int]:
    return [-s for s in shifts]


def matrix(name: str, data: Array) -> None:
    if np.ndim(data) < 2:
        raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")


@op(
    "tril(Tensor self, SymInt diagonal=0) -> Tensor: function method method_ out",
    self=lambda grad, diagonal: tril(grad, diagonal),
)
def tril(self: Array, diagonal: int = 0) -> Array:
    matrix("tril", self)
    return np.tril(self, diagonal)


@op(
    "triu(Tensor self, SymInt diagonal=0) -> Tensor: function method method_ out",
    self=lambda grad, diagonal: triu(grad, diagonal),
)
def triu(self: Array, diagonal: int = 0) -> Array:
    matrix("triu", self)
    return np.triu(self, diagonal)


# ---- joins


@op("cat", tensors=lambda grad, tensors_sizes_, dim: cat_backward(grad, tensors_sizes_, dim))
def cat(tensors: list[Array], dim: int = 0) -> Array:
    if not tensors:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    real = [x for x in tensors if x.shape != (0,)]
    for i, x in enumerate(tensors):
        if x.ndim == 0:
            raise RuntimeError(f"zero-dimensional tensor (at position {i}) cannot be concatenated")
    if not real:  # what has no elements in a single dimension may be joined along any
        return of_one_kind(tensors, tensors)[0].copy()
    at = wrap(dim, real[0].ndim)
    for x in real:
        if x.ndim != real[0].ndim:
            raise RuntimeError(f"Tensors must have same number of dimensions: got {real[0].ndim} and {x.ndim}")
        for d in range(x.ndim):
            if d != at and x.shape[d] != real[0].shape[d]:
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {at}. Expected size {real[0].shape[d]} but got "
                    "size "
                    f"{x.shape[d]} for tensor number {i} in the list."
                )
    return np.concatenate(of_one_kind(real, tensors), at)


def of_one_kind(tensors: list[Array], every: list[Array]) -> list[Array]:
    """`tensors`, brought to the dtype in which `every` tensor meets."""
    kinds = {x.dtype for x in every}
    if len(kinds) == 1:
        return tensors
    common = functools.reduce(promote_types, map(from_numpy, kinds))
    return [x.astype(to_numpy(common), copy=False) for x in tensors]


def nothing(grad: Tensor) -> Tensor:
    """The gradient of a part without elements."""
    return plain(np.zeros(0, grad.data_.dtype))


helper(nothing, lambda grad: np.zeros(0, grad.dtype))


@both
def cat_backward(grad: Array, sizes: Any, dim: int) -> list[Array]:
    parts: list[Any] = []
    start = 0
    for shape in sizes:
        if shape == (0,):
            parts.append(nothing(grad))
            continue
        at = wrap(dim, len(shape))
        parts.append(slice_(grad, at, start, start + shape[at], 1))
        start += shape[at]
    return parts


@op(
    "stack(Tensor[] tensors, int dim=0) -> Tensor: function out",
    tensors=lambda grad, tensors_sizes_, dim: stack_backward(grad, tensors_sizes_, dim),
)
def stack(tensors: list[Array], dim: int = 0) -> Array:
    if not tensors:
        raise RuntimeError("stack expects a non-empty TensorList")
    for i, x in enumerate(tensors):
        if x.shape != tensors[0].shape:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {errors.sizes(tensors[0].shape)} at entry 0 and "
                f"{errors.sizes(x.shape)} at entry {i}"
            )
    return np.stack(of_one_kind(tensors, tensors), wrap(dim, tensors[0].ndim + 1))


@both
def stack_backward(grad: Array, sizes: Any, dim: int) -> list[Array]:
    return [select(grad, dim, i) for i in range(len(sizes))]


# ---- turning and blocks


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
