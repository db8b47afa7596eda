"""Attributes: `owner.name` by explicit tables. No name of a program is ever looked up on an object of the host.

For each type of value a table says what its names mean: an `Attribute` (how to read it, perhaps how to set it) or a
method (a Foreign of the engine or a Builtin of ours). Objects of the program have dictionaries of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np

from autograd_core.nn.attributes import PLAIN
from gradreel.trace.events import GradMissing

from ..engine.bridge import from_engine
from ..engine.engine import tensor_id, torch
from ..engine.subclasses import Companion
from ..machine import Machine
from .allowed_types import TYPES as ENGINE_TYPES
from .allowed_types import record_of
from .calls import CONTEXTS, call, call_method
from .creating import abstract_in, blank
from .fields import fields_of
from .kinds import missing, type_of
from .looks import kind_name, unbound
from .tables import Entry, table_of
from .values import (
    ATTRIBUTES,
    MISSING,
    OBJECTS,
    Attribute,
    Bound,
    Builtin,
    Class,
    ClassMethod,
    ExceptionType,
    Foreign,
    Function,
    Instance,
    Own,
    Property,
    StaticMethod,
    Type,
    Value,
)

ENGINE = torch.__name__

# ---- what every object has of Python itself


def basic(machine: Machine, this: Value, kind: Class | None, name: str, host: Type | None = None) -> Value:
    """The method `name` of `this` that its class inherits from Python itself; of the class, if `this` is MISSING."""
    if name == "__new__":
        return Builtin("__new__", lambda m, cls, *args, **kwargs: blank(m, cls, list(args)), True)
    way = EVERY.get(name)
    if way is None:
        base = host or (kind.host if kind is not None else None)
        if base is None or not base.hosts or not issubclass(base.hosts[0], CONTAINERS):
            return MISSING
        way = CONTENT.get(name)
        if way is None or not hasattr(base.hosts[0], name):
            return MISSING
        if this is MISSING:
            way = of_kind(base, name, way)
    return Builtin(name, way, True, this)


def of_kind(kind: Type, name: str, way: Callable[..., Value]) -> Callable[..., Value]:
    """`kind.name`, which takes an object of that kind first, and no other."""

    def run(machine: Machine, this: Value, *args: Value, **kwargs: Value) -> Value:
        if not isinstance(this, kind.hosts):
            raise TypeError(f"descriptor '{name}' requires a '{kind.name}' object but received a '{kind_name(this)}'")
        return way(machine, this, *args, **kwargs)

    return run


def going_through(owner: Value, name: str) -> Value:
    """How to go through what is no container of Python's: iterators, the keys of a dict; MISSING if it is not that."""
    kinds = {"__next__": Iterator, "__iter__": Iterable}
    return Builtin(name, WALKS[name], True, owner) if name in kinds and isinstance(owner, kinds[name]) else MISSING


EVERY: dict[str, Callable[..., Value]] = {}
"""What every object has of Python itself; this table and the next two are filled by `library`, which knows all."""
CONTENT: dict[str, Callable[..., Value]] = {}
"""What the types with content have."""
WALKS: dict[str, Callable[..., Value]] = {}
"""How to begin and to go on with what is walked through."""

CONTAINERS: tuple[Any, ...] = (
    *(list, dict, tuple, range, set, frozenset, str, int, float),
    *(torch.Tensor, torch.nn.Module, np.ndarray),
)


# ---- reading


def load(machine: Machine, owner: Value, name: str) -> Value:
    """`owner.name`"""
    if type(owner) is Instance:
        return of_instance(machine, owner, name)
    way = WAYS.get(type(owner))
    if way is not None:
        if name == "__class__" and way is not of_instance:
            return type_of(owner)
        return way(machine, owner, name)
    if isinstance(owner, torch.nn.Module):
        return of_module(machine, owner, name)
    if isinstance(owner, OBJECTS):
        return of_instance(machine, owner, name)
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
    if name in ("__enter__", "__exit__") and isinstance(owner, CONTEXTS):
        context: Any = owner
        return Builtin(name, context.__enter__ if name == "__enter__" else context.__exit__)
    if name.startswith("__"):
        kind = type_of(owner)
        found = basic(machine, owner, None, name, kind) if isinstance(kind, Type) else MISSING
        if found is MISSING:
            found = going_through(owner, name)
        if found is not MISSING:
            return found
    raise missing(owner, name)


def read(entry: Entry, owner: Value) -> Value:
    if isinstance(entry, Attribute):
        return from_engine(entry.get(owner))
    if isinstance(entry, Foreign):
        return Foreign(entry.name, entry.run, owner)
    return Builtin(entry.name, entry.run, entry.machine, owner, entry.title)


def own_attributes(owner: Any) -> dict[str, Value] | None:
    """What the program itself has put on an object of the engine: on a context of autograd.Function, a module."""
    held = getattr(owner, "__dict__", None)
    if not isinstance(held, dict):
        return None
    found: dict[str, Value] = held.setdefault(ATTRIBUTES, {})
    return found


