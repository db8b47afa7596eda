"""The encoder and the decoder of a transformer, and both together."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from copy import deepcopy
from typing import Any, ClassVar

import numpy as np

from ..api.functions.creation import floating
from ..engine.state import ask_room, state
from ..engine.warnings import warn_once
from ..tensor.tensor import Tensor, plain
from . import functional as F
from . import init
from .activation import GELU, ReLU
from .attention import MultiheadAttention
from .container import ModuleList
from .dropout import Dropout
from .linear import Linear
from .module import Module
from .normalization import LayerNorm


class Layer(Module):
    """One attention or more, then two linear maps; each added to what came in, and normalized."""

    attentions: ClassVar[tuple[str, ...]]
    """Their names, in torch's order."""

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Callable[[Tensor], Tensor] = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        heads: dict[str, Any] = {"dropout": dropout, "batch_first": batch_first, "bias": bias}
        made: dict[str, Any] = {"device": device, "dtype": dtype}
        for name in self.attentions:
            setattr(self, name, MultiheadAttention(d_model, nhead, **heads, **made))
        self.linear1 = Linear(d_model, dim_feedforward, bias=bias, **made)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias=bias, **made)
        self.norm_first = norm_first
        parts = range(1, len(self.attentions) + 2)
        for part in parts:
            setattr(self, f"norm{part}", LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **made))
        for part in parts:
            setattr(self, f"dropout{part}", Dropout(dropout))
        if isinstance(activation, str):
            if activation not in ("relu", "gelu"):
                raise RuntimeError(f"activation should be relu/gelu, not {activation}")
            activation = F.relu if activation == "relu" else F.gelu
        self.activation = activation

    def through(self, x: Tensor, *attended: Callable[[Tensor], Tensor]) -> Tensor:
        """`x` with what each attention makes of it added, then with what the linear maps do."""
        for part, made_of in enumerate((*attended, self.feed_forward), 1):
            norm, dropout = getattr(self, f"norm{part}"), getattr(self, f"dropout{part}")
            x = x + dropout(made_of(norm(x))) if self.norm_first else norm(x + dropout(made_of(x)))
        return x

    def feed_forward(self, x: Tensor) -> Tensor:
        return self.linear2(self.dropout(self.activation(self.linear1(x))))


class TransformerEncoderLayer(Layer):
    """Attention to itself, then two linear maps; each added to what came in, and normalized."""

    attentions = ("self_attn",)

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        kind = src.data_.dtype
        padding = F.canonical_mask(src_key_padding_mask, "src_key_padding_mask", src_mask, kind, "src_mask")
        mask = F.canonical_mask(src_mask, "src_mask", None, kind)

        def attend(x: Tensor) -> Any:
            options = {"attn_mask": mask, "key_padding_mask": padding, "need_weights": False, "is_causal": is_causal}
            return self.self_attn(x, x, x, **options)[0]

        return self.through(src, attend)


def copies(layer: Module, count: int) -> ModuleList:
    """So many copies of a layer; the room for them is asked for first."""
    ask_room(count * sum(64 + part.data_.size for part in layer.parameters()))
    return ModuleList([deepcopy(layer) for _ in range(count)])


