"""Indexing: `owner[index]`, `owner[index] = value`, `del owner[index]`."""

from __future__ import annotations

from typing import Any

import numpy as np

from .bridge import PLAIN, from_engine, to_engine
from .calls import call_method, kind_name, listed
from .engine import elements_of, torch
from .machine import Machine
from .values import Class, Type, Value

SEQUENCES = (list, tuple, str)


def fetch(machine: Machine, owner: Value, index: Value) -> Value:
    """`owner[index]`"""
    kind = type(owner)
    if kind in SEQUENCES:
        if type(index) is slice:
            machine.meter.length(len(range(*whole(index).indices(len(owner)))))
            return owner[whole(index)]
        return owner[position(owner, index)]
    if isinstance(owner, dict):
        return owner[index]
    if isinstance(owner, torch.Tensor):
        result = owner[index if type(index) in PLAIN else to_engine(machine, index)]
        return result
    if isinstance(owner, (range, torch.Size, np.ndarray)):
        machine.meter.charge(elements_of(owner) >> 10)
        return owner[index]
    if isinstance(owner, torch.nn.Module) and hasattr(type(owner), "__getitem__"):
        return from_engine(owner[index])
    answer = call_method(machine, owner, "__getitem__", [index])
    if answer is not NotImplemented:
        return answer
    if isinstance(owner, tuple):
        return from_engine(owner[index])
    if isinstance(owner, (Type, Class)):
        return owner
    raise TypeError(f"'{kind_name(owner)}' object is not subscriptable")


def whole(index: slice) -> slice:
    """A slice whose bounds are numbers (one-element tensors count as such)."""
    bounds = [
        b if b is None or isinstance(b, int) else b.__index__() if isinstance(b, NUMBERS) else _refused(b)
        for b in (index.start, index.stop, index.step)
    ]
    return slice(*bounds)


NUMBERS: tuple[Any, ...] = (torch.Tensor, np.generic)


def _refused(bound: Value) -> int:
    raise TypeError("slice indices must be integers or None or have an __index__ method")


def position(owner: Value, index: Value) -> int:
    if isinstance(index, int):
        return index
    if isinstance(index, NUMBERS):
        return int(index.__index__())
    name = "string" if isinstance(owner, str) else type(owner).__name__
    if name == "string":
        raise TypeError(f"string indices must be integers, not '{kind_name(index)}'")
    raise TypeError(f"{name} indices must be integers or slices, not {kind_name(index)}")


def assign(machine: Machine, owner: Value, index: Value, value: Value) -> None:
    """`owner[index] = value`"""
    if type(owner) is list:
        if type(index) is slice:
            items = listed(machine, value)
            machine.meter.length(len(owner) + len(items))
            owner[whole(index)] = items
        else:
            owner[position(owner, index)] = value
    elif isinstance(owner, dict):
        if len(owner) >= machine.limits.length:
            machine.meter.length(len(owner) + 1)
        owner[index] = value
    elif isinstance(owner, torch.Tensor):
        owner[to_engine(machine, index)] = to_engine(machine, value)
    elif isinstance(owner, np.ndarray):
        from .numpy_face import numbers

        owner[index] = numbers(machine, value)
    elif isinstance(owner, torch.nn.Module) and hasattr(type(owner), "__setitem__"):
        owner[index] = to_engine(machine, value)
    elif call_method(machine, owner, "__setitem__", [index, value]) is NotImplemented:
        raise TypeError(f"'{kind_name(owner)}' object does not support item assignment")


def remove(machine: Machine, owner: Value, index: Value) -> None:
    """`del owner[index]`"""
    if type(owner) is list:
        del owner[whole(index) if type(index) is slice else position(owner, index)]
    elif isinstance(owner, dict):
        del owner[index]
    elif call_method(machine, owner, "__delitem__", [index]) is NotImplemented:
        raise TypeError(f"'{kind_name(owner)}' object doesn't support item deletion")
