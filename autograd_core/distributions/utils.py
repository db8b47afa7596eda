"""torch.distributions.utils: what distributions that programs write themselves are made of."""

from __future__ import annotations

import math

import numpy as np

from ..api.functions.creation import arange
from ..namespace.absent import absent
from ..nn import functional as F
from ..ops.unary import log, log1p, sigmoid
from ..tensor.tensor import Tensor
from .discrete import clamp as clamp_probs
from .distribution import broadcast_all, lazy_property

__all__ = [
    "broadcast_all",
    "clamp_probs",
    "lazy_property",
    "logits_to_probs",
    "probs_to_logits",
    "tril_matrix_to_vec",
    "vec_to_tril_matrix",
]


def logits_to_probs(logits: Tensor, is_binary: bool = False) -> Tensor:
    """Probabilities of their logarithms, which need not be normalized; of the logarithms of odds if `is_binary`."""
    return sigmoid(logits) if is_binary else F.softmax(logits, dim=-1)


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Tensor:
    """The logarithms of probabilities, or of their odds."""
    inside = clamp_probs(probs)
    return log(inside) - log1p(-inside) if is_binary else log(inside)


def triangle(side: int, diagonal: int) -> Tensor:
    """Where in a square the triangle at and below this diagonal is."""
    places = arange(side)
    return places < places.view(-1, 1) + (diagonal + 1)


def tril_matrix_to_vec(mat: Tensor, diag: int = 0) -> Tensor:
    """What stands in each matrix at and below this diagonal, row by row.

    Raises:
        ValueError: there is no such diagonal.
    """
    side = mat.shape[-1]
    if not -side <= diag < side:
        raise ValueError(f"diag ({diag}) provided is outside [{-side}, {side - 1}].")
    listed: Tensor = mat[..., triangle(side, diag)]
    return listed


def vec_to_tril_matrix(vec: Tensor, diag: int = 0) -> Tensor:
    """Matrices of what stands in them at and below this diagonal, with zeros above it.

    Raises:
        ValueError: so many elements fill no such matrix.
    """
    count, twice = vec.shape[-1], 1 + 2 * diag
    side = (math.sqrt(twice**2 + 8 * count + 4 * abs(diag) * (diag + 1)) - twice) / 2
    if round(side) - side > np.finfo(vec.data_.dtype).eps:
        raise ValueError(
            f"The size of last dimension is {count} which cannot be expressed as the lower triangular part of a square "
            "D x D matrix."
        )
    matrix: Tensor = vec.new_zeros([*vec.shape[:-1], round(side), round(side)])
    matrix[..., triangle(round(side), diag)] = vec
    return matrix


__getattr__ = absent("torch.distributions.utils")
