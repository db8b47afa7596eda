"""Pooling of stacks of images: pooling.py in three dimensions, with the words of PyTorch's kernels for these."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np

from ..op import op
from ..strides import beside
from ..tensor import Array
from .blocks import (
    Sizes,
    check_padding,
    check_sizes,
    divisors,
    largest,
    largest_evenly,
    means,
    need_gradients,
    places,
    put_at_places,
    shared,
    summing,
)
from .kernels import refuse


def check(
    title: str, data: Array, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, ceil_mode: bool, whole: bool
) -> None:
    """Whether stacks can be pooled so; `whole` if no kernel may be longer than they are.

    Raises:
        RuntimeError: they cannot, in torch's words.
    """
    if data.ndim not in (4, 5):
        raise RuntimeError("non-empty 4D or 5D (batch mode) tensor expected for input")
    for k, s, p, d in zip(kernel, stride, padding, dilation, strict=True):
        if s == 0:
            raise RuntimeError("stride should not be zero")
        check_padding(p, k, d)
    for name, letter, values in (("kernel size", "k", kernel), ("stride", "d", stride), ("dilation", "", dilation)):
        if min(values) <= 0:
            found = " ".join(f"{letter or name}{side}: {value}" for side, value in zip("THW", values, strict=True))
            raise RuntimeError(f"{name} should be greater than zero, but got {found}")
    if 0 in data.shape[-4:]:
        raise RuntimeError(
            f"{title}(): Expected input's non-batch dimensions to have positive length, but input has a shape of "
            f"{list(data.shape)} and non-batch dimension 0 has length zero!"
        )
    channels, *lengths = data.shape[-4:]
    if whole and any(n < k for n, k in zip(lengths, kernel, strict=True)):
        found = "T: {} H: {} W: {}".format(*lengths)
        asked = "kT: {} kH: {} kW: {}".format(*kernel)
        raise RuntimeError(f"input image ({found}) smaller than kernel size ({asked})")
    count = places(lengths, kernel, stride, padding, dilation, ceil_mode)
    if min(count) < 1:
        given, made = ("x".join(map(str, (channels, *sizes))) for sizes in (lengths, count))
        raise RuntimeError(f"Given input size: ({given}). Calculated output size: ({made}). Output size is too small")


# ---- the maximum


@op(
    "max_pool3d_with_indices",
    node="MaxPool3DWithIndicesBackward0",
    outputs=("result0", "result1"),
    differentiable=("result0",),
    self=lambda grad, self, kernel_size, stride, padding, dilation, ceil_mode, result1: max_pool3d_backward(
        grad, self, kernel_size, stride, padding, dilation, ceil_mode, result1
    ),
)
def max_pool3d(
    self: Array, kernel_size: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, ceil_mode: bool = False
) -> tuple[Array, Array]:
    """`stride` may be empty for that of the kernel."""
    steps = stride or kernel_size
    title = "max_pool3d_with_indices_out_cpu_template"
    check(title, self, kernel_size, steps, padding, dilation, ceil_mode, whole=False)
    refuse("max_pool3d", "b", self)
    return largest(self, kernel_size, steps, padding, dilation, ceil_mode)


@op(
    "max_pool3d_with_indices_backward",
    node="MaxPool3DWithIndicesBackwardBackward0",
    grad_output=lambda grad, indices: at_places(grad, indices, 3),
    self=lambda grad: zeros_as(grad),
)
def max_pool3d_backward(
    grad_output: Array,
    self: Array,
    kernel_size: Sizes,
    stride: Sizes,
    padding: Sizes,
    dilation: Sizes,
    ceil_mode: bool,
    indices: Array,
) -> Array:
    return beside(put_at_places(grad_output, self.shape, indices, 3), self)


# ---- the mean


@op(
    "avg_pool3d",
    node="AvgPool3DBackward0",
    self=lambda grad, self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override:
    avg_pool3d_backward(
        grad, self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    ),
)  # fmt: skip
def avg_pool3d(
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
    check("avg_pool3d", self, kernel_size, steps, padding, (1, 1, 1), ceil_mode, whole=True)
    if self.dtype != np.int64:
        refuse("avg_pool3d_out_frame", "biu", self)
    return means(self, kernel_size, steps, padding, ceil_mode, count_include_pad, divisor_override)


@op(
    "avg_pool3d_backward",
    node="AvgPool3DBackwardBackward0",
    grad_output=lambda grad, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override: avg_pool3d(
        grad, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    ),
    self=lambda grad: zeros_as(grad),
)
def avg_pool3d_backward(
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
    return shared(grad_output / below, self, kernel_size, steps, padding)


# ---- blocks whose number is given, not their size


def check_stack(title: str, data: Array, colon: str = "") -> None:
    """Whether `data` has dimensions, and elements, for blocks.

    Raises:
        RuntimeError: it has not, in torch's words.
    """
    if data.ndim not in (4, 5):
        raise RuntimeError(f"{title}(): Expected 4D or 5D tensor, but got{colon} {list(data.shape)}")
    for dim in range(1, data.ndim):
        if not data.shape[dim]:
            raise RuntimeError(
                f"{title}(): Expected input to have non-zero size for non-batch dimensions, but input has sizes "
                f"{list(data.shape)} with dimension {dim} being empty"
            )


def along_sides(data: Array, maps: Sequence[Array]) -> Array:
    """`data` with each of its last dimensions taken through a matrix (new, old)."""
    for at, matrix in enumerate(maps, -len(maps)):
        data = np.moveaxis(np.tensordot(matrix, data, (1, at)), 0, at)
    return np.ascontiguousarray(data)


def counted(maps: Sequence[Array]) -> Array:
    """How many elements each block has, along each side and so in all."""
    return functools.reduce(np.multiply.outer, [matrix.sum(1) for matrix in maps])


@op(
    "_adaptive_avg_pool3d",
    node="AdaptiveAvgPool3DBackward0",
    self=lambda grad, self: adaptive_avg_pool3d_backward(grad, self),
)
def adaptive_avg_pool3d(self: Array, output_size: Sizes) -> Array:
    check_stack("adaptive_avg_pool3d", self)
    refuse("adaptive_avg_pool3d_cpu", "biu", self)
    maps = [summing(n, m, self.dtype) for n, m in zip(self.shape[-3:], output_size, strict=True)]
    return along_sides(self, maps) / counted(maps)


@op(
    "_adaptive_avg_pool3d_backward",
    node="AdaptiveAvgPool3DBackwardBackward0",
    grad_output=lambda
    grad, grad_output_sym_argsize_minus_3, grad_output_sym_argsize_minus_2, grad_output_sym_argsize_minus_1:
    adaptive_avg_pool3d(
        grad,
        [grad_output_sym_argsize_minus_3, grad_output_sym_argsize_minus_2, grad_output_sym_argsize_minus_1],
    ),
    self=lambda grad: zeros_as(grad),
)  # fmt: skip
def adaptive_avg_pool3d_backward(grad_output: Array, self: Array) -> Array:
    need_gradients("adaptive_avg_pool3d_backward", grad_output)
    lengths = zip(self.shape[-3:], grad_output.shape[-3:], strict=True)
    maps = [summing(n, m, self.dtype) for n, m in lengths]
    return along_sides(grad_output / counted(maps), [matrix.T for matrix in maps])


@op(
    "adaptive_max_pool3d",
    node="AdaptiveMaxPool3DBackward0",
    outputs=("result0", "result1"),
    differentiable=("result0",),
    self=lambda grad, self, result1: adaptive_max_pool3d_backward(grad, self, result1),
)
def adaptive_max_pool3d(self: Array, output_size: Sizes) -> tuple[Array, Array]:
    check_stack("adaptive_max_pool3d", self, ":")
    check_sizes(self.shape[:-3], output_size)
    refuse("adaptive_max_pool3d_cpu", "biu", self)
    return largest_evenly(self, output_size)


@op(
    "adaptive_max_pool3d_backward",
    node="AdaptiveMaxPool3DBackwardBackward0",
    grad_output=lambda grad, indices: at_places(grad, indices, 3),
    self=lambda grad: zeros_as(grad),
)
def adaptive_max_pool3d_backward(grad_output: Array, self: Array, indices: Array) -> Array:
    need_gradients("adaptive_max_pool3d_backward", grad_output)
    return put_at_places(grad_output, self.shape, indices, 3)
