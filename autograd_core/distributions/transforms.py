"""Transforms of random numbers, with the logarithms of how much they stretch: torch.distributions.transforms."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..api.functions.creation import full_like, zeros_like
from ..namespace.absent import absent
from ..nn.functional import softplus
from ..opaque import opaque
from ..ops import unary
from ..ops.view import expand
from ..tensor.size import Size
from ..tensor.tensor import Tensor
from . import constraints
from .distribution import broadcast_all, is_number, lazy_property, sum_rightmost

# ---- what all have in common, and those that are made of others


@opaque
class Transform:
    """A map of tensors; `_call`, `_inverse` and `log_abs_det_jacobian` are for each kind to say."""

    bijective = False
    domain: Any = constraints.real
    codomain: Any = constraints.real
    sign: Any

    def __init__(self, cache_size: int = 0) -> None:
        self._cache_size = cache_size
        self._inv: Transform | None = None
        if cache_size not in (0, 1):
            raise ValueError("cache_size must be 0 or 1")
        self._cached_x_y: tuple[Any, Any] = (None, None)

    @property
    def event_dim(self) -> int:
        if self.domain.event_dim == self.codomain.event_dim:
            return int(self.domain.event_dim)
        raise ValueError("Please use either .domain.event_dim or .codomain.event_dim")

    @property
    def inv(self) -> Transform:
        if self._inv is None:
            self._inv = _InverseTransform(self)
        return self._inv

    def with_cache(self, cache_size: int = 1) -> Transform:
        if self._cache_size == cache_size:
            return self
        if type(self).__init__ is Transform.__init__:
            return type(self)(cache_size=cache_size)
        raise NotImplementedError(f"{type(self)}.with_cache is not implemented")

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = object.__hash__

    def __call__(self, x: Tensor) -> Tensor:
        if self._cache_size == 0:
            return self._call(x)
        before, known = self._cached_x_y
        if x is before:
            return known
        y = self._call(x)
        self._cached_x_y = x, y
        return y

    def _inv_call(self, y: Tensor) -> Tensor:
        if self._cache_size == 0:
            return self._inverse(y)
        known, before = self._cached_x_y
        if y is before:
            return known
        x = self._inverse(y)
        self._cached_x_y = x, y
        return x

    def _call(self, x: Tensor) -> Tensor:
        raise NotImplementedError

    def _inverse(self, y: Tensor) -> Tensor:
        raise NotImplementedError

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        raise NotImplementedError

    def forward_shape(self, shape: Any) -> Any:
        return shape

    def inverse_shape(self, shape: Any) -> Any:
        return shape

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class _InverseTransform(Transform):
    """A transform the other way."""

    _inv: Transform

    def __init__(self, transform: Transform) -> None:
        super().__init__(cache_size=transform._cache_size)
        self._inv = transform

    domain = property(lambda self: self._inv.codomain)
    codomain = property(lambda self: self._inv.domain)
    bijective = property(lambda self: self._inv.bijective)
    sign = property(lambda self: self._inv.sign)

    def with_cache(self, cache_size: int = 1) -> Transform:
        return self.inv.with_cache(cache_size).inv

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _InverseTransform) and self._inv == other._inv

    __hash__ = object.__hash__

    def __call__(self, x: Tensor) -> Tensor:
        return self._inv._inv_call(x)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -self._inv.log_abs_det_jacobian(y, x)

    def forward_shape(self, shape: Any) -> Any:
        return self._inv.inverse_shape(shape)

    def inverse_shape(self, shape: Any) -> Any:
        return self._inv.forward_shape(shape)

    def __repr__(self) -> str:
        return f"_InverseTransform({self._inv!r})"


def deepen(constraint: Any, event_dim: int) -> Any:
    """`constraint` for events of at least `event_dim` dimensions."""
    more = event_dim - constraint.event_dim
    return constraints.independent(constraint, more) if more > 0 else constraint


class ComposeTransform(Transform):
    """Several transforms, one after the other."""

    def __init__(self, parts: Sequence[Transform], cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.parts = [part.with_cache(cache_size) for part in parts] if cache_size else parts

    @property
    def domain(self) -> Any:
        if not self.parts:
            return constraints.real
        dims = self.parts[-1].codomain.event_dim
        for part in reversed(self.parts):
            dims = max(dims + part.domain.event_dim - part.codomain.event_dim, part.domain.event_dim)
        return deepen(self.parts[0].domain, dims)

    @property
    def codomain(self) -> Any:
        if not self.parts:
            return constraints.real
        dims = self.parts[0].domain.event_dim
        for part in self.parts:
            dims = max(dims + part.codomain.event_dim - part.domain.event_dim, part.codomain.event_dim)
        return deepen(self.parts[-1].codomain, dims)

    @lazy_property
    def bijective(self) -> bool:
        return all(part.bijective for part in self.parts)

    @lazy_property
    def sign(self) -> Any:
        return functools.reduce(operator.mul, (part.sign for part in self.parts), 1)

    @property
    def inv(self) -> Transform:
        if self is identity_transform:
            return self
        if self._inv is None:
            self._inv = ComposeTransform([part.inv for part in reversed(self.parts)])
            self._inv._inv = self
        return self._inv

    def with_cache(self, cache_size: int = 1) -> Transform:
        return self if self._cache_size == cache_size else ComposeTransform(self.parts, cache_size=cache_size)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ComposeTransform) and list(self.parts) == list(other.parts)

    __hash__ = object.__hash__

    def __call__(self, x: Tensor) -> Tensor:
        for part in self.parts:
            x = part(x)
        return x

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        if not self.parts:
            return zeros_like(x)
        between = [x]
        for part in self.parts[:-1]:
            between.append(part(between[-1]))
        terms, dims = [], self.domain.event_dim
        for part, before, after in zip(self.parts, between, [*between[1:], y], strict=True):
            terms.append(sum_rightmost(part.log_abs_det_jacobian(before, after), dims - part.domain.event_dim))
            dims += part.codomain.event_dim - part.domain.event_dim
        return functools.reduce(operator.add, terms)

    def forward_shape(self, shape: Any) -> Any:
        for part in self.parts:
            shape = part.forward_shape(shape)
        return shape

    def inverse_shape(self, shape: Any) -> Any:
        for part in reversed(self.parts):
            shape = part.inverse_shape(shape)
        return shape

    def __repr__(self) -> str:
        return "ComposeTransform(\n    " + ",\n    ".join(repr(part) for part in self.parts) + "\n)"


class IndependentTransform(Transform):
    """`base_transform`, with its last dimensions taken together as one event."""

    def __init__(self, base_transform: Transform, reinterpreted_batch_ndims: int, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.base_transform = base_transform.with_cache(cache_size)
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    @property
    def domain(self) -> Any:
        return constraints.independent(self.base_transform.domain, self.reinterpreted_batch_ndims)

    @property
    def codomain(self) -> Any:
        return constraints.independent(self.base_transform.codomain, self.reinterpreted_batch_ndims)

    bijective = property(lambda self: self.base_transform.bijective)
    sign = property(lambda self: self.base_transform.sign)

    def with_cache(self, cache_size: int = 1) -> Transform:
        if self._cache_size == cache_size:
            return self
        return IndependentTransform(self.base_transform, self.reinterpreted_batch_ndims, cache_size=cache_size)

    def _call(self, x: Tensor) -> Tensor:
        if x.dim() < self.domain.event_dim:
            raise ValueError("Too few dimensions on input")
        return self.base_transform(x)

    def _inverse(self, y: Tensor) -> Tensor:
        if y.dim() < self.codomain.event_dim:
            raise ValueError("Too few dimensions on input")
        return self.base_transform.inv(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return sum_rightmost(self.base_transform.log_abs_det_jacobian(x, y), self.reinterpreted_batch_ndims)

    def forward_shape(self, shape: Any) -> Any:
        return self.base_transform.forward_shape(shape)

    def inverse_shape(self, shape: Any) -> Any:
        return self.base_transform.inverse_shape(shape)

    def __repr__(self) -> str:
        return f"IndependentTransform({self.base_transform!r}, {self.reinterpreted_batch_ndims})"


identity_transform = ComposeTransform(())  # nothing in it can be changed, for all share it


# ---- of one number


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
        return deepen(constraints.real, self._event_dim)

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


__getattr__ = absent("torch.distributions.transforms")
