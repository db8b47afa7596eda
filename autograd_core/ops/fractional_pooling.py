"""Pooling by a fraction: blocks of one size whose beginnings are drawn, so that as many fit as are asked for.

Graham, "Fractional max-pooling" (2014). Formulas: PyTorch's derivatives.yaml.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..dispatch.op import op
from ..tensor.tensor import Array
from ._common import refuse
from .pooling import Sizes, check_sizes, put_at_places

SIDES = ("time", "height", "width")


def check(title: str, data: Array, kernel: Sizes, output: Sizes, samples: Array) -> None:
    """Whether so many blocks fit; in three dimensions torch wants room for one more.

    Raises:
        RuntimeError: they do not, or the numbers drawn are not those of the channels.
    """
    n = len(kernel)
    if data.ndim not in (n + 1, n + 2):
        raise RuntimeError(f"{title}(): Expected {n + 1}D or {n + 2}D tensor, but got: {list(data.shape)}")
    for dim in range(1, data.ndim):
        if not data.shape[dim]:
            raise RuntimeError(
                f"{title}(): Expected input to have non-zero size for non-batch dimensions, but got{list(data.shape)} "
                f"with dimension {dim} being empty."
            )
    if data.ndim == n + 2 and len(samples) < len(data):
        raise RuntimeError("Expect _random_samples.size(0) no less then input batch size.")
    if samples.shape[1] != data.shape[-n - 1]:
        raise RuntimeError("Expect _random_samples.size(1) equals to input channel size.")
    for side, size, k, count in zip(SIDES[-n:], data.shape[-n:], kernel, output, strict=True):
        if count + k - 1 > size - (n == 3):
            raise RuntimeError(f"{title}(): pool {side} {k} too large relative to input {side} {size}")


def beginnings(sample: float, size: int, count: int, kernel: int, kind: np.dtype[np.floating]) -> Array:
    """Where `count` blocks begin: in even steps from a drawn place, the last at the end."""
    starts = np.full(count, size - kernel)
    if count > 1:
        step, drawn = kind.type(size - kernel) / kind.type(count - 1), kind.type(sample)
        steps = (np.arange(count - 1).astype(kind) + drawn) * step
        starts[:-1] = np.trunc(steps).astype(int) - int(drawn * step)
    return starts


def largest_at(image: Array, starts: Sequence[Array], kernel: Sizes) -> tuple[Array, Array]:
    """The largest element of each block of an image, and its place."""
    inside = [start[:, None] + np.arange(k) for start, k in zip(starts, kernel, strict=True)]
    n, places = len(kernel), np.zeros((), int)
    for at, (rows, size) in enumerate(zip(inside, image.shape, strict=True)):
        shape = [1] * (2 * n)
        shape[at], shape[n + at] = rows.shape
        places = places * size + rows.reshape(shape)
    places = places.reshape(*places.shape[:n], math.prod(kernel))
    values = image.reshape(-1)[places]
    found = np.argmax(values, -1)[..., None]
    return np.take_along_axis(values, found, -1)[..., 0], np.take_along_axis(places, found, -1)[..., 0]


def pool(title: str, data: Array, kernel: Sizes, output: Sizes, samples: Array) -> tuple[Array, Array]:
    check(title, data, kernel, output, samples)
    refuse(title, "biu", data)
    n = len(kernel)
    check_sizes(data.shape[:-n], output)
    images = data.reshape(math.prod(data.shape[:-n]), *data.shape[-n:])
    values, where = (np.zeros((len(images), *output), kind) for kind in (data.dtype, np.int64))
    drawn = samples.reshape(-1, n)
    order = range(n) if n == 3 else range(n - 1, -1, -1)  # for images, torch draws for the width first
    for i, image in enumerate(images):
        starts = [
            beginnings(drawn[i, place], size, count, k, data.dtype)
            for place, size, count, k in zip(order, image.shape, output, kernel, strict=True)
        ]
        values[i], where[i] = largest_at(image, starts, kernel)
    shape = (*data.shape[:-n], *output)
    return values.reshape(shape), where.reshape(shape)


@op(
    "fractional_max_pool2d",
    node="FractionalMaxPool2DBackward0",
    outputs=("result0", "result1"),
    differentiable=("result0",),
    self=lambda grad, self, kernel_size, output_size, result1: fractional_max_pool2d_backward(
        grad, self, kernel_size, output_size, result1
    ),
)
def fractional_max_pool2d(
    self: Array, kernel_size: Sizes, output_size: Sizes, random_samples: Array
) -> tuple[Array, Array]:
    return pool("fractional_max_pool2d", self, kernel_size, output_size, random_samples)


@op(
    "fractional_max_pool2d_backward",
    node="FractionalMaxPool2DBackwardBackward0",
    grad_output=lambda grad, indices: at_places(grad, indices, 2),
    self=lambda grad: zeros_as(grad),
)
def fractional_max_pool2d_backward(
    grad_output: Array, self: Array, kernel_size: Sizes, output_size: Sizes, indices: Array
) -> Array:
    return put_at_places(grad_output, self.shape, indices)


@op(
    "fractional_max_pool3d",
    node="FractionalMaxPool3DBackward0",
    outputs=("result0", "result1"),
    differentiable=("result0",),
    self=lambda grad, self, kernel_size, output_size, result1: fractional_max_pool3d_backward(
        grad, self, kernel_size, output_size, result1
    ),
)
def fractional_max_pool3d(
    self: Array, kernel_size: Sizes, output_size: Sizes, random_samples: Array
) -> tuple[Array, Array]:
    return pool("fractional_max_pool3d_out", self, kernel_size, output_size, random_samples)


@op(
    "fractional_max_pool3d_backward",
    node="FractionalMaxPool3DBackwardBackward0",
    grad_output=lambda grad, indices: at_places(grad, indices, 3),
    self=lambda grad: zeros_as(grad),
)
def fractional_max_pool3d_backward(
    grad_output: Array, self: Array, kernel_size: Sizes, output_size: Sizes, indices: Array
) -> Array:
    return put_at_places(grad_output, self.shape, indices, 3)
