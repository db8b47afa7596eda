"""Values as the player gets them: with as many digits as can be told apart, and no more."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from gradreel.explain.replay.graph_queries import all_finite, flat
from gradreel.trace.codec import complex_text
from gradreel.trace.events import Value, grid

from . import columns, table

DIGITS = {"float16": 4, "bfloat16": 4, "float32": 8, "complex64": 8}
MANY, FEWER = 16, 5
"""Of a value with more numbers than MANY, each is given to so many digits."""
SUMMARY = {"min": "minimum", "max": "maximum", "mean": "mean"}


class ShownValues(table.Column[dict[str, Any]]):
    """The values of a scene; those in the places `sent` are told with their cells."""

    __slots__ = ("of", "sent")

    def __init__(self, of: Sequence[Value], sent: set[int]) -> None:
        self.of, self.sent = of, sent

    def __len__(self) -> int:
        return len(self.of)

    def item(self, at: int) -> dict[str, Any]:
        return shown_value(self.of[at], at in self.sent)

    def column(self) -> columns.Column:
        """All of them; those that have the same fields and as many digits stand together."""
        sorts = [sort_of(value, place in self.sent) for place, value in enumerate(self.of)]
        values: dict[Sort, list[Value]] = {}
        for sort, value in zip(sorts, self.of, strict=True):
            values.setdefault(sort, []).append(value)
        told = [column_of(alike, sort) for sort, alike in values.items()]
        places = columns.distinct_in(values)
        return told[0] if len(told) == 1 else {"sorts": told, "at": columns.write([places[sort] for sort in sorts])}


class Sort(NamedTuple):
    """Which fields values have, and to how many digits all their numbers are finite floats (0: some are not)."""

    whole: bool
    scalar: bool
    digits: int
    bins: bool
    cells: bool


SCALARS = {name: Sort(True, True, digits, False, False) for name, digits in DIGITS.items()}


def sort_of(value: Value, cells: bool) -> Sort:
    data = value.data
    if type(data) is float and value.dtype in SCALARS and data - data == 0:
        return SCALARS[value.dtype]
    summary = [] if value.whole else [value.minimum, value.maximum, value.mean]
    floats = "float" in value.dtype and all_finite([*flat(data), *summary])
    scalar, cells = not isinstance(data, list), cells and not value.whole
    return Sort(value.whole, scalar, digits_of(value) if floats else 0, value.bins is not None, cells)


def column_of(values: list[Value], sort: Sort) -> columns.Column:
    """`values` of one sort, field by field as `shown_value` tells of each."""
    if not sort.digits:
        return columns.write([shown_value(value, sort.cells) for value in values])
    shape = columns.write([value.shape for value in values])
    numbers = columns.decimals(np.array(list(chain.from_iterable(flat(value.data) for value in values))), sort.digits)
    rows = {"shape": shape, "dtype": columns.write([value.dtype for value in values])}
    if sort.whole:
        data = numbers if sort.scalar else {"nested": numbers, "shape": shape}
        return {"rows": {**rows, "data": data, "whole": columns.same([True] * len(values))}}
    rows["head"] = {"lengths": columns.write([len(value.data) for value in values]), "items": numbers}
    for name, attribute in SUMMARY.items():
        rows[name] = columns.decimals(np.array(list(map(attrgetter(attribute), values))), sort.digits)
    for name in [name for name in ("bins", "cells") if getattr(sort, name)]:
        rows[name] = columns.write(list(map(attrgetter(name), values)))
    if sort.cells:
        rows["grid"] = columns.write([grid(value.shape) for value in values])
    return {"rows": {**rows, "whole": columns.same([False] * len(values))}}


def digits_of(value: Value) -> int:
    return DIGITS.get(value.dtype, 16) if math.prod(value.shape) <= MANY else FEWER


def shown_value(value: Value, cells: bool) -> dict[str, Any]:
    """A value as the player gets it, with as many digits as its dtype has, and with its cells where these are sent."""
    digits = digits_of(value)
    record: dict[str, Any] = {"shape": value.shape, "dtype": value.dtype}
    if value.whole:
        return {**record, "data": round_data(value.data, digits), "whole": True}
    shown = {name: round_data(getattr(value, attribute), digits) for name, attribute in SUMMARY.items()}
    more: dict[str, Any] = {} if value.bins is None else {"bins": list(value.bins)}
    if cells:
        more |= {"cells": value.cells, "grid": grid(value.shape)}
    return {**record, "head": round_data(value.data, digits), **shown, **more, "whole": False}


def round_data(data: Any, digits: int) -> Any:
    if isinstance(data, list):
        return [round_data(part, digits) for part in data]
    if isinstance(data, float):
        return columns.round_digits(data, digits) if math.isfinite(data) else repr(data)
    if isinstance(data, complex):
        return complex_text(complex(*(columns.round_digits(part, digits) for part in (data.real, data.imag))))
    if isinstance(data, int) and not -(2**53) <= data <= 2**53:
        return str(data)
    return data
