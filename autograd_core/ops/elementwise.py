"""Operators that work element by element. Formulas: PyTorch's derivatives.yaml."""

# ruff: noqa: F821
# mypy: disable-error-code="no-any-return, no-untyped-call, misc, name-defined, has-type, call-overload, arg-type"

from __future__ import annotations

from typing import Any

import numpy as np

from .. import arithmetic
from ..op import both, op
from ..tensor import Array, bare

PAIR = ("self", "other")


@both
def scaled(grad: Array, by: Any) -> Array:
    return grad if by == 1 else mul_scalar(grad, by)


# ---- arithmetic


@op(
    "add.Tensor",
    promote=PAIR,
    self=lambda grad, alpha: grad,
    other=lambda grad, alpha: scaled(grad, alpha),
)
def add(self: Array, other: Array, alpha: float = 1) -> Array:
    return self + other if alpha == 1 else self + other * alpha


@op("add.Scalar", self=lambda grad: grad)
def add_scalar(self: Array, other: float) -> Array:
    return self + other


@op(
    "sub.Tensor",
    promote=PAIR,
    self=lambda grad, alpha: grad,
    other=lambda grad, alpha: scaled(-grad, alpha),
)
def sub(self: Array, other: Array, alpha: float = 1) -> Array:
    return self - other if alpha == 1 else self - other * alpha


@op("rsub.Scalar", nr=1, self=lambda grad, alpha: scaled(-grad, alpha))
def rsub(self: Array, other: float, alpha: float = 1) -> Array:
    return other - (self if alpha == 1 else self * alpha)


@op(
    "mul.Tensor",
    promote=PAIR,
    self=lambda grad, other: grad * other,
    other=lambda grad, self: grad * self,
)
def mul(self: Array, other: Array) -> Array:
    return self * other


@op("mul.Scalar", self=lambda grad, other: mul_scalar(grad, other))
def mul_scalar(self: Array, other: float) -> Array:
    return self * other


@op(
    "div.Tensor",
    promote=PAIR,
    floating=True,
    self=lambda grad, other: grad / other,
    other=lambda grad, self, other: -grad * ((self / other) / other),
)
def div(self: Array, other: Array) -> Array:
    return self / other


@op("div.Scalar", self=lambda grad, other: div_scalar(grad, other))
def div_scalar(self: Array, other: float) -> Array:
    return self / other


def check_divisor(self: Array, other: Array | float) -> None:
    """Whole numbers cannot be divided by zero.

    Raises:
        RuntimeError: they would be.
    """
    if self.dtype.kind != "f" and np.any(np.equal(other, 0)):
        raise RuntimeError("ZeroDivisionError")


@op(
    "div.Tensor_mode",
    promote=PAIR,
    self=lambda grad, other, rounding_mode: zeros_as(grad),
    other=lambda grad, self, rounding_mode: zeros_as(grad),
)
def div_mode(self: Array, other: Array, rounding_mode: str) -> Array:
    check_divisor(self, other)
    quotient = np.true_divide(self, other) if self.dtype.kind == "f" else self / other
    rounded = np.floor(quotient) if rounding_mode == "floor" else np.trunc(quotient)
    return rounded.astype(self.dtype)


@op("remainder.Scalar", self=lambda grad: grad)
def remainder_scalar(self: Array, other: float) -> Array:
    check_divisor(self, other)
    return np.mod(self, other)


@op(
    "remainder.Tensor",
    promote=PAIR,
    self=lambda grad: grad,
    other=lambda grad, self, other: -grad * floor(self / other),
)
def remainder(self: Array, other: Array) -> Array:
    check_divisor(self, other)
    return np.mod(self, other)


@op("fmod.Scalar", self=lambda grad: grad)
def fmod_scalar(self: Array, other: float) -> Array:
    check_divisor(self, other)
    return np.fmod(self, other)


@op("fmod.Tensor", promote=PAIR, self=lambda grad: grad, other=lambda grad, self, other: -grad * trunc(self / other))
def fmod(self: Array, other: Array) -> Array:
    check_divisor(self, other)
    return np.fmod(self, other)


@op("neg", self=lambda grad: -grad)
def neg(self: Array) -> Array:
    return -self


@op("reciprocal", floating=True, self=lambda grad, result: -grad * (result * result))
def reciprocal(self: Array) -> Array:
    return 1 / self


