"""Linear algebra. Formulas: PyTorch's derivatives.yaml and FunctionsManual.cpp.

Where PyTorch solves again under create_graph, so that the solution can be differentiated, these formulas do too; in
plain runs they use the factors that the forward kept.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..inplace import in_place
from ..op import GRAPH, both, helper, op
from ..tensor import Array, plain
from . import matmul as m
from . import shape as s
from .decompositions import linalg_cholesky as linalg_cholesky
from .decompositions import linalg_eigh as linalg_eigh
from .decompositions import linalg_qr as linalg_qr
from .decompositions import svd as svd
from .determinants import adjoint, factored, first_bad, kept_solve
from .determinants import linalg_det as linalg_det
from .determinants import linalg_slogdet as linalg_slogdet
from .factors import LinAlgError as LinAlgError
from .factors import by_columns, exponential, lu_factor, lu_solve, substitute
from .joint import joint

helper(m.matmul, lambda a, b: np.matmul(a, b))


# ---- inverses and solutions


@both
def inverse_backward(grad: Array, inverse: Array) -> Array:
    pulled = matmul(grad, adjoint(inverse))
    return -matmul(adjoint(inverse), pulled)


@op(
    "linalg_inv_ex",
    outputs=("inverse", "info"),
    differentiable=("inverse",),
    A=lambda grad, inverse: inverse_backward(grad, inverse),
)
def linalg_inv(A: Array) -> tuple[Array, Array]:
    info = np.zeros(A.shape[:-2], np.int32)
    try:
        return by_columns(np.linalg.inv(A)), info[()]
    except np.linalg.LinAlgError:
        along = np.diagonal(lu_factor(A)[0], axis1=-2, axis2=-1)
        bad = np.any(along == 0, -1)
        at = int(np.argmax(along.reshape(-1, A.shape[-1])[np.flatnonzero(bad)[0]] == 0)) + 1 if np.any(bad) else 1
        raise LinAlgError(
            f"linalg.inv: {first_bad(bad) if np.any(bad) else ''}The diagonal element {at} is zero, the inversion "
            "could not be completed because the input matrix is singular."
        ) from None


def vector_right(A: Any, B: Any) -> bool:
    """Whether B is a vector, or a batch of as many as there are matrices."""
    a, b = A.shape, B.shape
    return len(b) == 1 or (len(a) - 1 == len(b) and tuple(b) == tuple(a[:-1]))


def again_solved(A: Any, LU: Any, pivots: Any, grad: Any, left: bool) -> Any:
    """The gradient of the right side, solved anew so that it can be differentiated."""
    return GRAPH["linalg_solve"](GRAPH["adjoint"](A), grad, left)


def solved_by_factors(A: Array, LU: Array, pivots: Array, grad: Array, left: bool) -> Array:
    if left:
        return kept_solve(A, LU, pivots, grad)
    turned = lu_solve(LU, pivots, np.swapaxes(grad, -1, -2), adjoint=A.flags.c_contiguous)
    return np.swapaxes(turned, -1, -2)


helper(again_solved, solved_by_factors)
helper(vector_right)


@both
def solve_backward(grad: Array, result: Array, A: Array, LU: Array, pivots: Array, left: bool, mask: Any) -> list[Any]:
    vector = vector_right(A, result)
    to_right = again_solved(A, LU, pivots, unsqueeze(grad, -1) if vector else grad, left)
    to_matrix = None
    if mask[0]:
        X = unsqueeze(result, -1) if vector else result
        to_matrix = -matmul(to_right, adjoint(X)) if left else -matmul(adjoint(X), to_right)
        to_matrix = sum_to(to_matrix, A.shape)
    return [to_matrix, (squeeze_dim(to_right, -1) if vector else to_right) if mask[1] else None]


@joint(
    "_linalg_solve_ex",
    node="LinalgSolveExBackward0",
    outputs=("result", "LU", "pivots", "info"),
    differentiable=("result",),
    of=("A", "B"),
    formula=lambda grad, A, LU, pivots, left, result, mask: solve_backward(grad, result, A, LU, pivots, left, mask),
)
def linalg_solve_ex(A: Array, B: Array, left: bool = True) -> tuple[Array, Array, Array, Array]:
    lu, pivots = factored(A)
    bad = np.any(np.diagonal(lu, axis1=-2, axis2=-1) == 0, -1)
    if np.any(bad):
        raise LinAlgError(
            f"torch.linalg.solve: {first_bad(bad)}The solver failed because the input matrix is singular."
        )
    vector = vector_right(A, B)
    right = B[..., None] if vector else B
    if left:
        X = by_columns(np.linalg.solve(A, right))
    else:
        X = np.swapaxes(np.linalg.solve(np.swapaxes(A, -1, -2), np.swapaxes(right, -1, -2)), -1, -2)
    return X[..., 0] if vector else X, lu, pivots, np.zeros(A.shape[:-2], np.int32)[()]


@both
def linalg_solve(A: Array, B: Array, left: bool = True) -> Array:
    return linalg_solve_ex(A, B, left)[0]


@both
def triangular_backward(
    grad: Array, self: Array, result: Array, upper: bool, left: bool, unitriangular: bool, mask: Any
) -> list[Any]:
    to_right = linalg_solve_triangular(adjoint(self), grad, not upper, left, unitriangular)
    to_matrix = None
    if mask[0]:
        X = adjoint(result)
        full = -matmul(to_right, X) if left else -matmul(X, to_right)
        to_matrix = triu(full, int(unitriangular)) if upper else tril(full, -int(unitriangular))
    return [to_matrix, to_right if mask[1] else None]


@joint(
    "linalg_solve_triangular",
    of=("self", "B"),
    formula=lambda grad, self, left, unitriangular, upper, result, mask: triangular_backward(
        grad, self, result, upper, left, unitriangular, mask
    ),
)
def linalg_solve_triangular(
    self: Array, B: Array, upper: bool, left: bool = True, unitriangular: bool = False
) -> Array:
    triangle = np.triu(self) if upper else np.tril(self)
    if left:
        return by_columns(substitute(triangle, B, upper, unitriangular))
    turned = substitute(np.swapaxes(triangle, -1, -2), np.swapaxes(B, -1, -2), not upper, unitriangular)
    return np.swapaxes(turned, -1, -2)


@both
def pinv_backward(grad: Array, pinv: Array, A: Array) -> Array:
    turned, pulled = adjoint(pinv), adjoint(grad)
    if A.shape[-2] <= A.shape[-1]:
        K = matmul(pulled, pinv)
        KP = matmul(K, turned)
        return (
            -adjoint(matmul(pinv, K)) + KP - matmul(matmul(A, pinv), KP)
            + matmul(matmul(turned, pinv), pulled - matmul(K, A))
        )  # fmt: skip
    K = matmul(pinv, pulled)
    PK = matmul(turned, K)
    return (
        -adjoint(matmul(K, pinv)) + matmul(matmul(pulled - matmul(A, K), pinv), turned) + PK
        - matmul(matmul(PK, pinv), A)
    )  # fmt: skip


@op("linalg_pinv", self=lambda grad, self, result: pinv_backward(grad, result, self))
def linalg_pinv(self: Array, rtol: float) -> Array:
    return np.ascontiguousarray(np.linalg.pinv(self, rcond=rtol))


# ---- functions of matrices


def block_exponential(A: Any, grad: Any) -> Any:
    """The corner of exp([[A, grad], [0, A]]): how exp changes at A in the direction `grad`."""
    n = A.data_.shape[-1]
    whole = plain(np.zeros((*A.data_.shape[:-2], 2 * n, 2 * n), A.data_.dtype))
    for down, across, part in ((0, 0, A), (n, n, A), (0, n, grad)):
        rows = s.slice_(whole, -2, down, down + n, 1)
        in_place(GRAPH["copy"], s.slice_(rows, -1, across, across + n, 1), part)
    out = matrix_exp(whole)
    return s.slice_(s.slice_(out, -2, 0, n, 1), -1, n, 2 * n, 1)


def raw_block_exponential(A: Array, grad: Array) -> Array:
    n = A.shape[-1]
    top, bottom = np.concatenate([A, grad], -1), np.concatenate([np.zeros_like(A), A], -1)
    return exponential(np.concatenate([top, bottom], -2))[..., :n, n:]


helper(block_exponential, raw_block_exponential)


@op("linalg_matrix_exp", self=lambda grad, self: block_exponential(adjoint(self), grad))
def matrix_exp(self: Array) -> Array:
    return exponential(self)
