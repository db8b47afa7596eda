"""Attributes of records: functions, methods, modules, exceptions, generators, `super()`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..builtins.formatting import error_text, host_error, repr_of
from ..engine.bridge import from_engine
from ..engine.engine import torch
from ..engine.subclasses import inherited_ways
from ..machine import Machine
from ..refusal import Refusal
from .attribute_tables import table_of
from .attributes import by_class, load, load_basic, missing_attribute, of_module
from .calls import call, exception_instance
from .instances import initialize
from .type_names import function_kind, kind_name
from .values import (
    MISSING,
    Attribute,
    Bound,
    Builtin,
    Class,
    Error,
    ExceptionType,
    Foreign,
    Function,
    Generator,
    Property,
    Stub,
    Super,
    Value,
)


def of_function(machine: Machine, owner: Function, name: str) -> Value:
    if name in owner.attributes:
        return owner.attributes[name]
    if name == "__name__":
        return owner.name
    if name == "__qualname__":
        return owner.title
    if name == "__doc__":
        return owner.doc
    if name == "__module__":
        return "__main__"
    if name == "__dict__":
        return owner.attributes
    if name == "__defaults__":
        return owner.defaults
    if name == "__annotations__":
        return owner.hints
    if name == "__call__":
        return owner
    if name == "__get__":
        return Builtin("__get__", lambda this, kind=None: owner if this is None else Bound(owner, this))
    raise AttributeError(f"'function' object has no attribute '{name}'")


def of_bound(machine: Machine, owner: Bound, name: str) -> Value:
    if name == "__self__":
        return owner.receiver
    if name == "__func__":
        return owner.function
    return load(machine, owner.function, name)


def of_builtin(machine: Machine, owner: Builtin | Foreign, name: str) -> Value:
    if name in ("__name__", "__qualname__"):
        return owner.name
    if name in owner.more:
        return owner.more[name]
    if name == "__self__" and owner.receiver is not MISSING:
        return owner.receiver
    if name == "__call__":
        return owner
    if name in ("__doc__", "__module__"):
        return None
    kind = function_kind(owner)
    raise AttributeError(f"'{'function' if kind == 'method' else kind}' object has no attribute '{name}'")


# ---- exceptions


def of_error(machine: Machine, owner: Error, name: str) -> Value:
    if owner.own is not None:
        found = by_class(machine, owner, owner.own, name, owner.attributes)
        if found is not MISSING:
            return found
    elif name in owner.attributes:
        return owner.attributes[name]
    way = ERROR_READS.get(name)
    if way is not None:
        return way(machine, owner)
    for kind in owner.kind.bases:
        if name in OF_KIND.get(kind.name, ()):
            return (owner.args[0] if owner.args else None) if kind.name in FIRST else None
    if owner.own is not None:
        found = load_basic(machine, owner, owner.own, name)
        if found is not MISSING:
            return found
    raise missing_attribute(owner, name)


OF_KIND = {
    "StopIteration": ("value",),
    "SystemExit": ("code",),
    "NameError": ("name",),
    "AttributeError": ("name", "obj"),
    "ImportError": ("name", "path", "msg"),
    "SyntaxError": ("msg", "lineno", "offset", "text", "filename"),
    "OSError": ("errno", "strerror", "filename"),
}
"""What exceptions of a kind have beside their arguments."""
FIRST = ("StopIteration", "SystemExit")
"""Kinds where that is the first argument."""


def add_note(this: Error, note: str) -> None:
    if not isinstance(note, str):
        raise TypeError("note must be a str")
    this.notes.append(note)


ERROR_READS: dict[str, Callable[[Machine, Error], Value]] = {
    "args": lambda machine, this: this.args,
    "__class__": lambda machine, this: this.own or this.kind,
    "__cause__": lambda machine, this: this.cause,
    "__context__": lambda machine, this: this.context,
    "__suppress_context__": lambda machine, this: this.suppressed,
    "__traceback__": lambda machine, this: None,
    "__notes__": lambda machine, this: this.notes,
    "__dict__": lambda machine, this: this.attributes,
    "__str__": lambda machine, this: Builtin("__str__", lambda: error_text(machine, this)),
    "__repr__": lambda machine, this: Builtin("__repr__", lambda: repr_of(machine, this)),
    "with_traceback": lambda machine, this: Builtin("with_traceback", lambda trace: this),
    "add_note": lambda machine, this: Builtin("add_note", lambda note: add_note(this, note)),
}


def of_exception_type(machine: Machine, owner: ExceptionType, name: str) -> Value:
    if name in ("__name__", "__qualname__"):
        return owner.name
    if name == "__init__":
        return Builtin("__init__", start_error)
    if name == "__mro__":
        return owner.bases
    if name == "__module__":
        return "builtins"
    if name == "__str__":
        return Builtin("__str__", lambda this: error_text(machine, this))
    if name in ("__doc__", "__bases__"):
        return None if name == "__doc__" else owner.bases[1:2]
    raise AttributeError(f"type object '{owner.name}' has no attribute '{name}'")


def start_error(this: Error, *args: Value, **kwargs: Value) -> None:
    if type(this) is not Error:
        raise TypeError(f"descriptor '__init__' requires a 'BaseException' object but received a '{kind_name(this)}'")
    this.args = args


# ---- super()


def load_inherited(base: type, this: Any, name: str, entry: Attribute) -> Value:
    """What `this` has of the engine's class `base`, whatever its own class makes of the name."""
    found = getattr(base, name, None)  # a name of the table
    return from_engine(found.fget(this) if isinstance(found, property) and found.fget else entry.get(this))


