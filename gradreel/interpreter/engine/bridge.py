"""The bridge: what crosses between a program and the engine.

Numbers and tensors cross as they are. A function of the program becomes a `Callback` that the engine can call; its
subclasses of what the engine has get subclasses of its own, which call back (subclasses.py). What comes from the
engine and is neither known to the attribute tables nor plain is opaque: nothing can be asked of it.
"""

from __future__ import annotations

import copy
import types
from collections import deque
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import Any

from autograd_core.namespace.type_names import check_attribute
from autograd_core.opaque import opaque
from autograd_core.optim.lr_scheduler import StatefulFunction
from autograd_core.ordered_dict import OrderedDict

from ..machine import Machine
from ..runtime.allowed_types import admit, check_array, is_of_programs, not_for_programs, record_of
from ..runtime.type_names import function_kind, kind_name, refuse_stub
from ..runtime.type_tables import of_program
from ..runtime.values import (
    MISSING,
    RECORDS,
    Bound,
    Builtin,
    Class,
    Deque,
    ExceptionType,
    Foreign,
    Function,
    Generator,
    Instance,
    Look,
    Own,
    Stub,
    Type,
    Value,
)
from .cost_model import count_of
from .engine import TENSOR_TYPES, TENSORS, torch

PLAIN = frozenset({*TENSORS, bool, int, float, str, type(None), type(...), torch.Size, torch.dtype})
"""Types that cross unchanged, in both directions."""

CLASSES = (Class, Type, ExceptionType)
CALLABLES = (Function, Bound, Builtin, Foreign, *CLASSES)


FUNCTIONS = (types.FunctionType, type(torch.Tensor.__mul__))
"""What programs see as functions: those of Python, and the engine's operators, which may be compiled."""

HOST_CALLABLES = (*FUNCTIONS, types.BuiltinFunctionType, types.MethodType, partial)


@opaque
class Callback(StatefulFunction):
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
        title = getattr(self.function, "title", None) or name_of(self)
        return f"<class '{title}'>" if isinstance(self.function, CLASSES) else f"<function {title} at 0x...>"

    def __deepcopy__(self, memo: Any) -> Callback:
        """The engine copies what it was given; functions stay the same, objects are copied as the program would."""
        return type(self)(self.machine, copy.deepcopy(self.function, memo))

    def stored_attributes(self) -> dict[str, Value] | None:
        return dict(self.function.attributes) if isinstance(self.function, Instance) else None

    def restore_attributes(self, stored: dict[str, Value]) -> None:
        if isinstance(self.function, Instance):
            self.function.attributes.update({check_attribute(name): from_engine(it) for name, it in stored.items()})

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


admit(Callback, Parcel)


@lru_cache(256)
def named_subtype(kind: type[Any], name: str, home: str) -> type[Any]:
    """`kind` under the name of what it hands to the engine: messages of the engine say the types of what they got."""
    return of_program(type(name, (kind,), {"__slots__": (), "__module__": home}))


NUMBER_TYPES = (int, float, bool, complex)
KINDS = (*NUMBER_TYPES, *TENSOR_TYPES.values(), torch.Tensor)
"""What stands in the place of a dtype."""
CLASSES_TAKEN: dict[str, tuple[type, ...]] = {
    "to": NUMBER_TYPES,
    "type": KINDS,
    "set_default_dtype": NUMBER_TYPES,
    "set_default_tensor_type": KINDS,
    "as_subclass": (torch.Tensor,),
    "register_kl": (torch.distributions.Distribution,),
}
"""The functions of the engine that are given a class for what it is, and what it must be a kind of."""


def class_argument(machine: Machine, function: Foreign, value: Type, name: str = "") -> Any:
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
    if kind in LISTS:
        if all(type(part) in PLAIN for part in value):
            return value
        machine.meter.charge()  # what is in a list several times is handed over as often
        return kind(to_engine(machine, part) for part in value)
    if kind is slice:
        bounds = value.start, value.stop, value.step
        return value if all(type(part) in PLAIN for part in bounds) else slice(*to_engine(machine, bounds))
    if isinstance(value, dict):
        machine.meter.charge()
        given = {to_engine(machine, key): to_engine(machine, part) for key, part in value.items()}
        if all(key in given and given[key] is part for key, part in value.items()):
            return value
        return OrderedDict(given) if isinstance(value, OrderedDict) else given
    if kind is range:
        machine.meter.elements(count_of(value))
        return value
    if isinstance(value, CALLABLES):
        name = function_kind(value) if isinstance(value, (Builtin, Foreign)) else kind.__name__
        return named_subtype(Callback, name, home_of(value))(machine, value)
    if isinstance(value, Instance):
        title = value.kind.name, value.kind.title.removesuffix(f".{value.kind.qualname}")
        if value.kind.find("__call__") is MISSING:
            return named_subtype(Parcel, *title)(value)
        return named_subtype(Callback, *title)(machine, value)
    if kind is Stub:
        raise refuse_stub(value)
    if isinstance(value, Own):
        if isinstance(value, (list, tuple)):
            return [to_engine(machine, part) for part in value]
        plain = next((convert for base, convert in PLAIN_CONTENT.items() if isinstance(value, base)), None)
        if plain is not None:
            return plain(value)
    if isinstance(value, Iterator):
        return named_subtype(Crossing, kind_name(value), "builtins")(value, partial(to_engine, machine))
    if is_of_programs(kind) and kind not in RECORDS:
        return value
    return named_subtype(Parcel, kind.__name__, "builtins")(value)


