"""Lists, deques and dicts grow in place: by a method or by an operator, item by item, each charged."""

from __future__ import annotations

from collections import deque
from typing import Any

from ..machine import Machine
from ..runtime.values import Value
from .hashing import charge_key, put_all
from .iterating import listed


def extend(machine: Machine, this: list[Value], items: Value) -> None:
    """`this.extend(items)`"""
    items = listed(machine, items)
    machine.meter.length(len(this) + len(items))
    this.extend(items)


def extend_queue(machine: Machine, this: deque[Value], items: Value) -> None:
    """`this.extend(items)` of a deque"""
    found = listed(machine, items)
    machine.meter.length(len(this) + len(found))
    this.extend(found)


def dictionary(machine: Machine, given: Value) -> dict[Value, Value]:
    """The dict of these pairs."""
    made = {}
    for nr, pair in enumerate(listed(machine, given)):
        try:
            items = listed(machine, pair)
        except TypeError:
            raise TypeError(f"cannot convert dictionary update sequence element #{nr} to a sequence") from None
        if len(items) != 2:
            raise ValueError(f"dictionary update sequence element #{nr} has length {len(items)}; 2 is required")
        made[charge_key(machine, items[0])] = items[1]
    return made


def update(machine: Machine, this: dict[Value, Value], given: Value = (), **named: Value) -> None:
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
