"""Reading and writing by indices and masks: index, index_put, index_select, index_add, masked_select, masked_scatter.

Formulas: PyTorch's derivatives.yaml.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import errors
from ..dispatch.op import both, helper, op
from ..tensor import dtypes
from ..tensor.memory_overlap import by_mask
from ..tensor.strides import Steps, iterated_steps, of_rows, with_strides
from ..tensor.tensor import Array, Tensor, plain
from ._common import wrap

# ---- indices as numpy takes them, checked in torch's words


Places = Sequence[Any]


def places(indices: Places, shape: Sequence[int]) -> tuple[Any, ...]:
    """The indices as numpy takes them: None stands for a whole dimension; checked in torch's words.

    Torch brings the dimensions that are indexed to the front, and numbers them there.
    """
    at: list[Any] = []
    axis = number = 0
    count = sum(index is None or np.asarray(index).dtype.kind != "b" or np.ndim(index) > 0 for index in indices)
    if count > len(shape):
        raise IndexError(f"too many indices for tensor of dimension {len(shape)} (got {count})")
    for index in indices:
        if index is None:
            at.append(slice(None))
            axis += 1
            continue
        data = np.asarray(index)
        if data.dtype.kind == "b":
            for k, n in enumerate(data.shape):
                if axis + k >= len(shape) or shape[axis + k] != n:
                    raise IndexError(
                        f"The shape of the mask {errors.sizes(data.shape)} at index {k} does not match the shape of "
                        "the indexed "
                        f"tensor {errors.sizes(shape)} at index {axis + k}"
                    )
            at.extend(np.nonzero(data))
            axis += data.ndim
            number += data.ndim
            continue
        size = shape[axis]
        wrong = data[(data >= size) | (data < -size)] if data.size else data
        if data.size and not size:
            raise IndexError("index is out of bounds for dimension with size 0")
        if wrong.size:
            raise IndexError(f"index {int(wrong.flat[0])} is out of bounds for dimension {number} with size {size}")
        at.append(data)
        axis += 1
        number += 1
    return tuple(at)


def together(at: tuple[Any, ...]) -> tuple[Any, ...]:
    """The indices `at`, if they broadcast.

    Raises:
        IndexError: they do not.
    """
    shapes = [index.shape for index in at if not isinstance(index, slice)]
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        shown = ", ".join(map(errors.sizes, shapes))
        raise IndexError(
            f"shape mismatch: indexing tensors could not be broadcast together with shapes {shown}"
        ) from None
    return at


def steps_found(self: Array, at: tuple[Any, ...], shape: Sequence[int]) -> Steps:
    """The strides of what indices find in `self`: torch goes over it and the indices element by element."""
    indexed = [axis for axis, index in enumerate(at) if not isinstance(index, slice)]
    rank = len(shape) - (self.ndim - len(indexed))
    first = indexed[0] if indexed[-1] - indexed[0] < len(indexed) else 0
    rest = np.moveaxis(self, indexed, range(len(indexed)))[(0,) * len(indexed)] if self.size else None
    if rest is None:
        return of_rows(shape)
    source = rest[(slice(None),) * first + (None,) * rank]
    after = self.ndim - len(indexed) - first
    wide = [np.reshape(at[axis], (*at[axis].shape, *(1,) * after)) for axis in indexed]
    return iterated_steps(shape, [source, *wide])


# ---- whether the places in an index exist


OF_DIMENSION = "index {place} is out of bounds for dimension {dim} with size {size}"
IN_SELF = "index out of range in self"
OF_DATA = "INDICES element is out of DATA bounds, id={place} axis_dim={size}"


def within(
    index: Array, size: int, dim: int, text: str = OF_DIMENSION, kind: Any = RuntimeError, least: int = 0
) -> None:
    """Whether all of `index` are from `least` on and below `size`, the length of dimension `dim`.

    Raises:
        Exception: one is not; of the `kind` and with the `text` given.
    """
    if index.size == 0:
        return
    wrong = np.ravel((index < least) | (index >= size))
    if wrong.any():
        raise kind(text.format(place=int(np.ravel(index)[wrong.argmax()]), dim=dim, size=size))


def check_selected(data: Array, index: Array, at: int, adding: bool = False) -> None:
    """`within` for index_select, and for index_add (`adding`), whose words hang on how torch goes through memory."""
    size = data.shape[at] if data.ndim else 1
    if adding and data.ndim > 1:
        within(index, size, at)
    elif adding or at == 0:
        within(index, size, at, IN_SELF, IndexError)
    else:
        within(index, size, at, OF_DATA)


def meet(self: Array, mask: Array) -> None:
    """Whether a mask and what it masks broadcast: torch names the size of the mask first.

    Raises:
        RuntimeError: they do not.
    """
    if mask.shape != self.shape and (text := errors.broadcast((mask.shape, self.shape))) is not None:
        raise RuntimeError(text)


# ---- reading and writing by indices


@op("index.Tensor", writes=1, self=lambda grad, self_sym_sizes, indices: index_backward(grad, self_sym_sizes, indices))
def index(self: Array, indices: list[Array | None]) -> Array:
    at = together(places(indices, self.shape))
    found = self[at]
    in_rows = all(part.flags.c_contiguous for part in (self, *at) if isinstance(part, np.ndarray))
    return with_strides(found, of_rows(found.shape) if in_rows else steps_found(self, at, found.shape))


@both
def index_backward(grad: Array, sizes: Sequence[int], indices: list[Array]) -> Array:
    return index_put_impl(blank(sizes, grad.dtype), indices, grad)


@op(
    "index_select(Tensor self, int dim, Tensor index) -> Tensor: function method out",
    writes=1,
    self=lambda grad, self_sym_sizes, dim, index: index_select_backward(grad, self_sym_sizes, dim, index),
)
def index_select(self: Array, dim: int, index: Array) -> Array:
    if np.ndim(index) > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    if index.dtype.kind not in "iu" or index.itemsize < 4:
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    at = wrap(dim, self.ndim)
    check_selected(self, index, at)
    return np.take(self, np.atleast_1d(index), at) if self.ndim else self


@both
def index_select_backward(grad: Array, sizes: Sequence[int], dim: int, index: Array) -> Array:
    return index_add(blank(sizes, grad.dtype), dim, index, grad)


@op(
    """
    index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor: function method \
        method_ out
    """,
    self=lambda grad: grad,
    source=lambda grad, dim, index, source, source_dim, alpha: scale_by(
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
    check_selected(self, index, axis, adding=True)
    out = np.array(self)
    at = (slice(None),) * axis + (np.atleast_1d(index),)
    np.add.at(np.atleast_1d(out), at, source if alpha == 1 else source * np.asarray(alpha).astype(source.dtype))  # type: ignore[arg-type]
    return out


@op(
    "index_copy(Tensor self, int dim, Tensor index, Tensor source) -> Tensor: function method method_ out",
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
    return fill_along(self, dim, index, dtypes.fitting(value, self.dtype))


def fill_along(self: Array, dim: int, index: Array, value: Any) -> Array:
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
    return fill_along(self, dim, index, value)


@helper
def once(index: Any) -> Any:
    """The places of `index`, each one time."""
    return plain(np.unique(index.data_)) if isinstance(index, Tensor) else np.unique(index)


@op(
    "masked_select(Tensor self, Tensor mask) -> Tensor: function method out",
    writes=1,
    self=lambda grad, self, mask: masked_select_backward(grad, self, mask),
)
def masked_select(self: Array, mask: Array) -> Array:
    if mask.dtype.kind != "b":
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    meet(self, mask)
    a, b = np.broadcast_arrays(self, mask)
    return a[b]


@both
def masked_select_backward(grad: Array, self: Array, mask: Array) -> Array:
    return masked_scatter(zeros_as(self), mask, grad)


# ---- writes at places, and masks


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
