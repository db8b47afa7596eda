"""Pooling: the maximum or the mean of each block of an image. Formulas: PyTorch's derivatives.yaml.

One-dimensional pooling is that of images of height one, as in PyTorch.
"""

from __future__ import annotations

import numpy as np

from ..op import both, op
from ..strides import beside
from ..tensor import Array
from .blocks import (
    Sizes,
    check_padding,
    check_sizes,
    divisors,
    largest,
    largest_evenly,
    mean_map,
    means,
    need_gradients,
    places,
    put_at_places,
    shared,
)
from .kernels import refuse


def check(data: Array, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, ceil_mode: bool) -> None:
    """Whether an image can be pooled so.

    Raises:
        RuntimeError: it cannot, in torch's words.
    """
    if 0 in stride:
        raise RuntimeError("stride should not be zero")
    for p, k, d in zip(padding, kernel, dilation, strict=True):
        check_padding(p, k, d)
    for name, sides, values in (("kernel size", "kH: {} kW: {}", kernel), ("stride", "dH: {} dW: {}", stride)):
        if min(values) <= 0:
            raise RuntimeError(f"{name} should be greater than zero, but got {sides.format(*values)}")
    if min(dilation) <= 0:
        raise RuntimeError(
            f"dilation should be greater than zero, but got dilationH: {dilation[0]} dilationW: {dilation[1]}"
        )
    if 0 in data.shape[-3:] and data.ndim in (3, 4):
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:"
            f"{list(data.shape)}"
        )
    if data.ndim not in (3, 4):
        raise RuntimeError("non-empty 3D or 4D (batch mode) tensor expected for input")
    sizes = data.shape[-3:]
    count = places(sizes[1:], kernel, stride, padding, dilation, ceil_mode)
    if min(count) < 1:
        shape = "x".join(map(str, sizes))
        raise RuntimeError(
            f"Given input size: ({shape}). Calculated output size: ({sizes[0]}x{count[0]}x{count[1]}). Output size "
            "is too small"
        )


@both
def at_places(data: Array, indices: Array, n: int) -> Array:
    """The elements at flat places within each image of `n` dimensions."""
    flat = reshape(data, [*data.shape[:-n], int(np.prod(data.shape[-n:]))])
    where = reshape(indices, [*indices.shape[:-n], int(np.prod(indices.shape[-n:]))])
    return reshape(gather(flat, -1, where, False), list(indices.shape))


# ---- the maximum


@op(
    "max_pool2d_with_indices",
    node="MaxPool2DWithIndicesBackward0",
    outputs=("result", "result1"),
    differentiable=("result",),
    self=lambda grad, self, kernel_size, stride, padding, dilation, ceil_mode, result1: max_pool2d_backward(
        grad, self, kernel_size, stride, padding, dilation, ceil_mode, result1
    ),
)
def max_pool2d(
    self: Array, kernel_size: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, ceil_mode: bool = False
) -> tuple[Array, Array]:
    """`stride` may be empty for that of the kernel."""
    steps = stride or kernel_size
    check(self, kernel_size, steps, padding, dilation, ceil_mode)
    refuse("max_pool2d", "b", self)
    return largest(self, kernel_size, steps, padding, dilation, ceil_mode)


@op(
    "max_pool2d_with_indices_backward",
    node="MaxPool2DWithIndicesBackwardBackward0",
    grad_output=lambda grad, indices: at_places(grad, indices, 2),
    self=lambda grad: zeros_as(grad),
)
def max_pool2d_backward(
    grad_output: Array,
    self: Array,
    kernel_size: Sizes,
    stride: Sizes,
    padding: Sizes,
    dilation: Sizes,
    ceil_mode: bool,
    indices: Array,
) -> Array:
    return beside(put_at_places(grad_output, self.shape, indices), self)


# ---- the mean


