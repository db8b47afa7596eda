"""Classes that extend what typing has for it: a TypedDict makes dictionaries, a Protocol asks for its members."""

from __future__ import annotations

from ..machine import Machine
from .values import Builtin, Class, StaticMethod, Type, Value

TYPED_DICT = Type("TypedDict", (dict,), None, "typing.TypedDict")
"""`make` is put in by stdlib/typing.py."""


def is_typed_dict(kind: Value) -> bool:
    """Whether it is a class of the program that says the keys of a dictionary."""
    return kind is TYPED_DICT or (isinstance(kind, Class) and "typed_dict" in kind.traits)


def describe_fields(made: Class, keywords: dict[str, Value]) -> None:
    """Has a class make dictionaries, and know the fields of those it extends; `total` is taken from the keywords."""
    fields: dict[Value, Value] = {}
    for base in reversed(made.order):
        fields |= base.attributes.get("__annotations__") or {}
    made.attributes |= {"__annotations__": fields, "__total__": bool(keywords.pop("total", True))}
    made.attributes["__new__"] = StaticMethod(Builtin(made.name, make_plain, machine=True))
    made.traits |= {"typed_dict"}


def make_plain(machine: Machine, kind: Value, /, *given: Value, **named: Value) -> Value:
    """The dictionary that `Movie(name="x")` gives."""
    return machine.call(machine, TYPED_DICT.make, list(given), named)


PROTOCOL = Type("Protocol", (), None, "typing.Protocol")
NOT_MEMBERS = frozenset(
    (
        "__abstractmethods__ __annotations__ __dict__ __doc__ __init__ __module__ __new__ __slots__ __subclasshook__ "
        "__weakref__ __class_getitem__ __match_args__ __qualname__ __init_subclass__"
    ).split()
)


def members_of(kind: Class) -> list[str]:
    """What a value must have to be of the protocol."""
    found: dict[str, None] = {}
    for base in kind.order:
        if "protocol" in base.traits:
            names = [*base.attributes, *(base.attributes.get("__annotations__") or ())]
            found |= dict.fromkeys(name for name in names if name not in NOT_MEMBERS)
    return list(found)
