"""`@dataclass`: `__init__`, `__repr__` and comparisons made from a class's annotated attributes."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..builtins.formatting import repr_of
from ..builtins.hashing import hash_of
from ..builtins.operators import COMPARE_SIGNS, Keyed, equal
from ..machine import Machine
from ..runtime.attributes import load, store_plainly
from ..runtime.calls import Signature, bind_arguments, call, call_method
from ..runtime.errors import raise_error
from ..runtime.type_names import kind_name
from ..runtime.values import (
    MISSING,
    OBJECTS,
    Builtin,
    Class,
    Error,
    ExceptionType,
    Function,
    Instance,
    Namespace,
    Type,
    Value,
)
from .copy import deep_copy


class Field(NamedTuple):
    """One field: how `__init__` fills it and which methods look at it."""

    name: str
    hint: Value
    default: Value
    factory: Value
    init: bool
    repr: bool
    compare: bool
    kw_only: bool
    hash: bool | None
    metadata: Value


NOT_GIVEN = Type("_MISSING_TYPE", (), None, "dataclasses._MISSING_TYPE")
"""`dataclasses.MISSING`"""
FROZEN = ExceptionType("FrozenInstanceError", None)


class Wanted:
    """What `field(...)` gives in a class body."""

    __slots__ = ("given",)

    def __init__(self, given: dict[str, Value]) -> None:
        self.given = given


ALLOWED = ("default", "default_factory", "init", "repr", "compare", "hash", "metadata", "kw_only")


def field(machine: Machine, /, **given: Value) -> Wanted:
    odd = next((name for name in given if name not in ALLOWED), None)
    if odd is not None:
        raise TypeError(f"field() got an unexpected keyword argument '{odd}'")
    if "default" in given and "default_factory" in given:
        raise ValueError("cannot specify both default and default_factory")
    return Wanted(given)


OPTIONS = {
    "init": True,
    "repr": True,
    "eq": True,
    "order": False,
    "unsafe_hash": False,
    "frozen": False,
    "match_args": True,
    "kw_only": False,
    "slots": False,
}


def dataclass(machine: Machine, kind: Value = None, /, **options: Value) -> Value:
    odd = next((name for name in options if name not in OPTIONS), None)
    if odd is not None:
        raise TypeError(f"dataclass() got an unexpected keyword argument '{odd}'")
    settings = {**OPTIONS, **options}
    if kind is None:
        return Builtin("wrap", lambda m, kind: equip(m, kind, settings), True)
    return equip(machine, kind, settings)


def equip(machine: Machine, kind: Class, settings: dict[str, Value]) -> Class:
    """Gives the class its fields and the methods made of them."""
    fields = kind.data_fields = fields_of(machine, kind, settings)
    own = kind.attributes
    own["__dataclass_fields__"] = {one.name: show_field(machine, one) for one in fields.values()}
    if settings["init"] and "__init__" not in own:
        own["__init__"] = starting(machine, kind, fields)
    made: dict[str, Value] = {"__match_args__": tuple(f.name for f in fields.values() if f.init and not f.kw_only)}
    if settings["repr"]:
        made["__repr__"] = method("__repr__", repr_fields)
    if settings["eq"]:
        made["__eq__"] = method("__eq__", equal_fields)
        if "__hash__" not in own:
            frozen = settings["frozen"] or settings["unsafe_hash"]
            made["__hash__"] = method("__hash__", hash_fields) if frozen else None
        kind.made = Keyed
    if settings["order"]:
        for sign, name in (("<", "__lt__"), ("<=", "__le__"), (">", "__gt__"), (">=", "__ge__")):
            made[name] = method(name, ordering(sign))
    for name, value in made.items():
        own.setdefault(name, value)
    if settings["frozen"]:
        own["__setattr__"] = method("__setattr__", unchangeable("assign to"))
        own["__delattr__"] = method("__delattr__", unchangeable("delete"))
        kind.traits |= {"__setattr__", "__delattr__"}
    return kind


def method(name: str, run: Any) -> Builtin:
    return Builtin(name, run, True, method=True)


def fields_of(machine: Machine, kind: Class, settings: dict[str, Value]) -> dict[str, Field]:
    fields: dict[str, Field] = {}
    for base in reversed(kind.order[1:]):
        fields.update(base.data_fields or {})
    keywords = bool(settings["kw_only"])
    for name, hint in kind.attributes.get("__annotations__", {}).items():
        title = hint if isinstance(hint, str) else getattr(hint, "title", "")
        if title.startswith(("ClassVar", "typing.ClassVar")):
            continue
        if title.endswith("KW_ONLY"):
            keywords = True
            continue
        default = kind.attributes.get(name, MISSING)
        given = default.given if isinstance(default, Wanted) else {}
        if isinstance(default, Wanted):
            default = given_value(given, "default")
            kind.attributes.pop(name)
            if default is not MISSING:
                kind.attributes[name] = default
        if isinstance(default, (list, dict, set)) or unhashable(default):
            shown = f"<class '{kind_name(default)}'>"
            raise ValueError(f"mutable default {shown} for field {name} is not allowed: use default_factory")
        flags = {flag: bool(given.get(flag, True)) for flag in ("init", "repr", "compare")}
        factory = given_value(given, "default_factory")
        flags["kw_only"] = bool(given.get("kw_only", keywords))
        hashed, metadata = given.get("hash"), given.get("metadata")
        fields[name] = Field(name, hint, default, factory, **flags, hash=hashed, metadata=metadata or {})
    before: str | None = None
    for one in fields.values():
        if one.init and not one.kw_only:
            if has_default(one):
                before = one.name
            elif before is not None:
                raise TypeError(f"non-default argument '{one.name}' follows default argument")
    return fields


def given_value(given: dict[str, Value], name: str) -> Value:
    value = given.get(name, NOT_GIVEN)
    return MISSING if value is NOT_GIVEN else value


def find_fields(kind: Class) -> dict[str, Field] | None:
    """The fields of the nearest class, in the order of bases, that is a data class."""
    return next((base.data_fields for base in kind.order if base.data_fields is not None), None)


def unhashable(value: Value) -> bool:
    return isinstance(value, Instance) and value.kind.find("__hash__") is None


def has_default(one: Field) -> bool:
    return one.default is not MISSING or one.factory is not MISSING


def starting(machine: Machine, kind: Class, fields: dict[str, Field]) -> Function:
    """`__init__`"""
    taken = [one for one in fields.values() if one.init]
    made = Function("__init__")
    made.title = f"{kind.qualname}.__init__"
    positional = ("self", *(one.name for one in taken if not one.kw_only))
    keyword = tuple(one.name for one in taken if one.kw_only)
    signature = Signature(made.title, positional, 0, keyword, None, None)
    defaults = {one.name: one.default if one.factory is MISSING else one.factory for one in taken if has_default(one)}

    def invoke(args: list[Value], kwargs: dict[str, Value]) -> None:
        given = bind_arguments(signature, defaults, args, kwargs)
        this = given.pop("self")
        for one in fields.values():
            value = given.pop(one.name, MISSING)
            if one.factory is not MISSING and (value is MISSING or value is one.factory):
                value = call(machine, one.factory, [], {})
            elif value is MISSING:
                value = one.default
            if value is not MISSING:
                store_plainly(machine, this, one.name, value)
        call_method(machine, this, "__post_init__", [])

    made.invoke = invoke
    return made


def values_of(machine: Machine, this: Value, only: str = "init") -> tuple[Value, ...]:
    fields = find_fields(this.kind) or {}
    return tuple(load(machine, this, one.name) for one in fields.values() if only != "compare" or one.compare)


def repr_fields(machine: Machine, this: Value) -> str:
    shown = [one.name for one in (find_fields(this.kind) or {}).values() if one.repr]
    parts = [f"{name}={repr_of(machine, load(machine, this, name))}" for name in shown]
    return f"{this.kind.qualname}({', '.join(parts)})"


def equal_fields(machine: Machine, this: Value, other: Value) -> Value:
    if not isinstance(other, OBJECTS) or other.kind is not this.kind:
        return NotImplemented
    return equal(machine, values_of(machine, this, "compare"), values_of(machine, other, "compare"))


def hash_fields(machine: Machine, this: Value) -> int:
    fields = (find_fields(this.kind) or {}).values()
    counted = [one for one in fields if (one.compare if one.hash is None else one.hash)]
    return hash_of(machine, tuple(load(machine, this, one.name) for one in counted))


def ordering(sign: str) -> Any:
    test = COMPARE_SIGNS[sign]

    def run(machine: Machine, this: Value, other: Value) -> Value:
        if not isinstance(other, OBJECTS) or other.kind is not this.kind:
            return NotImplemented
        return test(machine, values_of(machine, this, "compare"), values_of(machine, other, "compare"))

    return run


def unchangeable(verb: str) -> Any:
    def run(machine: Machine, this: Value, name: str, *value: Value) -> None:
        text = f"cannot {verb} field '{name}'"
        raise raise_error(Error(FROZEN, (text,)), text)

    return run


# ---- functions over data classes


def require_fields(this: Value, name: str) -> dict[str, Field]:
    of_class = name == "fields" and isinstance(this, Class)
    kind = this if of_class else this.kind if isinstance(this, OBJECTS) else None
    found = find_fields(kind) if isinstance(kind, Class) else None
    if found is None and name == "fields":
        raise TypeError("must be called with a dataclass type or instance")
    if found is None:
        raise TypeError(f"{name}() should be called on dataclass instances")
    return found


def as_dict(machine: Machine, this: Value, *, dict_factory: Value = None) -> Value:
    pairs = [(name, inner(machine, load(machine, this, name), as_dict)) for name in require_fields(this, "asdict")]
    return dict(pairs) if dict_factory is None else call(machine, dict_factory, [pairs], {})


def as_tuple(machine: Machine, this: Value) -> Value:
    return tuple(inner(machine, load(machine, this, name), as_tuple) for name in require_fields(this, "astuple"))


def inner(machine: Machine, value: Value, way: Any) -> Value:
    machine.meter.charge()
    if isinstance(value, OBJECTS) and find_fields(value.kind) is not None:
        return way(machine, value)
    if type(value) in (list, tuple):
        return type(value)(inner(machine, part, way) for part in value)
    if type(value) is dict:
        return {key: inner(machine, part, way) for key, part in value.items()}
    return deep_copy(machine, value)


def replace(machine: Machine, this: Value, /, **changes: Value) -> Value:
    fields = require_fields(this, "replace")
    fixed = next((name for name in changes if name in fields and not fields[name].init), None)
    if fixed is not None:
        raise ValueError(f"field {fixed} is declared with init=False, it cannot be specified with replace()")
    given = {one.name: load(machine, this, one.name) for one in fields.values() if one.init}
    return call(machine, this.kind, [], {**given, **changes})


def list_fields(machine: Machine, this: Value) -> tuple[Value, ...]:
    return tuple(show_field(machine, one) for one in require_fields(this, "fields").values())


def show_field(machine: Machine, one: Field) -> Instance:
    """The field as programs have it."""
    made = Instance(Class("Field", (), {}, machine))
    default, factory = (NOT_GIVEN if value is MISSING else value for value in (one.default, one.factory))
    made.attributes.update(name=one.name, type=one.hint, default=default, default_factory=factory)
    made.attributes.update(init=one.init, repr=one.repr, hash=one.hash, compare=one.compare)
    made.attributes.update(metadata=one.metadata, kw_only=one.kw_only)
    return made


def is_one(machine: Machine, this: Value) -> bool:
    kind = this if isinstance(this, Class) else this.kind if isinstance(this, OBJECTS) else None
    return isinstance(kind, Class) and find_fields(kind) is not None


def make_dataclasses_module(attribute_error: ExceptionType) -> Namespace:
    """`dataclasses`"""
    FROZEN.bases = (FROZEN, *attribute_error.bases)
    FROZEN.title = "dataclasses.FrozenInstanceError"
    ways: dict[str, Any] = {
        "dataclass": dataclass,
        "field": field,
        "asdict": as_dict,
        "astuple": as_tuple,
        "replace": replace,
    }
    ways |= {"fields": list_fields, "is_dataclass": is_one}
    table: dict[str, Value] = {name: Builtin(name, way, True) for name, way in ways.items()}
    table |= {name: Type(name, (), None, f"dataclasses.{name}") for name in ("KW_ONLY", "InitVar", "Field")}
    table |= {"MISSING": NOT_GIVEN, "FrozenInstanceError": FROZEN}
    return Namespace("dataclasses", table)
