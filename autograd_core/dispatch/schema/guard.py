"""Puts torch's signatures before our functions.

A call of a kind that has gone through before (the same types under the same names) goes straight on. Any other is read
as torch reads it: what torch refuses is refused in its words, arguments are handed on under the names that the function
knows them by, and `out` is written by the same code for all.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any

from ...api.functions.creation import check_device
from ...engine.warnings import warn_once
from ...errors import Unsupported
from ...tensor.tensor import Tensor, wrapped_number
from . import kernel_dtypes
from .kernel_dtypes import Function, refuse_dtypes
from .out import SEVERAL, write_out
from .parameters import is_plain_number
from .parser import Given, Signature, read
from .schema import DECLARED, MADE

IDLE = {"layout", "pin_memory", "memory_format", "non_blocking", "device"}
"""Arguments that change nothing on a CPU, once they are seen to be right."""

TENSORS = ("Tensor", "Tensors", "gaps", "object", "Storage")
"""Kinds of arguments in which a tensor is one."""

OLD_WAY = (
    "This overload of {0} is deprecated:\n\t{0}{1}\nConsider using one of the following signatures instead:\n\t{2}"
)

ABSENT = type("Absent", (), {})()
"""In the place of a first argument that is not there: no call with it is known."""


def table() -> dict[str, dict[str, tuple[str, list[str]]]]:
    """By module and name what torch calls a function, and the ways to call it; one that takes nothing has "()"."""
    found: dict[str, dict[str, tuple[str, list[str]]]] = {space: {} for space in DECLARED}
    ways: list[str] = []
    names = True
    made = ", ".join(MADE)
    for line in Path(__file__).with_name("table.txt").read_text().splitlines():
        if line.startswith("["):
            space = found[line[1:-1]]
        elif not line.startswith(" "):
            ways, names = ([] if names else ways) + [line.replace("MADE", made)], False
        else:
            names = True
            for name in line.split():
                public, _, shown = name.partition("=")
                space[public] = shown or public, ["()" if way == "-" else way for way in ways]
    return found


TABLE = table()
"""Of what is not declared by a schema: most of it torch's bindings write by hand."""


def names_in(space: str) -> set[str]:
    """The names in a module that have signatures."""
    return DECLARED[space].keys() | TABLE[space].keys()


def signatures_of(space: str, name: str) -> list[Signature]:
    """The signatures of a function that has some."""
    entry = DECLARED[space].get(name)
    title, ways = TABLE[space][name] if entry is None else (entry.title, entry.ways())
    return [Signature(title, way) for way in ways]


def takes_nothing(space: str, name: str) -> bool:
    entry = DECLARED[space].get(name)
    return TABLE[space][name][1] == ["()"] if entry is None else entry.takes_nothing()


def guard(space: str, name: str, function: Function) -> Function:
    """`function` as torch's `name` of the module `space`; itself if torch wrote that in Python."""
    function = refuse_dtypes(name, function)
    if name not in DECLARED[space] and name not in TABLE[space]:
        return function
    if takes_nothing(space, name):
        return without_arguments(name, function)
    return check_calls(Reader(space, name, function))


def guard_module(module: str, space: str) -> None:
    """Let the functions of `module` that have a signature in torch's module `space` read their calls by it."""
    functions = vars(sys.modules[module])
    for name in (names_in(space) | kernel_dtypes.TABLE.keys()) & functions.keys():
        functions[name] = guard(space, name, functions[name])


def without_arguments(name: str, function: Function) -> Function:
    """A method that takes nothing."""

    @functools.wraps(function)
    def call(self: Any, *args: Any, **options: Any) -> Any:
        if args or options:
            what = "keyword arguments" if options else f"arguments ({len(args)} given)"
            raise TypeError(f"TensorBase.{name}() takes no {what}")
        return function(self)

    return call


def check_calls(reader: Reader) -> Function:
    """The function of `reader`, called only in the ways that its signatures allow."""
    function, known, read_first = reader.function, reader.known, reader.call

    @functools.wraps(function)
    def call(first: Any = ABSENT, /, *rest: Any, **options: Any) -> Any:
        if not options:
            if not rest:
                if first.__class__ in known:
                    return function(first)
            elif (first.__class__, *map(type, rest)) in known:
                return function(first, *rest)
        return read_first(() if first is ABSENT else (first, *rest), options)

    call.reads = reader  # type: ignore[attr-defined]
    return call


