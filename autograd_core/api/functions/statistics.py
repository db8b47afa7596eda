"""How values are spread and ordered: medians, quantiles, covariance, areas, slopes, histograms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ... import errors
from ...dispatch.inplace import in_place
from ...engine.state import state
from ...engine.warnings import warn
from ...errors import Unsupported
from ...ops import binary, cumulative, distance, join, reduction, scatter_gather, sorting
from ...ops import view as view_ops
from ...ops._common import existing, wrap
from ...ops.binary import lerp_tensor
from ...ops.matmul import mm
from ...ops.unary import sqrt
from ...ops.view import slice_
from ...tensor import dtypes
from ...tensor.dtypes import get_default_dtype
from ...tensor.tensor import Array, Tensor, plain
from ..methods.inplace import squeeze_, transpose_, unsqueeze_
from .arguments import cast, counted_in, dims, is_whole, named_tuple
from .creation import symmetric_line
from .pointwise import clamp
from .reduction import NOT_GIVEN, Extreme, correction_of, name_of
from .shape import flatten

# ---- medians, extremes with their places, sums that skip nan


AMINMAX = named_tuple("aminmax", "min max")
MEDIAN, NANMEDIAN, MODE, CUMMAX, CUMMIN = (
    name_of(kind) for kind in ("median", "nanmedian", "mode", "cummax", "cummin")
)


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


# ---- covariance, and areas under values


def cov(
    input: Tensor, *, correction: int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None
) -> Tensor:
    """The covariances of the rows of `input`.

    Raises:
        RuntimeError: more than two dimensions.
        RuntimeError: weights that are not one for each column, or no such numbers.
    """
    data = input.data_
    if data.dtype.kind == "b":
        raise RuntimeError("cov(): bool dtype is not supported for input")
    if data.ndim > 2:
        raise RuntimeError(
            f"cov(): expected input to have two or fewer dimensions but got an input with {data.ndim} dimensions"
        )
    rows = view_ops.view(input, [1, -1]) if data.ndim < 2 else input
    if fweights is not None or aweights is not None:
        return scale_columns(rows, correction, fweights, aweights)
    count = rows.data_.shape[1]
    centre = binary.div(reduction.sum_dim(rows, [1], False), plain(np.float64(count).astype(np.float32)))
    apart = binary.sub(rows, view_ops.unsqueeze(centre, 1))
    if count <= correction:
        warn(NO_DEGREES)
    degrees = plain(np.float32(max(count - correction, 0)))
    return view_ops.squeeze(binary.div(mm(apart, view_ops.t(apart)), degrees))


def scale_columns(rows: Tensor, correction: int, fweights: Tensor | None, aweights: Tensor | None) -> Tensor:
    """The same where each column counts as often as `fweights` says, and as much as `aweights`."""
    for name, kinds, held in (("fweights", "iu", fweights), ("aweights", "f", aweights)):
        if held is not None:
            check_weights(name, kinds, held, rows.data_.shape[1])
    both = [weights for weights in (fweights, aweights) if weights is not None]
    each = both[0] if len(both) == 1 else binary.mul(*both)
    whole = reduction.sum(each)
    if not whole.data_:
        raise RuntimeError("cov(): weights sum to zero, can't be normalized")
    apart = binary.sub(
        rows, view_ops.unsqueeze(binary.div(reduction.sum_dim(binary.mul(rows, each), [1], False), whole), 1)
    )
    lost: Any = correction
    if aweights is not None and correction:
        lost = binary.div(binary.mul(reduction.sum(binary.mul(each, aweights)), correction), whole)
    degrees = binary.sub(whole, lost)
    if degrees.data_ <= 0:
        warn(NO_DEGREES)
        degrees = plain(np.zeros_like(degrees.data_)[()])
    return view_ops.squeeze(binary.div(mm(apart, view_ops.t(binary.mul(apart, each))), degrees))


NO_DEGREES = "cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of observations."


def check_weights(name: str, kinds: str, weights: Tensor, count: int) -> None:
    data, kind = weights.data_, errors.type_name(weights.data_.dtype)
    if data.ndim > 1:
        raise RuntimeError(
            f"cov(): expected {name} to have one or fewer dimensions but got {name} with {data.ndim} dimensions"
        )
    if data.dtype.kind not in kinds:
        wanted = "floating point" if kinds == "f" else "integral"
        raise RuntimeError(f"cov(): expected {name} to have {wanted} dtype but got {name} with {kind} dtype")
    if data.size != count:
        raise RuntimeError(
            f"cov(): expected {name} to have the same numel as there are observations in the input but got "
            f"{data.size} != {count}"
        )
    if np.any(data < 0):
        raise RuntimeError(f"cov(): {name} cannot be negative")


def corrcoef(input: Tensor) -> Tensor:
    """The covariances of the rows of `input`, in the unit of their deviations: from -1 to 1."""
    found = cov(input)
    if found.data_.ndim == 0:
        return binary.div(found, found)
    deviation = sqrt(view_ops.diagonal(found))
    along = binary.div(found, view_ops.view(deviation, [-1, 1]))
    return clamp(binary.div(along, view_ops.view(deviation, [1, -1])), -1, 1)


def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """All values of `input` on a diagonal of a matrix."""
    return view_ops.diag_embed(view_ops.reshape(input, [-1]), offset)


def trapezoid(y: Tensor, x: Tensor | None = None, *, dx: float | None = None, dim: int = -1) -> Tensor:
    """The area under `y` by trapezoids, whose feet stand at `x` or `dx` apart."""
    refuse_truths("trapezoid", y, x)
    shape = y.data_.shape
    at = existing(wrap(dim, len(shape)), len(shape))
    if not shape[at]:
        return plain(np.zeros(shape[:at] + shape[at + 1 :], y.data_.dtype))
    if x is None:
        y = fractional(y)
        last = view_ops.select(y, dim, -1)  # torch makes it first
        ends = binary.mul_scalar(binary.add(view_ops.select(y, dim, 0), last), 0.5)
        return binary.mul_scalar(binary.sub(reduction.sum_dim(y, [dim], False), ends), 1.0 if dx is None else dx)
    return binary.div_scalar(fractional(reduction.sum_dim(slabs("trapezoid", y, x, at), [at], False)), 2.0)


def cumulative_trapezoid(y: Tensor, x: Tensor | None = None, *, dx: float | None = None, dim: int = -1) -> Tensor:
    """That area up to each of the trapezoids."""
    refuse_truths("cumulative_trapezoid", y, x)
    if x is None:
        return cumulative.cumsum(
            binary.mul_scalar(neighbours(fractional(y), dim), (1.0 if dx is None else dx) / 2), dim
        )
    at = existing(wrap(dim, y.data_.ndim), y.data_.ndim)
    return binary.div_scalar(fractional(cumulative.cumsum(slabs("cumulative_trapezoid", y, x, at), at)), 2.0)


def fractional(input: Tensor) -> Tensor:
    """`input`, in which whole numbers are in the dtype that fractions of them have."""
    return cast(input, get_default_dtype()) if is_whole(input) else input


def refuse_truths(name: str, y: Tensor, x: Tensor | None) -> None:
    if any(given is not None and given.data_.dtype.kind == "b" for given in (y, x)):
        letters = "`y`" if x is None else "`x` or `y`"
        raise RuntimeError(f"{name}: received a bool input for {letters}, but bool is not supported")


def neighbours(y: Tensor, dim: int) -> Tensor:
    """The sum of each value and the next."""
    return binary.add(view_ops.slice_(y, dim, 0, -1, 1), view_ops.slice_(y, dim, 1, None, 1))


def slabs(name: str, y: Tensor, x: Tensor, dim: int) -> Tensor:
    """Twice the area of each trapezoid, in the function `name`."""
    shape, rank = x.data_.shape, y.data_.ndim
    if len(shape) == 1 and shape[0] != y.data_.shape[dim]:
        raise RuntimeError(f"{name}: There must be one `x` value for each sample point")
    if len(shape) == 1:
        x = view_ops.view(x, [-1 if d == dim else 1 for d in range(rank)])
    elif len(shape) < rank:
        x = view_ops.view(x, [*[1] * (rank - len(shape)), *shape])
    before = view_ops.slice_(x, dim, 0, -1, 1)  # torch makes it first
    widths = binary.sub(view_ops.slice_(x, dim, 1, None, 1), before)
    return binary.mul(neighbours(y, dim), widths)


def sum_to_size(self: Tensor, *size: Any) -> Tensor:
    """The sum over dimensions that `size` lacks or has as 1."""
    shape = list(size[0]) if len(size) == 1 and not isinstance(size[0], int) else list(size)
    had = self.data_.shape
    fitting = len(shape) <= len(had) and all(n in (1, h) for n, h in zip(reversed(shape), reversed(had), strict=False))
    if not fitting:
        raise RuntimeError(f"size {{{shape}}} is not expandable to size {{{list(had)}}}.")
    return view_ops.sum_to(self, shape) if shape else reduction.sum(self)


# ---- quantiles


WAYS = ("linear", "lower", "higher", "midpoint", "nearest")


def quantile(
    input: Tensor, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear"
) -> Tensor:
    """The value below which the share `q` of all lies, or of those along `dim`; a new first dimension for many `q`."""
    return cumulate_both(input, q, dim, keepdim, interpolation, "quantile")


def nanquantile(
    input: Tensor, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear"
) -> Tensor:
    """The same of what is not nan."""
    return cumulate_both(input, q, dim, keepdim, interpolation, "nanquantile")


def cumulate_both(input: Tensor, q: Any, dim: int | None, keepdim: bool, interpolation: str, name: str) -> Tensor:
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
    out = interpolate_ranks(ordered, places(ordered.data_, shares, name == "nanquantile"), interpolation)
    if q.data_.ndim:
        out = transpose_(unsqueeze_(out, 0), 0, -1)
    return squeeze_(out, -1)


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


def interpolate_ranks(ordered: Tensor, ranks: Array, interpolation: str) -> Tensor:
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


# ---- gradient and histogram


HISTOGRAM = named_tuple("histogram", "hist bin_edges")


def gradient(input: Tensor, *, spacing: Any = None, dim: Any = None, edge_order: int = 1) -> tuple[Tensor, ...]:
    """How `input` changes along dimensions, from the neighbours on both sides; at the ends from those that are there.

    Raises:
        RuntimeError: the spacing does not fit, or there are too few elements.
    """
    rank = input.data_.ndim
    over = list(range(rank)) if dim is None else [dim] if isinstance(dim, int) else list(dim)
    several = isinstance(spacing, list | tuple)
    if several and len(spacing) != len(over):
        told = "spacing to be unspecified, a scalar, "
        why = f"or a list of length equal to 'self.dim() = {rank}', since dim argument was not given, but"
        if dim is not None:
            why = "or it's spacing and dim arguments to have the same length, but"
        raise RuntimeError(f"torch.gradient expected {told}{why} got a list of length {len(spacing)}")
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    wrapped = [wrap(d, rank) for d in over]
    for d in wrapped:
        if wrapped.count(d) > 1:
            raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
        if input.data_.shape[d] <= edge_order:
            raise RuntimeError("torch.gradient expected each dimension size to be at least edge_order+1")
    if input.data_.dtype.kind != "f":
        input = cast(input, dtypes.get_default_dtype())
    steps = list(spacing) if several else [1.0 if spacing is None else spacing] * len(over)
    return tuple(
        uneven(input, d, step, edge_order) if isinstance(step, Tensor) else even(input, d, float(step), edge_order)
        for d, step in zip(wrapped, steps, strict=True)
    )


def even(input: Tensor, dim: int, step: float, order: int) -> Tensor:
    """Along a dimension whose elements lie `step` apart."""
    n = input.data_.shape[dim]

    def part(first: int, last: int) -> Tensor:
        return slice_(input, dim, first, last, 1)

    if order == 1:
        first, last = binary.sub(part(1, 2), part(0, 1)), binary.sub(part(n - 1, n), part(n - 2, n - 1))
    else:
        rising = binary.add(binary.mul_scalar(part(0, 1), -1.5), binary.mul_scalar(part(1, 2), 2.0))
        first = binary.sub(rising, binary.mul_scalar(part(2, 3), 0.5))
        falling = binary.sub(binary.mul_scalar(part(n - 3, n - 2), 0.5), binary.mul_scalar(part(n - 2, n - 1), 2.0))
        last = binary.add(falling, binary.mul_scalar(part(n - 1, n), 1.5))
    between = binary.div_scalar(binary.div_scalar(binary.sub(part(2, n), part(0, n - 2)), step), 2)
    return join.cat([binary.div_scalar(first, step), between, binary.div_scalar(last, step)], dim)


def uneven(input: Tensor, dim: int, places: Tensor, order: int) -> Tensor:
    """Along a dimension whose elements lie at `places`."""
    if places.requires_grad:
        raise Unsupported("gradient at places that require grad is not supported")
    n = input.data_.shape[dim]
    steps = np.diff(places.data_)
    if len(steps) != n - 1:
        raise Unsupported("gradient with more or fewer places than elements is not supported")
    before, behind = steps[:-1], steps[1:]

    def part(first: int, last: int) -> Tensor:
        return slice_(input, dim, first, last, 1)

    def weighted_sum(weights: Sequence[Array], first: int, count: int) -> Tensor:
        shape = [-1 if d == dim else 1 for d in range(input.data_.ndim)]
        terms = [
            binary.mul(
                plain(np.reshape(weight, shape) if np.ndim(weight) else weight), part(first + k, first + k + count)
            )
            for k, weight in enumerate(weights)
        ]
        return binary.add(binary.add(terms[0], terms[1]), terms[2])

    both = before + behind
    middle = (-behind / (before * both), (behind - before) / (before * behind), before / (behind * both))
    between = weighted_sum(middle, 0, n - 2)
    if order == 1:
        first = binary.div(binary.sub(part(1, 2), part(0, 1)), plain(steps[0]))
        last = binary.div(binary.sub(part(n - 1, n), part(n - 2, n - 1)), plain(steps[-1]))
    else:
        h, k = steps[0], steps[1]
        first = weighted_sum((-(2 * h + k) / (h * (h + k)), (h + k) / (h * k), -h / (k * (h + k))), 0, 1)
        h, k = steps[-2], steps[-1]
        last = weighted_sum((k / (h * (h + k)), -(k + h) / (h * k), (2 * k + h) / (k * (h + k))), n - 3, 1)
    return join.cat([first, between, last], dim)


# ---- counts between edges


def histogram(
    input: Tensor, bins: Any = 100, *, range: Any = None, weight: Tensor | None = None, density: bool = False
) -> Any:
    """How often values fall between edges, each counted by its weight; the last edge belongs to the last bin.

    Raises:
        RuntimeError: edges, range or weights make no sense.
        NotImplementedError: torch has no kernel, or a node without a derivative would be made.
    """
    data = input.data_
    if state.grad_enabled and any(isinstance(t, Tensor) and t.requires_grad for t in (input, bins, weight)):
        raise Unsupported("histogram of a tensor that requires grad is not supported: detach it")
    edges = given_edges(data, bins) if isinstance(bins, Tensor) else equal_edges(data, bins, range)
    if weight is not None and weight.data_.shape != data.shape:
        raise RuntimeError(
            "torch.histogramdd: if weight tensor is provided it should have the same shape as the input tensor "
            f"excluding its innermost dimension, but got input with shape {[data.size, 1]} and weight with shape "
            f"{list(weight.data_.shape)}"
        )
    if data.dtype not in (np.float32, np.float64):
        raise NotImplementedError(f"\"histogramdd\" not implemented for '{errors.type_name(data.dtype)}'")
    flat = np.ravel(data)
    inside = (flat >= edges[0]) & (flat <= edges[-1])
    at = np.minimum(np.searchsorted(edges, flat[inside], "right") - 1, len(edges) - 2)
    counts = np.zeros(len(edges) - 1, data.dtype)
    np.add.at(counts, at, 1 if weight is None else np.ravel(weight.data_)[inside])
    if density:
        counts = counts / np.sum(counts) / np.diff(edges)
    return HISTOGRAM(plain(counts), plain(edges))


def given_edges(data: Array, bins: Tensor) -> Array:
    edges = bins.data_
    if edges.ndim != 1:
        raise RuntimeError(
            f"torch.histogramdd: bins tensor should have one dimension, but got {edges.ndim} dimensions in the bins "
            "tensor for dimension 0"
        )
    if edges.dtype != data.dtype:
        kinds = errors.C_NAMES[data.dtype.name], errors.C_NAMES[edges.dtype.name]
        raise RuntimeError(
            "torch.histogramdd: input tensor and bins tensors should have the same dtype, but got input with dtype "
            f"{kinds[0]} and bins for dimension 0 with dtype {kinds[1]}"
        )
    return edges.copy()


def equal_edges(data: Array, bins: int, range: Any) -> Array:
    if bins <= 0:
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {bins} for dimension 0")
    if data.dtype.kind != "f":
        raise NotImplementedError(f"\"histogramdd\" not implemented for '{errors.type_name(data.dtype)}'")
    low, high = (float(np.min(data)), float(np.max(data))) if data.size else (0.0, 1.0)
    if range is not None:
        low, high = map(float, range)
    if not np.isfinite([low, high]).all():
        raise RuntimeError(f"torch.histogramdd: dimension 0's range [{low:g}, {high:g}] is not finite")
    if low > high:
        raise RuntimeError(
            f"torch.histogramdd: min should not exceed max, but got min {low:g} max {high:g} for dimension 0"
        )
    if low == high:
        low, high = low - 0.5, high + 0.5
    return symmetric_line(low, high, bins + 1, data.dtype)
