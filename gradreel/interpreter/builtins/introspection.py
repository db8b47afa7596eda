"""Built-in functions that ask what a value is and has: isinstance, hasattr, getattr, dir, vars, id, ..."""

from __future__ import annotations

import collections.abc

from ..engine.engine import torch
from ..machine import Machine
from ..refusal import Refusal
from ..runtime.attribute_tables import table_of
from ..runtime.attributes import DUNDERS, delete, is_special, load, own_attributes, store, type_of
from ..runtime.type_names import kind_name
from ..runtime.typing_classes import members_of
from ..runtime.values import (
    ATTRIBUTES,
    MISSING,
    OBJECTS,
    Bound,
    Builtin,
    Class,
    Error,
    ExceptionType,
    Foreign,
    Function,
    Generator,
    Namespace,
    Type,
    Value,
)
from .hashing import find_leaves
from .operators import UNION

# ---- what the abstract classes of collections.abc ask of a value: to be registered with them, or to have methods

METHODS = {
    "Hashable": ("__hash__",),
    "Iterable": ("__iter__",),
    "Iterator": ("__iter__", "__next__"),
    "Reversible": ("__reversed__", "__iter__"),
    "Sized": ("__len__",),
    "Container": ("__contains__",),
    "Collection": ("__len__", "__iter__", "__contains__"),
    "Callable": ("__call__",),
    "Generator": ("__iter__", "__next__", "send", "throw", "close"),
}
"""What a class must have to be one of these without extending it. (The others look at what it extends alone.)"""
REAL: dict[str, type] = {
    name: kind for name, kind in vars(collections.abc).items() if isinstance(kind, type) and not name.startswith("_")
}
HOMES = ("collections.abc.", "typing.")
CALLED = (Function, Bound, Builtin, Foreign, Class, Type, ExceptionType)


def abstract_class_of(kind: Value) -> str | None:
    """The name of the abstract class that `kind` is, if it is one."""
    title = getattr(kind, "title", None) if isinstance(kind, (Class, Type)) else None
    home, _, name = (title or "").rpartition(".")
    return name if f"{home}." in HOMES and name in REAL else None


def value_fits(value: Value, name: str) -> bool:
    """Whether `value` is one of what the abstract class `name` stands for."""
    if isinstance(value, OBJECTS) and class_fits(value.kind, name):
        return True
    if isinstance(value, OBJECTS) and value.kind.host is None:
        return False
    if isinstance(value, CALLED):
        return name in ("Callable", "Hashable")
    if name == "Generator":
        return isinstance(value, Generator)
    return isinstance(value, Generator) and name == "Iterator" or isinstance(value, REAL[name])


def class_fits(kind: Class, name: str) -> bool:
    """Whether the objects of a class of the program have the methods that `name` asks for."""
    if name == "Hashable" and kind.find("__hash__") is MISSING:
        return kind.host is None or hosts_fit(kind.host, name)
    return name in METHODS and all(kind.find(method) not in (MISSING, None) for method in METHODS[name])


def hosts_fit(kind: Type, name: str) -> bool:
    """Whether the values of a type of ours are all what `name` stands for."""
    return bool(kind.hosts) and all(issubclass(host, REAL[name]) for host in kind.hosts)


# ---- protocols: what has their members

CHECKED = frozenset({"protocol", "typed_dict"})


def check_checkable(protocol: Class) -> None:
    """Whether it can be asked what is of it.

    Raises:
        TypeError: it cannot.
    """
    if "typed_dict" in protocol.traits:
        raise TypeError("TypedDict does not support instance and class checks")
    if "checkable" not in protocol.traits:
        raise TypeError("Instance and class checks can only be used with @runtime_checkable protocols")


def fits_protocol(machine: Machine, value: Value, protocol: Class) -> bool:
    """Whether `value` has the members of the protocol; a method may not be None."""
    check_checkable(protocol)
    kind = type_of(value)
    if isinstance(kind, Class) and protocol in kind.order:
        return True
    names = members_of(protocol)
    machine.meter.length(len(names))
    return all(
        has_attribute(machine, value, name)
        and (not is_callable(machine, protocol.find(name)) or get_attribute(machine, value, name) is not None)
        for name in names
    )


def class_fits_protocol(machine: Machine, kind: Value, protocol: Class) -> bool:
    """Whether the objects of a class have the methods of a protocol, which has nothing else."""
    check_checkable(protocol)
    names = members_of(protocol)
    machine.meter.length(len(names))
    if any(not is_callable(machine, protocol.find(name)) for name in names):
        raise TypeError("Protocols with non-method members don't support issubclass()")
    if isinstance(kind, Class):
        return protocol in kind.order or all(kind.find(name) not in (MISSING, None) for name in names)
    if isinstance(kind, Type):
        return bool(kind.hosts) and all(name in dir(host) for host in kind.hosts for name in names)
    raise TypeError("issubclass() arg 1 must be a class")


Node = torch.autograd.graph.Node

# ---- kinds


