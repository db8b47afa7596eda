"""Operators that take a matrix apart: Cholesky, QR, singular values, eigenvalues.

Formulas: PyTorch's derivatives.yaml and FunctionsManual.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..op import both, helper, op
from ..tensor import Array
from .factors import LinAlgError, by_columns


@both
def cholesky_backward(grad: Array, upper: bool, L: Array) -> Array:
    lower, pulled = (adjoint(L), adjoint(grad)) if upper else (L, grad)
    phi = tril(matmul(adjoint(lower), pulled), 0)
    even = mul_scalar(phi + adjoint(tril(phi, -1)), 0.5)
    half = linalg_solve_triangular(adjoint(lower), even, True, True)
    return linalg_solve_triangular(lower, half, False, False)


@op(
    "linalg_cholesky_ex",
    outputs=("L", "info"),
    differentiable=("L",),
    self=lambda grad, L, upper: cholesky_backward(grad, upper, L),
)
def linalg_cholesky(self: Array, upper: bool = False) -> tuple[Array, Array]:
    info = np.zeros(self.shape[:-2], np.int32)[()]
    try:
        lower = np.linalg.cholesky(np.swapaxes(self, -1, -2) if upper else self)
    except np.linalg.LinAlgError:
        raise LinAlgError(not_positive(np.swapaxes(self, -1, -2) if upper else self)) from None
    return by_columns(np.swapaxes(lower, -1, -2) if upper else lower), info


def not_positive(data: Array) -> str:
    """What torch says of the first matrix without a Cholesky factor: at which leading minor it fails."""
    for i, matrix in enumerate(data.reshape(-1, *data.shape[-2:])):
        for order in range(1, len(matrix) + 1):
            try:
                np.linalg.cholesky(matrix[:order, :order])
            except np.linalg.LinAlgError:
                which = f"(Batch element {i}): " if data.ndim > 2 else ""
                return (
                    f"linalg.cholesky: {which}The factorization could not be completed because the input is not "
                    f"positive-definite (the leading minor of order {order} is not positive-definite)."
                )
    return "linalg.cholesky: The factorization could not be completed because the input is not positive-definite."


@both
def doubled(x: Array) -> Array:
    """X + X.T with the diagonal once."""
    return halved_diagonal(x + adjoint(x))


@both
def qr_backward(by_q: Any, by_r: Any, Q: Array, R: Array, mode: str) -> Any:
    not_differentiable(mode, Q.shape, R.shape)
    rows, columns = Q.shape[-2], R.shape[-1]
    if by_q is None and by_r is None:
        return None
    if by_q is None:
        pulled = matmul(by_r, adjoint(R))
    elif by_r is None:
        pulled = -matmul(adjoint(Q), by_q)
    else:
        pulled = matmul(by_r, adjoint(R)) - matmul(adjoint(Q), by_q)
    if rows >= columns:
        out = matmul(Q, doubled(triu(pulled, 0)))
        if by_q is not None:
            out = out + by_q
        return linalg_solve_triangular(adjoint(R), out, False, False)
    back = -pulled
    out = matmul(Q, tril(back - adjoint(back), 0))
    out = linalg_solve_triangular(adjoint(slice_(R, -1, 0, rows, 1)), out, False, False)
    out = cat([out, blank([*out.shape[:-1], columns - rows], out.dtype)], -1)
    return out if by_r is None else out + matmul(Q, by_r)


def not_differentiable(mode: str, orthogonal: Sequence[int], triangle: Sequence[int]) -> None:
    """Whether a QR factorization of this kind has a derivative.

    Raises:
        RuntimeError: it has none, in torch's words.
    """
    if mode == "r":
        raise RuntimeError(
            "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use "
            "linalg.qr(A, mode='reduced') if you are going to differentiate through linalg.qr."
        )
    if mode == "complete" and orthogonal[-2] > triangle[-1]:
        raise RuntimeError("The QR decomposition is not differentiable when mode='complete' and nrows > ncols.")


helper(not_differentiable)


@op(
    "linalg_qr",
    outputs=("Q", "R"),
    A=lambda grads, Q, R, mode: qr_backward(grads[0], grads[1], Q, R, mode),
)
def linalg_qr(A: Array, mode: str = "reduced") -> tuple[Array, Array]:
    if mode == "r":
        return np.zeros(0, A.dtype), by_columns(np.linalg.qr(A, "r"))
    Q, R = np.linalg.qr(A, mode)  # type: ignore[call-overload]
    return by_columns(Q), by_columns(R)


@both
def skew(x: Array) -> Array:
    return x - adjoint(x)


@both
def svd_backward(by_u: Any, by_s: Any, by_v: Any, U: Array, S: Array, Vh: Array) -> Any:
    rows, columns = U.shape[-2], Vh.shape[-1]
    if by_u is None and by_v is None:
        if by_s is None:
            return None
        if rows >= columns:
            return matmul(U, unsqueeze(by_s, -1) * Vh)
        return matmul(U * unsqueeze(by_s, -2), Vh)
    turned_u = None if by_u is None else skew(matmul(adjoint(U), by_u))
    turned_v = None if by_v is None else skew(matmul(Vh, adjoint(by_v)))
    squares = S * S
    gaps = filled_diagonal(unsqueeze(squares, -2) - unsqueeze(squares, -1), 1.0)
    if turned_u is None:
        out = unsqueeze(S, -1) * (turned_v / gaps)
    elif turned_v is None:
        out = (turned_u / gaps) * unsqueeze(S, -2)
    else:
        out = (turned_u * unsqueeze(S, -2) + unsqueeze(S, -1) * turned_v) / gaps
    if by_s is not None:
        out = out + diag_embed(by_s, 0, -2, -1)
    if rows > columns and by_u is not None:
        out = matmul(U, out)
        scaled = by_u / unsqueeze(S, -2)
        out = out + scaled - matmul(U, matmul(adjoint(U), scaled))
        return matmul(out, Vh)
    if rows < columns and by_v is not None:
        out = matmul(out, Vh)
        scaled = by_v / unsqueeze(S, -1)
        out = out + scaled - matmul(matmul(scaled, adjoint(Vh)), Vh)
        return matmul(U, out)
    return matmul(U, matmul(out, Vh)) if rows >= columns else matmul(matmul(U, out), Vh)


@both
def full_svd_backward(grads: Any, U: Array, S: Array, Vh: Array, full: bool, count: int) -> Any:
    by_u, by_s, by_v = grads
    if full:
        by_u = None if by_u is None else slice_(by_u, -1, 0, count, 1)
        by_v = None if by_v is None else slice_(by_v, -2, 0, count, 1)
        U, Vh = slice_(U, -1, 0, count, 1), slice_(Vh, -2, 0, count, 1)
    return svd_backward(by_u, by_s, by_v, U, S, Vh)


@op(
    "_linalg_svd",
    node="LinalgSvdBackward0",
    outputs=("U", "S", "Vh"),
    A=lambda grads, S, S_sym_argsize_minus_1, U, Vh, full_matrices: full_svd_backward(
        grads, U, S, Vh, full_matrices, S_sym_argsize_minus_1
    ),
)
def svd(A: Array, full_matrices: bool, compute_uv: bool, S_sym_argsize_minus_1: int) -> tuple[Array, Array, Array]:
    """The last argument is how many singular values there are, which the node shows."""
    if not compute_uv:
        return np.zeros(0, A.dtype), np.linalg.svd(A, compute_uv=False), np.zeros(0, A.dtype)
    U, S, Vh = np.linalg.svd(A, full_matrices=full_matrices)
    return by_columns(U), S, by_columns(Vh)


@both
def eigh_backward(by_values: Any, by_vectors: Any, values: Array, vectors: Array) -> Any:
    if by_vectors is None:
        turned = adjoint(vectors)  # torch makes it first
        return None if by_values is None else matmul(vectors * unsqueeze(by_values, -2), turned)
    turned = matmul(adjoint(vectors), by_vectors)
    gaps = filled_diagonal(unsqueeze(values, -2) - unsqueeze(values, -1), 1.0)
    out = mul_scalar(skew(turned), 0.5) / gaps
    if by_values is not None:
        out = copied_diagonal(out, by_values)
    return matmul(vectors, matmul(out, adjoint(vectors)))


@op(
    "_linalg_eigh",
    node="LinalgEighBackward0",
    outputs=("eigenvalues", "eigenvectors"),
    A=lambda grads, eigenvalues, eigenvectors: eigh_backward(grads[0], grads[1], eigenvalues, eigenvectors),
)
def linalg_eigh(A: Array, UPLO: str = "L", compute_v: bool = True) -> tuple[Array, Array]:
    if not compute_v:
        return np.linalg.eigvalsh(A, UPLO), np.zeros(0, A.dtype)  # type: ignore[call-overload]
    values, vectors = np.linalg.eigh(A, UPLO)  # type: ignore[call-overload]
    return values, by_columns(vectors)
