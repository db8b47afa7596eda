"""Writes at places that an index names, and the masks among them. Formulas: PyTorch's derivatives.yaml."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from .. import errors
from ..op import both, op
from ..tensor import Array
from .indices import places, together


@op(
    "_index_put_impl_",
    node="IndexPutImplBackward0",
    self=lambda grad, indices, accumulate: grad,
    values=lambda grad, indices, accumulate: index(grad, indices),
)
def index_put_impl(self: Array, indices: list[Array | None], values: Array, accumulate: bool = True) -> Array:
    """What the gradient of an index is made by, which always adds up."""
    out = np.array(self)
    np.add.at(out, places(indices, self.shape), values)
    return out


@op(
    "index_put",
    self=lambda grad, indices, accumulate: grad if accumulate else index_put(grad, indices, zero_value(grad), False),
    values=lambda grad, indices, accumulate: index(grad, indices),
)
def index_put(self: Array, indices: list[Array | None], values: Array, accumulate: bool = False) -> Array:
    out = np.array(self)
    at = together(places(indices, self.shape))
    if values.dtype != self.dtype and (accumulate or not by_mask(indices, values)):
        fits(out[at], values)
        names = errors.type_name(self.dtype), errors.type_name(values.dtype)
        raise RuntimeError(
            f"Index put requires the source and destination dtypes match, got {names[0]} for the destination and "
            f"{names[1]} for the source."
        )
    try:
        if accumulate:
            np.add.at(out, at, values)
        else:
            out[at] = values
    except ValueError:
        fits(out[at], values)
        raise
    return out


def fits(place: Array, values: Array) -> None:
    """Whether `values` broadcast to what an index finds.

    Raises:
        RuntimeError: they do not.
    """
    try:
        np.broadcast_to(values, place.shape)
    except ValueError:
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {errors.sizes(np.shape(values))} cannot be broadcast to indexing "
            f"result of shape {errors.sizes(place.shape)}"
        ) from None


def by_mask(indices: list[Array | None], values: Array) -> bool:
    """Whether one number is put wherever one mask says so: torch fills then, and brings it to the dtype it meets."""
    given = [index for index in indices if index is not None]
    return np.size(values) == 1 and len(given) == 1 and given[0].dtype.kind == "b"


@both
def zero_value(grad: Array) -> Array:
    return blank((), grad.dtype)


@op(
    "masked_scatter",
    self=lambda grad, mask: masked_fill(grad, mask, 0),
    source=lambda grad, mask, source_sym_sizes: masked_scatter_backward(grad, mask, source_sym_sizes),
)
def masked_scatter(self: Array, mask: Array, source: Array) -> Array:
    if self.dtype != source.dtype:
        names = errors.type_name(self.dtype), errors.type_name(source.dtype)
        raise RuntimeError(
            f"masked_scatter: expected self and source to have same dtypes but got{names[0]} and {names[1]}"
        )
    out = np.array(np.broadcast_to(self, np.broadcast_shapes(self.shape, mask.shape)))
    chosen = np.broadcast_to(mask, out.shape)
    count = np.count_nonzero(chosen)
    if np.size(source) < count:
        raise RuntimeError("Number of elements of source < number of ones in mask")
    out[chosen] = np.ravel(source)[:count]
    return out


@op(
    "masked_scatter_backward",
    grad_output=lambda grad, mask, grad_output_shape_: masked_scatter(
        blank(grad_output_shape_, grad.dtype), mask, grad
    ),
)
def masked_scatter_backward(grad_output: Array, mask: Array, sizes: Sequence[int]) -> Array:
    """What came from the source, in order; what was left of it gets nothing."""
    out = np.zeros(math.prod(sizes), grad_output.dtype)
    found = grad_output[np.broadcast_to(mask, grad_output.shape)]
    out[: found.size] = found
    return out.reshape(sizes)
