"""What torch's functions written in Python say of arguments that the C++ function inside them refuses.

inside.txt has, for each such function, what it asks of its arguments first (`target.size`) and then the call that it
makes. It is looked at in a call of a kind that has not gone through before.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ..tensor import Tensor
from .guarding import kinds
from .parsing import Signature, read
from .words import kind_of

Function = Callable[..., Any]

FAILURES = (TypeError, AttributeError, ValueError, IndexError, RuntimeError, NotImplementedError)
REDUCTIONS = ("none", "mean", "sum")


class Inside:
    """The C++ call in the body of a function: attributes asked for before, its signature, its arguments."""

    def __init__(self, way: str, text: str) -> None:
        before, _, rest = text.rstrip(")").partition("(")
        *asked, name = before.split()
        self.asked = [tuple(part.split(".")) for part in asked]
        self.signature = Signature(name, way)
        self.arguments = rest.split(", ")

    def refusal(self, given: Mapping[str, Any]) -> Exception | None:
        """What torch raises for these arguments before any number is computed; None if nothing."""
        for name, attribute in self.asked:
            value = given[name]
            if not isinstance(value, Tensor) and not hasattr(value, attribute):
                return AttributeError(f"'{kind_of(value)}' object has no attribute '{attribute}'")
        values = [CONSTANTS[name] if name in CONSTANTS else given[name] for name in self.arguments]
        try:
            read([self.signature], values, {})
        except TypeError as error:
            return error
        return None


CONSTANTS = {"1": 1, "True": True}
"""Arguments that torch fills in itself: the number of a reduction, a flag."""


def table() -> dict[str, Inside]:
    found, way = {}, ""
    for line in Path(__file__).with_name("inside.txt").read_text().splitlines():
        if line.startswith(" "):
            name, _, text = line.strip().partition(": ")
            found[name] = Inside(way, text)
        else:
            way = line
    return found


TABLE = table()


def worded(name: str, function: Function) -> Function:
    """`function`, whose failures are told as torch's `name` tells them."""
    inside, signature = TABLE[name], inspect.signature(function)

    def refusal(args: tuple[Any, ...], options: dict[str, Any]) -> Exception | None:
        try:
            bound = signature.bind(*args, **options)
        except TypeError:
            return None  # Python's own words for too many, too few or unknown arguments are torch's, too
        bound.apply_defaults()
        reduction = bound.arguments.get("reduction", "none")
        known = isinstance(reduction, str) and reduction in REDUCTIONS
        return inside.refusal(bound.arguments) if known else None

    known: set[Any] = set()

    @functools.wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        key = (kinds(args), *options, kinds(options.values())) if options else kinds(args)
        if key in known:
            return function(*args, **options)
        refused = refusal(args, options)
        if refused is not None:
            raise refused
        result = function(*args, **options)
        known.add(key)
        return result

    return call


def worded_all(names: dict[str, Any]) -> dict[str, Function]:
    return {name: worded(name, names[name]) for name in TABLE if name in names}
