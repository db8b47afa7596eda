"""Arguments that many functions take: dimensions, sizes, dtypes; and the named tuples that several return."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from typing import Any

import numpy as np

from ... import errors
from ...engine.state import state
from ...ops import unary
from ...tensor.dtypes import to_numpy
from ...tensor.strides import suggests
from ...tensor.tensor import Tensor

# ---- dimensions, sizes, dtypes


Numbers = bool | int | float


def dims(dim: Any) -> list[int] | None:
    """`dim` as the list that torch keeps, None for all."""
    if dim is None:
        return None
    return [int(dim)] if isinstance(dim, int | np.integer) else [int(d) for d in dim]


def sizes_of(args: Sequence[Any], function: str = "empty", argument: str = "size") -> list[int]:
    """The lengths in `f(2, 3)` or `f((2, 3))`.

    Raises:
        TypeError: one is no whole number.
    """
    alone = len(args) == 1
    if alone and isinstance(args[0], tuple | list):
        args, alone = args[0], False
    for place, n in enumerate(args):
        whole = isinstance(n, int | np.integer) or (isinstance(n, Tensor) and n.data_.shape == () and is_whole(n))
        if not whole or (alone and isinstance(n, bool)):
            kind = type(n).__name__
            if alone:
                raise TypeError(f"{function}(): argument '{argument}' (position 1) must be tuple of ints, not {kind}")
            raise TypeError(
                f"{function}(): argument '{argument}' failed to unpack the object at pos {place + 1} with error "
                f'"type must be tuple of ints,but got {kind}"'
            )
    return [int(n.data_) if isinstance(n, Tensor) else int(n) for n in args]


def is_whole(tensor: Tensor) -> bool:
    return tensor.data_.dtype.kind in "iu"


def cast(input: Tensor, dtype: Any, memory_format: str | None = None) -> Tensor:
    """`input` in another dtype and memory format, itself if it has these already."""
    target = input.data_.dtype if dtype is None else to_numpy(dtype)
    if input.data_.dtype == target and (memory_format is None or suggests(input.data_, memory_format)):
        return input
    return recast(input, target, memory_format)


def counted_in(input: Tensor, dtype: Any) -> Tensor:
    """`input` in the dtype that its sum, its product or the like is wanted in.

    Raises:
        RuntimeError: gradients come to `input`, and there are none in that dtype.
    """
    found = cast(input, dtype)
    if found.data_.dtype.kind not in "fc" and input.requires_grad and state.grad_enabled:
        raise RuntimeError(f"Autograd not support dtype: {errors.type_name(found.data_.dtype)}")
    return found


def recast(input: Tensor, target: np.dtype[Any], memory_format: str | None = None) -> Tensor:
    """A copy of `input` in a dtype and memory format."""
    given = () if memory_format is None else (memory_format,)
    return unary.to_copy(input, target, *given) if target.kind in "fc" else unary.to_whole(input, target, *given)


# ---- named tuples


def lacking(self: Any, name: str) -> Any:
    raise AttributeError(f"'torch.return_types.{type(self).__name__}' object has no attribute '{name}'")


def named_tuple(kind: str, fields: str) -> Any:
    """A tuple with names, shown as torch shows it."""

    def show_fields(self: Any) -> str:
        parts = ",\n".join(f"{name}={part!r}" for name, part in zip(self._fields, self, strict=True))
        return f"torch.return_types.{kind}(\n{parts})"

    base = namedtuple(kind, fields)  # type: ignore[misc]
    own = {"__slots__": (), "__repr__": show_fields, "__getattr__": lacking, "__module__": "torch.return_types"}
    return type(kind, (base,), own)
