"""Writing random numbers over a tensor, in place. Nothing of what was there is left, so its gradient is zero."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import errors, rejection, streams
from ..inplace import in_place
from ..op import op
from ..streams import Generator, laid_out
from ..tensor import Array, Tensor
from ..warned import warn
from .kernels import refuse
from .shape import expand, in_a_row


@op("uniform", self=lambda grad: zeros_as(grad))
def uniform(self: Array, low: float, high: float, generator: Generator | None) -> Array:
    return laid_out(streams.uniform(self.size, self.dtype, low, high, generator), self)


@op("normal", self=lambda grad: zeros_as(grad))
def normal(self: Array, mean: float, std: float, generator: Generator | None) -> Array:
    draw = streams.normal if in_a_row(self) else streams.normals
    return laid_out(draw(self.size, self.dtype, mean, std, generator), self)


@op("exponential", self=lambda grad: zeros_as(grad))
def exponential(self: Array, rate: float, generator: Generator | None) -> Array:
    return laid_out(streams.exponential(self.size, self.dtype, rate, generator), self)


@op("cauchy", self=lambda grad: zeros_as(grad))
def cauchy(self: Array, median: float, sigma: float, generator: Generator | None) -> Array:
    return laid_out(rejection.cauchy(self.size, self.dtype, median, sigma, generator), self)


@op("geometric", self=lambda grad: zeros_as(grad))
def geometric(self: Array, p: float, generator: Generator | None) -> Array:
    return laid_out(rejection.geometric(self.size, self.dtype, p, generator), self)


@op("log_normal", self=lambda grad: zeros_as(grad))
def log_normal(self: Array, mean: float, std: float, generator: Generator | None) -> Array:
    return laid_out(rejection.log_normal(self.size, self.dtype, mean, std, generator), self)


@op("bernoulli", nr=2, self=lambda grad: zeros_as(grad))
def bernoulli(self: Array, p: float, generator: Generator | None) -> Array:
    return laid_out(streams.bernoulli(self.size, p, self.dtype, generator), self)


@op("bernoulli.Tensor", nr=1, self=lambda grad: zeros_as(grad), p=lambda grad: zeros_as(grad))
def bernoulli_by(self: Array, p: Array, generator: Generator | None) -> Array:
    refuse("bernoulli_tensor_cpu_p_", "biu", np.asarray(p))
    return np.asarray(streams.bernoulli_each(np.broadcast_to(p, self.shape), generator).astype(self.dtype))


@op("bernoulli.each", nr=0, self=lambda grad: zeros_as(grad))
def bernoulli_each(self: Array, generator: Generator | None = None) -> Array:
    refuse("bernoulli_tensor_cpu_p_", "biu", np.asarray(self))
    return np.asarray(streams.bernoulli_each(np.asarray(self), generator))[()]


@op("random.from", nr=0, self=lambda grad: zeros_as(grad))
def integers(self: Array, low: int, high: int, generator: Generator | None) -> Array:
    return laid_out(streams.integers(self.size, low, high, generator), self)


@op("random.to", nr=1, self=lambda grad: zeros_as(grad))
def integers_to(self: Array, high: int, generator: Generator | None) -> Array:
    return laid_out(streams.integers(self.size, 0, high, generator), self)


@op("random", nr=2, self=lambda grad: zeros_as(grad))
def integers_of_all(self: Array, high: int, generator: Generator | None) -> Array:
    return laid_out(streams.integers(self.size, 0, high, generator), self)


# ---- methods of Tensor


def uniform_(self: Tensor, a: float = 0.0, b: float = 1.0, *, generator: Generator | None = None) -> Tensor:
    return in_place(uniform, floating(self, "check_uniform_bounds"), a, b, generator)


def normal_(self: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Generator | None = None) -> Tensor:
    return in_place(normal, floating(self, "normal_kernel_cpu"), mean, std, generator)


def need_fractions(data: Array) -> None:
    """Whether exponential numbers can be written over `data`.

    Raises:
        RuntimeError: it is of another dtype.
    """
    if data.dtype.kind != "f" and data.size:
        raise RuntimeError(
            "Exponential distribution is a continuous probability distribution. dtype must be a floating point but you "
            f"specified {errors.type_name(data.dtype)}"
        )


def exponential_(self: Tensor, lambd: float = 1.0, *, generator: Generator | None = None) -> Tensor:
    need_fractions(self.data_)
    return in_place(exponential, self, lambd, generator)


def cauchy_(self: Tensor, median: float = 0.0, sigma: float = 1.0, *, generator: Generator | None = None) -> Tensor:
    if self.data_.dtype.kind != "f" and self.data_.size:
        raise RuntimeError(
            "Cauchy distribution is a continuous probability distribution. dtype must be a floating point but you "
            f"specified {errors.type_name(self.data_.dtype)}"
        )
    return in_place(cauchy, self, median, sigma, generator)


def geometric_(self: Tensor, p: float, *, generator: Generator | None = None) -> Tensor:
    return in_place(geometric, self, p, generator)


def log_normal_(self: Tensor, mean: float = 1.0, std: float = 2.0, *, generator: Generator | None = None) -> Tensor:
    return in_place(log_normal, floating(self, "log_normal_cpu"), mean, std, generator)


def bernoulli_(self: Tensor, p: Any = 0.5, *, generator: Generator | None = None) -> Tensor:
    if isinstance(p, Tensor):
        if p.data_.shape != self.data_.shape:
            expand(p.detach(), list(self.data_.shape))  # which raises where it does not fit
        return in_place(bernoulli_by, self, p, generator)
    return in_place(bernoulli, self, p, generator)


ALONE: Any = object()
"""In the place of the upper end: none was given."""


def random_(self: Tensor, low: int | None = None, high: Any = ALONE, *, generator: Any = None) -> Tensor:
    """Whole numbers from `low` (or 0) to below `high`; where that is None, up to what the type counts without gaps.

    A number alone is the upper end.
    """
    kind = self.data_.dtype
    if high is ALONE:
        if low is None:
            return in_place(integers_of_all, self, counted_to(kind), generator)
        check_bounds(0, low, kind)
        return in_place(integers_to, self, low, generator)
    first, end = low or 0, counted_to(kind) if high is None else high
    if high is None:
        check_first(first, end - 1, kind)
    check_bounds(first, end, kind)
    return in_place(integers, self, first, end, generator)


def counted_to(kind: np.dtype[Any]) -> int:
    """One more than the largest whole number up to which `kind` has all."""
    if kind.kind == "f":
        return int(2 ** (np.finfo(kind).nmant + 1) + 1)
    return 2 if kind.kind == "b" else int(np.iinfo(kind).max) + 1


def check_first(first: int, last: int, kind: np.dtype[Any]) -> None:
    """Whether whole numbers from `first` to the `last` that `kind` counts can be drawn.

    Raises:
        RuntimeError: they can't.
    """
    check_ends({"from": first}, kind)
    if kind.kind == "f" and first >= last:
        raise RuntimeError(
            "random_ expects 'from' casted to dtype to be less than or equal to 'to_inc' casted to dtype, but got "
            f"from={first} > to_inc={last}"
        )


def check_bounds(low: int, high: int, kind: np.dtype[Any]) -> None:
    """Whether whole numbers from `low` to below `high` are numbers of `kind`; of floats, those without gaps.

    Raises:
        RuntimeError: they are not.
    """
    if low >= high:
        return  # of which the draw itself speaks
    ends = {"from": low, "to - 1": high - 1}
    check_ends(ends, kind)
    if kind.kind != "f":
        return
    digits = np.finfo(kind).nmant + 1
    for what, end in ends.items():
        if abs(end) > 2**digits:
            warn(BEYOND_DIGITS.format(what, digits, errors.C_NAMES[kind.name]))


def check_ends(ends: dict[str, int], kind: np.dtype[Any]) -> None:
    if kind.kind == "f":
        limit = float(np.finfo(kind).max)
        least, most = -limit, limit
    else:
        least, most = (0, 1) if kind.kind == "b" else (np.iinfo(kind).min, np.iinfo(kind).max)
    for what, end in ends.items():
        if not least <= end <= most:
            raise RuntimeError(f"{what} is out of bounds for {errors.C_NAMES[kind.name]}")


BEYOND_DIGITS = (
    "{0} is out of bounds [-(2^{1}), 2^{1}]. Due to precision limitations {2} can support discrete uniform "
    "distribution only within this range. This warning will become an error in version 1.7 release, please fix the "
    "code in advance"
)


def floating(tensor: Tensor, kernel: str) -> Tensor:
    """`tensor`, if it holds floats.

    Raises:
        NotImplementedError: it does not.
    """
    if tensor.data_.dtype.kind != "f":
        from ..errors import type_name

        raise NotImplementedError(f"\"{kernel}\" not implemented for '{type_name(tensor.data_.dtype)}'")
    return tensor


METHODS: dict[str, Callable[..., Tensor]] = {
    "uniform_": uniform_,
    "normal_": normal_,
    "exponential_": exponential_,
    "cauchy_": cauchy_,
    "geometric_": geometric_,
    "log_normal_": log_normal_,
    "bernoulli_": bernoulli_,
    "random_": random_,
}
