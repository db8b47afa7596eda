"""torch.reshape, torch.cat and the like: what programs call, where it chooses among operators of the table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import dtypes, errors
from ..ops import join
from ..ops import view as view_ops
from ..ops._common import wrap
from ..signatures.guarding import guarded
from ..strides import PRESERVED, lies_in
from ..tensor import Tensor, sharing
from ..transforms.batch import Batch
from .choices import dims, numpy_dtype, sizes_of

NOT_A_VIEW = (
    "view() received an invalid combination of arguments - got ({0}), but expected one of:\n * (torch.dtype dtype)\n"
    "      didn't match because some of the arguments have invalid types: (!{0}!)\n * (tuple of ints size)\n"
    "      didn't match because some of the arguments have invalid types: (!{0}!)\n"
)


def reshape(input: Tensor, *shape: Any) -> Tensor:
    return view_ops.reshape(input, sizes_of(shape, "reshape", "shape"))


def view(input: Tensor, *shape: Any, dtype: Any = None) -> Tensor:
    if dtype is not None or (len(shape) == 1 and dtypes.is_dtype(shape[0])):
        return view_dtype(input, numpy_dtype(dtype if dtype is not None else shape[0]))
    if len(shape) == 1 and not isinstance(shape[0], int | tuple | list | Tensor):
        raise TypeError(NOT_A_VIEW.format(type(shape[0]).__name__))
    return view_ops.view(input, sizes_of(shape, "view"))


def view_dtype(input: Tensor, kind: np.dtype[Any]) -> Tensor:
    """The same memory read as elements of another type, outside the graph."""
    data = input.array()
    old, new = data.dtype.itemsize, kind.itemsize
    if old != new:
        names = errors.type_name(data.dtype), errors.type_name(kind)
        why = f"to view {names[0]} as {names[1]} (different element sizes)"
        if data.ndim == 0:
            raise RuntimeError(f"self.dim() cannot be 0 {why}")
        if data.strides[-1] != old:
            raise RuntimeError(f"self.stride(-1) must be 1 {why}, but got {data.strides[-1] // old}")
        if new > old and data.shape[-1] * old % new:
            raise RuntimeError(f"self.size(-1) must be divisible by {new // old} {why}, but got {data.shape[-1]}")
        offset = input.storage_offset()
        if new > old and offset % (new // old):
            raise RuntimeError(f"self.storage_offset() must be divisible by {new // old} {why}, but got {offset}")
        steps = [step // old for step in data.strides[:-1]] if new > old else []
        if (odd := next((d for d, step in enumerate(steps) if step % (new // old)), None)) is not None:
            raise RuntimeError(f"self.stride({odd}) must be divisible by {new // old} {why}, but got {steps[odd]}")
    return sharing(input, data.view(kind), input.shared_storage())


def view_as(input: Tensor, other: Tensor) -> Tensor:
    return view_ops.view(input, list(other.data_.shape))


def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    old = list(input.data_.shape)
    start, end = wrap(start_dim, len(old)), wrap(end_dim, len(old))
    if not old:
        return view_ops.reshape(input, [1])
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if start == end:
        return input
    return view_ops.reshape(input, [*old[:start], math.prod(old[start : end + 1]), *old[end + 1 :]])


def unflatten(input: Tensor, dim: int, sizes: Sequence[int]) -> Tensor:
    old = list(input.data_.shape)
    at, inner = wrap(dim, len(old)), list(sizes)
    if not old:
        raise RuntimeError(
            f"unflatten got an unexpected error:\nDimension specified as {dim} but tensor has no dimensions"
        )
    known = math.prod(n for n in inner if n != -1)
    if old[at] != known if -1 not in inner else known == 0 or old[at] % known:
        text = f"unflatten: Provided sizes {inner} don't multiply up to the size of dim {at} ({old[at]})"
        raise RuntimeError(f"{text} in the input tensor")
    inner = list(view_ops.inferred(inner, old[at]))
    return view_ops.view(input, [*old[:at], *inner, *old[at + 1 :]])


def ravel(input: Tensor) -> Tensor:
    return view_ops.view(contiguous(input), [-1])


def permute(input: Tensor, *order: Any) -> Tensor:
    return view_ops.permute(input, sizes_of(order, "permute", "dims"))


def movedim(input: Tensor, source: Any, destination: Any) -> Tensor:
    n = input.data_.ndim
    given = list(dims(source) or []), list(dims(destination) or [])
    if len(given[0]) != len(given[1]):
        raise RuntimeError(
            f"movedim: Invalid source or destination dims: source ({given[0]} dims) should contain the same number of "
            f"dims as destination ({given[1]} dims)"
        )
    sources, targets = ([wrap(d, n) for d in each] for each in given)
    for name, each, wrapped in (("source", given[0], sources), ("destination", given[1], targets)):
        if len(set(wrapped)) != len(wrapped):
            raise RuntimeError(f"movedim: repeated dim in `{name}` ({each})")
    if not n:
        return view_ops.alias(input)
    rest = iter(d for d in range(n) if d not in sources)
    return view_ops.permute(input, [sources[targets.index(d)] if d in targets else next(rest) for d in range(n)])


def expand(input: Tensor, *size: Any) -> Tensor:
    return view_ops.expand(input, sizes_of(size, "expand", "size"))


def expand_as(input: Tensor, other: Tensor) -> Tensor:
    return view_ops.expand(input, list(other.data_.shape))


def squeeze(input: Tensor, dim: Any = None) -> Tensor:
    if dim is None:
        return view_ops.squeeze(input)
    return view_ops.squeeze_dim(input, dim) if isinstance(dim, int) else view_ops.squeeze_dims(input, list(dim))


def repeat(input: Tensor, *repeats: Any) -> Tensor:
    return join.repeat(input, sizes_of(repeats, "repeat", "repeats"))


def tile(input: Tensor, *repeats: Any) -> Tensor:
    times = sizes_of(repeats, "tile", "dims")
    return join.repeat(input, [1] * (input.data_.ndim - len(times)) + times)


def flip(input: Tensor, *order: Any) -> Tensor:
    return join.flip(input, sizes_of(order, "flip", "dims"))


def roll(input: Tensor, shifts: Any, dims: Any = ()) -> Tensor:
    one = isinstance(shifts, int)
    at = [dims] if isinstance(dims, int) else list(dims or ())
    return join.roll(input, [shifts] if one else list(shifts), at)


def split(input: Tensor, split_size_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    divisible(input)
    size = split_size_or_sections
    if isinstance(size, Tensor) and size.data_.size == 1:
        size = int(size.data_.item())
    found: tuple[Tensor, ...] = (SPLIT if isinstance(size, int) else SPLIT_WITH_SIZES)(input, size, dim)
    return found


def split_evenly(input: Tensor, split_size: int, dim: int = 0) -> tuple[Tensor, ...]:
    return tuple(join.split(input, split_size, dim))


def split_with_sizes(input: Tensor, split_sizes: Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
    divisible(input)
    return tuple(join.split_with_sizes(input, list(split_sizes), dim))


def divisible(tensor: Tensor) -> None:
    """Whether there is a dimension along which to split.

    Raises:
        RuntimeError: there is none.
    """
    if not tensor.data_.ndim:
        raise RuntimeError("split expects at least a 1-dimensional tensor")


SPLIT: Any = guarded("torch", "_split", split_evenly)
SPLIT_WITH_SIZES: Any = guarded("torch", "split_with_sizes", split_with_sizes)


def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    length = chunk_size(input, chunks, dim)
    if not input.data_.shape[dim]:
        return tuple(join.split_with_sizes(input, [0] * chunks, dim))
    return tuple(join.split(input, length, dim))


def chunk_size(input: Tensor, chunks: int, dim: int) -> int:
    """The length of each of so many chunks.

    Raises:
        RuntimeError: `input` has no dimension, or none is wanted.
    """
    if not input.data_.ndim:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    length = input.data_.shape[wrap(dim, input.data_.ndim)]
    return -(-length // chunks) or 1


def unsafe_split(tensor: Tensor, split_size: int, dim: int = 0) -> tuple[Tensor, ...]:
    divisible(tensor)
    return tuple(join.unsafe_split(tensor, split_size, dim))


def unsafe_split_with_sizes(tensor: Tensor, split_sizes: Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
    divisible(tensor)
    return tuple(join.unsafe_split_with_sizes(tensor, split_sizes, dim))


def unsafe_chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    length = chunk_size(input, chunks, dim)
    if not input.data_.shape[dim]:
        return tuple(join.unsafe_split_with_sizes(input, [0] * chunks, dim))
    return tuple(join.unsafe_split(input, length, dim))


def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    if 0 in input.data_.shape and input.data_.shape[wrap(dim, input.data_.ndim)] == 0:
        return ()
    return tuple(join.unbind(input, dim))


def narrow(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    if input.data_.ndim == 0:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if isinstance(start, Tensor) and (start.data_.ndim or start.data_.dtype.kind not in "iu"):
        raise RuntimeError("start must be an 0-dim integral Tensor.")
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    size = input.data_.shape[wrap(dim, input.data_.ndim)]
    check_start(start, size)
    start += size if start < 0 else 0
    if start > size - length:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({size}).")
    return view_ops.slice_(input, dim, start, start + length, 1)


def check_start(start: int, size: int) -> None:
    """
    Raises:
        IndexError: a part of so many elements cannot begin there.
    """
    if not -size <= start <= size:
        raise IndexError(f"start out of range (expected to be in range of [{-size}, {size}], but got {start})")


def narrow_copy(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    if not input.data_.ndim:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    check_start(start, input.data_.shape[wrap(dim, input.data_.ndim)])
    return view_ops.narrow_copy(input, dim, start, length)


def cat(tensors: Sequence[Tensor], dim: int = 0, *, axis: int | None = None) -> Tensor:
    return join.cat(tensors, dim if axis is None else axis)


def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    if input.data_.ndim not in (1, 2):
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {input.data_.ndim}D")
    return (
        view_ops.diag_embed(input, diagonal) if input.data_.ndim == 1 else view_ops.diagonal_copy(input, diagonal, 0, 1)
    )


def contiguous(input: Tensor, *, memory_format: str | None = None) -> Tensor:
    """`input` itself, if it lies in this format already; in rows, if none is named."""
    if not isinstance(input.data_, np.ndarray | Batch) or lies_in(input.data_, memory_format):
        return input
    if memory_format == PRESERVED:
        raise RuntimeError("preserve memory format is unsupported by the contiguous operator")
    return join.clone(input, True if memory_format is None else memory_format)
