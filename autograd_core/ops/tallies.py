"""Values in order and how many there are: the k-th, distinct ones, counts and bins. Formulas: PyTorch's
derivatives.yaml."""

from __future__ import annotations

import numpy as np

from .. import arithmetic, errors
from ..op import both, helper, op
from ..tensor import Array
from .dims import existing, wrap
from .extremes import EXTREME, ordered, some_along
from .kernels import refuse


def selected(data: Array, k: int, at: int) -> Array:
    """The places of the `k`-th values along the axis `at`; of equal ones the place that torch's quickselect leaves."""
    index = ordered(data, at, False)[(slice(None),) * at + (slice(k - 1, k),)]
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
    writes=2,
    outputs=EXTREME,
    differentiable=("values",),
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
    index = selected(self, k, at)
    values = np.take_along_axis(self, index, at)
    return (values, index) if keepdim else (np.squeeze(values, at)[()], np.squeeze(index, at)[()])


# ---- running sums of exponentials


@op("logcumsumexp", self=lambda grad, self, result, dim: logcumsumexp_backward(grad, self, result, dim))
def logcumsumexp(self: Array, dim: int) -> Array:
    at = wrap(dim, self.ndim)
    refuse("logcumsumexp_out_cpu", "biu", self)
    return np.logaddexp.accumulate(self, at) if self.ndim and self.size else arithmetic.exp(self) * 0 + self


@both
def logcumsumexp_backward(grad: Array, self: Array, result: Array, dim: int) -> Array:
    """The part that raised the result less the part that lowered it, each by its logarithm, from the end."""
    logs = log(abs(grad))
    least = zeros_as(grad) - float("inf")
    up, down = where(grad > 0, logs, least), where(grad < 0, logs, least)
    raised = exp(backwards(up - result, dim) + self)
    return raised - exp(backwards(down - result, dim) + self)


@both
def backwards(values: Array, dim: int) -> Array:
    return flip(logcumsumexp(flip(values, [dim]), dim), [dim])


# ---- distinct values


@helper
def underivable(name: str) -> None:
    """What the node of an operator says whose derivative nobody wrote."""
    raise NotImplementedError(f"the derivative for '{name}' is not implemented.")


@op(
    "_unique2",
    node="Unique2Backward0",
    outputs=("output", "inverse", "counts"),
    differentiable=("output",),
    self=lambda grad: underivable("_unique2"),
)
def unique(self: Array) -> tuple[Array, Array, Array]:
    values, inverse, counts = np.unique(self, return_inverse=True, return_counts=True, equal_nan=False)
    return values, inverse.reshape(self.shape)[()], counts


@op(
    "unique_dim",
    outputs=("output", "inverse", "counts"),
    differentiable=("output",),
    self=lambda grad: underivable("unique_dim"),
)
def unique_dim(self: Array, dim: int) -> tuple[Array, Array, Array]:
    at = existing(dim, self.ndim)
    if 0 in (*self.shape[:at], *self.shape[at + 1 :]):
        raise RuntimeError("There are 0 sized dimensions, and they aren't selected, so unique cannot be applied")
    values, inverse, counts = np.unique(self, axis=at, return_inverse=True, return_counts=True)
    return values, inverse.reshape(-1), counts


@op(
    "unique_consecutive",
    outputs=("output", "inverse", "counts"),
    differentiable=("output",),
    self=lambda grad: underivable("unique_consecutive"),
)
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


@op("searchsorted.Tensor")
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
        return halved(sorted_sequence.reshape(1, -1), self.reshape(1, -1), right).reshape(self.shape)[()]
    if sorted_sequence.shape[:-1] != self.shape[:-1]:
        raise RuntimeError(
            "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries "
            "tensor and input value tensor must match, but we got boundaries tensor "
            f"{errors.sizes(sorted_sequence.shape)} and input value tensor {errors.sizes(self.shape)}"
        )
    rows = sorted_sequence.reshape(-1, sorted_sequence.shape[-1])
    return halved(rows, self.reshape(-1, self.shape[-1]), right).reshape(self.shape)


def halved(rows: Array, sought: Array, right: bool) -> Array:
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
