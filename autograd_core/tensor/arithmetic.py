"""Numbers to the last digit as torch's kernels on a CPU give them, where that can be had.

Its exponentials, logarithms and the like are all but correctly rounded: so they are computed in double here and
rounded once. (numpy's own for float32 are off by up to two units in the last place.)

Note [Digits of large tensors]. A double takes two to five times as long, which nobody notices for a tensor that is
printed or compared whole. Of a larger one programs read a summary, and its digits hang on the order in which matrix
products add up, which is another in every library. So from LARGE elements on numpy's own kernels do; they differ from
torch's in the last digit or two of a float32.

Note [Order of sums]. Torch adds a contiguous row in lanes, as wide as a vector register, four registers side by side;
each lane adds up runs of 16 elements and then the sums of runs, level by level; at last the lanes are added from left
to right. Sums over the first dimensions go down the columns in the same runs. What lies in memory otherwise is left to
numpy.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from .tensor import Array

MANY = 4096
"""Plans at most."""
LEVELS = 4
RUN = 16
"""Rows at least that are added up in turn."""
SIDE_BY_SIDE = 4
REGISTER = 32
"""Bytes."""
LARGE = 1 << 14
"""Elements; see Note [Digits of large tensors]."""

boolean, float32, float64 = np.dtype(np.bool_), np.dtype(np.float32), np.dtype(np.float64)

ZERO: Any = np.array(0, float32)
ONE: Any = np.array(1, float32)
"""Beside an array of float32 they take two thirds of the time of the numbers 0 and 1."""


def filled_like(data: Array, number: float) -> Array:
    """An array like `data`, which has one element: that takes a quarter of the time of a ufunc."""
    filled = data.copy()
    filled.fill(number)
    return filled


def precise(function: Callable[..., Any], one: Callable[[float], float]) -> Callable[[Array], Array]:
    """The ufunc `function` (`one` for a single number), with float32 computed in double."""

    def round_each(data: Array) -> Array:
        if data.dtype is not float32 or data.size >= LARGE:
            return function(data)
        if data.__class__ is ndarray and data.ndim:
            if data.size == 1:
                try:
                    return filled_like(data, one(data.item()))
                except (ValueError, OverflowError):
                    pass
            wide = data.astype(float64)
            return function(wide, wide).astype(float32)
        if data.__class__ is np.float32:
            try:
                return np.float32(one(float(data)))
            except (ValueError, OverflowError):
                return np.float32(function(np.float64(data)))
        return function(data.astype(float64)).astype(float32)

    round_each.__name__ = function.__name__
    return round_each


exp, expm1, exp2 = precise(np.exp, math.exp), precise(np.expm1, math.expm1), precise(np.exp2, math.exp2)
log, log2 = precise(np.log, math.log), precise(np.log2, math.log2)
log10, log1p = precise(np.log10, math.log10), precise(np.log1p, math.log1p)
sin, cos, tan = precise(np.sin, math.sin), precise(np.cos, math.cos), precise(np.tan, math.tan)
sinh, cosh, tanh = precise(np.sinh, math.sinh), precise(np.cosh, math.cosh), precise(np.tanh, math.tanh)
arcsin, arccos, arctan = precise(np.arcsin, math.asin), precise(np.arccos, math.acos), precise(np.arctan, math.atan)


ONE_NUMBER = (int, float, np.float32)


def power(base: Array, exponent: Any) -> Array:
    """`base ** exponent`, float32 computed in double."""
    if exponent.__class__ in ONE_NUMBER:
        if base.__class__ is np.float32:
            try:
                return np.float32(math.pow(base, exponent))
            except (ValueError, OverflowError):
                exponent = np.float32(exponent)
        elif base.__class__ is ndarray and base.dtype is float32 and base.ndim:
            return power_of_each(base, float(exponent))
    if getattr(base, "dtype", None) == float32 and getattr(exponent, "dtype", None) == float32:
        return np.power(base, exponent, dtype=float64).astype(np.float32)
    return np.power(base, exponent)


def power_of_each(base: Array, exponent: float) -> Array:
    if base.size == 1:
        try:
            return filled_like(base, math.pow(base.item(), exponent))
        except (ValueError, OverflowError):
            pass
    wide = base.astype(float64)
    return np.power(wide, exponent, wide).astype(float32)


class Numbers(dict[float, Array]):
    """Numbers as arrays of float32 without dimensions, which numpy takes sooner than numbers.

    Zeros are not kept, for a dictionary takes both for the same.
    """

    def __missing__(self, number: float) -> Array:
        if not number:
            return np.array(number, np.float32)
        if len(self) >= MANY:
            self.clear()
        found = self[number] = np.array(number, np.float32)
        return found


numbers = Numbers()


def number_beside(number: float, data: Array) -> Any:
    """`number` as numpy takes it soonest beside `data`, which is of floats."""
    return numbers[number] if data.__class__ is ndarray and data.dtype is float32 else number


# ---- sums

Sum = Callable[[Array], Array]
add_up: Any = np.add.reduce
accumulate: Any = np.add.accumulate


def total(data: Array, over: tuple[int, ...] | None = None, keepdims: bool = False) -> Array:
    """The sum of `data` over the axes `over`, all for None, in torch's order; see Note [Order of sums]."""
    if data.__class__ is ndarray and data.flags.c_contiguous:
        if over is None and not keepdims and data.dtype is float32:
            try:
                plan = wholes[data.shape]
            except KeyError:
                plan = whole(data.shape)
        else:
            plan = plan_sum(data.shape, over, keepdims, data.dtype)
        if plan is not None:
            return plan(data)
    return add_up(data, axis=over, keepdims=keepdims)


