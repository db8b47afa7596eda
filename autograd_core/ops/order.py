"""What depends on the order of values: medians, modes, running extremes. Formulas: PyTorch's derivatives.yaml."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..op import both, op
from ..tensor import Array
from .extremes import some_along
from .kernels import refuse
from .reduce import EXTREME
from .shape import wrap

Pick = Callable[[Array], int]


def picked(name: str, data: Array, dim: int, keepdim: bool, pick: Pick) -> tuple[Array, Array]:
    """Along `dim`, the element at the place that `pick` names in each row, and that place."""
    at = wrap(dim, np.ndim(data))
    if name == "median" and data.size:
        refuse("median_out", "b", data)
    if np.ndim(data) == 0:
        return data[()], np.int64(0)
    some_along(name, data, at)
    index = np.apply_along_axis(pick, at, data) if data.size else np.zeros(np.delete(data.shape, at))
    index = index.astype(np.int64)
    index = np.expand_dims(index, at)
    values = np.take_along_axis(data, index, at)
    return (values, index) if keepdim else (np.squeeze(values, at)[()], np.squeeze(index, at)[()])


def middle(row: Array) -> int:
    """Where the lower median lies; the first nan, if there is one."""
    lost = np.flatnonzero(np.isnan(row))
    return int(lost[0]) if lost.size else int(np.argsort(row, kind="stable")[(row.size - 1) // 2])


def middle_of_numbers(row: Array) -> int:
    """Where the lower median of what is not nan lies."""
    count = int(np.count_nonzero(~np.isnan(row)))
    return int(np.argsort(row, kind="stable")[max(count - 1, 0) // 2])


def commonest(row: Array) -> int:
    """The last place of the value that occurs most often, of the smallest one at a tie; each nan occurs once."""
    order = in_order(row)
    values = row[order]
    ends = np.flatnonzero(np.append(values[1:] != values[:-1], True))
    return int(order[ends[np.argmax(np.diff(ends, prepend=-1))]])


SHORT = 16
"""Up to this length torch sorts by putting one element after another into its place."""


def in_order(row: Array) -> Array:
    """The places of the elements from the smallest on. In a short row nothing passes a nan, as in torch."""
    if len(row) > SHORT or not np.isnan(row).any():
        return np.argsort(row, kind="stable")
    places = list(range(len(row)))
    for at in range(1, len(row)):
        value, to = row[at], at
        if value < row[places[0]]:
            to = 0
        else:
            while value < row[places[to - 1]]:
                to -= 1
        places.insert(to, places.pop(at))
    return np.array(places)


def nothing(data: Array) -> Array:
    """The median of no elements: nan, or what a whole number has in its place."""
    if data.dtype.kind == "b":
        return np.True_
    return data.dtype.type(np.nan if data.dtype.kind == "f" else np.iinfo(data.dtype).min)


@op("median", writes=1, self=lambda grad, self, result: evenly(grad, self, result))
def median(self: Array) -> Array:
    if self.size:
        refuse("median_cpu", "b", self)
    return np.ravel(self)[middle(np.ravel(self))] if self.size else nothing(self)


@op(
    "median.dim",
    writes=2,
    outputs=EXTREME,
    differentiable=("values",),
    self=lambda grad, dim, indices, self_sym_sizes, keepdim: select_values(grad, dim, indices, self_sym_sizes, keepdim),
)
def median_dim(self: Array, dim: int, keepdim: bool = False) -> tuple[Array, Array]:
    return picked("median", self, dim, keepdim, middle)


@op("nanmedian", writes=1, self=lambda grad, self, result: evenly(grad, self, result))
def nanmedian(self: Array) -> Array:
    if self.size:
        refuse("median_cpu", "b", self)
    return np.ravel(self)[middle_of_numbers(np.ravel(self))] if self.size else nothing(self)


@op(
    "nanmedian.dim",
    writes=2,
    outputs=EXTREME,
    differentiable=("values",),
    self=lambda grad, dim, indices, self_sym_sizes, keepdim: select_values(grad, dim, indices, self_sym_sizes, keepdim),
)
def nanmedian_dim(self: Array, dim: int, keepdim: bool = False) -> tuple[Array, Array]:
    return picked("median", self, dim, keepdim, middle_of_numbers)


@op(
    "mode",
    writes=2,
    outputs=EXTREME,
    differentiable=("values",),
    self=lambda grad, dim, indices, self_sym_sizes, keepdim: select_values(grad, dim, indices, self_sym_sizes, keepdim),
)
def mode(self: Array, dim: int = -1, keepdim: bool = False) -> tuple[Array, Array]:
    return picked("mode", self, dim, keepdim, commonest)


# ---- running extremes


def running(name: str, data: Array, dim: int, extreme: np.ufunc, better: np.ufunc) -> tuple[Array, Array]:
    """The best so far along `dim` and where it was found, the latest place at a tie; nan beats all."""
    if np.ndim(data) == 0:
        if dim not in (-1, 0):
            raise IndexError(f"{name}(): Expected reduction dim -1 or 0 for scalar but got {dim}")
        return data[()], np.int64(0)
    if data.size == 0:
        return data.copy(), np.zeros(data.shape, np.int64)
    at = wrap(dim, np.ndim(data))
    rows = np.moveaxis(data, at, 0)
    best = extreme.accumulate(rows, 0)
    newer = np.isnan(rows)
    newer[1:] |= ~np.isnan(best[:-1]) & better(rows[1:], best[:-1])
    places = np.arange(len(rows)).reshape(-1, *[1] * (rows.ndim - 1))
    index = np.maximum.accumulate(np.where(newer, places, 0), 0)
    values = np.take_along_axis(rows, index, 0)
    return np.ascontiguousarray(np.moveaxis(values, 0, at)), np.ascontiguousarray(np.moveaxis(index, 0, at))


@both
def running_backward(grad: Array, self: Array, indices: Array, dim: int) -> Array:
    return grad if len(self.shape) == 0 else scatter_add(zeros_as(self), dim, indices, grad)


@op(
    "cummax",
    writes=2,
    outputs=EXTREME,
    differentiable=("values",),
    self=lambda grad, self, indices, dim: running_backward(grad, self, indices, dim),
)
def cummax(self: Array, dim: int) -> tuple[Array, Array]:
    return running("cummax", self, dim, np.maximum, np.greater_equal)


@op(
    "cummin",
    writes=2,
    outputs=EXTREME,
    differentiable=("values",),
    self=lambda grad, self, indices, dim: running_backward(grad, self, indices, dim),
)
def cummin(self: Array, dim: int) -> tuple[Array, Array]:
    return running("cummin", self, dim, np.minimum, np.less_equal)


# ---- both extremes at once


@op(
    "aminmax",
    outputs=("min", "max"),
    self=lambda grads, self, dim, keepdim, min, max: aminmax_backward(grads, self, dim, keepdim, min, max),
)
def aminmax(self: Array, dim: int | None = None, keepdim: bool = False) -> tuple[Array, Array]:
    at = None if dim is None else wrap(dim, np.ndim(self))
    at = at if np.ndim(self) else None
    if self.size == 0:
        if at is None:
            raise RuntimeError(
                "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity."
            )
        some_along("aminmax", self, at, "")
        empty = np.sum(self, axis=at, keepdims=keepdim)
        return empty, empty.copy()
    return np.min(self, axis=at, keepdims=keepdim), np.max(self, axis=at, keepdims=keepdim)


@both
def aminmax_backward(grads: Any, self: Array, dim: Any, keepdim: bool, low: Array, high: Array) -> Any:
    total = None
    for grad, found in zip(grads, (low, high), strict=True):
        if grad is not None:
            sizes = self.shape
            part = by_count(spread_out(grad, sizes, dim, keepdim), spread_out(found, sizes, dim, keepdim), self, dim)
            total = part if total is None else total + part
    return total


@both
def spread_out(reduced: Array, sizes: Sequence[int], dim: Any, keepdim: bool) -> Array:
    """What a reduction gave, with the reduced axes back as 1."""
    return reduced if keepdim else reshape(reduced, [] if dim is None else kept_shape(sizes, dim))


@both
def by_count(grad: Array, found: Array, self: Array, dim: Any) -> Array:
    """`grad` shared by the elements of `self` that equal `found`."""
    mask = found == self
    return grad / sum_dim(mask, [] if dim is None else [dim], True) * mask
