"""Independent, dimensions of a batch taken together as one event, and MixtureSameFamily, one of a batch by chance."""

from __future__ import annotations

from typing import Any

from ..engine.grad_mode import no_grad
from ..ops import view
from ..ops.activation import log_softmax
from ..ops.scatter_gather import gather
from ..tensor.tensor import Tensor
from . import constraints
from .discrete import Categorical
from .distribution import Distribution, Shape, sum_rightmost


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
