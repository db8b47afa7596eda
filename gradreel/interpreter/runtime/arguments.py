"""Arguments: how those of a call become the variables of a function, and what Python says when they do not fit."""

from __future__ import annotations

import inspect
from typing import NamedTuple

from .values import MISSING, Builtin, Value


class Signature(NamedTuple):
    """The parameters of a function. `filled` are those with a default: as many of the last positional ones."""

    title: str
    positional: tuple[str, ...]
    only_positional: int
    keyword: tuple[str, ...]
    rest: str | None
    named: str | None


def bind_arguments(
    of: Signature, defaults: dict[str, Value], args: list[Value], kwargs: dict[str, Value]
) -> dict[str, Value]:
    """The variables that a call begins with. `args` is emptied: the caller keeps nothing of them."""
    count = len(of.positional)
    given = len(args)
    names = dict(zip(of.positional, args, strict=False))
    if of.rest is not None:
        names[of.rest] = tuple(args[count:])
    args.clear()
    if given > count and of.rest is None:
        raise too_many(of, defaults, given, kwargs)
    extra: dict[str, Value] = {}
    for name, value in kwargs.items():
        if name in of.keyword or name in of.positional[of.only_positional :]:
            if name in names:
                raise TypeError(f"{of.title}() got multiple values for argument '{name}'")
            names[name] = value
        elif of.named is not None:
            extra[name] = value
        elif name in of.positional:
            raise TypeError(f"{of.title}() got some positional-only arguments passed as keyword arguments: '{name}'")
        else:
            raise TypeError(f"{of.title}() got an unexpected keyword argument '{name}'")
    if of.named is not None:
        names[of.named] = extra
    for wanted, kind in ((of.positional, "positional"), (of.keyword, "keyword-only")):
        missing = [name for name in wanted if name not in names and name not in defaults]
        if missing:
            raise too_few(of, missing, kind)
        for name in wanted:
            if name not in names:
                names[name] = defaults[name]
    return names


def too_many(of: Signature, defaults: dict[str, Value], given: int, kwargs: dict[str, Value]) -> TypeError:
    count = len(of.positional)
    least = count - sum(1 for name in of.positional if name in defaults)
    takes = f"{count}" if least == count else f"from {least} to {count}"
    also = sum(1 for name in kwargs if name in of.keyword)
    were = "was" if given == 1 and not also else "were"
    extra = (
        f" positional argument{'s' * (given != 1)} (and {also} keyword-only argument{'s' * (also != 1)})"
        if also
        else ""
    )
    plural = "s" if count != 1 or least != count else ""
    return TypeError(f"{of.title}() takes {takes} positional argument{plural} but {given}{extra} {were} given")


def too_few(of: Signature, missing: list[str], kind: str) -> TypeError:
    quoted = [f"'{name}'" for name in missing]
    listing = (
        quoted[0]
        if len(quoted) == 1
        else (f"{quoted[0]} and {quoted[1]}" if len(quoted) == 2 else f"{', '.join(quoted[:-1])}, and {quoted[-1]}")
    )
    plural = "s" if len(missing) > 1 else ""
    return TypeError(f"{of.title}() missing {len(missing)} required {kind} argument{plural}: {listing}")


# ---- builtins

POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def unfit(function: Builtin, given: int, kwargs: dict[str, Value], error: TypeError) -> TypeError:
    """What Python says of a call of one of its builtins whose arguments do not fit; `error` says it of our function."""
    hidden = bool(function.machine) + (function.receiver is not MISSING)
    given -= function.receiver is not MISSING
    title = function.title or function.name
    parameters = list(inspect.signature(function.run).parameters.values())[hidden:]
    names = {p.name for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)}
    odd = next((name for name in kwargs if name not in names), None)
    if odd is not None:
        if not any(p.kind is p.KEYWORD_ONLY or p.default is not p.empty for p in parameters):
            return TypeError(f"{title}() takes no keyword arguments")
        return TypeError(f"'{odd}' is an invalid keyword argument for {title}()")
    places = [p for p in parameters if p.kind in POSITIONAL]
    least, most = sum(p.default is p.empty for p in places), len(places)
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        most = given + 1
    if least <= given <= most:
        return error
    name = title.rpartition(".")[2]
    if given < least and name in TOO_FEW:
        return TypeError(TOO_FEW[name])
    if name in BY_NAME:
        if given > most:
            return TypeError(f"{name}() takes at most {most} arguments ({given} given)")
        return TypeError(f"{name}() missing required argument '{BY_NAME[name][given]}' (pos {given + 1})")
    if not most and any(p.kind is p.KEYWORD_ONLY for p in parameters):
        return TypeError(f"{name}() takes no positional arguments")
    if least == most:
        if most <= 1 and name not in COUNTED:
            takes = "exactly one argument" if most else "no arguments"
            return TypeError(f"{title}() takes {takes} ({given} given)")
        return TypeError(f"{name} expected {most} argument{'s' * (most != 1)}, got {given}")
    bound, count = ("least", least) if given < least else ("most", most)
    return TypeError(f"{name} expected at {bound} {count} argument{'s' * (count != 1)}, got {given}")


BY_NAME: dict[str, tuple[str, ...]] = {
    "sum": (),
    "enumerate": (),
    "round": ("number",),
    "pow": ("base", "exp"),
    "int": (),
    "complex": (),
}
"""Builtins of C that take arguments by name, too, and what they cannot do without: they count in words of their own."""

TOO_FEW = {
    "sum": "sum() takes at least 1 positional argument (0 given)",
    "enumerate": "enumerate() missing required argument 'iterable'",
    "map": "map() must have at least two arguments.",
}

COUNTED = ("sorted", "reversed")
"""Builtins that say how many arguments they expected, though it is one."""
