"""Rarer distributions: InverseGamma, FisherSnedecor, Kumaraswamy, LogisticNormal, GeneralizedPareto."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..functions.creation import full_like, ones_like, tensor, zeros_like
from ..functions.pointwise import where
from ..functions.random import rand
from ..ops import view
from ..ops.join import clone
from ..ops.special import digamma, lgamma
from ..ops.unary import exp, expm1, log, log1p
from ..tensor import Tensor
from . import constraints
from .continuous import Normal, Uniform
from .distribution import Distribution, Shape, broadcast_all, is_number
from .gamma import Gamma
from .transformed import EULER, TransformedDistribution
from .transforms import AffineTransform, PowerTransform, StickBreakingTransform

__all__ = ["FisherSnedecor", "GeneralizedPareto", "InverseGamma", "Kumaraswamy", "LogisticNormal"]


class InverseGamma(TransformedDistribution):
    """One over a gamma number."""

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        base = Gamma(concentration, rate, validate_args=validate_args)
        super().__init__(base, PowerTransform(-base.rate.new_ones(())), validate_args=validate_args)

    concentration = property(lambda self: self.base_dist.concentration)
    rate = property(lambda self: self.base_dist.rate)

    @property
    def mean(self) -> Tensor:
        return where(self.concentration > 1, self.rate / (self.concentration - 1), math.inf)

    @property
    def mode(self) -> Tensor:
        return self.rate / (self.concentration + 1)

    @property
    def variance(self) -> Tensor:
        below = (self.concentration - 1).square() * (self.concentration - 2)
        return where(self.concentration > 2, self.rate.square() / below, math.inf)

    def entropy(self) -> Tensor:
        shape = self.concentration
        return shape + self.rate.log() + shape.lgamma() - (1 + shape) * shape.digamma()


class FisherSnedecor(Distribution):
    """How two sums of squares of normal numbers compare, each over its degrees of freedom."""

    arg_constraints = {"df1": constraints.positive, "df2": constraints.positive}
    support = constraints.positive
    has_rsample = True
    df1: Any
    df2: Any

    def __init__(self, df1: Any, df2: Any, validate_args: bool | None = None) -> None:
        self.df1, self.df2 = broadcast_all(df1, df2)
        self._gamma1, self._gamma2 = Gamma(self.df1 * 0.5, self.df1), Gamma(self.df2 * 0.5, self.df2)
        super().__init__(() if is_number(df1, df2) else self.df1.size(), validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Any:
        made = super().expand(batch_shape)
        made._gamma1, made._gamma2 = self._gamma1.expand(batch_shape), self._gamma2.expand(batch_shape)
        return made

    def above(self, least: float) -> Any:
        """The second degrees of freedom where there are more than `least`, else nan."""
        found = clone(self.df2)
        found[self.df2 <= least] = math.nan
        return found

    @property
    def mean(self) -> Tensor:
        df2 = self.above(2)
        return df2 / (df2 - 2)

    @property
    def mode(self) -> Tensor:
        mode = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        mode[self.df1 <= 2] = math.nan
        return mode

    @property
    def variance(self) -> Tensor:
        df2 = self.above(4)
        return 2 * df2.pow(2) * (self.df1 + df2 - 2) / (self.df1 * (df2 - 2).pow(2) * (df2 - 4))

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        shape = list(self._extended_shape(sample_shape))
        one, two = (gamma.rsample(sample_shape).view(shape) for gamma in (self._gamma1, self._gamma2))
        tiny = float(np.finfo(two.data_.dtype).tiny)
        two.clamp_(min=tiny)
        ratio = one / two
        ratio.clamp_(min=tiny)
        return ratio

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        one, two, ratio = self.df1 * 0.5, self.df2 * 0.5, self.df1 / self.df2
        whole = lgamma(one + two) - lgamma(one) - lgamma(two)
        powers = one * ratio.log() + (one - 1) * log(value)
        rest = (one + two) * log1p(ratio * value)
        return whole + powers - rest


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


class LogisticNormal(TransformedDistribution):
    """Shares made of normal numbers by breaking a stick."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.simplex
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        base: Any = Normal(loc, scale, validate_args=validate_args)
        base = base if base.batch_shape else base.expand([1])
        super().__init__(base, StickBreakingTransform(), validate_args=validate_args)

    loc = property(lambda self: self.base_dist.base_dist.loc)
    scale = property(lambda self: self.base_dist.base_dist.scale)


class GeneralizedPareto(Distribution):
    """What is above a threshold `loc`; the tail is the heavier, the larger `concentration`."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive, "concentration": constraints.real}
    has_rsample = True
    loc: Any
    scale: Any
    concentration: Any

    def __init__(self, loc: Any, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale, self.concentration = broadcast_all(loc, scale, concentration)
        shape = () if is_number(loc, scale, concentration) else self.loc.size()
        super().__init__(shape, validate_args=validate_args)

    @constraints.dependent_property
    def support(self) -> Any:
        below = self.loc - self.scale / self.concentration
        return constraints.interval(self.loc, where(self.concentration < 0, below, math.inf))

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        return self.icdf(rand(list(self._extended_shape(sample_shape)), dtype=self.loc.dtype))

    def split(self, zero: Tensor) -> tuple[Any, Any]:
        """Where the tail is that of an exponential, and the concentrations with 1 in those places."""
        flat = self.concentration.isclose(zero)
        return flat, where(flat, ones_like(self.concentration), self.concentration)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        z = (value - self.loc) / self.scale
        flat, safe = self.split(tensor(0.0))
        power = 1 / safe + ones_like(z)
        bent = where(power == 0, power, power * log1p(safe * z))
        return -self.scale.log() - where(flat, z, bent)

    def log_survival_function(self, value: Tensor) -> Tensor:
        """The logarithm of the share that lies above."""
        self._validate_sample(value)
        z = (value - self.loc) / self.scale
        flat, safe = self.split(tensor(0.0))
        return where(flat, -z, -log1p(safe * z) / safe)

    def log_cdf(self, value: Tensor) -> Tensor:
        """The logarithm of the share that lies below."""
        return log1p(-exp(self.log_survival_function(value)))

    def cdf(self, value: Tensor) -> Tensor:
        return exp(self.log_cdf(value))

    def icdf(self, value: Tensor) -> Tensor:
        flat, safe = self.split(zeros_like(self.concentration))
        logs = log1p(-value)
        bent = self.loc + self.scale / safe * expm1(-safe * logs)
        return where(flat, self.loc - self.scale * logs, bent)

    def kept(self, limit: float, other: float) -> tuple[Any, Any]:
        """Where the concentration is below `limit`, and the concentrations with `other` elsewhere."""
        below = self.concentration < limit
        return below, where(below, self.concentration, other)

    @property
    def mean(self) -> Tensor:
        below, safe = self.kept(1, 0.5)
        return where(below, self.loc + self.scale / (1 - safe), math.nan)

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        below, safe = self.kept(0.5, 0.25)
        return where(below, self.scale**2 / ((1 - safe) ** 2 * (1 - 2 * safe)), math.nan)

    def entropy(self) -> Tensor:
        return view.expand(log(self.scale) + self.concentration + 1, list(self._batch_shape))
