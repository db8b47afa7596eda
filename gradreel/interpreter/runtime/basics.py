"""What every object has of Python itself: `__init__`, `__setattr__`, `__repr__`; of list, dict, ... their operators.

`super().__setattr__(name, value)` and `dict.__getitem__(self, key)` come here: the same operation, without the methods
that the object's class has written.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from ..engine.engine import torch
from ..machine import Machine
from ..words import words
from .creating import begin, blank
from .values import MISSING, OBJECTS, Builtin, Class, Instance, Own, Type, Value


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
            from .calls import kind_name

            raise TypeError(f"descriptor '{name}' requires a '{kind.name}' object but received a '{kind_name(this)}'")
        return way(machine, this, *args, **kwargs)

    return run


def going_through(owner: Value, name: str) -> Value:
    """How to go through what is no container of Python's: iterators, the keys of a dict; MISSING if it is not that."""
    from ..builtins.sequences import begun, following

    if name == "__next__" and isinstance(owner, Iterator):
        return Builtin(name, following, True, owner)
    return Builtin(name, begun, True, owner) if name == "__iter__" and isinstance(owner, Iterable) else MISSING


CONTAINERS: tuple[Any, ...] = (
    *(list, dict, tuple, range, set, frozenset, str, int, float),
    *(torch.Tensor, torch.nn.Module, np.ndarray),
)


def _set(machine: Machine, this: Value, name: str, value: Value) -> None:
    from .storing import store_plainly

    store_plainly(machine, this, name, value)


def _delete(machine: Machine, this: Value, name: str) -> None:
    from .storing import delete_plainly

    delete_plainly(machine, this, name)


def _get(machine: Machine, this: Value, name: str) -> Value:
    from .attributes import load, plainly
    from .kinds import missing

    if not isinstance(this, OBJECTS):
        return load(machine, this, name)
    found = plainly(machine, this, name)
    if found is MISSING:
        raise missing(this, name)
    return found


def _represented(machine: Machine, this: Value) -> str:
    from ..builtins.formatting import base_repr

    return base_repr(machine, this)


def _text(machine: Machine, this: Value) -> str:
    from ..builtins.formatting import base_text

    return base_text(machine, this)


def _hash(machine: Machine, this: Value) -> int:
    from ..builtins.hashing import hash_of

    return Instance.__hash__(this) if isinstance(this, Instance) else hash_of(machine, this)


def _equal(machine: Machine, this: Value, other: Value) -> Value:
    from ..builtins.comparing import base_equal

    if isinstance(this, Instance):
        return True if this is other else NotImplemented
    return base_equal(machine, this, other)


def _formatted(machine: Machine, this: Value, spec: str) -> str:
    from ..builtins.formatting import base_text, plain
    from ..builtins.templates import formatted

    if isinstance(this, OBJECTS):
        this = plain(this) if isinstance(this, (int, float, str)) else base_text(machine, this)
    return formatted(machine, this, spec)


def _init(machine: Machine, this: Value, *args: Value, **kwargs: Value) -> None:
    if isinstance(this, Own):
        begin(machine, this, list(args), kwargs)


def _nothing(machine: Machine, *args: Value, **kwargs: Value) -> None:
    return None


EVERY: dict[str, Callable[..., Value]] = {
    "__init__": _init,
    "__setattr__": _set,
    "__delattr__": _delete,
    "__getattribute__": _get,
    "__repr__": _represented,
    "__str__": _text,
    "__hash__": _hash,
    "__eq__": _equal,
    "__ne__": lambda machine, this, other: not _equal(machine, this, other),
    "__format__": _formatted,
    "__init_subclass__": _nothing,
}
"""What every object has."""


def _item(machine: Machine, this: Value, index: Value) -> Value:
    from ..builtins.subscripts import fetch_plainly

    return fetch_plainly(machine, this, index)


def _put(machine: Machine, this: Value, index: Value, value: Value) -> None:
    from ..builtins.subscripts import assign_plainly

    assign_plainly(machine, this, index, value)


def _drop(machine: Machine, this: Value, index: Value) -> None:
    from ..builtins.subscripts import remove_plainly

    remove_plainly(machine, this, index)


def _has(machine: Machine, this: Value, item: Value) -> bool:
    from ..builtins.comparing import base_contains

    return base_contains(machine, item, this)


def _operator(kind: str, mirrored: bool = False, inplace: bool = False) -> Callable[..., Value]:
    def run(machine: Machine, this: Value, other: Value) -> Value:
        from ..builtins.operators import base_binary

        sides = (other, this) if mirrored else (this, other)
        return base_binary(machine, kind, *sides, inplace)

    return run


def _compared(sign: str) -> Callable[..., Value]:
    def run(machine: Machine, this: Value, other: Value) -> Value:
        from ..builtins.comparing import BASE

        try:
            return BASE[sign](machine, this, other)
        except TypeError:
            return NotImplemented

    return run


def _alone(sign: str) -> Callable[..., Value]:
    def run(machine: Machine, this: Value) -> Value:
        from ..builtins.operators import unary

        return unary(machine, sign, this)

    return run


def _called(machine: Machine, this: Value, *args: Value, **kwargs: Value) -> Value:
    from .calls import call_forward

    return call_forward(machine, this, list(args), kwargs)


def _rounded(machine: Machine, this: Value, *digits: Value) -> Value:
    from ..builtins.sequences import rounded

    return rounded(machine, this, *digits)


def _turned(machine: Machine, this: Value) -> Value:
    from ..builtins.sequences import turned

    return turned(machine, this)


ARITHMETIC = words("add sub mul truediv floordiv mod pow matmul lshift rshift and or xor")

CONTENT: dict[str, Callable[..., Value]] = {
    "__getitem__": _item,
    "__setitem__": _put,
    "__delitem__": _drop,
    "__contains__": _has,
    "__len__": lambda machine, this: len(this),
    "__iter__": lambda machine, this: iter(this),
    **{f"__{name}__": _operator(name) for name in ARITHMETIC},
    **{f"__r{name}__": _operator(name, mirrored=True) for name in ARITHMETIC},
    **{f"__i{name}__": _operator(name, inplace=True) for name in ARITHMETIC},
    **{
        name: _compared(sign)
        for name, sign in zip(words("__lt__ __le__ __gt__ __ge__"), words("< <= > >="), strict=True)
    },
    "__call__": _called,
    "__round__": _rounded,
    "__reversed__": _turned,
    "__index__": lambda machine, this: operator.index(this),
    "__invert__": _alone("~"),
    "__pos__": _alone("+"),
    "__neg__": _alone("-"),
    "__abs__": lambda machine, this: abs(this),
    "__bool__": lambda machine, this: bool(this),
    "__int__": lambda machine, this: int(this),
    "__float__": lambda machine, this: float(this),
}
"""What the types with content have. `list(this)` of the host: no method of the program is asked."""
