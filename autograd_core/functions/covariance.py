"""How values vary together, and areas under them: sums and products of other operators, in torch's order."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from typing import Any

import numpy as np

from .. import errors
from ..dtypes import get_default_dtype
from ..ops import binary, cumulative, reduction
from ..ops import view as view_ops
from ..ops._common import existing, wrap
from ..ops.matmul import mm
from ..ops.unary import sqrt
from ..tensor import Tensor, plain
from ..warned import warn
from .choices import cast, clamp, is_whole


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
        return weighted(rows, correction, fweights, aweights)
    count = rows.data_.shape[1]
    centre = binary.div(reduction.sum_dim(rows, [1], False), plain(np.float64(count).astype(np.float32)))
    apart = binary.sub(rows, view_ops.unsqueeze(centre, 1))
    if count <= correction:
        warn(NO_DEGREES)
    degrees = plain(np.float32(max(count - correction, 0)))
    return view_ops.squeeze(binary.div(mm(apart, view_ops.t(apart)), degrees))


def weighted(rows: Tensor, correction: int, fweights: Tensor | None, aweights: Tensor | None) -> Tensor:
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
