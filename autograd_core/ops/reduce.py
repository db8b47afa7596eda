"""Operators that bring many elements to few: sums, products, spread here; extremes, norms and softmax beside it.

Formulas: PyTorch's derivatives.yaml.
"""

# ruff: noqa: F403, F405

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import arithmetic, errors
from ..arithmetic import total
from ..op import both, helper, op
from ..tensor import Array
from ..warned import warn
from .dims import Dims as Dims
from .dims import axes as axes
from .dims import lengths, unreduced, wrap
from .extremes import *
from .norms import *
from .softmaxes import *


def counted(data: Array) -> Array:
    """Integers are summed as int64, as torch does."""
    return data.astype(np.int64) if data.dtype.kind in "bu" or (data.dtype.kind == "i" and data.itemsize < 8) else data


def no_degrees(name: str) -> None:
    warn(NO_DEGREES.format(name))


NO_DEGREES = (
    "{}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor (input numel "
    "divided by output numel)."
)


def floating(name: str, data: Array) -> None:
    if data.dtype.kind != "f":
        raise RuntimeError(
            f"{name}(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. "
            f"Got: {errors.type_name(data.dtype)}"
        )


# ---- sums


@op("sum", self=lambda grad, self_sym_sizes: expand(grad, self_sym_sizes))
def sum(self: Array) -> Array:
    return total(counted(self))


@op(
    "sum.dim_IntList",
    self=lambda grad, self_sym_sizes, dim, keepdim: expand(
        unreduced(grad, self_sym_sizes, dim, keepdim), self_sym_sizes
    ),
)
def sum_dim(self: Array, dim: Dims, keepdim: bool = False) -> Array:
    return total(counted(self), axes(dim, np.ndim(self)), keepdim)


@both
def shared_out(grad: Any, sizes: tuple[int, ...], count: int) -> Any:
    """Of `grad` an equal part for each element."""
    return div_scalar(expand(grad, sizes), count)


def shared_out_arrays(grad: Array, sizes: tuple[int, ...], count: int) -> Array:
    if not sizes:
        return grad / count
    parts = np.empty(sizes, grad.dtype)
    parts.fill(grad / count)
    return parts


helper(shared_out, shared_out_arrays)


@op(
    "mean",
    fitting=True,
    self=lambda grad, self_sym_sizes, self_sym_numel: shared_out(grad, self_sym_sizes, self_sym_numel),
)
def mean(self: Array) -> Array:
    if self.dtype is arithmetic.float32:
        return arithmetic.total(self) / self.size
    floating("mean", self)
    return total(self) / self.dtype.type(self.size)


@op(
    "mean.dim",
    self=lambda grad, self_sym_sizes, self_sym_numel, dim, keepdim: div_scalar(
        expand(unreduced(grad, self_sym_sizes, dim, keepdim), self_sym_sizes), lengths(self_sym_sizes, dim)
    ),
)
def mean_dim(self: Array, dim: Dims, keepdim: bool = False) -> Array:
    floating("mean", self)
    over = axes(dim, np.ndim(self))
    count = self.dtype.type(math.prod(self.shape[a] for a in over))
    return total(self, over, keepdim) / count


@op("cumsum", self=lambda grad, dim: flip(cumsum(flip(grad, [dim]), dim), [dim]))
def cumsum(self: Array, dim: int) -> Array:
    return in_rows(np.cumsum(counted(self), wrap(dim, np.ndim(self))).reshape(self.shape))


@op("cumprod", self=lambda grad, self, dim, result: cumprod_backward(grad, self, dim, result))
def cumprod(self: Array, dim: int) -> Array:
    return in_rows(np.cumprod(counted(self), wrap(dim, np.ndim(self))).reshape(self.shape))


def in_rows(data: Array) -> Array:
    """`data` as it lies in memory in torch: row by row."""
    return data if data.flags.c_contiguous else np.ascontiguousarray(data)


@both
def omitted(grad: Array, self: Array, at: int, k: int) -> Array:
    """The gradient of the element at `k` along `at`: of each product that it is part of, the rest of the factors."""
    n = self.shape[at]
    behind = sum_dim(slice_(grad, at, k + 1, n, 1) * cumprod(slice_(self, at, k + 1, n, 1), at), [at])
    found = select(grad, at, k) + behind
    return prod_dim(slice_(self, at, 0, k, 1), at, False) * found if k else found


@both
def cumprod_backward(grad: Array, self: Array, dim: int, result: Array) -> Array:
    """By division where nothing is zero; elsewhere each element gets the products of all others before it and on."""
    if lengths(self.shape, None) <= 1:
        return grad
    at = wrap(dim, len(self.shape))
    if has_zero(self):
        return stack([omitted(grad, self, at, k) for k in range(self.shape[at])], at)
    return flip(cumsum(flip(result * grad, [at]), at), [at]) / self


@op(
    "logsumexp",
    floating=True,
    self=lambda grad, self, result, dim, keepdim: logsumexp_backward(grad, self, result, dim, keepdim),
)
def logsumexp(self: Array, dim: Dims, keepdim: bool = False) -> Array:
    over = axes(dim, np.ndim(self))
    top = np.max(self, axis=over, keepdims=True, initial=-np.inf)
    top = np.where(np.isfinite(top), top, 0)
    out = arithmetic.log(np.sum(arithmetic.exp(self - top), axis=over, keepdims=True)) + top
    return out if keepdim else np.squeeze(out, over)[()]


@both
def logsumexp_backward(grad: Array, self: Array, result: Array, dim: Any, keepdim: bool) -> Array:
    sizes = self.shape
    return unreduced(grad, sizes, dim, keepdim) * exp(self - unreduced(result, sizes, dim, keepdim))


# ---- products


