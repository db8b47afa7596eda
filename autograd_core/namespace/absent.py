"""What a module of this package says of a name that it does not have: torch's words, or that it is torch's alone."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any


@functools.cache
def torch_alone() -> dict[str, frozenset[str]]:
    """What torch has and this engine may lack, by module: the names of absent.txt."""
    parts = Path(__file__).with_name("absent.txt").read_text().split("[")[1:]
    return {space: frozenset(names.split()) for space, _, names in (part.partition("]") for part in parts)}


class Lacking:
    """What stands on a class for an attribute that torch's has and this one lacks: whoever asks is told so."""

    def __init__(self, owner: str, name: str) -> None:
        self.text = f"{owner}.{name} is not supported by this engine"

    def __get__(self, owner: object, kind: type | None = None) -> Any:
        raise AttributeError(self.text)


def name_what_lacks(kind: type, space: str) -> None:
    """Let `kind`, which stands for torch's class `space`, say of each name that only torch has that it lacks it."""
    for name in torch_alone()[space]:
        if not hasattr(kind, name):
            setattr(kind, name, Lacking(space, name))


def absent(space: str) -> Callable[[str], Any]:
    """The `__getattr__` of the module that stands for torch's module `space`."""

    def refuse(name: str) -> Any:
        if name in torch_alone().get(space, ()):
            raise AttributeError(f"{space}.{name} is not supported by this engine")
        raise AttributeError(f"module '{space}' has no attribute '{name}'")

    return refuse