def by_class(
    machine: Machine, this: Any, kind: Class, name: str, own: dict[str, Value], after: Class | None = None
) -> Value:
    """`this.name` as its class has it: a property goes before its `own` attributes, all else behind; MISSING if none.

    With `after`, what the class inherits from those behind it.
    """
    found = kind.find(name, after)
    if type(found) is Property:
        return call(machine, found.getter, [this], {})
    if isinstance(found, Instance) and found.kind.find("__get__") is not MISSING:
        own = own if found.kind.find("__set__") is MISSING else {}
        if name not in own:
            return call_method(machine, found, "__get__", [this, kind])
    if name in own:
        return own[name]
    return found if found is MISSING else bound(found, this, kind)


def of_instance(machine: Machine, owner: Value, name: str) -> Value:
    """An attribute of an object of the program's classes, modules aside."""
    kind = owner.kind
    if not kind.traits:  # the usual case, by the shortest way
        held = kind.find(name)
        if held is MISSING:
            if name in owner.attributes:
                return owner.attributes[name]
        elif type(held) is Function and name not in owner.attributes:
            return Bound(held, owner)
    if "__getattribute__" in kind.traits:
        try:
            return call_method(machine, owner, "__getattribute__", [name])
        except AttributeError:
            answer = call_method(machine, owner, "__getattr__", [name])
            if answer is NotImplemented:
                raise
            return answer
    found = plainly(machine, owner, name)
    if found is not MISSING:
        return found
    answer = call_method(machine, owner, "__getattr__", [name])
    if answer is not NotImplemented:
        return answer
    raise missing(owner, name)


def plainly(machine: Machine, owner: Value, name: str) -> Value:
    """The attribute by the usual rules, MISSING if there is none."""
    kind = owner.kind
    found = by_class(machine, owner, kind, name, owner.attributes)
    if found is not MISSING:
        return found
    if name == "__class__":
        return kind
    if name == "__dict__":
        if "__slots__" in kind.traits:
            return MISSING
        return owner.attributes
    if kind.native is not None:
        return of_class(machine, kind, name)
    if isinstance(owner, Own):
        entry = table_of(type(owner)).get(name)
        if entry is not None:
            return read(entry, owner)
    if name in ("__doc__", "__module__"):
        return of_class(machine, kind, name)
    return basic(machine, owner, kind, name)


def bound(found: Value, owner: Value, kind: Class) -> Value:
    """A class attribute, read through an object of the class."""
    if type(found) is Function:
        return Bound(found, owner)
    if isinstance(found, StaticMethod):
        return found.function
    if isinstance(found, ClassMethod):
        return Bound(found.function, kind)
    if type(found) is Builtin and found.receiver is MISSING and found.method:
        return Builtin(found.name, found.run, found.machine, owner, found.title, True)
    return found


def of_module(machine: Machine, owner: Any, name: str) -> Value:
    held = owner.__dict__
    if "parametrizations" in held.get("_modules", ()):
        made = torch.nn.utils.parametrize.computed(owner, name)
        if made is not None:
            return from_engine(torch.nn.utils.parametrize.current(owner, name, made))
    if isinstance(owner, Companion):
        found = by_class(machine, owner, owner.kind, name, owner.attributes)
        if found is not MISSING:
            return found
        if name == "__class__":
            return owner.kind
        if name == "__dict__":
            for part in ("_parameters", "_buffers", "_modules"):
                owner.attributes.setdefault(part, held.get(part))
            return owner.attributes
    for place in ("_parameters", "_buffers", "_modules"):
        if name in held.get(place, ()):
            return held[place][name]
    if name in held.get(ATTRIBUTES, ()):
        return held[ATTRIBUTES][name]
    if name in held.get(PLAIN, ()):
        return from_engine(held[PLAIN][name])  # such as a weight that a hook of the engine made anew
    entry = table_of(type(owner)).get(name)
    if isinstance(entry, Attribute):
        if name in held or name == "all_weights":
            return from_engine(entry.get(owner))
    elif entry is not None:
        return read(entry, owner)
    if name == "__class__":
        return type_of(owner)
    if name == "__dict__":
        return fields_of(owner)
    if name == "__doc__" and not isinstance(owner, Companion):
        return type(owner).__doc__
    if isinstance(owner, Companion):
        answer = call_method(machine, owner, "__getattr__", [name])
        if answer is not NotImplemented:
            return answer
    if name.startswith("__"):
        own, kind = isinstance(owner, Companion), type_of(owner)
        host = kind if isinstance(kind, Type) else None
        found = basic(machine, owner, owner.kind if own else None, name, host)
        if found is not MISSING:
            return found
    raise missing(owner, name)


