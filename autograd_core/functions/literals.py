"""Arrays of what a program writes down as data: numbers, nested sequences of them, arrays and tensors."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import dtypes
from ..tensor import Tensor
from ..unsupported import Unsupported
from ..warned import warn_once

LIST_OF_ARRAYS = (
    "Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider converting the list to a "
    "single numpy.ndarray with numpy.array() before converting to a tensor."
)

BACKWARD = (
    "At least one stride in the given numpy array is negative, and tensors with negative strides are not currently "
    "supported. (You can probably work around this by making a copy of your array  with array.copy().) "
)

MOST = 128
"""As many dimensions torch reads; a list that holds itself has more."""


def from_data(data: Any, dtype: Any) -> np.ndarray[Any, Any]:
    """`data` as an array of the dtype asked for, or of the one that torch infers."""
    if isinstance(data, Tensor):
        array = np.asarray(data.data_)
    elif isinstance(data, np.ndarray | np.generic):
        array = np.asarray(data)
        need_forward(array)
        dtypes.from_numpy(array.dtype)
    else:
        return from_sequence(data, None if dtype is None else dtypes.to_numpy(dtype))
    return array if dtype is None else array.astype(dtypes.to_numpy(dtype))


def need_forward(array: np.ndarray[Any, Any]) -> None:
    """Whether each stride of `array` goes forward, as those of tensors do.

    Raises:
        ValueError: one goes backward.
    """
    if any(stride < 0 for stride in array.strides):
        raise ValueError(BACKWARD)


def from_sequence(data: Any, wanted: np.dtype[Any] | None = None) -> np.ndarray[Any, Any]:
    shape = shape_of(data)
    flat: list[Any] = []
    flatten_into(flat, data, shape, 0, wanted)
    kind = wanted or inferred_dtype(flat)
    if kind.kind in "iu":
        flat = [whole(value, kind) for value in flat]
    return np.array(flat, kind).reshape(shape) if shape else np.array(flat[0], kind)


def whole(value: Any, kind: np.dtype[Any]) -> int:
    """`value` without its fraction.

    Raises:
        ValueError: not even 64 bits hold it.
        RuntimeError: `kind` does not hold it.
    """
    if isinstance(value, float | np.floating) and not isinstance(value, int):
        return int(dtypes.fitting(float(value), kind, kind.name))
    number = int(value)
    if not -(2**63) <= number < 2**63:
        raise ValueError("Overflow when unpacking long long")
    limits = np.iinfo(kind)
    if not limits.min - (limits.max + 1 if kind.kind == "u" else 0) <= number <= limits.max:
        raise RuntimeError(f"value cannot be converted to type {kind.name} without overflow")
    return number % 256 if kind.kind == "u" else number


def is_sequence(data: Any) -> bool:
    return isinstance(data, list | tuple | range | deque) or (isinstance(data, np.ndarray) and data.ndim > 0)


def shape_of(data: Any) -> tuple[int, ...]:
    """The shape of nested sequences, read along their first elements."""
    shape: list[int] = []
    while is_sequence(data):
        shape.append(len(data))
        if len(shape) > MOST:
            raise ValueError(f"too many dimensions '{type(data).__name__}'")
        if len(data) == 0:
            break
        data = data[0]
    if shape and isinstance(data, str):  # torch takes it for one more sequence
        raise ValueError("too many dimensions 'str'")
    return tuple(shape)


def flatten_into(flat: list[Any], data: Any, shape: tuple[int, ...], depth: int, wanted: np.dtype[Any] | None) -> None:
    """Append the numbers of `data` to `flat`, which are to become `wanted`.

    Raises:
        ValueError: the sequences are ragged.
        TypeError: something in it is no number.
    """
    if depth == len(shape):
        flat.append(as_number(data, depth, wanted))
        return
    if not is_sequence(data):
        raise TypeError(f"not a sequence at dim {depth}")
    if len(data) != shape[depth]:
        raise ValueError(f"expected sequence of length {shape[depth]} at dim {depth} (got {len(data)})")
    for part in data:
        if isinstance(part, np.ndarray) and not isinstance(data, np.ndarray):
            warn_once("list of arrays", LIST_OF_ARRAYS)
        flatten_into(flat, part, shape, depth + 1, wanted)


def as_number(value: Any, depth: int, wanted: np.dtype[Any] | None) -> Any:
    if isinstance(value, Tensor):
        if value.data_.size != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        if value.requires_grad:
            from ..methods.conversion import warn_scalar

            warn_scalar()
        return np.asarray(value.data_).reshape(())[()]
    if isinstance(value, np.generic | bool | int | float):
        return value
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return value[()]
    if wanted is not None and (depth or not isinstance(value, str)):
        kind = type(value).__name__
        if wanted.kind == "f":
            raise TypeError(f"must be real number, not {kind}")
        raise TypeError(f"'{kind}' object cannot be interpreted as an integer")
    if isinstance(value, complex):
        raise Unsupported("complex numbers are not supported: keep real and imaginary parts in two tensors")
    if depth == 0:
        if value is None:
            raise RuntimeError("Could not infer dtype of NoneType")
        if not isinstance(value, str):
            raise RuntimeError(f"Could not infer dtype of {type(value).__name__}")
        raise TypeError("new(): invalid data type 'str'")
    if isinstance(value, str):
        raise TypeError("new(): invalid data type 'str'")
    if is_sequence(value):
        raise TypeError(f"'{type(value).__name__}' object cannot be interpreted as an integer")
    raise RuntimeError(f"Could not infer dtype of {type(value).__name__}")


def inferred_dtype(flat: Sequence[Any]) -> np.dtype[Any]:
    """bool < int64 < the default float; numpy scalars and tensors bring their own."""
    if not flat:
        return dtypes.to_numpy(dtypes.get_default_dtype())
    kinds = {type(value) for value in flat}
    found = None
    for kind in kinds:
        own = np.dtype(kind) if issubclass(kind, np.generic) else dtypes.to_numpy(dtypes.of_number(kind()))
        found = (
            own
            if found is None
            else dtypes.to_numpy(dtypes.promote_types(dtypes.from_numpy(found), dtypes.from_numpy(own)))
        )
    assert found is not None
    return found
