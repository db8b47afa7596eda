"""What torch says of a call that fits no signature."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...tensor.tensor import Tensor

if TYPE_CHECKING:
    from .parameters import Parameter
    from .parser import Signature


def kind_of(value: Any) -> str:
    """The name of a type as C++ sees it: with the module, if it was written in C."""
    kind = type(value)
    if isinstance(value, np.generic | np.ndarray):
        return f"numpy.{kind.__name__}"
    if kind.__module__ in ("torch", "torch.return_types") and kind.__name__ != "Tensor":
        return f"{kind.__module__}.{kind.__name__}"
    return kind.__name__


def too_many(signature: Signature, given: int) -> str:
    least, most = signature.least, signature.positional
    if least != most:
        return f"{signature.name}() takes from {least} to {most} positional arguments but {given} were given"
    argument, was = "argument" if most == 1 else "arguments", "was" if given == 1 else "were"
    return f"{signature.name}() takes {most} positional {argument} but {given} {was} given"


def missing(signature: Signature, start: int) -> str:
    names = [f'"{p.name}"' for p in signature.parameters[start:] if not p.optional]
    argument = "arguments" if len(names) == 1 else "argument"  # the wrong way round, in torch too
    return f"{signature.name}() missing {len(names)} required positional {argument}: {', '.join(names)}"


def wrong(signature: Signature, p: Parameter, value: Any, position: int | None) -> str:
    place = "" if position is None else f" (position {position + 1})"
    head = f"{signature.name}(): argument '{p.name}'{place} must be {p.word}, "
    if position is not None and p.kind in ("ints", "floats") and isinstance(value, tuple | list):
        return f"{head}but found element of type {kind_of(value[0])} at pos 0"
    return f"{head}not {kind_of(value)}"


def element(signature: Signature, p: Parameter, at: int, value: Any) -> str:
    return (
        f"{signature.name}(): argument '{p.name}' failed to unpack the object at pos {at + 1} with error "
        f'"type must be tuple of ints,but got {kind_of(value)}"'
    )


def unexpected(signature: Signature, options: Mapping[str, Any], given: int) -> str:
    names = [p.name for p in signature.parameters]
    for name in options:
        if name not in names:
            return f"{signature.name}() got an unexpected keyword argument '{name}'"
        if names.index(name) < given:
            return f"{signature.name}() got multiple values for argument '{name}'"
    return "invalid keyword arguments"


# ---- none of several


def none_fits(signatures: Sequence[Signature], args: Sequence[Any], options: Mapping[str, Any]) -> str:
    """The call, and the ways in which it could have been made."""
    name = signatures[0].name
    ways = [s.shown() for s in signatures if not s.deprecated]
    start = f"{name}() received an invalid combination of arguments - got "
    if len(ways) == 1:
        strangers = unmatched(ways[0], options)
        if strangers:
            return f"{start}unrecognized keyword arguments: {', '.join(strangers)}"
        alike = len(split(ways[0])) == len(args) + len(options)
        got = mark_types(ways[0], args, options) if alike else describe_call(args, options)
        return f"{start}{got}, but expected {ways[0]}"
    lines = [f"{start}{describe_call(args, options)}, but expected one of:"]
    for way in ways:
        lines.append(f" * {way}")
        if len(split(way)) == len(args) + len(options):
            lines.append(f"      didn't match because some of the {reason(way, args, options)}")
    return "\n".join(lines) + "\n"


def reason(way: str, args: Sequence[Any], options: Mapping[str, Any]) -> str:
    strangers = unmatched(way, options)
    if strangers:
        return f"keywords were incorrect: {', '.join(strangers)}"
    return f"arguments have invalid types: {mark_types(way, args, options)}"


def split(way: str) -> list[tuple[str, str]]:
    """Type and name of each part of a signature; torch takes the last word for the name, be it a default."""
    parts = [part.rpartition(" ") for part in way[1:-1].split(", ")]
    return [(kind, name) for kind, _, name in parts]


def unmatched(way: str, options: Mapping[str, Any]) -> list[str]:
    parts = split(way)
    names = {name for _, name in parts[max(0, len(parts) - len(options)) :]}
    return [name for name in options if name not in names]


def describe_call(args: Sequence[Any], options: Mapping[str, Any]) -> str:
    parts = [kind_of(value) for value in args] + [f"{name}={kind_of(options[name])}" for name in options]
    return enclose(parts, bool(args))


def mark_types(way: str, args: Sequence[Any], options: Mapping[str, Any]) -> str:
    """The arguments, those of another type marked."""
    shown = []
    for i, (kind, name) in enumerate(split(way)):
        by_name = i >= len(args)
        value = options[name] if by_name else args[i]
        text = list_out(value) if isinstance(value, tuple | list) else kind_of(value)
        text = f"{name}={text}" if by_name else text
        shown.append(text if matches(value, kind) else f"!{text}!")
    return enclose(shown, bool(args))


def enclose(parts: Sequence[str], closed: bool) -> str:
    """In parentheses; torch leaves the last comma where there are keywords alone."""
    return f"({', '.join(parts)}{'' if closed or not parts else ', '})"


def matches(value: Any, kind: str) -> bool:
    if kind == "float":
        return type(value) in (float, int)
    return kind == ("Tensor" if isinstance(value, Tensor) else kind_of(value))


def list_out(value: Sequence[Any]) -> str:
    kinds = ", ".join(map(kind_of, value))
    if isinstance(value, tuple):
        return f"{kind_of(value)} of ({kinds}{',' if len(value) == 1 else ''})"
    return f"list of [{kinds}]"
