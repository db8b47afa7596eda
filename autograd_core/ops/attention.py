"""Attention as one operator, as PyTorch has it on the CPU for four dimensions; and the softmax of the other way.

Backward gives the three gradients by one computation; PyTorch has no derivative of it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..dispatch.not_differentiable import make_node
from ..dispatch.op import helper, op
from ..tensor.tensor import Array, Tensor, plain
from .fused_backward import together


@op("_safe_softmax", self=lambda grad, result, dim: softmax_backward_data(grad, result, dim))
def safe_softmax(self: Array, dim: int) -> Array:
    """softmax, but zeros where everything is masked out."""
    top = np.max(self, axis=dim, keepdims=True)
    masked = np.isneginf(top)
    grown = np.exp(self - np.where(masked, self.dtype.type(0), top))
    total = np.add.reduce(grown, axis=dim, keepdims=True)
    return grown / np.where(masked, self.dtype.type(1), total)


def repeat_heads(part: Array, query: Array) -> Array:
    """Key or value with its heads as often as the query's share them."""
    times = query.shape[1] // part.shape[1]
    return part if times == 1 else np.repeat(part, times, axis=1)


def gather(grad: Array, part: Array) -> Array:
    """The gradient of `part`, summed over the heads that share one of it."""
    batch, heads, *rest = part.shape
    return grad if grad.shape[1] == heads else grad.reshape(batch, heads, -1, *rest).sum(axis=2)


def scores(query: Array, key: Array, is_causal: bool, attn_mask: Array | None, scale: float | None) -> Array:
    factor = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    found = np.matmul(query, np.swapaxes(repeat_heads(key, query), -1, -2)) * query.dtype.type(factor)
    if attn_mask is not None:
        found = np.where(attn_mask, found, -np.inf) if attn_mask.dtype.kind == "b" else found + attn_mask
    if is_causal:
        found = np.where(np.tri(*found.shape[-2:], dtype=np.bool_), found, -np.inf)
    return found.astype(query.dtype, copy=False)


def attention_gradients(
    grad: Any, query: Any, key: Any, value: Any, output: Any, logsumexp: Any, dropout_p: float, is_causal: bool,
    attn_mask: Any, scale: float | None,
) -> list[Any]:  # fmt: skip
    """The gradients of query, key and value, as tensors that cannot be differentiated."""
    sources: list[Tensor] = [grad, query, key, value, output, logsumexp]
    mask = None if attn_mask is None else attn_mask.data_
    arrays = (*(source.data_ for source in sources), dropout_p, is_causal, mask, scale)
    results = [plain(found) for found in flash_backward(*arrays)]
    make_node("_scaled_dot_product_flash_attention_for_cpu_backward", sources, results)
    return results


def flash_backward(
    grad: Array, query: Array, key: Array, value: Array, output: Array, logsumexp: Array, dropout_p: float,
    is_causal: bool, attn_mask: Array | None, scale: float | None,
) -> list[Array]:  # fmt: skip
    """The same on arrays: the weights are found again from `logsumexp`."""
    factor = query.dtype.type(1 / math.sqrt(query.shape[-1]) if scale is None else scale)
    weights = np.exp(scores(query, key, is_causal, attn_mask, scale) - logsumexp[..., None])
    by_weights = np.matmul(grad, np.swapaxes(repeat_heads(value, query), -1, -2))
    by_scores = weights * (by_weights - np.sum(grad * output, axis=-1, keepdims=True)) * factor
    by_key = np.matmul(np.swapaxes(by_scores, -1, -2), query)
    by_value = np.matmul(np.swapaxes(weights, -1, -2), grad)
    return [np.matmul(by_scores, repeat_heads(key, query)), gather(by_key, key), gather(by_value, value)]


helper(attention_gradients, flash_backward)


@op(
    "_scaled_dot_product_flash_attention_for_cpu",
    forward_mode=False,
    outputs="output | logsumexp",
    query=lambda grad, query, key, value, output, logsumexp, dropout_p, is_causal, attn_mask, scale: (
        attention_gradients(grad, query, key, value, output, logsumexp, dropout_p, is_causal, attn_mask, scale)[0]
    ),
    key=lambda grad, query, key, value, output, logsumexp, dropout_p, is_causal, attn_mask, scale: attention_gradients(
        grad, query, key, value, output, logsumexp, dropout_p, is_causal, attn_mask, scale
    )[1],
    value=lambda grad, query, key, value, output, logsumexp, dropout_p, is_causal, attn_mask, scale: (
        attention_gradients(grad, query, key, value, output, logsumexp, dropout_p, is_causal, attn_mask, scale)[2]
    ),
)
def flash_attention(
    query: Array, key: Array, value: Array, dropout_p: float = 0.0, is_causal: bool = False,
    attn_mask: Array | None = None, scale: float | None = None,
) -> tuple[Array, Array]:  # fmt: skip
    found = scores(query, key, is_causal, attn_mask, scale)
    top = np.max(found, axis=-1, keepdims=True)
    grown = np.exp(found - top)
    total = np.add.reduce(grown, axis=-1, keepdims=True)
    output = np.empty_like(query)  # in the order in which the query lies in memory
    np.matmul(grown / total, repeat_heads(value, query), out=output)
    return output, (top + np.log(total))[..., 0]


together(
    flash_attention.op.node_class, "attention_gradients", False,
    ("query", "key", "value", "output", "logsumexp", "dropout_p", "is_causal", "attn_mask", "scale"),
)  # fmt: skip
