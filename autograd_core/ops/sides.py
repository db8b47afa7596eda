"""Products of two matrices over arrays, and the gradients of both sides, laid out in memory as those are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import arithmetic
from ..op import both, helper
from ..tensor import Array


@both
def mm_left(grad: Array, mat2: Array, sizes: Sequence[int], strides: Sequence[int], alpha: Any) -> Array:
    """The gradient of the left matrix, laid out in memory as that is."""
    by_column = strides[0] == 1 and strides[1] == sizes[0]
    return scaled(t(mm(mat2, t(grad))) if by_column else mm(grad, t(mat2)), alpha)


@both
def mm_right(grad: Array, mat1: Array, sizes: Sequence[int], strides: Sequence[int], alpha: Any) -> Array:
    """The gradient of the right matrix, laid out in memory as that is."""
    by_column = strides[0] == 1 and strides[1] == sizes[0]
    return scaled(t(mm(t(grad), mat1)) if by_column else mm(t(mat1), grad), alpha)


def times(a: Array, b: Array) -> Array:
    """The product of two matrices; one without a sum keeps the sign of zeros."""
    return a.dot(b) if len(b) != 1 else without_sum(a, b)


def without_sum(a: Array, b: Array) -> Array:
    """The product of a column and a row, each element a single product.

    BLAS, which is quicker in large ones, adds it to zero, and so loses the sign of a zero.
    """
    if a.size * b.size >= arithmetic.LARGE and a.dtype is arithmetic.float32 and not (has_zero(a) or has_zero(b)):
        return a.dot(b)
    return a * b


def has_zero(data: Array) -> bool:
    return np.count_nonzero(data) < data.size


def mm_left_arrays(grad: Array, mat2: Array, sizes: Sequence[int], strides: Sequence[int], alpha: Any) -> Array:
    if strides[0] == 1 and strides[1] == sizes[0]:
        product = times(mat2, grad.T).T
    else:
        other = mat2.T
        product = grad.dot(other) if len(other) != 1 else without_sum(grad, other)
    return product if alpha == 1 else product * alpha


def mm_right_arrays(grad: Array, mat1: Array, sizes: Sequence[int], strides: Sequence[int], alpha: Any) -> Array:
    if strides[0] == 1 and strides[1] == sizes[0]:
        product = times(grad.T, mat1).T
    else:
        product = mat1.T.dot(grad) if len(grad) != 1 else without_sum(mat1.T, grad)
    return product if alpha == 1 else product * alpha


helper(mm_left, mm_left_arrays)
helper(mm_right, mm_right_arrays)
