"""The rarer functions of one or two numbers. Formulas: PyTorch's derivatives.yaml."""

# ruff: noqa: F821
# mypy: disable-error-code="no-any-return, no-untyped-call, misc, name-defined, has-type, call-overload, arg-type"

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..op import both, op
from ..tensor import Array

PAIR = ("self", "other")


def elementwise(function: Any, data: Array) -> Array:
    """A function of Python floats over every element: for what numpy lacks."""
    kind = data.dtype
    return np.array([function(x) for x in np.asarray(data).ravel().tolist()], kind).reshape(np.shape(data))[()]


# ---- the error function, gamma


@op("erf", floating=True, self=lambda grad, self: mul_scalar(exp(-pow_scalar(self, 2)), 1.1283791670955126) * grad)
def erf(self: Array) -> Array:
    return elementwise(math.erf, self)


@op(
    "erfc",
    floating=True,
    self=lambda grad, self: mul_scalar(exp(-pow_scalar(self, 2)), -1.1283791670955126) * grad,
)
def erfc(self: Array) -> Array:
    return elementwise(math.erfc, self)


@op("lgamma", floating=True, self=lambda grad, self: grad * digamma(self))
def lgamma(self: Array) -> Array:
    return elementwise(log_gamma, self)


def log_gamma(x: float) -> float:
    if math.isnan(x):
        return x
    return math.inf if x <= 0 and (x == math.floor(x) or math.isinf(x)) else math.lgamma(x)


@op("digamma", floating=True, self=lambda grad, self: grad * polygamma(1, self))
def digamma(self: Array) -> Array:
    return elementwise(psi, self)


def psi(x: float) -> float:
    """The slope of log gamma: by reflection and recurrence to where the asymptotic series is exact to a double."""
    if math.isnan(x) or x == math.inf:
        return x
    if x == 0:
        return math.copysign(math.inf, -x)
    if x < 0:
        whole = math.isinf(x) or x == math.floor(x)
        return math.nan if whole else psi(1 - x) - math.pi / math.tan(math.pi * x)
    shifted = 0.0
    while x < 10:
        shifted -= 1 / x
        x += 1
    inverse = 1 / (x * x)
    series = 0.0
    for coefficient in (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12)[::-1]:
        series = series * inverse + coefficient
    return shifted + math.log(x) - 0.5 / x - series * inverse


@op("polygamma", self=lambda grad, n, self: grad * polygamma(n + 1, self))
def polygamma(n: int, self: Array) -> Array:
    if n == 0:
        return elementwise(psi, self)
    return elementwise(lambda x: (-1) ** (n + 1) * math.factorial(n) * zeta(n + 1, x), self)


def zeta(s: int, x: float) -> float:
    """The sum of 1 / (x + k)**s over k, by Euler and Maclaurin."""
    if math.isnan(x):
        return x
    if x <= 0 and x == math.floor(x):
        return math.inf if s % 2 == 0 or x == 0 else math.nan
    total = 0.0
    while x < 16:
        total += x**-s
        x += 1
    total += x ** (1 - s) / (s - 1) + 0.5 * x**-s
    term = s * x ** (-s - 1)
    for k, bernoulli in enumerate((1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6), 1):
        total += bernoulli / math.factorial(2 * k) * term
        term *= (s + 2 * k - 1) * (s + 2 * k) / (x * x)
    return total


# ---- circles and their inverses


@op("asinh", floating=True, self=lambda grad, self: grad * rsqrt(add_scalar(pow_scalar(self, 2), 1)))
def asinh(self: Array) -> Array:
    return np.arcsinh(self)


@op("acosh", floating=True, self=lambda grad, self: grad * rsqrt(sub_scalar(pow_scalar(self, 2), 1)))
def acosh(self: Array) -> Array:
    return np.arccosh(self)


@op("sinc", floating=True, self=lambda grad, self: sinc_backward(grad, self))
def sinc(self: Array) -> Array:
    return np.sinc(self)


