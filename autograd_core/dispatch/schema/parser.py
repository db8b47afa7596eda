"""Reading a call by torch's signatures, as its argument parser does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from ...tensor.tensor import Tensor
from . import messages
from .parameters import NUMBERS_AS_TENSORS, Parameter, is_length, is_plain_number

Given = dict[str, Any]

LISTS = ("Tensors", "gaps")
"""Kinds that are lists of tensors; in one of them some may be None."""


class Refused(Exception):
    """A call does not fit a signature; the text is torch's."""


class Signature:
    """One way to call the function `name`."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.deprecated = text.endswith(" deprecated")
        self.numbers = name in NUMBERS_AS_TENSORS
        self._parts = text.removesuffix(" deprecated")[1:-1]

    @cached_property
    def positional(self) -> int:
        """How many parameters may be given by place."""
        parts = self._parts.split(", ") if self._parts else []
        return parts.index("*") if "*" in parts else len(parts)

    @cached_property
    def parameters(self) -> list[Parameter]:
        """Read when a call is: a program uses few of all signatures."""
        return [Parameter(part) for part in self._parts.split(", ") if part not in ("", "*")]

    @cached_property
    def least(self) -> int:
        return sum(not p.optional for p in self.parameters)

    @cached_property
    def most(self) -> int:
        return len(self.parameters)

    @cached_property
    def takes_rest(self) -> bool:
        first = self.parameters[0] if self.parameters else None
        return self.positional == 1 and first is not None and first.kind == "ints"

    def shown(self) -> str:
        parts = [p.shown() for p in self.parameters]
        if self.positional < len(parts):
            parts.insert(self.positional, "*")
        return f"({', '.join(parts)})"

    def read(self, args: Sequence[Any], options: Mapping[str, Any]) -> Given:
        """The arguments by their names in torch.

        Raises:
            Refused: the call does not fit.
            TypeError: an element of a list of tensors is none.
        """
        if len(args) > self.positional and not self.takes_rest:
            raise Refused(messages.too_many(self, len(args)))
        given: Given = {}
        left, at = len(options), 0
        for i, p in enumerate(self.parameters):
            by_name = at >= len(args)
            if not by_name and i >= self.positional:
                raise Refused(messages.too_many(self, len(args)))
            if by_name:
                name = next((n for n in p.names if n in options), None)
                if name is None and not p.optional:
                    raise Refused(messages.missing(self, i))
                if name is None:
                    continue
                value = options[name]
                left -= 1
            else:
                value = args[at]
                at += 1
            if value is None and p.may_be_none:
                given[p.name] = None
            elif p.accepts(value) or (self.numbers and p.kind == "Tensor" and is_plain_number(value)):
                given[p.name] = tensors(i, p, value) if p.kind in LISTS else value
            elif p.one_will_do and p.kind == "ints" and is_length(value):
                given[p.name] = value
            elif self.takes_rest and at == 1 and not by_name and is_length(value):
                given[p.name] = tuple(args)
                at = len(args)
            elif self.takes_rest and not by_name and len(args) > self.positional:
                raise Refused(messages.too_many(self, len(args)))
            else:
                raise Refused(messages.wrong(self, p, value, None if by_name else i))
        if at < len(args):
            raise Refused(messages.too_many(self, len(args)))
        if left:
            raise Refused(messages.unexpected(self, options, len(args)))
        return given

    def look_into(self, given: Given) -> Given:
        """`given`, the elements of lists of ints looked at.

        Raises:
            TypeError: one is no int.
        """
        for p in self.parameters:
            value = given.get(p.name)
            if p.kind == "ints" and isinstance(value, tuple | list):
                for i, part in enumerate(value):
                    if not (is_length(part) or isinstance(part, bool)):
                        raise TypeError(messages.element(self, p, i, part))
        return given


def tensors(position: int, p: Parameter, value: Sequence[Any]) -> Sequence[Any]:
    """A list of tensors.

    Raises:
        TypeError: an element is none.
    """
    for i, part in enumerate(value):
        if not (isinstance(part, Tensor) or (part is None and p.kind == "gaps")):
            raise TypeError(f"expected Tensor as element {i} in argument {position}, but got {messages.kind_of(part)}")
    return value


def read(signatures: Sequence[Signature], args: Sequence[Any], options: Mapping[str, Any]) -> tuple[Signature, Given]:
    """The signature that a call fits, and its arguments.

    Raises:
        TypeError: it fits none; the text is torch's.
    """
    reasons = []
    for signature in signatures:
        try:
            given = signature.read(args, options)
        except Refused as reason:
            reasons.append(str(reason))
        else:
            return signature, signature.look_into(given)
    if len(signatures) == 1:
        raise TypeError(reasons[0])
    many = len(args) + len(options)
    plausible = [i for i, s in enumerate(signatures) if s.least <= many <= s.most and not s.deprecated]
    if len(plausible) == 1:
        raise TypeError(reasons[plausible[0]])
    raise TypeError(messages.none_fits(signatures, args, options))
