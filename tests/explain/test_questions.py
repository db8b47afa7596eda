"""Programs as short questions have them, with what PyTorch did: the same is done here, and the cause told.

Each record of `questions.json.gz` has the program, what torch printed and raised on which line, the causes that are to
be told with their lines, and what a refusal names where something of PyTorch's is missing here.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from gradreel.explain import diagnose
from gradreel.explain.fixes import find_fixes
from gradreel.interpreter import run
from gradreel.trace import Trace
from gradreel.trace.events import Printed

DATA = Path(__file__).parent.parent / "data" / "questions.json.gz"
RECORDS: dict[str, dict[str, Any]] = {one["name"]: one for one in json.loads(gzip.decompress(DATA.read_bytes()))}
SILENT = {name for name, one in RECORDS.items() if one["causes"] and not one["raises"]}


def told(trace: Trace) -> list[list[Any]]:
    return [[one.kind, one.cause, {role: at for role, at in one.lines.items() if at}] for one in diagnose(trace)]


@pytest.mark.parametrize("name", RECORDS)
def test_a_question_is_answered_with_what_torch_does_and_why(name: str) -> None:
    record = RECORDS[name]
    trace = run(record["source"])
    outcome = trace.outcome
    printed = "".join(event.text for event in trace.events if isinstance(event, Printed))
    if record["refused"]:
        assert (outcome.kind, record["refused"] in (outcome.message or "")) == ("refused", True), outcome
        assert record["output"].startswith(printed)
        return
    assert printed == record["output"]
    assert outcome.kind == ("raised" if record["raises"] else "finished")
    assert (outcome.type, outcome.line) == (record["raises"], record["line"])
    assert not record["text"] or (outcome.message or "").startswith(record["text"])
    assert told(trace) == record["causes"]


@pytest.mark.parametrize("name", sorted(SILENT))
def test_silent_trouble_has_a_mend_after_which_none_is_told(name: str) -> None:
    for _, mends in find_fixes(run(RECORDS[name]["source"]), run):
        assert mends and told(run(mends[0].source)) == []