@both
def sinc_backward(grad: Array, self: Array) -> Array:
    angle = mul_scalar(self, 3.141592653589793)
    squared = mul_scalar(self * self, 3.141592653589793)
    slope = grad * ((angle * cos(angle) - sin(angle)) / squared)
    return where(squared == 0, zeros_as(slope), slope)


@op("deg2rad", floating=True, node="Deg2RadBackward0", self=lambda grad: mul_scalar(grad, 0.017453292519943295))
def deg2rad(self: Array) -> Array:
    return self * self.dtype.type(math.pi / 180)


@op("rad2deg", floating=True, node="Rad2DegBackward0", self=lambda grad: mul_scalar(grad, 57.29577951308232))
def rad2deg(self: Array) -> Array:
    return self * self.dtype.type(180 / math.pi)


# ---- logarithms of two


@op(
    "logaddexp",
    promote=PAIR,
    tensors_only=True,
    floating=True,
    self=lambda grad, self, other: grad / add_scalar(exp(other - self), 1),
    other=lambda grad, self, other: grad / add_scalar(exp(self - other), 1),
)
def logaddexp(self: Array, other: Array) -> Array:
    return np.logaddexp(self, other)


@op(
    "logaddexp2",
    promote=PAIR,
    tensors_only=True,
    floating=True,
    self=lambda grad, self, other: grad / add_scalar(rpow(2, other - self), 1),
    other=lambda grad, self, other: grad / add_scalar(rpow(2, self - other), 1),
)
def logaddexp2(self: Array, other: Array) -> Array:
    return np.logaddexp2(self, other)


@op(
    "xlogy.Tensor",
    promote=PAIR,
    floating=True,
    self=lambda grad, self, other: masked_fill(xlogy(grad, other), (self == 0) & (other <= 0), 0),
    other=lambda grad, self, other: grad * self / other,
)
def xlogy(self: Array, other: Array) -> Array:
    logs = self * np.log(other)
    return np.where(np.isnan(other), other, np.where(self == 0, logs.dtype.type(0), logs))[()]


# ---- choices that ignore nan, signs


@op(
    "fmax",
    promote=PAIR,
    tensors_only=True,
    self=lambda grad, self, other: masked_fill(grad, logical_not((self >= other) | isnan(other)), 0),
    other=lambda grad, self, other: masked_fill(grad, (self >= other) | isnan(other), 0),
)
def fmax(self: Array, other: Array) -> Array:
    return np.fmax(self, other)


@op(
    "fmin",
    promote=PAIR,
    tensors_only=True,
    self=lambda grad, self, other: masked_fill(grad, logical_not((self <= other) | isnan(other)), 0),
    other=lambda grad, self, other: masked_fill(grad, (self <= other) | isnan(other), 0),
)
def fmin(self: Array, other: Array) -> Array:
    return np.fmin(self, other)


@op(
    "copysign.Tensor",
    promote=PAIR,
    floating=True,
    self=lambda grad, self, result: copysign_backward(grad, self, result),
    other=lambda grad: zeros_as(grad),
)
def copysign(self: Array, other: Array) -> Array:
    return np.copysign(self, other)


@both
def copysign_backward(grad: Array, self: Array, result: Array) -> Array:
    return grad * masked_fill(result / self, self == 0, 0)


# ---- without a derivative


@op(
    "heaviside",
    tensors_only=True,
    node="NotImplemented",
    self=lambda grad: not_derived("heaviside"),
    values=lambda grad: None,
)
def heaviside(self: Array, values: Array) -> Array:
    return np.heaviside(self, values)


@op("logical_xor", promote=PAIR)
def logical_xor(self: Array, other: Array) -> Array:
    return np.logical_xor(self, other)


@op("isposinf")
def isposinf(self: Array) -> Array:
    return np.isposinf(self)


@op("isneginf")
def isneginf(self: Array) -> Array:
    return np.isneginf(self)


@op("signbit")
def signbit(self: Array) -> Array:
    return np.signbit(self)
