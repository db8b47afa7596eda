"""Activations as functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import errors
from ...api.functions.arguments import cast
from ...dispatch.inplace import in_place
from ...dispatch.schema.schema import composite
from ...engine.warnings import warn
from ...ops import activation, unary
from ...ops._common import refuse
from ...ops.binary import add, div, sub
from ...ops.random_sampling import need_fractions
from ...ops.view import view
from ...random.generator import exponential, uniform
from ...tensor.tensor import Tensor, plain
from .common import need_tensor


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    need_tensor("relu", "input", 1, input)
    return in_place(unary.relu, input) if inplace else unary.relu(input)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    if inplace:
        return in_place(activation.leaky_relu_, input, negative_slope)
    return activation.leaky_relu(input, negative_slope)


@composite("""
    rrelu(Tensor self, Scalar lower=0.125, Scalar upper=0.333333333333333, bool training=False, Generator? \
        generator=None) -> Tensor: function function_
    """)
def rrelu(
    input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False, inplace: bool = False
) -> Tensor:
    """leaky_relu with a slope drawn for each number below zero while training, and with the mean slope else."""
    for name, bound in (("lower", lower), ("upper", upper)):
        if not np.isfinite(bound):
            raise RuntimeError(f"rrelu: {name} bound must be finite, got {bound:g}")
    if lower > upper:
        raise RuntimeError("Lower bound should be less than or equal to the upper bound")
    data = input.data_
    refuse("rrelu_with_noise_out_cpu" if training else "leaky_relu_cpu", "biu", data)
    noise = np.ones(data.shape, data.dtype)
    if training:
        below = data <= 0
        noise[below] = uniform(int(np.count_nonzero(below)), np.float64, lower, upper)
    given = (plain(noise), float(lower), float(upper), training)
    return in_place(activation.rrelu_, input, *given) if inplace else activation.rrelu(input, *given)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    return hardtanh(input, 0, 6, inplace)


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    if inplace:
        return in_place(activation.hardtanh, input, min_val, max_val)
    return activation.hardtanh(input, min_val, max_val)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    return in_place(activation.elu_, input, alpha) if inplace else activation.elu(input, alpha)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    constants = 1.6732632423543772, 1.0507009873554805
    return in_place(activation.elu_, input, *constants) if inplace else activation.elu(input, *constants)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    return in_place(activation.celu_, input, alpha) if inplace else activation.celu(input, alpha)


@composite("gelu(Tensor self, *, str approximate='none') -> Tensor: nn out")
def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    return activation.gelu(input, approximate)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    return in_place(activation.silu, input) if inplace else activation.silu(input)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    return in_place(activation.mish, input) if inplace else activation.mish(input)


@composite("softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor: nn out")
def softplus(input: Tensor, beta: float = 1, threshold: float = 20) -> Tensor:
    return activation.softplus(input, beta, threshold)


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    if inplace:
        return in_place(activation.threshold_, input, threshold, value)
    return activation.threshold(input, threshold, value)


@composite("softshrink(Tensor self, Scalar lambd=0.5) -> Tensor: nn out")
def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    return activation.softshrink(input, lambd)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    return in_place(activation.hardswish, input) if inplace else activation.hardswish(input)


@composite("hardshrink(Tensor self, Scalar lambd=0.5) -> Tensor: nn out")
def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    return activation.hardshrink(input, lambd)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    return in_place(activation.hardsigmoid, input) if inplace else activation.hardsigmoid(input)


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """The first half along `dim` times the sigmoid of the second."""
    return activation.glu(input, dim)


@composite("prelu(Tensor self, Tensor weight) -> Tensor: nn")
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """A leaky relu whose slopes, one or one for each channel, are learnt."""
    rank, slopes = input.data_.ndim, weight.data_.size
    if weight.data_.dtype != input.data_.dtype:
        names = [errors.type_name(t.data_.dtype) for t in (input, weight)]
        raise RuntimeError(f"prelu: Type promoting not supported. Got {names[0]} and {names[1]}")
    if slopes != 1:
        if rank == 0:
            raise RuntimeError("Not allow zero-dim input tensor.")
        channels = input.data_.shape[1] if rank > 1 else 1
        if channels != slopes:
            raise RuntimeError(
                f"Mismatch of parameter numbers and input channel size. Found parameter numbers = {slopes} and channel "
                f"size = {channels}."
            )
    if weight.data_.ndim > 1:
        raise RuntimeError(f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {weight.data_.ndim}")
    if weight.data_.ndim != rank:
        weight = view(weight, [slopes if d == 1 or rank == 1 else 1 for d in range(rank)])
    return activation.prelu_kernel(input, weight)


def logsigmoid(input: Tensor) -> Tensor:
    result: Tensor = activation.log_sigmoid(input)[0]
    return result


def softsign(input: Tensor) -> Tensor:
    return div(input, add(unary.abs(input), 1))


def tanhshrink(input: Tensor) -> Tensor:
    return sub(input, unary.tanh(input))


def tanh(input: Tensor) -> Tensor:
    return unary.tanh(input)


def sigmoid(input: Tensor) -> Tensor:
    return unary.sigmoid(input)


def implicit_dim(name: str, ndim: int) -> int:
    """The dimension that torch takes where a program gives none, with its warning."""
    warn(f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.")
    return 0 if ndim in (0, 1, 3) else 1


def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    at = implicit_dim("softmax", input.data_.ndim) if dim is None else dim
    return activation.softmax(cast(input, dtype), at)


def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    at = implicit_dim("log_softmax", input.data_.ndim) if dim is None else dim
    return activation.log_softmax(cast(input, dtype), at)


def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    at = implicit_dim("softmin", input.dim()) if dim is None else dim
    found: Tensor = (-input).softmax(at) if dtype is None else (-input).softmax(at, dtype=dtype)
    return found


def gumbel_softmax(logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
    """A draw by `logits` that can be differentiated; `hard` rounds it, with the gradient of what is not rounded."""
    if eps != 1e-10:
        warn("`eps` parameter is deprecated and has no effect.")
    need_tensor("empty_like", "input", 1, logits)
    data = logits.data_
    need_fractions(data)
    noise = -np.log(exponential(data.size, data.dtype).reshape(data.shape))
    soft = activation.softmax(div(add(logits, plain(noise)), tau), dim)
    if not hard:
        return soft
    best = np.zeros_like(soft.data_)
    np.put_along_axis(best, np.argmax(soft.data_, axis=dim, keepdims=True), 1.0, axis=dim)
    return add(sub(plain(best), soft.detach()), soft)


# ---- those that overwrite their input: their names end in an underscore


def relu_(input: Tensor) -> Tensor:
    return relu(input, inplace=True)


def leaky_relu_(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    return leaky_relu(input, negative_slope, inplace=True)


def rrelu_(input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False) -> Tensor:
    return rrelu(input, lower, upper, training, inplace=True)


def threshold_(input: Tensor, threshold: float, value: float) -> Tensor:
    return in_place(activation.threshold_, input, threshold, value)


def hardtanh_(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    return hardtanh(input, min_val, max_val, inplace=True)


def elu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    return elu(input, alpha, inplace=True)


@composite("celu_(Tensor(a!) self, Scalar alpha=1.0) -> Tensor(a!): function")
def celu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    return celu(input, alpha, inplace=True)


@composite("selu_(Tensor(a!) self) -> Tensor(a!): function")
def selu_(input: Tensor) -> Tensor:
    return selu(input, inplace=True)


threshold.__qualname__ = "_threshold"  # torch's own is a private function under a public name
