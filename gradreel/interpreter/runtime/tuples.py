"""Named tuples: collections.namedtuple and typing.NamedTuple."""

from __future__ import annotations

from typing import Any

from ..builtins.iterating import listed
from ..engine.companions import companion
from ..machine import Machine
from .arguments import Signature, bind_arguments
from .calls import kind_name
from .values import Builtin, Class, ClassMethod, Property, StaticMethod, Type, Value

ABOUT_FIELDS = Type("NamedTuple", (), None, "typing.NamedTuple")
"""The class that one extends to make a named tuple with hints."""

TUPLE: list[Type] = []
"""The record of tuple; put in by `builtin`."""


def named_tuple(
    machine: Machine,
    typename: Value,
    field_names: Value,
    *,
    rename: Value = False,
    defaults: Value = None,
    module: Value = None,
) -> Class:
    if isinstance(field_names, str):
        field_names = field_names.replace(",", " ").split()
    names = tuple(listed(machine, field_names))
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"Type names and field names must be strings: {kind_name(name)}")
        if not name.isidentifier():
            raise ValueError(f"Type names and field names must be valid identifiers: {name!r}")
        if name.startswith("_"):
            raise ValueError(f"Field names cannot start with an underscore: {name!r}")
    seen: set[str] = set()
    twin = None
    for name in names:
        if name in seen:
            twin = name
            break
        seen.add(name)
    if twin is not None:
        raise ValueError(f"Encountered duplicate field name: {twin!r}")
    given = [] if defaults is None else listed(machine, defaults)
    if len(given) > len(names):
        raise TypeError("Got more default values than field names")
    return make(machine, str(typename), names, dict(zip(names[len(names) - len(given) :], given, strict=True)), {})


def fields_of(machine: Machine, name: str, attributes: dict[str, Value]) -> Class:
    """The class that `class Name(NamedTuple)` with these attributes makes."""
    hints = attributes.get("__annotations__") or {}
    names = tuple(hints)
    defaults = {field: attributes[field] for field in names if field in attributes}
    for before, after in zip(names, names[1:], strict=False):
        if before in defaults and after not in defaults:
            raise TypeError(f"Non-default namedtuple field {after} cannot follow default field {before}")
    return make(machine, name, names, defaults, {k: v for k, v in attributes.items() if k not in defaults})


def make(
    machine: Machine, name: str, names: tuple[str, ...], defaults: dict[str, Value], more: dict[str, Value]
) -> Class:
    made = Class(name, (TUPLE[0],), {}, machine)
    made.host, made.fields = TUPLE[0], names
    signature = Signature(f"{name}.__new__", ("_cls", *names), 0, (), None, None)

    def new(m: Machine, *args: Value, **kwargs: Value) -> Value:
        bound = bind_arguments(signature, defaults, list(args), kwargs)
        return this_with(bound.pop("_cls"), [bound[field] for field in names])

    def field(nr: int) -> Property:
        return Property(Builtin(names[nr], lambda m, this: tuple.__getitem__(this, nr), True))

    def replace(m: Machine, this: Value, **kwargs: Value) -> Value:
        odd = [key for key in kwargs if key not in names]
        if odd:
            raise ValueError(f"Got unexpected field names: {odd!r}")
        return this_with(this.kind, [kwargs.get(key, part) for key, part in zip(names, this, strict=True)])

    def from_items(m: Machine, kind: Class, items: Value) -> Value:
        found = listed(m, items)
        if len(found) != len(names):
            raise TypeError(f"Expected {len(names)} arguments, got {len(found)}")
        return this_with(kind, found)

    made.attributes.update({field_name: field(nr) for nr, field_name in enumerate(names)})
    made.attributes.update(
        __new__=StaticMethod(Builtin("__new__", new, True)),
        __init__=Builtin("__init__", lambda m, *args, **kwargs: None, True),
        __match_args__=names,
        _fields=names,
        _field_defaults=dict(defaults),
        _replace=Builtin("_replace", replace, True, method=True),
        _asdict=Builtin("_asdict", lambda m, this: dict(zip(names, this, strict=True)), True, method=True),
        _make=ClassMethod(Builtin("_make", from_items, True)),
    )
    made.attributes.update(more)
    return made


def this_with(kind: Class, items: list[Value]) -> Value:
    made: Any = companion(tuple)
    this = made.__new__(made, items)
    this.become(kind, {})
    return this
