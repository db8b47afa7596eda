"""Functions that take parts of a tensor, or write parts into a copy: splits, differences, slices, places.

What torch composes of several operators is composed of the same ones here, so that the graph is the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import errors
from ..inplace import in_place
from ..ops import binary, join, scatter_gather
from ..ops import view as view_ops
from ..ops._common import wrap
from ..ops.unary import copy
from ..state import ask_room
from ..tensor import Tensor, plain


def tensor_split(input: Tensor, indices_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Parts of nearly equal length, or those between the given places."""
    if input.data_.ndim == 0:
        raise RuntimeError("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")
    at = wrap(dim, input.data_.ndim)
    length = input.data_.shape[at]
    if isinstance(indices_or_sections, Tensor):
        indices_or_sections = named_places(indices_or_sections)
    if isinstance(indices_or_sections, int):
        sections = indices_or_sections
        if sections <= 0:
            raise RuntimeError(f"number of sections must be larger than 0, got {sections}")
        small, more = divmod(length, sections)
        ask_room(3 * sections)
        ends = [min(k, more) + k * small for k in range(1, sections + 1)]
    else:
        ends = [*indices_or_sections, length]
    starts = [0, *ends[:-1]]
    return tuple(view_ops.slice_(input, at, *clipped(a, b, length), 1) for a, b in zip(starts, ends, strict=True))


def named_places(given: Tensor) -> Any:
    """What a tensor says of how to split: how many parts, or where they end.

    Raises:
        RuntimeError: it holds other than whole numbers, or has more than one dimension.
    """
    if given.data_.dtype != np.int64:
        kind = kind_of(given)
        raise RuntimeError(f"tensor_split expected tensor_indices_or_sections to have dtype of long, but got {kind}")
    if given.data_.ndim > 1:
        raise RuntimeError(
            "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or one-dimensional tensor, but "
            f"got a tensor with {given.data_.ndim} dims"
        )
    return given.tolist()


def clipped(start: int, end: int, length: int) -> tuple[int, int]:
    """The bounds of a slice as torch keeps them: counted from the front, within the length, in order."""
    low = min(max(start + length if start < 0 else start, 0), length)
    high = min(max(end + length if end < 0 else end, low), length)
    return low, high


def hsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    if input.data_.ndim < 1:
        raise RuntimeError(
            "torch.hsplit requires a tensor with at least 1 dimension, but got a tensor with 0 dimensions!"
        )
    at = 0 if input.data_.ndim == 1 else 1
    return tensor_split(input, divided("hsplit", input, indices_or_sections, at), at)


def dsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    if input.data_.ndim < 3:
        raise RuntimeError(
            "torch.dsplit requires a tensor with at least 3 dimension, but got a tensor with "
            f"{input.data_.ndim} dimensions!"
        )
    return tensor_split(input, divided("dsplit", input, indices_or_sections, 2), 2)


def divided(name: str, input: Tensor, sections: Any, at: int) -> Any:
    """`sections`, if a number of them divides the length."""
    length = input.data_.shape[at]
    if isinstance(sections, int) and sections and length % sections == 0:
        return sections  # tensor_split refuses those below zero
    if isinstance(sections, int):
        raise RuntimeError(
            f"torch.{name} attempted to split along dimension {at}, but the size of the dimension {length} is not "
            f"divisible by the split_size {sections}!"
        )
    return sections


def vsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    if input.data_.ndim < 2:
        raise RuntimeError(
            "torch.vsplit requires a tensor with at least 2 dimension, but got a tensor with "
            f"{input.data_.ndim} dimensions!"
        )
    return tensor_split(input, divided("vsplit", input, indices_or_sections, 0), 0)


def diff(
    input: Tensor, n: int = 1, dim: int = -1, prepend: Tensor | None = None, append: Tensor | None = None
) -> Tensor:
    """The differences of neighbours along `dim`, taken `n` times."""
    if input.data_.ndim == 0:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    parts = [t for t in (prepend, input, append) if t is not None]
    if any(t.data_.ndim != input.data_.ndim for t in parts):
        raise RuntimeError("diff expects prepend or append to be the same dimension as input")
    along = wrap(dim, input.data_.ndim)
    for other in (prepend, append):
        for at, (size, given) in enumerate(zip(input.shape, () if other is None else other.shape, strict=False)):
            if at != along and size != given:
                raise RuntimeError(
                    "diff expects the shape of tensor to prepend or append to match that of input except along the "
                    f"differencing dimension; input.size({at}) = {size}, but got tensor.size({at}) = {given}"
                )
    result = join.cat(parts, dim) if len(parts) > 1 else input
    if n == 0:
        return in_place(copy, plain(np.zeros_like(result.data_)), result)
    at = wrap(dim, input.data_.ndim)
    for _ in range(min(n, result.data_.shape[at])):
        length = result.data_.shape[at]
        earlier = view_ops.slice_(result, dim, 0, length - 1, 1)  # torch makes it first
        later = view_ops.slice_(result, dim, 1, length, 1)
        result = binary.bitwise_xor(later, earlier) if input.data_.dtype.kind == "b" else binary.sub(later, earlier)
    return result


def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    """The elements that `indices` names along `dim`, of all in a row without it."""
    if dim is None:
        flat = view_ops.reshape(input, [input.data_.size])
        return scatter_gather.gather(flat, 0, view_ops.reshape(indices, [indices.data_.size]))
    if input.data_.ndim != indices.data_.ndim:
        raise RuntimeError(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, but got "
            f"{input.data_.ndim} dimensions for input, and {indices.data_.ndim} dimensions for indices"
        )
    if indices.data_.dtype != np.int64:
        raise RuntimeError("torch.take_along_dim(): dtype of indices should be Long but got " + kind_of(indices))
    at = wrap(dim, input.data_.ndim)
    mine, theirs = list(input.data_.shape), list(indices.data_.shape)
    others = [tuple(sizes[:at] + [1] + sizes[at + 1 :]) for sizes in (mine, theirs)]
    apart = errors.broadcast([tuple(mine), others[1]])
    if apart is not None:
        raise RuntimeError(apart)
    shape = list(np.broadcast_shapes(*others))
    wide = view_ops.expand(input, [*shape[:at], mine[at], *shape[at + 1 :]])
    return scatter_gather.gather(wide, at, view_ops.expand(indices, [*shape[:at], theirs[at], *shape[at + 1 :]]))


def kind_of(tensor: Tensor) -> str:
    return errors.type_name(tensor.data_.dtype)


def select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    return scatter_gather.select_scatter(input, src, dim, index)


def slice_scatter(
    input: Tensor, src: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Tensor:
    return scatter_gather.slice_scatter(input, src, dim, start, end, step)


def diagonal_scatter(input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    return scatter_gather.diagonal_scatter(input, src, offset, dim1, dim2)


def index_reduce(
    input: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """Slices of `source` that meet those of `input` at an index: their product, mean or extreme."""
    return scatter_gather.index_reduce(input, dim, index, source, reduce, include_self)


def scatter_reduce(
    input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    return scatter_gather.scatter_reduce(input, dim, index, src, reduce, include_self)
