"""Pools of powers, and pools undone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...functions import pointwise
from ...ops import pooling, unary
from ...ops.binary import mul
from ...ops.view import squeeze_dim, unsqueeze
from ...tensor import Tensor
from .activations import relu
from .pooling import Lengths, avg_pool1d, avg_pool2d, max_pool1d, max_pool2d
from .volumes import avg_pool3d, max_pool3d

MEANS: dict[int, Callable[..., Tensor]] = {1: avg_pool1d, 2: avg_pool2d, 3: avg_pool3d}
MAXIMA: dict[int, Callable[..., Any]] = {1: max_pool1d, 2: max_pool2d, 3: max_pool3d}


def sides(n: int, value: Lengths) -> tuple[int, ...]:
    """`value` for each of `n` dimensions."""
    return (value,) * n if isinstance(value, int) else tuple(value)


def lp_pool(n: int, input: Tensor, power: float, kernel: Lengths, stride: Any, ceil_mode: bool) -> Tensor:
    """The root of the sum of powers under a sliding window of `n` dimensions."""
    if power == np.inf:
        return MAXIMA[n](unary.abs(input), kernel, stride, 0, 1, ceil_mode)
    if power == -np.inf:
        return unary.neg(MAXIMA[n](unary.neg(unary.abs(input)), kernel, stride, 0, 1, ceil_mode))
    mean = MEANS[n](pointwise.pow(input, power), kernel, stride, 0, ceil_mode)
    count = int(np.prod(sides(n, kernel)))
    total = mul(mul(unary.sign(mean), relu(unary.abs(mean))), count)
    return pointwise.pow(total, 1.0 / power)


def lp_pool1d(
    input: Tensor, norm_type: float, kernel_size: int, stride: Lengths | None = None, ceil_mode: bool = False
) -> Tensor:
    return lp_pool(1, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool2d(
    input: Tensor, norm_type: float, kernel_size: Lengths, stride: Lengths | None = None, ceil_mode: bool = False
) -> Tensor:
    return lp_pool(2, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool3d(
    input: Tensor, norm_type: float, kernel_size: Lengths, stride: Lengths | None = None, ceil_mode: bool = False
) -> Tensor:
    return lp_pool(3, input, norm_type, kernel_size, stride, ceil_mode)


# ---- undone


def room(
    n: int, input: Tensor, kernel: Lengths, stride: Lengths | None, padding: Lengths, asked: Sequence[int] | None
) -> list[int]:
    """The size that was pooled: the least one, unless another is asked for that is pooled alike."""
    steps = sides(n, kernel if stride is None else stride)
    terms = zip(input.data_.shape[-n:], sides(n, kernel), steps, sides(n, padding), strict=True)
    least = [(length - 1) * step + k - 2 * pad for length, k, step, pad in terms]
    if asked is None:
        return least
    given = asked[2:] if len(asked) == n + 2 else asked
    if len(given) != n:
        raise ValueError(
            f"output_size should be a sequence containing {n} or {n + 2} elements, but it has a length of "
            f"'{len(given)}'"
        )
    for dim, (length, step, wanted) in enumerate(zip(least, steps, given, strict=True)):
        if not length - step < wanted < length + step:
            raise ValueError(
                f'invalid output_size "{given}" (dim {dim} must be between {length - step} and {length + step})'
            )
    return [int(length) for length in given]


def max_unpool1d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Lengths,
    stride: Lengths | None = None,
    padding: Lengths = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    size = room(1, input, kernel_size, stride, padding, output_size)
    column = pooling.max_unpool2d(unsqueeze(input, -1), unsqueeze(indices, -1), [*size, 1])
    return squeeze_dim(column, -1)


def max_unpool2d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Lengths,
    stride: Lengths | None = None,
    padding: Lengths = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    return pooling.max_unpool2d(input, indices, room(2, input, kernel_size, stride, padding, output_size))


def max_unpool3d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Lengths,
    stride: Lengths | None = None,
    padding: Lengths = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    if output_size is None and not isinstance(kernel_size, int) and len(kernel_size) != 3:
        raise RuntimeError(
            "There should be exactly three elements (depth, height, width) in output_size, but got "
            f"{len(kernel_size)} elements."
        )
    size = room(3, input, kernel_size, stride, padding, output_size)
    steps = sides(3, kernel_size if stride is None else stride)
    return pooling.max_unpool3d(input, indices, size, list(steps), list(sides(3, padding)))


__all__ = ["lp_pool1d", "lp_pool2d", "lp_pool3d", "max_unpool1d", "max_unpool2d", "max_unpool3d"]
