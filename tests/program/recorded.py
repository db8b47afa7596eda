"""What PyTorch printed, raised and kept alive, for programs like those people post: recorded once, stored here."""

from __future__ import annotations

import gzip
import json
import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

STORE = Path(__file__).parent.parent / "data" / "runs.json.gz"
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w])")
ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}\b")


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
    return [Recorded(**entry) for entry in json.loads(gzip.decompress(STORE.read_bytes()))]


def split(text: str) -> tuple[list[str], list[str]]:
    """The words between numbers, blanks evened out, and the numbers."""
    text = ADDRESS.sub("0x...", text)
    return [" ".join(part.split()) for part in NUMBER.split(text)], NUMBER.findall(text)


def close(expected: str, found: str) -> bool:
    a, b = float(expected), float(found)
    return a == b or abs(a - b) <= 1e-4 * abs(a) + 1e-6 or (math.isnan(a) and math.isnan(b))


def same_text(expected: str, found: str, values: bool = True) -> bool:
    """The same words; numbers may differ in their last digits, or (not `values`) altogether."""
    (words, numbers), (other_words, other_numbers) = split(expected), split(found)
    if words != other_words:
        return False
    return not values or all(close(a, b) for a, b in zip(numbers, other_numbers, strict=True))
