"""Operators of two operands, element by element: arithmetic, powers, comparisons, logic, and the rarer functions.

Formulas: PyTorch's derivatives.yaml.

Formulas: PyTorch's derivatives.yaml.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import errors
from ..dispatch.op import both, helper, op
from ..dispatch.registry import GRAPH, RAW
from ..tensor import arithmetic, dtypes
from ..tensor.bfloat16 import shortened
from ..tensor.tensor import Array, bare, wrapped_number
from ..tensor.type_promotion import without_bools, without_whole_division
from ._common import beside, refuse
from .fused_backward import joint

# ---- comparisons and logic, which have no derivative


PAIR = ("self", "other")


# ---- without a derivative


@op("zeros_like", pointwise=True)
def zeros_as(self: Array) -> Array:
    return bare(np.zeros_like(self))


@op(
    """
    eq.Tensor(Tensor self, Tensor other) -> Tensor: function method method_ out
    eq.Scalar(Tensor self, Scalar other) -> Tensor: function method method_ out
    """,
    pointwise=True,
)
def eq(self: Array, other: Array) -> Array:
    return np.equal(self, other)


@op(
    """
    ne.Tensor(Tensor self, Tensor other) -> Tensor: function method method_ out
    ne.Scalar(Tensor self, Scalar other) -> Tensor: function method method_ out
    not_equal.Tensor(Tensor self, Tensor other) -> Tensor: function method method_ out
    not_equal.Scalar(Tensor self, Scalar other) -> Tensor: function method method_ out
    """,
    pointwise=True,
)
def ne(self: Array, other: Array) -> Array:
    return np.not_equal(self, other)


@op(
    """
    lt.Tensor(Tensor self, Tensor other) -> Tensor: function method method_ out
    lt.Scalar(Tensor self, Scalar other) -> Tensor: function method method_ out
    less.Tensor(Tensor self, Tensor other) -> Tensor: function method method_ out
    less.Scalar(Tensor self, Scalar other) -> Tensor: function method method_ out
    """,
    pointwise=True,
)
def lt(self: Array, other: Array) -> Array:
    return np.less(self, other)


@op(
    """
    le.Tensor(Tensor self, Tensor other) -> Tensor: function method method_ out
    le.Scalar(Tensor self, Scalar other) -> Tensor: function method method_ out
    less_equal.Tensor(Tensor self, Tensor other) -> Tensor: function method method_ out
    less_equal.Scalar(Tensor self, Scalar other) -> Tensor: function method method_ out
    """,
    pointwise=True,
)
def le(self: Array, other: Array) -> Array:
    return np.less_equal(self, other)


@op(
    """
    gt.Tensor(Tensor self, Tensor other) -> Tensor: function method method_ out
    gt.Scalar(Tensor self, Scalar other) -> Tensor: function method method_ out
    greater.Tensor(Tensor self, Tensor other) -> Tensor: function method method_ out
    greater.Scalar(Tensor self, Scalar other) -> Tensor: function method method_ out
    """,
    pointwise=True,
)
def gt(self: Array, other: Array) -> Array:
    return np.greater(self, other)


@op(
    """
    ge.Tensor(Tensor self, Tensor other) -> Tensor: function method method_ out
    ge.Scalar(Tensor self, Scalar other) -> Tensor: function method method_ out
    greater_equal.Tensor(Tensor self, Tensor other) -> Tensor: function method method_ out
    greater_equal.Scalar(Tensor self, Scalar other) -> Tensor: function method method_ out
    """,
    pointwise=True,
)
def ge(self: Array, other: Array) -> Array:
    return np.greater_equal(self, other)


@op("logical_and(Tensor self, Tensor other) -> Tensor: function method method_ out", pointwise=True)
def logical_and(self: Array, other: Array) -> Array:
    return np.logical_and(self, other)


@op("logical_or(Tensor self, Tensor other) -> Tensor: function method method_ out", pointwise=True)
def logical_or(self: Array, other: Array) -> Array:
    return np.logical_or(self, other)


@op("logical_not(Tensor self) -> Tensor: function method method_ out", pointwise=True)
def logical_not(self: Array) -> Array:
    return np.logical_not(self)


@op(
    """
    bitwise_and.Tensor(Tensor self, Tensor other) -> Tensor: function method method_ out
    bitwise_and.Scalar_Tensor(Scalar self, Tensor other) -> Tensor: function
    bitwise_and.Scalar(Tensor self, Scalar other) -> Tensor: function method method_ out
    """,
    pointwise=True,
)
def bitwise_and(self: Array, other: Array) -> Array:
    refuse("bitwise_and_cpu", "f", self, other)
    return np.bitwise_and(self, other)


@op(
    """
    bitwise_or.Tensor(Tensor self, Tensor other) -> Tensor: function method method_ out
    bitwise_or.Scalar_Tensor(Scalar self, Tensor other) -> Tensor: function
    bitwise_or.Scalar(Tensor self, Scalar other) -> Tensor: function method method_ out
    """,
    pointwise=True,
)
def bitwise_or(self: Array, other: Array) -> Array:
    refuse("bitwise_or_cpu", "f", self, other)
    return np.bitwise_or(self, other)


@op(
    """
    bitwise_xor.Tensor(Tensor self, Tensor other) -> Tensor: function method method_ out
    bitwise_xor.Scalar_Tensor(Scalar self, Tensor other) -> Tensor: function
    bitwise_xor.Scalar(Tensor self, Scalar other) -> Tensor: function method method_ out
    """,
    pointwise=True,
)
def bitwise_xor(self: Array, other: Array) -> Array:
    refuse("bitwise_xor_cpu", "f", self, other)
    return np.bitwise_xor(self, other)


@op("bitwise_not(Tensor self) -> Tensor: function method method_ out", pointwise=True)
def bitwise_not(self: Array) -> Array:
    refuse("bitwise_not_cpu", "f", self)
    return np.invert(self)


@op(
    """
    __lshift__.Tensor
    bitwise_left_shift.Tensor(Tensor self, Tensor other) -> Tensor: function method method_ out
    bitwise_left_shift.Scalar_Tensor(Scalar self, Tensor other) -> Tensor: function
    bitwise_left_shift.Tensor_Scalar(Tensor self, Scalar other) -> Tensor: function method method_ out
    """,
    pointwise=True,
)
def bitwise_left_shift(self: Array, other: Array) -> Array:
    refuse("lshift_cpu", "fb", self, other)
    far = (other < 0) | (other >= 8 * self.dtype.itemsize)
    return np.where(far, self.dtype.type(0), np.left_shift(self, np.where(far, 0, other)))[()]


@op(
    """
    __rshift__.Tensor
    bitwise_right_shift.Tensor(Tensor self, Tensor other) -> Tensor: function method method_ out
    bitwise_right_shift.Scalar_Tensor(Scalar self, Tensor other) -> Tensor: function
    bitwise_right_shift.Tensor_Scalar(Tensor self, Scalar other) -> Tensor: function method method_ out
    """,
    pointwise=True,
)
def bitwise_right_shift(self: Array, other: Array) -> Array:
    refuse("rshift_cpu", "fb", self, other)
    most = 8 * self.dtype.itemsize - 1
    far = (other < 0) | (other > most)
    return np.right_shift(self, np.where(far, most, other).astype(self.dtype))[()]


@op("isnan(Tensor self) -> Tensor: function method", pointwise=True)
def isnan(self: Array) -> Array:
    return np.isnan(self)


@op("isinf(Tensor self) -> Tensor: function method", pointwise=True)
def isinf(self: Array) -> Array:
    return np.isinf(self)


@op("isfinite(Tensor self) -> Tensor: function method", pointwise=True)
def isfinite(self: Array) -> Array:
    return np.isfinite(self)


# ---- atan2 and hypot


@joint(
    """
    atan2(Tensor self, Tensor other) -> Tensor: function method method_ out
    arctan2(Tensor self, Tensor other) -> Tensor: function method method_ out
    """,
    pointwise=True,
    of=PAIR,
    tensors_only=True,
    floating=True,
    formula=lambda grad, self, other, mask: atan2_backward(grad, self, other, mask),
)
def atan2(self: Array, other: Array) -> Array:
    return np.arctan2(self, other)


@both
def atan2_backward(grad: Array, self: Array, other: Array, mask: Sequence[bool]) -> tuple[Array, Array]:
    below = other * other
    square = self * self + below
    scale = masked_fill(reciprocal(square), square == 0, 0)
    return grad * other * scale if mask[0] else None, grad * -self * scale if mask[1] else None


@op(
    "hypot(Tensor self, Tensor other) -> Tensor: function method method_ out",
    pointwise=True,
    tensors_only=True,
    self=lambda grad, self, result: grad * self / result,
    other=lambda grad, other, result: grad * other / result,
)
def hypot(self: Array, other: Array) -> Array:
    refuse("hypot_cpu", "biu", self, other)
    return np.hypot(self, other)


# ---- arithmetic and powers


def cast_scalar(number: float, data: Array) -> Any:
    """A Python number in the dtype of `data`; what is too large for whole ones goes round."""
    return np.asarray(number).astype(data.dtype)[()]


def multiple(other: Any, by: float) -> Any:
    """`by` times `other`, which keeps the dtype that it has."""
    return other * (cast_scalar(by, other) if isinstance(other, np.ndarray | np.generic) else by)


def number(value: float) -> Any:
    """A Python number where a formula of PyTorch's C++ makes a tensor of it."""
    return wrapped_number(value)


