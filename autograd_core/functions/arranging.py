"""Functions that arrange elements: stacks, grids, repetitions, splits, parts written into copies.

What torch composes of several operators is composed of the same ones here, so that the graph is the same.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import errors
from ..inplace import in_place
from ..ops import arrange, gathering, scattering
from ..ops import elementwise as e
from ..ops import index as i
from ..ops import shape as s
from ..state import state
from ..tensor import Tensor, plain
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
    return s.reshape(tensor, [1]) if tensor.data_.ndim == 0 else tensor


def two_dimensions(tensor: Tensor) -> Tensor:
    if tensor.data_.ndim == 0:
        return s.reshape(tensor, [1, 1])
    return s.unsqueeze(tensor, 0) if tensor.data_.ndim == 1 else tensor


def three_dimensions(tensor: Tensor) -> Tensor:
    if tensor.data_.ndim == 0:
        return s.reshape(tensor, [1, 1, 1])
    if tensor.data_.ndim == 1:
        return s.unsqueeze(s.unsqueeze(tensor, 0), -1)
    return s.unsqueeze(tensor, -1) if tensor.data_.ndim == 2 else tensor


atleast_1d = each("atleast_1d", one_dimension)
atleast_2d = each("atleast_2d", two_dimensions)
atleast_3d = each("atleast_3d", three_dimensions)


def hstack(tensors: Sequence[Tensor]) -> Tensor:
    rows = [one_dimension(t) for t in tensor_list("hstack", tensors)]
    return s.cat(rows, 0 if rows[0].data_.ndim == 1 else 1)


def vstack(tensors: Sequence[Tensor]) -> Tensor:
    return s.cat([two_dimensions(t) for t in tensor_list("vstack", tensors)], 0)


def dstack(tensors: Sequence[Tensor]) -> Tensor:
    return s.cat([three_dimensions(t) for t in tensor_list("dstack", tensors)], 2)


def column_stack(tensors: Sequence[Tensor]) -> Tensor:
    columns = tensor_list("column_stack", tensors)
    return hstack([s.reshape(t, [t.data_.size, 1]) if t.data_.ndim <= 1 else t for t in columns])


def block_diag(*tensors: Tensor) -> Tensor:
    return arrange.block_diag(list(tensors))


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
        line = s.view(t, [-1 if d == at else 1 for d in range(len(given))])
        grids.append(s.expand(line, shape))
    if swap:
        grids[:2] = grids[1::-1]
    return tuple(grids)


def warn_of_indexing() -> None:
    if "meshgrid" not in state.warned:
        state.warned.add("meshgrid")
        warnings.warn(
            "torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument.",
            UserWarning,
            stacklevel=3,
        )


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
    return s.stack([s.reshape(grid, [grid.data_.size]) for grid in meshgrid(*given, indexing="ij")], 1)


# ---- repetitions and turns


def broadcast_to(input: Tensor, *size: Any) -> Tensor:
    return s.expand(input, sizes_of(size))


def broadcast_tensors(*tensors: Tensor) -> tuple[Tensor, ...]:
    check_tensors(tensors)
    shapes = [t.data_.shape for t in tensors]
    text = errors.broadcast(shapes)
    if text is not None:
        raise RuntimeError(text)
    shape = list(np.broadcast_shapes(*shapes))
    return tuple(t if list(t.data_.shape) == shape else s.expand(t, shape) for t in tensors)


def repeat_interleave(
    input: Tensor, repeats: Any = None, dim: int | None = None, *, output_size: int | None = None
) -> Tensor:
    """Each element, or each slice along `dim`, `repeats` times."""
    if repeats is None:
        return plain(np.repeat(np.arange(input.data_.size), input.data_))
    if dim is None:
        input = input if input.data_.ndim == 1 else s.reshape(input, [input.data_.size])
    at = s.wrap(dim or 0, input.data_.ndim)
    if isinstance(repeats, Tensor):
        return repeated_each(input, repeats, at)
    if repeats < 0:
        raise RuntimeError("Repeats must be non-negative")
    shape = list(input.data_.shape)
    wide = s.expand(s.unsqueeze(input, at + 1), [*shape[: at + 1], repeats, *shape[at + 1 :]])
    shape[at] *= repeats
    return s.reshape(s.clone(wide, True), shape)


def repeated_each(input: Tensor, repeats: Tensor, at: int) -> Tensor:
    counts = np.asarray(repeats.data_)
    if counts.ndim > 1:
        raise RuntimeError("repeats must be 0-dim or 1-dim tensor")
    if counts.dtype not in (np.int64, np.int32):
        raise RuntimeError("repeats has to be Long or Int tensor")
    if counts.size and counts.min() < 0:
        raise RuntimeError("repeats can not be negative")
    length = input.data_.shape[at]
    if counts.size not in (1, length):
        raise RuntimeError(
            "repeats must have the same size as input along dim, but got repeats.size(0) = "
            f"{counts.size} and input.size({at}) = {length}"
        )
    places = np.repeat(np.arange(length), np.broadcast_to(counts.ravel(), (length,)))
    return i.index_select(input, at, plain(places))


def rot90(input: Tensor, k: int = 1, dims: Sequence[int] = (0, 1)) -> Tensor:
    return arrange.rot90(input, k, list(dims))


def fliplr(input: Tensor) -> Tensor:
    if input.data_.ndim < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return s.flip(input, [1])


def flipud(input: Tensor) -> Tensor:
    if input.data_.ndim < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return s.flip(input, [0])


# ---- parts


def tensor_split(input: Tensor, indices_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Parts of nearly equal length, or those between the given places."""
    if input.data_.ndim == 0:
        raise RuntimeError("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")
    at = s.wrap(dim, input.data_.ndim)
    length = input.data_.shape[at]
    if isinstance(indices_or_sections, Tensor):
        indices_or_sections = named_places(indices_or_sections)
    if isinstance(indices_or_sections, int):
        sections = indices_or_sections
        if sections <= 0:
            raise RuntimeError(f"number of sections must be larger than 0, got {sections}")
        small, more = divmod(length, sections)
        ends = [min(k, more) + k * small for k in range(1, sections + 1)]
    else:
        ends = [*indices_or_sections, length]
    starts = [0, *ends[:-1]]
    return tuple(s.slice_(input, at, *clipped(a, b, length), 1) for a, b in zip(starts, ends, strict=True))


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
    if isinstance(sections, int) and (sections <= 0 or length % sections):
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
    result = s.cat(parts, dim) if len(parts) > 1 else input
    if n == 0:
        return in_place(e.copy, plain(np.zeros_like(result.data_)), result)
    at = s.wrap(dim, input.data_.ndim)
    for _ in range(min(n, result.data_.shape[at])):
        length = result.data_.shape[at]
        earlier = s.slice_(result, dim, 0, length - 1, 1)  # torch makes it first
        later = s.slice_(result, dim, 1, length, 1)
        result = e.bitwise_xor(later, earlier) if input.data_.dtype.kind == "b" else e.sub(later, earlier)
    return result


