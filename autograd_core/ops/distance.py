"""Distances: dist, cdist, pdist. Formulas: PyTorch's derivatives.yaml and DistanceOpsKernel.cpp."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import errors
from ..dispatch.op import both, op
from ..tensor.tensor import Array
from ..tensor.type_promotion import without_bools
from ._common import refuse
from .fused_backward import joint

# ---- the rows of one set


def pairs(rows: int) -> tuple[Array, Array]:
    """The rows of each pair, in torch's order: 0 with all behind it, then 1."""
    return np.triu_indices(rows, 1)


@op(
    "_pdist_forward",
    forward_mode=False,
    node="PdistBackward0",
    self=lambda grad, self, p, result: pdist_backward(grad, self, p, result),
)
def pdist_forward(self: Array, p: float) -> Array:
    if self.shape[0] <= 1 or self.shape[1] == 0:
        return np.zeros(self.shape[0] * (self.shape[0] - 1) // 2, self.dtype)
    if self.dtype == np.float16 or not self.dtype.isnative:
        refuse("pdist", "f", self)
    one, two = pairs(self.shape[0])
    apart = np.abs(self[one] - self[two])
    if p in (0, math.inf):
        return np.max(apart, axis=-1) if p else np.sum(apart != 0, axis=-1).astype(apart.dtype)
    if p == 2:
        return np.sqrt(np.sum(apart * apart, axis=-1))
    if p == 1:
        return np.sum(apart, axis=-1)
    return np.power(np.sum(np.power(apart, p), axis=-1), apart.dtype.type(1 / p))


@op(
    "_pdist_backward",
    grad=lambda grad: pdist_again(),
    self=lambda grad: pdist_again(),
    pdist=lambda grad: pdist_again(),
)
def pdist_backward(grad: Array, self: Array, p: float, pdist: Array) -> Array:
    out = np.zeros_like(self)
    if p == 0 or self.shape[0] <= 1:
        return out
    one, two = pairs(self.shape[0])
    apart, over = self[one] - self[two], pdist[:, None]
    steep, size = np.sign(apart), np.abs(apart)
    with np.errstate(all="ignore"):
        if p == math.inf:
            slope = steep * (size == over)
        elif p == 1:
            slope = steep
        else:
            slope = np.where((over == 0) | (size == 0), 0, steep * np.power(size, p - 1) / np.power(over, p - 1))
    pulled = (grad[:, None] * slope).astype(self.dtype)
    np.add.at(out, one, pulled)
    np.add.at(out, two, -pulled)
    return out


@both
def pdist_again() -> Any:
    raise NotImplementedError("the derivative for '_pdist_backward' is not implemented.")


# ---- distance


@op(
    "dist",
    promote=("self", "other"),
    promotion=without_bools,
    self=lambda grad, self, other, p, result: norm_backward(grad, self - other, result, p, None, False),
    other=lambda grad, self, other, p, result: -norm_backward(grad, self - other, result, known_norm(p), None, False),
)
def dist(self: Array, other: Array, p: float = 2) -> Array:
    if self.dtype.kind not in "fc":
        kind = errors.type_name(self.dtype)
        raise RuntimeError(f"norm(): input dtype should be either floating point or complex. Got {kind} instead.")
    apart = np.abs(self - other)
    if p in (0, math.inf):
        return np.max(apart) if p else np.sum(apart != 0).astype(apart.dtype)
    if p == -math.inf:
        return np.min(apart)
    if p == 2:
        return np.sqrt(np.sum(apart * apart))
    return np.sum(apart) if p == 1 else np.power(np.sum(np.power(apart, p)), apart.dtype.type(1 / p))


@both
def known_norm(p: float) -> float:
    """`p`, if torch can take the negative of the gradient for it."""
    if p == 0:
        raise RuntimeError(
            "Expected a proper Tensor but got None (or an undefined Tensor in C++) for argument #0 'self'"
        )
    return p


@op(
    "_cdist_forward",
    forward_mode=False,
    node="CdistBackward0",
    x1=lambda grad, x1, x2, p, result: cdist_backward(grad, x1, x2, p, result),
    x2=lambda grad, x1, x2, p, result: cdist_backward(
        clone(transpose(grad, -2, -1), True), x2, x1, p, clone(transpose(result, -2, -1), True)
    ),
)
def cdist_forward(x1: Array, x2: Array, p: float) -> Array:
    for name, x in (("X1", x1), ("X2", x2)):
        if x.dtype.kind != "f":
            raise RuntimeError(f"cdist only supports floating-point dtypes, {name} got: {errors.type_name(x.dtype)}")
    if x1.dtype != x2.dtype:
        kinds = errors.type_name(x1.dtype), errors.type_name(x2.dtype)
        raise RuntimeError(f"expected scalar type {kinds[0]} but found {kinds[1]}")
    if not x1.dtype.isnative:
        refuse("cdist", "f", x1)
    apart = np.abs(x1[..., :, None, :] - x2[..., None, :, :])
    if p in (0, math.inf):
        return np.max(apart, axis=-1) if p else np.sum(apart != 0, axis=-1).astype(apart.dtype)
    if p == 2:
        return np.sqrt(np.sum(apart * apart, axis=-1))
    return np.power(np.sum(np.power(apart, p), axis=-1), apart.dtype.type(1 / p))


@op(
    "_cdist_backward",
    grad=lambda grad: cdist_again(),
    x1=lambda grad: cdist_again(),
    x2=lambda grad: cdist_again(),
    cdist=lambda grad: cdist_again(),
)
def cdist_backward(grad: Array, x1: Array, x2: Array, p: float, cdist: Array) -> Array:
    apart = x1[..., :, None, :] - x2[..., None, :, :]
    if p == 0:
        return np.zeros_like(x1)
    over, steep = cdist[..., None], np.sign(apart)
    if p == math.inf:
        slope = steep * (np.abs(apart) == over)
    else:
        with np.errstate(all="ignore"):
            slope = steep * np.power(np.abs(apart) / over, p - 1) if p != 1 else steep
        slope = np.where((over == 0) | ((apart == 0) & (p < 1)), 0, slope)
    return np.sum(grad[..., None] * slope, axis=-2).astype(x1.dtype)


@both
def cdist_again() -> Any:
    raise NotImplementedError("the derivative for '_cdist_backward' is not implemented.")


@joint(
    "_euclidean_dist",
    of=("x1", "x2"),
    forward_mode=False,
    formula=lambda grad, x1, x2, result, mask: euclidean_dist_backward(grad, x1, x2, result),
)
def euclidean_dist(x1: Array, x2: Array) -> Array:
    """The distances by way of a product of matrices, |a|^2 - 2ab + |b|^2: fast for many rows, and less exact."""
    squares = [np.sum(x * x, axis=-1, keepdims=True, dtype=x.dtype) for x in (x1, x2)]
    ones = [np.ones_like(square) for square in squares]
    rows = np.concatenate((x1 * x1.dtype.type(-2), squares[0], ones[0]), -1)
    columns = np.concatenate((x2, ones[1], squares[1]), -1)
    return np.sqrt(np.maximum(np.matmul(rows, np.swapaxes(columns, -1, -2)), 0))


@both
def euclidean_dist_backward(grad: Array, x1: Array, x2: Array, res: Array) -> tuple[Array, Array]:
    ratio = masked_fill(grad / res, res == 0, 0)
    return (
        x1 * sum_dim(ratio, -1, True) - matmul(ratio, x2),
        x2 * unsqueeze(sum_dim(ratio, -2), -1) - matmul(transpose(ratio, -2, -1), x1),
    )
