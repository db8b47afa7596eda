"""Slices met at an index, as a product, a mean or an extreme. Formulas: PyTorch's FunctionsManual.cpp."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import errors
from ..op import both, op
from ..tensor import Array
from ..unsupported import Unsupported
from ..warned import warn_once
from .dims import wrap
from .scattering import JOINS, STARTS, worst


def check(data: Array, dim: int, index: Array, source: Array, reduce: str) -> None:
    """Whether slices of `source` can meet so.

    Raises:
        RuntimeError: they cannot, in torch's words.
        IndexError: an index is none of a slice.
    """
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError(f"index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}.")
    if np.ndim(index) > 1:
        kind = errors.type_name(index.dtype)
        raise IndexError(
            f"index_reduce_(): Index is supposed to be a vector, but got dim: {index.ndim} with type: {kind} and size: "
            f"{list(index.shape)}"
        )
    if index.dtype not in (np.int32, np.int64):
        kind = errors.type_name(index.dtype)
        raise RuntimeError(f"index_reduce_(): Expected dtype int32/int64 for index but got: {kind}")
    if data.dtype != source.dtype:
        kinds = errors.type_name(data.dtype), errors.type_name(source.dtype)
        raise RuntimeError(f"index_reduce_(): self ({kinds[0]}) and source ({kinds[1]}) must have the same scalar type")
    if data.ndim == 0 or data.ndim != source.ndim:
        raise Unsupported("index_reduce of tensors of no dimensions, or of different ones, is not supported")
    at = wrap(dim, data.ndim)
    if np.size(index) != source.shape[at]:
        raise RuntimeError(
            f"index_reduce_(): Number of indices ({np.size(index)}) should be equal to source.size(dim): "
            f"({source.shape[at]}), for dim: {dim}"
        )
    if any(n != m for d, (n, m) in enumerate(zip(data.shape, source.shape, strict=True)) if d != at):
        raise RuntimeError(
            "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = "
            f"{list(data.shape)} source.shape = {list(source.shape)}"
        )
    if np.any((index < 0) | (index >= data.shape[at])):
        raise IndexError("index out of range in self")


@op(
    "index_reduce",
    forward_mode=False,
    self=lambda grad, self, dim, index, source, reduce, include_self, result: met_self(
        grad, self, dim, index, source, reduce, include_self, result
    ),
    source=lambda grad, self, dim, index, source, reduce, include_self, result: met_source(
        grad, self, dim, index, source, reduce, include_self, result
    ),
)
def index_reduce(self: Array, dim: int, index: Array, source: Array, reduce: str, include_self: bool = True) -> Array:
    check(self, dim, index, source, reduce)
    warn_once("index_reduce", "index_reduce() is in beta and the API may change at any time.")
    out = np.array(self)
    at: Any = (slice(None),) * wrap(dim, self.ndim) + (np.atleast_1d(index),)
    if not include_self:
        start = STARTS[reduce]
        out[at] = start if out.dtype.kind == "f" or not np.isinf(start) else worst(out.dtype, start)
    JOINS[reduce].at(out, at, source)
    if reduce == "mean":
        count = np.full(self.shape, int(include_self))
        np.add.at(count, at, 1)
        count[count == 0] = 1
        out = (out / count if out.dtype.kind == "f" else out // count).astype(self.dtype)
    return out


@both
def meeting(grad: Array, dim: int, index: Array, source: Array, include_self: bool) -> Array:
    """For the mean: how many slices met at each place."""
    start = add_scalar(zeros_as(grad), 1 if include_self else 0)
    count = index_add(start, dim, index, add_scalar(zeros_as(source), 1), 1)
    return masked_fill(count, count == 0, 1)


@both
def even_shares(self: Array, dim: int, index: Array, source: Array, result: Array) -> tuple[Any, Any, Any]:
    """For extremes: who equals the result, and among how many its gradient is shared."""
    mine = in_kind_of(self == result, self)
    theirs = in_kind_of(source == index_select(result, dim, index), self)
    return mine, theirs, index_add(mine, dim, index, theirs, 1)


@both
def met_self(
    grad: Array, self: Array, dim: int, index: Array, source: Array, reduce: str, include_self: bool, result: Array
) -> Array:
    if reduce == "mean":
        out = grad / meeting(grad, dim, index, source, include_self)
    elif reduce == "prod":
        filled = masked_fill(self, self == 0, 1)
        out = grad * index_reduce(filled, dim, index, source, reduce, include_self) / filled
    else:
        mine, _, count = even_shares(self, dim, index, source, result)
        out = mine * (grad / count)
    return out if include_self else index_fill(out, dim, index, 0)


@both
def met_source(
    grad: Array, self: Array, dim: int, index: Array, source: Array, reduce: str, include_self: bool, result: Array
) -> Array:
    if reduce == "mean":
        count = index_select(meeting(grad, dim, index, source, include_self), dim, index)
        return index_select(grad, dim, index) / count
    if reduce == "prod":
        zero = source == 0
        zeros_met = index_select(index_add(zeros_as(self), dim, index, in_kind_of(zero, self), 1), dim, index)
        alone = zero & (zeros_met == 1)
        others = index_reduce(self, dim, index, masked_fill(source, alone, 1), "prod", include_self)
        by_division = index_select(grad * result, dim, index) / masked_fill(source, zero, 1)
        out = where(alone, index_select(grad * others, dim, index), by_division)
        return once_only(out, zeros_met, "index_reduce", "source")
    _, theirs, count = even_shares(self, dim, index, source, result)
    return theirs * index_select(grad / count, dim, index)
