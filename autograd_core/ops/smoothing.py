"""Images in other sizes without moire: what is made smaller is smoothed on the way, by a kernel as wide as the step.

As upsampling.py has it: a matrix for each dimension (`smooth_map`), and a gradient takes the transposes. Formulas:
PyTorch's derivatives.yaml.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..op import op
from ..tensor import Array
from ..unsupported import Unsupported
from .kernels import refuse
from .upsampling import Scale, Sizes
from .zooming import along, maps, turned

BEND = -0.5
"""How far the smoothing cubic curve swings beyond its ends."""


def tent(x: Array) -> Array:
    """The weight of an element at the distance `x`, by straight lines."""
    return np.maximum(1 - x, 0)


def curve(x: Array) -> Array:
    """The weight of an element at the distance `x`, by a cubic curve."""
    near = ((BEND + 2) * x - (BEND + 3)) * x * x + 1
    far = (((x - 5) * x + 8) * x - 4) * BEND
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
    return along(grad_output, turned(maps(smooth_map, input_size, output_size, (scales_h, scales_w), *options)))


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
    return along(grad_output, turned(maps(smooth_map, input_size, output_size, (scales_h, scales_w), *options)))
