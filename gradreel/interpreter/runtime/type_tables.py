"""What is found out once of each type: for good of those that are there for good, else for as long as the type lives.

The engine gets classes of its own for those of a program (engine/bridge.py, engine/subclasses.py). Their methods hold
the program's machine, so no table of the process may hold them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar
from weakref import WeakSet

Found = TypeVar("Found")

OF_PROGRAMS: WeakSet[type] = WeakSet()
"""The classes that were made for one of a program's."""


def of_program(kind: type) -> type:
    """`kind`, a class that was made for one of a program's."""
    OF_PROGRAMS.add(kind)
    return kind


class TypeTable(dict[type, Found]):
    """What `find` says of each type, asked for by `table[kind]`. Of a class that was made for a program it is kept with
    that class, under `name`."""

    def __init__(self, name: str, find: Callable[[type], Found]) -> None:
        self.name = f"{name} of this type"
        self.find: Callable[[type], Found] = find

    def __missing__(self, kind: type) -> Found:
        if self.name in kind.__dict__:
            kept: Found = kind.__dict__[self.name]
            return kept
        found = self.find(kind)
        if kind in OF_PROGRAMS:
            setattr(kind, self.name, found)  # a name of ours, with spaces
        else:
            self[kind] = found
        return found
