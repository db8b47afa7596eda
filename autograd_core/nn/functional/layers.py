"""Layers as functions: linear maps and tables of vectors."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import numpy as np

from ...graph import Dim
from ...ops import index as i
from ...ops import matmul as m
from ...tensor import Tensor, plain
from .common import need_tensor


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """`input @ weight.T + bias` over the last dimension."""
    need_tensor("linear", "input", 1, input)
    return m.linear(input, weight, bias)


def embedding(input: Tensor, weight: Tensor, padding_idx: int | None = None) -> Tensor:
    rows = weight.data_.shape[0]
    if padding_idx is not None and not -rows <= padding_idx < rows:
        raise AssertionError("Padding_idx must be within num_embeddings")
    kept = -1 if padding_idx is None else padding_idx % rows
    return i.embedding(weight, input, Dim(kept))


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    labels = np.asarray(tensor.data_)
    if labels.dtype != np.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if labels.size and labels.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    count = int(labels.max()) + 1 if num_classes == -1 else num_classes
    if labels.size and labels.max() >= count:
        raise RuntimeError("Class values must be smaller than num_classes.")
    marks = plain(np.equal(labels[..., None], np.arange(count)).astype(np.int64))
    marks.bump()  # torch fills a new tensor with zeros, then scatters ones into it
    marks.bump()
    return marks
