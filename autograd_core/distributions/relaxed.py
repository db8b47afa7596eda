"""Classes and coins that are not quite decided, so that they can be differentiated; and mixtures."""

from __future__ import annotations

from typing import Any

from ..functions.creation import full_like
from ..functions.random import rand
from ..modes import no_grad
from ..ops import view
from ..ops.activation import log_softmax
from ..ops.scatter_gather import gather
from ..tensor import Tensor
from . import constraints
from .counts import OfClasses
from .discrete import Categorical, Chances, clamped
from .distribution import Distribution, Shape, broadcast_all
from .transformed import TransformedDistribution
from .transforms import ExpTransform, SigmoidTransform


class LogitRelaxedBernoulli(Chances):
    """Logits of a coin that is not quite decided; the lower the temperature, the more it is."""

    support = constraints.real
    has_enumerate_support = False

    def __init__(
        self, temperature: Tensor, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self.temperature = temperature
        super().__init__(probs, logits, validate_args)

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        shape = list(self._extended_shape(sample_shape))
        probs = clamped(view.expand(self.probs, shape))
        drawn = clamped(rand(shape, dtype=probs.dtype))
        return (drawn.log() - (-drawn).log1p() + probs.log() - (-probs).log1p()) / self.temperature

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        off = logits - value.mul(self.temperature)
        return self.temperature.log() + off - 2 * off.exp().log1p()


class RelaxedBernoulli(TransformedDistribution):
    """A coin that is not quite decided: numbers of (0, 1)."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    has_rsample = True

    def __init__(
        self, temperature: Tensor, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        base = LogitRelaxedBernoulli(temperature, probs, logits)
        super().__init__(base, SigmoidTransform(), validate_args=validate_args)

    temperature = property(lambda self: self.base_dist.temperature)
    logits = property(lambda self: self.base_dist.logits)
    probs = property(lambda self: self.base_dist.probs)


class ExpRelaxedCategorical(OfClasses):
    """Logarithms of shares that nearly name one class."""

    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self, temperature: Tensor, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self._categorical, self.temperature = Categorical(probs, logits), temperature
        shape = self._categorical.batch_shape
        super().__init__(shape, self._categorical.param_shape[-1:], validate_args=validate_args)

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        shape = list(self._extended_shape(sample_shape))
        drawn = clamped(rand(shape, dtype=self.logits.dtype))
        gumbels = -((-(drawn.log())).log())
        scores = (self.logits + gumbels) / self.temperature
        return scores - scores.logsumexp(dim=-1, keepdim=True)

    def log_prob(self, value: Tensor) -> Tensor:
        count = self._categorical._num_events
        self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        scale = full_like(self.temperature, float(count)).lgamma() - self.temperature.log().mul(-(count - 1))
        score = logits - value.mul(self.temperature)
        return (score - score.logsumexp(dim=-1, keepdim=True)).sum(-1) + scale


class RelaxedOneHotCategorical(TransformedDistribution):
    """Shares that nearly name one class."""

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.simplex
    has_rsample = True

    def __init__(
        self, temperature: Tensor, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        base = ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)

    temperature = property(lambda self: self.base_dist.temperature)
    logits = property(lambda self: self.base_dist.logits)
    probs = property(lambda self: self.base_dist.probs)


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
