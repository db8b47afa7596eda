"""Devices and layouts: there is one of each, but programs name them."""

from __future__ import annotations

import re
from typing import Any

from ..errors import Unsupported
from ..namespace.module_names import WrittenInC
from ..opaque import opaque


@opaque
class device(metaclass=WrittenInC):
    """Where a tensor lives: the CPU."""

    __slots__ = ("type", "index")

    type: str
    index: int | None

    def __init__(self, *name: Any, **named_as: Any) -> None:
        """By its name, which may have an index in it, like another, or by an index alone: that of an accelerator.

        Raises:
            RuntimeError: there is no such device.
            TypeError: it is named by something else.
        """
        type, index = parse_device(name, named_as)
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
        self.type, self.index = parse_name(type, index)

    def __enter__(self) -> device:
        """In the block of `with torch.device("cpu"):` all is made on it, as it is anyway.

        Raises:
            NotImplementedError: it is another one.
        """
        if self.type != "cpu":
            raise Unsupported(f"device {self} is not supported: this engine runs on the cpu")
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

NO_ARGUMENTS = (
    "device() received an invalid combination of arguments - got ({}), but expected one of:\n"
    " * (torch.device device)\n{} * (str type, int index = -1)\n"
)
EMPTY = "Device string must not be empty"
NO_NAME = (
    "device() received an invalid combination of arguments - got ({0}), but expected one of:\n"
    " * (torch.device device)\n"
    "      didn't match because some of the arguments have invalid types: (!{0}!)\n * (str type, int index = -1)\n"
)


def parse_device(name: tuple[Any, ...], named_as: dict[str, Any]) -> tuple[Any, Any]:
    """What a device is called and its index, None where there is none.

    Raises:
        TypeError: it is called nothing, or by other arguments.
    """
    if not name and named_as.keys() == {"device"}:
        return named_as["device"], None
    wrong = [key for key in named_as if key not in ("type", "index", "device")]
    if wrong or len(name) > 2 or not (name or named_as):
        got = ", ".join([kind_of(value) for value in name] + [f"{key}={kind_of(named_as[key])}" for key in named_as])
        incorrect = (
            f"      didn't match because some of the keywords were incorrect: {', '.join(wrong)}\n" if wrong else ""
        )
        raise TypeError(NO_ARGUMENTS.format(got + (", " if wrong and not name else ""), incorrect))
    found = dict(zip(("type", "index"), name, strict=False)) | named_as
    if "type" not in found:
        raise TypeError('device() missing 1 required positional arguments: "type"')
    return found["type"], found.get("index")


def kind_of(value: Any) -> str:
    """What messages call the type of `value`."""
    return "torch.device" if isinstance(value, device) else type(value).__name__


def parse_name(text: str, index: int | None) -> tuple[str, int | None]:
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


@opaque
class layout(metaclass=WrittenInC):
    """How elements lie in memory: strided."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"


CPU = device("cpu")
strided = layout("strided")


class memory_format(str, metaclass=WrittenInC):
    """How memory is laid out, by its name: a type of its own, so that no other text is taken for one."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


contiguous_format = memory_format("torch.contiguous_format")
preserve_format = memory_format("torch.preserve_format")
channels_last = memory_format("torch.channels_last")
channels_last_3d = memory_format("torch.channels_last_3d")
