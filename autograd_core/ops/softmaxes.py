"""softmax and its logarithm. Formulas: PyTorch's derivatives.yaml."""

# ruff: noqa: F821
# mypy: disable-error-code="no-any-return, no-untyped-call, misc, name-defined, has-type, call-overload, arg-type"

from __future__ import annotations

import numpy as np

from .. import arithmetic, errors
from ..op import both, op
from ..tensor import Array, bare
from .dims import wrap

# ---- softmax


def softmax_dtype(name: str, data: Array) -> None:
    if data.dtype.kind != "f":
        raise NotImplementedError(
            f"\"{name}_lastdim_kernel_impl\" not implemented for '{errors.type_name(data.dtype)}'"
        )


@op("_softmax", node="SoftmaxBackward0", self=lambda grad, result, dim: softmax_backward_data(grad, result, dim))
def softmax(self: Array, dim: int) -> Array:
    softmax_dtype("softmax", self)
    at = wrap(dim, np.ndim(self)) if np.ndim(self) else None
    e = arithmetic.exp(self - np.max(self, axis=at, keepdims=True))
    return bare(e / np.add.reduce(np.asarray(e), axis=at, keepdims=True))


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
    softmax_dtype("log_softmax", self)
    at = wrap(dim, np.ndim(self)) if np.ndim(self) else None
    shifted = self - np.max(self, axis=at, keepdims=True)
    return bare(shifted - arithmetic.log(np.add.reduce(np.asarray(arithmetic.exp(shifted)), axis=at, keepdims=True)))


@op(
    "_log_softmax_backward_data",
    node="LogSoftmaxBackwardDataBackward0",
    grad_output=lambda grad, output, dim: grad - sum_dim(grad * exp(output), [dim], True),
    output=lambda grad, grad_output, output, dim: -sum_dim(grad_output, [dim], True) * exp(output) * grad,
)
def log_softmax_backward_data(grad_output: Array, output: Array, dim: int) -> Array:
    at = wrap(dim, np.ndim(output)) if np.ndim(output) else None
    return grad_output - arithmetic.exp(output) * np.add.reduce(np.asarray(grad_output), axis=at, keepdims=True)