@op(
    "addcmul",
    promote=("self", "tensor1", "tensor2"),
    self=lambda grad: grad,
    tensor1=lambda grad, tensor2, value: grad * scaled(tensor2, value),
    tensor2=lambda grad, tensor1, value: grad * scaled(tensor1, value),
)
def addcmul(self: Array, tensor1: Array, tensor2: Array, value: float = 1) -> Array:
    return self + tensor1 * tensor2 * self.dtype.type(value)


@op(
    "addcdiv",
    promote=("self", "tensor1", "tensor2"),
    self=lambda grad: grad,
    tensor1=lambda grad, tensor2, value: grad * (value / tensor2),
    tensor2=lambda grad, tensor1, tensor2, value: -grad * scaled(tensor1 / (tensor2 * tensor2), value),
)
def addcdiv(self: Array, tensor1: Array, tensor2: Array, value: float = 1) -> Array:
    return self + self.dtype.type(value) * tensor1 / tensor2


@op(
    "lerp.Scalar",
    self=lambda grad, weight: mul_scalar(grad, 1 - weight),
    end=lambda grad, weight: mul_scalar(grad, weight),
)
def lerp(self: Array, end: Array, weight: float) -> Array:
    near = weight < 0.5
    return self + self.dtype.type(weight) * (end - self) if near else end - (end - self) * self.dtype.type(1 - weight)


# ---- powers


@both
def pow_backward(grad: Array, self: Array, exponent: Any) -> Array:
    if exponent == 0:
        return zeros_as(self)
    exponent = exponent * 1.0
    return grad * mul_scalar(pow_scalar(self, exponent - 1), exponent)


@both
def pow_backward_self(grad: Array, self: Array, exponent: Array) -> Array:
    return where(exponent == 0, zeros_as(grad), grad * (exponent * pow(self, exponent - 1)))


@both
def pow_backward_exponent(grad: Array, self: Array, exponent: Array, result: Array) -> Array:
    still = (self == 0) & (exponent >= 0)
    return grad * where(still, zeros_as(result), result * log(self))


@op("pow.Tensor_Scalar", self=lambda grad, self, exponent: pow_backward(grad, self, exponent))
def pow_scalar(self: Array, exponent: float) -> Array:
    if self.dtype.kind in "iu" and isinstance(exponent, float):
        return arithmetic.power(self.astype(np.float32), np.float32(exponent))
    if self.dtype.kind in "iu" and exponent < 0:
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    return power(self, exponent)


@op(
    "pow.Tensor_Tensor",
    promote=("self", "exponent"),
    self=lambda grad, self, exponent: pow_backward_self(grad, self, exponent),
    exponent=lambda grad, self, exponent, result: pow_backward_exponent(grad, self, exponent, result),
)
def pow(self: Array, exponent: Array) -> Array:
    return arithmetic.power(self, exponent)


@both
def pow_backward_scalar(grad: Array, self: float, exponent: Array, result: Array) -> Array:
    if self == 0:
        return grad * where(exponent >= 0, zeros_as(result), result * log_of(self))
    return grad * (result * log_of(self))


@op("pow.Scalar", exponent=lambda grad, self, exponent, result: pow_backward_scalar(grad, self, exponent, result))
def rpow(self: float, exponent: Array) -> Array:
    base = exponent.dtype.type(self) if exponent.dtype.kind == "f" else self
    return arithmetic.power(base, exponent)


def power(base: Array, exponent: float) -> Array:
    """`base ** exponent`; small whole exponents by multiplication, as torch does."""
    if exponent == 2:
        return base * base
    if exponent == 3:
        return base * base * base
    if exponent == 0.5:
        return np.sqrt(base)
    if exponent == 1:
        return base + base.dtype.type(0)
    if base.dtype.kind == "f" and exponent in (-1, -2):
        return 1 / base if exponent == -1 else 1 / (base * base)
    return arithmetic.power(base, exponent if base.dtype.kind in "iu" else base.dtype.type(exponent))


@both
def log_of(number: float) -> float:
    return float(np.log(np.float64(number)))


# ---- exponentials, roots, circles


@op("exp", floating=True, self=lambda grad, result: grad * result)
def exp(self: Array) -> Array:
    return arithmetic.exp(self)


@op("expm1", floating=True, self=lambda grad, result: grad * add_scalar(result, 1))
def expm1(self: Array) -> Array:
    return arithmetic.expm1(self)


@op("exp2", floating=True, self=lambda grad, result: mul_scalar(grad * result, 0.6931471805599453))
def exp2(self: Array) -> Array:
    return arithmetic.exp2(self)


