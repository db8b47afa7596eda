"""Quantiles: the values sorted, and those beside the place that is asked for gathered and mixed, as torch does it."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from typing import Any

import numpy as np

from ..inplace import in_place
from ..methods import reshaping
from ..ops import scatter_gather, sorting
from ..ops import view as view_ops
from ..ops._common import wrap
from ..ops.binary import lerp_tensor
from ..tensor import Array, Tensor, plain
from .shaping import flatten

WAYS = ("linear", "lower", "higher", "midpoint", "nearest")


def quantile(
    input: Tensor, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear"
) -> Tensor:
    """The value below which the share `q` of all lies, or of those along `dim`; a new first dimension for many `q`."""
    return found(input, q, dim, keepdim, interpolation, "quantile")


def nanquantile(
    input: Tensor, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear"
) -> Tensor:
    """The same of what is not nan."""
    return found(input, q, dim, keepdim, interpolation, "nanquantile")


def found(input: Tensor, q: Any, dim: int | None, keepdim: bool, interpolation: str, name: str) -> Tensor:
    """What both give.

    Raises:
        RuntimeError: an empty tensor, another dtype than float or double, a share outside of 0 to 1, or a way to mix
            that is not one of `WAYS`.
    """
    data = input.data_
    if not isinstance(q, Tensor):
        if not 0 <= q <= 1:
            raise RuntimeError(f"quantile() q must be in the range [0, 1] but got {q:g}")
        q = plain(data.dtype.type(q) if data.dtype.kind == "f" else np.float32(q))
    refuse(data, q.data_, interpolation, name)
    at = None if dim is None else wrap(dim, data.ndim)
    shares, ordered = np.atleast_1d(q.data_), along_last(input, at)
    kept = [1 if at in (None, d) else n for d, n in enumerate(data.shape) if keepdim or at not in (None, d)]
    ordered = view_ops.view(ordered, [*kept, ordered.data_.shape[-1]])
    out = mixed(ordered, places(ordered.data_, shares, name == "nanquantile"), interpolation)
    if q.data_.ndim:
        out = reshaping.transpose_(reshaping.unsqueeze_(out, 0), 0, -1)
    return reshaping.squeeze_(out, -1)


def refuse(data: Array, shares: Array, interpolation: str, name: str) -> None:
    if shares.ndim > 1:
        raise RuntimeError(f"{name}() q must be a scalar or 1D tensor")
    if data.size == 0:
        raise RuntimeError(f"{name}() input tensor must be non-empty")
    if data.dtype not in (np.float32, np.float64):
        raise RuntimeError(f"{name}() input tensor must be either float or double dtype")
    if shares.dtype != data.dtype:
        raise RuntimeError(f"{name}() q tensor must be same dtype as the input tensor")
    if interpolation not in WAYS:
        raise RuntimeError(
            f"{name}() interpolation must be one of linear, lower, higher, midpoint or nearest, but got {interpolation}"
        )
    if not np.all((shares >= 0) & (shares <= 1)):
        raise RuntimeError(f"{name}() q values must be in the range [0, 1]")


def along_last(input: Tensor, at: int | None) -> Tensor:
    """The values of `input` sorted along its last dimension: all of them, or those along the dimension `at`."""
    if at is None:
        return sorting.sort(flatten(input), -1, False)[0]
    if at == input.data_.ndim - 1:
        return sorting.sort(input, -1, False)[0]
    return sorting.sort(view_ops.transpose(view_ops.unsqueeze(input, -1), at, -1), -1, False)[0]


def places(ordered: Array, shares: Array, skips: bool) -> Array:
    """Where in each row the `shares` lie; with nan in a row, at its end, or counted without it if it `skips` nan."""
    unknown = np.isnan(ordered)
    if skips:
        known = (~unknown).sum(-1, keepdims=True) - 1
        return np.maximum(shares * known.astype(shares.dtype), 0)
    last = shares.dtype.type(ordered.shape[-1] - 1)
    return np.where(unknown.any(-1, keepdims=True), last, shares * last)


def mixed(ordered: Tensor, ranks: Array, interpolation: str) -> Tensor:
    """What lies at the `ranks`, which may be between two values."""
    ranks = ROUNDED[interpolation](ranks) if interpolation in ROUNDED else ranks
    below = ranks.astype(np.int64)
    out: Tensor = scatter_gather.gather(ordered, -1, plain(below))
    if interpolation in ROUNDED:
        return out
    weights = np.full_like(ranks, 0.5) if interpolation == "midpoint" else (ranks - below).astype(ranks.dtype)
    above = scatter_gather.gather(ordered, -1, plain(np.ceil(ranks).astype(np.int64)))
    return in_place(lerp_tensor, out, above, plain(weights))


ROUNDED: dict[str, Any] = {"lower": np.floor, "higher": np.ceil, "nearest": np.round}
