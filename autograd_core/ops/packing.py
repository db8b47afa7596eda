"""Sequences of different lengths, packed: the elements of all of them at the first step, then at the second, and so on.

Formula: PyTorch's derivatives.yaml.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..inplace import in_place
from ..op import GRAPH, helper, op
from ..tensor import Array, Tensor, plain
from . import shape as s
from .dims import wrap

UNSORTED = (
    "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
    "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you do not "
    "need ONNX exportability."
)


@op(
    "_pack_padded_sequence",
    forward_mode=False,
    outputs=("result0", "result1"),
    differentiable=("result0",),
    tensors_only=True,
    input=lambda grad, input_sym_sizes, result1, batch_first: pack_backward(
        grad, input_sym_sizes, result1, batch_first
    ),
)
def pack_padded_sequence(input: Array, lengths: Array, batch_first: bool = False) -> tuple[Array, Array]:
    """The elements that are there, step by step, and how many there are at each step.

    Raises:
        RuntimeError: the lengths do not fit the input, are not sorted, or are not positive.
    """
    if not input.size:
        raise RuntimeError("Cannot pack empty tensors.")
    wrap(1, input.ndim)
    steps = np.swapaxes(input, 0, 1) if batch_first else input
    check_lengths(lengths, steps.shape[1])
    sizes = (np.arange(lengths[0])[:, None] < lengths).sum(1)
    return np.concatenate([step[:size] for step, size in zip(steps, sizes, strict=False)]), sizes


def check_lengths(lengths: Array, batch: int) -> None:
    """Whether `lengths` are those of a batch of so many sequences, the longest first."""
    if lengths.ndim != 1:
        raise RuntimeError(
            f"'lengths' argument should be a 1D CPU int64 tensor, but got {lengths.ndim}D cpu Long tensor"
        )
    if len(lengths) != batch:
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {len(lengths)} (batch_size={batch})"
        )
    if lengths[-1] <= 0:
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0"
        )
    if (np.diff(lengths) > 0).any():
        raise RuntimeError(UNSORTED)


def pack_backward(grad: Tensor, sizes: Sequence[int], counts: Tensor, batch_first: bool) -> Tensor:
    """What came for the packed elements, in their places among zeros: written step by step, as torch does."""
    shape = (sizes[1], sizes[0], *sizes[2:]) if batch_first else tuple(sizes)
    padded, start = plain(np.zeros(shape, grad.data_.dtype)), 0
    padded.bump()
    for at, count in enumerate(counts.data_.tolist()):
        place = s.slice_(s.select(padded, 0, at), 0, 0, count, 1)
        in_place(GRAPH["copy"], place, s.slice_(grad, 0, start, start + count, 1))
        start += count
    return s.transpose(padded, 0, 1) if batch_first else padded


def pack_backward_raw(grad: Array, sizes: Sequence[int], counts: Array, batch_first: bool) -> Array:
    padded, start = np.zeros(sizes, grad.dtype), 0
    steps = np.swapaxes(padded, 0, 1) if batch_first else padded
    for step, count in zip(steps, counts.tolist(), strict=False):
        step[:count] = grad[start : start + count]
        start += count
    return padded


helper(pack_backward, pack_backward_raw)
