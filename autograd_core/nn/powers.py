"""Pools of powers, and pools undone, as layers: tables of names and the dimensions of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from ..tensor import Tensor
from . import functional as F
from .functional.pooling import sides
from .module import Module

Lengths = int | Sequence[int]


class LPPool(Module):
    """The root of the sum of powers under a sliding window."""

    function: ClassVar[Callable[..., Tensor]]

    def __init__(
        self, norm_type: float, kernel_size: Lengths, stride: Lengths | None = None, ceil_mode: bool = False
    ) -> None:
        super().__init__()
        self.norm_type, self.kernel_size, self.stride, self.ceil_mode = norm_type, kernel_size, stride, ceil_mode

    def forward(self, input: Tensor) -> Tensor:
        return type(self).function(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)

    def extra_repr(self) -> str:
        names = ("norm_type", "kernel_size", "stride", "ceil_mode")
        return ", ".join(f"{name}={getattr(self, name)}" for name in names)


class MaxUnpool(Module):
    """Zeros with what was the largest put back where it lay."""

    function: ClassVar[Callable[..., Tensor]]
    sides: ClassVar[int]

    def __init__(self, kernel_size: Lengths, stride: Lengths | None = None, padding: Lengths = 0) -> None:
        super().__init__()
        self.kernel_size = sides(self.sides, kernel_size)
        self.stride = sides(self.sides, kernel_size if stride is None else stride)
        self.padding = sides(self.sides, padding)

    def forward(self, input: Tensor, indices: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        return type(self).function(input, indices, self.kernel_size, self.stride, self.padding, output_size)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


def layer(name: str, base: type[Module], sides: int, function: Callable[..., Tensor]) -> Any:
    """The module class `name`."""
    return type(name, (base,), {"sides": sides, "function": staticmethod(function), "__module__": __name__})


LPPool1d = layer("LPPool1d", LPPool, 1, F.lp_pool1d)
LPPool2d = layer("LPPool2d", LPPool, 2, F.lp_pool2d)
LPPool3d = layer("LPPool3d", LPPool, 3, F.lp_pool3d)
MaxUnpool1d = layer("MaxUnpool1d", MaxUnpool, 1, F.max_unpool1d)
MaxUnpool2d = layer("MaxUnpool2d", MaxUnpool, 2, F.max_unpool2d)
MaxUnpool3d = layer("MaxUnpool3d", MaxUnpool, 3, F.max_unpool3d)

__all__ = ["LPPool1d", "LPPool2d", "LPPool3d", "MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d"]
