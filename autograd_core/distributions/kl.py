"""kl_divergence: how far one distribution is from another, in a table by their types."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import linalg
from ..api.functions.creation import full_like
from ..engine.state import own_table
from ..errors import Unsupported
from ..nn.functional import softplus
from ..ops.special import digamma, erf, lgamma
from ..ops.unary import exp, log, log1p
from ..ops.view import reshape
from ..tensor.tensor import Tensor
from .continuous import Cauchy, ContinuousBernoulli, Exponential, Laplace, Normal, Uniform
from .discrete import Bernoulli, Binomial, Categorical, Geometric, OneHotCategorical, Poisson
from .distribution import Distribution, sum_rightmost
from .gamma import Beta, Dirichlet, Gamma
from .independent import Independent
from .multivariate_normal import MultivariateNormal, mahalanobis
from .transformed import EULER, Gumbel, HalfNormal, TransformedDistribution

Formula = Callable[[Any, Any], Tensor]

EXPONENTIAL = (Normal, Bernoulli, Categorical, Exponential, Gamma, Beta, Dirichlet, Poisson)
"""Exponential families: torch has a general formula for two of the same one."""

BETWEEN_FAMILIES = (
    "The cross KL-divergence between different exponential families cannot" + " " * 29 + "be computed using Bregman "
    "divergences"
)

BETWEEN_KINDS = {
    "Bernoulli": "Poisson",
    "Beta": "ContinuousBernoulli Pareto Exponential Gamma Uniform",
    "ContinuousBernoulli": "Pareto Exponential Normal Uniform",
    "Exponential": "Pareto ContinuousBernoulli Gamma Gumbel Normal",
    "Gamma": "Pareto ContinuousBernoulli Exponential Gumbel Normal",
    "Gumbel": "Pareto ContinuousBernoulli Normal",
    "Laplace": "Pareto ContinuousBernoulli",
    "Normal": "Pareto ContinuousBernoulli Gumbel",
    "Pareto": "Pareto Uniform ContinuousBernoulli Beta Exponential Gamma Normal",
    "Uniform": "Beta ContinuousBernoulli Exponential Gamma Gumbel Pareto",
}
"""What torch has a formula for as well, and this engine has not."""

TABLE: dict[tuple[type, type], Formula] = {}


def formula(type_p: type, type_q: type) -> Callable[[Formula], Formula]:
    """Decorates a formula of this module for a pair of types, whatever run imports it."""

    def declare(function: Formula) -> Formula:
        TABLE[type_p, type_q] = function
        return function

    return declare


def register_kl(type_p: type, type_q: type) -> Callable[[Formula], Formula]:
    """Decorates the formula of a program for a pair of types."""

    def declare(function: Formula) -> Formula:
        own_table(TABLE)[type_p, type_q] = function
        return function

    return declare


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """The divergence of `p` from `q`, for each element of the batch."""
    formulas = own_table(TABLE)
    for of_p in type(p).__mro__:
        for of_q in type(q).__mro__:
            if (of_p, of_q) in formulas:
                return formulas[of_p, of_q](p, q)
    names = type(p).__name__, type(q).__name__
    if names[1] in BETWEEN_KINDS.get(names[0], "").split():
        raise Unsupported(f"kl_divergence of {names[0]} from {names[1]} is not supported by this engine")
    if isinstance(p, EXPONENTIAL) and isinstance(q, EXPONENTIAL):
        raise NotImplementedError(BETWEEN_FAMILIES)
    raise NotImplementedError("No KL(p || q) is implemented for p type {} and q type {}".format(*names))


@formula(Normal, Normal)
def normals(p: Normal, q: Normal) -> Tensor:
    ratio = (p.scale / q.scale).pow(2)
    distance = ((p.loc - q.loc) / q.scale).pow(2)
    return 0.5 * (ratio + distance - 1 - ratio.log())


@formula(Bernoulli, Bernoulli)
def bernoullis(p: Bernoulli, q: Bernoulli) -> Tensor:
    hit = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    hit[q.probs == 0] = math.inf
    hit[p.probs == 0] = 0
    miss = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    miss[q.probs == 1] = math.inf
    miss[p.probs == 1] = 0
    return hit + miss


@formula(Categorical, Categorical)
def categoricals(p: Categorical, q: Categorical) -> Tensor:
    terms = p.probs * (p.logits - q.logits)
    terms[(q.probs == 0).expand_as(terms)] = math.inf
    terms[(p.probs == 0).expand_as(terms)] = 0
    return terms.sum(-1)


@formula(Uniform, Uniform)
def uniforms(p: Uniform, q: Uniform) -> Tensor:
    result = ((q.high - q.low) / (p.high - p.low)).log()
    result[q.low.gt(p.low) | q.high.lt(p.high)] = math.inf
    return result


@formula(Exponential, Exponential)
def exponentials(p: Exponential, q: Exponential) -> Tensor:
    ratio = q.rate / p.rate
    return -ratio.log() + ratio - 1


@formula(Independent, Independent)
def independents(p: Independent, q: Independent) -> Tensor:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


@formula(MultivariateNormal, MultivariateNormal)
def bells(p: MultivariateNormal, q: MultivariateNormal) -> Tensor:
    if p.event_shape != q.event_shape:
        raise ValueError(
            f"KL-divergence between two Multivariate Normals with{' ' * 26}different event shapes cannot be computed"
        )
    n = p.event_shape[0]
    inner = [*np.broadcast_shapes(tuple(q.batch_shape), tuple(p.batch_shape)), n, n]
    root_p, root_q = p._unbroadcasted_scale_tril, q._unbroadcasted_scale_tril
    volumes = q.half_log_det() - p.half_log_det()
    ratio: Any = linalg.solve_triangular(root_q.expand(inner), root_p.expand(inner), upper=False)
    spread = reshape(ratio, [*inner[:-2], n * n]).pow(2).sum(-1)
    distance: Any = mahalanobis(root_q, q.loc - p.loc)
    divergence: Tensor = volumes + 0.5 * (spread + distance - n)
    return divergence


# ---- other pairs of one kind


@formula(Beta, Beta)
def betas(p: Beta, q: Beta) -> Tensor:
    sum_p, sum_q = p.concentration1 + p.concentration0, q.concentration1 + q.concentration0
    above = q.concentration1.lgamma() + q.concentration0.lgamma() + sum_p.lgamma()
    below = p.concentration1.lgamma() + p.concentration0.lgamma() + sum_q.lgamma()
    one = (p.concentration1 - q.concentration1) * digamma(p.concentration1)
    zero = (p.concentration0 - q.concentration0) * digamma(p.concentration0)
    return above - below + one + zero + (sum_q - sum_p) * digamma(sum_p)


@formula(Binomial, Binomial)
def binomials(p: Binomial, q: Binomial) -> Tensor:
    if (p.total_count < q.total_count).any():
        raise NotImplementedError("KL between Binomials where q.total_count > p.total_count is not implemented")
    each = p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p()
    kl: Tensor = p.total_count * each
    kl[p.total_count > q.total_count] = math.inf
    return kl


@formula(Dirichlet, Dirichlet)
def dirichlets(p: Dirichlet, q: Dirichlet) -> Tensor:
    sum_p, sum_q = p.concentration.sum(-1), q.concentration.sum(-1)
    totals = sum_p.lgamma() - sum_q.lgamma()
    each = (p.concentration.lgamma() - q.concentration.lgamma()).sum(-1)
    off = p.concentration - q.concentration
    slopes = p.concentration.digamma() - sum_p.digamma().unsqueeze(-1)
    return totals - each + (off * slopes).sum(-1)


@formula(Gamma, Gamma)
def gammas(p: Gamma, q: Gamma) -> Tensor:
    rates = q.concentration * (p.rate / q.rate).log()
    areas = lgamma(q.concentration) - lgamma(p.concentration)
    shapes = (p.concentration - q.concentration) * digamma(p.concentration)
    return rates + areas + shapes + (q.rate - p.rate) * (p.concentration / p.rate)


@formula(Gumbel, Gumbel)
def gumbels(p: Gumbel, q: Gumbel) -> Tensor:
    width, there, here = p.scale / q.scale, q.loc / q.scale, p.loc / q.scale
    first = -width.log() - there + here
    second = width * EULER
    return first + second + exp(there + (1 + width).lgamma() - here) - (1 + EULER)


@formula(Geometric, Geometric)
def geometrics(p: Geometric, q: Geometric) -> Tensor:
    return -p.entropy() - log1p(-q.probs) / p.probs - q.logits


@formula(HalfNormal, HalfNormal)
def half_normals(p: HalfNormal, q: HalfNormal) -> Tensor:
    return normals(p.base_dist, q.base_dist)


@formula(Laplace, Laplace)
def laplaces(p: Laplace, q: Laplace) -> Tensor:
    width, distance = p.scale / q.scale, (p.loc - q.loc).abs()
    return -width.log() + distance / q.scale + width * exp(-distance / p.scale) - 1


@formula(OneHotCategorical, OneHotCategorical)
def one_hots(p: OneHotCategorical, q: OneHotCategorical) -> Tensor:
    return categoricals(p._categorical, q._categorical)


@formula(Poisson, Poisson)
def poissons(p: Poisson, q: Poisson) -> Tensor:
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@formula(Cauchy, Cauchy)
def cauchys(p: Cauchy, q: Cauchy) -> Tensor:
    return ((p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)).log() - (4 * p.scale * q.scale).log()


@formula(TransformedDistribution, TransformedDistribution)
def count_transforms(p: TransformedDistribution, q: TransformedDistribution) -> Tensor:
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError
    return kl_divergence(p.base_dist, q.base_dist)


# ---- between different kinds


@formula(Laplace, Normal)
def laplace_normal(p: Laplace, q: Normal) -> Tensor:
    variance = q.scale.pow(2)
    ratio = p.scale.pow(2) / variance
    distance = 0.5 * p.loc.pow(2) - p.loc * q.loc + 0.5 * q.loc.pow(2)
    return -(0.5 * log(2 * ratio / math.pi)) + ratio + distance / variance - 1


@formula(Uniform, Normal)
def uniform_normal(p: Uniform, q: Normal) -> Tensor:
    length = p.high - p.low
    first = (math.sqrt(math.pi * 2) * q.scale / length).log()
    second = length.pow(2) / 12
    third = ((p.high + p.low - 2 * q.loc) / 2).pow(2)
    return first + 0.5 * (second + third) / q.scale.pow(2)


@formula(Beta, Normal)
def beta_normal(p: Beta, q: Normal) -> Tensor:
    mean = p.concentration1 / (p.concentration1 + p.concentration0)
    variance, spread = q.scale.pow(2), -p.entropy()
    width = 0.5 * (variance * 2 * math.pi).log()
    square = (mean * (1 - mean) / (p.concentration1 + p.concentration0 + 1) + mean.pow(2)) * 0.5
    both, there = q.loc * mean, q.loc.pow(2) * 0.5
    return spread + width + (square - both + there) / variance


@formula(Normal, Laplace)
def normal_laplace(p: Normal, q: Laplace) -> Tensor:
    off, ratio = p.loc - q.loc, p.scale / q.scale
    steps = off / p.scale
    first = log(ratio)
    second = math.sqrt(2 / math.pi) * p.scale * exp(-0.5 * steps.pow(2))
    third = off * erf(math.sqrt(0.5) * steps)
    return -first + (second + third) / q.scale - (0.5 * (1 + math.log(0.5 * math.pi)))


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
        formula(there, other)(endless)


@formula(ContinuousBernoulli, ContinuousBernoulli)
def bent_coins(p: ContinuousBernoulli, q: ContinuousBernoulli) -> Tensor:
    apart = p.mean * (p.logits - q.logits)
    mine = p.log_norm() + log1p(-p.probs)
    theirs = -q.log_norm() - log1p(-q.probs)
    return apart + mine + theirs