helper(number, lambda value: value)


@both
def scale_by(grad: Array, by: Any) -> Array:
    return grad if by == 1 else mul_scalar(grad, by)


# ---- arithmetic


@op(
    "add.Tensor",
    pointwise=True,
    promote=PAIR,
    self=lambda grad, alpha: grad,
    other=lambda grad, alpha: grad if alpha == 1 else mul_scalar(grad, conj(alpha)),
)
def add(self: Array, other: Array, alpha: float = 1) -> Array:
    return self + other if alpha == 1 else self + shortened(multiple(other, alpha), self)


@op("add.Scalar", pointwise=True, self=lambda grad: grad)
def add_scalar(self: Array, other: float) -> Array:
    return self + other


@op(
    "sub.Tensor",
    pointwise=True,
    promote=PAIR,
    promotion=without_bools,
    self=lambda grad, alpha: grad,
    other=lambda grad, alpha: -grad if alpha == 1 else mul_scalar(-grad, conj(alpha)),
)
def sub(self: Array, other: Array, alpha: float = 1) -> Array:
    return self - other if alpha == 1 else self - shortened(multiple(other, alpha), self)


@op("sub.Scalar", pointwise=True, nr=1, self=lambda grad: grad)
def sub_scalar(self: Array, other: float) -> Array:
    return self - other


