"""Convolutions of any number of dimensions, and blocks of images laid out in columns.

A convolution is one product of the weight with a strided look at the input that shows every block (`windows`); its
transpose adds the blocks back up. Formulas: PyTorch's derivatives.yaml and, for the second derivative, the convolutions
of which `_convolution_double_backward` is made.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..dispatch.op import both, op
from ..tensor.strides import beside
from ..tensor.tensor import Array
from ..tensor.views import window
from .fused_backward import ABSENT, joint

Sizes = Sequence[int]


def windows(data: Array, kernel: Sizes, stride: Sizes, dilation: Sizes) -> Array:
    """`data` (N, C, *lengths) as (N, C, *positions, *kernel): the block under the kernel at each position."""
    spans = [d * (k - 1) + 1 for k, d in zip(kernel, dilation, strict=True)]
    places = [(n - span) // s + 1 for n, span, s in zip(data.shape[2:], spans, stride, strict=True)]
    steps = data.strides[2:]
    strides = [step * s for step, s in zip(steps, stride, strict=True)]
    inner = [step * d for step, d in zip(steps, dilation, strict=True)]
    shape = (*data.shape[:2], *places, *kernel)
    return window(data, shape, (*data.strides[:2], *strides, *inner), writeable=False)


def pad(data: Array, padding: Sizes, value: float = 0) -> Array:
    """`data` with `padding` elements of `value` on both sides of its spatial dimensions."""
    if not any(padding):
        return data
    around = [(0, 0)] * (data.ndim - len(padding)) + [(p, p) for p in padding]
    return np.pad(data, around, constant_values=value)


def copy_rows(data: Array) -> Array:
    """`data` row by row in memory of its own, so that a gradient made of it may be added to."""
    return np.array(data, order="C") if data.base is not None or not data.flags.c_contiguous else data


def by_group(groups: int, *parts: tuple[Array, int]) -> Iterator[tuple[Array, ...]]:
    """The parts of each group, of arrays that are cut along the dimension given with each."""
    return zip(*(np.split(data, groups, axis) for data, axis in parts), strict=True)


def correlate(data: Array, weight: Array, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int) -> Array:
    """The product of `weight` (out, in, *kernel) with every block of `data`."""
    n = data.ndim - 2
    look = windows(pad(data, padding), weight.shape[2:], stride, dilation)
    blocks = [1, *range(2 + n, 2 + 2 * n)]
    kernel = list(range(1, 2 + n))
    parts = [np.tensordot(x, w, (blocks, kernel)) for x, w in by_group(groups, (look, 1), (weight, 0))]
    whole = parts[0] if groups == 1 else np.concatenate(parts, -1)
    return copy_rows(np.moveaxis(whole, -1, 1))


def spread(
    data: Array, weight: Array, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int, lengths: Sizes
) -> Array:
    """The transpose of `correlated`: each element of `data` adds its multiple of `weight` to a block."""
    n = data.ndim - 2
    parts = []
    for x, w in by_group(groups, (data, 1), (weight, 0)):
        blocks = np.tensordot(w, x, (0, 1))  # (in, *kernel, N, *positions)
        parts.append(np.moveaxis(blocks, 1 + n, 0))
    blocks = parts[0] if groups == 1 else np.concatenate(parts, 1)
    return added_up(blocks, stride, padding, dilation, lengths)


def added_up(blocks: Array, stride: Sizes, padding: Sizes, dilation: Sizes, lengths: Sizes) -> Array:
    """The sum of overlapping blocks (N, C, *kernel, *positions) in an image of `lengths`."""
    n = len(lengths)
    kernel, places = blocks.shape[2 : 2 + n], blocks.shape[2 + n :]
    reach = [
        max(p + length, s * (m - 1) + d * (k - 1) + 1)
        for p, length, s, m, d, k in zip(padding, lengths, stride, places, dilation, kernel, strict=True)
    ]
    out = np.zeros((*blocks.shape[:2], *reach), blocks.dtype)
    for at in np.ndindex(*kernel):
        first = [k * d for k, d in zip(at, dilation, strict=True)]
        cut = [slice(f, f + s * (m - 1) + 1, s) for f, s, m in zip(first, stride, places, strict=True)]
        out[(..., *cut)] += blocks[(slice(None), slice(None), *at)]  # type: ignore[arg-type]
    inside = [slice(p, p + length) for p, length in zip(padding, lengths, strict=True)]
    return copy_rows(out[(..., *inside)])  # type: ignore[arg-type]


def by_weight(
    data: Array, grad: Array, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int
) -> Array:
    """The gradient of the weight of `correlated`."""
    n = data.ndim - 2
    room = pad(data, padding)
    look = windows(room, kernel, stride, dilation)
    look = look[(slice(None), slice(None), *(slice(m) for m in grad.shape[2:]))]
    over = [0, *range(2, 2 + n)]
    parts = [np.tensordot(g, x, (over, over)) for g, x in by_group(groups, (grad, 1), (look, 1))]
    return copy_rows(parts[0] if groups == 1 else np.concatenate(parts, 0))


# ---- the operator


@joint(
    "convolution",
    of=("input", "weight", "bias"),
    formula=lambda grad, input, weight, bias_sym_sizes_opt, stride, padding, dilation, transposed, output_padding,
    groups, mask: convolution_backward(
        grad, input, weight, bias_sym_sizes_opt, stride, padding, dilation, transposed, output_padding, groups, mask
    ),
)  # fmt: skip
def convolution(
    input: Array,
    weight: Array,
    bias: Array | None,
    stride: Sizes,
    padding: Sizes,
    dilation: Sizes,
    transposed: bool,
    output_padding: Sizes,
    groups: int,
) -> Array:
    if transposed:
        kernel = weight.shape[2:]
        terms = zip(input.shape[2:], stride, padding, dilation, kernel, output_padding, strict=True)
        lengths = [(n - 1) * s - 2 * p + d * (k - 1) + more + 1 for n, s, p, d, k, more in terms]
        out = spread(input, weight, stride, padding, dilation, groups, lengths)
    else:
        out = correlate(input, weight, stride, padding, dilation, groups)
    return out if bias is None else out + bias.reshape(-1, *(1,) * (input.ndim - 2))


@joint(
    "convolution_backward",
    outputs="result0 result1 result2",
    of=("grad_output", "input", "weight"),
    formula=lambda grads, grad_output, input, weight, stride, padding, dilation, transposed, output_padding,
    groups, mask: convolution_double(
        grads, grad_output, weight, input, stride, padding, dilation, transposed, output_padding, groups
    ),
)  # fmt: skip
def convolution_backward(
    grad_output: Array,
    input: Array,
    weight: Array,
    bias_sizes: Sizes,
    stride: Sizes,
    padding: Sizes,
    dilation: Sizes,
    transposed: bool,
    output_padding: Sizes,
    groups: int,
    output_mask: Sequence[bool],
) -> tuple[Array, Array, Array]:
    to_input, to_weight, to_bias = ABSENT, ABSENT, ABSENT
    shift = (stride, padding, dilation, groups)
    if output_mask[0]:
        if transposed:
            to_input = correlate(grad_output, weight, *shift)
            to_input = copy_rows(to_input[(..., *(slice(n) for n in input.shape[2:]))])
        else:
            to_input = spread(grad_output, weight, *shift, input.shape[2:])
    if output_mask[1]:
        data, grad = (grad_output, input) if transposed else (input, grad_output)
        to_weight = by_weight(data, grad, weight.shape[2:], *shift)
    if weight.ndim == 4:
        to_input, to_weight = (
            part if part is ABSENT else beside(part, input, weight) for part in (to_input, to_weight)
        )
    if output_mask[2]:
        to_bias = np.sum(grad_output, (0, *range(2, grad_output.ndim)))
    return to_input, to_weight, to_bias


@both
def convolution_double(
    grads: Any,
    grad_output: Array,
    weight: Array,
    input: Array,
    stride: Sizes,
    padding: Sizes,
    dilation: Sizes,
    transposed: bool,
    output_padding: Sizes,
    groups: int,
) -> list[Any]:
    """The gradients of the three operands of a convolution's backward, by more convolutions."""
    by_input, of_weight, by_bias = grads
    same = (stride, padding, dilation, transposed, output_padding, groups)
    output = to_weight = to_input = None
    if by_input is not None:
        output = convolution(by_input, weight, None, *same)
    if of_weight is not None:
        term = convolution(input, of_weight, None, *same)
        output = term if output is None else output + term
    if by_bias is not None:
        wide = [-1 if dim == 1 else 1 for dim in range(len(grad_output.shape))]
        term = expand(view(by_bias, wide), list(grad_output.shape))
        output = term if output is None else output + term
    if by_input is not None:
        to_weight = weight_by_convolution(
            by_input, grad_output, weight, stride, padding, dilation, transposed, output_padding, groups
        )
    if of_weight is not None:
        terms = zip(weight.shape[2:], dilation, padding, stride, grad_output.shape[2:], input.shape[2:], strict=True)
        more = (
            list(output_padding)
            if transposed
            else [n - ((k - 1) * d - 2 * p + s * (m - 1) + 1) for k, d, p, s, m, n in terms]
        )
        to_input = convolution(grad_output, of_weight, None, stride, padding, dilation, not transposed, more, groups)
        to_input = narrow(to_input, input.shape)
    return [output, to_input, to_weight]


