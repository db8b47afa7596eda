"""Activations that PyTorch has as one operator: rectifiers, shrinking, gates, exponential units, softmax.

Formulas: PyTorch's derivatives.yaml.

Formulas: PyTorch's derivatives.yaml.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import errors
from ..dispatch.op import both, helper, op
from ..dispatch.registry import GRAPH
from ..tensor import arithmetic
from ..tensor.bfloat16 import shortened
from ..tensor.tensor import Array, bare, plain
from ._common import wrap
from .special import elementwise

# ---- rectifiers

LEAKY_OVERWRITTEN = (
    errors.SLOPE_OVERWRITTEN.format("leakyReLu") + " File an issue at https://github.com/pytorch/pytorch if you do "
    "require supporting in-place leakRelu backward calculation with negative slope"
)


@op(
    "leaky_relu",
    pointwise=True,
    self=lambda grad, self, negative_slope: leaky_relu_backward(grad, self, negative_slope),
)
def leaky_relu(self: Array, negative_slope: float = 0.01) -> Array:
    return bare(np.where(self > 0, self, self * negative_slope))


@op(
    "leaky_relu_",
    pointwise=True,
    node="LeakyReluBackward1",
    self=lambda grad, result, negative_slope: leaky_relu_backward(grad, result, negative_slope, True),
)
def leaky_relu_(self: Array, negative_slope: float = 0.01) -> Array:
    return bare(np.where(self > 0, self, self * negative_slope))


@op(
    "leaky_relu_backward",
    pointwise=True,
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
    grad_output: Array, self: Array, noise: Array, lower: float, upper: float, training: bool, is_result: bool = False
) -> Array:
    if training and upper - lower > 1e-6:
        return noise * grad_output
    slope = (lower + upper) / 2
    if is_result and slope < 0:
        raise RuntimeError(LEAKY_OVERWRITTEN)
    return bare(np.where(self > 0, grad_output, grad_output * slope))


@op("threshold", pointwise=True, self=lambda grad, self, threshold: threshold_backward(grad, self, threshold))
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
    pointwise=True,
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
    pointwise=True,
    grad_output=lambda grad, self, min_val, max_val: hardtanh_backward(grad, self, min_val, max_val),
    self=lambda grad: zeros_as(grad),
)
def hardtanh_backward(grad_output: Array, self: Array, min_val: float, max_val: float) -> Array:
    return bare(np.where((self > min_val) & (self < max_val), grad_output, self.dtype.type(0)))


@op("softshrink", pointwise=True, self=lambda grad, self, lambd: softshrink_backward(grad, self, lambd))
def softshrink(self: Array, lambd: float = 0.5) -> Array:
    return bare(np.where(self > lambd, self - lambd, np.where(self < -lambd, self + lambd, self * 0)))


@op(
    "softshrink_backward",
    pointwise=True,
    grad_output=lambda grad, self, lambd: softshrink_backward(grad, self, lambd),
    self=lambda grad: zeros_as(grad),
)
def softshrink_backward(grad_output: Array, self: Array, lambd: float) -> Array:
    return bare(np.where((self >= -lambd) & (self <= lambd), self.dtype.type(0), grad_output))


@op("hardswish", pointwise=True, self=lambda grad, self: hardswish_backward(grad, self))
def hardswish(self: Array) -> Array:
    return self * np.clip(self + 3, 0, 6) / 6


@op(
    "hardswish_backward",
    pointwise=True,
    grad_output=lambda grad, self: hardswish_backward(grad, self),
    self=lambda grad, grad_output, self: where(
        (self > -3) & (self < 3), div_scalar(grad * grad_output, 3), zeros_as(grad)
    ),
)
def hardswish_backward(grad_output: Array, self: Array) -> Array:
    bent = np.where(self <= 3, grad_output * (self / 3 + 0.5), grad_output)
    return bare(np.where(self < -3, self.dtype.type(0), bent))


@op("hardshrink", pointwise=True, self=lambda grad, self, lambd: hardshrink_backward(grad, self, lambd))
def hardshrink(self: Array, lambd: float = 0.5) -> Array:
    return np.where((self >= -lambd) & (self <= lambd), self.dtype.type(0), self)[()]


@op(
    "hardshrink_backward",
    pointwise=True,
    grad_out=lambda grad, self, lambd: hardshrink_backward(grad, self, lambd),
    self=lambda grad: zeros_as(grad),
)
def hardshrink_backward(grad_out: Array, self: Array, lambd: float) -> Array:
    return np.where((self >= -lambd) & (self <= lambd), self.dtype.type(0), grad_out)[()]


@op("hardsigmoid", pointwise=True, self=lambda grad, self: hardsigmoid_backward(grad, self))
def hardsigmoid(self: Array) -> Array:
    if self.dtype.kind != "f":
        raise NotImplementedError(f"\"hardsigmoid_cpu\" not implemented for '{errors.type_name(self.dtype)}'")
    return np.clip(self + 3, 0, 6) / 6


@op(
    "hardsigmoid_backward",
    pointwise=True,
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
    outputs="result0 result1",
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


# ---- smooth activations


def one_minus(x: Any) -> Any:
    """1 - x as PyTorch's C++ writes it: a new tensor, filled with 1, from which x is taken in place."""
    data = x.data_
    less = GRAPH["sub"](plain(np.ones(data.shape, data.dtype)[()]), x)
    less.bump()
    less.bump()
    return less


