"""Checks a folder of programs with recorded causes: `python -m tests.explain.corpus FOLDER [--torch PYTHON]`.

The folder holds programs, an index.json that names of each program its cause, and fixed versions beside them. Comments
at the head of a program tell the answer: they are blanked before the program is run. Counted are: causes told with
their kind and lines, causes with a mend that helps, and alarms on programs that are fine. With `--torch`, a mend helps
if it runs in real torch without the error; where the trouble was silent, if its last line of output is that of a fixed
program. Without, this engine is the judge.
"""

from __future__ import annotations

import argparse
import gzip
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gradreel.explain import Diagnosis, diagnose
from gradreel.explain.fixes import Fix, find_fixes
from gradreel.interpreter import run
from gradreel.trace import Trace
from gradreel.trace import events as e

STORED = Path(__file__).parent.parent / "data" / "corpus.json.gz"
OTHER = "other"
"""Cases outside of the named kinds: these may be told or not."""

Judge = Callable[[str], tuple[str, str]]
"""Runs a program: the last line of its error, empty if it ran through, and what it printed."""


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
    return [
        {
            **record,
            "source": without_header((path / record["file"]).read_text(encoding="utf-8")),
            "fixed": [(path / fix["file"]).read_text(encoding="utf-8") for fix in record["fixes"]],
        }
        for record in index
    ]


def compared(found: list[Diagnosis], cause: dict[str, Any] | None) -> list[str]:
    """How the diagnoses of a program differ from what the index says, as sentences."""
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


# ---- mends


def by_engine(source: str) -> tuple[str, str]:
    trace = run(source)
    return trace.outcome.message or "", printed(trace)


def printed(trace: Trace) -> str:
    return "".join(event.text for event in trace.events if isinstance(event, e.Printed))


def by_torch(python: str) -> Judge:
    def judge(source: str) -> tuple[str, str]:
        with tempfile.TemporaryDirectory() as place:
            path = Path(place) / "program.py"
            path.write_text(source, encoding="utf-8")
            done = subprocess.run([python, str(path)], capture_output=True, text=True, timeout=120, check=False)
        error = "Traceback" in done.stderr
        return (done.stderr.strip().splitlines() or [""])[-1] if error else "", done.stdout

    return judge


def ending(text: str) -> str:
    return (text.strip().splitlines() or [""])[-1]


def helps(mend: Fix, record: dict[str, Any], judge: Judge) -> bool:
    error, output = judge(mend.source)
    if record["raises"] is not None:
        return not error
    return not error and ending(output) in [ending(judge(fixed)[1]) for fixed in record["fixed"]]


# ---- the count


@dataclass
class Count:
    alarms: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    differ: list[str] = field(default_factory=list)
    mended: list[str] = field(default_factory=list)
    not_mended: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        named = len(self.told) + len(self.differ)
        return [
            *(f"{name}: {text}" for entry in self.differ for name, _, text in [entry.partition("|")]),
            *(f"{name} has no mend that helps" for name in self.not_mended),
            *self.alarms,
            f"causes told with kind and lines: {len(self.told)} of {named}",
            f"causes with a mend that helps: {len(self.mended)} of {named}",
            f"alarms on programs that are fine: {len(self.alarms)}",
            f"told of the kind `other`: {len(self.others)}",
        ]


def count(records: list[dict[str, Any]], judge: Judge) -> Count:
    result = Count()
    for record in records:
        trace = run(record["source"])
        name, cause = record["file"], record["cause"]
        if cause is None:
            result.alarms += [f"{name}: {text}" for text in compared(diagnose(trace), None)]
            continue
        if cause["kind"] == OTHER:
            result.others += [name] if diagnose(trace) else []
            continue
        pairs = find_fixes(trace, run)
        wrong = compared([found for found, _ in pairs], cause)
        if wrong:
            result.differ.append(f"{name}|{'; '.join(wrong)}")
        else:
            result.told.append(name)
        good = any(mend.fixes and helps(mend, record, judge) for _, mends in pairs for mend in mends)
        (result.mended if good else result.not_mended).append(name)
    return result


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--torch", metavar="PYTHON", help="a Python with torch, which then judges the mends")
    given = parser.parse_args(arguments)
    result = count(folder(given.folder), by_torch(given.torch) if given.torch else by_engine)
    print("\n".join(result.lines()))
    named = len(result.told) + len(result.differ)
    enough = len(result.told) >= 0.95 * named and len(result.mended) >= 0.9 * named and not result.alarms
    return 0 if enough else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
