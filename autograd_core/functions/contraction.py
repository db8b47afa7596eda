"""Sums of products over chosen dimensions: tensordot, inner, kron, cdist, in torch's own steps."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import errors
from ..ops import binary
from ..ops import view as view_ops
from ..ops._common import wrap
from ..ops.distance import cdist_forward, euclidean_dist, pdist_forward
from ..ops.matmul import dot, mm
from ..ops.reduction import sum_dim
from ..signatures.guarding import guarded
from ..signatures.out import written
from ..storage import new_storage
from ..tensor import Tensor
from ..unsupported import Unsupported
from .shaping import contiguous


def named_dims(dims: Any) -> tuple[list[int], list[int]]:
    """The dimensions that `tensordot(a, b, dims)` sums over, in each operand."""
    if isinstance(dims, Tensor):
        dims = dims.tolist() if dims.data_.ndim else int(dims)
    if isinstance(dims, int):
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        return list(range(-dims, 0)), list(range(dims))
    if not isinstance(dims, list | tuple):
        raise RuntimeError(
            "tensordot expects dims to be int or tuple[list[int], list[int]] or list[list[int]] containing two lists, "
            f"but got dims={dims}"
        )
    one, other = dims
    return [[d] if isinstance(d, int) else list(d) for d in (one, other)]  # type: ignore[return-value]


def tensordot(a: Tensor, b: Tensor, dims: Any = 2, out: Tensor | None = None) -> Any:
    """The product summed over the dimensions `dims` of both."""
    if out is not None:
        return written(out, (a, b, dims), {}, tensordot)
    for t in (a, b):
        if not isinstance(t, Tensor):
            raise AttributeError(f"'{type(t).__name__}' object has no attribute 'dim'")
    if isinstance(dims, Tensor) and dims.data_.size > 1 and len(dims) != 2:
        raise AssertionError(f"dims tensor must have size 2 in first dimension, got {len(dims)}")
    if isinstance(dims, int) and dims > min(a.data_.ndim, b.data_.ndim):
        raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
    return contract(a, b, *named_dims(dims))


def contract(a: Tensor, b: Tensor, over_a: list[int], over_b: list[int]) -> Tensor:
    if len(over_a) != len(over_b):
        raise RuntimeError("both dimension lists should have same length")
    if a.data_.dtype != b.data_.dtype:
        raise RuntimeError("both inputs should have same dtype")
    at_a, at_b = ([wrap(d, t.data_.ndim) for d in over] for t, over in ((a, over_a), (b, over_b)))
    summed = 1
    for one, other, i, k in zip(at_a, at_b, over_a, over_b, strict=True):
        n, n_b = a.data_.shape[one], b.data_.shape[other]
        if n_b == 1:
            a = sum_dim(a, [i], True)
        elif n == 1:
            b = sum_dim(b, [k], True)
        elif n != n_b:
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {n} in dim {i} and second has size {n_b} in "
                f"dim {k}"
            )
        summed *= a.data_.shape[one]
    free_a = [d for d in range(a.data_.ndim) if d not in at_a]
    free_b = [d for d in range(b.data_.ndim) if d not in at_b]
    shape = [a.data_.shape[d] for d in free_a] + [b.data_.shape[d] for d in free_b]
    rows, columns = (math.prod(t.data_.shape[d] for d in free) for t, free in ((a, free_a), (b, free_b)))
    if rows == columns == 1:
        left, right = view_ops.permute(a, free_a + over_a), view_ops.permute(b, over_b + free_b)
        right = flat(right)  # torch numbers the second before the first here
        return view_ops.reshape(dot(flat(left), right), shape)
    left = view_ops.reshape(view_ops.permute(a, free_a + over_a), [rows, summed])
    right = view_ops.reshape(view_ops.permute(b, over_b + free_b), [summed, columns])
    return view_ops.reshape(mm(left, right), shape)


def flat(tensor: Tensor) -> Tensor:
    return tensor if tensor.data_.ndim == 1 else view_ops.reshape(tensor, [tensor.data_.size])


def inner(input: Tensor, other: Tensor) -> Tensor:
    """The product summed over the last dimension of both."""
    if input.data_.ndim == 0 or other.data_.ndim == 0:
        return binary.mul(input, other)
    if input.data_.shape[-1] != other.data_.shape[-1]:
        shapes = errors.sizes(input.data_.shape), errors.sizes(other.data_.shape)
        raise RuntimeError(
            f"inner() the last dimension must match on both input tensors but got shapes {shapes[0]} and {shapes[1]}"
        )
    return contract(input, other, [-1], [-1])


def kron(input: Tensor, other: Tensor) -> Tensor:
    """Every element of `input` times all of `other`."""
    for position, (name, value) in enumerate((("input", input), ("other", other)), 1):
        if not isinstance(value, Tensor):
            raise TypeError(errors.not_a_tensor("kron", name, position, value))
    rank = max(input.data_.ndim, other.data_.ndim)
    one, two = ([1] * (rank - t.data_.ndim) + list(t.data_.shape) for t in (input, other))
    wide = [n for size in one for n in (size, 1)]
    narrow = [n for size in two for n in (1, size)]
    product = binary.mul(seen_as(input, wide), seen_as(other, narrow))
    return view_ops.unsafe_view(product, [a * b for a, b in zip(one, two, strict=True)])


def seen_as(tensor: Tensor, shape: list[int]) -> Tensor:
    """`tensor` in another shape over the same memory, though no view of it: its writes are counted apart."""
    shown = view_ops.unsafe_view(tensor, shape)
    shown.storage_ = new_storage()
    shown.storage_.address = tensor.shared_storage().address
    return shown


def cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: str = "use_mm_for_euclid_dist_if_necessary") -> Tensor:
    """The distance between each row of `x1` and each of `x2`."""
    if compute_mode not in MODES:
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode")
    found: Tensor = DISTANCES(x1, x2, p, MODES[compute_mode])
    return found


def distances(x1: Tensor, x2: Tensor, p: float, compute_mode: int | None = None) -> Tensor:
    for number, x in ((1, x1), (2, x2)):
        if x.data_.ndim < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, X{number} got: {x.data_.ndim}D")
    columns = x1.data_.shape[-1], x2.data_.shape[-1]
    if columns[0] != columns[1]:
        raise RuntimeError(f"X1 and X2 must have the same number of columns. X1: {columns[0]} X2: {columns[1]}")
    if p < 0:
        raise RuntimeError("cdist only supports non-negative p values")
    batch = errors.broadcast([x1.data_.shape[:-2], x2.data_.shape[:-2]]) if x1.data_.ndim + x2.data_.ndim > 4 else None
    if batch is not None:
        raise RuntimeError(batch)
    if p == 2 and by_product(x1, x2, compute_mode or 0):
        return euclidean(x1, x2)
    if x1.data_.shape[:-2] != x2.data_.shape[:-2]:
        raise Unsupported("cdist over batches of different shapes is not supported: expand them first")
    return cdist_forward(x1, x2, float(p))


MANY = 25
"""With more rows than this torch finds Euclidean distances by a product of matrices, unless it is told not to."""


def by_product(x1: Tensor, x2: Tensor, compute_mode: int) -> bool:
    rows = max(x1.data_.shape[-2], x2.data_.shape[-2])
    return bool(x1.data_.size and x2.data_.size) and (compute_mode == 1 or compute_mode == 0 and rows > MANY)


def euclidean(x1: Tensor, x2: Tensor) -> Tensor:
    """The same over one batch, whatever the batches were."""
    for number, x in ((1, x1), (2, x2)):
        if x.data_.dtype.kind != "f":
            kind = errors.type_name(x.data_.dtype)
            raise RuntimeError(f"cdist only supports floating-point dtypes, X{number} got: {kind}")
    shapes = x1.data_.shape, x2.data_.shape
    batch = np.broadcast_shapes(shapes[0][:-2], shapes[1][:-2])
    size = math.prod(batch)
    kinds = x1.data_.dtype, x2.data_.dtype
    if kinds[0] != kinds[1] and size == 1:
        names = [errors.C_NAMES[kind.name] for kind in kinds]
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {names[0]} != {names[1]}")
    if kinds[0] != kinds[1]:
        names = [errors.type_name(kind) for kind in kinds]
        raise RuntimeError(f"expected scalar type {names[0]} but found {names[1]}")
    if size != 1:
        x1, x2 = (
            view_ops.view(contiguous(view_ops.expand(x, (*batch, *shape[-2:]))), (size, *shape[-2:]))
            for x, shape in zip((x1, x2), shapes, strict=True)
        )
    return view_ops.view(euclidean_dist(x1, x2), (*batch, shapes[0][-2], shapes[1][-2]))


def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """The distance between each pair of rows of `input`."""
    if input.data_.ndim != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input.data_.ndim}D")
    if input.data_.dtype.kind != "f":
        raise RuntimeError("pdist only supports floating-point dtypes")
    if not p >= 0:
        raise RuntimeError("pdist only supports non-negative p values")
    return pdist_forward(contiguous(input), float(p))


MODES = {
    "use_mm_for_euclid_dist_if_necessary": None,
    "use_mm_for_euclid_dist": 1,
    "donot_use_mm_for_euclid_dist": 2,
}
DISTANCES: Any = guarded("torch", "_cdist", distances)


__all__ = ["cdist", "inner", "kron", "pdist", "tensordot"]
