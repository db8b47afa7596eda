"""The incomplete gamma functions, as shares of the whole, and Hurwitz's zeta. Formulas: PyTorch's derivatives.yaml.

Sources of the numbers: DLMF 8.11.4 (the series), 8.9.2 (the continued fraction), 8.12.3 (where both are slow).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..op import helper, op
from ..tensor import Array
from .bells import refuse_half
from .kernels import refuse
from .polygammas import hurwitz

PAIR = ("self", "other")
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