@op(
    "rsub.Tensor",
    pointwise=True,
    promote=PAIR,
    promotion=without_bools,
    nr=0,
    self=lambda grad, alpha: -grad if alpha == 1 else mul_scalar(-grad, conj(alpha)),
    other=lambda grad: grad,
)
def rsub_tensor(self: Array, other: Array, alpha: float = 1) -> Array:
    if self.shape != other.shape and (text := errors.broadcast([other.shape, self.shape])) is not None:
        raise RuntimeError(text)
    return other - self if alpha == 1 else other - multiple(self, alpha)


@op("rsub.Scalar", pointwise=True, nr=1, self=lambda grad, alpha: scale_by(-grad, conj(alpha)))
def rsub(self: Array, other: float, alpha: float = 1) -> Array:
    if isinstance(other, complex) or isinstance(alpha, complex):
        self = in_complex(self, 1j)
    elif alpha == 1 and self.dtype.kind == "f" and -9999999 < other < 9999999:
        return arithmetic.number_beside(other, self) - self
    self = beside(self, other)
    return cast_scalar(other, self) - (self if alpha == 1 else self * alpha)


@op(
    "mul.Tensor",
    pointwise=True,
    promote=PAIR,
    self=lambda grad, other: grad * conj(other),
    other=lambda grad, self: grad * conj(self),
)
def mul(self: Array, other: Array) -> Array:
    return self * other


