"""Writing parts into a copy, and taking them out of the flat memory. Formulas: PyTorch's derivatives.yaml."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import errors
from ..op import both, helper, op
from ..tensor import Array, plain
from .index import along, check_scatter, cut
from .shape import diagonal_window, wrap

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


@op("take", writes=1, tensors_only=True, self=lambda grad, self, index: put(zeros_as(self), index, grad, True))
def take(self: Array, index: Array) -> Array:
    if self.size == 0 and np.size(index):
        raise IndexError("take(): tried to take from an empty tensor")
    return np.ravel(self)[flat_places("take", index, self.size)]


@op(
    "put",
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
    from ..custom.node import refusing

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
