"""Special functions: erf and what is made of it, the gamma function, its derivatives and its integrals, zeta.

Formulas: PyTorch's derivatives.yaml.

Whole arrays are computed in the steps and the type of torch's kernels, so that the digits are its own. Sources: DLMF
5.5 (reflection, recurrence), 5.11 (the series for large numbers), 25.11.5 (Euler and Maclaurin).

Sources of the numbers: DLMF 7.12.1 (erfc far out), 7.18 and Wichura's AS 241 (quantiles, as Python has it).

Sources of the numbers: DLMF 8.11.4 (the series), 8.9.2 (the continued fraction), 8.12.3 (where both are slow).
"""

from __future__ import annotations

import math
import statistics
from typing import Any

import numpy as np

from ..dispatch.op import both, helper, op
from ..errors import Unsupported
from ..tensor.tensor import Array
from ._common import refuse

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
        raise Unsupported("zeta of numbers far below zero is not supported")
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


# ---- the normal curve and entropy


PAIR = ("self", "other")


@op(
    "special_entr",
    floating=True,
    self=lambda grad, self: grad * -add_scalar(log(self), 1),
)
def entr(self: Array) -> Array:
    """-x log x; 0 at 0, and below it nothing is likely."""
    inside = -self * np.log(np.where(self > 0, self, 1))
    return np.where(np.isnan(self) | (self > 0), inside, np.where(self == 0, 0, -np.inf)).astype(self.dtype)[()]


@op(
    "special_erfcx",
    floating=True,
    self=lambda grad, self, result: sub_scalar(mul_scalar(self, 2.0) * result, 1.1283791670955126) * grad,
)
def erfcx(self: Array) -> Array:
    refuse_half("erfcx_cpu", self)
    return elementwise(scaled_erfc, self)


def refuse_half(kernel: str, data: Array) -> None:
    """Refuse what torch has no code for: half precision."""
    if data.dtype == np.float16:
        refuse(kernel, "f", data)


def scaled_erfc(x: float) -> float:
    """erfc(x) * exp(x * x)."""
    if x < -26.6:
        return math.inf
    if x < 10:
        return math.exp(x * x) * math.erfc(x)
    total = term = 1.0
    for m in range(1, 20):
        term *= -(2 * m - 1) / (2 * x * x)
        total += term
    return total / (x * math.sqrt(math.pi))


@op(
    "special_log_ndtr",
    floating=True,
    self=lambda grad, self, result: (
        mul_scalar(grad, 0.3989422804014327) * exp(-(result + div_scalar(pow_scalar(self, 2), 2)))
    ),
)
def log_ndtr(self: Array) -> Array:
    refuse_half("log_ndtr_cpu", self)
    return elementwise(log_share_below, self)


def log_share_below(x: float) -> float:
    """The logarithm of the share of normal numbers below `x`."""
    if x < -1:
        return math.log(scaled_erfc(-x / math.sqrt(2)) / 2) - x * x / 2 if x > -1e150 else -math.inf
    return math.log1p(-math.erfc(x / math.sqrt(2)) / 2)


@op(
    "special_ndtri",
    floating=True,
    self=lambda grad, result: mul_scalar(grad, 2.5066282746310002) * exp(div_scalar(pow_scalar(result, 2), 2)),
)
def ndtri(self: Array) -> Array:
    refuse_half("ndtri_cpu", self)
    return elementwise(quantile_of_normal, self)


def quantile_of_normal(share: float) -> float:
    """The number below which this share of normal numbers lies."""
    if 0 < share < 1:
        return statistics.NormalDist().inv_cdf(share)
    return {0.0: -math.inf, 1.0: math.inf}.get(share, math.nan)


# ---- x log(1 + y)


@op(
    "special_xlog1py.self_scalar",
    node="SpecialXlog1PyBackward1",
    promote=("other",),
    floating=True,
    other=lambda grad, self, other: mul_scalar(grad, self) / add_scalar(other, 1),
)
def xlog1py_of_number(self: float, other: Array) -> Array:
    return times_log1p(other.dtype.type(self), other)


@op(
    "special_xlog1py.other_scalar",
    node="SpecialXlog1PyBackward2",
    floating=True,
    self=lambda grad, self, other: xlog1py_backward(grad, self, other),
)
def xlog1py_by_number(self: Array, other: float) -> Array:
    return times_log1p(self, self.dtype.type(other))


@both
def xlog1py_backward(grad: Array, self: Array, other: float) -> Array:
    found = xlog1py_by_number(grad, other)
    return found if other > -1 else masked_fill(found, self == 0, 0)


@op(
    "special_xlog1py",
    node="SpecialXlog1PyBackward0",
    promote=PAIR,
    floating=True,
    self=lambda grad, self, other: masked_fill(xlog1py(grad, other), (self == 0) & (other <= -1), 0),
    other=lambda grad, self, other: grad * self / add_scalar(other, 1),
)
def xlog1py(self: Array, other: Array) -> Array:
    return times_log1p(self, other)


def times_log1p(self: Array, other: Array) -> Array:
    logs = self * np.log1p(other)
    return np.where(np.isnan(other), other, np.where(self == 0, logs.dtype.type(0), logs))[()]


# ---- the incomplete gamma functions and Hurwitz's zeta


LARGE = 1e4
"""From this parameter on by the expansion for large ones."""


def no_slope(name: str) -> Any:
    """What a formula says that torch has not."""
    raise NotImplementedError(f"the derivative for '{name}' is not implemented.")


helper(no_slope)


@op(
    "igamma",
    forward_mode=False,
    promote=PAIR,
    tensors_only=True,
    self=lambda grad: no_slope("igamma: input"),
    other=lambda grad, self, other: grad * exp(sub_scalar(self, 1) * log(other) - other - lgamma(self)),
)
def igamma(self: Array, other: Array) -> Array:
    refuse("igamma_cpu", "biu", self, other)
    return share(self, other, below=True)


