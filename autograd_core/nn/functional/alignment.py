"""ctc_loss as a function: a loss of sequences whose labels have no places yet."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...dtypes import int64
from ...functions.pointwise import where
from ...ops import ctc_loss as ctc_loss_ops
from ...ops import reduction as reduction_ops
from ...ops.view import squeeze_dim, unsqueeze
from ...tensor import Tensor, plain
from .common import reduction_nr

MEAN, SUM = 1, 2


def lengths(given: Any, name: str) -> list[int]:
    """Lengths as numbers.

    Raises:
        RuntimeError: they are a tensor of fractions.
    """
    if not isinstance(given, Tensor):
        return [int(n) for n in given]
    if given.data_.dtype.kind not in "iu":
        raise RuntimeError(f"{name} must be integral")
    return [int(n) for n in np.atleast_1d(given.data_)]


def ctc(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: int = 0,
    zero_infinity: bool = False,
) -> Tensor:
    """`torch.ctc_loss`, whose reduction is a number; left out it is none, though torch's signature says mean."""
    batched = log_probs.data_.ndim >= 3
    rows = log_probs if log_probs.data_.ndim == 3 else unsqueeze(log_probs, 1)
    inputs, goals = lengths(input_lengths, "input_lengths"), lengths(target_lengths, "target_lengths")
    found = ctc_loss_ops.ctc_loss(rows, targets.to(int64), inputs, goals, blank, zero_infinity)
    losses: Any = found[0]
    if zero_infinity:
        losses = where(losses == math.inf, plain(np.zeros((), losses.data_.dtype)[()]), losses)
    if reduction == MEAN:
        counts = plain(np.maximum(np.array(goals, losses.data_.dtype), 1))
        return reduction_ops.mean(losses / counts)
    if reduction == SUM:
        return reduction_ops.sum(losses)
    return losses if batched else squeeze_dim(losses, 0)


def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """The loss of each of N sequences of `log_probs` (T, N, C), or of one (T, C); see torch's documentation.

    Raises:
        RuntimeError: the lengths do not fit the sequences.
    """
    return ctc(log_probs, targets, input_lengths, target_lengths, blank, reduction_nr(reduction), zero_infinity)
