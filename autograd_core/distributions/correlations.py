"""Transforms to triangular roots, positive definite matrices and roots of correlations, and how those are drawn.

Lewandowski, Kurowicka and Joe, "Generating random correlation matrices based on vines and extended onion method"
(2009).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import linalg
from ..functions.creation import arange, eye
from ..functions.random import randn
from ..modes import no_grad
from ..nn.functional import pad, softplus
from ..ops import view
from ..ops.join import cat, tril
from ..ops.special import lgamma, mvlgamma
from ..ops.unary import exp, log, sqrt, tanh
from ..sizes import Size
from ..tensor import Tensor
from . import constraints
from .distribution import Distribution, Shape, broadcast_all
from .gamma import Beta
from .transforms import Alike
from .utils import tril_matrix_to_vec, vec_to_tril_matrix

__all__ = ["CorrCholeskyTransform", "LKJCholesky", "LowerCholeskyTransform", "PositiveDefiniteTransform"]


class LowerCholeskyTransform(Alike):
    """Any square matrix to a lower triangle with a positive diagonal."""

    domain, codomain = constraints.independent(constraints.real, 2), constraints.lower_cholesky
    bijective = False

    def _call(self, x: Tensor) -> Tensor:
        return tril(x, -1) + exp(view.diagonal(x, 0, -2, -1)).diag_embed()

    def _inverse(self, y: Tensor) -> Tensor:
        return tril(y, -1) + log(view.diagonal(y, 0, -2, -1)).diag_embed()


class PositiveDefiniteTransform(Alike):
    """Any square matrix to a positive definite one, by its root."""

    domain, codomain = constraints.independent(constraints.real, 2), constraints.positive_definite
    bijective = False

    def _call(self, x: Tensor) -> Tensor:
        root: Any = LowerCholeskyTransform()(x)
        return root @ root.mT

    def _inverse(self, y: Tensor) -> Tensor:
        return LowerCholeskyTransform().inv(linalg.cholesky(y))


class CorrCholeskyTransform(Alike):
    """n (n - 1) / 2 numbers to the root of a correlation matrix, whose rows have the length 1.

    The numbers become partial correlations by tanh; each takes its share of what the row has left.
    """

    domain, codomain = constraints.real_vector, constraints.corr_cholesky

    def _call(self, x: Tensor) -> Tensor:
        step = float(np.finfo(x.data_.dtype).eps)
        shares = vec_to_tril_matrix(tanh(x).clamp(min=-1 + step, max=1 - step), -1)
        left = (1 - shares**2).sqrt().cumprod(-1)
        shares = shares + eye(shares.shape[-1], dtype=shares.dtype)
        return shares * pad(left[..., :-1], [1, 0], value=1)

    def _inverse(self, y: Tensor) -> Tensor:
        left = pad((1 - (y * y).cumsum(-1))[..., :-1], [1, 0], value=1)
        share = tril_matrix_to_vec(y, -1) / tril_matrix_to_vec(left, -1).sqrt()
        return (share.log1p() - share.neg().log1p()) / 2

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        left = 1 - (y * y).cumsum(dim=-1)
        broken = 0.5 * tril_matrix_to_vec(left, -2).log().sum(-1)
        bent = -2 * (x + softplus(-2 * x) - math.log(2.0)).sum(dim=-1)
        return broken + bent

    def forward_shape(self, shape: Any) -> Any:
        if len(shape) < 1:
            raise ValueError("Too few dimensions on input")
        side = round((0.25 + 2 * shape[-1]) ** 0.5 + 0.5)
        if side * (side - 1) // 2 != shape[-1]:
            raise ValueError("Input is not a flattened lower-diagonal number")
        return Size((*shape[:-1], side, side))

    def inverse_shape(self, shape: Any) -> Any:
        if len(shape) < 2:
            raise ValueError("Too few dimensions on input")
        if shape[-2] != shape[-1]:
            raise ValueError("Input is not square")
        return Size((*shape[:-2], shape[-1] * (shape[-1] - 1) // 2))


class LKJCholesky(Distribution):
    """Roots of correlation matrices, as likely as the determinant to the power of `concentration` - 1."""

    arg_constraints = {"concentration": constraints.positive}
    support = constraints.corr_cholesky

    def __init__(self, dim: int, concentration: Any = 1.0, validate_args: bool | None = None) -> None:
        if dim < 2:
            raise ValueError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        marginal = self.concentration + 0.5 * (dim - 2)
        places = arange(dim - 1, dtype=self.concentration.dtype)
        offset: Any = cat([places.new_zeros((1,)), places])
        self._beta = Beta(offset + 0.5, view.unsqueeze(marginal, -1) - 0.5 * offset)
        super().__init__(self.concentration.size(), (dim, dim), validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Any:
        made = super().expand(batch_shape)
        made._beta = self._beta.expand([*batch_shape, self.dim])
        return made

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        """Row by row: how far the row leans from its axis, and in which direction."""
        with no_grad():
            lean: Any = view.unsqueeze(self._beta.sample(sample_shape), -1)
            drawn: Any = tril(randn(list(self._extended_shape(sample_shape)), dtype=lean.dtype), -1)
            direction = drawn / drawn.norm(dim=-1, keepdim=True)
            direction[..., 0, :].fill_(0.0)
            rows = sqrt(lean) * direction
            rest = (1 - (rows**2).sum(-1)).clamp(min=float(np.finfo(rows.data_.dtype).tiny)).sqrt()
            rows += rest.diag_embed()
            return rows

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        diagonal: Any = view.diagonal(value, 0, -1, -2)[..., 1:]
        order = 2 * view.unsqueeze(self.concentration - 1, -1) + self.dim - arange(2, self.dim + 1)
        density = (order * diagonal.log()).sum(-1)
        below = self.dim - 1
        alpha = self.concentration + 0.5 * below
        whole = mvlgamma(alpha - 0.5, below) - lgamma(alpha) * below
        return density - (0.5 * below * math.log(math.pi) + whole)
