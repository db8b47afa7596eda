"""Determinants, inverses and solutions of linear equations, and the exponential of a matrix.

Formulas: PyTorch's derivatives.yaml and FunctionsManual.cpp.

Where PyTorch solves again under create_graph, so that the solution can be differentiated, these formulas do too; in
plain runs they use the factors that the forward kept.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dispatch.inplace import in_place
from ..dispatch.op import both, helper, op
from ..dispatch.registry import GRAPH
from ..functorch.batch import is_batched
from ..tensor.dtypes import part_kind
from ..tensor.tensor import Array, plain
from . import matmul as matmul_ops
from . import view
from ._common import conjugate
from .fused_backward import joint
from .linalg_decomposition import (
    LinAlgError,
    by_columns,
    check_finite,
    exponential,
    lu_factor,
    lu_solve,
    parity,
    substitute,
    svd,
)

# ---- determinants and their logarithms


@both
def adjoint(x: Array) -> Array:
    return conj(transpose(x, -2, -1))


def first_bad(bad: Array) -> str:
    """Which matrix of a batch fails, as torch says it."""
    return f"(Batch element {int(np.flatnonzero(bad)[0])}): " if bad.ndim else ""


# ---- written diagonals


def filled_diagonal(x: Any, value: float) -> Any:
    """`x` with `value` written over its diagonals."""
    in_place(GRAPH["fill"], view.diagonal(x, 0, -2, -1), value)
    return x


def copied_diagonal(x: Any, values: Any) -> Any:
    in_place(GRAPH["copy"], view.diagonal(x, 0, -2, -1), values)
    return x


def halved_diagonal(x: Any) -> Any:
    in_place(GRAPH["mul"], view.diagonal(x, 0, -2, -1), 0.5)
    return x


def write(x: Array, change: Any) -> Array:
    out = np.array(x)
    look = np.einsum("...ii->...i", out)
    look[...] = change(look)
    return out


helper(filled_diagonal, lambda x, value: write(x, lambda _: value))
helper(copied_diagonal, lambda x, values: write(x, lambda _: values))
helper(halved_diagonal, lambda x: write(x, lambda look: look * x.dtype.type(0.5)))


# ---- determinants


def diagonal_of(values: Any, size: int) -> Any:
    """Each of `values` times the unit matrix."""
    wide = list(values.data_.shape)
    every = view.expand(view.unsqueeze(values, -1), [*wide, size])
    return view.transpose(view.diag_embed(every, 0, -2, -1), -2, -1)


def solve_factored(A: Array, LU: Array, pivots: Array, right: Array) -> Array:
    """The solution for the adjoint of A by its kept factors: those of A.T, if A lies in memory by rows."""
    return conjugate(lu_solve(LU, pivots, conjugate(right), adjoint=not A.flags.c_contiguous))


def det_backward(grad: Any, result: Any, A: Any, LU: Any, pivots: Any) -> Any:
    """det(A) * grad * inverse(A).T; by singular values where A has no inverse."""
    scale = GRAPH["mul"](grad, GRAPH["conj"](result))
    if is_batched(result):
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
    return matmul_ops.matmul(GRAPH["mul"](U, view.unsqueeze(gamma, -2)), Vh)


@both
def products_of_others(grad: Array, values: Array) -> Array:
    """`grad` times the product of all other values of the last dimension."""
    n = values.shape[-1]
    others = filled_diagonal(clone(expand(unsqueeze(values, -2), [*values.shape[:-1], n, n])), 1.0)
    return unsqueeze(grad, -1) * prod_dim(others, -1, False)


def raw_det_backward(grad: Array, result: Array, A: Array, LU: Array, pivots: Array) -> Array:
    eps = np.finfo(A.dtype).eps
    steady = write(LU, lambda look: np.where(look == 0, eps, look))
    scale = np.asarray(grad * conjugate(result))[..., None, None]
    return solve_factored(A, steady, pivots, scale * np.eye(A.shape[-1], dtype=A.dtype))


helper(det_backward, raw_det_backward)


def factorize(A: Array) -> tuple[Array, Array]:
    return lu_factor(np.swapaxes(A, -1, -2) if A.flags.c_contiguous else A)


@op(
    "_linalg_det",
    node="LinalgDetBackward0",
    outputs="result | LU pivots",
    A=lambda grad, A, LU, pivots, result: det_backward(grad, result, A, LU, pivots),
)
def linalg_det(A: Array) -> tuple[Array, Array, Array]:
    lu, pivots = factorize(A)
    result = np.prod(np.diagonal(lu, axis1=-2, axis2=-1), -1) * parity(pivots).astype(A.dtype)
    return result.astype(A.dtype)[()], lu, pivots


@both
def slogdet_slope(by_sign: Any, by_size: Any, sign: Any) -> Any:
    """What comes to both results, as what comes to the logarithm of the determinant; no sign of real ones moves."""
    if by_sign is None or not is_complex(sign):
        return by_size
    turned = mul_scalar(imag(conj(by_sign) * sign), -1j)
    return turned if by_size is None else by_size + turned


def slogdet_backward(grad: Any, A: Any, LU: Any, pivots: Any) -> Any:
    if grad is None:
        return None
    right = diagonal_of(grad, A.data_.shape[-1])
    return GRAPH["linalg_solve"](GRAPH["adjoint"](A), right)


def raw_slogdet_backward(grad: Array, A: Array, LU: Array, pivots: Array) -> Array:
    if grad is None:
        return None
    scale = np.asarray(grad)[..., None, None]
    return solve_factored(A, LU, pivots, scale * np.eye(A.shape[-1], dtype=A.dtype))


helper(slogdet_backward, raw_slogdet_backward)


@op(
    "_linalg_slogdet",
    node="LinalgSlogdetBackward0",
    outputs="sign logabsdet | LU pivots",
    A=lambda grads, A, LU, pivots, sign: slogdet_backward(slogdet_slope(grads[0], grads[1], sign), A, LU, pivots),
)
def linalg_slogdet(A: Array) -> tuple[Array, Array, Array, Array]:
    lu, pivots = factorize(A)
    along = np.diagonal(lu, axis1=-2, axis2=-1)
    sign = np.prod(np.sign(along), -1) * parity(pivots)
    size = np.sum(np.log(np.abs(along)), -1)
    return sign.astype(A.dtype)[()], size.astype(part_kind(A.dtype))[()], lu, pivots


# ---- inverses, solutions, functions of matrices


helper(matmul_ops.matmul, lambda a, b: np.matmul(a, b))


# ---- inverses and solutions


@both
def inverse_backward(grad: Array, inverse: Array) -> Array:
    pulled = matmul(grad, adjoint(inverse))
    return -matmul(adjoint(inverse), pulled)


@op("linalg_inv_ex", outputs="inverse | info", A=lambda grad, inverse: inverse_backward(grad, inverse))
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
        return solve_factored(A, LU, pivots, grad)
    turned = lu_solve(LU, pivots, conjugate(np.swapaxes(grad, -1, -2)), adjoint=A.flags.c_contiguous)
    return np.swapaxes(conjugate(turned), -1, -2)


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
    outputs="result | LU pivots info",
    of=("A", "B"),
    formula=lambda grad, A, LU, pivots, left, result, mask: solve_backward(grad, result, A, LU, pivots, left, mask),
)
def linalg_solve_ex(A: Array, B: Array, left: bool = True) -> tuple[Array, Array, Array, Array]:
    lu, pivots = factorize(A)
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
    return np.ascontiguousarray(np.linalg.pinv(check_finite(self), rcond=rtol))


# ---- functions of matrices


def block_exponential(A: Any, grad: Any) -> Any:
    """The corner of exp([[A, grad], [0, A]]): how exp changes at A in the direction `grad`."""
    n = A.data_.shape[-1]
    whole = plain(np.zeros((*A.data_.shape[:-2], 2 * n, 2 * n), A.data_.dtype))
    for down, across, part in ((0, 0, A), (n, n, A), (0, n, grad)):
        rows = view.slice_(whole, -2, down, down + n, 1)
        in_place(GRAPH["copy"], view.slice_(rows, -1, across, across + n, 1), part)
    out = matrix_exp(whole)
    return view.slice_(view.slice_(out, -2, 0, n, 1), -1, n, 2 * n, 1)


def raw_block_exponential(A: Array, grad: Array) -> Array:
    n = A.shape[-1]
    top, bottom = np.concatenate([A, grad], -1), np.concatenate([np.zeros_like(A), A], -1)
    return exponential(np.concatenate([top, bottom], -2))[..., :n, n:]


helper(block_exponential, raw_block_exponential)


@op("linalg_matrix_exp", self=lambda grad, self: block_exponential(adjoint(self), grad))
def matrix_exp(self: Array) -> Array:
    return exponential(self)


# ---- from a factor of Cholesky's


def solve_cholesky(factor: Array, right: Array, upper: bool) -> Array:
    """x of A x = right, where A is factor @ factor.T (or factor.T @ factor, if `upper`)."""
    batch = np.broadcast_shapes(factor.shape[:-2], right.shape[:-2])
    factor, right = (np.broadcast_to(x, (*batch, *x.shape[-2:])) for x in (factor, right))
    lower = conjugate(np.swapaxes(np.triu(factor), -1, -2)) if upper else np.tril(factor)
    half = substitute(lower, right, False, False)
    return by_columns(substitute(conjugate(np.swapaxes(lower, -1, -2)), half, True, False))


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
    return solve_cholesky(input2, self, upper)


@op(
    "cholesky_inverse",
    self=lambda grad, self, result, upper: to_factor(matmul(result, matmul(grad, result)), self, upper),
)
def cholesky_inverse(self: Array, upper: bool = False) -> Array:
    return solve_cholesky(self, np.broadcast_to(np.eye(self.shape[-1], dtype=self.dtype), self.shape), upper)
