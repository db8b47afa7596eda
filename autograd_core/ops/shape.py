"""Operators that show the same elements in another shape: views here; parts, joins and diagonals beside it.

Formulas: PyTorch's derivatives.yaml.
"""

# ruff: noqa: F403, F405

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import errors
from ..op import both, helper, op
from ..strides import of_rows
from ..tensor import Array
from ..transforms.batch import Batch
from ..views import extent, steps_of, window
from .diagonals import *
from .dims import axes
from .dims import wrap as wrap
from .joins import *
from .windows import as_strided as as_strided
from .windows import as_strided_backward as as_strided_backward

# ---- views


@op("view", view=True, self=lambda grad, self_sym_sizes: reshape(grad, self_sym_sizes))
def view(self: Array, size: Sequence[int]) -> Array:
    shape = inferred(size, self.size)
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


def inferred(size: Sequence[int], numel: int) -> tuple[int, ...]:
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
    return np.reshape(self, inferred(size, self.size))


@op("_reshape_alias", view=True, self=lambda grad, self_sym_sizes: reshape(grad, self_sym_sizes))
def reshape_alias(self: Array, size: Sequence[int]) -> Array:
    """What `reshape` gives where a view is possible though `self` does not lie in a row."""
    return np.reshape(self, inferred(size, self.size))


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
        trial.shape = inferred(shape, data.size)
    except AttributeError:
        return False
    return True


def alike(batch: Batch) -> Any:
    """An array that lies in memory as an example of `batch` does."""
    return window(np.zeros(extent(batch.shape, steps_of(batch)), batch.dtype), batch.shape, batch.strides)


helper(can_view)
helper(end_of)
helper(in_a_row)
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


@op("unsqueeze", view=True, self=lambda grad, dim: squeeze_dim(grad, dim))
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
        grad, self_sym_sizes, dim, start, end_of(end), step
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
    "narrow_copy",
    self=lambda grad, self_sym_sizes, dim, start, length: slice_backward(
        grad, self_sym_sizes, dim, start, start + length, 1
    ),
)
def narrow_copy(self: Array, dim: int, start: int, length: int) -> Array:
    size = self.shape[wrap(dim, self.ndim)]
    first = start + size if start < 0 else start
    if not 0 <= first <= first + length <= size:
        raise RuntimeError(f"start ({first}) + length ({length}) exceeds dimension size ({size}).")
    return np.array(self[(slice(None),) * wrap(dim, self.ndim) + (slice(first, first + length),)])


@op("alias", view=True, self=lambda grad: grad)
def alias(self: Array) -> Array:
    return self[...]
