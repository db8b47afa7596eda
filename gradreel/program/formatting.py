"""Text: what str, repr, f-strings, `%` and str.format give, by our own walk through values.

Format specifications are parsed here before Python sees them: a width is an allocation.
"""

from __future__ import annotations

import re
import string
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np

from .bridge import Companion
from .calls import call_method, iterate, kind_name
from .engine import elements_of, torch
from .errors import error_of
from .limits import Spent
from .machine import Machine
from .refusal import Refusal
from .values import (
    Bound,
    Builtin,
    Class,
    Error,
    ExceptionType,
    Foreign,
    Frame,
    Function,
    Generator,
    Instance,
    Namespace,
    Place,
    Type,
    Value,
)

ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}\b")
DEEPEST = 60
"""Containers inside containers that are written out."""

type_name = kind_name


def text(machine: Machine, value: Value) -> str:
    """`str(value)`"""
    if type(value) is str:
        return value
    if isinstance(value, Error):
        own = value.own.find("__str__") if value.own else None
        return str(machine.call(machine, own, [value], {})) if isinstance(own, Function) else error_text(machine, value)
    if isinstance(value, Instance):
        answer = call_method(machine, value, "__str__", [])
        if answer is not NotImplemented:
            if not isinstance(answer, str):
                raise TypeError(f"__str__ returned non-string (type {type_name(answer)})")
            return answer
    if isinstance(value, (np.generic, torch.device)):
        return str(value)
    if isinstance(value, np.ndarray):
        machine.meter.elements(value.size)
        return str(value)
    return written(machine, value)


def error_text(machine: Machine, record: Error) -> str:
    """What `str` gives for an exception."""
    if not record.args:
        return ""
    if len(record.args) == 1:
        return written(machine, record.args[0]) if record.kind.name == "KeyError" else text(machine, record.args[0])
    return written(machine, record.args)


def written(machine: Machine, value: Value, around: tuple[int, ...] = ()) -> str:
    """`repr(value)`; `around` are the containers it is in."""
    machine.meter.charge()
    way = CONTAINERS.get(type(value))
    if way is not None:
        if id(value) in around:
            return way[2]
        if len(around) >= DEEPEST:
            raise RecursionError("maximum recursion depth exceeded while getting the repr of an object")
        inside = (*around, id(value))
        if isinstance(value, dict):
            pairs = [f"{written(machine, k, inside)}: {written(machine, v, inside)}" for k, v in value.items()]
        else:
            pairs = [written(machine, part, inside) for part in value]
        machine.meter.length(sum(map(len, pairs)))
        return (way[3] if not pairs else "") or way[0] + ", ".join(pairs) + (way[1] if len(pairs) != 1 else way[4])
    if type(value) is OrderedDict:
        return f"OrderedDict({written(machine, list(value.items()), around)})" if value else "OrderedDict()"
    described = RECORDS.get(type(value))
    if described is not None:
        return described(value)
    if isinstance(value, Instance):
        return own_repr(machine, value)
    if isinstance(value, Error):
        arguments = ", ".join(written(machine, arg, around) for arg in value.args)
        return f"{kind_name(value)}({arguments})"
    if isinstance(value, (torch.Tensor, np.ndarray)):
        machine.meter.charge(min(elements_of(value), 1000))
    if isinstance(value, Companion):
        answer = call_method(machine, value, "__repr__", [])
        if answer is not NotImplemented:
            return str(answer)
    return as_torch(repr(value))


def as_torch(described: str) -> str:
    """Names of the engine as torch's; an address would differ from run to run."""
    return ADDRESS.sub("0x...", described.replace("autograd_core.", "torch."))


def own_repr(machine: Machine, value: Instance) -> str:
    answer = call_method(machine, value, "__repr__", [])
    if answer is NotImplemented:
        return f"<{value.kind.title} object at 0x...>"
    if not isinstance(answer, str):
        raise TypeError(f"__repr__ returned non-string (type {type_name(answer)})")
    return answer


CONTAINERS: dict[type, tuple[str, str, str, str, str]] = {
    list: ("[", "]", "[...]", "", "]"),
    tuple: ("(", ")", "(...)", "()", ",)"),
    dict: ("{", "}", "{...}", "", "}"),
    set: ("{", "}", "{...}", "set()", "}"),
    frozenset: ("frozenset({", "})", "frozenset({...})", "frozenset()", "})"),
}
"""Opening, closing, when inside itself, when empty (if different), closing behind a single item."""

RECORDS: dict[type, Callable[[Any], str]] = {
    Function: lambda value: f"<function {value.name} at 0x...>",
    Bound: lambda value: f"<bound method {getattr(value.function, 'name', '?')} of {kind_name(value.receiver)} object>",
    Builtin: lambda value: f"<built-in function {value.name}>",
    Foreign: lambda value: f"<built-in method {value.name} of type object at 0x...>",
    Class: lambda value: f"<class '{value.title}'>",
    Type: lambda value: f"<class '{value.title}'>",
    ExceptionType: lambda value: f"<class '{value.title}'>",
    Namespace: lambda value: f"<module '{value.name}'>",
    Generator: lambda value: f"<generator object {value.name} at 0x...>",
}


def caught(machine: Machine, raised: Exception, frame: Frame) -> Error:
    """The record of what was raised, with the place where it came up."""
    if isinstance(raised, MemoryError):
        raise Spent("bytes", machine.limits.bytes) from None
    machine.note(raised, frame)
    place: Place = raised.place  # type: ignore[attr-defined]
    record = error_of(raised)
    if record.place is None:
        record.place = place
    frame.noted = False
    return record


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
    if not spec:
        return text(machine, value)
    match = SPEC.fullmatch(spec)
    if isinstance(value, (bool, int, float, str, np.generic)):
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
        if isinstance(value, torch.Tensor):
            value = value.item()
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


def str_format(machine: Machine, template: str, *args: Value, **kwargs: Value) -> str:
    """`template.format(...)` with plain fields: `{}`, `{0}`, `{name}`, each with conversion and specification."""
    machine.meter.length(len(template))
    parts: list[str] = []
    count = 0
    for literal, name, spec, conversion in string.Formatter().parse(template):
        parts.append(literal)
        if name is None:
            continue
        if name == "":
            name, count = str(count), count + 1
        if not re.fullmatch(r"\w+", name):
            raise Refusal(f"str.format with the field {{{name}}} is not supported here: give the value itself.")
        if name.isdigit() and int(name[:9]) >= len(args):
            raise IndexError(f"Replacement index {name} out of range for positional args tuple")
        value = args[int(name)] if name.isdigit() else kwargs[name]
        if spec and "{" in spec:
            spec = str_format(machine, spec, *args[count:], **kwargs)
            count += 1
        parts.append(converted(machine, value, conversion, spec or ""))
    machine.meter.length(sum(map(len, parts)))
    return "".join(parts)


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
    for nr, part in enumerate(iterate(machine, parts)):
        machine.meter.charge()
        if not isinstance(part, str):
            raise TypeError(f"sequence item {nr}: expected str instance, {type_name(part)} found")
        items.append(part)
    machine.meter.length(sum(map(len, items)) + len(glue) * len(items))
    return glue.join(items)
