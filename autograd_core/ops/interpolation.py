"""Rows and images in other sizes: nearest, linear and cubic.

Each dimension is a matrix that takes a line of the input to one of the output (`nearest_map`, `linear_map`,
`cubic_map`); two dimensions are the product of both, and a gradient takes the transposes. Formulas: PyTorch's
derivatives.yaml.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..dispatch.op import op
from ..errors import Unsupported
from ..tensor.strides import beside
from ..tensor.tensor import Array
from ._common import refuse

# ---- the nearest element, and straight lines


Sizes = Sequence[int]
Scale = float | None


def nearest_map(size: int, count: int, scale: Scale, kind: np.dtype[Any]) -> Array:
    step = np.float32(1 / scale if scale else size / count)
    at = np.minimum(np.floor(np.arange(count, dtype=np.float32) * step).astype(int), size - 1)
    out = np.zeros((count, size), kind)
    out[np.arange(count), at] = 1
    return out


def linear_map(size: int, count: int, align_corners: bool, scale: Scale, kind: np.dtype[Any]) -> Array:
    if align_corners:
        at = np.arange(count, dtype=kind) * kind.type((size - 1) / (count - 1) if count > 1 else 0)
    else:
        step = kind.type(1 / scale if scale else size / count)
        at = np.maximum(step * (np.arange(count, dtype=kind) + kind.type(0.5)) - kind.type(0.5), 0)
    low = np.minimum(at.astype(int), size - 1)
    high = np.minimum(low + 1, size - 1)
    part = np.clip(at - low, 0, 1).astype(kind)
    out = np.zeros((count, size), kind)
    np.add.at(out, (np.arange(count), low), 1 - part)
    np.add.at(out, (np.arange(count), high), part)
    return out


def through(data: Array, down: Array | None, across: Array) -> Array:
    """`data` with its last dimension (and the one before) taken through a matrix."""
    out = np.matmul(data, across.T)
    return out if down is None else np.matmul(down, out)


# ---- one dimension


@op(
    "upsample_nearest1d",
    node="UpsampleNearest1DBackward0",
    self=lambda grad, self_sym_sizes, output_size, scales: upsample_nearest1d_backward(
        grad, output_size, self_sym_sizes, scales
    ),
)
def upsample_nearest1d(self: Array, output_size: Sizes, scales: Scale = None) -> Array:
    refuse("compute_indices_weights_nearest", "bi", self)
    return through(self, None, nearest_map(self.shape[2], output_size[0], scales, self.dtype))


@op(
    "upsample_nearest1d_backward",
    node="UpsampleNearest1DBackwardBackward0",
    grad_output=lambda grad, output_size, scales: upsample_nearest1d(grad, output_size, scales),
)
def upsample_nearest1d_backward(grad_output: Array, output_size: Sizes, input_size: Sizes, scales: Scale) -> Array:
    return through(grad_output, None, nearest_map(input_size[2], output_size[0], scales, grad_output.dtype).T)


@op(
    "upsample_linear1d",
    node="UpsampleLinear1DBackward0",
    self=lambda grad, self_sym_sizes, output_size, align_corners, scales: upsample_linear1d_backward(
        grad, output_size, self_sym_sizes, align_corners, scales
    ),
)
def upsample_linear1d(self: Array, output_size: Sizes, align_corners: bool, scales: Scale = None) -> Array:
    refuse("compute_indices_weights_linear", "biu", self)
    return through(self, None, linear_map(self.shape[2], output_size[0], align_corners, scales, self.dtype))


@op(
    "upsample_linear1d_backward",
    node="UpsampleLinear1DBackwardBackward0",
    grad_output=lambda grad, output_size, align_corners, scales: upsample_linear1d(
        grad, output_size, align_corners, scales
    ),
)
def upsample_linear1d_backward(
    grad_output: Array, output_size: Sizes, input_size: Sizes, align_corners: bool, scales: Scale
) -> Array:
    lines = linear_map(input_size[2], output_size[0], align_corners, scales, grad_output.dtype)
    return through(grad_output, None, lines.T)


# ---- two dimensions


def nearest_maps(sizes: Sizes, counts: Sizes, scales: Sequence[Scale], kind: np.dtype[Any]) -> list[Array]:
    return [nearest_map(n, m, scale, kind) for n, m, scale in zip(sizes[2:], counts, scales, strict=True)]


def linear_maps(sizes: Sizes, counts: Sizes, corners: bool, scales: Sequence[Scale], kind: Any) -> list[Array]:
    return [linear_map(n, m, corners, scale, kind) for n, m, scale in zip(sizes[2:], counts, scales, strict=True)]


@op(
    "upsample_nearest2d",
    node="UpsampleNearest2DBackward0",
    self=lambda grad, self_sym_sizes, output_size, scales_h, scales_w: upsample_nearest2d_backward(
        grad, output_size, self_sym_sizes, scales_h, scales_w
    ),
)
def upsample_nearest2d(self: Array, output_size: Sizes, scales_h: Scale = None, scales_w: Scale = None) -> Array:
    refuse("upsample_nearest2d_channels_last", "bi", self)
    return through(self, *nearest_maps(self.shape, output_size, (scales_h, scales_w), self.dtype))


@op(
    "upsample_nearest2d_backward",
    node="UpsampleNearest2DBackwardBackward0",
    grad_output=lambda grad, output_size, scales_h, scales_w: upsample_nearest2d(grad, output_size, scales_h, scales_w),
)
def upsample_nearest2d_backward(
    grad_output: Array, output_size: Sizes, input_size: Sizes, scales_h: Scale, scales_w: Scale
) -> Array:
    down, across = nearest_maps(input_size, output_size, (scales_h, scales_w), grad_output.dtype)
    return beside(through(grad_output, down.T, across.T), grad_output)


@op(
    "upsample_bilinear2d",
    node="UpsampleBilinear2DBackward0",
    self=lambda grad, self_sym_sizes, output_size, align_corners, scales_h, scales_w: upsample_bilinear2d_backward(
        grad, output_size, self_sym_sizes, align_corners, scales_h, scales_w
    ),
)
def upsample_bilinear2d(
    self: Array, output_size: Sizes, align_corners: bool, scales_h: Scale = None, scales_w: Scale = None
) -> Array:
    refuse("upsample_bilinear2d_channels_last", "bi", self)
    return through(self, *linear_maps(self.shape, output_size, align_corners, (scales_h, scales_w), self.dtype))


@op(
    "upsample_bilinear2d_backward",
    node="UpsampleBilinear2DBackwardBackward0",
    grad_output=lambda grad, output_size, align_corners, scales_h, scales_w: upsample_bilinear2d(
        grad, output_size, align_corners, scales_h, scales_w
    ),
)
def upsample_bilinear2d_backward(
    grad_output: Array, output_size: Sizes, input_size: Sizes, align_corners: bool, scales_h: Scale, scales_w: Scale
) -> Array:
    scales = (scales_h, scales_w)
    down, across = linear_maps(input_size, output_size, align_corners, scales, grad_output.dtype)
    return beside(through(grad_output, down.T, across.T), grad_output)


# ---- cubic curves


CUBIC_BEND = -0.75
"""How far the cubic curve swings beyond its ends."""


def wide(kind: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype that places are computed in."""
    return np.dtype(np.float64 if kind == np.float64 else np.float32)


