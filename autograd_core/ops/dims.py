"""Dimensions as arguments: which ones are named, and the shapes before and after a reduction."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .. import errors
from ..op import both, helper
from ..tensor import Array

Dims = Sequence[int] | int | None


def wrap(dim: int, ndim: int) -> int:
    """`dim` counted from the front.

    Raises:
        IndexError: there is no such dimension.
    """
    reach = max(ndim, 1)
    if not -reach <= dim < reach:
        raise errors.dim_out_of_range(dim, ndim)
    return dim + reach if dim < 0 else dim


def existing(dim: int, ndim: int) -> int:
    """The same where a tensor without dimensions has not even the one that it is usually lent.

    Raises:
        IndexError: there is no such dimension.
    """
    if not ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return wrap(dim, ndim)


def axes(dim: Dims, ndim: int) -> tuple[int, ...]:
    """The axes that `dim` names, all of them for None or an empty list.

    Raises:
        IndexError: one does not exist.
        RuntimeError: one is named twice.
    """
    if dim is None or (not isinstance(dim, int) and len(dim) == 0):
        return tuple(range(ndim))
    named = [dim] if isinstance(dim, int) else list(dim)
    at = [wrap(d, ndim) for d in named]
    for d in at:
        if at.count(d) > 1:
            raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
    return tuple(at) if ndim else ()


@helper
def lengths(sizes: Sequence[int], dim: Dims) -> int:
    """How many elements each result is made of."""
    return math.prod(sizes[a] for a in axes(dim, len(sizes)))


@helper
def kept_shape(sizes: Sequence[int], dim: Dims) -> list[int]:
    """The shape after a reduction over `dim`, with the reduced axes kept as 1; those lent to no dimensions, too."""
    if not sizes:
        return [1] if isinstance(dim, int) else [1] * len(dim or ())
    gone = axes(dim, len(sizes))
    return [1 if i in gone else n for i, n in enumerate(sizes)]


@both
def unreduced(grad: Array, sizes: Sequence[int], dim: Any, keepdim: bool) -> Array:
    """`grad` with the reduced axes back as 1, in torch's steps: one unsqueeze each."""
    if keepdim or len(sizes) == 0 or dim is None or dim == []:
        return grad
    over = dim if isinstance(dim, list | tuple) else [dim]
    if len(over) == 1:
        return unsqueeze(grad, over[0])
    for axis in sorted(axes(dim, len(sizes))):
        grad = unsqueeze(grad, axis)
    return grad


helper(axes)
helper(wrap)