class TransformerEncoder(Module):
    """Several encoder layers, which begin as copies of one."""

    def __init__(
        self,
        encoder_layer: TransformerEncoderLayer,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__()
        reason = no_nested_tensor(encoder_layer) if enable_nested_tensor else ""
        if reason:
            warnings.warn(UNUSED_NESTED_TENSOR + reason, stacklevel=2)
        self.enable_nested_tensor, self.mask_check = enable_nested_tensor, mask_check
        self.use_nested_tensor = enable_nested_tensor and not reason
        self.layers = copies(encoder_layer, num_layers)
        self.num_layers, self.norm = num_layers, norm

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Tensor:
        kind = src.data_.dtype
        padding = F.canonical_mask(src_key_padding_mask, "src_key_padding_mask", mask, kind, "mask")
        shown = F.canonical_mask(mask, "mask", None, kind)
        causal = is_causal if is_causal is not None else looks_causal(shown)
        for layer in self.layers:
            src = layer(src, src_mask=shown, is_causal=causal, src_key_padding_mask=padding)
        if padding is not None and shown is None and self.leaves_out_padding(src, padding):
            warn_once("nested tensors", PROTOTYPE)
            src = src.masked_fill(plain((padding.data_ != 0)[..., None]), 0.0)
        return src if self.norm is None else self.norm(src)

    def leaves_out_padding(self, src: Tensor, padding: Tensor) -> bool:
        """Whether torch would take nested tensors on its way, which know nothing of what is padding: zeros come out."""
        if not self.use_nested_tensor or self.layers[0].training or src.data_.ndim != 3:
            return False
        hidden = padding.data_ != 0
        if self.mask_check and (hidden[:, :-1] & ~hidden[:, 1:]).any():
            return False
        return not state.grad_enabled or not any(t.requires_grad for t in (src, *self.layers[0].parameters()))


PROTOTYPE = (
    "The PyTorch API of nested tensors is in prototype stage and will change in the near future. We recommend "
    "specifying layout=torch.jagged when constructing a nested tensor, as this layout receives active development, has "
    "better operator coverage, and works with torch.compile."
)
UNUSED_NESTED_TENSOR = "enable_nested_tensor is True, but self.use_nested_tensor is False because "


def no_nested_tensor(layer: Any) -> str:
    """Why torch would not take its faster way through `layer`; empty if it might."""
    if not isinstance(layer, TransformerEncoderLayer):
        return "encoder_layer was not TransformerEncoderLayer"
    if layer.norm_first:
        return "encoder_layer.norm_first was True"
    if not layer.self_attn.batch_first:
        return "encoder_layer.self_attn.batch_first was not True(use batch_first for better inference performance)"
    if layer.self_attn.in_proj_bias is None:
        return "encoder_layer.self_attn was passed bias=False"
    if layer.activation not in (F.relu, F.gelu) and not isinstance(layer.activation, ReLU | GELU):
        return "encoder_layer.activation_relu_or_gelu was not True"
    if layer.self_attn.num_heads % 2:
        return "encoder_layer.self_attn.num_heads is odd"
    return ""


def looks_causal(mask: Tensor | None) -> bool:
    """Whether the mask hides exactly what comes later."""
    if mask is None:
        return False
    size = mask.data_.shape[-1]
    later = np.triu(np.full((size, size), -np.inf, mask.data_.dtype), 1)
    return mask.data_.shape == later.shape and bool(np.all(mask.data_ == later))


class TransformerDecoderLayer(Layer):
    """Attention to itself, attention to a memory, then two linear maps; each added to what came in, and normalized."""

    attentions = ("self_attn", "multihead_attn")

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:

        def itself(x: Tensor) -> Any:
            return self.self_attn(
                x, x, x, attn_mask=tgt_mask, key_padding_mask=tgt_key_padding_mask, need_weights=False,
                is_causal=tgt_is_causal,
            )[0]  # fmt: skip

        def remember_mask(x: Tensor) -> Any:
            return self.multihead_attn(
                x, memory, memory, attn_mask=memory_mask, key_padding_mask=memory_key_padding_mask,
                need_weights=False, is_causal=memory_is_causal,
            )[0]  # fmt: skip

        return self.through(tgt, itself, remember_mask)


class TransformerDecoder(Module):
    """Several decoder layers, which begin as copies of one."""

    def __init__(self, decoder_layer: TransformerDecoderLayer, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = copies(decoder_layer, num_layers)
        self.num_layers, self.norm = num_layers, norm

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        causal = looks_causal(tgt_mask) if tgt_is_causal is None else tgt_is_causal
        for layer in self.layers:
            tgt = layer(
                tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask, tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask, tgt_is_causal=causal,
                memory_is_causal=memory_is_causal,
            )  # fmt: skip
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(Module):
    """An encoder for what is read and a decoder for what is written."""

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Callable[[Tensor], Tensor] = F.relu,
        custom_encoder: Any = None,
        custom_decoder: Any = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        layer: tuple[Any, ...] = (
            d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias, device,
            dtype,
        )  # fmt: skip
        norm: dict[str, Any] = {"eps": layer_norm_eps, "bias": bias, "device": device, "dtype": dtype}
        if custom_encoder is None:
            one = TransformerEncoderLayer(*layer)
            custom_encoder = TransformerEncoder(one, num_encoder_layers, LayerNorm(d_model, **norm))
        self.encoder = custom_encoder
        if custom_decoder is None:
            other = TransformerDecoderLayer(*layer)
            custom_decoder = TransformerDecoder(other, num_decoder_layers, LayerNorm(d_model, **norm))
        self.decoder = custom_decoder
        for weight in self.parameters():
            if weight.data_.ndim > 1:
                init.xavier_uniform_(weight)
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """What the decoder makes of `tgt` (T x B x d_model) with what the encoder makes of `src` (S x B x d_model).

        Raises:
            RuntimeError: the batches or the widths differ.
        """
        batched = src.data_.ndim == 3
        batch = 0 if self.batch_first else 1
        if batched and src.data_.shape[batch] != tgt.data_.shape[batch]:
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.data_.shape[-1] != self.d_model or tgt.data_.shape[-1] != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal)
        return self.decoder(
            tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask, tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask, tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )  # fmt: skip

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
        """A mask that hides from each place what comes later: `sz` x `sz`, -inf above the diagonal."""
        ask_room(sz, sz)
        return plain(np.triu(np.full((sz, sz), -np.inf, floating(dtype)), 1))
