"""Diagnoses of the corpus: small programs like those people post, each with the cause and the lines that it names.

As a script, `python -m tests.explain.test_corpus FOLDER` reads another folder of the same form (programs and an
index.json) and prints where the diagnoses differ. Comments at the head of a program tell the answer: they are blanked.
"""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from gradreel.explain import Diagnosis, diagnose
from gradreel.program import run
from gradreel.trace import Trace

STORED = Path(__file__).parent.parent / "data" / "corpus.json.gz"
OTHER = "other"
"""Cases outside of the named kinds: these may be told or not."""


def without_header(source: str) -> str:
    """`source` with the comment lines at its head blanked, so that all lines keep their numbers."""
    lines = source.split("\n")
    for number, line in enumerate(lines):
        if not line.startswith("#"):
            break
        lines[number] = ""
    return "\n".join(lines)


def stored() -> list[dict[str, Any]]:
    records: list[dict[str, Any]] = json.loads(gzip.decompress(STORED.read_bytes()))
    return records


def folder(path: Path) -> list[dict[str, Any]]:
    index: list[dict[str, Any]] = json.loads((path / "index.json").read_text(encoding="utf-8"))
    sources = [(path / record["file"]).read_text(encoding="utf-8") for record in index]
    return [{**record, "source": without_header(source)} for record, source in zip(index, sources, strict=True)]


def differences(record: dict[str, Any]) -> list[str]:
    """How the diagnoses of a program differ from what the index says, as sentences."""
    return compared(diagnose(run(record["source"])), record["cause"])


def compared(found: list[Diagnosis], cause: dict[str, Any] | None) -> list[str]:
    if cause is None:
        return [f"{diagnosis.kind} is a false alarm" for diagnosis in found]
    if cause["kind"] not in [diagnosis.kind for diagnosis in found]:
        return [f"{cause['kind']} is not told, but {[diagnosis.kind for diagnosis in found]}"]
    diagnosis = next(diagnosis for diagnosis in found if diagnosis.kind == cause["kind"])
    return [
        f"{role} is line {line}, not {diagnosis.lines.get(role)}"
        for role, line in cause["lines"].items()
        if diagnosis.lines.get(role) != line
    ]


def runs_as_torch_does(trace: Trace, record: dict[str, Any]) -> bool:
    """Whether the program came as far as in torch: a diagnosis can only tell of what happened."""
    recorded = record["raises"]
    if recorded is None:
        return trace.outcome.kind == "finished"
    return trace.outcome.kind == "raised" and (trace.outcome.line, trace.outcome.type) == (
        recorded["line"],
        recorded["type"],
    )


CASES = [record for record in stored() if record["cause"] is None or record["cause"]["kind"] != OTHER]


@pytest.mark.parametrize("record", CASES, ids=lambda record: record["file"])
def test_the_cause_is_told_and_nothing_else(record: dict[str, Any]) -> None:
    trace = run(record["source"])
    if record["cause"] is None or runs_as_torch_does(trace, record):
        assert compared(diagnose(trace), record["cause"]) == []


def test_nearly_all_of_these_programs_run() -> None:
    errors = [record for record in CASES if record["cause"] is not None]
    assert sum(runs_as_torch_does(run(record["source"]), record) for record in errors) >= len(errors) - 3


if __name__ == "__main__":
    for record in folder(Path(sys.argv[1])):
        for line in differences(record):
            print(f"{record['file']}: {line}")
