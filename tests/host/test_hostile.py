"""Attacks and limit cases: each ends as it should, in time, with nothing of the host in its reply.

Here runs a stated part: of the list every fourth entry of each category, links, and entries that once went wrong; of
our own attacks every sixth of those that end at once, and every import; of the second list those that once got through.
All of them are run by `python -m tests.host.hostile`, a part of `make nightly`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest

from gradreel.host import Pool
from gradreel.host.processes import can_fork
from gradreel.host.settings import Settings

from .attacks import attacks
from .hostile import (
    FREE,
    RAISING,
    SECRET,
    SLOWEST,
    UNCACHED,
    Runners,
    ask,
    entries,
    held_entries,
    judge,
    printed,
    read,
    verdict,
)

pytestmark = pytest.mark.skipif(not can_fork(Settings()), reason="this platform cannot fork")

EVERY = 4
WENT_WRONG = ["unicode-14", "unicode-15", "unicode-16", "catch-26", "trace-08", "tensor-03", "tensor-26", "tensor-59"]
WENT_WRONG += ["builtin-34"]
SLOW = {"cpu-recursion", "memory-bomb", "budget-catching", "trace-output", "number-size"}
"""Categories whose "bounded" entries use up their time; of these fewer run here."""


SOON = {"sizes", "shapes"}
"""Ideas of our own that, though bounded only, are mostly met by a budget at once."""

IMPORTS = "modules of the host"
"""All of these run here: what can be imported changes as the library grows."""


def part() -> list[dict[str, Any]]:
    soon = [entry for entry in attacks() if entry["must"] == "reject" or entry["category"] in SOON]
    return [
        *listed(),
        *[entry for at, entry in enumerate(soon) if at % 6 == 0 or entry["category"].startswith(IMPORTS)],
    ]


def listed() -> list[dict[str, Any]]:
    seen: dict[tuple[str, str], int] = defaultdict(int)
    chosen = []
    for entry in entries():
        kind = (entry["category"], entry["must"])
        every = EVERY * 4 if kind[0] in SLOW and kind[1] == "bounded" else EVERY
        if seen[kind] % every == 0 or entry["id"] in WENT_WRONG or entry.get("kind") == "link":
            chosen.append(entry)
        seen[kind] += 1
    return chosen


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRADREEL_TEST_SECRET", SECRET)
        with Pool(1, using=UNCACHED) as made:
            ask(made, "warm = 1")
            yield made


@pytest.mark.parametrize("entry", part(), ids=lambda entry: entry["id"])
def test_it_ends_as_it_should(entry: dict[str, Any], pool: Pool) -> None:
    head, trace, seconds = ask(pool, entry["program"])
    assert judge(entry, head, trace) is None
    assert seconds < SLOWEST
    after, printing, _ = ask(pool, "print(1)")
    assert after["ok"] and printed(printing) == "1\n"


@pytest.fixture(scope="module")
def runners() -> Iterator[Runners]:
    made = Runners(1)
    made.run("warm = 1")
    yield made
    made.stop()


WRONG = [entry for entry in held_entries() if entry["wrong"]]


@pytest.mark.parametrize("entry", WRONG, ids=lambda entry: entry["id"])
def test_what_once_got_through_is_held(entry: dict[str, Any], runners: Runners) -> None:
    answer, ending, seconds = runners.run(entry["program"])
    assert verdict(entry, answer, ending)[0] is None
    assert seconds < SLOWEST
    after, printing = read(runners.run("print(1)")[0])
    assert after["ok"] and printed(printing) == "1\n"


def test_there_are_attacks_of_our_own() -> None:
    programs = [entry["program"] for entry in attacks()]
    assert len(set(programs)) == len(programs) >= 200


def test_labels_are_changed_for_entries_that_are_there() -> None:
    known = {entry["id"]: entry for entry in entries()}
    assert all(known[name]["must"] == "reject" for names in FREE for name in names.split())
    assert all(known[name]["must"] == "ok" for name in RAISING)
