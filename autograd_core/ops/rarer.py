"""Mantissas, angles, rows cut to a norm, the gamma function of matrices. Formulas: PyTorch's FunctionsManual.cpp."""

from __future__ import annotations

import math

import numpy as np

from ..op import RAW, both, op
from ..tensor import Array
from .dims import wrap
from .special import log_gamma

TINY = 1e-7
"""What keeps the division by a norm from that by zero."""


@op(
    "ldexp.Tensor",
    node="LdexpBackward0",
    self=lambda grad, other: grad * rpow(2.0, other),
    other=lambda grad, result: mul_scalar(grad * result, 0.693147180559945309417),
)
def ldexp(self: Array, other: Array) -> Array:
    single = self.dtype if self.dtype.kind == "f" else np.dtype(np.float32)
    power = other if other.dtype.kind == "f" else other.astype(np.float32)
    kind = np.result_type(single, power) if np.ndim(self) == np.ndim(other) == 0 or other.dtype.kind == "f" else single
    return np.multiply(self, np.exp2(power), dtype=np.float64).astype(kind)[()]


@op(
    "frexp.Tensor",
    node="FrexpBackward0",
    outputs=("mantissa", "exponent"),
    differentiable=("mantissa",),
    self=lambda grad, exponent: grad / exp2(exponent),
)
def frexp(self: Array) -> tuple[Array, Array]:
    if self.dtype.kind != "f":
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    mantissa, exponent = np.frexp(self)
    return mantissa, exponent.astype(np.int32)


@op("angle", floating=True, self=lambda grad, self: zeros_as(self))
def angle(self: Array) -> Array:
    return np.where(np.isnan(self), self, np.where(self < 0, math.pi, 0)).astype(self.dtype)[()]


@op("conj_physical_", node="ConjPhysicalBackward1", self=lambda grad: grad)
def conj_physical(self: Array) -> Array:
    return np.array(self)[()]


# ---- cut to a norm


def others(ndim: int, dim: int) -> list[int]:
    """All dimensions but one."""
    return [d for d in range(ndim) if d != wrap(dim, ndim)]


def check_renorm(data: Array, p: float, dim: int, maxnorm: float) -> None:
    if p <= 0:
        raise RuntimeError("renorm: non-positive-norm not supported")
    if maxnorm < 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm:g}")
    if data.ndim < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {data.ndim} dimensions")


@op(
    "renorm",
    self=lambda grad, self, p, dim, maxnorm: renorm_backward(grad, self, p, dim, maxnorm),
)
def renorm(self: Array, p: float, dim: int, maxnorm: float) -> Array:
    """Parts along `dim` whose norm is above `maxnorm`, scaled down to it."""
    check_renorm(self, p, dim, maxnorm)
    norms = RAW["vector_norm"](self, p, others(self.ndim, dim), True)
    factor = np.where(norms > maxnorm, maxnorm / (norms + self.dtype.type(TINY)), 1).astype(self.dtype)
    return self * factor


@both
def renorm_backward(grad: Array, self: Array, p: float, dim: int, maxnorm: float) -> Array:
    over = [d for d in range(len(self.shape)) if d != dim % len(self.shape)]
    norms = vector_norm(self, p, over, True)
    along = sum_dim(self * grad, over, True)
    back = norm_backward(along, self, norms, p, over, True)
    inverse = reciprocal(add_scalar(norms, 1e-7))
    return where(norms > maxnorm, mul_scalar(inverse, maxnorm) * (grad - inverse * back), grad)


# ---- of matrices


@op("mvlgamma", floating=True, self=lambda grad, self, p: grad * halves_below(self, p))
def mvlgamma(self: Array, p: int) -> Array:
    if p < 1:
        raise RuntimeError("p has to be greater than or equal to 1")
    wide = np.asarray(self, np.float64)
    total = np.full(wide.shape, p * (p - 1) / 4 * math.log(math.pi))
    for j in range(p):
        total = total + np.vectorize(log_gamma, otypes=[np.float64])(wide - j / 2)
    return total.astype(self.dtype)[()]


@both
def halves_below(self: Array, p: int) -> Array:
    """The slope: that of log gamma at each half step down."""
    total = digamma(self)
    for j in range(1, p):
        total = total + digamma(add_scalar(self, -j / 2))
    return total