@both
def weight_by_convolution(
    by_input: Array,
    grad_output: Array,
    weight: Array,
    stride: Sizes,
    padding: Sizes,
    dilation: Sizes,
    transposed: bool,
    output_padding: Sizes,
    groups: int,
) -> Array:
    """The gradient of a weight, as a convolution over the batch."""
    outer, inner = transpose(grad_output, 0, 1), transpose(by_input, 0, 1)
    parts = []
    for group in range(groups):
        g, x = part_of(outer, groups, group), part_of(inner, groups, group)
        pair = (g, x) if transposed else (x, g)
        parts.append(convolution(*pair, None, dilation, padding, stride, False, output_padding, 1))
    whole = parts[0] if groups == 1 else cat(parts, 1)
    return narrow(transpose(whole, 0, 1), weight.shape)


@both
def part_of(data: Array, groups: int, group: int) -> Array:
    if groups == 1:
        return data
    n = data.shape[0] // groups
    return slice_(data, 0, n * group, n * (group + 1), 1)


@both
def narrow(data: Array, shape: Sizes) -> Array:
    """`data` cut to the lengths of `shape` from the third dimension on."""
    for dim in range(2, len(shape)):
        if data.shape[dim] > shape[dim]:
            data = slice_(data, dim, 0, shape[dim], 1)
    return data


