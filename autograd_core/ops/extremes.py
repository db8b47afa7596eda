"""The greatest and the least, sorted values and where they are. Formulas: PyTorch's derivatives.yaml."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..op import both, helper, op
from ..tensor import Array
from ..transforms.batch import unseen
from .dims import Dims, axes, wrap

# ---- extremes


@both
def evenly(grad: Array, self: Array, result: Array) -> Array:
    """`grad` shared evenly among the elements that are equal to `result`."""
    mask = same_as(self, result) if differs(result) else isnan(self) if is_nan(result) else self == result
    return masked_fill_tensor(zeros_as(self), mask, grad / sum(mask))


@both
def same_as(self: Array, result: Array) -> Array:
    """Which elements are equal to `result`, or not a number if that is none."""
    return logical_or(self == result, logical_and(isnan(self), isnan(result)))


def differs(number: Any) -> bool:
    """Whether a vmap hides what `number` is."""
    return unseen(number)


helper(differs, lambda number: False)


@helper
def is_nan(number: Any) -> bool:
    return bool(np.isnan(getattr(number, "data_", number)))


@both
def select_values(grad: Array, dim: int, indices: Array, sizes: Sequence[int], keepdim: bool) -> Array:
    """`grad` put back where it was taken from."""
    if len(sizes) and not keepdim:
        grad, indices = unsqueeze(grad, dim), unsqueeze(indices, dim)
    return scatter_into(sizes, dim, indices, grad)


@both
def scatter_into(sizes: Sequence[int], dim: int, index: Array, source: Array) -> Array:
    return scatter(blank(sizes, source.dtype), dim, index, source)


def at_extreme(data: Array, dim: int, keepdim: bool, find: Any) -> tuple[Array, Array]:
    """The values that `find` (an arg function) picks along `dim`, and their indices."""
    if np.ndim(data) == 0:
        wrap(dim, 0)
        return data[()], np.int64(0)
    at = wrap(dim, data.ndim)
    some_along(find.__name__.removeprefix("arg"), data, at)
    where_ = np.asarray(find(data, at)) if data.size else np.zeros(np.delete(data.shape, at), np.int64)
    index = np.expand_dims(where_, at)
    values = np.take_along_axis(data, index, at)
    return (values, index) if keepdim else (np.squeeze(values, at)[()], np.squeeze(index, at)[()])


EXTREME = ("values", "indices")


@op(
    "max.dim",
    writes=2,
    outputs=EXTREME,
    differentiable=("values",),
    self=lambda grad, dim, indices, self_sym_sizes, keepdim: select_values(grad, dim, indices, self_sym_sizes, keepdim),
)
def max_dim(self: Array, dim: int, keepdim: bool = False) -> tuple[Array, Array]:
    return at_extreme(self, dim, keepdim, np.argmax)


@op(
    "min.dim",
    writes=2,
    outputs=EXTREME,
    differentiable=("values",),
    self=lambda grad, dim, indices, self_sym_sizes, keepdim: select_values(grad, dim, indices, self_sym_sizes, keepdim),
)
def min_dim(self: Array, dim: int, keepdim: bool = False) -> tuple[Array, Array]:
    return at_extreme(self, dim, keepdim, np.argmin)


def some_along(name: str, data: Array, at: int, ending: str = "()") -> None:
    """Whether there is anything along the axis `at`.

    Raises:
        IndexError: there is nothing.
    """
    if data.shape[at] == 0:
        raise IndexError(f"{name}{ending}: Expected reduction dim {at} to have non-zero size.")


def not_empty(name: str, data: Array) -> None:
    if data.size == 0:
        raise RuntimeError(
            f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim "
            "with the 'dim' "
            "argument."
        )


@op("max", writes=1, self=lambda grad, self, result: evenly(grad, self, result))
def max_all(self: Array) -> Array:
    not_empty("max", self)
    return np.max(self)


@op("min", writes=1, self=lambda grad, self, result: evenly(grad, self, result))
def min_all(self: Array) -> Array:
    not_empty("min", self)
    return np.min(self)


@both
def evenly_along(grad: Array, self: Array, result: Array, dim: Any, keepdim: bool) -> Array:
    sizes = self.shape
    grad, result = spread_out(grad, sizes, dim, keepdim), spread_out(result, sizes, dim, keepdim)
    mask = self == result
    return grad / sum_dim(mask, dim, True) * mask


@op("amax", self=lambda grad, self, result, dim, keepdim: evenly_along(grad, self, result, dim, keepdim))
def amax(self: Array, dim: Dims = (), keepdim: bool = False) -> Array:
    return utmost("amax", np.max, self, dim, keepdim)


@op("amin", self=lambda grad, self, result, dim, keepdim: evenly_along(grad, self, result, dim, keepdim))
def amin(self: Array, dim: Dims = (), keepdim: bool = False) -> Array:
    return utmost("amin", np.min, self, dim, keepdim)


def utmost(name: str, find: Any, data: Array, dim: Dims, keepdim: bool) -> Array:
    over = axes(dim, np.ndim(data))
    if data.size:
        return find(data, axis=over, keepdims=keepdim)
    if dim is None or (not isinstance(dim, int) and len(dim) == 0):
        not_empty(name, data)
    for at in over if dim is None else [dim] if isinstance(dim, int) else dim:
        some_along(name, data, at)
    return np.zeros(np.sum(data, axis=over, keepdims=keepdim).shape, data.dtype)


@op(
    "sort",
    writes=2,
    outputs=EXTREME,
    differentiable=("values",),
    self=lambda grad, dim, indices, self_sym_sizes: scatter_into(self_sym_sizes, dim, indices, grad),
)
def sort(self: Array, dim: int = -1, descending: bool = False) -> tuple[Array, Array]:
    return put_in_order(self, dim, descending)


@op(
    "sort.stable",
    writes=2,
    outputs=EXTREME,
    differentiable=("values",),
    self=lambda grad, dim, indices, self_sym_sizes: scatter_into(self_sym_sizes, dim, indices, grad),
)
def sort_stable(self: Array, dim: int = -1, descending: bool = False) -> tuple[Array, Array]:
    """The sort that was told what equal elements do: here they always keep their order."""
    return put_in_order(self, dim, descending)


def put_in_order(self: Array, dim: int, descending: bool) -> tuple[Array, Array]:
    at = wrap(dim, self.ndim)
    if self.ndim == 0:
        return self[()], np.int64(0)
    order = ordered(self, at, descending)
    return np.take_along_axis(self, order, at), order


def ordered(data: Array, at: int, descending: bool) -> Array:
    """The places of the elements of `data` in their order along the axis `at`; nan is above all."""
    if not descending:
        return np.argsort(data, at, kind="stable")
    back = np.flip(data, at)
    return np.flip(data.shape[at] - 1 - np.argsort(back, at, kind="stable"), at).copy()


@op(
    "topk",
    writes=2,
    outputs=EXTREME,
    differentiable=("values",),
    self=lambda grad, dim, indices, self_sym_sizes: scatter_into(self_sym_sizes, dim, indices, grad),
)
def topk(self: Array, k: int, dim: int = -1, largest: bool = True) -> tuple[Array, Array]:
    at = wrap(dim, self.ndim)
    if not 0 <= k <= (self.shape[at] if self.ndim else 1):
        raise RuntimeError("selected index k out of range")
    if self.ndim == 0:
        return self[()], np.int64(0)
    order = ordered(self, at, largest)[(slice(None),) * at + (slice(0, k),)]
    return np.take_along_axis(self, order, at), order


@op("argmax")
def argmax(self: Array, dim: int | None = None, keepdim: bool = False) -> Array:
    return at_index(self, dim, keepdim, np.argmax)


@op("argmin")
def argmin(self: Array, dim: int | None = None, keepdim: bool = False) -> Array:
    return at_index(self, dim, keepdim, np.argmin)


def at_index(data: Array, dim: int | None, keepdim: bool, find: Any) -> Array:
    if dim is None:
        if data.size == 0:
            raise IndexError(f"{find.__name__}(): Expected reduction dim to be specified for input.numel() == 0.")
        return np.asarray(find(data)).reshape([1] * np.ndim(data) if keepdim else [])[()]
    at = wrap(dim, np.ndim(data))
    if np.ndim(data) == 0:
        return np.int64(0)
    some_along(find.__name__, data, at)
    if data.size == 0:
        return np.zeros([1 if i == at else n for i, n in enumerate(data.shape) if keepdim or i != at], np.int64)
    return np.asarray(find(data, axis=at, keepdims=keepdim))[()]
