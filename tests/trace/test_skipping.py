"""Turns left out of long loops: the trace stays sound, and at its end all stands as it does with every turn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from gradreel.explain import World
from gradreel.interpreter import Limits, run
from gradreel.scene import build
from gradreel.trace import Trace
from gradreel.trace.events import Printed, TurnsSkipped
from gradreel.trace.rules import validate
from gradreel.trace.skipping import Skipping, without
from tests.explain.causes import cases
from tests.interpreter.recorded import programs


def with_turns(trace: Trace, turns: int) -> Trace:
    """`trace` with so many turns at each end of its loops."""
    return replace(trace, events=tuple(without(trace.events, Skipping(trace.events).gaps(turns))))


def skipped(trace: Trace) -> list[TurnsSkipped]:
    return [event for event in trace.events if isinstance(event, TurnsSkipped)]


def told(trace: Trace) -> str:
    return "".join(event.text for event in trace.events if isinstance(event, Printed))


def at_the_end(trace: Trace) -> dict[str, Any]:
    """How all stands when a run is over, by numbers and values."""
    world = World(trace)
    for event in trace.events:
        world.apply(event)
    alive = {number: tensor for number, tensor in world.tensors.items() if tensor.alive}
    return {
        "tensors": {
            number: (repr(tensor.value), tensor.version, tensor.node, tensor.requires_grad, tensor.storage)
            for number, tensor in alive.items()
        },
        "grads": {number: (tensor.grad_tensor, repr(tensor.grad)) for number, tensor in alive.items()},
        "names": {key: (bound.tensor, bound.text) for key, bound in world.names.items()},
        "called": {number: sorted(tensor.names) for number, tensor in alive.items()},
        "nodes": {
            number: (node.name, node.edges, [(slot.slot, slot.state, slot.version) for slot in node.slots.values()])
            for number, node in world.nodes.items()
            if node.alive
        },
        "bytes": world.saved_bytes,
        "open": (world.open_calls, world.optimizer),
        "place": world.place[:2],
        "turns": [turn[:3] for turn in world.place.turns],
        "warnings": [event for event, _ in world.warnings],
        "printed": told(trace),
    }


def looping() -> Iterator[tuple[str, str]]:
    """Stored programs with loops."""
    sources = {program.name: program.source for program in programs()} | {case.name: case.source for case in cases()}
    return ((name, source) for name, source in sources.items() if "for " in source or "while " in source)


EVERY = 5
"""Of the stored programs so many in one are tried."""
LONG = 400
"""So many events are worth leaving some out while they are recorded; few loops turn often enough for it."""


@pytest.mark.parametrize("part", range(4))
def test_what_outlives_skipped_turns_is_all_that_there_is(part: int) -> None:
    some = 0
    for name, source in list(looping())[::EVERY][part::4]:
        trace = run(source)
        shorter = with_turns(trace, 1)
        if not skipped(shorter) or validate(trace):
            continue
        some += 1
        assert validate(shorter) == [], name
        assert at_the_end(shorter) == at_the_end(trace), name
        assert build(shorter).steps, name
        assert with_turns(shorter, 1).events == shorter.events, name
    assert some


@pytest.mark.parametrize("part", range(2))
def test_a_recording_that_grows_long_is_shortened_as_it_grows(part: int) -> None:
    some = 0
    for name, source in list(looping())[part::2]:
        if "yield" in source:
            continue  # a generator that is dropped when the budget is spent is closed, for which there are no events
        trace = run(source)
        if len(trace.events) < LONG:
            continue
        limits = replace(Limits(), events=len(trace.events) * 9 // 10)
        shorter = run(source, limits=limits)
        if not skipped(shorter) or shorter.outcome.kind == "stopped" or validate(trace):
            continue
        some += 1
        assert len(shorter.events) < limits.events and validate(shorter) == [], name
        assert shorter.outcome == trace.outcome and at_the_end(shorter) == at_the_end(trace), name
    assert some
