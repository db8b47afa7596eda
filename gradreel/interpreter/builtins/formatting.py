"""Text: what str and repr give, by our own walk through values; f-strings, `%` and join."""

from __future__ import annotations

import math
import re
from collections import defaultdict, deque
from collections.abc import Callable
from functools import partial
from types import MethodType
from typing import Any

import numpy as np

from autograd_core.ordered_dict import OrderedDict

from ..engine.bridge import Callback
from ..engine.engine import elements_of, letters, torch
from ..limits import Spent
from ..machine import Machine
from ..runtime.calls import call_method
from ..runtime.errors import ERRORS, error_of, raise_error
from ..runtime.type_names import ADDRESS, kind_name, own_title, refuse_stub
from ..runtime.values import (
    MISSING,
    OBJECTS,
    Bound,
    Builtin,
    Class,
    ClassMethod,
    DefaultDict,
    Deque,
    Error,
    ExceptionType,
    Foreign,
    Frame,
    Function,
    Generator,
    Instance,
    Namespace,
    Place,
    Property,
    StaticMethod,
    Stub,
    Type,
    Value,
)
from .hashing import in_order
from .iteration import VIEWS, has_walk, iterate

DEEPEST = 60
"""Containers inside containers that are written out."""

type_name = kind_name


def str_of(machine: Machine, value: Value) -> str:
    """`str(value)`"""
    if type(value) is str:
        return value
    if isinstance(value, Error):
        own = value.own.find("__str__") if value.own else None
        if not isinstance(own, Function):
            return error_text(machine, value)
        return check_text(machine.call(machine, own, [value], {}), "__str__")
    if isinstance(value, OBJECTS):
        answer = call_method(machine, value, "__str__", [])
        if answer is not NotImplemented:
            return check_text(answer, "__str__")
        return base_str(machine, value)
    if isinstance(value, (np.generic, np.dtype, torch.device)):
        return str(value)
    if isinstance(value, np.ndarray):
        return array_text(machine, value, str)
    return repr_of(machine, value)


def array_text(machine: Machine, value: Value, way: Callable[[Any], str]) -> str:
    """An array as numpy writes it."""
    machine.meter.elements(value.size)
    most, edge = (int(machine.shown.get(name, usual)) for name, usual in (("threshold", 1000), ("edgeitems", 3)))
    shown = value.size if value.size <= most else math.prod(min(n, 2 * edge + 1) for n in value.shape)
    machine.meter.length(3 * shown)
    machine.meter.charge(shown)
    if not machine.shown:
        return way(value)
    with np.printoptions(**machine.shown):
        return way(value)


def check_text(answer: Value, name: str) -> str:
    if not isinstance(answer, str):
        raise TypeError(f"{name} returned non-string (type {type_name(answer)})")
    return answer


def base_str(machine: Machine, value: Value) -> str:
    """`str(value)` of an object whose class does not say."""
    if not isinstance(value, OBJECTS):
        return str_of(machine, value)
    kind = value.kind
    if kind.members is not None:
        return str(plain(value)) if is_its_value(value) else f"{kind.name}.{value.attributes['name']}"
    if isinstance(value, str):
        return str.__str__(value)
    answer = call_method(machine, value, "__repr__", [])
    if answer is not NotImplemented:
        return check_text(answer, "__str__")
    return base_repr(machine, value)


def is_its_value(member: Value) -> bool:
    """Whether a member of an enumeration is written as its value: those of IntEnum and StrEnum are."""
    return any(base.title in ("enum.IntEnum", "enum.StrEnum") for base in member.kind.order)


def plain(value: Value) -> Value:
    """The number or text that an object extends."""
    base = next(base for base in (int, float, str) if isinstance(value, base))
    return base(value)


def error_text(machine: Machine, record: Error) -> str:
    """What `str` gives for an exception."""
    if not record.args:
        return ""
    if (said := os_error_text(machine, record)) is not None:
        return said
    if len(record.args) == 1:
        return repr_of(machine, record.args[0]) if record.kind.name == "KeyError" else str_of(machine, record.args[0])
    return repr_of(machine, record.args)


def os_error_text(machine: Machine, record: Error) -> str | None:
    """What `str` gives for an error of the system that was made of its parts."""
    if "errno" not in record.attributes or ERRORS["OSError"] not in record.kind.bases:
        return None
    number, said, file = (record.attributes[name] for name in ("errno", "strerror", "filename"))
    shown = f"[Errno {str_of(machine, number)}] {str_of(machine, said)}"
    return shown if file is None else f"{shown}: {repr_of(machine, file)}"


