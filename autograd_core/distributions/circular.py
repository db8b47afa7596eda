"""Distributions of angles: VonMises, the bell curve around a circle."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..dtypes import float64
from ..functions.pointwise import where
from ..functions.random import rand
from ..modes import no_grad
from ..ops.join import unbind
from ..state import visit
from ..tensor import Tensor, plain
from ..unsupported import Unsupported
from . import constraints
from .distribution import Distribution, Shape, broadcast_all

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
            if not np.all(np.isfinite(r.data_)):
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


__all__ = ["VonMises"]
