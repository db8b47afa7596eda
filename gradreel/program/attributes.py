"""Attributes: `owner.name` by explicit tables. No name of a program is ever looked up on an object of the host.

For each type of value a table says what its names mean: an `Attribute` (how to read it, perhaps how to set it) or a
method (a Foreign of the engine or a Builtin of ours). Objects of the program have dictionaries of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradreel.trace.events import GradMissing

from .bridge import Companion, from_engine
from .calls import call, call_method
from .engine import tensor_id, torch
from .errors import TYPES as ERRORS
from .formatting import error_text
from .kinds import missing, type_of, unknown_name
from .machine import Machine
from .tables import Entry, table_of
from .values import (
    MISSING,
    Attribute,
    Bound,
    Builtin,
    Class,
    ClassMethod,
    Error,
    ExceptionType,
    Foreign,
    Function,
    Generator,
    Instance,
    Namespace,
    Property,
    StaticMethod,
    Super,
    Type,
    Value,
)

# ---- reading


def load(machine: Machine, owner: Value, name: str) -> Value:
    """`owner.name`"""
    way = OWN.get(type(owner))
    if way is not None:
        return way(machine, owner, name)
    if isinstance(owner, torch.nn.Module):
        return of_module(machine, owner, name)
    entry = table_of(type(owner)).get(name)
    if entry is not None:
        value = read(entry, owner)
        if value is None and name == "grad" and isinstance(owner, torch.Tensor):
            machine.emit((GradMissing, tensor_id(owner)))
        return value
    own = own_attributes(owner)
    if own is not None and name in own:
        return own[name]
    if name == "__class__":
        return type_of(owner)
    raise missing(owner, name)


def read(entry: Entry, owner: Value) -> Value:
    if isinstance(entry, Attribute):
        return from_engine(entry.get(owner))
    if isinstance(entry, Foreign):
        return Foreign(entry.name, entry.run, owner)
    return Builtin(entry.name, entry.run, entry.machine, owner)


def own_attributes(owner: Any) -> dict[str, Value] | None:
    """What the program itself has put on an object of the engine: on a context of autograd.Function, a module."""
    held = getattr(owner, "__dict__", None)
    if not isinstance(held, dict) or isinstance(owner, torch.Tensor):
        return None
    found: dict[str, Value] = held.setdefault("own_attributes", {})
    return found


def by_class(
    machine: Machine, this: Any, kind: Class, name: str, own: dict[str, Value], after: Class | None = None
) -> Value:
    """`this.name` as its class has it: a property goes before its `own` attributes, all else behind; MISSING if none.

    With `after`, what the class inherits from those behind it.
    """
    found = kind.find(name, after)
    if isinstance(found, Property):
        return call(machine, found.getter, [this], {})
    if name in own:
        return own[name]
    return found if found is MISSING else bound(found, this, kind)


def of_instance(machine: Machine, owner: Instance, name: str) -> Value:
    found = by_class(machine, owner, owner.kind, name, owner.attributes)
    if found is not MISSING:
        return found
    if owner.kind.native is not None:
        return of_class(machine, owner.kind, name)
    if name == "__class__":
        return owner.kind
    if name == "__dict__":
        return owner.attributes
    answer = call_method(machine, owner, "__getattr__", [name])
    if answer is not NotImplemented:
        return answer
    raise missing(owner, name)


def bound(found: Value, owner: Value, kind: Class) -> Value:
    """A class attribute, read through an object of the class."""
    if isinstance(found, Function):
        return Bound(found, owner)
    if isinstance(found, StaticMethod):
        return found.function
    if isinstance(found, ClassMethod):
        return Bound(found.function, kind)
    return found


def of_module(machine: Machine, owner: Any, name: str) -> Value:
    held = owner.__dict__
    if isinstance(owner, Companion):
        found = by_class(machine, owner, owner.kind, name, owner.attributes)
        if found is not MISSING:
            return found
        if name == "__class__":
            return owner.kind
    for place in ("_parameters", "_buffers", "_modules"):
        if name in held.get(place, ()):
            return held[place][name]
    if name in held.get("own_attributes", ()):
        return held["own_attributes"][name]
    entry = table_of(type(owner)).get(name)
    if isinstance(entry, Attribute):
        if name in held:
            return from_engine(held[name])
    elif entry is not None:
        return read(entry, owner)
    if name == "__class__":
        return type_of(owner)
    if name in ("append", "extend", "insert", "keys", "values", "items", "update") and hasattr(type(owner), name):
        return Foreign(name, CONTAINER_METHODS[name], owner)
    raise missing(owner, name)


CONTAINER_METHODS: dict[str, Callable[..., Any]] = {
    "append": lambda owner, item: owner.append(item),
    "extend": lambda owner, items: owner.extend(items),
    "insert": lambda owner, at, item: owner.insert(at, item),
    "keys": lambda owner: owner.keys(),
    "values": lambda owner: owner.values(),
    "items": lambda owner: owner.items(),
    "update": lambda owner, items: owner.update(items),
}
"""What ModuleList, ModuleDict, Sequential and ParameterList add to a module."""


def of_class(machine: Machine, owner: Class, name: str) -> Value:
    found = owner.find(name)
    if found is not MISSING:
        return bound(found, owner, owner) if isinstance(found, (StaticMethod, ClassMethod)) else found
    if name in ("__name__", "__qualname__"):
        return owner.name
    if name == "__bases__":
        return owner.bases
    if owner.native is not None and name == "apply":
        return Foreign("apply", owner.native.apply)  # type: ignore[attr-defined]
    if owner.host is not None:
        return of_type(machine, owner.host, name)
    raise AttributeError(f"type object '{owner.name}' has no attribute '{name}'")


def of_type(machine: Machine, owner: Type, name: str) -> Value:
    if name in ("__name__", "__qualname__"):
        return owner.name
    if name in owner.methods:
        return owner.methods[name]
    if owner.hosts:
        if name == "__init__":
            host = owner.hosts[0]
            return Foreign("__init__", lambda this, *args, **kwargs: host.__init__(this, *args, **kwargs))  # type: ignore[misc]
        entry = table_of(owner.hosts[0]).get(name)
        if isinstance(entry, (Foreign, Builtin)):
            return entry
    raise AttributeError(f"type object '{owner.name}' has no attribute '{name}'")


def of_function(machine: Machine, owner: Function, name: str) -> Value:
    if name in owner.attributes:
        return owner.attributes[name]
    if name in ("__name__", "__qualname__"):
        return owner.name
    if name == "__doc__":
        return owner.doc
    raise AttributeError(f"'function' object has no attribute '{name}'")


def of_bound(machine: Machine, owner: Bound, name: str) -> Value:
    if name == "__self__":
        return owner.receiver
    return load(machine, owner.function, name)


def of_builtin(machine: Machine, owner: Builtin | Foreign, name: str) -> Value:
    if name in ("__name__", "__qualname__"):
        return owner.name
    raise AttributeError(f"'builtin_function_or_method' object has no attribute '{name}'")


def of_namespace(machine: Machine, owner: Namespace, name: str) -> Value:
    if name in owner.table:
        return owner.table[name]
    if name == "__name__":
        return owner.name
    raise unknown_name(owner, name)


def of_error(machine: Machine, owner: Error, name: str) -> Value:
    if owner.own is not None:
        found = by_class(machine, owner, owner.own, name, owner.attributes)
        if found is not MISSING:
            return found
    elif name in owner.attributes:
        return owner.attributes[name]
    if name == "args":
        return owner.args
    if name == "__class__":
        return owner.own or owner.kind
    if name == "__cause__":
        return owner.cause
    if name == "value" and owner.kind is ERRORS["StopIteration"]:
        return owner.args[0] if owner.args else None
    if name == "__str__":
        return Builtin("__str__", lambda: error_text(machine, owner))
    raise missing(owner, name)


def of_exception_type(machine: Machine, owner: ExceptionType, name: str) -> Value:
    if name in ("__name__", "__qualname__"):
        return owner.name
    if name == "__init__":
        return Builtin("__init__", start_error)
    raise AttributeError(f"type object '{owner.name}' has no attribute '{name}'")


def start_error(this: Error, *args: Value) -> None:
    this.args = args


def of_super(machine: Machine, owner: Super, name: str) -> Value:
    found = by_class(machine, owner.this, owner.kind, name, {}, owner.after)
    if found is not MISSING:
        return found
    if owner.kind.exception is not None and name == "__init__":
        return Builtin("__init__", lambda *args: start_error(owner.this, *args))
    host = owner.kind.host
    if host is not None and host.hosts and owner.kind.native is None:
        base, this = host.hosts[0], owner.this
        if name == "__init__":
            return Foreign("__init__", lambda *args, **kwargs: base.__init__(this, *args, **kwargs))  # type: ignore[misc]
        if name == "forward":
            return Foreign("forward", lambda *args, **kwargs: base.forward(this, *args, **kwargs))  # type: ignore[attr-defined]
        entry = table_of(base).get(name)
        if isinstance(entry, Foreign):
            return Foreign(entry.name, entry.run, this)
        return of_module(machine, this, name)
    if name in ("__init__", "__init_subclass__"):
        return Builtin(name, lambda *args, **kwargs: None)
    if name == "__repr__" and isinstance(owner.this, Instance):
        return Builtin(name, lambda: f"<{owner.kind.title} object at 0x...>")
    raise AttributeError(f"'super' object has no attribute '{name}'")


def of_generator(machine: Machine, owner: Generator, name: str) -> Value:
    raise missing(owner, name)


def of_property(machine: Machine, owner: Property, name: str) -> Value:
    if name == "setter":
        return Builtin("setter", lambda function: Property(owner.getter, function))
    raise missing(owner, name)


OWN: dict[type, Callable[[Machine, Any, str], Value]] = {
    Instance: of_instance,
    Class: of_class,
    Type: of_type,
    Function: of_function,
    Bound: of_bound,
    Builtin: of_builtin,
    Foreign: of_builtin,
    Namespace: of_namespace,
    Error: of_error,
    ExceptionType: of_exception_type,
    Super: of_super,
    Generator: of_generator,
    Property: of_property,
}
