"""Bessel functions of the orders 0 and 1. Formulas of the differentiable ones: PyTorch's derivatives.yaml.

Sources of the numbers: DLMF 10.9.2 (J as the mean of a wave around a circle), 10.23.17 (Y by a series of J), 10.17.3
(both far out), 10.25.2 and 10.40.1 (I near and far), 10.32.9 (K as an integral), 10.47 (the spherical one). Means
around a circle and integrals of what falls so quickly are exact to a double by so few points.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ..dispatch.op import op
from ..tensor.tensor import Array
from .special import elementwise, refuse_half

EULER = 0.5772156649015329
FAR = 25.0
"""Where J and Y are taken from their series for large numbers."""


def doubles(function: Callable[[Array], Array], kernel: str, data: Array) -> Array:
    """`function`, of doubles, over numbers of any precision that torch has code for."""
    refuse_half(kernel, data)
    return function(np.asarray(data, np.float64)).astype(data.dtype)[()]


# ---- I, and what stays of it without its growth


@op(
    "special_i0e",
    node="SpecialI0EBackward0",
    floating=True,
    self=lambda grad, self, result: grad * (i1e(self) - sgn(self) * result),
)
def i0e(self: Array) -> Array:
    return elementwise(lambda x: scaled_i(0, x), self)


@op(
    "special_i1e",
    node="SpecialI1EBackward0",
    floating=True,
    self=lambda grad, self, result: i1e_backward(grad, self, result),
)
def i1e(self: Array) -> Array:
    return elementwise(lambda x: scaled_i(1, x), self)


def scaled_i(order: int, x: float) -> float:
    """I of this order, times exp(-|x|)."""
    if math.isnan(x):
        return x
    y = abs(x)
    term, k = 1.0, 0
    if y <= 30:
        term = total = (y / 2) ** order
        while abs(term) > 1e-17 * abs(total):
            k += 1
            term *= y * y / (4 * k * (k + order))
            total += term
        found = total * math.exp(-y)
    else:
        total = 1.0
        for k in range(1, 30):
            term *= ((2 * k - 1) ** 2 - 4 * order * order) / (8 * k * y)
            total += term
        found = total / math.sqrt(2 * math.pi * y)
    return math.copysign(found, x) if order else found


@op("special_modified_bessel_i0", floating=True)
def modified_bessel_i0(self: Array) -> Array:
    return doubles(lambda x: elementwise(lambda y: scaled_i(0, y), x) * np.exp(abs(x)), "modified_bessel_i0_cpu", self)


@op("special_modified_bessel_i1", floating=True)
def modified_bessel_i1(self: Array) -> Array:
    return doubles(lambda x: elementwise(lambda y: scaled_i(1, y), x) * np.exp(abs(x)), "modified_bessel_i1_cpu", self)


# ---- K


def scaled_k(order: int, x: Array) -> Array:
    """K of this order, times exp(x)."""
    inside = np.where((x > 1e-8) & np.isfinite(x), x, 1.0)
    step = np.minimum(0.25, 0.6 / np.sqrt(inside))
    total = np.full(np.shape(x), 0.5)
    for m in range(1, 100):
        t = m * step
        total += np.exp(-inside * 2 * np.sinh(t / 2) ** 2) * np.cosh(order * t)
    near = (1 / abs(x) if order else -np.log(x / 2) - EULER) * np.exp(x)
    found = np.where(x <= 1e-8, near, np.where(np.isinf(x), 0.0, total * step))
    return np.where(x >= 0, found, np.nan)


@op("special_scaled_modified_bessel_k0", floating=True)
def scaled_modified_bessel_k0(self: Array) -> Array:
    return doubles(lambda y: scaled_k(0, y), "scaled_modified_bessel_k0_cpu", self)


@op("special_scaled_modified_bessel_k1", floating=True)
def scaled_modified_bessel_k1(self: Array) -> Array:
    return doubles(lambda y: scaled_k(1, y), "scaled_modified_bessel_k1_cpu", self)


@op("special_modified_bessel_k0", floating=True)
def modified_bessel_k0(self: Array) -> Array:
    return doubles(lambda x: scaled_k(0, x) * np.exp(-x), "modified_bessel_k0_cpu", self)


@op("special_modified_bessel_k1", floating=True)
def modified_bessel_k1(self: Array) -> Array:
    return doubles(lambda x: scaled_k(1, x) * np.exp(-x), "modified_bessel_k1_cpu", self)


# ---- J and Y


POINTS = 128
AROUND = 2 * math.pi * np.arange(POINTS) / POINTS
TERMS = np.arange(1, 26)
SIGNS = (-1.0) ** TERMS
EVEN = np.cos(2 * np.outer(AROUND, TERMS)) @ (SIGNS * 2 / TERMS)
ODD = np.sin(np.outer(AROUND, 2 * TERMS + 1)) @ (SIGNS * (2 * TERMS + 1) / (TERMS * (TERMS + 1)))
"""What the terms of the series of Y weigh at each point around the circle."""


def around(x: Array, order: int, weights: Array | None = None) -> Array:
    """The mean around the circle of the wave that has J of this order (0 or 1), or of one weighed otherwise."""
    total = np.zeros(np.shape(x))
    wave = np.sin if order else np.cos
    given = (np.sin(AROUND) if order else np.ones(POINTS)) if weights is None else weights
    for tau, weight in zip(AROUND.tolist(), given.tolist(), strict=True):
        total += weight * wave(x * math.sin(tau))
    return total / POINTS


def far_out(x: Array, order: int) -> tuple[Array, Array]:
    """J and Y of this order for large numbers."""
    even, odd, term = np.ones(np.shape(x)), np.zeros(np.shape(x)), np.ones(np.shape(x))
    for k in range(1, 30):
        term = term * (4 * order * order - (2 * k - 1) ** 2) / (8 * k * x)
        part, sign = (odd, 1) if k % 2 else (even, 1)
        part += term * (sign if k % 4 in (0, 1) else -sign)
    angle = x - (order / 2 + 0.25) * math.pi
    size = np.sqrt(2 / (math.pi * x))
    return size * (even * np.cos(angle) - odd * np.sin(angle)), size * (even * np.sin(angle) + odd * np.cos(angle))


def bessel_j(x: Array, order: int) -> Array:
    y = np.abs(x)
    found = np.where(y <= FAR, around(np.minimum(y, FAR), order), far_out(np.maximum(y, FAR), order)[0])
    return np.copysign(1, x) * found if order else found


def bessel_y(x: Array, order: int) -> Array:
    near = np.clip(x, 1e-300, FAR)
    logs = 2 / math.pi * (np.log(near / 2) + EULER - order)
    series = 2 / math.pi * around(near, order, ODD if order else EVEN)
    found = logs * around(near, order) - series
    if order:
        found = found - 2 / (math.pi * near) * around(near, 0)
    found = np.where(x <= FAR, found, far_out(np.maximum(x, FAR), order)[1])
    return np.where(x > 0, found, np.where(x == 0, -np.inf, np.nan))


@op("special_bessel_j0", floating=True)
def bessel_j0(self: Array) -> Array:
    return doubles(lambda x: bessel_j(x, 0), "bessel_j0_cpu", self)


@op("special_bessel_j1", floating=True)
def bessel_j1(self: Array) -> Array:
    return doubles(lambda x: bessel_j(x, 1), "bessel_j1_cpu", self)


@op("special_bessel_y0", floating=True)
def bessel_y0(self: Array) -> Array:
    return doubles(lambda x: bessel_y(x, 0), "bessel_y0_cpu", self)


@op("special_bessel_y1", floating=True)
def bessel_y1(self: Array) -> Array:
    return doubles(lambda x: bessel_y(x, 1), "bessel_y1_cpu", self)


@op("special_spherical_bessel_j0", floating=True)
def spherical_bessel_j0(self: Array) -> Array:
    return doubles(lambda y: np.where(np.isinf(y), 0.0, np.sinc(y / math.pi)), "spherical_bessel_j0_cpu", self)
