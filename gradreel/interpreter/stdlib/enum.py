"""Enumerations: classes whose attributes become members, each one object with a name and a value."""

from __future__ import annotations

from ..builtins.formatting import repr_of
from ..builtins.operators import Keyed, is_same
from ..machine import Machine
from ..runtime.instances import allocate
from ..runtime.values import (
    MISSING,
    OBJECTS,
    Builtin,
    Class,
    ClassMethod,
    Function,
    Instance,
    Namespace,
    Property,
    StaticMethod,
    Value,
)


def make_base(name: str, **attributes: Value) -> Class:
    made = Class(name, (), attributes)
    made.title = f"enum.{name}"
    made.members = {}
    made.made = Keyed
    return made


AUTO = Class("auto", (), {})
AUTO.title = "enum.auto"
"""`auto()`: the next number, or in a StrEnum the name."""

ENUM = make_base(
    "Enum",
    __hash__=Builtin("__hash__", lambda machine, this: hash(this.attributes["name"]), True, method=True),
    __eq__=Builtin("__eq__", lambda machine, this, other: True if this is other else NotImplemented, True, method=True),
)

INTEGERS = Class("IntEnum", (ENUM,), {})
TEXTS = Class("StrEnum", (ENUM,), {})
for _kind in (INTEGERS, TEXTS):
    _kind.title = f"enum.{_kind.name}"
    _kind.order = (_kind, ENUM)
    _kind.members = {}


def make_enum_module(integers: Value, texts: Value) -> Namespace:
    """`enum`; `integers` and `texts` are the records of int and str."""
    INTEGERS.host, TEXTS.host = integers, texts
    table: dict[str, Value] = {"Enum": ENUM, "IntEnum": INTEGERS, "StrEnum": TEXTS, "auto": AUTO}
    table["unique"] = Builtin("unique", lambda kind: kind)
    return Namespace("enum", table)


NO_MEMBER = (Function, StaticMethod, ClassMethod, Property, Class)


def enumerate_members(machine: Machine, made: Class) -> None:
    """Turns the plain attributes of an enumeration into its members."""
    made.members, made.look_up = {}, look_up_member
    if made.host is None:
        made.made = Keyed
    last: Value = 0
    for name, value in list(made.attributes.items()):
        if isinstance(value, NO_MEMBER) or name.startswith("_"):
            continue
        if isinstance(value, Instance) and value.kind is AUTO:
            value = name.lower() if TEXTS in made.order else last + 1
        last = value if isinstance(value, int) else last
        twin = next((one for one in made.members.values() if is_same(machine, one.attributes["value"], value)), None)
        if twin is not None:
            made.attributes[name] = twin
            continue
        made.members[name] = made.attributes[name] = make_member(machine, made, name, value)


def make_member(machine: Machine, made: Class, name: str, value: Value) -> Value:
    this = allocate(machine, made, [value] if made.host is not None else [])
    this.attributes.update(name=name, value=value, _name_=name, _value_=value)
    start = made.find("__init__")
    if start is not MISSING:
        machine.call(machine, start, [this, *(value if isinstance(value, tuple) else (value,))], {})
    return this


def look_up_member(machine: Machine, kind: Class, args: list[Value]) -> Value:
    """`Color(2)`: the member of an enumeration with that value."""
    (value,) = args
    if isinstance(value, OBJECTS) and kind in value.kind.order:
        return value
    for one in (kind.members or {}).values():
        if is_same(machine, one.attributes["value"], value):
            return one
    raise ValueError(f"{repr_of(machine, value)} is not a valid {kind.qualname}")
