"""copy.copy and copy.deepcopy, by our own walk: nothing of the host is copied but tensors and plain values."""

from __future__ import annotations

import copy
from typing import Any

from .bridge import Companion
from .calls import kind_name
from .engine import TENSORS, elements_of, torch
from .machine import Machine
from .values import (
    Bound,
    Builtin,
    Class,
    Error,
    ExceptionType,
    Foreign,
    Function,
    Generator,
    Instance,
    Namespace,
    Type,
    Value,
)

SHARED: tuple[Any, ...] = (
    Function,
    Class,
    Type,
    Builtin,
    Foreign,
    Bound,
    ExceptionType,
    Error,
    bool,
    int,
    float,
    str,
    type(None),
    range,
)
SHARED += (torch.dtype, torch.Size)


def shallow_copy(machine: Machine, value: Value) -> Value:
    if isinstance(value, (list, dict, set)):
        machine.meter.length(len(value))
        return value.copy()
    if isinstance(value, Instance):
        made = Instance(value.kind)
        made.attributes.update(value.attributes)
        return made
    if isinstance(value, (tuple, frozenset, *SHARED)):
        return value
    if isinstance(value, (*TENSORS, torch.nn.Module)):
        return copy.copy(value)
    raise refused(value)


def refused(value: Value) -> TypeError:
    return TypeError(f"cannot pickle '{kind_name(value)}' object")


def deep_copy(machine: Machine, value: Any, memo: dict[int, Value] | None = None) -> Value:
    """A copy of `value` and of all that it holds; what was met before is the same copy again."""
    memo = {} if memo is None else memo
    machine.meter.charge()
    if id(value) in memo:
        return memo[id(value)]
    if isinstance(value, SHARED):
        return value
    made: Any
    if isinstance(value, TENSORS):
        machine.meter.elements(elements_of(value))
        made = memo[id(value)] = copy.deepcopy(value)
    elif isinstance(value, list):
        made = memo[id(value)] = []
        made.extend(deep_copy(machine, part, memo) for part in list(value))
    elif isinstance(value, dict):
        made = memo[id(value)] = type(value)()
        for key, part in list(value.items()):
            made[deep_copy(machine, key, memo)] = deep_copy(machine, part, memo)
    elif isinstance(value, (tuple, set, frozenset)):
        made = memo[id(value)] = type(value)(deep_copy(machine, part, memo) for part in list(value))
    elif isinstance(value, Instance):
        made = memo[id(value)] = Instance(value.kind)
        made.attributes = deep_copy(machine, value.attributes, memo)
    elif isinstance(value, torch.nn.Module):
        kind: Any = type(value)
        made = memo[id(value)] = kind.__new__(kind)
        for name, part in list(value.__dict__.items()):
            made.__dict__[name] = part if isinstance(part, Class) else _part(machine, part, memo)
    elif isinstance(value, (Generator, Namespace)):
        raise refused(value)
    else:
        raise refused(value)
    return made


def _part(machine: Machine, part: Any, memo: dict[int, Value]) -> Any:
    """An attribute that the engine keeps on a module."""
    if isinstance(part, (*SHARED, *TENSORS, list, dict, tuple, set, Companion, torch.nn.Module)):
        return deep_copy(machine, part, memo)
    return copy.copy(part)
