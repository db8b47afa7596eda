"""The rarer functions of two numbers. Formulas: PyTorch's derivatives.yaml."""

from __future__ import annotations

import numpy as np

from ..op import RAW, both, op
from ..tensor import Array
from .kernels import refuse

PAIR = ("self", "other")


# ---- logarithms


@op(
    "logaddexp",
    promote=PAIR,
    tensors_only=True,
    self=lambda grad, self, other: grad / add_scalar(exp(other - self), 1),
    other=lambda grad, self, other: grad / add_scalar(exp(self - other), 1),
)
def logaddexp(self: Array, other: Array) -> Array:
    refuse("logaddexp_cpu", "biu", self, other)
    return np.logaddexp(self, other)


@op(
    "logaddexp2",
    promote=PAIR,
    tensors_only=True,
    self=lambda grad, self, other: grad / add_scalar(rpow(2, other - self), 1),
    other=lambda grad, self, other: grad / add_scalar(rpow(2, self - other), 1),
)
def logaddexp2(self: Array, other: Array) -> Array:
    refuse("logaddexp2_cpu", "biu", self, other)
    return np.logaddexp2(self, other)


@op(
    "xlogy.Scalar_Self",
    promote=("other",),
    floating=True,
    nr=1,
    other=lambda grad, self, other: mul_scalar(grad, self) / other,
)
def xlogy_of_number(self: float, other: Array) -> Array:
    return RAW["xlogy"](other.dtype.type(self), other)


@op("xlogy.Scalar_Other", floating=True, nr=2, self=lambda grad, self, other: xlogy_backward(grad, self, other))
def xlogy_by_number(self: Array, other: float) -> Array:
    return RAW["xlogy"](self, self.dtype.type(other))


@both
def xlogy_backward(grad: Array, self: Array, other: float) -> Array:
    found = xlogy_by_number(grad, other)
    return found if other > 0 else masked_fill(found, self == 0, 0)


@op(
    "xlogy.Tensor",
    nr=0,
    promote=PAIR,
    floating=True,
    self=lambda grad, self, other: masked_fill(xlogy(grad, other), (self == 0) & (other <= 0), 0),
    other=lambda grad, self, other: grad * self / other,
)
def xlogy(self: Array, other: Array) -> Array:
    logs = self * np.log(other)
    return np.where(np.isnan(other), other, np.where(self == 0, logs.dtype.type(0), logs))[()]


# ---- steps, choices that ignore nan, signs


@op(
    "nextafter",
    promote=PAIR,
    tensors_only=True,
    self=lambda grad, self, other: where(self == other, zeros_as(grad), grad),
    other=lambda grad: zeros_as(grad),
)
def nextafter(self: Array, other: Array) -> Array:
    refuse("nextafter_cpu", "biu", self, other)
    return np.nextafter(self, other)


@op(
    "fmax",
    promote=PAIR,
    tensors_only=True,
    self=lambda grad, self, other: masked_fill(grad, logical_not((self >= other) | isnan(other)), 0),
    other=lambda grad, self, other: masked_fill(grad, (self >= other) | isnan(other), 0),
)
def fmax(self: Array, other: Array) -> Array:
    return np.fmax(self, other)


@op(
    "fmin",
    promote=PAIR,
    tensors_only=True,
    self=lambda grad, self, other: masked_fill(grad, logical_not((self <= other) | isnan(other)), 0),
    other=lambda grad, self, other: masked_fill(grad, (self <= other) | isnan(other), 0),
)
def fmin(self: Array, other: Array) -> Array:
    return np.fmin(self, other)


@op(
    "copysign.Scalar",
    floating=True,
    nr=1,
    self=lambda grad, self, result: copysign_backward(grad, self, result),
)
def copysign_number(self: Array, other: float) -> Array:
    return np.copysign(self, self.dtype.type(other))


@op(
    "copysign.Tensor",
    nr=0,
    promote=PAIR,
    floating=True,
    self=lambda grad, self, result: copysign_backward(grad, self, result),
    other=lambda grad: zeros_as(grad),
)
def copysign(self: Array, other: Array) -> Array:
    return np.copysign(self, other)


@both
def copysign_backward(grad: Array, self: Array, result: Array) -> Array:
    return grad * masked_fill(result / self, self == 0, 0)


# ---- without a derivative


@op(
    "heaviside",
    tensors_only=True,
    node="NotImplemented",
    self=lambda grad: not_derived("heaviside"),
    values=lambda grad: None,
)
def heaviside(self: Array, values: Array) -> Array:
    if self.dtype != values.dtype:
        raise RuntimeError("heaviside is not yet implemented for tensors with different dtypes.")
    if self.dtype.kind != "f":
        return np.where(self == 0, values, self > 0).astype(self.dtype)[()]
    return np.heaviside(self, values)


@op("logical_xor", promote=PAIR)
def logical_xor(self: Array, other: Array) -> Array:
    return np.logical_xor(self, other)
