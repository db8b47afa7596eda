"""What stands in for one of Python's objects bears the name of its type, so that Python's own messages say it."""

from collections.abc import Callable
from typing import TypeVar

Kind = TypeVar("Kind", bound=type)


def stands_for(name: str) -> Callable[[Kind], Kind]:
    """Name a class of ours after the type that programs take its objects for; developers see `__qualname__`."""

    def named(kind: Kind) -> Kind:
        kind.__name__ = name
        return kind

    return named
