"""Distributions of transformed numbers: any of a distribution and transforms, and those that have names."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..api.functions.creation import full_like, ones_like
from ..api.functions.pointwise import where
from ..engine.grad_mode import no_grad
from ..ops.special import digamma, lgamma
from ..ops.unary import exp, log
from ..tensor.tensor import Tensor, plain
from . import constraints
from .continuous import Cauchy, Exponential, Normal, Uniform
from .distribution import Distribution, Shape, broadcast_all, is_number, sum_rightmost
from .independent import Independent
from .transforms import AbsTransform, AffineTransform, ComposeTransform, ExpTransform, PowerTransform, Transform, deepen

EULER = 0.57721566490153286060


class TransformedDistribution(Distribution):
    """What numbers of `base_distribution` become under transforms, one after the other."""

    base_dist: Any

    def __init__(self, base_distribution: Distribution, transforms: Any, validate_args: bool | None = None) -> None:
        if isinstance(transforms, Transform):
            self.transforms = [transforms]
        elif isinstance(transforms, list):
            if not all(isinstance(t, Transform) for t in transforms):
                raise ValueError("transforms must be a Transform or a list of Transforms")
            self.transforms = transforms
        else:
            raise ValueError(f"transforms must be a Transform or list, but was {transforms}")
        base, dims = base_distribution, len(base_distribution.event_shape)
        shape, whole = base.batch_shape + base.event_shape, ComposeTransform(self.transforms)
        if len(shape) < whole.domain.event_dim:
            raise ValueError(
                f"base_distribution needs to have shape with size at least {whole.domain.event_dim}, but got {shape}."
            )
        after = whole.forward_shape(shape)
        needed = whole.inverse_shape(after)
        if tuple(shape) != tuple(needed):
            base = base.expand(needed[: len(needed) - dims])
        more = whole.domain.event_dim - dims
        self.base_dist = Independent(base, more) if more > 0 else base
        event = max(whole.codomain.event_dim, dims + whole.codomain.event_dim - whole.domain.event_dim)
        cut = len(after) - event
        super().__init__(after[:cut], after[cut:], validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Any:
        made = super().expand(batch_shape)
        shape: Any = (*batch_shape, *self._event_shape)
        for transform in reversed(self.transforms):
            shape = transform.inverse_shape(shape)
        made.base_dist = self.base_dist.expand(shape[: len(shape) - len(self.base_dist.event_shape)])
        return made

    @constraints.dependent_property
    def support(self) -> Any:
        if not self.transforms:
            return self.base_dist.support
        return deepen(self.transforms[-1].codomain, len(self._event_shape))

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        return bool(self.base_dist.has_rsample)

    def through(self, x: Tensor) -> Tensor:
        for transform in self.transforms:
            x = transform(x)
        return x

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        with no_grad():
            return self.through(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        return self.through(self.base_dist.rsample(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        dims, total, y = len(self._event_shape), 0.0, value
        for transform in reversed(self.transforms):
            x = transform.inv(y)
            dims += transform.domain.event_dim - transform.codomain.event_dim
            stretch = transform.log_abs_det_jacobian(x, y)
            total = total - sum_rightmost(stretch, dims - transform.domain.event_dim)
            y = x
        return total + sum_rightmost(self.base_dist.log_prob(y), dims - len(self.base_dist.event_shape))

    def rising(self, value: Tensor) -> Tensor:
        """`value`, or 1 - `value` where the transforms turn large into small."""
        sign: Any = 1
        for transform in self.transforms:
            sign = sign * transform.sign
        if isinstance(sign, int) and sign == 1:
            return value
        return sign * (value - 0.5) + 0.5

    def cdf(self, value: Tensor) -> Tensor:
        for transform in self.transforms[::-1]:
            value = transform.inv(value)
        if self._validate_args:
            self.base_dist._validate_sample(value)
        return self.rising(self.base_dist.cdf(value))

    def icdf(self, value: Tensor) -> Tensor:
        return self.through(self.base_dist.icdf(self.rising(value)))


class LogNormal(TransformedDistribution):
    """Numbers whose logarithms are normal."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(Normal(loc, scale, validate_args=validate_args), ExpTransform(), validate_args=validate_args)

    loc = property(lambda self: self.base_dist.loc)
    scale = property(lambda self: self.base_dist.scale)

    @property
    def mean(self) -> Tensor:
        return (self.loc + self.scale.pow(2) / 2).exp()

    @property
    def mode(self) -> Tensor:
        return (self.loc - self.scale.square()).exp()

    @property
    def variance(self) -> Tensor:
        square = self.scale.pow(2)
        return square.expm1() * (2 * self.loc + square).exp()

    def entropy(self) -> Tensor:
        return self.base_dist.entropy() + self.loc


