"""Pooling of images and of stacks of images, and pools undone. Formulas: PyTorch's derivatives.yaml.

One-dimensional pooling is that of images of height one, as in PyTorch.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

import numpy as np

from .. import errors
from ..dispatch.op import both, op
from ..tensor.strides import beside
from ..tensor.tensor import Array
from ._common import refuse
from .convolution import added_up, copy_rows, pad, windows

# ---- blocks: where they lie, what they hold, what goes back


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
    room = pad(data, padding, value)
    terms = zip(count, stride, kernel, dilation, room.shape[2:], strict=True)
    short = [max((m - 1) * s + d * (k - 1) + 1 - n, 0) for m, s, k, d, n in terms]
    if any(short):
        room = np.pad(room, [(0, 0), (0, 0), *((0, more) for more in short)], constant_values=value)
    inside = (slice(None), slice(None), *map(slice, count))
    return windows(room, kernel, stride, dilation)[inside]


def flat_positions(data: Array, n: int = 2) -> Array:
    """The place of each element in its image of `n` dimensions, counted along the rows."""
    lengths = data.shape[-n:]
    return np.broadcast_to(np.arange(math.prod(lengths)).reshape(lengths), data.shape)


def as_batch(data: Array, n: int = 2) -> Array:
    return data[None] if data.ndim == n + 1 else data


def rows(data: Array, n: int = 2) -> Array:
    """The `n` spatial dimensions as one."""
    return data.reshape(*data.shape[:-n], math.prod(data.shape[-n:]))


# ---- what they hold


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
    return (copy_rows(values), copy_rows(places)) if data is image else (copy_rows(values[0]), copy_rows(places[0]))


def put_at_places(grad: Array, shape: Sizes, indices: Array, n: int = 2) -> Array:
    """Images of zeros, of `n` dimensions, with `grad` added at flat places."""
    out = np.zeros((math.prod(shape[:-n]), math.prod(shape[-n:])), grad.dtype)
    where = indices.reshape(len(out), math.prod(indices.shape[-n:]))
    np.add.at(out, (np.arange(len(out))[:, None], where), grad.reshape(where.shape))
    return copy_rows(out.reshape(shape))


def divisors(data: Array, kernel: Sizes, stride: Sizes, padding: Sizes, ceil_mode: bool, with_pad: bool) -> Array:
    """By how much each block's sum is divided: its elements in the image, or in the image and its padding."""
    by_dim = []
    for n, k, s, p in zip(data.shape[-len(kernel) :], kernel, stride, padding, strict=True):
        count = places([n], [k], [s], [p], [1], ceil_mode)[0]
        first = np.arange(count) * s - p
        last = np.minimum(first + k, n + p)
        by_dim.append(last - first if with_pad else np.minimum(last, n) - np.maximum(first, 0))
    return functools.reduce(np.multiply.outer, by_dim)


def means(
    image: Array, kernel: Sizes, stride: Sizes, padding: Sizes, ceil_mode: bool, with_pad: bool, divisor: int | None
) -> Array:
    """The sum of each block over `divisor`, or over how many elements it has."""
    n = len(kernel)
    data = as_batch(image, n)
    look = blocks(data, kernel, stride, padding, (1,) * n, ceil_mode, 0)
    total = np.add.reduce(look, axis=tuple(range(-n, 0)))
    out = (total / (divisor or divisors(data, kernel, stride, padding, ceil_mode, with_pad))).astype(image.dtype)
    return copy_rows(out if data is image else out[0])


def sum_over_blocks(parts: Array, image: Array, kernel: Sizes, stride: Sizes, padding: Sizes) -> Array:
    """The sum of what each element of `image` is given by the blocks it is in: `parts` has a number for each block."""
    n = len(kernel)
    each = as_batch(parts.astype(image.dtype), n)
    shape = (*each.shape[:2], *kernel, *each.shape[2:])
    spread = np.broadcast_to(np.expand_dims(each, tuple(range(2, 2 + n))), shape)
    whole = added_up(spread, stride, padding, (1,) * n, image.shape[-n:])
    return copy_rows(whole if each.ndim == image.ndim else whole[0])


# ---- blocks whose number is given, not their size


