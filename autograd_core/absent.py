"""What a module of this package says of a name that it does not have: torch's words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def absent(space: str) -> Callable[[str], Any]:
    """The `__getattr__` of the module that stands for torch's module `space`."""

    def refuse(name: str) -> Any:
        raise AttributeError(f"module '{space}' has no attribute '{name}'")

    return refuse
