"""Running sums, products and extremes: cumsum, cumprod, logcumsumexp, cummax, cummin.

Formulas: PyTorch's derivatives.yaml and FunctionsManual.cpp.
"""

from __future__ import annotations

import numpy as np

from ..dispatch.op import both, op
from ..dispatch.registry import RAW
from ..tensor import arithmetic
from ..tensor.tensor import Array
from ._common import refuse, wrap
from .reduction import widen_integers

# ---- running sums and products


@op("cumsum", self=lambda grad, dim: flip(cumsum(flip(grad, [dim]), dim), [dim]))
def cumsum(self: Array, dim: int) -> Array:
    return in_rows(np.cumsum(widen_integers(self), wrap(dim, np.ndim(self))).reshape(self.shape))


@op("cumprod", self=lambda grad, self, dim, result: cumprod_backward(grad, self, dim, result))
def cumprod(self: Array, dim: int) -> Array:
    return in_rows(np.cumprod(widen_integers(self), wrap(dim, np.ndim(self))).reshape(self.shape))


def in_rows(data: Array) -> Array:
    """`data` as it lies in memory in torch: row by row."""
    return data if data.flags.c_contiguous else np.ascontiguousarray(data)


@both
def omit(grad: Array, self: Array, at: int, k: int) -> Array:
    """The gradient of the element at `k` along `at`: of each product that it is part of, the rest of the factors."""
    n = self.shape[at]
    behind = sum_dim(slice_(grad, at, k + 1, n, 1) * conj(cumprod(slice_(self, at, k + 1, n, 1), at)), [at])
    found = select(grad, at, k) + behind
    return conj(prod_dim(slice_(self, at, 0, k, 1), at, False)) * found if k else found


@both
def cumprod_backward(grad: Array, self: Array, dim: int, result: Array) -> Array:
    """By division where nothing is zero; elsewhere each element gets the products of all others before it and on."""
    if lengths(self.shape, None) <= 1:
        return grad
    at = wrap(dim, len(self.shape))
    if has_zero(self):
        return stack([omit(grad, self, at, k) for k in range(self.shape[at])], at)
    return flip(cumsum(flip(conj(result) * grad, [at]), at), [at]) / conj(self)


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
    cost=2,
    writes=2,
    outputs="values | indices",
    self=lambda grad, self, indices, dim: running_backward(grad, self, indices, dim),
)
def cummax(self: Array, dim: int) -> tuple[Array, Array]:
    return running("cummax", self, dim, np.maximum, np.greater_equal)


@op(
    "cummin",
    cost=2,
    writes=2,
    outputs="values | indices",
    self=lambda grad, self, indices, dim: running_backward(grad, self, indices, dim),
)
def cummin(self: Array, dim: int) -> tuple[Array, Array]:
    return running("cummin", self, dim, np.minimum, np.less_equal)


# ---- running sums of exponentials


@op("logcumsumexp", self=lambda grad, self, result, dim: logcumsumexp_backward(grad, self, result, dim))
def logcumsumexp(self: Array, dim: int) -> Array:
    at = wrap(dim, self.ndim)
    refuse("logcumsumexp_out_cpu", "biu", self)
    if self.dtype.kind == "c":
        return in_rows(accumulated(np.moveaxis(np.atleast_1d(self), at, 0), at).reshape(self.shape))
    return np.logaddexp.accumulate(self, at) if self.ndim and self.size else arithmetic.exp(self) * 0 + self


def accumulated(rows: Array, at: int) -> Array:
    """The running sums of exponentials of complex numbers, along the first axis, which is to be at `at`."""
    parts = list(rows[:1])
    for row in rows[1:]:
        parts.append(RAW["logaddexp"](parts[-1], row))
    return np.moveaxis(np.stack(parts), 0, at) if parts else rows


@both
def logcumsumexp_backward(grad: Array, self: Array, result: Array, dim: int) -> Array:
    """The part that raised the result less the part that lowered it, each by its logarithm, from the end."""
    if is_complex(grad):
        return conj(exp(backwards(log(conj(grad)) - result, dim) + self))
    logs = log(abs(grad))
    least = zeros_as(grad) - float("inf")
    up, down = where(grad > 0, logs, least), where(grad < 0, logs, least)
    raised = exp(backwards(up - result, dim) + self)
    return raised - exp(backwards(down - result, dim) + self)


@both
def backwards(values: Array, dim: int) -> Array:
    return flip(logcumsumexp(flip(values, [dim]), dim), [dim])