helper(one_minus, lambda x: 1 - x)


# ---- exponential units


@op(
    "elu",
    pointwise=True,
    self=lambda grad, alpha, scale, input_scale, self: elu_backward(grad, alpha, scale, input_scale, False, self),
)
def elu(self: Array, alpha: float = 1.0, scale: float = 1, input_scale: float = 1) -> Array:
    return bare(np.where(self > 0, self * scale, arithmetic.expm1(np.minimum(self, 0) * input_scale) * (alpha * scale)))


@op(
    "elu_",
    pointwise=True,
    node="EluBackward1",
    self=lambda grad, alpha, scale, input_scale, result: elu_backward(grad, alpha, scale, input_scale, True, result),
)
def elu_(self: Array, alpha: float = 1.0, scale: float = 1, input_scale: float = 1) -> Array:
    return bare(np.where(self > 0, self * scale, arithmetic.expm1(np.minimum(self, 0) * input_scale) * (alpha * scale)))


@op("celu", pointwise=True, self=lambda grad, alpha, self: elu_backward(grad, alpha, 1, 1.0 / alpha, False, self))
def celu(self: Array, alpha: float = 1.0) -> Array:
    return bare(np.where(self > 0, self, arithmetic.expm1(np.minimum(self, 0) / alpha) * alpha))


@op(
    "celu_",
    node="CeluBackward1",
    self=lambda grad, alpha, result: elu_backward(grad, alpha, 1, 1.0 / alpha, True, result),
)
def celu_(self: Array, alpha: float = 1.0) -> Array:
    return bare(np.where(self > 0, self, arithmetic.expm1(np.minimum(self, 0) / alpha) * alpha))


@op(
    "elu_backward",
    pointwise=True,
    grad_output=lambda grad, alpha, scale, input_scale, is_result, self_or_result: elu_backward(
        grad, alpha, scale, input_scale, is_result, self_or_result
    ),
    self_or_result=lambda grad, grad_output, alpha, scale, input_scale, is_result, self_or_result: elu_double(
        grad * grad_output, alpha, scale, input_scale, is_result, self_or_result
    ),
)
def elu_backward(
    grad_output: Array, alpha: float, scale: float, input_scale: float, is_result: bool, self_or_result: Array
) -> Array:
    x = self_or_result
    if is_result and alpha < 0:
        raise RuntimeError(errors.SLOPE_OVERWRITTEN.format("elu"))
    if is_result:
        bent = grad_output * input_scale * (x + alpha * scale)
    else:
        bent = grad_output * (input_scale * alpha * scale) * arithmetic.exp(np.minimum(x, 0) * input_scale)
    return bare(np.where(x <= 0, bent, grad_output * scale))


@both
def elu_double(pulled: Array, alpha: float, scale: float, input_scale: float, is_result: bool, x: Array) -> Array:
    if is_result:
        return where(x < 0, mul_scalar(pulled, input_scale), zeros_as(pulled))
    factor = input_scale * input_scale * alpha * scale
    return where(x < 0, mul_scalar(pulled, factor) * exp(mul_scalar(x, input_scale)), zeros_as(pulled))


# ---- smooth ones


INNER = 0.044715
OUTER = math.sqrt(2 / math.pi)


