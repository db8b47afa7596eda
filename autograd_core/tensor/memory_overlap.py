"""Whether memory that is written overlaps itself, or what is read meanwhile: the rules of torch's MemoryOverlap.cpp."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ..engine.warnings import warn
from .tensor import Array, Tensor

WRITTEN_TWICE = (
    "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
    "Please clone() the tensor before performing the operation."
)
READ_AND_WRITTEN = (
    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory "
    "location. Please clone() the tensor before performing the operation."
)

REPEATING = ("fill", "zero", "tril", "triu", "threshold_")
"""Operators that may write a place twice: torch does not look."""
OUTDATED = {"masked_fill": "mask] = scalar", "index_fill": "mask] = scalar", "index_put": "indices] = tensor"}
"""Operators that still may, with a warning, and the assignments that call them."""
FIRST_READ = """fill addmm addmv baddbmm mm mv bmm matmul dot tril triu
sum nansum mean prod amax amin max min argmax argmin var std norm logsumexp all any"""
READ_FIRST = frozenset(FIRST_READ.split())
"""Operators for which torch does not look at what is read."""
APART = frozenset(
    """
    index_add index_copy index_put put scatter scatter_add cat stack index_select gather index_fill scatter_reduce take
""".split()
)
"""Operators whose operands may not even lie in the very memory that is written."""


def refuse_overlap(name: str, target: Tensor, operands: Iterable[Any]) -> None:
    """Whether the operator `name` may write `target` while it reads `operands`.

    Raises:
        RuntimeError: elements of `target`, or of it and of an operand, lie in one place.
    """
    name = name.partition(".")[0]
    if repeats(target.data_) and name not in REPEATING:
        if name not in OUTDATED:
            raise RuntimeError(WRITTEN_TWICE)
        warn(
            f"Use of {name}_ on expanded tensors is deprecated. Please clone() the tensor before performing this "
            f"operation. This also applies to advanced indexing e.g. tensor[{OUTDATED[name]}"
        )
    if name in READ_FIRST:
        return
    for other in each(read_meanwhile(name, tuple(operands))):
        if isinstance(other, Tensor) and overlap(target, other, name in APART):
            raise RuntimeError(READ_AND_WRITTEN)


def read_meanwhile(name: str, operands: tuple[Any, ...]) -> tuple[Any, ...]:
    """The operands that are read while `name` writes: a number that fills places was read before."""
    if name == "index_fill":
        return operands[:2]
    if name == "index_put" and not any(operands[2:]):
        indices, values = operands[:2]
        if by_mask([None if i is None else i.data_ for i in indices], values.data_):
            return (indices,)
    return operands


def by_mask(indices: list[Array | None], values: Array) -> bool:
    """Whether one number is put wherever one mask says so: torch fills then, and brings it to the dtype it meets."""
    given = [index for index in indices if index is not None]
    return np.size(values) == 1 and len(given) == 1 and given[0].dtype.kind == "b"


def each(operands: Iterable[Any]) -> Iterator[Any]:
    """The operands, those in a list one by one: the indices of a place among them."""
    for operand in operands:
        if isinstance(operand, tuple | list):
            yield from operand
        else:
            yield operand


def refuse_repeats(data: Array) -> None:
    """Refuse to write `data` element by element where some of them lie in one place."""
    if repeats(data):
        raise RuntimeError(WRITTEN_TWICE)


def repeats(data: Array) -> bool:
    """Whether a dimension was expanded, so that elements of `data` lie in one place. (Of no elements none do.)"""
    strides = getattr(data, "strides", ())
    return (
        0 in strides
        and data.size > 0
        and any(step == 0 and size > 1 for step, size in zip(strides, data.shape, strict=True))
    )


def overlap(target: Tensor, other: Tensor, whole: bool) -> bool:
    """Whether two tensors share a part of their memory or, if `whole` counts too, all of it.

    Torch looks at tensors without gaps alone: of others it is too hard to tell.
    """
    if other is target:
        return whole
    if target.storage_ is None or other.storage_ is None:
        return False
    one, two = target.data_, other.data_
    if not (one.size and two.size and dense(one) and dense(two)):
        return False
    begins, starts = address(one), address(two)
    ends, stops = begins + one.size * one.itemsize, starts + two.size * two.itemsize
    if (begins, ends) == (starts, stops):
        return whole or bool(one.strides != two.strides)
    return bool(begins < stops and starts < ends)


def dense(data: Array) -> bool:
    """Whether the elements of `data` fill a stretch of memory, in whatever order, each once."""
    expected = data.itemsize
    dims = [(step, size) for step, size in zip(data.strides, data.shape, strict=True) if size != 1]
    for step, size in sorted(dims):
        if step != expected:
            return False
        expected *= size
    return True


def address(data: Array) -> int:
    found: int = np.asarray(data).__array_interface__["data"][0]
    return found
