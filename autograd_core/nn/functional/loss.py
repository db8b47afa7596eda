"""Losses as functions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ... import errors
from ...api.functions.arguments import cast
from ...api.functions.pointwise import where
from ...dispatch.autocast import cast_arguments
from ...dispatch.inplace import in_place
from ...dispatch.schema.schema import composite
from ...engine.state import state
from ...engine.warnings import warn
from ...errors import sizes, type_name
from ...functorch.batch import is_hidden
from ...graph.node import Dim
from ...ops import ctc_loss as ctc_loss_ops
from ...ops import loss, unary
from ...ops import reduction as reduction_ops
from ...ops import view as view_ops
from ...ops.activation import log_sigmoid, log_softmax
from ...ops.binary import (
    add,
    add_scalar,
    div,
    div_scalar,
    eq,
    le,
    mul,
    mul_scalar,
    pow_scalar,
    rsub,
    sub,
    sub_scalar,
    xlogy,
)
from ...ops.join import clone
from ...tensor import dtypes
from ...tensor.dtypes import int64, number
from ...tensor.tensor import Tensor, plain
from .common import REDUCTIONS, need_tensor, no_gradient_for, reduce_loss, reduction_nr, reduction_of, with_old_flags


def same_size(input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Both, expanded to one shape; torch warns where they differ."""
    if input.data_.shape == target.data_.shape:
        return input, target
    warn(
        f"Using a target size ({target.shape}) that is different to the input size ({input.shape}). This will likely "
        "lead to incorrect results due to broadcasting. Please ensure they have the same size."
    )
    try:
        shape = list(np.broadcast_shapes(input.data_.shape, target.data_.shape))
    except ValueError:
        return sub(input, target), target  # raises what torch raises for sizes that do not broadcast
    one, other = (t if list(t.data_.shape) == shape else view_ops.expand(t, shape) for t in (input, target))
    return one, other


@with_old_flags
def mse_loss(input: Tensor, target: Tensor, reduction: str = "mean", weight: Tensor | None = None) -> Tensor:
    one, other = same_size(input, target)
    if weight is None:
        return loss.mse_loss(one, other, reduction_nr(reduction))
    return reduce_weighted(pow_scalar(sub(one, other), 2), input, weight, reduction)


def reduce_weighted(values: Tensor, input: Tensor, weight: Tensor, reduction: str) -> Tensor:
    """The loss of `values`, each as often as its weight; so counts the mean, too."""
    values = mul(values, same_as(input, weight))
    if reduction not in REDUCTIONS:
        raise ValueError(f"Invalid reduction mode: {reduction}. Expected one of 'none', 'mean', 'sum'.")
    if reduction != "mean":
        return reduce_loss(values, reduction)
    return div(reduction_ops.sum(values), reduction_ops.sum(weight))


def same_as(input: Tensor, weight: Tensor) -> Tensor:
    """`weight`, one for each element of `input`."""
    if weight.data_.shape != input.data_.shape:
        raise ValueError("Weights and input must have the same size.")
    return weight


@cast_arguments
@with_old_flags
def l1_loss(input: Tensor, target: Tensor, reduction: str = "mean", weight: Tensor | None = None) -> Tensor:
    one, other = same_size(input, target)
    values = unary.abs(sub(one, other))
    return reduce_loss(values, reduction) if weight is None else reduce_weighted(values, input, weight, reduction)


@with_old_flags
def smooth_l1_loss(input: Tensor, target: Tensor, reduction: str = "mean", beta: float = 1.0) -> Tensor:
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    if beta == 0:
        return l1_loss(input, target, reduction=reduction)
    return loss.smooth_l1_loss(*same_size(input, target), reduction_nr(reduction), beta)


def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Tensor | None = None
) -> Tensor:
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    one, other = same_size(input, target)
    if weight is None:
        return loss.huber_loss(one, other, reduction_nr(reduction), delta)
    values = mul(loss.huber_loss(one, other, REDUCTIONS["none"], delta), same_as(input, weight))
    return reduce_loss(values, reduction)