# ---- blocks in columns


@op(
    "im2col",
    node="Im2ColBackward0",
    self=lambda grad, self_sym_argsize_minus_2, self_sym_argsize_minus_1, kernel_size, dilation, padding, stride: (
        col2im(grad, [self_sym_argsize_minus_2, self_sym_argsize_minus_1], kernel_size, dilation, padding, stride)
    ),
)
def im2col(self: Array, kernel_size: Sizes, dilation: Sizes, padding: Sizes, stride: Sizes) -> Array:
    batch = self if self.ndim == 4 else self[None]
    look = windows(pad(batch, padding), kernel_size, stride, dilation)
    count = batch.shape[1] * kernel_size[0] * kernel_size[1], look.shape[2] * look.shape[3]
    columns = look.transpose(0, 1, 4, 5, 2, 3).reshape(len(batch), *count)
    return copy_rows(columns if self.ndim == 4 else columns[0])


@op(
    "col2im",
    node="Col2ImBackward0",
    self=lambda grad, kernel_size, dilation, padding, stride: im2col(grad, kernel_size, dilation, padding, stride),
)
def col2im(
    self: Array, output_size: Sizes, kernel_size: Sizes, dilation: Sizes, padding: Sizes, stride: Sizes
) -> Array:
    batch = self if self.ndim == 3 else self[None]
    terms = zip(output_size, padding, dilation, kernel_size, stride, strict=True)
    places = [(n + 2 * p - d * (k - 1) - 1) // s + 1 for n, p, d, k, s in terms]
    if min(places) < 1:
        raise RuntimeError(
            f"Given output_size={tuple(output_size)}, kernel_size={tuple(kernel_size)}, dilation={tuple(dilation)}, "
            f"padding={tuple(padding)}, stride={tuple(stride)}, calculated shape of the array of sliding blocks as "
            f"{tuple(places)}, which is too small (non-positive)"
        )
    channels = batch.shape[1] // (kernel_size[0] * kernel_size[1])
    blocks = batch.reshape(len(batch), channels, *kernel_size, *places)
    image = added_up(blocks, stride, padding, dilation, output_size)
    return copy_rows(image if self.ndim == 3 else image[0])


# ---- channels to pixels and back


@op("pixel_shuffle", self=lambda grad, upscale_factor: pixel_unshuffle(grad, upscale_factor))
def pixel_shuffle(self: Array, upscale_factor: int) -> Array:
    *outer, channels, height, width = self.shape
    r = upscale_factor
    parts = self.reshape(*outer, channels // r**2, r, r, height, width)
    n = len(outer)
    moved = parts.transpose(*range(n + 1), n + 3, n + 1, n + 4, n + 2)
    return copy_rows(moved.reshape(*outer, channels // r**2, height * r, width * r))


@op("pixel_unshuffle", self=lambda grad, downscale_factor: pixel_shuffle(grad, downscale_factor))
def pixel_unshuffle(self: Array, downscale_factor: int) -> Array:
    *outer, channels, height, width = self.shape
    r = downscale_factor
    parts = self.reshape(*outer, channels, height // r, r, width // r, r)
    n = len(outer)
    moved = parts.transpose(*range(n + 1), n + 2, n + 4, n + 1, n + 3)
    return copy_rows(moved.reshape(*outer, channels * r**2, height // r, width // r))