def of_super(machine: Machine, owner: Super, name: str) -> Value:
    kind = owner.kind
    if kind is None:
        return of_unbound(name)
    found = by_class(machine, owner.this, kind, name, {}, owner.after)
    if found is not MISSING:
        return found
    if kind.exception is not None:
        if name == "__init__":
            return Builtin("__init__", lambda *args, **kwargs: start_error(owner.this, *args))
        return of_error(machine, plain_error(owner.this), name)
    found = load_basic(machine, owner.this, kind, name)
    host = kind.host
    if host is not None and host.hosts and kind.native is None:
        base, this = host.hosts[0], owner.this
        if name == "__init__":
            return Builtin("__init__", lambda m, /, *args, **kw: initialize(m, this, list(args), kw), True)
        if name in inherited_ways(base):
            return Foreign(name, lambda *args, **kwargs: getattr(base, name)(this, *args, **kwargs))
        if found is not MISSING:
            return found
        entry = table_of(base).get(name)
        if isinstance(entry, Foreign):
            return Foreign(entry.name, entry.run, this)
        if isinstance(entry, Builtin):
            return Builtin(entry.name, entry.run, entry.machine, this, entry.title)
        if isinstance(entry, Attribute) and not isinstance(this, torch.nn.Module):
            return load_inherited(base, this, name, entry)
        return of_module(machine, this, name)
    if found is not MISSING:
        return found
    if name in ("__init_subclass__", "__set_name__"):
        return Builtin(name, lambda *args, **kwargs: no_keywords(kind, kwargs))
    raise AttributeError(f"'super' object has no attribute '{name}'")


def of_unbound(name: str) -> Value:
    """What `super(Class)` has: nothing of any object; to begin it again begins no module."""
    if name == "__init__":
        return Builtin("__init__", lambda *args: None)
    raise AttributeError(f"'super' object has no attribute '{name}'")


def no_keywords(kind: Class, kwargs: dict[str, Value]) -> None:
    if kwargs:
        raise TypeError(f"{kind.name}.__init_subclass__() takes no keyword arguments")


def plain_error(this: Error) -> Error:
    """`this` as if its class had no methods of its own."""
    made = Error(this.kind, this.args)
    made.cause, made.context, made.notes = this.cause, this.context, this.notes
    return made


# ---- generators, properties, what does nothing


def of_generator(machine: Machine, owner: Generator, name: str) -> Value:
    way = GENERATOR_METHODS.get(name)
    if way is None or not (hasattr(owner.source, "send") or name == "__next__" or name == "__iter__"):
        raise missing_attribute(owner, name)
    return Builtin(name, way, True, owner)


def throw(machine: Machine, this: Generator, kind: Value, value: Value = None, trace: Value = None) -> Value:
    if value is not None:
        kind = value if isinstance(value, Error) else call(machine, kind, [value], {})
    record = exception_instance(machine, kind)
    source: Any = this.source
    return source.throw(host_error(machine, record))


def send(machine: Machine, this: Generator, value: Value) -> Value:
    source: Any = this.source
    return source.send(value)


def close(machine: Machine, this: Generator) -> None:
    source: Any = this.source
    source.close()


GENERATOR_METHODS: dict[str, Callable[..., Value]] = {
    "send": send,
    "throw": throw,
    "close": close,
    "__next__": lambda machine, this: next(this),
    "__iter__": lambda machine, this: this,
}


def of_property(machine: Machine, owner: Property, name: str) -> Value:
    if name == "getter":
        return Builtin("getter", lambda function: Property(function, owner.setter, owner.deleter))
    if name == "setter":
        return Builtin("setter", lambda function: Property(owner.getter, function, owner.deleter))
    if name == "deleter":
        return Builtin("deleter", lambda function: Property(owner.getter, owner.setter, function))
    if name in ("fget", "fset"):
        return owner.getter if name == "fget" else owner.setter
    raise missing_attribute(owner, name)


def of_stub(machine: Machine, owner: Stub, name: str) -> Value:
    if name.startswith("__"):
        raise Refusal(f"`{owner.name}` does nothing here, so its `{name}` cannot be used.")
    return owner


RECORDS: dict[type, Callable[[Machine, Any, str], Value]] = {
    Function: of_function,
    Bound: of_bound,
    Builtin: of_builtin,
    Foreign: of_builtin,
    Error: of_error,
    ExceptionType: of_exception_type,
    Super: of_super,
    Generator: of_generator,
    Property: of_property,
    Stub: of_stub,
}
