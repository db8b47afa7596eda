"""Norms of vectors, over all dimensions or some. Formulas: PyTorch's FunctionsManual.cpp."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import errors
from ..inplace import in_place
from ..op import GRAPH, RAW, both, helper, op
from ..tensor import Array
from .dims import Dims, axes, unreduced


@both
def norm_backward(grad: Array, self: Array, result: Array, order: float, dim: Any, keepdim: bool) -> Array:
    sizes = self.shape
    if dim is not None:
        grad, result = unreduced(grad, sizes, dim, keepdim), unreduced(result, sizes, dim, keepdim)
    if order == 0:
        return None
    if order == 1:
        return sgn(self) * grad
    if order == 2:
        return grad * zeroed(self / result, result == 0)
    if order in (float("inf"), float("-inf")):
        hit = abs(self) == result
        over = list(range(len(sizes))) if dim is None else dim
        return sgn(self) * (grad / sum_dim(hit, over, True) * hit)
    if order < 1:
        return sgn(self) * zeroed(raised(abs(self), order - 1), self == 0) * grad * pow_scalar(result, 1 - order)
    own = sgn(self) * raised(abs(self), order - 1) if order < 2 else self * raised(abs(self), order - 2)
    return own * zeroed(grad / pow_scalar(result, order - 1), result == 0)


def zeroed(values: Any, where: Any) -> Any:
    """`values` with zeros written over some of them, as torch does in place; versions tell."""
    return in_place(GRAPH["masked_fill"], values, where, 0)


def raised(values: Any, exponent: float) -> Any:
    """`values` with their power written over them."""
    return in_place(GRAPH["pow_scalar"], values, exponent)


helper(zeroed, lambda values, where: np.where(where, values.dtype.type(0), values)[()])
helper(raised, lambda values, exponent: RAW["pow_scalar"](values, exponent))


@op(
    "linalg_vector_norm",
    node="LinalgVectorNormBackward0",
    self=lambda grad, self, result, ord, dim, keepdim: norm_backward(grad, self, result, ord, dim, keepdim),
)
def vector_norm(self: Array, ord: float = 2, dim: Dims = None, keepdim: bool = False) -> Array:
    if self.dtype.kind != "f":
        kind = errors.type_name(self.dtype)
        raise RuntimeError(f"linalg.vector_norm: Expected a floating point or complex tensor as input. Got {kind}")
    over = axes(dim, np.ndim(self))
    if self.size == 0 and (ord < 0 or ord == math.inf):
        raise RuntimeError(
            f"linalg.vector_norm cannot compute the {ord} norm on an empty tensor because the operation does not have "
            "an identity"
        )
    size = np.abs(self)
    if ord in (float("inf"), float("-inf")):
        return (np.max if ord > 0 else np.min)(size, axis=over, keepdims=keepdim)
    if ord == 2:
        return np.sqrt(np.add.reduce(size * size, axis=over, keepdims=keepdim))  # type: ignore[call-overload]
    if ord == 1:
        return np.add.reduce(size, axis=over, keepdims=keepdim)  # type: ignore[call-overload]
    if ord == 0:
        return np.add.reduce((size != 0).astype(self.dtype), axis=over, keepdims=keepdim)  # type: ignore[call-overload]
    total = np.add.reduce(np.power(size, self.dtype.type(ord)), axis=over, keepdims=keepdim)  # type: ignore[call-overload]
    return np.power(total, self.dtype.type(1 / ord))


@op(
    "norm.ScalarOpt_dim",
    nr=1,
    self=lambda grad, self, result, p, dim, keepdim: norm_backward(grad, self, result, p, dim, keepdim),
)
def norm_dim(self: Array, p: float, dim: Dims, keepdim: bool = False) -> Array:
    """The older norm, which pairwise_distance takes."""
    return RAW["vector_norm"](self, p, dim, keepdim)


@op(
    "_weight_norm_interface",
    outputs=("result0", "result1"),
    differentiable=("result0",),
    v=lambda grad, v, g, result1, dim: weight_norm_direction(grad, v, g, result1, dim),
    g=lambda grad, v, g, result1, dim: weight_norm_length(grad, v, g, result1, dim),
)
def weight_norm_interface(v: Array, g: Array, dim: int) -> tuple[Array, Array]:
    """`v` in the lengths `g` for each place along its first or last dimension, and the lengths that it had."""
    norms = np.sqrt(np.add.reduce(v * v, axis=tuple(d for d in range(v.ndim) if d != dim), keepdims=True))
    return v * (g / norms), norms


@both
def weight_norm_sums(grad: Array, v: Array, norms: Array, dim: int) -> Array:
    rows = grad * v
    if dim == 0:
        return reshape(sum_dim(reshape(rows, [v.shape[0], -1]), [1], False), norms.shape)
    return reshape(sum_dim(reshape(rows, [-1, v.shape[-1]]), [0], False), norms.shape)


@both
def weight_norm_direction(grad: Array, v: Array, g: Array, norms: Array, dim: int) -> Array:
    sums = weight_norm_sums(grad, v, norms, dim)
    return (g / norms) * (grad - v * (sums / (norms * norms)))


@both
def weight_norm_length(grad: Array, v: Array, g: Array, norms: Array, dim: int) -> Array:
    return weight_norm_sums(grad, v, norms, dim) / norms
