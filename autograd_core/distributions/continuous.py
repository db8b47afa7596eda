"""Distributions of real numbers: Normal, Cauchy, Uniform, Exponential, Laplace."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import rejection, streams
from ..functions.random import normal, rand
from ..modes import no_grad
from ..ops import unary
from ..ops.special import erf, erfinv
from ..ops.view import expand
from ..tensor import Tensor, plain
from . import constraints
from .distribution import Centred, Distribution, Shape, broadcast_all, is_number


class LocScale(Centred):
    """A curve over all numbers, of width `scale`."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True
    loc: Any
    scale: Any

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(() if is_number(loc, scale) else self.loc.size(), validate_args=validate_args)


class Normal(LocScale):
    """The bell curve with centre `loc` and width `scale`."""

    @property
    def stddev(self) -> Tensor:
        return self.scale

    @property
    def variance(self) -> Tensor:
        return self.stddev.pow(2)

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        shape = list(self._extended_shape(sample_shape))
        with no_grad():
            return normal(expand(self.loc, shape), expand(self.scale, shape))

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        shape = tuple(self._extended_shape(sample_shape))
        drawn = streams.normal(math.prod(shape), self.loc.data_.dtype).reshape(shape)
        return self.loc + plain(drawn[()], version=1) * self.scale

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        var, log_scale = self.scale.pow(2), self.scale.log()
        return unary.neg((value - self.loc).pow(2)) / (2 * var) - log_scale - math.log(math.sqrt(2 * math.pi))

    def cdf(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        return 0.5 * (1 + erf((value - self.loc) * self.scale.reciprocal() / math.sqrt(2)))

    def icdf(self, value: Tensor) -> Tensor:
        return self.loc + self.scale * erfinv(2 * value - 1) * math.sqrt(2)

    def entropy(self) -> Tensor:
        return 0.5 + 0.5 * math.log(2 * math.pi) + unary.log(self.scale)


class Cauchy(LocScale):
    """A curve with tails so heavy that it has no mean."""

    @property
    def mean(self) -> Tensor:
        return self.everywhere(math.nan)

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        return self.everywhere(math.inf)

    def everywhere(self, value: float) -> Tensor:
        return plain(np.full(tuple(self._extended_shape()), value, self.loc.data_.dtype)[()])

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        shape = tuple(self._extended_shape(sample_shape))
        drawn = rejection.cauchy(math.prod(shape), self.loc.data_.dtype, 0.0, 1.0).reshape(shape)
        return self.loc + plain(drawn[()], version=1) * self.scale

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        return -math.log(math.pi) - self.scale.log() - (((value - self.loc) / self.scale) ** 2).log1p()

    def cdf(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        return unary.atan((value - self.loc) / self.scale) / math.pi + 0.5

    def icdf(self, value: Tensor) -> Tensor:
        return unary.tan(math.pi * (value - 0.5)) * self.scale + self.loc

    def entropy(self) -> Tensor:
        return math.log(4 * math.pi) + self.scale.log()


class Uniform(Distribution):
    """Every number of [low, high) alike."""

    has_rsample = True

    def __init__(self, low: Any, high: Any, validate_args: bool | None = None) -> None:
        self.low, self.high = broadcast_all(low, high)
        super().__init__(() if is_number(low, high) else self.low.size(), validate_args=validate_args)

    @property
    def arg_constraints(self) -> Any:
        return {"low": constraints.less_than(self.high), "high": constraints.greater_than(self.low)}

    @constraints.dependent_property
    def support(self) -> Any:
        return constraints.interval(self.low, self.high)

    @property
    def mean(self) -> Tensor:
        return (self.high + self.low) / 2

    @property
    def mode(self) -> Tensor:
        return self.high * math.nan

    @property
    def stddev(self) -> Tensor:
        return (self.high - self.low) / 12**0.5

    @property
    def variance(self) -> Tensor:
        return (self.high - self.low).pow(2) / 12

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        drawn = rand(list(self._extended_shape(sample_shape)), dtype=self.low.dtype)
        return self.low + drawn * (self.high - self.low)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        above, below = self.low.le(value).type_as(self.low), self.high.gt(value).type_as(self.low)
        with np.errstate(divide="ignore"):
            return unary.log(above.mul(below)) - unary.log(self.high - self.low)

    def cdf(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        return ((value - self.low) / (self.high - self.low)).clamp(min=0, max=1)

    def icdf(self, value: Tensor) -> Tensor:
        return value * (self.high - self.low) + self.low

    def entropy(self) -> Tensor:
        return unary.log(self.high - self.low)


class Exponential(Distribution):
    """Waiting times of events that come `rate` times in a unit of time."""

    arg_constraints = {"rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        (self.rate,) = broadcast_all(rate)
        super().__init__(() if is_number(rate) else self.rate.size(), validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.rate.reciprocal()

    @property
    def mode(self) -> Tensor:
        return plain(np.zeros_like(self.rate.data_))

    @property
    def stddev(self) -> Tensor:
        return self.rate.reciprocal()

    @property
    def variance(self) -> Tensor:
        return self.rate.pow(-2)

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        shape = tuple(self._extended_shape(sample_shape))
        drawn = streams.exponential(math.prod(shape), self.rate.data_.dtype).reshape(shape)
        return plain(drawn[()], version=1) / self.rate

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        return self.rate.log() - self.rate * value

    def cdf(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        return 1 - unary.exp(unary.neg(self.rate) * value)

    def icdf(self, value: Tensor) -> Tensor:
        return unary.neg(unary.log1p(unary.neg(value))) / self.rate

    def entropy(self) -> Tensor:
        return 1.0 - unary.log(self.rate)


class Laplace(LocScale):
    """Two exponential slopes down from `loc`, of width `scale`."""

    @property
    def variance(self) -> Tensor:
        return 2 * self.scale.pow(2)

    @property
    def stddev(self) -> Tensor:
        return 2**0.5 * self.scale

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        drawn = plain(np.zeros(self._extended_shape(sample_shape), self.loc.data_.dtype))
        drawn.uniform_(float(np.finfo(drawn.data_.dtype).eps) - 1, 1)
        return self.loc - self.scale * drawn.sign() * unary.log1p(unary.neg(drawn.abs()))

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        return unary.neg(unary.log(2 * self.scale)) - unary.abs(value - self.loc) / self.scale

    def cdf(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        return 0.5 - 0.5 * (value - self.loc).sign() * unary.expm1(unary.neg((value - self.loc).abs()) / self.scale)

    def icdf(self, value: Tensor) -> Tensor:
        term = value - 0.5
        return self.loc - self.scale * term.sign() * unary.log1p(-2 * term.abs())

    def entropy(self) -> Tensor:
        return 1 + unary.log(2 * self.scale)
