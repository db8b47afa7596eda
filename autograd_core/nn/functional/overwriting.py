"""Activations that overwrite their input: those whose name ends in an underscore."""

from __future__ import annotations

from ...tensor import Tensor
from . import activations


def relu_(input: Tensor) -> Tensor:
    return activations.relu(input, inplace=True)


def leaky_relu_(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    return activations.leaky_relu(input, negative_slope, inplace=True)


def rrelu_(input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False) -> Tensor:
    return activations.rrelu(input, lower, upper, training, inplace=True)


def threshold_(input: Tensor, threshold: float, value: float) -> Tensor:
    return activations.threshold(input, threshold, value, inplace=True)


def hardtanh_(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    return activations.hardtanh(input, min_val, max_val, inplace=True)


def elu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    return activations.elu(input, alpha, inplace=True)


def celu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    return activations.celu(input, alpha, inplace=True)


def selu_(input: Tensor) -> Tensor:
    return activations.selu(input, inplace=True)
