"""Names that come from a program and stand for something of the host: which of them may."""

from __future__ import annotations

from functools import lru_cache


def is_special(name: str) -> bool:
    """Whether Python or numpy ask objects of the host for `name` by themselves: `__class__`, `__array_interface__`."""
    return str.startswith(name, "__") and str.endswith(name, "__")  # a class of a program may extend str


def check_attribute(name: str) -> str:
    """`name`, which a program gave, as the name of an attribute of one of the engine's objects.

    Raises:
        AttributeError: it is special.
    """
    if is_special(name):
        raise AttributeError(f"{name[:60]!r} cannot be the name of a part here: Python itself looks it up on objects")
    return str.__str__(name)


@lru_cache(maxsize=1024)
def names_of(kind: type) -> frozenset[str]:
    """The attributes that every object of `kind` has: to look a program's name up among, not on the object."""
    return frozenset(dir(kind))