@op("log", floating=True, self=lambda grad, self: grad / self)
def log(self: Array) -> Array:
    return arithmetic.log(self)


@op("log2", floating=True, self=lambda grad, self: grad / mul_scalar(self, 0.6931471805599453))
def log2(self: Array) -> Array:
    return arithmetic.log2(self)


@op("log10", floating=True, self=lambda grad, self: grad / mul_scalar(self, 2.302585092994046))
def log10(self: Array) -> Array:
    return arithmetic.log10(self)


@op("log1p", floating=True, node="Log1PBackward0", self=lambda grad, self: grad / add_scalar(self, 1))
def log1p(self: Array) -> Array:
    return arithmetic.log1p(self)


@op("sqrt", floating=True, self=lambda grad, result: grad / mul_scalar(result, 2))
def sqrt(self: Array) -> Array:
    return np.sqrt(self)


@op("rsqrt", floating=True, self=lambda grad, result: mul_scalar(grad, -0.5) * pow_scalar(result, 3))
def rsqrt(self: Array) -> Array:
    return 1 / np.sqrt(self)


@op("sin", floating=True, self=lambda grad, self: grad * cos(self))
def sin(self: Array) -> Array:
    return arithmetic.sin(self)


@op("cos", floating=True, self=lambda grad, self: grad * -sin(self))
def cos(self: Array) -> Array:
    return arithmetic.cos(self)


@op("tan", floating=True, self=lambda grad, result: grad * add_scalar(pow_scalar(result, 2), 1))
def tan(self: Array) -> Array:
    return arithmetic.tan(self)


@op("sinh", floating=True, self=lambda grad, self: grad * cosh(self))
def sinh(self: Array) -> Array:
    return arithmetic.sinh(self)


@op("cosh", floating=True, self=lambda grad, self: grad * sinh(self))
def cosh(self: Array) -> Array:
    return arithmetic.cosh(self)


@op("asin", floating=True, self=lambda grad, self: grad * rsqrt(add_scalar(-self * self, 1)))
def asin(self: Array) -> Array:
    return arithmetic.arcsin(self)


@op("acos", floating=True, self=lambda grad, self: grad * -rsqrt(add_scalar(-self * self, 1)))
def acos(self: Array) -> Array:
    return arithmetic.arccos(self)


@op("atan", floating=True, self=lambda grad, self: grad / add_scalar(self * self, 1))
def atan(self: Array) -> Array:
    return arithmetic.arctan(self)


@op("atanh", floating=True, self=lambda grad, self: grad / rsub(self * self, 1))
def atanh(self: Array) -> Array:
    return np.arctanh(self)


@op(
    "atan2",
    promote=PAIR,
    floating=True,
    self=lambda grad, self, other: atan2_scale(grad, self, other) * other,
    other=lambda grad, self, other: atan2_scale(grad, self, other) * -self,
)
def atan2(self: Array, other: Array) -> Array:
    return np.arctan2(self, other)


@both
def atan2_scale(grad: Array, self: Array, other: Array) -> Array:
    square = self * self + other * other
    return masked_fill(grad * reciprocal(square), square == 0, 0)


@op(
    "hypot",
    promote=PAIR,
    self=lambda grad, self, result: grad * self / result,
    other=lambda grad, other, result: grad * other / result,
)
def hypot(self: Array, other: Array) -> Array:
    return np.hypot(self, other)


@op("tanh", floating=True, self=lambda grad, result: tanh_backward(grad, result))
def tanh(self: Array) -> Array:
    return arithmetic.tanh(self)


@op(
    "tanh_backward",
    grad_output=lambda grad, output: tanh_backward(grad, output),
    output=lambda grad, grad_output, output: grad * (mul_scalar(output, -2) * grad_output),
)
def tanh_backward(grad_output: Array, output: Array) -> Array:
    return grad_output * (1 - output * output)


@op("sigmoid", floating=True, self=lambda grad, result: sigmoid_backward(grad, result))
def sigmoid(self: Array) -> Array:
    return 1 / (1 + arithmetic.exp(-self))


@op(
    "sigmoid_backward",
    grad_output=lambda grad, output: sigmoid_backward(grad, output),
    output=lambda grad, grad_output, output: grad * grad_output * add_scalar(mul_scalar(output, -2), 1),
)
def sigmoid_backward(grad_output: Array, output: Array) -> Array:
    return grad_output * (1 - output) * output


