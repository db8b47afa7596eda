"""How large what a function of numpy makes will be, from its arguments alone: charged before numpy makes it."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..engine.cost_model import EACH, EIGH, PIECE, SVD, Shaped, broadcast_numel, product
from ..limits import extent
from ..machine import Machine

Given = tuple[Any, ...]
"""What a function was given in its places, as numpy will see it."""


def sizes_in(given: Any) -> tuple[int, ...]:
    """The shape of an array, a tensor, a number, or nested lists of numbers."""
    return tuple(given.shape) if hasattr(given, "shape") else np.shape(given)


def size_of(given: Any) -> int:
    return extent(sizes_in(given))


def whole(given: Any, otherwise: int = 0) -> int:
    """A number as one of Python's."""
    return int(given) if math.prod(sizes_in(given)) == 1 and not isinstance(given, str) else otherwise


def total_size(given: Given, named: dict[str, Any]) -> int:
    """All that is given."""
    return sum(map(size_of, given))


def broadcast_size(given: Given, named: dict[str, Any]) -> int:
    """As much as all operands are broadcast to, those too that are given by name: weights, tolerances, bounds."""
    return broadcast_numel([sizes_in(part) for part in (*given, *named.values()) if not isinstance(part, str)])


def triangle_size(given: Given, named: dict[str, Any]) -> int:
    """A matrix, or for a vector one with so many rows."""
    shape = sizes_in(given[0])
    return extent(shape) * (shape[0] if len(shape) == 1 else 1)


def index_size(given: Given, named: dict[str, Any]) -> int:
    """For each element a number for each dimension."""
    shape = sizes_in(given[0])
    return extent(shape) * max(len(shape), 1)


def split_size(given: Given, named: dict[str, Any]) -> int:
    """Each part is an array by itself."""
    parts = given[1] if len(given) > 1 else named.get("indices_or_sections", 1)
    count = size_of(parts) + 1 if sizes_in(parts) else max(whole(parts), 0)
    return size_of(given[0]) + PIECE * count


def quantile_size(given: Given, named: dict[str, Any]) -> int:
    """A row for each one asked for, and two more to come between."""
    shape, wanted = sizes_in(given[0]), size_of(given[1] if len(given) > 1 else named.get("q", ()))
    axis = named.get("axis", given[2] if len(given) > 2 else None)
    rest = 1 if axis is None else extent(shape) // length_along(shape, axis)
    return extent(shape) + 3 * wanted * rest


def length_along(shape: tuple[int, ...], axis: Any) -> int:
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    return extent([shape[int(at)] for at in axes if -len(shape) <= int(at) < len(shape)])


def covariance_size(given: Given, named: dict[str, Any]) -> int:
    """A matrix over the variables, which are the rows, or the columns where that is said."""
    shapes = [sizes_in(part) for part in given[:2] if size_of(part) > 1]
    count = sum(shape[0] if len(shape) > 1 else 1 for shape in shapes)
    if len(given) > 2 and not given[2]:
        count = sum(shape[-1] for shape in shapes)
    return sum(map(extent, shapes)) + count * count


MADE: dict[str, Callable[[Given, dict[str, Any]], int]] = {
    **dict.fromkeys(("triu", "tril"), triangle_size),
    **dict.fromkeys(("nonzero", "argwhere"), index_size),
    **dict.fromkeys(("split", "array_split"), split_size),
    **dict.fromkeys(("percentile", "quantile"), quantile_size),
    **dict.fromkeys(("cov", "corrcoef"), covariance_size),
}
"""What is made by the functions that may make more than all that they are given."""

VIEWS = frozenset(
    (
        "reshape transpose squeeze ravel expand_dims flip swapaxes moveaxis fliplr flipud atleast_1d atleast_2d rot90 "
        "diagonal ascontiguousarray"
    ).split()
)
"""Functions that mostly show what they are given."""


