"""Reading `a[...]` and writing `a[...] = v`, and torch.gather, torch.scatter and the like.

Numbers select, slices slice, None adds a dimension; what remains (tensors, lists, masks) is one read or write by
indices. A write goes through the views that a read would take, so that torch's graph comes out of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ... import errors
from ...dispatch.inplace import check_writable, in_place
from ...dispatch.not_implemented import call_underived
from ...dispatch.schema.schema import composite
from ...engine.state import ask_room
from ...engine.warnings import warn, warn_once
from ...functorch.batch import is_batched
from ...ops import indexing, join, scatter_gather
from ...ops import view as view_ops
from ...ops._common import wrap
from ...ops.unary import copy, fill_tensor
from ...ops.view import unsqueeze
from ...tensor import dtypes
from ...tensor.memory_overlap import refuse_repeats
from ...tensor.tensor import Tensor, plain
from .creation import from_sequence

# ---- subscripts


END = 2**63 - 1

OF_BYTES = "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead."

NON_TUPLE = (
    "Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in pytorch 2.9; use "
    "x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as tensor index, x[torch.tensor(seq)], "
    "which "
    "will result either in an error or a different result"
)


def getitem(self: Tensor, index: Any) -> Tensor:
    """`self[index]`."""
    if index is None:
        return view_ops.unsqueeze(self, 0)
    if index is Ellipsis:
        return view_ops.alias(self)
    if is_int(index):
        return select(self, 0, int(index))
    if isinstance(index, slice):
        return slice_(self, 0, index, whole=True)
    view, found = walk(self, as_tuple(index))
    if not found:
        return view_ops.alias(self) if view is self else view
    return indexing.index(view, masks_of_bytes(found))


def setitem(self: Tensor, index: Any, value: Any) -> None:
    """`self[index] = value`."""
    if not isinstance(value, Tensor):
        value = as_value(self, value)
    elif self.data_.dtype.kind not in "fc" and value.requires_grad:
        value = value.detach()  # no gradient can come back from whole numbers
    if index is Ellipsis or (isinstance(index, slice) and covers(index, self)):
        write(self, value)
        return
    if isinstance(index, bool | np.bool_):
        if index:
            write(view_ops.unsqueeze(self, 0), value)
        return
    view, found = walk(
        self, (index,) if isinstance(index, slice) or index is None or is_int(index) else as_tuple(index)
    )
    if not found:
        write(view, value)
        return
    trimmed = without_leading_ones(value.data_.shape)
    if trimmed != list(value.data_.shape):
        value = view_ops.view(value, trimmed)
    in_place(indexing.index_put, view, to_write_by(view, found, value), value, False)


def delitem(self: Tensor, index: Any) -> None:
    """`del self[index]`, which there is not."""
    raise TypeError("Tensor does not support deleting items")


def write(target: Tensor, value: Tensor) -> None:
    """Write `value` over `target`: filled from a 0-d tensor, copied otherwise."""
    filled = value.data_.shape == () != target.data_.shape
    if not filled and value.data_.shape != target.data_.shape:
        value = view_ops.view(value, without_leading_ones(value.data_.shape))
        if value.data_.shape != target.data_.shape:
            value = view_ops.expand(value, list(target.data_.shape))
    check_writable(target, "copy")
    refuse_repeats(target.data_)
    in_place(fill_tensor if filled else copy, target, value)


def without_leading_ones(sizes: Sequence[int]) -> list[int]:
    rest = list(sizes)
    while rest and rest[0] == 1:
        rest.pop(0)
    return rest


def as_value(target: Tensor, value: Any) -> Tensor:
    """A number as a 0-d tensor of the target's dtype."""
    if isinstance(value, bool | int | float | complex | np.generic):
        return plain(target.data_.dtype.type(dtypes.fitting(value, target.data_.dtype)))
    kind = f"numpy.{type(value).__name__}" if isinstance(value, np.ndarray) else type(value).__name__
    raise TypeError(f"can't assign a {kind} to a torch.{errors.type_name(target.data_.dtype)}Tensor")


