"""Making tensors like another: of its dtype, and where nothing else is said, of its shape and layout."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..batching.making import like as hidden_like
from ..batching.making import sized as hidden_sized
from ..strides import blank_like
from ..tensor import Tensor
from ..warned import warn
from .choices import numpy_dtype, sizes_of
from .factories import FROM_TENSOR, checked, empty, full, made, ones, tensor, zeros


def like(input: Tensor, dtype: Any) -> np.dtype[Any]:
    return input.data_.dtype if dtype is None else numpy_dtype(dtype)


def filled_like(input: Tensor, dtype: Any, value: Any, memory_format: str | None) -> Any:
    """An array that lies as that of `input`, or in the format that is named, full of one value."""
    data = blank_like(input.data_, like(input, dtype), memory_format)
    data[...] = value
    return data


@hidden_like
def zeros_like(
    input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, memory_format: Any = None
) -> Tensor:
    return made(filled_like(input, dtype, 0, memory_format), "zeros_like", requires_grad, device)


@hidden_like
def ones_like(
    input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, memory_format: Any = None
) -> Tensor:
    return made(filled_like(input, dtype, 1, memory_format), "ones_like", requires_grad, device)


empty_like = zeros_like


@hidden_like
def full_like(
    input: Tensor, fill_value: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
    memory_format: Any = None,
) -> Tensor:  # fmt: skip
    return made(filled_like(input, dtype, fill_value, memory_format), "full_like", requires_grad, device)


def new_tensor(
    self: Tensor, data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    if isinstance(data, Tensor):
        warn(FROM_TENSOR.format("tensor.new_tensor"))
        data = data.data_
    return tensor(data, dtype=dtype or self.dtype, device=device, requires_grad=requires_grad)


@hidden_sized
def new_zeros(self: Tensor, *size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    lengths = checked(sizes_of(size, "new_zeros"))
    return zeros(lengths, dtype=dtype or self.dtype, device=device, requires_grad=requires_grad)


@hidden_sized
def new_ones(self: Tensor, *size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    return ones(*size, dtype=dtype or self.dtype, device=device, requires_grad=requires_grad)


@hidden_sized
def new_empty(self: Tensor, *size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    return empty(*size, dtype=dtype or self.dtype, device=device, requires_grad=requires_grad)


@hidden_sized
def new_full(
    self: Tensor, size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    return full(size, fill_value, dtype=dtype or self.dtype, device=device, requires_grad=requires_grad)
