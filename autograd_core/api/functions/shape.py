"""torch.reshape, torch.cat, torch.tensor_split and the like: what moves, joins, splits and repeats elements.

What torch composes of several operators is composed of the same ones here, so that the graph is the same.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ... import errors
from ...dispatch.inplace import in_place
from ...dispatch.schema.guard import guard
from ...dispatch.schema.schema import composite
from ...engine.state import ask_room
from ...engine.warnings import warn_once
from ...errors import Unsupported
from ...functorch.batch import Batch
from ...ops import binary, indexing, join
from ...ops import view as view_ops
from ...ops._common import refuse, wrap
from ...ops.indexing import index_select
from ...ops.unary import copy
from ...tensor import dtypes
from ...tensor.size import Size
from ...tensor.strides import PRESERVED, lies_in
from ...tensor.tensor import Tensor, plain, sharing
from .arguments import dims, sizes_of
from .creation import make_tensor
from .indexing import kind_of

# ---- shapes, parts, joins


NOT_A_VIEW = (
    "view() received an invalid combination of arguments - got ({0}), but expected one of:\n * (torch.dtype dtype)\n"
    "      didn't match because some of the arguments have invalid types: (!{0}!)\n * (tuple of ints size)\n"
    "      didn't match because some of the arguments have invalid types: (!{0}!)\n"
)


@composite("reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a): function method")
def reshape(input: Tensor, *shape: Any) -> Tensor:
    return view_ops.reshape(input, sizes_of(shape, "reshape", "shape"))


@composite("reshape_as(Tensor(a) self, Tensor other) -> Tensor(a): method")
def reshape_as(input: Tensor, other: Tensor) -> Tensor:
    return view_ops.reshape(input, list(other.data_.shape))


@composite("""
    view.dtype(Tensor(a) self, ScalarType dtype) -> Tensor(a): method
    view(Tensor(a) self, SymInt[] size) -> Tensor(a): method
    """)
def view(input: Tensor, *shape: Any, dtype: Any = None) -> Tensor:
    if dtype is not None or (len(shape) == 1 and dtypes.is_dtype(shape[0])):
        return view_dtype(input, dtypes.to_numpy(dtype if dtype is not None else shape[0]))
    if len(shape) == 1 and not isinstance(shape[0], int | tuple | list | Tensor):
        raise TypeError(NOT_A_VIEW.format(type(shape[0]).__name__))
    return view_ops.view(input, sizes_of(shape, "view"))


def view_dtype(input: Tensor, kind: np.dtype[Any]) -> Tensor:
    """The same memory read as elements of another type, outside the graph."""
    data = input.array()
    if not (data.dtype.isnative and kind.isnative):
        raise Unsupported("view of bfloat16 as another type is not supported")
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


@composite("view_as(Tensor(a) self, Tensor other) -> Tensor(a): method")
def view_as(input: Tensor, other: Tensor) -> Tensor:
    return view_ops.view(input, list(other.data_.shape))


@composite("flatten.using_ints(Tensor(a) self, int start_dim=0, int end_dim=-1) -> Tensor(a): function method")
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


@composite("unflatten.int(Tensor(a) self, int dim, SymInt[] sizes) -> Tensor(a): function")
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
    inner = list(view_ops.infer_size(inner, old[at]))
    return view_ops.view(input, [*old[:at], *inner, *old[at + 1 :]])


@composite("ravel(Tensor(a) self) -> Tensor(a): function method")
def ravel(input: Tensor) -> Tensor:
    return view_ops.view(contiguous(input), [-1])


@composite("permute(Tensor(a) self, int[] dims) -> Tensor(a): function method")
def permute(input: Tensor, *order: Any) -> Tensor:
    return view_ops.permute(input, sizes_of(order, "permute", "dims"))


@composite("""
    movedim.int(Tensor(a) self, int source, int destination) -> Tensor(a): function method
    movedim.intlist(Tensor(a) self, int[] source, int[] destination) -> Tensor(a): function method
    moveaxis.int(Tensor(a) self, int source, int destination) -> Tensor(a): function method
    moveaxis.intlist(Tensor(a) self, int[] source, int[] destination) -> Tensor(a): function method
    """)
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


@composite("expand(Tensor(a) self, SymInt[] size, *, bool implicit=False) -> Tensor(a): method")
def expand(input: Tensor, *size: Any) -> Tensor:
    return view_ops.expand(input, sizes_of(size, "expand", "size"))


@composite("expand_as(Tensor(a) self, Tensor other) -> Tensor(a): method")
def expand_as(input: Tensor, other: Tensor) -> Tensor:
    return view_ops.expand(input, list(other.data_.shape))


@composite("""
    squeeze(Tensor(a) self) -> Tensor(a): function method method_
    squeeze.dim(Tensor(a) self, int dim) -> Tensor(a): function method method_
    squeeze.dims(Tensor(a) self, int[] dim) -> Tensor(a): function method method_
    """)
def squeeze(input: Tensor, dim: Any = None) -> Tensor:
    if dim is None:
        return view_ops.squeeze(input)
    return view_ops.squeeze_dim(input, dim) if isinstance(dim, int) else view_ops.squeeze_dims(input, list(dim))


@composite("repeat(Tensor self, SymInt[] repeats) -> Tensor: method")
def repeat(input: Tensor, *repeats: Any) -> Tensor:
    return join.repeat(input, sizes_of(repeats, "repeat", "repeats"))


@composite("tile(Tensor self, SymInt[] dims) -> Tensor: function method")
def tile(input: Tensor, *repeats: Any) -> Tensor:
    times = sizes_of(repeats, "tile", "dims")
    return join.repeat(input, [1] * (input.data_.ndim - len(times)) + times)


@composite("flip(Tensor self, int[] dims) -> Tensor: function method")
def flip(input: Tensor, *order: Any) -> Tensor:
    return join.flip(input, sizes_of(order, "flip", "dims"))


@composite("roll(Tensor self, SymInt[1] shifts, int[1] dims=[]) -> Tensor: function method")
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


@composite("split_with_sizes(Tensor(a) self, SymInt[] split_sizes, int dim=0) -> Tensor(a)[]: function method")
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


SPLIT: Any = guard("torch", "_split", split_evenly)
SPLIT_WITH_SIZES: Any = guard("torch", "split_with_sizes", split_with_sizes)


@composite("chunk(Tensor(a) self, int chunks, int dim=0) -> Tensor(a)[]: function method")
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
    if not length:
        ask_room(3 * chunks)
    return -(-length // chunks) or 1


@composite("unsafe_split.Tensor(Tensor self, SymInt split_size, int dim=0) -> Tensor[]: function method")
def unsafe_split(tensor: Tensor, split_size: int, dim: int = 0) -> tuple[Tensor, ...]:
    divisible(tensor)
    return tuple(join.unsafe_split(tensor, split_size, dim))


@composite("unsafe_split_with_sizes(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[]: function method")
def unsafe_split_with_sizes(tensor: Tensor, split_sizes: Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
    divisible(tensor)
    return tuple(join.unsafe_split_with_sizes(tensor, split_sizes, dim))


@composite("unsafe_chunk(Tensor self, int chunks, int dim=0) -> Tensor[]: function method")
def unsafe_chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    length = chunk_size(input, chunks, dim)
    if not input.data_.shape[dim]:
        return tuple(join.unsafe_split_with_sizes(input, [0] * chunks, dim))
    return tuple(join.unsafe_split(input, length, dim))


@composite("unbind.int(Tensor(a) self, int dim=0) -> Tensor(a)[]: function method")
def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    if 0 in input.data_.shape and input.data_.shape[wrap(dim, input.data_.ndim)] == 0:
        return ()
    return tuple(join.unbind(input, dim))


@composite("""
    narrow.Tensor(Tensor(a) self, int dim, Tensor start, SymInt length) -> Tensor(a): function method
    narrow(Tensor(a) self, int dim, SymInt start, SymInt length) -> Tensor(a): function method
    """)
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


@composite("""
    cat(Tensor[] tensors, int dim=0) -> Tensor: function out
    concat(Tensor[] tensors, int dim=0) -> Tensor: function out
    concatenate(Tensor[] tensors, int dim=0) -> Tensor: function out
    """)
def cat(tensors: Sequence[Tensor], dim: int = 0, *, axis: int | None = None) -> Tensor:
    return join.cat(tensors, dim if axis is None else axis)


@composite("diag(Tensor self, int diagonal=0) -> Tensor: function method out")
def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    if input.data_.ndim not in (1, 2):
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {input.data_.ndim}D")
    return (
        view_ops.diag_embed(input, diagonal) if input.data_.ndim == 1 else view_ops.diagonal_copy(input, diagonal, 0, 1)
    )


@composite("contiguous(Tensor(a) self, *, MemoryFormat memory_format=contiguous_format) -> Tensor(a): method")
def contiguous(input: Tensor, *, memory_format: str | None = None) -> Tensor:
    """`input` itself, if it lies in this format already; in rows, if none is named."""
    if not isinstance(input.data_, np.ndarray | Batch) or lies_in(input.data_, memory_format):
        return input
    if memory_format == PRESERVED:
        raise RuntimeError("preserve memory format is unsupported by the contiguous operator")
    return join.clone(input, True if memory_format is None else memory_format)


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


@composite("hstack(Tensor[] tensors) -> Tensor: function out")
def hstack(tensors: Sequence[Tensor]) -> Tensor:
    rows = [one_dimension(t) for t in tensor_list("hstack", tensors)]
    return join.cat(rows, 0 if rows[0].data_.ndim == 1 else 1)


@composite("""
    vstack(Tensor[] tensors) -> Tensor: function out
    row_stack(Tensor[] tensors) -> Tensor: function out
    """)
def vstack(tensors: Sequence[Tensor]) -> Tensor:
    return join.cat([two_dimensions(t) for t in tensor_list("vstack", tensors)], 0)


@composite("dstack(Tensor[] tensors) -> Tensor: function out")
def dstack(tensors: Sequence[Tensor]) -> Tensor:
    return join.cat([three_dimensions(t) for t in tensor_list("dstack", tensors)], 2)


@composite("column_stack(Tensor[] tensors) -> Tensor: function out")
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


@composite("broadcast_to(Tensor(a) self, SymInt[] size) -> Tensor(a): function method")
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


@composite("""
    repeat_interleave.self_Tensor(Tensor self, Tensor repeats, int? dim=None, *, SymInt? output_size=None) -> Tensor: \
        function method
    repeat_interleave.Tensor(Tensor repeats, *, SymInt? output_size=None) -> Tensor: function
    repeat_interleave.self_int(Tensor self, SymInt repeats, int? dim=None, *, SymInt? output_size=None) -> Tensor: \
        function method
    """)
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


@composite("rot90(Tensor self, int k=1, int[] dims=[0,1]) -> Tensor: function method")
def rot90(input: Tensor, k: int = 1, dims: Sequence[int] = (0, 1)) -> Tensor:
    return join.rot90(input, k, list(dims))


@composite("fliplr(Tensor self) -> Tensor: function method")
def fliplr(input: Tensor) -> Tensor:
    if input.data_.ndim < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return join.flip(input, [1])


@composite("flipud(Tensor self) -> Tensor: function method")
def flipud(input: Tensor) -> Tensor:
    if input.data_.ndim < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return join.flip(input, [0])


# ---- splits and differences


@composite("""
    tensor_split.indices(Tensor(a) self, SymInt[] indices, int dim=0) -> Tensor(a)[]: function method
    tensor_split.tensor_indices_or_sections(Tensor(a) self, Tensor tensor_indices_or_sections, int dim=0) -> \
        Tensor(a)[]: function method
    tensor_split.sections(Tensor(a) self, SymInt sections, int dim=0) -> Tensor(a)[]: function method
    """)
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
    return tuple(view_ops.slice_(input, at, *clip_bounds(a, b, length), 1) for a, b in zip(starts, ends, strict=True))


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


def clip_bounds(start: int, end: int, length: int) -> tuple[int, int]:
    """The bounds of a slice as torch keeps them: counted from the front, within the length, in order."""
    low = min(max(start + length if start < 0 else start, 0), length)
    high = min(max(end + length if end < 0 else end, low), length)
    return low, high


@composite("""
    hsplit.int(Tensor(a) self, int sections) -> Tensor(a)[]: function method
    hsplit.array(Tensor(a) self, int[] indices) -> Tensor(a)[]: function method
    """)
def hsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    if input.data_.ndim < 1:
        raise RuntimeError(
            "torch.hsplit requires a tensor with at least 1 dimension, but got a tensor with 0 dimensions!"
        )
    at = 0 if input.data_.ndim == 1 else 1
    return tensor_split(input, check_sections("hsplit", input, indices_or_sections, at), at)


@composite("""
    dsplit.int(Tensor(a) self, int sections) -> Tensor(a)[]: function method
    dsplit.array(Tensor(a) self, int[] indices) -> Tensor(a)[]: function method
    """)
def dsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    if input.data_.ndim < 3:
        raise RuntimeError(
            "torch.dsplit requires a tensor with at least 3 dimension, but got a tensor with "
            f"{input.data_.ndim} dimensions!"
        )
    return tensor_split(input, check_sections("dsplit", input, indices_or_sections, 2), 2)


def check_sections(name: str, input: Tensor, sections: Any, at: int) -> Any:
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


@composite("""
    vsplit.int(Tensor(a) self, int sections) -> Tensor(a)[]: function method
    vsplit.array(Tensor(a) self, int[] indices) -> Tensor(a)[]: function method
    """)
def vsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    if input.data_.ndim < 2:
        raise RuntimeError(
            "torch.vsplit requires a tensor with at least 2 dimension, but got a tensor with "
            f"{input.data_.ndim} dimensions!"
        )
    return tensor_split(input, check_sections("vsplit", input, indices_or_sections, 0), 0)


@composite("""
    diff(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None) -> Tensor: function method out
    """)
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


# ---- combinations, and shapes as numbers


@composite("combinations(Tensor self, int r=2, bool with_replacement=False) -> Tensor: function")
def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """All choices of `r` elements of a vector, in order."""
    if input.data_.ndim != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(input.data_.shape)}")
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    if r == 0:
        return make_tensor(np.zeros(0, input.data_.dtype), "empty")
    count = input.data_.shape[0]
    places = np.indices((count,) * r)
    rising = [low <= high if with_replacement else low < high for low, high in zip(places, places[1:], strict=False)]
    mask = plain(np.logical_and.reduce(rising) if rising else np.ones(count, bool))
    grids = meshgrid(*[input] * r, indexing="ij")
    return join.stack([indexing.masked_select(grid, mask) for grid in grids], 1)


def broadcast_shapes(*shapes: Any) -> Size:
    """The shape that tensors of these shapes take together."""
    out: list[int] = []
    for place, given in enumerate(shapes):
        shape = (given,) if isinstance(given, int) else given
        for at in range(-1, -len(shape) - 1, -1):
            length = shape[at]
            if length < 0:
                raise ValueError("Attempting to broadcast a dimension with negative length!")
            if len(out) < -at:
                out.insert(0, length)
            elif length != 1 and out[at] != length:
                if out[at] != 1:
                    raise RuntimeError(
                        f"Attempting to broadcast a dimension of length {length} at {at}! Mismatching argument at "
                        f"index {place} had {shape}; but expected shape should be broadcastable to {out}"
                    )
                out[at] = length
    return Size(out)


@composite("is_same_size(Tensor self, Tensor other) -> bool: function method")
def is_same_size(input: Tensor, other: Tensor) -> bool:
    return input.data_.shape == other.data_.shape
