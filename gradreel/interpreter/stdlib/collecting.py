"""collections and enumerations: what is not written in Python in `pure_python`."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any

from ..builtins.hashing import put_all
from ..builtins.iterating import iterate, listed
from ..builtins.table import TYPES as PYTHON
from ..machine import Machine
from ..runtime.calls import call
from ..runtime.containers import DefaultDict, Deque
from ..runtime.dataclass import module as dataclasses
from ..runtime.enums import module as enum
from ..runtime.errors import TYPES as ERRORS
from ..runtime.kinds import PYTHON_TYPES
from ..runtime.tuples import named_tuple
from ..runtime.values import Builtin, Type, Value
from .making import module


class Factory:
    """What a defaultdict calls for a missing key: a function of the program."""

    __slots__ = ("machine", "function")

    def __init__(self, machine: Machine, function: Value) -> None:
        self.machine = machine
        self.function = function

    def __call__(self) -> Value:
        return call(self.machine, self.function, [], {})

    def __deepcopy__(self, memo: Any) -> Factory:
        return self


def pairs_of(machine: Machine, given: Value) -> list[tuple[Value, Value]]:
    if isinstance(given, dict):
        return list(given.items())
    return [tuple(listed(machine, pair)) for pair in listed(machine, given)]


def _default_dict(
    machine: Machine, factory: Value = None, given: Value = (), **named: Value
) -> defaultdict[Value, Value]:
    made: defaultdict[Value, Value] = DefaultDict(None if factory is None else Factory(machine, factory))
    put_all(machine, made, pairs_of(machine, given))
    made.update(named)
    return made


def _ordered_dict(machine: Machine, given: Value = (), **named: Value) -> OrderedDict[Value, Value]:
    made: OrderedDict[Value, Value] = OrderedDict()
    put_all(machine, made, [*pairs_of(machine, given), *named.items()])
    return made


def _deque(machine: Machine, items: Value = (), maxlen: int | None = None) -> deque[Value]:
    made: deque[Value] = Deque(maxlen=maxlen)
    for item in iterate(machine, items):
        machine.meter.charge()
        if len(made) >= machine.limits.length:
            machine.meter.length(len(made) + 1)
        made.append(item)
    return made


def _type(kind: type, make: Callable[..., Any]) -> Type:
    name = kind.__name__
    made = PYTHON_TYPES[kind] = Type(name, (kind,), Builtin(name, make, True), f"collections.{name}")
    return made


COLLECTIONS = module(
    "collections",
    {"namedtuple": named_tuple},
    {
        "OrderedDict": _type(OrderedDict, _ordered_dict),
        "defaultdict": _type(defaultdict, _default_dict),
        "deque": _type(deque, _deque),
    },
    guest=True,
)
PYTHON_TYPES |= {Deque: PYTHON_TYPES[deque], DefaultDict: PYTHON_TYPES[defaultdict]}
DATACLASSES = dataclasses(ERRORS["AttributeError"])
ENUM = enum(PYTHON["int"], PYTHON["str"])
