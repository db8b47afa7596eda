"""Transforms that put others together part by part, that only reshape, and that go by a distribution."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..functions.shape import narrow
from ..ops.join import cat, stack
from ..ops.view import select
from ..sizes import Size
from ..tensor import Tensor
from . import constraints
from .distribution import Distribution, lazy_property, sum_rightmost
from .transform import Transform

__all__ = ["CatTransform", "CumulativeDistributionTransform", "ReshapeTransform", "StackTransform"]


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
