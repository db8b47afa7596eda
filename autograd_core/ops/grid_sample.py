"""Images looked up at places of a grid, as spatial transformers do, and the grids of affine maps.

Formulas: PyTorch's derivatives.yaml.

Along each side, a place touches a few elements (`Taps`): one, two or four, by mode. What an image gives at a place is
the sum over all of them, each by the product of its weights along the sides; a derivative by the grid takes the
derivative of one side's weight in that product. So all gradients, of the first and the second order, are sums over the
same elements with other weights.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from ..dispatch.op import both, op
from ..tensor.tensor import Array
from ._common import refuse
from .fused_backward import ABSENT, joint

# ---- between the elements of an image


LINEAR, NEAREST, CUBIC = range(3)
ZEROS, BORDER, REFLECTION = range(3)
SHARPNESS = -0.75
"""The free number of cubic convolution (Keys, 1981), as torch has it."""


class Taps:
    """The elements that places touch along one side: which, whether they are inside, and their weights.

    `weights[k]` is the `k`-th derivative of the weights by the coordinate of the grid.
    """

    def __init__(self, at: Array, inside: Array, weights: list[Array]) -> None:
        self.at, self.inside, self.weights = at, inside, weights


def reflect(place: Array, size: int, align_corners: bool) -> tuple[Array, Array]:
    """Places beyond a side folded back into it, and the way they run there: 1 or -1."""
    low, span = (0.0, size - 1.0) if align_corners else (-0.5, float(size))
    if span == 0:
        return np.zeros_like(place), np.zeros_like(place)
    beyond = place - place.dtype.type(low)
    sign = np.where(beyond < 0, -1, 1)
    beyond = np.abs(beyond)
    extra, even = np.fmod(beyond, span), np.floor(beyond / span) % 2 == 0
    folded = np.where(even, extra + low, span - extra + low).astype(place.dtype)
    return folded, np.where(even, sign, -sign).astype(place.dtype)


def clip_places(place: Array, size: int) -> tuple[Array, Array]:
    """Places beyond a side put on its ends, where they do not move."""
    moves = ((place > 0) & (place < size - 1)).astype(place.dtype)
    return np.fmin(np.fmax(place, 0), size - 1).astype(place.dtype), moves


def brought_inside(place: Array, size: int, padding_mode: int, align_corners: bool) -> tuple[Array, Array | float]:
    """Places by `padding_mode`, and how fast they move with what they were."""
    if padding_mode == ZEROS:
        return place, 1.0
    if padding_mode == BORDER:
        return clip_places(place, size)
    folded, turned = reflect(place, size, align_corners)
    place, moves = clip_places(folded, size)
    return place, turned * moves


def taps(coordinate: Array, size: int, mode: int, padding_mode: int, align_corners: bool) -> Taps:
    """What each coordinate, from -1 to 1 along a side of `size` elements, touches there."""
    kind = coordinate.dtype
    if align_corners:
        place, speed = (coordinate + 1) / 2 * (size - 1), (size - 1) / 2
    else:
        place, speed = ((coordinate + 1) * size - 1) / 2, size / 2
    place = place.astype(kind)
    if mode == CUBIC:
        first = np.floor(place)
        at = (first[..., None] + np.arange(-1, 3)).astype(kind)
        if padding_mode != ZEROS:
            at, _ = brought_inside(at, size, padding_mode, align_corners)
        weights = cubic((place - first).astype(kind))
        return touch(at, size, [w * kind.type(speed**k) for k, w in enumerate(weights)])
    place, moves = brought_inside(place, size, padding_mode, align_corners)
    if mode == NEAREST:
        none = np.zeros((*place.shape, 1), kind)
        return touch(np.rint(place)[..., None], size, [none + 1, none, none])
    first = np.floor(place)
    slope = np.broadcast_to(np.asarray(speed * moves, kind), place.shape)
    weights = [np.stack([first + 1 - place, place - first], -1), np.stack([-slope, slope], -1)]
    return touch(np.stack([first, first + 1], -1), size, [*weights, np.zeros_like(weights[0])])


def touch(at: Array, size: int, weights: list[Array]) -> Taps:
    inside = (at >= 0) & (at < size)
    return Taps(np.where(inside, at, 0).astype(np.int64), inside, weights)


def cubic(part: Array) -> list[Array]:
    """The weights of the four elements around a place, `part` of the way from the second to the third, and their first
    two derivatives."""
    a = part.dtype.type(SHARPNESS)

    def near(x: Array) -> list[Array]:
        return [((a + 2) * x - (a + 3)) * x * x + 1, (3 * (a + 2) * x - 2 * (a + 3)) * x, 6 * (a + 2) * x - 2 * (a + 3)]

    def far(x: Array) -> list[Array]:
        return [((a * x - 5 * a) * x + 8 * a) * x - 4 * a, (3 * a * x - 10 * a) * x + 8 * a, 6 * a * x - 10 * a]

    before, after = part, 1 - part
    sides = [far(before + 1), near(before), near(after), far(after + 1)]
    signs = [(1, 1, 1, 1), (1, 1, -1, -1), (1, 1, 1, 1)]
    return [np.stack([s * side[k] for s, side in zip(row, sides, strict=True)], -1) for k, row in enumerate(signs)]


class Look:
    """A grid laid on images: the elements that each of its places touches, with the weights that are asked for."""

    def __init__(self, input: Array, grid: Array, mode: int, padding_mode: int, align_corners: bool) -> None:
        self.lengths, self.rank = input.shape[2:], input.ndim - 2
        places = grid.reshape(len(grid), math.prod(grid.shape[1:-1]), self.rank)
        # a grid counts its coordinates from the last side on
        self.sides = [
            taps(places[..., self.rank - 1 - side], size, mode, padding_mode, align_corners)
            for side, size in enumerate(self.lengths)
        ]
        self.at, self.inside = np.zeros((), np.int64), np.ones((), bool)
        for side, size in zip(self.sides, self.lengths, strict=True):
            self.at = self.outer(self.at * size, side.at, np.add)
            self.inside = self.outer(self.inside, side.inside, np.logical_and)

    def outer(self, so_far: Array, more: Array, how: np.ufunc) -> Array:
        """Each combination of elements, as one more last dimension (N, places, elements)."""
        if not so_far.ndim:
            return np.asarray(how(so_far, more))
        whole = how(so_far[..., :, None], more[..., None, :])
        return np.reshape(whole, (*whole.shape[:-2], whole.shape[-2] * whole.shape[-1]))

    def weights(self, *by: int) -> Array:
        """How much each element counts, derived by the coordinates `by` of the grid."""
        found = np.ones((), self.sides[0].weights[0].dtype)
        for number, side in enumerate(self.sides):
            found = self.outer(found, side.weights[by.count(self.rank - 1 - number)], np.multiply)
        return found

    def taken(self, image: Array) -> Array:
        """The elements of `image` (N, C, *lengths) that are touched, as (N, C, places, elements)."""
        n, c = image.shape[:2]
        flat = image.reshape(n, c, math.prod(self.lengths))
        found = flat[np.arange(n)[:, None, None], :, self.at]
        return np.where(self.inside[:, None], np.moveaxis(found, -1, 1), image.dtype.type(0))

    def put(self, parts: Array) -> Array:
        """An image of zeros to which `parts` (N, C, places, elements) are added."""
        n, c = parts.shape[:2]
        out = np.zeros((n, math.prod(self.lengths), c), parts.dtype)
        inside = np.where(self.inside[:, None], parts, 0)
        np.add.at(out, (np.arange(n)[:, None, None], self.at), np.moveaxis(inside, 1, -1))
        return np.ascontiguousarray(np.moveaxis(out, -1, 1)).reshape(n, c, *self.lengths)


def by_place(grad: Array) -> Array:
    """What comes from above, one number for all elements that a place touches."""
    return grad.reshape(*grad.shape[:2], math.prod(grad.shape[2:]), 1)


def sample(input: Array, grid: Array, mode: int, padding_mode: int, align_corners: bool, kernel: str) -> Array:
    refuse(kernel, "biu", input)
    look = Look(input, grid, mode, padding_mode, align_corners)
    out = (look.taken(input) * look.weights()[:, None]).sum(-1)
    return np.ascontiguousarray(out.reshape(*input.shape[:2], *grid.shape[1:-1]))


def sampled_back(
    grad: Array, input: Array, grid: Array, mode: int, padding_mode: int, align_corners: bool, mask: Sequence[bool]
) -> tuple[Array, Array]:
    """The gradients of the image and of the grid."""
    look = Look(input, grid, mode, padding_mode, align_corners)
    each = by_place(grad)
    to_input: Array = ABSENT
    to_grid: Array = ABSENT
    if mask[0]:
        to_input = look.put(each * look.weights()[:, None])
    if mask[1]:
        slope = (look.taken(input) * each).sum(1)
        to_grid = np.stack([(slope * look.weights(d)).sum(-1) for d in range(look.rank)], -1).reshape(grid.shape)
    return to_input, to_grid


def sampled_double(
    by_input: Array | None,
    by_grid: Array | None,
    grad: Array,
    input: Array,
    grid: Array,
    mode: int,
    padding_mode: int,
    align_corners: bool,
) -> tuple[Array, Array, Array]:
    """The gradients of all three operands of `sampled_back`."""
    look = Look(input, grid, mode, padding_mode, align_corners)
    each, rank = by_place(grad), look.rank
    to_grad, to_input, to_grid = np.zeros_like(grad), np.zeros_like(input), np.zeros_like(grid)
    flat_grid = to_grid.reshape(len(grid), each.shape[2], rank)
    if by_input is not None:
        found = look.taken(by_input)
        to_grad += (found * look.weights()[:, None]).sum(-1).reshape(grad.shape)
        slope = (found * each).sum(1)
        flat_grid += np.stack([(slope * look.weights(d)).sum(-1) for d in range(rank)], -1)
    if by_grid is not None:
        moved = by_grid.reshape(flat_grid.shape)
        found = look.taken(input)
        along = sum(moved[..., d, None] * look.weights(d) for d in range(rank))
        to_grad += (found * along[:, None]).sum(-1).reshape(grad.shape)
        to_input += look.put(each * along[:, None])
        slope = (found * each).sum(1)
        for d, e in itertools.product(range(rank), repeat=2):
            flat_grid[..., e] += moved[..., d] * (slope * look.weights(d, e)).sum(-1)
    return to_grad, to_input, flat_grid.reshape(grid.shape)


# ---- images


@joint(
    """
    grid_sampler_2d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> \
        Tensor: function
    """,
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
    return sample(input, grid, interpolation_mode, padding_mode, align_corners, "grid_sampler_2d_cpu_kernel_impl")


@joint(
    "grid_sampler_2d_backward",
    node="GridSampler2DBackwardBackward0",
    outputs="result0 result1",
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
    outputs="result0 result1 result2",
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
    "affine_grid_generator(Tensor theta, SymInt[] size, bool align_corners) -> Tensor: function",
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
