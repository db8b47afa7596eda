"""What numpy may not look into: objects of the engine that are no numbers.

numpy asks whatever it is handed for an array (`__array_interface__` and its like, which may name any address), and only
then for its length and items. What a class decorated with `opaque` answers stands on the class, before anything that a
program may have put on the object.
"""

from __future__ import annotations

from typing import Any, NoReturn, TypeVar

Kind = TypeVar("Kind", bound=type)


def refuse(this: Any) -> NoReturn:
    """
    Raises:
        TypeError: always; as torch says it of what is no number among numbers.
    """
    raise TypeError(f"must be real number, not {type(this).__name__}")


def opaque(kind: Kind) -> Kind:
    """`kind`, whose objects numpy takes for no array and for no operand."""
    kind.__array_ufunc__ = None  # type: ignore[attr-defined]
    for name in ("__array_interface__", "__array_struct__", "__array__"):
        setattr(kind, name, property(refuse))
    return kind
