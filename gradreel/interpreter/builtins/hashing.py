"""Keys of dicts and sets: what a hash goes through is charged first, for Python counts shared tuples each time."""

from __future__ import annotations

import types
from collections.abc import Collection, Iterator
from typing import Any

import numpy as np

from ..engine.cost_model import count_of
from ..engine.engine import STORAGES, torch
from ..machine import Machine
from ..runtime.values import Value

DEEPEST = 5_000
"""Tuples inside tuples that may be hashed; Python itself would go on until its stack is used up."""
OFTEN = 256
"""Keys after which the clock is looked at."""
MANY = 1_000
"""Keys that are put into a set by one call of the host's, whatever their hashes are."""
FREE = 64
"""Parts of a key that cost nothing."""


def charge_key(machine: Machine, key: Value) -> Value:
    """`key`, about to be hashed and compared: each part of a tuple or frozenset is charged as often as it is met.

    What the host hashes by where it lies gets its number now, in the order in which the program puts it in.
    """
    if type(key) in BY_LETTERS:
        return key
    if isinstance(key, NESTED):
        charge_unfolded(machine, key)
    number_placed(machine, key)
    return key


def charge_unfolded(machine: Machine, whole: Any) -> None:
    """Charge for what the host hashes or compares of a tuple or a set: what is shared in it each time anew."""
    size = unfolded_size(whole, NESTED) if any(isinstance(part, NESTED) for part in whole) else len(whole)
    if size > FREE:
        machine.meter.charge(size >> 4)


BY_LETTERS = frozenset({str, int, bool, bytes})
"""The types of most keys; they hash what they say."""
BY_VALUE = (bool, int, float, complex, str, bytes, range, tuple, frozenset, np.generic, np.dtype)
"""The types of the host that hash what they say; `object`, and what else is written in C, by an address."""


def is_by_identity(value: Value) -> bool:
    """Whether the host would hash where `value` lies: all but what hashes by its numbers or letters, or by a function
    written in Python, as objects of programs do."""
    how: Any = type(value).__hash__
    if how is None:
        return False
    if isinstance(value, BY_VALUE):
        return bool(isinstance(value, NUMBERS) and value != value)  # NaN
    return how in ADDRESSES or not isinstance(how, types.FunctionType)


NUMBERS = (float, complex, np.inexact)
ADDRESSES = (torch.Tensor.__hash__, *(kind.__hash__ for kind in STORAGES))
"""The functions written in Python that hash an address."""


def hash_of(machine: Machine, value: Value) -> int:
    """`hash(value)`: where the host would tell an address, the number that `id` gives."""
    charge_key(machine, value)
    if is_by_identity(value):
        return machine.number(value) >> 4
    if isinstance(value, NESTED) and any(leads_to_identity(machine, part) for part in value):
        return hash(type(value)(hash_of(machine, part) for part in value) if type(value) in NESTED else 0)
    return hash(value)


NESTED: Any = (tuple, frozenset)
"""What a key can be that has keys in it."""


def find_leaves(machine: Machine, value: Value, nested: Any = NESTED) -> Iterator[Value]:
    """What `value` is made of, tuple in tuple, in order; each part that is shared once, as its parts are charged."""
    waiting: list[Value] = [value]
    seen: set[int] = set()
    while waiting:
        part = waiting.pop()
        if not isinstance(part, nested):
            yield part
        elif id(part) not in seen:
            seen.add(id(part))
            machine.meter.charge(len(part) >> 4)
            waiting += reversed(tuple(part))


def leads_to_identity(machine: Machine, value: Value) -> bool:
    return any(map(is_by_identity, find_leaves(machine, value)))


def number_placed(machine: Machine, key: Value) -> None:
    """Give what has no value its number, in the order in which the program puts it into sets."""
    for part in find_leaves(machine, key):
        if is_by_identity(part):
            machine.number(part)
            machine.has_placed_keys = True


def in_order(machine: Machine, items: Collection[Value]) -> Collection[Value]:
    """The items of a set in an order that tells no address: the host's, or that of the numbers which `id` gives."""
    if not machine.has_placed_keys:
        return items
    machine.meter.charge(len(items) >> 2)
    behind = {id(item) for item in items if leads_to_identity(machine, item)}
    if not behind:
        return items
    return sorted(items, key=lambda at: (id(at) in behind, hash_of(machine, at), at if type(at) is int else 0))


def take_any(machine: Machine, items: set[Value]) -> Value:
    """`items.pop()`"""
    if not items:
        raise KeyError("pop from an empty set")
    item = next(iter(in_order(machine, items)))
    items.remove(item)
    return item


def charge_keys(machine: Machine, given: list[Value]) -> list[Value]:
    """The same for many, of which a set is about to be made."""
    for key in given:
        charge_key(machine, key)
    if len(given) > MANY:
        seen: set[Value] = set()
        for nr, key in enumerate(given):  # where all have one hash, they are compared with one another
            seen.add(key)
            if not nr % OFTEN:
                machine.meter.check()
    return given


def unfolded_size(whole: Any, kinds: type | tuple[type, ...] = tuple) -> int:
    """The parts of `whole` and of those in it that are of these `kinds`; what is there several times counts each time.

    Raises:
        RecursionError: it is too deep, or inside itself.
    """
    sizes: dict[int, int] = {}
    depth: dict[int, int] = {}
    waiting: list[Any] = [whole]
    begun: set[int] = set()
    while waiting:
        top = waiting[-1]
        if id(top) in sizes:
            waiting.pop()
            continue
        inner = [part for part in top if isinstance(part, kinds)]
        later = [part for part in inner if id(part) not in sizes]
        if later and id(top) not in begun:
            begun.add(id(top))
            waiting += later
            continue
        waiting.pop()
        depth[id(top)] = 1 + max((depth.get(id(part), DEEPEST) for part in inner), default=0)
        if depth[id(top)] > DEEPEST:
            raise RecursionError("maximum recursion depth exceeded")
        ranges = sum(count_of(part) for part in top if isinstance(part, range))
        sizes[id(top)] = len(top) + ranges + sum(sizes[id(part)] for part in inner)
    return sizes[id(whole)]


def put_all(machine: Machine, into: dict[Value, Value], given: Any) -> None:
    """`into.update(given)` for pairs or a dict, likewise."""
    for key, value in given.items() if isinstance(given, dict) else given:
        into[charge_key(machine, key)] = value