def home_of(value: Value) -> str:
    """The module of what can be called, as messages of the engine name it."""
    if isinstance(value, Type):
        return value.title.rpartition(".")[0] or "builtins"
    return "builtins" if isinstance(value, Builtin) else "__main__"


LISTS = (list, tuple, Deque, deque, set, frozenset)
PLAIN_CONTENT: dict[type, Callable[[Any], Any]] = {str: str.__str__, int: int.__int__, float: float.__float__}
"""The text or number that an object of a program's class is: the engine calls methods of theirs."""


# A generator function would keep the last item alive.
@opaque
class Crossing:
    """Goes through `source`, and each item through the bridge."""

    __slots__ = ("source", "cross")

    def __init__(self, source: Iterator[Any], cross: Callable[[Any], Any]) -> None:
        self.source = source
        self.cross = cross

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        return self.cross(next(self.source))


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
    if is_of_programs(kind):
        if issubclass(kind, dict):
            unpack_dict(value)
        return check_array(value)
    if isinstance(value, HOST_CALLABLES):
        return function_from(value)
    if isinstance(value, type):
        return class_from(value)
    if isinstance(value, Iterator):
        return Generator(getattr(value, "__qualname__", "generator"), Crossing(value, from_engine))
    raise not_for_programs(kind)


def unpack_dict(holder: dict[Any, Any]) -> None:
    """Have a dictionary of the engine, and what it holds, hold the program's own, which the engine keeps unopened.

    Raises:
        Refusal: there is something in it that programs cannot have.
    """
    waiting: list[Any] = [holder]
    seen = {id(holder)}
    while waiting:
        whole = waiting.pop()
        for key, part in list(whole.items() if isinstance(whole, dict) else enumerate(whole)):
            kind = type(part)
            if kind in PLAIN or issubclass(kind, Callback):  # the engine calls what it keeps
                continue
            if kind in (dict, OrderedDict, list):
                if id(part) not in seen:
                    seen.add(id(part))
                    waiting.append(part)
                continue
            crossed = from_engine(part)
            if crossed is not part and not same_items(crossed, part):
                whole[key] = crossed


def same_items(crossed: Value, part: Any) -> bool:
    """Whether a tuple crossed as it was."""
    return type(part) is tuple and all(one is other for one, other in zip(crossed, part, strict=True))


def function_from(value: Any) -> Foreign:
    """A function of the engine as programs have it.

    Raises:
        Refusal: it is none of the engine's.
    """
    if not is_of_engine(value):
        raise not_for_programs(type(value))
    name = name_of(value)
    look = Look(f"<function {name} at 0x...>", "function") if type(value) in FUNCTIONS else None
    return Foreign(name, value, look=look)


def is_of_engine(function: Any) -> bool:
    """Whether the engine (or what we made for it) has written `function`, as the module says where it stands."""
    if isinstance(function, partial):
        return is_of_engine(function.func)
    if isinstance(function, types.MethodType):
        return is_of_engine(function.__func__)
    home = function.__globals__["__name__"] if isinstance(function, types.FunctionType) else function.__module__
    return isinstance(home, str) and home.startswith(HOMES)


HOMES = (f"{torch.__name__}.", "gradreel.interpreter.engine.subclasses")


def class_from(value: type) -> Value:
    """A class of the engine as programs know it.

    Raises:
        Refusal: they know none.
    """
    found = record_of(value)
    if found is None:
        raise not_for_programs(type(value))
    return found


def name_of(function: Any) -> str:
    return getattr(function, "__name__", "function")


def machine_of(kind: Class) -> Machine:
    """The machine that runs the methods of `kind`."""
    assert kind.machine is not None
    return kind.machine
