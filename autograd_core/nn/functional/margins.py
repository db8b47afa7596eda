"""Losses of classes by margins, and of triplets by any distance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...ops import loss
from ...ops.binary import sub
from ...ops.unary import clamp_min, minimum
from ...tensor import Tensor
from .common import REDUCTIONS, no_gradient_for, reduce_loss, reduction_nr, reduction_of, with_old_flags
from .losses import need_one_rank, pairwise_distance


def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """How much nearer than by `margin` other classes come to the one meant."""
    number = reduction_nr(reduction_of(size_average, reduce, reduction))
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.data_.ndim != 1:
        raise ValueError("weight must be one-dimensional")
    no_gradient_for("multi_margin_loss", weight=weight)
    return loss.multi_margin_loss(input, target, p, margin, weight, number)


@with_old_flags
def multilabel_margin_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """As `multi_margin_loss`, where several classes are meant: those before the first -1 of each row."""
    return loss.multilabel_margin_loss(input, target, reduction_nr(reduction))[0]


def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """How much nearer than by `margin` the negative is than the positive, by the distance given."""
    if reduction not in REDUCTIONS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    need_one_rank(anchor, positive, negative)
    distance = pairwise_distance if distance_function is None else distance_function
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = minimum(far, distance(positive, negative))
    return reduce_loss(clamp_min(sub(margin + near, far), 0), reduction)


__all__ = ["multi_margin_loss", "multilabel_margin_loss", "triplet_margin_with_distance_loss"]