STR_FAILED = "<exception str() failed>"
"""What Python shows of an error whose text raises one."""


def show_error(machine: Machine, record: Error) -> str:
    """`str(record)` as Python shows it when nobody asked: what that raises is no error of the program."""
    try:
        return str_of(machine, record)
    except Exception:
        return STR_FAILED


def host_error(machine: Machine, record: Error) -> Exception:
    """What the host raises for `record`."""
    try:
        return raise_error(record, error_text(machine, record))
    except Exception:
        return raise_error(record, STR_FAILED)


def host_message(machine: Machine, raised: Exception) -> str:
    """What the host says in an error; values of the program that it was made of are written as the program's are."""
    if type(raised).__str__ is not BaseException.__str__ or all(type(part) is str for part in raised.args):
        return str(raised)
    return show_error(machine, Error(ERRORS["Exception"], raised.args))


def repr_of(machine: Machine, value: Value, around: tuple[int, ...] = ()) -> str:
    """`repr(value)`; `around` are the containers it is in."""
    machine.meter.charge()
    kind = type(value)
    if kind is str:
        machine.meter.length(len(value))
        return repr(value)
    way = CONTAINERS.get(kind)
    if way is not None:
        return repr_content(machine, value, way, around)
    described = RECORDS.get(kind)
    if described is not None:
        return described(value)
    if isinstance(value, OBJECTS):
        answer = call_method(machine, value, "__repr__", [])
        return base_repr(machine, value, around) if answer is NotImplemented else check_text(answer, "__repr__")
    if isinstance(value, Error):
        arguments = ", ".join(repr_of(machine, arg, around) for arg in value.args)
        return f"{kind_name(value)}({arguments})"
    collected = COLLECTED.get(kind)
    if collected is not None:
        return collected(machine, value, around)
    if kind is Stub:
        raise refuse_stub(value)
    if isinstance(value, Callback):
        return repr_of(machine, value.function, around)
    if isinstance(value, np.ndarray):
        return array_text(machine, value, repr)
    if isinstance(value, torch.Tensor) and not torch.nn.parameter.is_lazy(value):
        machine.meter.length(letters(tuple(value.shape)))
    return f"<{kind_name(value)} object at 0x...>" if kind.__module__.startswith("gradreel") else as_torch(repr(value))


def repr_content(machine: Machine, value: Value, way: tuple[str, str, str, str, str], around: tuple[int, ...]) -> str:
    """A list, tuple, dict or set, written out."""
    if id(value) in around:
        return way[2]
    if len(around) >= DEEPEST:
        raise RecursionError("maximum recursion depth exceeded while getting the repr of an object")
    inside, pairs, size = (*around, id(value)), [], 0
    if isinstance(value, dict):
        parts = (f"{repr_of(machine, k, inside)}: {repr_of(machine, v, inside)}" for k, v in value.items())
    else:
        ordered = in_order(machine, value) if isinstance(value, (set, frozenset)) else value
        parts = (repr_of(machine, part, inside) for part in ordered)
    for part in parts:
        pairs.append(part)
        size += len(part)
        machine.meter.longest(size)
    machine.meter.length(size)
    return (way[3] if not pairs else "") or way[0] + ", ".join(pairs) + (way[1] if len(pairs) != 1 else way[4])


def base_repr(machine: Machine, value: Value, around: tuple[int, ...] = ()) -> str:
    """`repr(value)` of an object whose class does not say."""
    if not isinstance(value, OBJECTS):
        return repr_of(machine, value, around)
    kind: Class = value.kind
    items: Any = value
    if kind.members is not None:
        return f"<{kind.name}.{value.attributes['name']}: {repr_of(machine, value.attributes['value'])}>"
    if kind.fields:
        parts = [f"{n}={repr_of(machine, v, (*around, id(value)))}" for n, v in zip(kind.fields, items, strict=False)]
        return f"{kind.name}({', '.join(parts)})"
    if isinstance(value, Instance):
        return f"<{kind.title} object at 0x...>"
    for base, way in CONTAINERS.items():
        if isinstance(value, base):
            inner = repr_content(machine, value, way, around)
            return inner if base not in (set, frozenset) else f"{kind.name}({'' if not value else inner})"
    if isinstance(value, (int, float, str)):
        return repr(plain(value))
    return as_torch(repr(value))


def _repr_default_dict(machine: Machine, value: Value, around: tuple[int, ...]) -> str:
    factory = getattr(value.default_factory, "function", value.default_factory)
    return f"defaultdict({repr_of(machine, factory)}, {repr_content(machine, value, CONTAINERS[dict], around)})"


