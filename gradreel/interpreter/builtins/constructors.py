"""Constructors of Python's own types: int(...), float(...), dict(...), range(...), type(...)."""

from __future__ import annotations

import numpy as np

from gradreel.trace.events import NumbersTaken

from ..engine.engine import tensor_id, torch
from ..machine import Machine
from ..refusal import Refusal
from ..runtime.attributes import type_of
from ..runtime.calls import call_method
from ..runtime.classes import make_class
from ..runtime.type_names import kind_name
from ..runtime.values import OBJECTS, Class, Value
from .hashing import hash_of
from .introspection import is_refused_special


def make_int(machine: Machine, value: Value = 0, base: int | None = None) -> int:
    """`int(value, base)`"""
    if isinstance(value, OBJECTS):
        for name in ("__int__", "__index__", "__trunc__"):
            answer = call_method(machine, value, name, [])
            if answer is not NotImplemented:
                return int(answer)
    if isinstance(value, str):
        machine.meter.bits(len(value) * 4)
        return int(value) if base is None else int(value, base)
    if isinstance(value, (bool, int, float, np.generic)):
        return int(value)
    if isinstance(value, (torch.Tensor, np.ndarray)):
        return int(value)
    raise TypeError(f"int() argument must be a string, a bytes-like object or a real number, not '{kind_name(value)}'")


def make_float(machine: Machine, value: Value = 0.0) -> float:
    """`float(value)`, which takes the number of a tensor out of the graph."""
    if isinstance(value, torch.Tensor):
        taken = float(value)
        if machine.records:
            machine.emit((NumbersTaken, tensor_id(value), "float"))
        return taken
    if isinstance(value, OBJECTS):
        for name in ("__float__", "__index__"):
            answer = call_method(machine, value, name, [])
            if answer is not NotImplemented:
                return float(answer)
    if isinstance(value, (bool, int, float, str, np.generic, np.ndarray)):
        return float(value)
    raise TypeError(f"float() argument must be a string or a real number, not '{kind_name(value)}'")


SLICES = 8
"""Slices inside slices: the host frees them each on top of the other, and its stack ends somewhere."""


def make_slice(machine: Machine, *bounds: Value) -> slice:
    """`slice(start, stop, step)`, and what `a[start:stop:step]` is asked with."""
    inner, depth = bounds, 0
    while inner := tuple(part for held in inner if type(held) is slice for part in (held.start, held.stop, held.step)):
        depth += 1
        machine.meter.charge(len(inner))
        if depth > SLICES:
            raise RecursionError("maximum recursion depth exceeded")
    return slice(*bounds)


def make_complex(machine: Machine, real: Value = 0, imag: Value = 0) -> complex:
    """`complex(...)`"""
    if isinstance(real, (torch.Tensor, np.generic)):
        number = complex(real)
        return number if type(imag) is int and imag == 0 else number + 1j * complex(imag)
    return complex(real) if isinstance(real, str) else complex(real, imag)


def make_range(machine: Machine, *bounds: Value) -> range:
    """`range(...)`"""
    if not 1 <= len(bounds) <= 3:
        least, count = ("least 1 argument", 0) if not bounds else ("most 3 arguments", len(bounds))
        raise TypeError(f"range expected at {least}, got {count}")
    return range(*[_index(machine, bound) for bound in bounds])


def _index(machine: Machine, value: Value) -> int:
    if isinstance(value, (int, torch.Tensor, np.integer)):
        return int(value.__index__())
    answer = call_method(machine, value, "__index__", [])
    if answer is not NotImplemented:
        return int(answer)
    raise TypeError(f"'{kind_name(value)}' object cannot be interpreted as an integer")


def classify(machine: Machine, /, *given: Value, **keywords: Value) -> Value:
    """`type(value)`, or `type(name, bases, attributes)`"""
    if len(given) == 1:
        return type_of(given[0])
    if len(given) != 3:
        raise TypeError("type() takes 1 or 3 arguments")
    name, bases, attributes = given
    if not isinstance(name, str):
        raise TypeError(f"type.__new__() argument 1 must be str, not {kind_name(name)}")
    for key in attributes:
        if isinstance(key, str) and is_refused_special(key):
            raise Refusal(f"A class cannot define `{key}` here.")
    return make_class(machine, name, tuple(bases), dict(attributes), keywords)


def plainest(machine: Machine) -> Class:
    """The class of `object()`."""
    made = Class("object", (), {}, machine)
    made.title = "object"
    return made


def hash_value(machine: Machine, value: Value) -> int:
    return hash_of(machine, value)