def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    """The elements that `indices` names along `dim`, of all in a row without it."""
    if dim is None:
        flat = s.reshape(input, [input.data_.size])
        return i.gather(flat, 0, s.reshape(indices, [indices.data_.size]))
    if input.data_.ndim != indices.data_.ndim:
        raise RuntimeError(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, but got "
            f"{input.data_.ndim} dimensions for input, and {indices.data_.ndim} dimensions for indices"
        )
    if indices.data_.dtype != np.int64:
        raise RuntimeError("torch.take_along_dim(): dtype of indices should be Long but got " + kind_of(indices))
    at = s.wrap(dim, input.data_.ndim)
    mine, theirs = list(input.data_.shape), list(indices.data_.shape)
    shape = list(
        np.broadcast_shapes(tuple(mine[:at] + [1] + mine[at + 1 :]), tuple(theirs[:at] + [1] + theirs[at + 1 :]))
    )
    wide = s.expand(input, [*shape[:at], mine[at], *shape[at + 1 :]])
    return i.gather(wide, at, s.expand(indices, [*shape[:at], theirs[at], *shape[at + 1 :]]))


def kind_of(tensor: Tensor) -> str:
    return errors.type_name(tensor.data_.dtype)


def select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    return scattering.select_scatter(input, src, dim, index)


def slice_scatter(
    input: Tensor, src: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Tensor:
    return scattering.slice_scatter(input, src, dim, start, end, step)


def diagonal_scatter(input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    return scattering.diagonal_scatter(input, src, offset, dim1, dim2)


def index_reduce(
    input: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """Slices of `source` that meet those of `input` at an index: their product, mean or extreme."""
    warn_of_beta()
    return gathering.index_reduce(input, dim, index, source, reduce, include_self)


def warn_of_beta() -> None:
    if "index_reduce" not in state.warned:
        state.warned.add("index_reduce")
        warnings.warn("index_reduce() is in beta and the API may change at any time.", stacklevel=3)


def scatter_reduce(
    input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    return scattering.scatter_reduce(input, dim, index, src, reduce, include_self)
