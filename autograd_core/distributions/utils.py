"""torch.distributions.utils: what distributions that programs write themselves are made of."""

from __future__ import annotations

from ..namespace.absent import absent
from ..nn import functional as F
from ..ops.unary import log, log1p, sigmoid
from ..tensor.tensor import Tensor
from .discrete import clamp as clamp_probs
from .distribution import broadcast_all, lazy_property

__all__ = [
    "broadcast_all", "clamp_probs", "lazy_property", "logits_to_probs", "probs_to_logits",
]  # fmt: skip


def logits_to_probs(logits: Tensor, is_binary: bool = False) -> Tensor:
    """Probabilities of their logarithms, which need not be normalized; of the logarithms of odds if `is_binary`."""
    return sigmoid(logits) if is_binary else F.softmax(logits, dim=-1)


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Tensor:
    """The logarithms of probabilities, or of their odds."""
    inside = clamp_probs(probs)
    return log(inside) - log1p(-inside) if is_binary else log(inside)


__getattr__ = absent("torch.distributions.utils")
