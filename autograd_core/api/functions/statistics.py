"""How values are spread and ordered: medians, quantiles, covariance, areas, slopes, histograms."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import errors
from ...dispatch.inplace import in_place
from ...dispatch.schema.schema import composite
from ...engine.warnings import warn
from ...ops import binary, cumulative, distance, reduction, scatter_gather, sorting
from ...ops import view as view_ops
from ...ops._common import existing, wrap
from ...ops.binary import lerp_tensor
from ...ops.complex import complex_of, conj, imag, is_complex, real
from ...ops.matmul import mm
from ...ops.unary import sqrt
from ...tensor.dtypes import get_default_dtype
from ...tensor.tensor import Array, Tensor, plain
from ..methods.inplace import squeeze_, transpose_, unsqueeze_
from .arguments import cast, counted_in, dims, is_whole, named_tuple
from .pointwise import clamp
from .reduction import NOT_GIVEN, Extreme, correction_of, name_of
from .shape import flatten

# ---- medians, extremes with their places, sums that skip nan


AMINMAX = named_tuple("aminmax", "min max")
MEDIAN, NANMEDIAN, MODE, CUMMAX, CUMMIN = (
    name_of(kind) for kind in ("median", "nanmedian", "mode", "cummax", "cummin")
)


@composite("""
    var_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor): function
    var_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, \
        Tensor): function
    var_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor): function
    """)
def var_mean(
    input: Tensor, dim: Any = NOT_GIVEN, unbiased: bool | None = None, keepdim: bool = False, *, correction: Any = None
) -> tuple[Tensor, Tensor]:
    over, lost = correction_of(dim, unbiased, correction)
    return reduction.var_mean(input, over, lost, keepdim)


@composite("""
    std_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor): function
    std_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, \
        Tensor): function
    std_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor): function
    """)
def std_mean(
    input: Tensor, dim: Any = NOT_GIVEN, unbiased: bool | None = None, keepdim: bool = False, *, correction: Any = None
) -> tuple[Tensor, Tensor]:
    over, lost = correction_of(dim, unbiased, correction)
    return reduction.std_mean(input, over, lost, keepdim)


@composite("""
    aminmax(Tensor self, *, int? dim=None, bool keepdim=False) -> (Tensor min, Tensor max): function method out
    """)
def aminmax(input: Tensor, *, dim: int | None = None, keepdim: bool = False) -> Any:
    return AMINMAX(*sorting.aminmax(input, dim, keepdim))


@composite("""
    median(Tensor self) -> Tensor: function method
    median.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices): function method out
    """)
def median(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor | Extreme:
    """The lower median: of all, or along `dim` with its place."""
    return sorting.median(input) if dim is None else MEDIAN(*sorting.median_dim(input, dim, keepdim))


@composite("""
    nanmedian(Tensor self) -> Tensor: function method
    nanmedian.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices): function method out
    """)
def nanmedian(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor | Extreme:
    return sorting.nanmedian(input) if dim is None else NANMEDIAN(*sorting.nanmedian_dim(input, dim, keepdim))


@composite("mode(Tensor self, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices): function method out")
def mode(input: Tensor, dim: int = -1, keepdim: bool = False) -> Extreme:
    return MODE(*sorting.mode(input, dim, keepdim))


@composite("cummax(Tensor self, int dim) -> (Tensor values, Tensor indices): function method out")
def cummax(input: Tensor, dim: int) -> Extreme:
    return CUMMAX(*cumulative.cummax(input, dim))


@composite("cummin(Tensor self, int dim) -> (Tensor values, Tensor indices): function method out")
def cummin(input: Tensor, dim: int) -> Extreme:
    return CUMMIN(*cumulative.cummin(input, dim))


@composite("""
    nansum(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor: function method out
    """)
def nansum(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    return cast(reduction.nansum(counted_in(input, dtype), dims(dim), keepdim), dtype)


@composite("""
    nanmean(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor: function method \
        out
    """)
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


@composite("dist(Tensor self, Tensor other, Scalar p=2) -> Tensor: function method")
def dist(input: Tensor, other: Tensor, p: float = 2) -> Tensor:
    """The norm of the difference."""
    return distance.dist(input, other, p)


# ---- covariance, and areas under values


@composite("""
    cov(Tensor self, *, int correction=1, Tensor? fweights=None, Tensor? aweights=None) -> Tensor: function method
    """)
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
    return view_ops.squeeze(binary.div(mm(apart, conj(view_ops.t(apart))), degrees))


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
    return view_ops.squeeze(binary.div(mm(apart, conj(view_ops.t(binary.mul(apart, each)))), degrees))


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


@composite("corrcoef(Tensor self) -> Tensor: function method")
def corrcoef(input: Tensor) -> Tensor:
    """The covariances of the rows of `input`, in the unit of their deviations: from -1 to 1."""
    found = cov(input)
    if found.data_.ndim == 0:
        return binary.div(found, found)
    deviation = sqrt(real(view_ops.diagonal(found)))
    along = binary.div(found, view_ops.view(deviation, [-1, 1]))
    both_ways = binary.div(along, view_ops.view(deviation, [1, -1]))
    if is_complex(both_ways):
        return complex_of(clamp(real(both_ways), -1, 1), clamp(imag(both_ways), -1, 1))
    return clamp(both_ways, -1, 1)


@composite("diagflat(Tensor self, int offset=0) -> Tensor: function method")
def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """All values of `input` on a diagonal of a matrix."""
    return view_ops.diag_embed(view_ops.reshape(input, [-1]), offset)


@composite("""
    trapezoid.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor: function
    trapezoid.dx(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor: function
    trapz.dx(Tensor y, *, float dx=1, int dim=-1) -> Tensor: function
    trapz.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor: function
    """)
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


@composite("sum_to_size(Tensor self, SymInt[] size) -> Tensor: method")
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


@composite("""
    quantile(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation='linear') -> Tensor: \
        function method out
    quantile.scalar(Tensor self, float q, int? dim=None, bool keepdim=False, *, str interpolation='linear') -> \
        Tensor: function method out
    """)
def quantile(
    input: Tensor, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear"
) -> Tensor:
    """The value below which the share `q` of all lies, or of those along `dim`; a new first dimension for many `q`."""
    return cumulate_both(input, q, dim, keepdim, interpolation, "quantile")


@composite("""
    nanquantile(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation='linear') -> Tensor: \
        function method out
    nanquantile.scalar(Tensor self, float q, int? dim=None, bool keepdim=False, *, str interpolation='linear') -> \
        Tensor: function method out
    """)
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
