"""Normalization as functions."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ... import errors
from ...api.functions.shape import contiguous
from ...dispatch.schema.schema import composite
from ...errors import BRAIN
from ...events import session as tell
from ...ops import normalization
from ...ops._common import refuse
from ...ops.binary import add, add_scalar, div, mul, pow_scalar
from ...ops.join import clone, repeat
from ...ops.padding import constant_pad_nd
from ...ops.reduction import mean_dim, vector_norm
from ...ops.unary import clamp_min, rsqrt, to_copy
from ...ops.view import expand, select, squeeze_dim, unsqueeze, view
from ...tensor.bfloat16 import FLOAT
from ...tensor.dtypes import number
from ...tensor.strides import suggest_format
from ...tensor.tensor import Tensor
from .common import no_gradient_for
from .pooling import avg_pool2d, avg_pool3d


@composite("""
    layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, bool \
        cudnn_enable=True) -> Tensor: function
    """)
def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    shape = list(normalized_shape)
    given = list(input.data_.shape)
    if not shape:
        raise RuntimeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got "
            "normalized_shape = []"
        )
    check_mixture(input, weight, bias)
    for name, part in (("weight", weight), ("bias", bias)):
        if part is not None and list(part.data_.shape) != shape:
            raise RuntimeError(
                f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape "
                f"{list(part.data_.shape)} and normalized_shape = {shape}"
            )
    if given[len(given) - len(shape) :] != shape:
        raise RuntimeError(
            f"Given normalized_shape={shape}, expected input with shape [*, {', '.join(map(str, shape))}], but got "
            f"input of size{given}"
        )
    refuse("LayerNormKernelImpl", "biu", input.data_)
    result: Tensor = normalization.layer_norm(input, shape, weight, bias, eps)[0]
    return result


def check_mixture(input: Tensor, *parts: Tensor | None) -> None:
    """Whether what stands beside the input, by the first of it, is of its dtype, or single beside a half one.

    Raises:
        RuntimeError: it is not.
    """
    kind = input.data_.dtype
    other = next((part.data_.dtype for part in parts if part is not None), kind)
    if other == kind:
        return
    if other.name != "float32":
        raise RuntimeError("mixed dtype (CPU): expect parameter to have scalar type of Float")
    if kind.name != "float16" and kind.isnative:
        raise RuntimeError("mixed dtype (CPU): all inputs must share same datatype.")


@composite("""
    rms_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor: function
    """)
def rms_norm(
    input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None, eps: float | None = None
) -> Tensor:
    shape, given = list(normalized_shape), list(input.data_.shape)
    if not shape:
        raise RuntimeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got "
            "normalized_shape = []"
        )
    if len(given) < len(shape):
        raise ValueError(f"Input tensor must have at least {len(shape)} dimensions, but got {len(given)}")
    if given[len(given) - len(shape) :] != shape:
        stars = "".join(f"*{n}" if i == 0 else f", {n}" for i, n in enumerate(shape))
        raise RuntimeError(
            f"Given normalized_shape={shape}, expected input with shape [{stars}], but got input of size{given}"
        )
    refuse("rms_norm", "biu", input.data_)
    if weight is not None and list(weight.data_.shape) != shape:
        raise RuntimeError(
            "Expected weight to be of same shape as normalized_shape, but got weight of shape "
            f"{list(weight.data_.shape)} and normalized_shape = {shape}"
        )
    over = list(range(input.data_.ndim - len(normalized_shape), input.data_.ndim))
    if not input.data_.dtype.isnative:  # what is short is computed in float32
        scale = None if weight is None else to_copy(weight, FLOAT)
        exact = rms_norm(to_copy(input, FLOAT), normalized_shape, scale, eps)
        return to_copy(exact, BRAIN)
    kept = float(np.finfo(input.data_.dtype).eps) if eps is None else eps
    scale = rsqrt(add_scalar(mean_dim(pow_scalar(input, 2), over, True), kept))
    result = mul(input, scale)
    return result if weight is None else mul(result, weight)


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """By channel; only here, and not in torch.batch_norm, torch counts the values and looks at `eps`.

    Raises:
        ValueError: there is one value in each channel, or `eps` is too small.
    """
    shape = input.data_.shape
    if training and not shape:
        raise IndexError("tuple index out of range")
    if training and len(shape) >= 2 and math.prod((shape[0], *shape[2:])) == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {input.shape}")
    if eps < 0 or (training and eps == 0):
        wanted = "positive during training" if training else "non-negative"
        raise ValueError(f"batch_norm eps must be {wanted}, but got {eps}")
    return by_channel(input, running_mean, running_var, weight, bias, training, momentum, eps)


def by_channel(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None,
    bias: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
) -> Tensor:
    check_channels(input, running_mean, running_var, weight, bias, training)
    refuse("batch_norm", "biu", input.data_)
    check_mixture(input, weight, bias, running_mean, running_var)
    if not input.data_.size:
        return scaled_nothing(input, weight, bias)
    held = running_mean, running_var
    result: Tensor = normalization.batch_norm(input, weight, bias, *held, training, momentum, eps)[0]
    if training:
        for running in held:
            if running is not None:
                tell.emit_write(running, "native_batch_norm", (input,), counted=False)
    return result


def scaled_nothing(input: Tensor, weight: Tensor | None, bias: Tensor | None) -> Tensor:
    """Of no elements there are no statistics: what torch makes of them keeps weight and bias in the graph."""
    out: Tensor = clone(input)
    if weight is not None:
        out = mul(out, select(weight, 0, 0))
    return out if bias is None else add(out, select(bias, 0, 0))


def check_channels(
    input: Tensor, mean: Tensor | None, var: Tensor | None, weight: Tensor | None, bias: Tensor | None, training: bool
) -> None:
    """Whether each of these has a number for each channel.

    Raises:
        RuntimeError: one has not, or is missing, or wants a gradient that there is not.
    """
    channels = input.data_.shape[1] if input.data_.ndim > 1 else 0
    named = {"running_mean": mean, "running_var": var, "weight": weight, "bias": bias}
    for name, part in named.items():
        if part is None and name.startswith("running") and not training:
            raise RuntimeError(f"{name} must be defined in evaluation mode")
        if part is not None and part.data_.size != channels:
            raise RuntimeError(f"{name} should contain {channels} elements not {part.data_.size}")
    no_gradient_for("native_batch_norm", running_mean=mean, running_var=var)
    if input.data_.ndim < 2:
        raise errors.dim_out_of_range(1, input.data_.ndim)


@composite("""
    group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, bool \
        cudnn_enabled=True) -> Tensor: function
    """)
def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    shape = list(input.data_.shape)
    if len(shape) < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {len(shape)}")
    size = math.prod(shape[2:])
    if shape[0] * shape[1] // num_groups * size == 1 and shape[1] >= num_groups:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {shape}")
    if num_groups <= 0:
        raise RuntimeError(f"Expected num groups to be greater than 0, got {num_groups}")
    if shape[1] % num_groups:
        raise RuntimeError(
            "Expected number of channels in input to be divisible by num_groups, but got input of shape "
            f"{shape} and num_groups={num_groups}"
        )
    for name, part in (("weight", weight), ("bias", bias)):
        if part is not None and part.data_.shape != (shape[1],):
            raise RuntimeError(
                f"Expected {name} to be a vector of size equal to the number of channels in input, but got {name} of "
                f"shape {list(part.data_.shape)} and input of shape {shape}"
            )
    check_mixture(input, weight, bias)
    refuse("GroupNormKernelImpl", "biu", input.data_)
    row = contiguous(input, memory_format=suggest_format(input.data_))
    result: Tensor = normalization.group_norm(row, weight, bias, shape[0], shape[1], size, num_groups, eps)[0]
    return result


def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    if use_input_stats and math.prod(input.data_.shape[2:]) == 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size {input.shape}")
    return by_sample(input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps)


def by_sample(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None,
    bias: Tensor | None,
    use_input_stats: bool,
    momentum: float,
    eps: float,
) -> Tensor:
    """The batch norm of a batch of one, in which each sample has channels of its own."""
    eps = number(eps, "instance_norm(): argument 'eps' (position 8) must be float, not {}")
    shape = list(input.data_.shape)
    if not use_input_stats and (running_mean is None or running_var is None):
        raise RuntimeError("Expected running_mean and running_var to be defined when use_input_stats is false")
    samples, channels = shape[:2]
    parts = (running_mean, running_var, weight, bias)
    mean, var, gain, shift = (None if part is None else repeat(part, [samples]) for part in parts)
    row = view(contiguous(input), [1, samples * channels, *shape[2:]])
    out = by_channel(row, mean, var, gain, shift, use_input_stats, momentum, eps)
    for part, mixed in ((running_mean, mean), (running_var, var)):
        if part is not None and mixed is not None and use_input_stats:
            part.overwrite(np.mean(mixed.data_.reshape(samples, channels), 0, dtype=part.data_.dtype))
            part.bump()
            tell.emit_write(part, "instance_norm", (input,))
    return view(out, shape)


def local_response_norm(input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    """Each element over a power of the mean square of its neighbours in the channels around."""
    shape = list(input.data_.shape)
    if len(shape) < 3:
        raise ValueError(
            f"Expected 3D or higher dimensionality                          input (got {len(shape)} dimensions)"
        )
    if input.data_.size == 0:
        return input
    around = (size // 2, (size - 1) // 2)
    if len(shape) == 3:
        room = constant_pad_nd(unsqueeze(mul(input, input), 1), [0, 0, *around], 0)
        mean = squeeze_dim(avg_pool2d(room, (size, 1), stride=1), 1)
    else:
        rows = view(mul(input, input), [shape[0], 1, shape[1], shape[2], -1])
        room = constant_pad_nd(rows, [0, 0, 0, 0, *around], 0)
        mean = view(squeeze_dim(avg_pool3d(room, (size, 1, 1), stride=1), 1), shape)
    scale = pow_scalar(add(mul(mean, alpha), k), beta)
    return div(input, scale)


def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Tensor:
    length = vector_norm(input, p, [dim], True)
    return div(input, expand(clamp_min(length, eps), list(input.data_.shape)))
