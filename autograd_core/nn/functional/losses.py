"""Losses between numbers, and margins."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import dtypes, errors
from ...functions.arguments import cast
from ...inplace import in_place
from ...ops import loss, unary
from ...ops import reduction as reduction_ops
from ...ops.activation import log_sigmoid
from ...ops.binary import add, add_scalar, div, eq, le, mul, mul_scalar, pow_scalar, rsub, sub, sub_scalar
from ...ops.join import clone
from ...ops.view import expand, unsqueeze
from ...state import state
from ...tensor import Tensor, plain
from ...transforms.batch import hidden
from ...warned import warn
from .common import REDUCTIONS, no_gradient_for, reduce_loss, reduction_nr, reduction_of, with_old_flags


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
    one, other = (t if list(t.data_.shape) == shape else expand(t, shape) for t in (input, target))
    return one, other


@with_old_flags
def mse_loss(input: Tensor, target: Tensor, reduction: str = "mean", weight: Tensor | None = None) -> Tensor:
    one, other = same_size(input, target)
    if weight is None:
        return loss.mse_loss(one, other, reduction_nr(reduction))
    return weighted(pow_scalar(sub(one, other), 2), input, weight, reduction)


def weighted(values: Tensor, input: Tensor, weight: Tensor, reduction: str) -> Tensor:
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


@with_old_flags
def l1_loss(input: Tensor, target: Tensor, reduction: str = "mean", weight: Tensor | None = None) -> Tensor:
    one, other = same_size(input, target)
    values = unary.abs(sub(one, other))
    return reduce_loss(values, reduction) if weight is None else weighted(values, input, weight, reduction)


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


@with_old_flags
def hinge_embedding_loss(input: Tensor, target: Tensor, margin: float = 1.0, reduction: str = "mean") -> Tensor:
    nothing = plain(np.zeros_like(input.data_))
    missing = in_place(unary.clamp_min, sub(plain(np.full_like(input.data_, margin)), input), 0)
    far = unary.where(plain(target.data_ != 1), missing, nothing)
    near = unary.where(plain(target.data_ != -1), input, nothing)
    return reduce_loss(add(far, near), reduction)


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
    return reduce_loss(in_place(unary.clamp_min, add_scalar(floated(order), margin), 0), reduction)


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
    far = in_place(unary.clamp_min, sub_scalar(floated(cosine), margin), 0)
    near, far = unary.where(eq(target, 1), near, nothing), unary.where(eq(target, -1), far, nothing)
    return reduce_loss(add(near, far), reduction)


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
    input: Tensor,
    target: Tensor,
    var: Tensor | float,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Tensor:
    spread = spread_of(input, var)
    if reduction not in REDUCTIONS:
        raise ValueError(f"{reduction} is not valid")
    spread = clone(spread)
    if spread.data_.dtype.kind != "f":
        kind = errors.C_NAMES[spread.data_.dtype.name]
        raise RuntimeError(f"result type Float can't be cast to the desired output type {kind}")
    spread.overwrite(np.maximum(spread.data_, eps))
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
        return unsqueeze(var, -1)
    if len(sizes) != len(shape) or sum(size for one, size in zip(shape, sizes, strict=True) if one != size) != 1:
        raise ValueError("var is of incorrect size")
    return var


def floated(values: Tensor) -> Tensor:
    """Whole numbers as floats, as they become beside one; floats as they are."""
    return values if values.data_.dtype.kind == "f" else cast(values, dtypes.get_default_dtype())


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
        x2 = expand(x2, list(shape))  # torch expands both, the second first
        x1 = expand(x1, list(shape))
    held = []
    for x in (x1, x2):
        length = clone(reduction_ops.vector_norm(x, 2, [dim], True))
        if hidden(length):
            with_grad, state.grad_enabled = state.grad_enabled, False
            length.clamp_min_(eps)
            state.grad_enabled = with_grad
        else:
            length.overwrite(np.maximum(length.data_, eps))
            length.bump()
        held.append(length)
    other = div(x2, held[1])
    return reduction_ops.sum_dim(mul(div(x1, held[0]), other), [dim], False)


def pairwise_distance(x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Tensor:
    """The norm of the difference, which is moved by `eps` so that it has a derivative everywhere."""
    last = max(x1.data_.ndim, x2.data_.ndim) - 1
    return reduction_ops.norm_dim(add_scalar(floated(sub(x1, x2)), eps), float(p), [last], keepdim)


def need_one_rank(anchor: Tensor, positive: Tensor, negative: Tensor) -> None:
    ranks = [t.data_.ndim for t in (anchor, positive, negative)]
    if len(set(ranks)) > 1:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
            "anchor {}D, positive {}D, and negative {}D inputs".format(*ranks)
        )


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
