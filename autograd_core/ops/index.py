"""Reading and writing by indices. Formulas: PyTorch's derivatives.yaml."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import dtypes, errors
from ..op import both, helper, op
from ..strides import moved, of_rows
from ..tensor import Array, Tensor, bare, plain
from .bounds import OF_DIMENSION, meet, selected, within
from .indices import places, steps_found, together
from .shape import wrap


@op("index.Tensor", writes=1, self=lambda grad, self_sym_sizes, indices: index_backward(grad, self_sym_sizes, indices))
def index(self: Array, indices: list[Array | None]) -> Array:
    at = together(places(indices, self.shape))
    found = self[at]
    in_rows = all(part.flags.c_contiguous for part in (self, *at) if isinstance(part, np.ndarray))
    return moved(found, of_rows(found.shape) if in_rows else steps_found(self, at, found.shape))


@both
def index_backward(grad: Array, sizes: Sequence[int], indices: list[Array]) -> Array:
    return index_put_impl(blank(sizes, grad.dtype), indices, grad)


@op("gather", writes=1, self=lambda grad, self, dim, index, sparse_grad: gather_backward(grad, self.shape, dim, index))
def gather(self: Array, dim: int, index: Array, sparse_grad: bool = False) -> Array:
    at = wrap(dim, self.ndim)
    check_index(index, self, at)
    if self.ndim == 0 or np.ndim(index) == 0:
        return bare(np.reshape(self, -1)[np.asarray(index)])
    trimmed = self[tuple(slice(None) if i == at else slice(0, n) for i, n in enumerate(index.shape))]
    return np.take_along_axis(trimmed, np.asarray(index), at)


def check_index(index: Array, data: Array, dim: int) -> None:
    """Whether `index` names places of `data` along `dim`.

    Raises:
        RuntimeError: another dtype or number of dimensions, or no such place.
    """
    if index.size and index.dtype.kind != "i":
        raise RuntimeError("gather(): Expected dtype int32/int64 for index")
    if index.size and max(index.ndim, 1) != max(data.ndim, 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    for d, (n, most) in enumerate(zip(index.shape, data.shape, strict=False)):
        if index.size and d != dim and n > most:
            raise RuntimeError(
                f"Size does not match at dimension {d} expected index {errors.sizes(index.shape)} to be no larger than "
                f"self {errors.sizes(data.shape)} apart from dimension {dim}"
            )
    within(index, data.shape[dim] if data.ndim else 1, dim)


@both
def gather_backward(grad: Array, sizes: Sequence[int], dim: int, index: Array) -> Array:
    return scatter_add(blank(sizes, grad.dtype), dim, index, grad)


def along(index: Array, axis: int) -> tuple[Array, ...]:
    """The full places that an index along `axis` names, in one dimension if it has none."""
    index = np.atleast_1d(index)
    grid = list(np.indices(index.shape, sparse=True))
    grid[axis] = index
    return tuple(grid)


def cut(src: Array, index: Array) -> Array:
    """The part of `src` that goes where `index` says, in one dimension if that has none."""
    part: Array = np.atleast_1d(src)[tuple(slice(0, n) for n in np.atleast_1d(index).shape)]
    return part


def check_scatter(self: Array, dim: int, index: Array, src: Array | None = None) -> None:
    """Whether `src` can be put into `self` at `index`.

    Raises:
        RuntimeError: another dtype, or too large.
    """
    if index.dtype.kind not in "iu" or index.itemsize < 4:
        raise RuntimeError("scatter(): Expected dtype int32/int64 for index")
    at = wrap(dim, np.ndim(self))
    if src is not None and self.dtype != src.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    if np.size(index) and max(np.ndim(index), 1) != max(np.ndim(self), 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as self tensor")
    if src is None:
        if any(n > m for d, (n, m) in enumerate(zip(np.shape(index), np.shape(self), strict=False)) if d != at):
            raise RuntimeError(
                f"Expected index {errors.sizes(np.shape(index))} to be no larger than self "
                f"{errors.sizes(np.shape(self))} apart from dimension {at}"
            )
        within(index, np.shape(self)[at] if np.ndim(self) else 1, at)
        return
    if 0 < np.ndim(src) < np.ndim(index):
        raise errors.dim_out_of_range(np.ndim(src), np.ndim(src))
    if np.size(index) and max(np.ndim(index), 1) != max(np.ndim(src), 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
    pairs = list(zip(*(np.shape(x) or (1,) for x in (index, self, src)), strict=False))
    if any(n > s or (n > m and d != at) for d, (n, m, s) in enumerate(pairs)):
        shapes = [f"[{errors.sizes(np.shape(x)).strip('[]')}]" for x in (index, self, src)]
        raise RuntimeError(
            f"Expected index {shapes[0]} to be no larger than self {shapes[1]} apart from dimension {at} and to be no "
            f"larger size than src {shapes[2]}"
        )
    within(index, np.shape(self)[at] if np.ndim(self) else 1, at)


@op(
    "scatter.src",
    self=lambda grad, dim, index: scatter_value(grad, dim, index, 0),
    src=lambda grad, dim, index: gather(grad, dim, index),
)
def scatter(self: Array, dim: int, index: Array, src: Array) -> Array:
    check_scatter(self, dim, index, src)
    out = np.array(self)
    if np.size(index):
        np.atleast_1d(out)[along(index, wrap(dim, self.ndim))] = cut(src, index)
    return out


@op("scatter.value", self=lambda grad, dim, index: scatter_value(grad, dim, index, 0))
def scatter_value(self: Array, dim: int, index: Array, value: float) -> Array:
    check_scatter(self, dim, index)
    out = np.array(self)
    if np.size(index):
        np.atleast_1d(out)[along(index, wrap(dim, self.ndim))] = value
    return out


@op("scatter_add", self=lambda grad: grad, src=lambda grad, dim, index: gather(grad, dim, index))
def scatter_add(self: Array, dim: int, index: Array, src: Array) -> Array:
    check_scatter(self, dim, index, src)
    out = np.array(self)
    if np.size(index):
        np.add.at(np.atleast_1d(out), along(index, wrap(dim, self.ndim)), cut(src, index))
    return out


@op(
    "index_select",
    writes=1,
    self=lambda grad, self_sym_sizes, dim, index: index_select_backward(grad, self_sym_sizes, dim, index),
)
def index_select(self: Array, dim: int, index: Array) -> Array:
    if np.ndim(index) > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    if index.dtype.kind not in "iu" or index.itemsize < 4:
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    at = wrap(dim, self.ndim)
    selected(self, index, at)
    return np.take(self, np.atleast_1d(index), at) if self.ndim else self


@both
def index_select_backward(grad: Array, sizes: Sequence[int], dim: int, index: Array) -> Array:
    return index_add(blank(sizes, grad.dtype), dim, index, grad)


@op(
    "index_add",
    self=lambda grad: grad,
    source=lambda grad, dim, index, source, source_dim, alpha: scaled(
        expand(index_select(grad, dim, index), source.shape), alpha
    ),
)
def index_add(self: Array, dim: int, index: Array, source: Array, alpha: float = 1) -> Array:
    if np.ndim(index) > 1:
        raise IndexError(
            f"index_add_(): Index is supposed to be a vector, but got dim: {index.ndim} with type: "
            f"{errors.type_name(index.dtype)} and size: {errors.sizes(index.shape)}"
        )
    if index.dtype.kind not in "iu" or index.itemsize < 4:
        kind = errors.type_name(index.dtype)
        raise RuntimeError(f"index_add_(): Expected dtype int32/int64 for index but got: {kind}")
    if self.dtype != source.dtype:
        kinds = errors.type_name(self.dtype), errors.type_name(source.dtype)
        raise RuntimeError(f"index_add_(): self ({kinds[0]}) and source ({kinds[1]}) must have the same scalar type")
    axis = wrap(dim, self.ndim)
    count = source.shape[wrap(axis, source.ndim)] if np.ndim(source) else 1
    if np.size(index) != count:
        raise RuntimeError(
            f"index_add_(): Number of indices ({np.size(index)}) should be equal to source.size(dim): ({count}), for "
            f"dim: {axis}"
        )
    mine, theirs = ([n for i, n in enumerate(x.shape) if i != axis] for x in (self, source))
    if np.ndim(source) != np.ndim(self) or mine != theirs:
        raise RuntimeError(
            "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = "
            f"[{errors.sizes(self.shape).strip('[]')}] source.shape = [{errors.sizes(source.shape).strip('[]')}]"
        )
    selected(self, index, axis, adding=True)
    out = np.array(self)
    at = (slice(None),) * axis + (np.atleast_1d(index),)
    np.add.at(np.atleast_1d(out), at, source if alpha == 1 else source * np.asarray(alpha).astype(source.dtype))  # type: ignore[arg-type]
    return out


@op(
    "index_copy",
    self=lambda grad, dim, index: index_fill(grad, dim, index, 0),
    source=lambda grad, dim, index, source, source_dim: expand(index_select(grad, dim, index), source.shape),
)
def index_copy(self: Array, dim: int, index: Array, source: Array) -> Array:
    if index.ndim > 1:
        raise IndexError(f"index_copy_(): Index should have dimension 1 or 0 (got {index.ndim})")
    if not source.ndim and index.size != 1:
        raise IndexError(f"index_copy_(): When source is scalar, index should have one element (got {index.size})")
    if source.ndim and self.ndim and source.ndim != self.ndim:
        raise IndexError(
            "index_copy_(): When source and destination are not scalars, their dimensionality must match. Source "
            f"dimensionality ({source.ndim}), destination dimensionality ({self.ndim})"
        )
    if index.dtype.kind not in "iu":
        raise RuntimeError(f"index_copy_(): Expected a long tensor for index, but got {errors.type_name(index.dtype)}")
    if self.dtype != source.dtype:
        kinds = errors.type_name(self.dtype), errors.type_name(source.dtype)
        raise RuntimeError(
            f"index_copy_(): self and source expected to have the same dtype, but got (self) {kinds[0]} and (source) "
            f"{kinds[1]}"
        )
    at = wrap(dim, self.ndim)
    slices = [shape[:at] + shape[at + 1 :] for shape in (self.shape, source.shape)]
    if slices[0] != slices[1]:
        mine, theirs = (" ".join(map(str, part)) for part in slices)
        raise RuntimeError(
            "index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: "
            f"{mine} at dimension {at} and source slice shape: {theirs} at dimension 0."
        )
    found = source.shape[at] if source.ndim else 1
    if index.size != found:
        raise IndexError(
            f"index_copy_(): Number of indices ({index.size}) should be equal to source.size(dim) ({found})"
        )
    if self.ndim:
        within(index, self.shape[at], at, f"index_copy_(): {OF_DIMENSION}", IndexError)
    out = np.array(self)
    np.atleast_1d(out)[(slice(None),) * at + (np.atleast_1d(index),)] = source
    return out


@op("index_fill.int_Scalar", node="IndexFillBackward0", self=lambda grad, dim, index: index_fill(grad, dim, index, 0))
def index_fill(self: Array, dim: int, index: Array, value: float) -> Array:
    return filled(self, dim, index, dtypes.fitting(value, self.dtype))


def filled(self: Array, dim: int, index: Array, value: Any) -> Array:
    """A copy with `value` at the places along `dim` that `index` names.

    Raises:
        IndexError, RuntimeError: `index` names none.
    """
    if index.dtype.kind not in "iu":
        raise IndexError("index_fill_(): Expected dtype int64 for index.")
    if index.ndim > 1:
        raise RuntimeError("Index has to be a vector/scalar")
    at = wrap(dim, self.ndim)
    length = self.shape[at] if self.ndim else 1
    within(index, length, at, OF_DIMENSION, IndexError, -length)
    out = np.array(self)
    np.atleast_1d(out)[(slice(None),) * at + (np.asarray(index),)] = value
    return out


@op(
    "index_fill.int_Tensor",
    node="IndexFillBackward1",
    self=lambda grad, dim, index: index_fill(grad, dim, index, 0),
    value=lambda grad, dim, index: sum(index_select(grad, dim, once(index))),
)
def index_fill_tensor(self: Array, dim: int, index: Array, value: Array) -> Array:
    if np.ndim(value):
        raise RuntimeError(
            "index_fill_ only supports a 0-dimensional value tensor, but got tensor with "
            f"{np.ndim(value)} dimension(s)."
        )
    return filled(self, dim, index, value)


@helper
def once(index: Any) -> Any:
    """The places of `index`, each one time."""
    return plain(np.unique(index.data_)) if isinstance(index, Tensor) else np.unique(index)


@op("masked_select", writes=1, self=lambda grad, self, mask: masked_select_backward(grad, self, mask))
def masked_select(self: Array, mask: Array) -> Array:
    if mask.dtype.kind != "b":
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    meet(self, mask)
    a, b = np.broadcast_arrays(self, mask)
    return a[b]


@both
def masked_select_backward(grad: Array, self: Array, mask: Array) -> Array:
    return masked_scatter(zeros_as(self), mask, grad)
