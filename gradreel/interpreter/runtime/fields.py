"""What a layer of the engine shows as its `__dict__`: plain values, and copies of what it registered."""

from __future__ import annotations

from typing import Any

from .values import Value

REGISTERED = ("_parameters", "_buffers", "_modules")
PLAIN = (bool, int, float, str, type(None))


def fields_of(layer: Any) -> dict[str, Value]:
    held = {name: dict(part) if name in REGISTERED else part for name, part in layer.__dict__.items()}
    return {name: part for name, part in held.items() if name in REGISTERED or isinstance(part, PLAIN)}
