"""The derivatives of log gamma: of whole arrays the first (digamma) and the second, of single numbers all.

Whole arrays are computed in the steps and the type of torch's kernels, so that the digits are its own. Sources: DLMF
5.5 (reflection, recurrence), 5.11 (the series for large numbers), 25.11.5 (Euler and Maclaurin).
"""

from __future__ import annotations

import math

import numpy as np

from ..tensor import Array
from ..unsupported import Unsupported

FAR = 1e4
"""So far below zero the sum of all powers is taken term by term; no further."""

PSI = (1 / 12, -691 / 32760, 1 / 132, -1 / 240, 1 / 252, -1 / 120, 1 / 12)
"""The series of digamma in powers of 1 / x**2, the highest first."""


def computed(data: Array) -> Array:
    """`data` in the type in which it is computed: halves in float32."""
    kind = np.dtype(np.float32) if data.dtype.itemsize == 2 else data.dtype
    return np.array(data, kind)


def slopes(data: Array) -> Array:
    """Digamma of each element."""
    given = computed(data)
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
    given = computed(data)
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
    given = computed(data)
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
