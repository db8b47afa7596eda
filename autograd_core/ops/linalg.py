"""Linear algebra. Formulas: PyTorch's derivatives.yaml and FunctionsManual.cpp.

Where PyTorch solves again under create_graph, so that the solution can be differentiated, these formulas do too; in
plain runs they use the factors that the forward kept.
"""

# ruff: noqa: F821
# mypy: disable-error-code="no-any-return, no-untyped-call, misc, name-defined, has-type, call-overload, arg-type"

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import errors
from ..batch import unseen
from ..inplace import in_place
from ..op import GRAPH, both, helper, op
from ..tensor import Array, plain
from . import matmul as m
from . import shape as s
from .factors import by_columns, exponential, lu_factor, lu_solve, parity, substitute
from .joint import joint


class LinAlgError(RuntimeError):
    """A matrix is singular, or not positive-definite, or an iteration does not converge."""


LinAlgError.__name__ = LinAlgError.__qualname__ = "_LinAlgError"
LinAlgError.__module__ = "torch._C"

helper(m.matmul, lambda a, b: np.matmul(a, b))


@both
def adjoint(x: Array) -> Array:
    return transpose(x, -2, -1)


def first_bad(bad: Array) -> str:
    """Which matrix of a batch fails, as torch says it."""
    return f"(Batch element {int(np.flatnonzero(bad)[0])}): " if bad.ndim else ""


# ---- written diagonals


def filled_diagonal(x: Any, value: float) -> Any:
    """`x` with `value` written over its diagonals."""
    in_place(GRAPH["fill"], s.diagonal(x, 0, -2, -1), value)
    return x


def copied_diagonal(x: Any, values: Any) -> Any:
    in_place(GRAPH["copy"], s.diagonal(x, 0, -2, -1), values)
    return x


def halved_diagonal(x: Any) -> Any:
    in_place(GRAPH["mul"], s.diagonal(x, 0, -2, -1), 0.5)
    return x


def written(x: Array, change: Any) -> Array:
    out = np.array(x)
    look = np.einsum("...ii->...i", out)
    look[...] = change(look)
    return out


helper(filled_diagonal, lambda x, value: written(x, lambda _: value))
helper(copied_diagonal, lambda x, values: written(x, lambda _: values))
helper(halved_diagonal, lambda x: written(x, lambda look: look * x.dtype.type(0.5)))


# ---- determinants


def diagonal_of(values: Any, size: int) -> Any:
    """Each of `values` times the unit matrix."""
    wide = list(values.data_.shape)
    every = s.expand(s.unsqueeze(values, -1), [*wide, size])
    return s.transpose(s.diag_embed(every, 0, -2, -1), -2, -1)


def kept_solve(A: Array, LU: Array, pivots: Array, right: Array) -> Array:
    """The solution for the adjoint of A by its kept factors: those of A.T, if A lies in memory by rows."""
    return lu_solve(LU, pivots, right, adjoint=not A.flags.c_contiguous)


def det_backward(grad: Any, result: Any, A: Any, LU: Any, pivots: Any) -> Any:
    """det(A) * grad * inverse(A).T; by singular values where A has no inverse."""
    scale = GRAPH["mul"](grad, result)
    if unseen(result):
        return det_by_svd(grad, A)  # right for all matrices
    singular = np.abs(np.asarray(result.data_)) < 100 * np.finfo(A.data_.dtype).eps
    if not np.any(singular):
        right = diagonal_of(scale, A.data_.shape[-1])
        return GRAPH["linalg_solve"](GRAPH["adjoint"](A), right)
    if np.all(singular):
        return det_by_svd(grad, A)
    return det_of_some(grad, result, A, LU, pivots, singular)


def det_of_some(grad: Any, result: Any, A: Any, LU: Any, pivots: Any, singular: Array) -> Any:
    """In a batch, each matrix by its own way."""
    out = plain(np.zeros_like(A.data_))
    for chosen in (singular, ~singular):
        mask = [plain(chosen)]
        part = [GRAPH["index"](x, mask) for x in (grad, result, A, LU, pivots)]
        out = GRAPH["index_put"](out, mask, det_backward(*part), False)
    return out


def det_by_svd(grad: Any, A: Any) -> Any:
    U, S, Vh = svd(A, True, True, A.data_.shape[-1])
    alpha = GRAPH["mul"](GRAPH["mul"](linalg_det(U)[0], linalg_det(Vh)[0]), grad)
    gamma = GRAPH["products_of_others"](alpha, S)
    return m.matmul(GRAPH["mul"](U, s.unsqueeze(gamma, -2)), Vh)


