"""Losses of classes by margins. They have a first derivative alone. Formulas: PyTorch's MultiMarginLoss.cpp and
MultiLabelMarginCriterion.cpp. `reduction` is 0 none, 1 mean, 2 sum."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import errors
from ..op import GRAPH, RAW, helper, op
from ..tensor import Array, Tensor
from .kernels import refuse
from .loss import MEAN, reduced


def once_derived(name: str, *given: Any) -> Tensor:
    """What the operator `name` gives, below a node that says that torch has no derivative of it."""
    from ..not_implemented import underived

    return underived(name, GRAPH[name], *given)


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
    return reduced(losses.reshape(target.shape)[()], reduction)


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
    outputs=("output", "is_target"),
    differentiable=("output",),
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
    return reduced(losses.reshape(target.shape[:-1])[()], reduction), is_target.reshape(target.shape)


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
