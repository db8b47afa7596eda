"""All parameters as one vector, and back."""

from __future__ import annotations

from collections.abc import Iterable

from ...ops.join import cat
from ...ops.view import reshape, slice_
from ...tensor.tensor import Tensor


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All numbers in one row."""
    row: Tensor = cat([reshape(parameter, [-1]) for parameter in parameters])
    return row


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Lets the parameters show the pieces of one row."""
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {type(vec).__name__}")
    start = 0
    for parameter in parameters:
        size = parameter.data_.size
        piece = slice_(vec, 0, start, start + size)
        parameter.data = reshape(piece, list(parameter.data_.shape)).data
        start += size
