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

from .engine import TENSOR_TYPES, TENSORS, torch
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


NUMBER_TYPES = (int, float, bool, complex)
KINDS = (*NUMBER_TYPES, *TENSOR_TYPES.values(), torch.Tensor)
"""What stands in the place of a dtype."""
CLASSES_TAKEN: dict[str, tuple[type, ...]] = {
    "to": NUMBER_TYPES,
    "type": KINDS,
    "set_default_dtype": NUMBER_TYPES,
    "set_default_tensor_type": KINDS,
    "as_subclass": (torch.Tensor,),
    "skip_init": (torch.nn.Module,),
    "global_unstructured": (torch.nn.utils.prune.BasePruningMethod,),
    "register_kl": (torch.distributions.Distribution,),
}
"""The functions of the engine that are given a class for what it is, and what it must be a kind of."""


def class_taken(machine: Machine, function: Foreign, value: Type, name: str = "") -> Any:
    """A type as `function` gets it: the engine's own class where it takes one, else what calls back as any function.

    Functions with a signature of torch's call nothing that they are given.
    """
    allowed = KINDS if name == "dtype" or hasattr(function.run, "reads") else CLASSES_TAKEN.get(function.name, ())
    if value.make is not None and allowed and value.hosts and issubclass(value.hosts[0], allowed):
        return value.hosts[0]
    return to_engine(machine, value)


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
    if isinstance(value, CALLABLES):
        title = function_kind(value) if kind in (Builtin, Foreign) else kind.__name__
        return handed(Callback, title, "builtins" if kind in (Builtin, Type) else "__main__")(machine, value)
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
