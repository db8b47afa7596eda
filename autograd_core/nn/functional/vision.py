"""Functions of images: other sizes, looks at places, blocks as columns, channels as pixels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...dispatch.autocast import cast_arguments
from ...dispatch.schema.guard import guard
from ...dispatch.schema.schema import composite
from ...engine.warnings import warn
from ...errors import Unsupported, type_name
from ...ops import convolution
from ...ops._common import wrap
from ...ops.grid_sample import BORDER, CUBIC, LINEAR, NEAREST, REFLECTION, ZEROS, affine_grid_generator, grid_sampler_2d
from ...ops.interpolation import (
    upsample_bicubic2d,
    upsample_bilinear2d,
    upsample_linear1d,
    upsample_nearest1d,
    upsample_nearest2d,
)
from ...tensor.tensor import Tensor
from .conv import Lengths
from .pooling import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d

RANKS = {"linear": 3, "bilinear": 4, "bicubic": 4, "trilinear": 5}
UPSAMPLING = "nearest | linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact"
WAYS: dict[str, tuple[Any, ...]] = {
    "nearest": (upsample_nearest1d, upsample_nearest2d),
    "area": (adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d),
    "linear": (upsample_linear1d,),
    "bilinear": (None, upsample_bilinear2d),
    "bicubic": (None, upsample_bicubic2d),
}
"""What takes inputs of three dimensions and four to another size."""
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
    check_rank(ndim, mode)
    if antialias or mode in ("lanczos", "nearest-exact") or (ndim == 5 and mode != "area"):
        what = "with antialias=True" if antialias else "of volumes" if ndim == 5 else f"with mode='{mode}'"
        raise Unsupported(f"interpolate {what} is not supported")
    if recompute_scale_factor:
        scales = [None] * len(wanted)
    if min(wanted) <= 0 or 0 in input.data_.shape[2:]:
        raise too_small(input.data_.shape[2:], wanted)
    up = WAYS[mode][ndim - 3]
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
    deprecate("upsample")
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    deprecate("upsample_nearest")
    return interpolate(input, size, scale_factor, mode="nearest")


def upsample_bilinear(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    deprecate("upsample_bilinear")
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)


def deprecate(name: str) -> None:
    text = f"`nn.functional.{name}` is deprecated. Use `nn.functional.interpolate` instead."
    warn(text)


def check_rank(ndim: int, mode: str) -> None:
    """Whether torch knows the mode for so many dimensions, and this engine does.

    Raises:
        NotImplementedError: it does not.
    """
    if mode in RANKS and mode != "bicubic" and ndim in (3, 4, 5) and ndim != RANKS[mode]:
        raise NotImplementedError(f"Got {ndim}D input, but {mode} mode needs {RANKS[mode]}D input")
    if ndim not in (3, 4, 5) or mode not in UPSAMPLING.split(" | ") or RANKS.get(mode, ndim) != ndim:
        raise NotImplementedError(
            f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {ndim}D) for the modes: {UPSAMPLING} "
            f"(got {mode})"
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
    else:
        told = f"(H: {space[0]}, W: {space[1]}) output (H: {wanted[0]}, W: {wanted[1]})"
    return RuntimeError(f"Input and output sizes should be greater than 0, but got input {told}")


# ---- looked up at places


SAMPLING = {"bilinear": LINEAR, "nearest": NEAREST, "bicubic": CUBIC}
PADDINGS = {"zeros": ZEROS, "border": BORDER, "reflection": REFLECTION}
CHANGED = (
    "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please specify "
    "align_corners=True if the old behavior is desired. See the documentation of grid_sample for details."
)
ONE_WIDE = (
    "Since version 1.3.0, affine_grid behavior has changed for unit-size grids when align_corners=True. This is not an "
    "intended use case of affine_grid. See the documentation of affine_grid for details."
)


@cast_arguments
def grid_sample(
    input: Tensor, grid: Tensor, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool | None = None
) -> Any:
    if mode not in SAMPLING:
        raise ValueError(
            f"nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '{mode}'"
        )
    if padding_mode not in PADDINGS:
        raise ValueError(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but got: "
            f"'{padding_mode}'"
        )
    if align_corners is None:
        warn(CHANGED)
        align_corners = False
    return sampler(input, grid, SAMPLING[mode], PADDINGS[padding_mode], align_corners)


@composite("""
    grid_sampler(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor: \
        function
    """)
def grid_sampler(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    check_grid(input, grid, interpolation_mode)
    if input.data_.ndim == 5:
        raise Unsupported("grid_sample of volumes is not supported")
    found: Tensor = grid_sampler_2d(input, grid, interpolation_mode, padding_mode, align_corners)
    return found


sampler: Any = guard("torch", "grid_sampler", grid_sampler)


def check_grid(input: Tensor, grid: Tensor, mode: int) -> None:
    """Whether there is a place on the images for each row of the grid.

    Raises:
        RuntimeError: there is not, in torch's words.
    """
    shapes = f"but got input with sizes {list(input.shape)} and grid with sizes {list(grid.shape)}"
    if len(grid.shape) == 0 or len(input.shape) == 0 or input.shape[0] != grid.shape[0]:
        raise RuntimeError(f"grid_sampler(): expected grid and input to have same batch size, {shapes}")
    rank = len(input.shape) - 2
    if grid.shape[-1] != rank:
        raise RuntimeError(
            f"grid_sampler(): expected grid to have size {rank} in last dimension, but got grid with sizes "
            f"{list(grid.shape)}"
        )
    for dim, size in enumerate(input.shape):
        if dim > 1 and not size:
            raise RuntimeError(
                "grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes "
                f"{list(input.shape)} with dimension {dim} being empty"
            )
    if rank not in (2, 3) or len(grid.shape) != len(input.shape):
        kind = f"{len(input.shape)}D" if rank in (2, 3) else "4D or 5D"
        raise RuntimeError(f"grid_sampler(): expected {kind} input and grid with same number of dimensions, {shapes}")
    if rank == 3 and mode == CUBIC:
        raise RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")
    if input.dtype != grid.dtype and input.dtype.is_floating_point:
        found, other = (type_name(t.data_.dtype) for t in (input, grid))
        raise RuntimeError(f"expected scalar type {found} but found {other}")


def affine_grid(theta: Tensor, size: Sequence[int], align_corners: bool | None = None) -> Any:
    aligned = bool(align_corners)
    if align_corners is None:
        warn(CHANGED)
    if not theta.is_floating_point():
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    rank = len(size) - 2
    if rank not in (2, 3):
        raise NotImplementedError(
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. Got size "
            f"{size}."
        )
    if theta.dim() != 3 or theta.shape[-2] != rank or theta.shape[-1] != rank + 1:
        raise ValueError(
            f"Expected a batch of {rank}D affine matrices of shape Nx{rank}x{rank + 1} for size {size}. Got "
            f"{theta.shape}."
        )
    if aligned and min(size[2:]) == 1:
        warn(ONE_WIDE)
    elif min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {size}")
    if size[0] != theta.shape[0]:
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{size[0]}, {rank + 1}] but got: "
            f"[{theta.shape[0]}, {rank + 1}]."
        )
    return affine_grid_generator(theta, list(size), aligned)


# ---- blocks as columns, channels as pixels, and back


def pair(value: Lengths) -> tuple[int, int]:
    if isinstance(value, int):
        return value, value
    one, *rest = value
    return int(one), int(rest[0] if rest else one)


NAMES = {"kernel": "kernel size", "pad": "padding"}


def check_blocks(given: dict[str, tuple[int, int]]) -> None:
    """Whether blocks can lie so, asked in this order.

    Raises:
        RuntimeError: they cannot, in torch's words.
    """
    for name, (tall, wide) in given.items():
        if min(tall, wide) < (name != "pad"):
            least = "non-negative" if name == "pad" else "greater than zero"
            found = f"{name}_height: {tall} {name}_width: {wide}"
            raise RuntimeError(f"{NAMES.get(name, name)} should be {least}, but got {found}")


def unfold(
    input: Tensor, kernel_size: Lengths, dilation: Lengths = 1, padding: Lengths = 0, stride: Lengths = 1
) -> Tensor:
    """The blocks under a sliding kernel, one a column."""
    if input.data_.ndim < 3:
        wrap(2, input.data_.ndim)
    if 0 in input.data_.shape[-3:]:
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, "
            f"but got: {list(input.data_.shape)}"
        )
    kernel, spaced, room, step = pair(kernel_size), pair(dilation), pair(padding), pair(stride)
    check_blocks({"kernel": kernel, "dilation": spaced, "pad": room, "stride": step})
    size = input.data_.shape[-2:]
    terms = zip(size, room, spaced, kernel, step, strict=True)
    places = tuple((n + 2 * pad - d * (k - 1) - 1) // st + 1 for n, pad, d, k, st in terms)
    if min(places) < 1:
        raise RuntimeError(
            f"Given input with spatial size {size}, kernel_size={kernel}, dilation={spaced}, padding={room}, "
            f"calculated shape of the array of sliding blocks as {places}, but its components must be at least one."
        )
    return convolution.im2col(input, kernel, spaced, room, step)


def fold(
    input: Tensor,
    output_size: Lengths,
    kernel_size: Lengths,
    dilation: Lengths = 1,
    padding: Lengths = 0,
    stride: Lengths = 1,
) -> Tensor:
    """The image whose blocks add up from columns."""
    shape = input.data_.shape
    if len(shape) not in (2, 3):
        raise RuntimeError(
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for "
            f"input, but got: {list(shape)}"
        )
    size, kernel, spaced, room, step = (pair(v) for v in (output_size, kernel_size, dilation, padding, stride))
    check_blocks({"kernel": kernel, "stride": step, "dilation": spaced, "pad": room})
    at = len(shape) - 2
    if shape[at] % math.prod(kernel):
        raise RuntimeError(
            f"Expected size of input's dimension {at} to be divisible by the product of kernel_size, but got "
            f"input.size({at})={shape[at]} and kernel_size={kernel}."
        )
    terms = zip(size, room, spaced, kernel, step, strict=True)
    places = [(n + 2 * pad - d * (k - 1) - 1) // st + 1 for n, pad, d, k, st in terms]
    if shape[at + 1] != math.prod(places):
        raise RuntimeError(
            f"Given output_size={size}, kernel_size={kernel}, dilation={spaced}, padding={room}, stride={step}, "
            f"expected size of input's dimension {at + 1} to match the calculated number of sliding blocks "
            f"{places[0]} * {places[1]} = {math.prod(places)}, but got input.size({at + 1})={shape[at + 1]}."
        )
    return convolution.col2im(input, size, kernel, spaced, room, step)


def need_image(name: str, input: Tensor) -> None:
    if input.data_.ndim < 3:
        raise RuntimeError(
            f"{name} expects input to have at least 3 dimensions, but got input with {input.data_.ndim} dimension(s)"
        )


@composite("pixel_shuffle(Tensor self, int upscale_factor) -> Tensor: function nn")
def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """Channels (C * r * r, H, W) laid out as pixels (C, H * r, W * r)."""
    need_image("pixel_shuffle", input)
    if upscale_factor <= 0:
        raise RuntimeError(f"pixel_shuffle expects a positive upscale_factor, but got {upscale_factor}")
    channels = input.data_.shape[-3]
    if channels % upscale_factor**2:
        raise RuntimeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, "
            f"but input.size(-3)={channels} is not divisible by {upscale_factor**2}"
        )
    return convolution.pixel_shuffle(input, upscale_factor)


@composite("pixel_unshuffle(Tensor self, int downscale_factor) -> Tensor: function nn")
def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    need_image("pixel_unshuffle", input)
    if downscale_factor <= 0:
        raise RuntimeError(f"pixel_unshuffle expects a positive downscale_factor, but got {downscale_factor}")
    for dim, name in ((-2, "height"), (-1, "width")):
        n = input.data_.shape[dim]
        if n % downscale_factor:
            raise RuntimeError(
                f"pixel_unshuffle expects {name} to be divisible by downscale_factor, but input.size({dim})={n} is "
                f"not divisible by {downscale_factor}"
            )
    return convolution.pixel_unshuffle(input, downscale_factor)
