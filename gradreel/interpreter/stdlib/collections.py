"""collections: named tuples, deque, defaultdict, OrderedDict; the rest is in `pure_python`."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable
from typing import Any

from autograd_core.ordered_dict import OrderedDict

from ..builtins.hashing import put_all
from ..builtins.iteration import collect_items, iterate
from ..engine.subclasses import own_type
from ..machine import Machine
from ..runtime.allowed_types import PYTHON_TYPES
from ..runtime.calls import Signature, bind_arguments, call
from ..runtime.type_names import kind_name
from ..runtime.values import (
    Builtin,
    Class,
    ClassMethod,
    DefaultDict,
    Deque,
    Property,
    StaticMethod,
    Type,
    Value,
    check_class,
    make_module,
)

# ---- named tuples: collections.namedtuple and typing.NamedTuple

ABOUT_FIELDS = Type("NamedTuple", (), None, "typing.NamedTuple")
"""The class that one extends to make a named tuple with hints."""

TUPLE: list[Type] = []
"""The record of tuple; put in by `builtins/namespace`."""


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
    names = tuple(collect_items(machine, field_names))
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
    given = [] if defaults is None else collect_items(machine, defaults)
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

    def new(m: Machine, /, *args: Value, **kwargs: Value) -> Value:
        bound = bind_arguments(signature, defaults, list(args), kwargs)
        return this_with(below(bound.pop("_cls")), [bound[field] for field in names])

    def field(nr: int) -> Property:
        return Property(Builtin(names[nr], lambda m, this: tuple.__getitem__(this, nr), True))

    def replace(m: Machine, this: Value, /, **kwargs: Value) -> Value:
        odd = [key for key in kwargs if key not in names]
        if odd:
            raise ValueError(f"Got unexpected field names: {odd!r}")
        return this_with(below(this.kind), [kwargs.get(key, part) for key, part in zip(names, this, strict=True)])

    def from_items(m: Machine, kind: Class, items: Value) -> Value:
        found = collect_items(m, items)
        if len(found) != len(names):
            raise TypeError(f"Expected {len(names)} arguments, got {len(found)}")
        return this_with(below(kind), found)

    def below(kind: Value) -> Class:
        """`kind`, if it is this class or one that extends it."""
        found = check_class(kind)
        if made not in found.order:
            raise TypeError(f"tuple.__new__({found.name}): {found.name} is not a subtype of tuple")
        return found

    made.attributes.update({field_name: field(nr) for nr, field_name in enumerate(names)})
    made.attributes.update(
        __new__=StaticMethod(Builtin("__new__", new, True)),
        __init__=Builtin("__init__", lambda m, /, *args, **kwargs: None, True),
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
    made: Any = own_type(tuple)
    this = made.__new__(made, items)
    this.become(kind, {})
    return this


# ---- deque, defaultdict, OrderedDict


class Factory:
    """What a defaultdict calls for a missing key: a function of the program."""

    __slots__ = ("machine", "function")

    def __init__(self, machine: Machine, function: Value) -> None:
        self.machine = machine
        self.function = function

    def __call__(self) -> Value:
        return call(self.machine, self.function, [], {})

    def __deepcopy__(self, memo: Any) -> Factory:
        return self


def pairs_of(machine: Machine, given: Value) -> list[tuple[Value, Value]]:
    if isinstance(given, dict):
        return list(given.items())
    return [tuple(collect_items(machine, pair)) for pair in collect_items(machine, given)]


def _default_dict(
    machine: Machine, factory: Value = None, given: Value = (), /, **named: Value
) -> defaultdict[Value, Value]:
    made: defaultdict[Value, Value] = DefaultDict(None if factory is None else Factory(machine, factory))
    put_all(machine, made, pairs_of(machine, given))
    made.update(named)
    return made


def _ordered_dict(machine: Machine, given: Value = (), /, **named: Value) -> OrderedDict[Value, Value]:
    made: OrderedDict[Value, Value] = OrderedDict()
    put_all(machine, made, [*pairs_of(machine, given), *named.items()])
    return made


def _deque(machine: Machine, items: Value = (), maxlen: int | None = None) -> deque[Value]:
    made: deque[Value] = Deque(maxlen=maxlen)
    for item in iterate(machine, items):
        machine.meter.charge()
        if len(made) >= machine.limits.length:
            machine.meter.length(len(made) + 1)
        made.append(item)
    return made


def _type(kind: type, make: Callable[..., Any]) -> Type:
    name = kind.__name__
    made = PYTHON_TYPES[kind] = Type(name, (kind,), Builtin(name, make, True), f"collections.{name}")
    return made


COLLECTIONS = make_module(
    "collections",
    {"namedtuple": named_tuple},
    {
        "OrderedDict": _type(OrderedDict, _ordered_dict),
        "defaultdict": _type(defaultdict, _default_dict),
        "deque": _type(deque, _deque),
    },
    pure_python=True,
)
PYTHON_TYPES |= {Deque: PYTHON_TYPES[deque], DefaultDict: PYTHON_TYPES[defaultdict]}
