"""Scene -> bytes: JSON in columns, gzipped; the same scene always gives the same bytes."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from itertools import accumulate, chain
from operator import sub
from typing import Any

from . import columns
from .collecting import collector_paused
from .model import Histories, Scene, Track

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
        record[name] = columns.read(record[name])
    steps = record["steps"]
    for step in steps:
        step["changes"] = {}
    things = {kind: list(map(key, columns.read(column))) for kind, column in record.pop("things").items()}
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
    record = plain(scene)
    del record["histories"]
    record["steps"] = [
        {**plain(step), "changed": ..., "changes": scene.changes(number)} for number, step in enumerate(scene.steps)
    ]
    for step in record["steps"]:
        del step["changed"]
    separators = (",", ":") if indent is None else (",", ": ")
    return json.dumps(record, default=plain, allow_nan=False, ensure_ascii=False, indent=indent, separators=separators)


def packed(scene: Scene) -> dict[str, Any]:
    """The scene with what is long in columns. What a step changes is not told by steps: histories say it already."""
    record = plain(scene)
    for name in LONG:
        record[name] = columns.write(record[name])
    del record["steps"]["rows"]["changed"]
    sorts = by_kind(scene.histories)
    record["things"] = {kind: columns.write(list(map(parts, things))) for kind, things in sorts.items()}
    record["histories"] = list(grouped(sorts))
    return record


def plain(thing: object) -> dict[str, Any]:
    """A dataclass as a dict, its fields under the names of the JSON."""
    kind: type[Any] = type(thing)
    if not is_dataclass(kind):
        raise TypeError(f"a scene holds no {kind.__name__}")
    return {name: getattr(thing, attribute) for name, attribute in names(kind)}


@cache
def names(kind: type[Any]) -> tuple[tuple[str, str], ...]:
    return tuple((field.name.rstrip("_"), field.name) for field in fields(kind))


# ---- histories


def by_kind(histories: Histories) -> dict[str, Histories]:
    """The histories of boxes, wires, names and so on apart, by what their keys begin with."""
    sorts: dict[str, Histories] = {}
    for thing, tracks in histories.items():
        kind = thing.partition(":")[0].rstrip("0123456789")
        sorts.setdefault(kind, {})[thing] = tracks
    return sorts


def parts(thing: str) -> str | dict[str, Any]:
    """The key of a name by its scope and its text, as the same text stands in many scopes; any other as it is."""
    if not thing.startswith("name:"):
        return thing
    _, scope, text = thing.split(":", 2)
    return {"scope": int(scope), "text": text}


def key(parts: str | dict[str, Any]) -> str:
    """The thing whose `parts` these are."""
    return parts if isinstance(parts, str) else f"name:{parts['scope']}:{parts['text']}"


def grouped(sorts: dict[str, Histories]) -> Iterator[dict[str, Any]]:
    """The tracks of one property of one kind of things in columns.

    A thing goes by its place among those of its kind; of a track, its length, its first step, the steps from one to the
    next and the values.
    """
    for kind, histories in sorts.items():
        alike: dict[str, tuple[list[int], list[Track]]] = {}
        for place, tracks in enumerate(histories.values()):
            for name, track in tracks.items():
                places, found = alike.setdefault(name, ([], []))
                places.append(place)
                found.append(track)
        for name, (places, found) in alike.items():
            all_steps = [steps for steps, _ in found]
            yield {
                "kind": kind,
                "property": name,
                "things": columns.write(places),
                "lengths": columns.write(list(map(len, all_steps))),
                "starts": columns.write([steps[0] for steps in all_steps]),
                "gaps": columns.write(list(chain.from_iterable(map(sub, steps[1:], steps) for steps in all_steps))),
                "values": columns.write(list(chain.from_iterable(values for _, values in found))),
            }


def read_tracks(group: dict[str, Any]) -> Iterator[tuple[int, Track]]:
    """The tracks that `grouped` wrote, each with the place of its thing."""
    gaps, values = iter(columns.read(group["gaps"])), iter(columns.read(group["values"]))
    heads = (columns.read(group[name]) for name in ("things", "lengths", "starts"))
    for thing, length, start in zip(*heads, strict=True):
        steps = list(accumulate([start, *(next(gaps) for _ in range(length - 1))]))
        yield thing, (steps, [next(values) for _ in range(length)])
