"""Scene -> bytes: JSON in columns, gzipped; the same scene always gives the same bytes."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from itertools import accumulate, chain, compress, islice
from operator import sub
from typing import Any

from gradreel.trace.collecting import collector_paused

from . import columns, table
from .model import KEYS, POINTING, Scene, Track
from .reading import read

LONG = ("values", "boxes", "wires", "tensors", "groups", "steps")
"""What grows with the run and travels in columns."""


def encode(scene: Scene) -> bytes:
    """The payload that a player gets; `decode` and `letter.js` read it."""
    with collector_paused():
        text = json.dumps(packed(scene), default=plain, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
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
    record = told(scene)
    for step, changes in zip(record["steps"], scene.changes(), strict=True):
        step["changes"] = changes
    separators = (",", ":") if indent is None else (",", ": ")
    return json.dumps(record, allow_nan=False, ensure_ascii=False, indent=indent, separators=separators)


def told(thing: Any) -> Any:
    """`thing` with all records in it as dicts, fields under the names of the JSON."""
    if isinstance(thing, Scene):
        return {name: told(part) for name, part in plain(thing).items() if name not in ("histories", "names")}
    if is_dataclass(thing):
        return {name: told(part) for name, part in plain(thing).items()}
    if isinstance(thing, tuple) and hasattr(thing, "_fields"):
        return {columns.bare(name): told(part) for name, part in zip(thing._fields, thing, strict=True)}
    return list(map(told, thing)) if isinstance(thing, tuple | list | table.Column) else thing


def packed(scene: Scene) -> dict[str, Any]:
    """The scene with what is long in columns. What a step changes is not told by steps: histories say it already."""
    record = plain(scene)
    for name in LONG:
        record[name] = columns.write(record[name])
    order = {kind: things(properties) for kind, properties in scene.histories.items()}
    if names := record.pop("names"):
        order["name"] = list(names)
    record["things"] = {kind: named(kind, found) for kind, found in order.items()}
    record["histories"] = list(grouped(scene, order))
    return record


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


def things(properties: Mapping[str, Mapping[Any, Track]]) -> list[Any]:
    """All that has any of the properties: what goes by numbers in their order, the rest as it first appeared."""
    found = dict.fromkeys(chain.from_iterable(properties.values()))
    return sorted(found) if type(next(iter(found))) is int else list(found)


NUMBERED = ("n", "w", "t")
"""Kinds of things whose keys are a letter and a number."""


def named(kind: str, found: list[Any]) -> columns.Column:
    """The keys of things in a column: of a name its scope and its text, as the same text stands in many scopes."""
    if kind in NUMBERED:
        return columns.numbered(kind, found)
    if kind == "name":
        scopes, texts = zip(*found, strict=True)
        return {"rows": {"scope": columns.write(scopes), "text": columns.write(texts)}}
    return columns.write(list(map(KEYS[kind], found)))


def key(parts: str | dict[str, Any]) -> str:
    """The thing whose `parts` these are."""
    return parts if isinstance(parts, str) else f"name:{parts['scope']}:{parts['text']}"


WORDED = ("state", "how", "hint")
"""Properties that are words, as those of slots are: many things take the same few courses through them."""


def grouped(scene: Scene, order: Mapping[str, list[Any]]) -> Iterator[dict[str, Any]]:
    """The tracks of one property of one kind of things in columns.

    A thing goes by its place among those of its kind; of a track, its length, its first step, the steps from one to the
    next, and the values one after the other, or track by track as `courses`.
    """
    for kind, properties in scene.histories.items():
        all_things = order[kind]
        place = {thing: at for at, thing in enumerate(all_things)}
        for name, tracks in properties.items():
            all_steps, all_values = zip(*tracks.values(), strict=True)
            lengths = list(map(len, all_steps))
            of_all = len(tracks) == len(all_things) and list(tracks) == all_things
            places = range(len(tracks)) if of_all else list(map(place.__getitem__, tracks))
            if name in WORDED or name.startswith("slot:"):
                values = {"courses": columns.write(table.Picks(map(tuple, all_values)))}
            elif letter := POINTING.get((kind, name)):
                values = {"values": columns.pointing(letter, list(chain.from_iterable(all_values)))}
            else:
                values = {"values": columns.write(list(chain.from_iterable(all_values)))}
            yield {
                "kind": kind,
                "property": name,
                "things": columns.integers(places, False),
                "lengths": columns.integers(lengths, False),
                "starts": columns.integers([steps[0] for steps in all_steps], False),
                "gaps": columns.turns(gaps(all_steps, lengths), lengths[0] - 1 if len(set(lengths)) == 1 else 1),
                **values,
            }


def gaps(all_steps: Sequence[list[int]], lengths: list[int]) -> list[int]:
    """From one step of a track to its next, track by track."""
    flat = list(chain.from_iterable(all_steps))
    if len(flat) == len(lengths):
        return []
    within = bytearray(b"\1") * len(flat)
    for end in accumulate(lengths):
        within[end - 1] = 0
    return list(compress(map(sub, islice(flat, 1, None), flat), within))


def read_tracks(group: dict[str, Any]) -> Iterator[tuple[int, Track]]:
    """The tracks that `grouped` wrote, each with the place of its thing."""
    gaps = iter(read(group["gaps"]))
    courses = read(group["courses"]) if "courses" in group else None
    values = iter(chain.from_iterable(courses) if courses is not None else read(group["values"]))
    heads = (read(group[name]) for name in ("things", "lengths", "starts"))
    for thing, length, start in zip(*heads, strict=True):
        steps = list(accumulate([start, *(next(gaps) for _ in range(length - 1))]))
        yield thing, (steps, [next(values) for _ in range(length)])
