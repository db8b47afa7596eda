"""Templates: f-strings, `%`, join. Specifications are parsed before Python sees them: widths allocate."""

from __future__ import annotations

import re

import numpy as np

from ..engine.engine import elements_of, torch
from ..machine import Machine
from ..runtime.calls import call_method
from ..runtime.values import OBJECTS, Value
from .formatting import checked, is_its_value, plain, text, type_name, written
from .iterating import has_walk, iterate

# ---- format specifications

SPEC = re.compile(
    r"(?:.?[<>=^])?[-+ ]?z?#?0?(?P<width>\d+)?[,_]?(?:\.(?P<precision>\d+))?[bcdeEfFgGnosxX%]?", re.DOTALL
)
WIDEST = 1000
MOST_DIGITS = 100


def sized(width: str | None, precision: str | None) -> None:
    """Refuses a width or precision that only serves to fill memory."""
    if int((width or "0")[:9]) > WIDEST or int((precision or "0")[:9]) > MOST_DIGITS:
        raise ValueError("Too many decimal digits in format string")


def formatted(machine: Machine, value: Value, spec: str) -> str:
    """`format(value, spec)`"""
    if isinstance(value, torch.Tensor) and value.dim() == 0 and type(value) is torch.Tensor:
        value = value.item()
    if isinstance(value, OBJECTS):
        answer = call_method(machine, value, "__format__", [spec])
        if answer is not NotImplemented:
            return checked(answer, "__format__")
        if value.kind.members is not None and not is_its_value(value):
            value = text(machine, value)
        elif isinstance(value, (int, float, str)) and not (isinstance(value, str) and not spec):
            value = plain(value)
    if not spec:
        return text(machine, value)
    if isinstance(value, np.ndarray):
        if value.ndim:
            raise TypeError("unsupported format string passed to numpy.ndarray.__format__")
        value = value[()]
    match = SPEC.fullmatch(spec)
    if isinstance(value, (bool, int, float, complex, str, np.generic)):
        if match is None:
            raise ValueError(f"Invalid format specifier '{spec[:40]}' for object of type '{type_name(value)}'")
        sized(match["width"], match["precision"])
        return format(value, spec)
    raise TypeError(f"unsupported format string passed to {type_name(value)}.__format__")


PERCENT = re.compile(
    r"%(?:\((?P<key>[^)]*)\))?(?P<flags>[-+ #0]*)(?P<width>\d+|\*)?(?:\.(?P<digits>\d+|\*))?(?P<kind>.)?"
)


def percent(machine: Machine, template: str, given: Value) -> str:
    """`template % given`"""
    machine.meter.length(len(template))
    waiting = list(given) if type(given) is tuple else [given]
    taken = 0

    def take() -> Value:
        nonlocal taken
        if taken >= len(waiting):
            raise TypeError("not enough arguments for format string")
        taken += 1
        return waiting[taken - 1]

    def field(match: re.Match[str]) -> str:
        kind = match["kind"]
        if kind == "%":
            return "%"
        if kind is None:
            raise ValueError("incomplete format")
        width = str(int(take())) if match["width"] == "*" else match["width"]
        digits = str(int(take())) if match["digits"] == "*" else match["digits"]
        sized((width or "").lstrip("-"), digits)
        if match["key"] is not None:
            if not isinstance(given, dict):
                raise TypeError("format requires a mapping")
            value = given[match["key"]]
        else:
            value = take()
        form = f"%{match['flags']}{width or ''}{'' if digits is None else '.' + digits}"
        if kind in "sra":
            return (form + "s") % (text(machine, value) if kind == "s" else written(machine, value))
        if isinstance(value, torch.Tensor) or (isinstance(value, np.ndarray) and value.size == 1):
            real = kind in "eEfFgG" or elements_of(value) != 1  # of several elements `float` says why not
            value = float(value) if real else int(value) if kind in "diu" else value.item()
        if kind not in "diouxXeEfFgGc":
            raise ValueError(f"unsupported format character '{kind}' ({ord(kind):#x}) at index {match.end() - 1}")
        if not isinstance(value, (bool, int, float, str, np.generic)):
            wanted = "a real number" if kind in "eEfFgG" else "a real number" if kind in "diu" else "an integer"
            if kind in "eEfFgG":
                raise TypeError(f"must be real number, not {type_name(value)}")
            raise TypeError(f"%{kind} format: {wanted} is required, not {type_name(value)}")
        return str((form + kind) % value)

    result = PERCENT.sub(field, template)
    if taken < len(waiting) and not isinstance(given, (dict, list)) and waiting != [()]:
        raise TypeError("not all arguments converted during string formatting")
    machine.meter.length(len(result))
    return result


def converted(machine: Machine, value: Value, conversion: str | None, spec: str) -> str:
    """A field of a template: `!r`, `!s`, `!a`, then the specification."""
    if conversion in ("r", "a"):
        value = written(machine, value)
    elif conversion == "s":
        value = text(machine, value)
    return formatted(machine, value, spec)


def joined(machine: Machine, glue: str, parts: Value) -> str:
    """`glue.join(parts)`"""
    items: list[str] = []
    try:
        walk = iterate(machine, parts)
    except TypeError:
        if has_walk(parts):
            raise
        raise TypeError("can only join an iterable") from None
    for nr, part in enumerate(walk):
        machine.meter.charge()
        if not isinstance(part, str):
            raise TypeError(f"sequence item {nr}: expected str instance, {type_name(part)} found")
        items.append(part)
    machine.meter.length(sum(map(len, items)) + len(glue) * len(items))
    return glue.join(items)
