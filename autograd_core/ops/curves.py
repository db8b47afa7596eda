"""Exponentials, logarithms, roots, circles. Formulas: PyTorch's derivatives.yaml."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from .. import arithmetic
from ..op import RAW, both, op
from ..tensor import Array
from .joint import joint
from .kernels import refuse

PAIR = ("self", "other")


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


@op("rsqrt", floating=True, self=lambda grad, result: rsqrt_backward(grad, result))
def rsqrt(self: Array) -> Array:
    return 1 / np.sqrt(self)


@both
def rsqrt_backward(grad: Array, result: Array) -> Array:
    cube = pow_scalar(result, 3)  # torch makes it first
    return mul_scalar(grad, -0.5) * cube


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


@op("atanh", floating=True, self=lambda grad, self: mul_scalar(grad, 1) / one_minus(pow_scalar(self, 2)))
def atanh(self: Array) -> Array:
    return np.arctanh(self)


@joint(
    "atan2",
    of=PAIR,
    promote=PAIR,
    tensors_only=True,
    floating=True,
    formula=lambda grad, self, other, mask: atan2_backward(grad, self, other, mask),
)
def atan2(self: Array, other: Array) -> Array:
    return np.arctan2(self, other)


@both
def atan2_backward(grad: Array, self: Array, other: Array, mask: Sequence[bool]) -> tuple[Array, Array]:
    below = other * other
    square = self * self + below
    scale = masked_fill(reciprocal(square), square == 0, 0)
    return grad * other * scale if mask[0] else None, grad * -self * scale if mask[1] else None


@op(
    "hypot",
    promote=PAIR,
    tensors_only=True,
    self=lambda grad, self, result: grad * self / result,
    other=lambda grad, other, result: grad * other / result,
)
def hypot(self: Array, other: Array) -> Array:
    refuse("hypot_cpu", "biu", self, other)
    return np.hypot(self, other)


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


@op("tanh", floating=True, fitting=True, over=tanh_over, self=lambda grad, result: tanh_backward(grad, result))
def tanh(self: Array) -> Array:
    return arithmetic.tanh(self)


@op(
    "tanh_backward",
    grad_output=lambda grad, output: tanh_backward(grad, output),
    output=lambda grad, grad_output, output: grad * (mul_scalar(output, -2) * grad_output),
)
def tanh_backward(grad_output: Array, output: Array) -> Array:
    if not alike(grad_output, output):
        return grad_output * (1 - output * output)
    return times_rest(grad_output, output * output)


@op("sigmoid", floating=True, fitting=True, self=lambda grad, result: sigmoid_backward(grad, result))
def sigmoid(self: Array) -> Array:
    return 1 / (1 + arithmetic.exp(-self))


@op(
    "sigmoid_backward",
    grad_output=lambda grad, output: sigmoid_backward(grad, output),
    output=lambda grad, grad_output, output: grad * grad_output * add_scalar(mul_scalar(output, -2), 1),
)
def sigmoid_backward(grad_output: Array, output: Array) -> Array:
    if not alike(grad_output, output):
        return grad_output * (1 - output) * output
    slope = np.subtract(arithmetic.ONE, output)
    np.multiply(grad_output, slope, slope)
    return np.multiply(slope, output, slope)


@op("logit", floating=True, self=lambda grad, self, eps: logit_backward(grad, self, eps))
def logit(self: Array, eps: float | None = None) -> Array:
    x = self if eps is None else np.clip(self, eps, 1 - eps)
    return np.log(x / (1 - x))


@both
def logit_backward(grad: Array, self: Array, eps: Any) -> Array:
    low, high = (0, 1) if eps is None else (eps, 1 - eps)
    outside = zeros_as(self) + (float("nan") if eps is None else 0)
    return where((self >= low) & (self <= high), grad / (self * one_minus(self)), outside)


@op("nan_to_num", self=lambda grad, self: grad * isfinite(self))
def nan_to_num(
    self: Array, nan: float | None = None, posinf: float | None = None, neginf: float | None = None
) -> Array:
    return np.nan_to_num(self, nan=0.0 if nan is None else nan, posinf=posinf, neginf=neginf)
