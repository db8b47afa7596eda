"""kl_divergence: how far one distribution is from another, in a table by their types."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import linalg
from ..nn.functional import softplus
from ..ops.special import digamma, lgamma
from ..ops.unary import exp, log1p
from ..ops.view import reshape
from ..state import own_table
from ..tensor import Tensor
from .continuous import Cauchy, Exponential, Laplace, Normal, Uniform
from .counts import Binomial, Geometric, OneHotCategorical, Poisson
from .discrete import Bernoulli, Categorical
from .distribution import Distribution, sum_rightmost
from .gamma import Beta, Dirichlet, Gamma
from .independent import Independent
from .multivariate import MultivariateNormal, mahalanobis
from .transformed import EULER, Gumbel, HalfNormal, TransformedDistribution

Formula = Callable[[Any, Any], Tensor]

EXPONENTIAL = (Normal, Bernoulli, Categorical, Exponential, Gamma, Beta, Dirichlet, Poisson)
"""Exponential families: torch has a general formula for two of the same one."""

BETWEEN_FAMILIES = (
    "The cross KL-divergence between different exponential families cannot" + " " * 29 + "be computed using Bregman "
    "divergences"
)

TABLE: dict[tuple[type, type], Formula] = {}


def register_kl(type_p: type, type_q: type) -> Callable[[Formula], Formula]:
    """Decorates the formula for a pair of types."""

    def declare(formula: Formula) -> Formula:
        own_table(TABLE)[type_p, type_q] = formula
        return formula

    return declare


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """The divergence of `p` from `q`, for each element of the batch."""
    formulas = own_table(TABLE)
    for of_p in type(p).__mro__:
        for of_q in type(q).__mro__:
            if (of_p, of_q) in formulas:
                return formulas[of_p, of_q](p, q)
    if isinstance(p, EXPONENTIAL) and isinstance(q, EXPONENTIAL):
        raise NotImplementedError(BETWEEN_FAMILIES)
    raise NotImplementedError(
        f"No KL(p || q) is implemented for p type {type(p).__name__} and q type {type(q).__name__}"
    )


@register_kl(Normal, Normal)
def normals(p: Normal, q: Normal) -> Tensor:
    ratio = (p.scale / q.scale).pow(2)
    distance = ((p.loc - q.loc) / q.scale).pow(2)
    return 0.5 * (ratio + distance - 1 - ratio.log())


@register_kl(Bernoulli, Bernoulli)
def bernoullis(p: Bernoulli, q: Bernoulli) -> Tensor:
    hit = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    hit[q.probs == 0] = math.inf
    hit[p.probs == 0] = 0
    miss = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    miss[q.probs == 1] = math.inf
    miss[p.probs == 1] = 0
    return hit + miss


@register_kl(Categorical, Categorical)
def categoricals(p: Categorical, q: Categorical) -> Tensor:
    terms = p.probs * (p.logits - q.logits)
    terms[(q.probs == 0).expand_as(terms)] = math.inf
    terms[(p.probs == 0).expand_as(terms)] = 0
    return terms.sum(-1)


@register_kl(Uniform, Uniform)
def uniforms(p: Uniform, q: Uniform) -> Tensor:
    result = ((q.high - q.low) / (p.high - p.low)).log()
    result[q.low.gt(p.low) | q.high.lt(p.high)] = math.inf
    return result


@register_kl(Exponential, Exponential)
def exponentials(p: Exponential, q: Exponential) -> Tensor:
    ratio = q.rate / p.rate
    return -ratio.log() + ratio - 1


@register_kl(Independent, Independent)
def independents(p: Independent, q: Independent) -> Tensor:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


@register_kl(MultivariateNormal, MultivariateNormal)
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


@register_kl(Beta, Beta)
def betas(p: Beta, q: Beta) -> Tensor:
    sum_p, sum_q = p.concentration1 + p.concentration0, q.concentration1 + q.concentration0
    above = q.concentration1.lgamma() + q.concentration0.lgamma() + sum_p.lgamma()
    below = p.concentration1.lgamma() + p.concentration0.lgamma() + sum_q.lgamma()
    one = (p.concentration1 - q.concentration1) * digamma(p.concentration1)
    zero = (p.concentration0 - q.concentration0) * digamma(p.concentration0)
    return above - below + one + zero + (sum_q - sum_p) * digamma(sum_p)


@register_kl(Binomial, Binomial)
def binomials(p: Binomial, q: Binomial) -> Tensor:
    if (p.total_count < q.total_count).any():
        raise NotImplementedError("KL between Binomials where q.total_count > p.total_count is not implemented")
    each = p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p()
    kl: Tensor = p.total_count * each
    kl[p.total_count > q.total_count] = math.inf
    return kl


@register_kl(Dirichlet, Dirichlet)
def dirichlets(p: Dirichlet, q: Dirichlet) -> Tensor:
    sum_p, sum_q = p.concentration.sum(-1), q.concentration.sum(-1)
    totals = sum_p.lgamma() - sum_q.lgamma()
    each = (p.concentration.lgamma() - q.concentration.lgamma()).sum(-1)
    off = p.concentration - q.concentration
    slopes = p.concentration.digamma() - sum_p.digamma().unsqueeze(-1)
    return totals - each + (off * slopes).sum(-1)


@register_kl(Gamma, Gamma)
def gammas(p: Gamma, q: Gamma) -> Tensor:
    rates = q.concentration * (p.rate / q.rate).log()
    areas = lgamma(q.concentration) - lgamma(p.concentration)
    shapes = (p.concentration - q.concentration) * digamma(p.concentration)
    return rates + areas + shapes + (q.rate - p.rate) * (p.concentration / p.rate)


@register_kl(Gumbel, Gumbel)
def gumbels(p: Gumbel, q: Gumbel) -> Tensor:
    width, there, here = p.scale / q.scale, q.loc / q.scale, p.loc / q.scale
    first = -width.log() - there + here
    second = width * EULER
    return first + second + exp(there + (1 + width).lgamma() - here) - (1 + EULER)


@register_kl(Geometric, Geometric)
def geometrics(p: Geometric, q: Geometric) -> Tensor:
    return -p.entropy() - log1p(-q.probs) / p.probs - q.logits


@register_kl(HalfNormal, HalfNormal)
def half_normals(p: HalfNormal, q: HalfNormal) -> Tensor:
    return normals(p.base_dist, q.base_dist)


@register_kl(Laplace, Laplace)
def laplaces(p: Laplace, q: Laplace) -> Tensor:
    width, distance = p.scale / q.scale, (p.loc - q.loc).abs()
    return -width.log() + distance / q.scale + width * exp(-distance / p.scale) - 1


@register_kl(OneHotCategorical, OneHotCategorical)
def one_hots(p: OneHotCategorical, q: OneHotCategorical) -> Tensor:
    return categoricals(p._categorical, q._categorical)


@register_kl(Poisson, Poisson)
def poissons(p: Poisson, q: Poisson) -> Tensor:
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(Cauchy, Cauchy)
def cauchys(p: Cauchy, q: Cauchy) -> Tensor:
    return ((p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)).log() - (4 * p.scale * q.scale).log()


@register_kl(TransformedDistribution, TransformedDistribution)
def transformed(p: TransformedDistribution, q: TransformedDistribution) -> Tensor:
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError
    return kl_divergence(p.base_dist, q.base_dist)
