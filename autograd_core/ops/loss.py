"""Losses that PyTorch has as one operator. `reduction` is 0 none, 1 mean, 2 sum. Formulas: derivatives.yaml."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import errors
from ..dispatch.op import both, helper, op
from ..dispatch.registry import GRAPH, RAW
from ..errors import check_cast, type_name
from ..tensor import arithmetic, dtypes
from ..tensor.arithmetic import total
from ..tensor.bfloat16 import shortened
from ..tensor.tensor import Array, Tensor, bare
from ._common import refuse

# ---- squared error and negative log likelihood


NONE, MEAN, SUM = 0, 1, 2


def reduce_loss(values: Array, reduction: int) -> Array:
    if reduction == NONE:
        return values
    summed = total(values)
    return summed / values.dtype.type(values.size) if reduction == MEAN else summed


@op(
    "mse_loss",
    promote=("self", "target"),
    self=lambda grad, self, target, reduction: mse_loss_backward(grad, self, target, reduction),
    target=lambda grad, self, target, reduction: mse_loss_backward(grad, target, self, reduction),
)
def mse_loss(self: Array, target: Array, reduction: int = MEAN) -> Array:
    refuse("mse_cpu", "biu", self, target)
    difference = self - target
    return reduce_loss(difference * difference, reduction)


@op(
    "mse_loss_backward",
    grad_output=lambda grad, self, target, reduction: mse_loss_double(grad, self, target, reduction),
    self=lambda grad, grad_output, self, reduction: mse_self_double(grad, grad_output, self, reduction),
    target=lambda grad, grad_output, self, reduction: -mse_self_double(grad, grad_output, self, reduction),
)
def mse_loss_backward(grad_output: Array, self: Array, target: Array, reduction: int) -> Array:
    size = np.broadcast(self, target).size
    norm = 2.0 / size if reduction == MEAN else 2.0
    scaled = shortened(shortened(self.dtype.type(norm), self) * shortened(self - target, self), self)
    return scaled * grad_output


@both
def mse_loss_double(grad: Array, self: Array, target: Array, reduction: int) -> Array:
    pulled = mul_scalar(grad * (self - target), 2)
    if reduction == 0:
        return pulled
    return mean(pulled) if reduction == 1 else sum(pulled)


@both
def mse_self_double(grad: Array, grad_output: Array, self: Array, reduction: int) -> Array:
    norm = 2.0 / count_of(self) if reduction == 1 else 2.0
    return mul_scalar(grad * grad_output, norm)


@both
def count_of(self: Array) -> int:
    n = 1
    for length in self.shape:
        n *= length
    return n


@op(
    "nll_loss_forward",
    node="NllLossBackward0",
    outputs="result | total_weight",
    self=lambda grad, self, target, weight, reduction, ignore_index, total_weight: nll_loss_backward(
        grad, self, target, weight, reduction, ignore_index, total_weight
    ),
)
def nll_loss(
    self: Array, target: Array, weight: Array | None = None, reduction: int = MEAN, ignore_index: int = -100
) -> tuple[Array, Array]:
    check_weight("nll_loss_out_frame", self, weight)
    rows = np.atleast_2d(self)
    labels = np.atleast_1d(target)
    weights = picked_weights(labels, weight, ignore_index, rows)
    losses = -np.take_along_axis(rows, np.where(labels == ignore_index, 0, labels)[:, None], 1)[:, 0] * weights
    total = np.add.reduce(weights)
    if reduction == NONE:
        return (losses if self.ndim > 1 else losses[0]), self.dtype.type(0)
    summed = np.add.reduce(losses)
    return (summed / total if reduction == MEAN else summed), total


def check_weight(kernel: str, scores: Array, weight: Array | None) -> None:
    """Whether torch's kernel takes these scores, and weights of classes beside them.

    Raises:
        NotImplementedError: the scores are no floats.
        RuntimeError: the weights are of another dtype.
    """
    refuse(kernel, "biu", scores)
    if weight is not None and weight.dtype != scores.dtype:
        wanted, found = type_name(scores.dtype), type_name(weight.dtype)
        raise RuntimeError(f"expected scalar type {wanted} but found {found}")


def picked_weights(labels: Array, weight: Array | None, ignore_index: int, rows: Array) -> Array:
    """The weight of each row: that of its class, 0 where it is ignored.

    Raises:
        IndexError: a label names no class.
    """
    live = labels != ignore_index
    for label in labels[live]:
        if not 0 <= label < rows.shape[1]:
            raise IndexError(f"Target {int(label)} is out of bounds.")
    chosen = np.ones(len(labels), rows.dtype) if weight is None else weight[np.where(live, labels, 0)]
    return np.where(live, chosen, rows.dtype.type(0))


@op(
    "nll_loss_backward",
    grad_output=lambda grad, target, weight, reduction, ignore_index: nll_value(
        grad, target, weight, reduction, ignore_index
    ),
    self=lambda grad: zeros_as(grad),
)
def nll_loss_backward(
    grad_output: Array,
    self: Array,
    target: Array,
    weight: Array | None,
    reduction: int,
    ignore_index: int,
    total_weight: Array,
) -> Array:
    rows = np.atleast_2d(self)
    labels = np.atleast_1d(target)
    weights = picked_weights(labels, weight, ignore_index, rows)
    share = -weights * grad_output / (total_weight if reduction == MEAN else 1) + 0  # no negative zeros
    out = np.zeros_like(rows)
    np.put_along_axis(out, np.where(labels == ignore_index, 0, labels)[:, None], np.atleast_1d(share)[:, None], 1)
    return out if self.ndim > 1 else out[0].copy()


@both
def nll_value(grad: Array, target: Array, weight: Array, reduction: int, ignore_index: int) -> Array:
    return first_of(nll_loss(grad, target, weight, reduction, ignore_index))


@both
def first_of(pair: Array) -> Array:
    return pair[0]


# ---- the same for images: classes in the second dimension, a label for each place


def by_place(self: Array) -> Array:
    """A row of scores for each place."""
    return np.moveaxis(self, 1, -1).reshape(-1, self.shape[1])


@op(
    "nll_loss2d_forward",
    cost=3,
    node="NllLoss2DBackward0",
    outputs="result | total_weight",
    self=lambda grad, self, target, weight, reduction, ignore_index, total_weight: nll_loss2d_backward(
        grad, self, target, weight, reduction, ignore_index, total_weight
    ),
)
def nll_loss2d(
    self: Array, target: Array, weight: Array | None = None, reduction: int = MEAN, ignore_index: int = -100
) -> tuple[Array, Array]:
    check_weight("nll_loss2d_forward_out_frame", self, weight)
    losses, total = RAW["nll_loss"](by_place(self), target.ravel(), weight, reduction, ignore_index)
    return (losses.reshape(target.shape) if reduction == NONE else losses), total


@op(
    "nll_loss2d_backward",
    cost=3,
    node="NllLoss2DBackwardBackward0",
    grad_output=lambda grad, target, weight, reduction, ignore_index: nll_value2d(
        grad, target, weight, reduction, ignore_index
    ),
    self=lambda grad: zeros_as(grad),
)
def nll_loss2d_backward(
    grad_output: Array,
    self: Array,
    target: Array,
    weight: Array | None,
    reduction: int,
    ignore_index: int,
    total_weight: Array,
) -> Array:
    came = grad_output.ravel() if reduction == NONE else grad_output
    rows = RAW["nll_loss_backward"](came, by_place(self), target.ravel(), weight, reduction, ignore_index, total_weight)
    shape = self.shape
    return np.moveaxis(rows.reshape(shape[0], *shape[2:], shape[1]), -1, 1)


@both
def nll_value2d(grad: Array, target: Array, weight: Array, reduction: int, ignore_index: int) -> Array:
    return first_of(nll_loss2d(grad, target, weight, reduction, ignore_index))


# ---- robust regression and probabilities


BOTH = ("self", "target")


def together(one: Any, other: Any) -> Any:
    """The dtype in which two tensors meet, all of numpy's."""
    return dtypes.to_numpy(dtypes.promote_types(dtypes.from_numpy(one), dtypes.from_numpy(other)))