@op("mul.Scalar", pointwise=True, self=lambda grad, other: mul_scalar(grad, conj(other)))
def mul_scalar(self: Array, other: float) -> Array:
    return self * other


@op(
    "div.Tensor",
    pointwise=True,
    promote=PAIR,
    floating=True,
    self=lambda grad, other: grad / conj(other),
    other=lambda grad, self, other: after(conj((self / other) / other), -grad),
)
def div(self: Array, other: Array) -> Array:
    return self / other


@op("div.Scalar", pointwise=True, self=lambda grad, other: div_scalar(grad, conj(other)))
def div_scalar(self: Array, other: float) -> Array:
    return self / other


def check_divisor(kernel: str, self: Array, other: Array | float) -> None:
    """Whole numbers cannot be divided by zero.

    Raises:
        RuntimeError: they would be.
    """
    if self.dtype.kind == "c":
        refuse(kernel, "c", self)
    if self.dtype.kind != "f":
        if np.asarray(other).dtype.kind == "b":
            refuse(kernel, "b", self, other)
        if np.any(np.equal(other, 0)):
            raise RuntimeError("ZeroDivisionError")


@op(
    "div.Tensor_mode",
    pointwise=True,
    promote=PAIR,
    self=lambda grad, other, rounding_mode: zeros_as(grad) if rounding_mode else grad / conj(other),
    other=lambda grad, other, self, rounding_mode: (
        zeros_as(grad) if rounding_mode else after(conj((self / other) / other), -grad)
    ),
)
def div_mode(self: Array, other: Array, rounding_mode: str | None) -> Array:
    if rounding_mode is None:
        return self / other
    check_divisor(f"div_{rounding_mode}_cpu", self, other)
    if rounding_mode == "floor":
        return np.floor_divide(self, other)
    if self.dtype.kind == "f":
        return np.trunc(self / other)
    whole = np.floor_divide(self, other)
    return np.where((whole < 0) & (np.remainder(self, other) != 0), whole + 1, whole)[()]


@op("remainder.Scalar", pointwise=True, self=lambda grad: grad)
def remainder_scalar(self: Array, other: float) -> Array:
    self = beside(self, other)
    check_divisor("remainder_cpu", self, other)
    return np.mod(self, cast_scalar(other, self))


@op(
    "remainder.Tensor",
    pointwise=True,
    promote=PAIR,
    self=lambda grad: grad,
    other=lambda grad, self, other: after(div_mode(self, other, "floor"), -grad),
)
def remainder(self: Array, other: Array) -> Array:
    check_divisor("remainder_cpu", self, other)
    return np.mod(self, other)


@op("fmod.Scalar", pointwise=True, self=lambda grad: grad)
def fmod_scalar(self: Array, other: float) -> Array:
    self = beside(self, other)
    check_divisor("fmod_cpu", self, other)
    return np.fmod(self, cast_scalar(other, self))


@op(
    "fmod.Tensor",
    pointwise=True,
    promote=PAIR,
    self=lambda grad: grad,
    other=lambda grad, self, other: -grad * div_mode(self, other, "trunc"),
)
def fmod(self: Array, other: Array) -> Array:
    check_divisor("fmod_cpu", self, other)
    return np.fmod(self, other)