@with_old_flags
def soft_margin_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    no_gradient_for("soft_margin_loss", target=target)
    return loss.soft_margin_loss(input, target, reduction_nr(reduction))


@cast_arguments
@with_old_flags
def hinge_embedding_loss(input: Tensor, target: Tensor, margin: float = 1.0, reduction: str = "mean") -> Tensor:
    nothing = plain(np.zeros_like(input.data_))
    missing = in_place(unary.clamp_min, sub(plain(np.full_like(input.data_, margin)), input), 0)
    far = unary.where(plain(target.data_ != 1), missing, nothing)
    near = unary.where(plain(target.data_ != -1), input, nothing)
    return reduce_loss(add(far, near), reduction)


@cast_arguments
@with_old_flags
def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: str = "mean"
) -> Tensor:
    if not input1.data_.ndim == input2.data_.ndim == target.data_.ndim:
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: "
            f"{input1.shape}, input2: {input2.shape}, target: {target.shape} "
        )
    apart = sub(input1, input2)
    order = mul(unary.neg(target), apart)
    return reduce_loss(in_place(unary.clamp_min, add_scalar(to_floats(order), margin), 0), reduction)


@cast_arguments
@with_old_flags
def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: str = "mean"
) -> Tensor:
    """One less the cosine where the target is 1, the cosine above the margin where it is -1."""
    rank, ranks = target.data_.ndim, (input1.data_.ndim, input2.data_.ndim)
    if rank > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if ranks != (rank + 1, rank + 1):
        raise RuntimeError(
            f"{rank}D target tensor expects {rank + 1}D input tensors, but found inputs with sizes "
            f"{errors.sizes(input1.data_.shape)} and {errors.sizes(input2.data_.shape)}."
        )
    last = [rank]
    together = reduction_ops.sum_dim(mul(input1, input2), last, False)
    squares = [add_scalar(reduction_ops.sum_dim(mul(x, x), last, False), 1e-12) for x in (input1, input2)]
    cosine = div(together, in_place(unary.sqrt, mul(*squares)))
    nothing = plain(np.zeros_like(cosine.data_))
    near = sub(plain(np.ones_like(cosine.data_)), cosine)
    far = in_place(unary.clamp_min, sub_scalar(to_floats(cosine), margin), 0)
    near, far = unary.where(eq(target, 1), near, nothing), unary.where(eq(target, -1), far, nothing)
    return reduce_loss(add(near, far), reduction)


@cast_arguments
def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    size_average: Any = None,
    eps: float = 1e-8,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    reduction = reduction_of(size_average, reduce, reduction)
    if log_input:
        expected = mul(target, input)
        values = sub(unary.exp(input), expected)
    else:
        values = sub(input, mul(target, unary.log(add_scalar(input, eps))))
    if full:
        values = in_place(add, values, stirling(target))
    return reduce_loss(values, reduction)


def stirling(target: Tensor) -> Tensor:
    """About the logarithm of the factorial of each target above 1."""
    root = mul_scalar(unary.log(mul_scalar(target, 2 * math.pi)), 0.5)  # torch makes it first
    smooth = sub(mul(target, unary.log(target)), target)
    return unary.masked_fill(add(smooth, root), le(target, 1), 0)


def gaussian_nll_loss(
    input: Tensor, target: Tensor, var: Tensor | float, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
) -> Tensor:
    spread = spread_of(input, var)
    if reduction not in REDUCTIONS:
        raise ValueError(f"{reduction} is not valid")
    spread = clone(spread)
    if spread.data_.dtype.kind != "f":
        kind = errors.c_name(spread.data_.dtype)
        raise RuntimeError(f"result type Float can't be cast to the desired output type {kind}")
    spread.overwrite(np.maximum(spread.data_, number(eps)))
    spread.bump()
    size = unary.log(spread)
    missed = div(pow_scalar(input - target, 2), spread)
    values = mul(add(size, missed), 0.5)
    if full:
        values = add(values, 0.5 * math.log(2 * math.pi))
    return reduce_loss(values, reduction)


