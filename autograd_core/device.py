"""Devices and layouts: there is one of each, but programs name them."""

from __future__ import annotations

from .homes import WrittenInC


class device(metaclass=WrittenInC):
    """Where a tensor lives: the CPU."""

    def __init__(self, type: str | device, index: int | None = None) -> None:
        name, _, number = str(type).partition(":")
        if name not in ("cpu", "cuda", "mps", "meta"):
            raise RuntimeError(
                "Expected one of cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, lazy, "
                "vulkan, mps, "
                f"meta, hpu, mtia, privateuseone device type at start of device string: {name}"
            )
        self.type = name
        self.index = int(number) if number else index

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __repr__(self) -> str:
        number = "" if self.index is None else f", index={self.index}"
        return f"device(type='{self.type}'{number})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))


class layout(metaclass=WrittenInC):
    """How elements lie in memory: strided."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"


CPU = device("cpu")
strided = layout("strided")


class memory_format(str, metaclass=WrittenInC):
    """How memory is laid out, by its name: a type of its own, so that no other text is taken for one."""

    def __repr__(self) -> str:
        return str(self)
