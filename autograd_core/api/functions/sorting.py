"""What programs call to sort, count and tell values apart, where it chooses among operators."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import errors
from ...dispatch.schema.guard import guard
from ...dispatch.schema.schema import composite
from ...engine.warnings import warn_once
from ...ops import cumulative, sorting
from ...tensor import dtypes
from ...tensor.strides import lies_in
from ...tensor.tensor import Tensor, plain
from .arguments import cast
from .indexing import nonzero
from .reduction import Extreme, name_of

KTHVALUE = name_of("kthvalue")

SCATTERED = (
    "torch.searchsorted(): {0} tensor is non-contiguous, this will lower the performance due to extra data copy when "
    "converting non-contiguous tensor to contiguous, please use contiguous {0} tensor if possible. This message will "
    "only appear once per program."
)


@composite("""
    kthvalue(Tensor self, SymInt k, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices): function \
        method out
    """)
def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> Extreme:
    """The `k`-th smallest along `dim`, and its place."""
    return KTHVALUE(*sorting.kthvalue(input, k, dim, keepdim))


@composite("logcumsumexp(Tensor self, int dim) -> Tensor: function method out")
def logcumsumexp(input: Tensor, dim: int) -> Tensor:
    return cumulative.logcumsumexp(input, dim)


def unique_results(found: Any, inverse: bool, counts: bool) -> Any:
    """The distinct values, with what else was asked for."""
    values, places, how_often = found
    parts = [values, *([places] if inverse else []), *([how_often] if counts else [])]
    return parts[0] if len(parts) == 1 else tuple(parts)


def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """The distinct values of `input` (with `dim`: its distinct slices) in order."""
    wanted = {"sorted": sorted, "return_inverse": return_inverse, "return_counts": return_counts}
    found = values_once(input, **wanted) if dim is None else slices_once(input, dim, **wanted)
    return unique_results(found, return_inverse, return_counts)


def unique2(input: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False) -> Any:
    """The distinct values, and all that may be asked of them."""
    return sorting.unique(input)


def unique_dim(
    input: Tensor, dim: int, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False
) -> Any:
    """The distinct slices, and all that may be asked of them."""
    return sorting.unique_dim(input, dim)


values_once: Any = guard("torch", "_unique2", unique2)
slices_once: Any = guard("torch", "unique_dim", unique_dim)


def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """The values of `input`, each run of equal ones as one."""
    found = runs_once(input, return_inverse=return_inverse, return_counts=return_counts, dim=dim)
    return unique_results(found, return_inverse, return_counts)


def every_run(input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None) -> Any:
    """The values of runs, and all that may be asked of them."""
    return sorting.unique_consecutive(input, dim)


runs_once: Any = guard("torch", "_unique_consecutive", every_run)


@composite("bincount(Tensor self, Tensor? weights=None, SymInt minlength=0) -> Tensor: function method")
def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often each whole number occurs.

    Raises:
        RuntimeError: `input` is not 1-d, or holds a negative number.
    """
    return sorting.bincount(input, weights, minlength)


@composite("histc(Tensor self, int bins=100, Scalar min=0, Scalar max=0) -> Tensor: function method out")
def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    return sorting.histc(input, bins, min, max)


@composite("""
    searchsorted.Tensor(Tensor sorted_sequence, Tensor self, *, bool out_int32=False, bool right=False, str? \
        side=None, Tensor? sorter=None) -> Tensor: function out
    searchsorted.Scalar(Tensor sorted_sequence, Scalar self, *, bool out_int32=False, bool right=False, str? \
        side=None, Tensor? sorter=None) -> Tensor: function out
    """)
def searchsorted(
    sorted_sequence: Tensor,
    input: Any,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
) -> Tensor:
    """Where each of `input` would be put in, so that the order stays; `sorter` has the places in that order."""
    if side not in (None, "left", "right"):
        raise RuntimeError(f"torch.searchsorted(): side can only be 'left' or 'right' but got {side}")
    if side == "left" and right:
        raise RuntimeError(
            "torch.searchsorted(): side and right can't be set to opposites, got side of left while right was True"
        )
    for what, given in (("input value", input), ("boundary", sorted_sequence), ("sorter", sorter)):
        if isinstance(given, Tensor) and not lies_in(given.data_, None):
            warn_once(f"non-contiguous {what}", SCATTERED.format(what))
    if sorter is not None:
        sorted_sequence = plain(np.take_along_axis(sorted_sequence.data_, in_order(sorter, sorted_sequence), -1))
    sought = input if isinstance(input, Tensor) else plain(sorted_sequence.data_.dtype.type(input))
    found = sorting.searchsorted(sorted_sequence, sought, right or side == "right")
    return cast(found, dtypes.int32) if out_int32 else found


def in_order(sorter: Tensor, sequence: Tensor) -> Any:
    """The places in `sorter`.

    Raises:
        RuntimeError: there are not as many, they are no whole numbers, or not in the sequence.
    """
    places, shape = sorter.data_, sequence.data_.shape
    if places.shape != shape:
        raise RuntimeError(
            "torch.searchsorted(): boundary and sorter must have the same size, but got boundary tensor "
            f"{errors.sizes(shape)}and got sorter tensor {errors.sizes(places.shape)}"
        )
    if places.dtype != np.int64:
        raise RuntimeError(
            "torch.searchsorted(): sorter must be a tensor of long dtype but got dtype "
            f"{errors.type_name(places.dtype)}"
        )
    if places.size and not 0 <= places.min() <= places.max() < shape[-1]:
        raise RuntimeError("torch.searchsorted(): sorter index out of range")
    return places


@composite("""
    bucketize.Tensor(Tensor self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor: function out
    bucketize.Scalar(Scalar self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor: function
    """)
def bucketize(input: Any, boundaries: Tensor, *, out_int32: bool = False, right: bool = False) -> Tensor:
    if boundaries.data_.ndim != 1:
        raise RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({boundaries.data_.ndim})")
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)


@composite("""
    isin.Tensor_Tensor(Tensor elements, Tensor test_elements, *, bool assume_unique=False, bool invert=False) -> \
        Tensor: function out
    isin.Scalar_Tensor(Scalar element, Tensor test_elements, *, bool assume_unique=False, bool invert=False) -> \
        Tensor: function out
    isin.Tensor_Scalar(Tensor elements, Scalar test_element, *, bool assume_unique=False, bool invert=False) -> \
        Tensor: function out
    """)
def isin(elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False) -> Tensor:
    given = [x if isinstance(x, Tensor) else plain(np.asarray(x)[()]) for x in (elements, test_elements)]
    return sorting.isin(*given, invert)


@composite("argwhere(Tensor self) -> Tensor: function method")
def argwhere(input: Tensor) -> Tensor:
    """The places of what is not zero, a row each."""
    found: Tensor = nonzero(input)
    return found


@composite("isreal(Tensor self) -> Tensor: function method")
def isreal(input: Tensor) -> Tensor:
    return plain(np.isreal(input.data_))


@composite("is_signed(Tensor self) -> bool: function method")
def is_signed(input: Tensor) -> bool:
    return input.data_.dtype.kind in "ifc"


@composite("is_nonzero(Tensor self) -> bool: function method")
def is_nonzero(input: Tensor) -> bool:
    """Whether the one element is not zero.

    Raises:
        RuntimeError: there is none, or more than one.
    """
    if input.data_.size != 1:
        what = "no values" if input.data_.size == 0 else "more than one value"
        raise RuntimeError(f"Boolean value of Tensor with {what} is ambiguous")
    return bool(input.data_.reshape(())[()])
