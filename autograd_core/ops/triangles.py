"""Matrices as L and U, what is solved by these, and by least squares. Formulas: PyTorch's FunctionsManual.cpp."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..op import RAW, both, helper, op
from ..tensor import Array
from .decompositions import not_positive
from .factors import LinAlgError, adjoint_of, by_columns, lu_factor, permuted
from .factors import lu_solve as solved
from .joint import joint


def exchanges(pivots: Array, rows: int, kind: Any) -> Array:
    """P with A = P @ L @ U, from the rows exchanged at each step."""
    eye = np.broadcast_to(np.eye(rows, dtype=kind), (*pivots.shape[:-1], rows, rows))
    return by_columns(adjoint_of(permuted(eye, pivots)))


def exchanges_of(pivots: Any, like: Any) -> Any:
    from ..tensor import plain

    return plain(exchanges(pivots.data_, like.data_.shape[-2], like.data_.dtype))


helper(exchanges_of, lambda pivots, like: exchanges(pivots, like.shape[-2], like.dtype))


def eye_like(data: Any) -> Any:
    """As much of the diagonal of a factor L as there is."""
    from ..tensor import plain

    rows, columns = data.data_.shape[-2:]
    return plain(np.eye(rows, min(rows, columns), dtype=data.data_.dtype))


helper(eye_like, lambda data: np.eye(data.shape[-2], min(data.shape[-2:]), dtype=data.dtype))


def inverses(data: Array) -> tuple[Array, Array]:
    """Each matrix inverted, and 0; of a singular one its factors, and where the first zero lies, as LAPACK has it."""
    LU, _, info = RAW["linalg_lu_factor_ex"](data)
    out, numbers = LU.reshape(-1, *data.shape[-2:]), np.ravel(info)
    for matrix, number, given in zip(out, numbers, data.reshape(out.shape), strict=True):
        if number == 0:
            matrix[...] = np.linalg.inv(given)
    return by_columns(out.reshape(data.shape)), info


# ---- L and U


@both
def lower_of(LU: Array) -> Array:
    rows, columns = LU.shape[-2], LU.shape[-1]
    left = LU if rows >= columns else slice_(LU, -1, 0, rows, 1)
    return tril(left, -1) + eye_like(LU)


@both
def upper_of(LU: Array) -> Array:
    rows, columns = LU.shape[-2], LU.shape[-1]
    return triu(LU if rows <= columns else slice_(LU, -2, 0, columns, 1), 0)


@both
def lu_backward(by_l: Any, by_u: Any, P: Array, L: Array, U: Array) -> Any:
    """For A = P @ L @ U, from the gradients of L and of U, of which one may be missing."""
    rows, columns, n = L.shape[-2], U.shape[-1], L.shape[-1]
    if by_l is None and by_u is None:
        return None
    first = L if rows == n else slice_(L, -2, 0, n, 1)
    head = U if columns == n else slice_(U, -1, 0, n, 1)
    below, above = None, None
    if by_l is not None:
        below = matmul(adjoint(first), by_l if rows == n else slice_(by_l, -2, 0, n, 1))
        if rows > n:
            above = -matmul(adjoint(slice_(L, -2, n, rows, 1)), slice_(by_l, -2, n, rows, 1))
    if by_u is not None:
        from_head = matmul(by_u if columns == n else slice_(by_u, -1, 0, n, 1), adjoint(head))
        above = from_head if above is None else above + from_head
        if columns > n:
            aside = -matmul(slice_(by_u, -1, n, columns, 1), adjoint(slice_(U, -1, n, columns, 1)))
            below = aside if below is None else below + aside
    parts = [tril(below, -1) if below is not None else None, triu(above, 0) if above is not None else None]
    inside = parts[0] if parts[1] is None else parts[1] if parts[0] is None else parts[0] + parts[1]
    inside = linalg_solve_triangular(adjoint(head), inside, False, False)
    out = linalg_solve_triangular(adjoint(first), inside, True, True, True)
    if columns > n:
        rest = zeros_as(slice_(U, -1, n, columns, 1)) if by_u is None else slice_(by_u, -1, n, columns, 1)
        out = cat([out, linalg_solve_triangular(adjoint(first), rest, True, True, True)], -1)
    if rows > n:
        rest = zeros_as(slice_(L, -2, n, rows, 1)) if by_l is None else slice_(by_l, -2, n, rows, 1)
        out = cat([out, linalg_solve_triangular(adjoint(head), rest, False, False)], -2)
    return matmul(P, out)


@both
def lu_factor_backward(grad: Array, LU: Array, pivots: Array) -> Array:
    rows, columns = LU.shape[-2], LU.shape[-1]
    by_l = grad if rows >= columns else slice_(grad, -1, 0, rows, 1)
    by_u = grad if rows <= columns else slice_(grad, -2, 0, columns, 1)
    return lu_backward(by_l, by_u, exchanges_of(pivots, LU), lower_of(LU), upper_of(LU))


@op(
    "linalg_lu_factor_ex",
    node="LinalgLuFactorExBackward0",
    outputs=("LU", "pivots", "info"),
    differentiable=("LU",),
    A=lambda grad, LU, pivot, pivots: lu_factor_backward(grad, LU, pivots),
)
def linalg_lu_factor_ex(A: Array, pivot: bool = True) -> tuple[Array, Array, Array]:
    LU, pivots = lu_factor(A)
    zero = np.diagonal(LU, axis1=-2, axis2=-1) == 0
    info = np.where(np.any(zero, -1), np.argmax(zero, -1) + 1, 0) if zero.shape[-1] else np.zeros(zero.shape[:-1])
    return LU, pivots, info.astype(np.int32)[()]


@op(
    "linalg_lu",
    node="LinalgLuBackward0",
    outputs=("L", "U", "P"),
    differentiable=("L", "U"),
    A=lambda grads, L, P, U, pivot: lu_backward(grads[0], grads[1], P, L, U),
)
def linalg_lu(A: Array, pivot: bool = True) -> tuple[Array, Array, Array]:
    LU, pivots = lu_factor(A)
    rows, columns = A.shape[-2:]
    n = min(rows, columns)
    lower = np.tril(LU[..., :n], -1) + np.eye(rows, n, dtype=A.dtype)
    return by_columns(lower), by_columns(np.triu(LU[..., :n, :])), exchanges(pivots, rows, A.dtype)


@both
def lu_unpack_backward(grads: Any, rows: int, columns: int) -> Any:
    """Both gradients in one matrix, each in its triangle."""
    by_l, by_u = grads
    below = None if by_l is None else constant_pad_nd(tril(by_l, -1), [0, max(columns - rows, 0)], 0)
    above = None if by_u is None else constant_pad_nd(triu(by_u, 0), [0, 0, 0, max(rows - columns, 0)], 0)
    return above if below is None else below if above is None else below + above


@op(
    "lu_unpack",
    outputs=("L", "U", "P"),
    differentiable=("L", "U"),
    LU_data=lambda grads, LU_data_sym_argsize_minus_2, LU_data_sym_argsize_minus_1: lu_unpack_backward(
        grads, LU_data_sym_argsize_minus_2, LU_data_sym_argsize_minus_1
    ),
)
def lu_unpack(
    LU_data: Array, LU_pivots: Array, unpack_data: bool = True, unpack_pivots: bool = True
) -> tuple[Array, Array, Array]:
    rows, columns = LU_data.shape[-2:]
    P = L = U = np.zeros(0, LU_data.dtype)
    if unpack_data:
        n = min(rows, columns)
        L = by_columns(np.tril(LU_data[..., :n], -1) + np.eye(rows, n, dtype=LU_data.dtype))
        U = by_columns(np.triu(LU_data[..., :n, :]))
    return L, U, exchanges(LU_pivots, rows, LU_data.dtype) if unpack_pivots else P


# ---- solved by these


@both
def lu_solve_backward(
    grad: Array, LU: Array, pivots: Array, X: Array, left: bool, adjoint_: bool, mask: Any
) -> list[Any]:
    to_right = linalg_lu_solve(LU, pivots, grad, left, not adjoint_) if mask[1] else None
    if not mask[0]:
        return [None, to_right]
    L, U = lower_of(LU), upper_of(LU)
    if left != adjoint_:
        pulled = -matmul(grad, adjoint(X)) if left else -matmul(adjoint(grad), X)
        back = linalg_solve_triangular(adjoint(U), pulled, False)
        by_l = linalg_solve_triangular(adjoint(L), matmul(back, adjoint(U)), True, True, True)
        return [tril(by_l, -1) + triu(back, 0), to_right]
    P = exchanges_of(pivots, LU)
    pulled = matmul(X, adjoint(grad)) if left else matmul(adjoint(X), grad)
    back = linalg_solve_triangular(adjoint(L), -matmul(matmul(adjoint(P), pulled), P), True, False, True)
    by_u = linalg_solve_triangular(adjoint(U), matmul(adjoint(L), back), False, False)
    return [tril(back, -1) + triu(by_u, 0), to_right]


@joint(
    "linalg_lu_solve",
    node="LinalgLuSolveBackward0",
    of=("LU", "B"),
    formula=lambda grad, LU, adjoint, left, pivots, result, mask: lu_solve_backward(
        grad, LU, pivots, result, left, adjoint, mask
    ),
)
def linalg_lu_solve(LU: Array, pivots: Array, B: Array, left: bool = True, adjoint: bool = False) -> Array:
    if left:
        return by_columns(solved(LU, pivots, B, adjoint))
    return adjoint_of(by_columns(solved(LU, pivots, adjoint_of(B), not adjoint)))


# ---- least squares


@both
def lstsq_backward(grad: Array, self: Array, b: Array, mask: Any) -> list[Any]:
    vector = len(b.shape) == len(self.shape) - 1
    pulled = unsqueeze(grad, -1) if vector else grad
    right = unsqueeze(b, -1) if vector else b
    pinv = linalg_pinv(self, small(self))
    to_matrix = pinv_backward(matmul(pulled, adjoint(right)), pinv, self) if mask[0] else None
    to_right = matmul(adjoint(pinv), pulled) if mask[1] else None
    return [to_matrix, squeeze_dim(to_right, -1) if vector and to_right is not None else to_right]


def small(data: Any) -> float:
    """What torch takes for zero beside the largest singular value."""
    held = getattr(data, "data_", data)
    return float(np.finfo(held.dtype).eps) * max(held.shape[-2:])


helper(small)


@joint(
    "linalg_lstsq",
    node="LinalgLstsqBackward0",
    outputs=("solution", "residuals", "rank", "singular_values"),
    differentiable=("solution", "residuals"),
    of=("self", "b"),
    formula=lambda grads, self, b, solution, mask: lstsq_backward(grads[0], self, b, mask),
)
def linalg_lstsq(self: Array, b: Array, rcond: float) -> tuple[Array, Array, Array, Array]:
    vector = b.ndim == self.ndim - 1
    right = b[..., None] if vector else b
    values = np.linalg.svd(self, compute_uv=False)
    rank = np.sum(values > rcond * np.max(values, axis=-1, keepdims=True, initial=0), axis=-1).astype(np.int64)
    solution = by_columns(np.matmul(np.linalg.pinv(self, rcond=rcond), right).astype(self.dtype))
    nothing = np.zeros(0, self.dtype)
    return solution[..., 0] if vector else solution, nothing, rank[()], nothing.copy()


# ---- the old way to a Cholesky factor


@op("cholesky", forward_mode=False, self=lambda grad, result, upper: cholesky_backward(grad, upper, result))
def cholesky(self: Array, upper: bool = False) -> Array:
    try:
        lower = np.linalg.cholesky(adjoint_of(self) if upper else self)
    except np.linalg.LinAlgError:
        text = not_positive(adjoint_of(self) if upper else self)
        raise LinAlgError(text.removeprefix("linalg.")) from None
    return by_columns(adjoint_of(lower) if upper else lower)
