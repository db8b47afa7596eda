"""Layers that put more around images and sequences: a table of names, the pairs each takes, and how it fills them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from ..tensor.tensor import Tensor
from . import functional as F
from .module import Module


class Pad(Module):
    """`F.pad` with `pairs` dimensions, the last first, from a number for all ends or one for each."""

    pairs: ClassVar[int]
    mode: ClassVar[str]

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__()
        self.padding = (padding,) * (2 * self.pairs) if isinstance(padding, int) else tuple(padding)

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, self.mode)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ConstantPad(Pad):
    """One number all around."""

    def __init__(self, padding: int | Sequence[int], value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class ZeroPad(ConstantPad):
    """Zeros all around."""

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class CircularPad(Pad):
    """The other end beyond each end."""

    mode = "circular"

    def forward(self, input: Tensor) -> Tensor:
        rank, least = input.data_.ndim, self.pairs + 1
        if rank not in (least, least + 1):
            raise ValueError(f"expected {least}D or {least + 1}D input (got {rank}D input)")
        return super().forward(input)


def padding(name: str, pairs: int, base: type[Pad] = Pad, mode: str | None = None) -> Any:
    """The module class `name`."""
    facts = {"pairs": pairs, "__module__": __name__} | ({} if mode is None else {"mode": mode})
    return type(name, (base,), facts)


ConstantPad1d = padding("ConstantPad1d", 1, ConstantPad)
ConstantPad2d = padding("ConstantPad2d", 2, ConstantPad)
ConstantPad3d = padding("ConstantPad3d", 3, ConstantPad)
ZeroPad1d = padding("ZeroPad1d", 1, ZeroPad)
ZeroPad2d = padding("ZeroPad2d", 2, ZeroPad)
ZeroPad3d = padding("ZeroPad3d", 3, ZeroPad)
ReflectionPad1d = padding("ReflectionPad1d", 1, mode="reflect")
ReflectionPad2d = padding("ReflectionPad2d", 2, mode="reflect")
ReplicationPad1d = padding("ReplicationPad1d", 1, mode="replicate")
ReplicationPad2d = padding("ReplicationPad2d", 2, mode="replicate")
CircularPad1d = padding("CircularPad1d", 1, CircularPad)
CircularPad2d = padding("CircularPad2d", 2, CircularPad)
CircularPad3d = padding("CircularPad3d", 3, CircularPad)
