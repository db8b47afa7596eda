"""Which dtype several operands come to: tensors with dims before 0-d ones before Python numbers, as in torch."""

from __future__ import annotations

from typing import Any

import numpy as np

from .dtypes import get_default_dtype, to_numpy
from .tensor import Array, Tensor

KINDS = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}


def is_wrapped(tensor: Tensor) -> bool:
    return tensor.meta is not None and tensor.meta.wrapped


def result_dtype(tensors: tuple[Tensor, ...]) -> np.dtype[Any]:
    """The dtype that an operation over `tensors` computes in."""
    ranked: dict[int, np.dtype[Any]] = {}
    for tensor in tensors:
        rank = 2 if is_wrapped(tensor) else 1 if tensor.data_.shape == () else 0
        dtype = tensor.data_.dtype
        if rank == 2 and dtype.kind == "f":
            dtype = to_numpy(get_default_dtype())
        ranked[rank] = dtype if rank not in ranked else join(ranked[rank], dtype)
    result: np.dtype[Any] | None = None
    for rank in sorted(ranked):
        dtype = ranked[rank]
        if result is None:
            result = dtype
        elif KINDS[dtype.kind] > KINDS[result.kind]:
            result = join(result, dtype)
    assert result is not None
    return result


def join(a: np.dtype[Any], b: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of two tensors of one rank; an integer and a float give the float."""
    if a == b:
        return a
    if a.kind == "f" and b.kind != "f":
        return a
    if b.kind == "f" and a.kind != "f":
        return b
    return np.promote_types(a, b)


def common(tensors: tuple[Tensor, ...], floating: bool) -> tuple[Array, ...]:
    """The arrays of `tensors` brought to one dtype; with `floating`, integers become the default float."""
    first = tensors[0].data_.dtype
    target = (
        first
        if all(t.data_.dtype == first for t in tensors) and not any(map(is_wrapped, tensors))
        else result_dtype(tensors)
    )
    if floating and target.kind != "f":
        target = to_numpy(get_default_dtype())
    return tuple(t.data_ if t.data_.dtype == target else t.data_.astype(target) for t in tensors)
