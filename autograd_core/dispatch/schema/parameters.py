"""A parameter in torch's signatures: what it takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...random.generator import Generator
from ...tensor import dtypes
from ...tensor.device import device, layout
from ...tensor.tensor import Tensor

WORDS = {
    "ints": "tuple of ints",
    "floats": "tuple of floats",
    "Tensors": "tuple of Tensors",
    "gaps": "tuple of Tensors",
    "dtype": "torch.dtype",
    "layout": "torch.layout",
    "device": "torch.device",
    "memory_format": "torch.memory_format",
    "Generator": "torch.Generator",
    "length": "int",
    "Storage": "torch.Storage",
}
"""How messages name a kind; the others go by their own name."""

OTHER_NAMES = {"dim": ("axis",), "keepdim": ("keepdims",), "input": ("x", "a", "x1"), "other": ("x2",)}
"""Names of numpy that stand for torch's."""

NUMBERS_AS_TENSORS = frozenset(
    f"{name}{ending}"
    for name in ["add", "div", "divide", "mul", "multiply", "sub", "subtract", "true_divide", "floor_divide"]
    for ending in ("", "_")
) | {"copy_", "to"}
"""Functions that take a Python number where a tensor is meant."""


class Parameter:
    """One parameter: `kind` and `name`, whether None will do, and how its default is written."""

    def __init__(self, text: str) -> None:
        kind, _, rest = text.partition(" ")
        self.name, self.optional, self.default = rest.partition("=")[0], "=" in rest, rest.partition("=")[2]
        self.may_be_none = kind.endswith("?") or self.default == "None"
        kind, _, one = kind.removesuffix("?").partition("[")
        self.kind, self.one_will_do = kind, bool(one)
        self.word = WORDS.get(kind, kind)
        self.names = (self.name, *OTHER_NAMES.get(self.name, ()))
        self.accepts = ACCEPTS.get(kind, anything)

    def shown(self) -> str:
        return f"{self.word} {self.name}" + (f" = {self.default}" if self.optional else "")


# ---- what fits which kind


def scalar(value: Tensor, kinds: str = "biufc") -> bool:
    """Whether a tensor can stand for a number: none of its dimensions, and no gradient wanted."""
    return value.data_.ndim == 0 and not value.requires_grad and value.data_.dtype.kind in kinds


def is_int(value: Any) -> bool:
    if isinstance(value, Tensor):
        return scalar(value, "iu")
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def is_float(value: Any) -> bool:
    return scalar(value) if isinstance(value, Tensor) else isinstance(value, int | float | np.integer)


def is_bool(value: Any) -> bool:
    return scalar(value, "b") if isinstance(value, Tensor) else isinstance(value, bool | np.bool_)


def is_plain_number(value: Any) -> bool:
    return isinstance(value, bool | int | float | complex | np.generic)


def is_number(value: Any) -> bool:
    return scalar(value) if isinstance(value, Tensor) else is_plain_number(value)


def is_length(value: Any) -> bool:
    """Whether it can be a length, as an element of a list of ints is."""
    if isinstance(value, Tensor):
        return value.data_.size == 1 and value.data_.dtype.kind in "iub"
    return is_int(value)


def is_ints(value: Any) -> bool:
    """Torch looks at the first alone; what the others are, it sees when it takes them out."""
    return isinstance(value, tuple | list) and (not value or is_length(value[0]))


def is_floats(value: Any) -> bool:
    return isinstance(value, tuple | list) and (not value or is_float(value[0]))


def is_device(value: Any) -> bool:
    return isinstance(value, str | device) or (is_int(value) and not isinstance(value, Tensor))


def is_memory_format(value: Any) -> bool:
    return isinstance(value, str) and value.startswith("torch.")


def of(*kinds: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, kinds)


def anything(value: Any) -> bool:
    return True


ACCEPTS: dict[str, Callable[[Any], bool]] = {
    "Tensor": of(Tensor), "Tensors": of(tuple, list), "gaps": of(tuple, list), "Number": is_number, "int": is_int,
    "float": is_float,
    "bool": is_bool, "str": of(str), "ints": is_ints, "floats": is_floats, "layout": of(layout),
    "dtype": dtypes.is_dtype,
    "device": is_device, "length": is_length, "memory_format": is_memory_format, "Generator": of(Generator),
}  # fmt: skip
