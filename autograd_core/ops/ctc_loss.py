"""Connectionist temporal classification: how likely a sequence is, over all ways to spell it in a longer one.

The forward and the backward sums of Graves et al. (2006), in logarithms; what torch keeps is the forward sums.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..dispatch.op import op
from ..tensor.tensor import Array
from ._common import refuse


def check(log_probs: Array, targets: Array, input_lengths: Sequence[int], target_lengths: Sequence[int]) -> None:
    """Whether there is a length for each example, and each within its sequence.

    Raises:
        RuntimeError: it is not so, in torch's words.
    """
    where = " (while checking arguments for ctc_loss_allocate_outputs)"
    if log_probs.ndim != 3:
        raise RuntimeError(
            f"Expected 3-dimensional tensor, but got {log_probs.ndim}-dimensional tensor for argument #1 'log_probs'"
            f"{where}"
        )
    steps, batch, _ = log_probs.shape
    for name, given in (("input", input_lengths), ("target", target_lengths)):
        if len(given) != batch:
            raise RuntimeError(f"{name}_lengths must be of size batch_size")
    for length in target_lengths:
        if length < 0:
            raise RuntimeError(f"Expected target_lengths to have value at least 0, but got value {length}{where}")
    dim = targets.ndim - 1
    needed = sum(target_lengths) if dim == 0 else max(target_lengths, default=0)
    found = targets.shape[dim]
    if dim == 0 and found != needed:
        raise RuntimeError(
            f"Expected tensor to have size {needed} at dimension 0, but got size {found} for argument #2 'targets'"
            f"{where}"
        )
    if found < needed:
        raise RuntimeError(
            f"Expected tensor to have size at least {needed} at dimension 1, but got size {found} for argument #2 "
            f"'targets'{where}"
        )
    for length in input_lengths:
        if length < 0:
            raise RuntimeError(f"Expected input_lengths to have value at least 0, but got value {length}{where}")
        if length > steps:
            raise RuntimeError(f"Expected input_lengths to have value at most {steps}, but got value {length}{where}")


def spell(targets: Array, lengths: Sequence[int], blank: int) -> list[Array]:
    """Each target with a blank before, between and after its classes."""
    starts = np.cumsum([0, *lengths])
    rows = []
    for i, length in enumerate(lengths):
        row = np.full(2 * length + 1, blank)
        row[1::2] = targets[starts[i] : starts[i] + length] if targets.ndim == 1 else targets[i, :length]
        rows.append(row)
    return rows


def forward_sums(scores: Array, row: Array) -> Array:
    """For each step and place, how likely all ways are that lead there. `scores` (T, places) are those of `row`."""
    sums = np.full(scores.shape, -np.inf, scores.dtype)
    if not len(scores):
        return sums
    sums[0, :2] = scores[0, :2]
    skips = np.zeros(len(row), bool)
    skips[2:] = row[2:] != row[:-2]
    for t in range(1, len(scores)):
        before = sums[t - 1]
        terms = np.full((3, len(row)), -np.inf, scores.dtype)
        terms[0], terms[1, 1:] = before, before[:-1]
        terms[2, 2:] = np.where(skips[2:], before[:-2], -np.inf)
        sums[t] = np.logaddexp.reduce(terms) + scores[t]
    return sums


@op(
    "_ctc_loss", forward_mode=False,
    node="CtcLossBackward0",
    outputs="result0 | result1",
    log_probs=lambda grad, log_probs, targets, input_lengths, target_lengths, result0, result1, blank, zero_infinity:
    ctc_loss_backward(
        grad, log_probs, targets, input_lengths, target_lengths, result0, result1, blank, zero_infinity
    ),
)  # fmt: skip
def ctc_loss(
    log_probs: Array,
    targets: Array,
    input_lengths: Sequence[int],
    target_lengths: Sequence[int],
    blank: int,
    zero_infinity: bool,
) -> tuple[Array, Array]:
    """The loss of each example of `log_probs` (T, N, C), and the forward sums (N, T, places)."""
    refuse("ctc_loss_cpu", "biu", log_probs)
    if log_probs.ndim == 3 and not 0 <= blank < log_probs.shape[2]:
        raise RuntimeError("blank must be in label range")
    check(log_probs, targets, input_lengths, target_lengths)
    steps, batch, _ = log_probs.shape
    places = 2 * max(target_lengths, default=0) + 1 if targets.ndim == 1 else 2 * targets.shape[1] + 1
    sums = np.full((batch, steps, places), -np.inf, log_probs.dtype)
    losses = np.zeros(batch, log_probs.dtype)
    for i, row in enumerate(spell(targets, target_lengths, blank)):
        length = input_lengths[i]
        sums[i, :length, : len(row)] = forward_sums(log_probs[:length, i, row], row)
        if length:
            losses[i] = -np.logaddexp.reduce(sums[i, length - 1, max(len(row) - 2, 0) : len(row)])
        else:
            losses[i] = 0 if len(row) == 1 else np.inf
    return losses, sums


@op(
    "_ctc_loss_backward",
    node="NotImplemented",
    log_probs=lambda grad: not_derived("_ctc_loss_backward"),
    neg_log_likelihood=lambda grad: not_derived("_ctc_loss_backward"),
)
def ctc_loss_backward(
    grad: Array,
    log_probs: Array,
    targets: Array,
    input_lengths: Sequence[int],
    target_lengths: Sequence[int],
    neg_log_likelihood: Array,
    log_alpha: Array,
    blank: int,
    zero_infinity: bool,
) -> Array:
    """By forward and backward sums: how far each class at each step is from its part in all ways."""
    out = np.zeros_like(log_probs)
    for i, row in enumerate(spell(targets, target_lengths, blank)):
        length, loss = input_lengths[i], neg_log_likelihood[i]
        if zero_infinity and loss == np.inf:
            continue
        scores = log_probs[:length, i]
        back = forward_sums(scores[::-1][:, row[::-1]], row[::-1])[::-1, ::-1]
        both = log_alpha[i, :length, : len(row)] + back
        parts = np.full(scores.shape, -np.inf, scores.dtype)
        for place, of in enumerate(row):
            parts[:, of] = np.logaddexp(parts[:, of], both[:, place])
        out[:length, i] = (np.exp(scores) - np.exp(parts + loss - scores)) * grad[i]
    return out
