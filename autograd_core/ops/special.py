"""Special functions: erf and what is made of it, the gamma function and its derivatives.

Formulas: PyTorch's derivatives.yaml.

Whole arrays are computed in the steps and the type of torch's kernels, so that the digits are its own. Sources: DLMF
5.5 (reflection, recurrence), 5.11 (the series for large numbers), 25.11.5 (Euler and Maclaurin).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..dispatch.op import both, helper, op
from ..errors import Unsupported
from ..tensor.tensor import Array

# ---- the derivatives of log gamma, over arrays


FAR = 1e4
"""So far below zero the sum of all powers is taken term by term; no further."""

PSI = (1 / 12, -691 / 32760, 1 / 132, -1 / 240, 1 / 252, -1 / 120, 1 / 12)
"""The series of digamma in powers of 1 / x**2, the highest first."""


def to_compute_dtype(data: Array) -> Array:
    """`data` in the type in which it is computed: halves in float32."""
    kind = np.dtype(np.float32) if data.dtype.itemsize == 2 else data.dtype
    return np.array(data, kind)


def slopes(data: Array) -> Array:
    """Digamma of each element."""
    given = to_compute_dtype(data)
    kind = given.dtype.type
    x = np.where(given < 0, 1 - given, given)
    shifted = np.zeros_like(x)
    for _ in range(10):
        low = x < 10
        shifted = np.where(low, shifted - 1 / x, shifted)
        x = np.where(low, x + 1, x)
    inverse = 1 / (x * x)
    series = np.zeros_like(x)
    for coefficient in PSI:
        series = series * inverse + kind(coefficient)
    logs = np.log(x, dtype=np.float64).astype(given.dtype)  # as exact as that of C
    found = shifted + logs - kind(0.5) / x - series * inverse
    found = np.where(x == 10, shifted + kind(2.25175258906672110764), found)
    found = np.where(np.isinf(x), x, found)
    whole = given == np.trunc(given)
    back = math.pi / np.tan(math.pi * np.modf(given.astype(np.float64))[0])
    found = np.where(given < 0, np.where(whole, np.nan, found - back.astype(given.dtype)), found)
    found = np.where(given == 0, np.copysign(np.inf, -given), found)
    return found.astype(data.dtype).reshape(np.shape(data))[()]


def bends(data: Array) -> Array:
    """The slope of digamma for each element."""
    given = to_compute_dtype(data)
    kind = given.dtype.type
    low = given < 0.5
    falling = np.sin(kind(math.pi) * given)
    total = np.where(low, -(kind(math.pi) * kind(math.pi)) / (falling * falling), 0).astype(given.dtype)
    x = np.where(low, 1 - given, given)
    for _ in range(6):
        total += 1 / (x * x)
        x = x + 1
    inverse = 1 / (x * x)
    inner = kind(1 / 6) - inverse * (kind(1 / 30) - inverse * kind(1 / 42))
    total += (1 + 1 / (2 * x) + inverse * inner) / x
    return np.where(low, -total, total).astype(data.dtype).reshape(np.shape(data))[()]


def higher(n: int, data: Array) -> Array:
    """The derivative of digamma that is the `n`-th, for each element."""
    given = to_compute_dtype(data)
    kind = given.dtype.type
    sums = np.array([hurwitz(n + 1, x) for x in given.ravel().tolist()], given.dtype)
    factor = np.exp(kind(math.log(math.factorial(n))))
    return ((factor if n % 2 else -factor) * sums).astype(data.dtype).reshape(np.shape(data))[()]


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
    for coefficient in PSI:
        series = series * inverse + coefficient
    return shifted + math.log(x) - 0.5 / x - series * inverse


BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798)


def hurwitz(s: float, q: float) -> float:
    """The sum of (q + k) ** -s over all k."""
    if s == 1 or (not s < 1 and q <= 0 and (math.isinf(q) or q == math.floor(q))):
        return math.inf
    if math.isnan(s) or math.isnan(q) or s < 1 or (q < 0 and s != math.floor(s)):
        return math.nan
    if q < -FAR:
        raise Unsupported("derivatives of lgamma far below zero are not supported")
    total = 0.0
    try:
        while q < 12 + s / 2:
            term = q**-s
            total += term
            q += 1
            if q > 1 and abs(term) <= 1e-17 * abs(total):
                return total
        term = q**-s
    except OverflowError:
        return math.inf
    total += term * q / (s - 1) + 0.5 * term
    factor = s * term / q
    for k, bernoulli in enumerate(BERNOULLI, 1):
        total += bernoulli / math.factorial(2 * k) * factor
        factor *= (s + 2 * k - 1) * (s + 2 * k) / (q * q)
    return total


# ---- erf, log gamma and other functions of one number


def elementwise(function: Any, data: Array) -> Array:
    """A function of Python floats over every element: for what numpy lacks."""
    kind = data.dtype
    return np.array([function(x) for x in np.asarray(data).ravel().tolist()], kind).reshape(np.shape(data))[()]


# ---- the error function, gamma


@op(
    "erf(Tensor self) -> Tensor",
    pointwise=True,
    cost=3,
    floating=True,
    self=lambda grad, self: mul_scalar(exp(-pow_scalar(self, 2)), 1.1283791670955126) * grad,
)
def erf(self: Array) -> Array:
    return elementwise(math.erf, self)


@op(
    "erfc(Tensor self) -> Tensor",
    pointwise=True,
    cost=3,
    floating=True,
    self=lambda grad, self: mul_scalar(exp(-pow_scalar(self, 2)), -1.1283791670955126) * grad,
)
def erfc(self: Array) -> Array:
    return elementwise(math.erfc, self)


@op(
    "erfinv(Tensor self) -> Tensor: function method method_ out",
    pointwise=True,
    cost=30,
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


@op(
    "i0(Tensor self) -> Tensor",
    pointwise=True,
    cost=600,
    node="I0Backward0",
    floating=True,
    self=lambda grad, self: grad * i1(self),
)
def i0(self: Array) -> Array:
    return np.i0(self.astype(np.float64)).astype(self.dtype).reshape(np.shape(self))[()]


@op(
    "special_i1(Tensor self) -> Tensor: function out",
    pointwise=True,
    cost=600,
    floating=True,
    self=lambda grad, self, result: i1_backward(grad, self, result),
)
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


@op(
    "lgamma(Tensor self) -> Tensor: function method method_ out",
    pointwise=True,
    cost=8,
    floating=True,
    self=lambda grad, self: grad * digamma(self),
)
def lgamma(self: Array) -> Array:
    return elementwise(log_gamma, self)


def log_gamma(x: float) -> float:
    if math.isnan(x) or x == math.inf:
        return x
    return math.inf if x <= 0 and (math.isinf(x) or x == math.floor(x)) else math.lgamma(x)


@op(
    "digamma(Tensor self) -> Tensor: function method method_ out",
    pointwise=True,
    cost=5,
    floating=True,
    self=lambda grad, self: grad * polygamma(1, self),
)
def digamma(self: Array) -> Array:
    return slopes(self)


@op("polygamma", pointwise=True, self=lambda grad, n, self: grad * polygamma(n + 1, self))
def polygamma(n: int, self: Array) -> Array:
    if n < 2:
        return bends(self) if n else slopes(self)
    return higher(n, self)


# ---- circles and their inverses


@op(
    """
    asinh(Tensor self) -> Tensor
    arcsinh(Tensor self) -> Tensor
    """,
    pointwise=True,
    floating=True,
    self=lambda grad, self: grad * conj(rsqrt(add_scalar(pow_scalar(self, 2), 1))),
)
def asinh(self: Array) -> Array:
    return np.arcsinh(self)


@op(
    """
    acosh(Tensor self) -> Tensor
    arccosh(Tensor self) -> Tensor
    """,
    pointwise=True,
    floating=True,
    self=lambda grad, self: grad * acosh_slope(self),
)
def acosh(self: Array) -> Array:
    return np.arccosh(self)


@both
def acosh_slope(self: Array) -> Array:
    if is_complex(self):  # one root of a product is not the product of the roots
        return conj(rsqrt(add_scalar(self, 1)) * rsqrt(sub_scalar(self, 1)))
    return rsqrt(sub_scalar(pow_scalar(self, 2), 1))


@op("sinc(Tensor self) -> Tensor", pointwise=True, floating=True, self=lambda grad, self: sinc_backward(grad, self))
def sinc(self: Array) -> Array:
    return np.sinc(self)


@both
def sinc_backward(grad: Array, self: Array) -> Array:
    angle = mul_scalar(self, 3.141592653589793)
    squared = mul_scalar(self * self, 3.141592653589793)
    falling = sin(angle)  # torch makes it first
    slope = grad * conj((angle * cos(angle) - falling) / squared)
    return where(squared == 0, zeros_as(slope), slope)


@op(
    "deg2rad(Tensor self) -> Tensor",
    pointwise=True,
    floating=True,
    node="Deg2RadBackward0",
    self=lambda grad: mul_scalar(grad, 0.017453292519943295),
)
def deg2rad(self: Array) -> Array:
    return self * self.dtype.type(math.pi / 180)


@op(
    "rad2deg(Tensor self) -> Tensor",
    pointwise=True,
    floating=True,
    node="Rad2DegBackward0",
    self=lambda grad: mul_scalar(grad, 57.29577951308232),
)
def rad2deg(self: Array) -> Array:
    return self * self.dtype.type(180 / math.pi)


# ---- without a derivative
