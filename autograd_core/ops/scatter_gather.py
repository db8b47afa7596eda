"""Places along one dimension: gather, scatter, scatter_reduce; take, put; parts written into a copy.

Formulas: PyTorch's derivatives.yaml and FunctionsManual.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import errors
from ..dispatch.op import both, helper, op
from ..tensor.tensor import Array, bare, plain
from ._common import wrap
from .indexing import within
from .view import diagonal_window

# ---- gather and scatter


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


@op(
    "scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor: function method method_ out",
    cost=2,
    self=lambda grad: grad,
    src=lambda grad, dim, index: gather(grad, dim, index),
)
def scatter_add(self: Array, dim: int, index: Array, src: Array) -> Array:
    check_scatter(self, dim, index, src)
    out = np.array(self)
    if np.size(index):
        np.add.at(np.atleast_1d(out), along(index, wrap(dim, self.ndim)), cut(src, index))
    return out


# ---- a view written into a copy


def same_shape(src: Array, part: Array) -> None:
    if np.shape(src) != part.shape:
        raise RuntimeError(
            "expected src to have a size equal to the slice of self. src size = "
            f"{errors.sizes(np.shape(src))}, slice size = {errors.sizes(part.shape)}"
        )


@op(
    "select_scatter",
    self=lambda grad, dim, index: select_scatter(grad, zeros_as(select(grad, dim, index)), dim, index),
    src=lambda grad, dim, index: select(grad, dim, index),
)
def select_scatter(self: Array, src: Array, dim: int, index: int) -> Array:
    if not self.ndim:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    at = wrap(dim, self.ndim)
    if not -self.shape[at] <= index < self.shape[at]:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {errors.sizes(self.shape)} at dimension {at}"
        )
    out = np.array(self)
    part = out[(slice(None),) * at + (index, ...)]
    same_shape(src, part)
    part[...] = src
    return out


@op(
    "slice_scatter",
    self=lambda grad, dim, start, end, step: slice_scatter(
        grad, zeros_as(slice_(grad, dim, start, end, step)), dim, start, end, step
    ),
    src=lambda grad, dim, start, end, step: slice_(grad, dim, start, end, step),
)
def slice_scatter(
    self: Array, src: Array, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Array:
    out = np.array(self)
    part = out[(slice(None),) * wrap(dim, self.ndim) + (slice(start, end, step),)]
    same_shape(src, part)
    part[...] = src
    return out


@op(
    "diagonal_scatter",
    self=lambda grad, offset, dim1, dim2: diagonal_scatter(
        grad, zeros_as(diagonal(grad, offset, dim1, dim2)), offset, dim1, dim2
    ),
    src=lambda grad, offset, dim1, dim2: diagonal(grad, offset, dim1, dim2),
)
def diagonal_scatter(self: Array, src: Array, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Array:
    out = np.array(self, order="C")
    part = diagonal_window(out, offset, dim1, dim2)
    same_shape(src, part)
    part[...] = src
    return out


# ---- the flat memory


def flat_places(name: str, index: Array, size: int) -> Array:
    """`index` as places of a tensor of `size` elements.

    Raises:
        RuntimeError: it is not of int64.
        IndexError: a place does not exist.
    """
    at = np.asarray(index)
    if at.dtype != np.int64:
        raise RuntimeError(f"{name}(): Expected a long tensor for index, but got {errors.type_name(at.dtype)}")
    wrong = at[(at >= size) | (at < -size)]
    if wrong.size:
        raise IndexError(f"out of range: tried to access index {int(wrong.flat[0])} on a tensor of {size} elements.")
    return at


@op(
    "take(Tensor self, Tensor index) -> Tensor: function method out",
    writes=1,
    tensors_only=True,
    self=lambda grad, self, index: put(zeros_as(self), index, grad, True),
)
def take(self: Array, index: Array) -> Array:
    if self.size == 0 and np.size(index):
        raise IndexError("take(): tried to take from an empty tensor")
    return np.ravel(self)[flat_places("take", index, self.size)]


@op(
    "put(Tensor self, Tensor index, Tensor source, bool accumulate=False) -> Tensor: function method method_",
    tensors_only=True,
    self=lambda grad, index, accumulate: grad if accumulate else put(grad, index, zeros_at(grad, index), False),
    source=lambda grad, index, source: reshape(take(grad, index), source.shape),
)
def put(self: Array, index: Array, source: Array, accumulate: bool = False) -> Array:
    if self.dtype != source.dtype:
        raise RuntimeError(
            "put_(): self and source expected to have the same dtype, but got self.dtype = "
            f"{errors.type_name(self.dtype)} and source.dtype = {errors.type_name(source.dtype)}"
        )
    if not self.size and np.size(index):
        raise IndexError("put_(): Tried to put elements into an empty tensor")
    out = np.array(self, order="C")
    flat, at = out.reshape(-1), flat_places("put_", index, self.size)
    if np.size(source) != at.size:
        raise IndexError(
            "put_(): Expected source and index to have the same number of elements, but got source.numel() = "
            f"{np.size(source)}, index.numel() = {at.size}"
        )
    if accumulate:
        np.add.at(flat, at.ravel(), np.ravel(source))
    else:
        flat[at.ravel()] = np.ravel(source)
    return out


@both
def zeros_at(grad: Array, index: Array) -> Array:
    return blank(index.shape, grad.dtype)


# ---- scatter with a reduction

STARTS = {"sum": 0.0, "mean": 0.0, "prod": 1.0, "amax": -np.inf, "amin": np.inf}
JOINS: dict[str, Any] = {"sum": np.add, "mean": np.add, "prod": np.multiply, "amax": np.maximum, "amin": np.minimum}
LONG = {"max": "amax", "min": "amin"}
"""Names that torch takes, too, though it finds no gradient for them."""


@op(
    "scatter_reduce.two",
    self=lambda grad, self, dim, index, src, reduce, include_self, result: scattered_self(
        grad, self, dim, index, src, reduce, include_self, result
    ),
    src=lambda grad, self, dim, index, src, reduce, include_self, result: scattered_src(
        grad, self, dim, index, src, reduce, include_self, result
    ),
)
def scatter_reduce(self: Array, dim: int, index: Array, src: Array, reduce: str, include_self: bool = True) -> Array:
    known = LONG.get(reduce, reduce)
    if known not in JOINS:
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    check_scatter(self, dim, index, src)
    out = np.array(self)
    at = along(index, wrap(dim, np.ndim(self)))
    if not include_self:
        start = STARTS[known]
        start = start if out.dtype.kind == "f" or not np.isinf(start) else worst(out.dtype, start)
        np.atleast_1d(out)[at] = start
    JOINS[known].at(np.atleast_1d(out), at, cut(src, index))
    if reduce == "mean":
        count = np.full(self.shape, int(include_self))
        np.add.at(np.atleast_1d(count), at, 1)
        count[count == 0] = 1
        out = (out / count if out.dtype.kind == "f" else out // count).astype(self.dtype)
    return out


def in_kind_of(mask: Any, like: Any) -> Any:
    """`mask` as numbers of the dtype of `like`."""
    return plain(mask.data_.astype(like.data_.dtype))


helper(in_kind_of, lambda mask, like: mask.astype(like.dtype))


def worst(kind: np.dtype[Any], start: float) -> int:
    """The integer that every other one beats."""
    return int(np.iinfo(kind).min if start < 0 else np.iinfo(kind).max)


@helper
def need_shape(src: Any, index: Any) -> None:
    """The formulas compare all of `src` with what was scattered: torch does not cut it to the index either."""
    text = errors.broadcast([src.shape, index.shape])
    if text is not None:
        raise RuntimeError(text)


@helper
def need_derivative(reduce: str) -> None:
    if reduce in LONG:
        raise RuntimeError(f"Expected 'reduce' to be one of 'sum', 'prod', 'mean', 'amax', 'amin' but got {reduce}.")


@both
def shares(self: Array, dim: int, index: Array, src: Array, result: Array) -> tuple[Any, Any, Any]:
    """For amax and amin: who equals the result, and among how many its gradient is shared."""
    need_shape(src, index)
    mine = in_kind_of(self == result, self)
    theirs = in_kind_of(src == gather(result, dim, index), self)
    return mine, theirs, scatter_add(mine, dim, index, theirs)


@both
def arrivals(grad: Array, dim: int, index: Array, src: Array, include_self: bool) -> Array:
    """For mean: how many values met at each place."""
    start = add_scalar(zeros_as(grad), 1 if include_self else 0)
    count = scatter_add(start, dim, index, add_scalar(zeros_as(src), 1))
    return masked_fill(count, count == 0, 1)


@both
def scattered_self(
    grad: Array, self: Array, dim: int, index: Array, src: Array, reduce: str, include_self: bool, result: Array
) -> Array:
    if reduce == "sum":
        out = grad
    elif reduce == "mean":
        out = grad / arrivals(grad, dim, index, src, include_self)
    elif reduce == "prod":
        filled = masked_fill(self, self == 0, 1)
        out = grad * scatter_reduce(filled, dim, index, src, reduce, include_self) / filled
    else:
        need_derivative(reduce)
        mine, _, count = shares(self, dim, index, src, result)
        out = mine * (grad / count)
    return out if include_self else scatter_value(out, dim, index, 0)


@both
def scattered_src(
    grad: Array, self: Array, dim: int, index: Array, src: Array, reduce: str, include_self: bool, result: Array
) -> Array:
    if reduce == "sum":
        return gather(grad, dim, index)
    if reduce == "mean":
        return gather(grad, dim, index) / gather(arrivals(grad, dim, index, src, include_self), dim, index)
    if reduce == "prod":
        return product_src(grad, self, dim, index, src, include_self, result)
    need_derivative(reduce)
    _, theirs, count = shares(self, dim, index, src, result)
    return theirs * gather(grad / count, dim, index)


def once_only(out: Any, zeros_met: Any, name: str, source: str) -> Any:
    """`out`, which torch does not differentiate again where several zeros met."""
    if not np.any(zeros_met.data_ > 1):
        return out
    from ..autograd.function_node import refusing

    text = f"{name}(): Double backward is unsupported for {source} when >1 zeros in {source} are scattered to the same "
    return refusing([out], text + "position in self")[0]


helper(once_only, lambda out, *_: out)


@both
def product_src(
    grad: Array, self: Array, dim: int, index: Array, src: Array, include_self: bool, result: Array
) -> Array:
    """The product of the others: by division, except where a single zero is among them."""
    need_shape(src, index)
    zero = src == 0
    zeros_met = gather(scatter_add(zeros_as(self), dim, index, in_kind_of(zero, self)), dim, index)
    alone = zero & (zeros_met == 1)
    others = scatter_reduce(self, dim, index, masked_fill(src, alone, 1), "prod", include_self)
    by_division = gather(grad * result, dim, index) / masked_fill(src, zero, 1)
    out = where(alone, gather(grad * others, dim, index), by_division)
    return once_only(out, zeros_met, "scatter_reduce", "src")
