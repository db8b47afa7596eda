"""torch.gather, torch.scatter and the like: what programs call to take from places of a tensor or to put there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import errors
from ..not_implemented import underived
from ..ops import indexing, join, scatter_gather
from ..ops.view import unsqueeze
from ..state import ask_room
from ..tensor import Tensor, plain
from ..transforms.batch import unseen
from ..warned import warn_once
from .indexing import to_write_by

OLD_REDUCTIONS = {"add": "sum", "multiply": "prod"}
OF_TENSORS = (
    "The reduce argument of torch.scatter with Tensor src is deprecated and will be removed in a future PyTorch "
    "release. Use torch.scatter_reduce instead for more reduction options."
)


def gather(input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Tensor:
    return scatter_gather.gather(input, dim, index, sparse_grad)


def index_fill(input: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    fill = indexing.index_fill_tensor if isinstance(value, Tensor) else indexing.index_fill
    return fill(input, dim, index, value)


def scatter(
    input: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None, reduce: str | None = None
) -> Tensor:
    src = value if src is None else src
    if reduce is not None:
        return underived("scatter", scatter_gather.scatter_reduce, *joined(input, dim, index, src, reduce))
    return (
        scatter_gather.scatter(input, dim, index, src)
        if isinstance(src, Tensor)
        else scatter_gather.scatter_value(input, dim, index, src)
    )


def joined(input: Tensor, dim: int, index: Tensor, src: Any, reduce: str) -> tuple[Any, ...]:
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


def index_put(input: Tensor, indices: Sequence[Tensor], values: Tensor, accumulate: bool = False) -> Tensor:
    return indexing.index_put(input, to_write_by(input, indices, values, accumulate), values, accumulate)


def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    if unseen(input):
        raise RuntimeError(errors.DYNAMIC.format("where" if as_tuple else "nonzero"))
    if as_tuple:
        return tuple(join.unbind(nonzero(input if input.data_.ndim else unsqueeze(input.detach(), 0)), 1))
    ask_room(input.data_.size, max(input.data_.ndim, 1))
    found = np.nonzero(np.atleast_1d(input.data_))
    return plain(np.stack(found).astype(np.int64).T if input.data_.ndim else np.zeros((len(found[0]), 0), np.int64))