def spread_of(input: Tensor, var: Tensor | float) -> Tensor:
    """The variance of each element of `input`: of each by itself, of a row, or of all."""
    if isinstance(var, float):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        return mul_scalar(plain(np.ones_like(input.data_)), var)
    if np.any(var.data_ < 0):
        raise ValueError("var has negative entry/entries")
    shape, sizes = input.data_.shape, var.data_.shape
    if sizes == shape:
        return var
    if sizes == shape[:-1]:
        return view_ops.unsqueeze(var, -1)
    if len(sizes) != len(shape) or sum(size for one, size in zip(shape, sizes, strict=True) if one != size) != 1:
        raise ValueError("var is of incorrect size")
    return var


def to_floats(values: Tensor) -> Tensor:
    """Whole numbers as floats, as they become beside one; floats as they are."""
    return values if values.data_.dtype.kind == "f" else cast(values, dtypes.get_default_dtype())


@composite("cosine_similarity(Tensor x1, Tensor x2, int dim=1, float eps=1e-08) -> Tensor: nn")
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    common = dtypes.promote_types(x1.dtype, x2.dtype)
    if not common.is_floating_point:
        kind = errors.type_name(dtypes.to_numpy(common))
        raise RuntimeError(f"expected common dtype to be floating point, yet common dtype is {kind}")
    x1, x2 = (x if x.is_floating_point() else cast(x, common) for x in (x1, x2))
    try:
        shape = np.broadcast_shapes(x1.data_.shape, x2.data_.shape)
    except ValueError:
        return sub(x1, x2)  # raises what torch raises for sizes that do not broadcast
    if x1.data_.shape != x2.data_.shape:
        x2 = view_ops.expand(x2, list(shape))  # torch expands both, the second first
        x1 = view_ops.expand(x1, list(shape))
    held = []
    for x in (x1, x2):
        length = clone(reduction_ops.vector_norm(x, 2, [dim], True))
        if is_hidden(length):
            with_grad, state.grad_enabled = state.grad_enabled, False
            length.clamp_min_(eps)
            state.grad_enabled = with_grad
        else:
            length.overwrite(np.maximum(length.data_, number(eps)))
            length.bump()
        held.append(length)
    other = div(x2, held[1])
    return reduction_ops.sum_dim(mul(div(x1, held[0]), other), [dim], False)


@composite("pairwise_distance(Tensor x1, Tensor x2, float p=2, float eps=1e-06, bool keepdim=False) -> Tensor: nn")
def pairwise_distance(x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Tensor:
    """The norm of the difference, which is moved by `eps` so that it has a derivative everywhere."""
    last = max(x1.data_.ndim, x2.data_.ndim) - 1
    return reduction_ops.norm_dim(add_scalar(to_floats(sub(x1, x2)), eps), float(p), [last], keepdim)


def need_one_rank(anchor: Tensor, positive: Tensor, negative: Tensor) -> None:
    ranks = [t.data_.ndim for t in (anchor, positive, negative)]
    if len(set(ranks)) > 1:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
            "anchor {}D, positive {}D, and negative {}D inputs".format(*ranks)
        )


@cast_arguments
@with_old_flags
def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """How much nearer than by `margin` the negative is than the positive."""
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    need_one_rank(anchor, positive, negative)
    near, far = pairwise_distance(anchor, positive, p, eps), pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = unary.minimum(far, pairwise_distance(positive, negative, p, eps))
    missed = sub(add_scalar(near, margin), far)
    return reduce_loss(unary.clamp_min(missed, 0), reduction)


