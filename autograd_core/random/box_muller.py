"""Normal numbers from uniform ones by Box and Muller, in the three ways of torch's CPU kernels, bit for bit.

Fewer than 16 numbers come in pairs from doubles; 16 and more come in blocks of 16 from the uniform numbers of their own
type. For float32 that kernel is AVX2 code with its own polynomials for log, sin and cos (Cephes), whose rounding, fused
multiply-adds included, is repeated here operation by operation.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce
from typing import Any, Final

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]

BLOCK: Final = 16


def pair(u1: float, u2: float) -> tuple[float, float]:
    """Two normal numbers from two uniform doubles of [0, 1); torch gives the first now and keeps the second."""
    radius = math.sqrt(-2.0 * math.log1p(-u2))
    angle = 2.0 * math.pi * u1
    return radius * math.cos(angle), radius * math.sin(angle)


def blocks(uniform: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Normal numbers from `uniform`, an array of shape (n, 16): in a row, i and i + 8 make a pair."""
    kind = uniform.dtype.type
    first, second = 1 - uniform[:, :8], uniform[:, 8:]
    if kind is np.float32:
        radius = np.sqrt(kind(-2) * log(first))
        sine, cosine = sine_and_cosine(kind(2 * math.pi) * second)
    else:
        # math rather than numpy: torch's loop calls the C library, and numpy's own log and cos differ in last digits.
        radius = np.sqrt(kind(-2) * _each(math.log, first))
        angle = (2.0 * math.pi * second.astype(np.float64)).astype(kind)
        sine, cosine = _each(math.sin, angle), _each(math.cos, angle)
    return np.concatenate([radius * cosine, radius * sine], axis=1)


def multiply_add(a: Any, b: Any, c: Any) -> Any:
    """`a * b + c` rounded once, as a fused multiply-add does, in the wider type of the three (float32 or float64)."""
    a, b, c = np.broadcast_arrays(a, b, c)
    kind = np.result_type(a, b, c)
    if kind.kind == "f" and kind.itemsize < 8:  # the product of two is exact in double
        return (a.astype(np.float64) * b + c).astype(kind)
    product, lost = _exact_product(a, b)
    total = product + c
    part = total - product
    return total + (((product - (total - part)) + (c - part)) + lost)


def _exact_product(a: Doubles, b: Doubles) -> tuple[Doubles, Doubles]:
    """The rounded product of doubles and what rounding took away (Dekker): halves of 26 bits multiply exactly."""
    (a_high, a_low), (b_high, b_low) = _halves(a), _halves(b)
    product = a * b
    return product, a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low)


def _halves(x: Doubles) -> tuple[Doubles, Doubles]:
    scaled = x * (2.0**27 + 1)
    high = scaled - (scaled - x)
    return high, x - high


def _each(function: Callable[[float], float], values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return np.array([function(value) for value in values.ravel().tolist()], values.dtype).reshape(values.shape)


def _polynomial(x: Floats, coefficients: Floats) -> Floats:
    """Horner's scheme, highest coefficient first."""
    first, *others = coefficients
    result: Floats = reduce(lambda y, c: multiply_add(y, x, c), others, np.full_like(x, first))
    return result


def _table(*values: float) -> Floats:
    return np.array(values, np.float32)


LOG = _table(
    7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
    -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1,
)  # fmt: skip
SINE = _table(-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)
COSINE = _table(2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)
LN2 = _table(0.693359375, -2.12194440e-4)
QUARTER_PI = _table(0.78515625, 2.4187564849853515625e-4, 3.77489497744594108e-8)
HALF = np.float32(0.5)
ONE = np.float32(1)


def log(x: Floats) -> Floats:
    """The natural logarithm of positive numbers: split x = m * 2**e with m about 1, then a polynomial in m - 1."""
    bits = x.view(np.int32)
    exponent = ((bits >> 23) - 127).astype(np.float32) + ONE
    mantissa = ((bits & ~0x7F800000) | HALF.view(np.int32)).view(np.float32)
    small = mantissa < np.float32(math.sqrt(0.5))
    rest = (mantissa - ONE) + np.where(small, mantissa, np.float32(0))
    exponent = exponent - small.astype(np.float32)
    square = rest * rest
    y = _polynomial(rest, LOG) * rest
    y = multiply_add(y, square, exponent * LN2[1])
    y = multiply_add(square, -HALF, y)
    result: Floats = multiply_add(exponent, LN2[0], rest + y)
    return result


def sine_and_cosine(x: Floats) -> tuple[Floats, Floats]:
    """sin and cos of non-negative numbers: fold into [-pi/4, pi/4], where polynomials hold."""
    octant = ((x * np.float32(4 / math.pi)).astype(np.int32) + 1) & ~1
    turns = octant.astype(np.float32)
    for part in QUARTER_PI:
        x = multiply_add(turns, -part, x)
    square = x * x
    c = _polynomial(square, COSINE) * square
    c = multiply_add(c, square, -(square * HALF)) + ONE
    s = multiply_add(_polynomial(square, SINE) * square, x, x)
    straight = (octant & 2) == 0
    sine = np.where(straight, s, c) * np.where(octant & 4, -ONE, ONE)
    cosine = np.where(straight, c, s) * np.where((octant - 2) & 4, ONE, -ONE)
    return sine, cosine
