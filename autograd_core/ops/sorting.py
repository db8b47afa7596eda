"""What depends on the order of values: sort, topk, medians, modes, distinct values, counts and bins.

Formulas: PyTorch's derivatives.yaml.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import errors
from ..dispatch.op import both, helper, op
from ..tensor.tensor import Array
from ._common import existing, refuse, wrap
from .reduction import some_along

# ---- sort and topk


@op(
    "sort",
    cost=2,
    writes=2,
    outputs="values | indices",
    self=lambda grad, dim, indices, self_sym_sizes: scatter_into(self_sym_sizes, dim, indices, grad),
)
def sort(self: Array, dim: int = -1, descending: bool = False) -> tuple[Array, Array]:
    return put_in_order(self, dim, descending)


@op(
    "sort.stable",
    cost=2,
    writes=2,
    outputs="values | indices",
    self=lambda grad, dim, indices, self_sym_sizes: scatter_into(self_sym_sizes, dim, indices, grad),
)
def sort_stable(self: Array, dim: int = -1, descending: bool = False) -> tuple[Array, Array]:
    """The sort that was told what equal elements do: here they always keep their order."""
    return put_in_order(self, dim, descending)


def put_in_order(self: Array, dim: int, descending: bool) -> tuple[Array, Array]:
    at = wrap(dim, self.ndim)
    if self.ndim == 0:
        return self[()], np.int64(0)
    order = argsort_along(self, at, descending)
    return np.take_along_axis(self, order, at), order


def argsort_along(data: Array, at: int, descending: bool) -> Array:
    """The places of the elements of `data` in their order along the axis `at`; nan is above all."""
    if not descending:
        return np.argsort(data, at, kind="stable")
    back = np.flip(data, at)
    return np.flip(data.shape[at] - 1 - np.argsort(back, at, kind="stable"), at).copy()


@op(
    "topk",
    cost=2,
    writes=2,
    outputs="values | indices",
    self=lambda grad, dim, indices, self_sym_sizes: scatter_into(self_sym_sizes, dim, indices, grad),
)
def topk(self: Array, k: int, dim: int = -1, largest: bool = True) -> tuple[Array, Array]:
    at = wrap(dim, self.ndim)
    if not 0 <= k <= (self.shape[at] if self.ndim else 1):
        raise RuntimeError("selected index k out of range")
    if self.ndim == 0:
        return self[()], np.int64(0)
    order = argsort_along(self, at, largest)[(slice(None),) * at + (slice(0, k),)]
    return np.take_along_axis(self, order, at), order


# ---- medians, modes, both extremes


Pick = Callable[[Array], int]


def pick_place(name: str, data: Array, dim: int, keepdim: bool, pick: Pick) -> tuple[Array, Array]:
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


@op("median", cost=2, writes=1, self=lambda grad, self, result: evenly(grad, self, result))
def median(self: Array) -> Array:
    if self.size:
        refuse("median_cpu", "b", self)
    return np.ravel(self)[middle(np.ravel(self))] if self.size else nothing(self)


@op(
    "median.dim",
    cost=2,
    writes=2,
    outputs="values | indices",
    self=lambda grad, dim, indices, self_sym_sizes, keepdim: select_values(grad, dim, indices, self_sym_sizes, keepdim),
)
def median_dim(self: Array, dim: int, keepdim: bool = False) -> tuple[Array, Array]:
    return pick_place("median", self, dim, keepdim, middle)


@op("nanmedian", cost=2, writes=1, self=lambda grad, self, result: evenly(grad, self, result))
def nanmedian(self: Array) -> Array:
    if self.size:
        refuse("median_cpu", "b", self)
    return np.ravel(self)[middle_of_numbers(np.ravel(self))] if self.size else nothing(self)


@op(
    "nanmedian.dim",
    cost=2,
    writes=2,
    outputs="values | indices",
    self=lambda grad, dim, indices, self_sym_sizes, keepdim: select_values(grad, dim, indices, self_sym_sizes, keepdim),
)
def nanmedian_dim(self: Array, dim: int, keepdim: bool = False) -> tuple[Array, Array]:
    return pick_place("median", self, dim, keepdim, middle_of_numbers)


@op(
    "mode",
    cost=12,
    writes=2,
    outputs="values | indices",
    self=lambda grad, dim, indices, self_sym_sizes, keepdim: select_values(grad, dim, indices, self_sym_sizes, keepdim),
)
def mode(self: Array, dim: int = -1, keepdim: bool = False) -> tuple[Array, Array]:
    return pick_place("mode", self, dim, keepdim, commonest)


# ---- both extremes at once


@op(
    "aminmax",
    outputs="min max",
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


# ---- the k-th value, distinct values, counts and bins


def select_kth(data: Array, k: int, at: int) -> Array:
    """The places of the `k`-th values along the axis `at`; of equal ones the place that torch's quickselect leaves."""
    index = argsort_along(data, at, False)[(slice(None),) * at + (slice(k - 1, k),)]
    alike = data == np.take_along_axis(data, index, at)
    if np.all(np.count_nonzero(alike, at) <= 1):
        return index
    lanes, index = np.moveaxis(data, at, -1), np.moveaxis(index.copy(), at, -1)
    for lane in np.argwhere(np.count_nonzero(alike, at) > 1):
        index[(*lane, 0)] = quickselect(lanes[tuple(lane)].tolist(), k - 1)
    return np.moveaxis(index, -1, at)


