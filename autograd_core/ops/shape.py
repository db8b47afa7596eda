"""Operators that move elements about: views, copies, joins. Formulas: PyTorch's derivatives.yaml."""

# ruff: noqa: F821
# mypy: disable-error-code="no-any-return, no-untyped-call, misc, name-defined, has-type, call-overload, arg-type"

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import errors
from ..op import both, helper, op
from ..tensor import Array
from ..views import strided


def wrap(dim: int, ndim: int) -> int:
    """`dim` counted from the front.

    Raises:
        IndexError: there is no such dimension.
    """
    reach = max(ndim, 1)
    if not -reach <= dim < reach:
        raise errors.dim_out_of_range(dim, ndim)
    return dim + reach if dim < 0 else dim


# ---- views


@op("view", view=True, self=lambda grad, self_sym_sizes: reshape(grad, self_sym_sizes))
def view(self: Array, size: Sequence[int]) -> Array:
    shape = inferred(size, self.size)
    if not isinstance(self, np.ndarray):
        return np.reshape(self, shape)
    out = self.view()
    try:
        out.shape = shape
    except AttributeError:
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
            "contiguous subspaces). Use .reshape(...) instead."
        ) from None
    return out


def inferred(size: Sequence[int], numel: int) -> tuple[int, ...]:
    """`size` with its -1 filled in.

    Raises:
        RuntimeError: it does not hold `numel` elements.
    """
    shape = [int(n) for n in size]
    if any(n < -1 for n in shape):
        raise RuntimeError(f"invalid shape dimension {min(shape)}")
    if shape.count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    known = math.prod(n for n in shape if n != -1)
    if -1 in shape and known and numel % known == 0:
        shape[shape.index(-1)] = numel // known
    if math.prod(shape) != numel or -1 in shape:
        raise RuntimeError(f"shape '{errors.sizes(size)}' is invalid for input of size {numel}")
    return tuple(shape)


@op("_unsafe_view", self=lambda grad, self_sym_sizes: reshape(grad, self_sym_sizes))
def unsafe_view(self: Array, size: Sequence[int]) -> Array:
    return np.reshape(self, inferred(size, self.size))


@both
def reshape(self: Array, shape: Sequence[int]) -> Array:
    return view(self, shape) if can_view(self, shape) else unsafe_view(clone(self, True), shape)


def can_view(tensor: Any, shape: Sequence[int]) -> bool:
    """Whether `shape` can be shown without moving anything."""
    data = getattr(tensor, "data_", tensor)
    if not isinstance(data, np.ndarray) or data.flags.c_contiguous:
        return True
    trial = data.view()
    try:
        trial.shape = inferred(shape, data.size)
    except AttributeError:
        return False
    return True


helper(can_view)
helper(wrap)
helper(inferred)


@op("t", view=True, self=lambda grad: t(grad))
def t(self: Array) -> Array:
    if self.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {self.ndim}D")
    return self.T


@op("transpose.int", view=True, self=lambda grad, dim0, dim1: transpose(grad, dim0, dim1))
def transpose(self: Array, dim0: int, dim1: int) -> Array:
    a, b = wrap(dim0, self.ndim), wrap(dim1, self.ndim)
    return np.swapaxes(self, a, b) if self.ndim else self


@op("permute", view=True, self=lambda grad, dims: permute(grad, inverse(dims)))
def permute(self: Array, dims: Sequence[int]) -> Array:
    if len(dims) != self.ndim:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
            "ordering "
            f"of dimensions i.e. input.dim() = {self.ndim} is not equal to len(dims) = {len(dims)}"
        )
    order = [wrap(d, self.ndim) for d in dims]
    if len(set(order)) != len(order):
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return np.transpose(self, order)


@both
def inverse(dims: Sequence[int]) -> list[int]:
    order = [d % len(dims) for d in dims]
    return [order.index(i) for i in range(len(order))]


@op("expand", view=True, self=lambda grad, self_sym_sizes: sum_to(grad, self_sym_sizes))
def expand(self: Array, size: Sequence[int]) -> Array:
    old = self.shape
    if not old and size.__class__ is tuple:
        return np.ndarray(size, self.dtype, np.asarray(self), 0, (0,) * len(size))
    if len(size) < len(old):
        raise RuntimeError(
            f"expand({errors.legacy_type(self.dtype)}{{{errors.sizes(old)}}}, size={errors.sizes(size)}): the number "
            "of "
            f"sizes provided ({len(size)}) must be greater or equal to the number of dimensions in the tensor "
            f"({len(old)})"
        )
    extra = len(size) - len(old)
    target = [old[i - extra] if n == -1 and i >= extra else n for i, n in enumerate(size)]
    for i, n in enumerate(old):
        if n != 1 and target[i + extra] != n:
            raise RuntimeError(
                f"The expanded size of the tensor ({target[i + extra]}) must match the existing size ({n}) at "
                "non-singleton "
                f"dimension {i + extra}.  Target sizes: {errors.sizes(target)}.  Tensor sizes: {errors.sizes(old)}"
            )
    out = np.broadcast_to(self, target)
    return np.lib.stride_tricks.as_strided(self, out.shape, out.strides)