@both
def prod_backward(grad: Array, self: Array, result: Array) -> Array:
    if not self.shape:
        return clone(grad)
    return prod_others(grad, self) if has_zero(self) else grad * (result / self)


def has_zero(tensor: Any) -> bool:
    return bool(np.any(getattr(tensor, "data_", tensor) == 0))


helper(has_zero)


@both
def prod_others(grad: Array, self: Array) -> Array:
    """For each element `grad` times the product of all the others; right where elements are zero."""
    flat = reshape(self, [-1])
    n = flat.shape[0]
    parts = []
    for i in range(n):
        others = [slice_(flat, 0, 0, i, 1), slice_(flat, 0, i + 1, n, 1)]
        parts.append(prod(cat(others, 0)))
    return reshape(stack(parts, 0) * grad, self.shape)


@op("prod", self=lambda grad, self, result: prod_backward(grad, self, result))
def prod(self: Array) -> Array:
    return np.multiply.reduce(counted(self), axis=None)


@op("prod.dim_int", self=lambda grad, self, result, dim, keepdim: prod_dim_backward(grad, self, result, dim, keepdim))
def prod_dim(self: Array, dim: int, keepdim: bool = False) -> Array:
    return np.multiply.reduce(counted(self), axis=wrap(dim, self.ndim), keepdims=keepdim)  # type: ignore[call-overload]


@both
def prod_dim_backward(grad: Array, self: Array, result: Array, dim: int, keepdim: bool) -> Array:
    sizes = self.shape
    if not sizes:
        return clone(grad)
    at = wrap(dim, len(sizes))
    grad, result = unreduced(grad, sizes, at, keepdim), unreduced(result, sizes, at, keepdim)
    if not has_zero(self):
        return grad * (result / self)
    n = sizes[at]
    parts = []
    for i in range(n):
        others = cat([slice_(self, at, 0, i, 1), slice_(self, at, i + 1, n, 1)], at)
        parts.append(prod_dim(others, at, True))
    return grad * cat(parts, at)


# ---- spread


def undefined(self: Any) -> Any:
    """The slope of a variance without freedom: infinite but where an element is the mean."""
    from ..tensor import plain

    return plain(undefined_arrays(self.data_))


def undefined_arrays(self: Array) -> Array:
    kind = self.dtype.type
    return np.where(self == np.mean(self), kind("nan"), kind("inf"))[()]


helper(undefined, undefined_arrays)


@both
def var_backward(grad: Array, self: Array, dim: Any, correction: Any, keepdim: bool) -> Array:
    sizes = self.shape
    n = 1 if dim == [] else lengths(sizes, dim)
    freedom = n - (1 if correction is None else correction)
    scale = 2.0 / freedom if freedom else float("inf")
    if dim is None or not sizes:
        if freedom <= 0:
            return grad * undefined(self)
        apart = self - mean(self)
        return mul_scalar(grad, scale) * apart
    if len(sizes) > 1:
        grad = unreduced(grad, sizes, dim, keepdim)
    apart = self - mean_dim(self, dim, True)
    return mul_scalar(grad, scale) * apart


@op(
    "var.correction",
    self=lambda grad, self, dim, correction, keepdim: var_backward(grad, self, dim, correction, keepdim),
)
def var(self: Array, dim: Dims = None, correction: float | None = None, keepdim: bool = False) -> Array:
    return spread("var", self, dim, correction, keepdim)


def spread(name: str, data: Array, dim: Dims, correction: float | None, keepdim: bool) -> Array:
    """The variance over `dim`, with n - correction below (1 unless given)."""
    if data.dtype.kind != "f":
        raise RuntimeError("std and var only support floating point and complex dtypes")
    over = axes(dim, np.ndim(data))
    n = math.prod(data.shape[a] for a in over)
    centre = data - np.add.reduce(data, axis=over, keepdims=True) / data.dtype.type(n)
    below = max(n - (1 if correction is None else correction), 0)
    if below == 0 or not data.size:
        no_degrees(name)
    return np.add.reduce(centre * centre, axis=over, keepdims=keepdim) / data.dtype.type(below)  # type: ignore[call-overload]


@both
def std_backward(result: Array, grad: Array, self: Array, dim: Any, correction: Any, keepdim: bool) -> Array:
    grad_var = masked_fill(grad / mul_scalar(result, 2), result == 0, 0)
    return var_backward(grad_var, self, dim, correction, keepdim)


@op(
    "std.correction",
    self=lambda grad, self, dim, correction, keepdim, result: std_backward(
        result, grad, self, dim, correction, keepdim
    ),
)
def std(self: Array, dim: Dims = None, correction: float | None = None, keepdim: bool = False) -> Array:
    return np.sqrt(spread("std", self, dim, correction, keepdim))


# ---- without a derivative


@op("all")
def all_(self: Array, dim: Dims = None, keepdim: bool = False) -> Array:
    return whether(np.logical_and, self, dim, keepdim)


@op("any")
def any_(self: Array, dim: Dims = None, keepdim: bool = False) -> Array:
    return whether(np.logical_or, self, dim, keepdim)


def whether(rule: Any, data: Array, dim: Dims, keepdim: bool) -> Array:
    """`rule` over `dim`, over nothing for an empty list; bytes for bytes, as torch has it."""
    over = () if dim == [] else axes(dim, np.ndim(data))
    found = rule.reduce(data != 0, axis=over, keepdims=keepdim) if over or not np.ndim(data) else data != 0
    return found.astype(np.uint8) if data.dtype == np.uint8 else found


@op("count_nonzero")
def count_nonzero(self: Array, dim: Dims = None) -> Array:
    return np.int64(np.count_nonzero(self)) if dim is None else np.count_nonzero(self, axis=axes(dim, np.ndim(self)))
