"""What torch solved by a triangle before torch.linalg. Formulas: PyTorch's FunctionsManual.cpp."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..op import both, op
from ..tensor import Array
from .factors import by_columns, substitute


@both
def solution_backward(grad: Array, A: Array, upper: bool, transpose: bool, unitriangular: bool) -> Array:
    """To the right side: what solves the triangle turned over."""
    return linalg_solve_triangular(A if transpose else adjoint(A), grad, upper == transpose, True, unitriangular)


@both
def triangle_backward(grad: Array, A: Array, solution: Array, upper: bool, transpose: bool, unitriangular: bool) -> Any:
    """To the triangle, of which the other half was not read."""
    to_right = solution_backward(grad, A, upper, transpose, unitriangular)
    full = -matmul(solution, adjoint(to_right)) if transpose else -matmul(to_right, adjoint(solution))
    return triu(full, int(unitriangular)) if upper else tril(full, -int(unitriangular))


@both
def right_backward(grads: Any, self: Array, A: Array, *options: bool) -> Any:
    return zeros_as(self) if grads[0] is None else solution_backward(grads[0], A, *options)


@both
def matrix_backward(grads: Any, A: Array, solution: Array, *options: bool) -> Any:
    if grads[0] is None:
        return grads[1]
    through = triangle_backward(grads[0], A, solution, *options)
    return through if grads[1] is None else through + grads[1]


@op(
    "triangular_solve",
    outputs=("solution", "cloned_coefficient"),
    self=lambda grads, self, A, upper, transpose, unitriangular: right_backward(
        grads, self, A, upper, transpose, unitriangular
    ),
    A=lambda grads, A, solution, upper, transpose, unitriangular: matrix_backward(
        grads, A, solution, upper, transpose, unitriangular
    ),
)
def triangular_solve(
    self: Array, A: Array, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> tuple[Array, Array]:
    batch = np.broadcast_shapes(self.shape[:-2], A.shape[:-2])
    right, matrix = (np.broadcast_to(a, (*batch, *a.shape[-2:])) for a in (self, A))
    triangle = np.triu(matrix) if upper else np.tril(matrix)
    if transpose:
        triangle = np.swapaxes(triangle, -1, -2)
    return by_columns(substitute(triangle, right, upper != transpose, unitriangular)), by_columns(matrix.copy())
