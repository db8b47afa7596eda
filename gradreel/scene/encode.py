"""Scene -> bytes: JSON in columns, gzipped; the same scene always gives the same bytes."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from itertools import accumulate, chain, pairwise
from typing import Any

import numpy as np

from gradreel.collecting import collector_paused

from . import columns, table
from .history import History, Track
from .model import KEYS, NUMBERED, POINTING, Scene
from .reading import read
from .shown import ShownValues

LONG = ("values", "boxes", "wires", "tensors", "groups", "steps")
"""What grows with the run and travels in columns."""


def encode(scene: Scene) -> bytes:
    """The payload that a player gets; `decode` and `scene/scene.js` read it."""
    with collector_paused():
        text = json.dumps(to_columns(scene), default=plain, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    # Half of a surrogate pair is no UTF-8; a backslash and its number is what JSON writes for it.
    return gzip.compress(text.encode(errors="backslashreplace"), compresslevel=6, mtime=0)


def decode(payload: bytes) -> dict[str, Any]:
    """The scene in an encoded one, as `to_json` writes it."""
    record: dict[str, Any] = json.loads(gzip.decompress(payload))
    for name in LONG:
        record[name] = read(record[name])
    steps = record["steps"]
    for step in steps:
        step["changes"] = {}
    things = {kind: list(map(key, read(column))) for kind, column in record.pop("things").items()}
    for group in record.pop("histories"):
        for thing, track in read_tracks(group):
            before = None
            for step, value in zip(*track, strict=True):
                changes = steps[step]["changes"].setdefault(things[group["kind"]][thing], {})
                changes[group["property"]] = [before, value]
                before = value
    return record


def to_json(scene: Scene, indent: int | None = None) -> str:
    """The scene in rows, for people to read: every step with its changes."""
    record = to_plain(scene)
    for step, changes in zip(record["steps"], scene.changes(), strict=True):
        step["changes"] = changes
    separators = (",", ":") if indent is None else (",", ": ")
    return json.dumps(record, allow_nan=False, ensure_ascii=False, indent=indent, separators=separators)


def to_plain(thing: Any) -> Any:
    """`thing` with all records in it as dicts, fields under the names of the JSON."""
    if isinstance(thing, Scene):
        return {name: to_plain(part) for name, part in plain(thing).items() if name not in ("histories", "keyed")}
    if is_dataclass(thing):
        return {name: to_plain(part) for name, part in plain(thing).items()}
    if isinstance(thing, tuple) and hasattr(thing, "_fields"):
        return {columns.bare(name): to_plain(part) for name, part in zip(thing._fields, thing, strict=True)}
    return list(map(to_plain, thing)) if isinstance(thing, tuple | list | table.Column) else thing


def to_columns(scene: Scene) -> dict[str, Any]:
    """The scene with what is long in columns. What a step changes is not told by steps: histories say it already."""
    record = plain(scene)
    for name in LONG:
        record[name] = column_of(record[name])
    keyed = record.pop("keyed")
    order = {kind: things(histories.values()) for kind, histories in scene.histories.items()}
    record["things"] = {
        kind: key_column(kind, [keyed[kind][number] for number in found] if kind in keyed else found)
        for kind, found in order.items()
    }
    record["histories"] = list(track_columns(scene, order))
    return record


def column_of(things: Sequence[Any]) -> columns.Column:
    return things.column() if isinstance(things, ShownValues) else columns.write(things)


def plain(thing: object) -> dict[str, Any]:
    """A dataclass as a dict, its fields under the names of the JSON."""
    kind: type[Any] = type(thing)
    if not is_dataclass(kind):
        raise TypeError(f"a scene holds no {kind.__name__}")
    return {name: getattr(thing, attribute) for name, attribute in names(kind)}


@cache
def names(kind: type[Any]) -> tuple[tuple[str, str], ...]:
    return tuple((columns.bare(field.name), field.name) for field in fields(kind))


# ---- histories


def things(histories: Iterable[History]) -> columns.Array:
    """The numbers of all that has any of the properties, in order."""
    numbers = np.concatenate([columns.array_of(history.things) for history in histories])
    there = np.zeros(numbers.max() + 1, bool)
    there[numbers] = True
    return np.flatnonzero(there)


def key_column(kind: str, found: Sequence[Any] | columns.Array) -> columns.Column:
    """The keys of things in a column: of a name its scope and its text, as the same text stands in many scopes."""
    if isinstance(found, np.ndarray):
        return columns.numbered_texts(kind, found) if kind in NUMBERED else columns.write(list(map(KEYS[kind], found)))
    if kind == "name":
        scopes, texts = zip(*found, strict=True)
        return {"rows": {"scope": columns.write(scopes), "text": columns.write(texts)}}
    return columns.write(list(map(KEYS[kind], found)))


def key(parts: str | dict[str, Any]) -> str:
    """The thing whose `parts` these are."""
    return parts if isinstance(parts, str) else f"name:{parts['scope']}:{parts['text']}"


WORDED = ("state", "how", "hint")
"""Properties that are words, as those of slots are: many things take the same few courses through them."""


def track_columns(scene: Scene, order: Mapping[str, columns.Array]) -> Iterator[dict[str, Any]]:
    """The tracks of one property of one kind of things in columns.

    A thing goes by its place among those of its kind; of a track, its length, its first step, the steps from one to the
    next, and the values one after the other, or track by track as `courses`.
    """
    for kind, histories in scene.histories.items():
        place_by_number = np.zeros(order[kind][-1] + 1, np.int64)
        place_by_number[order[kind]] = np.arange(len(order[kind]))
        for name, (things, steps, values) in histories.items():
            places = place_by_number[columns.array_of(things)]
            by_thing = np.argsort(places, kind="stable")  # those of a thing stay in order of time
            places, steps_of = places[by_thing], columns.array_of(steps)[by_thing]
            goes_on = places[1:] == places[:-1]
            bounds = np.concatenate(([0], np.flatnonzero(~goes_on) + 1, [len(places)]))
            begins, lengths = bounds[:-1], bounds[1:] - bounds[:-1]
            gaps = (steps_of[1:] - steps_of[:-1])[goes_on]
            even = (lengths == lengths[0]).all()
            if name in WORDED or name.startswith("slot:"):
                told = {"courses": courses(values, by_thing, begins)}
            else:
                told = {"values": value_column(kind, name, list(map(values.__getitem__, by_thing.tolist())))}
            yield {
                "kind": kind,
                "property": name,
                "things": columns.numbers(places[begins]),
                "lengths": columns.numbers(lengths),
                "starts": columns.numbers(steps_of[begins]),
                "gaps": columns.turns(gaps, int(lengths[0]) - 1 if even else 1),
                **told,
            }


def value_column(kind: str, name: str, values: Sequence[Any]) -> columns.Column:
    """Values in a column; of those that are things the track has numbers."""
    letter = POINTING.get((kind, name))
    return columns.write(values) if letter is None else columns.pointing(letter, values)


def courses(values: Sequence[Any], by_thing: columns.Array, begins: columns.Array) -> columns.Column:
    """The words of each thing, told apart as bytes: there are few words, and few ways through them."""
    words = columns.distinct_in(values)
    coded = np.frombuffer(bytes(map(words.__getitem__, values)), np.uint8)[by_thing].tobytes()
    found = table.Picks(coded[begin:end] for begin, end in pairwise([*begins.tolist(), len(coded)]))
    known = list(words)
    return columns.dictionary_column([tuple(map(known.__getitem__, course)) for course in found.of], found.at)


def read_tracks(group: dict[str, Any]) -> Iterator[tuple[int, Track]]:
    """The tracks that `grouped` wrote, each with the place of its thing."""
    gaps = iter(read(group["gaps"]))
    courses = read(group["courses"]) if "courses" in group else None
    values = iter(chain.from_iterable(courses) if courses is not None else read(group["values"]))
    heads = (read(group[name]) for name in ("things", "lengths", "starts"))
    for thing, length, start in zip(*heads, strict=True):
        steps = list(accumulate([start, *(next(gaps) for _ in range(length - 1))]))
        yield thing, (steps, [next(values) for _ in range(length)])
