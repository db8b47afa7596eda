"""Random numbers written over a tensor, and those that depend on the tensor they are drawn for.

How a gamma number moves with its shape is not exact in torch: it is a series, an expansion or a rational approximation,
by where the number lies. The same ones stand here, with torch's coefficients, so that gradients agree to the digit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import errors
from ..dispatch.inplace import in_place
from ..dispatch.op import op
from ..dispatch.schema.schema import composite
from ..engine.warnings import warn
from ..random import generator as streams
from ..random import rejection_sampling
from ..random.generator import Generator, laid_out
from ..tensor.tensor import Array, Tensor
from ._common import refuse
from .special import psi
from .view import expand, in_a_row

# ---- written over a tensor; nothing of what was there is left, so its gradient is zero


@op("uniform", self=lambda grad: zeros_as(grad))
def uniform(self: Array, low: float, high: float, generator: Generator | None) -> Array:
    return laid_out(streams.uniform(self.size, self.dtype, low, high, generator), self)


@op("normal", self=lambda grad: zeros_as(grad))
def normal(self: Array, mean: float, std: float, generator: Generator | None) -> Array:
    draw = streams.normal if in_a_row(self) else streams.normals
    return laid_out(draw(self.size, self.dtype, mean, std, generator), self)


@op("exponential", cost=5, self=lambda grad: zeros_as(grad))
def exponential(self: Array, rate: float, generator: Generator | None) -> Array:
    return laid_out(streams.exponential(self.size, self.dtype, rate, generator), self)


@op("cauchy", cost=5, self=lambda grad: zeros_as(grad))
def cauchy(self: Array, median: float, sigma: float, generator: Generator | None) -> Array:
    return laid_out(rejection_sampling.cauchy(self.size, self.dtype, median, sigma, generator), self)


@op("geometric", cost=5, self=lambda grad: zeros_as(grad))
def geometric(self: Array, p: float, generator: Generator | None) -> Array:
    return laid_out(rejection_sampling.geometric(self.size, self.dtype, p, generator), self)


@op("log_normal", cost=40, self=lambda grad: zeros_as(grad))
def log_normal(self: Array, mean: float, std: float, generator: Generator | None) -> Array:
    return laid_out(rejection_sampling.log_normal(self.size, self.dtype, mean, std, generator), self)


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


@composite("uniform_(Tensor(a!) self, float from=0, float to=1, *, Generator? generator=None) -> Tensor(a!): method")
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


@composite("exponential_(Tensor(a!) self, float lambd=1, *, Generator? generator=None) -> Tensor(a!): method")
def exponential_(self: Tensor, lambd: float = 1.0, *, generator: Generator | None = None) -> Tensor:
    need_fractions(self.data_)
    return in_place(exponential, self, lambd, generator)


@composite("""
    cauchy_(Tensor(a!) self, float median=0, float sigma=1, *, Generator? generator=None) -> Tensor(a!): method
    """)
def cauchy_(self: Tensor, median: float = 0.0, sigma: float = 1.0, *, generator: Generator | None = None) -> Tensor:
    if self.data_.dtype.kind != "f" and self.data_.size:
        raise RuntimeError(
            "Cauchy distribution is a continuous probability distribution. dtype must be a floating point but you "
            f"specified {errors.type_name(self.data_.dtype)}"
        )
    return in_place(cauchy, self, median, sigma, generator)


@composite("geometric_(Tensor(a!) self, float p, *, Generator? generator=None) -> Tensor(a!): method")
def geometric_(self: Tensor, p: float, *, generator: Generator | None = None) -> Tensor:
    return in_place(geometric, self, p, generator)


@composite("""
    log_normal_(Tensor(a!) self, float mean=1, float std=2, *, Generator? generator=None) -> Tensor(a!): method
    """)
def log_normal_(self: Tensor, mean: float = 1.0, std: float = 2.0, *, generator: Generator | None = None) -> Tensor:
    return in_place(log_normal, floating(self, "log_normal_cpu", "f"), mean, std, generator)


def bernoulli_(self: Tensor, p: Any = 0.5, *, generator: Generator | None = None) -> Tensor:
    if isinstance(p, Tensor):
        if p.data_.shape != self.data_.shape:
            expand(p.detach(), list(self.data_.shape))  # which raises where it does not fit
        return in_place(bernoulli_by, self, p, generator)
    return in_place(bernoulli, self, p, generator)


ALONE: Any = object()
"""In the place of the upper end: none was given."""


@composite("""
    random_(Tensor(a!) self, *, Generator? generator=None) -> Tensor(a!): method
    random_.from(Tensor(a!) self, int from, int? to, *, Generator? generator=None) -> Tensor(a!): method
    random_.to(Tensor(a!) self, int to, *, Generator? generator=None) -> Tensor(a!): method
    """)
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
    if kind.kind == "c":
        raise RuntimeError("check_random_bounds handles only integral, floating-point and boolean types")
    ends = {"from": low, "to - 1": high - 1}
    check_ends(ends, kind)
    if kind.kind != "f":
        return
    digits = np.finfo(kind).nmant + 1
    for what, end in ends.items():
        if abs(end) > 2**digits:
            warn(BEYOND_DIGITS.format(what, digits, errors.c_name(kind)))


def check_ends(ends: dict[str, int], kind: np.dtype[Any]) -> None:
    if kind.kind == "f":
        limit = float(np.finfo(kind).max)
        least, most = -limit, limit
    else:
        least, most = (0, 1) if kind.kind == "b" else (np.iinfo(kind).min, np.iinfo(kind).max)
    for what, end in ends.items():
        if not least <= end <= most:
            raise RuntimeError(f"{what} is out of bounds for {errors.c_name(kind)}")


BEYOND_DIGITS = (
    "{0} is out of bounds [-(2^{1}), 2^{1}]. Due to precision limitations {2} can support discrete uniform "
    "distribution only within this range. This warning will become an error in version 1.7 release, please fix the "
    "code in advance"
)


def floating(tensor: Tensor, kernel: str, kinds: str = "fc") -> Tensor:
    """`tensor`, if it holds floats, or complex numbers where these will do.

    Raises:
        NotImplementedError: it does not.
    """
    if tensor.data_.dtype.kind not in kinds:
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{errors.type_name(tensor.data_.dtype)}'")
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


# ---- drawn for a tensor: gamma, Poisson, binomial, Dirichlet


GAMMA = (
    (0.16009398, -0.094634809, 0.025146376, -0.0030648343, 1, 0.32668115, 0.10406089, 0.0014179084),
    (0.53487893, 0.1298071, 0.065735949, -0.0015649758, 0.16639465, 0.020070113, -0.0035938915, -0.00058392623),
    (0.040121004, -0.0065914022, -0.0026286047, -0.0013441777, 0.017050642, -0.0021309326, 0.00085092367,
     -1.5247877e-07),
)  # fmt: skip
"""Powers of log(x / alpha), and in each those of log(alpha): four above the line, four below."""

BETA = (
    (
        ((1.003668233, -0.01061107488, -0.0657888334, 0.01201642863),
         (0.6336835991, -0.3557432599, 0.05486251648, -0.001465281033),
         (-0.03276231906, 0.004474107445, 0.002429354597, -0.0001557569013)),
        ((0.221950385, -0.3187676331, 0.01799915743, 0.01074823814),
         (-0.2951249643, 0.06219954479, 0.01535556598, 0.001550077057),
         (0.02155310298, 0.004170831599, 0.001292462449, 6.976601077e-05)),
        ((-0.05980841433, 0.008441916499, 0.01085618172, 0.002319392565),
         (0.02911413504, 0.01400243777, -0.002721828457, 0.000751041181),
         (0.005900514878, -0.001936558688, -9.495446725e-06, 5.385558597e-05)),
    ),
    (
        ((1, -0.02924021934, -0.04438342661, 0.007285809825),
         (0.6357567472, -0.3473456711, 0.05454656494, -0.002407477521),
         (-0.03301322327, 0.004845219414, 0.00231480583, -0.0002307248149)),
        ((0.5925320577, -0.1757678135, 0.01505928619, 0.000564515273),
         (0.1014815858, -0.06589186703, 0.01272886114, -0.0007316646956),
         (-0.007258481865, 0.001096195486, 0.0003934994223, -4.12701925e-05)),
        ((0.06469649321, -0.0236701437, 0.002902096474, -5.896963079e-05),
         (0.001925008108, -0.002869809258, 0.0008000589141, -6.063713228e-05),
         (-0.0003477407336, 6.959756487e-05, 1.097287507e-05, -1.650964693e-06)),
    ),
)  # fmt: skip
"""Above and below the line: powers of log x, of log(alpha / x), of the rest."""


# ---- gamma


@op(
    "_standard_gamma",
    cost=250,
    forward_mode=False,
    node="StandardGammaBackward0",
    self=lambda grad, self, result: grad * standard_gamma_grad(self, result),
)
def standard_gamma(self: Array, generator: Generator | None = None) -> Array:
    refuse("gamma_cpu", "biu", self)
    return rejection_sampling.gamma(np.asarray(self), generator)[()]


@op(
    "_standard_gamma_grad",
    cost=120,
    node="StandardGammaGradBackward0",
    self=lambda grad: no_second("_standard_gamma_grad"),
)
def standard_gamma_grad(self: Array, output: Array) -> Array:
    """How the number `output` moves with its shape `self`."""
    return by_element(gamma_slope, self, output)


def by_element(slope: object, *data: Array) -> Array:
    kind, shape = data[0].dtype, np.shape(data[0])
    rows = zip(*(np.asarray(x).ravel().tolist() for x in data), strict=True)
    return np.array([finite_slope(slope, *row) for row in rows], np.float64).astype(kind).reshape(shape)[()]


def finite_slope(slope: object, *numbers: float) -> float:
    """0 where a slope has no number."""
    try:
        found = slope(*numbers)  # type: ignore[operator]
    except (ValueError, OverflowError, ZeroDivisionError):
        return 0.0
    return 0.0 if math.isnan(found) else float(found)


def gamma_slope(alpha: float, x: float) -> float:
    if x < 0.8:
        return small_gamma_slope(alpha, x)
    if alpha > 8:
        return large_gamma_slope(alpha, x)
    u, v = math.log(x / alpha), math.log(alpha)
    c = [a + u * (b + u * d) for a, b, d in zip(*GAMMA, strict=True)]
    above = c[0] + v * (c[1] + v * (c[2] + v * c[3]))
    below = c[4] + v * (c[5] + v * (c[6] + v * c[7]))
    return math.exp(above / below)


def small_gamma_slope(alpha: float, x: float) -> float:
    """By Taylor's series in x."""
    above, below = 1.0, alpha
    first, second = above / below, above / (below * below)
    for i in range(1, 6):
        above *= -x / i
        below += 1
        first += above / below
        second += above / (below * below)
    power = x**alpha
    density = x ** (alpha - 1) * math.exp(-x)
    return -((math.log(x) - psi(alpha)) * power * first - power * second) / density