@both
def products_of_others(grad: Array, values: Array) -> Array:
    """`grad` times the product of all other values of the last dimension."""
    n = values.shape[-1]
    others = filled_diagonal(clone(expand(unsqueeze(values, -2), [*values.shape[:-1], n, n])), 1.0)
    return unsqueeze(grad, -1) * prod_dim(others, -1, False)


def raw_det_backward(grad: Array, result: Array, A: Array, LU: Array, pivots: Array) -> Array:
    eps = np.finfo(A.dtype).eps
    steady = written(LU, lambda look: np.where(look == 0, eps, look))
    scale = np.asarray(grad * result)[..., None, None]
    return kept_solve(A, steady, pivots, scale * np.eye(A.shape[-1], dtype=A.dtype))


helper(det_backward, raw_det_backward)


def factored(A: Array) -> tuple[Array, Array]:
    return lu_factor(np.swapaxes(A, -1, -2) if A.flags.c_contiguous else A)


@op(
    "_linalg_det",
    node="LinalgDetBackward0",
    outputs=("result", "LU", "pivots"),
    differentiable=("result",),
    A=lambda grad, A, LU, pivots, result: det_backward(grad, result, A, LU, pivots),
)
def linalg_det(A: Array) -> tuple[Array, Array, Array]:
    lu, pivots = factored(A)
    result = np.prod(np.diagonal(lu, axis1=-2, axis2=-1), -1) * parity(pivots).astype(A.dtype)
    return result.astype(A.dtype)[()], lu, pivots


def slogdet_backward(grad: Any, A: Any, LU: Any, pivots: Any) -> Any:
    if grad is None:
        return None
    right = diagonal_of(grad, A.data_.shape[-1])
    return GRAPH["linalg_solve"](GRAPH["adjoint"](A), right)


def raw_slogdet_backward(grad: Array, A: Array, LU: Array, pivots: Array) -> Array:
    if grad is None:
        return None
    scale = np.asarray(grad)[..., None, None]
    return kept_solve(A, LU, pivots, scale * np.eye(A.shape[-1], dtype=A.dtype))


helper(slogdet_backward, raw_slogdet_backward)


@op(
    "_linalg_slogdet",
    node="LinalgSlogdetBackward0",
    outputs=("sign", "logabsdet", "LU", "pivots"),
    differentiable=("sign", "logabsdet"),
    A=lambda grads, A, LU, pivots, sign: slogdet_backward(grads[1], A, LU, pivots),
)
def linalg_slogdet(A: Array) -> tuple[Array, Array, Array, Array]:
    lu, pivots = factored(A)
    along = np.diagonal(lu, axis1=-2, axis2=-1)
    sign = np.prod(np.sign(along), -1) * parity(pivots)
    size = np.sum(np.log(np.abs(along)), -1)
    return sign.astype(A.dtype)[()], size.astype(A.dtype)[()], lu, pivots


# ---- inverses and solutions


@op(
    "linalg_inv_ex",
    outputs=("inverse", "info"),
    differentiable=("inverse",),
    A=lambda grad, inverse: -matmul(adjoint(inverse), matmul(grad, adjoint(inverse))),
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


# ---- factors


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
    Q, R = np.linalg.qr(A, mode)
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
        return None if by_values is None else matmul(vectors * unsqueeze(by_values, -2), adjoint(vectors))
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
        return np.linalg.eigvalsh(A, UPLO), np.zeros(0, A.dtype)
    values, vectors = np.linalg.eigh(A, UPLO)
    return values, by_columns(vectors)


# ---- vectors


@op(
    "linalg_cross",
    self=lambda grad, other, dim: linalg_cross(other, grad, dim),
    other=lambda grad, self, dim: linalg_cross(grad, self, dim),
)
def linalg_cross(self: Array, other: Array, dim: int = -1) -> Array:
    return np.cross(self, other, axis=dim)


def check_square(name: str, A: Any, what: str = "A") -> None:
    """Whether A is a square matrix of floats, or a batch of them.

    Raises:
        RuntimeError: it is not, in torch's words.
    """
    check_matrix(name, A, what)
    rows, columns = A.data_.shape[-2:]
    if rows != columns:
        raise RuntimeError(
            f"{name}: {what} must be batches of square matrices, but they are {rows} by {columns} matrices"
        )


def check_matrix(name: str, A: Any, what: str = "A") -> None:
    if A.data_.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor {what} must have at least 2 dimensions.")


def check_floating(name: str, A: Any) -> None:
    if A.data_.dtype.kind != "f":
        raise RuntimeError(
            f"{name}: Expected a floating point or complex tensor as input. Got {errors.type_name(A.data_.dtype)}"
        )
