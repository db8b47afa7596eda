"""What operators of all families share: dimensions as arguments, dtypes that kernels refuse, checks of matrices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import errors
from ..dispatch.op import both, helper
from ..tensor.dtypes import default_kind
from ..tensor.tensor import Array, Tensor

# ---- the order of a product's sides


@helper
def after(right: Any, left: Any) -> Any:
    """`left * right`, where `right` is computed first.

    Note [Right before left]. C++ leaves open which side of `a * b` is computed first. Where torch begins with the right
    one and both sides make nodes, the numbers of the nodes tell. `after(b, a)` is such a product: `b`, then `a`.
    """
    return left * right


# ---- dimensions as arguments


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
def restore_dims(grad: Array, sizes: Sequence[int], dim: Any, keepdim: bool) -> Array:
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


# ---- complex numbers


def conjugate(data: Any) -> Any:
    """The conjugate of an array or number; itself if it is real."""
    kind = data.__class__
    if kind is not np.ndarray and not isinstance(data, np.generic):
        return data.conjugate() if kind is complex else data
    return data.conjugate() if data.dtype.kind == "c" else data


# ---- dtypes in kernels


def refuse(kernel: str, kinds: str, *operands: Array) -> None:
    """Whether `kernel` has code for the dtype of `operands`; `kinds` are numpy's kinds of those that it has none for.

    Raises:
        NotImplementedError: it has none.
        ValueError: the shapes do not broadcast.
    """
    kind = operands[0].dtype
    if kind.kind in kinds:
        np.broadcast_shapes(*(np.shape(data) for data in operands))
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{errors.type_name(kind)}'")


def beside(data: Array, number: float) -> Array:
    """`data` in the dtype that it has in a calculation with a Python number."""
    if data.dtype.kind in "biu" and isinstance(number, float):
        return data.astype(default_kind())
    return data.astype(np.int64) if data.dtype.kind == "b" and not isinstance(number, bool) else data


# ---- what linear algebra asks of its operands


def check_square(name: str, A: Any, what: str = "A") -> None:
    """Whether A is a square matrix of floats, or a batch of them.

    Raises:
        RuntimeError: it is not, in torch's words.
    """
    check_matrix(name, A, what)
    rows, columns = A.data_.shape[-2:]
    if rows != columns:
        raise RuntimeError(
            f"{name}: {what} must be batches of square matrices, but they are {rows} by {columns} matrices"
        )


def check_matrix(name: str, A: Any, what: str = "A") -> None:
    if A.data_.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor {what} must have at least 2 dimensions.")


def check_floating(name: str, A: Any) -> None:
    if A.data_.dtype.kind not in "fc":
        raise RuntimeError(
            f"{name}: Expected a floating point or complex tensor as input. Got {errors.type_name(A.data_.dtype)}"
        )


def need(name: str, A: Any, what: str = "A", position: int = 1) -> None:
    if not isinstance(A, Tensor):
        raise TypeError(errors.not_a_tensor(f"linalg_{name}", what, position, A))


def square(name: str, A: Any) -> None:
    need(name, A)
    check_square(f"linalg.{name}", A)
    check_floating(f"linalg.{name}", A)