@op(
    """
    addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor: function method method_ out
    addcmul(Tensor self, Scalar value, Tensor tensor1, Tensor tensor2) -> Tensor: function method method_ out \
        deprecated
    """,
    pointwise=True,
    self=lambda grad: grad,
    tensor1=lambda grad, tensor2, value: grad * conj(mul_scalar(tensor2, value)),
    tensor2=lambda grad, tensor1, value: grad * conj(mul_scalar(tensor1, value)),
)
def addcmul(self: Array, tensor1: Array, tensor2: Array, value: float = 1) -> Array:
    return self + tensor1 * tensor2 * self.dtype.type(value)


@op(
    """
    addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor: function method method_ out
    addcdiv(Tensor self, Scalar value, Tensor tensor1, Tensor tensor2) -> Tensor: function method method_ out \
        deprecated
    """,
    pointwise=True,
    promotion=without_whole_division,
    self=lambda grad: grad,
    tensor1=lambda grad, tensor2, value: grad * conj(div(number(value), tensor2)),
    tensor2=lambda grad, tensor1, tensor2, value: -grad * conj(mul_scalar(tensor1, value) / (tensor2 * tensor2)),
)
def addcdiv(self: Array, tensor1: Array, tensor2: Array, value: float = 1) -> Array:
    if self.dtype.kind not in "fc":
        raise RuntimeError(errors.WHOLE_ADDCDIV)
    return self + self.dtype.type(value) * tensor1 / tensor2


@op(
    "lerp.Scalar",
    pointwise=True,
    self=lambda grad, weight: mul_scalar(grad, 1 - conj(weight)),
    end=lambda grad, weight: mul_scalar(grad, conj(weight)),
)
def lerp(self: Array, end: Array, weight: float) -> Array:
    if self.dtype != end.dtype:
        kinds = errors.c_name(self.dtype), errors.c_name(end.dtype)
        raise RuntimeError(f"expected dtype {kinds[0]} for `end` but got dtype {kinds[1]}")
    refuse("lerp_kernel_scalar", "biu", self)
    near = abs(weight) < 0.5
    return self + self.dtype.type(weight) * (end - self) if near else end - (end - self) * self.dtype.type(1 - weight)


@op(
    "lerp.Tensor",
    node="LerpBackward1",
    self=lambda grad, weight: grad * conj(rsub(weight, 1, 1)),
    end=lambda grad, weight: grad * conj(weight),
    weight=lambda grad, self, end: grad * conj(end - self),
)
def lerp_tensor(self: Array, end: Array, weight: Array) -> Array:
    for name, operand in (("end", end), ("weight", weight)):
        if operand.dtype != self.dtype and np.ndim(operand):
            kinds = errors.c_name(self.dtype), errors.c_name(operand.dtype)
            raise RuntimeError(f"expected dtype {kinds[0]} for `{name}` but got dtype {kinds[1]}")
    refuse("lerp_kernel_tensor", "biu", self, end, weight)
    end, weight = (operand.astype(self.dtype, copy=False) for operand in (end, weight))
    way = end - self
    return bare(np.where(np.abs(weight) < 0.5, self + weight * way, end - way * (1 - weight)))


# ---- powers


@both
def pow_backward(grad: Array, self: Array, exponent: Any) -> Array:
    if exponent == 0:
        return zeros_as(self)
    exponent = exponent * 1.0
    return grad * conj(mul_scalar(pow_scalar(self, exponent - 1), exponent))


@both
def pow_backward_self(grad: Array, self: Array, exponent: Array) -> Array:
    return where(exponent == 0, zeros_as(grad), grad * conj(exponent * pow(self, sub_scalar(exponent, 1))))


@both
def pow_backward_exponent(grad: Array, self: Array, exponent: Array, result: Array) -> Array:
    if is_complex(exponent):
        still = (self == 0) & (imag(exponent) == 0) & (real(exponent) >= 0)
    else:
        still = (self == 0) & (exponent >= 0)
    if is_complex(result):
        return grad * where(still, zeros_as(result), conj(result * log(brought_to(self, result))))
    return grad * where(still, zeros_as(result), result * log(self))