class Reader:
    """What stands between a call by a program and `function`: torch's signatures, and the calls already seen.

    `known` are the types of arguments that go through as they are.
    """

    def __init__(self, space: str, name: str, function: Function) -> None:
        self.space, self.public, self.function, self.method = space, name, function, space == "Tensor"
        self.known: set[Any] = set()

    @cached_property
    def signatures(self) -> list[Signature]:
        return signatures_of(self.space, self.public)

    @cached_property
    def name(self) -> str:
        return self.signatures[0].name

    @cached_property
    def parameters(self) -> list[inspect.Parameter]:
        """Those of the function itself."""
        return list(inspect.signature(self.function).parameters.values())

    @cached_property
    def own(self) -> list[str]:
        return [p.name for p in self.parameters if p.kind is not p.VAR_POSITIONAL]

    @cached_property
    def takes_rest(self) -> bool:
        return any(p.kind is p.VAR_POSITIONAL for p in self.parameters)

    def call(self, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        key: Any = kinds(args) if not options else (kinds(args), *options, kinds(options.values()))
        if key in self.known:
            return self.function(*args, **options)
        signature, given = read(self.signatures, args[self.method :], options)
        if signature.deprecated:
            return self.call(*self.as_now(signature, args, options, given))
        of_numbers = plain_types(signature, given)
        if not of_numbers:
            args, options = self.plain(signature, args, options)
            given = read([signature], args[self.method :], options)[1]
        handed = self.hand_over(signature, options, given)
        as_given = of_numbers
        if signature.takes_rest and not self.takes_rest and len(args) > self.method + 1:
            as_given = False
            args = (*args[: self.method], tuple(args[self.method :]))
        args += handed.pop("*", ())
        if signature.numbers and not self.method and args and is_plain_number(args[0]):
            args = (wrapped_number(args[0]), *args[1:])
            return self.function(*args, **handed)
        out = handed.pop("out", None) if "out" not in self.own else None
        if out is not None:
            return write_out(out, args, handed, self.function)
        result = self.function(*args, **handed)
        if handed.keys() == options.keys() and as_given:
            self.known.add(key)
            if len(args) == 1 and not options and isinstance(key[0], type):
                self.known.add(key[0])  # one argument, the commonest case, is looked up without a tuple
        return result

    def plain(
        self, signature: Signature, args: tuple[Any, ...], options: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """A call with the numbers that its tensors stand for, where numbers are meant."""
        wanted = [p for p in signature.parameters if p.kind not in TENSORS]
        own, rest = args[: self.method], args[self.method :]
        if signature.takes_rest and len(rest) > 1:
            rest = tuple(map(plain_number, rest))
        else:
            kinds = signature.parameters[: len(rest)]
            rest = tuple(plain_number(v) if p in wanted else v for p, v in zip(kinds, rest, strict=True))
        names = {name for p in wanted for name in p.names}
        return own + rest, {n: plain_number(v) if n in names else v for n, v in options.items()}

    def hand_over(self, signature: Signature, options: dict[str, Any], given: Given) -> dict[str, Any]:
        """The arguments given by name, under the names that the function knows."""
        handed = {}
        for i, p in enumerate(signature.parameters):
            name = next((n for n in p.names if n in options), None)
            if name is None:
                continue
            value, place = given[p.name], i + self.method
            if p.name in self.own or p.name == "out":
                handed[p.name] = value
            elif i < signature.positional and place < len(self.own) and not self.takes_rest:
                handed[self.own[place]] = value
            elif p.kind == "ints" and self.takes_rest:
                handed["*"] = tuple(value)
            elif p.name == "device":
                check_device(value)
            elif not (p.name in IDLE or value is None or value is False):
                raise Unsupported(f"{self.name}(): argument '{p.name}' is not supported by this engine")
        return handed

    def as_now(
        self, signature: Signature, args: tuple[Any, ...], options: dict[str, Any], given: Given
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """A call in an old way, where factors stand before what they multiply, as it is made today: they go by name.

        Torch warns of the first such call.

        Raises:
            NotImplementedError: the old way is another.
        """
        names = [p.name for p in signature.parameters if p.kind == "Tensor" and p.name != "out"]
        factors = {p.name: given[p.name] for p in signature.parameters if p.kind == "Number"}
        ways = [f"{self.name}{s.shown()}" for s in self.signatures if not s.deprecated]
        if not factors:
            raise Unsupported(f"this old way to call {self.name} is not supported: use {' or '.join(ways)}")
        warn_once("old signature", OLD_WAY.format(self.name, signature.shown(), "\n\t".join(ways)))
        out = {"out": options["out"]} if "out" in options else {}
        return (*args[: self.method], *(given[name] for name in names)), factors | out


def plain_number(value: Any) -> Any:
    """The number that a tensor of one element stands for, also inside a list; anything else as it is."""
    if isinstance(value, SEVERAL):
        return type(value)(map(plain_number, value)) if type(value) in SEVERAL else value
    return value.item() if isinstance(value, Tensor) and value.data_.size == 1 else value


def kinds(values: Iterable[Any]) -> tuple[Any, ...]:
    """The types of arguments, and in lists those of their elements."""
    return tuple((v.__class__, *map(type, v)) if isinstance(v, SEVERAL) else v.__class__ for v in values)


def plain_types(signature: Signature, given: Given) -> bool:
    """Whether the types of arguments alone said that they fit: not where a tensor stands for a number, or a type for a
    dtype."""
    for p in signature.parameters:
        value = given.get(p.name)
        parts = value if isinstance(value, SEVERAL) else (value,)
        if p.kind not in TENSORS and any(isinstance(part, Tensor | type) for part in parts):
            return False
    return True
