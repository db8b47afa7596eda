"""Overwriting all of a tensor, and changing its dtype. Formulas: PyTorch's derivatives.yaml."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import dtypes
from ..op import GRAPH, helper, op
from ..strides import as_kind
from ..tensor import Array, bare

# ---- writes


@op("zero", node="ZeroBackward0", self=lambda grad: zeros_as(grad))
def zero(self: Array) -> Array:
    return bare(np.zeros_like(self))


@op("fill.Scalar", nr=2, self=lambda grad: zeros_as(grad))
def fill(self: Array, value: float) -> Array:
    return bare(np.full_like(self, dtypes.fitting(value, self.dtype)))


@op("fill.Tensor", nr=3, self=lambda grad: zeros_as(grad), value=lambda grad: sum_all(grad))
def fill_tensor(self: Array, value: Array) -> Array:
    if np.ndim(value):
        raise RuntimeError(f"fill_ only supports 0-dimension value tensor but got tensor with {value.ndim} dimensions.")
    return bare(np.full_like(self, value))


@op("copy", node="CopyBackwards", self=lambda grad: zeros_as(grad), src=lambda grad: grad)
def copy(self: Array, src: Array) -> Array:
    return bare(np.broadcast_to(src, self.shape).astype(self.dtype))


# ---- dtypes


def in_dtype(grad: Any, dtype: Any) -> Any:
    """`grad` in a dtype: itself, where it has that already."""
    return grad if grad.data_.dtype == dtype else GRAPH["to_copy"](grad, dtype)


helper(in_dtype, lambda grad, dtype: grad if grad.dtype == dtype else grad.astype(dtype))


@op("_to_copy", node="ToCopyBackward0", self=lambda grad, self_dtype_: in_dtype(grad, self_dtype_))
def to_copy(self: Array, dtype: Any, memory_format: str | None = None) -> Array:
    return bare(as_kind(self, dtype, memory_format))


@op("_to_copy.whole")
def to_whole(self: Array, dtype: Any, memory_format: str | None = None) -> Array:
    return bare(as_kind(self, dtype, memory_format))