def is_instance(machine: Machine, value: Value, kinds: Value) -> bool:
    if isinstance(kinds, tuple):
        return any(is_instance(machine, value, kind) for kind in find_leaves(machine, kinds, tuple))
    if (asked := abstract_class_of(kinds)) is not None and value_fits(value, asked):
        return True
    if isinstance(kinds, Class):
        if kinds.traits & CHECKED:
            return fits_protocol(machine, value, kinds)
        found = type_of(value)
        return isinstance(found, Class) and kinds in found.order
    if kinds is UNION:
        raise Refusal("`isinstance` with `int | str` is not supported here: write a tuple.")
    if isinstance(kinds, ExceptionType):
        return isinstance(value, Error) and kinds in value.kind.bases
    if isinstance(kinds, Type):
        same_function_kind = type(value) in (Builtin, Foreign) and kinds is type_of(value)
        return same_function_kind or kinds.name == "object" or isinstance(value, kinds.hosts)
    raise TypeError("isinstance() arg 2 must be a type, a tuple of types, or a union")


def is_subclass(machine: Machine, kind: Value, kinds: Value) -> bool:
    if isinstance(kinds, tuple):
        return any(is_subclass(machine, kind, one) for one in find_leaves(machine, kinds, tuple))
    if (asked := abstract_class_of(kinds)) is not None:
        fits = class_fits(kind, asked) if isinstance(kind, Class) else isinstance(kind, Type) and hosts_fit(kind, asked)
        if fits:
            return True
    if isinstance(kinds, Class) and kinds.traits & CHECKED and kind is not kinds:
        return class_fits_protocol(machine, kind, kinds)
    if isinstance(kind, Class):
        return (
            kinds in kind.order
            or (isinstance(kinds, Type) and kinds.name == "object")
            or (kind.host is not None and is_subclass(machine, kind.host, kinds))
            or (kind.exception is not None and isinstance(kinds, ExceptionType) and kinds in kind.exception.bases)
        )
    if isinstance(kind, ExceptionType):
        return kinds in kind.bases
    if isinstance(kind, Type) and isinstance(kinds, Type):
        return kinds.name == "object" or any(issubclass(host, kinds.hosts) for host in kind.hosts)
    if isinstance(kind, (Class, Type, ExceptionType)) and isinstance(kinds, (Class, Type, ExceptionType)):
        return isinstance(kinds, Type) and kinds.name == "object"
    raise TypeError("issubclass() arg 1 must be a class")


def is_callable(machine: Machine, value: Value) -> bool:
    if isinstance(value, OBJECTS) and not isinstance(value, torch.nn.Module):
        return value.kind.find("__call__") is not MISSING
    return isinstance(value, (Function, Bound, Builtin, Foreign, Class, Type, ExceptionType, torch.nn.Module))


def has_attribute(machine: Machine, owner: Value, name: str) -> bool:
    try:
        load(machine, owner, plain_name(name))
    except AttributeError:
        return False
    except Refusal:
        return False
    return True


def get_attribute(machine: Machine, owner: Value, name: str, default: Value = MISSING) -> Value:
    try:
        return load(machine, owner, plain_name(name))
    except AttributeError:
        if default is MISSING:
            raise
        return default


def set_attribute(machine: Machine, owner: Value, name: str, value: Value) -> None:
    store(machine, owner, plain_name(name), value)


def plain_name(name: Value) -> str:
    if not isinstance(name, str):
        raise TypeError(f"attribute name must be string, not '{kind_name(name)}'")
    if name.startswith("__") and is_refused_special(name):
        raise Refusal(f"The attribute `{name[:40]}` is not offered here.")
    return name


def identity(machine: Machine, value: Value) -> int:
    return machine.number(value)


def is_refused_special(name: str) -> bool:
    return is_special(name) and name not in DUNDERS


# ---- names


def delete_attribute(machine: Machine, owner: Value, name: str) -> None:
    """`delattr`"""
    delete(machine, owner, plain_name(name))


def list_names(machine: Machine, *given: Value) -> list[Value]:
    """`dir(value)`: the names that can be asked for here."""
    if not given:
        return sorted(name for name in machine.names if isinstance(name, str))
    (owner,) = given
    names: set[str] = set(own_attributes(owner) or ()) if isinstance(owner, Node) else set()
    if isinstance(owner, (*OBJECTS, Error)):
        names |= set(owner.attributes)
    kind = owner if isinstance(owner, Class) else getattr(owner, "kind", None)
    if isinstance(kind, Class):
        names |= {name for base in kind.order for name in base.attributes}
    if isinstance(owner, Namespace):
        names |= set(owner.table)
    hosts = owner.hosts if isinstance(owner, Type) else (type(owner),)
    for host in hosts:
        names |= set(dir(owner)) - {ATTRIBUTES} if isinstance(owner, Node) else set(table_of(host))
    machine.meter.length(len(names))
    return sorted(names)


def attributes_of(machine: Machine, *given: Value) -> Value:
    """`vars(value)`"""
    if not given:
        return local_names(machine)
    try:
        return load(machine, given[0], "__dict__")
    except AttributeError:
        raise TypeError("vars() argument must have __dict__ attribute") from None


def local_names(machine: Machine) -> dict[str, Value]:
    """`locals()`: a copy of the variables of the innermost call."""
    frame = machine.frame
    own = {name: cell.value for name, cell in frame.cells.items() if cell.value is not MISSING}
    return {**{name: value for name, value in frame.names.items() if not name.startswith(".")}, **own}


def global_names(machine: Machine) -> dict[str, Value]:
    """`globals()`: a copy of the program's variables."""
    return dict(machine.names)
