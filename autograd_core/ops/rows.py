"""Rows of a table, looked up by their numbers: embedding. Formulas: PyTorch's derivatives.yaml."""

from __future__ import annotations

import numpy as np

from .. import errors
from ..op import both, op
from ..tensor import Array


@op(
    "embedding",
    weight=lambda grad, indices, weight_sym_argsize_0, padding_idx, scale_grad_by_freq, sparse: embedding_backward(
        grad, indices, weight_sym_argsize_0, padding_idx, scale_grad_by_freq
    ),
)
def embedding(
    weight: Array, indices: Array, padding_idx: int = -1, scale_grad_by_freq: bool = False, sparse: bool = False
) -> Array:
    data = np.asarray(indices)
    if data.dtype.kind != "i":
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got "
            f"{errors.legacy_type(data.dtype)} instead (while checking arguments for embedding)"
        )
    if data.size and (data.max() >= weight.shape[0] or data.min() < 0):
        raise IndexError("index out of range in self")
    return weight[data]


@op(
    "embedding_dense_backward",
    grad_output=lambda grad, indices, padding_idx: embedding_double(grad, indices, padding_idx),
)
def embedding_backward(
    grad_output: Array, indices: Array, num_weights: int, padding_idx: int, scale_grad_by_freq: bool = False
) -> Array:
    out = np.zeros((num_weights, grad_output.shape[-1]), grad_output.dtype)
    at = np.asarray(indices)
    keep = at != padding_idx
    np.add.at(out, at[keep], grad_output[keep])
    if scale_grad_by_freq:
        out /= np.maximum(np.bincount(at[keep], minlength=num_weights), 1).astype(out.dtype)[:, None]
    return out


@both
def embedding_double(grad: Array, indices: Array, padding_idx: int) -> Array:
    rows = embedding(grad, indices, padding_idx)
    return rows if padding_idx < 0 else masked_fill(rows, unsqueeze(indices == padding_idx, -1), 0)
