"""Attention as functions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ... import errors
from ...api.functions.shape import chunk, contiguous, repeat_interleave, unflatten
from ...backends.switches import attention_enabled
from ...dispatch.schema.schema import composite
from ...engine.state import ask_room
from ...engine.warnings import warn
from ...errors import Unsupported
from ...ops.activation import softmax
from ...ops.attention import flash_attention, safe_softmax
from ...ops.binary import add, mul, mul_scalar
from ...ops.join import cat, repeat, split_with_sizes
from ...ops.matmul import baddbmm, bmm, linear, matmul
from ...ops.padding import constant_pad_nd
from ...ops.reduction import mean_dim
from ...ops.view import expand, permute, reshape, select, squeeze_dim, transpose, unsqueeze, view
from ...tensor.tensor import Tensor, plain
from .dropout import dropout

NO_WAY = (
    "No viable backend for scaled_dot_product_attention was found. This is likely due to turning off both the math "
    "kernel and the fused kernels."
)


@composite("""
    scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0.0, \
        bool is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor: nn
    """)
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
    if attention_enabled("flash") and in_one(query, key, value, attn_mask, dropout_p, enable_gqa):
        return flash_attention(query, key, value, 0.0, is_causal, attn_mask, scale)[0]
    if not attention_enabled("math"):
        raise RuntimeError(NO_WAY)
    if is_causal and attn_mask is not None:
        raise RuntimeError("_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True")
    if enable_gqa:
        key, value = shared_heads(query, key), shared_heads(query, value)
    return attend_by_parts(query, key, value, attn_mask, dropout_p, is_causal, scale)


def check_operands(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> None:
    """Whether dtypes and numbers of dimensions go together.

    Raises:
        RuntimeError: they do not.
    """
    kinds = [errors.c_name(t.data_.dtype) for t in (query, key, value)]
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
    if mask is not None and errors.kind_name(mask.data_.dtype) not in (
        "bool",
        "float32",
        errors.kind_name(query.data_.dtype),
    ):
        raise RuntimeError(
            "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: "
            f"{errors.c_name(mask.data_.dtype)} and  query.dtype: {kinds[0]} instead."
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


def attend_by_parts(
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
        weights = apply_mask(weights, mask)
    weights = safe_softmax(weights, -1)
    if dropout_p > 0.0:
        weights = dropout(weights, dropout_p)
    return matmul(weights, value)


def apply_mask(weights: Tensor, mask: Tensor) -> Tensor:
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


# ---- all of a MultiheadAttention: its projections and its heads


def canonical_mask(
    mask: Tensor | None, name: str, other: Tensor | None, kind: np.dtype[Any], beside: str = "attn_mask"
) -> Tensor | None:
    """A mask as numbers to be added: -inf where a boolean one says that nothing is to be seen."""
    if mask is None:
        return None
    held = mask.data_.dtype
    if held.kind not in "bf":
        raise AssertionError(f"only bool and floating types of {name} are supported")
    if other is not None and other.data_.dtype != held:
        warn(f"Support for mismatched {name} and {beside} is deprecated. Use same type for both instead.")
    if held.kind == "f":
        return mask
    return plain(np.where(mask.data_, kind.type(-np.inf), kind.type(0)), version=1)


def check_ranks(
    query: Tensor, key: Tensor, value: Tensor, padding: Tensor | None, mask: Tensor | None, heads: int
) -> bool:
    """Whether the inputs are batches.

    Raises:
        AssertionError: their ranks do not go together.
    """
    rank, others = query.data_.ndim, (key.data_.ndim, value.data_.ndim)
    if rank not in (2, 3):
        raise AssertionError(f"query should be unbatched 2D or batched 3D tensor but received {rank}-D query tensor")
    words = f"For {'batched (3-D)' if rank == 3 else 'unbatched (2-D)'} `query`, expected"
    if others != (rank, rank):
        raise AssertionError(
            f"{words} `key` and `value` to be {rank}-D but found {others[0]}-D and {others[1]}-D tensors respectively"
        )
    if padding is not None and padding.data_.ndim != rank - 1:
        raise AssertionError(
            f"{words} `key_padding_mask` to be `None` or {rank - 1}-D but found {padding.data_.ndim}-D tensor instead"
        )
    if mask is not None and mask.data_.ndim not in (2, 3):
        raise AssertionError(
            f"{words} `attn_mask` to be `None`, 2-D or 3-D but found {mask.data_.ndim}-D tensor instead"
        )
    if mask is not None and mask.data_.ndim == 3 and rank == 2:
        wanted = (heads, query.data_.shape[0], key.data_.shape[0])
        if mask.data_.shape != wanted:
            raise AssertionError(f"Expected `attn_mask` shape to be {wanted} but got {mask.shape}")
    return rank == 3


def project_inputs(query: Tensor, key: Tensor, value: Tensor, weight: Tensor, bias: Tensor | None) -> list[Tensor]:
    """Query, key and value through one weight that holds theirs, together where they are the same tensor."""
    width = query.data_.shape[-1]
    if key is value and query is key:
        return split_linear(linear(query, weight, bias), 3, width)
    if key is value:
        own, both = split_with_sizes(weight, [width, 2 * width], 0)
        b_own, b_both = (None, None) if bias is None else split_with_sizes(bias, [width, 2 * width], 0)
        first = linear(query, own, b_own)
        return [first, *split_linear(linear(key, both, b_both), 2, width)]
    weights = chunk(weight, 3)
    biases = (None,) * 3 if bias is None else chunk(bias, 3)
    return [linear(x, w, b) for x, w, b in zip((query, key, value), weights, biases, strict=True)]


def split_linear(together: Tensor, count: int, width: int) -> list[Tensor]:
    """`count` results of one linear map, each in a row in memory."""
    apart = unsqueeze(unflatten(together, -1, [count, width]), 0)
    rows = contiguous(squeeze_dim(transpose(apart, 0, -2), -2))
    return [select(rows, 0, i) for i in range(count)]


def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None,
    bias_k: Tensor | None,
    bias_v: Tensor | None,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Tensor,
    out_proj_bias: Tensor | None,
    training: bool = True,
    key_padding_mask: Tensor | None = None,
    need_weights: bool = True,
    attn_mask: Tensor | None = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Tensor | None = None,
    k_proj_weight: Tensor | None = None,
    v_proj_weight: Tensor | None = None,
    static_k: Tensor | None = None,
    static_v: Tensor | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Tensor, Tensor | None]:
    """Attention of many heads: (what is attended to, the weights if they are wanted)."""
    if static_k is not None or static_v is not None:
        raise Unsupported("attention with static_k or static_v is not supported")
    batched = check_ranks(query, key, value, key_padding_mask, attn_mask, num_heads)
    if not batched:
        query, key, value = (unsqueeze(x, 1) for x in (query, key, value))
        key_padding_mask = None if key_padding_mask is None else unsqueeze(key_padding_mask, 0)
    length, batch, width = query.data_.shape
    source, kind = key.data_.shape[0], query.data_.dtype
    padding = canonical_mask(key_padding_mask, "key_padding_mask", attn_mask, kind)
    if is_causal and attn_mask is None:
        raise RuntimeError(
            "Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
            "`generate_square_subsequent_mask` to create this mask."
        )
    if is_causal and padding is None and not need_weights:
        attn_mask = None
    else:
        attn_mask = canonical_mask(attn_mask, "attn_mask", None, kind)
        is_causal = is_causal and padding is None
    if width != embed_dim_to_check:
        raise AssertionError(f"was expecting embedding dimension of {embed_dim_to_check}, but got {width}")
    if width % num_heads:
        raise AssertionError(f"embed_dim {width} not divisible by num_heads {num_heads}")
    if use_separate_proj_weight:
        if key.shape[:2] != value.shape[:2]:
            raise AssertionError(
                f"key's sequence and batch dims {key.shape[:2]} do not match value's {value.shape[:2]}"
            )
        biases = (None,) * 3 if in_proj_bias is None else chunk(in_proj_bias, 3)
        weights = (q_proj_weight, k_proj_weight, v_proj_weight)
        check_projections((query, key, value), weights, biases)
        heads = [linear(x, w, b) for x, w, b in zip((query, key, value), weights, biases, strict=True)]
    else:
        if key.shape != value.shape:
            raise AssertionError(f"key shape {key.shape} does not match value shape {value.shape}")
        assert in_proj_weight is not None
        heads = project_inputs(query, key, value, in_proj_weight, in_proj_bias)
    mask = fitting_mask(attn_mask, num_heads, batch, length, source)
    if bias_k is not None and bias_v is not None:
        learnt = [cat([x, repeat(b, [1, batch, 1])]) for x, b in zip(heads[1:], (bias_k, bias_v), strict=True)]
        heads, mask, padding, source = [heads[0], *learnt], seeing_one_more(mask), seeing_one_more(padding), source + 1
    q, k, v = (transpose(view(x, [x.data_.shape[0], batch * num_heads, width // num_heads]), 0, 1) for x in heads)
    if add_zero_attn:
        k, v = (cat([x, zeros_behind(x)], 1) for x in (k, v))
        mask, padding, source = seeing_one_more(mask), seeing_one_more(padding), source + 1
    mask = merge_masks(mask, padding, num_heads, batch, source)
    if not training:
        dropout_p = 0.0
    options = (num_heads, batch, length, source, width)
    shown: Tensor | None = None
    if need_weights:
        out, shown = with_weights(q, k, v, mask, dropout_p, options)
    else:
        out = without_weights(q, k, v, mask, dropout_p, options, is_causal)
    out = linear(out, out_proj_weight, out_proj_bias)
    out = view(out, [length, batch, out.data_.shape[1]])
    if shown is not None:
        shown = view(shown, [batch, num_heads, length, source])
        shown = mean_dim(shown, [1], False) if average_attn_weights else shown
    if not batched:
        out = squeeze_dim(out, 1)
        shown = None if shown is None else squeeze_dim(shown, 0)
    return out, shown


def check_projections(
    given: tuple[Tensor, ...], weights: Sequence[Tensor | None], biases: Sequence[Tensor | None]
) -> None:
    """Whether each of query, key and value has as many features as its weights take.

    Raises:
        AssertionError: one has not.
    """
    width = given[0].data_.shape[-1]
    for name, x, weight in zip(("query", "key", "value"), given, weights, strict=True):
        wanted = (width, x.data_.shape[-1])
        if weight is not None and weight.data_.shape != wanted:
            raise AssertionError(f"expecting {name} weights shape of {wanted}, but got {weight.shape}")
    for name, bias in zip(("query", "key", "value"), biases, strict=True):
        if bias is not None and bias.data_.shape != (width,):
            raise AssertionError(f"expecting {name} bias shape of {(width,)}, but got {bias.shape}")


def fitting_mask(mask: Tensor | None, heads: int, batch: int, length: int, source: int) -> Tensor | None:
    """`mask` with a dimension for batch and heads.

    Raises:
        RuntimeError: it is not for as many places.
    """
    if mask is None:
        return None
    wanted = (length, source) if mask.data_.ndim == 2 else (batch * heads, length, source)
    if mask.data_.shape != wanted:
        raise RuntimeError(f"The shape of the {len(wanted)}D attn_mask is {mask.shape}, but should be {wanted}.")
    return unsqueeze(mask, 0) if mask.data_.ndim == 2 else mask


def seeing_one_more(mask: Tensor | None) -> Tensor | None:
    """`mask` where one place more is attended to, which is never hidden."""
    return None if mask is None else constant_pad_nd(mask, [0, 1], 0)


def zeros_behind(x: Tensor) -> Tensor:
    count, _, width = x.data_.shape
    return plain(np.zeros((count, 1, width), x.data_.dtype))


def merge_masks(mask: Tensor | None, padding: Tensor | None, heads: int, batch: int, source: int) -> Tensor | None:
    """Both masks as one, by batch and head where that makes a difference."""
    if padding is None:
        return mask
    for i, wanted_length in ((0, batch), (1, source)):
        if padding.data_.shape[i] != wanted_length:
            raise AssertionError(
                f"Expected key_padded_mask.shape[{i}] to be {wanted_length}, but got {padding.data_.shape[i]}"
            )
    spread = expand(view(padding, [batch, 1, 1, source]), [-1, heads, -1, -1])
    rows = reshape(spread, [batch * heads, 1, source])
    return rows if mask is None else add(mask, rows)


def with_weights(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, dropout_p: float, options: tuple[int, ...]
) -> tuple[Tensor, Tensor]:
    _, batch, length, _, width = options
    scaled = mul(q, math.sqrt(1.0 / float(q.data_.shape[-1])))
    turned = transpose(k, -2, -1)
    scores = bmm(scaled, turned) if mask is None else baddbmm(mask, scaled, turned)
    weights = softmax(scores, -1)
    if dropout_p > 0.0:
        weights = dropout(weights, dropout_p)
    return reshape(transpose(bmm(weights, v), 0, 1), [length * batch, width]), weights


def without_weights(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, dropout_p: float, options: tuple[int, ...], causal: bool
) -> Tensor:
    heads, batch, length, source, width = options
    if mask is not None:
        alone = mask.data_.shape[0] == 1
        mask = unsqueeze(mask, 0) if alone else view(mask, [batch, heads, -1, source])
    q, k, v = (view(x, [batch, heads, x.data_.shape[1], width // heads]) for x in (q, k, v))
    out = scaled_dot_product_attention(q, k, v, mask, dropout_p, causal)
    return reshape(permute(out, [2, 0, 1, 3]), [batch * length, width])
