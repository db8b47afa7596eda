"""Bags of rows and the bilinear map as functions."""

from __future__ import annotations

import math

import numpy as np

from ... import errors
from ...graph import Dim
from ...ops import embedding
from ...ops._common import existing
from ...ops.binary import add
from ...ops.matmul import trilinear
from ...ops.view import reshape
from ...tensor import Tensor, plain
from ...unsupported import no_sparse
from .layers import shortened

MODES = {"sum": embedding.SUM, "mean": embedding.MEAN, "max": embedding.MAX}


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
    check(input, offsets, rows, weight.data_.dtype == np.float32 and mode != "max" and padding_idx is None)
    if max_norm is not None:
        shortened(weight, np.unique(np.asarray(input.data_)), max_norm, norm_type)
    kept = Dim(-1 if padding_idx is None else padding_idx % rows)
    return embedding.embedding_bag(
        weight, input, offsets, scale_grad_by_freq, MODES[mode], sparse, per_sample_weights, include_last_offset, kept
    )[0]


def check(input: Tensor, offsets: Tensor, rows: int, single: bool) -> None:
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


def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """For each output the number `input1 @ weight[output] @ input2`."""
    one, two, kernel = input1.data_.shape, input2.data_.shape, weight.data_.shape
    if len(one) != len(two):
        raise RuntimeError(f"bilinear(): input dimensions do not match: got {len(one)} and {len(two)}")
    for dim, (n, m) in enumerate(zip(one[:-1], two[:-1], strict=True)):
        if n != m:
            raise RuntimeError(f"bilinear(): input batch dimensions do not match at dim {dim}: got {n} and {m}")
    named = {"input1": input1, "input2": input2, "weight": weight, "bias": bias}
    kinds = {name: errors.C_NAMES[t.data_.dtype.name] for name, t in named.items() if t is not None}
    if len(set(kinds.values())) > 1:
        told = ", ".join(f"{name}: {kind}" for name, kind in kinds.items())
        raise RuntimeError(f"All tensors must have the same dtype, got {told}")
    for dim in (1, 2):
        existing(dim, len(kernel))
    for nr, (given, wanted) in enumerate(((one[-1], kernel[1]), (two[-1], kernel[2])), 1):
        if given != wanted:
            raise RuntimeError(
                f"bilinear(): input{nr} size does not match weight size: got {given} but expected {wanted}"
            )
    if bias is not None and bias.data_.shape[0] != kernel[0]:
        raise RuntimeError(
            f"bilinear(): bias size does not match weight size: got {bias.data_.shape[0]} but expected {kernel[0]}"
        )
    rows = math.prod(one[:-1])
    flat = [reshape(x, [rows, x.data_.shape[-1]]) for x in (input1, input2)]
    out = reshape(trilinear(flat[0], weight, flat[1], [1, 3], [0], [1, 2], [2, 3]), [*one[:-1], kernel[0]])
    return out if bias is None else add(out, bias)