def is_int(index: Any) -> bool:
    return isinstance(index, int | np.integer) and not isinstance(index, bool | np.bool_)


def covers(index: slice, target: Tensor) -> bool:
    """Whether a slice is all of the first dimension."""
    if target.data_.ndim == 0:
        return False
    from_start = index.start is None or number(index.start) == 0
    to_end = index.stop is None or number(index.stop) >= target.data_.shape[0]
    return from_start and to_end and (index.step is None or number(index.step) == 1)


def as_tuple(index: Any) -> tuple[Any, ...]:
    """The parts of an index; a list that is not one of plain numbers counts as a tuple, with torch's warning."""
    if isinstance(index, tuple):
        return index
    if isinstance(index, list | str) and len(index) < 32 and any(is_composite(part) for part in index):
        warn(NON_TUPLE)
        if isinstance(index, str):
            raise TypeError("new(): invalid data type 'str'")
        return tuple(index)
    return (index,)


def is_composite(part: Any) -> bool:
    return part is None or part is Ellipsis or isinstance(part, slice | Tensor | list | tuple | str)


def width(part: Any) -> int:
    """How many dimensions one part of an index uses up."""
    if part is None or part is Ellipsis or isinstance(part, bool | np.bool_):
        return 0
    if isinstance(part, Tensor) and part.data_.dtype.char in "?B":
        return int(part.data_.ndim)
    if isinstance(part, list | np.ndarray) and any(
        isinstance(one, list | bool | np.ndarray | np.bool_) for one in part
    ):
        mask = as_array(part)
        return mask.ndim if mask.dtype.kind == "b" else 1
    return 1


def walk(self: Tensor, parts: tuple[Any, ...]) -> tuple[Tensor, list[Tensor | None]]:
    """Take the views that `parts` name; what is left are the indices to read or write by, with None between."""
    used = sum(width(part) for part in parts)
    ndim = self.data_.ndim
    if used > ndim and (ndim or len(parts) > 1 or not (is_int(parts[0]) or isinstance(parts[0], slice))):
        raise IndexError(f"too many indices for tensor of dimension {ndim}")
    view, at = self, 0
    found: dict[int, Tensor] = {}
    for place, part in enumerate(parts):
        if part is None:
            view = view_ops.unsqueeze(view, at)
            at += 1
        elif part is Ellipsis:
            at += ndim - used
        elif is_int(part):
            view = select(view, at, int(part), place)
        elif (
            isinstance(part, Tensor)
            and part.data_.shape == ()
            and part.data_.dtype.kind == "i"
            and not is_batched(part)
        ):
            view = select(view, at, part.item(), place)
        elif isinstance(part, slice):
            view = slice_(view, at, part)
            at += 1
        else:
            found[at] = part if is_mask_of_bytes(part) else as_index(part)
            if found[at].data_.shape == () and found[at].data_.dtype.kind == "b":
                view = view_ops.unsqueeze(view, at)
                yes = int(bool(found[at].data_))
                found[at] = plain(np.zeros(yes, np.int64), version=yes)  # torch fills the one, and makes the other
            at += dims_spanned(found[at])
    return view, in_a_row(found)


def dims_spanned(index: Tensor) -> int:
    """The dimensions that an index stands for: a mask, as many as it has."""
    return index.data_.ndim if index.data_.dtype.char in "?B" else 1


def in_a_row(found: dict[int, Tensor]) -> list[Tensor | None]:
    """Indices by the dimensions at which they begin, with None for each dimension between."""
    row: list[Tensor | None] = []
    at = 0
    for start, index in found.items():
        row += [None] * (start - at) + [index]
        at = start + dims_spanned(index)
    return row


INDICES = ("int64", "int32", "uint8", "bool")
"""The dtypes of tensors that are places."""


