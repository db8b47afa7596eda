"""Convolutions as layers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..tensor.dtypes import dtype as dtype_class
from ..tensor.tensor import Tensor
from . import functional as F
from . import init
from .linear import blank
from .module import Module

Lengths = int | Sequence[int]
MODES = ("zeros", "reflect", "replicate", "circular")


class ConvNd(Module):
    """What convolutions share: their arguments, checked, and a weight drawn from torch's stream."""

    N = 0
    TRANSPOSED = False

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Lengths,
        stride: Lengths,
        padding: Lengths | str,
        dilation: Lengths,
        output_padding: Lengths,
        groups: int,
        bias: bool,
        padding_mode: str,
        device: Any,
        dtype: dtype_class | None,
    ) -> None:
        super().__init__()
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size, self.stride = self.each(kernel_size), self.each(stride)
        self.padding = padding if isinstance(padding, str) else self.each(padding)
        self.dilation, self.output_padding = self.each(dilation), self.each(output_padding)
        self.transposed, self.padding_mode = self.TRANSPOSED, padding_mode
        self.check()
        channels = (in_channels, out_channels // groups) if self.TRANSPOSED else (out_channels, in_channels // groups)
        self.weight = blank((*channels, *self.kernel_size), dtype, device)
        self.register_parameter("bias", blank((out_channels,), dtype, device) if bias else None)
        self.reset_parameters()

    def each(self, value: Lengths) -> tuple[int, ...]:
        """`value` for each spatial dimension."""
        return (value,) * self.N if isinstance(value, int) else tuple(value)

    def check(self) -> None:
        if self.groups <= 0:
            raise ValueError("groups must be a positive integer")
        for name, channels in (("in", self.in_channels), ("out", self.out_channels)):
            if channels % self.groups:
                raise ValueError(f"{name}_channels must be divisible by groups")
        if isinstance(self.padding, str):
            if self.padding not in ("valid", "same"):
                raise ValueError(f"Invalid padding string '{self.padding}', should be one of {{'valid', 'same'}}")
            if self.padding == "same" and any(step != 1 for step in self.stride):
                raise ValueError("padding='same' is not supported for strided convolutions")
        if self.padding_mode not in MODES:
            shown = "{'reflect', 'zeros', 'replicate', 'circular'}"
            raise ValueError(f"padding_mode must be one of {shown}, but got padding_mode='{self.padding_mode}'")

    def reset_parameters(self) -> None:
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in = init.fans(self.weight)[0]
            bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def around(self) -> list[int]:
        """The padding as F.pad takes it: both sides, from the last dimension on."""
        sides: list[int] = []
        for i in reversed(range(self.N)):
            if isinstance(self.padding, str):
                total = self.dilation[i] * (self.kernel_size[i] - 1) if self.padding == "same" else 0
                sides += [total // 2, total - total // 2]
            else:
                sides += [self.padding[i]] * 2
        return sides

    def extra_repr(self) -> str:
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        usual: dict[str, Any] = {
            "padding": (0,) * self.N,
            "dilation": (1,) * self.N,
            "output_padding": (0,) * self.N,
            "groups": 1,
        }
        for name, value in usual.items():
            if getattr(self, name) != value:
                text += f", {name}={getattr(self, name)}"
        text += "" if self.bias is not None else ", bias=False"
        return text + ("" if self.padding_mode == "zeros" else f", padding_mode={self.padding_mode}")


class Conv(ConvNd):
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Lengths,
        stride: Lengths = 1,
        padding: Lengths | str = 0,
        dilation: Lengths = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: dtype_class | None = None,
    ) -> None:
        shape = (in_channels, out_channels, kernel_size, stride, padding, dilation)
        super().__init__(*shape, 0, groups, bias, padding_mode, device, dtype)

    def forward(self, input: Tensor) -> Tensor:
        convolve: Any = (F.conv1d, F.conv2d, F.conv3d)[self.N - 1]
        padding = self.padding
        if self.padding_mode != "zeros":
            input, padding = F.pad(input, self.around(), mode=self.padding_mode), (0,) * self.N
        return convolve(input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)


class Conv1d(Conv):
    """Slides a weight over rows."""

    N = 1


class Conv2d(Conv):
    """Slides a weight over images."""

    N = 2


class Conv3d(Conv):
    """Slides a weight over stacks of images."""

    N = 3


class ConvTranspose(ConvNd):
    TRANSPOSED = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Lengths,
        stride: Lengths = 1,
        padding: Lengths = 0,
        output_padding: Lengths = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Lengths = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: dtype_class | None = None,
    ) -> None:
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        shape = (in_channels, out_channels, kernel_size, stride, padding, dilation)
        super().__init__(*shape, output_padding, groups, bias, padding_mode, device, dtype)

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        convolve: Any = (F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d)[self.N - 1]
        more = self.output_padding if output_size is None else self.missing(input, list(output_size))
        options = (self.stride, self.padding, more, self.groups, self.dilation)
        return convolve(input, self.weight, self.bias, *options)

    def missing(self, input: Tensor, output_size: list[int]) -> list[int]:
        """How much longer the result must be made to have the size that is wanted.

        Raises:
            ValueError: it cannot have it.
        """
        outer = input.data_.ndim - self.N
        if len(output_size) == outer + self.N:
            output_size = output_size[outer:]
        if len(output_size) != self.N:
            raise ValueError(
                f"ConvTranspose{self.N}D: for {input.data_.ndim}D input, output_size must have {self.N} or "
                f"{outer + self.N} elements (got {len(output_size)})"
            )
        padding = (0,) * self.N if isinstance(self.padding, str) else self.padding
        terms = zip(input.data_.shape[outer:], self.stride, padding, self.dilation, self.kernel_size, strict=True)
        least = [(n - 1) * s - 2 * p + d * (k - 1) + 1 for n, s, p, d, k in terms]
        most = [n + s - 1 for n, s in zip(least, self.stride, strict=True)]
        for size, low, high in zip(output_size, least, most, strict=True):
            if not low <= size <= high:
                raise ValueError(
                    f"requested an output size of {output_size}, but valid sizes range from {least} to {most} (for an "
                    f"input of {input.shape[2:]})"
                )
        return [size - low for size, low in zip(output_size, least, strict=True)]


class ConvTranspose1d(ConvTranspose):
    """The transpose of Conv1d: makes rows longer."""

    N = 1


class ConvTranspose2d(ConvTranspose):
    """The transpose of Conv2d: makes images larger."""

    N = 2


class ConvTranspose3d(ConvTranspose):
    """The transpose of Conv3d: makes stacks of images larger."""

    N = 3