@with_old_flags
def multilabel_soft_margin_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: str = "mean"
) -> Tensor:
    """The likelihood of each label for itself, averaged over the labels."""
    if reduction not in REDUCTIONS:
        raise ValueError(f"{reduction} is not valid")
    hit = mul(target, log_sigmoid(input)[0])
    miss = mul(rsub(target, 1), log_sigmoid(unary.neg(input))[0])
    values = unary.neg(add(hit, miss))
    if weight is not None:
        values = mul(values, weight)
    last = values.data_.ndim - 1
    return reduce_loss(div(reduction_ops.sum_dim(values, [last], False), values.data_.shape[last]), reduction)


# ---- of probabilities: how likely the targets are


@cast_arguments
@with_old_flags
def binary_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: str = "mean"
) -> Tensor:
    nr = reduction_nr(reduction)
    if input.data_.shape != target.data_.shape:
        raise ValueError(
            f"Using a target size ({target.shape}) that is different to the input size ({input.shape}) is deprecated. "
            "Please ensure they have the same size."
        )
    if target.data_.dtype != input.data_.dtype:
        names = [type_name(t.data_.dtype) for t in (input, target)]
        raise RuntimeError(f"Found dtype {names[1]} but expected {names[0]}")
    if weight is not None:
        check_broadcast(weight, target)
        weight = weight.expand(np.broadcast_shapes(weight.data_.shape, target.data_.shape))
    no_gradient_for("binary_cross_entropy", weight=weight)
    return loss.binary_cross_entropy(input, target, weight, nr)


def check_broadcast(weight: Tensor, target: Tensor) -> None:
    """Whether there is a weight for each target, or one for several.

    Raises:
        RuntimeError: the shapes do not broadcast.
    """
    shape, wanted = weight.data_.shape, target.data_.shape
    for place, (one, other) in enumerate(zip(reversed(shape), reversed(wanted), strict=False), 1):
        if one != other and 1 not in (one, other):
            raise RuntimeError(
                f"Attempting to broadcast a dimension of length {one} at -{place}! Mismatching argument at index 1 had "
                f"{weight.shape}; but expected shape should be broadcastable to {list(wanted)}"
            )


@with_old_flags
def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    if input.data_.shape != target.data_.shape:
        raise ValueError(f"Target size ({target.shape}) must be the same as input size ({input.shape})")
    no_gradient_for("binary_cross_entropy_with_logits", weight=weight, pos_weight=pos_weight)
    return loss.binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction_nr(reduction))


@cast_arguments
def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    of_batch = reduction == "batchmean"
    if size_average is not None or reduce is not None:
        reduction = reduction_of(size_average, reduce, reduction)
    elif of_batch:
        reduction = "sum"
    elif reduction == "mean":
        warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size.'batchmean' divides "
            "only by the batch size, and aligns with the KL div math definition.'mean' will be changed to behave the "
            "same as 'batchmean' in the next major release."
        )
    reduced = reduce_loss(divergences(input, target, log_target), reduction)
    return div(reduced, input.data_.shape[0]) if of_batch and input.data_.ndim else reduced


def divergences(input: Tensor, target: Tensor, log_target: bool) -> Tensor:
    """The part that each element has in the divergence of `input` from `target`."""
    if any(t.data_.dtype.kind != "f" for t in (input, target)):
        raise RuntimeError("kl_div: Integral inputs not supported.")
    if log_target:
        apart = sub(target, input)
        return mul(unary.exp(target), apart)
    expected = mul(target, input)
    return sub(xlogy(target, target), expected)


def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: Any = None,
    ignore_index: int = -100,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    if size_average is not None or reduce is not None:
        reduction = reduction_of(size_average, reduce, reduction)
    nr = reduction_nr(reduction)
    check_labels(input, target)
    classes = input.data_.shape[0 if input.data_.ndim == 1 else 1]
    no_gradient_for("nll_loss2d_forward" if input.data_.ndim > 2 else "nll_loss_forward", weight=weight)
    if input.data_.ndim > 2:
        check_weight(weight, classes, "all or no classes")
        return by_place(input, target, weight, nr, Dim(ignore_index))
    check_weight(weight, classes)
    result: Tensor = loss.nll_loss(input, target, weight, nr, Dim(ignore_index))[0]
    return result