def _repr_ordered_dict(machine: Machine, value: Value, around: tuple[int, ...]) -> str:
    return f"OrderedDict({repr_of(machine, list(value.items()), around)})" if value else "OrderedDict()"


def _repr_deque(machine: Machine, value: Value, around: tuple[int, ...]) -> str:
    bound = "" if value.maxlen is None else f", maxlen={value.maxlen}"
    return f"deque({repr_content(machine, value, CONTAINERS[list], around)}{bound})"


def _repr_bound_method(machine: Machine, value: Bound, around: tuple[int, ...]) -> str:
    return f"<bound method {getattr(value.function, 'title', '?')} of {repr_of(machine, value.receiver, around)}>"


def _repr_function(machine: Machine, value: Builtin | Foreign, around: tuple[int, ...]) -> str:
    owner = value.receiver
    if owner is MISSING:
        if value.name == "partial" and "func" in getattr(value, "more", ()):
            return _repr_partial(machine, value.more, around)
        if isinstance(value.run, MethodType) and "." in value.run.__qualname__:
            return as_torch(repr(value.run))
        if value.look is not None:
            return value.look.text
        if isinstance(value, Builtin):
            return f"<built-in function {value.name}>"
        return f"<built-in method {value.name} of type object at 0x...>"
    title = own_title(type(owner), value.name)
    if title is not None:
        return f"<bound method {title} of {repr_of(machine, owner, around)}>"
    return f"<built-in method {value.name} of {kind_name(owner)} object at 0x...>"


def _repr_partial(machine: Machine, held: dict[str, Value], around: tuple[int, ...]) -> str:
    """What `functools.partial` made."""
    given = [repr_of(machine, part, around) for part in (held["func"], *held["args"])]
    given += [f"{name}={repr_of(machine, part, around)}" for name, part in held["keywords"].items()]
    return f"functools.partial({', '.join(given)})"


def _make_view_repr(name: str) -> Callable[[Machine, Value, tuple[int, ...]], str]:
    return lambda machine, value, around: f"{name}({repr_of(machine, list(value), around)})"


def _repr_slice(machine: Machine, value: slice, around: tuple[int, ...]) -> str:
    bounds = (value.start, value.stop, value.step)
    return "slice" + repr_content(machine, bounds, CONTAINERS[tuple], around)


COLLECTED: dict[type, Callable[[Machine, Value, tuple[int, ...]], str]] = {
    defaultdict: _repr_default_dict,
    DefaultDict: _repr_default_dict,
    OrderedDict: _repr_ordered_dict,
    deque: _repr_deque,
    slice: _repr_slice,
    Deque: _repr_deque,
    Bound: _repr_bound_method,
    Builtin: _repr_function,
    Foreign: _repr_function,
    **{view: _make_view_repr(view.__name__) for view in VIEWS},
}


def as_torch(described: str) -> str:
    """Names of the engine as torch's; an address would differ from run to run."""
    return ADDRESS.sub("0x...", described.replace("autograd_core.", "torch."))


CONTAINERS: dict[type, tuple[str, str, str, str, str]] = {
    list: ("[", "]", "[...]", "", "]"),
    tuple: ("(", ")", "(...)", "()", ",)"),
    dict: ("{", "}", "{...}", "", "}"),
    set: ("{", "}", "{...}", "set()", "}"),
    frozenset: ("frozenset({", "})", "frozenset({...})", "frozenset()", "})"),
}
"""Opening, closing, when inside itself, when empty (if different), closing behind a single item."""

RECORDS: dict[type, Callable[[Any], str]] = {
    Function: lambda value: f"<function {value.title} at 0x...>",
    Class: lambda value: f"<class '{value.title}'>" if value.members is None else f"<enum '{value.name}'>",
    Type: lambda value: f"<class '{value.title}'>",
    ExceptionType: lambda value: f"<class '{value.title}'>",
    Namespace: lambda value: f"<module '{value.name}'>",
    Generator: lambda value: f"<generator object {value.name} at 0x...>",
    Property: lambda value: "<property object at 0x...>",
    StaticMethod: lambda value: "<staticmethod object>",
    ClassMethod: lambda value: "<classmethod object>",
}


