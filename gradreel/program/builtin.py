"""Python's built-in functions and types, each with its charges."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from gradreel.trace.events import NumbersTaken

from .attributes import load
from .calls import call_method, iterate, kind_name, listed, truth
from .engine import tensor_id, torch
from .errors import TYPES as ERRORS
from .formatting import formatted, text, written
from .kinds import PYTHON_TYPES, type_of
from .machine import Machine
from .methods import METHODS, _fromkeys, ordered_list
from .operators import binary, less
from .refusal import Refusal
from .sequences import (
    Mapped,
    absolute,
    every,
    extreme,
    following,
    kept,
    length,
    mapped,
    numbered,
    power,
    rounded,
    some,
    total,
    turned,
    zipped,
)
from .storing import store
from .values import (
    MISSING,
    Bound,
    Builtin,
    Class,
    ClassMethod,
    Error,
    ExceptionType,
    Foreign,
    Function,
    Instance,
    Property,
    StaticMethod,
    Type,
    Value,
)

# ---- kinds


def is_instance(machine: Machine, value: Value, kinds: Value) -> bool:
    if isinstance(kinds, tuple):
        return any(is_instance(machine, value, kind) for kind in kinds)
    if isinstance(kinds, Class):
        found = type_of(value)
        return isinstance(found, Class) and kinds in found.order
    if isinstance(kinds, ExceptionType):
        return isinstance(value, Error) and kinds in value.kind.bases
    if isinstance(kinds, Type):
        return kinds.name == "object" or isinstance(value, kinds.hosts)
    raise TypeError("isinstance() arg 2 must be a type, a tuple of types, or a union")


def is_subclass(machine: Machine, kind: Value, kinds: Value) -> bool:
    if isinstance(kinds, tuple):
        return any(is_subclass(machine, kind, one) for one in kinds)
    if isinstance(kind, Class):
        return (
            kinds in kind.order
            or (kind.host is not None and is_subclass(machine, kind.host, kinds))
            or (kind.exception is not None and isinstance(kinds, ExceptionType) and kinds in kind.exception.bases)
        )
    if isinstance(kind, ExceptionType):
        return kinds in kind.bases
    if isinstance(kind, Type) and isinstance(kinds, Type):
        return any(issubclass(host, kinds.hosts) for host in kind.hosts)
    raise TypeError("issubclass() arg 1 must be a class")


def is_callable(machine: Machine, value: Value) -> bool:
    if isinstance(value, Instance):
        return value.kind.find("__call__") is not MISSING
    return isinstance(value, (Function, Bound, Builtin, Foreign, Class, Type, ExceptionType, torch.nn.Module))


def has(machine: Machine, owner: Value, name: str) -> bool:
    try:
        load(machine, owner, plain_name(name))
    except AttributeError:
        return False
    except Refusal:
        return False
    return True


def get(machine: Machine, owner: Value, name: str, default: Value = MISSING) -> Value:
    try:
        return load(machine, owner, plain_name(name))
    except AttributeError:
        if default is MISSING:
            raise
        return default


def put(machine: Machine, owner: Value, name: str, value: Value) -> None:
    store(machine, owner, plain_name(name), value)


def plain_name(name: Value) -> str:
    if not isinstance(name, str):
        raise TypeError(f"attribute name must be string, not '{kind_name(name)}'")
    if name.startswith("__") and name not in ("__name__", "__class__", "__dict__"):
        raise Refusal(f"The attribute `{name[:40]}` is not offered here.")
    return name


def identity(machine: Machine, value: Value) -> int:
    return machine.number(value)


# ---- making values


def whole(machine: Machine, value: Value = 0, base: int | None = None) -> int:
    if isinstance(value, str):
        machine.meter.bits(len(value) * 4)
        return int(value) if base is None else int(value, base)
    if isinstance(value, (bool, int, float, np.generic)):
        return int(value)
    if isinstance(value, (torch.Tensor, np.ndarray)):
        return int(value)
    answer = call_method(machine, value, "__int__", [])
    if answer is not NotImplemented:
        return int(answer)
    raise TypeError(f"int() argument must be a string, a bytes-like object or a real number, not '{kind_name(value)}'")


def real(machine: Machine, value: Value = 0.0) -> float:
    if isinstance(value, torch.Tensor):
        taken = float(value)
        machine.emit((NumbersTaken, tensor_id(value), "float"))
        return taken
    if isinstance(value, (bool, int, float, str, np.generic, np.ndarray)):
        return float(value)
    answer = call_method(machine, value, "__float__", [])
    if answer is not NotImplemented:
        return float(answer)
    raise TypeError(f"float() argument must be a string or a real number, not '{kind_name(value)}'")


def mapping(machine: Machine, given: Value = (), **named: Value) -> dict[Value, Value]:
    made = (
        dict(given)
        if isinstance(given, dict)
        else dict(map(tuple, (listed(machine, p) for p in listed(machine, given))))
    )
    machine.meter.length(len(made) + len(named))
    return {**made, **named}


def show(
    machine: Machine, *values: Value, sep: Value = " ", end: Value = "\n", file: Value = None, flush: Value = False
) -> None:
    """`print`"""
    parts = (" " if sep is None else sep).join([text(machine, value) for value in values])
    shown = parts + ("\n" if end is None else end)
    if file is None or file is True:
        machine.write(shown)
    elif file is not False:
        raise AttributeError(f"'{kind_name(file)}' object has no attribute 'write'")


def rendered(machine: Machine, value: Value, spec: str = "") -> str:
    return formatted(machine, value, spec)


def classify(machine: Machine, *given: Value) -> Value:
    if len(given) != 1:
        raise Refusal("`type` with three arguments is not supported here: write a class statement.")
    return type_of(given[0])


def _type(name: str, hosts: tuple[type, ...], make: Callable[..., Any] | None, **methods: Value) -> Type:
    kind = Type(name, hosts, Builtin(name, make, machine=True) if make else None, None, methods)
    for host in hosts:
        if host in METHODS:
            kind.methods = {**METHODS[host], **methods}
    return kind


def counted(machine: Machine, *bounds: Value) -> range:
    return range(*[_index(bound) for bound in bounds])


def _index(value: Value) -> int:
    if isinstance(value, (int, torch.Tensor, np.integer)):
        return int(value.__index__())
    raise TypeError(f"'{kind_name(value)}' object cannot be interpreted as an integer")


TYPES: dict[str, Type] = {
    "int": _type("int", (int,), whole),
    "float": _type("float", (float,), real),
    "bool": _type("bool", (bool,), lambda machine, value=False: truth(machine, value)),
    "str": _type("str", (str,), lambda machine, value="": text(machine, value)),
    "list": _type("list", (list,), lambda machine, items=(): listed(machine, items)),
    "tuple": _type("tuple", (tuple,), lambda machine, items=(): tuple(listed(machine, items))),
    "dict": _type("dict", (dict,), mapping, fromkeys=Builtin("fromkeys", _fromkeys, machine=True)),
    "set": _type("set", (set,), lambda machine, items=(): set(listed(machine, items))),
    "frozenset": _type("frozenset", (frozenset,), lambda machine, items=(): frozenset(listed(machine, items))),
    "range": _type("range", (range,), counted),
    "slice": _type("slice", (slice,), lambda machine, *bounds: slice(*bounds)),
    "object": _type("object", (object,), lambda machine: Instance(Class("object", (), {}, machine))),
    "type": Type("type", (Class, Type, ExceptionType), Builtin("type", classify, machine=True)),
    "NoneType": _type("NoneType", (type(None),), None),
    "ellipsis": _type("ellipsis", (type(...),), None),
    "function": _type("function", (Function,), None),
    "module": _type("module", (), None),
    "enumerate": _type("enumerate", (enumerate,), numbered),
    "zip": _type("zip", (zip,), zipped),
    "map": _type("map", (Mapped,), mapped),
}

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "len": length,
    "abs": absolute,
    "round": rounded,
    "pow": power,
    "sum": total,
    "min": extreme("min", less),
    "max": extreme("max", lambda machine, value, best: less(machine, best, value)),
    "divmod": lambda machine, a, b: (binary(machine, ast.FloorDiv)(a, b), binary(machine, ast.Mod)(a, b)),
    "filter": kept,
    "reversed": turned,
    "sorted": lambda machine, items, *, key=None, reverse=False: ordered_list(
        machine, listed(machine, items), key, reverse
    ),
    "all": every,
    "any": some,
    "iter": iterate,
    "next": following,
    "isinstance": is_instance,
    "issubclass": is_subclass,
    "callable": is_callable,
    "hasattr": has,
    "getattr": get,
    "setattr": put,
    "id": identity,
    "repr": written,
    "ascii": written,
    "print": show,
    "format": rendered,
    "chr": lambda machine, code: chr(code),
    "ord": lambda machine, letter: ord(letter),
    "hex": lambda machine, number: hex(number),
    "bin": lambda machine, number: bin(number),
    "oct": lambda machine, number: oct(number),
    "hash": lambda machine, value: hash(value),
}

DECORATORS: dict[str, Callable[..., Any]] = {
    "staticmethod": lambda machine, function: StaticMethod(function),
    "classmethod": lambda machine, function: ClassMethod(function),
    "property": lambda machine, getter, setter=None: Property(getter, setter),
}

REFUSED = {
    "open": "Files cannot be opened here.",
    "input": "A program cannot ask for input here.",
    "eval": "`eval` is not offered here.",
    "exec": "`exec` is not offered here.",
    "compile": "`compile` is not offered here.",
    "globals": "`globals()` is not offered here.",
    "locals": "`locals()` is not offered here.",
    "vars": "`vars()` is not offered here.",
    "dir": "`dir()` is not offered here.",
    "delattr": "`delattr` is not offered here: write `del`.",
    "memoryview": "`memoryview` is not offered here.",
    "bytes": "Bytes are not supported here.",
    "bytearray": "Bytes are not supported here.",
    "complex": "Complex numbers are not supported here.",
    "breakpoint": "There is no debugger here: step through the run in the player.",
    "help": "`help` is not offered here.",
    "exit": "`exit` is not offered here.",
    "quit": "`quit` is not offered here.",
    "__import__": "`__import__` is not offered here: write an import statement.",
}
"""Names of Python that are refused where they are used, before the program runs."""

BUILTINS: dict[str, Value] = {
    **TYPES,
    **ERRORS,
    **{name: Builtin(name, way, machine=True) for name, way in {**FUNCTIONS, **DECORATORS}.items()},
    "NotImplemented": NotImplemented,
    "Ellipsis": ...,
    "IOError": ERRORS["OSError"],
}
for _hidden in ("NoneType", "ellipsis", "function", "module"):
    del BUILTINS[_hidden]
for _kind in TYPES.values():
    for _host in _kind.hosts:
        if _kind.name not in ("object",):
            PYTHON_TYPES.setdefault(_host, _kind)
