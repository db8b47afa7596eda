"""The bridge: what crosses between a program and the engine.

Numbers and tensors cross as they are. A function of the program becomes a `Callback` that the engine can call; its
subclasses of what the engine has get companions of its kind, which call back (companions.py). What comes from the
engine and is neither known to the attribute tables nor plain is opaque: nothing can be asked of it.
"""

from __future__ import annotations

import copy
import types
from collections.abc import Iterator
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from autograd_core.opaque import opaque

from .engine import TENSORS, torch
from .objects.looks import function_kind
from .objects.standing import stands_for
from .objects.values import (
    MISSING,
    Bound,
    Builtin,
    Class,
    Foreign,
    Function,
    Generator,
    Instance,
    Look,
    Own,
    Silent,
    Type,
    Value,
)
from .refusal import Refusal
from .torch_face.sizes import count_of

if TYPE_CHECKING:
    from .machine import Machine

PLAIN = frozenset({*TENSORS, bool, int, float, str, type(None), type(...), torch.Size, torch.dtype, slice})
"""Types that cross unchanged, in both directions."""

CALLABLES = (Function, Bound, Builtin, Foreign, Class, Type)


class method(partial):  # type: ignore[type-arg]
    """A method of one of our values: the engine's complaints call it so."""


class builtin_function_or_method(partial):  # type: ignore[type-arg]
    """One that torch wrote in C++, such as `x.t`."""


BOUND = {kind.__name__: kind for kind in (method, builtin_function_or_method)}


FUNCTIONS = (types.FunctionType, type(torch.Tensor.__mul__))
"""What programs see as functions: those of Python, and the engine's operators, which may be compiled."""

HOST_CALLABLES = (*FUNCTIONS, types.BuiltinFunctionType, types.MethodType, partial)


@opaque
class Callback:
    """A function of the program, as the engine calls it; torch writes on some of them for whom they are."""

    __slots__ = ("machine", "function", "_from_public_api", "__weakref__")

    def __init__(self, machine: Machine, function: Value) -> None:
        self.machine = machine
        self.function = function

    @property
    def __name__(self) -> str:
        """What the engine's messages call it: the name that the program gave it."""
        named = self.function.function if isinstance(self.function, Bound) else self.function
        return str(named.name)  # objects have none, as in Python

    def __repr__(self) -> str:
        return f"<function {getattr(self.function, 'title', name_of(self))} at 0x...>"

    def __deepcopy__(self, memo: Any) -> Callback:
        """The engine copies what it was given; functions stay the same, objects are copied as the program would."""
        return type(self)(self.machine, copy.deepcopy(self.function, memo))

    def __call__(self, *args: Value, **kwargs: Value) -> Value:
        machine = self.machine
        given = [from_engine(arg) for arg in args]
        del args
        named = {name: from_engine(arg) for name, arg in kwargs.items()}
        return to_engine(machine, machine.call(machine, self.function, given, named))


@opaque
class Parcel:
    """Anything else of the program's own, passed through the engine unopened."""

    __slots__ = ("value",)

    def __init__(self, value: Value) -> None:
        self.value = value


@lru_cache(256)
def handed(kind: type[Any], name: str, home: str) -> type[Any]:
    """`kind` under the name of what it hands to the engine: messages of the engine say the types of what they got."""
    return stands_for(name)(type(name, (kind,), {"__slots__": (), "__module__": home}))


def to_engine(machine: Machine, value: Value) -> Any:
    kind = type(value)
    if kind in PLAIN:
        return value
    if kind is list or kind is tuple:
        if all(type(part) in PLAIN for part in value):
            return value
        machine.meter.charge()  # what is in a list several times is handed over as often
        return kind(to_engine(machine, part) for part in value)
    if kind is dict:
        machine.meter.charge()
        given = {key: to_engine(machine, part) for key, part in value.items()}
        return value if all(given[key] is part for key, part in value.items()) else given
    if kind is range:
        machine.meter.elements(count_of(value))
        return value
    if kind is Foreign:
        return value.run if not _bound(value) else BOUND[function_kind(value)](value.run, value.receiver)
    if kind is Type:
        return _host_of(value) or Callback(machine, value)
    if kind is Class and value.native is not None:
        return value.native
    if isinstance(value, CALLABLES):
        home = "builtins" if kind is Builtin else "__main__"
        return handed(Callback, kind.__name__, home)(machine, value)
    if isinstance(value, Instance):
        title = value.kind.name, value.kind.title.removesuffix(f".{value.kind.qualname}")
        if value.kind.find("__call__") is MISSING:
            return handed(Parcel, *title)(value)
        return handed(Callback, *title)(machine, value)
    if kind is Silent:
        raise unseen(value)
    if isinstance(value, (list, tuple)) and isinstance(value, Own):
        return [to_engine(machine, part) for part in value]
    return value


def unseen(value: Silent) -> Refusal:
    """What a program asks of a library that has no part here cannot be known."""
    return Refusal(
        f"`{value.name}` does nothing here, so the program cannot use what it would give. Put something of your own in "
        "its place, such as a tensor from `torch.rand(8, 3)`."
    )


def _bound(value: Foreign) -> bool:
    return value.receiver is not MISSING


def _host_of(kind: Type) -> Any:
    """The engine's class behind a type, where a function wants a class (isinstance checks, dtype=float)."""
    return kind.hosts[0] if kind.hosts else None


def from_engine(value: Any) -> Value:
    kind = type(value)
    if kind in PLAIN:
        return value
    if issubclass(kind, Callback):
        return value.function
    if issubclass(kind, Parcel):
        return value.value
    if kind is list or kind is tuple:
        if all(type(part) in PLAIN for part in value):
            return value
        return kind(from_engine(part) for part in value)
    if isinstance(value, Iterator) and not isinstance(value, (Generator, torch.Tensor)):
        title = getattr(value, "__qualname__", "generator")
        return Generator(title, _crossing(value) if kind is types.GeneratorType else value)
    if isinstance(value, HOST_CALLABLES):
        name = name_of(value)
        look = Look(f"<function {name} at 0x...>", "function") if kind in FUNCTIONS else None
        return Foreign(name, value, look=look)
    return value


def name_of(function: Any) -> str:
    return getattr(function, "__name__", "function")


# A generator function would keep the last item alive.
class _crossing:
    def __init__(self, source: Iterator[Any]) -> None:
        self.source = source

    def __iter__(self) -> Iterator[Value]:
        return self

    def __next__(self) -> Value:
        return from_engine(next(self.source))


def machine_of(kind: Class) -> Machine:
    """The machine that runs the methods of `kind`."""
    assert kind.machine is not None
    return kind.machine
