"""Normal vectors whose covariance is a few directions and a diagonal: only matrices of that few are ever solved.

By Woodbury's identity and the lemma for determinants, with the capacitance I + W' D^-1 W in the place of the covariance
W W' + D.
"""

from __future__ import annotations

import math
from typing import Any

from .. import linalg, streams
from ..ops.unary import log, reciprocal
from ..ops.view import diag_embed, diagonal, expand, squeeze_dim, unsqueeze
from ..state import ask_room
from ..tensor import Tensor, plain
from . import constraints
from .distribution import Centred, Shape, broadcast_tensors, lazy_property
from .multivariate import mahalanobis

__all__ = ["LowRankMultivariateNormal"]


class LowRankMultivariateNormal(Centred):
    """The covariance is `cov_factor @ cov_factor.T`, and `cov_diag` on the diagonal."""

    arg_constraints = {
        "loc": constraints.real_vector,
        "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }
    support = constraints.real_vector
    has_rsample = True

    def __init__(self, loc: Tensor, cov_factor: Tensor, cov_diag: Tensor, validate_args: bool | None = None) -> None:
        check_sizes(loc, cov_factor, cov_diag)
        try:
            columns = broadcast_tensors(unsqueeze(loc, -1), cov_factor, unsqueeze(cov_diag, -1))
        except (RuntimeError, ValueError) as error:
            raise ValueError(
                f"Incompatible batch shapes: loc {loc.shape}, cov_factor {cov_factor.shape}, cov_diag {cov_diag.shape}"
            ) from error
        self.loc, self.cov_factor, self.cov_diag = columns[0][..., 0], columns[1], columns[2][..., 0]
        self._unbroadcasted_cov_factor: Any = cov_factor
        self._unbroadcasted_cov_diag: Any = cov_diag
        self._capacitance_tril = linalg.cholesky(with_ones(self.scaled() @ cov_factor))
        super().__init__(self.loc.shape[:-1], loc.shape[-1:], validate_args=validate_args)

    def scaled(self) -> Any:
        """W' D^-1"""
        return self._unbroadcasted_cov_factor.mT / unsqueeze(self._unbroadcasted_cov_diag, -2)

    @property
    def inner(self) -> list[int]:
        return [*self._batch_shape, *self._event_shape, *self._event_shape]

    @lazy_property
    def variance(self) -> Tensor:
        squares = self._unbroadcasted_cov_factor.pow(2).sum(-1) + self._unbroadcasted_cov_diag
        return expand(squares, [*self._batch_shape, *self._event_shape])

    @lazy_property
    def scale_tril(self) -> Tensor:
        root = unsqueeze(self._unbroadcasted_cov_diag.sqrt(), -1)
        factor = self._unbroadcasted_cov_factor / root
        return expand(root * linalg.cholesky(with_ones(factor @ factor.mT)), self.inner)

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        factor = self._unbroadcasted_cov_factor
        return expand(factor @ factor.mT + diag_embed(self._unbroadcasted_cov_diag), self.inner)

    @lazy_property
    def precision_matrix(self) -> Tensor:
        solved: Any = linalg.solve_triangular(self._capacitance_tril, self.scaled(), upper=False)
        inverse = diag_embed(reciprocal(self._unbroadcasted_cov_diag))
        return expand(inverse - solved.mT @ solved, self.inner)

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        shape = tuple(self._extended_shape(sample_shape))
        few, all_of = self.drawn((*shape[:-1], self.cov_factor.shape[-1])), self.drawn(shape)
        spread = squeeze_dim(self._unbroadcasted_cov_factor @ unsqueeze(few, -1), -1)
        return self.loc + spread + self._unbroadcasted_cov_diag.sqrt() * all_of

    def drawn(self, shape: tuple[int, ...]) -> Tensor:
        ask_room(*shape)
        return plain(streams.normal(math.prod(shape), self.loc.data_.dtype).reshape(shape), version=1)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        offset: Any = value - self.loc
        seen = squeeze_dim(self.scaled() @ unsqueeze(offset, -1), -1)
        distance = (offset.pow(2) / self._unbroadcasted_cov_diag).sum(-1) - mahalanobis(self._capacitance_tril, seen)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + self.log_det() + distance)

    def entropy(self) -> Tensor:
        found: Any = 0.5 * (self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + self.log_det())
        return expand(found, list(self._batch_shape)) if self._batch_shape else found

    def log_det(self) -> Any:
        """The logarithm of the determinant of the covariance."""
        few: Any = log(diagonal(self._capacitance_tril, 0, -2, -1))
        return 2 * few.sum(-1) + self._unbroadcasted_cov_diag.log().sum(-1)


def with_ones(square: Any) -> Any:
    """A square matrix with 1 added on the diagonal, where it lies."""
    side, whole = square.size(-1), square.contiguous()
    whole.view(-1, side * side)[:, :: side + 1] += 1
    return whole


def check_sizes(loc: Tensor, cov_factor: Tensor, cov_diag: Tensor) -> None:
    """Whether the parts of the covariance fit the mean.

    Raises:
        ValueError: they do not.
    """
    if loc.dim() < 1:
        raise ValueError("loc must be at least one-dimensional.")
    event = loc.shape[-1:]
    if cov_factor.dim() < 2:
        raise ValueError("cov_factor must be at least two-dimensional, with optional leading batch dimensions")
    if cov_factor.shape[-2:-1] != event:
        raise ValueError(f"cov_factor must be a batch of matrices with shape {event[0]} x m")
    if cov_diag.shape[-1:] != event:
        raise ValueError(f"cov_diag must be a batch of vectors with shape {event}")
