"""Dropout: elements or whole channels, to zero or to what keeps mean and variance."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...api.methods.inplace import squeeze_, unsqueeze_
from ...dispatch.inplace import in_place
from ...engine.warnings import warn
from ...errors import check_cast
from ...functorch.batching_rules.factory import at_random, like_at_random
from ...ops.binary import add, mul
from ...ops.view import squeeze_dim, unsqueeze
from ...random.generator import bernoulli
from ...tensor.tensor import Array, Tensor, plain

LOWEST = 1.7580993408473766
"""Less this is where selu goes for large negative numbers: alpha dropout puts elements there."""

NOISE_WRITES = 2
"""How often torch writes the mask while it makes it; the node that keeps it shows that as its version."""


def drop_elements(
    input: Tensor, p: float, training: bool, inplace: bool, channels: bool = False, alpha: bool = False
) -> Tensor:
    """The way of all kinds: a mask that the node keeps, of elements or of `channels`, times the input."""
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if p == 0 or not training or input.data_.size == 0:
        return input
    if input.data_.dtype.kind != "f":
        check_cast(np.dtype(np.float32), input.data_.dtype)
    if p == 1:
        return times(input, plain(input.data_.dtype.type(0), version=1), inplace)
    kind, shape = input.data_.dtype, input.data_.shape
    if channels:
        if len(shape) < 2:
            raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
        shape = (*shape[:2], *[1] * (len(shape) - 2))
    if not alpha:
        return times(input, of_channels(*shape, p=p, kind=kind) if channels else of_elements(input, p), inplace)
    drawn = bernoulli(math.prod(shape), 1 - p, kind)
    noise = drawn.reshape(shape) if channels else laid_like(drawn, input.data_)
    scale = 1.0 / math.sqrt((LOWEST * LOWEST * p + 1) * (1 - p))
    moved = plain(((noise - 1) * kind.type(LOWEST * scale) + kind.type(LOWEST * scale * p))[()])
    kept = times(input, plain((noise * kind.type(scale))[()], version=NOISE_WRITES), inplace)
    return in_place(add, kept, moved)


@like_at_random
def of_elements(input: Tensor, p: float) -> Tensor:
    """The mask of a tensor: 0, or what makes up for the zeros."""
    data = input.data_
    noise = laid_like(bernoulli(data.size, 1 - p, data.dtype), data)
    return plain((noise / data.dtype.type(1 - p))[()], version=NOISE_WRITES)


@at_random
def of_channels(*shape: int, p: float, kind: np.dtype[Any]) -> Tensor:
    """The mask of whole channels."""
    noise = bernoulli(math.prod(shape), 1 - p, kind).reshape(shape)
    return plain(noise / kind.type(1 - p), version=NOISE_WRITES)


def laid_like(row: Array, data: Array) -> Array:
    """`row` in the shape of `data`, with its elements in the order in which those of `data` lie in memory."""
    if not isinstance(data, np.ndarray) or data.flags.c_contiguous:
        return row.reshape(data.shape)
    order = sorted(range(data.ndim), key=lambda axis: -data.strides[axis])
    there = row.reshape([data.shape[axis] for axis in order])
    return there.transpose([order.index(axis) for axis in range(data.ndim)])


def times(input: Tensor, mask: Tensor, inplace: bool) -> Tensor:
    return in_place(mul, input, mask) if inplace else mul(input, mask)


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeroes elements with probability `p` and scales the others up."""
    return drop_elements(input, p, training, inplace)


def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Puts elements where selu goes for large negative numbers, and keeps mean and variance."""
    return drop_elements(input, p, training, inplace, alpha=True)


def feature_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    return drop_elements(input, p, training, inplace, channels=True, alpha=True)


def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    rank = input.data_.ndim
    if rank not in (2, 3):
        raise RuntimeError(
            f"dropout1d: Expected 2D or 3D input, but received a {rank}D input. Note that dropout1d exists to provide "
            "channel-wise dropout on inputs with 1 spatial dimension, a channel dimension, and an optional batch "
            "dimension (i.e. 2D or 3D inputs)."
        )
    return by_channel(input, p, training, inplace, alone=rank == 2)


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    rank = input.data_.ndim
    warn_of_rank("dropout2d", rank, (3, 4), "2 spatial")
    if rank == 3:
        warn(
            "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is "
            "desired - input is interpreted as shape (N, C, L), where C is the channel dim. This behavior will change "
            "in a future release to interpret the input as one without a batch dimension, i.e. shape (C, H, W). To "
            "maintain the 1D channel-wise dropout behavior, please switch to using dropout1d instead."
        )
    return by_channel(input, p, training, inplace, alone=False)


def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    rank = input.data_.ndim
    warn_of_rank("dropout3d", rank, (4, 5), "3 spatial")
    return by_channel(input, p, training, inplace, alone=rank != 5)


def warn_of_rank(function: str, rank: int, wanted: tuple[int, int], spatial: str) -> None:
    if rank not in wanted:
        warn(
            f"{function}: Received a {rank}-D input to {function}, which is deprecated and will result in an error in "
            "a future release. To retain the behavior and silence this warning, please use dropout instead. Note that "
            f"{function} exists to provide channel-wise dropout on inputs with {spatial} dimensions, a channel "
            f"dimension, and an optional batch dimension (i.e. {wanted[0]}D or {wanted[1]}D inputs)."
        )


def by_channel(input: Tensor, p: float, training: bool, inplace: bool, alone: bool) -> Tensor:
    """Dropout of whole channels; `alone` says that the input is one example, not a batch."""
    if not alone:
        return drop_elements(input, p, training, inplace, channels=True)
    if inplace:
        return squeeze_(drop_elements(unsqueeze_(input, 0), p, training, True, channels=True), 0)
    return squeeze_dim(drop_elements(unsqueeze(input, 0), p, training, False, channels=True), 0)