def as_index(part: Any) -> Tensor:
    """A tensor of places from what a program wrote."""
    if isinstance(part, Tensor):
        if part.data_.dtype.name not in INDICES:
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
        if part.data_.dtype.kind == "b" and is_batched(part):
            raise RuntimeError(errors.DYNAMIC_MASK)
        if part.data_.dtype == np.uint8:
            return plain(np.asarray(part.data_ != 0))
        return part
    if isinstance(part, bool | np.bool_ | list | tuple | range | np.ndarray):
        array = as_array(part)
        return plain(array if array.dtype.kind == "b" else array.astype(np.int64))
    raise IndexError(
        "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices "
        f"(got {type(part).__name__})"
    )


def as_array(part: Any) -> np.ndarray[Any, Any]:
    """The places in a list; what is no number in it is refused as in `torch.tensor`."""
    return from_sequence(part) if isinstance(part, list | tuple | range) else np.asarray(part)


def is_mask_of_bytes(part: Any) -> bool:
    """Whether `part` of an index is a mask as they once were written."""
    return isinstance(part, Tensor) and part.data_.dtype == np.uint8 and part.data_.ndim > 0


def masks_of_bytes(indices: Sequence[Tensor | None]) -> list[Tensor | None]:
    """`indices` with masks in the place of bytes."""
    for part in indices:
        if is_mask_of_bytes(part):
            warn(OF_BYTES)
    return [as_index(part) if part is not None and part.data_.dtype.char == "B" else part for part in indices]


def to_write_by(
    target: Tensor, indices: Sequence[Tensor | None], values: Tensor, accumulate: bool = False
) -> list[Tensor | None]:
    """`indices` by which `values` are written into `target`.

    Raises:
        RuntimeError: torch would fill by one mask, and that is of bytes.
    """
    given = [(at, part) for at, part in enumerate(indices) if part is not None]
    if len(given) == 1 and values.data_.size == 1 and not accumulate and is_mask_of_bytes(given[0][1]):
        at, mask = given[0]
        if mask.data_.shape == target.data_.shape[at : at + mask.data_.ndim]:
            raise RuntimeError("masked_fill_ only supports boolean masks, but got mask with dtype unsigned char")
    return masks_of_bytes(indices)


def select(view: Tensor, dim: int, index: int, place: int = 0) -> Tensor:
    """One entry along `dim`, for the part of the index at `place`, refused in the words of indexing."""
    sizes = view.data_.shape or (0,)
    if not (view.data_.shape or index):
        raise IndexError(
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert "
            "a 0-dim "
            "tensor to a number"
        )
    if not -sizes[dim] <= index < sizes[dim]:
        raise IndexError(f"index {index} is out of bounds for dimension {place} with size {sizes[dim]}")
    return view_ops.select(view, dim, index)


def slice_(view: Tensor, dim: int, part: slice, whole: bool = False) -> Tensor:
    """A slice along `dim`; one that takes everything leaves the tensor alone, unless it is the `whole` index."""
    if not view.data_.shape:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    step = 1 if part.step is None else number(part.step)
    if step <= 0:
        raise ValueError("step must be greater than zero" if step else "slice step cannot be zero")
    start = 0 if part.start is None else number(part.start)
    end = END if part.stop is None else number(part.stop)
    if not whole and start == 0 and step == 1 and end >= view.data_.shape[dim]:
        return view
    return view_ops.slice_(view, dim, start, end, step)


def number(value: Any) -> int:
    if isinstance(value, Tensor):
        return int(value.data_)
    if not isinstance(value, int | np.integer):
        raise TypeError("slice indices must be integers or None or have an __index__ method")
    return int(value)


# ---- gather, scatter and the like


OLD_REDUCTIONS = {"add": "sum", "multiply": "prod"}
OF_TENSORS = (
    "The reduce argument of torch.scatter with Tensor src is deprecated and will be removed in a future PyTorch "
    "release. Use torch.scatter_reduce instead for more reduction options."
)


