"""Matrices in factors, on arrays: what numpy does not offer, or not in the form that PyTorch keeps.

Results lie in memory by columns, as LAPACK leaves them; strides tell.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np


class LinAlgError(RuntimeError):
    """A matrix is singular, or not positive-definite, or an iteration does not converge."""


LinAlgError.__name__ = LinAlgError.__qualname__ = "_LinAlgError"
LinAlgError.__module__ = "torch._C"

Array = Any


def adjoint_of(a: Array) -> Array:
    return np.swapaxes(a, -1, -2)


def by_columns(a: Array) -> Array:
    """The same matrices, laid out column by column."""
    turned = np.zeros((*a.shape[:-2], a.shape[-1], a.shape[-2]), a.dtype)
    turned[...] = adjoint_of(a)
    return adjoint_of(turned)


def lu_factor(a: Array) -> tuple[Array, Array]:
    """L and U in one matrix, and the rows exchanged at each step, counted from one."""
    lu = np.array(a, order="C")
    flat = lu.reshape(math.prod(lu.shape[:-2]), *lu.shape[-2:])
    rows, columns = lu.shape[-2:]
    steps = min(rows, columns)
    pivots = np.zeros((len(flat), steps), np.int32)
    every = np.arange(len(flat))
    with np.errstate(all="ignore"):
        for k in range(steps):
            best = k + np.argmax(np.abs(flat[:, k:, k]), -1)
            pivots[:, k] = best + 1
            flat[every, k], flat[every, best] = flat[every, best].copy(), flat[every, k].copy()
            below = flat[:, k + 1 :, k]
            pivot = flat[:, k, k, None]
            flat[:, k + 1 :, k] = np.where(pivot == 0, below, below / pivot)
            flat[:, k + 1 :, k + 1 :] -= flat[:, k + 1 :, k, None] * flat[:, k, None, k + 1 :]
    return by_columns(lu), pivots.reshape(*lu.shape[:-2], steps)


def parity(pivots: Array) -> Array:
    """1 or -1: whether the exchanges are even or odd in number."""
    swapped = np.count_nonzero(pivots != np.arange(1, pivots.shape[-1] + 1), -1)
    return 1 - 2 * (swapped % 2)


def substitute(triangle: Array, right: Array, upper: bool, unit: bool = False) -> Array:
    """x with `triangle @ x = right`, row by row; a zero on the diagonal divides by zero."""
    n = triangle.shape[-1]
    shape = np.broadcast_shapes(triangle.shape[:-2], right.shape[:-2])
    x = np.array(np.broadcast_to(right, (*shape, *right.shape[-2:])))
    with np.errstate(all="ignore"):
        for i in reversed(range(n)) if upper else range(n):
            known = slice(i + 1, n) if upper else slice(0, i)
            x[..., i, :] -= np.matmul(triangle[..., i, None, known], x[..., known, :])[..., 0, :]
            if not unit:
                x[..., i, :] /= triangle[..., i, i, None]
    return x


def permuted(right: Array, pivots: Array, back: bool = False) -> Array:
    """`right` with its rows exchanged as the steps of an LU factorization say."""
    out = np.array(right)
    flat, swaps = out.reshape(-1, *out.shape[-2:]), pivots.reshape(-1, pivots.shape[-1]) - 1
    every = np.arange(len(flat))
    steps = range(swaps.shape[-1])
    for k in reversed(steps) if back else steps:
        other = swaps[:, k]
        flat[every, k], flat[every, other] = flat[every, other].copy(), flat[every, k].copy()
    return out


def lu_solve(lu: Array, pivots: Array, right: Array, adjoint: bool) -> Array:
    """x with `a @ x = right` (`a.T @ x = right` if `adjoint`), for the matrix `a` that was factored."""
    shape = np.broadcast_shapes(lu.shape[:-2], right.shape[:-2])
    right = np.broadcast_to(right, (*shape, *right.shape[-2:]))
    pivots = np.broadcast_to(pivots, (*shape, pivots.shape[-1]))
    if not adjoint:
        return substitute(lu, substitute(lu, permuted(right, pivots), False, True), True)
    turned = adjoint_of(lu)
    return permuted(substitute(turned, substitute(turned, right, False), True, True), pivots, back=True)


def exponential(a: Array) -> Array:
    """e to the power of a matrix, by a rational function of it scaled down, squared up again."""
    n = a.shape[-1]
    if n == 0:
        return a.copy()
    wide = a.astype(np.float64)
    size = float(np.abs(wide).sum(-2).max(initial=0))
    if not math.isfinite(size):
        return np.full_like(a, np.nan)
    squarings = max(0, math.ceil(math.log2(size / 2))) if size else 0
    scaled = wide / 2.0**squarings
    square = scaled @ scaled
    eye = np.eye(n)
    even, odd, power = PADE[0] * eye, PADE[1] * eye, eye
    for k in range(2, len(PADE), 2):
        power = power @ square
        even = even + PADE[k] * power
        odd = odd + PADE[k + 1] * power
    odd = scaled @ odd
    out = np.linalg.solve(even - odd, even + odd)
    for _ in range(squarings):
        out = out @ out
    return out.astype(a.dtype)


ORDER = 13
PADE = [
    math.factorial(2 * ORDER - k) * math.factorial(ORDER) / math.factorial(2 * ORDER)
    / (math.factorial(k) * math.factorial(ORDER - k))
    for k in range(ORDER + 1)
]  # fmt: skip
"""The coefficients of the diagonal Pade approximation of exp."""
