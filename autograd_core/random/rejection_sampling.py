"""Random numbers that are drawn by trying: gamma, Poisson, binomial, and those that one uniform number gives.

Each takes from torch's stream what torch's kernel takes: doubles, one element after the other. Sources: Marsaglia and
Tsang (2000) for gamma, Hormann (1993) for Poisson and binomial numbers of large means, with torch's constants.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np

from ..engine.state import visit
from .generator import DOUBLE, Array, Generator, default, next_normal, units

STIRLING = (
    *(0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.02079067210376509, 0.0166446911898211),
    *(0.0138761288230707, 0.0118967099458917, 0.0104112652619720, 0.00925546218271273, 0.00833056343336287),
)
"""What Stirling's formula lacks of log k! for the first k."""

Draw = Callable[[], float]


def unit(generator: Generator | None) -> Draw:
    """Uniform doubles, one a call."""
    return (generator or default()).double


OFTEN = 256
"""Turns after which whoever counts work is told."""


def take_turn(turn: int) -> None:
    """One more try, which may be in vain for ever: of some parameters no number is accepted."""
    if turn % OFTEN == 0:
        visit()


# ---- gamma


def gamma(shape: Array, generator: Generator | None = None) -> Array:
    """A number for each element of `shape`, of scale 1; at least the smallest normal number."""
    stream = generator or default()
    uniform, least = unit(stream), float(np.finfo(shape.dtype).tiny)
    single = shape.dtype.itemsize <= 4
    drawn = [_gamma(a, uniform, stream, single) for a in shape.ravel().tolist()]
    return np.maximum(np.array(drawn, np.float64).astype(shape.dtype), shape.dtype.type(least)).reshape(shape.shape)


def _gamma(alpha: float, uniform: Draw, stream: Generator, single: bool) -> float:
    """One number. `alpha` is counted in the type of the tensor, what is drawn in doubles."""
    if math.isnan(alpha):
        return alpha
    scale = 1.0
    if alpha < 1:
        if alpha == 0:
            return 0.0
        power = float(np.float32(1) / np.float32(alpha)) if single else 1 / alpha
        scale = (1 - uniform()) ** power
        alpha = float(np.float32(alpha) + np.float32(1)) if single else alpha + 1
    d = float(np.float32(alpha) - np.float32(1) / np.float32(3)) if single else alpha - float(np.float32(1 / 3))
    c = 1 / math.sqrt(9 * d)
    squeeze = float(np.float32(0.0331))
    turns = itertools.count(1)
    while True:
        take_turn(next(turns))
        y = 0.0
        while y <= 0:
            x = next_normal(stream)
            y = 1 + c * x
        v, u, xx = y * y * y, 1 - uniform(), x * x
        if u < 1 - squeeze * xx * xx or math.log(u) < 0.5 * xx + d * (1 - v + math.log(v)):
            return scale * d * v


def dirichlet(concentration: Array, generator: Generator | None = None) -> Array:
    """Shares that add up to one, along the last dimension; drawn and divided as doubles, so that few become nothing."""
    kind = concentration.dtype
    drawn = gamma(concentration.astype(np.float64), generator)
    shares = (drawn / drawn.sum(-1, keepdims=True)).astype(kind)
    return np.clip(shares, np.finfo(kind).tiny, 1 - np.finfo(kind).epsneg).astype(kind)


# ---- counts


def poisson(rate: Array, generator: Generator | None = None) -> Array:
    """A count for each rate.

    Raises:
        RuntimeError: a rate is negative.
    """
    uniform = unit(generator)
    drawn = [_poisson(rate, uniform) for rate in rate.ravel().tolist()]
    return np.array(drawn, np.float64).astype(rate.dtype).reshape(rate.shape)


def _poisson(rate: float, uniform: Draw) -> int:
    if not rate >= 0:
        raise RuntimeError("invalid Poisson rate, expected rate to be non-negative")
    if rate >= 10:
        return _large_poisson(rate, uniform)
    count, left, least = 0, 1.0, math.exp(-rate)
    while rate:
        left *= uniform()
        if left <= least:
            break
        count += 1
    return count


def _large_poisson(rate: float, uniform: Draw) -> int:
    root = math.sqrt(rate)
    b = 0.931 + 2.53 * root
    a = -0.059 + 0.02483 * b
    alpha, sure = 1.1239 + 1.1328 / (b - 3.4), 0.9277 - 3.6224 / (b - 2)
    turns = itertools.count(1)
    while True:
        take_turn(next(turns))
        u, v = uniform() - 0.5, uniform()
        us = 0.5 - abs(u)
        k = math.floor((2 * a / us + b) * u + rate + 0.43)
        if us >= 0.07 and v <= sure:
            return k
        if k < 0 or (us < 0.013 and v > us):
            continue
        likely = -rate + k * math.log(rate) - math.lgamma(k + 1)
        if math.log(v) + math.log(alpha) - math.log(a / (us * us) + b) <= likely:
            return k