def share(size: int, reduction: int) -> float:
    """How much each element of the gradient counts."""
    return 1.0 / size if reduction == MEAN else 1.0


@both
def divide_by_count(values: Array, reduction: int) -> Array:
    """`values` divided by their number under mean, for operators that PyTorch composes of others."""
    return div_scalar(values, count_of(values)) if reduction == 1 else values


@both
def collect_grad(values: Array, reduction: int) -> Array:
    """The gradient of a loss's incoming gradient: one number for a reduced loss."""
    return values if reduction == 0 else sum(values)


def writes_of_share(node: Any) -> int:
    """How often torch writes a gradient when it applies weight and mean."""
    return (node.saved_reduction == MEAN) + (node.version_weight is not None)


def writes_of_logits(node: Any) -> int:
    return writes_of_share(node) + 2 * (node.version_pos_weight is not None)


# ---- between squared and absolute error


@op(
    "smooth_l1_loss",
    promote=BOTH,
    self=lambda grad, self, target, reduction, beta: smooth_l1_loss_backward(grad, self, target, reduction, beta),
    target=lambda grad, self, target, reduction, beta: smooth_l1_loss_backward(grad, target, self, reduction, beta),
)
def smooth_l1_loss(self: Array, target: Array, reduction: int = MEAN, beta: float = 1.0) -> Array:
    refuse("smooth_l1_cpu", "biu", self, target)
    distance = np.abs(self - target)
    near = 0.5 * distance * distance / (beta or 1)
    return reduce_loss(bare(np.where(distance < beta, near, distance - 0.5 * beta)), reduction)


