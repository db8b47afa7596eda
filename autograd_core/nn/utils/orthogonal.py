"""Weights whose columns, or rows, are orthogonal, as parametrizations."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import linalg
from ...functions.creation import eye
from ...functions.pointwise import allclose
from ...functions.random import randn
from ...modes import no_grad
from ...ops.binary import add
from ...ops.join import cat, clone
from ...ops.linalg_decomposition import geqrf, householder_product
from ...ops.linalg_solve import matrix_exp
from ...ops.unary import sgn
from ...ops.view import diagonal, expand, unsqueeze
from ...tensor import Tensor
from ..attributes import part_of
from ..module import Module
from .parametrize import register_parametrization

MAPS = ("matrix_exp", "cayley", "householder")


def is_orthogonal(Q: Any) -> bool:
    """Whether the columns are, but for rounding."""
    rows, columns = Q.shape[-2:]
    near = 10.0 * rows * float(np.finfo(Q.data_.dtype).eps)
    return allclose(Q.mT @ Q, expand(eye(columns, dtype=Q.dtype), [*Q.shape[:-2], columns, columns]), atol=near)


def made_orthogonal(A: Any) -> Any:
    """Q of A = Q @ R, so that the diagonal of R is positive."""
    X, tau = geqrf(A)
    signs = sgn(diagonal(X, 0, -2, -1))
    return householder_product(X, tau) * unsqueeze(signs, -2)


class _Orthogonal(Module):
    """An orthogonal matrix for each matrix: by its exponential, Cayley's map or reflections."""

    base: Any

    def __init__(self, weight: Any, orthogonal_map: str, *, use_trivialization: bool = True) -> None:
        super().__init__()
        self.shape, self.orthogonal_map = weight.shape, orthogonal_map
        self.trivial = use_trivialization
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, X: Any) -> Any:
        wide = X.shape[-2] < X.shape[-1]
        if wide:
            X = X.mT
        Q = self.reflected(X) if self.orthogonal_map == "householder" else self.turned(X)
        if self.trivial:
            Q = self.base @ Q
        return Q.mT if wide else Q

    def reflected(self, X: Any) -> Any:
        A = X.tril(-1)
        tau = 2.0 / (1.0 + (A * A).sum(-2))
        Q = householder_product(A, tau)
        return Q * X.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)

    def turned(self, X: Any) -> Any:
        rows, columns = X.shape[-2:]
        X = X.tril()
        if rows != columns:
            X = cat([X, X.new_zeros(rows, rows - columns).expand(*X.shape[:-2], -1, -1)], -1)
        A = X - X.mT
        if self.orthogonal_map == "matrix_exp":
            Q: Any = matrix_exp(A)
        else:
            one = eye(rows, dtype=A.dtype)
            Q = linalg.solve(add(one, A, -0.5), add(one, A, 0.5))
        return Q if rows == columns else Q[..., :columns]

    def right_inverse(self, value: Any) -> Any:
        """What becomes `value`.

        Raises:
            ValueError: it has another shape.
            NotImplementedError: the map cannot be undone.
        """
        if value.shape != self.shape:
            raise ValueError(
                f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of shape {value.shape}."
            )
        with no_grad():
            wide = value.shape[-2] < value.shape[-1]
            Q = value.mT if wide else value
            if self.trivial:
                self.base = self.completed(Q)
                negative = value.new_zeros(*value.shape)
                negative.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
                return negative
            if self.orthogonal_map != "householder":
                raise NotImplementedError(
                    "It is not possible to assign to the matrix exponential or the Cayley parametrizations when "
                    "use_trivialization=False."
                )
            A, tau = geqrf(Q)
            along: Any = diagonal(A, 0, -2, -1)
            along.copy_(along.sign() * (1 - 2 * (tau == 0.0).to(along.dtype)))
            return A.mT if wide else A

    def completed(self, Q: Any) -> Any:
        """`Q` made orthogonal, and square by columns drawn at random."""
        rows, columns = Q.shape[-2:]
        if rows == columns:
            return clone(Q) if is_orthogonal(Q) else made_orthogonal(Q)
        drawn = randn(*Q.shape[:-2], rows, rows - columns, dtype=Q.dtype)
        return made_orthogonal(cat([Q, drawn], -1))


def orthogonal(
    module: Any, name: str = "weight", orthogonal_map: str | None = None, *, use_trivialization: bool = True
) -> Any:
    """Lets the columns of the tensor `name` (its rows, if there are fewer) be orthogonal.

    Raises:
        ValueError: there is no such tensor, or it is no matrix, or no such map.
    """
    weight = part_of(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    shape = weight.data_.shape
    if len(shape) < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {len(shape)} dimensions.")
    if orthogonal_map is None:
        orthogonal_map = "matrix_exp" if shape[-2] == shape[-1] else "householder"
    if orthogonal_map not in MAPS:
        raise ValueError(
            f'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: {orthogonal_map}'
        )
    made = _Orthogonal(weight, orthogonal_map, use_trivialization=use_trivialization)
    register_parametrization(module, name, made, unsafe=True)
    return module


__all__ = ["orthogonal"]
