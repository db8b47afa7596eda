"""copy.copy and copy.deepcopy, by our own walk: nothing of the host is copied but tensors and plain values."""

from __future__ import annotations

import copy
import types
from collections import defaultdict, deque
from collections.abc import Collection
from typing import Any

import numpy as np

from autograd_core.graph.introspection import RemovableHandle

from ..builtins.hashing import charge_keys, in_order
from ..engine.bridge import FUNCTIONS, Callback
from ..engine.engine import ENGINE_CLASSES, TENSORS, elements_of, torch
from ..engine.subclasses import ProgramModule
from ..machine import Machine
from ..runtime.allowed_types import admit
from ..runtime.calls import call_method
from ..runtime.instances import FIXED
from ..runtime.type_names import kind_name
from ..runtime.values import (
    OBJECTS,
    Bound,
    Builtin,
    Class,
    Deque,
    Error,
    ExceptionType,
    Foreign,
    Function,
    Instance,
    Own,
    Type,
    Value,
)

SHARED: tuple[Any, ...] = (
    Function,
    Class,
    Type,
    Builtin,
    Foreign,
    ExceptionType,
    Error,
    bool,
    int,
    float,
    complex,
    str,
    type(None),
    range,
)
SHARED += (torch.dtype, torch.Size, *FUNCTIONS, types.BuiltinFunctionType)


def shallow_copy(machine: Machine, value: Value) -> Value:
    if isinstance(value, OBJECTS):
        answer = call_method(machine, value, "__copy__", [])
        if answer is not NotImplemented:
            return answer
        if not isinstance(value, torch.nn.Module):
            return copy_record(value, value, dict(value.attributes))
    if isinstance(value, (list, dict, set, deque)):
        machine.meter.length(len(value))
        return value.copy()
    if isinstance(value, (tuple, frozenset, Bound, Callback, *SHARED)):
        return value
    if isinstance(value, Own) and isinstance(value, torch.nn.Module):
        return another_module(value)
    if isinstance(value, TENSORS) or of_engine(value):
        return copy.copy(value)
    raise cannot_copy(value)


def another_module(value: Any) -> Value:
    """A module with what `value` holds: its parts are the same, and so are the tables in which it holds them."""
    kind: Any = type(value)
    made = kind.__new__(kind)
    made.__setstate__(value.__dict__)
    made.become(value.kind, dict(value.attributes))
    return made


def copy_record(value: Value, content: Any, attributes: dict[str, Value]) -> Value:
    """Another object of the class of `value`, with this content."""
    if value.kind.members is not None:
        return value
    if isinstance(value, Instance):
        made: Any = value.kind.made(value.kind)
        made.attributes.update(attributes)
        return made
    host: Any = type(value)
    made = host.__new__(host, content) if isinstance(value, FIXED) else host.__new__(host)
    made.become(value.kind, attributes)
    if isinstance(value, list):
        made.extend(content)
    elif isinstance(value, (dict, set)):
        made.update(content)
    return made


def cannot_copy(value: Value) -> TypeError:
    return TypeError(f"cannot pickle '{kind_name(value)}' object")


class Copies:
    """What was copied so far. The originals are kept, as by CPython's `_keep_alive`: where one died, a table of the
    engine could be made in its place, and would be taken for copied."""

    __slots__ = ("pairs",)

    def __init__(self) -> None:
        self.pairs: dict[int, tuple[Value, Value]] = {}

    def __contains__(self, value: Value) -> bool:
        return id(value) in self.pairs

    def __getitem__(self, value: Value) -> Value:
        return self.pairs[id(value)][1]

    def __setitem__(self, value: Value, copied: Value) -> None:
        self.pairs[id(value)] = value, copied


class Memo(dict[Value, Value]):
    """The `memo` that a program's `__deepcopy__` is handed and hands on: a dict of its own. What was copied so far, the
    engine's among it, stands beside."""

    __slots__ = ("copies",)

    def __init__(self, copies: Copies) -> None:
        self.copies = copies


admit(Memo)


def copy_deeply(machine: Machine, value: Any, memo: Value = None) -> Value:
    """`copy.deepcopy` of programs."""
    return deep_copy(machine, value, memo.copies if type(memo) is Memo else None)


