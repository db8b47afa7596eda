"""Pooling: the maximum or the mean of each block of an image. Formulas: PyTorch's derivatives.yaml.

One-dimensional pooling is that of images of height one, as in PyTorch.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

import numpy as np

from ..op import both, op
from ..tensor import Array
from .convolution import added_up, owned, padded, windows
from .kernels import refuse

Sizes = Sequence[int]


def places(sizes: Sizes, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, ceil_mode: bool) -> list[int]:
    """How many blocks fit; under `ceil_mode` also those that begin inside and reach beyond."""
    found = []
    for n, k, s, p, d in zip(sizes, kernel, stride, padding, dilation, strict=True):
        room = n + 2 * p - d * (k - 1) - 1 + (s - 1 if ceil_mode else 0)
        count = room // s + 1
        if ceil_mode and (count - 1) * s >= n + p:
            count -= 1
        found.append(count)
    return found


def blocks(
    data: Array, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, ceil_mode: bool, value: float
) -> Array:
    """`data` (N, C, *lengths) as (N, C, *places, *kernel), with `value` around it."""
    count = places(data.shape[2:], kernel, stride, padding, dilation, ceil_mode)
    room = padded(data, padding, value)
    terms = zip(count, stride, kernel, dilation, room.shape[2:], strict=True)
    short = [max((m - 1) * s + d * (k - 1) + 1 - n, 0) for m, s, k, d, n in terms]
    if any(short):
        room = np.pad(room, [(0, 0), (0, 0), *((0, more) for more in short)], constant_values=value)
    inside = (slice(None), slice(None), *map(slice, count))
    return windows(room, kernel, stride, dilation)[inside]


def check(data: Array, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, ceil_mode: bool) -> None:
    """Whether an image can be pooled so.

    Raises:
        RuntimeError: it cannot, in torch's words.
    """
    if 0 in stride:
        raise RuntimeError("stride should not be zero")
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
    for p, k, d in zip(padding, kernel, dilation, strict=True):
        if p < 0:
            raise RuntimeError(f"pad must be non-negative, but got pad: {p}")
        if p > ((k - 1) * d + 1) // 2:
            raise RuntimeError(
                f"pad should be at most half of effective kernel size, but got pad={p}, kernel_size={k} and "
                f"dilation={d}"
            )
    sizes = data.shape[-3:]
    count = places(sizes[1:], kernel, stride, padding, dilation, ceil_mode)
    if min(count) < 1:
        shape = "x".join(map(str, sizes))
        raise RuntimeError(
            f"Given input size: ({shape}). Calculated output size: ({sizes[0]}x{count[0]}x{count[1]}). Output size "
            "is too small"
        )


def flat_positions(data: Array, n: int = 2) -> Array:
    """The place of each element in its image of `n` dimensions, counted along the rows."""
    lengths = data.shape[-n:]
    return np.broadcast_to(np.arange(math.prod(lengths)).reshape(lengths), data.shape)


def as_batch(data: Array, n: int = 2) -> Array:
    return data[None] if data.ndim == n + 1 else data


def rows(data: Array, n: int = 2) -> Array:
    """The `n` spatial dimensions as one."""
    return data.reshape(*data.shape[:-n], math.prod(data.shape[-n:]))


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


def largest(
    image: Array, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, ceil_mode: bool
) -> tuple[Array, Array]:
    """The largest element of each block, and its place in its image."""
    n = len(kernel)
    data = as_batch(image, n)
    low = -np.inf if data.dtype.kind == "f" else np.iinfo(data.dtype).min
    look = rows(blocks(data, kernel, stride, padding, dilation, ceil_mode, low), n)
    at = np.argmax(look, -1)  # the first of equal ones; the first nan
    inner = rows(blocks(flat_positions(data, n), kernel, stride, padding, dilation, ceil_mode, -1), n)
    values, places = (np.take_along_axis(x, at[..., None], -1)[..., 0] for x in (look, inner))
    return (owned(values), owned(places)) if data is image else (owned(values[0]), owned(places[0]))


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
    return put_at_places(grad_output, self.shape, indices)


def put_at_places(grad: Array, shape: Sizes, indices: Array, n: int = 2) -> Array:
    """Images of zeros, of `n` dimensions, with `grad` added at flat places."""
    out = np.zeros((math.prod(shape[:-n]), math.prod(shape[-n:])), grad.dtype)
    where = indices.reshape(len(out), -1)
    np.add.at(out, (np.arange(len(out))[:, None], where), grad.reshape(where.shape))
    return owned(out.reshape(shape))


# ---- the mean


def divisors(data: Array, kernel: Sizes, stride: Sizes, padding: Sizes, ceil_mode: bool, with_pad: bool) -> Array:
    """By how much each block's sum is divided: its elements in the image, or in the image and its padding."""
    by_dim = []
    for n, k, s, p in zip(data.shape[-len(kernel) :], kernel, stride, padding, strict=True):
        count = places([n], [k], [s], [p], [1], ceil_mode)[0]
        first = np.arange(count) * s - p
        last = np.minimum(first + k, n + p)
        by_dim.append(last - first if with_pad else np.minimum(last, n) - np.maximum(first, 0))
    return functools.reduce(np.multiply.outer, by_dim)


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