@op(
    "smooth_l1_loss_backward",
    grad_output=lambda grad, self, target, reduction, beta: collect_grad(
        grad * smooth_l1_loss_backward(add_scalar(zeros_as(grad), 1), self, target, reduction, beta), reduction
    ),
    self=lambda grad, grad_output, self, target, reduction, beta: smooth_l1_double(
        grad * grad_output, self, target, reduction, beta
    ),
    target=lambda grad, grad_output, self, target, reduction, beta: (
        -smooth_l1_double(grad * grad_output, self, target, reduction, beta)
    ),
)
def smooth_l1_loss_backward(grad_output: Array, self: Array, target: Array, reduction: int, beta: float) -> Array:
    difference = self - target
    slope = np.where(np.abs(difference) < beta, difference / (beta or 1), np.sign(difference))
    return bare(slope * self.dtype.type(share(difference.size, reduction)) * grad_output)


@both
def smooth_l1_double(pulled: Array, self: Array, target: Array, reduction: int, beta: float) -> Array:
    return divide_by_count(div_scalar(pulled * (abs(self - target) < beta), beta), reduction)


@op(
    "huber_loss",
    self=lambda grad, self, target, reduction, delta: huber_loss_backward(grad, self, target, reduction, delta),
    target=lambda grad, self, target, reduction, delta: huber_loss_backward(grad, target, self, reduction, delta),
)
def huber_loss(self: Array, target: Array, reduction: int = MEAN, delta: float = 1.0) -> Array:
    kind = together(self.dtype, target.dtype)
    check_cast(kind, self.dtype)
    one, other = self.astype(kind, copy=False), target.astype(kind, copy=False)
    refuse("huber_cpu", "biu", one)
    distance = np.abs(one - other)
    near = 0.5 * distance * distance
    losses = np.where(distance <= delta, near, delta * (distance - 0.5 * delta))
    return reduce_loss(bare(losses.astype(self.dtype, copy=False)), reduction)


@op(
    "huber_loss_backward",
    grad_output=lambda grad, self, target, reduction, delta: collect_grad(
        grad * huber_loss_backward(add_scalar(zeros_as(grad), 1), self, target, reduction, delta), reduction
    ),
    self=lambda grad, grad_output, self, target, reduction, delta: huber_double(
        grad * grad_output, self, target, reduction, delta
    ),
    target=lambda grad, grad_output, self, target, reduction, delta: (
        -huber_double(grad * grad_output, self, target, reduction, delta)
    ),
)
def huber_loss_backward(grad_output: Array, self: Array, target: Array, reduction: int, delta: float) -> Array:
    if self.dtype != target.dtype:
        raise RuntimeError(f"Found dtype {type_name(target.dtype)} but expected {type_name(self.dtype)}")
    difference = shortened(self - target, self)
    slope = np.clip(difference, -delta, delta)
    return shortened(slope * shortened(self.dtype.type(share(difference.size, reduction)), self), self) * grad_output


@both
def huber_double(pulled: Array, self: Array, target: Array, reduction: int, delta: float) -> Array:
    return divide_by_count(pulled * (abs(self - target) < delta), reduction)


# ---- probabilities


