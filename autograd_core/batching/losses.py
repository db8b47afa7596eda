"""Rules of losses: no reduction over the batch, then the mean or the sum of each example."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..tensor import plain
from .parts import Call, Part, ensured, front, logical, part_of

Rule = Callable[[Call], Any]

NONE, MEAN, SUM = 0, 1, 2


def compared(flat: bool) -> Rule:
    """A loss of two tensors, element by element; with `flat`, the elements of each example in a row."""

    def rule(call: Call) -> Any:
        from ..ops.reduction import mean_dim, sum_dim
        from ..ops.view import reshape

        size, reduction = call.level.size, call["reduction"]
        given = {}
        for name, part in call.parts.items():
            rows = front(part) if part.at is not None and flat else ensured(part, size) if not flat else part.whole
            if flat:
                rows = reshape(rows, [size if part.at is not None else 1, -1])
            given[name] = rows
        found = call.run(**given, reduction=NONE)
        if reduction == NONE:
            return Part(reshape(found, [size, *call.first.shape]) if flat else found, 0)
        over = list(range(1, found.data_.ndim))
        return Part((mean_dim if reduction == MEAN else sum_dim)(found, over), 0)

    return rule


def reduced(found: Any, reduction: int) -> Any:
    from ..ops.reduction import mean
    from ..ops.reduction import sum as total

    return found if reduction == NONE else (mean if reduction == MEAN else total)(found)


def with_logits(call: Call) -> Any:
    """`binary_cross_entropy_with_logits`, step by step."""
    from ..ops.binary import add, mul, sub
    from ..ops.unary import clamp_min, exp, log, neg
    from ..tensor import wrapped_number

    x, y, weight, pos_weight = (
        None if call.parts.get(n) is None else logical(call.parts[n], call.level)
        for n in ("self", "target", "weight", "pos_weight")
    )
    most = clamp_min(neg(x), 0)
    rest = log(add(exp(neg(most)), exp(sub(neg(x), most))))
    there = mul(sub(wrapped_number(1), y), x)
    if pos_weight is None:
        found = add(add(there, most), rest)
    else:
        share = add(mul(sub(pos_weight, 1), y), 1)
        found = add(there, mul(share, add(rest, most)))
    if weight is not None:
        found = mul(found, weight)
    return part_of(reduced(found, call["reduction"]), call.level)


def of_classes(call: Call) -> Any:
    """`nll_loss`, step by step: the value, and the weight of all."""
    from ..ops.binary import div, mul, ne
    from ..ops.reduction import sum as total
    from ..ops.scatter_gather import gather
    from ..ops.unary import neg, to_copy, where
    from ..ops.view import expand, squeeze_dim, unsqueeze, view

    level, reduction, ignored = call.level, call["reduction"], call["ignore_index"]
    x, target = (logical(call.parts[n], level) for n in ("self", "target"))
    weight = None if call.parts.get("weight") is None else logical(call.parts["weight"], level)
    rank = call.parts["self"].rank
    channel = 1 if rank > 1 else 0
    if weight is not None:
        weight = view(weight, [1, -1, *[1] * (rank - 2)]) if rank > 1 else weight
        x = mul(x, weight)
    counts = ne(target, ignored)
    at = unsqueeze(where(counts, target, 0), channel)
    found = where(counts, neg(squeeze_dim(gather(x, channel, at), channel)), 0)
    if reduction == NONE and rank > 1:
        return [part_of(found, level), Part(plain(x.data_.dtype.type(0)), None)]
    if weight is not None:
        each = squeeze_dim(gather(expand(weight, list(x.data_.shape)), channel, at), channel)
        share = total(where(counts, each, 0))
    else:
        share = to_copy(total(counts), x.data_.dtype)
    if reduction == SUM:
        found = total(found)
    elif reduction == MEAN:
        found = div(total(found), share)
    return [part_of(found, level), part_of(share, level)]


RULES: dict[str, Rule] = {name: compared(flat=True) for name in ("mse_loss", "smooth_l1_loss", "huber_loss")}
RULES |= {name: compared(flat=False) for name in ("binary_cross_entropy", "soft_margin_loss")}
RULES |= {
    "binary_cross_entropy_with_logits": with_logits,
    "nll_loss_forward": of_classes,
    "nll_loss2d_forward": of_classes,
}
