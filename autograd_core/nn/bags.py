"""The bilinear map and bags of rows as layers."""

from __future__ import annotations

import math
from typing import Any

from .. import tell
from ..dtypes import dtype as dtype_class
from ..tensor import Tensor
from ..unsupported import no_sparse
from . import functional as F
from . import init
from .layers import blank
from .module import Module
from .parameter import Parameter


class Bilinear(Module):
    """For each output a matrix between two inputs."""

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: dtype_class | None = None,
    ) -> None:
        super().__init__()
        if in1_features <= 0:
            raise ValueError(f"in1_features must be > 0, but got (in1_features={in1_features})")
        self.in1_features, self.in2_features, self.out_features = in1_features, in2_features, out_features
        self.weight = blank((out_features, in1_features, in2_features), dtype, device)
        self.register_parameter("bias", blank((out_features,), dtype, device) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        bound = 1 / math.sqrt(self.in1_features)
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        sizes = f"in1_features={self.in1_features}, in2_features={self.in2_features}, out_features={self.out_features}"
        return f"{sizes}, bias={self.bias is not None}"


class EmbeddingBag(Module):
    """A table of vectors; one for each bag of indices."""

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Tensor | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: Any = None,
        dtype: dtype_class | None = None,
    ) -> None:
        super().__init__()
        if sparse:
            raise no_sparse("EmbeddingBag")
        if padding_idx is not None:
            if not -num_embeddings <= padding_idx < num_embeddings:
                raise AssertionError("padding_idx must be within num_embeddings")
            padding_idx %= num_embeddings
        self.num_embeddings, self.embedding_dim, self.padding_idx = num_embeddings, embedding_dim, padding_idx
        self.mode, self.include_last_offset = mode, include_last_offset
        self.max_norm, self.norm_type = max_norm, norm_type
        self.scale_grad_by_freq, self.sparse = scale_grad_by_freq, sparse
        if _weight is None:
            self.weight = blank((num_embeddings, embedding_dim), dtype, device)
            self.reset_parameters()
        else:
            self.weight = Parameter(_weight)

    def reset_parameters(self) -> None:
        init.normal_(self.weight)
        if self.padding_idx is not None:
            self.weight.data_[self.padding_idx] = 0
            self.weight.bump()
            tell.written(self.weight, "fill_")

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
    ) -> EmbeddingBag:
        if embeddings.data_.ndim != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        options = (max_norm, norm_type, scale_grad_by_freq, mode, sparse, embeddings, include_last_offset, padding_idx)
        rows, columns = embeddings.data_.shape
        made = cls(rows, columns, *options)
        made.weight.requires_grad_(not freeze)
        return made

    def forward(self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None) -> Tensor:
        return F.embedding_bag(
            input,
            self.weight,
            offsets,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.mode,
            per_sample_weights=per_sample_weights,
            include_last_offset=self.include_last_offset,
            padding_idx=self.padding_idx,
        )

    def extra_repr(self) -> str:
        longest = "" if self.max_norm is None else f", max_norm={self.max_norm}"
        norm = "" if self.norm_type == 2 else f", norm_type={self.norm_type}"
        scaled = ", scale_grad_by_freq=True" if self.scale_grad_by_freq else ""
        padding = "" if self.padding_idx is None else f", padding_idx={self.padding_idx}"
        options = f"{longest}{norm}{scaled}, mode={self.mode!r}{padding}"
        return f"{self.num_embeddings}, {self.embedding_dim}{options}"
