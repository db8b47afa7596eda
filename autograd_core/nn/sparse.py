"""Embedding and EmbeddingBag."""

from __future__ import annotations

from typing import Any

from ..errors import no_sparse
from ..events import session as tell
from ..tensor.dtypes import dtype as dtype_class
from ..tensor.tensor import Tensor
from . import functional as F
from . import init
from .linear import blank
from .module import Module
from .parameter import Parameter


class Table(Module):
    """What both have: vectors, one a row, of which one may stand for nothing."""

    def make_rows(self, rows: int, columns: int, padding_idx: int | None, sparse: bool, title: str) -> None:
        """Take the lengths; `title` is what the refusal of a `padding_idx` begins with."""
        if sparse:
            raise no_sparse(type(self).__name__)
        if padding_idx is not None:
            if not -rows <= padding_idx < rows:
                raise AssertionError(f"{title} must be within num_embeddings")
            padding_idx %= rows
        self.num_embeddings, self.embedding_dim, self.padding_idx, self.sparse = rows, columns, padding_idx, sparse

    def reset_parameters(self) -> None:
        init.normal_(self.weight)
        if self.padding_idx is not None:
            self.weight.data_[self.padding_idx] = 0
            self.weight.bump()
            tell.emit_write(self.weight, "fill_")


class Embedding(Table):
    """A table of vectors, one a row, looked up by index."""

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: Any = None,
        dtype: dtype_class | None = None,
    ) -> None:
        super().__init__()
        self.make_rows(num_embeddings, embedding_dim, padding_idx, sparse, "Padding_idx")
        self.max_norm, self.norm_type, self.scale_grad_by_freq = max_norm, norm_type, scale_grad_by_freq
        if _weight is None:
            self.weight = blank((num_embeddings, embedding_dim), dtype, device)
            self.reset_parameters()
        elif _weight.data_.shape != (num_embeddings, embedding_dim):
            raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")
        else:
            self.weight = Parameter(_weight, requires_grad=not _freeze)

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> Embedding:
        if embeddings.data_.ndim != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, columns = embeddings.data_.shape
        options = (padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse)
        return cls(rows, columns, *options, _weight=embeddings, _freeze=freeze)

    def forward(self, input: Tensor) -> Tensor:
        options = (self.max_norm, self.norm_type, self.scale_grad_by_freq, self.sparse)
        return F.embedding(input, self.weight, self.padding_idx, *options)

    def extra_repr(self) -> str:
        usual = {"padding_idx": None, "max_norm": None, "norm_type": 2, "scale_grad_by_freq": False, "sparse": False}
        more = [f"{k}={getattr(self, k)}" for k, v in usual.items() if getattr(self, k) != v]
        return ", ".join([f"{self.num_embeddings}, {self.embedding_dim}", *more])


class EmbeddingBag(Table):
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
        self.make_rows(num_embeddings, embedding_dim, padding_idx, sparse, "padding_idx")
        self.mode, self.include_last_offset = mode, include_last_offset
        self.max_norm, self.norm_type, self.scale_grad_by_freq = max_norm, norm_type, scale_grad_by_freq
        if _weight is None:
            self.weight = blank((num_embeddings, embedding_dim), dtype, device)
            self.reset_parameters()
        else:
            self.weight = Parameter(_weight)

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
