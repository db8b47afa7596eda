"""How large an operator's result will be, from its arguments alone, before the engine makes it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

Arguments = tuple[Any, ...]
Counted = Callable[[Arguments], int]


def shapes(args: Arguments) -> list[tuple[int, ...]]:
    return [arg.shape for arg in args if isinstance(arg, (np.ndarray, np.generic))]


def broadcast(args: Arguments) -> int:
    """Elements of the broadcast shape; what does not broadcast is left to the engine's own error.

    Without arrays it is a factory, and its numbers are the shape.
    """
    found = shapes(args)
    return broadcast_numel(found) if found else whole(args)


def broadcast_numel(found: list[tuple[int, ...]]) -> int:
    """Elements of the shape that these are broadcast to."""
    if len(found) == 1:
        return math.prod(found[0])
    size = 1
    for axis in range(1, max(map(len, found), default=0) + 1):
        size *= max(shape[-axis] for shape in found if len(shape) >= axis)
    return size


def numbers(args: Arguments) -> Iterator[int]:
    """Every whole number among the arguments, also those inside sequences."""
    for arg in args:
        if isinstance(arg, (tuple, list)):
            yield from numbers(tuple(arg))
        elif isinstance(arg, int) and not isinstance(arg, bool):
            yield arg


def whole(args: Arguments) -> int:
    """The product of all sizes among the arguments."""
    return math.prod(size for size in numbers(args) if size > 0)


def asked(args: Arguments) -> int:
    """The product of the sizes asked for (expand, new_zeros, ...)."""
    return math.prod(size for size in numbers(args[1:]) if size > 0)


def repeated(args: Arguments) -> int:
    return math.prod(shapes(args)[0]) * asked(args)


def together(args: Arguments) -> int:
    """All parts of a list one behind the other."""
    parts = args[0] if isinstance(args[0], (list, tuple)) else args
    return sum(math.prod(shape) for shape in shapes(tuple(parts)))


def on_diagonal(args: Arguments) -> int:
    """All parts of a list one beside and below the other."""
    parts = [(1, 1, *getattr(part, "shape", ()))[-2:] for part in args[0]]
    return int(sum(rows for rows, _ in parts) * sum(columns for _, columns in parts))


def product(args: Arguments) -> tuple[int, int]:
    """Elements and multiplications of a matrix product."""
    found = [tuple(arg.shape) for arg in args if hasattr(arg, "shape") and arg.shape]
    if len(found) < 2:
        return broadcast(args), 0
    left, right = found[-2], found[-1]
    inner = left[-1]
    rows = left[-2] if len(left) > 1 else 1
    columns = right[-1] if len(right) > 1 else 1
    batch = broadcast_numel([left[:-2], right[:-2]])
    return batch * rows * columns, batch * rows * columns * inner


def picked(args: Arguments) -> int:
    """Indexing by arrays: as many rows as the indices have elements."""
    base, *rest = args
    found = arrays(tuple(rest))
    rows = max((index.size for index in found if index.dtype.kind in "iu"), default=0)
    row: int = math.prod(base.shape[len(found) :])
    return rows * row


def written(args: Arguments) -> int:
    """Writing at places: all that is there, and as many rows as the indices have elements."""
    return max(int(args[0].size), picked(args[:2]))


def looked_up_in(args: Arguments) -> int:
    """Rows of a table, one for each index."""
    return int(args[1].size * math.prod(args[0].shape[1:]))


def into_table(args: Arguments) -> int:
    """A table of so many rows, and what is added into them."""
    grad, _, rows = args[:3]
    return int(max(grad.size, rows * (grad.shape[-1] if grad.ndim else 1)))


def largest(args: Arguments) -> int:
    """The elements of the largest: what belongs together by one dimension only, and not by the last."""
    return max(map(math.prod, shapes(args)), default=0)


def selected(args: Arguments) -> int:
    """`index_select` and `gather`-like: the base with one dimension as long as the index."""
    base, *rest = args
    (index,) = arrays(tuple(rest))[:1] or (np.zeros(0),)
    return int(base.size // max(min(base.shape, default=1), 1) * index.size)


def arrays(args: Arguments) -> list[np.ndarray[Any, Any]]:
    """Every array among the arguments, also those inside sequences."""
    found: list[np.ndarray[Any, Any]] = []
    for arg in args:
        if isinstance(arg, (tuple, list)):
            found += arrays(tuple(arg))
        elif isinstance(arg, np.ndarray):
            found.append(arg)
    return found


def counted(args: Arguments) -> int:
    """A place for each number up to the largest that is counted."""
    base, _, least = args
    return int(max(int(np.max(base, initial=0)) + 1 if base.dtype.kind in "iu" else 0, least))


def binned(args: Arguments) -> int:
    return int(args[0].size + abs(args[1]))


def squared(args: Arguments) -> int:
    """A diagonal becomes a matrix."""
    base = args[0]
    side: int = base.shape[-1] if len(base.shape) == 1 else 1
    return int(math.prod(base.shape) * side)


def times_numbers(args: Arguments) -> int:
    """The elements of the first argument (a number: 1) times the largest number asked for."""
    base = math.prod(getattr(args[0], "shape", ()))
    return base * max(numbers(args[1:]), default=1)


def spatial(base: Any, padding: Any) -> list[int]:
    """The last dimensions of `base` with padding on both sides."""
    sizes = base.shape[base.ndim - len(padding) :]
    return [n + 2 * abs(p) for n, p in zip(sizes, padding, strict=True)]


def slid(base: Any, kernel: Any, stride: Any, padding: Any) -> int:
    """A window slid over `base`: the padded whole, or every window by itself, whichever is more."""
    outer = math.prod(base.shape[: base.ndim - len(padding)])
    room = spatial(base, padding)
    terms = zip(room, kernel, stride or kernel, strict=True)
    places = [max(n - k, 0) // max(step, 1) + 1 for n, k, step in terms]
    return int(outer * max(math.prod(room), math.prod(places) * math.prod(kernel)))


def convolved(args: Arguments) -> int:
    """A convolution, or its transpose, whose result is the longer side."""
    base, weight, _, stride, padding, dilation, transposed, more, _ = args
    kernel = weight.shape[2:]
    if not transposed:
        return slid(base, kernel, stride, padding)
    terms = zip(base.shape[2:], stride, dilation, kernel, more, strict=True)
    lengths = [n * abs(s) + abs(d) * k + abs(extra) for n, s, d, k, extra in terms]
    windows = math.prod(base.shape[2:]) * math.prod(kernel)
    return int(base.shape[0] * weight.shape[1] * max(math.prod(lengths), windows))


def convolved_back(args: Arguments) -> int:
    grad, base, weight, _, stride, padding, *_ = args
    windows = math.prod(grad.shape[2:]) * math.prod(weight.shape[2:])
    channels = max(base.shape[1], grad.shape[1])
    return int(max(slid(base, weight.shape[2:], stride, padding), grad.shape[0] * channels * windows))


def gated(args: Arguments) -> int:
    """The gates of a recurrent layer, for every step and example."""
    steps, examples = args[0].shape[:2]
    return int(steps * examples * args[1].shape[0])


def pooled(args: Arguments) -> int:
    return slid(args[0], *args[1:4])


def unrolled(args: Arguments) -> int:
    base, kernel, _, padding, stride = args
    return slid(base, kernel, stride, padding)


def rolled(args: Arguments) -> int:
    """Columns added up in an image of the size asked for, with its padding."""
    base, size, _, _, padding, _ = args
    room = math.prod(n + 2 * abs(p) for n, p in zip(size, padding, strict=True))
    return int(max(base.size, math.prod(base.shape[: base.ndim - 1]) * room))


def resized(args: Arguments) -> int:
    """Images in the size asked for, and the matrices that take lines of the one to lines of the other."""
    base, size = args[0], args[1]
    inner = base.shape[base.ndim - len(size) :]
    maps = sum(n * m for n, m in zip(inner, size, strict=True))
    return int(math.prod(base.shape[: base.ndim - len(size)]) * math.prod(size) + maps + base.size)


def resized_back(args: Arguments) -> int:
    """Back to the size of the input, which is given whole."""
    base, size, whole_size = args[:3]
    maps = sum(n * m for n, m in zip(whole_size[2:], size, strict=True))
    return int(math.prod(whole_size) + maps + base.size)


def grown(args: Arguments) -> int:
    """Padding: numbers for both sides, from the last dimension on."""
    base, pad = args[0], list(args[1])
    sizes = list(base.shape)
    for i in range(0, len(pad) - 1, 2):
        at = len(sizes) - 1 - i // 2
        sizes[at] += max(pad[i], 0) + max(pad[i + 1], 0)
    return math.prod(sizes)


def bagged(args: Arguments) -> int:
    """Rows of a table, one for each index and one for each bag."""
    weight, indices, offsets = args[:3]
    return int((indices.size + offsets.size) * math.prod(weight.shape[1:]))


def packed(args: Arguments) -> int:
    """At most all of a padded batch, and a number for each step of the longest sequence."""
    input, lengths = args[:2]
    return int(input.size + max(int(np.max(lengths, initial=0)), 0))


def crossed(args: Arguments) -> int:
    """A place for each pair of elements of the last two."""
    return int(args[1].size * args[2].size)


def for_each(args: Arguments) -> int:
    """The elements of the first, for each element of the second."""
    return math.prod(getattr(args[0], "shape", ())) * math.prod(getattr(args[1], "shape", ()) if args[1:] else ())


def paired(args: Arguments) -> int:
    """A row for each pair of rows."""
    base = args[0]
    return int(base.shape[0] * max(base.shape[0] - 1, 0) // 2 * base.shape[1]) if base.ndim == 2 else int(base.size)


def apart(args: Arguments) -> int:
    """A difference for each column of each pair of rows of two."""
    one, two = args[:2]
    return int(
        max(math.prod(one.shape[:-2]), math.prod(two.shape[:-2])) * one.shape[-2] * two.shape[-2] * one.shape[-1]
    )


def scored(args: Arguments) -> int:
    """Attention: a score for each pair of a query and a key."""
    query, key = args[:2]
    return int(math.prod(query.shape[:-1]) * key.shape[-2])


def by_fraction(args: Arguments) -> int:
    """A block of the kernel's size for each place."""
    base, kernel, output = args[:3]
    images = math.prod(base.shape[: base.ndim - len(kernel)])
    return max(int(images * math.prod(kernel) * math.prod(output)), int(base.size))