@both
def sum_to(grad: Array, shape: Sequence[int]) -> Array:
    if not len(shape) and len(grad.shape):
        return sum(grad)
    extra = len(grad.shape) - len(shape)
    dims = [i for i in range(len(grad.shape)) if i < extra or (shape[i - extra] == 1 and grad.shape[i] != 1)]
    return grad if not dims else reshape(sum_dim(grad, dims, True), shape)


@op("unsqueeze", view=True, self=lambda grad, dim: squeeze_dim(grad, dim))
def unsqueeze(self: Array, dim: int) -> Array:
    return np.expand_dims(self, wrap(dim, np.ndim(self) + 1))


@both
def unsqueeze_to(grad: Array, sizes: Sequence[int], dims: Any) -> Array:
    """`grad` with those of the dimensions `dims` back that have length 1 in `sizes`."""
    at = [d % len(sizes) for d in dims] if len(sizes) else []
    for d in range(len(sizes)):
        if d in at and sizes[d] == 1:
            grad = unsqueeze(grad, d)
    return grad


@op(
    "squeeze",
    view=True,
    self=lambda grad, self_sym_sizes: unsqueeze_to(grad, self_sym_sizes, range(len(self_sym_sizes))),
)
def squeeze(self: Array) -> Array:
    return np.squeeze(self)


@op("squeeze.dim", view=True, self=lambda grad, self_sym_sizes, dim: unsqueeze_to(grad, self_sym_sizes, [dim]))
def squeeze_dim(self: Array, dim: int) -> Array:
    at = wrap(dim, np.ndim(self))
    return np.squeeze(self, at) if np.ndim(self) and self.shape[at] == 1 else self[...]


@op("squeeze.dims", view=True, self=lambda grad, self_sym_sizes, dim: unsqueeze_to(grad, self_sym_sizes, dim))
def squeeze_dims(self: Array, dim: Sequence[int]) -> Array:
    at = tuple(d for d in (wrap(d, self.ndim) for d in dim) if self.shape[d] == 1)
    return np.squeeze(self, at)


@op(
    "squeeze_.dim",
    node="SqueezeBackward4",
    self=lambda grad, self_sym_sizes, dim: unsqueeze_to(grad, self_sym_sizes, [dim]),
)
def squeeze_result(self: Array, dim: int) -> Array:
    return np.squeeze(self, dim)[()] if self.shape[dim] == 1 else self


@op(
    "select.int",
    view=True,
    self=lambda grad, self_sym_sizes, dim, index: select_backward(grad, self_sym_sizes, dim, index),
)
def select(self: Array, dim: int, index: int) -> Array:
    if self.ndim == 0:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    at = wrap(dim, self.ndim)
    if not -self.shape[at] <= index < self.shape[at]:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {errors.sizes(self.shape)} at dimension {at}"
        )
    return self[(slice(None),) * at + (index, ...)]


@op("select_backward", grad_output=lambda grad, dim, index: select(grad, dim, index))
def select_backward(grad_output: Array, input_sizes: Sequence[int], dim: int, index: int) -> Array:
    out = np.zeros(input_sizes, grad_output.dtype)
    out[(slice(None),) * wrap(dim, len(input_sizes)) + (index,)] = grad_output
    return out


@op(
    "slice.Tensor",
    view=True,
    self=lambda grad, self_sym_sizes, dim, start, end, step: slice_backward(
        grad, self_sym_sizes, dim, start, end, step
    ),
)
def slice_(self: Array, dim: int, start: int, end: int, step: int = 1) -> Array:
    return self[(slice(None),) * wrap(dim, self.ndim) + (slice(start, end, step),)]