def deep_copy(machine: Machine, value: Any, memo: Copies | None = None) -> Value:
    """A copy of `value` and of all that it holds; what was met before is the same copy again."""
    memo = Copies() if memo is None else memo
    machine.meter.charge()
    if value in memo:
        return memo[value]
    made: Any
    if isinstance(value, (Bound, Callback)):
        made = memo[value] = copy_bound(machine, value, memo)
        return made
    if isinstance(value, SHARED) and not isinstance(value, Own):
        return value
    if isinstance(value, OBJECTS):
        answer = call_method(machine, value, "__deepcopy__", [Memo(memo)])
        if answer is not NotImplemented:
            memo[value] = answer
            return answer
    if isinstance(value, Own) and not isinstance(value, torch.nn.Module):
        content = plain_content(machine, value, memo)
        made = memo[value] = copy_record(value, content, {})
        made.attributes.update(deep_copy(machine, value.attributes, memo))
    elif isinstance(value, TENSORS):
        machine.meter.elements(elements_of(value))
        made = memo[value] = copy.deepcopy(value)
    elif isinstance(value, list):
        made = memo[value] = []
        made.extend(deep_copy(machine, part, memo) for part in list(value))
    elif isinstance(value, deque):
        made = memo[value] = Deque([], value.maxlen)
        made.extend(deep_copy(machine, part, memo) for part in list(value))
    elif isinstance(value, np.ndarray):
        machine.meter.length(len(value))
        made = memo[value] = copy.deepcopy(value)
    elif isinstance(value, dict):
        factory = (value.default_factory,) if isinstance(value, defaultdict) else ()
        made = memo[value] = type(value)(*factory)
        for key, part in list(value.items()):
            made[deep_copy(machine, key, memo)] = deep_copy(machine, part, memo)
        if hasattr(value, "_metadata"):
            made._metadata = deep_copy(machine, value._metadata, memo)
    elif isinstance(value, tuple):
        made = memo[value] = type(value)(deep_copy(machine, part, memo) for part in value)
    elif isinstance(value, (set, frozenset)):
        made = memo[value] = type(value)(copy_items(machine, value, memo))
    elif isinstance(value, Instance):
        made = memo[value] = copy_record(value, None, {})
        if made is not value:
            state = call_method(machine, value, "__getstate__", [])
            state = deep_copy(machine, value.attributes if state is NotImplemented else state, memo)
            if call_method(machine, made, "__setstate__", [state]) is NotImplemented:
                if not isinstance(state, dict):
                    raise TypeError(f"'{kind_name(state)}' object is not a mapping")
                made.attributes.update(state)
    elif isinstance(value, RemovableHandle):
        made = memo[value] = value.copy_with(lambda table: deep_copy(machine, table, memo))
    elif isinstance(value, torch.Generator):
        made = memo[value] = copy.deepcopy(value)
    elif isinstance(value, torch.nn.Module) or of_engine(value):
        kind: Any = type(value)
        made = memo[value] = kind.__new__(kind)
        for name, part in list(value.__dict__.items()):
            made.__dict__[name] = part if isinstance(part, Class) else _part(machine, part, memo)
    else:
        raise cannot_copy(value)
    return made


def of_engine(value: Any) -> bool:
    """Whether `value` is an object of the engine that keeps what it holds in a dictionary."""
    if isinstance(value, (type, types.ModuleType)):
        return False
    return not ENGINE_CLASSES.isdisjoint(type(value).__mro__) and hasattr(value, "__dict__")


def plain_content(machine: Machine, value: Any, memo: Copies) -> Any:
    """The content of an object that extends a container, copied."""
    if isinstance(value, dict):
        return {deep_copy(machine, k, memo): deep_copy(machine, part, memo) for k, part in value.items()}
    if isinstance(value, (set, frozenset)):
        return copy_items(machine, value, memo)
    if isinstance(value, (list, tuple)):
        return [deep_copy(machine, part, memo) for part in value]
    return value


def copy_bound(machine: Machine, value: Bound | Callback, memo: Copies) -> Value:
    """A method of the copy of its object, and what the engine calls for it, such as a hook of a module."""
    if isinstance(value, Bound):
        return Bound(value.function, deep_copy(machine, value.receiver, memo))
    function = deep_copy(machine, value.function, memo)
    return value if function is value.function else type(value)(value.machine, function)


def copy_items(machine: Machine, items: Collection[Value], memo: Copies) -> list[Value]:
    """Copies of the items of a set, about to be put into another."""
    return charge_keys(machine, [deep_copy(machine, part, memo) for part in list(in_order(machine, items))])


def _part(machine: Machine, part: Any, memo: Copies) -> Any:
    """An attribute that the engine keeps on a module or another object of its own."""
    if isinstance(part, types.MethodType):
        return types.MethodType(part.__func__, _part(machine, part.__self__, memo))
    if isinstance(
        part, (*SHARED, Bound, Callback, *TENSORS, list, dict, tuple, set, ProgramModule, torch.nn.Module)
    ) or of_engine(part):
        return deep_copy(machine, part, memo)
    return copy.copy(part)


Instance.deep_copy = deep_copy
