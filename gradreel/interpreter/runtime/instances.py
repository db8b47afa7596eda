"""Making objects of the program's classes: an empty one, then its `__init__`; those that extend list, dict, int, ..."""

from __future__ import annotations

import warnings
from typing import Any

from ..engine.bridge import to_engine
from ..engine.engine import INSTANTIATED
from ..engine.subclasses import subclass_of
from ..machine import Machine
from .type_names import kind_name
from .values import MISSING, OBJECTS, Class, ClassMethod, Error, Function, Property, StaticMethod, Value, check_class

FIXED = (tuple, frozenset, str, int, float)
"""Types of the host that get their content when they are made, not by `__init__`."""

FILLED = (list, dict, set)


def instantiate(machine: Machine, kind: Class, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """A new object of the program's class, with its `__init__` run."""
    if kind.members and kind.look_up is not None:
        return kind.look_up(machine, kind, args)
    new, start = kind.find("__new__"), kind.find("__init__")
    if new is not MISSING:
        this = machine.call(machine, new.function if isinstance(new, StaticMethod) else new, [kind, *args], {**kwargs})
        if not is_made_by(this, kind):
            return this
    else:
        this = allocate(machine, kind, args)
    if start is not MISSING:
        args.insert(0, this)
        answer = machine.call(machine, start, args, kwargs)
        if answer is not None:
            raise TypeError(f"__init__() should return None, not '{kind_name(answer)}'")
    elif new is MISSING:
        initialize(machine, this, args, kwargs)
    return this


def is_made_by(this: Value, kind: Class) -> bool:
    """Whether `this` is an object of `kind`."""
    found = this.kind if isinstance(this, OBJECTS) else this.own if isinstance(this, Error) else None
    return isinstance(found, Class) and kind in found.order


def allocate(machine: Machine, kind: Class, args: list[Value]) -> Value:
    """An object of `kind` before its `__init__`."""
    check_class(kind)
    if "protocol" in kind.traits:
        raise TypeError("Protocols cannot be instantiated")
    if "abstract" in kind.traits:
        check_abstract(kind)
    if kind.exception is not None:
        return Error(kind.exception, tuple(args), kind)
    host = kind.host
    if host is None or kind.native is not None:
        return kind.made(kind)
    base = host.hosts[0]
    made: Any = subclass_of(kind, base)
    if issubclass(base, FIXED):
        this = made.__new__(made, machine.call(machine, host.make, list(args), {}))
    else:
        this = made.__new__(made)
    this.become(kind, {})
    return this


def initialize(machine: Machine, this: Value, args: list[Value], kwargs: dict[str, Value]) -> None:
    """The `__init__` that a class has without writing one."""
    kind: Any = check_class(this.own if isinstance(this, Error) else this.kind)
    if kind.exception is not None:
        this.args = tuple(args)
        return
    if kind.host is None or kind.native is not None:
        if (args or kwargs) and kind.native is None:
            raise TypeError(f"{kind.name}() takes no arguments")
        if kind.native is not None:
            warnings.warn(INSTANTIATED.format(f"<class '{kind.title}'>"), DeprecationWarning, stacklevel=2)
        return
    base = kind.host.hosts[0]
    if issubclass(base, FILLED):
        given = machine.call(machine, kind.host.make, args, kwargs)
        this.clear()
        if isinstance(this, list):
            this.extend(given)
        else:
            this.update(given)
        return
    if not issubclass(base, FIXED):
        named = {name: to_engine(machine, value) for name, value in kwargs.items()}
        base.__init__(this, *[to_engine(machine, a) for a in args], **named)


def check_abstract(kind: Class) -> None:
    names = sorted(abstract_names_in(kind))
    if names:
        plural = "s" if len(names) > 1 else ""
        raise TypeError(f"Can't instantiate abstract class {kind.name} with abstract method{plural} {', '.join(names)}")


def abstract_names_in(kind: Class) -> set[str]:
    """The names that a class leaves to those below it."""
    return {name for owner in kind.order for name in owner.attributes if is_abstract(kind.find(name))}


def is_abstract(value: Value) -> bool:
    if isinstance(value, Property):
        return is_abstract(value.getter)
    if isinstance(value, (StaticMethod, ClassMethod)):
        return is_abstract(value.function)
    return isinstance(value, Function) and value.attributes.get("__isabstractmethod__") is True
