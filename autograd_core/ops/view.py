"""Operators that show the same elements otherwise: view, transpose, expand, select, as_strided, diagonal, unfold.

Formulas: PyTorch's derivatives.yaml and FunctionsManual.cpp.

Formulas: PyTorch's derivatives.yaml.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import errors
from ..dispatch.op import both, helper, op
from ..dispatch.registry import RAW
from ..functorch.batch import Batch, is_hidden
from ..tensor.strides import of_rows
from ..tensor.tensor import Array, plain
from ..tensor.views import extent, steps_of, strided_window, window
from ._common import axes, wrap

# ---- as_strided


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
    return strided_window(self, tuple(size), tuple(stride), storage_offset or 0)


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
    return strided_window(self, tuple(size), tuple(stride), storage_offset or 0)


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
    from ..dispatch.inplace import in_place
    from .binary import div
    from .unary import copy

    if is_hidden(grad):
        return as_strided_backward(grad, sizes, size, stride, offset)
    if 0 in size or 0 in sizes:
        return plain(np.zeros(tuple(sizes), grad.data_.dtype))
    length = memory_reach(sizes, strides, size, stride, offset)
    if overlapping(size, stride):
        memory = as_strided_backward(grad, [length], size, stride, offset)
    else:
        memory = plain(np.zeros(length, grad.data_.dtype))
        in_place(copy, as_strided(memory, size, stride, offset), grad)
    if overlapping(sizes, strides):
        memory = in_place(div, memory, plain(count_shown(sizes, strides, length).astype(grad.data_.dtype)))
    return as_strided(memory, list(sizes), list(strides), 0)


def count_shown(sizes: Sequence[int], strides: Sequence[int], length: int) -> Array:
    """How often such a tensor shows each element of its memory, or 1: they all share what comes back to it."""
    times = np.zeros(length, np.int64)
    np.add.at(times, strided_window(np.arange(length), tuple(sizes), tuple(strides), 0), 1)
    return np.maximum(times, 1)


def memory_reach(sizes: Sequence[int], strides: Sequence[int], size: Any, stride: Any, offset: int | None) -> int:
    """How much memory a tensor and a window of its memory take together."""
    return max(extent(sizes, strides), (offset or 0) + extent(size, stride))


def strided_back_on_arrays(
    grad: Any, sizes: Sequence[int], strides: Sequence[int], size: Any, stride: Any, offset: int | None
) -> Any:
    if 0 in size or 0 in sizes:
        return np.zeros(tuple(sizes), grad.dtype)
    length = memory_reach(sizes, strides, size, stride, offset)
    memory = RAW["as_strided_backward"](grad, [length], size, stride, offset)
    if overlapping(sizes, strides):
        memory /= count_shown(sizes, strides, length)
    return strided_window(memory, tuple(sizes), tuple(strides), 0)


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


# ---- diagonals


@op(
    "diagonal(Tensor(a) self, int offset=0, int dim1=0, int dim2=1) -> Tensor(a): function method",
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


@op(
    "diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor: function method",
    self=lambda grad, offset, dim1, dim2: diagonal(grad, offset, dim1, dim2),
)
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


@op(
    "trace(Tensor self) -> Tensor: function method",
    writes=2,
    self=lambda grad, self_sym_sizes: trace_backward(grad, self_sym_sizes),
)
def trace(self: Array) -> Array:
    if self.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {self.ndim}")
    return np.trace(self, dtype=self.dtype if self.dtype.kind in "fc" else np.int64)


@both
def trace_backward(grad: Array, sizes: Sequence[int]) -> Array:
    flat = index_fill_tensor(blank([sizes[0] * sizes[1]], grad.dtype), 0, diagonal_places(sizes), grad)
    return view(flat, sizes)


def diagonal_places(sizes: Sequence[int]) -> Any:
    """Where the diagonal lies in a flat matrix."""
    return plain(np.arange(min(sizes)) * (sizes[1] + 1))


helper(diagonal_places, lambda sizes: np.arange(min(sizes)) * (sizes[1] + 1))


@op("diagonal_backward", grad_output=lambda grad, offset, dim1, dim2: diagonal(grad, offset, dim1, dim2))
def diagonal_backward(grad_output: Array, input_sizes: Sequence[int], offset: int, dim1: int, dim2: int) -> Array:
    out = np.zeros(input_sizes, grad_output.dtype)
    diagonal_window(out, offset, dim1, dim2)[...] = grad_output
    return out


# ---- views


@op("view", view=True, self=lambda grad, self_sym_sizes: reshape(grad, self_sym_sizes))
def view(self: Array, size: Sequence[int]) -> Array:
    shape = infer_size(size, self.size)
    if not isinstance(self, np.ndarray):
        return np.reshape(self, shape) if shape else self
    out = self.view()
    try:
        out.shape = shape
    except AttributeError:
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
            "contiguous subspaces). Use .reshape(...) instead."
        ) from None
    return out


def infer_size(size: Sequence[int], numel: int) -> tuple[int, ...]:
    """`size` with its -1 filled in.

    Raises:
        RuntimeError: it does not hold `numel` elements.
    """
    shape = [int(n) for n in size]
    if any(n < -1 for n in shape):
        at = next(i for i, n in enumerate(shape) if n < -1)
        raise RuntimeError(f"invalid shape dimension {shape[at]} at index {at} of shape {errors.sizes(shape)}")
    if shape.count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    known = math.prod(n for n in shape if n != -1)
    if -1 in shape and not known and not numel:
        raise RuntimeError(
            f"cannot reshape tensor of 0 elements into shape {errors.sizes(size)} because the unspecified dimension "
            "size -1 can be any value and is ambiguous"
        )
    if -1 in shape and known and numel % known == 0:
        shape[shape.index(-1)] = numel // known
    if math.prod(shape) != numel or -1 in shape:
        raise RuntimeError(f"shape '{errors.sizes(size)}' is invalid for input of size {numel}")
    return tuple(shape)


@op("_unsafe_view", self=lambda grad, self_sym_sizes: reshape(grad, self_sym_sizes))
def unsafe_view(self: Array, size: Sequence[int]) -> Array:
    return np.reshape(self, infer_size(size, self.size))


@op("_reshape_alias", view=True, self=lambda grad, self_sym_sizes: reshape(grad, self_sym_sizes))
def reshape_alias(self: Array, size: Sequence[int]) -> Array:
    """What `reshape` gives where a view is possible though `self` does not lie in a row."""
    return np.reshape(self, infer_size(size, self.size))


@both
def reshape(self: Array, shape: Sequence[int]) -> Array:
    if in_a_row(self):
        return view(self, shape)
    return reshape_alias(self, shape) if can_view(self, shape) else unsafe_view(clone(self, True), shape)


def in_a_row(tensor: Any) -> bool:
    """Whether the elements lie in memory as they are counted."""
    data = getattr(tensor, "data_", tensor)
    return not isinstance(data, np.ndarray | Batch) or data.flags.c_contiguous


def end_of(end: int | None) -> int:
    """Where a slice ends that names no end."""
    return sys.maxsize if end is None else end


def can_view(tensor: Any, shape: Sequence[int]) -> bool:
    """Whether `shape` can be shown without moving anything."""
    data = getattr(tensor, "data_", tensor)
    trial = data.view() if isinstance(data, np.ndarray) else alike(data)
    try:
        trial.shape = infer_size(shape, data.size)
    except AttributeError:
        return False
    return True


def alike(batch: Batch) -> Any:
    """An array that lies in memory as an example of `batch` does."""
    return window(np.zeros(extent(batch.shape, steps_of(batch)), batch.dtype), batch.shape, batch.strides)


helper(can_view)
helper(end_of)
helper(in_a_row)
helper(infer_size)


@op("t(Tensor(a) self) -> Tensor(a): function method method_", view=True, self=lambda grad: t(grad))
def t(self: Array) -> Array:
    if self.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {self.ndim}D")
    return self.T


@op(
    """
    transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a): function method method_
    swapdims(Tensor(a) self, int dim0, int dim1) -> Tensor(a): function method method_
    swapaxes(Tensor(a) self, int axis0, int axis1) -> Tensor(a): function method method_
    """,
    view=True,
    self=lambda grad, dim0, dim1: transpose(grad, dim0, dim1),
)
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
    if not old and size and size.__class__ is tuple:
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
    refuse_new_without_length(size[:extra], old)
    for i, n in reversed(list(enumerate(old))):
        if n != 1 and target[i + extra] != n:
            raise RuntimeError(
                f"The expanded size of the tensor ({target[i + extra]}) must match the existing size ({n}) at "
                "non-singleton "
                f"dimension {i + extra}.  Target sizes: {errors.sizes(size)}.  Tensor sizes: {errors.sizes(old)}"
            )
    if min(target, default=0) < 0:
        raise RuntimeError("numel: integer multiplication overflow")
    steps: list[int] = []
    for i in range(len(target) - 1, -1, -1):
        if i < extra:
            ours, step = 1, target[i + 1] * steps[0] if steps else self.itemsize
        else:
            ours, step = old[i - extra], self.strides[i - extra]
        steps.insert(0, step if ours == target[i] else 0)
    return window(self, target, steps)


def refuse_new_without_length(added: Sequence[int], old: Sequence[int]) -> None:
    """Refuse -1, and of a number anything below 0, for a dimension that `expand` adds in front of the `old` ones."""
    for at in reversed(range(len(added))):
        if added[at] < 0 and not old:
            raise RuntimeError("numel: integer multiplication overflow")
        if added[at] == -1:
            raise RuntimeError(
                f"The expanded size of the tensor ({added[at]}) isn't allowed in a leading, non-existing dimension {at}"
            )


@both
def sum_to(grad: Array, shape: Sequence[int]) -> Array:
    if not len(shape) and len(grad.shape):
        return sum(grad)
    extra = len(grad.shape) - len(shape)
    dims = [i for i in range(len(grad.shape)) if i < extra or (shape[i - extra] == 1 and grad.shape[i] != 1)]
    if not dims:
        return grad
    total = sum_dim(grad, dims, True)
    return reshape(total, shape) if extra else total


@op(
    "unsqueeze(Tensor(a) self, int dim) -> Tensor(a): function method method_",
    view=True,
    self=lambda grad, dim: squeeze_dim(grad, dim),
)
def unsqueeze(self: Array, dim: int) -> Array:
    at = wrap(dim, np.ndim(self) + 1)
    if self.__class__ is not np.ndarray:
        return np.expand_dims(self, at)
    sizes, steps = self.shape, self.strides
    if not self.size and not any(steps):  # numpy gives none to new memory without elements
        steps = tuple(step * self.itemsize for step in of_rows(sizes))
    longer = (*sizes[:at], 1, *sizes[at:])
    whole = not sizes or (sizes[0] * steps[0] == self.nbytes and steps[-1] == self.itemsize)
    if whole and self.flags.c_contiguous:
        return self.reshape(longer)
    step = sizes[at] * steps[at] if at < len(sizes) else self.itemsize
    return window(self, longer, (*steps[:at], step, *steps[at:]))


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
    at = tuple(d for d in (axes(dim, self.ndim) if dim else ()) if self.shape[d] == 1)
    return np.squeeze(self, at)


@op(
    "squeeze_.dim",
    node="SqueezeBackward4",
    self=lambda grad, self_sym_sizes, dim: unsqueeze_to(grad, self_sym_sizes, [dim]),
)
def squeeze_result(self: Array, dim: int) -> Array:
    at = wrap(dim, self.ndim)
    return np.squeeze(self, at)[()] if self.ndim and self.shape[at] == 1 else self


@op(
    "select.int(Tensor(a) self, int dim, SymInt index) -> Tensor(a): function method",
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
        grad, self_sym_sizes, dim, start, end_of(end), step
    ),
)
def slice_(self: Array, dim: int, start: int, end: int, step: int = 1) -> Array:
    return self[(slice(None),) * wrap(dim, self.ndim) + (slice(start, end, step),)]


@op("slice_backward", grad_output=lambda grad, dim, start, end, step: slice_(grad, dim, start, end, step))
def slice_backward(grad_output: Array, input_sizes: Sequence[int], dim: int, start: int, end: int, step: int) -> Array:
    out = np.zeros(input_sizes, grad_output.dtype)
    out[(slice(None),) * wrap(dim, len(input_sizes)) + (slice(start, end, step),)] = grad_output
    return out


@op("alias", pointwise=True, view=True, self=lambda grad: grad)
def alias(self: Array) -> Array:
    return self[...]


# ---- sliding windows


@op(
    "unfold(Tensor(a) self, int dimension, int size, int step) -> Tensor(a): method",
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


# ---- the shape changed in place: the same memory, seen otherwise by the tensor itself


@op("t_", node="TBackward1", self=lambda grad: t(grad))
def t_(self: Array) -> Array:
    if self.ndim > 2:
        raise RuntimeError(f"t_() expects a tensor with <= 2 dimensions, but self is {self.ndim}D")
    return self.T


@op("transpose_", node="TransposeBackward1", self=lambda grad, dim0, dim1: transpose(grad, dim0, dim1))
def transpose_(self: Array, dim0: int, dim1: int) -> Array:
    first, second = wrap(dim0, self.ndim), wrap(dim1, self.ndim)
    return np.swapaxes(self, first, second) if self.ndim else self


@op("unsqueeze_", node="UnsqueezeBackward1", self=lambda grad, dim: squeeze_dim(grad, dim))
def unsqueeze_(self: Array, dim: int) -> Array:
    return RAW["unsqueeze"](self, dim)


@op(
    "squeeze_",
    node="SqueezeBackward3",
    self=lambda grad, self_sym_sizes: unsqueeze_to(grad, self_sym_sizes, range(len(self_sym_sizes))),
)
def squeeze_(self: Array) -> Array:
    return np.squeeze(self)


@op(
    "squeeze_.dims",
    node="SqueezeBackward5",
    self=lambda grad, self_sym_sizes, dim: unsqueeze_to(grad, self_sym_sizes, dim),
)
def squeeze_dims_(self: Array, dim: Sequence[int]) -> Array:
    return np.squeeze(self, tuple(d for d in (wrap(d, self.ndim) for d in dim) if self.shape[d] == 1))
