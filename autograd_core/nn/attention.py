"""Attention of many heads."""

from __future__ import annotations

from typing import Any

from ..ops.view import transpose
from ..tensor.tensor import Tensor
from . import functional as F
from . import init
from .linear import Linear, blank
from .module import Module


class NonDynamicallyQuantizableLinear(Linear):
    """A linear map under the name that torch prints for the one at the end of attention."""


class MultiheadAttention(Module):
    """Each head looks by its own part of the query at its own part of the keys, and takes that of the values."""

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and num_heads={num_heads} "
                "instead"
            )
        super().__init__()
        self.embed_dim, self.num_heads, self.dropout, self.batch_first = embed_dim, num_heads, dropout, batch_first
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == self.vdim == embed_dim
        self.head_dim = embed_dim // num_heads
        if embed_dim % num_heads:
            raise AssertionError("embed_dim must be divisible by num_heads")
        widths = {"q_proj_weight": embed_dim, "k_proj_weight": self.kdim, "v_proj_weight": self.vdim}
        if self._qkv_same_embed_dim:
            self.in_proj_weight = blank((3 * embed_dim, embed_dim), dtype, device)
        for name, width in widths.items():
            self.register_parameter(
                name, None if self._qkv_same_embed_dim else blank((embed_dim, width), dtype, device)
            )
        if not self._qkv_same_embed_dim:
            self.register_parameter("in_proj_weight", None)
        self.register_parameter("in_proj_bias", blank((3 * embed_dim,), dtype, device) if bias else None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, device=device, dtype=dtype)
        self.bias_k, self.bias_v = (blank((1, 1, embed_dim), dtype, device) if add_bias_kv else None for _ in "kv")
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        for weight in (self.in_proj_weight, self.q_proj_weight, self.k_proj_weight, self.v_proj_weight):
            if weight is not None:
                init.xavier_uniform_(weight)
        for bias in (self.in_proj_bias, self.out_proj.bias):
            if bias is not None:
                init.zeros_(bias)
        for bias in (self.bias_k, self.bias_v):
            if bias is not None:
                init.xavier_normal_(bias)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        kind = query.data_.dtype
        padding = F.canonical_mask(key_padding_mask, "key_padding_mask", attn_mask, kind)
        mask = F.canonical_mask(attn_mask, "attn_mask", None, kind)
        swapped = self.batch_first and query.data_.ndim == 3
        if swapped:
            query, key, value = self.length_first(query, key, value)
        out, weights = F.multi_head_attention_forward(
            query, key, value, self.embed_dim, self.num_heads, self.in_proj_weight, self.in_proj_bias, self.bias_k,
            self.bias_v, self.add_zero_attn, self.dropout, self.out_proj.weight, self.out_proj.bias,
            training=self.training, key_padding_mask=padding, need_weights=need_weights, attn_mask=mask,
            use_separate_proj_weight=not self._qkv_same_embed_dim, q_proj_weight=self.q_proj_weight,
            k_proj_weight=self.k_proj_weight, v_proj_weight=self.v_proj_weight,
            average_attn_weights=average_attn_weights, is_causal=is_causal,
        )  # fmt: skip
        return (transpose(out, 1, 0) if swapped else out), weights

    def length_first(self, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """The inputs transposed; what is the same tensor is the same afterwards."""
        if key is not value:
            return transpose(query, 1, 0), transpose(key, 1, 0), transpose(value, 1, 0)
        turned = transpose(query, 1, 0)
        other = turned if query is key else transpose(key, 1, 0)
        return turned, other, other