def large_gamma_slope(alpha: float, x: float) -> float:
    """By Rice's saddle point, and near the middle by a polynomial."""
    if 0.9 * alpha <= x <= 1.1 * alpha:
        first = 1 + 24 * alpha * (1 + 12 * alpha)
        second = 1440 * alpha**2 + 6 * x * (53 - 120 * x) - 65 * x * x / alpha + alpha * (107 + 3600 * x)
        return first * second / (1244160 * alpha**4)
    below = math.sqrt(8 * alpha)
    two, three = below / (alpha - x), (x - alpha - alpha * math.log(x / alpha)) ** -1.5
    both = two - three if x < alpha else two + three
    one = math.log(x / alpha) * both - math.sqrt(2 / alpha) * (alpha + x) / ((alpha - x) * (alpha - x))
    stirling = 1 + 1 / (12 * alpha) * (1 + 1 / (24 * alpha))
    return -stirling * x * one / below


# ---- Dirichlet


def dirichlet_grad(x: Array, alpha: Array, total: Array) -> Array:
    """How the share `x` moves with its concentration, divided by what is left."""
    return by_element(share_slope, x, alpha, total)


def share_slope(x: float, alpha: float, total: float) -> float:
    beta, boundary = total - alpha, total * x * (1 - x)
    if x <= 0.5 and boundary < 2.5:
        return slope_near_zero(x, alpha, beta)
    if x >= 0.5 and boundary < 0.75:
        return -slope_near_one(1 - x, beta, alpha)
    if alpha > 6 and beta > 6:
        return slope_between(x, alpha, beta)
    u = math.log(x)
    a = math.log(alpha) - u
    b = math.log(total) - a
    above, below = (
        sum(
            u**i * a**j * (c[0] + b * (c[1] + b * (c[2] + b * c[3])))
            for i, row in enumerate(table)
            for j, c in enumerate(row)
        )
        for table in BETA
    )
    return above / below * x * (psi(total) - psi(alpha)) / beta


