"""What is read off a tape is what is told directly: every stored program, event by event."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import pytest

from autograd_core.recording.tape import one_at_a_time
from gradreel.program import machine, run
from gradreel.trace.events import Event
from tests.program.recorded import programs

UNORDERED = {"micrograd beside torch"}
"""Goes through a set of objects, whose order is that of their addresses."""
SOURCES = {program.name: program.source for program in programs() if program.name not in UNORDERED}
PARTS = 12


def numbered(events: Iterable[Event]) -> Iterator[Event]:
    """The events but for the numbers of storages: a tape numbers them when it is read, a listener when it is told."""
    for event in events:
        yield event if getattr(event, "storage", None) is None else replace(event, storage=0)


@pytest.mark.parametrize("part", range(PARTS))
def test_a_tape_tells_what_a_listener_is_told(part: int) -> None:
    for name in list(SOURCES)[part::PARTS]:
        trace = run(SOURCES[name])
        with one_at_a_time:  # so that the recorder's own tape takes no facts
            direct = run(SOURCES[name])
        assert trace.outcome == direct.outcome, name
        pairs = zip(numbered(trace.events), numbered(direct.events), strict=True)
        for number, (one, other) in enumerate(pairs):
            assert one == other or repr(one) == repr(other), f"{name}, event {number}"


@pytest.mark.parametrize("name", list(SOURCES)[::9])
def test_a_tape_can_be_read_at_any_moment(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = run(SOURCES[name])
    monkeypatch.setattr(machine, "OFTEN", 0)
    assert repr(run(SOURCES[name]).events) == repr(whole.events)
