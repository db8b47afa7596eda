"""JSON by fields: how a dataclass travels is read off the types of its fields, so a new event needs no code here.

Numbers that JSON or JavaScript would spoil travel as strings: "nan", "inf", "-inf", and integers beyond 2**53.
"""

from __future__ import annotations

import math
import types
import typing
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

from autograd_core.events import Value

from .events import Frames, Loops

SAFE = 2**53
NONFINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}

Change = Callable[[Any], Any]


def number_out(number: Any) -> Any:
    """`number` as JSON can carry it."""
    if isinstance(number, float):
        return number if math.isfinite(number) else repr(number)
    if isinstance(number, int) and not isinstance(number, bool) and not -SAFE <= number <= SAFE:
        return str(number)
    if isinstance(number, complex):
        return complex_text(number)
    return number


def complex_text(number: complex) -> str:
    """`1+2j`: as Python shows it, without brackets."""
    return str(number).strip("()")


def number_in(number: Any) -> Any:
    """The number that `number_out` wrote."""
    if isinstance(number, str):
        if number in NONFINITE:
            return NONFINITE[number]
        return complex(number) if number.endswith("j") else int(number)
    return number


@dataclass(frozen=True)
class Way:
    """One direction, out to JSON or in from it: what happens to a number, a Value and a stack of calls or loops, and
    what a tuple becomes."""

    number: Change
    value: Change | None
    stack: Change | None
    sequence: type

    def change(self, hint: Any) -> Change | None:
        """What is done to a field of type `hint`; None where it stays as it is."""
        if hint is Value:
            return self.value
        if hint in (Frames, Loops):
            return self.stack
        if hint in (float, int):
            return self.number
        if hint is Any:
            return self._nest
        origin, arguments = typing.get_origin(hint), typing.get_args(hint)
        if origin in (types.UnionType, typing.Union):
            return optional(self.change(next(argument for argument in arguments if argument is not type(None))))
        if origin is tuple:
            return self._tuple(arguments)
        return None

    def _nest(self, data: Any) -> Any:
        return [self._nest(part) for part in data] if isinstance(data, list) else self.number(data)

    def _tuple(self, arguments: tuple[Any, ...]) -> Change:
        kind = self.sequence
        if arguments[-1] is Ellipsis:
            every = self.change(arguments[0])
            return kind if every is None else lambda parts: kind(map(every, parts))
        each = [self.change(argument) or same for argument in arguments]
        return lambda parts: kind(change(part) for change, part in zip(each, parts, strict=True))


def same(thing: Any) -> Any:
    return thing


def optional(change: Change | None) -> Change | None:
    if change is None:
        return None
    return lambda thing: None if thing is None else change(thing)


class Form:
    """How one dataclass is written or read, one way."""

    def __init__(self, kind: type, way: Way) -> None:
        hints = typing.get_type_hints(kind)
        self._kind = kind
        self._changes = [(field.name, way.change(hints[field.name])) for field in fields(kind)]

    def write(self, thing: Any) -> dict[str, Any]:
        return {
            name: getattr(thing, name) if change is None else change(getattr(thing, name))
            for name, change in self._changes
        }

    def read(self, record: dict[str, Any]) -> Any:
        return self._kind(*(record[name] if change is None else change(record[name]) for name, change in self._changes))