def check_labels(input: Tensor, target: Tensor) -> None:
    """Whether there is one label for each row of scores.

    Raises:
        ValueError, RuntimeError: there is not, or a label is no whole number.
    """
    rank, labels = input.data_.ndim, target.data_.shape
    if rank < 1:
        raise ValueError("Expected 1 or more dimensions (got 0)")
    if rank == 1 and len(labels) == 1 and labels[0] != 1:
        raise ValueError(f"For 1D input, 1D target must have size 1, but got target size: {labels[0]}")
    found = labels[0] if labels else 0
    if rank > 1 and input.data_.shape[0] != found:
        raise ValueError(f"Expected input batch_size ({input.data_.shape[0]}) to match target batch_size ({found}).")
    if rank <= 2 and len(labels) > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if target.data_.dtype.name not in ("int64", "uint8"):
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {type_name(target.data_.dtype)}")
    if rank == 4 and len(labels) != 3:
        raise RuntimeError(
            f"only batches of spatial targets supported (3D tensors) but got targets of dimension: {len(labels)}"
        )


def check_weight(weight: Tensor | None, classes: int, whose: str = "", by: str = "") -> None:
    """Whether there is a weight for each class; `whose` ends torch's sentence where it does not tell the shapes.

    Raises:
        RuntimeError: there is not.
    """
    if weight is None or weight.data_.shape == (classes,):
        return
    shape = f"all {classes} classes or no classes but got weight tensor of shape: {sizes(weight.data_.shape)}"
    raise RuntimeError(f"{by}weight tensor should be defined either for {whose or shape}")


def by_place(input: Tensor, target: Tensor, weight: Tensor | None, reduction: int, ignore_index: int) -> Tensor:
    """Labels for each place: as images, which others are made into."""
    shape, labels = list(input.data_.shape), list(target.data_.shape)
    if [shape[0], *shape[2:]] != labels:
        raise RuntimeError(f"Expected target size {[shape[0], *shape[2:]]}, got {labels}")
    if len(shape) == 4:
        return loss.nll_loss2d(input, target, weight, reduction, ignore_index)[0]
    flat = view_ops.reshape(input, [shape[0], shape[1], 1, -1]), view_ops.reshape(target, [labels[0], 1, -1])
    losses = loss.nll_loss2d(*flat, weight, reduction, ignore_index)[0]
    return view_ops.view(losses, labels) if reduction == 0 else losses


@cast_arguments
def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: Any = None,
    ignore_index: int = -100,
    reduce: Any = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """From scores to the loss: log_softmax, then the likelihood of labels or of probabilities."""
    need_tensor("cross_entropy_loss", "input", 1, input)
    need_tensor("cross_entropy_loss", "target", 2, target)
    if size_average is not None or reduce is not None:
        reduction = reduction_of(size_average, reduce, reduction)
    if label_smoothing > 1.0:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}")
    classes = 0 if input.data_.ndim == 1 else 1
    if input.data_.shape == target.data_.shape:
        if ignore_index >= 0:
            raise RuntimeError("ignore_index is not supported for floating point target")
        return soft_cross_entropy(input, target, weight, reduction, label_smoothing, classes)
    logs = log_softmax(input, classes)
    hard = nll_loss(logs, target, weight, None, ignore_index, None, reduction)
    if label_smoothing <= 0:
        return hard
    count = input.data_.shape[classes]
    counted = logs if weight is None else mul(logs, along(weight, classes, input.data_.ndim))
    live = np.asarray(target.data_ != ignore_index)
    spread = unary.masked_fill(unary.neg(reduction_ops.sum_dim(counted, [classes], False)), plain(~live), 0)
    nr = reduction_nr(reduction)
    if nr:
        spread = reduction_ops.sum(spread)
    if nr == 1:
        whole = np.count_nonzero(live) if weight is None else np.sum(weight.data_[target.data_[live]])
        spread = div(spread, plain(np.asarray(whole)[()]))
    spread = mul_scalar(spread, label_smoothing / count)
    return add(mul_scalar(hard, 1 - label_smoothing), spread)


