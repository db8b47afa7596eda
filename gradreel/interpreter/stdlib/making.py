"""How a module's table is made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..runtime.values import Builtin, Namespace, Value


def module(
    name: str, ours: dict[str, Callable[..., Any]], values: dict[str, Value] | None = None, guest: bool = False
) -> Namespace:
    """The module `name`: functions of ours, which are handed the machine, and values.

    With `guest`, the rest of it is written in Python (`pure_python/NAME.py`) and runs as a program does.
    """
    table: dict[str, Value] = {word: Builtin(word, way, machine=True) for word, way in ours.items()}
    made = Namespace(name, table | (values or {}))
    made.guest = guest
    return made
