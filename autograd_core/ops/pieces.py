"""Functions made of pieces: rectifying, rounding, clamping, choosing. Formulas: PyTorch's derivatives.yaml."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import dtypes, errors
from ..op import both, op
from ..tensor import Array, bare
from ..warned import warn_once
from .kernels import beside, refuse

PAIR = ("self", "other")

OF_BYTES = (
    "where received a uint8 condition tensor. This behavior is deprecated and will be removed in a future version of "
    "PyTorch. Use a boolean condition instead."
)


# ---- pieces


def signs(array: Array) -> Array:
    """-1, 0 or 1; 0 for nan, which numpy leaves as it is."""
    if array.dtype.kind == "b":
        return array
    found = np.sign(array)
    return found if array.dtype.kind != "f" else bare(np.where(found == found, found, found.dtype.type(0)))


@op("relu", self=lambda grad, result: threshold_backward(grad, result, 0))
def relu(self: Array) -> Array:
    return np.maximum(self, 0)


@op(
    "threshold_backward",
    grad_output=lambda grad, self, threshold: threshold_backward(grad, self, threshold),
    self=lambda grad: zeros_as(grad),
)
def threshold_backward(grad_output: Array, self: Array, threshold: float) -> Array:
    return bare(np.where(self <= threshold, grad_output.dtype.type(0), grad_output))


@op("abs", self=lambda grad, self: grad * sgn(self))
def abs(self: Array) -> Array:
    if self.dtype.char == "?":
        refuse("abs_cpu", "b", self)
    return np.abs(self)


@op("sgn", self=lambda grad, self, result: zeros_as(grad))
def sgn(self: Array) -> Array:
    return signs(self)


@op("sign", self=lambda grad: zeros_as(grad))
def sign(self: Array) -> Array:
    return signs(self)


@op("floor", self=lambda grad: zeros_as(grad))
def floor(self: Array) -> Array:
    return np.floor(self)


@op("ceil", self=lambda grad: zeros_as(grad))
def ceil(self: Array) -> Array:
    return np.ceil(self)


@op("round", self=lambda grad: zeros_as(grad))
def round(self: Array) -> Array:
    return np.round(self)


@op("round.decimals", self=lambda grad: zeros_as(grad))
def round_to(self: Array, decimals: int) -> Array:
    """To so many places after the point; before it, if negative."""
    tens = self.dtype.type(10.0 ** (decimals if decimals > 0 else -decimals))
    return np.round(self * tens) / tens if decimals > 0 else np.round(self / tens) * tens


@op("trunc", self=lambda grad: zeros_as(grad))
def trunc(self: Array) -> Array:
    return np.trunc(self)


@op("frac", self=lambda grad: grad)
def frac(self: Array) -> Array:
    return self - np.trunc(self)


@both
def clamp_mask(self: Array, min: Any, max: Any) -> Array:
    if min is None:
        return self <= max
    return self >= min if max is None else (self >= min) & (self <= max)


@op("clamp", nr=1, self=lambda grad, self, min, max: where(clamp_mask(self, min, max), grad, zeros_as(grad)))
def clamp(self: Array, min: float | None = None, max: float | None = None) -> Array:
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    for bound in (min, max):
        self = self if bound is None else beside(self, bound)
    refuse("clamp_scalar_cpu", "b", self)
    low, high = (bound if bound is None else dtypes.fitting(bound, self.dtype) for bound in (min, max))
    return np.clip(self, low, high)


@op(
    "clamp.Tensor",
    nr=0,
    self=lambda grad, self, min, max: where(clamp_mask(self, min, max), grad, zeros_as(grad)),
    min=lambda grad, self, min, max: where(
        (self < min) & (min <= max) if max is not None else self < min, grad, zeros_as(grad)
    ),
    max=lambda grad, self, min, max: where(
        (self > max) | (max < min) if min is not None else self > max, grad, zeros_as(grad)
    ),
)
def clamp_tensor(self: Array, min: Array | None = None, max: Array | None = None) -> Array:
    together = dtypes.to_numpy(dtypes.result_type(*[operand for operand in (self, min, max) if operand is not None]))
    return np.clip(self, min, max).astype(together, copy=False)


@op("clamp_min", self=lambda grad, self, min: where(self >= min, grad, zeros_as(grad)))
def clamp_min(self: Array, min: float) -> Array:
    self = beside(self, min)
    refuse("clamp_min_scalar_cpu", "b", self)
    return np.maximum(self, self.dtype.type(dtypes.fitting(min, self.dtype)))


@op("clamp_max", self=lambda grad, self, max: where(self <= max, grad, zeros_as(grad)))
def clamp_max(self: Array, max: float) -> Array:
    self = beside(self, max)
    refuse("clamp_max_scalar_cpu", "b", self)
    return np.minimum(self, self.dtype.type(dtypes.fitting(max, self.dtype)))


@op(
    "clamp_min.Tensor",
    nr=1,
    promote=("self", "min"),
    self=lambda grad, self, min: where(self >= min, grad, zeros_as(grad)),
    min=lambda grad, self, min: where(self < min, grad, zeros_as(grad)),
)
def clamp_min_tensor(self: Array, min: Array) -> Array:
    return np.maximum(self, min)


@op(
    "clamp_max.Tensor",
    nr=1,
    promote=("self", "max"),
    self=lambda grad, self, max: where(self <= max, grad, zeros_as(grad)),
    max=lambda grad, self, max: where(self > max, grad, zeros_as(grad)),
)
def clamp_max_tensor(self: Array, max: Array) -> Array:
    return np.minimum(self, max)


@both
def chosen(grad: Array, tied: Array, lost: Array) -> Array:
    """`grad` where this side won, half of it at a tie."""
    return masked_fill(where(tied, div_scalar(grad, 2), grad), lost, 0)


@op(
    "maximum",
    tensors_only=True,
    writes=1,
    promote=PAIR,
    self=lambda grad, self, other: chosen(grad, self == other, self < other),
    other=lambda grad, self, other: chosen(grad, self == other, self > other),
)
def maximum(self: Array, other: Array) -> Array:
    return np.maximum(self, other)


@op(
    "minimum",
    tensors_only=True,
    writes=1,
    promote=PAIR,
    self=lambda grad, self, other: chosen(grad, self == other, self > other),
    other=lambda grad, self, other: chosen(grad, self == other, self < other),
)
def minimum(self: Array, other: Array) -> Array:
    return np.minimum(self, other)


@op(
    "where.self",
    promote=PAIR,
    self=lambda grad, condition: where(condition, grad, zeros_as(grad)),
    other=lambda grad, condition: where(condition, zeros_as(grad), grad),
)
def where(condition: Array, self: Array, other: Array) -> Array:
    if condition.dtype == np.uint8:
        warn_once("where of bytes", OF_BYTES)
    elif condition.dtype.kind != "b":
        raise RuntimeError(
            "where expected condition to be a boolean tensor, but got a tensor with dtype "
            + errors.type_name(condition.dtype)
        )
    return bare(np.where(condition, self, other))


@op("masked_fill.Scalar", self=lambda grad, mask: masked_fill(grad, mask, 0))
def masked_fill(self: Array, mask: Array, value: float) -> Array:
    check_mask(mask)
    return bare(np.where(mask, self.dtype.type(dtypes.fitting(value, self.dtype)), self))


def check_mask(mask: Array) -> None:
    if mask.dtype.kind != "b":
        name = errors.C_NAMES[mask.dtype.name]
        raise RuntimeError(f"masked_fill_ only supports boolean masks, but got mask with dtype {name}")


@op(
    "masked_fill.Tensor",
    self=lambda grad, mask: masked_fill(grad, mask, 0),
    value=lambda grad, mask: sum_all(masked_select(grad, mask)),
)
def masked_fill_tensor(self: Array, mask: Array, value: Array) -> Array:
    check_mask(mask)
    return bare(np.where(mask, value.astype(self.dtype), self))


@both
def sum_all(grad: Array) -> Array:
    return sum(grad)