def soft_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None, reduction: str, label_smoothing: float, classes: int
) -> Tensor:
    """The loss where the target gives a probability for each class."""
    if target.data_.dtype.kind != "f":
        raise RuntimeError(
            f"Expected floating point type for target with class probabilities, got {type_name(target.data_.dtype)}"
        )
    logs = log_softmax(input, classes)
    count = logs.data_.shape[classes]
    check_weight(weight, count, by="cross_entropy: ")
    if label_smoothing > 0:
        target = add_scalar(mul_scalar(target, 1 - label_smoothing), label_smoothing / count)
    values = mul(logs, target)
    if weight is not None:
        values = mul(values, along(weight, classes, logs.data_.ndim))
    nr = reduction_nr(reduction)
    if nr == 0:
        return unary.neg(reduction_ops.sum_dim(values, [classes], False))
    total = unary.neg(reduction_ops.sum(values))
    return total if nr == 2 else div_scalar(total, logs.data_.size // max(count, 1))


def along(weight: Tensor, classes: int, rank: int) -> Tensor:
    """The weights of the classes as a view that broadcasts over all dimensions but that of the classes."""
    view: Tensor = view_ops.view(weight, [-1 if d == classes else 1 for d in range(rank)])
    return view


# ---- by margins, and of triplets by any distance


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
        far = unary.minimum(far, distance(positive, negative))
    return reduce_loss(unary.clamp_min(sub(margin + near, far), 0), reduction)


# ---- of sequences whose labels have no places yet


MEAN_OF_EACH, SUM_OF_ALL = 1, 2


def lengths_of(given: Any, name: str) -> list[int]:
    """Lengths as numbers.

    Raises:
        RuntimeError: they are a tensor of fractions.
    """
    if not isinstance(given, Tensor):
        return [int(n) for n in given]
    if given.data_.dtype.kind not in "iu":
        raise RuntimeError(f"{name} must be integral")
    return [int(n) for n in np.atleast_1d(given.data_)]


@composite("""
    ctc_loss(Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, int blank=0, int \
        reduction=at::Reduction::Mean, bool zero_infinity=False) -> Tensor: function
    ctc_loss(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, int blank=0, int \
        reduction=at::Reduction::Mean, bool zero_infinity=False) -> Tensor: function
    """)
def ctc(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: int = 0,
    zero_infinity: bool = False,
) -> Tensor:
    """`torch.ctc_loss`, whose reduction is a number; left out it is none, though torch's signature says mean."""
    batched = log_probs.data_.ndim >= 3
    rows = log_probs if log_probs.data_.ndim == 3 else view_ops.unsqueeze(log_probs, 1)
    inputs, goals = lengths_of(input_lengths, "input_lengths"), lengths_of(target_lengths, "target_lengths")
    found = ctc_loss_ops.ctc_loss(rows, targets.to(int64), inputs, goals, blank, zero_infinity)
    losses: Any = found[0]
    if zero_infinity:
        losses = where(losses == math.inf, plain(np.zeros((), losses.data_.dtype)[()]), losses)
    if reduction == MEAN_OF_EACH:
        counts = plain(np.maximum(np.array(goals, losses.data_.dtype), 1))
        return reduction_ops.mean(losses / counts)
    if reduction == SUM_OF_ALL:
        return reduction_ops.sum(losses)
    return losses if batched else view_ops.squeeze_dim(losses, 0)


def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """The loss of each of N sequences of `log_probs` (T, N, C), or of one (T, C); see torch's documentation.

    Raises:
        RuntimeError: the lengths do not fit the sequences.
    """
    return ctc(log_probs, targets, input_lengths, target_lengths, blank, reduction_nr(reduction), zero_infinity)