def unpooled(args: Arguments) -> int:
    """Images in the size asked for."""
    base, size = args[0], args[2]
    return int(math.prod(base.shape[: base.ndim - len(size)]) * math.prod(size))


def by_classes(args: Arguments) -> int:
    """Each score beside each other of its row."""
    base = args[0]
    return int(base.size * (base.shape[-1] if base.ndim else 1))


def looked_up(args: Arguments) -> int:
    """Up to four elements along each side for each place of a grid, in every channel of an image."""
    input, grid, mode = args[:3]
    touched = (2, 1, 4)[mode] ** (input.ndim - 2)
    return int(input.size + math.prod(input.shape[:2]) * math.prod(grid.shape[1:-1]) * touched)


def trilinear(args: Arguments) -> int:
    """Three tensors with new dimensions, multiplied out."""
    sizes = [1] * (args[0].ndim + len(args[3]))
    for base, expanded in zip(args[:3], args[3:6], strict=True):
        own = [d for d in range(len(sizes)) if d not in expanded]
        for d, n in zip(own, base.shape, strict=True):
            sizes[d] = max(sizes[d], n)
    return math.prod(sizes)


def shown(args: Arguments) -> int:
    """The elements of a window, also where it shows some twice."""
    return whole(args[1:2])


def no_size(args: Arguments) -> int:
    return 0


