"""Devices and layouts: there is one of each, but programs name them."""

from __future__ import annotations

import re

from .homes import WrittenInC


class device(metaclass=WrittenInC):
    """Where a tensor lives: the CPU."""

    type: str
    index: int | None

    def __init__(self, type: str | device | int, index: int | None = None) -> None:
        """By its name, which may have an index in it, like another, or by an index alone: that of an accelerator.

        Raises:
            RuntimeError: there is no such device.
            TypeError: it is named by something else.
        """
        if isinstance(type, device) and index is None:
            self.type, self.index = type.type, type.index
            return
        if isinstance(type, device):
            raise TypeError("device(): argument 'type' (position 1) must be str, not torch.device")
        if not isinstance(index, int | None):
            raise TypeError(f"device(): argument 'index' (position 2) must be int, not {index.__class__.__name__}")
        if isinstance(type, bool) or not isinstance(type, str | int):
            raise TypeError(NO_NAME.format(type.__class__.__name__))
        if isinstance(type, int):
            index, type = type, ""
        if index is not None and index < 0:
            raise RuntimeError("Device index must not be negative")
        if not type:
            raise RuntimeError(EMPTY if index is None else "Cannot access accelerator device when none is available.")
        self.type, self.index = named(type, index)

    def __enter__(self) -> device:
        """In the block of `with torch.device("cpu"):` all is made on it, as it is anyway.

        Raises:
            NotImplementedError: it is another one.
        """
        if self.type != "cpu":
            raise NotImplementedError(f"device {self} is not supported: this engine runs on the cpu")
        return self

    def __exit__(self, *error: object) -> None:
        """Nothing is to be taken back."""

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __repr__(self) -> str:
        number = "" if self.index is None else f", index={self.index}"
        return f"device(type='{self.type}'{number})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))


KINDS = (
    "cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, lazy, vulkan, mps, meta, hpu, mtia, "
    "privateuseone"
)
"""As torch lists them."""

OURS = ("cpu", "cuda", "mps", "meta")
"""Those that programs name."""

EMPTY = "Device string must not be empty"
NO_NAME = (
    "device() received an invalid combination of arguments - got ({0}), but expected one of:\n"
    " * (torch.device device)\n"
    "      didn't match because some of the arguments have invalid types: (!{0}!)\n * (str type, int index = -1)\n"
)


def named(text: str, index: int | None) -> tuple[str, int | None]:
    """The kind and the index of the device `text`, which has none in it if one is given beside it.

    Raises:
        RuntimeError: there is no such device.
    """
    found = re.fullmatch(r"([a-zA-Z_]+)(:(0|[1-9]\d*))?", text)
    if found is None:
        raise RuntimeError(f"Invalid device string: '{text}'")
    kind, said, number = found.groups()
    if kind not in OURS:
        raise RuntimeError(f"Expected one of {KINDS} device type at start of device string: {kind}")
    if said and index is not None:
        raise RuntimeError(f"type (string) must not include an index because index was passed explicitly: {text}")
    return kind, int(number) if said else index


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
