"""Layer, batch and group normalization.

Backward is an operator of its own that reads mean and deviation as the forward kept them. Its derivative, again, is
PyTorch's: `_double` functions write out how the gradients of both change, with mean and deviation taken as given.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..dispatch.op import both
from ..tensor.strides import beside
from ..tensor.tensor import Array
from .fused_backward import ABSENT, joint

Sizes = Sequence[int]


def statistics(input: Array, over: tuple[int, ...], eps: float) -> tuple[Array, Array]:
    """Mean and one over the standard deviation, in the dimensions `over`, which are kept with length 1."""
    mean = np.mean(input, axis=over, keepdims=True, dtype=np.float64)
    variance = np.mean((input - mean) ** 2, axis=over, keepdims=True, dtype=np.float64)
    kind = input.dtype
    return mean.astype(kind), (1 / np.sqrt(variance + eps)).astype(kind)


def through_normalized(grad: Array, normal: Array, scale: Array, over: tuple[int, ...]) -> Array:
    """The gradient of the input, where `grad` is that of what was made of it, of mean 0 and deviation 1."""
    along = np.mean(grad * normal, axis=over, keepdims=True)
    return scale * (grad - np.mean(grad, axis=over, keepdims=True) - normal * along)


@both
def pulled_back(grad: Array, centred: Array, scale: Array, gain: Any, over: Sequence[int], count: int) -> Array:
    """`through_normalized`, of operators that can be differentiated."""
    first = scale / count if gain is None else gain * scale / count
    along = centred * pow_scalar(scale, 2) * sum_dim(grad * centred, over, True)
    return first * (mul_scalar(grad, count) - sum_dim(grad, over, True) - along)


@both
def input_slope(by_input: Array, grad: Array, centred: Array, scale: Array, over: Sequence[int], count: int) -> Array:
    """How the gradient of the input changes with the input, in the direction `by_input`."""
    cube = pow_scalar(scale, 3)
    grad_sum, grad_along = sum_dim(grad, over, True), sum_dim(grad * centred, over, True)
    sum_, along = sum_dim(by_input, over, True), sum_dim(by_input * centred, over, True)
    cross = div_scalar(sum_ * grad_sum, count) - sum_dim(by_input * grad, over, True)
    cross = cross + mul_scalar(pow_scalar(scale, 2) * grad_along * along, 3.0 / count)
    out = div_scalar(centred * cube * cross, count)
    out = out + div_scalar(along * cube, count) * (div_scalar(grad_sum, count) - grad)
    return out + div_scalar(grad_along * cube, count) * (div_scalar(sum_, count) - by_input)


@both
def weight_slope(grad: Array, centred: Array, scale: Array, over: Sequence[int], count: int) -> Array:
    """How the gradient of the weight changes with the input."""
    out = grad * scale + div_scalar(scale * sum_dim(grad, over, True), -count)
    return out + div_scalar(centred * pow_scalar(scale, 3) * sum_dim(grad * centred, over, True), -count)


@both
def sum_present(one: Any, other: Any) -> Any:
    """The sum of what is there."""
    return other if one is None else one if other is None else one + other


# ---- layer normalization: over the last dimensions


@joint(
    "native_layer_norm",
    outputs="result | result1 result2",
    of=("input", "weight", "bias"),
    formula=lambda grad, input, normalized_shape, weight, bias, result1, result2, mask: layer_norm_backward(
        grad, input, normalized_shape, result1, result2, weight, bias, mask
    ),
)
def layer_norm(
    input: Array, normalized_shape: Sizes, weight: Array | None, bias: Array | None, eps_: float
) -> tuple[Array, Array, Array]:
    over = tuple(range(-len(normalized_shape), 0))
    mean, scale = statistics(input, over, eps_)
    result = (input - mean) * scale
    if weight is not None:
        result = result * weight
    return (result if bias is None else result + bias).astype(input.dtype, copy=False), mean, scale


@joint(
    "native_layer_norm_backward",
    outputs="result0 result1 result2",
    of=("grad_out", "input", "mean", "rstd", "weight", "bias"),
    formula=lambda grads, grad_out, input, normalized_shape, mean, rstd, weight: layer_norm_double(
        grads, grad_out, input, normalized_shape, mean, rstd, weight
    ),
)
def layer_norm_backward(
    grad_out: Array,
    input: Array,
    normalized_shape: Sizes,
    mean: Array,
    rstd: Array,
    weight: Array | None,
    bias: Array | None,
    output_mask: Sequence[bool],
) -> tuple[Array, Array, Array]:
    last = tuple(range(-len(normalized_shape), 0))
    first = tuple(range(input.ndim - len(normalized_shape)))
    normal = (input - mean) * rstd
    pulled = grad_out if weight is None else grad_out * weight
    to_input = through_normalized(pulled, normal, rstd, last) if output_mask[0] else ABSENT
    to_weight = np.add.reduce(grad_out * normal, axis=first) if output_mask[1] else ABSENT
    to_bias = np.add.reduce(grad_out, axis=first) if output_mask[2] else ABSENT
    return to_input, to_weight, to_bias


@both
def layer_norm_double(
    grads: Any, grad_out: Array, input: Array, normalized_shape: Sizes, mean: Array, rstd: Array, weight: Any
) -> list[Any]:
    by_input, by_weight, by_bias = grads
    count = 1
    for n in normalized_shape:
        count = count * n
    flat = [-1, count]
    grad, scale = reshape(grad_out, flat), reshape(rstd, [-1, 1])
    centred = reshape(input, flat) - reshape(mean, [-1, 1])
    gain = None if weight is None else reshape(weight, [1, count])
    to_input = to_weight = output = None
    if by_input is not None:
        turned = reshape(by_input, flat)
        to_input = input_slope(turned, grad if gain is None else grad * gain, centred, scale, [1], count)
        output = pulled_back(turned, centred, scale, gain, [1], count)
        if weight is not None:
            alone = pulled_back(turned, centred, scale, None, [1], count)
            to_weight = reshape(sum_dim(grad * alone, [0]), weight.shape)
    if by_weight is not None:
        lean = reshape(by_weight, [1, count])
        to_input = sum_present(to_input, weight_slope(grad * lean, centred, scale, [1], count))
        output = sum_present(output, lean * centred * scale)
    if by_bias is not None:
        output = sum_present(output, expand(reshape(by_bias, [1, count]), list(grad.shape)))
    to_output = None if output is None else reshape(output, input.shape)
    return [to_output, None if to_input is None else reshape(to_input, input.shape), None, None, to_weight, None]


# ---- batch normalization: over all dimensions but the second


@joint(
    "native_batch_norm",
    outputs="result | result1 result2",
    of=("input", "weight", "bias"),
    formula=lambda grad, input, weight, running_mean, running_var, result1, result2, training, eps, mask:
    batch_norm_backward(
        grad, input, weight, running_mean, running_var, result1, result2, training, eps, mask
    ),
)  # fmt: skip
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
    over = but_channels(input)
    wide = across_channels(input)
    if training:
        mean, scale = statistics(input, over, eps)
        kept = (mean.ravel(), scale.ravel())
        move_on(running_mean, running_var, input, mean, over, momentum)
    else:
        empty = np.zeros(0, input.dtype)
        assert running_mean is not None and running_var is not None
        mean, scale = running_mean.reshape(wide), (1 / np.sqrt(running_var + eps)).reshape(wide)
        kept = (empty, empty)
    result = (input - mean) * scale
    if weight is not None:
        result = result * weight.reshape(wide)
    return (result if bias is None else result + bias.reshape(wide)).astype(input.dtype, copy=False), *kept


def but_channels(input: Array) -> tuple[int, ...]:
    return tuple(dim for dim in range(input.ndim) if dim != 1)


def across_channels(input: Array) -> tuple[int, ...]:
    return tuple(-1 if dim == 1 else 1 for dim in range(input.ndim))


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


@joint(
    "native_batch_norm_backward",
    outputs="result0 result1 result2",
    of=("grad_out", "input", "weight", "save_mean", "save_invstd"),
    formula=lambda grads, grad_out, input, weight, running_mean, running_var, save_mean, save_invstd, train, eps:
    batch_norm_double(
        grads, grad_out, input, weight, running_mean, running_var, save_mean, save_invstd, train, eps
    ),
)  # fmt: skip
def batch_norm_backward(
    grad_out: Array,
    input: Array,
    weight: Array | None,
    running_mean: Array | None,
    running_var: Array | None,
    save_mean: Array,
    save_invstd: Array,
    train: bool,
    eps: float,
    output_mask: Sequence[bool],
) -> tuple[Array, Array, Array]:
    over, wide = but_channels(input), across_channels(input)
    if train:
        mean, scale = save_mean, save_invstd
    else:
        assert running_mean is not None and running_var is not None
        mean, scale = running_mean, 1 / np.sqrt(running_var + eps)
    scale = scale.reshape(wide)
    normal = (input - mean.reshape(wide)) * scale
    pulled = grad_out if weight is None else grad_out * weight.reshape(wide)
    to_input, to_weight, to_bias = ABSENT, ABSENT, ABSENT
    if output_mask[0]:
        to_input = beside(through_normalized(pulled, normal, scale, over) if train else pulled * scale, input)
    if output_mask[1]:
        to_weight = np.add.reduce(grad_out * normal, axis=over)
    if output_mask[2]:
        to_bias = np.add.reduce(grad_out, axis=over)
    return to_input, to_weight, to_bias


@both
def batch_norm_double(
    grads: Any,
    grad_out: Array,
    input: Array,
    weight: Any,
    running_mean: Any,
    running_var: Any,
    save_mean: Array,
    save_invstd: Array,
    train: bool,
    eps: float,
) -> list[Any]:
    by_input, by_weight, by_bias = grads
    over = [dim for dim in range(len(input.shape)) if dim != 1]
    wide = [-1 if dim == 1 else 1 for dim in range(len(input.shape))]
    count = 1
    for dim in over:
        count = count * input.shape[dim]
    scale = reshape(save_invstd if train else pow_scalar(add_scalar(running_var, eps), -0.5), wide)
    centred = input - reshape(save_mean if train else running_mean, wide)
    gain = None if weight is None else expand(reshape(weight, wide), list(input.shape))
    to_input = to_weight = output = None
    if by_input is not None:
        if train:
            turned = input_slope(by_input, grad_out, centred, scale, over, count)
            to_input = turned if gain is None else gain * turned
            output = pulled_back(by_input, centred, scale, gain, over, count)
            alone = None if gain is None else by_input * pulled_back(grad_out, centred, scale, None, over, count)
        else:
            output = by_input * scale if gain is None else by_input * scale * gain
            alone = None if gain is None else by_input * grad_out * scale
        to_weight = None if alone is None else sum_dim(alone, over)
    if by_weight is not None:
        lean = expand(reshape(by_weight, wide), list(input.shape))
        term = weight_slope(grad_out, centred, scale, over, count) if train else scale * grad_out
        to_input = sum_present(to_input, lean * term)
        output = sum_present(output, lean * centred * scale)
    if by_bias is not None:
        output = sum_present(output, expand(reshape(by_bias, wide), list(grad_out.shape)))
    return [output, to_input, to_weight, None, None]


# ---- group normalization: over some channels of one sample


@joint(
    "native_group_norm",
    outputs="result0 result1 result2",
    of=("input", "weight", "bias"),
    formula=lambda grads, input, weight, result1, result2, N, C, HxW, group, eps, mask: group_norm_backward(
        grads, input, result1, result2, weight, [N, group, C // group, HxW], eps, mask
    ),
)
def group_norm(
    input: Array, weight: Array | None, bias: Array | None, N: int, C: int, HxW: int, group: int, eps: float
) -> tuple[Array, Array, Array]:
    parts = input.reshape(N, group, C // group * HxW)
    mean, scale = statistics(parts, (2,), eps)
    result = ((parts - mean) * scale).reshape(input.shape)
    wide = (1, -1, *(1,) * (input.ndim - 2))
    if weight is not None:
        result = result * weight.reshape(wide)
    out = (result if bias is None else result + bias.reshape(wide)).astype(input.dtype, copy=False)
    return out, mean.reshape(N, group), scale.reshape(N, group)


@both
def group_norm_backward(
    grads: Any, input: Array, mean: Array, rstd: Array, weight: Any, shape: Sizes, eps: float, mask: Sequence[bool]
) -> list[Any]:
    grad, by_mean, by_rstd = grads
    n, groups, each, size = shape
    share = 1.0 / (each * size)
    X = reshape(input, shape)
    middle, scale = reshape(mean, [n, groups, 1, 1]), reshape(rstd, [n, groups, 1, 1])
    out = to_weight = to_bias = pulled = along = total = None
    if grad is not None:
        pulled = reshape(grad, shape)
        along = unsqueeze_(sum_dim(pulled * X, [3]), -1)
        total = unsqueeze_(sum_dim(pulled, [3]), -1)
    if mask[0]:
        gain = None if weight is None else reshape(weight, [1, groups, each, 1])
        cube = scale * scale * scale
        if grad is not None:
            a = scale if gain is None else scale * gain
            b = unsqueeze_(sum_dim(along if gain is None else along * gain, [2]), -2)
            c = unsqueeze_(sum_dim(total if gain is None else total * gain, [2]), -2)
            b = mul_scalar((c * middle - b) * cube, share)
            rest = mul_scalar(c * scale, share)  # torch makes it first
            c = -b * middle - rest
            out = a * pulled + b * X + c
        if by_mean is not None and by_rstd is not None:
            spread = mul_scalar(cube, -0.5) * view(by_rstd, [n, groups, 1, 1])
            term = var_backward(spread, X, [2, 3], 0, True)
            term = term + div_scalar(expand(view(by_mean, [n, groups, 1, 1]), shape), each * size)
            out = sum_present(out, term)
        out = None if out is None else reshape(out, input.shape)
    if mask[1] and grad is not None:
        to_weight = reshape(sum_dim((along - total * middle) * scale, [0]), [groups * each])
    if mask[2] and grad is not None:
        to_bias = reshape(sum_dim(total, [0]), [groups * each])
    return [out, to_weight, to_bias]