@op("gelu", pointwise=True, cost=3, self=lambda grad, self, approximate: gelu_backward(grad, self, approximate))
def gelu(self: Array, approximate: str = "none") -> Array:
    if approximate == "tanh":
        return 0.5 * self * (1 + arithmetic.tanh(OUTER * (self + INNER * self * self * self)))
    return self * 0.5 * (1 + elementwise(math.erf, self * math.sqrt(0.5)))


@op(
    "gelu_backward",
    pointwise=True,
    cost=3,
    grad_output=lambda grad, self, approximate: gelu_backward(grad, self, approximate),
    self=lambda grad, grad_output, self, approximate: gelu_double(grad * grad_output, self, approximate),
)
def gelu_backward(grad_output: Array, self: Array, approximate: str) -> Array:
    if approximate == "tanh":
        bend = arithmetic.tanh(OUTER * (self + INNER * self * self * self))
        slope = (1 - bend * bend) * (OUTER * (1 + 3 * INNER * self * self))
        return grad_output * (0.5 * (1 + bend) + 0.5 * self * slope)
    share = 0.5 * (1 + elementwise(math.erf, self * math.sqrt(0.5)))
    return grad_output * (share + self * (arithmetic.exp(-0.5 * self * self) * (1 / math.sqrt(2 * math.pi))))


@both
def gelu_double(pulled: Array, self: Array, approximate: str) -> Array:
    if approximate != "tanh":
        density = mul_scalar(exp(mul_scalar(self * self, -0.5)), 0.3989422804014327)
        return pulled * density * add_scalar(-self * self, 2)
    square = self * self
    bend = tanh(mul_scalar(self + mul_scalar(square * self, 0.044715), 0.7978845608028654))
    inner = mul_scalar(add_scalar(mul_scalar(square, 0.134145), 1), 0.7978845608028654)
    slope = add_scalar(-bend * bend, 1) * inner
    bent = add_scalar(-bend * bend, 1) * self
    curve = mul_scalar(bent, 6 * 0.044715 * 0.7978845608028654) - mul_scalar(bend * slope * inner, 2)
    return pulled * (slope + mul_scalar(self * curve, 0.5))


@both
def silu_backward(grad: Array, self: Array) -> Array:
    share = sigmoid(self)
    return after(add_scalar(self * one_minus(share), 1.0), grad * share)


@op("silu", pointwise=True, self=lambda grad, self: silu_backward(grad, self))
def silu(self: Array) -> Array:
    return self / (1 + arithmetic.exp(-self))


@both
def mish_backward(grad: Array, self: Array) -> Array:
    share = sigmoid(self)
    bend = tanh(log1p(exp(self)))
    rest = one_minus(bend * bend)  # torch makes it first
    return grad * (bend + self * share * rest)


@op("mish", pointwise=True, self=lambda grad, self: mish_backward(grad, self))
def mish(self: Array) -> Array:
    return self * arithmetic.tanh(arithmetic.log1p(arithmetic.exp(self)))


@op("softplus", pointwise=True, self=lambda grad, self, beta, threshold: softplus_backward(grad, self, beta, threshold))
def softplus(self: Array, beta: float = 1, threshold: float = 20) -> Array:
    scaled = self * beta
    return bare(
        np.where(scaled > threshold, self, arithmetic.log1p(arithmetic.exp(np.minimum(scaled, threshold))) / beta)
    )


@op(
    "softplus_backward",
    pointwise=True,
    grad_output=lambda grad, self, beta, threshold: softplus_backward(grad, self, beta, threshold),
    self=lambda grad, grad_output, self, beta, threshold: softplus_double(grad * grad_output, self, beta, threshold),
)
def softplus_backward(grad_output: Array, self: Array, beta: float, threshold: float) -> Array:
    scaled = self * beta
    growth = arithmetic.exp(np.minimum(scaled, threshold))
    return bare(np.where(scaled > threshold, grad_output, grad_output * growth / (growth + 1)))


@both
def softplus_double(pulled: Array, self: Array, beta: float, threshold: float) -> Array:
    scaled = mul_scalar(self, beta)
    bent = mul_scalar(sigmoid_backward(pulled, sigmoid(scaled)), beta)
    return where(scaled < threshold, bent, zeros_as(pulled))


@op(
    "log_sigmoid_forward",
    pointwise=True,
    node="LogSigmoidBackward0",
    outputs="result | buffer",
    self=lambda grad, self, buffer: log_sigmoid_backward(grad, self, buffer),
)
def log_sigmoid(self: Array) -> tuple[Array, Array]:
    buffer = arithmetic.exp(-np.abs(self))
    return np.minimum(self, 0) - arithmetic.log1p(buffer), buffer


