"""torch.linalg: what small programs use of it."""

# mypy: disable-error-code="no-any-return, no-untyped-call, misc, name-defined, has-type, call-overload, arg-type"

from __future__ import annotations

from typing import Any

import numpy as np

from . import reductions
from .op import op
from .tensor import Array, Tensor


@op("linalg_inv", node="LinalgInvExBackward0", self=lambda grad, result: -mm(mm(t(result), grad), t(result)))  # noqa: F821
def inv(self: Array) -> Array:
    return np.linalg.inv(self)


@op("_linalg_det", node="LinalgDetBackward0", self=lambda grad, self, result: grad * result * t(inv(self)))  # noqa: F821
def det(self: Array) -> Array:
    return np.linalg.det(self).astype(self.dtype)


def norm(A: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False) -> Tensor:
    return reductions.norm(A, 2.0 if ord is None else ord, dim, keepdim)


def vector_norm(x: Tensor, ord: float = 2, dim: Any = None, keepdim: bool = False) -> Tensor:
    return reductions.norm(x, ord, dim, keepdim)
