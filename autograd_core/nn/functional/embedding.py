"""Rows of a table by their indices, alone and in bags, as functions."""

from __future__ import annotations

import numpy as np

from ... import errors
from ...dispatch.schema.schema import composite
from ...engine.state import ask_room, state
from ...errors import no_sparse
from ...events import session as tell
from ...graph.node import Dim
from ...ops import embedding as embedding_ops
from ...ops.embedding import embedding as looked_up
from ...ops.view import reshape
from ...tensor.dtypes import number
from ...tensor.tensor import Array, Tensor, plain


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
        shorten(weight, np.unique(np.asarray(input.data_)), max_norm, norm_type)
    return looked_up(weight, input, Dim(kept), scale_grad_by_freq)


def shorten(weight: Tensor, rows: Array, max_norm: float, norm_type: float) -> None:
    """Scale those of `rows` of `weight` down to `max_norm` that are longer."""
    held = weight.data_
    said = "embedding_renorm_(): argument '{}' (position {}) must be float, not {{}}"
    max_norm, norm_type = number(max_norm, said.format("max_norm", 3)), number(norm_type, said.format("norm_type", 4))
    lengths = np.linalg.norm(held[rows], norm_type, axis=-1)
    for row, length in zip(rows, lengths, strict=True):
        if length > max_norm:
            held[row] *= held.dtype.type(max_norm / (float(length) + 1e-7))
    weight.bump()
    tell.emit_write(weight, "embedding_renorm_")


@composite("one_hot(Tensor self, int num_classes=-1) -> Tensor: nn")
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


MODES = {"sum": embedding_ops.SUM, "mean": embedding_ops.MEAN, "max": embedding_ops.MAX}


def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """One row for each bag of rows of `weight`, shortened to `max_norm` first: their sum, mean or maximum."""
    if sparse and mode != "max":
        raise no_sparse("embedding_bag")
    if per_sample_weights is not None and input.data_.shape != per_sample_weights.data_.shape:
        raise ValueError(
            f"embedding_bag: If per_sample_weights ({per_sample_weights.shape}) is not None, then it must have the "
            f"same shape as the input ({input.shape})"
        )
    if weight.data_.ndim != 2:
        raise ValueError(f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.data_.ndim}")
    if input.data_.ndim == 2:
        if offsets is not None:
            raise ValueError(
                "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length "
                f"sequences. However, found offsets of type {type(offsets)}"
            )
        offsets = plain(np.arange(0, input.data_.size, input.data_.shape[1], dtype=np.int64))
        input = reshape(input, [-1])
        if per_sample_weights is not None:
            per_sample_weights = reshape(per_sample_weights, [-1])
    elif input.data_.ndim != 1:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.data_.ndim}")
    elif offsets is None or offsets.data_.ndim != 1:
        found = "None" if offsets is None else f"{offsets.data_.ndim}D Tensor"
        raise ValueError(f"offsets has to be a 1D Tensor{' but got ' + found if offsets is None else ''}")
    if mode not in MODES:
        raise ValueError("mode has to be one of sum, mean or max")
    if mode == "max" and scale_grad_by_freq:
        raise ValueError("max mode does not support scaling the gradient by the frequency")
    if mode == "max" and sparse:
        raise ValueError("max mode does not support sparse weights")
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' (got "
            f"mode='{mode}'). Please open a feature request on GitHub."
        )
    if per_sample_weights is not None and per_sample_weights.data_.dtype != weight.data_.dtype:
        kinds = [errors.legacy_type(t.data_.dtype) for t in (weight, per_sample_weights)]
        raise RuntimeError(
            "Expected tensor for argument #1 'weight' to have the same type as tensor for argument #1 "
            f"'per_sample_weights'; but type {kinds[0]} does not equal {kinds[1]} (while checking arguments for "
            "embedding_bag)"
        )
    rows = weight.data_.shape[0]
    if padding_idx is not None and not -rows <= padding_idx < rows:
        raise RuntimeError(
            f"padding_idx must be within the number of embeddings, -{rows} through {rows - 1}, but got {padding_idx}"
        )
    check_bags(input, offsets, rows, weight.data_.dtype == np.float32 and mode != "max" and padding_idx is None)
    if max_norm is not None:
        shorten(weight, np.unique(np.asarray(input.data_)), max_norm, norm_type)
    kept = Dim(-1 if padding_idx is None else padding_idx % rows)
    return embedding_ops.embedding_bag(
        weight, input, offsets, scale_grad_by_freq, MODES[mode], sparse, per_sample_weights, include_last_offset, kept
    )[0]


def check_bags(input: Tensor, offsets: Tensor, rows: int, single: bool) -> None:
    """Whether indices and offsets are what they say.

    Raises:
        RuntimeError: they are not, in torch's words.
    """
    places, starts = np.asarray(input.data_), np.asarray(offsets.data_)
    if places.dtype not in (np.int64, np.int32):
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got "
            f"{errors.legacy_type(places.dtype)} instead (while checking arguments for embedding_bag)"
        )
    if starts.size and starts[0] != 0:
        raise RuntimeError(
            "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. However, "
            f"got {starts[0]}\n[ torch.LongTensor{{}} ]"
        )
    if starts.size and starts[-1] > places.size:
        raise RuntimeError(
            f"offsets[-1] can not be greater than input's length {places.size} but got offsets[-1] of {starts[-1]}"
        )
    wrong = np.flatnonzero((places < 0) | (places >= rows))
    if wrong.size and not single:
        raise RuntimeError(
            f"embedding_bag: Expected idx >= 0 && idx < num_embeddings but found idx to be {places[wrong[0]]}"
        )
    if wrong.size:
        raise RuntimeError(
            f"Index {wrong[0]} of input takes value {places[wrong[0]]} which is not in the valid range [0, {rows})"
        )