def record_error(machine: Machine, raised: Exception, frame: Frame) -> Error:
    """The record of what was raised, with the place where it came up."""
    if isinstance(raised, MemoryError) and not hasattr(
        raised, "error_record"
    ):  # the host's own, not one that it raised
        raise Spent("memory", machine.limits.memory) from None
    machine.note(raised, frame)
    place: Place | None = getattr(raised, "place", None)
    record = error_of(raised, partial(host_message, machine))
    if record.place is None:
        record.place = place
    during = getattr(raised, "during", None)
    if during is not None and during is not record and record.context is None:
        record.context = during
    frame.noted = False
    return record


# ---- templates: f-strings, `%`, join. Specifications are parsed before Python sees them: widths allocate

# ---- format specifications

SPEC = re.compile(
    r"(?:.?[<>=^])?[-+ ]?z?#?0?(?P<width>\d+)?[,_]?(?:\.(?P<precision>\d+))?[bcdeEfFgGnosxX%]?", re.DOTALL
)
WIDEST = 1000
MOST_DIGITS = 100


def check_field_size(width: str | None, precision: str | None) -> None:
    """Refuses a width or precision that only serves to fill memory."""
    if int((width or "0")[:9]) > WIDEST or int((precision or "0")[:9]) > MOST_DIGITS:
        raise ValueError("Too many decimal digits in format string")


def format_value(machine: Machine, value: Value, spec: str) -> str:
    """`format(value, spec)`"""
    if isinstance(value, torch.Tensor) and value.dim() == 0 and type(value) is not torch.nn.Parameter:
        value = value.item()
    if isinstance(value, OBJECTS):
        answer = call_method(machine, value, "__format__", [spec])
        if answer is not NotImplemented:
            return check_text(answer, "__format__")
        if value.kind.members is not None and not is_its_value(value):
            value = str_of(machine, value)
        elif isinstance(value, (int, float, str)) and not (isinstance(value, str) and not spec):
            value = plain(value)
    if not spec:
        return str_of(machine, value)
    if isinstance(value, np.ndarray):
        if value.ndim:
            raise TypeError("unsupported format string passed to numpy.ndarray.__format__")
        value = value[()]
    match = SPEC.fullmatch(spec)
    if isinstance(value, (bool, int, float, complex, str, np.generic)):
        if match is None:
            raise ValueError(f"Invalid format specifier '{spec[:40]}' for object of type '{type_name(value)}'")
        check_field_size(match["width"], match["precision"])
        return format(value, spec)
    raise TypeError(f"unsupported format string passed to {type_name(value)}.__format__")


PERCENT = re.compile(
    r"%(?:\((?P<key>[^)]*)\))?(?P<flags>[-+ #0]*)(?P<width>\d+|\*)?(?:\.(?P<digits>\d+|\*))?(?P<kind>.)?"
)


def format_percent(machine: Machine, template: str, given: Value) -> str:
    """`template % given`"""
    machine.meter.length(len(template))
    waiting = list(given) if type(given) is tuple else [given]
    taken = size = 0

    def take() -> Value:
        nonlocal taken
        if taken >= len(waiting):
            raise TypeError("not enough arguments for format string")
        taken += 1
        return waiting[taken - 1]

    def add(match: re.Match[str]) -> str:
        nonlocal size
        text = field(match)
        size += len(text)
        machine.meter.longest(size)
        return text

    def field(match: re.Match[str]) -> str:
        kind = match["kind"]
        if kind == "%":
            return "%"
        if kind is None:
            raise ValueError("incomplete format")
        width = str(int(take())) if match["width"] == "*" else match["width"]
        digits = str(int(take())) if match["digits"] == "*" else match["digits"]
        check_field_size((width or "").lstrip("-"), digits)
        if match["key"] is not None:
            if not isinstance(given, dict):
                raise TypeError("format requires a mapping")
            value = given[match["key"]]
        else:
            value = take()
        form = f"%{match['flags']}{width or ''}{'' if digits is None else '.' + digits}"
        if kind in "sra":
            return (form + "s") % (str_of(machine, value) if kind == "s" else repr_of(machine, value))
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

    result = PERCENT.sub(add, template)
    if taken < len(waiting) and not isinstance(given, (dict, list)) and waiting != [()]:
        raise TypeError("not all arguments converted during string formatting")
    machine.meter.length(len(result))
    return result


def format_field(machine: Machine, value: Value, conversion: str | None, spec: str) -> str:
    """A field of a template: `!r`, `!s`, `!a`, then the specification."""
    if conversion in ("r", "a"):
        value = repr_of(machine, value)
    elif conversion == "s":
        value = str_of(machine, value)
    return format_value(machine, value, spec)


def join_texts(machine: Machine, glue: str, parts: Value) -> str:
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
