"""Functions that arrange elements: stacks, grids, repetitions and turns.

What torch composes of several operators is composed of the same ones here, so that the graph is the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import errors
from ..ops import join
from ..ops import view as view_ops
from ..ops._common import refuse, wrap
from ..ops.indexing import index_select
from ..state import ask_room
from ..tensor import Tensor, plain
from ..warned import warn_once
from .choices import sizes_of

# ---- stacks


def check_tensors(given: Sequence[Any]) -> None:
    """Whether all that was given are tensors.

    Raises:
        TypeError: one is not.
    """
    for at, t in enumerate(given):
        if not isinstance(t, Tensor):
            raise TypeError(f"expected Tensor as element {at} in argument 0, but got {type(t).__name__}")


def tensor_list(function: str, tensors: Any) -> list[Tensor]:
    if not isinstance(tensors, list | tuple):
        raise TypeError(errors.not_a_tensor_list(function, tensors))
    if not tensors:
        raise RuntimeError(f"{function} expects a non-empty TensorList")
    return list(tensors)


def each(name: str, function: Any) -> Any:
    """`atleast_1d(a)`, `atleast_1d(a, b)` and `atleast_1d([a, b])` from the function of one tensor."""

    def over(*tensors: Any) -> Any:
        if len(tensors) == 1 and isinstance(tensors[0], Tensor):
            return function(tensors[0])
        given = tensors[0] if len(tensors) == 1 else tensors
        if not isinstance(given, list | tuple):
            raise TypeError(NOT_TENSORS.format(name, type(given).__name__))
        check_tensors(given)
        return tuple(function(t) for t in given)

    over.__name__ = over.__qualname__ = name
    return over


NOT_TENSORS = (
    "{0}() received an invalid combination of arguments - got ({1}), but expected one of:\n * (Tensor input)\n"
    "      didn't match because some of the arguments have invalid types: (!{1}!)\n * (tuple of Tensors tensors)\n"
    "      didn't match because some of the arguments have invalid types: (!{1}!)\n"
)


def one_dimension(tensor: Tensor) -> Tensor:
    return view_ops.reshape(tensor, [1]) if tensor.data_.ndim == 0 else tensor


def two_dimensions(tensor: Tensor) -> Tensor:
    if tensor.data_.ndim == 0:
        return view_ops.reshape(tensor, [1, 1])
    return view_ops.unsqueeze(tensor, 0) if tensor.data_.ndim == 1 else tensor


def three_dimensions(tensor: Tensor) -> Tensor:
    if tensor.data_.ndim == 0:
        return view_ops.reshape(tensor, [1, 1, 1])
    if tensor.data_.ndim == 1:
        return view_ops.unsqueeze(view_ops.unsqueeze(tensor, 0), -1)
    return view_ops.unsqueeze(tensor, -1) if tensor.data_.ndim == 2 else tensor


atleast_1d = each("atleast_1d", one_dimension)
atleast_2d = each("atleast_2d", two_dimensions)
atleast_3d = each("atleast_3d", three_dimensions)


def hstack(tensors: Sequence[Tensor]) -> Tensor:
    rows = [one_dimension(t) for t in tensor_list("hstack", tensors)]
    return join.cat(rows, 0 if rows[0].data_.ndim == 1 else 1)


def vstack(tensors: Sequence[Tensor]) -> Tensor:
    return join.cat([two_dimensions(t) for t in tensor_list("vstack", tensors)], 0)


def dstack(tensors: Sequence[Tensor]) -> Tensor:
    return join.cat([three_dimensions(t) for t in tensor_list("dstack", tensors)], 2)


def column_stack(tensors: Sequence[Tensor]) -> Tensor:
    columns = tensor_list("column_stack", tensors)
    return hstack([view_ops.reshape(t, [t.data_.size, 1]) if t.data_.ndim <= 1 else t for t in columns])


def block_diag(*tensors: Tensor) -> Tensor:
    return join.block_diag(list(tensors))


# ---- grids


def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    """The coordinates of a grid, one tensor for each axis."""
    given = list(tensors[0]) if len(tensors) == 1 and isinstance(tensors[0], list | tuple) else list(tensors)
    check_tensors(given)
    if indexing is None:
        warn_of_indexing()
    elif not isinstance(indexing, str):
        raise TypeError(f"meshgrid(): argument 'indexing' must be str, not {type(indexing).__name__}")
    elif indexing not in ("ij", "xy"):
        raise RuntimeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    if not given:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    if any(t.data_.dtype != given[0].data_.dtype for t in given):
        raise RuntimeError("meshgrid expects all tensors to have the same dtype")
    for t in given:
        if t.data_.ndim > 1:
            raise RuntimeError(f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {t!r}")
    swap = indexing == "xy" and len(given) >= 2
    if swap:
        given[:2] = given[1::-1]
    shape = [t.data_.size for t in given]
    grids = []
    for at, t in enumerate(given):
        line = view_ops.view(t, [-1 if d == at else 1 for d in range(len(given))])
        grids.append(view_ops.expand(line, shape))
    if swap:
        grids[:2] = grids[1::-1]
    return tuple(grids)


def warn_of_indexing() -> None:
    text = "torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument."
    warn_once("meshgrid", text, of_caller=False)


def cartesian_prod(*tensors: Tensor) -> Tensor:
    """Every combination of one element of each."""
    given = list(tensors[0]) if len(tensors) == 1 and isinstance(tensors[0], list | tuple) else list(tensors)
    for at, t in enumerate(given):
        if not isinstance(t, Tensor):
            raise TypeError(f"expected Tensor as element {at} in argument 0, but got {type(t).__name__}")
        if t.data_.ndim != 1:
            raise RuntimeError(f"Expect a 1D vector, but got shape {errors.sizes(t.data_.shape)}")
    if len(given) == 1:
        return given[0]
    return join.stack([view_ops.reshape(grid, [grid.data_.size]) for grid in meshgrid(*given, indexing="ij")], 1)


# ---- repetitions and turns


def broadcast_to(input: Tensor, *size: Any) -> Tensor:
    return view_ops.expand(input, sizes_of(size))


def broadcast_tensors(*tensors: Tensor) -> tuple[Tensor, ...]:
    check_tensors(tensors)
    shapes = [t.data_.shape for t in tensors]
    text = errors.broadcast(shapes)
    if text is not None:
        raise RuntimeError(text)
    shape = list(np.broadcast_shapes(*shapes))
    return tuple(t if list(t.data_.shape) == shape else view_ops.expand(t, shape) for t in tensors)


def repeat_interleave(
    input: Tensor, repeats: Any = None, dim: int | None = None, *, output_size: int | None = None
) -> Tensor:
    """Each element, or each slice along `dim`, `repeats` times."""
    if repeats is None and input.data_.ndim != 1:
        raise RuntimeError("repeat_interleave only accept 1D vector as repeat")
    if repeats is None:
        counts = counts_of(input)
        ask_room(int(np.sum(counts)))
        return plain(np.repeat(np.arange(input.data_.size, dtype=input.data_.dtype), counts))
    if dim is None:
        input = input if input.data_.ndim == 1 else view_ops.reshape(input, [input.data_.size])
    at = wrap(dim or 0, input.data_.ndim)
    if isinstance(repeats, Tensor):
        return repeated_each(input, repeats, at)
    if repeats < 0:
        raise RuntimeError("Repeats must be non-negative")
    shape = list(input.data_.shape)
    wide = view_ops.expand(view_ops.unsqueeze(input, at + 1), [*shape[: at + 1], repeats, *shape[at + 1 :]])
    shape[at] *= repeats
    return view_ops.reshape(join.clone(wide, True), shape)


def counts_of(repeats: Tensor) -> Any:
    """The numbers of times in `repeats`.

    Raises:
        RuntimeError, NotImplementedError: they are no whole numbers of 32 or 64 bits from 0 on.
    """
    if repeats.data_.dtype not in (np.int64, np.int32):
        refuse("repeat_interleave_cpu", "biuf", repeats.data_)
    if np.any(repeats.data_ < 0):
        raise RuntimeError("repeats can not be negative")
    return repeats.data_


def repeated_each(input: Tensor, repeats: Tensor, at: int) -> Tensor:
    counts = np.asarray(repeats.data_)
    if counts.ndim > 1:
        raise RuntimeError("repeats must be 0-dim or 1-dim tensor")
    length = input.data_.shape[at]
    if counts.size not in (1, length):
        raise RuntimeError(
            "repeats must have the same size as input along dim, but got repeats.size(0) = "
            f"{counts.size} and input.size({at}) = {length}"
        )
    each = np.broadcast_to(counts_of(repeats).ravel(), (length,))
    ask_room(int(np.sum(each)))
    places = np.repeat(np.arange(length), each)
    return index_select(input, at, plain(places))


def rot90(input: Tensor, k: int = 1, dims: Sequence[int] = (0, 1)) -> Tensor:
    return join.rot90(input, k, list(dims))


def fliplr(input: Tensor) -> Tensor:
    if input.data_.ndim < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return join.flip(input, [1])


def flipud(input: Tensor) -> Tensor:
    if input.data_.ndim < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return join.flip(input, [0])