def binomial(count: Array, prob: Array, generator: Generator | None = None) -> Array:
    """How many of `count` tries succeed."""
    uniform = unit(generator)
    pairs = zip(count.ravel().tolist(), prob.ravel().tolist(), strict=True)
    return np.array([_binomial(n, p, uniform) for n, p in pairs], np.float64).astype(count.dtype).reshape(count.shape)


def _binomial(count: float, prob: float, uniform: Draw) -> float:
    if count <= 0 or prob <= 0:
        return 0
    if prob >= 1:
        return count
    if prob <= 0.5:
        return _successes(count, prob, uniform)
    return count - _successes(count, 1 - prob, uniform) if prob > 0.5 else math.nan


def _successes(count: float, prob: float, uniform: Draw) -> float:
    if count * prob >= 10:
        return _many_successes(count, prob, uniform)
    tries, found, log_miss = 0.0, 0, math.log1p(-prob)
    turns = itertools.count(1)
    while True:
        take_turn(next(turns))
        drawn = uniform()
        tries += math.ceil(math.log(drawn) / log_miss) if drawn else math.inf
        if tries > count:
            return found
        found += 1


def _many_successes(count: float, prob: float, uniform: Draw) -> float:
    width = math.sqrt(count * prob * (1 - prob))
    b = 1.15 + 2.53 * width
    a = -0.0873 + 0.0248 * b + 0.01 * prob
    sure, odds, alpha = 0.92 - 4.2 / b, prob / (1 - prob), (2.83 + 5.1 / b) * width
    m = math.floor((count + 1) * prob)
    turns = itertools.count(1)
    while True:
        take_turn(next(turns))
        u, v = uniform() - 0.5, uniform()
        us = 0.5 - abs(u)
        k = math.floor((2 * a / us + b) * u + count * prob + 0.5)
        if k < 0 or k > count:
            continue
        if us >= 0.07 and v <= sure:
            return k
        likely = (
            (m + 0.5) * math.log((m + 1) / (odds * (count - m + 1)))
            + (count + 1) * math.log((count - m + 1) / (count - k + 1))
            + (k + 0.5) * math.log(odds * (count - k + 1) / (k + 1))
            + _tail(m)
            + _tail(count - m)
            - _tail(k)
            - _tail(count - k)
        )
        if math.log(v * alpha / (a / (us * us) + b)) <= likely:
            return k


def _tail(k: float) -> float:
    if k < len(STIRLING):
        return STIRLING[int(k)]
    square = (k + 1) * (k + 1)
    return (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1)


# ---- one uniform or normal number for each


def cauchy(n: int, kind: np.dtype, median: float, sigma: float, generator: Generator | None = None) -> Array:
    """`n` numbers of Cauchy's distribution.

    Raises:
        RuntimeError: `sigma` is not above zero.
    """
    if sigma <= 0:
        raise RuntimeError(f"cauchy_ expects sigma > 0.0, but found sigma={sigma:g}")
    drawn = units(n, DOUBLE, generator or default()).tolist()
    return np.array([median + sigma * math.tan(math.pi * (u - 0.5)) for u in drawn], np.float64).astype(kind)


def geometric(n: int, kind: np.dtype, p: float, generator: Generator | None = None) -> Array:
    """`n` counts of tries until one succeeds.

    Raises:
        RuntimeError: `p` is not inside (0, 1).
    """
    if not 0 < p < 1:
        raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={p:g}")
    drawn = units(n, DOUBLE, generator or default()).tolist()
    return np.array([math.ceil(math.log(u) / math.log1p(-p)) if u else math.inf for u in drawn]).astype(kind)


def log_normal(n: int, kind: np.dtype, mean: float, std: float, generator: Generator | None = None) -> Array:
    """`n` numbers whose logarithms are normal.

    Raises:
        RuntimeError: `std` is not above zero.
    """
    if std <= 0:
        raise RuntimeError(f"log_normal_ expects std > 0.0, but found std={std:g}")
    stream = generator or default()
    drawn = np.array([next_normal(stream) for _ in range(n)], np.float64)
    return np.exp(drawn * std + mean).astype(kind)
