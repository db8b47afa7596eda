"""Distributions of real numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..api.functions.creation import ones_like, zeros_like
from ..api.functions.pointwise import where
from ..api.functions.random import normal, rand
from ..api.functions.reduction import max as largest
from ..engine.grad_mode import no_grad
from ..engine.state import visit
from ..errors import Unsupported
from ..nn import functional as F
from ..ops import binary, unary
from ..ops.join import unbind
from ..ops.special import erf, erfinv
from ..ops.view import expand
from ..random import generator as streams
from ..random import rejection_sampling
from ..tensor.dtypes import float64
from ..tensor.tensor import Tensor, plain
from . import constraints
from .discrete import Chances, clamp, one_of
from .distribution import Centred, Distribution, Shape, broadcast_all, is_number, lazy_property


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
        drawn = rejection_sampling.cauchy(math.prod(shape), self.loc.data_.dtype, 0.0, 1.0).reshape(shape)
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


# ---- ContinuousBernoulli: numbers of [0, 1] whose density bends as a coin's chances do
#
# Loaiza-Ganem and Cunningham, "The continuous Bernoulli: fixing a pervasive error in variational autoencoders" (2019).
# Near a half its formulas divide nothing by nothing; there the first terms of their series stand in.


class ContinuousBernoulli(Chances):
    """Given by `probs` of (0, 1), which are no probabilities, or by their `logits`."""

    support = constraints.unit_interval
    has_rsample = True
    has_enumerate_support = False

    def __init__(
        self,
        probs: Any = None,
        logits: Any = None,
        lims: tuple[float, float] = (0.499, 0.501),
        validate_args: bool | None = None,
    ) -> None:
        one_of(probs, logits)
        given = logits if probs is None else probs
        (self._param,) = broadcast_all(given)
        if probs is not None:
            if validate_args is not None and not self.arg_constraints["probs"].check(self._param).all():
                raise ValueError("The parameter probs has invalid values")
            self._param = clamp(self._param)
        self.__dict__["logits" if probs is None else "probs"] = self._param
        self._lims = lims
        shape = () if is_number(given) else self._param.size()
        Distribution.__init__(self, shape, validate_args=validate_args)

    @lazy_property
    def probs(self) -> Tensor:
        return clamp(unary.sigmoid(self.logits))

    # ---- away from a half, and near it

    def away(self) -> Any:
        """Where the formulas hold."""
        return largest(binary.le(self.probs, self._lims[0]), binary.gt(self.probs, self._lims[1]))

    def cut(self) -> Any:
        """`probs`, with another number where the formulas do not hold."""
        return where(self.away(), self.probs, self._lims[0] * ones_like(self.probs))

    def log_norm(self) -> Any:
        """The logarithm of what makes the density one of probabilities."""
        cut = self.cut()
        low = where(binary.le(cut, 0.5), cut, zeros_like(cut))
        high = where(binary.ge(cut, 0.5), cut, ones_like(cut))
        above = unary.log(unary.abs(unary.log1p(-cut) - unary.log(cut)))
        below = where(binary.le(cut, 0.5), unary.log1p(-2.0 * low), unary.log(2.0 * high - 1.0))
        found = above - below
        x: Any = binary.pow_scalar(self.probs - 0.5, 2)
        return where(self.away(), found, math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x)

    @property
    def mean(self) -> Tensor:
        cut = self.cut()
        found = cut / (2.0 * cut - 1.0) + 1.0 / (unary.log1p(-cut) - unary.log(cut))
        x = self.probs - 0.5
        return where(self.away(), found, 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * binary.pow_scalar(x, 2)) * x)

    @property
    def variance(self) -> Tensor:
        cut = self.cut()
        inverse = 1.0 / binary.pow_scalar(unary.log1p(-cut) - unary.log(cut), 2)
        found = cut * (cut - 1.0) / binary.pow_scalar(1.0 - 2.0 * cut, 2) + inverse
        x: Any = binary.pow_scalar(self.probs - 0.5, 2)
        return where(self.away(), found, 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x)

    # ---- drawing

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        return self.icdf(rand(list(self._extended_shape(sample_shape)), dtype=self.probs.dtype))

    def icdf(self, value: Tensor) -> Tensor:
        cut = self.cut()
        above = unary.log1p(-cut + value * (2.0 * cut - 1.0)) - unary.log1p(-cut)
        return where(self.away(), above / (unary.log(cut) - unary.log1p(-cut)), value)

    def cdf(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        cut = self.cut()
        powers = binary.pow(cut, value) * binary.pow(1.0 - cut, 1.0 - value)
        inside = where(self.away(), (powers + cut - 1.0) / (2.0 * cut - 1.0), value)
        inside = where(binary.ge(value, 1.0), ones_like(value), inside)
        return where(binary.le(value, 0.0), zeros_like(value), inside)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        return -F.binary_cross_entropy_with_logits(logits, value, reduction="none") + self.log_norm()

    def entropy(self) -> Tensor:
        none, one = unary.log1p(-self.probs), unary.log(self.probs)
        return self.mean * (none - one) - self.log_norm() - none


# ---- VonMises, the bell curve around a circle


NEAR = (
    (1.0, 3.5156229, 3.0899424, 1.2067492, 0.2659732, 0.360768e-1, 0.45813e-2),
    (0.5, 0.87890594, 0.51498869, 0.15084934, 0.2658733e-1, 0.301532e-2, 0.32411e-3),
)
FAR = (
    (0.39894228, 0.1328592e-1, 0.225319e-2, -0.157565e-2, 0.916281e-2, -0.2057706e-1, 0.2635537e-1, -0.1647633e-1,
     0.392377e-2),
    (0.39894228, -0.3988024e-1, -0.362018e-2, 0.163801e-2, -0.1031555e-1, 0.2282967e-1, -0.2895312e-1, 0.1787654e-1,
     -0.420059e-2),
)  # fmt: skip
"""Coefficients of the modified Bessel functions of orders 0 and 1 below 3.75 and above (Abramowitz and Stegun, 9.8)."""


def polynomial(y: Any, coefficients: tuple[float, ...]) -> Any:
    *lower, total = coefficients
    for coefficient in reversed(lower):
        total = coefficient + y * total
    return total


def log_bessel(x: Any, order: int) -> Any:
    """The logarithm of the modified Bessel function of order 0 or 1, in torch's steps."""
    part = x / 3.75
    near = polynomial(part * part, NEAR[order])
    if order == 1:
        near = x.abs() * near
    near = near.log()
    inverse = 3.75 / x
    far = x - 0.5 * x.log() + polynomial(inverse, FAR[order]).log()
    return where(x < 3.75, near, far)


