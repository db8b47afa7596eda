"""Losses that PyTorch has as one operator. `reduction` is 0 none, 1 mean, 2 sum. Formulas: derivatives.yaml."""

from __future__ import annotations

import numpy as np

from ..arithmetic import total
from ..errors import type_name
from ..op import RAW, both, op
from ..tensor import Array
from .kernels import refuse

NONE, MEAN, SUM = 0, 1, 2


def reduced(values: Array, reduction: int) -> Array:
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
    return reduced(difference * difference, reduction)


@op(
    "mse_loss_backward",
    grad_output=lambda grad, self, target, reduction: mse_loss_double(grad, self, target, reduction),
    self=lambda grad, grad_output, self, reduction: mse_self_double(grad, grad_output, self, reduction),
    target=lambda grad, grad_output, self, reduction: -mse_self_double(grad, grad_output, self, reduction),
)
def mse_loss_backward(grad_output: Array, self: Array, target: Array, reduction: int) -> Array:
    size = np.broadcast(self, target).size
    norm = 2.0 / size if reduction == MEAN else 2.0
    return self.dtype.type(norm) * (self - target) * grad_output


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
    outputs=("result", "total_weight"),
    differentiable=("result",),
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
    node="NllLoss2DBackward0",
    outputs=("result", "total_weight"),
    differentiable=("result",),
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
