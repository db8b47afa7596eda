"""Indices as numpy takes them, checked in torch's words, and how what they find lies in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import errors
from ..strides import Steps, iterated_steps, of_rows
from ..tensor import Array

Places = Sequence[Any]


def places(indices: Places, shape: Sequence[int]) -> tuple[Any, ...]:
    """The indices as numpy takes them: None stands for a whole dimension; checked in torch's words.

    Torch brings the dimensions that are indexed to the front, and numbers them there.
    """
    at: list[Any] = []
    axis = number = 0
    count = sum(index is None or np.asarray(index).dtype.kind != "b" or np.ndim(index) > 0 for index in indices)
    if count > len(shape):
        raise IndexError(f"too many indices for tensor of dimension {len(shape)} (got {count})")
    for index in indices:
        if index is None:
            at.append(slice(None))
            axis += 1
            continue
        data = np.asarray(index)
        if data.dtype.kind == "b":
            for k, n in enumerate(data.shape):
                if axis + k >= len(shape) or shape[axis + k] != n:
                    raise IndexError(
                        f"The shape of the mask {errors.sizes(data.shape)} at index {k} does not match the shape of "
                        "the indexed "
                        f"tensor {errors.sizes(shape)} at index {axis + k}"
                    )
            at.extend(np.nonzero(data))
            axis += data.ndim
            number += data.ndim
            continue
        size = shape[axis]
        wrong = data[(data >= size) | (data < -size)] if data.size else data
        if data.size and not size:
            raise IndexError("index is out of bounds for dimension with size 0")
        if wrong.size:
            raise IndexError(f"index {int(wrong.flat[0])} is out of bounds for dimension {number} with size {size}")
        at.append(data)
        axis += 1
        number += 1
    return tuple(at)


def together(at: tuple[Any, ...]) -> tuple[Any, ...]:
    """The indices `at`, if they broadcast.

    Raises:
        IndexError: they do not.
    """
    shapes = [index.shape for index in at if not isinstance(index, slice)]
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        shown = ", ".join(map(errors.sizes, shapes))
        raise IndexError(
            f"shape mismatch: indexing tensors could not be broadcast together with shapes {shown}"
        ) from None
    return at


def steps_found(self: Array, at: tuple[Any, ...], shape: Sequence[int]) -> Steps:
    """The strides of what indices find in `self`: torch goes over it and the indices element by element."""
    indexed = [axis for axis, index in enumerate(at) if not isinstance(index, slice)]
    rank = len(shape) - (self.ndim - len(indexed))
    first = indexed[0] if indexed[-1] - indexed[0] < len(indexed) else 0
    rest = np.moveaxis(self, indexed, range(len(indexed)))[(0,) * len(indexed)] if self.size else None
    if rest is None:
        return of_rows(shape)
    source = rest[(slice(None),) * first + (None,) * rank]
    after = self.ndim - len(indexed) - first
    wide = [np.reshape(at[axis], (*at[axis].shape, *(1,) * after)) for axis in indexed]
    return iterated_steps(shape, [source, *wide])
