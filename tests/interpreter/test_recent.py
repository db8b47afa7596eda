"""What recent programs import does here what it does in PyTorch and the libraries beside it, recorded from these."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradreel.interpreter import run
from gradreel.trace.events import Printed
from gradreel.trace.rules import validate

TABLE = Path(__file__).parent.parent / "data" / "recent.txt"
CASES = [block.partition("-----\n")[::2] for block in TABLE.read_text(encoding="utf-8").split("#####\n")]


@pytest.mark.parametrize("source, printed", CASES, ids=[source.split("\n")[0] for source, _ in CASES])
def test_a_program_prints_what_it_does_in_pytorch(source: str, printed: str) -> None:
    trace = run(source)
    assert "".join(e.text for e in trace.events if isinstance(e, Printed)) == printed, trace.outcome.message
    assert trace.outcome.kind == "finished", trace.outcome.message
    assert not validate(trace)