@op(
    "avg_pool2d",
    node="AvgPool2DBackward0",
    self=lambda grad, self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override:
    avg_pool2d_backward(
        grad, self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    ),
)  # fmt: skip
def avg_pool2d(
    self: Array,
    kernel_size: Sizes,
    stride: Sizes,
    padding: Sizes,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Array:
    """`stride` may be empty for that of the kernel."""
    steps = stride or kernel_size
    check(self, kernel_size, steps, padding, (1, 1), ceil_mode)
    if self.dtype != np.int64:
        refuse("avg_pool2d", "biu", self)
    return means(self, kernel_size, steps, padding, ceil_mode, count_include_pad, divisor_override)


@op(
    "avg_pool2d_backward",
    node="AvgPool2DBackwardBackward0",
    grad_output=lambda grad, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override: avg_pool2d(
        grad, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    ),
    self=lambda grad: zeros_as(grad),
)
def avg_pool2d_backward(
    grad_output: Array,
    self: Array,
    kernel_size: Sizes,
    stride: Sizes,
    padding: Sizes,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> Array:
    steps = stride or kernel_size
    below = divisor_override or divisors(self, kernel_size, steps, padding, ceil_mode, count_include_pad)
    return beside(shared(grad_output / below, self, kernel_size, steps, padding), self)


# ---- blocks whose number is given, not their size


def check_rank(name: str, data: Array, colon: str = "") -> None:
    if data.ndim not in (3, 4):
        raise RuntimeError(f"{name}(): Expected 3D or 4D tensor, but got{colon} {list(data.shape)}")


def check_image(name: str, data: Array, output_size: Sizes) -> None:
    check_rank(name, data)
    if min(output_size) < 0:
        held = ", ".join(map(str, output_size))
        raise RuntimeError(
            f"{name}: elements of output_size must be greater than or equal to 0 but received {{{held}}}"
        )


def refuse_empty(name: str, data: Array, n: int) -> None:
    """Refuse samples, of channels in `n` dimensions, that have no elements."""
    for dim, length in list(enumerate(data.shape))[data.ndim - n - 1 :]:
        if not length:
            raise RuntimeError(
                f"{name}(): Expected input to have non-zero size for non-batch dimensions, but input has sizes "
                f"{list(data.shape)} with dimension {dim} being empty"
            )


@op(
    "_adaptive_avg_pool2d",
    node="AdaptiveAvgPool2DBackward0",
    self=lambda grad, self: adaptive_avg_pool2d_backward(grad, self),
)
def adaptive_avg_pool2d(self: Array, output_size: Sizes) -> Array:
    check_image("adaptive_avg_pool2d", self, output_size)
    refuse("adaptive_avg_pool2d", "biu", self)
    down, across = (mean_map(n, m, self.dtype) for n, m in zip(self.shape[-2:], output_size, strict=True))
    return np.matmul(np.matmul(down, self), across.T)


@op(
    "_adaptive_avg_pool2d_backward",
    node="AdaptiveAvgPool2DBackwardBackward0",
    grad_output=lambda grad, grad_output_sym_argsize_minus_2, grad_output_sym_argsize_minus_1: adaptive_avg_pool2d(
        grad, [grad_output_sym_argsize_minus_2, grad_output_sym_argsize_minus_1]
    ),
    self=lambda grad: zeros_as(grad),
)
def adaptive_avg_pool2d_backward(grad_output: Array, self: Array) -> Array:
    need_gradients("adaptive_avg_pool2d_backward", grad_output)
    lengths = zip(self.shape[-2:], grad_output.shape[-2:], strict=True)
    down, across = (mean_map(n, m, self.dtype) for n, m in lengths)
    return beside(np.matmul(np.matmul(down.T, grad_output), across), self)


@op(
    "adaptive_max_pool2d",
    node="AdaptiveMaxPool2DBackward0",
    outputs=("result0", "result1"),
    differentiable=("result0",),
    self=lambda grad, self, result1: adaptive_max_pool2d_backward(grad, self, result1),
)
def adaptive_max_pool2d(self: Array, output_size: Sizes) -> tuple[Array, Array]:
    check_rank("adaptive_max_pool2d", self, ":")
    refuse_empty("adaptive_max_pool2d", self, 2)
    check_sizes(self.shape[:-2], output_size)
    refuse("adaptive_max_pool2d", "biu", self)
    return largest_evenly(self, output_size)


@op(
    "adaptive_max_pool2d_backward",
    node="AdaptiveMaxPool2DBackwardBackward0",
    grad_output=lambda grad, indices: at_places(grad, indices, 2),
    self=lambda grad: zeros_as(grad),
)
def adaptive_max_pool2d_backward(grad_output: Array, self: Array, indices: Array) -> Array:
    need_gradients("adaptive_max_pool2d_backward", grad_output)
    return beside(put_at_places(grad_output, self.shape, indices), self)
