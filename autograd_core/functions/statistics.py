"""Functions about how values are spread and ordered: what programs call, where it chooses among operators."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import errors
from ..ops import binary, cumulative, distance, reduction, sorting
from ..tensor import Tensor, plain
from .choices import cast, counted_in, dims
from .reductions import NOT_GIVEN, Extreme, correction_of, named, returned

AMINMAX = returned("aminmax", "min max")
MEDIAN, NANMEDIAN, MODE, CUMMAX, CUMMIN = (named(kind) for kind in ("median", "nanmedian", "mode", "cummax", "cummin"))


def var_mean(
    input: Tensor, dim: Any = NOT_GIVEN, unbiased: bool | None = None, keepdim: bool = False, *, correction: Any = None
) -> tuple[Tensor, Tensor]:
    over, lost = correction_of(dim, unbiased, correction)
    return reduction.var_mean(input, over, lost, keepdim)


def std_mean(
    input: Tensor, dim: Any = NOT_GIVEN, unbiased: bool | None = None, keepdim: bool = False, *, correction: Any = None
) -> tuple[Tensor, Tensor]:
    over, lost = correction_of(dim, unbiased, correction)
    return reduction.std_mean(input, over, lost, keepdim)


def aminmax(input: Tensor, *, dim: int | None = None, keepdim: bool = False) -> Any:
    return AMINMAX(*sorting.aminmax(input, dim, keepdim))


def median(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor | Extreme:
    """The lower median: of all, or along `dim` with its place."""
    return sorting.median(input) if dim is None else MEDIAN(*sorting.median_dim(input, dim, keepdim))


def nanmedian(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor | Extreme:
    return sorting.nanmedian(input) if dim is None else NANMEDIAN(*sorting.nanmedian_dim(input, dim, keepdim))


def mode(input: Tensor, dim: int = -1, keepdim: bool = False) -> Extreme:
    return MODE(*sorting.mode(input, dim, keepdim))


def cummax(input: Tensor, dim: int) -> Extreme:
    return CUMMAX(*cumulative.cummax(input, dim))


def cummin(input: Tensor, dim: int) -> Extreme:
    return CUMMIN(*cumulative.cummin(input, dim))


def nansum(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    return cast(reduction.nansum(counted_in(input, dtype), dims(dim), keepdim), dtype)


def nanmean(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The mean of what is not nan."""
    if input.data_.dtype.kind != "f":
        kind = errors.type_name(input.data_.dtype)
        raise RuntimeError(f"nanmean(): expected input to have floating point or complex dtype but got {kind}")
    wide = cast(input, dtype)
    known = plain(np.asarray(~np.isnan(wide.data_)))
    over = dims(dim)
    return binary.div(
        reduction.nansum(wide, over, keepdim),
        reduction.sum(known) if over is None else reduction.sum_dim(known, over, keepdim),
    )


def dist(input: Tensor, other: Tensor, p: float = 2) -> Tensor:
    """The norm of the difference."""
    return distance.dist(input, other, p)
