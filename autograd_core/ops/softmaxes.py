"""softmax and its logarithm. Formulas: PyTorch's derivatives.yaml."""

from __future__ import annotations

import numpy as np

from .. import arithmetic, errors
from ..op import both, op
from ..tensor import Array, bare
from .dims import wrap

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
    return bare((shifted - arithmetic.log(sums)).astype(self.dtype, copy=False))


@op(
    "_log_softmax_backward_data",
    node="LogSoftmaxBackwardDataBackward0",
    grad_output=lambda grad, output, dim: grad - sum_dim(grad * exp(output), [dim], True),
    output=lambda grad, grad_output, output, dim: -sum_dim(grad_output, [dim], True) * exp(output) * grad,
)
def log_softmax_backward_data(grad_output: Array, output: Array, dim: int) -> Array:
    at = wrap(dim, np.ndim(output)) if np.ndim(output) else None
    return grad_output - arithmetic.exp(output) * np.add.reduce(np.asarray(grad_output), axis=at, keepdims=True)
