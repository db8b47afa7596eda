"""Results that a program wants in places of its own: `out=`, the same way for all functions."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from .. import errors, tell
from ..overlap import refuse_overlap
from ..state import state
from ..tensor import Tensor
from .kinds import Function

SEVERAL = (tuple, list)


def written(out: Any, args: Sequence[Any], options: dict[str, Any], function: Function) -> Any:
    """The result of `function`, put into `out`: a tensor, or one for each result.

    Raises:
        RuntimeError: a gradient would be needed; a place overlaps what is read, or cannot take the result.
    """
    places = out if isinstance(out, SEVERAL) else (out,)
    inputs = [
        part for value in (*args, *options.values()) for part in (value if isinstance(value, SEVERAL) else [value])
    ]
    if state.grad_enabled and any(isinstance(t, Tensor) and t.requires_grad for t in (*inputs, *places)):
        raise RuntimeError(GRAD_WITH_OUT.format(function.__name__))
    for place in places:
        refuse_overlap(function.__name__, place, inputs)
    result = function(*args, **options)
    for place, value in zip(places, result if isinstance(result, SEVERAL) else (result,), strict=True):
        put(place, value)
        tell.written(place, f"{function.__name__}_", (value,))
    return out if not isinstance(result, SEVERAL) else type(result)(*places)


def put(place: Tensor, value: Tensor) -> None:
    """Write `value` over `place`, which takes its shape."""
    errors.check_cast(value.data_.dtype, place.data_.dtype)
    if place.data_.shape != value.data_.shape:
        if place.data_.size:
            warnings.warn(RESIZED.format(list(place.data_.shape), list(value.data_.shape)), UserWarning, stacklevel=5)
        place.resize_(value.data_.shape)  # which counts as the write
    else:
        place.bump()
    place.overwrite(value.data_)


GRAD_WITH_OUT = (
    "{}(): functions with out=... arguments don't support automatic differentiation, but one of the arguments requires "
    "grad."
)
RESIZED = (
    "An output with one or more elements was resized since it had shape {}, which does not match the required output "
    "shape {}. This behavior is deprecated, and in a future PyTorch release outputs will not be resized unless they "
    "have zero elements. You can explicitly reuse an out tensor t by resizing it, inplace, to zero elements with "
    "t.resize_(0)."
)
