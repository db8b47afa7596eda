"""Interpolation as a function."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...ops.interpolation import (
    upsample_bicubic2d,
    upsample_bicubic2d_aa,
    upsample_bilinear2d,
    upsample_bilinear2d_aa,
    upsample_linear1d,
    upsample_nearest1d,
    upsample_nearest2d,
    upsample_nearest3d,
    upsample_nearest_exact1d,
    upsample_nearest_exact2d,
    upsample_nearest_exact3d,
    upsample_trilinear3d,
)
from ...tensor import Tensor
from ...unsupported import Unsupported
from ...warned import warn
from .pooling import adaptive_avg_pool1d, adaptive_avg_pool2d
from .volumes import adaptive_avg_pool3d

RANKS = {"linear": 3, "bilinear": 4, "bicubic": 4, "trilinear": 5}
MODES = "nearest | linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact"
WAYS: dict[str, tuple[Any, ...]] = {
    "nearest": (upsample_nearest1d, upsample_nearest2d, upsample_nearest3d),
    "nearest-exact": (
        upsample_nearest_exact1d,
        upsample_nearest_exact2d,
        upsample_nearest_exact3d,
    ),
    "area": (adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d),
    "linear": (upsample_linear1d,),
    "bilinear": (None, upsample_bilinear2d),
    "bicubic": (None, upsample_bicubic2d),
    "trilinear": (None, None, upsample_trilinear3d),
}
"""What takes inputs of three dimensions, four and five to another size."""
SMOOTH = {"bilinear": upsample_bilinear2d_aa, "bicubic": upsample_bicubic2d_aa}
"""What takes images to another size with `antialias`."""
STRAIGHT = ("linear", "bilinear", "bicubic", "trilinear")


def interpolate(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """`input` (N, C, ...) in another size, given itself or as a factor."""
    if mode not in STRAIGHT and align_corners is not None:
        raise ValueError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear"
        )
    ndim = input.data_.ndim
    wanted, scales = wanted_size(input, size, scale_factor)
    if antialias or mode == "lanczos":
        check_smooth(ndim, mode)
    check_rank(ndim, mode)
    if recompute_scale_factor:
        scales = [None] * len(wanted)
    if min(wanted) <= 0 or 0 in input.data_.shape[2:]:
        raise too_small(input.data_.shape[2:], wanted)
    up = SMOOTH[mode] if antialias else WAYS[mode][ndim - 3]
    if mode == "area":
        return up(input, wanted)
    return up(input, wanted, bool(align_corners), *scales) if mode in STRAIGHT else up(input, wanted, *scales)


def upsample(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Tensor:
    """The old name of `interpolate`."""
    deprecated("upsample")
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    deprecated("upsample_nearest")
    return interpolate(input, size, scale_factor, mode="nearest")


def upsample_bilinear(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    deprecated("upsample_bilinear")
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)


def deprecated(name: str) -> None:
    text = f"`nn.functional.{name}` is deprecated. Use `nn.functional.interpolate` instead."
    warn(text)


def check_rank(ndim: int, mode: str) -> None:
    """Whether torch knows the mode for so many dimensions, and this engine does.

    Raises:
        NotImplementedError: it does not.
    """
    if mode in RANKS and mode != "bicubic" and ndim in (3, 4, 5) and ndim != RANKS[mode]:
        raise NotImplementedError(f"Got {ndim}D input, but {mode} mode needs {RANKS[mode]}D input")
    if ndim not in (3, 4, 5) or mode not in MODES.split(" | ") or RANKS.get(mode, ndim) != ndim:
        raise NotImplementedError(
            f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {ndim}D) for the modes: {MODES} (got {mode})"
        )


def check_smooth(ndim: int, mode: str) -> None:
    """Whether torch can smooth in this mode, and this engine can.

    Raises:
        NotImplementedError: it cannot.
        ValueError: torch cannot.
    """
    if mode == "lanczos":
        raise Unsupported(f"interpolate with mode='{mode}' is not supported")
    if mode not in ("bilinear", "bicubic") or ndim != 4:
        raise ValueError(
            "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D tensor as input"
        )


def wanted_size(input: Tensor, size: Any, scale_factor: Any) -> tuple[list[int], list[float | None]]:
    """The size wanted, and the factors where those were given."""
    space = list(input.data_.shape[2:])
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if is_whole(size) and not isinstance(size, int):
        size = int(size)
    if size is not None:
        if not isinstance(size, int) and len(size) != len(space):
            raise mismatch("Input and output", space, "output size", size, "o")
        if not isinstance(size, int) and not all(map(is_whole, size)):
            raise TypeError(
                "expected size to be one of int or Tuple[int] or Tuple[int, int] or Tuple[int, int, int], but got size "
                f"with types {[type(n) for n in size]}"
            )
        wanted = [size] * len(space) if isinstance(size, int) else [int(n) for n in size]
        return wanted, [None] * len(space)
    if scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    if isinstance(scale_factor, list | tuple):
        if len(scale_factor) != len(space):
            raise mismatch("Input and scale_factor", space, "scale_factor", scale_factor, "s")
        factors = [float(factor) for factor in scale_factor]
    else:
        factors = [float(scale_factor)] * len(space)
    return [math.floor(n * factor) for n, factor in zip(space, factors, strict=True)], list(factors)


def is_whole(value: Any) -> bool:
    """Whether `value` is a whole number, or a tensor of one."""
    if isinstance(value, Tensor):
        return value.data_.ndim == 0 and value.data_.dtype.kind in "iu"
    return isinstance(value, int | np.integer)


def mismatch(who: str, space: list[int], what: str, given: Any, letter: str) -> ValueError:
    name = "output size of" if what == "output size" else "scale_factor of shape"
    return ValueError(
        f"{who} must have the same number of spatial dimensions, but got input with spatial dimensions of {space} and "
        f"{name} {given}. Please provide input tensor in (N, C, d1, d2, ...,dK) format and {what} in "
        f"({letter}1, {letter}2, ...,{letter}K) format."
    )


def too_small(space: Sequence[int], wanted: Sequence[int]) -> RuntimeError:
    if len(space) == 1:
        told = f"(W: {space[0]}) and output (W: {wanted[0]})"
    elif len(space) == 3:
        sides = [", ".join(f"{side}: {n}" for side, n in zip("DHW", size, strict=True)) for size in (space, wanted)]
        told = f"({sides[0]}) output ({sides[1]})"
    else:
        told = f"(H: {space[0]}, W: {space[1]}) output (H: {wanted[0]}, W: {wanted[1]})"
    return RuntimeError(f"Input and output sizes should be greater than 0, but got input {told}")
