"""Indexing: `owner[index]`, `owner[index] = value`, `del owner[index]`."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from ..engine.bridge import PLAIN, from_engine, machine_of, to_engine
from ..engine.engine import STORAGES, torch
from ..engine.gate import unsafe_part
from ..machine import Machine
from ..numpy_module import result_sizes
from ..numpy_module.arrays import Array, numbers
from ..numpy_module.sharing import emit_write
from ..runtime.allowed_types import ENGINE_TYPES
from ..runtime.calls import call, call_method
from ..runtime.type_names import kind_name
from ..runtime.values import MISSING, Class, ClassMethod, Instance, Own, Stub, Type, Value
from .constructors import make_float
from .hashing import charge_key, unfolded_size
from .iteration import collect_items
from .operators import LISTS

SEQUENCES = (list, tuple, str)


def fetch(machine: Machine, owner: Value, index: Value) -> Value:
    """`owner[index]`"""
    if isinstance(owner, Own) and owner.kind.find("__getitem__") is not MISSING:
        return call_method(machine, owner, "__getitem__", [index])
    return fetch_plainly(machine, owner, index)


def fetch_plainly(machine: Machine, owner: Value, index: Value) -> Value:
    """`owner[index]`, without the methods of a class that extends a container."""
    kind = type(owner)
    if kind in SEQUENCES or (isinstance(owner, Own) and isinstance(owner, SEQUENCES)):
        if type(index) is slice:
            machine.meter.length(len(range(*check_bounds(index).indices(len(owner)))))
            return owner[check_bounds(index)]
        return owner[position(owner, index)]
    if isinstance(owner, dict):
        if isinstance(index, tuple):
            charge_key(machine, index)
        if isinstance(owner, Own) and index not in owner:
            answer = call_method(machine, owner, "__missing__", [index])
            if answer is not NotImplemented:
                return answer
        return owner[index]
    if isinstance(owner, torch.Tensor):
        result = owner[index if type(index) in PLAIN else to_engine(machine, index)]
        return result
    if isinstance(owner, deque):
        return owner[position(owner, index)]
    if isinstance(owner, np.ndarray):
        prepare(machine, owner, index)
        return owner[index]
    if isinstance(owner, (range, torch.Size)):
        check_index(owner, index)
        return owner[index]
    if isinstance(owner, STORAGES):
        machine.meter.charge(len(owner) >> 10)
        return owner[index]
    if isinstance(owner, torch.nn.Module) and hasattr(type(owner), "__getitem__"):
        return from_engine(owner[index])
    answer = call_method(machine, owner, "__getitem__", [index])
    if answer is not NotImplemented:
        return answer
    if isinstance(owner, tuple):
        return from_engine(owner[index])
    if type(owner) is Class and owner.members is not None:
        return owner.members[index]
    if isinstance(owner, Type) and owner in ENGINE_TYPES.values():
        raise TypeError(f"type '{owner.name}' is not subscriptable")
    if isinstance(owner, (Type, Class)):
        answer = class_item(machine, owner, index)
        return owner if answer is NotImplemented else answer
    if type(owner) is Stub:
        return owner
    raise TypeError(f"'{kind_name(owner)}' object is not subscriptable")


def check_index(owner: Value, index: Value) -> None:
    """
    Raises:
        IndexError: an array is asked for what is no place, in numpy's words.
    """
    if isinstance(owner, np.ndarray) and unsafe_part(index) is not None:
        raise IndexError(
            "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are "
            "valid indices"
        )


def prepare(machine: Machine, owner: Value, index: Value) -> None:
    """Charges what an index takes of an array; one of numbers and slices takes a view."""
    for part in index if isinstance(index, tuple) else (index,):
        if isinstance(part, list):
            machine.meter.elements(unfolded_size(part, LISTS))
    check_index(owner, index)
    machine.meter.elements(result_sizes.indexed_size(owner.shape, index))


def class_item(machine: Machine, owner: Value, index: Value) -> Value:
    """`Class[index]`: a hint such as `list[int]`, or what the class's own method gives."""
    found = owner.find("__class_getitem__") if isinstance(owner, Class) else MISSING
    if found is MISSING:
        return NotImplemented
    return call(machine, found.function if isinstance(found, ClassMethod) else found, [owner, index], {})


def check_bounds(index: slice) -> slice:
    """A slice whose bounds are numbers (one-element tensors count as such)."""
    bounds = [
        b if b is None or isinstance(b, int) else b.__index__() if isinstance(b, NUMBERS) else _refuse_bound(b)
        for b in (index.start, index.stop, index.step)
    ]
    return slice(*bounds)


