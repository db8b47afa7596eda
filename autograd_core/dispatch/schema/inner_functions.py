"""What torch's functions written in Python say of arguments that the C++ function inside them refuses.

inner_functions.txt has, for each such function, what it asks of its arguments first (`target.size`, `p<0.0`, or
`training?` for whether one is true) and then the call that it makes; one that overwrites its input has a name that ends
in `_`. It is looked at in a call of a kind that has not gone through before.
"""

from __future__ import annotations

import functools
import inspect
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ...tensor.tensor import Tensor
from .guard import kinds, plain_number
from .messages import kind_of
from .parser import Signature, read

Function = Callable[..., Any]

REDUCTIONS = ("none", "mean", "sum", "batchmean")


class Inside:
    """The C++ call in the body of a function: attributes asked for before, its signatures, its arguments."""

    def __init__(self, ways: list[str], text: str) -> None:
        before, _, rest = text.rstrip(")").partition("(")
        *self.asked, name = before.split()
        self.name = name
        self.signatures, self.overwriting = ([Signature(title, way) for way in ways] for title in (name, f"{name}_"))
        self.arguments = rest.split(", ")
        self.numbers = {
            name
            for way in self.signatures
            for name, p in zip(self.arguments, way.parameters, strict=False)
            if p.kind in NUMBERS
        }
        """The arguments that are numbers, which a tensor without dimensions can stand for."""

    def refusal(self, given: Mapping[str, Any]) -> Exception | None:
        """What torch raises for these arguments before any number is computed; None if nothing."""
        for question in self.asked:
            refused = answer_to(question, given)
            if refused is not None:
                return refused
        if self.name == NOTHING:
            return None
        values = [CONSTANTS[name] if name in CONSTANTS else given[name] for name in self.arguments]
        try:
            read(self.overwriting if given.get("inplace") is True else self.signatures, values, {})
        except TypeError as error:
            return error
        return None


def answer_to(question: str, given: Mapping[str, Any]) -> Exception | None:
    """What Python raises where it is asked this of an argument; None if it has an answer. A question may be asked only
    where another argument is true: `training:input.size`."""
    condition, _, question = question.rpartition(":")
    if condition and not given[condition]:
        return None
    name, mark, rest = re.fullmatch(r"(\w+)([.<>?])(.*)", question).groups()  # type: ignore[union-attr]
    value = given[name]
    if value is None and name in OMITTED:
        return None
    if mark == "." and not isinstance(value, Tensor) and not hasattr(value, rest):
        return AttributeError(f"'{kind_of(value)}' object has no attribute '{rest}'")
    several = isinstance(value, Tensor) and value.data_.size != 1
    if mark in "<>?" and several:
        return RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
    if mark in "<>" and not isinstance(value, bool | int | float | Tensor | np.number):
        bound = "float" if "." in rest else "int"
        return TypeError(f"'{mark}' not supported between instances of '{kind_of(value)}' and '{bound}'")
    return None


NUMBERS = ("Number", "float", "int", "length")
"""Kinds of parameters."""

NOTHING = "-"
"""In the place of a call where Python's own code goes on."""

OMITTED = ("padding_idx",)
"""Arguments of which torch asks nothing where they are None."""

CONSTANTS = {"1": 1, "True": True}
"""Arguments that torch fills in itself: the number of a reduction, a flag."""


def table() -> dict[str, Inside]:
    found: dict[str, Inside] = {}
    ways: list[str] = []
    named = False
    for line in Path(__file__).with_name("inner_functions.txt").read_text().splitlines():
        if line.startswith(" "):
            name, _, text = line.strip().partition(": ")
            found[name], named = Inside(ways, text), True
        else:
            ways, named = [line] if named else [*ways, line], False
    return found


TABLE = table()


def reword(name: str, function: Function) -> Function:
    """`function`, whose failures are told as torch's `name` tells them."""
    inside, signature = TABLE[name], inspect.signature(function)

    def refusal(given: Mapping[str, Any]) -> Exception | None:
        reduction = given.get("reduction", "none")
        known = isinstance(reduction, str) and reduction in REDUCTIONS
        return inside.refusal(given) if known else None

    known: set[Any] = set()

    @functools.wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        key = (kinds(args), *options, kinds(options.values())) if options else kinds(args)
        if key in known:
            return function(*args, **options)
        try:
            bound = signature.bind(*args, **options)
        except TypeError:  # Python's own words for too many, too few or unknown arguments are torch's, too
            return function(*args, **options)
        bound.apply_defaults()
        given = bound.arguments
        refused = refusal(given)
        if refused is not None:
            raise refused
        standing = {name for name in inside.numbers & given.keys() if isinstance(given[name], Tensor)}
        if standing:
            given.update({name: plain_number(given[name]) for name in standing})
            return function(*bound.args, **bound.kwargs)
        result = function(*args, **options)
        known.add(key)
        return result

    return call


def reword_module(module: str) -> None:
    """Let the functions of `module` tell their failures as torch's of the same names do."""
    functions = vars(sys.modules[module])
    for name in TABLE.keys() & functions.keys():
        functions[name] = reword(name, functions[name])
