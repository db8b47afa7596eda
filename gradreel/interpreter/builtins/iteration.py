"""What a `for` walks through, what `yield from` hands the reins to, lists of all items, and lists that grow by them."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator
from typing import Any

import numpy as np

from autograd_core.ordered_dict import OrderedDict

from ..engine.engine import torch
from ..machine import Machine
from ..runtime.calls import call_method
from ..runtime.errors import ERRORS
from ..runtime.type_names import kind_name, refuse_stub
from ..runtime.values import MISSING, OBJECTS, Class, Generator, Instance, Namespace, Stub, Value, stands_for
from .hashing import charge_key, in_order, put_all

ITERABLE = (deque, list, tuple, str, dict, range, enumerate, zip, Generator, np.ndarray, torch.Tensor)


@stands_for("iterator")
class Walk:
    """Iteration by the `__next__` of an object of the program."""

    __slots__ = ("machine", "source")

    def __init__(self, machine: Machine, source: Value) -> None:
        self.machine = machine
        self.source = source

    def __iter__(self) -> Iterator[Value]:
        return self

    def __next__(self) -> Value:
        return call_method(self.machine, self.source, "__next__", [])


@stands_for("iterator")
class Indexed:
    """Iteration by `__getitem__` with 0, 1, 2, ... until IndexError."""

    __slots__ = ("machine", "source", "at")

    def __init__(self, machine: Machine, source: Value) -> None:
        self.machine = machine
        self.source = source
        self.at = -1

    def __iter__(self) -> Iterator[Value]:
        return self

    def __next__(self) -> Value:
        self.at += 1
        try:
            return call_method(self.machine, self.source, "__getitem__", [self.at])
        except IndexError:
            raise StopIteration from None


@stands_for("set_iterator")
class InOrder:
    """Iteration through a set in an order of ours: as the host's does, it notices where the set changes its size."""

    __slots__ = ("source", "size", "items")

    def __init__(self, source: Collection[Value], items: Iterable[Value]) -> None:
        self.source = source
        self.size = len(source)
        self.items = iter(items)

    def __iter__(self) -> Iterator[Value]:
        return self

    def __next__(self) -> Value:
        if len(self.source) != self.size:
            self.size = -1  # for good, whatever size it has later
            raise RuntimeError("Set changed size during iteration")
        for item in self.items:
            return item
        self.source, self.size = (), 0
        raise StopIteration


def has_walk(value: Value) -> bool:
    """Whether the program says how to go through `value`: an error is its own then."""
    ways = ("__iter__", "__getitem__")
    return isinstance(value, OBJECTS) and any(value.kind.find(way) is not MISSING for way in ways)


def iterate(machine: Machine, value: Any) -> Iterator[Value]:
    """An iterator over `value`. Each item is charged by whoever asks for it."""
    if isinstance(value, OBJECTS):
        found = call_method(machine, value, "__iter__", [])
        if found is not NotImplemented:
            return check_iterator(machine, found)
    if isinstance(value, (set, frozenset)):
        items = in_order(machine, value)
        return iter(items) if items is value else InOrder(value, items)
    if isinstance(value, ITERABLE):
        return iter(value)
    if isinstance(value, Instance) and value.kind.find("__getitem__") is not MISSING:
        return Indexed(machine, value)
    if type(value) is Class and value.members is not None:
        return iter(list(value.members.values()))
    if type(value) is Stub:
        raise refuse_stub(value)
    source: Any = value
    if isinstance(value, (Walk, Indexed)) or (isinstance(value, Iterator) and not isinstance(value, Namespace)):
        return value
    if type(value) in WALKED:
        return iter(source)
    if isinstance(value, VIEWS) or (isinstance(value, torch.nn.Module) and hasattr(type(value), "__iter__")):
        return iter(source)
    raise TypeError(f"'{kind_name(value)}' object is not iterable")


# ---- iterators that go through others: each item of theirs is asked of one after the other, in the host's C
#
# So many may lie in one another as the host's stack bears, whatever lies between them: what is under way counts.

DEEPEST = 1_000
"""Iterators that may be asking one another at a time."""
OFTEN = 64
"""Items of an iterator that are charged together, so that a `for`, which charges its turns itself, may take as many."""

EMPTY: tuple[Any, ...] = (
    [],
    (),
    "",
    range(0),
    range(1 << 99),
    {},
    {}.values(),
    {}.items(),
    set(),
    deque(),
    reversed([]),
)
FLAT = tuple(type(iter(empty)) for empty in EMPTY)
"""The types of iterators that have their items at hand."""


