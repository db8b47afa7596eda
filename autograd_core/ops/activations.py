"""Activations that PyTorch has as one operator: smooth ones here, those with corners from rectifiers.

Formulas: PyTorch's derivatives.yaml.
"""

# ruff: noqa: F403, F405

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import arithmetic, errors
from ..op import GRAPH, both, helper, op
from ..tensor import Array, bare, plain
from .after import after
from .rectifiers import *
from .special import elementwise


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
    self=lambda grad, alpha, scale, input_scale, self: elu_backward(grad, alpha, scale, input_scale, False, self),
)
def elu(self: Array, alpha: float = 1.0, scale: float = 1, input_scale: float = 1) -> Array:
    return bare(np.where(self > 0, self * scale, arithmetic.expm1(np.minimum(self, 0) * input_scale) * (alpha * scale)))


@op(
    "elu_",
    node="EluBackward1",
    self=lambda grad, alpha, scale, input_scale, result: elu_backward(grad, alpha, scale, input_scale, True, result),
)
def elu_(self: Array, alpha: float = 1.0, scale: float = 1, input_scale: float = 1) -> Array:
    return bare(np.where(self > 0, self * scale, arithmetic.expm1(np.minimum(self, 0) * input_scale) * (alpha * scale)))


@op("celu", self=lambda grad, alpha, self: elu_backward(grad, alpha, 1, 1.0 / alpha, False, self))
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


@op("gelu", self=lambda grad, self, approximate: gelu_backward(grad, self, approximate))
def gelu(self: Array, approximate: str = "none") -> Array:
    if approximate == "tanh":
        return 0.5 * self * (1 + arithmetic.tanh(OUTER * (self + INNER * self * self * self)))
    return self * 0.5 * (1 + elementwise(math.erf, self * math.sqrt(0.5)))


@op(
    "gelu_backward",
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


@op("silu", self=lambda grad, self: silu_backward(grad, self))
def silu(self: Array) -> Array:
    return self / (1 + arithmetic.exp(-self))


@both
def mish_backward(grad: Array, self: Array) -> Array:
    share = sigmoid(self)
    bend = tanh(log1p(exp(self)))
    rest = one_minus(bend * bend)  # torch makes it first
    return grad * (bend + self * share * rest)


@op("mish", self=lambda grad, self: mish_backward(grad, self))
def mish(self: Array) -> Array:
    return self * arithmetic.tanh(arithmetic.log1p(arithmetic.exp(self)))


@op("softplus", self=lambda grad, self, beta, threshold: softplus_backward(grad, self, beta, threshold))
def softplus(self: Array, beta: float = 1, threshold: float = 20) -> Array:
    scaled = self * beta
    return bare(
        np.where(scaled > threshold, self, arithmetic.log1p(arithmetic.exp(np.minimum(scaled, threshold))) / beta)
    )


@op(
    "softplus_backward",
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
    node="LogSigmoidBackward0",
    outputs=("result", "buffer"),
    differentiable=("result",),
    self=lambda grad, self, buffer: log_sigmoid_backward(grad, self, buffer),
)
def log_sigmoid(self: Array) -> tuple[Array, Array]:
    buffer = arithmetic.exp(-np.abs(self))
    return np.minimum(self, 0) - arithmetic.log1p(buffer), buffer


@op(
    "log_sigmoid_backward",
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
