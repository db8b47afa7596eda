"""Dtypes in kernels: what torch refuses once shapes are seen to fit, and what a tensor becomes beside a number."""

from __future__ import annotations

import numpy as np

from .. import errors
from ..tensor import Array, default_kind


def refuse(kernel: str, kinds: str, *operands: Array) -> None:
    """Whether `kernel` has code for the dtype of `operands`; `kinds` are numpy's kinds of those that it has none for.

    Raises:
        NotImplementedError: it has none.
        ValueError: the shapes do not broadcast.
    """
    kind = operands[0].dtype
    if kind.kind in kinds:
        np.broadcast_shapes(*(np.shape(data) for data in operands))
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{errors.type_name(kind)}'")


def beside(data: Array, number: float) -> Array:
    """`data` in the dtype that it has in a calculation with a Python number."""
    if data.dtype.kind in "biu" and isinstance(number, float):
        return data.astype(default_kind())
    return data.astype(np.int64) if data.dtype.kind == "b" and not isinstance(number, bool) else data
