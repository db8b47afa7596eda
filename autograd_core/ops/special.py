"""The rarer functions of one number. Formulas: PyTorch's derivatives.yaml."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..op import both, helper, op
from ..tensor import Array
from .polygammas import bends, higher, slopes


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


@op(
    "erfinv",
    floating=True,
    self=lambda grad, self: mul_scalar(exp(pow_scalar(erfinv(self), 2)), 0.886226925452758) * grad,
)
def erfinv(self: Array) -> Array:
    return elementwise(inverse_erf, self)


def inverse_erf(y: float) -> float:
    """Where erf is `y`: a first guess (Winitzki, 2008), then Newton's steps to the last digit."""
    if not -1 < y < 1:
        return math.copysign(math.inf, y) if abs(y) == 1 else math.nan
    if y == 0:
        return y
    t = math.log1p(-y * y)
    half = 2 / (math.pi * 0.147) + t / 2
    x = math.copysign(math.sqrt(math.sqrt(half * half - t / 0.147) - half), y)
    side = math.copysign(1, y)
    for _ in range(4):
        off = math.erf(x) - y if abs(y) < 0.5 else side * (1 - abs(y) - math.erfc(abs(x)))
        x -= off * math.sqrt(math.pi) / 2 * math.exp(x * x)
    return x


@op("i0", node="I0Backward0", floating=True, self=lambda grad, self: grad * i1(self))
def i0(self: Array) -> Array:
    return np.i0(self.astype(np.float64)).astype(self.dtype).reshape(np.shape(self))[()]


@op("special_i1", floating=True, self=lambda grad, self, result: i1_backward(grad, self, result))
def i1(self: Array) -> Array:
    return elementwise(bessel_one, self)


def eps_of(data: Any) -> float:
    """The step from 1 to the next number, in the dtype of a tensor or an array."""
    return float(np.finfo(getattr(data, "data_", data).dtype).eps)


helper(eps_of)


@both
def not_tiny(self: Array) -> Array:
    """`self`, where it can be divided by, else the smallest step from 1."""
    least = eps_of(self)
    return where(abs(self) > least, self, zeros_as(self) + least)


@both
def i1_backward(grad: Array, self: Array, result: Array) -> Array:
    safe = not_tiny(self)
    slope = i0(safe) - result * reciprocal(safe)
    return grad * where(abs(self) > eps_of(self), slope, zeros_as(self) + 0.5)


@both
def i1e_backward(grad: Array, self: Array, result: Array) -> Array:
    safe = not_tiny(self)
    slope = i0e(safe) - result * (sgn(safe) + reciprocal(safe))
    return grad * where(abs(self) > eps_of(self), slope, zeros_as(self) + 0.5)


def bessel_one(x: float) -> float:
    """The slope of the modified Bessel function of order 0, by its power series."""
    if not math.isfinite(x):
        return math.nan
    term = total = x / 2
    k = 0
    while abs(term) > 1e-17 * abs(total):
        k += 1
        term *= x * x / (4 * k * (k + 1))
        total += term
    return total


@op("lgamma", floating=True, self=lambda grad, self: grad * digamma(self))
def lgamma(self: Array) -> Array:
    return elementwise(log_gamma, self)


def log_gamma(x: float) -> float:
    if math.isnan(x) or x == math.inf:
        return x
    return math.inf if x <= 0 and (math.isinf(x) or x == math.floor(x)) else math.lgamma(x)


@op("digamma", floating=True, self=lambda grad, self: grad * polygamma(1, self))
def digamma(self: Array) -> Array:
    return slopes(self)


@op("polygamma", self=lambda grad, n, self: grad * polygamma(n + 1, self))
def polygamma(n: int, self: Array) -> Array:
    if n < 2:
        return bends(self) if n else slopes(self)
    return higher(n, self)


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
    falling = sin(angle)  # torch makes it first
    slope = grad * ((angle * cos(angle) - falling) / squared)
    return where(squared == 0, zeros_as(slope), slope)


@op("deg2rad", floating=True, node="Deg2RadBackward0", self=lambda grad: mul_scalar(grad, 0.017453292519943295))
def deg2rad(self: Array) -> Array:
    return self * self.dtype.type(math.pi / 180)


@op("rad2deg", floating=True, node="Rad2DegBackward0", self=lambda grad: mul_scalar(grad, 57.29577951308232))
def rad2deg(self: Array) -> Array:
    return self * self.dtype.type(180 / math.pi)


# ---- without a derivative


@op("isposinf")
def isposinf(self: Array) -> Array:
    return np.isposinf(self)


@op("isneginf")
def isneginf(self: Array) -> Array:
    return np.isneginf(self)


@op("signbit")
def signbit(self: Array) -> Array:
    return np.signbit(self)
