"""Gamma and what is made of gamma numbers: Chi2, Dirichlet, Beta, StudentT, FisherSnedecor, NegativeBinomial."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..api.functions.random import poisson
from ..autograd.function import Function
from ..autograd.function_node import once_differentiable
from ..engine.grad_mode import no_grad
from ..nn import functional as F
from ..ops import view
from ..ops.binary import xlogy
from ..ops.join import clone, stack
from ..ops.random_sampling import dirichlet_grad, standard_gamma
from ..ops.special import digamma, lgamma
from ..ops.unary import exp, log, log1p, rsqrt, sigmoid
from ..random import generator as streams
from ..random import rejection_sampling
from ..tensor.tensor import Tensor, plain
from . import constraints
from .discrete import Chances, one_of
from .distribution import Distribution, Shape, broadcast_all, is_number, lazy_property


class Gamma(Distribution):
    """The sum of `concentration` waiting times of events that come `rate` times in a unit of time."""

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        self.concentration, self.rate = broadcast_all(concentration, rate)
        shape = () if is_number(concentration, rate) else self.concentration.size()
        super().__init__(shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.concentration / self.rate

    @property
    def mode(self) -> Tensor:
        return ((self.concentration - 1) / self.rate).clamp(min=0)

    @property
    def variance(self) -> Tensor:
        return self.concentration / self.rate.pow(2)

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        shape = list(self._extended_shape(sample_shape))
        value: Tensor = standard_gamma(view.expand(self.concentration, shape)) / view.expand(self.rate, shape)
        value.detach().clamp_(min=float(np.finfo(value.data_.dtype).tiny))
        return value

    def log_prob(self, value: Tensor) -> Tensor:
        value = value if isinstance(value, Tensor) else plain(np.asarray(value, self.rate.data_.dtype)[()])
        self._validate_sample(value)
        density: Tensor = xlogy(self.concentration, self.rate) + xlogy(self.concentration - 1, value)
        return density - self.rate * value - lgamma(self.concentration)

    def entropy(self) -> Tensor:
        shape: Tensor = self.concentration
        return shape - log(self.rate) + lgamma(shape) + (1.0 - shape) * digamma(shape)


class Chi2(Gamma):
    """The sum of `df` squares of normal numbers."""

    arg_constraints = {"df": constraints.positive}

    def __init__(self, df: Any, validate_args: bool | None = None) -> None:
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    @property
    def df(self) -> Tensor:
        return self.concentration * 2

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Any:
        made = super().expand(batch_shape)
        made.concentration, made.rate = (view.expand(t, list(batch_shape)) for t in (self.concentration, self.rate))
        return made


class _Dirichlet(Function):
    """Shares and how they move with their concentrations."""

    @staticmethod
    def forward(ctx: Any, concentration: Tensor) -> Tensor:
        x = plain(rejection_sampling.dirichlet(np.asarray(concentration.data_)))
        ctx.save_for_backward(x, concentration)
        return x

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_output: Tensor) -> Tensor:
        x, concentration = ctx.saved_tensors
        total = concentration.sum(-1, True).expand_as(concentration)
        grad = plain(dirichlet_grad(*(np.asarray(t.data_) for t in (x, concentration, total))))
        return grad * (grad_output - (x * grad_output).sum(-1, True))


class Dirichlet(Distribution):
    """Shares that add up to one."""

    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}
    support = constraints.simplex
    has_rsample = True

    def __init__(self, concentration: Tensor, validate_args: bool | None = None) -> None:
        if concentration.data_.ndim < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration: Any = concentration
        shape = concentration.size()
        super().__init__(shape[:-1], shape[-1:], validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.concentration / self.concentration.sum(-1, True)

    @property
    def mode(self) -> Tensor:
        above = (self.concentration - 1).clamp(min=0.0)
        mode = above / above.sum(-1, True)
        mask = (self.concentration < 1).all(dim=-1)
        mode[mask] = F.one_hot(mode[mask].argmax(dim=-1), above.shape[-1]).to(mode)
        return mode

    @property
    def variance(self) -> Tensor:
        total = self.concentration.sum(-1, True)
        return self.concentration * (total - self.concentration) / (total.pow(2) * (total + 1))

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        return _Dirichlet.apply(view.expand(self.concentration, list(self._extended_shape(sample_shape))))

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        weight: Tensor = xlogy(self.concentration - 1.0, value).sum(-1)
        return weight + lgamma(self.concentration.sum(-1)) - lgamma(self.concentration).sum(-1)

    def entropy(self) -> Tensor:
        count, shape = self.concentration.size(-1), self.concentration
        total = shape.sum(-1)
        sides = lgamma(shape).sum(-1) - lgamma(total) - (count - total) * digamma(total)
        return sides - ((shape - 1.0) * digamma(shape)).sum(-1)


class Beta(Distribution):
    """A share of two: numbers of [0, 1]."""

    arg_constraints = {"concentration1": constraints.positive, "concentration0": constraints.positive}
    support = constraints.unit_interval
    has_rsample = True

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None:
        if is_number(concentration1, concentration0):
            one, zero = broadcast_all(float(concentration1), float(concentration0))
            both = plain(np.stack([one.data_, zero.data_], -1))
        else:
            both = stack(broadcast_all(concentration1, concentration0), -1)
        self._dirichlet = Dirichlet(both, validate_args=validate_args)
        super().__init__(self._dirichlet.batch_shape, validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Any:
        made = super().expand(batch_shape)
        made._dirichlet = self._dirichlet.expand(batch_shape)
        return made

    @property
    def concentration1(self) -> Tensor:
        found: Tensor = self._dirichlet.concentration[..., 0]
        return found

    @property
    def concentration0(self) -> Tensor:
        found: Tensor = self._dirichlet.concentration[..., 1]
        return found

    @property
    def mean(self) -> Tensor:
        return self.concentration1 / (self.concentration1 + self.concentration0)

    @property
    def mode(self) -> Tensor:
        return self._dirichlet.mode[..., 0]

    @property
    def variance(self) -> Tensor:
        total = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (total.pow(2) * (total + 1))

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        return self._dirichlet.rsample(sample_shape).select(-1, 0)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        return self._dirichlet.log_prob(stack([value, 1.0 - value], -1))

    def entropy(self) -> Tensor:
        return self._dirichlet.entropy()


class StudentT(Distribution):
    """A normal number over the root of a mean of `df` squares: a bell curve with heavy tails."""

    arg_constraints = {"df": constraints.positive, "loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(self, df: Any, loc: Any = 0.0, scale: Any = 1.0, validate_args: bool | None = None) -> None:
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        self._chi2 = Chi2(self.df)
        super().__init__(self.df.size(), validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Any:
        made = super().expand(batch_shape)
        made._chi2 = self._chi2.expand(batch_shape)
        return made

    @property
    def mean(self) -> Tensor:
        mean = self.loc.clone()
        mean[self.df <= 1] = math.nan
        return mean

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        found, many = self.df.clone(), self.df > 2
        found[many] = self.scale[many].pow(2) * self.df[many] / (self.df[many] - 2)
        found[(self.df <= 2) & (self.df > 1)] = math.inf
        found[self.df <= 1] = math.nan
        return found

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        shape = tuple(self._extended_shape(sample_shape))
        drawn = streams.normal(math.prod(shape), self.df.data_.dtype).reshape(shape)
        squares = self._chi2.rsample(sample_shape)
        return self.loc + self.scale * (plain(drawn[()], version=1) * rsqrt(squares / self.df))

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        y = (value - self.loc) / self.scale
        widths = self.scale.log() + 0.5 * self.df.log() + 0.5 * math.log(math.pi)
        area = widths + lgamma(0.5 * self.df) - lgamma(0.5 * (self.df + 1.0))
        return -0.5 * (self.df + 1.0) * log1p(y**2.0 / self.df) - area

    def entropy(self) -> Tensor:
        beta = lgamma(0.5 * self.df) + math.lgamma(0.5) - lgamma(0.5 * (self.df + 1))
        slopes = digamma(0.5 * (self.df + 1)) - digamma(0.5 * self.df)
        return self.scale.log() + 0.5 * (self.df + 1) * slopes + 0.5 * self.df.log() + beta


class NegativeBinomial(Chances):
    """Successes, each with probability `probs`, before `total_count` failures."""

    arg_constraints = {
        "total_count": constraints.greater_than_eq(0),
        "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }
    support = constraints.nonnegative_integer

    def __init__(
        self, total_count: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        one_of(probs, logits)
        name = "logits" if probs is None else "probs"
        count, self._param = broadcast_all(total_count, logits if probs is None else probs)
        self.total_count: Any = count.type_as(self._param)
        self.__dict__[name] = self._param
        Distribution.__init__(self, self._param.size(), validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.total_count * exp(self.logits)

    @property
    def mode(self) -> Tensor:
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0)

    @property
    def variance(self) -> Tensor:
        return self.mean / sigmoid(-self.logits)

    @lazy_property
    def _gamma(self) -> Gamma:
        return Gamma(self.total_count, exp(-self.logits), validate_args=False)

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        with no_grad():
            return poisson(self._gamma.sample(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        count = self.total_count
        weight = count * F.logsigmoid(-self.logits) + value * F.logsigmoid(self.logits)
        area = -lgamma(count + value) + lgamma(1.0 + value) + lgamma(count)
        return weight - area.masked_fill(count + value == 0.0, 0.0)


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
