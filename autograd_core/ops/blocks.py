"""Blocks of images and of stacks of images, of as many dimensions as a kernel has sides: where they lie, what they
hold, and what goes back to the elements in them. Pooling is made of these."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

import numpy as np

from ..tensor import Array
from .convolution import added_up, owned, padded, windows

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
    return (owned(values), owned(places)) if data is image else (owned(values[0]), owned(places[0]))


def put_at_places(grad: Array, shape: Sizes, indices: Array, n: int = 2) -> Array:
    """Images of zeros, of `n` dimensions, with `grad` added at flat places."""
    out = np.zeros((math.prod(shape[:-n]), math.prod(shape[-n:])), grad.dtype)
    where = indices.reshape(len(out), math.prod(indices.shape[-n:]))
    np.add.at(out, (np.arange(len(out))[:, None], where), grad.reshape(where.shape))
    return owned(out.reshape(shape))


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