@op("pow.Tensor_Scalar", pointwise=True, self=lambda grad, self, exponent: pow_backward(grad, self, exponent))
def pow_scalar(self: Array, exponent: float) -> Array:
    if isinstance(exponent, complex) or self.dtype.kind == "c":
        return power(in_complex(self, exponent), exponent)
    if self.dtype is arithmetic.float32 and exponent > 3 and exponent % 1 == 0:
        return arithmetic.power(self, exponent)
    if self.dtype.kind in "biu":
        self = beside(self, exponent)
        if self.dtype.kind in "iu" and exponent < 0:
            raise RuntimeError("Integers to negative integer powers are not allowed.")
        exponent = dtypes.fitting(exponent, self.dtype)
    return power(self, exponent)


@op(
    "pow.Tensor_Tensor",
    pointwise=True,
    promote=("self", "exponent"),
    self=lambda grad, self, exponent: pow_backward_self(grad, self, exponent),
    exponent=lambda grad, self, exponent, result: pow_backward_exponent(grad, self, exponent, result),
)
def pow(self: Array, exponent: Array) -> Array:
    refuse("pow", "b", self, exponent)
    if self.dtype.kind in "iu":
        return whole_power(self, exponent)
    return arithmetic.power(self, exponent)


def whole_power(self: Array, exponent: Array) -> Array:
    """Whole powers of whole numbers; a negative one leaves something of 1 and -1 alone."""
    risen = np.power(self, np.maximum(exponent, 0))
    sign = np.where(np.asarray(exponent) % 2 == 0, 1, self)
    return bare(np.where(exponent < 0, np.where(np.abs(self) == 1, sign, 0), risen).astype(self.dtype))


def brought_to(self: Any, result: Any) -> Any:
    """`self` in the dtype of `result`."""
    return GRAPH["in_dtype"](self, result.data_.dtype)


helper(brought_to, lambda self, result: self.astype(result.dtype, copy=False))


@both
def pow_backward_scalar(grad: Array, self: float, exponent: Array, result: Array) -> Array:
    if self == 0:
        return grad * where(exponent >= 0, zeros_as(result), mul_scalar(result, log_of(self)))
    return grad * conj(mul_scalar(result, log_of(self)))


@op(
    "pow.Scalar",
    pointwise=True,
    exponent=lambda grad, self, exponent, result: pow_backward_scalar(grad, self, exponent, result),
)
def rpow(self: float, exponent: Array) -> Array:
    if exponent.dtype.kind == "c" or isinstance(self, complex):
        exponent = in_complex(exponent, self)
        return arithmetic.power(exponent.dtype.type(self), exponent)
    if exponent.dtype.kind == "f":
        return arithmetic.power(exponent.dtype.type(self), exponent)
    if isinstance(self, float):
        kind = dtypes.to_numpy(dtypes.get_default_dtype())
        return arithmetic.power(kind.type(self), exponent.astype(kind))
    return arithmetic.power(self if exponent.dtype.kind == "b" else cast_scalar(self, exponent), exponent)


def in_complex(data: Array, number: complex) -> Array:
    """`data` in the dtype that it has in a calculation with a number, one of which is complex."""
    if data.dtype.kind == "c" or not isinstance(number, complex):
        return data
    return data.astype(dtypes.complex_kind(data.dtype if data.dtype.kind == "f" else dtypes.default_kind()))


def power(base: Array, exponent: complex) -> Array:
    """`base ** exponent`; small whole exponents by multiplication, as torch does."""
    if exponent == 2:
        return base * base
    if exponent == 3:
        return base * base * base
    if exponent == 0.5:
        return np.sqrt(base)
    if exponent == 1:
        plain = base.__class__ is np.ndarray and base.dtype is arithmetic.float32
        return base + (arithmetic.ZERO if plain else base.dtype.type(0))
    if exponent in (-1, -2) and base.dtype.kind in "fc":
        return 1 / base if exponent == -1 else 1 / (base * base)
    return arithmetic.power(base, exponent if base.dtype.kind in "iu" else base.dtype.type(exponent))


