"""Losses of probabilities: how likely the targets are."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import sizes, type_name
from ...graph import Dim
from ...ops import loss
from ...ops import reduction as reduction_ops
from ...ops import view as view_ops
from ...ops.activation import log_softmax
from ...ops.binary import add, add_scalar, div, div_scalar, mul, mul_scalar, sub, xlogy
from ...ops.unary import exp, masked_fill, neg
from ...tensor import Tensor, plain
from ...warned import warn
from .common import need_tensor, no_gradient_for, reduce_loss, reduction_nr, reduction_of, with_old_flags


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
        return mul(exp(target), apart)
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
    spread = masked_fill(neg(reduction_ops.sum_dim(counted, [classes], False)), plain(~live), 0)
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
        return neg(reduction_ops.sum_dim(values, [classes], False))
    total = neg(reduction_ops.sum(values))
    return total if nr == 2 else div_scalar(total, logs.data_.size // max(count, 1))


def along(weight: Tensor, classes: int, rank: int) -> Tensor:
    """The weights of the classes as a view that broadcasts over all dimensions but that of the classes."""
    view: Tensor = view_ops.view(weight, [-1 if d == classes else 1 for d in range(rank)])
    return view