def charge(machine: Machine, name: str, given: Given, named: dict[str, Any] | None = None) -> None:
    """Charges the call of the function `name` of numpy."""
    if name in VIEWS:
        check_view(machine, given[0])
        if name == "reshape" and len(given) > 1:
            check_shape(machine, given[1])
    else:
        passes = 1
        if name == "diff":
            passes = max(whole(given[1] if len(given) > 1 else (named or {}).get("n", 1)), 1)
            machine.meter.charge(passes)
        if name == "roll":
            machine.meter.charge(2 ** np.size(given[2] if len(given) > 2 else (named or {}).get("axis", 0)))
        if name == "unique" and (named or {}).get("axis") is not None:
            machine.meter.charge(2 * size_of(given[0]))  # numpy compares whole rows, a field for each number
        machine.meter.elements(MADE.get(name, total_size)(given, named or {}), passes)


def check_view(machine: Machine, given: Any) -> None:
    """Charges what shows an array otherwise: of one that does not lie in a row it may be a copy."""
    in_row = not isinstance(given, np.ndarray) or given.flags.c_contiguous
    (machine.meter.fits if in_row else machine.meter.elements)(size_of(given))


def check_shape(machine: Machine, shape: Any) -> None:
    """Charges the new shape of an array: what is empty may extend to more than it did."""
    try:
        machine.meter.fits(extent([abs(operator.index(size)) for size in np.ravel(shape)]))
    except (TypeError, ValueError):
        return  # numpy says what is wrong with it


# ---- products


def contraction_size(name: str, left: tuple[int, ...], right: tuple[int, ...]) -> tuple[int, int]:
    """Elements and multiplications of a product of two arrays of these shapes."""
    if name == "outer":
        count = extent(left) * extent(right)
        return count, count
    if name == "vdot" or not left or not right:
        return broadcast_numel([left, right]), extent(left)
    inner = left[-1]
    if name == "matmul" or len(right) < 2:
        return product((Shaped(left), Shaped(right)))
    rest = right[:-1] if name == "inner" else (*right[:-2], right[-1])
    count = extent(left[:-1]) * extent(rest)
    return count, count * inner


def einsum_size(formula: str, shapes: list[tuple[int, ...]]) -> tuple[int, int]:
    """Elements and multiplications of an einsum: one for each choice of a place along every letter."""
    before, arrow, after = formula.replace(" ", "").partition("->")
    sizes: dict[str, int] = {}
    around: list[tuple[int, ...]] = []
    for term, shape in zip(before.split(","), shapes, strict=False):
        letters = term.replace("...", "")
        if "..." in term:
            first, count = term.index("..."), max(len(shape) - len(letters), 0)
            around.append(shape[first : first + count])
        head = term.partition("...")[0]
        tail = letters[len(head) :]
        along = [*zip(head, shape, strict=False), *zip(reversed(tail), reversed(shape), strict=False)]
        for letter, size in along:
            sizes[letter] = max(sizes.get(letter, 1), size)
    kept = set(after) if arrow else {letter for letter in sizes if before.count(letter) == 1}
    dots = broadcast_numel(around)
    made = dots * extent([size for letter, size in sizes.items() if letter in kept])
    return made, dots * extent([*sizes.values()])


