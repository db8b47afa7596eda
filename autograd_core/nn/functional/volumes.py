"""Pooling of stacks of images as functions."""

from __future__ import annotations

from typing import Any

from ...ops import pooling
from ...ops.reduction import mean_dim
from ...signatures.guarding import guarded
from ...tensor import Tensor
from .pooling import Lengths, lengths, sizes_or_own


def max_pool3d(
    input: Tensor,
    kernel_size: Lengths,
    stride: Lengths | None = None,
    padding: Lengths = 0,
    dilation: Lengths = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    kernel = lengths(3, "max_pool3d", "either be", "kernel_size", kernel_size)
    step = lengths(3, "max_pool3d", "either be omitted,", "stride", stride, True)
    room = lengths(3, "max_pool3d", "either be", "padding", padding)
    spaced = lengths(3, "max_pool3d", "be either", "dilation", dilation)
    values, indices = pooling.max_pool3d(input, kernel, step, room, spaced, ceil_mode)
    return (values, indices) if return_indices else values


def avg_pool3d(
    input: Tensor,
    kernel_size: Lengths,
    stride: Lengths | None = None,
    padding: Lengths = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    kernel = lengths(3, "avg_pool3d", "be", "kernel_size", kernel_size)
    step = lengths(3, "avg_pool3d", "be omitted,", "stride", stride, True)
    room = lengths(3, "avg_pool3d", "be", "padding", padding)
    if divisor_override == 0:
        raise RuntimeError("divisor must be not zero")
    return pooling.avg_pool3d(input, kernel, step, room, ceil_mode, count_include_pad, divisor_override)


def all_sides(output_size: Any) -> list[int]:
    return [output_size] * 3 if isinstance(output_size, int) else [int(size) for size in output_size]


def adaptive_avg_pool3d(input: Tensor, output_size: Any) -> Tensor:
    found: Tensor = MEANS(input, sizes_or_own(output_size, input.data_.shape))
    return found


def means_of(input: Tensor, output_size: Any) -> Tensor:
    size = all_sides(output_size)
    if len(size) != 3:
        raise RuntimeError("adaptive_avg_pool3d: output_size must be 3")
    if min(size) < 0:
        raise RuntimeError(
            "adaptive_avg_pool3d: elements of output_size must be greater than or equal to 0 but received "
            f"{{{size[0]}, {size[1]},{size[2]}}}"
        )
    if size == [1, 1, 1]:  # the mean of all, which torch finds quicker
        return mean_dim(input, [-1, -2, -3], True)
    return pooling.adaptive_avg_pool3d(input, size)


def adaptive_max_pool3d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    values, indices = LARGEST(input, sizes_or_own(output_size, input.data_.shape))
    return (values, indices) if return_indices else values


def largest_of(input: Tensor, output_size: Any) -> Any:
    size = all_sides(output_size)
    if len(size) != 3:
        raise RuntimeError("adaptive_max_pool3d(): internal error: output_size.size() must be 3")
    return pooling.adaptive_max_pool3d(input, size)


MEANS: Any = guarded("torch.nn.functional", "_adaptive_avg_pool3d", means_of)
LARGEST: Any = guarded("torch.nn.functional", "_adaptive_max_pool3d", largest_of)
