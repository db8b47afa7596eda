"""Scene -> bytes: JSON by fields, gzipped; the same scene always gives the same bytes."""

from __future__ import annotations

import gzip
import json
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

from .model import Scene


def encode(scene: Scene) -> bytes:
    """The payload that a player gets."""
    # Half of a surrogate pair is no UTF-8; a backslash and its number is what JSON writes for it.
    return gzip.compress(to_json(scene).encode(errors="backslashreplace"), compresslevel=6, mtime=0)


def to_json(scene: Scene, indent: int | None = None) -> str:
    separators = (",", ":") if indent is None else (",", ": ")
    return json.dumps(scene, default=plain, allow_nan=False, ensure_ascii=False, indent=indent, separators=separators)


def plain(thing: object) -> dict[str, Any]:
    """A dataclass as a dict, its fields under the names of the JSON."""
    kind: type[Any] = type(thing)
    if not is_dataclass(kind):
        raise TypeError(f"a scene holds no {kind.__name__}")
    return {name: getattr(thing, attribute) for name, attribute in names(kind)}


@cache
def names(kind: type[Any]) -> tuple[tuple[str, str], ...]:
    return tuple((field.name.rstrip("_"), field.name) for field in fields(kind))
