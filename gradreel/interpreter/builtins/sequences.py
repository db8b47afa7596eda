"""Built-in functions over numbers and sequences: len, sum, min, map, zip, ... as our own loops, each turn charged."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Callable, Iterator

import numpy as np

from ..engine.engine import STORAGES, torch
from ..machine import Machine
from ..runtime.attributes import load
from ..runtime.calls import call, call_method, own_length, truth_of
from ..runtime.type_names import kind_name
from ..runtime.values import MISSING, OBJECTS, Class, Own, Value, stands_for
from .formatting import type_name
from .hashing import charge_key
from .iteration import VIEWS, Walk, collect_items, dictionary, iterate, source_of
from .operators import Binary, charge_union, general_binary, is_same, make_binary, unsupported_operands
from .subscripts import fetch


def length(machine: Machine, value: Value) -> int:
    own = own_length(machine, value)
    if own is not None:
        return own
    if type(value) is Class and value.members is not None:
        return len(value.members)
    if isinstance(value, SIZED) or (isinstance(value, torch.nn.Module) and hasattr(type(value), "__len__")):
        return len(value)
    raise TypeError(f"object of type '{kind_name(value)}' has no len()")


SIZED = (deque, str, list, tuple, dict, set, frozenset, range, np.ndarray, torch.Tensor, *STORAGES, *VIEWS)


def absolute(machine: Machine, value: Value) -> Value:
    answer = call_method(machine, value, "__abs__", [])
    if answer is not NotImplemented:
        return answer
    if type(value).__module__.startswith("gradreel"):
        raise TypeError(f"bad operand type for abs(): '{kind_name(value)}'")
    return abs(value)


def round_number(machine: Machine, number: Value, ndigits: int | None = None) -> Value:
    answer = call_method(machine, number, "__round__", [] if ndigits is None else [ndigits])
    if answer is not NotImplemented:
        return answer
    if not isinstance(number, (int, float, np.generic, torch.Tensor)):
        raise TypeError(f"type {kind_name(number)} doesn't define __round__ method")
    if isinstance(number, int) and ndigits is not None and ndigits < 0:
        machine.meter.bits(-ndigits * 4)
    return round(number) if ndigits is None else round(number, ndigits)


def power(machine: Machine, base: Value, exponent: Value, modulus: Value = None) -> Value:
    if modulus is not None:
        if any(isinstance(number, torch.Tensor) for number in (base, exponent, modulus)):
            kinds = ", ".join(f"'{type_name(number)}'" for number in (base, exponent, modulus))
            raise TypeError(f"unsupported operand type(s) for ** or pow(): {kinds}")
        for number in (base, exponent, modulus):
            machine.meter.bits(int(number).bit_length())
        machine.meter.charge(int(modulus).bit_length() >> 4)
        return pow(base, exponent, modulus)
    return make_binary(machine, ast.Pow)(base, exponent)


DIVMOD = Binary("divmod()", divmod, divmod, "divmod", charge_union)


def divide_with_rest(machine: Machine, left: Value, right: Value) -> Value:
    """`divmod(left, right)`, which tensors do not know."""
    if isinstance(left, torch.Tensor) or isinstance(right, torch.Tensor):
        raise TypeError(unsupported_operands(DIVMOD.sign, False, left, right))
    return general_binary(machine, DIVMOD, DIVMOD.run, False, left, right)


def sum_items(machine: Machine, items: Value, start: Value = 0) -> Value:
    add = make_binary(machine, ast.Add)
    if isinstance(start, str):
        raise TypeError("sum() can't sum strings [use ''.join(seq) instead]")
    result = start
    for item in iterate(machine, items):
        machine.meter.charge()
        result = add(result, item)
        item = None
    return result


def make_extreme(name: str, better: Callable[[Machine, Value, Value], Value]) -> Callable[..., Value]:
    """`min` or `max`: the first item that no other is `better` than."""

    def run(machine: Machine, *given: Value, key: Value = None, default: Value = MISSING) -> Value:
        if not given:
            raise TypeError(f"{name} expected at least 1 argument, got 0")
        items = iterate(machine, given[0]) if len(given) == 1 else iter(given)
        best = best_key = MISSING
        for item in items:
            machine.meter.charge()
            value = item if key is None else call(machine, key, [item], {})
            if best is MISSING or truth_of(machine, better(machine, value, best_key)):
                best, best_key = item, value
        if best is not MISSING:
            return best
        if default is MISSING:
            raise ValueError(f"{name}() arg is an empty sequence")
        return default

    return run


# ---- iteration


@stands_for("map")
class Mapped:
    """`map(...)`: what comes next is computed when asked for."""

    __slots__ = ("machine", "function", "sources")

    def __init__(self, machine: Machine, function: Value, sources: list[Iterator[Value]]) -> None:
        self.machine = machine
        self.function = function
        self.sources = sources

    def __iter__(self) -> Iterator[Value]:
        return self

    def __next__(self) -> Value:
        self.machine.meter.charge()
        return call(self.machine, self.function, [next(source) for source in self.sources], {})


@stands_for("filter")
class Filtered(Mapped):
    """`filter(...)`, likewise."""

    __slots__ = ()

    def __next__(self) -> Value:
        (source,) = self.sources
        while True:
            self.machine.meter.charge()
            item = next(source)
            kept = item if self.function is None else call(self.machine, self.function, [item], {})
            if truth_of(self.machine, kept):
                return item


def make_map(machine: Machine, function: Value, source: Value, *more: Value) -> Mapped:
    return Mapped(machine, function, [source_of(machine, each) for each in (source, *more)])


def make_filter(machine: Machine, function: Value, source: Value) -> Filtered:
    return Filtered(machine, function, [source_of(machine, source)])


def make_zip(machine: Machine, *sources: Value, strict: Value = False) -> Iterator[Value]:
    return zip(*(source_of(machine, each) for each in sources), strict=truth_of(machine, strict))


def make_enumerate(machine: Machine, source: Value, start: int = 0) -> Iterator[Value]:
    return enumerate(source_of(machine, source), start)


def make_reversed(machine: Machine, source: Value) -> Value:
    answer = call_method(machine, source, "__reversed__", [])
    if answer is not NotImplemented:
        return iterate(machine, answer)
    if isinstance(source, (list, tuple, str, range, dict, deque)) and not isinstance(source, Own):
        return reversed(source)
    if isinstance(source, torch.Tensor):
        return call(machine, load(machine, source, "flip"), [0], {}) if source.dim() else source
    if isinstance(source, OBJECTS) and source.kind.find("__getitem__") is not MISSING:
        count = length(machine, source)
        return (call_method(machine, source, "__getitem__", [at]) for at in reversed(range(count)))
    if isinstance(source, (set, frozenset, Iterator)):
        raise TypeError(f"'{kind_name(source)}' object is not reversible")
    return reversed(collect_items(machine, source))


def all_true(machine: Machine, items: Value) -> bool:
    for item in iterate(machine, items):
        machine.meter.charge()
        if not truth_of(machine, item):
            return False
    return True


def any_true(machine: Machine, items: Value) -> bool:
    for item in iterate(machine, items):
        machine.meter.charge()
        if truth_of(machine, item):
            return True
    return False


def next_item(machine: Machine, source: Value, default: Value = MISSING) -> Value:
    if isinstance(source, OBJECTS):
        try:
            answer = call_method(machine, source, "__next__", [])
        except StopIteration:
            if default is MISSING:
                raise
            return default
        if answer is not NotImplemented:
            return answer
    if not isinstance(source, Iterator):
        raise TypeError(f"'{kind_name(source)}' object is not an iterator")
    return next(source) if default is MISSING else next(source, default)


def make_iterator(machine: Machine, source: Value, sentinel: Value = MISSING) -> Value:
    """`iter(source)`, `iter(function, last)`"""
    if sentinel is MISSING:
        found = iterate(machine, source)
        return found.source if isinstance(found, Walk) else found
    return Asked(machine, source, sentinel)


@stands_for("callable_iterator")
class Asked:
    """`iter(function, last)`: calls until it gives `last`."""

    __slots__ = ("machine", "function", "last")

    def __init__(self, machine: Machine, function: Value, last: Value) -> None:
        self.machine = machine
        self.function = function
        self.last = last

    def __iter__(self) -> Asked:
        return self

    def __next__(self) -> Value:
        found = call(self.machine, self.function, [], {})
        if is_same(self.machine, found, self.last):
            raise StopIteration
        return found


def make_dict(machine: Machine, given: Value = (), /, **named: Value) -> dict[Value, Value]:
    """`dict(given, **named)`"""
    if isinstance(given, dict):
        made = given
    elif isinstance(given, OBJECTS) and given.kind.find("keys") is not MISSING:
        keys = collect_items(machine, call(machine, load(machine, given, "keys"), [], {}))
        made = {charge_key(machine, key): fetch(machine, given, key) for key in keys}
    else:
        made = dictionary(machine, given)
    machine.meter.length(len(made) + len(named))
    return {**made, **named}


def unpack_mapping(machine: Machine, given: Value) -> dict[Value, Value] | None:
    """What `**given` stands for: a dictionary, or an object with `keys`; None for anything else."""
    if isinstance(given, dict):
        return given
    has_keys = isinstance(given, OBJECTS) and given.kind.find("keys") is not MISSING
    return make_dict(machine, given) if has_keys else None