class Half(TransformedDistribution):
    """The right half of a curve around zero, twice as high."""

    arg_constraints = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    kind: type[Distribution]

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        base: Any = self.kind
        super().__init__(base(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)

    scale = property(lambda self: self.base_dist.scale)

    @property
    def mode(self) -> Tensor:
        return plain(np.zeros_like(self.scale.data_))

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        density = self.base_dist.log_prob(value) + math.log(2)
        return where(value >= 0, density, -math.inf)

    def cdf(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, value: Tensor) -> Tensor:
        return self.base_dist.icdf((value + 1) / 2)

    def entropy(self) -> Tensor:
        return self.base_dist.entropy() - math.log(2)


class HalfNormal(Half):
    """Normal numbers without their signs."""

    kind = Normal

    @property
    def mean(self) -> Tensor:
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def variance(self) -> Tensor:
        return self.scale.pow(2) * (1 - 2 / math.pi)


class HalfCauchy(Half):
    """Cauchy's numbers without their signs."""

    kind = Cauchy

    @property
    def mean(self) -> Tensor:
        return self.base_dist.everywhere(math.inf)

    @property
    def variance(self) -> Tensor:
        return self.base_dist.variance


class Gumbel(TransformedDistribution):
    """The largest of many numbers."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        limits = np.finfo(self.loc.data_.dtype)
        ends: list[Any] = [float(limits.tiny), 1 - float(limits.eps)]
        if not is_number(loc, scale):
            ends = [full_like(self.loc, end) for end in ends]
        transforms = [
            ExpTransform().inv,
            AffineTransform(loc=0, scale=-ones_like(self.scale)),
            ExpTransform().inv,
            AffineTransform(loc=loc, scale=-self.scale),
        ]
        super().__init__(
            Uniform(ends[0], ends[1], validate_args=validate_args), transforms, validate_args=validate_args
        )

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        y = (self.loc - value) / self.scale
        return (y - y.exp()) - self.scale.log()

    @property
    def mean(self) -> Tensor:
        return self.loc + self.scale * EULER

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def stddev(self) -> Tensor:
        return (math.pi / math.sqrt(6)) * self.scale

    @property
    def variance(self) -> Tensor:
        return self.stddev.pow(2)

    def entropy(self) -> Tensor:
        return self.scale.log() + (1 + EULER)


class Weibull(TransformedDistribution):
    """Powers of waiting times: how long things last."""

    arg_constraints = {"scale": constraints.positive, "concentration": constraints.positive}
    support = constraints.positive

    def __init__(self, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.scale, self.concentration = broadcast_all(scale, concentration)
        self.concentration_reciprocal = self.concentration.reciprocal()
        base = Exponential(ones_like(self.scale), validate_args=validate_args)
        transforms = [PowerTransform(exponent=self.concentration_reciprocal), AffineTransform(loc=0, scale=self.scale)]
        super().__init__(base, transforms, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.scale * exp(lgamma(1 + self.concentration_reciprocal))

    @property
    def mode(self) -> Tensor:
        return self.scale * ((self.concentration - 1) / self.concentration) ** self.concentration.reciprocal()

    @property
    def variance(self) -> Tensor:
        inverse = self.concentration_reciprocal
        return self.scale.pow(2) * (exp(lgamma(1 + 2 * inverse)) - exp(2 * lgamma(1 + inverse)))

    def entropy(self) -> Tensor:
        inverse = self.concentration_reciprocal
        return EULER * (1 - inverse) + log(self.scale * inverse) + 1


class Pareto(TransformedDistribution):
    """Numbers above `scale`, few of them large: `alpha` says how few."""

    arg_constraints = {"alpha": constraints.positive, "scale": constraints.positive}

    def __init__(self, scale: Any, alpha: Any, validate_args: bool | None = None) -> None:
        self.scale, self.alpha = broadcast_all(scale, alpha)
        base = Exponential(self.alpha, validate_args=validate_args)
        transforms = [ExpTransform(), AffineTransform(loc=0, scale=self.scale)]
        super().__init__(base, transforms, validate_args=validate_args)

    @constraints.dependent_property
    def support(self) -> Any:
        return constraints.greater_than_eq(self.scale)

    @property
    def mean(self) -> Tensor:
        a = self.alpha.clamp(min=1)
        return a * self.scale / (a - 1)

    @property
    def mode(self) -> Tensor:
        return self.scale

    @property
    def variance(self) -> Tensor:
        a = self.alpha.clamp(min=2)
        return self.scale.pow(2) * a / ((a - 1).pow(2) * (a - 2))

    def entropy(self) -> Tensor:
        return (self.scale / self.alpha).log() + (1 + self.alpha.reciprocal())


class Kumaraswamy(TransformedDistribution):
    """Numbers of [0, 1], much as those of Beta, but with a plain cumulative curve."""

    arg_constraints = {"concentration1": constraints.positive, "concentration0": constraints.positive}
    support = constraints.unit_interval
    has_rsample = True
    concentration1: Any
    concentration0: Any

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None:
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        low, high = (full_like(self.concentration0, value) for value in (0, 1))
        parts = [
            PowerTransform(self.concentration0.reciprocal()),
            AffineTransform(1.0, -1.0),
            PowerTransform(self.concentration1.reciprocal()),
        ]
        super().__init__(Uniform(low, high, validate_args=validate_args), parts, validate_args=validate_args)

    def moment(self, n: int) -> Any:
        """The mean of the nth powers: b B(1 + n / a, b)."""
        a, b = self.concentration1, self.concentration0
        arg = 1 + n / a
        return exp(lgamma(arg) + lgamma(b) - lgamma(arg + b)) * b

    @property
    def mean(self) -> Tensor:
        return self.moment(1)

    @property
    def mode(self) -> Tensor:
        a, b = self.concentration1, self.concentration0
        logs = b.reciprocal() * (-b).log1p() - (-b * a).log1p()
        logs[(b < 1) | (a < 1)] = math.nan
        return logs.exp()

    @property
    def variance(self) -> Tensor:
        return self.moment(2) - self.mean.pow(2)

    def entropy(self) -> Tensor:
        a, b = self.concentration1, self.concentration0
        harmonic = digamma(b + 1) + EULER
        return (1 - b.reciprocal()) + (1 - a.reciprocal()) * harmonic - log(a) - log(b)
