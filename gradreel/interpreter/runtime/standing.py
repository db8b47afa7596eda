"""What stands in for one of Python's objects bears the name of its type, so that Python's own messages say it."""

import re
from collections.abc import Callable
from typing import TypeVar

Kind = TypeVar("Kind", bound=type)
STANDING: dict[str, str] = {}
"""The name of the type that each class of ours stands for, by what the class is called in full."""
OURS = re.compile(r"<class '(gradreel\.[\w.]+)'>")


def stands_for(name: str) -> Callable[[Kind], Kind]:
    """Name a class of ours after the type that programs take its objects for; developers see `__qualname__`."""

    def named(kind: Kind) -> Kind:
        STANDING[f"{kind.__module__}.{kind.__qualname__}"] = name
        kind.__name__ = name
        return kind

    return named


def in_its_place(message: str) -> str:
    """`message` with the types that programs see for classes of ours."""
    return OURS.sub(lambda found: f"<class '{STANDING.get(found[1], found[1])}'>", message)