wholes: dict[tuple[int, ...], Sum | None] = {}
"""How to add up all of a contiguous tensor of float32, by its shape: the commonest sum, planned once."""


def whole(shape: tuple[int, ...]) -> Sum | None:
    """The plan for `shape`, made now."""
    if len(wholes) >= MANY:
        wholes.clear()
    plan = wholes[shape] = plan_sum(shape, None, False, float32)
    return plan


@functools.lru_cache(1024)
def plan_sum(shape: tuple[int, ...], over: tuple[int, ...] | None, keepdims: bool, dtype: Any) -> Sum | None:
    """How to add up a contiguous tensor; None leaves it to numpy."""
    if dtype.char not in "fd":
        return None
    axes = range(len(shape)) if over is None else over
    kinds, sizes = blocks(shape, axes)
    if kinds not in ORDERS:
        return None
    kept = tuple(1 if a in axes else n for a, n in enumerate(shape) if keepdims or a not in axes)
    lanes = REGISTER // dtype.itemsize
    if kinds == "S" and not kept:
        return number(lanes, *sizes)
    add = ORDERS[kinds](lanes, *sizes)
    if kept in ((1,), shape[1:]) and (kinds == "S" or shape == tuple(sizes)):
        return add
    return lambda data: add(data.reshape(sizes)).reshape(kept)


def blocks(shape: Sequence[int], axes: Sequence[int]) -> tuple[str, list[int]]:
    """Neighbouring axes that are all summed over ("S") or all kept ("K"), as one; axes of length 1 do not count."""
    kinds = ""
    sizes: list[int] = []
    for axis, size in enumerate(shape):
        if size == 0:
            return "empty", []
        if size > 1:
            kind = "S" if axis in axes else "K"
            if kinds[-1:] == kind:
                sizes[-1] *= size
            else:
                kinds += kind
                sizes.append(size)
    return kinds, sizes


# What follows adds up rows of `columns` numbers each, that lie in memory one after the other, over the first axis.


def in_turn(columns: int) -> Sum:
    """The sum from the first row to the last. (Of numbers that lie side by side numpy adds up pairs.)"""
    return add_up if columns > 1 else lambda data: accumulate(data.reshape(-1))[-1:]


