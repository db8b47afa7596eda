"""Layer and batch normalization.

The formulas compute mean and variance anew rather than read the saved ones: they are then functions of the input, and
can be differentiated again. A parameter that ends in `_` is kept by the node without being shown.
"""

# ruff: noqa: F821
# mypy: disable-error-code="no-any-return, no-untyped-call, misc, name-defined, has-type, call-overload, arg-type"

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..op import both, op
from ..tensor import Array


@both
def centred(input: Array, over: Sequence[int]) -> Array:
    return input - mean_dim(input, over, True)


@both
def inverse_deviation(input: Array, over: Sequence[int], eps: float) -> Array:
    moved = centred(input, over)
    return rsqrt(add_scalar(mean_dim(moved * moved, over, True), eps))


@both
def through_normalized(grad: Array, input: Array, over: Sequence[int], eps: float) -> Array:
    """The gradient of `input`, where `grad` is that of the normalized input."""
    scale = inverse_deviation(input, over, eps)
    normal = centred(input, over) * scale
    along = mean_dim(grad * normal, over, True)
    return scale * (grad - mean_dim(grad, over, True) - normal * along)


def statistics(input: Array, over: tuple[int, ...], eps: float) -> tuple[Array, Array]:
    """Mean and one over the standard deviation, in the dimensions `over`, which are kept with length 1."""
    mean = np.mean(input, axis=over, keepdims=True, dtype=np.float64)
    variance = np.mean((input - mean) ** 2, axis=over, keepdims=True, dtype=np.float64)
    kind = input.dtype
    return mean.astype(kind), (1 / np.sqrt(variance + eps)).astype(kind)


# ---- layer normalization: over the last dimensions


@both
def last_dims(shape: Sequence[int]) -> list[int]:
    return list(range(-len(shape), 0))


@both
def weighted_by(grad: Array, weight: Any) -> Array:
    return grad if weight is None else grad * weight


@both
def first_dims(input: Array, shape: Sequence[int]) -> list[int]:
    return list(range(len(input.shape) - len(shape)))


@both
def summed_over(values: Array, over: Sequence[int]) -> Array:
    return sum_dim(values, over) if over else values


@both
def layer_weight(grad: Array, input: Array, shape: Sequence[int], eps: float) -> Array:
    over = last_dims(shape)
    normal = centred(input, over) * inverse_deviation(input, over, eps)
    return summed_over(grad * normal, first_dims(input, shape))


@op(
    "native_layer_norm",
    outputs=("result", "result1", "result2"),
    differentiable=("result",),
    input=lambda grad, input, normalized_shape, weight, bias, result1, result2, eps_: through_normalized(
        weighted_by(grad, weight), input, last_dims(normalized_shape), eps_
    ),
    weight=lambda grad, input, normalized_shape, weight, bias, result1, result2, eps_: layer_weight(
        grad, input, normalized_shape, eps_
    ),
    bias=lambda grad, input, normalized_shape, weight, bias, result1, result2, eps_: summed_over(
        grad, first_dims(input, normalized_shape)
    ),
)
def layer_norm(
    input: Array, normalized_shape: Sequence[int], weight: Array | None, bias: Array | None, eps_: float
) -> tuple[Array, Array, Array]:
    over = tuple(range(-len(normalized_shape), 0))
    mean, scale = statistics(input, over, eps_)
    result = (input - mean) * scale
    if weight is not None:
        result = result * weight
    return (result if bias is None else result + bias), mean, scale


# ---- batch normalization: over all dimensions but the second


@both
def but_channels(input: Array) -> list[int]:
    return [dim for dim in range(len(input.shape)) if dim != 1]


@both
def by_channel(values: Array, input: Array) -> Array:
    return reshape(values, [-1 if dim == 1 else 1 for dim in range(len(input.shape))])


@both
def batch_input(
    grad: Array, input: Array, weight: Any, running_mean: Any, running_var: Any, training: bool, eps: float
) -> Array:
    pulled = grad if weight is None else grad * by_channel(weight, input)
    if training:
        return through_normalized(pulled, input, but_channels(input), eps)
    return pulled * by_channel(rsqrt(add_scalar(running_var, eps)), input)


@both
def batch_weight(grad: Array, input: Array, running_mean: Any, running_var: Any, training: bool, eps: float) -> Array:
    over = but_channels(input)
    if training:
        normal = centred(input, over) * inverse_deviation(input, over, eps)
    else:
        normal = (input - by_channel(running_mean, input)) * by_channel(rsqrt(add_scalar(running_var, eps)), input)
    return sum_dim(grad * normal, over)


@op(
    "native_batch_norm",
    outputs=("result", "result1", "result2"),
    differentiable=("result",),
    input=lambda grad, input, weight, running_mean, running_var, result1, result2, training, eps: batch_input(
        grad, input, weight, running_mean, running_var, training, eps
    ),
    weight=lambda grad, input, weight, running_mean, running_var, result1, result2, training, eps: batch_weight(
        grad, input, running_mean, running_var, training, eps
    ),
    bias=lambda grad, input, weight, running_mean, running_var, result1, result2, training, eps: sum_dim(
        grad, but_channels(input)
    ),
)
def batch_norm(
    input: Array,
    weight: Array | None,
    bias: Array | None,
    running_mean: Array | None,
    running_var: Array | None,
    training: bool,
    momentum: float,
    eps: float,
) -> tuple[Array, Array, Array]:
    """Under `training` the running statistics are moved on in place, without a trace in their versions, as in torch."""
    over = tuple(dim for dim in range(input.ndim) if dim != 1)
    wide = tuple(-1 if dim == 1 else 1 for dim in range(input.ndim))
    empty = np.zeros(0, input.dtype)
    if training:
        mean, scale = statistics(input, over, eps)
        kept = (mean.ravel(), scale.ravel())
        move_on(running_mean, running_var, input, mean, over, momentum)
    else:
        assert running_mean is not None and running_var is not None
        mean, scale = running_mean.reshape(wide), (1 / np.sqrt(running_var + eps)).reshape(wide)
        kept = (empty, empty)
    result = (input - mean) * scale
    if weight is not None:
        result = result * weight.reshape(wide)
    return (result if bias is None else result + bias.reshape(wide)), *kept


def move_on(
    running_mean: Array | None, running_var: Array | None, input: Array, mean: Array, over: tuple[int, ...], by: float
) -> None:
    """Mix the statistics of this batch into the running ones."""
    if running_mean is not None:
        running_mean[...] = by * mean.ravel() + (1 - by) * running_mean
    if running_var is not None:
        count = input.size // input.shape[1]
        spread = np.sum((input - mean) ** 2, axis=over, dtype=np.float64) / (count - 1)
        running_var[...] = by * spread.astype(input.dtype) + (1 - by) * running_var
