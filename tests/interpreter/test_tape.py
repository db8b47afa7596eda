"""What is read off a tape is what is told directly: every stored program, event by event."""

import pytest

from autograd_core.events.tape import one_at_a_time
from gradreel.interpreter import machine, run
from tests.interpreter.recorded import programs
from tests.released import sorted_out

SOURCES = {program.name: program.source for program in programs()}
PARTS = 12


@pytest.mark.parametrize("part", range(PARTS))
def test_a_tape_tells_what_a_listener_is_told(part: int) -> None:
    for name in list(SOURCES)[part::PARTS]:
        trace = run(SOURCES[name])
        with one_at_a_time:  # so that the recorder's own tape takes no facts
            direct = run(SOURCES[name])
        assert trace.outcome == direct.outcome, name
        for number, (one, other) in enumerate(zip(*map(sorted_out, (trace.events, direct.events)), strict=True)):
            assert one == other or repr(one) == repr(other), f"{name}, event {number}"


@pytest.mark.parametrize("name", list(SOURCES)[::9])
def test_a_tape_can_be_read_at_any_moment(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = run(SOURCES[name])
    monkeypatch.setattr(machine, "OFTEN", 0)
    assert repr(run(SOURCES[name]).events) == repr(whole.events)


OBJECTS = """
class Thing:
    def __init__(self, name):
        self.name = name

things = {Thing(i) for i in range(50)}
print([thing.name for thing in things | {Thing(50)} | frozenset([Thing(51)])])
"""


def test_a_set_of_objects_goes_in_the_same_order_in_every_run() -> None:
    whole, held = run(OBJECTS), []
    for size in (10, 1_000, 30_000):
        held.append([object() for _ in range(size)])  # objects lie elsewhere now
        assert run(OBJECTS).events == whole.events