def slope_near_zero(x: float, alpha: float, beta: float) -> float:
    factor = psi(alpha) - psi(alpha + beta) - math.log(x)
    term, series = 1.0, 1 / alpha * (factor + 1 / alpha)
    for i in range(1, 11):
        term *= (i - beta) * x / i
        below = alpha + i
        series += term / below * (factor + 1 / below)
    return x * (1 - x) ** -beta * series


def slope_near_one(x: float, alpha: float, beta: float) -> float:
    factor = psi(alpha + beta) - psi(beta)
    term, betas, slopes, series = 1.0, 1.0, 0.0, factor / alpha
    for i in range(1, 9):
        term *= -x / i
        slopes = slopes * (beta - i) + betas
        betas *= beta - i
        series += term / (alpha + i) * (slopes + factor * betas)
    return -((1 - x) ** (1 - beta)) * series


def slope_between(x: float, alpha: float, beta: float) -> float:
    """By Rice's saddle point, and near the mean by a polynomial."""
    total = alpha + beta
    mean, std = alpha / total, math.sqrt(alpha * beta / (total + 1)) / total
    if mean - 0.1 * std <= x <= mean + 0.1 * std:
        last = 8 * (1 - x) * (135 * beta - 11)
        third = (453 + 1620 * beta * (1 - x) - 455 * x) * beta + alpha * last
        second = 3 * (59 + 180 * beta - 90 * x) * beta**2 + alpha * third
        first = (43 + 20 * (16 + 27 * beta) * x) * beta**3 + alpha * second
        above = (1 + 12 * alpha) * (1 + 12 * beta) / (total * total)
        below = 12960 * alpha**3 * beta**2 * (1 + 12 * total)
        return above / (1 - x) * (47 * x * beta**4 + alpha * first) / below
    stirling = correction(alpha) * correction(beta) / correction(total)
    off = alpha * (x - 1) + beta * x
    one = (2 * alpha**2 * (x - 1) + alpha * beta * (x - 1) - x * beta**2) / (
        math.sqrt(2 * alpha / beta) * total**1.5 * off * off
    )
    three = math.sqrt(8 * alpha * beta / total) / off
    four = (beta * math.log(beta / (total * (1 - x))) + alpha * math.log(alpha / (total * x))) ** -1.5
    sides = 0.5 * math.log(alpha / (total * x)) * (three + (four if x < mean else -four))
    return stirling * (-x / math.sqrt(2 * alpha * beta / total)) * (one + sides)


def correction(x: float) -> float:
    """Stirling's, of two terms."""
    return 1 + 1 / (12 * x) + 1 / (288 * x * x)


# ---- counts


@op("poisson", cost=120, self=lambda grad: zeros_as(grad))
def poisson(self: Array, generator: Generator | None = None) -> Array:
    refuse("poisson_cpu", "biu", self)
    return rejection_sampling.poisson(np.asarray(self), generator)[()]


@op(
    "binomial",
    cost=250,
    node="NotImplemented",
    count=lambda grad: not_derived("binomial"),
    prob=lambda grad: not_derived("binomial"),
)
def binomial(count: Array, prob: Array, generator: Generator | None = None) -> Array:
    tries, chances = np.broadcast_arrays(count, prob)
    return rejection_sampling.binomial(tries, chances, generator)[()]
