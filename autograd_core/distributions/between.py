"""ContinuousBernoulli: numbers of [0, 1] whose density bends as a coin's chances do.

Loaiza-Ganem and Cunningham, "The continuous Bernoulli: fixing a pervasive error in variational autoencoders" (2019).
Near a half its formulas divide nothing by nothing; there the first terms of their series stand in.
"""

from __future__ import annotations

import math
from typing import Any

from ..functions.creation import ones_like, zeros_like
from ..functions.pointwise import where
from ..functions.random import rand
from ..functions.reduction import max as largest
from ..modes import no_grad
from ..nn import functional as F
from ..ops import binary, unary
from ..tensor import Tensor
from . import constraints
from .discrete import Chances, clamped, one_of
from .distribution import Distribution, Shape, broadcast_all, is_number, lazy_property

__all__ = ["ContinuousBernoulli"]


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
            self._param = clamped(self._param)
        self.__dict__["logits" if probs is None else "probs"] = self._param
        self._lims = lims
        shape = () if is_number(given) else self._param.size()
        Distribution.__init__(self, shape, validate_args=validate_args)

    @lazy_property
    def probs(self) -> Tensor:
        return clamped(unary.sigmoid(self.logits))

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
