"""kl_divergence between distributions of different kinds: imported for what it adds to the table of kl.py."""

from __future__ import annotations

import math
from typing import Any

from ..functions.creation import full_like
from ..ops.binary import xlogy
from ..ops.special import erf
from ..ops.unary import exp, log, log1p
from ..tensor import Tensor
from .between import ContinuousBernoulli
from .continuous import Exponential, Laplace, Normal, Uniform
from .counts import Binomial, Poisson
from .discrete import Bernoulli
from .gamma import Beta, Gamma
from .kl import register_kl
from .transformed import EULER, Gumbel


@register_kl(Gamma, Exponential)
def gamma_exponential(p: Gamma, q: Exponential) -> Tensor:
    return -p.entropy() - q.rate.log() + q.rate * p.concentration / p.rate


@register_kl(Exponential, Gamma)
def exponential_gamma(p: Exponential, q: Gamma) -> Tensor:
    ratio = q.rate / p.rate
    rates = -q.concentration * log(ratio)
    return rates + ratio + q.concentration.lgamma() + q.concentration * EULER - (1 + EULER)


@register_kl(Laplace, Normal)
def laplace_normal(p: Laplace, q: Normal) -> Tensor:
    variance = q.scale.pow(2)
    ratio = p.scale.pow(2) / variance
    distance = 0.5 * p.loc.pow(2) - p.loc * q.loc + 0.5 * q.loc.pow(2)
    return -(0.5 * log(2 * ratio / math.pi)) + ratio + distance / variance - 1


@register_kl(Uniform, Normal)
def uniform_normal(p: Uniform, q: Normal) -> Tensor:
    length = p.high - p.low
    first = (math.sqrt(math.pi * 2) * q.scale / length).log()
    second = length.pow(2) / 12
    third = ((p.high + p.low - 2 * q.loc) / 2).pow(2)
    return first + 0.5 * (second + third) / q.scale.pow(2)


@register_kl(Bernoulli, Poisson)
def bernoulli_poisson(p: Bernoulli, q: Poisson) -> Tensor:
    return -p.entropy() - (p.probs * q.rate.log() - q.rate)


@register_kl(Beta, Exponential)
def beta_exponential(p: Beta, q: Exponential) -> Tensor:
    share = p.concentration1 / (p.concentration1 + p.concentration0)
    return -p.entropy() - q.rate.log() + q.rate * share


@register_kl(Beta, Gamma)
def beta_gamma(p: Beta, q: Gamma) -> Tensor:
    spread, area = -p.entropy(), q.concentration.lgamma() - q.concentration * q.rate.log()
    slope = p.concentration1.digamma() - (p.concentration1 + p.concentration0).digamma()
    shape = (q.concentration - 1) * slope
    return spread + area - shape + q.rate * p.concentration1 / (p.concentration1 + p.concentration0)


@register_kl(Beta, Normal)
def beta_normal(p: Beta, q: Normal) -> Tensor:
    mean = p.concentration1 / (p.concentration1 + p.concentration0)
    variance, spread = q.scale.pow(2), -p.entropy()
    width = 0.5 * (variance * 2 * math.pi).log()
    square = (mean * (1 - mean) / (p.concentration1 + p.concentration0 + 1) + mean.pow(2)) * 0.5
    both, there = q.loc * mean, q.loc.pow(2) * 0.5
    return spread + width + (square - both + there) / variance


@register_kl(Beta, Uniform)
def beta_uniform(p: Beta, q: Uniform) -> Tensor:
    result: Tensor = -p.entropy() + (q.high - q.low).log()
    result[(q.low > 0.0) | (q.high < 1.0)] = math.inf
    return result


@register_kl(Exponential, Gumbel)
def exponential_gumbel(p: Exponential, q: Gumbel) -> Tensor:
    product, centre = p.rate * q.scale, q.loc / q.scale
    first = product.log() - 1
    second = exp(centre) * product / (product + 1)
    third = product.reciprocal()
    return first - centre + second + third


@register_kl(Exponential, Normal)
def exponential_normal(p: Exponential, q: Normal) -> Tensor:
    variance, square = q.scale.pow(2), p.rate.pow(2)
    first = 0.5 * log(square * variance * 2 * math.pi)
    second, third = square.reciprocal(), q.loc / p.rate
    return first - 1 + (second - third + q.loc.pow(2) * 0.5) / variance


@register_kl(Gamma, Gumbel)
def gamma_gumbel(p: Gamma, q: Gumbel) -> Tensor:
    product, centre, shape = p.rate * q.scale, q.loc / q.scale, p.concentration
    first = (shape - 1) * shape.digamma() - shape.lgamma() - shape
    second = product.log() + shape / product
    third = exp(centre) * (1 + product.reciprocal()).pow(-shape) - centre
    return first + second + third