class Charged:
    """An iterator of the host's that may go on for long, or through others: wherever its items go, even into a loop in
    C, it is stopped.

    `cost` is in steps, of iterators whose items are long.
    """

    __slots__ = ("machine", "source", "cost", "taken")

    def __init__(self, machine: Machine, source: Any, cost: int = 0) -> None:
        self.machine, self.source, self.cost = machine, iter(source), cost
        self.taken = 0

    def __iter__(self) -> Charged:
        return self

    def __next__(self) -> Value:
        machine = self.machine
        self.taken += 1
        if self.cost or not self.taken % OFTEN:
            machine.meter.charge(self.cost or OFTEN // 8)
        if machine.links >= DEEPEST:
            raise RecursionError("maximum recursion depth exceeded")
        machine.links += 1
        try:
            return next(self.source)
        finally:
            machine.links -= 1

    def __repr__(self) -> str:
        return repr(self.source)


def source_of(machine: Machine, value: Value) -> Iterator[Value]:
    """An iterator over `value`, for one that is to go through it item by item."""
    found = iterate(machine, value)
    return found if isinstance(found, (*FLAT, Charged)) else Charged(machine, found)


WALKED: list[Any] = []
"""Types of library modules that can be walked through; put in by those."""


def check_iterator(machine: Machine, found: Value) -> Iterator[Value]:
    """The iterator that `__iter__` gave, as the host walks it."""
    if isinstance(found, Instance):
        if found.kind.find("__next__") is MISSING:
            raise TypeError(f"iter() returned non-iterator of type '{kind_name(found)}'")
        return Walk(machine, found)
    if not isinstance(found, Iterator):
        raise TypeError(f"iter() returned non-iterator of type '{kind_name(found)}'")
    return found


def delegate(machine: Machine, source: Value) -> Any:
    """What `yield from` hands the reins to: generators take what is sent; of others only the items are asked."""
    found = iterate(machine, source)
    if isinstance(found, Generator) and hasattr(found.source, "send"):
        return delegate_to_generator(found)
    return delegate_to_items(found)


def delegate_to_generator(inner: Generator) -> Any:
    source: Any = inner.source
    sent: Value = None
    way = source.send
    while True:
        try:
            item = way(sent)
        except StopIteration as stop:
            return stop.value
        try:
            sent = yield item
            way = source.send
        except GeneratorExit:
            source.close()
            raise
        except Exception as raised:
            if not hasattr(source, "throw"):
                raise
            if getattr(getattr(raised, "error_record", None), "kind", None) is ERRORS["GeneratorExit"]:
                source.close()
                raise
            sent, way = raised, source.throw
        item = None


def delegate_to_items(items: Iterator[Value]) -> Any:
    for item in items:
        if (yield item) is not None:
            raise AttributeError(f"'{type(items).__name__}' object has no attribute 'send'")
        item = None


DICTS: tuple[dict[Value, Value], ...] = ({}, OrderedDict())
VIEWS: tuple[type, ...] = tuple(type(view) for d in DICTS for view in (d.keys(), d.values(), d.items()))


def collect_items(machine: Machine, value: Value) -> list[Value]:
    """All items of `value`, charged one by one."""
    meter, items = machine.meter, []
    limit = machine.limits.length
    for item in iterate(machine, value):
        items.append(item)
        meter.steps += 1
        if meter.steps >= meter.check_at:
            meter.check()
        if len(items) > limit:
            meter.length(len(items))
    return items


# ---- lists, deques and dicts grow in place: by a method or by an operator, item by item, each charged


def extend(machine: Machine, this: list[Value], items: Value) -> None:
    """`this.extend(items)`"""
    items = collect_items(machine, items)
    machine.meter.length(len(this) + len(items))
    this.extend(items)


def extend_queue(machine: Machine, this: deque[Value], items: Value) -> None:
    """`this.extend(items)` of a deque"""
    found = collect_items(machine, items)
    machine.meter.length(len(this) + len(found))
    this.extend(found)


def dictionary(machine: Machine, given: Value) -> dict[Value, Value]:
    """The dict of these pairs."""
    made = {}
    for nr, pair in enumerate(collect_items(machine, given)):
        try:
            items = collect_items(machine, pair)
        except TypeError:
            raise TypeError(f"cannot convert dictionary update sequence element #{nr} to a sequence") from None
        if len(items) != 2:
            raise ValueError(f"dictionary update sequence element #{nr} has length {len(items)}; 2 is required")
        made[charge_key(machine, items[0])] = items[1]
    return made


def update(machine: Machine, this: dict[Value, Value], given: Value = (), /, **named: Value) -> None:
    """`this.update(given, **named)`"""
    pairs = given if isinstance(given, dict) else dictionary(machine, given)
    machine.meter.length(len(this) + len(pairs) + len(named))
    put_all(machine, this, pairs)
    this.update(named)


def grow(machine: Machine, sign: str, this: Any, given: Value) -> bool:
    """What `this += given` or `this |= given` does where it takes whatever can be gone through; False elsewhere."""
    if sign == "+" and isinstance(this, list):
        extend(machine, this, given)
    elif sign == "+" and isinstance(this, deque):
        extend_queue(machine, this, given)
    elif sign == "|" and isinstance(this, dict):
        update(machine, this, given)
    else:
        return False
    return True