def quickselect(values: list[float], k: int) -> int:
    """Where the value lay that torch's quickselect brings to place `k`: a median of three, parted from both ends."""

    def above(one: float, other: float) -> bool:
        return one > other or (one != one and other == other)

    places = list(range(len(values)))

    def swap(i: int, j: int) -> None:
        values[i], values[j], places[i], places[j] = values[j], values[i], places[j], places[i]

    low, high = 0, len(values) - 1
    while high > low + 1:
        swap((low + high) // 2, low + 1)
        for i, j in ((low + 1, high), (low, high), (low + 1, low)):
            if above(values[i], values[j]):
                swap(i, j)
        i, j, pivot = low + 1, high, values[low]
        while True:
            i += 1
            while above(pivot, values[i]):
                i += 1
            j -= 1
            while above(values[j], pivot):
                j -= 1
            if j < i:
                break
            swap(i, j)
        swap(low, j)
        low, high = i if j <= k else low, j - 1 if j >= k else high
    if high == low + 1 and above(values[low], values[high]):
        swap(low, high)
    return places[k]


@op(
    "kthvalue",
    cost=12,
    writes=2,
    outputs="values | indices",
    self=lambda grad, dim, indices, self_sym_sizes, keepdim: select_values(grad, dim, indices, self_sym_sizes, keepdim),
)
def kthvalue(self: Array, k: int, dim: int = -1, keepdim: bool = False) -> tuple[Array, Array]:
    at = wrap(dim, self.ndim)
    if self.ndim:
        some_along("kthvalue", self, at)
    if not 1 <= k <= (self.shape[at] if self.ndim else 1):
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {at}")
    if self.ndim == 0:
        return self[()], np.int64(0)
    refuse("kthvalue_cpu", "b", self)
    index = select_kth(self, k, at)
    values = np.take_along_axis(self, index, at)
    return (values, index) if keepdim else (np.squeeze(values, at)[()], np.squeeze(index, at)[()])


# ---- distinct values


@helper
def underivable(name: str) -> None:
    """What the node of an operator says whose derivative nobody wrote."""
    raise NotImplementedError(f"the derivative for '{name}' is not implemented.")


@op("_unique2", node="Unique2Backward0", outputs="output | inverse counts", self=lambda grad: underivable("_unique2"))
def unique(self: Array) -> tuple[Array, Array, Array]:
    values, inverse, counts = np.unique(self, return_inverse=True, return_counts=True, equal_nan=False)
    return values, inverse.reshape(self.shape)[()], counts


@op("unique_dim", cost=5, outputs="output | inverse counts", self=lambda grad: underivable("unique_dim"))
def unique_dim(self: Array, dim: int) -> tuple[Array, Array, Array]:
    at = existing(dim, self.ndim)
    if 0 in (*self.shape[:at], *self.shape[at + 1 :]):
        raise RuntimeError("There are 0 sized dimensions, and they aren't selected, so unique cannot be applied")
    values, inverse, counts = np.unique(self, axis=at, return_inverse=True, return_counts=True)
    return values, inverse.reshape(-1), counts


@op("unique_consecutive", outputs="output | inverse counts", self=lambda grad: underivable("unique_consecutive"))
def unique_consecutive(self: Array, dim: int | None = None) -> tuple[Array, Array, Array]:
    rows = np.ravel(self) if dim is None else np.moveaxis(self, wrap(dim, self.ndim), 0)
    other = (rows[1:] != rows[:-1]).any(axis=tuple(range(1, rows.ndim)))
    first = np.concatenate([[True], other])[: len(rows)]
    starts = np.flatnonzero(first)
    places, counts = np.cumsum(first) - 1, np.diff(np.append(starts, len(rows)))
    if dim is None:
        return rows[starts], places.reshape(self.shape)[()], counts
    return np.ascontiguousarray(np.moveaxis(rows[starts], 0, dim)), places, counts


# ---- counts, which have no derivative


@op("bincount")
def bincount(self: Array, weights: Array | None = None, minlength: int = 0) -> Array:
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0")
    refuse("bincount_cpu", "f", self)
    if self.ndim == 1 and self.size == 0:
        return np.zeros(minlength, np.int64)
    if self.ndim != 1 or (self.dtype.kind in "iu" and np.any(self < 0)):
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    refuse("bincount_cpu", "b", self)
    if weights is None:
        return np.bincount(self, minlength=minlength)
    if weights.shape != self.shape:
        raise RuntimeError("weights should be 1-d and have the same length as input")
    counts = np.bincount(self, weights, minlength)
    return counts.astype(np.float32) if weights.dtype == np.float32 else counts


@op("histc")
def histc(self: Array, bins: int = 100, min: float = 0, max: float = 0) -> Array:
    refuse("histogram_cpu", "iub", self)
    if bins <= 0:
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {bins} for dimension 0")
    low, high = float(min), float(max)
    if low == high and self.size:
        low, high = float(np.min(self)), float(np.max(self))
    if not (np.isfinite(low) and np.isfinite(high)):
        raise RuntimeError(f"torch.histc: range of [{low:g}, {high:g}] is not finite")
    if low == high:
        low, high = low - 1, high + 1
    if low > high:
        raise RuntimeError("torch.histc: max must be larger than min")
    return np.histogram(np.ravel(self), bins, (low, high))[0].astype(self.dtype)


@op("searchsorted.Tensor", cost=5)
def searchsorted(sorted_sequence: Array, self: Array, right: bool = False) -> Array:
    rank = np.ndim(sorted_sequence)
    if not np.ndim(self) and rank != 1:
        raise RuntimeError(
            "torch.searchsorted(): input value can be a scalar only when boundaries tensor dimension is 1, but we got "
            f"boundaries tensor dim({rank}) and input value's dim(0) numel(1)"
        )
    if not rank:
        raise RuntimeError(
            "torch.searchsorted(): boundaries tensor should have positive dimension, but got 0 dimension"
        )
    if rank == 1:
        return bisect(sorted_sequence.reshape(1, -1), self.reshape(1, -1), right).reshape(self.shape)[()]
    if sorted_sequence.shape[:-1] != self.shape[:-1]:
        raise RuntimeError(
            "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries "
            "tensor and input value tensor must match, but we got boundaries tensor "
            f"{errors.sizes(sorted_sequence.shape)} and input value tensor {errors.sizes(self.shape)}"
        )
    rows = sorted_sequence.reshape(-1, sorted_sequence.shape[-1])
    return bisect(rows, self.reshape(-1, self.shape[-1]), right).reshape(self.shape)


def bisect(rows: Array, sought: Array, right: bool) -> Array:
    """Where each of `sought` belongs in its row, by halving as torch does: rows out of order give what they give there.

    Source: `cus_lower_bound` and `cus_upper_bound` of ATen.
    """
    start, end = np.zeros(sought.shape, np.int64), np.full(sought.shape, rows.shape[-1], np.int64)
    while np.any(start < end):
        middle = (start + end) // 2
        there = np.take_along_axis(rows, np.minimum(middle, rows.shape[-1] - 1), -1)
        before = ~(there > sought if right else there >= sought)
        open_ = start < end
        start, end = np.where(open_ & before, middle + 1, start), np.where(open_ & ~before, middle, end)
    return start


@op("isin.Tensor_Tensor")
def isin(elements: Array, test_elements: Array, invert: bool = False) -> Array:
    return np.isin(elements, test_elements, invert=invert)