@register_kl(Gamma, Normal)
def gamma_normal(p: Gamma, q: Normal) -> Tensor:
    variance, square, shape = q.scale.pow(2), p.rate.pow(2), p.concentration
    first = 0.5 * log(square * variance * 2 * math.pi) - shape - shape.lgamma()
    second = 0.5 * (shape.pow(2) + shape) / square
    third = q.loc * shape / p.rate
    fourth = 0.5 * q.loc.pow(2)
    return first + (shape - 1) * shape.digamma() + (second - third + fourth) / variance


@register_kl(Gumbel, Normal)
def gumbel_normal(p: Gumbel, q: Normal) -> Tensor:
    ratio = p.scale / q.scale
    first = (ratio / math.sqrt(2 * math.pi)).log()
    second = (math.pi * ratio * 0.5).pow(2) / 3
    third = ((p.loc + p.scale * EULER - q.loc) / q.scale).pow(2) * 0.5
    return -first + second + third - (EULER + 1)


@register_kl(Normal, Gumbel)
def normal_gumbel(p: Normal, q: Gumbel) -> Tensor:
    here, widths, there = p.loc / q.scale, (p.scale / q.scale).pow(2), q.loc / q.scale
    first = widths.log() * 0.5
    second = here - there
    third = exp(-here + 0.5 * widths + there)
    return -first + second + third - (0.5 * (1 + math.log(2 * math.pi)))


@register_kl(Normal, Laplace)
def normal_laplace(p: Normal, q: Laplace) -> Tensor:
    off, ratio = p.loc - q.loc, p.scale / q.scale
    steps = off / p.scale
    first = log(ratio)
    second = math.sqrt(2 / math.pi) * p.scale * exp(-0.5 * steps.pow(2))
    third = off * erf(math.sqrt(0.5) * steps)
    return -first + (second + third) / q.scale - (0.5 * (1 + math.log(0.5 * math.pi)))


def x_log_x(x: Tensor) -> Tensor:
    return xlogy(x, x)


@register_kl(Uniform, Beta)
def uniform_beta(p: Uniform, q: Beta) -> Tensor:
    length = p.high - p.low
    first = log(length)
    one = (q.concentration1 - 1) * (x_log_x(p.high) - x_log_x(p.low) - length) / length
    zero = (q.concentration0 - 1) * (x_log_x(1 - p.high) - x_log_x(1 - p.low) + length) / length
    area = q.concentration1.lgamma() + q.concentration0.lgamma() - (q.concentration1 + q.concentration0).lgamma()
    result: Tensor = zero + area - first - one
    result[(p.high > 1.0) | (p.low < 0.0)] = math.inf
    return result


@register_kl(Uniform, Exponential)
def uniform_exponential(p: Uniform, q: Exponential) -> Tensor:
    result: Tensor = q.rate * (p.high + p.low) / 2 - ((p.high - p.low) * q.rate).log()
    result[p.low < 0.0] = math.inf
    return result


@register_kl(Uniform, Gamma)
def uniform_gamma(p: Uniform, q: Gamma) -> Tensor:
    length = p.high - p.low
    first = length.log()
    area = q.concentration.lgamma() - q.concentration * q.rate.log()
    shape = (1 - q.concentration) * (x_log_x(p.high) - x_log_x(p.low) - length) / length
    result: Tensor = -first + area + shape + q.rate * (p.high + p.low) / 2
    result[p.low < 0.0] = math.inf
    return result


@register_kl(Uniform, Gumbel)
def uniform_gumbel(p: Uniform, q: Gumbel) -> Tensor:
    ratio, high, low = q.scale / (p.high - p.low), (p.high - q.loc) / q.scale, (p.low - q.loc) / q.scale
    first = ratio.log() + 0.5 * (high + low)
    return first - ratio * (exp(-high) - exp(-low))


ELSEWHERE = {
    Exponential: (Beta, Uniform),
    Gamma: (Beta, Uniform),
    Gumbel: (Beta, Exponential, Gamma, Uniform),
    Laplace: (Beta, Exponential, Gamma, Uniform),
    Normal: (Beta, Exponential, Gamma, Uniform),
    Poisson: (Bernoulli, Binomial),
}
"""What is possible under the first is impossible under the others: they are infinitely far away."""


def endless(p: Any, q: Any) -> Tensor:
    return full_like(p.loc if hasattr(p, "loc") else p.rate, math.inf)


for there, others in ELSEWHERE.items():
    for other in others:
        register_kl(there, other)(endless)


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def bent_coins(p: ContinuousBernoulli, q: ContinuousBernoulli) -> Tensor:
    apart = p.mean * (p.logits - q.logits)
    mine = p.log_norm() + log1p(-p.probs)
    theirs = -q.log_norm() - log1p(-q.probs)
    return apart + mine + theirs