@op(
    "log_sigmoid_backward",
    pointwise=True,
    grad_output=lambda grad, self, buffer: log_sigmoid_backward(grad, self, buffer),
    self=lambda grad, grad_output, self: log_sigmoid_double(grad * grad_output, self),
)
def log_sigmoid_backward(grad_output: Array, self: Array, buffer: Array) -> Array:
    share = buffer / (1 + buffer)
    return bare(np.where(self < 0, 1 - share, share)) * grad_output


@both
def log_sigmoid_double(pulled: Array, self: Array) -> Array:
    share = sigmoid(self)
    return pulled * add_scalar(share, -1) * share


# ---- softmax


def softmax_axis(name: str, data: Array, dim: int) -> int | None:
    """The axis that `dim` is, None for that of a 0-d tensor.

    Raises:
        IndexError: there is no such dimension.
        NotImplementedError: the tensor is not of floats.
    """
    at = wrap(dim, np.ndim(data))
    if data.dtype.kind != "f":
        kernel = "softmax_lastdim_kernel_impl" if at + 1 >= np.ndim(data) else "softmax_kernel_impl"
        kernel = kernel if name == "softmax" else f"log_{kernel}"
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{errors.type_name(data.dtype)}'")
    return at if np.ndim(data) else None


def in_order(data: Array) -> Array:
    """`data` row by row, and halves in the precision that torch computes them in."""
    if data.dtype == np.float16:
        return data.astype(np.float32, order="C")
    return data if data.flags.c_contiguous else np.ascontiguousarray(data)


@op("_softmax", node="SoftmaxBackward0", self=lambda grad, result, dim: softmax_backward_data(grad, result, dim))
def softmax(self: Array, dim: int) -> Array:
    at = softmax_axis("softmax", self, dim)
    if not self.size:
        return self.copy()
    data = in_order(self)
    e = arithmetic.exp(data - np.max(data, axis=at, keepdims=True))
    return bare((e / np.add.reduce(np.asarray(e), axis=at, keepdims=True)).astype(self.dtype, copy=False))


@op(
    "_softmax_backward_data",
    node="SoftmaxBackwardDataBackward0",
    grad_output=lambda grad, output, dim: softmax_backward_data(grad, output, dim),
    output=lambda grad, grad_output, output, dim: softmax_double(grad, grad_output, output, dim),
)
def softmax_backward_data(grad_output: Array, output: Array, dim: int) -> Array:
    at = wrap(dim, np.ndim(output)) if np.ndim(output) else None
    weighted = grad_output * output
    return weighted - output * np.add.reduce(np.asarray(weighted), axis=at, keepdims=True)


@both
def softmax_double(grad: Array, grad_output: Array, output: Array, dim: int) -> Array:
    total = sum_dim(grad_output * output, [dim], True)
    pulled = sum_dim(grad * output, [dim], True)
    return grad * grad_output - total * grad - grad_output * pulled


@op(
    "_log_softmax",
    node="LogSoftmaxBackward0",
    self=lambda grad, result, dim: log_softmax_backward_data(grad, result, dim),
)
def log_softmax(self: Array, dim: int) -> Array:
    at = softmax_axis("log_softmax", self, dim)
    if not self.size:
        return self.copy()
    data = in_order(self)
    shifted = data - np.max(data, axis=at, keepdims=True)
    sums = np.add.reduce(np.asarray(arithmetic.exp(shifted)), axis=at, keepdims=True)
    logs = shortened(arithmetic.log(shortened(sums, self)), self)
    return bare((shifted - logs).astype(self.dtype, copy=False))


@op(
    "_log_softmax_backward_data",
    node="LogSoftmaxBackwardDataBackward0",
    grad_output=lambda grad, output, dim: grad - sum_dim(grad * exp(output), [dim], True),
    output=lambda grad, grad_output, output, dim: -sum_dim(grad_output, [dim], True) * exp(output) * grad,
)
def log_softmax_backward_data(grad_output: Array, output: Array, dim: int) -> Array:
    at = wrap(dim, np.ndim(output)) if np.ndim(output) else None
    return grad_output - arithmetic.exp(output) * np.add.reduce(np.asarray(grad_output), axis=at, keepdims=True)
