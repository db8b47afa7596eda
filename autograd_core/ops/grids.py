"""Images looked up at places of a grid (lookups.py), and the grids of affine maps. Formulas: derivatives.yaml."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..op import both, op
from ..tensor import Array
from .joint import joint
from .lookups import sampled, sampled_back, sampled_double

# ---- images


@joint(
    "grid_sampler_2d",
    forward_mode=False,
    node="GridSampler2DBackward0",
    of=("input", "grid"),
    formula=lambda grad, input, grid, interpolation_mode, padding_mode, align_corners, mask: grid_sampler_2d_backward(
        grad, input, grid, interpolation_mode, padding_mode, align_corners, mask
    ),
)
def grid_sampler_2d(
    input: Array, grid: Array, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Array:
    return sampled(input, grid, interpolation_mode, padding_mode, align_corners, "grid_sampler_2d_cpu_kernel_impl")


@joint(
    "grid_sampler_2d_backward",
    node="GridSampler2DBackwardBackward0",
    outputs=("result0", "result1"),
    of=("grad_output", "input", "grid"),
    formula=lambda grads, grad_output, input, grid, interpolation_mode, padding_mode, align_corners, mask:
    grid_sampler_double(grads, grad_output, input, grid, interpolation_mode, padding_mode, align_corners),
)  # fmt: skip
def grid_sampler_2d_backward(
    grad_output: Array,
    input: Array,
    grid: Array,
    interpolation_mode: int,
    padding_mode: int,
    align_corners: bool,
    output_mask: Sequence[bool],
) -> tuple[Array, Array]:
    return sampled_back(grad_output, input, grid, interpolation_mode, padding_mode, align_corners, output_mask)


# ---- stacks of images


@joint(
    "grid_sampler_3d",
    forward_mode=False,
    node="GridSampler3DBackward0",
    of=("input", "grid"),
    formula=lambda grad, input, grid, interpolation_mode, padding_mode, align_corners, mask: grid_sampler_3d_backward(
        grad, input, grid, interpolation_mode, padding_mode, align_corners, mask
    ),
)
def grid_sampler_3d(
    input: Array, grid: Array, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Array:
    return sampled(input, grid, interpolation_mode, padding_mode, align_corners, "grid_sampler3d_cpu")


@joint(
    "grid_sampler_3d_backward",
    node="GridSampler3DBackwardBackward0",
    outputs=("result0", "result1"),
    of=("grad_output", "input", "grid"),
    formula=lambda grads, grad_output, input, grid, interpolation_mode, padding_mode, align_corners, mask:
    grid_sampler_double(grads, grad_output, input, grid, interpolation_mode, padding_mode, align_corners),
)  # fmt: skip
def grid_sampler_3d_backward(
    grad_output: Array,
    input: Array,
    grid: Array,
    interpolation_mode: int,
    padding_mode: int,
    align_corners: bool,
    output_mask: Sequence[bool],
) -> tuple[Array, Array]:
    return sampled_back(grad_output, input, grid, interpolation_mode, padding_mode, align_corners, output_mask)


@both
def grid_sampler_double(
    grads: Sequence[Array | None],
    grad_output: Array,
    input: Array,
    grid: Array,
    mode: int,
    padding_mode: int,
    align_corners: bool,
) -> list[Array | None]:
    """The gradients of the three operands; the image has none by the nearest element (mode 1), whose weight
    does not move with the grid."""
    by_input, by_grid = grads
    found = list(
        grid_sampler_double_backward(by_input, by_grid, grad_output, input, grid, mode, padding_mode, align_corners)
    )
    return [found[0], None if by_grid is None or mode == 1 else found[1], found[2]]


@op(
    "_grid_sampler_double_backward",
    node="NotImplemented",
    outputs=("result0", "result1", "result2"),
    by_input=lambda grad: not_derived("_grid_sampler_double_backward"),
    by_grid=lambda grad: not_derived("_grid_sampler_double_backward"),
    grad_output=lambda grad: not_derived("_grid_sampler_double_backward"),
    input=lambda grad: not_derived("_grid_sampler_double_backward"),
    grid=lambda grad: not_derived("_grid_sampler_double_backward"),
)
def grid_sampler_double_backward(
    by_input: Array | None,
    by_grid: Array | None,
    grad_output: Array,
    input: Array,
    grid: Array,
    interpolation_mode: int,
    padding_mode: int,
    align_corners: bool,
) -> tuple[Array, Array, Array]:
    return sampled_double(by_input, by_grid, grad_output, input, grid, interpolation_mode, padding_mode, align_corners)


# ---- grids of affine maps


def base_grid(sizes: Sequence[int], align_corners: bool, kind: np.dtype[np.floating]) -> Array:
    """The places of the elements of an image, each from -1 to 1, with a one behind: (places, coordinates + 1)."""
    lines = []
    for n in sizes:
        line = np.linspace(-1, 1, n, dtype=kind) if n > 1 else np.zeros(1, kind)
        lines.append(line if align_corners or n < 2 else line * kind.type((n - 1) / n))
    places = np.stack(np.meshgrid(*lines, indexing="ij")[::-1], -1).reshape(-1, len(sizes))
    return np.concatenate([places, np.ones((len(places), 1), kind)], 1)


@op(
    "affine_grid_generator",
    theta=lambda grad, size, align_corners: affine_grid_backward(grad, size, align_corners),
)
def affine_grid_generator(theta: Array, size: Sequence[int], align_corners: bool) -> Array:
    base = base_grid(size[2:], align_corners, theta.dtype)
    return np.matmul(base, np.swapaxes(theta, 1, 2)).reshape(size[0], *size[2:], len(size) - 2)


@op("affine_base_grid")
def base_grid_as(self: Array, size: Sequence[int], align_corners: bool) -> Array:
    """The places that `self` was made of, for each of its maps."""
    base = base_grid(size[2:], align_corners, self.dtype)
    return np.broadcast_to(base, (size[0], *base.shape)).copy()


@both
def affine_grid_backward(grad: Array, size: Sequence[int], align_corners: bool) -> Array:
    """The gradient of the maps: torch makes it of a product of matrices."""
    base = base_grid_as(grad, size, align_corners)
    flat = reshape(grad, [size[0], int(np.prod(size[2:])), len(size) - 2])
    return transpose(bmm(transpose(base, 1, 2), flat), 1, 2)
