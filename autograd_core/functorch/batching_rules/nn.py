"""Rules of indexing, random numbers, layers and losses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ... import errors
from ...ops import binary
from ...ops.binary import add, mul
from ...ops.join import clone
from ...ops.reduction import mean, mean_dim, sum_dim
from ...ops.reduction import sum as total
from ...ops.scatter_gather import gather
from ...ops.unary import clamp_min, exp, log, neg, to_copy, where
from ...ops.view import expand, reshape, squeeze_dim, transpose, unsqueeze, view
from ...tensor.tensor import plain, wrapped_number
from ..batched_tensor import Part, part_of
from .fallback import one_by_one
from .operands import Call, ensure_batch, front, into, logical, move_dim, out_of, wrap_dim

Rule = Callable[[Call], Any]


def along(call: Call) -> Any:
    """`gather` and its like: indices and values have as many dimensions as the tensor."""
    given = {name: ensure_batch(p, call.level.size) for name, p in call.parts.items()}
    return Part(call.run(**given, dim=wrap_dim(call["dim"], call.first.rank)), 0)


def index_select_rule(call: Call) -> Any:
    """`index_select` as `gather`: the index repeated along the other dimensions."""
    part, index = call.parts["self"], call.parts["index"]
    if index.rank != 1 or not part.rank:
        return one_by_one(call)
    dim, size = wrap_dim(call["dim"], part.rank), call.level.size
    rows = ensure_batch(part, size)
    count = index.shape[0]
    given = front(index)
    shape = [1] * (part.rank + 1)
    shape[0], shape[dim] = (size if index.at is not None else 1), count
    full = [n if d != dim else count for d, n in enumerate(rows.data_.shape)]
    return Part(gather(rows, dim, expand(view(given, shape), full)), 0)


def index_rule(call: Call) -> Any:
    """Indices that are the same for all examples leave the batch alone.

    Raises:
        RuntimeError: one is a mask that is not the same for all.
    """
    part, indices = call.parts["self"], call.parts["indices"]
    for index in indices:
        if index is not None and index.at is not None and index.whole.data_.dtype.kind == "b":
            raise RuntimeError(errors.DYNAMIC_MASK)
    if any(index is not None and index.at is not None for index in indices) or apart(indices):
        return one_by_one(call)
    return Part(call.run(self=front(part), indices=[None, *(i if i is None else i.whole for i in indices)]), 0)


def apart(indices: Any) -> bool:
    """Whether indices stand apart, so that numpy would put what they find in front of all."""
    at = [k for k, index in enumerate(indices) if index is not None]
    return bool(at) and at[-1] - at[0] + 1 != len(at)


def write_rule(call: Call) -> Any:
    part, indices, values = (call.parts[name] for name in ("self", "indices", "values"))
    if any(index is not None and index.at is not None for index in indices) or apart(indices):
        return one_by_one(call)
    wholes = [None, *(i if i is None else i.whole for i in indices)]
    rows = ensure_batch(part, call.level.size)
    given = ensure_batch(values, call.level.size) if values.at is not None else values.whole
    if values.at is not None:
        rank = len(shape_at(part.shape, indices))
        if values.rank < rank:
            given = reshape(given, [call.level.size, *[1] * (rank - values.rank), *values.shape])
    return Part(call.run(self=rows, indices=wholes, values=given), 0)


def shape_at(shape: Any, indices: Any) -> tuple[int, ...]:
    """The shape of what `indices` find in a tensor of the given shape."""
    found = [i.whole.data_ for i in indices if i is not None]
    masks = [np.nonzero(i) if i.dtype.kind == "b" else (i,) for i in found]
    common = np.broadcast_shapes(*[np.shape(i) for parts in masks for i in parts])
    used = sum(1 if i is None else i.whole.data_.ndim if i.whole.data_.dtype.kind == "b" else 1 for i in indices)
    kept = [shape[k] for k, i in enumerate(indices) if i is None]
    return (*kept, *common, *shape[used:])


def mask_rule(call: Call) -> Any:
    """A mask that is the same for all examples finds as many elements in each.

    Raises:
        RuntimeError: it is not the same.
    """
    if call.parts["mask"].at is not None:
        raise RuntimeError(errors.DYNAMIC_SELECT)
    return one_by_one(call)


def random_rule(call: Call) -> Any:
    """Random numbers: the same for all examples, or others for each.

    Raises:
        RuntimeError: it was not said which, or they are to be the same of what the examples have each for itself.
    """
    part = call.first
    if call.level.randomness == "error":
        raise RuntimeError(errors.RANDOM_IN_VMAP)
    if call.level.randomness == "different":
        return Part(call.run(self=ensure_batch(part, call.level.size)), 0)
    if part.at is not None:
        raise RuntimeError(errors.SAME_RANDOM_OF_EACH)
    return Part(call.run(self=part.whole), None)


def looked_up(call: Call) -> Any:
    """`embedding`: one table for all examples, or for each its own, these side by side or one below the other."""
    weight, indices, size = call.parts["weight"], call.parts["indices"], call.level.size
    if weight.at is None:
        return Part(call.run(weight=weight.whole, indices=indices.whole), indices.at)
    rows, width = weight.shape
    if indices.at is None:
        table = into(weight, 1)
        found = call.run(weight=table, indices=indices.whole)
        shape = found.data_.shape[:-1]
        return Part(view(found, [*shape, size, width]), len(shape))
    table = reshape(move_dim(weight.whole, weight.at, 0), [size * rows, width])
    steps = (np.arange(size) * rows).reshape(size, *[1] * indices.rank)
    at = add(front(indices), plain(steps.astype(np.int64)))
    return Part(call.run(weight=table, indices=at), 0)


def scale_and_shift(found: Any, call: Call, rank: int, trailing: int = 0) -> Any:
    """`found`, batch first, times weights and plus biases, with `trailing` dimensions after theirs."""
    for name, function in (("weight", mul), ("bias", add)):
        part = call.parts.get(name)
        if part is not None:
            rows = ensure_batch(part, call.level.size) if part.at is not None else part.whole
            own = part.shape
            lead = [call.level.size] if part.at is not None else [1]
            found = function(found, view(rows, [*lead, *[1] * (rank - len(own) - trailing), *own, *[1] * trailing]))
    return found


def layer_norm_rule(call: Call) -> Any:
    """`layer_norm` over the last dimensions; weights of each example come after it."""
    part = call.parts["input"]
    if all(p.at is None for name, p in call.parts.items() if name != "input"):
        wholes = {name: p.whole for name, p in call.parts.items()}
        found = call.run(**{"weight": None, "bias": None, **wholes, "input": front(part)})
        return [Part(t, 0) for t in found]
    result, mean, rstd = call.run(input=ensure_batch(part, call.level.size), weight=None, bias=None)
    return [Part(scale_and_shift(result, call, part.rank), 0), Part(mean, 0), Part(rstd, 0)]


NOT_BATCHED = (
    "Batch norm got a batched tensor as input while the running_mean or running_var, which will be updated in place, "
    "were not batched.\nIf you are using a module and do not need eval mode, please set `track_running_stats` to be "
    "False.If you are using a prebuilt module and do not need eval mode, please see the functorch website for "
    "resources on how to patch your module to work with vmap"
)


def batch_normalized(call: Call) -> Any:
    """`batch_norm`: the channels of all examples side by side.

    Raises:
        RuntimeError: running statistics that are the same for all examples would be updated.
    """
    part, size = call.parts["input"], call.level.size
    stats = [call.parts.get(name) for name in ("running_mean", "running_var")]
    if part.at is not None and call["training"] and any(p is not None and p.at is None for p in stats):
        raise RuntimeError(NOT_BATCHED)
    kept = [None if p is None else reshape(ensure_batch(p, size), [-1]) for p in stats]
    rows = into(Part(ensure_batch(part, size), 0) if part.at is None else part, 1)
    found, mean, invstd = call.run(input=rows, weight=None, bias=None, running_mean=kept[0], running_var=kept[1])
    apart = out_of(transpose(found, 0, 1), 0, size).whole
    result = transpose(scale_and_shift(apart, call, part.rank, part.rank - 1), 1, 2)
    saved = [out_of(t, 0, size) if t.data_.size else Part(t, None) for t in (mean, invstd)]
    return [Part(result, 0), *saved]


def convolution_rule(call: Call) -> Any:
    """`convolution`: examples are a longer batch, weights of each example more channels, both are groups."""
    x, weight, bias = call.parts["input"], call.parts["weight"], call.parts.get("bias")
    size = call.level.size
    if call["transposed"] and weight.at is not None:
        return one_by_one(call)
    if weight.at is None and (bias is None or bias.at is None):
        whole = None if bias is None else bias.whole
        found = call.run(input=into(x, 0), weight=weight.whole, bias=whole)
        return out_of(found, 0, size)
    if call["groups"] != 1:
        return one_by_one(call)
    if weight.at is None:
        part = out_of(call.run(input=into(x, 0), weight=weight.whole, bias=None), 0, size)
    elif x.at is None:
        part = out_of(call.run(input=x.whole, weight=into(weight, 0), bias=None), 1, size)
    else:
        part = out_of(call.run(input=into(x, 1), weight=into(weight, 0), bias=None, groups=size), 1, size)
    if bias is None:
        return part

    each = logical(bias, call.level)
    for _ in range(part.rank - 2):
        each = unsqueeze(each, -1)
    return part_of(add(logical(part, call.level), each), call.level)


def image_rule(rank: int) -> Rule:
    """Operators of images: examples without a batch become one, those with one a longer one."""

    def rule(call: Call) -> Any:
        size = call.level.size
        operands = {name: Part(ensure_batch(p, size), 0) if p.at is None else p for name, p in call.parts.items()}
        if all(p.rank < rank for p in operands.values()):
            found = call.run(**{name: front(p) for name, p in operands.items()})
            return [Part(t, 0) for t in found] if isinstance(found, tuple) else Part(found, 0)
        found = call.run(**{name: into(p, 0) for name, p in operands.items()})
        return [out_of(t, 0, size) for t in found] if isinstance(found, tuple) else out_of(found, 0, size)

    return rule


def group_rule(call: Call) -> Any:
    x, others = call.parts["input"], [p for name, p in call.parts.items() if name != "input"]
    if x.at is None or any(p.at is not None for p in others):
        return one_by_one(call)
    wholes = {name: p.whole for name, p in call.parts.items()}
    found = call.run(**{"weight": None, "bias": None, **wholes, "input": into(x, 0), "N": call["N"] * call.level.size})
    return [out_of(t, 0, call.level.size) for t in found]


def added_at(call: Call) -> Any:
    """`index_add` and its like, on a copy."""
    if call.parts["index"].at is not None or call.parts["index"].rank != 1 or not call.parts["self"].rank:
        return one_by_one(call)
    size, part = call.level.size, call.parts["self"]
    given = {name: ensure_batch(p, size) for name, p in call.parts.items() if name not in ("index", "self")}
    if "value" in given:
        given["value"] = call.parts["value"].whole
        if call.parts["value"].at is not None:
            return one_by_one(call)
    whole = clone(part.whole) if part.at is not None else ensure_batch(part, size)
    rows = front(Part(whole, part.at)) if part.at is not None else whole
    dim = wrap_dim(call["dim"], part.rank)
    return Part(call.run(self=rows, index=call.parts["index"].whole, dim=dim, **given), 0)


RANDOM = "uniform normal exponential bernoulli bernoulli.each random"

LAYERS: dict[str, Rule] = {
    "gather": along, "scatter.src": along, "scatter.value": along, "scatter_add": along,
    "index_select": index_select_rule,
    "index.Tensor": index_rule, "_index_put_impl_": write_rule, "index_put": write_rule, "masked_select": mask_rule,
    "embedding": looked_up, "native_layer_norm": layer_norm_rule, "native_batch_norm": batch_normalized,
    "native_group_norm": group_rule, "convolution": convolution_rule, "max_pool2d_with_indices": image_rule(4),
    "avg_pool2d": image_rule(4), "_adaptive_avg_pool2d": image_rule(4), "adaptive_max_pool2d": image_rule(4),
    "max_pool3d_with_indices": image_rule(5), "avg_pool3d": image_rule(5), "_adaptive_avg_pool3d": image_rule(5),
    "index_add": added_at, "index_copy": added_at, "index_fill.int_Scalar": added_at,
    "index_fill.int_Tensor": added_at,
}  # fmt: skip
LAYERS |= dict.fromkeys(RANDOM.split(), random_rule)


# ---- losses: no reduction over the batch, then the mean or the sum of each example


NONE, MEAN, SUM = 0, 1, 2


def loss_rule(flat: bool) -> Rule:
    """A loss of two tensors, element by element; with `flat`, the elements of each example in a row."""

    def rule(call: Call) -> Any:
        size, reduction = call.level.size, call["reduction"]
        given = {}
        for name, part in call.parts.items():
            rows = front(part) if part.at is not None and flat else ensure_batch(part, size) if not flat else part.whole
            if flat:
                rows = reshape(rows, [size if part.at is not None else 1, -1])
            given[name] = rows
        found = call.run(**given, reduction=NONE)
        if reduction == NONE:
            return Part(reshape(found, [size, *call.first.shape]) if flat else found, 0)
        over = list(range(1, found.data_.ndim))
        return Part((mean_dim if reduction == MEAN else sum_dim)(found, over), 0)

    return rule


def reduce(found: Any, reduction: int) -> Any:
    return found if reduction == NONE else (mean if reduction == MEAN else total)(found)


def with_logits(call: Call) -> Any:
    """`binary_cross_entropy_with_logits`, step by step."""
    x, y, weight, pos_weight = (
        None if call.parts.get(n) is None else logical(call.parts[n], call.level)
        for n in ("self", "target", "weight", "pos_weight")
    )
    most = clamp_min(neg(x), 0)
    rest = log(binary.add(exp(neg(most)), exp(binary.sub(neg(x), most))))
    there = binary.mul(binary.sub(wrapped_number(1), y), x)
    if pos_weight is None:
        found = binary.add(binary.add(there, most), rest)
    else:
        share = binary.add(binary.mul(binary.sub(pos_weight, 1), y), 1)
        found = binary.add(there, binary.mul(share, binary.add(rest, most)))
    if weight is not None:
        found = binary.mul(found, weight)
    return part_of(reduce(found, call["reduction"]), call.level)


def of_classes(call: Call) -> Any:
    """`nll_loss`, step by step: the value, and the weight of all."""
    level, reduction, ignored = call.level, call["reduction"], call["ignore_index"]
    x, target = (logical(call.parts[n], level) for n in ("self", "target"))
    weight = None if call.parts.get("weight") is None else logical(call.parts["weight"], level)
    rank = call.parts["self"].rank
    channel = 1 if rank > 1 else 0
    if weight is not None:
        weight = view(weight, [1, -1, *[1] * (rank - 2)]) if rank > 1 else weight
        x = binary.mul(x, weight)
    counts = binary.ne(target, ignored)
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
        found = binary.div(total(found), share)
    return [part_of(found, level), part_of(share, level)]


LOSSES: dict[str, Rule] = {name: loss_rule(flat=True) for name in ("mse_loss", "smooth_l1_loss", "huber_loss")}
LOSSES |= {name: loss_rule(flat=False) for name in ("binary_cross_entropy", "soft_margin_loss")}
LOSSES |= {
    "binary_cross_entropy_with_logits": with_logits,
    "nll_loss_forward": of_classes,
    "nll_loss2d_forward": of_classes,
}
