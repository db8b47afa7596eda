"""Images and volumes in other sizes: by cubic curves, in three dimensions, and by the element that is nearest exactly.

As upsampling.py has it: a matrix for each dimension (`cubic_map`, `exact_map`), and a gradient takes the transposes.
Formulas: PyTorch's derivatives.yaml.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..op import op
from ..strides import beside
from ..tensor import Array
from ..unsupported import Unsupported
from .kernels import refuse
from .upsampling import Scale, Sizes, linear_map, nearest_map

BEND = -0.75
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
    return ((BEND + 2) * x - (BEND + 3)) * x * x + 1


def outer(x: Array) -> Array:
    """The weight of an element between one step and two away."""
    return ((BEND * x - 5 * BEND) * x + 8 * BEND) * x - 4 * BEND


def exact_map(size: int, count: int, scale: Scale, kind: np.dtype[Any]) -> Array:
    """As `nearest_map`, but by the middles of elements."""
    step = np.float32(1 / scale if scale else size / count)
    at = np.floor(((np.arange(count) + 0.5) * step).astype(np.float32)).astype(int)
    out = np.zeros((count, size), kind)
    out[np.arange(count), np.minimum(at, size - 1)] = 1
    return out


def along(data: Array, maps: Sequence[Array]) -> Array:
    """`data` with its last dimensions taken through a matrix each."""
    for axis, lines in enumerate(reversed(maps), 1):
        data = np.moveaxis(np.matmul(np.moveaxis(data, -axis, -1), lines.T), -1, -axis)
    return np.ascontiguousarray(data)


def maps(make: Any, sizes: Sizes, counts: Sizes, scales: Sequence[Scale], *options: Any) -> list[Array]:
    """A matrix for each dimension; `options` end with the dtype."""
    *first, kind = options
    return [make(n, m, *first, scale, kind) for n, m, scale in zip(sizes[2:], counts, scales, strict=True)]


def turned(lines: list[Array]) -> list[Array]:
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
    return along(grad_output, turned(lines))


# ---- three dimensions


@op(
    "upsample_nearest3d",
    node="UpsampleNearest3DBackward0",
    self=lambda grad, self_sym_sizes, output_size, scales_d, scales_h, scales_w: upsample_nearest3d_backward(
        grad, output_size, self_sym_sizes, scales_d, scales_h, scales_w
    ),
)
def upsample_nearest3d(
    self: Array, output_size: Sizes, scales_d: Scale = None, scales_h: Scale = None, scales_w: Scale = None
) -> Array:
    refuse("compute_indices_weights_nearest", "bi", self)
    return along(self, maps(nearest_map, self.shape, output_size, (scales_d, scales_h, scales_w), self.dtype))


@op(
    "upsample_nearest3d_backward",
    node="UpsampleNearest3DBackwardBackward0",
    grad_output=lambda grad, output_size, scales_d, scales_h, scales_w: upsample_nearest3d(
        grad, output_size, scales_d, scales_h, scales_w
    ),
)
def upsample_nearest3d_backward(
    grad_output: Array, output_size: Sizes, input_size: Sizes, scales_d: Scale, scales_h: Scale, scales_w: Scale
) -> Array:
    scales = (scales_d, scales_h, scales_w)
    return along(grad_output, turned(maps(nearest_map, input_size, output_size, scales, grad_output.dtype)))


@op(
    "upsample_trilinear3d",
    node="UpsampleTrilinear3DBackward0",
    self=lambda grad, self_sym_sizes, output_size, align_corners, scales_d, scales_h, scales_w: (
        upsample_trilinear3d_backward(grad, output_size, self_sym_sizes, align_corners, scales_d, scales_h, scales_w)
    ),
)
def upsample_trilinear3d(
    self: Array,
    output_size: Sizes,
    align_corners: bool,
    scales_d: Scale = None,
    scales_h: Scale = None,
    scales_w: Scale = None,
) -> Array:
    refuse("compute_indices_weights_linear", "biu", self)
    scales = (scales_d, scales_h, scales_w)
    return along(self, maps(linear_map, self.shape, output_size, scales, align_corners, self.dtype))


@op(
    "upsample_trilinear3d_backward",
    node="UpsampleTrilinear3DBackwardBackward0",
    grad_output=lambda grad, output_size, align_corners, scales_d, scales_h, scales_w: upsample_trilinear3d(
        grad, output_size, align_corners, scales_d, scales_h, scales_w
    ),
)
def upsample_trilinear3d_backward(
    grad_output: Array,
    output_size: Sizes,
    input_size: Sizes,
    align_corners: bool,
    scales_d: Scale,
    scales_h: Scale,
    scales_w: Scale,
) -> Array:
    scales = (scales_d, scales_h, scales_w)
    return along(
        grad_output, turned(maps(linear_map, input_size, output_size, scales, align_corners, grad_output.dtype))
    )


# ---- nearest exactly


@op(
    "_upsample_nearest_exact1d",
    node="UpsampleNearestExact1DBackward0",
    self=lambda grad, self_sym_sizes, output_size, scales: upsample_nearest_exact1d_backward(
        grad, output_size, self_sym_sizes, scales
    ),
)
def upsample_nearest_exact1d(self: Array, output_size: Sizes, scales: Scale = None) -> Array:
    refuse("compute_indices_weights_nearest", "bi", self)
    return along(self, maps(exact_map, self.shape, output_size, (scales,), self.dtype))


@op(
    "_upsample_nearest_exact1d_backward",
    node="UpsampleNearestExact1DBackwardBackward0",
    grad_output=lambda grad, output_size, scales: upsample_nearest_exact1d(grad, output_size, scales),
)
def upsample_nearest_exact1d_backward(
    grad_output: Array, output_size: Sizes, input_size: Sizes, scales: Scale
) -> Array:
    return along(grad_output, turned(maps(exact_map, input_size, output_size, (scales,), grad_output.dtype)))


@op(
    "_upsample_nearest_exact2d",
    node="UpsampleNearestExact2DBackward0",
    self=lambda grad, self_sym_sizes, output_size, scales_h, scales_w: upsample_nearest_exact2d_backward(
        grad, output_size, self_sym_sizes, scales_h, scales_w
    ),
)
def upsample_nearest_exact2d(self: Array, output_size: Sizes, scales_h: Scale = None, scales_w: Scale = None) -> Array:
    refuse("upsample_nearest2d_channels_last", "bi", self)
    return along(self, maps(exact_map, self.shape, output_size, (scales_h, scales_w), self.dtype))


@op(
    "_upsample_nearest_exact2d_backward",
    node="UpsampleNearestExact2DBackwardBackward0",
    grad_output=lambda grad, output_size, scales_h, scales_w: upsample_nearest_exact2d(
        grad, output_size, scales_h, scales_w
    ),
)
def upsample_nearest_exact2d_backward(
    grad_output: Array, output_size: Sizes, input_size: Sizes, scales_h: Scale, scales_w: Scale
) -> Array:
    return beside(
        along(grad_output, turned(maps(exact_map, input_size, output_size, (scales_h, scales_w), grad_output.dtype))),
        grad_output,
    )


@op(
    "_upsample_nearest_exact3d",
    node="UpsampleNearestExact3DBackward0",
    self=lambda grad, self_sym_sizes, output_size, scales_d, scales_h, scales_w: upsample_nearest_exact3d_backward(
        grad, output_size, self_sym_sizes, scales_d, scales_h, scales_w
    ),
)
def upsample_nearest_exact3d(
    self: Array, output_size: Sizes, scales_d: Scale = None, scales_h: Scale = None, scales_w: Scale = None
) -> Array:
    refuse("compute_indices_weights_nearest", "bi", self)
    return along(self, maps(exact_map, self.shape, output_size, (scales_d, scales_h, scales_w), self.dtype))


@op(
    "_upsample_nearest_exact3d_backward",
    node="UpsampleNearestExact3DBackwardBackward0",
    grad_output=lambda grad, output_size, scales_d, scales_h, scales_w: upsample_nearest_exact3d(
        grad, output_size, scales_d, scales_h, scales_w
    ),
)
def upsample_nearest_exact3d_backward(
    grad_output: Array, output_size: Sizes, input_size: Sizes, scales_d: Scale, scales_h: Scale, scales_w: Scale
) -> Array:
    scales = (scales_d, scales_h, scales_w)
    return along(grad_output, turned(maps(exact_map, input_size, output_size, scales, grad_output.dtype)))