@op(
    "binary_cross_entropy",
    self=lambda grad, self, target, weight, reduction: binary_cross_entropy_backward(
        grad, self, target, weight, reduction
    ),
    target=lambda grad, self, target, weight, reduction: bce_target(grad, self, weight, reduction),
    writes=lambda node: (0, 2 + writes_of_share(node)),
)
def binary_cross_entropy(self: Array, target: Array, weight: Array | None = None, reduction: int = MEAN) -> Array:
    refuse("binary_cross_entropy", "biu", self)
    if not np.all((self >= 0) & (self <= 1)):
        raise RuntimeError("all elements of input should be between 0 and 1")
    if not np.all((target >= 0) & (target <= 1)):
        raise RuntimeError("all elements of target should be between 0 and 1")
    with np.errstate(divide="ignore"):
        no, yes = np.maximum(arithmetic.log1p(-self), -100), np.maximum(arithmetic.log(self), -100)
    losses = (target - 1) * no - target * yes
    return reduce_loss(times(losses, weight), reduction)


def times(losses: Array, weight: Array | None) -> Array:
    """Each loss as often as its weight; they keep their dtype."""
    if weight is None:
        return losses
    return bare((losses * weight).astype(losses.dtype, copy=False))


@op(
    "binary_cross_entropy_backward",
    grad_output=lambda grad, self, target, weight, reduction: collect_grad(
        grad * binary_cross_entropy_backward(add_scalar(zeros_as(grad), 1), self, target, weight, reduction), reduction
    ),
    self=lambda grad, grad_output, self, target, weight, reduction: bce_double(
        grad * grad_output, self, target, weight, reduction
    ),
    target=lambda grad, grad_output, self, weight, reduction: bce_double_target(
        grad * grad_output, self, weight, reduction
    ),
)
def binary_cross_entropy_backward(
    grad_output: Array, self: Array, target: Array, weight: Array | None, reduction: int
) -> Array:
    slope = grad_output * (self - target) / np.maximum((1 - self) * self, 1e-12)
    slope = slope if weight is None else slope * weight
    return slope * self.dtype.type(share(slope.size, reduction))


@both
def scale_by_weight(values: Array, weight: Any) -> Array:
    return values if weight is None else values * weight


@both
def bce_double(pulled: Array, self: Array, target: Array, weight: Array, reduction: int) -> Array:
    spread = self * one_minus(self)
    curve = (spread - (self - target) * add_scalar(mul_scalar(self, -2), 1)) / (spread * spread)
    return divide_by_count(scale_by_weight(pulled * curve, weight), reduction)


@both
def bce_double_target(pulled: Array, self: Array, weight: Array, reduction: int) -> Array:
    return divide_by_count(scale_by_weight(-pulled / (self * one_minus(self)), weight), reduction)


@both
def bce_target(grad: Array, self: Array, weight: Array, reduction: int) -> Array:
    return divide_by_count(scale_by_weight(-logit(self, None) * grad, weight), reduction)


@op(
    "binary_cross_entropy_with_logits",
    self=lambda grad, self, target, weight, pos_weight, reduction: logits_backward(
        grad, self, target, weight, pos_weight, reduction
    ),
    target=lambda grad, self, target, weight, pos_weight, reduction: logits_target(
        grad, self, weight, pos_weight, reduction
    ),
    writes=lambda node: (2 + writes_of_logits(node), writes_of_logits(node)),
)
def binary_cross_entropy_with_logits(
    self: Array, target: Array, weight: Array | None = None, pos_weight: Array | None = None, reduction: int = MEAN
) -> Array:
    refuse("log_sigmoid_cpu", "biu", self)
    if target.dtype.kind == "b":
        raise RuntimeError(errors.BOOL_SUBTRACT)
    sure = np.minimum(self, 0) - arithmetic.log1p(arithmetic.exp(-np.abs(self)))
    if pos_weight is not None:
        sure = times(sure, (pos_weight - 1) * target + 1)
    check_cast(self.dtype, target.dtype)
    missed = times(1 - target, self)
    losses = bare((missed - sure).astype(missed.dtype, copy=False))
    return reduce_loss(times(losses, weight), reduction)


