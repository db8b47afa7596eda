"""No memory reaches a program that was not written before: it does the same whatever fresh memory holds.

Some programs in each run of the tests; GRADREEL_NIGHTLY=1 (`make nightly`) runs all that are stored.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from gradreel import run
from tests.fresh_memory import filled_with
from tests.nightly import NIGHTLY

DATA = Path(__file__).parents[1] / "data"
STORES = "corpus functional fuzzed hostile layers nn optim posted posts runs statements usage"
SOURCES = ("source", "code", "program")
EVERY = 1 if NIGHTLY else 40
BYTES = (0x40, 0xC1)


def programs() -> Iterator[tuple[str, str]]:
    yield "of memory", (DATA / "of_memory.py").read_text(encoding="utf-8")
    number = 0
    for store in STORES.split():
        for entry in json.loads(gzip.decompress((DATA / f"{store}.json.gz").read_bytes())):
            if store == "hostile" and entry["must"] != "ok":
                continue
            number += 1
            if number % EVERY == 0:
                yield f"{store} {number}", next(entry[key] for key in SOURCES if key in entry)


def traced(source: str, byte: int) -> str:
    with filled_with(byte):
        return run(source).to_json()


def test_fresh_memory_is_filled() -> None:
    """Else nothing would differ in the test below, whatever were wrong."""
    for byte in BYTES:
        with filled_with(byte):
            assert set(np.empty(100, np.uint8)) == set(np.empty(100_000, np.uint8)) == {byte}
            assert not np.zeros(100_000).any()
            assert not np.zeros(3).any()


def test_programs_do_the_same_whatever_fresh_memory_holds() -> None:
    different = [name for name, source in programs() if traced(source, BYTES[0]) != traced(source, BYTES[1])]
    assert different == []