PIECE = 3
"""A tensor, even an empty one, takes some room: to have a million of them at once is as much as to have a few large."""


def split_size(args: Arguments) -> int:
    """A view of each row, or of each part, of the first."""
    base, size = args[0], args[1] if len(args) > 1 else 0
    if isinstance(size, (tuple, list)):
        return PIECE * len(size)
    at = args[2] if len(args) > 2 else None
    if at is None:  # unbind takes the dimension alone
        return PIECE * (base.shape[size] if base.ndim and -base.ndim <= size < base.ndim else 0)
    length = base.shape[at] if base.ndim and -base.ndim <= at < base.ndim else 0
    return PIECE * -(-length // max(size, 1))


def unfold_size(args: Arguments) -> int:
    """A window of `size` at each `step` along a dimension."""
    base, dimension, size, step = args
    if not base.ndim or not -base.ndim <= dimension < base.ndim:
        return int(base.size)
    length = base.shape[dimension]
    places = max(length - size, 0) // max(step, 1) + 1
    return int(base.size // max(length, 1) * places * max(size, 1))


def lu_size(args: Arguments) -> int:
    """A matrix for the order of the rows, beside the factors."""
    shape = args[0].shape
    return int(math.prod(shape[:-2]) * shape[-2] * max(shape[-2:])) if len(shape) > 1 else math.prod(shape)


def factor_size(args: Arguments) -> int:
    """A factor of a matrix may be as wide as that is high, or the other way round."""
    shape = args[0].shape
    if len(shape) < 2:
        return math.prod(shape)
    return int(math.prod(shape[:-2]) * max(shape[-2:]) ** 2)


def ctc_size(args: Arguments) -> int:
    """A score for each step, example, and place of a target, with a blank between any two."""
    scores, targets, _, lengths = args[:4]
    longest = int(np.max(lengths, initial=0)) if len(lengths) else 0
    steps = scores.shape[0] * (scores.shape[1] if scores.ndim > 2 else 1)
    return int(max(steps * (2 * longest + 1), scores.size, np.size(targets)))


def chosen(args: Arguments) -> int:
    """A place for each choice of elements, taken or not."""
    length = math.prod(getattr(args[0], "shape", ()))
    times = next(numbers(args[1:]), 2)
    return int(times * length ** min(max(times, 0), 64))


def drawn(args: Arguments) -> int:
    """Samples of a distribution: the shape asked for, of as many elements as it has itself."""
    source = args[0]
    own = math.prod((*getattr(source, "batch_shape", ()), *getattr(source, "event_shape", ())))
    return int(own * whole(args[1:]))


def attending(args: Arguments) -> int:
    """Layers of attention: three matrices from the width to itself."""
    width = next(numbers(args), 1)
    return 3 * width * width


EACH = 3_000
"""What a solver takes for a matrix however small, in multiplications."""


def solve_flops(shape: tuple[int, ...]) -> int:
    """What a solver does for matrices of this shape: the cube of the side, and something, for each."""
    if len(shape) < 2:
        return 0
    return math.prod(shape[:-2]) * (shape[-2] * shape[-1] * max(shape[-2:]) + EACH)


def count_of(items: Any) -> int:
    """How many there are, even where a range has more than Python counts."""
    if isinstance(items, range):
        return max(0, -((items.start - items.stop) // items.step))
    return len(items)
