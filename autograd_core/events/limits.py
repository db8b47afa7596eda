"""What a tape may hold of values and of nodes: contents that nobody can write over, and what is too large for it."""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import events
from ..graph.accumulate_grad import AccumulateGrad

if TYPE_CHECKING:
    from ..graph.node import Node, Output

LARGE = 1024
"""Results with more elements are told at once, so that a tape holds no copies of large arrays."""

SMALL = 256
"""Of larger tensors that no operator made it is told at once, and a tape's `weigh` is called with those that one made:
listeners count their bytes."""

Noted = Any
"""A value as a fact holds it: a float (of a float32), None, ((shape, dtype), bytes), or what tells of a large one."""


def freeze_value(value: Any) -> Noted:
    """`value` as a fact may hold it: nobody can write over it, and it is not the object whose holders are counted."""
    if value.__class__ is np.float32:
        return float(value)
    if value is None:
        return None
    plain = value.__class__ is np.ndarray or isinstance(value, np.generic)  # not so a hidden batch
    return ((value.shape, value.dtype), value.tobytes()) if plain and value.size <= LARGE else events.snapshot(value)


def as_seen(whole: Any, part: Any, contents: bytes) -> Noted:
    """`whole` as a fact may hold it; `contents` are those of `part`, a view of it, and may be those of all of it."""
    if whole.size == part.size and whole.flags.c_contiguous and part.flags.c_contiguous:
        return (whole.shape, whole.dtype), contents
    return freeze_value(whole)


@lru_cache(1024)
def is_oversized(outs: tuple[Output, ...]) -> bool:
    """Whether gradients of this kind are too large for facts."""
    return any(out is not None and prod(out[0]) > LARGE for out in outs)


def many_leaves(node: Node) -> bool:
    """Whether `node` hands on to three leaves or more."""
    return len(node.next) > 2 and sum(below.__class__ is AccumulateGrad for below in node.next) > 2
