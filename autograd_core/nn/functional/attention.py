"""Attention as functions: scaled_dot_product_attention."""

from __future__ import annotations

import math

import numpy as np

from ... import errors
from ...functions.shape import repeat_interleave
from ...ops.attention import flash_attention, safe_softmax
from ...ops.binary import add, mul_scalar
from ...ops.matmul import matmul
from ...ops.view import transpose
from ...state import ask_room
from ...tensor import Tensor, plain
from .dropouts import dropout


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """`softmax(q @ k.T * scale + mask) @ v`, as one operator where torch has it as one.

    With `enable_gqa` several heads of the query share one of key and value.
    """
    check_operands(query, key, value, attn_mask)
    if dropout_p > 1.0:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {dropout_p:g}")
    if in_one(query, key, value, attn_mask, dropout_p, enable_gqa):
        return flash_attention(query, key, value, 0.0, is_causal, attn_mask, scale)[0]
    if is_causal and attn_mask is not None:
        raise RuntimeError("_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True")
    if enable_gqa:
        key, value = shared_heads(query, key), shared_heads(query, value)
    return composed(query, key, value, attn_mask, dropout_p, is_causal, scale)


def check_operands(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> None:
    """Whether dtypes and numbers of dimensions go together.

    Raises:
        RuntimeError: they do not.
    """
    kinds = [errors.C_NAMES[t.data_.dtype.name] for t in (query, key, value)]
    ranks = [t.data_.ndim for t in (query, key, value)]
    if len(set(kinds)) > 1:
        raise RuntimeError(
            f"Expected query, key, and value to have the same dtype, but got query.dtype: {kinds[0]} key.dtype: "
            f"{kinds[1]} and value.dtype: {kinds[2]} instead."
        )
    if min(ranks) < 2:
        raise RuntimeError(
            f"Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: {ranks[0]} key.dim: "
            f"{ranks[1]} and value.dim: {ranks[2]} instead."
        )
    if mask is not None and mask.data_.dtype.name not in ("bool", "float32", query.data_.dtype.name):
        raise RuntimeError(
            "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: "
            f"{errors.C_NAMES[mask.data_.dtype.name]} and  query.dtype: {kinds[0]} instead."
        )
    if query.data_.dtype.kind != "f":
        raise RuntimeError(f"expected scalar type Float but found {errors.type_name(query.data_.dtype)}")


def in_one(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, dropout_p: float, enable_gqa: bool) -> bool:
    """Whether torch has one operator for operands of these shapes.

    Raises:
        IndexError: the mask has no rows.
    """
    q, k, v = (t.data_.shape for t in (query, key, value))
    if dropout_p != 0.0 or not len(q) == len(k) == len(v) == 4 or not q[3] == k[3] == v[3]:
        return False
    heads = k[1] == v[1] and (q[1] % k[1] == 0 if enable_gqa else q[1] == k[1])
    if not (heads and q[0] == k[0] == v[0]):
        return False
    if mask is None:
        return True
    shape = mask.data_.shape
    if len(shape) < 2:
        raise errors.dim_out_of_range(-2, len(shape))
    wanted = (*q[:3], k[2])[-len(shape) :]
    fits = len(shape) in (2, 4) and all(n in (1, m) for n, m in zip(shape, wanted, strict=True))
    return fits and not mask.requires_grad


def shared_heads(query: Tensor, other: Tensor) -> Tensor:
    """`other`, with each of its heads as often as it is shared by heads of the query.

    Raises:
        RuntimeError: heads are left over.
    """
    sizes = [t.data_.shape for t in (query, other)]
    if min(map(len, sizes)) < 3:
        raise errors.dim_out_of_range(-3, min(map(len, sizes)))
    heads, own = (size[-3] for size in sizes)
    if heads % own:
        raise RuntimeError("Number of heads in key and value must divide the number of heads in ")
    return repeat_interleave(other, heads // own, -3)


def composed(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, dropout_p: float, is_causal: bool,
    scale: float | None,
) -> Tensor:  # fmt: skip
    """The same from smaller operators; the scale goes onto both sides, as its root."""
    factor = 1 / math.sqrt(query.data_.shape[-1]) if scale is None else scale
    root = math.sqrt(abs(factor))
    kind = query.data_.dtype
    if is_causal:
        ask_room(query.data_.shape[-2], key.data_.shape[-2])
        mask = plain(np.tri(query.data_.shape[-2], key.data_.shape[-2], dtype=bool))
    if mask is not None and mask.data_.dtype.kind == "b":
        mask = plain(np.where(mask.data_, kind.type(0), kind.type(-np.inf)))
    scaled = mul_scalar(query, math.copysign(root, factor))
    weights = matmul(scaled, mul_scalar(transpose(key, -2, -1), root))
    if mask is not None:
        weights = masked(weights, mask)
    weights = safe_softmax(weights, -1)
    if dropout_p > 0.0:
        weights = dropout(weights, dropout_p)
    return matmul(weights, value)


def masked(weights: Tensor, mask: Tensor) -> Tensor:
    """`weights` with `mask` added, which may not make more of them.

    Raises:
        RuntimeError: it would, or the shapes do not go together.
    """
    shapes = weights.data_.shape, mask.data_.shape
    said = errors.broadcast(shapes)
    if said is not None:
        raise RuntimeError(said)
    errors.check_fits(shapes[0], np.broadcast_shapes(*shapes))
    return add(weights, mask)
