"""Programs in the manner of questions, tutorials and research code print, warn and raise here what they do in PyTorch.

Each goes on after an error, statement by statement, so that one program shows many of them. What PyTorch showed is
stored beside it: what was printed, `[warning] Category: text`, and `!!! Type: text  (line n)` of what nothing caught.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from gradreel.interpreter import run
from gradreel.trace import Trace
from gradreel.trace.events import Event, Printed, Raised, Warned
from tests.autograd_core.transcript import normal
from tests.printing import same_text

STORE = Path(__file__).parent.parent / "data" / "posted.json.gz"
POSTED: dict[str, dict[str, str]] = {
    program["name"]: program for program in json.loads(gzip.decompress(STORE.read_bytes()))
}


def shown(trace: Trace) -> str:
    return normal("".join(map(told, trace.events)))


def told(event: Event) -> str:
    match event:
        case Printed():
            return event.text
        case Warned() if event.category != "Note":
            return f"[warning] {event.category}: {event.message}\n"
        case Raised(caught=False):
            return f"!!! {event.type.rpartition('.')[2]}: {event.message}  (line {event.line})\n"
    return ""


@pytest.mark.parametrize("name", POSTED)
def test_a_program_shows_what_it_does_in_pytorch(name: str) -> None:
    program = POSTED[name]
    trace = run(program["source"], mode="transcript")
    assert trace.outcome.kind == "finished", trace.outcome.message
    found = shown(trace)
    assert same_text(normal(program["shown"]), found), f"torch showed\n{program['shown']}\nhere\n{found}"