def cubic_map(size: int, count: int, align_corners: bool, scale: Scale, kind: np.dtype[Any]) -> Array:
    number = wide(kind).type
    places = np.arange(count, dtype=wide(kind))
    if align_corners:
        at = places * number((size - 1) / (count - 1) if count > 1 else 0)
    else:
        at = number(1 / scale if scale else size / count) * (places + number(0.5)) - number(0.5)
    low = np.minimum(np.floor(at).astype(int), size - 1)
    part = np.clip(at - low, number(0), number(1))
    out = np.zeros((count, size), wide(kind))
    for step, weight in enumerate((outer(part + 1), inner(part), inner(1 - part), outer(2 - part)), -1):
        np.add.at(out, (np.arange(count), np.clip(low + step, 0, size - 1)), weight)
    return out.astype(kind)


def inner(x: Array) -> Array:
    """The weight of an element less than one step away."""
    return ((CUBIC_BEND + 2) * x - (CUBIC_BEND + 3)) * x * x + 1


def outer(x: Array) -> Array:
    """The weight of an element between one step and two away."""
    return ((CUBIC_BEND * x - 5 * CUBIC_BEND) * x + 8 * CUBIC_BEND) * x - 4 * CUBIC_BEND


def along(data: Array, maps: Sequence[Array]) -> Array:
    """`data` with its last dimensions taken through a matrix each."""
    for axis, lines in enumerate(reversed(maps), 1):
        data = np.moveaxis(np.matmul(np.moveaxis(data, -axis, -1), lines.T), -1, -axis)
    return np.ascontiguousarray(data)


def maps(make: Any, sizes: Sizes, counts: Sizes, scales: Sequence[Scale], *options: Any) -> list[Array]:
    """A matrix for each dimension; `options` end with the dtype."""
    *first, kind = options
    return [make(n, m, *first, scale, kind) for n, m, scale in zip(sizes[2:], counts, scales, strict=True)]


def transpose_maps(lines: list[Array]) -> list[Array]:
    return [each.T for each in lines]


# ---- cubic


@op(
    "upsample_bicubic2d",
    node="UpsampleBicubic2DBackward0",
    self=lambda grad, self_sym_sizes, output_size, align_corners, scales_h, scales_w: upsample_bicubic2d_backward(
        grad, output_size, self_sym_sizes, align_corners, scales_h, scales_w
    ),
)
def upsample_bicubic2d(
    self: Array, output_size: Sizes, align_corners: bool, scales_h: Scale = None, scales_w: Scale = None
) -> Array:
    if self.dtype == np.uint8:
        raise Unsupported("interpolate of bytes with mode='bicubic' is not supported")
    refuse("compute_indices_weights_cubic", "biu", self)
    return along(self, maps(cubic_map, self.shape, output_size, (scales_h, scales_w), align_corners, self.dtype))


@op(
    "upsample_bicubic2d_backward",
    node="UpsampleBicubic2DBackwardBackward0",
    grad_output=lambda grad, output_size, align_corners, scales_h, scales_w: upsample_bicubic2d(
        grad, output_size, align_corners, scales_h, scales_w
    ),
)
def upsample_bicubic2d_backward(
    grad_output: Array, output_size: Sizes, input_size: Sizes, align_corners: bool, scales_h: Scale, scales_w: Scale
) -> Array:
    lines = maps(cubic_map, input_size, output_size, (scales_h, scales_w), align_corners, grad_output.dtype)
    return along(grad_output, transpose_maps(lines))
