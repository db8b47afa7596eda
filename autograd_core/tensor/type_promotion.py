"""Operands of several dtypes brought to the one that torch computes in (dtypes.py says which)."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import errors
from . import dtypes
from .strides import as_kind
from .tensor import Array, Tensor


def rank_operand(tensor: Tensor) -> tuple[int, dtypes.dtype]:
    """The rank and type of an operand; a wrapped number counts as the Python number that it stands for."""
    kind = dtypes.from_numpy(tensor.data_.dtype)
    if tensor.meta is not None and tensor.meta.wrapped:
        if kind.is_complex:
            return 2, dtypes.default_complex()
        return 2, dtypes.get_default_dtype() if kind.is_floating_point else kind
    return (1 if tensor.data_.shape == () else 0), kind


def common(tensors: tuple[Tensor, ...], floating: bool) -> tuple[Array, ...]:
    """The arrays of `tensors` brought to one dtype; with `floating`, integers become the default float."""
    kind = dtypes.of_ranked(map(rank_operand, tensors))
    target = dtypes.to_numpy(dtypes.floating(kind) if floating else kind)
    return tuple(t.data_ if t.data_.dtype == target else brought(t, target) for t in tensors)


def brought(tensor: Tensor, target: np.dtype[Any]) -> Array:
    """Its array in another dtype; beside bfloat16 a number stays as exact as it is."""
    if tensor.data_.ndim or target.isnative:
        return as_kind(tensor.data_, target)
    return np.asarray(tensor.data_).astype(target)


def without_bools(tensors: tuple[Tensor, ...], floating: bool) -> tuple[Array, ...]:
    """`common` for a subtraction.

    Raises:
        RuntimeError: an operand is of bools.
    """
    of_bools = [t.data_.dtype.kind == "b" for t in tensors]
    if any(of_bools):
        raise RuntimeError(errors.BOOL_SUBTRACT if all(of_bools) else errors.ONE_BOOL)
    return common(tensors, floating)


def without_whole_division(tensors: tuple[Tensor, ...], floating: bool) -> tuple[Array, ...]:
    """`common` for a tensor and two, of which one is divided by the other.

    Raises:
        RuntimeError: both of these are of whole numbers.
    """
    if all(t.data_.dtype.kind not in "fc" for t in tensors[1:]):
        raise RuntimeError(errors.WHOLE_ADDCDIV)
    return common(tensors, floating)
