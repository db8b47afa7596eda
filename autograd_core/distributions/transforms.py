"""Transforms of random numbers, with the logarithms of how much they stretch: torch.distributions.transforms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..functions.creation import full_like
from ..nn.functional import logsigmoid, pad, softplus
from ..ops import unary
from ..ops.view import expand
from ..sizes import Size
from ..tensor import Tensor
from . import constraints
from .distribution import broadcast_all, is_number, lazy_property
from .transform import ComposeTransform, IndependentTransform, Transform, deepened, identity_transform

__all__ = [
    "AbsTransform",
    "AffineTransform",
    "ComposeTransform",
    "ExpTransform",
    "IndependentTransform",
    "PowerTransform",
    "SigmoidTransform",
    "SoftmaxTransform",
    "SoftplusTransform",
    "StickBreakingTransform",
    "TanhTransform",
    "Transform",
    "identity_transform",
]


class Alike(Transform):
    """One without settings: those of one kind are equal."""

    bijective = True
    sign: Any = 1

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self)

    __hash__ = object.__hash__


class ExpTransform(Alike):
    codomain = constraints.positive

    def _call(self, x: Tensor) -> Tensor:
        return x.exp()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return x


class SigmoidTransform(Alike):
    codomain = constraints.unit_interval

    def _call(self, x: Tensor) -> Tensor:
        return inside(unary.sigmoid(x))

    def _inverse(self, y: Tensor) -> Tensor:
        y = inside(y)
        return y.log() - (-y).log1p()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -softplus(-x) - softplus(x)


def inside(x: Tensor) -> Tensor:
    """Kept above 0 and below 1."""
    limits = np.finfo(x.data_.dtype)
    return x.clamp(min=float(limits.tiny), max=1.0 - float(limits.eps))


class SoftplusTransform(Alike):
    codomain = constraints.positive

    def _call(self, x: Tensor) -> Tensor:
        return softplus(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return (-y).expm1().neg().log() + y

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -softplus(-x)


class TanhTransform(Alike):
    codomain = constraints.interval(-1.0, 1.0)

    def _call(self, x: Tensor) -> Tensor:
        return x.tanh()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.atanh()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return 2.0 * (math.log(2.0) - x - softplus(-2.0 * x))


class AbsTransform(Alike):
    codomain = constraints.positive
    bijective = False

    @property
    def sign(self) -> Any:
        raise NotImplementedError

    def _call(self, x: Tensor) -> Tensor:
        return x.abs()

    def _inverse(self, y: Tensor) -> Tensor:
        return y


class PowerTransform(Transform):
    """x ** exponent."""

    domain = codomain = constraints.positive
    bijective = True

    def __init__(self, exponent: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        (self.exponent,) = broadcast_all(exponent)

    def with_cache(self, cache_size: int = 1) -> Transform:
        return self if self._cache_size == cache_size else PowerTransform(self.exponent, cache_size=cache_size)

    @lazy_property
    def sign(self) -> Any:
        return self.exponent.sign()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PowerTransform) and bool(self.exponent.eq(other.exponent).all().item())

    __hash__ = object.__hash__

    def _call(self, x: Tensor) -> Tensor:
        return x.pow(self.exponent)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.pow(1 / self.exponent)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return (self.exponent * y / x).abs().log()

    def forward_shape(self, shape: Any) -> Any:
        return together(shape, self.exponent)

    inverse_shape = forward_shape


class AffineTransform(Transform):
    """loc + scale * x."""

    bijective = True

    def __init__(self, loc: Any, scale: Any, event_dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.loc, self.scale, self._event_dim = loc, scale, event_dim

    @property
    def event_dim(self) -> int:
        return self._event_dim

    @property
    def domain(self) -> Any:
        return deepened(constraints.real, self._event_dim)

    codomain = domain

    def with_cache(self, cache_size: int = 1) -> Transform:
        if self._cache_size == cache_size:
            return self
        return AffineTransform(self.loc, self.scale, self._event_dim, cache_size=cache_size)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AffineTransform):
            return False
        return all(np.all(np.equal(*map(constraints.array, pair))) for pair in self.pairs(other))

    __hash__ = object.__hash__

    def pairs(self, other: AffineTransform) -> list[tuple[Any, Any]]:
        return [(self.loc, other.loc), (self.scale, other.scale)]

    @property
    def sign(self) -> Any:
        return int(np.sign(self.scale)) if is_number(self.scale) else self.scale.sign()

    def _call(self, x: Tensor) -> Tensor:
        return self.loc + self.scale * x

    def _inverse(self, y: Tensor) -> Tensor:
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        shape, scale = list(x.data_.shape), self.scale
        stretch = full_like(x, math.log(abs(scale))) if is_number(scale) else unary.log(unary.abs(scale))
        if self._event_dim:
            stretch = stretch.view([*stretch.size()[: -self._event_dim], -1]).sum(-1)
            shape = shape[: -self._event_dim]
        return expand(stretch, shape)

    def forward_shape(self, shape: Any) -> Any:
        return together(shape, self.loc, self.scale)

    inverse_shape = forward_shape


def together(shape: Any, *given: Any) -> Size:
    """The shape to which all broadcast."""
    return Size(np.broadcast_shapes(tuple(shape), *(t.data_.shape for t in given if isinstance(t, Tensor))))


class SoftmaxTransform(Alike):
    """Any numbers to shares; the way back is up to a constant."""

    domain, codomain = constraints.real_vector, constraints.simplex
    bijective = False

    def _call(self, x: Tensor) -> Tensor:
        probs = (x - x.max(-1, True)[0]).exp()
        return probs / probs.sum(-1, True)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()

    def forward_shape(self, shape: Any) -> Any:
        if len(shape) < 1:
            raise ValueError("Too few dimensions on input")
        return shape

    inverse_shape = forward_shape


class StickBreakingTransform(Alike):
    """n numbers to n + 1 shares, by breaking off a piece of what is left."""

    domain, codomain = constraints.real_vector, constraints.simplex

    def _call(self, x: Tensor) -> Tensor:
        offset = x.shape[-1] + 1 - x.new_ones(x.shape[-1]).cumsum(-1)
        z = inside(unary.sigmoid(x - offset.log()))
        left = (1 - z).cumprod(-1)
        return pad(z, [0, 1], value=1) * pad(left, [1, 0], value=1)

    def _inverse(self, y: Tensor) -> Tensor:
        head = y[..., :-1]
        offset = y.shape[-1] - y.new_ones(head.shape[-1]).cumsum(-1)
        left = (1 - head.cumsum(-1)).clamp(min=float(np.finfo(y.data_.dtype).tiny))
        return head.log() - left.log() + offset.log()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        offset = x.shape[-1] + 1 - x.new_ones(x.shape[-1]).cumsum(-1)
        x = x - offset.log()
        return (-x + logsigmoid(x) + y[..., :-1].log()).sum(-1)

    def forward_shape(self, shape: Any) -> Any:
        if len(shape) < 1:
            raise ValueError("Too few dimensions on input")
        return Size((*shape[:-1], shape[-1] + 1))

    def inverse_shape(self, shape: Any) -> Any:
        if len(shape) < 1:
            raise ValueError("Too few dimensions on input")
        return Size((*shape[:-1], shape[-1] - 1))


def __getattr__(name: str) -> Any:
    """What rests on this module and is found here in torch."""
    from . import correlations, joining

    for home in (correlations, joining):
        if name in home.__all__ and name.endswith("Transform"):
            return getattr(home, name)
    raise AttributeError(f"module 'torch.distributions.transforms' has no attribute '{name}'")