def means(
    image: Array,
    kernel: Sizes,
    stride: Sizes,
    padding: Sizes,
    ceil_mode: bool,
    with_pad: bool,
    divisor: int | None,
) -> Array:
    """The sum of each block over `divisor`, or over how many elements it has."""
    n = len(kernel)
    data = as_batch(image, n)
    look = blocks(data, kernel, stride, padding, (1,) * n, ceil_mode, 0)
    total = np.add.reduce(look, axis=tuple(range(-n, 0)))
    out = (total / (divisor or divisors(data, kernel, stride, padding, ceil_mode, with_pad))).astype(image.dtype)
    return owned(out if data is image else out[0])


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
    return shared(grad_output / below, self, kernel_size, steps, padding)


def shared(parts: Array, image: Array, kernel: Sizes, stride: Sizes, padding: Sizes) -> Array:
    """The sum of what each element of `image` is given by the blocks it is in: `parts` has a number for each block."""
    n = len(kernel)
    each = as_batch(parts.astype(image.dtype), n)
    shape = (*each.shape[:2], *kernel, *each.shape[2:])
    spread = np.broadcast_to(np.expand_dims(each, tuple(range(2, 2 + n))), shape)
    whole = added_up(spread, stride, padding, (1,) * n, image.shape[-n:])
    return owned(whole if each.ndim == image.ndim else whole[0])


# ---- blocks whose number is given, not their size


def spans(size: int, count: int) -> list[tuple[int, int]]:
    """Where `count` blocks, as even as can be, begin and end in `size` elements."""
    return [(i * size // count, -(-(i + 1) * size // count)) for i in range(count)]


def mean_map(size: int, count: int, kind: np.dtype[np.floating]) -> Array:
    """The matrix (count, size) that takes the mean of each block."""
    out = np.zeros((count, size), kind)
    for i, (start, end) in enumerate(spans(size, count)):
        out[i, start:end] = 1 / (end - start)
    return out


def check_image(name: str, data: Array, output_size: Sizes, colon: str = "") -> None:
    if data.ndim not in (3, 4):
        raise RuntimeError(f"{name}(): Expected 3D or 4D tensor, but got{colon} {list(data.shape)}")
    if min(output_size) < 0:
        held = ", ".join(map(str, output_size))
        raise RuntimeError(
            f"{name}: elements of output_size must be greater than or equal to 0 but received {{{held}}}"
        )


@op(
    "_adaptive_avg_pool2d",
    node="AdaptiveAvgPool2DBackward0",
    self=lambda grad, self: adaptive_avg_pool2d_backward(grad, self),
)
def adaptive_avg_pool2d(self: Array, output_size: Sizes) -> Array:
    check_image("adaptive_avg_pool2d", self, output_size)
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
    lengths = zip(self.shape[-2:], grad_output.shape[-2:], strict=True)
    down, across = (mean_map(n, m, self.dtype) for n, m in lengths)
    return np.matmul(np.matmul(down.T, grad_output), across)


@op(
    "adaptive_max_pool2d",
    node="AdaptiveMaxPool2DBackward0",
    outputs=("result0", "result1"),
    differentiable=("result0",),
    self=lambda grad, self, result1: adaptive_max_pool2d_backward(grad, self, result1),
)
def adaptive_max_pool2d(self: Array, output_size: Sizes) -> tuple[Array, Array]:
    check_image("adaptive_max_pool2d", self, output_size, ":")
    refuse("adaptive_max_pool2d", "biu", self)
    width = self.shape[-1]
    values = np.empty((*self.shape[:-2], *output_size), self.dtype)
    where = np.empty(values.shape, np.int64)
    for i, (top, bottom) in enumerate(spans(self.shape[-2], output_size[0])):
        for j, (left, right) in enumerate(spans(width, output_size[1])):
            block = rows(self[..., top:bottom, left:right])
            at = np.argmax(block, -1)
            values[..., i, j] = np.take_along_axis(block, at[..., None], -1)[..., 0]
            down, across = np.divmod(at, right - left)
            where[..., i, j] = (top + down) * width + left + across
    return values, where


@op(
    "adaptive_max_pool2d_backward",
    node="AdaptiveMaxPool2DBackwardBackward0",
    grad_output=lambda grad, indices: at_places(grad, indices, 2),
    self=lambda grad: zeros_as(grad),
)
def adaptive_max_pool2d_backward(grad_output: Array, self: Array, indices: Array) -> Array:
    return put_at_places(grad_output, self.shape, indices)
