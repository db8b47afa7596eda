"""Programs run by the interpreter leave sound traces, and those that fail are diagnosed."""

import pytest

from gradreel.explain import diagnose
from gradreel.interpreter import run
from gradreel.trace.rules import validate
from tests.interpreter.recorded import programs

SOURCES = {program.name: program.source for program in programs() if program.name.startswith("f_")}


@pytest.mark.parametrize("name", SOURCES)
def test_their_traces_break_no_rule(name: str) -> None:
    assert validate(run(SOURCES[name])) == []


def test_a_node_whose_tensors_hooks_packed_is_diagnosed() -> None:
    (diagnosis,) = diagnose(run(SOURCES["f_checkpoint_twice"]))
    assert diagnosis.kind == "second_backward"
    assert any("saves what hooks packed" in sentence for sentence in diagnosis.story)
