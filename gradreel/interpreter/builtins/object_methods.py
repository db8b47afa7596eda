"""What every object has of Python itself: `__init__`, `__setattr__`, `__repr__`; of list, dict, ... their operators.

`super().__setattr__(name, value)` and `dict.__getitem__(self, key)` come here: the same operation, without the methods
that the object's class has written.
"""

from __future__ import annotations

import operator
from collections.abc import Callable

from ..machine import Machine
from ..runtime.attributes import delete_plainly, load, load_plainly, missing_attribute, store_plainly
from ..runtime.calls import call_forward
from ..runtime.instances import initialize
from ..runtime.values import MISSING, OBJECTS, Instance, Own, Value
from .formatting import base_repr, base_str, format_value, plain
from .hashing import hash_of
from .operators import BASE, apply_unary, base_binary, base_contains, base_equal
from .sequences import make_iterator, make_reversed, next_item, round_number
from .subscripts import assign_plainly, fetch_plainly, remove_plainly


def _set(machine: Machine, this: Value, name: str, value: Value) -> None:
    store_plainly(machine, this, name, value)


def _delete(machine: Machine, this: Value, name: str) -> None:
    delete_plainly(machine, this, name)


def _get(machine: Machine, this: Value, name: str) -> Value:
    if not isinstance(this, OBJECTS):
        return load(machine, this, name)
    found = load_plainly(machine, this, name)
    if found is MISSING:
        raise missing_attribute(this, name)
    return found


def _repr(machine: Machine, this: Value) -> str:
    return base_repr(machine, this)


def _str(machine: Machine, this: Value) -> str:
    return base_str(machine, this)


def _hash(machine: Machine, this: Value) -> int:
    return Instance.__hash__(this) if isinstance(this, Instance) else hash_of(machine, this)


def _equal(machine: Machine, this: Value, other: Value) -> Value:
    if isinstance(this, Instance):
        return True if this is other else NotImplemented
    return base_equal(machine, this, other)


def _format(machine: Machine, this: Value, spec: str) -> str:
    if isinstance(this, OBJECTS):
        this = plain(this) if isinstance(this, (int, float, str)) else base_str(machine, this)
    return format_value(machine, this, spec)


def _init(machine: Machine, this: Value, /, *args: Value, **kwargs: Value) -> None:
    if isinstance(this, Own):
        initialize(machine, this, list(args), kwargs)


def _nothing(machine: Machine, /, *args: Value, **kwargs: Value) -> None:
    return None


EVERY: dict[str, Callable[..., Value]] = {
    "__init__": _init,
    "__setattr__": _set,
    "__delattr__": _delete,
    "__getattribute__": _get,
    "__repr__": _repr,
    "__str__": _str,
    "__hash__": _hash,
    "__eq__": _equal,
    "__ne__": lambda machine, this, other: not _equal(machine, this, other),
    "__format__": _format,
    "__init_subclass__": _nothing,
}
"""What every object has."""


def _item(machine: Machine, this: Value, index: Value) -> Value:
    return fetch_plainly(machine, this, index)


def _put(machine: Machine, this: Value, index: Value, value: Value) -> None:
    assign_plainly(machine, this, index, value)


def _drop(machine: Machine, this: Value, index: Value) -> None:
    remove_plainly(machine, this, index)


def _has(machine: Machine, this: Value, item: Value) -> bool:
    return base_contains(machine, item, this)


def _make_operator(kind: str, mirrored: bool = False, inplace: bool = False) -> Callable[..., Value]:
    def run(machine: Machine, this: Value, other: Value) -> Value:
        sides = (other, this) if mirrored else (this, other)
        return base_binary(machine, kind, *sides, inplace)

    return run


def _make_comparison(sign: str) -> Callable[..., Value]:
    def run(machine: Machine, this: Value, other: Value) -> Value:
        try:
            return BASE[sign](machine, this, other)
        except TypeError:
            return NotImplemented

    return run


def _make_unary(sign: str) -> Callable[..., Value]:
    def run(machine: Machine, this: Value) -> Value:
        return apply_unary(machine, sign, this)

    return run


def _call(machine: Machine, this: Value, /, *args: Value, **kwargs: Value) -> Value:
    return call_forward(machine, this, list(args), kwargs)


def _round(machine: Machine, this: Value, *digits: Value) -> Value:
    return round_number(machine, this, *digits)


def _reverse(machine: Machine, this: Value) -> Value:
    return make_reversed(machine, this)


ARITHMETIC = "add sub mul truediv floordiv mod pow matmul lshift rshift and or xor".split()

CONTENT: dict[str, Callable[..., Value]] = {
    "__getitem__": _item,
    "__setitem__": _put,
    "__delitem__": _drop,
    "__contains__": _has,
    "__len__": lambda machine, this: len(this),
    "__iter__": lambda machine, this: iter(this),
    **{f"__{name}__": _make_operator(name) for name in ARITHMETIC},
    **{f"__r{name}__": _make_operator(name, mirrored=True) for name in ARITHMETIC},
    **{f"__i{name}__": _make_operator(name, inplace=True) for name in ARITHMETIC},
    **{
        name: _make_comparison(sign)
        for name, sign in zip("__lt__ __le__ __gt__ __ge__".split(), "< <= > >=".split(), strict=True)
    },
    "__call__": _call,
    "__round__": _round,
    "__reversed__": _reverse,
    "__index__": lambda machine, this: operator.index(this),
    "__invert__": _make_unary("~"),
    "__pos__": _make_unary("+"),
    "__neg__": _make_unary("-"),
    "__abs__": lambda machine, this: abs(this),
    "__bool__": lambda machine, this: bool(this),
    "__int__": lambda machine, this: int(this),
    "__float__": lambda machine, this: float(this),
}
"""What the types with content have. `list(this)` of the host: no method of the program is asked."""

WALKS: dict[str, Callable[..., Value]] = {"__next__": next_item, "__iter__": make_iterator}