@both
def log_of(number: complex) -> complex:
    return complex(np.log(number)) if isinstance(number, complex) else float(np.log(np.float64(number)))


# ---- logarithms


@op(
    "logaddexp(Tensor self, Tensor other) -> Tensor: function method out",
    pointwise=True,
    tensors_only=True,
    self=lambda grad, self, other: grad / conj(add_scalar(exp(other - self), 1)),
    other=lambda grad, self, other: grad / conj(add_scalar(exp(self - other), 1)),
)
def logaddexp(self: Array, other: Array) -> Array:
    refuse("logaddexp_cpu", "biu", self, other)
    if self.dtype.kind == "c":
        larger: Array = np.where(self.real >= other.real, self, other)
        smaller: Array = np.where(self.real >= other.real, other, self)
        return bare(larger + np.log1p(np.exp(smaller - larger)))
    return np.logaddexp(self, other)


@op(
    "logaddexp2(Tensor self, Tensor other) -> Tensor: function method out",
    pointwise=True,
    tensors_only=True,
    self=lambda grad, self, other: grad / add_scalar(rpow(2, other - self), 1),
    other=lambda grad, self, other: grad / add_scalar(rpow(2, self - other), 1),
)
def logaddexp2(self: Array, other: Array) -> Array:
    refuse("logaddexp2_cpu", "biu", self, other)
    return np.logaddexp2(self, other)


@op(
    "xlogy.Scalar_Self",
    pointwise=True,
    promote=("other",),
    floating=True,
    nr=1,
    other=lambda grad, self, other: mul_scalar(grad, self) / other,
)
def xlogy_of_number(self: float, other: Array) -> Array:
    return RAW["xlogy"](other.dtype.type(self), other)


@op(
    "xlogy.Scalar_Other",
    pointwise=True,
    floating=True,
    nr=2,
    self=lambda grad, self, other: xlogy_backward(grad, self, other),
)
def xlogy_by_number(self: Array, other: float) -> Array:
    return RAW["xlogy"](self, self.dtype.type(other))


@both
def xlogy_backward(grad: Array, self: Array, other: float) -> Array:
    found = xlogy_by_number(grad, other)
    return found if other > 0 else masked_fill(found, self == 0, 0)


@op(
    "xlogy.Tensor",
    pointwise=True,
    promote=PAIR,
    nr=0,
    floating=True,
    self=lambda grad, self, other: masked_fill(xlogy(grad, other), (self == 0) & (other <= 0), 0),
    other=lambda grad, self, other: grad * self / other,
)
def xlogy(self: Array, other: Array) -> Array:
    logs = self * np.log(other)
    return np.where(np.isnan(other), other, np.where(self == 0, logs.dtype.type(0), logs))[()]


# ---- steps, choices that ignore nan, signs


@op(
    "fmax(Tensor self, Tensor other) -> Tensor: function method out",
    pointwise=True,
    tensors_only=True,
    self=lambda grad, self, other: masked_fill(grad, logical_not((self >= other) | isnan(other)), 0),
    other=lambda grad, self, other: masked_fill(grad, (self >= other) | isnan(other), 0),
)
def fmax(self: Array, other: Array) -> Array:
    return np.fmax(self, other)


@op(
    "fmin(Tensor self, Tensor other) -> Tensor: function method out",
    pointwise=True,
    tensors_only=True,
    self=lambda grad, self, other: masked_fill(grad, logical_not((self <= other) | isnan(other)), 0),
    other=lambda grad, self, other: masked_fill(grad, (self <= other) | isnan(other), 0),
)
def fmin(self: Array, other: Array) -> Array:
    return np.fmin(self, other)


# ---- without a derivative


@op("logical_xor(Tensor self, Tensor other) -> Tensor: function method method_ out", pointwise=True)
def logical_xor(self: Array, other: Array) -> Array:
    return np.logical_xor(self, other)


TINY = 1e-7
"""What keeps the division by a norm from that by zero."""
