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

from .tensor import Array

LEVELS = 4
SIDE_BY_SIDE = 4
REGISTER = 32
"""Bytes."""
LARGE = 1 << 14
"""Elements; see Note [Digits of large tensors]."""

float32, float64 = np.dtype(np.float32), np.float64


def precise(function: Callable[..., Any], one: Callable[[float], float]) -> Callable[[Array], Array]:
    """The ufunc `function` (`one` for a single number), with float32 computed in double."""

    def rounded(data: Array) -> Array:
        if data.size >= LARGE or data.dtype.char != "f":
            return function(data)
        if data.__class__ is np.float32:
            try:
                return np.float32(one(float(data)))
            except (ValueError, OverflowError):
                return np.float32(function(float64(data)))
        return function(data.astype(float64)).astype(np.float32)

    rounded.__name__ = function.__name__
    return rounded


exp, expm1, exp2 = precise(np.exp, math.exp), precise(np.expm1, math.expm1), precise(np.exp2, math.exp2)
log, log2 = precise(np.log, math.log), precise(np.log2, math.log2)
log10, log1p = precise(np.log10, math.log10), precise(np.log1p, math.log1p)
sin, cos, tan = precise(np.sin, math.sin), precise(np.cos, math.cos), precise(np.tan, math.tan)
sinh, cosh, tanh = precise(np.sinh, math.sinh), precise(np.cosh, math.cosh), precise(np.tanh, math.tanh)
arcsin, arccos, arctan = precise(np.arcsin, math.asin), precise(np.arccos, math.acos), precise(np.arctan, math.atan)


ONE_NUMBER = (int, float, np.float32)


def power(base: Array, exponent: Array) -> Array:
    """`base ** exponent`, float32 computed in double."""
    if base.__class__ is np.float32 and exponent.__class__ in ONE_NUMBER:
        try:
            return np.float32(math.pow(base, exponent))
        except (ValueError, OverflowError):
            exponent = np.float32(exponent)
    if getattr(base, "dtype", None) == float32 and getattr(exponent, "dtype", None) == float32:
        return np.power(base, exponent, dtype=float64).astype(np.float32)
    return np.power(base, exponent)


# ---- sums

Sum = Callable[[Array], Array]
add_up: Any = np.add.reduce


def total(data: Array, over: Sequence[int] | None = None, keepdims: bool = False) -> Array:
    """The sum of `data` over the axes `over`, all for None, in torch's order; see Note [Order of sums]."""
    if data.__class__ is np.ndarray and data.dtype.char in "fd" and data.flags.c_contiguous:
        plan = planned(data.shape, over if over is None else tuple(over), keepdims, data.itemsize)
        if plan is not None:
            return plan(data)
    return add_up(data, axis=None if over is None else tuple(over), keepdims=keepdims)


@functools.lru_cache(1024)
def planned(shape: tuple[int, ...], over: tuple[int, ...] | None, keepdims: bool, itemsize: int) -> Sum | None:
    """How to add up a contiguous tensor; None leaves it to numpy."""
    axes = range(len(shape)) if over is None else over
    kinds, sizes = blocks(shape, axes)
    if kinds not in ORDERS:
        return None
    kept = tuple(1 if a in axes else n for a, n in enumerate(shape) if keepdims or a not in axes)
    add = ORDERS[kinds](REGISTER // itemsize, *sizes)
    if not kept:
        return lambda data: add(data.reshape(-1))
    if kept == shape[1:] == tuple(sizes[1:]):
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


def in_turn(data: Array) -> Array:
    """The sum over the first axis from first to last. (Along the last axis numpy adds in pairs.)"""
    if data.ndim > 1 and data.size > len(data) and data.flags.c_contiguous:
        return add_up(data, 0)
    return np.add.accumulate(data, axis=0)[-1]


def runs(count: int) -> Sum:
    """The sum of `count` over the first axis: in runs, runs of runs, and so on."""
    power = max(4, math.ceil(math.log2(count)) // LEVELS) if count else 4
    step = 1 << power
    if count <= step:
        return in_turn
    if count % step == 0 and count <= step * step:
        return lambda data: in_turn(add_up(data.reshape(-1, step, *data.shape[1:]), 1))

    def add(data: Array) -> Array:
        out, level = None, data
        for depth in range(LEVELS):
            more = len(level) // step * step if depth < LEVELS - 1 else 0
            if more < len(level):
                here = in_turn(level[more:])
                out = here if out is None else out + here
            if not more:
                break
            level = np.add.reduce(level[:more].reshape(-1, step, *level.shape[1:]), axis=1)
        return out

    return add


def abreast(count: int) -> Sum:
    """The sum of `count` over the first axis in `SIDE_BY_SIDE` interleaved parts."""
    if count <= SIDE_BY_SIDE:
        return in_turn
    groups = count // SIDE_BY_SIDE
    whole = groups * SIDE_BY_SIDE
    inner = runs(groups)

    def add(data: Array) -> Array:
        parts = inner(data[:whole].reshape(groups, SIDE_BY_SIDE, *data.shape[1:]))
        if whole < count:
            first = parts[0]
            for rest in data[whole:]:
                first = first + rest
            parts[0] = first
        return in_turn(parts)

    return add


def down(lanes: int, rows: int, columns: int) -> Sum:
    """The sum over the first axis, for `columns` that lie together in memory."""
    block = SIDE_BY_SIDE * lanes if columns >= lanes else SIDE_BY_SIDE
    whole = columns // block * block
    if whole == columns:
        return runs(rows)
    left, right = runs(rows), abreast(rows)
    if not whole:
        return right
    return lambda data: np.concatenate(
        [left(np.ascontiguousarray(data[..., :whole])), right(np.ascontiguousarray(data[..., whole:]))], axis=-1
    )


def along(lanes: int, rows: int, count: int) -> Sum:
    """The sum of each of the rows."""
    if count < lanes:
        few = abreast(count)
        return lambda data: few(np.ascontiguousarray(data.T))
    whole = count // lanes * lanes
    wide = abreast(whole // lanes)

    def add(data: Array) -> Array:
        sums = wide(np.ascontiguousarray(data[:, :whole].reshape(rows, -1, lanes).swapaxes(0, 1)))
        last = np.concatenate([data[:, whole:], sums], axis=1) if whole < count else sums
        return np.add.accumulate(last, axis=1)[:, -1]

    return add


def all_of(lanes: int, count: int) -> Sum:
    """The sum of everything, a scalar."""
    if count < lanes:
        return abreast(count)
    whole = count // lanes * lanes
    wide = abreast(whole // lanes)
    if whole == count:
        return lambda data: np.add.accumulate(wide(data.reshape(-1, lanes)))[-1]
    return lambda data: np.add.accumulate(np.concatenate([data[whole:], wide(data[:whole].reshape(-1, lanes))]))[-1]


def middle(lanes: int, before: int, count: int, columns: int) -> Sum:
    each = down(lanes, count, columns)
    return lambda data: each(np.ascontiguousarray(data.swapaxes(0, 1)))


def ends(lanes: int, rows: int, columns: int, count: int) -> Sum:
    each = along(lanes, rows * columns, count)
    return lambda data: in_turn(each(data.reshape(-1, count)).reshape(rows, columns))


ORDERS: dict[str, Callable[..., Sum]] = {"S": all_of, "SK": down, "KS": along, "KSK": middle, "SKS": ends}
"""How a sum goes over the blocks of a contiguous tensor, by what is done with each."""