NUMBERS: tuple[Any, ...] = (torch.Tensor, np.generic)


def _refuse_bound(bound: Value) -> int:
    raise TypeError("slice indices must be integers or None or have an __index__ method")


def position(owner: Value, index: Value) -> int:
    if isinstance(index, int):
        return index
    if isinstance(index, NUMBERS):
        return int(index.__index__())
    if isinstance(index, Instance) and index.kind.find("__index__") is not MISSING:
        return position(owner, call_method(machine_of(index.kind), index, "__index__", []))
    name = "string" if isinstance(owner, str) else type(owner).__name__
    if isinstance(owner, deque):
        raise TypeError("sequence index must be integer, not 'str'".replace("str", kind_name(index)))
    if name == "string":
        raise TypeError(f"string indices must be integers, not '{kind_name(index)}'")
    raise TypeError(f"{name} indices must be integers or slices, not {kind_name(index)}")


def assign(machine: Machine, owner: Value, index: Value, value: Value) -> None:
    """`owner[index] = value`"""
    if isinstance(owner, Own) and owner.kind.find("__setitem__") is not MISSING:
        call_method(machine, owner, "__setitem__", [index, value])
    else:
        assign_plainly(machine, owner, index, value)


def assign_plainly(machine: Machine, owner: Value, index: Value, value: Value) -> None:
    if isinstance(owner, list):
        if type(index) is slice:
            items = collect_items(machine, value)
            machine.meter.length(len(owner) + len(items))
            owner[check_bounds(index)] = items
        else:
            owner[position(owner, index)] = value
    elif isinstance(owner, dict):
        if len(owner) >= machine.limits.length:
            machine.meter.length(len(owner) + 1)
        owner[charge_key(machine, index) if isinstance(index, tuple) else index] = value
    elif isinstance(owner, deque):
        owner[position(owner, index)] = value
    elif type(owner) is Stub:
        return
    elif isinstance(owner, torch.Tensor):
        owner[to_engine(machine, index)] = to_engine(machine, value)
    elif isinstance(owner, np.ndarray):
        prepare(machine, owner, index)
        put_into_array(machine, owner, index, value)
        if machine.mirrored:
            emit_write(machine, owner)
    elif isinstance(owner, torch.nn.Module) and hasattr(type(owner), "__setitem__"):
        owner[index] = to_engine(machine, value)
    elif call_method(machine, owner, "__setitem__", [index, value]) is NotImplemented:
        raise TypeError(f"'{kind_name(owner)}' object does not support item assignment")


def remove(machine: Machine, owner: Value, index: Value) -> None:
    """`del owner[index]`"""
    if isinstance(owner, Own) and owner.kind.find("__delitem__") is not MISSING:
        call_method(machine, owner, "__delitem__", [index])
    else:
        remove_plainly(machine, owner, index)


def remove_plainly(machine: Machine, owner: Value, index: Value) -> None:
    if isinstance(owner, deque):
        del owner[position(owner, index)]
    elif isinstance(owner, list):
        del owner[check_bounds(index) if type(index) is slice else position(owner, index)]
    elif isinstance(owner, dict) or (isinstance(owner, torch.nn.Module) and hasattr(type(owner), "__delitem__")):
        del owner[charge_key(machine, index)]
    elif isinstance(owner, torch.Tensor):
        raise TypeError("Tensor does not support deleting items")
    elif call_method(machine, owner, "__delitem__", [index]) is NotImplemented:
        raise TypeError(f"'{kind_name(owner)}' object doesn't support item deletion")


def put_into_array(machine: Machine, owner: Array, index: Value, value: Value) -> None:
    """`owner[index] = value`: a place for one number asks a tensor for its number, which one with a graph gives too."""
    if not isinstance(value, torch.Tensor) or not names_one(owner, index):
        owner[index] = numbers(machine, value)
    elif owner.dtype.kind == "f":
        owner[index] = make_float(machine, value)
    else:
        owner[index] = bool(value) if owner.dtype.kind == "b" else int(value)


def names_one(owner: Array, index: Value) -> bool:
    """Whether `index` is a whole number for each dimension."""
    places = index if isinstance(index, tuple) else (index,)
    whole_numbers = all(isinstance(at, (int, np.integer)) and not isinstance(at, bool) for at in places)
    return whole_numbers and len(places) == owner.ndim
