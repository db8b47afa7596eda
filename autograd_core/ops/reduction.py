"""Operators that bring many elements to few: sums, means, products, norms, extremes, variances.

Formulas: PyTorch's derivatives.yaml and FunctionsManual.cpp.

Formulas: PyTorch's derivatives.yaml.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import errors
from ..dispatch.inplace import in_place
from ..dispatch.op import both, helper, op
from ..dispatch.registry import GRAPH, RAW
from ..engine.warnings import warn
from ..functorch.batch import is_batched
from ..tensor import arithmetic
from ..tensor.arithmetic import total
from ..tensor.bfloat16 import shortened
from ..tensor.tensor import Array, plain
from ._common import Dims, axes, wrap
from .binary import TINY

# ---- norms


@both
def norm_backward(grad: Array, self: Array, result: Array, order: float, dim: Any, keepdim: bool) -> Array:
    sizes = self.shape
    if dim is not None:
        grad, result = restore_dims(grad, sizes, dim, keepdim), restore_dims(result, sizes, dim, keepdim)
    if order == 0:
        return None
    if order == 1:
        return sgn(self) * grad
    if order == 2:
        return grad * fill_zeros(self / result, result == 0)
    if order in (float("inf"), float("-inf")):
        hit = abs(self) == result
        over = list(range(len(sizes))) if dim is None else dim
        return sgn(self) * (grad / sum_dim(hit, over, True) * hit)
    if order < 1:
        return (
            sgn(self)
            * fill_zeros(raise_to_power(abs(self), order - 1), self == 0)
            * grad
            * pow_scalar(result, 1 - order)
        )
    own = sgn(self) * raise_to_power(abs(self), order - 1) if order < 2 else self * raise_to_power(abs(self), order - 2)
    return own * fill_zeros(grad / pow_scalar(result, order - 1), result == 0)


def fill_zeros(values: Any, where: Any) -> Any:
    """`values` with zeros written over some of them, as torch does in place; versions tell."""
    return in_place(GRAPH["masked_fill"], values, where, 0)


def raise_to_power(values: Any, exponent: float) -> Any:
    """`values` with their power written over them."""
    return in_place(GRAPH["pow_scalar"], values, exponent)


helper(fill_zeros, lambda values, where: np.where(where, values.dtype.type(0), values)[()])
helper(raise_to_power, lambda values, exponent: RAW["pow_scalar"](values, exponent))


@op(
    "linalg_vector_norm",
    node="LinalgVectorNormBackward0",
    self=lambda grad, self, result, ord, dim, keepdim: norm_backward(grad, self, result, ord, dim, keepdim),
)
def vector_norm(self: Array, ord: float = 2, dim: Dims = None, keepdim: bool = False) -> Array:
    if self.dtype.kind not in "fc":
        kind = errors.type_name(self.dtype)
        raise RuntimeError(f"linalg.vector_norm: Expected a floating point or complex tensor as input. Got {kind}")
    over = axes(dim, np.ndim(self))
    if self.size == 0 and (ord < 0 or ord == math.inf):
        raise RuntimeError(
            f"linalg.vector_norm cannot compute the {ord} norm on an empty tensor because the operation does not have "
            "an identity"
        )
    size = np.abs(self)
    if ord in (float("inf"), float("-inf")):
        return (np.max if ord > 0 else np.min)(size, axis=over, keepdims=keepdim)
    if ord == 2:
        return np.sqrt(np.add.reduce(size * size, axis=over, keepdims=keepdim))  # type: ignore[call-overload]
    if ord == 1:
        return np.add.reduce(size, axis=over, keepdims=keepdim)  # type: ignore[call-overload]
    if ord == 0:
        return np.add.reduce((size != 0).astype(size.dtype), axis=over, keepdims=keepdim)  # type: ignore[call-overload]
    total = np.add.reduce(np.power(size, size.dtype.type(ord)), axis=over, keepdims=keepdim)  # type: ignore[call-overload]
    return np.power(total, size.dtype.type(1 / ord))


@op(
    "norm.ScalarOpt_dim",
    nr=1,
    self=lambda grad, self, result, p, dim, keepdim: norm_backward(grad, self, result, p, dim, keepdim),
)
def norm_dim(self: Array, p: float, dim: Dims, keepdim: bool = False) -> Array:
    """The older norm, which pairwise_distance takes."""
    return RAW["vector_norm"](self, p, dim, keepdim)


@op(
    "_weight_norm_interface",
    outputs="result0 | result1",
    v=lambda grad, v, g, result1, dim: weight_norm_direction(grad, v, g, result1, dim),
    g=lambda grad, v, g, result1, dim: weight_norm_length(grad, v, g, result1, dim),
)
def weight_norm_interface(v: Array, g: Array, dim: int) -> tuple[Array, Array]:
    """`v` in the lengths `g` for each place along its first or last dimension, and the lengths that it had."""
    norms = np.sqrt(np.add.reduce(v * v, axis=tuple(d for d in range(v.ndim) if d != dim), keepdims=True))
    return v * (g / norms), norms


@both
def weight_norm_sums(grad: Array, v: Array, norms: Array, dim: int) -> Array:
    rows = grad * v
    if dim == 0:
        return reshape(sum_dim(reshape(rows, [v.shape[0], -1]), [1], False), norms.shape)
    return reshape(sum_dim(reshape(rows, [-1, v.shape[-1]]), [0], False), norms.shape)


@both
def weight_norm_direction(grad: Array, v: Array, g: Array, norms: Array, dim: int) -> Array:
    sums = weight_norm_sums(grad, v, norms, dim)
    return (g / norms) * (grad - v * (sums / (norms * norms)))


@both
def weight_norm_length(grad: Array, v: Array, g: Array, norms: Array, dim: int) -> Array:
    return weight_norm_sums(grad, v, norms, dim) / norms


# ---- extremes


@both
def evenly(grad: Array, self: Array, result: Array) -> Array:
    """`grad` shared evenly among the elements that are equal to `result`."""
    mask = same_as(self, result) if differs(result) else isnan(self) if is_nan(result) else self == result
    return masked_fill_tensor(zeros_as(self), mask, grad / sum(mask))


@both
def same_as(self: Array, result: Array) -> Array:
    """Which elements are equal to `result`, or not a number if that is none."""
    return logical_or(self == result, logical_and(isnan(self), isnan(result)))


def differs(number: Any) -> bool:
    """Whether a vmap hides what `number` is."""
    return is_batched(number)


helper(differs, lambda number: False)


@helper
def is_nan(number: Any) -> bool:
    return bool(np.isnan(getattr(number, "data_", number)))


@both
def select_values(grad: Array, dim: int, indices: Array, sizes: Sequence[int], keepdim: bool) -> Array:
    """`grad` put back where it was taken from."""
    if len(sizes) and not keepdim:
        grad, indices = unsqueeze(grad, dim), unsqueeze(indices, dim)
    return scatter_into(sizes, dim, indices, grad)


@both
def scatter_into(sizes: Sequence[int], dim: int, index: Array, source: Array) -> Array:
    return scatter(blank(sizes, source.dtype), dim, index, source)


def at_extreme(data: Array, dim: int, keepdim: bool, find: Any) -> tuple[Array, Array]:
    """The values that `find` (an arg function) picks along `dim`, and their indices."""
    if np.ndim(data) == 0:
        wrap(dim, 0)
        return data[()], np.int64(0)
    at = wrap(dim, data.ndim)
    some_along(find.__name__.removeprefix("arg"), data, at)
    where_ = np.asarray(find(data, at)) if data.size else np.zeros(np.delete(data.shape, at), np.int64)
    index = np.expand_dims(where_, at)
    values = np.take_along_axis(data, index, at)
    return (values, index) if keepdim else (np.squeeze(values, at)[()], np.squeeze(index, at)[()])


@op(
    "max.dim",
    writes=2,
    outputs="values | indices",
    self=lambda grad, dim, indices, self_sym_sizes, keepdim: select_values(grad, dim, indices, self_sym_sizes, keepdim),
)
def max_dim(self: Array, dim: int, keepdim: bool = False) -> tuple[Array, Array]:
    return at_extreme(self, dim, keepdim, np.argmax)


@op(
    "min.dim",
    writes=2,
    outputs="values | indices",
    self=lambda grad, dim, indices, self_sym_sizes, keepdim: select_values(grad, dim, indices, self_sym_sizes, keepdim),
)
def min_dim(self: Array, dim: int, keepdim: bool = False) -> tuple[Array, Array]:
    return at_extreme(self, dim, keepdim, np.argmin)


def some_along(name: str, data: Array, at: int, ending: str = "()") -> None:
    """Whether there is anything along the axis `at`.

    Raises:
        IndexError: there is nothing.
    """
    if data.shape[at] == 0:
        raise IndexError(f"{name}{ending}: Expected reduction dim {at} to have non-zero size.")


def not_empty(name: str, data: Array) -> None:
    if data.size == 0:
        raise RuntimeError(
            f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim "
            "with the 'dim' "
            "argument."
        )


@op("max", writes=1, self=lambda grad, self, result: evenly(grad, self, result))
def max_all(self: Array) -> Array:
    not_empty("max", self)
    return np.max(self)


@op("min", writes=1, self=lambda grad, self, result: evenly(grad, self, result))
def min_all(self: Array) -> Array:
    not_empty("min", self)
    return np.min(self)


@both
def evenly_along(grad: Array, self: Array, result: Array, dim: Any, keepdim: bool) -> Array:
    sizes = self.shape
    grad, result = spread_out(grad, sizes, dim, keepdim), spread_out(result, sizes, dim, keepdim)
    mask = self == result
    return grad / sum_dim(mask, dim, True) * mask


@op("amax", self=lambda grad, self, result, dim, keepdim: evenly_along(grad, self, result, dim, keepdim))
def amax(self: Array, dim: Dims = (), keepdim: bool = False) -> Array:
    return utmost("amax", np.max, self, dim, keepdim)


@op("amin", self=lambda grad, self, result, dim, keepdim: evenly_along(grad, self, result, dim, keepdim))
def amin(self: Array, dim: Dims = (), keepdim: bool = False) -> Array:
    return utmost("amin", np.min, self, dim, keepdim)


def utmost(name: str, find: Any, data: Array, dim: Dims, keepdim: bool) -> Array:
    over = axes(dim, np.ndim(data))
    if data.size:
        return find(data, axis=over, keepdims=keepdim)
    if dim is None or (not isinstance(dim, int) and len(dim) == 0):
        not_empty(name, data)
    for at in over if dim is None else [dim] if isinstance(dim, int) else dim:
        some_along(name, data, at)
    return np.zeros(np.sum(data, axis=over, keepdims=keepdim).shape, data.dtype)


@op("argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor: function method out")
def argmax(self: Array, dim: int | None = None, keepdim: bool = False) -> Array:
    return at_index(self, dim, keepdim, np.argmax)


@op("argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor: function method out")
def argmin(self: Array, dim: int | None = None, keepdim: bool = False) -> Array:
    return at_index(self, dim, keepdim, np.argmin)


def at_index(data: Array, dim: int | None, keepdim: bool, find: Any) -> Array:
    if dim is None:
        if data.size == 0:
            raise IndexError(f"{find.__name__}(): Expected reduction dim to be specified for input.numel() == 0.")
        return np.asarray(find(data)).reshape([1] * np.ndim(data) if keepdim else [])[()]
    at = wrap(dim, np.ndim(data))
    if np.ndim(data) == 0:
        return np.int64(0)
    some_along(find.__name__, data, at)
    if data.size == 0:
        return np.zeros([1 if i == at else n for i, n in enumerate(data.shape) if keepdim or i != at], np.int64)
    return np.asarray(find(data, axis=at, keepdims=keepdim))[()]


def widen_integers(data: Array) -> Array:
    """Integers are summed as int64, as torch does."""
    return data.astype(np.int64) if data.dtype.kind in "bu" or (data.dtype.kind == "i" and data.itemsize < 8) else data


def no_degrees(name: str) -> None:
    warn(NO_DEGREES.format(name))


NO_DEGREES = (
    "{}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor (input numel "
    "divided by output numel)."
)


def floating(name: str, data: Array) -> None:
    if data.dtype.kind not in "fc":
        raise RuntimeError(
            f"{name}(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. "
            f"Got: {errors.type_name(data.dtype)}"
        )


# ---- sums


@op("sum", self=lambda grad, self_sym_sizes: expand(grad, self_sym_sizes))
def sum(self: Array) -> Array:
    return total(widen_integers(self))


@op(
    "sum.dim_IntList",
    self=lambda grad, self_sym_sizes, dim, keepdim: expand(
        restore_dims(grad, self_sym_sizes, dim, keepdim), self_sym_sizes
    ),
)
def sum_dim(self: Array, dim: Dims, keepdim: bool = False) -> Array:
    return total(widen_integers(self), axes(dim, np.ndim(self)), keepdim)


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
        expand(restore_dims(grad, self_sym_sizes, dim, keepdim), self_sym_sizes), lengths(self_sym_sizes, dim)
    ),
)
def mean_dim(self: Array, dim: Dims, keepdim: bool = False) -> Array:
    floating("mean", self)
    over = axes(dim, np.ndim(self))
    count = self.dtype.type(math.prod(self.shape[a] for a in over))
    return total(self, over, keepdim) / count


@op(
    "logsumexp",
    floating=True,
    self=lambda grad, self, result, dim, keepdim: logsumexp_backward(grad, self, result, dim, keepdim),
)
def logsumexp(self: Array, dim: Dims, keepdim: bool = False) -> Array:
    over = axes(dim, np.ndim(self))
    top = np.max(self, axis=over, keepdims=True, initial=-np.inf)
    top = np.where(np.isfinite(top), top, 0)
    grown = shortened(arithmetic.exp(shortened(self - top, self)), self)
    out = shortened(arithmetic.log(shortened(np.sum(grown, axis=over, keepdims=True), self)), self) + top
    return out if keepdim else np.squeeze(out, over)[()]


@both
def logsumexp_backward(grad: Array, self: Array, result: Array, dim: Any, keepdim: bool) -> Array:
    sizes = self.shape
    return restore_dims(grad, sizes, dim, keepdim) * conj(exp(self - restore_dims(result, sizes, dim, keepdim)))


# ---- products


@both
def prod_backward(grad: Array, self: Array, result: Array) -> Array:
    if not self.shape:
        return clone(grad)
    return prod_others(grad, self) if has_zero(self) else grad * conj(result / self)


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
    return reshape(conj(stack(parts, 0)) * grad, self.shape)


@op("prod", self=lambda grad, self, result: prod_backward(grad, self, result))
def prod(self: Array) -> Array:
    return np.multiply.reduce(widen_integers(self), axis=None)


@op("prod.dim_int", self=lambda grad, self, result, dim, keepdim: prod_dim_backward(grad, self, result, dim, keepdim))
def prod_dim(self: Array, dim: int, keepdim: bool = False) -> Array:
    return np.multiply.reduce(widen_integers(self), axis=wrap(dim, self.ndim), keepdims=keepdim)  # type: ignore[call-overload]


@both
def prod_dim_backward(grad: Array, self: Array, result: Array, dim: int, keepdim: bool) -> Array:
    sizes = self.shape
    if not sizes:
        return clone(grad)
    at = wrap(dim, len(sizes))
    grad, result = restore_dims(grad, sizes, at, keepdim), restore_dims(result, sizes, at, keepdim)
    if not has_zero(self):
        return grad * conj(result / self)
    n = sizes[at]
    parts = []
    for i in range(n):
        others = cat([slice_(self, at, 0, i, 1), slice_(self, at, i + 1, n, 1)], at)
        parts.append(prod_dim(others, at, True))
    return grad * conj(cat(parts, at))


# ---- spread


def undefined_slope(self: Any) -> Any:
    """The slope of a variance without freedom: infinite but where an element is the mean."""
    return plain(undefined_arrays(self.data_))


def undefined_arrays(self: Array) -> Array:
    kind = self.dtype.type
    return np.where(self == np.mean(self), kind("nan"), kind("inf"))[()]


helper(undefined_slope, undefined_arrays)


@both
def var_backward(grad: Array, self: Array, dim: Any, correction: Any, keepdim: bool) -> Array:
    sizes = self.shape
    n = 1 if dim == [] else lengths(sizes, dim)
    freedom = n - (1 if correction is None else correction)
    scale = 2.0 / freedom if freedom else float("inf")
    if dim is None or not sizes:
        if freedom <= 0:
            return grad * undefined_slope(self)
        apart = self - mean(self)
        return mul_scalar(grad, scale) * apart
    if len(sizes) > 1:
        grad = restore_dims(grad, sizes, dim, keepdim)
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
    if data.dtype.kind not in "fc":
        raise RuntimeError("std and var only support floating point and complex dtypes")
    over = axes(dim, np.ndim(data))
    n = math.prod(data.shape[a] for a in over)
    centre = data - np.add.reduce(data, axis=over, keepdims=True) / data.dtype.type(n)
    squares = centre * centre if data.dtype.kind == "f" else squared_size(centre)
    below = max(n - (1 if correction is None else correction), 0)
    if below == 0 or not data.size:
        no_degrees(name)
    return np.add.reduce(squares, axis=over, keepdims=keepdim) / squares.dtype.type(below)  # type: ignore[call-overload]


def squared_size(data: Array) -> Array:
    """The squares of the absolute values of complex numbers."""
    return data.real * data.real + data.imag * data.imag


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


@op("""
    count_nonzero(Tensor self, int? dim=None) -> Tensor: function method
    count_nonzero.dim_IntList(Tensor self, int[] dim) -> Tensor: function method
    """)
def count_nonzero(self: Array, dim: Dims = None) -> Array:
    return np.int64(np.count_nonzero(self)) if dim is None else np.count_nonzero(self, axis=axes(dim, np.ndim(self)))


# ---- spread together with mean, and sums that skip nan


def floats(name: str, data: Array) -> None:
    if data.dtype.kind not in "fc":
        raise RuntimeError(f"{name} only support floating point and complex dtypes")


def centre(data: Array, dim: Dims, keepdim: bool) -> Array:
    over = axes(dim, np.ndim(data))
    return np.mean(data, axis=over, keepdims=keepdim, dtype=data.dtype)


@op(
    "var_mean.correction",
    outputs="result0 result1",
    self=lambda grads, self, dim, correction, keepdim: var_mean_backward(
        grads[0], grads[1], self, dim, correction, keepdim
    ),
)
def var_mean(
    self: Array, dim: Dims = None, correction: float | None = None, keepdim: bool = False
) -> tuple[Array, Array]:
    floats("var_mean", self)
    return spread("var_mean", self, dim, correction, keepdim), centre(self, dim, keepdim)


@op(
    "std_mean.correction",
    outputs="result0 result1",
    self=lambda grads, self, result0, dim, correction, keepdim: std_mean_backward(
        grads[0], grads[1], self, result0, dim, correction, keepdim
    ),
)
def std_mean(
    self: Array, dim: Dims = None, correction: float | None = None, keepdim: bool = False
) -> tuple[Array, Array]:
    floats("std_mean", self)
    return np.sqrt(spread("std_mean", self, dim, correction, keepdim)), centre(self, dim, keepdim)


@both
def var_mean_backward(by_var: Any, by_mean: Any, self: Array, dim: Any, correction: Any, keepdim: bool) -> Any:
    total = None if by_var is None else var_backward(by_var, self, dim, correction, keepdim)
    if by_mean is None:
        return total
    part = mean_backward(by_mean, self.shape, dim, keepdim)
    return part if total is None else total + part


@both
def std_mean_backward(
    by_std: Any, by_mean: Any, self: Array, result: Array, dim: Any, correction: Any, keepdim: bool
) -> Any:
    total = None if by_std is None else std_backward(result, by_std, self, dim, correction, keepdim)
    if by_mean is None:
        return total
    part = mean_backward(by_mean, self.shape, dim, keepdim)
    return part if total is None else total + part


@both
def mean_backward(grad: Array, sizes: Any, dim: Any, keepdim: bool) -> Array:
    kept = grad if dim is None else restore_dims(grad, sizes, dim, keepdim)
    return div_scalar(expand(kept, sizes), lengths(sizes, dim))


# ---- without nan


@op(
    "nansum",
    self=lambda grad, self, dim, keepdim: (
        expand(restore_dims(grad, self.shape, dim, keepdim) if dim is not None else grad, self.shape)
        * logical_not(isnan(self))
    ),
)
def nansum(self: Array, dim: Dims = None, keepdim: bool = False) -> Array:
    known = self if self.dtype.kind != "f" else np.where(np.isnan(self), self.dtype.type(0), self)
    return np.add.reduce(widen_integers(known), axis=axes(dim, np.ndim(self)), keepdims=keepdim)  # type: ignore[call-overload]


# ---- cut to a norm


def others(ndim: int, dim: int) -> list[int]:
    """All dimensions but one."""
    return [d for d in range(ndim) if d != wrap(dim, ndim)]


def check_renorm(data: Array, p: float, dim: int, maxnorm: float) -> None:
    if p <= 0:
        raise RuntimeError("renorm: non-positive-norm not supported")
    if maxnorm < 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm:g}")
    if data.ndim < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {data.ndim} dimensions")


@op("renorm", self=lambda grad, self, p, dim, maxnorm: renorm_backward(grad, self, p, dim, maxnorm))
def renorm(self: Array, p: float, dim: int, maxnorm: float) -> Array:
    """Parts along `dim` whose norm is above `maxnorm`, scaled down to it."""
    check_renorm(self, p, dim, maxnorm)
    norms = RAW["vector_norm"](self, p, others(self.ndim, dim), True)
    factor = np.where(norms > maxnorm, maxnorm / (norms + self.dtype.type(TINY)), 1).astype(self.dtype)
    return self * factor


@both
def renorm_backward(grad: Array, self: Array, p: float, dim: int, maxnorm: float) -> Array:
    over = [d for d in range(len(self.shape)) if d != dim % len(self.shape)]
    norms = vector_norm(self, p, over, True)
    along = sum_dim(self * grad, over, True)
    back = norm_backward(along, self, norms, p, over, True)
    inverse = reciprocal(add_scalar(norms, 1e-7))
    return where(norms > maxnorm, mul_scalar(inverse, maxnorm) * (grad - inverse * back), grad)
