"""Activations with corners: rectifiers, shrinking, gates. Formulas: PyTorch's derivatives.yaml."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import errors
from ..op import both, helper, op
from ..tensor import Array, bare
from .shape import wrap

# ---- rectifiers

LEAKY_OVERWRITTEN = (
    errors.SLOPE_OVERWRITTEN.format("leakyReLu") + " File an issue at https://github.com/pytorch/pytorch if you do "
    "require supporting in-place leakRelu backward calculation with negative slope"
)


@op(
    "leaky_relu",
    self=lambda grad, self, negative_slope: leaky_relu_backward(grad, self, negative_slope),
)
def leaky_relu(self: Array, negative_slope: float = 0.01) -> Array:
    return bare(np.where(self > 0, self, self * negative_slope))


@op(
    "leaky_relu_",
    node="LeakyReluBackward1",
    self=lambda grad, result, negative_slope: leaky_relu_backward(grad, result, negative_slope, True),
)
def leaky_relu_(self: Array, negative_slope: float = 0.01) -> Array:
    return bare(np.where(self > 0, self, self * negative_slope))


@op(
    "leaky_relu_backward",
    grad_output=lambda grad, self, negative_slope: leaky_relu_backward(grad, self, negative_slope),
    self=lambda grad: zeros_as(grad),
)
def leaky_relu_backward(grad_output: Array, self: Array, negative_slope: float, is_result: bool = False) -> Array:
    if is_result and negative_slope < 0:
        raise RuntimeError(LEAKY_OVERWRITTEN)
    return bare(np.where(self > 0, grad_output, grad_output * negative_slope))


@op(
    "rrelu_with_noise",
    self=lambda grad, self, noise, lower, upper, training: rrelu_backward(grad, self, noise, lower, upper, training),
)
def rrelu(self: Array, noise: Array, lower: float, upper: float, training: bool) -> Array:
    """A leaky rectifier; while training, each slope below zero is that of `noise`."""
    return bare(np.where(self > 0, self, self * (noise if training else (lower + upper) / 2)))


@op(
    "rrelu_with_noise_",
    node="RreluWithNoiseBackward1",
    self=lambda grad, result, noise, lower, upper, training: rrelu_backward(
        grad, result, noise, lower, upper, training, True
    ),
)
def rrelu_(self: Array, noise: Array, lower: float, upper: float, training: bool) -> Array:
    return bare(np.where(self > 0, self, self * (noise if training else (lower + upper) / 2)))


@op(
    "rrelu_with_noise_backward",
    grad_output=lambda grad, self, noise, lower, upper, training: rrelu_backward(
        grad, self, noise, lower, upper, training
    ),
    self=lambda grad: zeros_as(grad),
)
def rrelu_backward(
    grad_output: Array,
    self: Array,
    noise: Array,
    lower: float,
    upper: float,
    training: bool,
    is_result: bool = False,
) -> Array:
    if training and upper - lower > 1e-6:
        return noise * grad_output
    slope = (lower + upper) / 2
    if is_result and slope < 0:
        raise RuntimeError(LEAKY_OVERWRITTEN)
    return bare(np.where(self > 0, grad_output, grad_output * slope))


@op("threshold", self=lambda grad, self, threshold: threshold_backward(grad, self, threshold))
def threshold(self: Array, threshold: float, value: float) -> Array:
    return bare(np.where(self <= threshold, self.dtype.type(value), self))


@op(
    "threshold_",
    node="ThresholdBackward1",
    self=lambda grad, self, threshold: threshold_backward(grad, self, threshold),
)
def threshold_(self: Array, threshold: float, value: float) -> Array:
    return bare(np.where(self <= threshold, self.dtype.type(value), self))


@op(
    "hardtanh",
    self=lambda grad, self, min_val, max_val: hardtanh_backward(grad, self, min_val, max_val),
)
def hardtanh(self: Array, min_val: float = -1.0, max_val: float = 1.0) -> Array:
    if self.dtype.kind in "iu":
        min_val, max_val = int(min_val), int(max_val)
        if self.dtype.kind == "u" and min_val < 0:
            raise RuntimeError("cannot do hardtanh on an unsigned type with negative limits")
    return np.clip(self, min_val, max_val)


@op(
    "hardtanh_backward",
    grad_output=lambda grad, self, min_val, max_val: hardtanh_backward(grad, self, min_val, max_val),
    self=lambda grad: zeros_as(grad),
)
def hardtanh_backward(grad_output: Array, self: Array, min_val: float, max_val: float) -> Array:
    return bare(np.where((self > min_val) & (self < max_val), grad_output, self.dtype.type(0)))


@op("softshrink", self=lambda grad, self, lambd: softshrink_backward(grad, self, lambd))
def softshrink(self: Array, lambd: float = 0.5) -> Array:
    return bare(np.where(self > lambd, self - lambd, np.where(self < -lambd, self + lambd, self * 0)))


@op(
    "softshrink_backward",
    grad_output=lambda grad, self, lambd: softshrink_backward(grad, self, lambd),
    self=lambda grad: zeros_as(grad),
)
def softshrink_backward(grad_output: Array, self: Array, lambd: float) -> Array:
    return bare(np.where((self >= -lambd) & (self <= lambd), self.dtype.type(0), grad_output))


@op("hardswish", self=lambda grad, self: hardswish_backward(grad, self))
def hardswish(self: Array) -> Array:
    return self * np.clip(self + 3, 0, 6) / 6


@op(
    "hardswish_backward",
    grad_output=lambda grad, self: hardswish_backward(grad, self),
    self=lambda grad, grad_output, self: where(
        (self > -3) & (self < 3), div_scalar(grad * grad_output, 3), zeros_as(grad)
    ),
)
def hardswish_backward(grad_output: Array, self: Array) -> Array:
    bent = np.where(self <= 3, grad_output * (self / 3 + 0.5), grad_output)
    return bare(np.where(self < -3, self.dtype.type(0), bent))


@op("hardshrink", self=lambda grad, self, lambd: hardshrink_backward(grad, self, lambd))
def hardshrink(self: Array, lambd: float = 0.5) -> Array:
    return np.where((self >= -lambd) & (self <= lambd), self.dtype.type(0), self)[()]


@op(
    "hardshrink_backward",
    grad_out=lambda grad, self, lambd: hardshrink_backward(grad, self, lambd),
    self=lambda grad: zeros_as(grad),
)
def hardshrink_backward(grad_out: Array, self: Array, lambd: float) -> Array:
    return np.where((self >= -lambd) & (self <= lambd), self.dtype.type(0), grad_out)[()]


@op("hardsigmoid", self=lambda grad, self: hardsigmoid_backward(grad, self))
def hardsigmoid(self: Array) -> Array:
    if self.dtype.kind != "f":
        raise NotImplementedError(f"\"hardsigmoid_cpu\" not implemented for '{errors.type_name(self.dtype)}'")
    return np.clip(self + 3, 0, 6) / 6


@op(
    "hardsigmoid_backward",
    node="NotImplemented",
    grad_output=lambda grad: not_derived("hardsigmoid_backward"),
    self=lambda grad: not_derived("hardsigmoid_backward"),
)
def hardsigmoid_backward(grad_output: Array, self: Array) -> Array:
    sixth = self.dtype.type(np.float32(1 / 6))  # torch has it in single precision, whatever the dtype
    return np.where((self > -3) & (self < 3), grad_output * sixth, self.dtype.type(0))[()]


@helper
def not_derived(aten: str) -> Any:
    """What the node of an operator without a derivative says when backward comes to it."""
    raise RuntimeError(f"derivative for aten::{aten} is not implemented")


@op(
    "_prelu_kernel",
    node="PreluKernelBackward0",
    self=lambda grad, self, weight: prelu_backward(grad, self, weight)[0],
    weight=lambda grad, self, weight: prelu_backward(grad, self, weight)[1],
)
def prelu_kernel(self: Array, weight: Array) -> Array:
    return np.where(self > 0, self, self * weight)[()]


@op(
    "_prelu_kernel_backward",
    node="PreluKernelBackwardBackward0",
    outputs=("result0", "result1"),
    grad_output=lambda grads, self, weight: prelu_double(grads[0], grads[1], self, weight),
    self=lambda grads, grad_output, self: prelu_double_self(grads[1], grad_output, self),
    weight=lambda grads, grad_output, self: prelu_double_self(grads[0], grad_output, self),
)
def prelu_backward(grad_output: Array, self: Array, weight: Array) -> tuple[Array, Array]:
    held = self > 0
    zero = grad_output.dtype.type(0)
    return np.where(held, grad_output, grad_output * weight)[()], np.where(held, zero, grad_output * self)[()]


@both
def prelu_double(by_self: Any, by_weight: Any, self: Array, weight: Array) -> Any:
    held = self > 0
    steep = None if by_self is None else where(held, by_self, by_self * weight)
    bent = None if by_weight is None else where(held, zeros_as(by_weight), by_weight * self)
    return bent if steep is None else steep if bent is None else steep + bent


@both
def prelu_double_self(by: Any, grad_output: Array, self: Array) -> Any:
    return None if by is None else where(self > 0, zeros_as(grad_output), grad_output * by)


@op("glu", self=lambda grad, self, dim: glu_backward(grad, self, dim))
def glu(self: Array, dim: int = -1) -> Array:
    if np.ndim(self) == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    at = wrap(dim, self.ndim)
    if self.shape[at] % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {at} is size {self.shape[at]}")
    first, second = np.split(self, 2, at)
    return first / (1 + np.exp(-second))


@op(
    "glu_backward",
    grad_output=lambda grad, self, dim: glu_double(grad, None, self, dim),
    self=lambda grad, grad_output, self, dim: glu_double(grad, grad_output, self, dim),
)
def glu_backward(grad_output: Array, self: Array, dim: int) -> Array:
    first, second = np.split(self, 2, wrap(dim, self.ndim))
    share = 1 / (1 + np.exp(-second))
    return np.concatenate([grad_output * share, grad_output * share * (1 - share) * first], wrap(dim, self.ndim))


@both
def glu_double(grad: Array, grad_output: Any, self: Array, dim: int) -> Array:
    """The derivative of glu_backward by the gradient it took (`grad_output` None) or by its input."""
    at = wrap(dim, len(self.shape))
    half = self.shape[at] // 2
    first, second = slice_(self, at, 0, half, 1), slice_(self, at, half, 2 * half, 1)
    by_first, by_second = slice_(grad, at, 0, half, 1), slice_(grad, at, half, 2 * half, 1)
    share = sigmoid(second)
    rest = one_minus(share)
    slope = share * rest
    if grad_output is None:
        return share * by_first + by_second * first * slope
    curve = slope * rest - share * slope
    bent = by_second * first * grad_output * curve + by_first * grad_output * slope
    return cat([by_second * grad_output * slope, bent], at)
