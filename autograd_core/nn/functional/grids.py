"""Grids of places, and images looked up there, as functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...errors import type_name
from ...ops.grid_sample import (
    BORDER,
    CUBIC,
    LINEAR,
    NEAREST,
    REFLECTION,
    ZEROS,
    affine_grid_generator,
    grid_sampler_2d,
    grid_sampler_3d,
)
from ...signatures.guarding import guarded
from ...tensor import Tensor
from ...warned import warn

MODES = {"bilinear": LINEAR, "nearest": NEAREST, "bicubic": CUBIC}
PADDINGS = {"zeros": ZEROS, "border": BORDER, "reflection": REFLECTION}
CHANGED = (
    "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please specify "
    "align_corners=True if the old behavior is desired. See the documentation of grid_sample for details."
)
ONE_WIDE = (
    "Since version 1.3.0, affine_grid behavior has changed for unit-size grids when align_corners=True. This is not an "
    "intended use case of affine_grid. See the documentation of affine_grid for details."
)


def grid_sample(
    input: Tensor, grid: Tensor, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool | None = None
) -> Any:
    if mode not in MODES:
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
    return sampler(input, grid, MODES[mode], PADDINGS[padding_mode], align_corners)


def grid_sampler(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    check(input, grid, interpolation_mode)
    look = grid_sampler_2d if input.data_.ndim == 4 else grid_sampler_3d
    found: Tensor = look(input, grid, interpolation_mode, padding_mode, align_corners)
    return found


sampler: Any = guarded("torch", "grid_sampler", grid_sampler)


def check(input: Tensor, grid: Tensor, mode: int) -> None:
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
