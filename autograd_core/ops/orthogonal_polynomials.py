"""The orthogonal polynomials of degree `n`, by their recurrences (DLMF 18.9.1-2): torch does not differentiate them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..dispatch.op import op
from ..tensor.tensor import Array
from ._common import refuse

Step = Callable[[int, Array, Array, Array], Array]
"""Degree k from x and the two degrees before."""

PAIR = ("self", "n")


def by_recurrence(kernel: str, self: Array, n: Array, first: Callable[[Array], Array], step: Step) -> Array:
    """The polynomial of each degree in `n` at `self`, from 1, `first` and `step`; below degree 0 there is 0."""
    kind = np.result_type(self, n)
    if kind == np.float16:
        refuse(f"{kernel}_cpu", "f", np.asarray(self, kind), np.asarray(n, kind))
    at, degrees = np.broadcast_arrays(np.asarray(self, np.float64), np.trunc(np.nan_to_num(np.asarray(n, np.float64))))
    before, now = np.ones(at.shape), np.asarray(first(at), np.float64)
    found = np.where(degrees == 0, before, np.where(degrees == 1, now, 0.0))
    for k in range(2, int(degrees.max(initial=0)) + 1):
        before, now = now, step(k, at, now, before)
        found = np.where(degrees == k, now, found)
    return found.astype(kind)[()]


def double(k: int, x: Array, one: Array, two: Array) -> Array:
    return 2 * x * one - two


@op("special_chebyshev_polynomial_t", promote=PAIR, floating=True)
def chebyshev_polynomial_t(self: Array, n: Array) -> Array:
    return by_recurrence("chebyshev_polynomial_t", self, n, lambda x: x, double)


@op("special_chebyshev_polynomial_u", promote=PAIR, floating=True)
def chebyshev_polynomial_u(self: Array, n: Array) -> Array:
    return by_recurrence("chebyshev_polynomial_u", self, n, lambda x: 2 * x, double)


@op("special_chebyshev_polynomial_v", promote=PAIR, floating=True)
def chebyshev_polynomial_v(self: Array, n: Array) -> Array:
    return by_recurrence("chebyshev_polynomial_v", self, n, lambda x: 2 * x - 1, double)


@op("special_chebyshev_polynomial_w", promote=PAIR, floating=True)
def chebyshev_polynomial_w(self: Array, n: Array) -> Array:
    return by_recurrence("chebyshev_polynomial_w", self, n, lambda x: 2 * x + 1, double)


def shift(k: int, x: Array, one: Array, two: Array) -> Array:
    return 2 * (2 * x - 1) * one - two


@op("special_shifted_chebyshev_polynomial_t", promote=PAIR, floating=True)
def shifted_chebyshev_polynomial_t(self: Array, n: Array) -> Array:
    return by_recurrence("shifted_chebyshev_polynomial_t", self, n, lambda x: 2 * x - 1, shift)


@op("special_shifted_chebyshev_polynomial_u", promote=PAIR, floating=True)
def shifted_chebyshev_polynomial_u(self: Array, n: Array) -> Array:
    return by_recurrence("shifted_chebyshev_polynomial_u", self, n, lambda x: 4 * x - 2, shift)


@op("special_shifted_chebyshev_polynomial_v", promote=PAIR, floating=True)
def shifted_chebyshev_polynomial_v(self: Array, n: Array) -> Array:
    return by_recurrence("shifted_chebyshev_polynomial_v", self, n, lambda x: 4 * x - 3, shift)


@op("special_shifted_chebyshev_polynomial_w", promote=PAIR, floating=True)
def shifted_chebyshev_polynomial_w(self: Array, n: Array) -> Array:
    return by_recurrence("shifted_chebyshev_polynomial_w", self, n, lambda x: 4 * x - 1, shift)


@op("special_hermite_polynomial_h", promote=PAIR, floating=True)
def hermite_polynomial_h(self: Array, n: Array) -> Array:
    return by_recurrence(
        "hermite_polynomial_h", self, n, lambda x: 2 * x, lambda k, x, one, two: 2 * (x * one - (k - 1) * two)
    )


@op("special_hermite_polynomial_he", promote=PAIR, floating=True)
def hermite_polynomial_he(self: Array, n: Array) -> Array:
    return by_recurrence("hermite_polynomial_he", self, n, lambda x: x, lambda k, x, one, two: x * one - (k - 1) * two)


@op("special_laguerre_polynomial_l", promote=PAIR, floating=True)
def laguerre_polynomial_l(self: Array, n: Array) -> Array:
    return by_recurrence(
        "laguerre_polynomial_l",
        self,
        n,
        lambda x: 1 - x,
        lambda k, x, one, two: ((2 * k - 1 - x) * one - (k - 1) * two) / k,
    )


@op("special_legendre_polynomial_p", promote=PAIR, floating=True)
def legendre_polynomial_p(self: Array, n: Array) -> Array:
    return by_recurrence(
        "legendre_polynomial_p",
        self,
        n,
        lambda x: x,
        lambda k, x, one, two: ((2 * k - 1) * x * one - (k - 1) * two) / k,
    )
