"""What is read off a tape is what is told directly: every stored program, event by event."""

import pytest

from autograd_core.recording.tape import one_at_a_time
from gradreel.program import machine, run
from tests.program.recorded import programs

UNORDERED = {"micrograd beside torch"}
"""Goes through a set of objects, whose order is that of their addresses."""
SOURCES = {program.name: program.source for program in programs() if program.name not in UNORDERED}
PARTS = 12


@pytest.mark.parametrize("part", range(PARTS))
def test_a_tape_tells_what_a_listener_is_told(part: int) -> None:
    for name in list(SOURCES)[part::PARTS]:
        trace = run(SOURCES[name])
        with one_at_a_time:  # so that the recorder's own tape takes no facts
            direct = run(SOURCES[name])
        assert trace.outcome == direct.outcome, name
        for number, (one, other) in enumerate(zip(trace.events, direct.events, strict=True)):
            assert one == other or repr(one) == repr(other), f"{name}, event {number}"


@pytest.mark.parametrize("name", list(SOURCES)[::9])
def test_a_tape_can_be_read_at_any_moment(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = run(SOURCES[name])
    monkeypatch.setattr(machine, "OFTEN", 0)
    assert repr(run(SOURCES[name]).events) == repr(whole.events)
