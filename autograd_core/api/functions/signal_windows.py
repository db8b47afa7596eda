"""Windows of signals: hann, hamming, blackman, bartlett and kaiser, in torch's steps."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ... import errors
from ...tensor.tensor import Array, Tensor
from .creation import floating, make_tensor

Numbers = np.dtype[Any]


def window(name: str, shape: Callable[..., Array], length: int, periodic: bool, dtype: Any, *how: float) -> Array:
    """`length` places of a window; a periodic one is one place longer, without its last.

    Raises:
        RuntimeError: there can be none such.
    """
    kind = floating(dtype)
    if kind.kind != "f":
        raise RuntimeError(
            f"{name} expects floating point dtypes, got: TensorOptions(dtype={errors.C_NAMES[kind.name]}, device=cpu, "
            "layout=Strided (default), requires_grad=false (default), pinned_memory=false, memory_format=(nullopt))"
        )
    if length < 0:
        raise RuntimeError(f"{name} requires non-negative window_length, got window_length={length}")
    if length <= 1:
        return np.ones(length, kind)
    count = length + 1 if periodic else length
    return shape(np.arange(count).astype(kind), count, *how)[:length]


def raised_cosine(places: Array, count: int, alpha: float, beta: float) -> Array:
    number = places.dtype.type
    return np.cos(places * number(2 * math.pi / (count - 1))) * number(-beta) + number(alpha)


def two_cosines(places: Array, count: int) -> Array:
    number = places.dtype.type
    angle = places * number(math.pi / (count - 1))
    return np.cos(angle * number(4)) * number(0.08) - np.cos(angle * number(2)) * number(0.5) + number(0.42)


def roof(places: Array, count: int) -> Array:
    rising = places * places.dtype.type(2 / (count - 1))
    half = (count - 1) // 2 + 1
    return np.concatenate([rising[:half], 2 - rising[half:]])


def bessel(places: Array, count: int, beta: float) -> Array:
    number, middle = places.dtype.type, (count - 1) / 2
    aside = (places - number(middle)) / number(middle)
    under = np.sqrt(np.maximum(1 - aside * aside, 0)) * number(beta)
    return (np.i0(under.astype(np.float64)) / np.i0(np.float64(beta))).astype(places.dtype)


def hann_window(
    window_length: int, periodic: bool = True, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    data = window("hann_window", raised_cosine, window_length, periodic, dtype, 0.5, 0.5)
    return make_tensor(data, "hann_window", requires_grad, device)


def hamming_window(
    window_length: int,
    periodic: bool = True,
    alpha: float = 0.54,
    beta: float = 0.46,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    data = window("hamming_window", raised_cosine, window_length, periodic, dtype, alpha, beta)
    return make_tensor(data, "hamming_window", requires_grad, device)


def kaiser_window(
    window_length: int,
    periodic: bool = True,
    beta: float = 12.0,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    data = window("kaiser_window", bessel, window_length, periodic, dtype, beta)
    return make_tensor(data, "kaiser_window", requires_grad, device)


def fixed_window(name: str, shape: Callable[..., Array]) -> Callable[..., Tensor]:
    """The window `name`, of a shape that takes no more numbers."""

    def make(
        window_length: int, periodic: bool = True, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
    ) -> Tensor:
        return make_tensor(window(name, shape, window_length, periodic, dtype), name, requires_grad, device)

    make.__name__ = make.__qualname__ = name
    return make


blackman_window = fixed_window("blackman_window", two_cosines)
bartlett_window = fixed_window("bartlett_window", roof)
