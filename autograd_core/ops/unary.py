"""Operators of one operand, element by element: exponentials, roots, circles, rounding, clamping; fills and copies.

Formulas: PyTorch's derivatives.yaml.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy import ndarray

from .. import errors
from ..dispatch.op import both, helper, op
from ..dispatch.registry import GRAPH, RAW
from ..engine.warnings import warn_once
from ..tensor import arithmetic, dtypes
from ..tensor.strides import as_kind, parts_that_fit
from ..tensor.tensor import Array, bare
from ._common import beside, conjugate, refuse

PAIR = ("self", "other")


# ---- exponentials, roots, circles


@op("exp(Tensor self) -> Tensor", pointwise=True, floating=True, self=lambda grad, result: grad * conj(result))
def exp(self: Array) -> Array:
    return arithmetic.exp(self)


@op(
    "expm1(Tensor self) -> Tensor",
    pointwise=True,
    floating=True,
    self=lambda grad, result: grad * add_scalar(conj(result), 1),
)
def expm1(self: Array) -> Array:
    return arithmetic.expm1(self)


@op(
    "exp2(Tensor self) -> Tensor",
    pointwise=True,
    floating=True,
    self=lambda grad, result: mul_scalar(grad * conj(result), 0.6931471805599453),
)
def exp2(self: Array) -> Array:
    return arithmetic.exp2(self)


@op("log(Tensor self) -> Tensor", pointwise=True, floating=True, self=lambda grad, self: grad / conj(self))
def log(self: Array) -> Array:
    return arithmetic.log(self)


@op(
    "log2(Tensor self) -> Tensor",
    pointwise=True,
    floating=True,
    self=lambda grad, self: grad / mul_scalar(conj(self), 0.6931471805599453),
)
def log2(self: Array) -> Array:
    return arithmetic.log2(self)


@op(
    "log10(Tensor self) -> Tensor",
    pointwise=True,
    floating=True,
    self=lambda grad, self: grad / mul_scalar(conj(self), 2.302585092994046),
)
def log10(self: Array) -> Array:
    return arithmetic.log10(self)


@op(
    "log1p(Tensor self) -> Tensor",
    pointwise=True,
    floating=True,
    node="Log1PBackward0",
    self=lambda grad, self: grad / conj(add_scalar(self, 1)),
)
def log1p(self: Array) -> Array:
    return arithmetic.log1p(self)


@op(
    "sqrt(Tensor self) -> Tensor",
    pointwise=True,
    floating=True,
    self=lambda grad, result: grad / mul_scalar(conj(result), 2),
)
def sqrt(self: Array) -> Array:
    return np.sqrt(self)


@op(
    "rsqrt(Tensor self) -> Tensor",
    pointwise=True,
    floating=True,
    self=lambda grad, result: rsqrt_backward(grad, result),
)
def rsqrt(self: Array) -> Array:
    return 1 / np.sqrt(self)


@both
def rsqrt_backward(grad: Array, result: Array) -> Array:
    cube = conj(pow_scalar(result, 3))  # torch makes it first
    return mul_scalar(grad, -0.5) * cube


@op("sin(Tensor self) -> Tensor", pointwise=True, floating=True, self=lambda grad, self: grad * conj(cos(self)))
def sin(self: Array) -> Array:
    return arithmetic.sin(self)


@op("cos(Tensor self) -> Tensor", pointwise=True, floating=True, self=lambda grad, self: grad * -conj(sin(self)))
def cos(self: Array) -> Array:
    return arithmetic.cos(self)


@op(
    "tan(Tensor self) -> Tensor",
    pointwise=True,
    floating=True,
    self=lambda grad, result: grad * conj(add_scalar(pow_scalar(result, 2), 1)),
)
def tan(self: Array) -> Array:
    return arithmetic.tan(self)


@op("sinh(Tensor self) -> Tensor", pointwise=True, floating=True, self=lambda grad, self: grad * conj(cosh(self)))
def sinh(self: Array) -> Array:
    return arithmetic.sinh(self)


@op("cosh(Tensor self) -> Tensor", pointwise=True, floating=True, self=lambda grad, self: grad * conj(sinh(self)))
def cosh(self: Array) -> Array:
    return arithmetic.cosh(self)


@op(
    """
    asin(Tensor self) -> Tensor
    arcsin(Tensor self) -> Tensor
    """,
    pointwise=True,
    floating=True,
    self=lambda grad, self: grad * conj(rsqrt(add_scalar(-self * self, 1))),
)
def asin(self: Array) -> Array:
    return arithmetic.arcsin(self)


@op(
    """
    acos(Tensor self) -> Tensor
    arccos(Tensor self) -> Tensor
    """,
    pointwise=True,
    floating=True,
    self=lambda grad, self: grad * conj(-rsqrt(add_scalar(-self * self, 1))),
)
def acos(self: Array) -> Array:
    return arithmetic.arccos(self)


@op(
    """
    atan(Tensor self) -> Tensor
    arctan(Tensor self) -> Tensor
    """,
    pointwise=True,
    floating=True,
    self=lambda grad, self: grad / conj(add_scalar(self * self, 1)),
)
def atan(self: Array) -> Array:
    return arithmetic.arctan(self)


@op(
    """
    atanh(Tensor self) -> Tensor
    arctanh(Tensor self) -> Tensor
    """,
    pointwise=True,
    floating=True,
    self=lambda grad, self: mul_scalar(grad, 1) / conj(one_minus(pow_scalar(self, 2))),
)
def atanh(self: Array) -> Array:
    return np.arctanh(self)


def alike(grad: Array, output: Array) -> bool:
    """Whether both are arrays of float32 in the same order in memory, so that one array is enough for all steps."""
    return (
        grad.__class__ is output.__class__ is ndarray
        and grad.dtype is output.dtype is arithmetic.float32
        and grad.strides == output.strides != ()
        and grad.shape == output.shape
    )


def tanh_over(grad: Array, output: Array) -> Array:
    """`tanh_backward`, written over `output` where that has memory of its own: half of the memory to go through.

    `grad` has the shape of `output`: the engine has seen to that.
    """
    plain = grad.__class__ is output.__class__ is ndarray and grad.dtype is output.dtype is arithmetic.float32
    if not (plain and output.base is None and grad.strides == output.strides != ()):
        return RAW["tanh_backward"](grad, output)
    return times_rest(grad, np.multiply(output, output, output))


def times_rest(grad: Array, square: Array) -> Array:
    """`grad * (1 - square)`, written over `square`."""
    np.subtract(arithmetic.ONE, square, square)
    return np.multiply(grad, square, square)


@op(
    "tanh(Tensor self) -> Tensor",
    pointwise=True,
    floating=True,
    fitting=True,
    over=tanh_over,
    self=lambda grad, result: tanh_backward(grad, result),
)
def tanh(self: Array) -> Array:
    return arithmetic.tanh(self)


@op(
    "tanh_backward",
    pointwise=True,
    grad_output=lambda grad, output: tanh_backward(grad, conj(output)),
    output=lambda grad, grad_output, output: conj(grad) * (mul_scalar(conj(output), -2) * grad_output),
)
def tanh_backward(grad_output: Array, output: Array) -> Array:
    if not alike(grad_output, output):
        return grad_output * conjugate(1 - output * output)
    return times_rest(grad_output, output * output)


@op(
    "sigmoid(Tensor self) -> Tensor",
    pointwise=True,
    floating=True,
    fitting=True,
    self=lambda grad, result: sigmoid_backward(grad, result),
)
def sigmoid(self: Array) -> Array:
    return 1 / (1 + arithmetic.exp(-self))


@op(
    "sigmoid_backward",
    pointwise=True,
    grad_output=lambda grad, output: sigmoid_backward(grad, conj(output)),
    output=lambda grad, grad_output, output: conj(grad) * grad_output * add_scalar(mul_scalar(conj(output), -2), 1),
)
def sigmoid_backward(grad_output: Array, output: Array) -> Array:
    if not alike(grad_output, output):
        if output.dtype.kind == "c":
            return grad_output * np.conjugate((1 - output) * output)
        return grad_output * (1 - output) * output
    slope = np.subtract(arithmetic.ONE, output)
    np.multiply(grad_output, slope, slope)
    return np.multiply(slope, output, slope)


@op(
    "logit(Tensor self, float? eps=None) -> Tensor",
    pointwise=True,
    floating=True,
    self=lambda grad, self, eps: logit_backward(grad, self, eps),
)
def logit(self: Array, eps: float | None = None) -> Array:
    x = self if eps is None else np.clip(self, eps, 1 - eps)
    return np.log(x / (1 - x))


@both
def logit_backward(grad: Array, self: Array, eps: Any) -> Array:
    low, high = (0, 1) if eps is None else (eps, 1 - eps)
    outside = zeros_as(self) + (float("nan") if eps is None else 0)
    return where((self >= low) & (self <= high), grad / (self * one_minus(self)), outside)


@op(
    "nan_to_num(Tensor self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor",
    pointwise=True,
    self=lambda grad, self: grad * isfinite(self),
)
def nan_to_num(
    self: Array, nan: float | None = None, posinf: float | None = None, neginf: float | None = None
) -> Array:
    return np.nan_to_num(self, nan=0.0 if nan is None else nan, posinf=posinf, neginf=neginf)


OF_BYTES = (
    "where received a uint8 condition tensor. This behavior is deprecated and will be removed in a future version of "
    "PyTorch. Use a boolean condition instead."
)


# ---- pieces


def signs(array: Array) -> Array:
    """-1, 0 or 1; 0 for nan, which numpy leaves as it is."""
    if array.dtype.kind == "b":
        return array
    found = np.sign(array)
    return found if array.dtype.kind != "f" else bare(np.where(found == found, found, found.dtype.type(0)))


@op(
    "relu(Tensor self) -> Tensor: function method function_ method_",
    pointwise=True,
    self=lambda grad, result: threshold_backward(grad, result, 0),
)
def relu(self: Array) -> Array:
    return np.maximum(self, 0)


@op(
    "threshold_backward",
    pointwise=True,
    grad_output=lambda grad, self, threshold: threshold_backward(grad, self, threshold),
    self=lambda grad: zeros_as(grad),
)
def threshold_backward(grad_output: Array, self: Array, threshold: float) -> Array:
    return bare(np.where(self <= threshold, grad_output.dtype.type(0), grad_output))


@op(
    """
    abs(Tensor self) -> Tensor
    absolute(Tensor self) -> Tensor: function method method_ out
    """,
    pointwise=True,
    self=lambda grad, self: grad * sgn(self),
)
def abs(self: Array) -> Array:
    if self.dtype.char == "?":
        refuse("abs_cpu", "b", self)
    return np.abs(self)


@op(
    "sgn(Tensor self) -> Tensor: function method method_ out",
    pointwise=True,
    self=lambda grad, self, result: sgn_backward(grad, self, result),
)
def sgn(self: Array) -> Array:
    return signs(self)


@both
def sgn_backward(grad: Array, self: Array, result: Array) -> Array:
    if not is_complex(self):
        return zeros_as(grad)
    size = abs(self)
    return masked_fill((grad / size) - (real(grad / result) * result / size), size == 0, 0)


@op("sign(Tensor self) -> Tensor: function method method_ out", pointwise=True, self=lambda grad: zeros_as(grad))
def sign(self: Array) -> Array:
    return signs(self)


@op("floor(Tensor self) -> Tensor", pointwise=True, self=lambda grad: zeros_as(grad))
def floor(self: Array) -> Array:
    return np.floor(self)


@op("ceil(Tensor self) -> Tensor", pointwise=True, self=lambda grad: zeros_as(grad))
def ceil(self: Array) -> Array:
    return np.ceil(self)


@op("round", pointwise=True, self=lambda grad: zeros_as(grad))
def round(self: Array) -> Array:
    return np.round(self)


@op("round.decimals", self=lambda grad: zeros_as(grad))
def round_to(self: Array, decimals: int) -> Array:
    """To so many places after the point; before it, if negative."""
    tens = self.dtype.type(10.0 ** (decimals if decimals > 0 else -decimals))
    return np.round(self * tens) / tens if decimals > 0 else np.round(self / tens) * tens


@op(
    """
    trunc(Tensor self) -> Tensor
    fix(Tensor self) -> Tensor
    """,
    pointwise=True,
    self=lambda grad: zeros_as(grad),
)
def trunc(self: Array) -> Array:
    return np.trunc(self)


@op("frac(Tensor self) -> Tensor", pointwise=True, self=lambda grad: grad)
def frac(self: Array) -> Array:
    return self - np.trunc(self)


@both
def clamp_mask(self: Array, min: Any, max: Any) -> Array:
    if min is None:
        return self <= max
    return self >= min if max is None else (self >= min) & (self <= max)


@op(
    "clamp",
    pointwise=True,
    nr=1,
    self=lambda grad, self, min, max: where(clamp_mask(self, min, max), grad, zeros_as(grad)),
)
def clamp(self: Array, min: float | None = None, max: float | None = None) -> Array:
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    for bound in (min, max):
        self = self if bound is None else beside(self, bound)
    refuse("clamp_scalar_cpu", "b", self)
    low, high = (bound if bound is None else dtypes.fitting(bound, self.dtype) for bound in (min, max))
    return np.clip(self, low, high)


@op(
    "clamp.Tensor",
    pointwise=True,
    nr=0,
    self=lambda grad, self, min, max: where(clamp_mask(self, min, max), grad, zeros_as(grad)),
    min=lambda grad, self, min, max: where(
        (self < min) & (min <= max) if max is not None else self < min, grad, zeros_as(grad)
    ),
    max=lambda grad, self, min, max: where(
        (self > max) | (max < min) if min is not None else self > max, grad, zeros_as(grad)
    ),
)
def clamp_tensor(self: Array, min: Array | None = None, max: Array | None = None) -> Array:
    together = dtypes.to_numpy(dtypes.result_type(*[operand for operand in (self, min, max) if operand is not None]))
    return np.clip(self, min, max).astype(together, copy=False)


@op("clamp_min", pointwise=True, self=lambda grad, self, min: where(self >= min, grad, zeros_as(grad)))
def clamp_min(self: Array, min: float) -> Array:
    self = beside(self, min)
    refuse("clamp_min_scalar_cpu", "b", self)
    return np.maximum(self, self.dtype.type(dtypes.fitting(min, self.dtype)))


@op("clamp_max", pointwise=True, self=lambda grad, self, max: where(self <= max, grad, zeros_as(grad)))
def clamp_max(self: Array, max: float) -> Array:
    self = beside(self, max)
    refuse("clamp_max_scalar_cpu", "b", self)
    return np.minimum(self, self.dtype.type(dtypes.fitting(max, self.dtype)))


@op(
    "clamp_min.Tensor",
    pointwise=True,
    promote=("self", "min"),
    nr=1,
    self=lambda grad, self, min: where(self >= min, grad, zeros_as(grad)),
    min=lambda grad, self, min: where(self < min, grad, zeros_as(grad)),
)
def clamp_min_tensor(self: Array, min: Array) -> Array:
    return np.maximum(self, min)


@op(
    "clamp_max.Tensor",
    pointwise=True,
    promote=("self", "max"),
    nr=1,
    self=lambda grad, self, max: where(self <= max, grad, zeros_as(grad)),
    max=lambda grad, self, max: where(self > max, grad, zeros_as(grad)),
)
def clamp_max_tensor(self: Array, max: Array) -> Array:
    return np.minimum(self, max)


@both
def choose_grad(grad: Array, tied: Array, lost: Array) -> Array:
    """`grad` where this side won, half of it at a tie."""
    return masked_fill(where(tied, div_scalar(grad, 2), grad), lost, 0)


@op(
    "maximum(Tensor self, Tensor other) -> Tensor: function method out",
    pointwise=True,
    tensors_only=True,
    writes=1,
    self=lambda grad, self, other: choose_grad(grad, self == other, self < other),
    other=lambda grad, self, other: choose_grad(grad, self == other, self > other),
)
def maximum(self: Array, other: Array) -> Array:
    return np.maximum(self, other)


@op(
    "minimum(Tensor self, Tensor other) -> Tensor: function method out",
    pointwise=True,
    tensors_only=True,
    writes=1,
    self=lambda grad, self, other: choose_grad(grad, self == other, self > other),
    other=lambda grad, self, other: choose_grad(grad, self == other, self < other),
)
def minimum(self: Array, other: Array) -> Array:
    return np.minimum(self, other)


@op(
    "where.self",
    pointwise=True,
    promote=PAIR,
    self=lambda grad, condition: where(condition, grad, zeros_as(grad)),
    other=lambda grad, condition: where(condition, zeros_as(grad), grad),
)
def where(condition: Array, self: Array, other: Array) -> Array:
    if condition.dtype == np.uint8:
        warn_once("where of bytes", OF_BYTES)
    elif condition.dtype.kind != "b":
        raise RuntimeError(
            "where expected condition to be a boolean tensor, but got a tensor with dtype "
            + errors.type_name(condition.dtype)
        )
    return bare(np.where(condition, self, other))


@op("masked_fill.Scalar", pointwise=True, self=lambda grad, mask: masked_fill(grad, mask, 0))
def masked_fill(self: Array, mask: Array, value: float) -> Array:
    check_mask(mask)
    return bare(np.where(mask, self.dtype.type(dtypes.fitting(value, self.dtype)), self))


def check_mask(mask: Array) -> None:
    if mask.dtype.kind != "b":
        name = errors.c_name(mask.dtype)
        raise RuntimeError(f"masked_fill_ only supports boolean masks, but got mask with dtype {name}")


@op(
    "masked_fill.Tensor",
    pointwise=True,
    self=lambda grad, mask: masked_fill(grad, mask, 0),
    value=lambda grad, mask: sum_all(masked_select(grad, mask)),
)
def masked_fill_tensor(self: Array, mask: Array, value: Array) -> Array:
    check_mask(mask)
    return bare(np.where(mask, value.astype(self.dtype), self))


@both
def sum_all(grad: Array) -> Array:
    return sum(grad)


# ---- writes


@op(
    "zero(Tensor self) -> Tensor: function_ method_",
    pointwise=True,
    node="ZeroBackward0",
    self=lambda grad: zeros_as(grad),
)
def zero(self: Array) -> Array:
    return bare(np.zeros_like(self))


@op("fill.Scalar", pointwise=True, nr=2, self=lambda grad: zeros_as(grad))
def fill(self: Array, value: float) -> Array:
    return bare(np.full_like(self, dtypes.fitting(value, self.dtype)))


@op("fill.Tensor", pointwise=True, nr=3, self=lambda grad: zeros_as(grad), value=lambda grad: sum_all(grad))
def fill_tensor(self: Array, value: Array) -> Array:
    if np.ndim(value):
        raise RuntimeError(f"fill_ only supports 0-dimension value tensor but got tensor with {value.ndim} dimensions.")
    return bare(np.full_like(self, value))


@op("copy", pointwise=True, node="CopyBackwards", self=lambda grad: zeros_as(grad), src=lambda grad: grad)
def copy(self: Array, src: Array) -> Array:
    if src.dtype.kind == "c":
        src = parts_that_fit(src, self.dtype)
    return bare(np.broadcast_to(src, self.shape).astype(self.dtype))


# ---- dtypes


def in_dtype(grad: Any, dtype: Any) -> Any:
    """`grad` in a dtype: itself, where it has that already; the real part, where that is real."""
    if grad.data_.dtype.kind == "c" and dtype.kind != "c":
        grad = GRAPH["real"](grad)
    return grad if grad.data_.dtype == dtype else GRAPH["to_copy"](grad, dtype)


def array_in_dtype(grad: Array, dtype: Any) -> Array:
    if grad.dtype.kind == "c" and dtype.kind != "c":
        grad = grad.real
    return grad if grad.dtype == dtype else grad.astype(dtype)


helper(in_dtype, array_in_dtype)


@op("_to_copy", pointwise=True, node="ToCopyBackward0", self=lambda grad, self_dtype_: in_dtype(grad, self_dtype_))
def to_copy(self: Array, dtype: Any, memory_format: str | None = None) -> Array:
    return bare(as_kind(self, dtype, memory_format))


@op("_to_copy.whole", pointwise=True)
def to_whole(self: Array, dtype: Any, memory_format: str | None = None) -> Array:
    return bare(as_kind(self, dtype, memory_format))


# ---- mantissas and angles


@op(
    "frexp.Tensor",
    node="FrexpBackward0",
    outputs="mantissa | exponent",
    self=lambda grad, exponent: grad / exp2(exponent),
)
def frexp(self: Array) -> tuple[Array, Array]:
    if self.dtype.kind != "f":
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    mantissa, exponent = np.frexp(self)
    return mantissa, exponent.astype(np.int32)


@both
def angle_backward(grad: Array, self: Array) -> Array:
    if not is_complex(self):
        return zeros_as(self)
    return where(self == 0, zeros_as(self), mul_scalar(grad * self / pow_scalar(abs(self), 2), 1j))


@op(
    "angle(Tensor self) -> Tensor: function method out",
    floating=True,
    self=lambda grad, self: angle_backward(grad, self),
)
def angle(self: Array) -> Array:
    if self.dtype.kind == "c":
        return np.angle(self)[()]
    return np.where(np.isnan(self), self, np.where(self < 0, math.pi, 0)).astype(self.dtype)[()]


# ---- negation and reciprocal


@op(
    """
    neg(Tensor self) -> Tensor
    negative(Tensor self) -> Tensor
    """,
    pointwise=True,
    self=lambda grad: -grad,
)
def neg(self: Array) -> Array:
    return -self


@op(
    "reciprocal(Tensor self) -> Tensor",
    pointwise=True,
    floating=True,
    self=lambda grad, result: after(conj(result * result), -grad),
)
def reciprocal(self: Array) -> Array:
    return 1 / self
