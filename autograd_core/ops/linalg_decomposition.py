"""Operators that take a matrix apart: Cholesky, QR, singular values, eigenvalues, LU, Householder; least squares.

Formulas: PyTorch's derivatives.yaml and FunctionsManual.cpp.

Results lie in memory by columns, as LAPACK leaves them; strides tell.

Formulas: PyTorch's derivatives.yaml and FunctionsManual.cpp.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..dispatch.op import both, helper, op
from ..tensor.tensor import Array, plain
from .fused_backward import joint

# ---- on arrays, what numpy does not offer


class LinAlgError(RuntimeError):
    """A matrix is singular, or not positive-definite, or an iteration does not converge."""


LinAlgError.__name__ = LinAlgError.__qualname__ = "_LinAlgError"
LinAlgError.__module__ = "torch._C"


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


def permute(right: Array, pivots: Array, back: bool = False) -> Array:
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
        return substitute(lu, substitute(lu, permute(right, pivots), False, True), True)
    turned = adjoint_of(lu)
    return permute(substitute(turned, substitute(turned, right, False), True, True), pivots, back=True)


def exponential(a: Array) -> Array:
    """e to the power of a matrix, by a rational function of it scaled down, squared up again."""
    n = a.shape[-1]
    if n == 0:
        return a.copy()
    wide = a.astype(np.promote_types(a.dtype, np.float64))
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


# ---- Cholesky, QR, singular values, eigenvalues


@both
def cholesky_backward(grad: Array, upper: bool, L: Array) -> Array:
    lower, pulled = (adjoint(L), adjoint(grad)) if upper else (L, grad)
    phi = tril(matmul(adjoint(lower), pulled), 0)
    even = mul_scalar(phi + adjoint(tril(phi, -1)), 0.5)
    half = linalg_solve_triangular(adjoint(lower), even, True, True)
    return linalg_solve_triangular(lower, half, False, False)


@op("linalg_cholesky_ex", outputs="L | info", self=lambda grad, L, upper: cholesky_backward(grad, upper, L))
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
def double(x: Array) -> Array:
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
        out = matmul(Q, double(triu(pulled, 0)))
        if by_q is not None:
            out = out + by_q
        return linalg_solve_triangular(adjoint(R), out, False, False)
    back = -pulled
    around = tril(back - adjoint(back), 0)
    out = matmul(Q, halved_diagonal(around) if is_complex(around) else around)
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


@op("linalg_qr", outputs="Q R", A=lambda grads, Q, R, mode: qr_backward(grads[0], grads[1], Q, R, mode))
def linalg_qr(A: Array, mode: str = "reduced") -> tuple[Array, Array]:
    if mode == "r":
        return np.zeros(0, A.dtype), by_columns(np.linalg.qr(A, "r"))
    Q, R = np.linalg.qr(A, mode)  # type: ignore[call-overload]
    return by_columns(Q), by_columns(R)


@both
def skew(x: Array) -> Array:
    return x - adjoint(x)


PHASE = "specified up to multiplication by e^{i phi}. The specified loss function depends on this"


def diagonal_of(turned: Any) -> Array:
    return np.diagonal(getattr(turned, "data_", turned), axis1=-2, axis2=-1)


def free_of_turn(turned_u: Any, turned_v: Any) -> None:
    """Whether what was made of singular vectors is the same for each phase that they may have.

    Raises:
        RuntimeError: it is not, in torch's words.
    """
    sides = [diagonal_of(turned) for turned in (turned_u, turned_v) if turned is not None]
    if sides[0].dtype.kind == "c" and not np.allclose(sum(side.imag for side in sides), 0, rtol=1e-2, atol=1e-2):
        raise RuntimeError(
            f"svd_backward: The singular vectors in the complex case are {PHASE} phase term, making it ill-defined."
        )


helper(free_of_turn)


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
    free_of_turn(turned_u, turned_v)
    squares = S * S
    gaps = filled_diagonal(unsqueeze(squares, -2) - unsqueeze(squares, -1), 1.0)
    if turned_u is None:
        out = unsqueeze(S, -1) * (turned_v / gaps)
    elif turned_v is None:
        out = (turned_u / gaps) * unsqueeze(S, -2)
    else:
        out = (turned_u * unsqueeze(S, -2) + unsqueeze(S, -1) * turned_v) / gaps
    if turned_u is not None and is_complex(turned_u):
        out = out + diag_embed(diagonal(turned_u, 0, -2, -1) / mul_scalar(S, 2), 0, -2, -1)
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


def check_finite(matrices: Array, infinite: bool = False) -> Array:
    """`matrices`, which are of finite numbers, or may be `infinite`, but not NaN: of an infinity LAPACK may look for
    singular vectors for ever.

    Raises:
        LinAlgError: one is not.
    """
    wrong = np.any(np.isnan(matrices) if infinite else ~np.isfinite(matrices), axis=(-2, -1))
    if np.any(wrong):
        element = f"(Batch element {np.argmax(wrong)}): " if matrices.ndim > 2 else ""
        text = "The algorithm failed to converge because the input matrix contained non-finite values."
        raise LinAlgError(f"linalg.svd: {element}{text}")
    return matrices


def singular_values(matrices: Array) -> Array:
    """Those of each matrix; NaN of one with an infinity, as in torch."""
    infinite = np.any(np.isinf(check_finite(matrices, infinite=True)), axis=(-2, -1))
    values = np.linalg.svd(np.where(infinite[..., None, None], 0, matrices), compute_uv=False)
    values[infinite] = np.nan
    return values


@op(
    "_linalg_svd",
    node="LinalgSvdBackward0",
    outputs="U S Vh",
    A=lambda grads, S, S_sym_argsize_minus_1, U, Vh, full_matrices: full_svd_backward(
        grads, U, S, Vh, full_matrices, S_sym_argsize_minus_1
    ),
)
def svd(A: Array, full_matrices: bool, compute_uv: bool, S_sym_argsize_minus_1: int) -> tuple[Array, Array, Array]:
    """The last argument is how many singular values there are, which the node shows."""
    if not compute_uv:
        return np.zeros(0, A.dtype), singular_values(A), np.zeros(0, A.dtype)
    U, S, Vh = np.linalg.svd(check_finite(A), full_matrices=full_matrices)
    return by_columns(U), S, by_columns(Vh)


def free_of_phase(turned: Any, name: str) -> Any:
    """`turned`, whose diagonal is real if what was made of the eigenvectors is the same for each phase.

    Raises:
        RuntimeError: it is not, in torch's words.
    """
    if not np.allclose(diagonal_of(turned).imag, 0, rtol=1e-2, atol=1e-2):
        raise RuntimeError(
            f"{name}_backward: The eigenvectors in the complex case are {PHASE} quantity, so it is ill-defined."
        )
    return turned


helper(free_of_phase)


@both
def eigh_backward(by_values: Any, by_vectors: Any, values: Array, vectors: Array) -> Any:
    if by_vectors is None:
        turned = adjoint(vectors)  # torch makes it first
        return None if by_values is None else matmul(vectors * unsqueeze(by_values, -2), turned)
    turned = matmul(adjoint(vectors), by_vectors)
    if is_complex(turned):
        turned = free_of_phase(turned, "linalg_eigh")
    gaps = filled_diagonal(unsqueeze(values, -2) - unsqueeze(values, -1), 1.0)
    out = mul_scalar(skew(turned), 0.5) / gaps
    if by_values is not None:
        out = copied_diagonal(out, by_values)
    return matmul(vectors, matmul(out, adjoint(vectors)))


@op(
    "_linalg_eigh",
    node="LinalgEighBackward0",
    outputs="eigenvalues eigenvectors",
    A=lambda grads, eigenvalues, eigenvectors: eigh_backward(grads[0], grads[1], eigenvalues, eigenvectors),
)
def linalg_eigh(A: Array, UPLO: str = "L", compute_v: bool = True) -> tuple[Array, Array]:
    if not compute_v:
        return np.linalg.eigvalsh(A, UPLO), np.zeros(0, A.dtype)  # type: ignore[call-overload]
    values, vectors = np.linalg.eigh(A, UPLO)  # type: ignore[call-overload]
    return values, by_columns(vectors)


@both
def eig_backward(by_values: Any, by_vectors: Any, values: Array, vectors: Array) -> Any:
    if by_vectors is None and by_values is None:
        return None
    if by_vectors is None:
        return linalg_solve(adjoint(vectors), unsqueeze(by_values, -1) * adjoint(vectors))
    turned = free_of_phase(matmul(adjoint(vectors), by_vectors), "linalg_eig")
    lengths = real(diagonal(turned, 0, -2, -1))
    turned = turned - matmul(adjoint(vectors), vectors * unsqueeze(lengths, -2))
    gaps = conj(unsqueeze(values, -2) - unsqueeze(values, -1))
    out = turned / filled_diagonal(gaps, 1.0)
    if by_values is not None:
        out = copied_diagonal(out, by_values)
    return linalg_solve(adjoint(vectors), matmul(out, adjoint(vectors)))


@op(
    "linalg_eig",
    node="LinalgEigBackward0",
    outputs="eigenvalues eigenvectors",
    self=lambda grads, eigenvalues, eigenvectors: eig_backward(grads[0], grads[1], eigenvalues, eigenvectors),
)
def linalg_eig(self: Array) -> tuple[Array, Array]:
    """Complex ones, even where none has an imaginary part."""
    values, vectors = np.linalg.eig(self)
    dtype = np.result_type(self.dtype, np.complex64)
    return values.astype(dtype), by_columns(vectors.astype(dtype))


# ---- inverses and least squares


def inverses(data: Array) -> tuple[Array, Array]:
    """Each matrix inverted, and 0; of a singular one its factors, and where the first zero lies, as LAPACK has it."""
    LU, _ = lu_factor(data)
    zero = np.diagonal(LU, axis1=-2, axis2=-1) == 0
    info = np.where(np.any(zero, -1), np.argmax(zero, -1) + 1, 0) if zero.shape[-1] else np.zeros(zero.shape[:-1])
    out = LU.reshape(-1, *data.shape[-2:])
    for matrix, number, given in zip(out, np.ravel(info), data.reshape(out.shape), strict=True):
        if number == 0:
            matrix[...] = np.linalg.inv(given)
    return by_columns(out.reshape(data.shape)), info.astype(np.int32)[()]


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
    outputs="solution residuals | rank singular_values",
    of=("self", "b"),
    formula=lambda grads, self, b, solution, mask: lstsq_backward(grads[0], self, b, mask),
)
def linalg_lstsq(self: Array, b: Array, rcond: float) -> tuple[Array, Array, Array, Array]:
    vector = b.ndim == self.ndim - 1
    right = b[..., None] if vector else b
    values = np.linalg.svd(check_finite(self), compute_uv=False)
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


# ---- products of reflections, as LAPACK keeps them


@op("geqrf", outputs="a tau")
def geqrf(self: Array) -> tuple[Array, Array]:
    """R on and above the diagonal, below it the vectors of the reflections, and how far each goes."""
    rows, columns = self.shape[-2:]
    flat = self.reshape(-1, rows, columns)
    found = [np.linalg.qr(matrix, "raw") for matrix in flat]
    turned = np.array([h for h, _ in found]).reshape(*self.shape[:-2], columns, rows).astype(self.dtype)
    lengths = np.array([tau for _, tau in found]).reshape(*self.shape[:-2], min(rows, columns)).astype(self.dtype)
    return np.swapaxes(turned, -1, -2), lengths


def eye_like(data: Any) -> Any:
    """As much of the diagonal as there is."""
    rows, columns = data.data_.shape[-2:]
    return plain(np.eye(rows, min(rows, columns), dtype=data.data_.dtype))


helper(eye_like, lambda data: np.eye(data.shape[-2], min(data.shape[-2:]), dtype=data.dtype))


@both
def reflection(input: Array, k: int) -> Array:
    """The vector of one reflection, as a column: zeros, a one, and what stands below the diagonal."""
    rows = input.shape[-2]
    below = slice_(slice_(input, -1, k, k + 1, 1), -2, k + 1, rows, 1)
    above = unit_column(input, k)
    return cat([above, below], -2) if k + 1 < rows else above


def unit_column(input: Any, k: int) -> Any:
    return plain(raw_unit_column(input.data_, k))


def raw_unit_column(input: Array, k: int) -> Array:
    out = np.zeros((*input.shape[:-2], k + 1, 1), input.dtype)
    out[..., k, 0] = 1
    return out


helper(unit_column, raw_unit_column)


@both
def reflect(column: Array, length: Array, matrix: Array) -> Array:
    """The matrix, mirrored: `matrix - length * column @ column.T @ matrix`."""
    return matrix - length * matmul(column, matmul(adjoint(column), matrix))


@both
def householder_backward(grad: Array, input: Array, tau: Array, mask: Any) -> list[Any]:
    """Each product on the way is made again; the gradient is mirrored back through them."""
    count = tau.shape[-1]
    columns = [reflection(input, k) for k in range(count)]
    lengths = [unsqueeze(slice_(tau, -1, k, k + 1, 1), -1) for k in range(count)]
    parts = [eye_like(input)]
    for k in range(count - 1, 0, -1):
        parts.insert(0, reflect(columns[k], lengths[k], parts[0]))
    by_column: list[Any] = []
    by_length: list[Any] = []
    for column, length, part, k in zip(columns, lengths, parts, range(count), strict=True):
        ours, theirs = matmul(adjoint(column), grad), matmul(adjoint(column), part)
        by_length.append(-sum_dim(ours * theirs, [-1], False))
        moved = -(length * (matmul(grad, adjoint(theirs)) + matmul(part, adjoint(ours))))
        by_column.append(tril(moved, -(k + 1)))
        grad = reflect(column, length, grad)
    if input.shape[-1] > count:
        rest = slice_(input, -1, count, input.shape[-1], 1)
        by_column.append(zeros_as(rest))
    return [cat(by_column, -1) if mask[0] else None, cat(by_length, -1) if mask[1] else None]


@joint(
    "linalg_householder_product",
    node="LinalgHouseholderProductBackward0",
    of=("input", "tau"),
    formula=lambda grad, input, tau, result, mask: householder_backward(grad, input, tau, mask),
)
def householder_product(input: Array, tau: Array) -> Array:
    rows, columns = input.shape[-2:]
    out = np.broadcast_to(np.eye(rows, columns, dtype=input.dtype), input.shape).copy()
    for k in range(tau.shape[-1] - 1, -1, -1):
        column = np.concatenate([raw_unit_column(input, k), input[..., k + 1 :, k : k + 1]], -2)
        out = out - tau[..., k, None, None] * (column @ (np.swapaxes(column, -1, -2) @ out))
    return by_columns(out)