@op("logit", floating=True, self=lambda grad, self, eps: logit_backward(grad, self, eps))
def logit(self: Array, eps: float | None = None) -> Array:
    x = self if eps is None else np.clip(self, eps, 1 - eps)
    return np.log(x / (1 - x))


@both
def logit_backward(grad: Array, self: Array, eps: Any) -> Array:
    low, high = (0, 1) if eps is None else (eps, 1 - eps)
    outside = zeros_as(self) + (float("nan") if eps is None else 0)
    return where((self >= low) & (self <= high), grad / (self * rsub(self, 1)), outside)


@op("nan_to_num", self=lambda grad, self: grad * isfinite(self))
def nan_to_num(
    self: Array, nan: float | None = None, posinf: float | None = None, neginf: float | None = None
) -> Array:
    return np.nan_to_num(self, nan=0.0 if nan is None else nan, posinf=posinf, neginf=neginf)


# ---- pieces


@op("relu", self=lambda grad, result: threshold_backward(grad, result, 0))
def relu(self: Array) -> Array:
    return np.maximum(self, 0)


@op(
    "threshold_backward",
    grad_output=lambda grad, self, threshold: threshold_backward(grad, self, threshold),
    self=lambda grad: zeros_as(grad),
)
def threshold_backward(grad_output: Array, self: Array, threshold: float) -> Array:
    return bare(np.where(self <= threshold, grad_output.dtype.type(0), grad_output))


@op("abs", self=lambda grad, self: grad * sgn(self))
def abs(self: Array) -> Array:
    return np.abs(self)


@op("sgn", self=lambda grad, self, result: zeros_as(grad))
def sgn(self: Array) -> Array:
    return np.sign(self)


@op("sign", self=lambda grad: zeros_as(grad))
def sign(self: Array) -> Array:
    return np.sign(self)


@op("floor", self=lambda grad: zeros_as(grad))
def floor(self: Array) -> Array:
    return np.floor(self)


@op("ceil", self=lambda grad: zeros_as(grad))
def ceil(self: Array) -> Array:
    return np.ceil(self)


@op("round", self=lambda grad: zeros_as(grad))
def round(self: Array) -> Array:
    return np.round(self)


@op("trunc", self=lambda grad: zeros_as(grad))
def trunc(self: Array) -> Array:
    return np.trunc(self)


@op("frac", self=lambda grad: grad)
def frac(self: Array) -> Array:
    return self - np.trunc(self)


@both
def clamp_mask(self: Array, min: Any, max: Any) -> Array:
    if min is None:
        return self <= max
    return self >= min if max is None else (self >= min) & (self <= max)


@op("clamp", nr=1, self=lambda grad, self, min, max: where(clamp_mask(self, min, max), grad, zeros_as(grad)))
def clamp(self: Array, min: float | None = None, max: float | None = None) -> Array:
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    return np.clip(self, min, max)


