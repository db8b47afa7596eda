"""kl_divergence: how far one distribution is from another, in a table by their types."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..nn.functional import softplus
from ..tensor import Tensor
from .continuous import Exponential, Normal, Uniform
from .discrete import Bernoulli, Categorical
from .distribution import Distribution, sum_rightmost
from .independent import Independent

Formula = Callable[[Any, Any], Tensor]

EXPONENTIAL = (Normal, Bernoulli, Categorical, Exponential)
"""Exponential families: torch has a general formula for two of the same one."""

BETWEEN_FAMILIES = (
    "The cross KL-divergence between different exponential families cannot" + " " * 29 + "be computed using Bregman "
    "divergences"
)

TABLE: dict[tuple[type, type], Formula] = {}


def register_kl(type_p: type, type_q: type) -> Callable[[Formula], Formula]:
    """Decorates the formula for a pair of types."""

    def declare(formula: Formula) -> Formula:
        TABLE[type_p, type_q] = formula
        return formula

    return declare


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """The divergence of `p` from `q`, for each element of the batch."""
    for of_p in type(p).__mro__:
        for of_q in type(q).__mro__:
            if (of_p, of_q) in TABLE:
                return TABLE[of_p, of_q](p, q)
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
