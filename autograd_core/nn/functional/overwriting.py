"""Activations that overwrite their input: those whose name ends in an underscore."""

from __future__ import annotations

from ...tensor import Tensor
from . import activations as a


def relu_(input: Tensor) -> Tensor:
    return a.relu(input, inplace=True)


def leaky_relu_(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    return a.leaky_relu(input, negative_slope, inplace=True)


def threshold_(input: Tensor, threshold: float, value: float) -> Tensor:
    return a.threshold(input, threshold, value, inplace=True)


def hardtanh_(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    return a.hardtanh(input, min_val, max_val, inplace=True)


def elu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    return a.elu(input, alpha, inplace=True)


def celu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    return a.celu(input, alpha, inplace=True)


def selu_(input: Tensor) -> Tensor:
    return a.selu(input, inplace=True)
