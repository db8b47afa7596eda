"""Linear and bilinear maps as layers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..api.functions.arguments import sizes_of
from ..api.functions.creation import check_device, check_sizes, floating
from ..engine.state import ask_room
from ..tensor.dtypes import dtype as dtype_class
from ..tensor.tensor import Tensor, plain
from . import functional as F
from . import init
from .module import Module
from .parameter import Parameter


def blank(shape: Sequence[int], dtype: dtype_class | None = None, device: Any = None) -> Parameter:
    """A parameter whose numbers are still to be drawn.

    Raises:
        AssertionError, NotImplementedError: the device is not the CPU.
        RuntimeError, TypeError: a length is negative, or no whole number.
    """
    check_device(device)
    lengths = check_sizes(sizes_of([tuple(shape)]))
    ask_room(*lengths)
    return Parameter(plain(np.zeros(lengths, floating(dtype))))


def rank_of(value: Any) -> int:
    """How many dimensions `value` has.

    Raises:
        AttributeError: it is no tensor.
    """
    if not isinstance(value, Tensor):
        raise AttributeError(f"'{type(value).__name__}' object has no attribute 'dim'")
    return value.data_.ndim


class Identity(Module):
    """Gives back what it gets, whatever it was made with."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__()

    def forward(self, input: Any) -> Any:
        return input


class Linear(Module):
    """`x @ weight.T + bias`, drawn evenly from plus or minus 1 over the square root of the number of inputs."""

    weight: Parameter
    bias: Parameter | None

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: dtype_class | None = None,
    ) -> None:
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = blank((out_features, in_features), dtype, device)
        if bias:
            self.bias = blank((out_features,), dtype, device)
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            bound = 1 / math.sqrt(self.in_features) if self.in_features > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class Bilinear(Module):
    """For each output a matrix between two inputs."""

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: dtype_class | None = None,
    ) -> None:
        super().__init__()
        if in1_features <= 0:
            raise ValueError(f"in1_features must be > 0, but got (in1_features={in1_features})")
        self.in1_features, self.in2_features, self.out_features = in1_features, in2_features, out_features
        self.weight = blank((out_features, in1_features, in2_features), dtype, device)
        self.register_parameter("bias", blank((out_features,), dtype, device) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        bound = 1 / math.sqrt(self.in1_features)
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        sizes = f"in1_features={self.in1_features}, in2_features={self.in2_features}, out_features={self.out_features}"
        return f"{sizes}, bias={self.bias is not None}"
