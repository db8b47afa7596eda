"""Layers as functions: linear maps and tables of vectors."""

from __future__ import annotations

import numpy as np

from ... import tell
from ...graph import Dim
from ...ops import matmul
from ...ops.embedding import embedding as looked_up
from ...state import ask_room, state
from ...tensor import Array, Tensor, plain
from ...unsupported import no_sparse
from .common import need_tensor


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """`input @ weight.T + bias` over the last dimension."""
    need_tensor("linear", "input", 1, input)
    if isinstance(weight, Tensor) and not (input.data_.ndim and weight.data_.ndim):
        ranks = f"{input.data_.ndim}D and {weight.data_.ndim}D"
        raise RuntimeError(f"both arguments to linear need to be at least 1D, but they are {ranks}")
    return matmul.linear(input, weight, bias)


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """The rows of `weight` at `input`; rows longer than `max_norm` are shortened first, in `weight` itself."""
    rows = weight.data_.shape[0] if weight.data_.ndim else 0
    if padding_idx is not None and weight.data_.ndim and not -rows <= padding_idx < rows:
        raise AssertionError("Padding_idx must be within num_embeddings")
    if sparse:
        raise no_sparse("embedding")
    if weight.data_.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    kept = -1 if padding_idx is None else padding_idx % rows
    if max_norm is not None:
        shortened(weight, np.unique(np.asarray(input.data_)), max_norm, norm_type)
    return looked_up(weight, input, Dim(kept), scale_grad_by_freq)


def shortened(weight: Tensor, rows: Array, max_norm: float, norm_type: float) -> None:
    """Scale those of `rows` of `weight` down to `max_norm` that are longer."""
    held = weight.data_
    lengths = np.linalg.norm(held[rows], norm_type, axis=-1)
    for row, length in zip(rows, lengths, strict=True):
        if length > max_norm:
            held[row] *= held.dtype.type(max_norm / (float(length) + 1e-7))
    weight.bump()
    tell.written(weight, "embedding_renorm_")


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    labels = np.asarray(tensor.data_)
    if labels.dtype != np.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if labels.size and labels.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    if not labels.size and num_classes == -1:
        raise RuntimeError("Can not infer total number of classes from empty tensor.")
    count = int(labels.max()) + 1 if num_classes == -1 else num_classes
    if labels.size and labels.max() >= count:
        raise RuntimeError("Class values must be smaller than num_classes.")
    ask_room(labels.size, max(count, 0))
    marks = plain(np.ascontiguousarray(np.equal(labels[..., None], np.arange(count)).astype(np.int64)))
    marks.bump()  # torch fills a new tensor with zeros, then scatters ones into it
    marks.bump()
    if state.session is not None:
        state.session.result(marks, "one_hot", (tensor,))
    return marks
