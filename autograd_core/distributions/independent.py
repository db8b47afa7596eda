"""Distributions made of several: Independent, dimensions of a batch taken together as one event, and MixtureSameFamily,
one of a batch by chance. And MultivariateNormal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .. import linalg
from ..api.functions.creation import eye
from ..api.functions.shape import broadcast_shapes
from ..engine.grad_mode import no_grad
from ..ops import view
from ..ops.activation import log_softmax
from ..ops.join import flip
from ..ops.scatter_gather import gather
from ..ops.unary import log
from ..random import generator as streams
from ..tensor.size import Size
from ..tensor.tensor import Tensor, plain
from . import constraints
from .discrete import Categorical
from .distribution import Centred, Distribution, Shape, lazy_property, sum_rightmost


class Independent(Distribution):
    """`base_distribution` with its last dimensions of the batch as dimensions of the event."""

    def __init__(
        self, base_distribution: Distribution, reinterpreted_batch_ndims: int, validate_args: bool | None = None
    ) -> None:
        batch, event = base_distribution.batch_shape, base_distribution.event_shape
        if reinterpreted_batch_ndims > len(batch):
            raise ValueError(
                "Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), "
                f"actual {reinterpreted_batch_ndims} vs {len(batch)}"
            )
        shape, start = (*batch, *event), len(batch) - reinterpreted_batch_ndims
        self.base_dist, self.reinterpreted_batch_ndims = base_distribution, reinterpreted_batch_ndims
        super().__init__(shape[:start], shape[start:], validate_args=validate_args)

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        return self.base_dist.has_rsample

    @constraints.dependent_property
    def support(self) -> Any:
        base = self.base_dist.support
        dims = self.reinterpreted_batch_ndims
        return constraints.independent(base, dims) if dims else base

    @property
    def mean(self) -> Tensor:
        return self.base_dist.mean

    @property
    def mode(self) -> Tensor:
        return self.base_dist.mode

    @property
    def variance(self) -> Tensor:
        return self.base_dist.variance

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Any:
        inner = self._event_shape[: self.reinterpreted_batch_ndims]
        made = object.__new__(type(self))
        Independent.__init__(made, self.base_dist.expand((*batch_shape, *inner)), self.reinterpreted_batch_ndims, False)
        made._validate_args = self._validate_args
        return made

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value: Tensor) -> Tensor:
        return sum_rightmost(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self) -> Tensor:
        return sum_rightmost(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_dist}, {self.reinterpreted_batch_ndims})"


class MixtureSameFamily(Distribution):
    """Each number from one of several distributions, which a Categorical picks."""

    def __init__(
        self, mixture_distribution: Categorical, component_distribution: Distribution, validate_args: bool | None = None
    ) -> None:
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError(" The Mixture distribution needs to be an  instance of torch.distributions.Categorical")
        if not isinstance(component_distribution, Distribution):
            raise ValueError("The Component distribution needs to be an instance of torch.distributions.Distribution")
        self.mixture_distribution, self.component_distribution = mixture_distribution, component_distribution
        mixed, batch = mixture_distribution.batch_shape, component_distribution.batch_shape[:-1]
        for one, other in zip(reversed(mixed), reversed(batch), strict=False):
            if one != 1 and other != 1 and one != other:
                raise ValueError(
                    f"`mixture_distribution.batch_shape` ({mixed}) is not compatible with "
                    f"`component_distribution.batch_shape`({batch})"
                )
        count, made = mixture_distribution.logits.shape[-1], component_distribution.batch_shape[-1]
        if count != made:
            raise ValueError(
                f"`mixture_distribution component` ({count}) does not equal `component_distribution.batch_shape[-1]`"
                f" ({made})"
            )
        event = component_distribution.event_shape
        self._event_ndims = len(event)
        super().__init__(batch, event, validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Any:
        count = self.component_distribution.batch_shape[-1]
        component = self.component_distribution.expand((*batch_shape, count))
        made = object.__new__(type(self))
        MixtureSameFamily.__init__(made, self.mixture_distribution.expand(batch_shape), component, validate_args=False)
        made._validate_args = self._validate_args
        return made

    @constraints.dependent_property
    def support(self) -> Any:
        inner = self.component_distribution.support

        def holds(x: Any) -> Any:
            return inner.holds(x)

        return constraints.Constraint("MixtureSameFamilyConstraint", holds, inner.event_dim, **{"": inner})

    def padded(self, x: Tensor) -> Tensor:
        return x.unsqueeze(-1 - self._event_ndims)

    def weights(self) -> Tensor:
        """The chances of the components, shaped to multiply what they give."""
        chances, dims = self.mixture_distribution.probs, len(self.mixture_distribution.batch_shape)
        more = 0 if dims == 1 else len(self._batch_shape) - dims
        shape = chances.data_.shape
        return view.reshape(chances, [*shape[:-1], *[1] * more, shape[-1], *[1] * self._event_ndims])

    @property
    def mean(self) -> Tensor:
        return (self.weights() * self.component_distribution.mean).sum(dim=-1 - self._event_ndims)

    @property
    def variance(self) -> Tensor:
        chances, dim, each = self.weights(), -1 - self._event_ndims, self.component_distribution
        within = (chances * each.variance).sum(dim=dim)
        return within + (chances * (each.mean - self.padded(self.mean)).pow(2.0)).sum(dim=dim)

    def cdf(self, value: Tensor) -> Tensor:
        return (self.component_distribution.cdf(self.padded(value)) * self.mixture_distribution.probs).sum(dim=-1)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        each = self.component_distribution.log_prob(self.padded(value))
        chances = log_softmax(self.mixture_distribution.logits, -1)
        return (each + chances).logsumexp(dim=-1)

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        with no_grad():
            dim = len(sample_shape) + len(self._batch_shape)
            picked, event = self.mixture_distribution.sample(sample_shape), list(self._event_shape)
            drawn = self.component_distribution.sample(sample_shape)
            shape = list(picked.data_.shape)
            places = view.expand(view.reshape(picked, [*shape, *[1] * (len(event) + 1)]), [*shape, 1, *event])
            return view.squeeze_dim(gather(drawn, dim, places, False), dim)

    def __repr__(self) -> str:
        return f"MixtureSameFamily(\n  {self.mixture_distribution},\n  {self.component_distribution})"


# ---- the bell curve of several dimensions


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
