"""Sound traces break no rule; breaking a trace in one place breaks the rule that speaks of it."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradreel.trace import Outcome, Trace
from gradreel.trace import events as e
from gradreel.trace.events import Event
from gradreel.trace.rules import ENDINGS, OUTCOME, RULES, validate
from tests.small_programs import SMALL

Events = list[Event]


@pytest.mark.parametrize("name", SMALL)
def test_a_sound_trace_breaks_no_rule(name: str) -> None:
    assert validate(SMALL[name]()) == []


def places(trace: Trace, kind: type[Event]) -> list[int]:
    return [number for number, event in enumerate(trace.events) if type(event) is kind]


def changed(kind: type[Event], **fields: object) -> Callable[[Events, int], Events]:
    return lambda events, at: [*events[:at], replace(events[at], **fields), *events[at + 1 :]]  # type: ignore[type-var]


def doubled(events: Events, at: int) -> Events:
    return [*events[: at + 1], events[at], *events[at + 1 :]]


def misread(events: Events, at: int) -> Events:
    """What was found is gone, what was gone is found."""
    read = events[at]
    assert isinstance(read, e.SlotRead)
    return [*events[:at], replace(read, found=read.kept if read.found is None else None), *events[at + 1 :]]


BREAKS: dict[str, tuple[type[Event], Callable[[Events, int], Events]]] = {
    "a number is given to one tensor and one node only": (e.NodeMade, doubled),
    "no event names an unknown or released tensor": (e.NameBound, changed(e.NameBound, tensor=999)),
    "no event names an unknown or released node": (e.NodeMade, changed(e.NodeMade, edges=((999, 0),))),
    "versions only grow": (e.Written, doubled),
    "a freed tensor is never read successfully, a saved one always": (e.SlotRead, misread),
    "a saved tensor is never found older than it was saved": (e.SlotRead, changed(e.SlotRead, kept=7, found=5)),
    "only what is held can be freed or retained": (e.SlotFreed, doubled),
    "a node saves one thing under a name": (e.TensorSaved, doubled),
    "a node runs at most once in a call": (e.NodeStarted, doubled),
    "a node that ran had started": (e.NodeRan, doubled),
    "what a call does happens while it is open": (e.NodeReady, changed(e.NodeReady, call=99)),
    "a call starts once": (e.BackwardStarted, doubled),
    "only an open call finishes or fails": (e.BackwardFinished, doubled),
    "what was there and what came add up to the sum": (e.GradAdded, changed(e.GradAdded, before=None, came=None)),
    "a first gradient is taken or copied, a later one added": (
        e.GradStored,
        changed(e.GradStored, how="anew", before=None),
    ),
    "a node lives as long as an edge leads to it": (
        e.BackwardStarted,
        lambda events, at: [*events[:at], e.NodeReleased(0), *events[at:]],
    ),
    "every node but AccumulateGrad and NotImplemented has a sequence number": (
        e.NodeMade,
        changed(e.NodeMade, variable=None, sequence_nr=None),
    ),
    "a name is bound where its function runs": (e.NameBound, changed(e.NameBound, scope=7)),
    "a line reached is a line of the program": (e.LineReached, changed(e.LineReached, line=999, end_line=999)),
    "a script stops at its first uncaught error": (
        e.LineReached,
        lambda events, at: [*events[:at], e.Raised("E", "m", 1, False, ()), *events[at:]],
    ),
}


def test_every_rule_has_its_breach() -> None:
    assert set(BREAKS) == {rule.sentence for rule in RULES}
    assert len(RULES) == len(BREAKS)


@given(data=st.data())
@settings(max_examples=200, deadline=None)
def test_breaking_a_trace_breaks_the_rule(data: st.DataObject) -> None:
    rule = data.draw(st.sampled_from(sorted(BREAKS)))
    kind, damage = BREAKS[rule]
    traces = {name: make() for name, make in SMALL.items()}
    trace = traces[data.draw(st.sampled_from([name for name in traces if places(traces[name], kind)]))]
    at = data.draw(st.sampled_from(places(trace, kind)))
    broken = replace(trace, events=tuple(damage(list(trace.events), at)))
    assert any(line.startswith(rule) for line in validate(broken)), (rule, at)


def test_a_call_left_open_is_noticed() -> None:
    trace = SMALL["diamond"]()
    broken = replace(trace, events=tuple(event for event in trace.events if type(event) is not e.BackwardFinished))
    assert [line.partition(":")[0] for line in validate(broken)] == [ENDINGS]


def test_an_outcome_that_the_events_do_not_bear_out_is_noticed() -> None:
    broken = replace(SMALL["diamond"](), outcome=Outcome("raised", "RuntimeError", "what?", 1))
    assert [line.partition(":")[0] for line in validate(broken)] == [OUTCOME]


def test_a_wrong_sum_is_noticed() -> None:
    trace = SMALL["diamond"]()
    at = next(
        number
        for number, event in enumerate(trace.events)
        if isinstance(event, e.GradAdded) and event.before is not None
    )
    event = trace.events[at]
    assert isinstance(event, e.GradAdded)
    events = (*trace.events[:at], replace(event, after=event.came), *trace.events[at + 1 :])
    assert any("add up" in line for line in validate(replace(trace, events=events)))
