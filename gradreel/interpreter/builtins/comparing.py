"""Comparisons: `==`, `<`, `in` by our own walk through containers, with the methods of the program's classes."""

from __future__ import annotations

import ast
import operator
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from ..engine.bridge import machine_of
from ..machine import Machine
from ..runtime.attributes import WAYS, of_instance
from ..runtime.calls import call_method, truth
from ..runtime.looks import kind_name
from ..runtime.values import MISSING, OBJECTS, Bound, Foreign, Instance, Own, Type, Value
from .formatting import type_name
from .hashing import charge_key
from .iterating import DICTS, iterate
from .operators import ARRAYS, ITEMS, NUMPY, OWN, RECORDS, prepare, unseen

SET_LIKE: tuple[Any, ...] = (*ITEMS, *(type(d.keys()) for d in DICTS))
"""Views of dicts, which are compared as sets are: Python does so with values inside as they are, of any size."""
SETS: tuple[Any, ...] = (set, frozenset, *SET_LIKE)

SIMPLE = frozenset({bool, int, float, str, type(None)})
"""Types that Python compares by itself."""


def extends(right: Value, left: Value) -> bool:
    """Whether the class of `right` extends that of `left`: then it is asked first how they compare."""
    if not (isinstance(left, OBJECTS) and isinstance(right, OBJECTS)):
        return False
    return left.kind is not right.kind and left.kind in right.kind.order


def equal(machine: Machine, left: Value, right: Value) -> Value:
    """`left == right`, by our own walk through containers: each step is charged, own methods are called."""

    machine.meter.charge()
    if type(left) in SIMPLE and type(right) in SIMPLE:
        return left == right
    if isinstance(left, OBJECTS) or isinstance(right, OBJECTS):
        asked = ((left, right), (right, left))
        for owner, other in reversed(asked) if extends(right, left) else asked:
            if isinstance(owner, OBJECTS):
                answer = call_method(machine, owner, "__eq__", [other])
                if answer is not NotImplemented:
                    return answer
        if isinstance(left, Instance) or isinstance(right, Instance):
            return left is right
    if type(left) is Bound and type(right) is Bound:
        return left.function is right.function and left.receiver is right.receiver
    if type(left) is Foreign and type(right) is Foreign:
        return left.run is right.run and left.receiver is right.receiver and left.look == right.look
    return base_equal(machine, left, right)


def base_equal(machine: Machine, left: Any, right: Any) -> Value:
    if are_sequences(left, right):
        return len(left) == len(right) and all(same(machine, a, b) for a, b in zip(left, right, strict=True))
    if isinstance(left, dict) and isinstance(right, dict):
        return len(left) == len(right) and all(has_pair(machine, right, k, v) for k, v in left.items())
    if isinstance(left, np.dtype) or isinstance(right, np.dtype):
        return host_of(left) == host_of(right)
    if isinstance(left, slice) and isinstance(right, slice):
        return base_equal(machine, bounds(left), bounds(right))
    if isinstance(left, SET_LIKE) and isinstance(right, SETS) or isinstance(right, SET_LIKE) and isinstance(left, SETS):
        return len(left) == len(right) and all(contains(machine, item, right) for item in left)
    prepare(machine, left, right)
    if unseen(left, right):
        return everywhere(False, left, right)
    return left == right


def everywhere(answer: bool, left: Value, right: Value) -> Value:
    """One answer for each number of the side that is numpy's: what compares by being the same object equals none."""
    found: Any = left if isinstance(left, NUMPY) else right
    return np.full(found.shape, answer)[()]


def has_pair(machine: Machine, holder: dict[Value, Value], key: Value, value: Value) -> bool:
    return charge_key(machine, key) in holder and same(machine, value, holder[key])


def bounds(given: slice) -> tuple[Value, Value, Value]:
    return given.start, given.stop, given.step


def host_of(value: Value) -> Any:
    """What numpy compares dtypes with: of a type of numbers its own class."""
    return value.hosts[0] if type(value) is Type and value.hosts and issubclass(value.hosts[0], OF_DTYPES) else value


OF_DTYPES = (np.generic, int, float, complex)


def are_sequences(left: Value, right: Value) -> bool:
    """Whether both are lists, both tuples or both deques, which are compared item by item."""
    both = isinstance(left, (list, tuple, deque)) and isinstance(right, (list, tuple, deque))
    return both and sequence_kind(left) is sequence_kind(right)


def sequence_kind(value: Value) -> type:
    """list or tuple: such are equal item by item; of the engine's own tuples the engine knows."""
    kind = type(value)
    if kind is list or (isinstance(value, Own) and isinstance(value, list)):
        return list
    if isinstance(value, deque):
        return deque
    return tuple if kind is tuple or isinstance(value, Own) else kind


def same(machine: Machine, left: Value, right: Value) -> bool:
    """What `in` asks: the same object, or equal."""
    return left is right or truth(machine, equal(machine, left, right))


def contains(machine: Machine, item: Value, holder: Any) -> bool:
    if isinstance(holder, OBJECTS):
        answer = call_method(machine, holder, "__contains__", [item])
        if answer is not NotImplemented:
            return truth(machine, answer)
    return base_contains(machine, item, holder)