def of_class(machine: Machine, owner: Class, name: str) -> Value:
    found = owner.find(name)
    if found is not MISSING:
        if isinstance(found, Instance) and found.kind.find("__get__") is not MISSING and owner.members is None:
            return call_method(machine, found, "__get__", [None, owner])
        return bound(found, owner, owner) if isinstance(found, (StaticMethod, ClassMethod)) else found
    if name in CLASS_READS:
        return CLASS_READS[name](machine, owner)
    if owner.native is not None and name == "apply":
        return Foreign("apply", owner.native.apply)  # type: ignore[attr-defined]
    if owner.members is not None:
        raise AttributeError(name)
    if owner.exception is not None:
        return WAYS[ExceptionType](machine, owner.exception, name)
    if owner.host is not None:
        try:
            return of_type(machine, owner.host, name)
        except AttributeError:
            raise AttributeError(f"type object '{owner.name}' has no attribute '{name}'") from None
    found = basic(machine, MISSING, owner, name)
    if found is not MISSING:
        return found
    raise AttributeError(f"type object '{owner.name}' has no attribute '{name}'")


def order_of(machine: Machine, owner: Class) -> tuple[Value, ...]:
    """`__mro__`"""
    rest = [owner.exception.bases[1:]] if owner.exception is not None else [(owner.host,)] if owner.host else []
    own = {kind.exception for kind in owner.order}
    return (*owner.order, *(kind for row in rest for kind in row if kind not in own), OBJECT[0])


def abstract_names(machine: Machine, owner: Class) -> frozenset[str]:
    """`__abstractmethods__`, which classes have that abc looks after."""
    if "abstract" not in owner.traits:
        raise AttributeError("__abstractmethods__")
    return frozenset(abstract_in(owner))


def order_of_host(host: type) -> list[Value]:
    """The types that programs know, of those that an object of `host` has."""
    found = [record for base in host.__mro__ if (record := record_of(base)) is not None]
    return [*found, TENSOR_BASE] if issubclass(host, torch.Tensor) else found


TENSOR_BASE = Type("TensorBase", (), None, "torch._C.TensorBase")
"""What torch wrote in C++ of its tensors."""

OBJECT: list[Value] = []
"""The record of `object`; put in by `builtin`."""

CLASS_READS: dict[str, Callable[[Machine, Class], Value]] = {
    "__name__": lambda machine, owner: owner.name,
    "__qualname__": lambda machine, owner: owner.qualname,
    "__bases__": lambda machine, owner: owner.bases or (OBJECT[0],),
    "__mro__": order_of,
    "mro": lambda machine, owner: Builtin("mro", lambda: list(order_of(machine, owner))),
    "__module__": lambda machine, owner: owner.title.rpartition("." + owner.qualname)[0],
    "__dict__": lambda machine, owner: dict(owner.attributes),
    "__doc__": lambda machine, owner: None,
    "__annotations__": lambda machine, owner: {},
    "__members__": lambda machine, owner: dict(owner.members or {}),
    "__class__": lambda machine, owner: TYPE_OF_TYPES[0],
    "__abstractmethods__": abstract_names,
}
TYPE_OF_TYPES: list[Value] = []
"""The record of `type`; put in by `builtin`."""


def of_type(machine: Machine, owner: Type, name: str) -> Value:
    if name in ("__name__", "__qualname__"):
        return owner.name
    if name in owner.methods:
        entry = owner.methods[name]
        shared = owner.hosts and table_of(owner.hosts[0]).get(name) is entry
        return unbound(entry, owner.hosts[0], name) if shared else entry
    if name == "__module__":
        return owner.title.rpartition(".")[0] or "builtins"
    if name == "__doc__" and owner.hosts:
        return owner.hosts[0].__doc__
    if name == "__mro__" and owner in ENGINE_TYPES.values():  # those of Python's own lead to its insides
        return (*order_of_host(owner.hosts[0]), OBJECT[0])
    found = basic(machine, MISSING, None, name, owner)
    if found is not MISSING and not (name == "__init__" and owner.hosts and ENGINE in owner.hosts[0].__module__):
        return found
    if owner.hosts:
        if name == "__init__" and owner.make is not None:
            return Foreign("__init__", partial(begin_host, owner))
        entry = table_of(owner.hosts[0]).get(name)
        if isinstance(entry, (Foreign, Builtin)):
            return unbound(entry, owner.hosts[0], name)
    raise AttributeError(f"type object '{owner.name}' has no attribute '{name}'")


def begin_host(kind: Type, this: Value, *args: Value, **kwargs: Value) -> None:
    """`kind.__init__(this, ...)`, of an object of that kind alone.

    Raises:
        TypeError: it is none.
    """
    if not isinstance(this, kind.hosts):
        raise TypeError(f"descriptor '__init__' requires a '{kind.name}' object but received a '{type(this).__name__}'")
    kind.hosts[0].__init__(this, *args, **kwargs)  # type: ignore[misc]


WAYS: dict[type, Callable[[Machine, Any, str], Value]] = {Instance: of_instance, Class: of_class, Type: of_type}
"""How a name is looked up, by the type of the owner; more are put in by the modules that bring such types."""
