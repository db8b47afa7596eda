"""Comparisons and logic, which have no derivative."""

from __future__ import annotations

import numpy as np

from ..op import op
from ..tensor import Array, bare
from .kernels import refuse

PAIR = ("self", "other")


# ---- without a derivative


@op("zeros_like")
def zeros_as(self: Array) -> Array:
    return bare(np.zeros_like(self))


@op("eq.Tensor", promote=PAIR)
def eq(self: Array, other: Array) -> Array:
    return np.equal(self, other)


@op("ne.Tensor", promote=PAIR)
def ne(self: Array, other: Array) -> Array:
    return np.not_equal(self, other)


@op("lt.Tensor", promote=PAIR)
def lt(self: Array, other: Array) -> Array:
    return np.less(self, other)


@op("le.Tensor", promote=PAIR)
def le(self: Array, other: Array) -> Array:
    return np.less_equal(self, other)


@op("gt.Tensor", promote=PAIR)
def gt(self: Array, other: Array) -> Array:
    return np.greater(self, other)


@op("ge.Tensor", promote=PAIR)
def ge(self: Array, other: Array) -> Array:
    return np.greater_equal(self, other)


@op("logical_and", promote=PAIR)
def logical_and(self: Array, other: Array) -> Array:
    return np.logical_and(self, other)


@op("logical_or", promote=PAIR)
def logical_or(self: Array, other: Array) -> Array:
    return np.logical_or(self, other)


@op("logical_not")
def logical_not(self: Array) -> Array:
    return np.logical_not(self)


@op("bitwise_and.Tensor", promote=PAIR)
def bitwise_and(self: Array, other: Array) -> Array:
    refuse("bitwise_and_cpu", "f", self, other)
    return np.bitwise_and(self, other)


@op("bitwise_or.Tensor", promote=PAIR)
def bitwise_or(self: Array, other: Array) -> Array:
    refuse("bitwise_or_cpu", "f", self, other)
    return np.bitwise_or(self, other)


@op("bitwise_xor.Tensor", promote=PAIR)
def bitwise_xor(self: Array, other: Array) -> Array:
    refuse("bitwise_xor_cpu", "f", self, other)
    return np.bitwise_xor(self, other)


@op("bitwise_not")
def bitwise_not(self: Array) -> Array:
    refuse("bitwise_not_cpu", "f", self)
    return np.invert(self)


@op("__lshift__.Tensor", promote=PAIR)
def bitwise_left_shift(self: Array, other: Array) -> Array:
    refuse("lshift_cpu", "fb", self, other)
    far = (other < 0) | (other >= 8 * self.dtype.itemsize)
    return np.where(far, self.dtype.type(0), np.left_shift(self, np.where(far, 0, other)))[()]


@op("__rshift__.Tensor", promote=PAIR)
def bitwise_right_shift(self: Array, other: Array) -> Array:
    refuse("rshift_cpu", "fb", self, other)
    most = 8 * self.dtype.itemsize - 1
    far = (other < 0) | (other > most)
    return np.right_shift(self, np.where(far, most, other).astype(self.dtype))[()]


@op("gcd", promote=PAIR, tensors_only=True)
def gcd(self: Array, other: Array) -> Array:
    refuse("gcd_cpu", "fb", self, other)
    return np.gcd(self, other)


@op("lcm", promote=PAIR, tensors_only=True)
def lcm(self: Array, other: Array) -> Array:
    refuse("lcm_cpu", "fb", self, other)
    return np.lcm(self, other)


@op("isnan")
def isnan(self: Array) -> Array:
    return np.isnan(self)


@op("isinf")
def isinf(self: Array) -> Array:
    return np.isinf(self)


@op("isfinite")
def isfinite(self: Array) -> Array:
    return np.isfinite(self)
