"""Distributions of vectors and matrices: the bell curve of several dimensions, and roots of correlations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .. import linalg, streams
from ..functions.creation import eye
from ..functions.shape import broadcast_shapes
from ..ops import view
from ..ops.join import flip
from ..ops.unary import log, reciprocal
from ..sizes import Size
from ..state import ask_room
from ..tensor import Tensor, plain
from . import constraints
from .distribution import Centred, Shape, broadcast_tensors, lazy_property

MATRICES = ("covariance_matrix", "precision_matrix", "scale_tril")


class MultivariateNormal(Centred):
    """Centre `loc`; its shape by one of `covariance_matrix`, its inverse `precision_matrix`, or its root `scale_tril`.

    Raises:
        ValueError: not exactly one of the three is given, or a shape is too small.
    """

    arg_constraints = {
        "loc": constraints.real_vector,
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
    }
    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self,
        loc: Tensor,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        given = zip(MATRICES, (covariance_matrix, precision_matrix, scale_tril), strict=True)
        found = [(name, matrix) for name, matrix in given if matrix is not None]
        if len(found) != 1:
            raise ValueError("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        ((name, matrix),) = found
        if matrix.dim() < 2:
            extra = "scale_tril matrix" if name == "scale_tril" else name
            raise ValueError(f"{extra} must be at least two-dimensional, with optional leading batch dimensions")
        batch = broadcast_shapes(Size(matrix.shape[:-2]), Size(loc.shape[:-1]))
        self.__dict__[name] = view.expand(matrix, [*batch, -1, -1])
        self.loc = view.expand(loc, [*batch, -1])
        super().__init__(batch, self.loc.shape[-1:], validate_args=validate_args)
        self._unbroadcasted_scale_tril = ROOTS[name](matrix)

    @property
    def inner(self) -> list[int]:
        return [*self._batch_shape, *self._event_shape, *self._event_shape]

    @lazy_property
    def scale_tril(self) -> Tensor:
        return view.expand(self._unbroadcasted_scale_tril, self.inner)

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        root = self._unbroadcasted_scale_tril
        return view.expand(root @ root.mT, self.inner)

    @lazy_property
    def precision_matrix(self) -> Tensor:
        root: Any = self._unbroadcasted_scale_tril
        return view.expand(root.cholesky_inverse(), self.inner)

    @property
    def variance(self) -> Tensor:
        squares = self._unbroadcasted_scale_tril.pow(2).sum(-1)
        return view.expand(squares, [*self._batch_shape, *self._event_shape])

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        shape = tuple(self._extended_shape(sample_shape))
        drawn = streams.normal(math.prod(shape), self.loc.data_.dtype).reshape(shape)
        column = view.unsqueeze(plain(drawn, version=1), -1)
        return self.loc + view.squeeze_dim(self._unbroadcasted_scale_tril @ column, -1)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        distance: Any = mahalanobis(self._unbroadcasted_scale_tril, value - self.loc)
        half = self.half_log_det()
        density: Tensor = -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + distance) - half
        return density

    def entropy(self) -> Tensor:
        entropy: Tensor = 0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + self.half_log_det()
        return view.expand(entropy, list(self._batch_shape)) if self._batch_shape else entropy

    def half_log_det(self) -> Any:
        """Half the logarithm of the determinant of the covariance."""
        diagonal = view.diagonal(self._unbroadcasted_scale_tril, 0, -2, -1)
        return log(diagonal).sum(-1)


def mahalanobis(root: Tensor, offsets: Tensor) -> Tensor:
    """The square of the length of each offset in the measure of the covariance whose root is given.

    The batch of offsets may be larger than that of roots: each root is solved for all of its offsets at once.
    """
    n = offsets.shape[-1]
    around, batch = list(offsets.shape[:-1]), list(root.shape[:-2])
    outer, depth = len(around) - len(batch), len(batch)
    split = [part for own, size in zip(batch, around[outer:], strict=True) for part in (size // own, own)]
    pieces = view.reshape(offsets, [*around[:outer], *split, n])
    first, second = range(outer, outer + 2 * depth, 2), range(outer + 1, outer + 2 * depth, 2)
    pieces = view.permute(pieces, [*range(outer), *first, *second, outer + 2 * depth])
    flat_root = view.reshape(root, [-1, n, n])
    columns = view.permute(view.reshape(pieces, [-1, flat_root.shape[0], n]), [1, 2, 0])
    solved: Any = linalg.solve_triangular(flat_root, columns, upper=False)
    lengths = view.reshape(solved.pow(2).sum(-2).t(), list(pieces.shape[:-1]))
    return view.reshape(view.permute(lengths, back(outer, depth)), around)


def back(outer: int, depth: int) -> Sequence[int]:
    """The order of dimensions that undoes that of `mahalanobis`."""
    return [*range(outer), *(at for i in range(depth) for at in (outer + i, outer + depth + i))]


def root_of_inverse(precision: Tensor) -> Tensor:
    """The triangular root of the covariance whose inverse is given."""
    turned = linalg.cholesky(flip(precision, [-2, -1]))
    upper = view.transpose(flip(turned, [-2, -1]), -2, -1)
    unit = eye(precision.shape[-1], dtype=precision.dtype)
    return linalg.solve_triangular(upper, unit, upper=False)


ROOTS: dict[str, Any] = {
    "scale_tril": lambda matrix: matrix,
    "covariance_matrix": linalg.cholesky,
    "precision_matrix": root_of_inverse,
}


# ---- a covariance of a few directions and a diagonal: only matrices of that few are ever solved
#
# By Woodbury's identity and the lemma for determinants, with the capacitance I + W' D^-1 W in the place of the
# covariance W W' + D.


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
            columns = broadcast_tensors(view.unsqueeze(loc, -1), cov_factor, view.unsqueeze(cov_diag, -1))
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
        return self._unbroadcasted_cov_factor.mT / view.unsqueeze(self._unbroadcasted_cov_diag, -2)

    @property
    def inner(self) -> list[int]:
        return [*self._batch_shape, *self._event_shape, *self._event_shape]

    @lazy_property
    def variance(self) -> Tensor:
        squares = self._unbroadcasted_cov_factor.pow(2).sum(-1) + self._unbroadcasted_cov_diag
        return view.expand(squares, [*self._batch_shape, *self._event_shape])

    @lazy_property
    def scale_tril(self) -> Tensor:
        root = view.unsqueeze(self._unbroadcasted_cov_diag.sqrt(), -1)
        factor = self._unbroadcasted_cov_factor / root
        return view.expand(root * linalg.cholesky(with_ones(factor @ factor.mT)), self.inner)

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        factor = self._unbroadcasted_cov_factor
        return view.expand(factor @ factor.mT + view.diag_embed(self._unbroadcasted_cov_diag), self.inner)

    @lazy_property
    def precision_matrix(self) -> Tensor:
        solved: Any = linalg.solve_triangular(self._capacitance_tril, self.scaled(), upper=False)
        inverse = view.diag_embed(reciprocal(self._unbroadcasted_cov_diag))
        return view.expand(inverse - solved.mT @ solved, self.inner)

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        shape = tuple(self._extended_shape(sample_shape))
        few, all_of = self.drawn((*shape[:-1], self.cov_factor.shape[-1])), self.drawn(shape)
        spread = view.squeeze_dim(self._unbroadcasted_cov_factor @ view.unsqueeze(few, -1), -1)
        return self.loc + spread + self._unbroadcasted_cov_diag.sqrt() * all_of

    def drawn(self, shape: tuple[int, ...]) -> Tensor:
        ask_room(*shape)
        return plain(streams.normal(math.prod(shape), self.loc.data_.dtype).reshape(shape), version=1)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        offset: Any = value - self.loc
        seen = view.squeeze_dim(self.scaled() @ view.unsqueeze(offset, -1), -1)
        distance = (offset.pow(2) / self._unbroadcasted_cov_diag).sum(-1) - mahalanobis(self._capacitance_tril, seen)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + self.log_det() + distance)

    def entropy(self) -> Tensor:
        found: Any = 0.5 * (self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + self.log_det())
        return view.expand(found, list(self._batch_shape)) if self._batch_shape else found

    def log_det(self) -> Any:
        """The logarithm of the determinant of the covariance."""
        few: Any = log(view.diagonal(self._capacitance_tril, 0, -2, -1))
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