def runs(count: int, columns: int) -> Sum:
    """The sum of `count` rows: in runs, runs of runs, and so on."""
    step = max(RUN, 1 << math.ceil(math.log2(count)) // LEVELS) if count else RUN
    turn = in_turn(columns)
    if count <= step:
        return turn
    if count % step == 0 and count <= step * step:
        return lambda data: turn(add_up(data.reshape(-1, step, columns), 1))

    def add(data: Array) -> Array:
        out, level = None, data
        for depth in range(LEVELS):
            more = len(level) // step * step if depth < LEVELS - 1 else 0
            if more < len(level):
                here = turn(level[more:])
                out = here if out is None else out + here
            if not more:
                break
            level = add_up(level[:more].reshape(-1, step, columns), 1)
        return out

    return add


def abreast(count: int, columns: int) -> Sum:
    """The sum of `count` rows in `SIDE_BY_SIDE` interleaved parts."""
    turn = in_turn(columns)
    if count <= SIDE_BY_SIDE:
        return turn
    groups = count // SIDE_BY_SIDE
    whole, wide = groups * SIDE_BY_SIDE, SIDE_BY_SIDE * columns
    inner = runs(groups, wide)
    if whole == count and columns == 1:
        return lambda data: accumulate(inner(data.reshape(groups, wide)))[-1:]
    if whole == count and groups <= RUN:
        return lambda data: add_up(add_up(data.reshape(groups, wide)).reshape(SIDE_BY_SIDE, columns))
    if whole == count:
        return lambda data: turn(inner(data.reshape(groups, wide)).reshape(SIDE_BY_SIDE, columns))

    def add(data: Array) -> Array:
        parts = inner(data[:whole].reshape(groups, wide)).reshape(SIDE_BY_SIDE, columns)
        first = parts[0]
        for rest in data[whole:]:
            first = first + rest
        parts[0] = first
        return turn(parts)

    return add


def down(lanes: int, rows: int, columns: int, times: int = 1) -> Sum:
    """The sum over the first axis, for `columns` that lie together in memory, so many `times` in a row."""
    block = SIDE_BY_SIDE * lanes if columns >= lanes else SIDE_BY_SIDE
    whole = columns // block * block
    if whole == columns:
        return runs(rows, times * columns)
    if not whole:
        return abreast(rows, times * columns)
    left, right = runs(rows, times * whole), abreast(rows, times * (columns - whole))

    def add(data: Array) -> Array:
        cube = data.reshape(rows, times, columns)
        one, two = left(part(cube, 0, whole)), right(part(cube, whole, columns))
        return np.concatenate([one.reshape(times, -1), two.reshape(times, -1)], axis=1).reshape(-1)

    return add


def part(cube: Array, start: int, end: int) -> Array:
    """These columns of a cube, as rows of numbers."""
    return np.ascontiguousarray(cube[:, :, start:end]).reshape(len(cube), -1)


def along(lanes: int, rows: int, count: int) -> Sum:
    """The sum of each of the rows."""
    if count < lanes:
        few = abreast(count, rows)
        return lambda data: few(np.ascontiguousarray(data.T))
    whole = count // lanes * lanes
    wide = abreast(whole // lanes, rows * lanes)

    def add(data: Array) -> Array:
        lines = np.ascontiguousarray(data[:, :whole].reshape(rows, -1, lanes).swapaxes(0, 1))
        sums = wide(lines.reshape(-1, rows * lanes)).reshape(rows, lanes)
        last = np.concatenate([data[:, whole:], sums], axis=1) if whole < count else sums
        return accumulate(last, axis=1)[:, -1]

    return add


def all_of(lanes: int, count: int) -> Sum:
    """The sum of everything, whatever its shape, in an array of one."""
    if count < lanes:
        few = abreast(count, 1)
        return lambda data: few(data.reshape(count, 1))
    rows = count // lanes
    whole = rows * lanes
    wide = abreast(rows, lanes)
    if whole == count:
        return lambda data: accumulate(wide(data.reshape(rows, lanes)))[-1:]

    def add(data: Array) -> Array:
        flat = data.reshape(-1)
        return accumulate(np.concatenate([flat[whole:], wide(flat[:whole].reshape(rows, lanes))]))[-1:]

    return add


def number(lanes: int, count: int) -> Sum:
    """The same as a number."""
    rows = count // lanes
    if rows * lanes == count:
        wide = abreast(rows, lanes)
        return lambda data: accumulate(wide(data.reshape(rows, lanes)))[-1]
    add = all_of(lanes, count)
    return lambda data: add(data)[0]


def middle(lanes: int, before: int, count: int, columns: int) -> Sum:
    each = down(lanes, count, columns, before)
    return lambda data: each(data.swapaxes(0, 1).reshape(count, -1)).reshape(before, columns)


def ends(lanes: int, rows: int, columns: int, count: int) -> Sum:
    each, turn = along(lanes, rows * columns, count), in_turn(columns)
    return lambda data: turn(each(data.reshape(-1, count)).reshape(rows, columns))


ORDERS: dict[str, Callable[..., Sum]] = {"S": all_of, "SK": down, "KS": along, "KSK": middle, "SKS": ends}
"""How a sum goes over the blocks of a contiguous tensor, by what is done with each."""
