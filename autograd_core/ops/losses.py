"""Losses for robust regression and for probabilities. `reduction` is 0 none, 1 mean, 2 sum."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import arithmetic, dtypes, errors
from ..errors import check_cast, type_name
from ..op import both, op
from ..tensor import Array, bare
from .kernels import refuse
from .loss import MEAN, reduced

BOTH = ("self", "target")


def together(one: Any, other: Any) -> Any:
    """The dtype in which two tensors meet, all of numpy's."""
    return dtypes.to_numpy(dtypes.promote_types(dtypes.from_numpy(one), dtypes.from_numpy(other)))


def share(size: int, reduction: int) -> float:
    """How much each element of the gradient counts."""
    return 1.0 / size if reduction == MEAN else 1.0


@both
def shared(values: Array, reduction: int) -> Array:
    """`values` divided by their number under mean, for operators that PyTorch composes of others."""
    return div_scalar(values, count_of(values)) if reduction == 1 else values


@both
def collected(values: Array, reduction: int) -> Array:
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
    return reduced(bare(np.where(distance < beta, near, distance - 0.5 * beta)), reduction)


@op(
    "smooth_l1_loss_backward",
    grad_output=lambda grad, self, target, reduction, beta: collected(
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
    return shared(div_scalar(pulled * (abs(self - target) < beta), beta), reduction)


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
    return reduced(bare(losses.astype(self.dtype, copy=False)), reduction)


@op(
    "huber_loss_backward",
    grad_output=lambda grad, self, target, reduction, delta: collected(
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
    difference = self - target
    slope = np.clip(difference, -delta, delta)
    return slope * self.dtype.type(share(difference.size, reduction)) * grad_output


@both
def huber_double(pulled: Array, self: Array, target: Array, reduction: int, delta: float) -> Array:
    return shared(pulled * (abs(self - target) < delta), reduction)


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
    return reduced(times(losses, weight), reduction)


def times(losses: Array, weight: Array | None) -> Array:
    """Each loss as often as its weight; they keep their dtype."""
    if weight is None:
        return losses
    return bare((losses * weight).astype(losses.dtype, copy=False))


@op(
    "binary_cross_entropy_backward",
    grad_output=lambda grad, self, target, weight, reduction: collected(
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
def weighted(values: Array, weight: Any) -> Array:
    return values if weight is None else values * weight


@both
def bce_double(pulled: Array, self: Array, target: Array, weight: Array, reduction: int) -> Array:
    spread = self * one_minus(self)
    curve = (spread - (self - target) * add_scalar(mul_scalar(self, -2), 1)) / (spread * spread)
    return shared(weighted(pulled * curve, weight), reduction)


@both
def bce_double_target(pulled: Array, self: Array, weight: Array, reduction: int) -> Array:
    return shared(weighted(-pulled / (self * one_minus(self)), weight), reduction)


@both
def bce_target(grad: Array, self: Array, weight: Array, reduction: int) -> Array:
    return shared(weighted(-logit(self, None) * grad, weight), reduction)


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
    return reduced(times(losses, weight), reduction)


@both
def logits_backward(grad: Array, self: Array, target: Array, weight: Array, pos_weight: Array, reduction: int) -> Array:
    if pos_weight is None:
        slope = (sigmoid(self) - target) * grad
    else:
        hit = pos_weight * target
        slope = ((add_scalar(hit, 1) - target) * sigmoid(self) - hit) * grad
    return shared(weighted(slope, weight), reduction)


@both
def logits_target(grad: Array, self: Array, weight: Array, pos_weight: Array, reduction: int) -> Array:
    if pos_weight is None:
        slope = -self * grad
    else:
        chance = sigmoid(self)
        slope = (log(one_minus(chance)) - pos_weight * log(chance)) * grad
    return shared(weighted(slope, weight), reduction)


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
    return reduced(arithmetic.log1p(arithmetic.exp(-target.astype(self.dtype, copy=False) * self)), reduction)


@op(
    "soft_margin_loss_backward",
    grad_output=lambda grad, self, target, reduction: collected(
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
    return shared(target * target * chance * one_minus(chance) * pulled, reduction)