@composite("gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor: function method out")
def gather(input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Tensor:
    return scatter_gather.gather(input, dim, index, sparse_grad)


@composite("""
    index_fill.int_Tensor(Tensor self, int dim, Tensor index, Tensor value) -> Tensor: function method method_
    index_fill.int_Scalar(Tensor self, int dim, Tensor index, Scalar value) -> Tensor: function method method_
    """)
def index_fill(input: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    fill = indexing.index_fill_tensor if isinstance(value, Tensor) else indexing.index_fill
    return fill(input, dim, index, value)


@composite("""
    scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor: function method method_ out
    scatter.reduce(Tensor self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor: function method method_ \
        out
    scatter.value(Tensor self, int dim, Tensor index, Scalar value) -> Tensor: function method method_ out
    scatter.value_reduce(Tensor self, int dim, Tensor index, Scalar value, *, str reduce) -> Tensor: function method \
        method_ out
    """)
def scatter(
    input: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None, reduce: str | None = None
) -> Tensor:
    src = value if src is None else src
    if reduce is not None:
        return call_underived(
            "scatter", scatter_gather.scatter_reduce, *scatter_operands(input, dim, index, src, reduce)
        )
    return (
        scatter_gather.scatter(input, dim, index, src)
        if isinstance(src, Tensor)
        else scatter_gather.scatter_value(input, dim, index, src)
    )


def scatter_operands(input: Tensor, dim: int, index: Tensor, src: Any, reduce: str) -> tuple[Any, ...]:
    """The operands of a scatter that adds or multiplies, as it was written before there was scatter_reduce.

    Raises:
        RuntimeError: it does neither.
    """
    if isinstance(src, Tensor):
        warn_once("scatter with reduce", OF_TENSORS)
    else:
        src = plain(np.full(index.data_.shape, src, input.data_.dtype))
    if reduce not in OLD_REDUCTIONS:
        raise RuntimeError("reduce argument must be either add or multiply.")
    return input, dim, index, src, OLD_REDUCTIONS[reduce]


@composite("""
    index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor: function method \
        function_ method_
    """)
def index_put(input: Tensor, indices: Sequence[Tensor], values: Tensor, accumulate: bool = False) -> Tensor:
    return indexing.index_put(input, to_write_by(input, indices, values, accumulate), values, accumulate)


@composite("""
    nonzero(Tensor self, *, bool as_tuple=False) -> Tensor: function out
    nonzero(Tensor self) -> Tensor: method
    nonzero(Tensor self, *, bool as_tuple) -> Tensor: method
    """)
def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    if is_batched(input):
        raise RuntimeError(errors.DYNAMIC.format("where" if as_tuple else "nonzero"))
    if as_tuple:
        return tuple(join.unbind(nonzero(input if input.data_.ndim else unsqueeze(input.detach(), 0)), 1))
    ask_room(input.data_.size, max(input.data_.ndim, 1))
    found = np.nonzero(np.atleast_1d(input.data_))
    return plain(np.stack(found).astype(np.int64).T if input.data_.ndim else np.zeros((len(found[0]), 0), np.int64))


# ---- parts written into a copy


@composite("take_along_dim(Tensor self, Tensor indices, int? dim=None) -> Tensor: function method out")
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


@composite("select_scatter(Tensor self, Tensor src, int dim, SymInt index) -> Tensor: function method")
def select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    return scatter_gather.select_scatter(input, src, dim, index)


@composite("""
    slice_scatter(Tensor self, Tensor src, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor: \
        function method out
    """)
def slice_scatter(
    input: Tensor, src: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Tensor:
    return scatter_gather.slice_scatter(input, src, dim, start, end, step)


@composite("""
    diagonal_scatter(Tensor self, Tensor src, int offset=0, int dim1=0, int dim2=1) -> Tensor: function method
    """)
def diagonal_scatter(input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    return scatter_gather.diagonal_scatter(input, src, offset, dim1, dim2)


@composite("""
    scatter_reduce.two(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True) -> \
        Tensor: function method method_ out
    """)
def scatter_reduce(
    input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    return scatter_gather.scatter_reduce(input, dim, index, src, reduce, include_self)
