"""Layers as functions: linear maps, tables of vectors, dropout."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import math

import numpy as np

from ...inplace import in_place
from ...ops import elementwise as e
from ...ops import index as i
from ...ops import matmul as m
from ...ops import shape as s
from ...random import bernoulli
from ...tensor import Tensor, plain
from .common import need_tensor, type_title


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """`input @ weight.T + bias` over the last dimension."""
    need_tensor("linear", "input", 1, input)
    if input.data_.dtype != weight.data_.dtype:
        names = [type_title(t.data_.dtype) for t in (input, weight)]
        raise RuntimeError(f"mat1 and mat2 must have the same dtype, but got {names[0]} and {names[1]}")
    if bias is None:
        return m.matmul(input, s.t(weight))
    shape = input.data_.shape
    if len(shape) == 2:
        return m.addmm(bias, input, s.t(weight))
    rows = s.reshape(input, [math.prod(shape[:-1]), shape[-1]])
    return s.reshape(m.addmm(bias, rows, s.t(weight)), [*shape[:-1], weight.data_.shape[0]])


def embedding(input: Tensor, weight: Tensor, padding_idx: int | None = None) -> Tensor:
    rows = weight.data_.shape[0]
    if padding_idx is not None and not -rows <= padding_idx < rows:
        raise AssertionError("Padding_idx must be within num_embeddings")
    kept = -1 if padding_idx is None else padding_idx % rows
    return i.embedding(weight, input, kept)


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    labels = np.asarray(tensor.data_)
    if labels.dtype != np.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if labels.size and labels.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    count = int(labels.max()) + 1 if num_classes == -1 else num_classes
    if labels.size and labels.max() >= count:
        raise RuntimeError("Class values must be smaller than num_classes.")
    return plain(np.equal(labels[..., None], np.arange(count)).astype(np.int64))


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeroes elements with probability `p` and scales the others up, by a mask that the node keeps."""
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if p == 0 or not training or input.data_.size == 0:
        return input
    data = input.data_
    if p == 1:
        mask = plain(np.zeros(data.shape, data.dtype)[()])
    else:
        drawn = bernoulli(data.size, 1 - p, data.dtype).reshape(data.shape)
        mask = plain((drawn / data.dtype.type(1 - p))[()])
    return in_place(e.mul, input, mask) if inplace else e.mul(input, mask)
