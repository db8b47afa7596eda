"""Python's built-in functions and types, each with its charges."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradreel.trace.events import NumbersTaken

from ..calls import call, call_method, kind_name, truth
from ..engine import tensor_id, torch
from ..errors import TYPES as ERRORS
from ..machine import Machine
from ..objects.attributes import OBJECT, TYPE_OF_TYPES, load
from ..objects.kinds import FUNCTION_TYPES, PYTHON_TYPES, type_of
from ..objects.tuples import TUPLE
from ..objects.values import (
    MISSING,
    OBJECTS,
    Bound,
    Builtin,
    Class,
    ClassMethod,
    ExceptionType,
    Foreign,
    Function,
    Generator,
    Instance,
    Property,
    StaticMethod,
    Super,
    Type,
    Value,
)
from ..refusal import Refusal
from .asking import (
    get,
    has,
    identity,
    inner_names,
    is_callable,
    is_instance,
    is_subclass,
    listing,
    outer_names,
    put,
    special_refused,
    unmarked,
    variables,
)
from .formatting import text, written
from .iterating import Walk, iterate, listed
from .methods import METHODS, _fromkeys, dictionary, maketrans, ordered_list
from .operators import Binary, general, greater, less, same, united, unsupported
from .sequences import (
    Filtered,
    Mapped,
    absolute,
    every,
    extreme,
    filtered,
    following,
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
from .subscripts import fetch
from .templates import formatted

# ---- making values


def whole(machine: Machine, value: Value = 0, base: int | None = None) -> int:
    if isinstance(value, OBJECTS):
        for name in ("__int__", "__index__", "__trunc__"):
            answer = call_method(machine, value, name, [])
            if answer is not NotImplemented:
                return int(answer)
    if isinstance(value, str):
        machine.meter.bits(len(value) * 4)
        return int(value) if base is None else int(value, base)
    if isinstance(value, (bool, int, float, np.generic)):
        return int(value)
    if isinstance(value, (torch.Tensor, np.ndarray)):
        return int(value)
    raise TypeError(f"int() argument must be a string, a bytes-like object or a real number, not '{kind_name(value)}'")


def real(machine: Machine, value: Value = 0.0) -> float:
    if isinstance(value, torch.Tensor):
        taken = float(value)
        machine.emit((NumbersTaken, tensor_id(value), "float"))
        return taken
    if isinstance(value, OBJECTS):
        for name in ("__float__", "__index__"):
            answer = call_method(machine, value, name, [])
            if answer is not NotImplemented:
                return float(answer)
    if isinstance(value, (bool, int, float, str, np.generic, np.ndarray)):
        return float(value)
    raise TypeError(f"float() argument must be a string or a real number, not '{kind_name(value)}'")


def mapping(machine: Machine, given: Value = (), **named: Value) -> dict[Value, Value]:
    if isinstance(given, dict):
        made = given
    elif isinstance(given, OBJECTS) and given.kind.find("keys") is not MISSING:
        keys = listed(machine, call(machine, load(machine, given, "keys"), [], {}))
        made = {key: fetch(machine, given, key) for key in keys}
    else:
        made = dictionary(machine, given)
    machine.meter.length(len(made) + len(named))
    return {**made, **named}


def show(
    machine: Machine, *values: Value, sep: Value = None, end: Value = None, file: Value = None, flush: Value = False
) -> None:
    """`print`"""
    for name, given in (("sep", sep), ("end", end)):
        if given is not None and not isinstance(given, str):
            raise TypeError(f"{name} must be None or a string, not {kind_name(given)}")
    parts = (" " if sep is None else sep).join([text(machine, value) for value in values])
    shown = parts + ("\n" if end is None else end)
    if file is None:
        machine.write(shown)
    else:
        call(machine, load(machine, file, "write"), [shown], {})


def begun(machine: Machine, source: Value, sentinel: Value = MISSING) -> Any:
    """`iter(source)`, `iter(function, last)`"""
    if sentinel is MISSING:
        found = iterate(machine, source)
        return found.source if isinstance(found, Walk) else found
    return Asked(machine, source, sentinel)


def plainest(machine: Machine) -> Class:
    """The class of `object()`."""
    made = Class("object", (), {}, machine)
    made.title = "object"
    return made


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
        if same(self.machine, found, self.last):
            raise StopIteration
        return found


def hashed(machine: Machine, value: Value) -> int:
    return hash(value)


DIVMOD = Binary("divmod()", divmod, divmod, "divmod", united)


def parts(machine: Machine, left: Value, right: Value) -> Value:
    """`divmod(left, right)`, which tensors do not know."""
    if isinstance(left, torch.Tensor) or isinstance(right, torch.Tensor):
        raise TypeError(unsupported(DIVMOD.sign, False, left, right))
    return general(machine, DIVMOD, DIVMOD.run, False, left, right)


def compound(machine: Machine, real: Value = 0, imag: Value = 0) -> complex:
    """`complex(...)`"""
    if isinstance(real, (torch.Tensor, np.generic)):
        real = float(real)
    return complex(real) if isinstance(real, str) else complex(real, imag)


def rendered(machine: Machine, value: Value, spec: str = "") -> str:
    return formatted(machine, value, spec)


def classify(machine: Machine, *given: Value, **keywords: Value) -> Value:
    """`type(value)`, or `type(name, bases, attributes)`"""
    if len(given) == 1:
        return type_of(given[0])
    if len(given) != 3:
        raise TypeError("type() takes 1 or 3 arguments")
    from ..syntax.classes import make_class

    name, bases, attributes = given
    if not isinstance(name, str):
        raise TypeError(f"type.__new__() argument 1 must be str, not {kind_name(name)}")
    for key in attributes:
        if isinstance(key, str) and special_refused(key):
            raise Refusal(f"A class cannot define `{key}` here.")
    return make_class(machine, name, tuple(bases), dict(attributes), keywords)


def _type(name: str, hosts: tuple[type, ...], make: Callable[..., Any] | None, **methods: Value) -> Type:
    kind = Type(name, hosts, Builtin(name, make, machine=True) if make else None, None, methods)
    for host in hosts:
        if host in METHODS:
            kind.methods = {**METHODS[host], **methods}
    return kind


def counted(machine: Machine, *bounds: Value) -> range:
    if not 1 <= len(bounds) <= 3:
        least, count = ("least 1 argument", 0) if not bounds else ("most 3 arguments", len(bounds))
        raise TypeError(f"range expected at {least}, got {count}")
    return range(*[_index(machine, bound) for bound in bounds])


def _index(machine: Machine, value: Value) -> int:
    if isinstance(value, (int, torch.Tensor, np.integer)):
        return int(value.__index__())
    answer = call_method(machine, value, "__index__", [])
    if answer is not NotImplemented:
        return int(answer)
    raise TypeError(f"'{kind_name(value)}' object cannot be interpreted as an integer")


TYPES: dict[str, Type] = {
    "int": _type("int", (int,), whole),
    "float": _type("float", (float,), real),
    "complex": _type("complex", (complex,), compound),
    "bool": _type("bool", (bool,), lambda machine, value=False: truth(machine, value)),
    "str": _type(
        "str", (str,), lambda machine, value="": text(machine, value), maketrans=Builtin("t", maketrans, True)
    ),
    "list": _type("list", (list,), lambda machine, items=(): listed(machine, items)),
    "tuple": _type("tuple", (tuple,), lambda machine, items=(): tuple(listed(machine, items))),
    "dict": _type("dict", (dict,), mapping, fromkeys=Builtin("fromkeys", _fromkeys, machine=True)),
    "set": _type("set", (set,), lambda machine, items=(): set(listed(machine, items))),
    "frozenset": _type("frozenset", (frozenset,), lambda machine, items=(): frozenset(listed(machine, items))),
    "range": _type("range", (range,), counted),
    "slice": _type("slice", (slice,), lambda machine, *bounds: slice(*bounds)),
    "object": _type("object", (object,), lambda machine: Instance(plainest(machine))),
    "type": Type("type", (Class, Type, ExceptionType), Builtin("type", classify, machine=True)),
    "NoneType": _type("NoneType", (type(None),), None),
    "ellipsis": _type("ellipsis", (type(...),), None),
    "function": _type("function", (Function,), None),
    "module": _type("module", (), None),
    "enumerate": _type("enumerate", (enumerate,), numbered),
    "zip": _type("zip", (zip,), zipped),
    "map": _type("map", (Mapped,), mapped),
    "filter": _type("filter", (Filtered,), filtered),
    "super": _type("super", (Super,), lambda machine, after, this: super_of(after, this)),
    "generator": _type("generator", (Generator,), None),
    "method": _type("method", (Bound,), None),
    "builtin_function_or_method": _type("builtin_function_or_method", (Builtin, Foreign), None),
    "method_descriptor": _type("method_descriptor", (), None),
}

FUNCTION_KINDS = ("function", "method", "builtin_function_or_method", "method_descriptor")

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "len": length,
    "abs": absolute,
    "round": rounded,
    "pow": power,
    "sum": total,
    "min": extreme("min", less),
    "max": extreme("max", greater),
    "divmod": parts,
    "reversed": turned,
    "sorted": lambda machine, items, *, key=None, reverse=False: ordered_list(
        machine, listed(machine, items), key, reverse
    ),
    "all": every,
    "any": some,
    "iter": begun,
    "next": following,
    "isinstance": is_instance,
    "issubclass": is_subclass,
    "callable": is_callable,
    "hasattr": has,
    "getattr": get,
    "setattr": put,
    "id": identity,
    "repr": written,
    "ascii": lambda machine, value: written(machine, value).encode("ascii", "backslashreplace").decode(),
    "print": show,
    "format": rendered,
    "chr": lambda machine, code: chr(code),
    "ord": lambda machine, letter: ord(letter),
    "hex": lambda machine, number: hex(number),
    "bin": lambda machine, number: bin(number),
    "oct": lambda machine, number: oct(number),
    "hash": hashed,
    "dir": listing,
    "vars": variables,
    "locals": inner_names,
    "globals": outer_names,
    "delattr": unmarked,
}


def super_of(after: Value, this: Value) -> Super:
    kind = this.kind if isinstance(this, OBJECTS) else this
    if not isinstance(after, Class) or not isinstance(kind, Class) or after not in kind.order:
        raise TypeError("super(type, obj): obj must be an instance or subtype of type")
    return Super(after, this, kind)


DECORATORS: dict[str, Callable[..., Any]] = {
    "staticmethod": lambda machine, function: StaticMethod(function),
    "classmethod": lambda machine, function: ClassMethod(function),
    "property": lambda machine, fget=None, fset=None, fdel=None, doc=None: Property(fget, fset, fdel),
}

REFUSED = {
    "input": "A program cannot ask for input here.",
    "eval": "`eval` is not offered here.",
    "exec": "`exec` is not offered here.",
    "compile": "`compile` is not offered here.",
    "memoryview": "`memoryview` is not offered here.",
    "bytes": "Bytes are not supported here.",
    "bytearray": "Bytes are not supported here.",
    "breakpoint": "There is no debugger here: step through the run in the player.",
    "help": "`help` is not offered here.",
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
FUNCTION_TYPES.update({_kind: TYPES[_kind] for _kind in (*FUNCTION_KINDS, "type")})
for _hidden in ("NoneType", "ellipsis", "module", "generator", *FUNCTION_KINDS):
    del BUILTINS[_hidden]
OBJECT.append(TYPES["object"])
TYPE_OF_TYPES.append(TYPES["type"])
TUPLE.append(TYPES["tuple"])
for _kind in TYPES.values():
    for _host in _kind.hosts:
        if _kind.name not in ("object",):
            PYTHON_TYPES.setdefault(_host, _kind)
