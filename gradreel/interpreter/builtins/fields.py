"""str.format: the fields of a template, with what belongs to them."""

from __future__ import annotations

import re
import string

from ..machine import Machine
from ..refusal import Refusal
from ..runtime.attributes import load
from ..runtime.values import Value
from .subscripts import fetch
from .templates import converted

BELONGING = re.compile(r"\.(?P<attribute>[^.\[]+)|\[(?P<key>[^\]]+)\]")
"""What may follow the argument that a field names."""


def str_format(machine: Machine, template: str, *args: Value, **kwargs: Value) -> str:
    """`template.format(...)`: `{}`, `{0}`, `{name}` and what they have, each with conversion and specification."""
    return Filling(machine, args, kwargs).fill(template)


class Filling:
    """The fields of a template and of the specifications in it, which are counted through together."""

    def __init__(self, machine: Machine, args: tuple[Value, ...], kwargs: dict[str, Value]) -> None:
        self.machine, self.args, self.kwargs = machine, args, kwargs
        self.count = 0
        self.numbered = False

    def fill(self, template: str, depth: int = 2) -> str:
        if not depth:
            raise ValueError("Max string recursion exceeded")
        meter = self.machine.meter
        meter.length(len(template))
        parts: list[str] = []
        for literal, name, spec, conversion in string.Formatter().parse(template):
            parts.append(literal)
            if name is not None:
                value = self.found(name)
                spec = self.fill(spec, depth - 1) if spec and "{" in spec else spec or ""
                parts.append(converted(self.machine, value, conversion, spec))
        meter.length(sum(map(len, parts)))
        return "".join(parts)

    def found(self, name: str) -> Value:
        """The value of a field: an argument, or an attribute or an item of one."""
        first = re.split(r"[.\[]", name, maxsplit=1)[0]
        value = self.kwargs[first] if first and not first.isdigit() else self.at(first)
        end = len(first)
        for part in BELONGING.finditer(name, end):
            if part.start() != end:
                break
            self.machine.meter.charge()
            end, attribute, key = part.end(), part["attribute"], part["key"]
            if (attribute or key).startswith("_"):
                raise Refusal(f"str.format with the field {{{name}}} is not supported here: give the value itself.")
            if attribute:
                value = load(self.machine, value, attribute)
            else:
                value = fetch(self.machine, value, int(key) if key.isdigit() else key)
        if end < len(name):
            raise ValueError("Empty attribute in format string")
        return value

    def at(self, number: str) -> Value:
        """The argument at a place that is given, or the next one."""
        if not number:
            if self.numbered:
                raise ValueError("cannot switch from manual field specification to automatic field numbering")
            place = self.count
            self.count += 1
        elif self.count:
            raise ValueError("cannot switch from automatic field numbering to manual field specification")
        else:
            place, self.numbered = int(number[:9]), True
        if place >= len(self.args):
            raise IndexError(f"Replacement index {place} out of range for positional args tuple")
        return self.args[place]