@op(
    "igammac",
    forward_mode=False,
    promote=PAIR,
    tensors_only=True,
    self=lambda grad: no_slope("igammac: input"),
    other=lambda grad, self, other: -grad * exp(sub_scalar(self, 1) * log(other) - other - lgamma(self)),
)
def igammac(self: Array, other: Array) -> Array:
    refuse("igammac_cpu", "biu", self, other)
    return share(self, other, below=False)


def share(self: Array, other: Array, below: bool) -> Array:
    """The share of the gamma integral of parameter `self` that lies below `other`, or above it."""
    rows = np.broadcast_arrays(np.asarray(self, np.float64), np.asarray(other, np.float64))
    kind = np.result_type(self, other)
    found = [shares(a, x)[not below] for a, x in zip(*(row.ravel().tolist() for row in rows), strict=True)]
    return np.array(found, kind).reshape(rows[0].shape)[()]


def shares(a: float, x: float) -> tuple[float, float]:
    """What lies below `x` and what above."""
    if a < 0 or x < 0 or (a == 0 and not x > 0) or (math.isinf(a) and math.isinf(x)):
        return math.nan, math.nan
    if a == 0 or (math.isinf(x) and not math.isinf(a)):
        return 1.0, 0.0
    if x == 0 or math.isinf(a):
        return 0.0, 1.0
    if math.isnan(a) or math.isnan(x):
        return math.nan, math.nan
    if a > LARGE:
        return of_large(a, x)
    density = math.exp(a * math.log(x) - x - math.lgamma(a))
    if x <= 1 or x < a + 1:
        part = density * series(a, x)
        return part, 1 - part
    part = density * fraction(a, x)
    return 1 - part, part


def series(a: float, x: float) -> float:
    term = total = 1 / a
    while term > 1e-17 * total:
        a += 1
        term *= x / a
        total += term
    return total


def fraction(a: float, x: float) -> float:
    """By Lentz's way to take a continued fraction from its front."""
    b = x + 1 - a
    c, d = math.inf, 1 / b
    found, i = d, 0
    while i < 10_000:
        i += 1
        above = -i * (i - a)
        b += 2
        d = 1 / (above * d + b)
        c = b + above / c
        found *= c * d
        if abs(c * d - 1) < 1e-16:
            break
    return found


NEAR = ((-1 / 3, 1 / 12, -2 / 135, 1 / 864, 1 / 2835, -139 / 777600), (-1 / 540, -1 / 288, 1 / 378, -77 / 77760))
"""The first two coefficients of the expansion for large parameters, as series in how far `x` is from `a`."""


def of_large(a: float, x: float) -> tuple[float, float]:
    """By the normal curve and its corrections."""
    off = x / a - 1
    distance = math.sqrt(2 * max(off - math.log1p(off), 0.0)) * (1 if off > 0 else -1) if off > -1 else -math.inf
    middle = sum(
        sum(c * distance**i for i, c in enumerate(row)) * a**-k for k, row in enumerate(NEAR) if abs(distance) < 1
    )
    rest = math.exp(-0.5 * a * distance * distance) / math.sqrt(2 * math.pi * a) * middle
    side = distance * math.sqrt(a / 2)
    return math.erfc(-side) / 2 - rest, math.erfc(side) / 2 + rest


# ---- zeta


@op(
    "special_zeta.self_scalar",
    forward_mode=False,
    node="SpecialZetaBackward1",
    promote=("other",),
    floating=True,
    other=lambda grad, self, other: mul_scalar(grad, -self) * zeta_of_number(self + 1.0, other),
)
def zeta_of_number(self: float, other: Array) -> Array:
    return zeta_over(other.dtype.type(self), other)


@op(
    "special_zeta.other_scalar",
    forward_mode=False,
    node="SpecialZetaBackward2",
    floating=True,
    self=lambda grad: no_slope("zeta"),
)
def zeta_by_number(self: Array, other: float) -> Array:
    return zeta_over(self, self.dtype.type(other))


@op(
    "special_zeta",
    forward_mode=False,
    node="SpecialZetaBackward0",
    promote=PAIR,
    floating=True,
    self=lambda grad: no_slope("zeta"),
    other=lambda grad, self, other: grad * -self * zeta(add_scalar(self, 1.0), other),
)
def zeta(self: Array, other: Array) -> Array:
    return zeta_over(self, other)


def zeta_over(self: Array, other: Array) -> Array:
    kind = np.result_type(self, other)
    refuse_half("zeta_cpu", np.asarray(self, kind))
    rows = np.broadcast_arrays(np.asarray(self, np.float64), np.asarray(other, np.float64))
    found = [hurwitz(s, q) for s, q in zip(*(row.ravel().tolist() for row in rows), strict=True)]
    return np.array(found, kind).reshape(rows[0].shape)[()]


# ---- of matrices


@op("mvlgamma", floating=True, self=lambda grad, self, p: grad * halves_below(self, p))
def mvlgamma(self: Array, p: int) -> Array:
    if p < 1:
        raise RuntimeError("p has to be greater than or equal to 1")
    wide = np.asarray(self, np.float64)
    total = np.full(wide.shape, p * (p - 1) / 4 * math.log(math.pi))
    for j in range(p):
        total = total + np.vectorize(log_gamma, otypes=[np.float64])(wide - j / 2)
    return total.astype(self.dtype)[()]


@both
def halves_below(self: Array, p: int) -> Array:
    """The slope: that of log gamma at each half step down."""
    total = digamma(self)
    for j in range(1, p):
        total = total + digamma(add_scalar(self, -j / 2))
    return total