STEEPEST = 1e14
"""Beyond, double precision does not tell how far apart the curves are, and nothing is ever accepted."""


class VonMises(Distribution):
    """Angles around `loc`, the closer the larger `concentration`."""

    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}
    support = constraints.real
    has_rsample = False
    loc: Any
    concentration: Any

    def __init__(self, loc: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.loc, self.concentration = broadcast_all(loc, concentration)
        super().__init__(self.loc.size(), validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        """That around the circle."""
        return 1 - (log_bessel(self.concentration, 1) - log_bessel(self.concentration, 0)).exp()

    def log_prob(self, value: Any) -> Tensor:
        self._validate_sample(value)
        height = self.concentration * (value - self.loc).cos()
        return height - math.log(2 * math.pi) - log_bessel(self.concentration, 0)

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        """Drawn from a curve around all, in double precision, until each is accepted (Best and Fisher, 1979).

        Raises:
            NotImplementedError: the concentration is no number of which one could be accepted.
        """
        with no_grad():
            kappa = self.concentration.to(float64)
            tau = 1 + (1 + 4 * kappa**2).sqrt()
            rho = (tau - (2 * tau).sqrt()) / (2 * kappa)
            r = where(kappa < 1e-5, 1 / kappa + kappa, (1 + rho**2) / (2 * rho))
            if not np.all(np.isfinite(r.data_)) or np.any(kappa.data_ > STEEPEST):
                raise Unsupported("VonMises with this concentration is not supported")
            angles = self.accepted(kappa, r, list(self._extended_shape(sample_shape)))
            found = (angles + math.pi + self.loc.to(float64)) % (2 * math.pi) - math.pi
            return found.to(self.loc.dtype)

    def accepted(self, kappa: Any, r: Any, shape: list[int]) -> Any:
        angles: Any = plain(np.zeros(shape)[()])
        done = np.zeros(shape, bool)
        while not np.all(done):
            visit()
            one, two, three = unbind(rand(3, *shape, dtype=float64), 0)
            z: Any = (math.pi * one).cos()
            f = (1 + r * z) / (r + z)
            c = kappa * (r - f)
            accept = ((c * (2 - c) - two) > 0) | ((c / two).log() + 1 - c >= 0)
            angles = where(accept, (three - 0.5).sign() * f.acos(), angles)
            done |= accept.data_
        return angles
