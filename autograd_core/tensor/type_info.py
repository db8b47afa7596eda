"""torch.iinfo and torch.finfo: the range of a type, and how fine its steps are."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Final

import numpy as np

from ..namespace.module_names import WrittenInC
from .dtypes import (
    FLOATING,
    bfloat16,
    bool_,
    complex64,
    complex128,
    dtype,
    float32,
    float64,
    get_default_dtype,
    is_dtype,
    resolve_dtype,
    to_numpy,
)

NOT_GIVEN: Final = object()

NO_DTYPE = "{}(): argument 'type' (position 1) must be torch.dtype, not {}"

PARTS: Final = {complex64: float32, complex128: float64}
"""The limits of a complex type are those of its parts."""

BRAIN: Final = SimpleNamespace(
    bits=16, min=-(2.0**128 - 2.0**120), max=2.0**128 - 2.0**120, eps=2.0**-7, smallest_normal=2.0**-126
)
"""bfloat16, which numpy does not know: the exponent of float32 and seven bits behind the point."""


def check_kind(kind: Any, asked: str) -> dtype:
    """The dtype that `kind` stands for.

    Raises:
        TypeError: it stands for none.
    """
    if not is_dtype(kind):
        raise TypeError(NO_DTYPE.format(asked, type(kind).__name__))
    found: dtype = resolve_dtype(kind)
    return found


class Limits(metaclass=WrittenInC):
    """The range of a type; `_shown` names what its repr tells, in torch's order."""

    _shown: tuple[str, ...] = ("min", "max")

    def __init__(self, kind: dtype, info: Any):
        self.dtype = kind.name
        self.bits: int = info.bits
        self.min = info.min.item() if isinstance(info.min, np.generic) else info.min
        self.max = info.max.item() if isinstance(info.max, np.generic) else info.max

    def __repr__(self) -> str:
        shown = "".join(f"{name}={getattr(self, name):g}, " for name in self._shown)
        return f"{type(self).__name__}({shown}dtype={self.dtype})"


class iinfo(Limits):
    """The range of an integer type."""

    def __init__(self, type: Any = NOT_GIVEN):
        if type is NOT_GIVEN:
            raise TypeError('iinfo() missing 1 required positional arguments: "type"')
        kind = check_kind(type, "iinfo")
        if kind.category >= FLOATING:
            raise TypeError("torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'")
        if kind is bool_:
            raise TypeError("torch.bool is not supported by torch.iinfo")
        super().__init__(kind, np.iinfo(to_numpy(kind)))


class finfo(Limits):
    """The range and precision of a floating type; of the default one where none is given."""

    _shown = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")

    def __init__(self, type: Any = NOT_GIVEN):
        kind = get_default_dtype() if type is NOT_GIVEN else check_kind(type, "finfo")
        kind = PARTS.get(kind, kind)
        if kind.category < FLOATING:
            raise TypeError(
                "torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'"
            )
        info = BRAIN if kind is bfloat16 else np.finfo(to_numpy(kind))
        super().__init__(kind, info)
        self.eps = float(info.eps)
        self.tiny = self.smallest_normal = float(info.smallest_normal)
        self.resolution = {"bfloat16": 1e-2, "float16": 1e-3, "float32": 1e-6, "float64": 1e-15}[kind.name]
