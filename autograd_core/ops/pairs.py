"""Distances between the rows of one set. Formulas: PyTorch's derivatives.yaml and DistanceOpsKernel.cpp."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..op import both, op
from ..tensor import Array
from .kernels import refuse


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
    if self.dtype == np.float16:
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