@op(
    "clamp.Tensor",
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
    return np.clip(self, min, max)


@op("clamp_min", self=lambda grad, self, min: where(self >= min, grad, zeros_as(grad)))
def clamp_min(self: Array, min: float) -> Array:
    return np.maximum(self, self.dtype.type(min))


@op("clamp_max", self=lambda grad, self, max: where(self <= max, grad, zeros_as(grad)))
def clamp_max(self: Array, max: float) -> Array:
    return np.minimum(self, self.dtype.type(max))


@both
def chosen(grad: Array, tied: Array, lost: Array) -> Array:
    """`grad` where this side won, half of it at a tie."""
    return masked_fill(where(tied, div_scalar(grad, 2), grad), lost, 0)


@op(
    "maximum",
    writes=1,
    promote=PAIR,
    self=lambda grad, self, other: chosen(grad, self == other, self < other),
    other=lambda grad, self, other: chosen(grad, self == other, self > other),
)
def maximum(self: Array, other: Array) -> Array:
    return np.maximum(self, other)


@op(
    "minimum",
    writes=1,
    promote=PAIR,
    self=lambda grad, self, other: chosen(grad, self == other, self > other),
    other=lambda grad, self, other: chosen(grad, self == other, self < other),
)
def minimum(self: Array, other: Array) -> Array:
    return np.minimum(self, other)


@op(
    "where.self",
    promote=PAIR,
    self=lambda grad, condition: where(condition, grad, zeros_as(grad)),
    other=lambda grad, condition: where(condition, zeros_as(grad), grad),
)
def where(condition: Array, self: Array, other: Array) -> Array:
    if condition.dtype.kind != "b":
        raise RuntimeError(
            f"where expected condition to be a boolean tensor, but got a tensor with dtype {condition.dtype}"
        )
    return bare(np.where(condition, self, other))


@op("masked_fill.Scalar", self=lambda grad, mask: masked_fill(grad, mask, 0))
def masked_fill(self: Array, mask: Array, value: float) -> Array:
    if mask.dtype.kind != "b":
        raise RuntimeError("masked_fill_ only supports boolean masks, but got mask with dtype " + str(mask.dtype))
    return bare(np.where(mask, self.dtype.type(value), self))


@op(
    "masked_fill.Tensor",
    self=lambda grad, mask: masked_fill(grad, mask, 0),
    value=lambda grad, mask: sum_all(where(mask, grad, zeros_as(grad))),
)
def masked_fill_tensor(self: Array, mask: Array, value: Array) -> Array:
    return bare(np.where(mask, value.astype(self.dtype), self))


@both
def sum_all(grad: Array) -> Array:
    return sum(grad)


# ---- writes


@op("zero", node="ZeroBackward0", self=lambda grad: zeros_as(grad))
def zero(self: Array) -> Array:
    return bare(np.zeros_like(self))


@op("fill.Scalar", nr=2, self=lambda grad: zeros_as(grad))
def fill(self: Array, value: float) -> Array:
    return bare(np.full_like(self, value))


@op("fill.Tensor", nr=3, self=lambda grad: zeros_as(grad), value=lambda grad: sum_all(grad))
def fill_tensor(self: Array, value: Array) -> Array:
    if np.ndim(value):
        raise RuntimeError(f"fill_ only supports 0-dimension value tensor but got tensor with {value.ndim} dimensions.")
    return bare(np.full_like(self, value))


@op("copy", node="CopyBackwards", self=lambda grad: zeros_as(grad), src=lambda grad: grad)
def copy(self: Array, src: Array) -> Array:
    return bare(np.broadcast_to(src, self.shape).astype(self.dtype))


# ---- dtypes


@op("_to_copy", node="ToCopyBackward0", self=lambda grad, self_dtype_: to_copy(grad, self_dtype_))
def to_copy(self: Array, dtype: Any) -> Array:
    return self.astype(dtype)


@op("_to_copy.whole")
def to_whole(self: Array, dtype: Any) -> Array:
    return self.astype(dtype)


# ---- without a derivative


@op("zeros_like")
def zeros_as(self: Array) -> Array:
    return bare(np.zeros_like(self))


@op("eq.Tensor", promote=PAIR)
def eq(self: Array, other: Array) -> Array:
    return np.equal(self, other)


@op("ne.Tensor", promote=PAIR)
def ne(self: Array, other: Array) -> Array:
    return np.not_equal(self, other)


@op("lt.Tensor", promote=PAIR)
def lt(self: Array, other: Array) -> Array:
    return np.less(self, other)


@op("le.Tensor", promote=PAIR)
def le(self: Array, other: Array) -> Array:
    return np.less_equal(self, other)


@op("gt.Tensor", promote=PAIR)
def gt(self: Array, other: Array) -> Array:
    return np.greater(self, other)


@op("ge.Tensor", promote=PAIR)
def ge(self: Array, other: Array) -> Array:
    return np.greater_equal(self, other)


@op("logical_and", promote=PAIR)
def logical_and(self: Array, other: Array) -> Array:
    return np.logical_and(self, other)


@op("logical_or", promote=PAIR)
def logical_or(self: Array, other: Array) -> Array:
    return np.logical_or(self, other)


@op("logical_not")
def logical_not(self: Array) -> Array:
    return np.logical_not(self)


@op("bitwise_and.Tensor", promote=PAIR)
def bitwise_and(self: Array, other: Array) -> Array:
    return np.bitwise_and(self, other)


@op("bitwise_or.Tensor", promote=PAIR)
def bitwise_or(self: Array, other: Array) -> Array:
    return np.bitwise_or(self, other)


@op("bitwise_xor.Tensor", promote=PAIR)
def bitwise_xor(self: Array, other: Array) -> Array:
    return np.bitwise_xor(self, other)


@op("bitwise_not")
def bitwise_not(self: Array) -> Array:
    return np.invert(self)


@op("isnan")
def isnan(self: Array) -> Array:
    return np.isnan(self)


@op("isinf")
def isinf(self: Array) -> Array:
    return np.isinf(self)


@op("isfinite")
def isfinite(self: Array) -> Array:
    return np.isfinite(self)
