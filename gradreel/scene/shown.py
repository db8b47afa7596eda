"""Values as the player gets them: with as many digits as can be told apart, and no more."""

from __future__ import annotations

import math
from typing import Any

from gradreel.trace.events import Value

DIGITS = {"float16": 4, "float32": 8}
MANY, FEWER = 16, 5
"""Of a value with more numbers than MANY, each is given to so many digits."""


def shown_value(value: Value, cells: bool) -> dict[str, Any]:
    """A value as the player gets it, with as many digits as its dtype has, and with its cells where these are sent."""
    digits = DIGITS.get(value.dtype, 16) if math.prod(value.shape) <= MANY else FEWER
    record: dict[str, Any] = {"shape": value.shape, "dtype": value.dtype}
    if value.whole:
        return {**record, "data": rounded(value.data, digits), "whole": True}
    summary = {"min": value.minimum, "max": value.maximum, "mean": value.mean}
    shown = {name: rounded(number, digits) for name, number in summary.items()}
    more: dict[str, Any] = {} if value.bins is None else {"bins": list(value.bins)}
    if cells:
        more["cells"] = value.cells
    return {**record, "head": rounded(value.data, digits), **shown, **more, "whole": False}


def rounded(data: Any, digits: int) -> Any:
    if isinstance(data, list):
        return [rounded(part, digits) for part in data]
    if isinstance(data, float):
        return float(f"{data:.{digits}g}") if math.isfinite(data) else repr(data)
    if isinstance(data, int) and not -(2**53) <= data <= 2**53:
        return str(data)
    return data
