"""Pooling as layers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from ..tensor.tensor import Tensor
from . import functional as F
from .functional.pooling import sides
from .module import Module

Lengths = int | Sequence[int]


class MaxPool(Module):
    def __init__(
        self,
        kernel_size: Lengths,
        stride: Lengths | None = None,
        padding: Lengths = 0,
        dilation: Lengths = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.dilation = padding, dilation
        self.return_indices, self.ceil_mode = return_indices, ceil_mode

    def apply_pooling(self, function: Any, input: Tensor) -> Any:
        shape = (self.kernel_size, self.stride, self.padding, self.dilation)
        return function(input, *shape, ceil_mode=self.ceil_mode, return_indices=self.return_indices)

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, dilation={self.dilation}, "
            f"ceil_mode={self.ceil_mode}"
        )


class MaxPool1d(MaxPool):
    """The largest element under a sliding window, in rows."""

    def forward(self, input: Tensor) -> Any:
        return self.apply_pooling(F.max_pool1d, input)


class MaxPool2d(MaxPool):
    """The largest element under a sliding window, in images."""

    def forward(self, input: Tensor) -> Any:
        return self.apply_pooling(F.max_pool2d, input)


class MaxPool3d(MaxPool):
    """The largest element under a sliding window, in stacks of images."""

    def forward(self, input: Tensor) -> Any:
        return self.apply_pooling(F.max_pool3d, input)


class AvgPool1d(Module):
    """The mean under a sliding window, in rows."""

    def __init__(
        self,
        kernel_size: Lengths,
        stride: Lengths | None = None,
        padding: Lengths = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        given = (kernel_size, kernel_size if stride is None else stride, padding)
        self.kernel_size, self.stride, self.padding = (
            (value,) if isinstance(value, int) else tuple(value) for value in given
        )
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        shape = (self.kernel_size, self.stride, self.padding)
        return F.avg_pool1d(input, *shape, self.ceil_mode, self.count_include_pad)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool(Module):
    def __init__(
        self,
        kernel_size: Lengths,
        stride: Lengths | None = None,
        padding: Lengths = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.ceil_mode = padding, ceil_mode
        self.count_include_pad, self.divisor_override = count_include_pad, divisor_override

    def apply_pooling(self, function: Any, input: Tensor) -> Any:
        shape = (self.kernel_size, self.stride, self.padding)
        return function(input, *shape, self.ceil_mode, self.count_include_pad, self.divisor_override)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool2d(AvgPool):
    """The mean under a sliding window, in images."""

    def forward(self, input: Tensor) -> Any:
        return self.apply_pooling(F.avg_pool2d, input)


class AvgPool3d(AvgPool):
    """The mean under a sliding window, in stacks of images."""

    def forward(self, input: Tensor) -> Any:
        return self.apply_pooling(F.avg_pool3d, input)


class AdaptivePool(Module):
    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(AdaptivePool):
    """The means of so many blocks, in rows."""

    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool1d(input, self.output_size)


class AdaptiveAvgPool2d(AdaptivePool):
    """The means of so many blocks, in images."""

    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool2d(input, self.output_size)


class AdaptiveAvgPool3d(AdaptivePool):
    """The means of so many blocks, in stacks of images."""

    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool3d(input, self.output_size)


class AdaptiveMaxPool(AdaptivePool):
    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__(output_size)
        self.return_indices = return_indices


class AdaptiveMaxPool1d(AdaptiveMaxPool):
    """The largest elements of so many blocks, in rows."""

    def forward(self, input: Tensor) -> Any:
        return F.adaptive_max_pool1d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool2d(AdaptiveMaxPool):
    """The largest elements of so many blocks, in images."""

    def forward(self, input: Tensor) -> Any:
        return F.adaptive_max_pool2d(input, self.output_size, self.return_indices)


# ---- means of powers, and maxima put back


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
MaxUnpool2d = layer("MaxUnpool2d", MaxUnpool, 2, F.max_unpool2d)
