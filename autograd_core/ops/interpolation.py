"""Images and volumes in other sizes: nearest, linear and cubic, and smoothed on the way.

Each dimension is a matrix that takes a line of the input to one of the output (`nearest_map`, `linear_map`); two
dimensions are the product of both, and a gradient takes the transposes. Formulas: PyTorch's derivatives.yaml.

A matrix for each dimension (`cubic_map`, `exact_map`), and a gradient takes the transposes.
Formulas: PyTorch's derivatives.yaml.

A matrix for each dimension (`smooth_map`), and a gradient takes the transposes. Formulas:
PyTorch's derivatives.yaml.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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


# ---- cubic curves, three dimensions, the exactly nearest


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
    return along(grad_output, transpose_maps(maps(nearest_map, input_size, output_size, scales, grad_output.dtype)))


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
        grad_output, transpose_maps(maps(linear_map, input_size, output_size, scales, align_corners, grad_output.dtype))
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
    return along(grad_output, transpose_maps(maps(exact_map, input_size, output_size, (scales,), grad_output.dtype)))


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
        along(
            grad_output,
            transpose_maps(maps(exact_map, input_size, output_size, (scales_h, scales_w), grad_output.dtype)),
        ),
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
    return along(grad_output, transpose_maps(maps(exact_map, input_size, output_size, scales, grad_output.dtype)))


# ---- without moire: a kernel as wide as the step


SMOOTH_CUBIC_BEND = -0.5
"""How far the smoothing cubic curve swings beyond its ends."""


def tent(x: Array) -> Array:
    """The weight of an element at the distance `x`, by straight lines."""
    return np.maximum(1 - x, 0)


def curve(x: Array) -> Array:
    """The weight of an element at the distance `x`, by a cubic curve."""
    near = ((SMOOTH_CUBIC_BEND + 2) * x - (SMOOTH_CUBIC_BEND + 3)) * x * x + 1
    far = (((x - 5) * x + 8) * x - 4) * SMOOTH_CUBIC_BEND
    return np.where(x < 1, near, np.where(x < 2, far, 0)).astype(x.dtype)


def smooth_map(
    size: int, count: int, reach: int, weigh: Callable[[Array], Array], corners: bool, scale: Scale, kind: np.dtype[Any]
) -> Array:
    """`weigh` falls to nothing at the distance `reach`, counted in steps of the output if those are the longer ones."""
    if corners:
        step = kind.type((size - 1) / (count - 1) if count > 1 else 0)
    else:
        step = kind.type(1 / scale if scale else size / count)
    wide = np.maximum(step, kind.type(1))
    middles = step * (np.arange(count, dtype=kind) + kind.type(0.5))[:, None]
    places = np.arange(size, dtype=kind)
    first = np.maximum((middles - reach * wide + kind.type(0.5)).astype(int), 0)
    beyond = np.minimum((middles + reach * wide + kind.type(0.5)).astype(int), size)
    weights = weigh(np.abs((places - middles + kind.type(0.5)) / wide))
    weights = np.where((places >= first) & (places < beyond), weights, 0)
    total = np.sum(weights, axis=1, keepdims=True)
    return (weights / np.where(total == 0, 1, total)).astype(kind)


def check_numbers(data: Array) -> None:
    if data.dtype == np.uint8:
        raise Unsupported("interpolate of bytes with antialias=True is not supported")
    if data.dtype == np.float16:
        raise NotImplementedError("\"compute_index_ranges_weights\" not implemented for 'Half'")
    refuse("compute_index_ranges_weights", "bi", data)


@op(
    "_upsample_bilinear2d_aa",
    node="UpsampleBilinear2DAaBackward0",
    self=lambda grad, self_sym_sizes, output_size, align_corners, scales_h, scales_w: upsample_bilinear2d_aa_backward(
        grad, output_size, self_sym_sizes, align_corners, scales_h, scales_w
    ),
)
def upsample_bilinear2d_aa(
    self: Array, output_size: Sizes, align_corners: bool, scales_h: Scale = None, scales_w: Scale = None
) -> Array:
    check_numbers(self)
    return along(
        self, maps(smooth_map, self.shape, output_size, (scales_h, scales_w), 1, tent, align_corners, self.dtype)
    )


@op(
    "_upsample_bilinear2d_aa_backward",
    node="UpsampleBilinear2DAaBackwardBackward0",
    grad_output=lambda grad, output_size, align_corners, scales_h, scales_w: upsample_bilinear2d_aa(
        grad, output_size, align_corners, scales_h, scales_w
    ),
)
def upsample_bilinear2d_aa_backward(
    grad_output: Array, output_size: Sizes, input_size: Sizes, align_corners: bool, scales_h: Scale, scales_w: Scale
) -> Array:
    options = (1, tent, align_corners, grad_output.dtype)
    return along(grad_output, transpose_maps(maps(smooth_map, input_size, output_size, (scales_h, scales_w), *options)))


@op(
    "_upsample_bicubic2d_aa",
    node="UpsampleBicubic2DAaBackward0",
    self=lambda grad, self_sym_sizes, output_size, align_corners, scales_h, scales_w: upsample_bicubic2d_aa_backward(
        grad, output_size, self_sym_sizes, align_corners, scales_h, scales_w
    ),
)
def upsample_bicubic2d_aa(
    self: Array, output_size: Sizes, align_corners: bool, scales_h: Scale = None, scales_w: Scale = None
) -> Array:
    check_numbers(self)
    return along(
        self, maps(smooth_map, self.shape, output_size, (scales_h, scales_w), 2, curve, align_corners, self.dtype)
    )


@op(
    "_upsample_bicubic2d_aa_backward",
    node="UpsampleBicubic2DAaBackwardBackward0",
    grad_output=lambda grad, output_size, align_corners, scales_h, scales_w: upsample_bicubic2d_aa(
        grad, output_size, align_corners, scales_h, scales_w
    ),
)
def upsample_bicubic2d_aa_backward(
    grad_output: Array, output_size: Sizes, input_size: Sizes, align_corners: bool, scales_h: Scale, scales_w: Scale
) -> Array:
    options = (2, curve, align_corners, grad_output.dtype)
    return along(grad_output, transpose_maps(maps(smooth_map, input_size, output_size, (scales_h, scales_w), *options)))
