"""Windows for signals: `hann_window` and its like."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...dispatch.schema.schema import composite
from ...errors import C_NAMES
from ...tensor.arithmetic import cos
from ...tensor.tensor import Array, Tensor
from .creation import floating, lengths, make_tensor

OPTIONS = (
    "TensorOptions(dtype={}, device=cpu, layout=Strided (default), requires_grad=false (default), pinned_memory=false, "
    "memory_format=(nullopt))"
)


def window_of(
    name: str, length: int, periodic: bool, dtype: Any, requires_grad: bool, device: Any,
    formula: Callable[[Array, int], Array],
) -> Tensor:  # fmt: skip
    """The first `length` numbers of `formula`, which takes the places 0, 1, 2 and on, and the length.

    A periodic window is one longer, without its last number.

    Raises:
        RuntimeError: the dtype is of whole numbers, or the length negative.
    """
    kind = floating(dtype)
    if kind.kind not in "fc":
        raise RuntimeError(f"{name} expects floating point dtypes, got: {OPTIONS.format(C_NAMES[kind.name])}")
    if length < 0:
        raise RuntimeError(f"{name} requires non-negative window_length, got window_length={length}")
    lengths([length + periodic])
    if length < 2:
        return make_tensor(np.ones(length, kind), name, requires_grad, device)
    count = length + 1 if periodic else length
    data = formula(np.arange(count).astype(kind), count)
    return make_tensor(data[:length], name, requires_grad, device)


def in_single(function: Callable[..., Any], data: Array, *numbers: float) -> Array:
    """What torch computes of halves in single precision, rounded after each step; numbers are of the dtype first."""
    kind = np.dtype(np.float32) if data.dtype == np.float16 else data.dtype
    result: Array = function(data.astype(kind), *(kind.type(data.dtype.type(number)) for number in numbers))
    return result.astype(data.dtype)


def raised_cosine(alpha: float, beta: float) -> Callable[[Array, int], Array]:
    def at(places: Array, count: int) -> Array:
        waves = in_single(cos, in_single(np.multiply, places, 2 * math.pi / (count - 1)))
        return in_single(np.add, in_single(np.multiply, waves, -beta), alpha)

    return at


def blackman(places: Array, count: int) -> Array:
    angles = in_single(np.multiply, places, math.pi / (count - 1))
    four, two = (in_single(cos, in_single(np.multiply, angles, by)) for by in (4.0, 2.0))
    return in_single(np.add, in_single(np.multiply, four, 0.08) - in_single(np.multiply, two, 0.5), 0.42)


def bartlett(places: Array, count: int) -> Array:
    line = in_single(np.multiply, places, 2 / (count - 1))
    half = ((count - 1) >> 1) + 1
    return np.concatenate([line[:half], in_single(np.add, -line[half:], 2.0)])


SCHEMA = """
    {name}(int window_length, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, \
        bool? pin_memory=None) -> Tensor: function
    {name}.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, Layout? layout=None, \
        Device? device=None, bool? pin_memory=None) -> Tensor: function
"""


def make_window(name: str, formula: Callable[[Array, int], Array]) -> Callable[..., Tensor]:
    """The window `name` of `formula`, as `window_of` takes it."""

    def window(
        window_length: int, periodic: bool = True, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
    ) -> Tensor:
        return window_of(name, window_length, periodic, dtype, requires_grad, device, formula)

    window.__name__ = window.__qualname__ = name
    return composite(SCHEMA.format(name=name))(window)


hann_window = make_window("hann_window", raised_cosine(0.5, 0.5))
blackman_window = make_window("blackman_window", blackman)
bartlett_window = make_window("bartlett_window", bartlett)


@composite("""
    hamming_window(int window_length, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, \
        bool? pin_memory=None) -> Tensor: function
    hamming_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, Layout? layout=None, \
        Device? device=None, bool? pin_memory=None) -> Tensor: function
    hamming_window.periodic_alpha(int window_length, bool periodic, float alpha, *, ScalarType? dtype=None, \
        Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor: function
    hamming_window.periodic_alpha_beta(int window_length, bool periodic, float alpha, float beta, *, \
        ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor: function
    """)
def hamming_window(
    window_length: int, periodic: bool = True, alpha: float = 0.54, beta: float = 0.46, *, dtype: Any = None,
    device: Any = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    formula = raised_cosine(alpha, beta)
    return window_of("hamming_window", window_length, periodic, dtype, requires_grad, device, formula)