@both
def logits_backward(grad: Array, self: Array, target: Array, weight: Array, pos_weight: Array, reduction: int) -> Array:
    if pos_weight is None:
        slope = (sigmoid(self) - target) * grad
    else:
        hit = pos_weight * target
        slope = ((add_scalar(hit, 1) - target) * sigmoid(self) - hit) * grad
    return divide_by_count(scale_by_weight(slope, weight), reduction)


@both
def logits_target(grad: Array, self: Array, weight: Array, pos_weight: Array, reduction: int) -> Array:
    if pos_weight is None:
        slope = -self * grad
    else:
        chance = sigmoid(self)
        slope = (log(one_minus(chance)) - pos_weight * log(chance)) * grad
    return divide_by_count(scale_by_weight(slope, weight), reduction)


@op(
    "soft_margin_loss",
    self=lambda grad, self, target, reduction: soft_margin_loss_backward(grad, self, target, reduction),
)
def soft_margin_loss(self: Array, target: Array, reduction: int = MEAN) -> Array:
    if self.dtype.kind == "b":
        raise RuntimeError(errors.BOOL_NEGATION)
    if self.dtype.kind != "f":
        check_cast(together(target.dtype, np.dtype(np.float32)), self.dtype)
    errors.check_fits(self.shape, np.broadcast_shapes(self.shape, target.shape))
    return reduce_loss(arithmetic.log1p(arithmetic.exp(-target.astype(self.dtype, copy=False) * self)), reduction)


@op(
    "soft_margin_loss_backward",
    grad_output=lambda grad, self, target, reduction: collect_grad(
        grad * soft_margin_loss_backward(add_scalar(zeros_as(grad), 1), self, target, reduction), reduction
    ),
    self=lambda grad, grad_output, self, target, reduction: soft_margin_double(
        grad * grad_output, self, target, reduction
    ),
)
def soft_margin_loss_backward(grad_output: Array, self: Array, target: Array, reduction: int) -> Array:
    if target.dtype.kind == "b":
        raise RuntimeError(errors.BOOL_NEGATION)
    growth = arithmetic.exp(-target * self)
    return -target * growth / (growth + 1) * self.dtype.type(share(growth.size, reduction)) * grad_output


@both
def soft_margin_double(pulled: Array, self: Array, target: Array, reduction: int) -> Array:
    chance = sigmoid(-target * self)
    return divide_by_count(target * target * chance * one_minus(chance) * pulled, reduction)


# ---- margins; these have a first derivative alone


def once_derived(name: str, *given: Any) -> Tensor:
    """What the operator `name` gives, below a node that says that torch has no derivative of it."""
    from ..dispatch.not_implemented import call_underived

    return call_underived(name, GRAPH[name], *given)


helper(once_derived, lambda name, *given: RAW[name](*given))


def examples(data: Array) -> Array:
    """Scores as rows, a row for each example."""
    return data.reshape((1, -1) if data.ndim < 2 else data.shape)


def check_scores(data: Array) -> None:
    if data.ndim > 2 or 0 in data.shape[-1:]:
        raise RuntimeError(
            f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {list(data.shape)}"
        )


def check_classes(data: Array, target: Array, weight: Array | None) -> None:
    check_scores(data)
    rows, classes = examples(data).shape
    if target.ndim > 1 or target.size != rows:
        raise RuntimeError(
            "multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples (batch "
            f"size). Expected target size [{rows}], but got {list(target.shape)}. Input has shape {list(data.shape)}."
        )
    if weight is not None and weight.size != classes:
        raise RuntimeError(f"inconsistent weight size, expected {classes} but got {list(weight.shape)}")
    refuse("multi_margin_loss_cpu_kernel", "biu", data)
    need_long(target)
    if np.any((target < 0) | (target >= classes)):
        raise RuntimeError("target out of range")


def need_long(target: Array) -> None:
    if target.dtype != np.int64:
        raise RuntimeError(f"expected scalar type Long but found {errors.type_name(target.dtype)}")


def beyond(data: Array, target: Array, margin: float) -> tuple[Array, Array]:
    """By how much each score comes nearer than `margin` to that of the class meant, and which that is."""
    rows = examples(data)
    meant = np.arange(rows.shape[1]) == target.reshape(-1, 1)
    apart = np.maximum(rows - rows[meant][:, None] + rows.dtype.type(margin), 0)
    return np.where(meant, rows.dtype.type(0), apart), meant