def decomposition_size(name: str, shape: tuple[int, ...], named: dict[str, Any]) -> tuple[int, int]:
    """Elements and multiplications of a function of numpy.linalg, for matrices of this shape and what else it gets."""
    if name == "norm":
        axes = axes_of_norm(len(shape), named.get("axis"))
        if named.get("ord") not in (2, -2, "nuc") or len(axes) != 2:
            return extent(shape), 0
        shape = (*(size for at, size in enumerate(shape) if at not in axes), *(shape[at] for at in axes))
    if len(shape) < 2:
        return extent(shape), 0
    rows, columns = shape[-2:]
    width, batches = 0, [shape[:-2]]
    if name == "solve":
        right = sizes_in(named["b"])
        width, batches = right[-1] if len(right) > 1 else 1, [*batches, right[:-2]]
    batches += [sizes_in(named[tolerance]) for tolerance in TOLERANCES if tolerance in named]
    count = broadcast_numel(batches)
    made = min(rows, columns) if name in ("norm", "matrix_rank") else rows * max(columns, width)
    if name == "svd" and named.get("full_matrices", True):
        made = max(rows, columns) ** 2
    cube = rows * columns * max(rows, columns) * LONGER.get(name, 1)
    return extent(shape) + count * made, count * (cube + rows * rows * width + EACH)


BY_SVD = ("svd", "pinv", "matrix_rank", "norm")
"""Functions that decompose a matrix into singular values."""
LONGER = {"eig": 16, "eigh": EIGH, **dict.fromkeys(BY_SVD, SVD)}
"""How much longer a function takes than a product of matrices."""

TOLERANCES = ("tol", "rtol", "rcond")
"""What is below is taken for zero: a number for all matrices, or one for each."""


def axes_of_norm(wide: int, axis: Any) -> tuple[int, ...]:
    """Where the numbers are of which `np.linalg.norm` takes one norm."""
    axes = range(wide) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    return tuple(int(at) % wide for at in axes if -wide <= int(at) < wide)


# ---- more of the same


def repeat_size(shape: tuple[int, ...], counts: Any, axis: Any) -> int:
    """`np.repeat`: each element as often as its count says."""
    times = np.maximum(np.asarray(counts), 0)
    if times.size <= 1:
        return extent(shape) * int(times.sum())
    rest = extent(shape) // length_along(shape, axis) if axis is not None else 1
    return rest * sum(map(int, times.reshape(-1)))


def tile_size(shape: tuple[int, ...], counts: Any) -> int:
    """`np.tile`: one dimension after the other, so that what comes to nothing may have been long before."""
    return extent(shape) * math.prod(max(int(count), 1) for count in np.asarray(counts).reshape(-1))


def pad_size(shape: tuple[int, ...], width: Any) -> int:
    """`np.pad`: each side of each dimension longer by its width."""
    try:
        widths = np.broadcast_to(np.asarray(width), (len(shape), 2))
    except ValueError:
        return extent(shape)  # numpy says what is wrong with it
    return extent([size + sum(max(int(side), 0) for side in sides) for size, sides in zip(shape, widths, strict=True)])


# ---- elements by index


def indexed_size(shape: tuple[int, ...], index: Any) -> int:
    """The elements that an index with arrays, lists or truth values in it takes; 0 without, for then it is a view."""
    parts = index if isinstance(index, tuple) else (index,)
    taken = [mask_lengths(part) for part in parts if is_array(part)]
    if not taken:
        return 0
    rest, at = 1, 0
    for part in parts:
        wide = dimensions(part)
        if part is ...:
            wide = max(len(shape) - sum(map(dimensions, parts)), 0)
        if part is ... or isinstance(part, slice):
            rest *= extent(shape[at : at + wide])
        at += wide
    return broadcast_numel(taken) * rest * extent(shape[at:])


def is_array(part: Any) -> bool:
    return isinstance(part, (list, np.ndarray, bool, np.bool_)) or hasattr(part, "data_")


def is_mask(part: Any) -> bool:
    return is_array(part) and getattr(part, "data_", np.asarray(part)).dtype == np.bool_


def mask_lengths(part: Any) -> tuple[int, ...]:
    """The shape of the places that an array names."""
    shape = sizes_in(part)
    return (extent(shape),) if is_mask(part) else shape


def dimensions(part: Any) -> int:
    """How many dimensions a part of an index stands for."""
    if part is None or part is ... or isinstance(part, (bool, np.bool_)):
        return 0
    return len(sizes_in(part)) if is_mask(part) else 1