def base_contains(machine: Machine, item: Value, holder: Any) -> bool:
    if isinstance(holder, str):
        machine.meter.charge(len(holder) >> 6)
        if not isinstance(item, str):
            raise TypeError(f"'in <string>' requires string as left operand, not {type_name(item)}")
        return item in holder
    if isinstance(holder, (dict, set, frozenset)):
        return charge_key(machine, item) in holder
    if isinstance(holder, ITEMS):
        view: Any = holder
        return isinstance(item, tuple) and len(item) == 2 and has_pair(machine, view.mapping, *item)
    if isinstance(holder, range) and type(item) in (int, bool):
        return item in holder
    if isinstance(holder, ARRAYS):
        prepare(machine, holder, item)
        return not unseen(holder, item) and bool(holder.__contains__(item))
    try:
        items = iterate(machine, holder)
    except TypeError:
        raise TypeError(f"argument of type '{type_name(holder)}' is not iterable") from None
    for other in items:
        machine.meter.charge()
        if same(machine, other, item):
            return True
    return False


def not_ordered(sign: str, left: Value, right: Value) -> str:
    return f"'{sign}' not supported between instances of '{type_name(left)}' and '{type_name(right)}'"


def included(machine: Machine, some: Any, all_: Any) -> bool:
    """Whether each item of the one is in the other."""
    return all(contains(machine, item, all_) for item in some)


def ordered(sign: str, run: Callable[[Value, Value], Value], name: str, mirrored: str) -> Callable[..., Value]:
    def compare(machine: Machine, left: Value, right: Value) -> Value:
        if isinstance(left, OWN) or isinstance(right, OWN):
            asked = ((left, right, name), (right, left, mirrored))
            for owner, other, method in reversed(asked) if extends(right, left) else asked:
                answer = call_method(machine, owner, method, [other]) if isinstance(owner, OBJECTS) else NotImplemented
                if answer is not NotImplemented:
                    return answer
            if not isinstance(left, RECORDS) and not isinstance(right, RECORDS):
                return base_compare(machine, left, right)
            raise TypeError(not_ordered(sign, left, right))
        return base_compare(machine, left, right)

    def base_compare(machine: Machine, left: Any, right: Any) -> Value:
        if are_sequences(left, right):
            for a, b in zip(left, right, strict=False):
                if not same(machine, a, b):
                    return compare(machine, a, b)
            return run(len(left), len(right))
        if isinstance(left, SET_LIKE) and isinstance(right, SETS):
            return run(len(left), len(right)) and included(machine, *((left, right) if "<" in sign else (right, left)))
        prepare(machine, left, right)
        if unseen(left, right):
            raise TypeError(not_ordered(sign, left, right))
        return run(left, right)

    BASE[sign] = base_compare
    return compare


BASE: dict[str, Callable[[Machine, Value, Value], Value]] = {}
"""`<`, `<=`, `>`, `>=` without the methods that the program's classes have, by sign."""


def unequal(machine: Machine, left: Value, right: Value) -> Value:
    if isinstance(left, OBJECTS):
        answer = call_method(machine, left, "__ne__", [right])
        if answer is not NotImplemented:
            return answer
    if isinstance(left, (*OBJECTS, list, tuple, dict, deque, slice, *SET_LIKE, np.dtype)) or isinstance(
        right, (*OBJECTS, np.dtype)
    ):
        return not truth(machine, equal(machine, left, right))
    prepare(machine, left, right)
    if unseen(left, right):
        return everywhere(True, left, right)
    return left != right


less = ordered("<", operator.lt, "__lt__", "__gt__")
greater = ordered(">", operator.gt, "__gt__", "__lt__")

COMPARE: dict[type[ast.cmpop], Callable[[Machine, Value, Value], Value]] = {
    ast.Eq: equal,
    ast.NotEq: unequal,
    ast.Lt: less,
    ast.LtE: ordered("<=", operator.le, "__le__", "__ge__"),
    ast.Gt: greater,
    ast.GtE: ordered(">=", operator.ge, "__ge__", "__le__"),
    ast.Is: lambda machine, left, right: left is right,
    ast.IsNot: lambda machine, left, right: left is not right,
    ast.In: contains,
    ast.NotIn: lambda machine, left, right: not contains(machine, left, right),
}

COMPARE_SIGNS = {"<": COMPARE[ast.Lt], "<=": COMPARE[ast.LtE], ">": COMPARE[ast.Gt], ">=": COMPARE[ast.GtE]}


class Keyed(Instance):
    """An object whose class says how it is compared or hashed: as a key of a dict it is asked, each time charged."""

    __slots__ = ()

    def __hash__(self) -> int:

        kind = self.kind
        if kind.find("__hash__") in (MISSING, None):
            raise TypeError(f"unhashable type: '{kind.name}'")
        found = call_method(machine_of(kind), self, "__hash__", [])
        if not isinstance(found, int):
            raise TypeError(f"__hash__ method should return an integer, not {kind_name(found)}")
        return hash(found)

    def __eq__(self, other: object) -> bool:
        return same(machine_of(self.kind), self, other)


WAYS[Keyed] = of_instance
