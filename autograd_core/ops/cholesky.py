"""Solutions and inverses from a factor of Cholesky's. Formulas: PyTorch's FunctionsManual.cpp."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..op import both, op
from ..tensor import Array
from .determinants import adjoint
from .factors import by_columns, substitute
from .joint import joint


def solved(factor: Array, right: Array, upper: bool) -> Array:
    """x of A x = right, where A is factor @ factor.T (or factor.T @ factor, if `upper`)."""
    batch = np.broadcast_shapes(factor.shape[:-2], right.shape[:-2])
    factor, right = (np.broadcast_to(x, (*batch, *x.shape[-2:])) for x in (factor, right))
    lower = np.swapaxes(np.triu(factor), -1, -2) if upper else np.tril(factor)
    half = substitute(lower, right, False, False)
    return by_columns(substitute(np.swapaxes(lower, -1, -2), half, True, False))


@both
def to_factor(common: Array, factor: Array, upper: bool) -> Array:
    """What a symmetric gradient `common` of A^-1's kind is for the factor."""
    both_ways = common + adjoint(common)
    return -matmul(factor, both_ways) if upper else -matmul(both_ways, factor)


@both
def solve_by_factor_backward(
    grad: Array, self: Array, input2: Array, result: Array, upper: bool, mask: Any
) -> list[Any]:
    to_right = cholesky_solve(grad, input2, upper)
    to_input2 = to_factor(matmul(to_right, adjoint(result)), input2, upper) if mask[1] else None
    return [to_right if mask[0] else None, to_input2]


@joint(
    "cholesky_solve",
    of=("self", "input2"),
    formula=lambda grad, self, input2, result, upper, mask: solve_by_factor_backward(
        grad, self, input2, result, upper, mask
    ),
)
def cholesky_solve(self: Array, input2: Array, upper: bool = False) -> Array:
    return solved(input2, self, upper)


@op(
    "cholesky_inverse",
    self=lambda grad, self, result, upper: to_factor(matmul(result, matmul(grad, result)), self, upper),
)
def cholesky_inverse(self: Array, upper: bool = False) -> Array:
    return solved(self, np.broadcast_to(np.eye(self.shape[-1], dtype=self.dtype), self.shape), upper)