@op(
    "multi_margin_loss",
    forward_mode=False,
    self=lambda grad, self, target, p, margin, weight, reduction: once_derived(
        "multi_margin_loss_backward", grad, self, target, p, margin, weight, reduction
    ),
)
def multi_margin_loss(
    self: Array, target: Array, p: float, margin: float, weight: Array | None, reduction: int = MEAN
) -> Array:
    check_classes(self, target, weight)
    apart, _ = beyond(self, target, margin)
    powers = apart if p == 1 else apart * apart
    if weight is not None:
        powers = powers * weight[target.reshape(-1, 1)]
    losses = np.sum(powers, axis=1) / self.dtype.type(apart.shape[1])
    return reduce_loss(losses.reshape(target.shape)[()], reduction)


@op("multi_margin_loss_backward")
def multi_margin_loss_backward(
    grad_output: Array, self: Array, target: Array, p: float, margin: float, weight: Array | None, reduction: int
) -> Array:
    apart, meant = beyond(self, target, margin)
    share = 1 / (max(apart.size, 1) if reduction == MEAN else apart.shape[1])
    slope = (apart > 0) * self.dtype.type(share) if p == 1 else 2 * self.dtype.type(share) * apart
    if weight is not None:
        slope = slope * weight[target.reshape(-1, 1)]
    slope = np.where(meant, 0 - np.sum(slope, axis=1, keepdims=True), slope)
    return (np.reshape(grad_output, (-1, 1)) * slope).reshape(self.shape).astype(self.dtype)


# ---- several classes meant


def labels(target: Array) -> Array:
    """Which places of each row of targets count: those before the first -1."""
    return np.cumprod(examples(target) >= 0, axis=1).astype(bool)


def check_labels(data: Array, target: Array) -> None:
    check_scores(data)
    if target.shape != data.shape:
        raise RuntimeError(f"inconsistent target size: {list(target.shape)} for input of size: {list(data.shape)}")
    need_long(target)
    if np.any((target < -1) | (target >= examples(data).shape[1])):
        raise RuntimeError("argument #2 'target' is out of range")
    refuse("multilabel_margin_loss_forward_out_frame", "biu", data)


def nearer(data: Array, target: Array, is_target: Array) -> Array:
    """By how much each score that is not meant comes nearer than 1 to each that is: row, place of the target, class."""
    rows, wanted = examples(data), examples(target)
    meant = np.take_along_axis(rows, np.maximum(wanted, 0), 1)
    apart = np.maximum(1 - meant[:, :, None] + rows[:, None, :], 0)
    counts = labels(target)[:, :, None] & (examples(is_target) == 0)[:, None, :]
    return np.where(counts, apart, rows.dtype.type(0))


@op(
    "multilabel_margin_loss_forward",
    forward_mode=False,
    node="MultilabelMarginLossBackward0",
    outputs="output | is_target",
    self=lambda grad, self, target, reduction, is_target: once_derived(
        "multilabel_margin_loss_backward", grad, self, target, reduction, is_target
    ),
)
def multilabel_margin_loss(self: Array, target: Array, reduction: int = MEAN) -> tuple[Array, Array]:
    check_labels(self, target)
    wanted, counts = examples(target), labels(target)
    is_target = np.zeros(wanted.shape, self.dtype)
    rows = np.broadcast_to(np.arange(len(wanted))[:, None], wanted.shape)
    is_target[rows[counts], wanted[counts]] = 1
    losses = np.sum(nearer(self, target, is_target), axis=(1, 2)) / self.dtype.type(wanted.shape[1])
    return reduce_loss(losses.reshape(target.shape[:-1])[()], reduction), is_target.reshape(target.shape)


@op("multilabel_margin_loss_backward")
def multilabel_margin_loss_backward(
    grad_output: Array, self: Array, target: Array, reduction: int, is_target: Array
) -> Array:
    hit = nearer(self, target, is_target) > 0
    wanted = examples(target)
    share = 1 / (max(wanted.size, 1) if reduction == MEAN else wanted.shape[1])
    slope = np.sum(hit, axis=1).astype(self.dtype)
    rows = np.broadcast_to(np.arange(len(wanted))[:, None], wanted.shape)
    np.add.at(slope, (rows, np.maximum(wanted, 0)), -np.sum(hit, axis=2).astype(self.dtype))
    return (np.reshape(grad_output, (-1, 1)) * slope * self.dtype.type(share)).reshape(self.shape).copy()
