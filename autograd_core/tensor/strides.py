"""Which strides torch gives a result, where numpy may choose others.

Note [Layouts of results]. Element by element, numpy and torch both let a result lie in memory as its operands do. They
part where operands differ: numpy then takes rows, torch what the first operand says that has an opinion on a pair of
dimensions (TensorIterator.cpp). What is put together in new memory lies in rows in torch, while numpy often keeps the
order of what went in; sorted values and copies lie as what they are made of. So each operator has a rule
(dispatch/codegen/layout.py), and each rule is a function of the result and the operands, which gives the result, moved
if need be. Where all operands lie in rows so does every result, in both: a look at one operand is mostly all that it
takes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from ..engine.grad_validation import dense
from ..engine.warnings import warn_once
from .bfloat16 import rounded
from .tensor import Array
from .views import laid_out, steps_of

Steps = tuple[int, ...]
Rule = Callable[[Array, Sequence[Array]], Array] | None
"""A function of the result and the operands that gives the result as it is to lie; None if it always does."""

LAST = {4: (1, 3, 2, 0), 5: (1, 4, 3, 2, 0)}
"""The dimensions of a batch of images or volumes whose channels come last, from the one that changes soonest."""


# ---- strides in elements


def in_order(shape: Sequence[int], order: Iterable[int]) -> Steps:
    """Strides without gaps where dimensions change in this order, the one that changes soonest first."""
    order = list(order)
    steps = dict(zip(order, accumulate((max(shape[d], 1) for d in order), int.__mul__, initial=1), strict=False))
    return tuple(steps[d] for d in range(len(shape)))


def of_rows(shape: Sequence[int]) -> Steps:
    return in_order(shape, reversed(range(len(shape))))


def order_of(shape: Sequence[int], looks: Sequence[Steps]) -> list[int]:
    """Dimensions in the order in which a result changes, of operands with these strides over its shape.

    A sort by insertion in which some pairs cannot be compared: a stride of 0 says nothing.
    """
    order = list(reversed(range(len(shape))))
    for i in range(1, len(order)):
        at = i
        for before in range(i - 1, -1, -1):
            later = comes_later(shape, looks, order[before], order[at])
            if later is False:
                break
            if later:
                order[before], order[at] = order[at], order[before]
                at = before
    return order


def comes_later(shape: Sequence[int], looks: Sequence[Steps], a: int, b: int) -> bool | None:
    """Whether dimension `a` changes later than `b`, by the first operand that tells them apart; None if none does."""
    for steps in looks:
        if not (steps[a] and steps[b]):
            continue
        if steps[a] != steps[b]:
            return steps[a] > steps[b]
        if shape[a] > shape[b]:
            return True
    return None


def broadcast_steps(data: Array, shape: Sequence[int]) -> Steps:
    """The strides of `data`, stretched to `shape`."""
    extra = len(shape) - data.ndim
    steps = (0 if n == 1 != m else step for n, m, step in zip(data.shape, shape[extra:], steps_of(data), strict=True))
    return (*[0] * extra, *steps)


def dense_steps(data: Array) -> Steps:
    """The strides of a copy of `data`: its own, or those without gaps in the same order."""
    return steps_of(data) if dense(data) else in_order(data.shape, order_of(data.shape, [steps_of(data)]))


def iterated_steps(shape: Sequence[int], operands: Sequence[Array]) -> Steps:
    """The strides of what is computed element by element."""
    if all(data.shape == tuple(shape) for data in operands):
        if all(data.flags.c_contiguous for data in operands):
            return of_rows(shape)
        if all(map(channels_last, operands)):
            return in_order(shape, LAST[len(shape)])
        looks = {steps_of(data) for data in operands}
        if len(looks) == 1 and all(map(dense, operands)):
            return looks.pop()
    return in_order(shape, order_of(shape, [broadcast_steps(data, shape) for data in operands]))


def channels_last(data: Array) -> bool:
    """Whether `data` is a dense batch of images or volumes whose channels come last."""
    return data.ndim in LAST and all(
        data.shape[d] == 1 or data.strides[d] == step * data.itemsize
        for d, step in enumerate(in_order(data.shape, LAST[data.ndim]))
    )


def suggests_channels_last(data: Array) -> bool:
    """Whether the strides of `data` look like that, gaps or not; see is_channels_last_strides_2d_s4."""
    order, least = LAST.get(data.ndim), 0
    if order is None or not data.strides[1]:
        return False
    for d in order:
        if not data.shape[d] or data.strides[d] < least or (d == 0 and least == data.strides[1]):
            return False
        least = data.strides[d] * max(data.shape[d], 1)
    return True


# ---- memory formats, by which programs name layouts

CONTIGUOUS, PRESERVED = "torch.contiguous_format", "torch.preserve_format"
RANKS = {"torch.channels_last": 4, "torch.channels_last_3d": 5}


def steps_in(data: Array, memory_format: str | None) -> Steps:
    """The strides of what is made like `data` in this format, None for its own.

    Raises:
        RuntimeError: channels are to be last in something else than images or volumes.
    """
    if memory_format is None or memory_format == PRESERVED:
        return dense_steps(data)
    if memory_format == CONTIGUOUS:
        return of_rows(data.shape)
    if data.ndim != RANKS[memory_format]:
        name = memory_format.removeprefix("torch.")
        raise RuntimeError(f"required rank {RANKS[memory_format]} tensor to use {name} format")
    return in_order(data.shape, LAST[data.ndim])


def lies_in(data: Array, memory_format: str | None) -> bool:
    """Whether `data` lies in this format, without gaps."""
    if memory_format in RANKS:
        return data.ndim == RANKS[memory_format] and channels_last(data)
    return bool(data.flags.c_contiguous)


def suggest_format(data: Array) -> str:
    """The format that the strides of `data` look like."""
    last = suggests_channels_last(data)
    return next((name for name, rank in RANKS.items() if last and rank == data.ndim), CONTIGUOUS)


def suggests(data: Array, memory_format: str | None) -> bool:
    """Whether the strides of `data` look like this format, so that it need not be moved for it."""
    return memory_format is None or memory_format in (PRESERVED, suggest_format(data))


# ---- new memory


def with_strides(data: Array, steps: Steps) -> Array:
    """`data` with these strides: itself, if it has them."""
    if steps_of(data) == steps:
        return data
    copy = laid_out(data.shape, steps, data.dtype)
    copy[...] = data
    return copy


def copy_in_format(data: Array, memory_format: str | None = None) -> Array:
    """A copy of `data` in this format; for None, as it lies, without gaps."""
    if memory_format is None and (not isinstance(data, np.ndarray) or data.flags.c_contiguous):
        return data.copy()
    return with_strides(np.array(data), steps_in(data, memory_format))


def as_kind(data: Array, kind: np.dtype[Any], memory_format: str | None = None) -> Array:
    """A copy of `data` in another dtype."""
    if data.dtype.kind == "c":
        data = parts_that_fit(data, kind)
    if not kind.isnative:
        return with_strides(rounded(data), steps_in(data, memory_format))
    if memory_format is None and data.flags.c_contiguous:
        return data.astype(kind)
    copy = blank_like(data, kind, memory_format)
    np.copyto(copy, data, "unsafe")
    return copy


def parts_that_fit(data: Array, kind: np.dtype[Any]) -> Array:
    """Complex numbers as they are to be stored in `kind`: where that is real, their real parts, as torch warns."""
    if kind.kind in "cb":
        return data
    warn_once("complex to real", DISCARDED, of_caller=False)
    return data.real


DISCARDED = "Casting complex values to real discards the imaginary part"


def blank_like(data: Array, kind: np.dtype[Any], memory_format: str | None = None) -> Array:
    """New memory, not filled, that lies as a copy of `data` would."""
    if memory_format is None and (not isinstance(data, np.ndarray) or data.flags.c_contiguous):
        return np.empty_like(data, kind)
    return laid_out(data.shape, steps_in(data, memory_format), kind)


# ---- rules


def elementwise_layout(result: Array, operands: Sequence[Array]) -> Array:
    """Computed element by element from these operands."""
    if result.ndim < 2 and result.flags.c_contiguous:
        return result
    return with_strides(
        result, iterated_steps(result.shape, [np.asarray(data) for data in operands if data is not None])
    )


def rows(result: Array, operands: Sequence[Array]) -> Array:
    """Put together in new memory."""
    return with_strides(result, of_rows(result.shape))


def alike(result: Array, operands: Sequence[Array]) -> Array:
    """A copy of the first operand, or what takes its place in one."""
    return with_strides(result, dense_steps(operands[0]))


def in_format(result: Array, last: bool) -> Array:
    """Put together in new memory, with the channels last or in rows."""
    last = last and result.ndim in LAST
    return with_strides(result, in_order(result.shape, LAST[result.ndim]) if last else of_rows(result.shape))


def as_input(result: Array, operands: Sequence[Array]) -> Array:
    """With the channels last if they are in the first operand."""
    return in_format(result, suggests_channels_last(operands[0]))


def beside(result: Array, *models: Array) -> Array:
    """A gradient with its channels last if they are in one of the tensors `models`, else in rows."""
    if result.flags.c_contiguous and all(data.flags.c_contiguous for data in models):
        return result
    return in_format(result, any(map(suggests_channels_last, models)))


def as_weight(result: Array, operands: Sequence[Array]) -> Array:
    """With the channels of images last if they are in one of the first two operands."""
    return in_format(result, result.ndim == 4 and any(map(suggests_channels_last, operands[:2])))


def as_one(result: Array, operands: Sequence[Array]) -> Array:
    """With the channels last if they are in all operands."""
    return in_format(result, all(map(suggests_channels_last, operands)))