def spans(size: int, count: int) -> list[tuple[int, int]]:
    """Where `count` blocks, as even as can be, begin and end in `size` elements."""
    return [(i * size // count, -(-(i + 1) * size // count)) for i in range(count)]


def summing(size: int, count: int, kind: np.dtype[np.floating]) -> Array:
    """The matrix (count, size) that adds up each block."""
    out = np.zeros((count, size), kind)
    for i, (start, end) in enumerate(spans(size, count)):
        out[i, start:end] = 1
    return out


def mean_map(size: int, count: int, kind: np.dtype[np.floating]) -> Array:
    """The matrix (count, size) that takes the mean of each block."""
    sums = summing(size, count, kind)
    return sums / sums.sum(1, keepdims=True)


def largest_evenly(data: Array, counts: Sizes) -> tuple[Array, Array]:
    """The largest element of each of so many blocks along the last sides, and its place in the whole of these."""
    n = len(counts)
    values, where = (np.zeros((*data.shape[:-n], *counts), kind) for kind in (data.dtype, np.int64))
    sides = [spans(size, count) for size, count in zip(data.shape[-n:], counts, strict=True)]
    for at in np.ndindex(*counts):
        cut = tuple(slice(*ends[i]) for ends, i in zip(sides, at, strict=True))
        values[..., *at], where[..., *at] = largest_within(data, cut)
    return values, where


def largest_within(data: Array, cut: tuple[slice, ...]) -> tuple[Array, Array]:
    """The same for the one block `cut`."""
    n = len(cut)
    block = data[(..., *cut)]
    each = rows(block, n)
    found = np.argmax(each, -1)
    inner = np.unravel_index(found, block.shape[-n:])
    at = tuple(side.start + i for side, i in zip(cut, inner, strict=True))
    return np.take_along_axis(each, found[..., None], -1)[..., 0], np.ravel_multi_index(at, data.shape[-n:])


def need_gradients(title: str, grad: Array) -> None:
    """Whether there is something to give back of each sample.

    Raises:
        RuntimeError: there is not.
    """
    for dim in range(1, grad.ndim):
        if not grad.shape[dim]:
            raise RuntimeError(
                f"{title}(): Expected grad_output to have non-zero size for non-batch dimensions, but grad_output has "
                f"sizes {list(grad.shape)} with dimension {dim} being empty"
            )


def check_sizes(outer: Sizes, size: Sizes) -> None:
    """Whether a result can have these sizes.

    Raises:
        RuntimeError: one is negative.
    """
    for n in size:
        if n < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {n}: {[*outer, *size]}")


def check_padding(padding: int, kernel: int, dilation: int) -> None:
    """Whether a kernel always reaches into what is padded.

    Raises:
        RuntimeError: it does not, in torch's words.
    """
    if padding < 0:
        raise RuntimeError(f"pad must be non-negative, but got pad: {padding}")
    if padding > int(((kernel - 1) * dilation + 1) / 2):  # torch rounds towards zero
        raise RuntimeError(
            f"pad should be at most half of effective kernel size, but got pad={padding}, kernel_size={kernel} and "
            f"dilation={dilation}"
        )


# ---- images


def check_pool2d(data: Array, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, ceil_mode: bool) -> None:
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
    outputs="result | result1",
    self=lambda grad, self, kernel_size, stride, padding, dilation, ceil_mode, result1: max_pool2d_backward(
        grad, self, kernel_size, stride, padding, dilation, ceil_mode, result1
    ),
)
def max_pool2d(
    self: Array, kernel_size: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, ceil_mode: bool = False
) -> tuple[Array, Array]:
    """`stride` may be empty for that of the kernel."""
    steps = stride or kernel_size
    check_pool2d(self, kernel_size, steps, padding, dilation, ceil_mode)
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
    check_pool2d(self, kernel_size, steps, padding, (1, 1), ceil_mode)
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
    return beside(sum_over_blocks(grad_output / below, self, kernel_size, steps, padding), self)


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
    outputs="result0 | result1",
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


# ---- stacks of images


def check_pool3d(
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
    outputs="result0 | result1",
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
    check_pool3d(title, self, kernel_size, steps, padding, dilation, ceil_mode, whole=False)
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
    check_pool3d("avg_pool3d", self, kernel_size, steps, padding, (1, 1, 1), ceil_mode, whole=True)
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
    return sum_over_blocks(grad_output / below, self, kernel_size, steps, padding)


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


def count_elements(maps: Sequence[Array]) -> Array:
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
    return along_sides(self, maps) / count_elements(maps)


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
    return along_sides(grad_output / count_elements(maps), [matrix.T for matrix in maps])


# ---- pools undone


def check_unpool(data: Array, indices: Array, n: int) -> None:
    """Whether `indices` are places for `data`, images of `n` dimensions.

    Raises:
        RuntimeError: they are not, in torch's words.
    """
    if indices.dtype != np.int64:
        raise RuntimeError(f"elements in indices should be type int64 but got: {errors.type_name(indices.dtype)}")
    if data.ndim not in (n + 1, n + 2):
        raise RuntimeError(
            f"Input to max_unpooling{n}d should be a {n + 1}d or {n + 2}d Tensor, but got a tensor with {data.ndim} "
            "dimensions."
        )
    if indices.shape != data.shape:
        raise RuntimeError(
            f"Expected shape of indices to be same as that of the input tensor ({list(data.shape)}) but got indices "
            f"tensor with shape: {list(indices.shape)}"
        )


def put_back(data: Array, indices: Array, size: Sizes) -> Array:
    """Zeros with `data` at flat places; the last of several for one place stays."""
    n = len(size)
    rows, room = math.prod(data.shape[:-n]), math.prod(size)
    where = indices.reshape(rows, math.prod(data.shape[-n:]))
    wrong = where[(where < 0) | (where >= room)]
    if wrong.size:
        sides = "x".join(map(str, size))
        raise RuntimeError(f"Found an invalid max index: {wrong[-1]} (output volumes are of size {sides})")
    out = np.zeros((rows, room), data.dtype)
    for row, places, values in zip(out, where, data.reshape(where.shape), strict=True):
        row[places] = values
    return out.reshape(*data.shape[:-n], *size)


@op("max_unpool2d", node="MaxUnpool2DBackward0", self=lambda grad, indices: at_places(grad, indices, 2))
def max_unpool2d(self: Array, indices: Array, output_size: Sizes) -> Array:
    check_unpool(self, indices, 2)
    return put_back(self, indices, output_size)
