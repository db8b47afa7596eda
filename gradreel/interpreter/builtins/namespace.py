"""Python's built-in functions and types, each with its charges."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..machine import Machine
from ..runtime.allowed_types import PYTHON_TYPES
from ..runtime.attributes import FUNCTION_TYPES, OBJECT, TYPE_OF_TYPES, load
from ..runtime.calls import call, truth_of
from ..runtime.errors import ERRORS
from ..runtime.type_names import kind_name
from ..runtime.values import (
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
from ..stdlib.collections import TUPLE
from .constructors import classify, hash_value, make_complex, make_float, make_int, make_range, make_slice, plainest
from .formatting import format_value, repr_of, str_of
from .hashing import charge_keys
from .introspection import (
    attributes_of,
    delete_attribute,
    get_attribute,
    global_names,
    has_attribute,
    identity,
    is_callable,
    is_instance,
    is_subclass,
    list_names,
    local_names,
    set_attribute,
)
from .iteration import collect_items
from .methods import METHODS, _fromkeys, maketrans, sort_items
from .operators import greater, less
from .sequences import (
    Filtered,
    Mapped,
    absolute,
    all_true,
    any_true,
    divide_with_rest,
    length,
    make_dict,
    make_enumerate,
    make_extreme,
    make_filter,
    make_iterator,
    make_map,
    make_reversed,
    make_zip,
    next_item,
    power,
    round_number,
    sum_items,
)


def show(
    machine: Machine, *values: Value, sep: Value = None, end: Value = None, file: Value = None, flush: Value = False
) -> None:
    """`print`"""
    for name, given in (("sep", sep), ("end", end)):
        if given is not None and not isinstance(given, str):
            raise TypeError(f"{name} must be None or a string, not {kind_name(given)}")
    glue = " " if sep is None else sep
    words = [str_of(machine, value) for value in values]
    machine.meter.room(sum(map(len, words)) + len(glue) * len(words))
    parts = glue.join(words)
    shown = parts + ("\n" if end is None else end)
    file = machine.streams.get("stdout", MISSING) if file is None else file
    if file is MISSING:
        machine.write(shown)
    elif file is not None:  # Python prints nothing where there is no stdout
        call(machine, load(machine, file, "write"), [shown], {})


def format_builtin(machine: Machine, value: Value, spec: str = "") -> str:
    return format_value(machine, value, spec)


def _type(name: str, hosts: tuple[type, ...], make: Callable[..., Any] | None, **methods: Value) -> Type:
    kind = Type(name, hosts, Builtin(name, make, machine=True) if make else None, None, methods)
    for host in hosts:
        if host in METHODS:
            kind.methods = {**METHODS[host], **methods}
    return kind


TYPES: dict[str, Type] = {
    "int": _type("int", (int,), make_int),
    "float": _type("float", (float,), make_float),
    "complex": _type("complex", (complex,), make_complex),
    "bool": _type("bool", (bool,), lambda machine, value=False: truth_of(machine, value)),
    "str": _type(
        "str", (str,), lambda machine, value="": str_of(machine, value), maketrans=Builtin("t", maketrans, True)
    ),
    "list": _type("list", (list,), lambda machine, items=(): collect_items(machine, items)),
    "tuple": _type("tuple", (tuple,), lambda machine, items=(): tuple(collect_items(machine, items))),
    "dict": _type("dict", (dict,), make_dict, fromkeys=Builtin("fromkeys", _fromkeys, machine=True)),
    "set": _type("set", (set,), lambda machine, items=(): set(charge_keys(machine, collect_items(machine, items)))),
    "frozenset": _type(
        "frozenset",
        (frozenset,),
        lambda machine, items=(): frozenset(charge_keys(machine, collect_items(machine, items))),
    ),
    "range": _type("range", (range,), make_range),
    "slice": _type("slice", (slice,), make_slice),
    "object": _type("object", (object,), lambda machine: Instance(plainest(machine))),
    "type": Type("type", (Class, Type, ExceptionType), Builtin("type", classify, machine=True)),
    "NoneType": _type("NoneType", (type(None),), None),
    "ellipsis": _type("ellipsis", (type(...),), None),
    "function": _type("function", (Function,), None),
    "module": _type("module", (), None),
    "enumerate": _type("enumerate", (enumerate,), make_enumerate),
    "zip": _type("zip", (zip,), make_zip),
    "map": _type("map", (Mapped,), make_map),
    "filter": _type("filter", (Filtered,), make_filter),
    "super": _type("super", (Super,), lambda machine, type, *this: super_of(type, *this)),
    "generator": _type("generator", (Generator,), None),
    "method": _type("method", (Bound,), None),
    "builtin_function_or_method": _type("builtin_function_or_method", (Builtin, Foreign), None),
    "method_descriptor": _type("method_descriptor", (), None),
}

FUNCTION_KINDS = ("function", "method", "builtin_function_or_method", "method_descriptor")

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "len": length,
    "abs": absolute,
    "round": round_number,
    "pow": power,
    "sum": sum_items,
    "min": make_extreme("min", less),
    "max": make_extreme("max", greater),
    "divmod": divide_with_rest,
    "reversed": make_reversed,
    "sorted": lambda machine, items, *, key=None, reverse=False: sort_items(
        machine, collect_items(machine, items), key, reverse
    ),
    "all": all_true,
    "any": any_true,
    "iter": make_iterator,
    "next": next_item,
    "isinstance": is_instance,
    "issubclass": is_subclass,
    "callable": is_callable,
    "hasattr": has_attribute,
    "getattr": get_attribute,
    "setattr": set_attribute,
    "id": identity,
    "repr": lambda machine, obj: repr_of(machine, obj),
    "ascii": lambda machine, value: repr_of(machine, value).encode("ascii", "backslashreplace").decode(),
    "print": show,
    "format": format_builtin,
    "chr": lambda machine, code: chr(code),
    "ord": lambda machine, letter: ord(letter),
    "hex": lambda machine, number: hex(number),
    "bin": lambda machine, number: bin(number),
    "oct": lambda machine, number: oct(number),
    "hash": hash_value,
    "dir": list_names,
    "vars": attributes_of,
    "locals": local_names,
    "globals": global_names,
    "delattr": delete_attribute,
}


def super_of(after: Value, this: Value = MISSING) -> Super:
    if not isinstance(after, (Class, Type, ExceptionType)):
        raise TypeError(f"super() argument 1 must be a type, not {kind_name(after)}")
    if this is MISSING or this is None:
        return Super(after)
    kind = this.kind if isinstance(this, OBJECTS) else this
    if not isinstance(after, Class) or not isinstance(kind, Class) or after not in kind.order:
        raise TypeError("super(type, obj): obj must be an instance or subtype of type")
    return Super(after, this, kind)


DECORATORS: dict[str, Callable[..., Any]] = {
    "staticmethod": lambda machine, function: StaticMethod(function),
    "classmethod": lambda machine, function: ClassMethod(function),
    "property": lambda machine, fget=None, fset=None, fdel=None, doc=None: Property(fget, fset, fdel),
}

NO_BYTES = (
    "Bytes are not supported here: write text as a plain string, and small whole numbers as a list or as a tensor with "
    "`dtype=torch.uint8`."
)
REFUSED = {
    "input": "`input` waits for somebody to type, and nobody can while a program runs here: write the value itself in "
    "its place, as text or as a number.",
    "eval": "`eval` runs text as a program, which is not offered here: write the expression itself. `float(text)` and "
    "`int(text)` read a number from text.",
    "exec": "`exec` runs text as a program, which is not offered here: write its statements themselves, in a function "
    "if they are to run more than once.",
    "compile": "`compile` makes a program of text, which is not offered here: write it as a function. "
    "(`torch.compile` is another thing, and can be called.)",
    "memoryview": "`memoryview` is not offered here: a slice of a tensor, `x[2:5]`, shows a part of its memory too.",
    "bytes": NO_BYTES,
    "bytearray": NO_BYTES,
    "breakpoint": "There is no debugger here: leave `breakpoint()` out, and step through the run in the player, which "
    "shows every tensor at each step.",
    "help": "`help` opens a manual, and there is none here: leave the call out. `dir(x)` lists what `x` has.",
    "__import__": "`__import__` is not offered here: write an import statement, such as `import math`.",
}
"""Names of Python that are refused where they are used, before the program runs, and what to write in their place."""

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
