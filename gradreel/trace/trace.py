"""The Trace: everything a run did, enough to draw any moment of it without running anything again."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from functools import cached_property
from marshal import dumps
from typing import Any

from . import events
from .codec import Form, Way, number_in, number_out
from .events import Event, Value

SCHEMA = "gradreel-trace/2"
"""Raise the number when the meaning of a field changes or a field goes; see tests/trace/test_schema.py."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the run ended: finished, raised, refused or stopped; of an error its type, message and line."""

    kind: str
    type: str | None = None
    message: str | None = None
    line: int | None = None


@dataclass(frozen=True)
class Trace:
    """A run: the program, how it was read ("script" or "transcript"), how it ended, and what happened, in order."""

    source: str
    mode: str
    outcome: Outcome
    events: tuple[Event, ...]
    schema: str = SCHEMA
    program: str | None = None
    """What of each line of `source` is code, where there is more on it: words around the program, prompts, outputs."""

    @property
    def code(self) -> str:
        """The program alone, on the lines of `source`."""
        return self.source if self.program is None else self.program

    @cached_property
    def values(self) -> tuple[Value, ...]:
        """The distinct values that the events tell of, as the table in JSON has them."""
        values = Values()
        for event in self.events:
            for value in values_in(event):
                values.index(value)
        return tuple(values.table)

    def to_json(self) -> str:
        values, stacks = Values(), Stacks()
        out = Way(number_out, values.index, stacks.index, list)
        forms = {kind: Form(kind, out) for kind in KINDS.values()}
        names = {kind: name for name, kind in KINDS.items()}
        events = [{"kind": names[type(event)], **forms[type(event)].write(event)} for event in self.events]
        value_form = Form(Value, out)
        record = {
            "schema": self.schema,
            "source": self.source,
            **({} if self.program is None else {"program": self.program}),
            "mode": self.mode,
            "outcome": Form(Outcome, out).write(self.outcome),
            "events": events,
            "values": [value_form.write(value) for value in values.table],
            "stacks": stacks.table,
        }
        return json.dumps(record, allow_nan=False, ensure_ascii=False, separators=(",", ":"))

    @staticmethod
    def from_json(text: str) -> Trace:
        """The trace that `to_json` wrote.

        Raises:
            ValueError: the text is not a trace of this schema.
        """
        record = json.loads(text)
        if not isinstance(record, dict) or record.get("schema") != SCHEMA:
            raise ValueError(f"not a {SCHEMA}")
        plain = Way(number_in, None, None, tuple)
        value_form = Form(Value, plain)
        table = [value_form.read(value) for value in record["values"]]
        way = Way(number_in, table.__getitem__, read_stacks(record["stacks"]).__getitem__, tuple)
        forms = {name: Form(kind, way) for name, kind in KINDS.items()}
        events = tuple(forms[event["kind"]].read(event) for event in record["events"])
        outcome = Form(Outcome, plain).read(record["outcome"])
        return Trace(record["source"], record["mode"], outcome, events, program=record.get("program"))


WITHOUT_REFERENCES = 2
"""The version of marshal's format in which equal lists are written alike, whoever else holds their numbers."""


NANS = (b"\xf8\x7f", b"\xf8\xff")
"""How the bits of NaN end, in which it has a sign that nobody is shown."""


class Values:
    """A table of values, in which each distinct one has an index."""

    def __init__(self) -> None:
        self.table: list[Value] = []
        self._by_content: dict[tuple[object, ...], int] = {}
        self._by_identity: dict[int, int] = {}
        self._kept: list[Value] = []
        """The values seen: as long as one lives, no other object can have its id."""

    def index(self, value: Value) -> int:
        seen = self._by_identity.get(id(value))
        if seen is not None:
            return seen
        # Told apart by their bits: 0.0 and -0.0 are equal and nan is not, yet each is one thing to show.
        data = value.data
        if type(data) is float:
            told: object = data if data and data == data else repr(data)
        else:
            told = dumps(data, WITHOUT_REFERENCES)
            if any(map(told.__contains__, NANS)):
                told = repr(data)
        content = (value.shape, value.dtype, told, value.mean, value.cells)
        found = self._by_content.setdefault(content, len(self.table))
        if found == len(self.table):
            self.table.append(value)
        self._by_identity[id(value)] = found
        self._kept.append(value)
        return found


Stack = tuple[tuple[Any, ...], ...]
"""Frames or Loops."""


class Stacks:
    """A table of stacks of calls and of loops, as [index of the stack that it goes on from, *innermost entry]: events
    deep in calls have few rows of their own. The empty stack is the first, as []."""

    def __init__(self) -> None:
        self.table: list[list[Any]] = [[]]
        self._by_content: dict[Stack, int] = {(): 0}

    def index(self, stack: Stack) -> int:
        found = self._by_content.get(stack)
        if found is None:
            row = [self.index(stack[:-1]), *stack[-1]]
            found = self._by_content[stack] = len(self.table)
            self.table.append(row)
        return found


def read_stacks(table: list[list[Any]]) -> list[Stack]:
    """The stacks of a table that `Stacks` made."""
    found: list[Stack] = [()]
    for below, *entry in table[1:]:
        found.append((*found[below], tuple(entry)))
    return found


def values_in(event: Event) -> list[Value]:
    """The values that `event` tells of, in the order of its fields."""
    found: list[Value] = []
    for name in VALUE_FIELDS[type(event)]:
        held = getattr(event, name)
        found.extend(part for part in (held if isinstance(held, tuple) else (held,)) if part is not None)
    return found


def snake(name: str) -> str:
    """`NodeMade` -> `node_made`."""
    return "".join("_" + letter.lower() if letter.isupper() else letter for letter in name).lstrip("_")


KINDS: dict[str, type[Event]] = {
    snake(name): kind
    for name, kind in vars(events).items()
    if isinstance(kind, type) and issubclass(kind, Event) and kind is not Event
}
"""Every kind of event by its name in JSON."""

VALUE_FIELDS: dict[type[Event], tuple[str, ...]] = {
    kind: tuple(field.name for field in fields(kind) if "Value" in str(field.type))  # type: ignore[arg-type]
    for kind in KINDS.values()
}
"""The fields of each kind that hold a Value or several."""