@op(
    "slice_backward",
    grad_output=lambda grad, dim, start, end, step: slice_(grad, dim, start, end, step),
)
def slice_backward(grad_output: Array, input_sizes: Sequence[int], dim: int, start: int, end: int, step: int) -> Array:
    out = np.zeros(input_sizes, grad_output.dtype)
    out[(slice(None),) * wrap(dim, len(input_sizes)) + (slice(start, end, step),)] = grad_output
    return out


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
    return np.lib.stride_tricks.as_strided(part, (*(part.shape[d] for d in rest), length), steps)


@op(
    "diagonal_copy",
    node="DiagonalBackward0_copy",
    self=lambda grad, self_sym_sizes, offset, dim1, dim2: diagonal_backward(grad, self_sym_sizes, offset, dim1, dim2),
)
def diagonal_copy(self: Array, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Array:
    return diagonal_window(self, offset, dim1, dim2).copy()


@op("diag_embed", self=lambda grad, offset, dim1, dim2: diagonal(grad, offset, dim1, dim2))
def diag_embed(self: Array, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Array:
    n = self.shape[-1] + abs(offset)
    a, b = wrap(dim1, self.ndim + 1), wrap(dim2, self.ndim + 1)
    shape = list(self.shape[:-1])
    for d in sorted((a, b)):
        shape.insert(d, n)
    out = np.zeros(shape, self.dtype)
    diagonal_window(out, offset, a, b)[...] = self
    return out


@op("trace", writes=2, self=lambda grad, self_sym_sizes: trace_backward(grad, self_sym_sizes))
def trace(self: Array) -> Array:
    if self.ndim != 2:
        raise RuntimeError("trace: expected a matrix")
    return np.trace(self)


@both
def trace_backward(grad: Array, sizes: Sequence[int]) -> Array:
    flat = index_put(blank([sizes[0] * sizes[1]], grad.dtype), [diagonal_places(sizes)], grad, False)
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


@op(
    "as_strided",
    view=True,
    self=lambda grad, self_shape_, size, stride, storage_offset: as_strided_backward(
        grad, self_shape_, size, stride, storage_offset
    ),
)
def as_strided(self: Array, size: Sequence[int], stride: Sequence[int], storage_offset: int = 0) -> Array:
    return strided(self, tuple(size), tuple(stride), storage_offset)


@op(
    "as_strided_backward",
    grad_output=lambda grad, size, stride, storage_offset: as_strided(grad, size, stride, storage_offset),
)
def as_strided_backward(
    grad_output: Array, input_sizes: Sequence[int], size: Sequence[int], stride: Sequence[int], storage_offset: int
) -> Array:
    out = np.zeros(math.prod(input_sizes), grad_output.dtype)
    at = np.full(tuple(size), storage_offset, np.int64)
    for axis, (n, step) in enumerate(zip(size, stride, strict=True)):
        at += (np.arange(n) * step).reshape((n,) + (1,) * (len(size) - axis - 1))
    np.add.at(out, at, grad_output)
    return out.reshape(input_sizes)


@op(
    "split.Tensor",
    view=True,
    many=True,
    self=lambda grads, self_sym_sizes, self_dtype_, split_size, dim: join_parts(
        grads, self_sym_sizes, self_dtype_, split_size, dim
    ),
)
def split(self: Array, split_size: int, dim: int = 0) -> list[Array]:
    if not isinstance(split_size, int) or split_size < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={split_size}")
    at = wrap(dim, self.ndim)
    n = self.shape[at]
    starts = range(0, n, split_size) if split_size else [0]
    return [self[(slice(None),) * at + (slice(s, min(s + split_size, n)),)] for s in starts]


@op(
    "split_with_sizes",
    view=True,
    many=True,
    self=lambda grads, self_sym_sizes, self_dtype_, split_sizes, dim: join_parts(
        grads, self_sym_sizes, self_dtype_, split_sizes, dim
    ),
)
def split_with_sizes(self: Array, split_sizes: Sequence[int], dim: int = 0) -> list[Array]:
    at = wrap(dim, self.ndim)
    if sum_of(split_sizes) != self.shape[at]:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {self.shape[at]} (input tensor's size at "
            f"dimension {dim}), "
            f"but got split_sizes={errors.sizes(split_sizes)}"
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
    return [self[(slice(None),) * at + (i, ...)] for i in range(self.shape[at])]


@both
def join_parts(grads: Any, sizes: Sequence[int], dtype: Any, split: Any, dim: int) -> Array:
    at = wrap(dim, len(sizes))
    n = sizes[at]
    lengths = [min(split, n - s) for s in range(0, n, split)] if isinstance(split, int) else list(split)
    parts = []
    for grad, length in zip(grads, lengths, strict=True):
        shape = (*sizes[:at], length, *sizes[at + 1 :])
        parts.append(blank(shape, dtype) if grad is None else grad)
    return cat(parts, at)


@both
def stack_parts(grads: Any, sizes: Sequence[int], dtype: Any, dim: int) -> Array:
    at = wrap(dim, len(sizes))
    shape = (*sizes[:at], *sizes[at + 1 :])
    return stack([blank(shape, dtype) if grad is None else grad for grad in grads], at)


def blank(shape: Sequence[int], dtype: Any) -> Any:
    from ..tensor import plain

    return plain(np.zeros(shape, getattr(dtype, "numpy", dtype))[()])


helper(blank, lambda shape, dtype: np.zeros(shape, dtype))


# ---- copies


@op("clone", self=lambda grad: grad)
def clone(self: Array, contiguous: bool = False) -> Array:
    return np.array(self, copy=True, order="C" if contiguous else "K")[()] if isinstance(self, np.ndarray) else self


def copied(grad: Any) -> Any:
    """A copy made as torch makes the first `.grad` under create_graph: an empty tensor written by copy_."""
    from ..inplace import in_place
    from ..tensor import plain
    from .elementwise import copy

    data = grad.data_
    empty = plain(np.empty_like(data)[()])
    return in_place(copy, empty, grad)


@op("repeat", self=lambda grad, repeats, self_sym_sizes: repeat_backward(grad, repeats, self_sym_sizes))
def repeat(self: Array, repeats: Sequence[int]) -> Array:
    if len(repeats) < np.ndim(self):
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
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
    return np.flip(self, tuple(wrap(d, self.ndim) for d in dims)).copy()


@op("roll", self=lambda grad, shifts, dims: roll(grad, negated(shifts), dims))
def roll(self: Array, shifts: Sequence[int], dims: Sequence[int]) -> Array:
    return np.roll(self, tuple(shifts), tuple(dims)) if dims else np.roll(self, tuple(shifts)[0]).copy()


@both
def negated(shifts: Sequence[int]) -> list[int]:
    return [-s for s in shifts]


@op("tril", self=lambda grad, diagonal: tril(grad, diagonal))
def tril(self: Array, diagonal: int = 0) -> Array:
    return np.tril(self, diagonal)


@op("triu", self=lambda grad, diagonal: triu(grad, diagonal))
def triu(self: Array, diagonal: int = 0) -> Array:
    return np.triu(self, diagonal)


# ---- joins


@op("cat", tensors=lambda grad, tensors_sizes_, dim: cat_backward(grad, tensors_sizes_, dim))
def cat(tensors: list[Array], dim: int = 0) -> Array:
    if not tensors:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    real = [x for x in tensors if x.shape != (0,)] or tensors
    at = wrap(dim, real[0].ndim)
    for i, x in enumerate(real):
        if x.ndim == 0:
            raise RuntimeError(f"zero-dimensional tensor (at position {i}) cannot be concatenated")
        if x.ndim != real[0].ndim:
            raise RuntimeError(f"Tensors must have same number of dimensions: got {real[0].ndim} and {x.ndim}")
        for d in range(x.ndim):
            if d != at and x.shape[d] != real[0].shape[d]:
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {at}. Expected size {real[0].shape[d]} but got "
                    "size "
                    f"{x.shape[d]} for tensor number {i} in the list."
                )
    return np.concatenate(real, at)


@both
def cat_backward(grad: Array, sizes: Any, dim: int) -> list[Array]:
    parts: list[Any] = []
    start = 0
    at = wrap(dim, len(grad.shape))
    for shape in sizes:
        if shape == (0,):
            parts.append(None)
            continue
        parts.append(slice_(grad, at, start, start + shape[at], 1))
        start += shape[at]
    return parts


@op("stack", tensors=lambda grad, tensors_sizes_, dim: stack_backward(grad, tensors_sizes_, dim))
def stack(tensors: list[Array], dim: int = 0) -> Array:
    if not tensors:
        raise RuntimeError("stack expects a non-empty TensorList")
    for i, x in enumerate(tensors):
        if x.shape != tensors[0].shape:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {errors.sizes(tensors[0].shape)} at entry 0 and "
                f"{errors.sizes(x.shape)} at entry {i}"
            )
    return np.stack(tensors, wrap(dim, tensors[0].ndim + 1))


@both
def stack_backward(grad: Array, sizes: Any, dim: int) -> list[Array]:
    return [select(grad, dim, i) for i in range(len(sizes))]


@op("alias", view=True, self=lambda grad: grad)
def alias(self: Array) -> Array:
    return self[...]
