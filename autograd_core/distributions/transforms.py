"""Transforms of random numbers, with the logarithms of how much they stretch: torch.distributions.transforms."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import linalg
from ..api.functions.creation import eye, full_like, zeros_like
from ..api.functions.shape import narrow
from ..nn.functional import logsigmoid, pad, softplus
from ..opaque import opaque
from ..ops import unary
from ..ops.join import cat, stack, tril
from ..ops.view import diagonal, expand, select
from ..tensor.size import Size
from ..tensor.tensor import Tensor
from . import constraints
from .distribution import Distribution, broadcast_all, is_number, lazy_property, sum_rightmost
from .utils import tril_matrix_to_vec, vec_to_tril_matrix

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

    def __init__(self, parts: list[Transform], cache_size: int = 0) -> None:
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
        if self._inv is None:
            self._inv = ComposeTransform([part.inv for part in reversed(self.parts)])
            self._inv._inv = self
        return self._inv

    def with_cache(self, cache_size: int = 1) -> Transform:
        return self if self._cache_size == cache_size else ComposeTransform(self.parts, cache_size=cache_size)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ComposeTransform) and self.parts == other.parts

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


identity_transform = ComposeTransform([])


# ---- of one number, and of vectors


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


# ---- part by part, of the shape alone, and by a distribution


class Parts(Transform):
    """Several transforms, each for a part of what lies along `dim`."""

    transforms: list[Transform]
    dim: int

    def settle(self, tseq: Sequence[Transform], dim: int, cache_size: int) -> None:
        if not all(isinstance(t, Transform) for t in tseq):
            raise AssertionError("All elements of tseq must be Transform instances")
        self.transforms = [t.with_cache(cache_size) for t in tseq] if cache_size else list(tseq)
        self.dim = dim

    bijective = property(lambda self: all(t.bijective for t in self.transforms))

    def check(self, name: str, value: Tensor, length: int, of: str, what: str = "tensor with") -> None:
        """Whether `value` has so many parts along the dimension."""
        if not -value.dim() <= self.dim < value.dim():
            raise AssertionError(f"dim {self.dim} out of range for {what} {value.dim()} dimensions")
        size = value.size(self.dim)
        if size != length:
            raise AssertionError(f"{name}.size({self.dim}) = {size} must equal {of} {length}")


class CatTransform(Parts):
    """Each of `tseq` for a stretch of the dimension, as long as `lengths` says."""

    def __init__(
        self, tseq: Sequence[Transform], dim: int = 0, lengths: Sequence[int] | None = None, cache_size: int = 0
    ) -> None:
        super().__init__(cache_size=cache_size)
        self.settle(tseq, dim, cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.transforms):
            raise AssertionError(f"lengths ({len(self.lengths)}) must match transforms ({len(self.transforms)})")

    @lazy_property
    def event_dim(self) -> int:
        return max(t.event_dim for t in self.transforms)

    @lazy_property
    def length(self) -> int:
        return sum(self.lengths)

    @property
    def domain(self) -> Any:
        return constraints.cat([t.domain for t in self.transforms], self.dim, self.lengths)

    @property
    def codomain(self) -> Any:
        return constraints.cat([t.codomain for t in self.transforms], self.dim, self.lengths)

    def with_cache(self, cache_size: int = 1) -> Transform:
        if self._cache_size == cache_size:
            return self
        return CatTransform(self.transforms, self.dim, self.lengths, cache_size)

    def stretches(self, value: Tensor) -> list[Tensor]:
        starts = [sum(self.lengths[:i]) for i in range(len(self.lengths))]
        pairs = zip(starts, self.lengths, strict=True)
        return [narrow(value, self.dim, start, length) for start, length in pairs]

    def _call(self, x: Tensor) -> Tensor:
        self.check("x", x, self.length, "length")
        return cat([t(part) for t, part in zip(self.transforms, self.stretches(x), strict=True)], self.dim)

    def _inverse(self, y: Tensor) -> Tensor:
        self.check("y", y, self.length, "length")
        return cat([t.inv(part) for t, part in zip(self.transforms, self.stretches(y), strict=True)], self.dim)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        for name, value in (("x", x), ("y", y)):
            self.check(name, value, self.length, "length", f"{name} with")
        terms = []
        for t, before, after in zip(self.transforms, self.stretches(x), self.stretches(y), strict=True):
            term = t.log_abs_det_jacobian(before, after)
            terms.append(sum_rightmost(term, self.event_dim - t.event_dim))
        dim = self.dim - (x.dim() if self.dim >= 0 else 0) + self.event_dim
        found: Any = cat(terms, dim) if dim < 0 else sum(terms)
        return found


class StackTransform(Parts):
    """Each of `tseq` for one place of the dimension."""

    def __init__(self, tseq: Sequence[Transform], dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.settle(tseq, dim, cache_size)

    @property
    def domain(self) -> Any:
        return constraints.stack([t.domain for t in self.transforms], self.dim)

    @property
    def codomain(self) -> Any:
        return constraints.stack([t.codomain for t in self.transforms], self.dim)

    def with_cache(self, cache_size: int = 1) -> Transform:
        return self if self._cache_size == cache_size else StackTransform(self.transforms, self.dim, cache_size)

    def places(self, value: Tensor) -> list[Tensor]:
        return [select(value, self.dim, i) for i in range(value.size(self.dim))]

    def stacked(self, name: str, value: Tensor, ways: Sequence[Callable[[Tensor], Tensor]]) -> Tensor:
        self.check(name, value, len(self.transforms), "len(transforms)")
        return stack([way(part) for way, part in zip(ways, self.places(value), strict=True)], self.dim)

    def _call(self, x: Tensor) -> Tensor:
        return self.stacked("x", x, self.transforms)

    def _inverse(self, y: Tensor) -> Tensor:
        return self.stacked("y", y, [t.inv for t in self.transforms])

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        for name, value in (("x", x), ("y", y)):
            self.check(name, value, len(self.transforms), "len(transforms)", f"{name} with")
        rows = zip(self.transforms, self.places(x), self.places(y), strict=True)
        return stack([t.log_abs_det_jacobian(before, after) for t, before, after in rows], self.dim)


class ReshapeTransform(Transform):
    """Events of one shape as events of another."""

    bijective = True

    def __init__(self, in_shape: Sequence[int], out_shape: Sequence[int], cache_size: int = 0) -> None:
        self.in_shape, self.out_shape = Size(in_shape), Size(out_shape)
        if self.in_shape.numel() != self.out_shape.numel():
            raise ValueError("in_shape, out_shape have different numbers of elements")
        super().__init__(cache_size=cache_size)

    @property
    def domain(self) -> Any:
        return constraints.independent(constraints.real, len(self.in_shape))

    @property
    def codomain(self) -> Any:
        return constraints.independent(constraints.real, len(self.out_shape))

    def with_cache(self, cache_size: int = 1) -> Transform:
        if self._cache_size == cache_size:
            return self
        return ReshapeTransform(self.in_shape, self.out_shape, cache_size=cache_size)

    def _call(self, x: Tensor) -> Tensor:
        return x.reshape([*x.shape[: x.dim() - len(self.in_shape)], *self.out_shape])

    def _inverse(self, y: Tensor) -> Tensor:
        return y.reshape([*y.shape[: y.dim() - len(self.out_shape)], *self.in_shape])

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return x.new_zeros(x.shape[: x.dim() - len(self.in_shape)])

    def forward_shape(self, shape: Any) -> Any:
        return instead(shape, self.in_shape, self.out_shape)

    def inverse_shape(self, shape: Any) -> Any:
        return instead(shape, self.out_shape, self.in_shape)


def instead(shape: Any, before: Size, after: Size) -> Size:
    """`shape` with the end `before` made `after`.

    Raises:
        ValueError: it ends otherwise.
    """
    if len(shape) < len(before):
        raise ValueError("Too few dimensions on input")
    cut = len(shape) - len(before)
    if tuple(shape[cut:]) != tuple(before):
        raise ValueError(f"Shape mismatch: expected {shape[cut:]} but got {before}")
    return Size((*shape[:cut], *after))


class CumulativeDistributionTransform(Transform):
    """Numbers of a distribution to the share of it that lies below them."""

    bijective = True
    codomain = constraints.unit_interval
    sign = 1

    def __init__(self, distribution: Distribution, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.distribution = distribution

    @property
    def domain(self) -> Any:
        return self.distribution.support

    def with_cache(self, cache_size: int = 1) -> Transform:
        if self._cache_size == cache_size:
            return self
        return CumulativeDistributionTransform(self.distribution, cache_size=cache_size)

    def _call(self, x: Tensor) -> Tensor:
        return self.distribution.cdf(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return self.distribution.log_prob(x)


# ---- to roots of matrices


class LowerCholeskyTransform(Alike):
    """Any square matrix to a lower triangle with a positive diagonal."""

    domain, codomain = constraints.independent(constraints.real, 2), constraints.lower_cholesky
    bijective = False

    def _call(self, x: Tensor) -> Tensor:
        return tril(x, -1) + unary.exp(diagonal(x, 0, -2, -1)).diag_embed()

    def _inverse(self, y: Tensor) -> Tensor:
        return tril(y, -1) + unary.log(diagonal(y, 0, -2, -1)).diag_embed()


class PositiveDefiniteTransform(Alike):
    """Any square matrix to a positive definite one, by its root."""

    domain, codomain = constraints.independent(constraints.real, 2), constraints.positive_definite
    bijective = False

    def _call(self, x: Tensor) -> Tensor:
        root: Any = LowerCholeskyTransform()(x)
        return root @ root.mT

    def _inverse(self, y: Tensor) -> Tensor:
        return LowerCholeskyTransform().inv(linalg.cholesky(y))


class CorrCholeskyTransform(Alike):
    """n (n - 1) / 2 numbers to the root of a correlation matrix, whose rows have the length 1.

    The numbers become partial correlations by tanh; each takes its share of what the row has left.
    """

    domain, codomain = constraints.real_vector, constraints.corr_cholesky

    def _call(self, x: Tensor) -> Tensor:
        step = float(np.finfo(x.data_.dtype).eps)
        shares = vec_to_tril_matrix(unary.tanh(x).clamp(min=-1 + step, max=1 - step), -1)
        left = (1 - shares**2).sqrt().cumprod(-1)
        shares = shares + eye(shares.shape[-1], dtype=shares.dtype)
        return shares * pad(left[..., :-1], [1, 0], value=1)

    def _inverse(self, y: Tensor) -> Tensor:
        left = pad((1 - (y * y).cumsum(-1))[..., :-1], [1, 0], value=1)
        share = tril_matrix_to_vec(y, -1) / tril_matrix_to_vec(left, -1).sqrt()
        return (share.log1p() - share.neg().log1p()) / 2

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        left = 1 - (y * y).cumsum(dim=-1)
        broken = 0.5 * tril_matrix_to_vec(left, -2).log().sum(-1)
        bent = -2 * (x + softplus(-2 * x) - math.log(2.0)).sum(dim=-1)
        return broken + bent

    def forward_shape(self, shape: Any) -> Any:
        if len(shape) < 1:
            raise ValueError("Too few dimensions on input")
        side = round((0.25 + 2 * shape[-1]) ** 0.5 + 0.5)
        if side * (side - 1) // 2 != shape[-1]:
            raise ValueError("Input is not a flattened lower-diagonal number")
        return Size((*shape[:-1], side, side))

    def inverse_shape(self, shape: Any) -> Any:
        if len(shape) < 2:
            raise ValueError("Too few dimensions on input")
        if shape[-2] != shape[-1]:
            raise ValueError("Input is not square")
        return Size((*shape[:-2], shape[-1] * (shape[-1] - 1) // 2))


def __getattr__(name: str) -> Any:
    raise AttributeError(f"module 'torch.distributions.transforms' has no attribute '{name}'")
