"""MultivariateNormal, the bell curve of several dimensions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .. import linalg
from ..api.functions.creation import eye
from ..api.functions.shape import broadcast_shapes
from ..ops import view
from ..ops.join import flip
from ..ops.unary import log
from ..random import generator as streams
from ..tensor.size import Size
from ..tensor.tensor import Tensor, plain
from . import constraints
from .distribution import Centred, Shape, lazy_property

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
