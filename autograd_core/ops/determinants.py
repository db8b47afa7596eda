"""Determinants and their logarithms. Formulas: PyTorch's FunctionsManual.cpp.

Where PyTorch solves again under create_graph, so that the solution can be differentiated, these formulas do too; in
plain runs they use the factors that the forward kept.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..inplace import in_place
from ..op import GRAPH, both, helper, op
from ..tensor import Array, plain
from ..transforms.batch import unseen
from . import matmul as m
from . import shape as s
from .decompositions import svd
from .factors import lu_factor, lu_solve, parity


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
