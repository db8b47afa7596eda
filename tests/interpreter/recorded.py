"""What PyTorch printed, raised and kept alive, for programs like those people post: recorded once, stored here."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent.parent / "data"
STORES = (DATA / "runs.json.gz", DATA / "posts.json.gz")
"""Programs about autograd; programs that use much of Python beside it."""


@dataclass(frozen=True)
class Recorded:
    """One program. `values`: its numbers are the same in every run. `alive`: by line, nodes after each statement."""

    name: str
    source: str
    stdout: str
    values: bool
    exceptions: list[list[Any]]
    alive: list[tuple[int, dict[str, int]]] | None


def programs() -> list[Recorded]:
    return [Recorded(**entry) for store in STORES for entry in json.loads(gzip.decompress(store.read_bytes()))]
