"""What the abstract classes of collections.abc ask of a value: to be registered with them, or to have some methods."""

from __future__ import annotations

import collections.abc

from .values import MISSING, OBJECTS, Bound, Builtin, Class, ExceptionType, Foreign, Function, Generator, Type, Value

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


def asked_of(kind: Value) -> str | None:
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
