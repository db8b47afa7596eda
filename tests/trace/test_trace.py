"""A trace goes to JSON and back unchanged; the recorder counts."""

import json
import math

import pytest

from gradreel.explain import World
from gradreel.interpreter import run
from gradreel.trace import Outcome, Recorder, Trace
from gradreel.trace import events as e
from gradreel.trace.events import Value
from gradreel.trace.rules import validate
from tests.small_programs import SMALL


@pytest.mark.parametrize("name", SMALL)
def test_a_trace_comes_back_from_json_as_it_was(name: str) -> None:
    trace = SMALL[name]()
    assert Trace.from_json(trace.to_json()) == trace
    assert Trace.from_json(trace.to_json()).to_json() == trace.to_json()


def test_the_program_on_a_page_comes_back_from_json() -> None:
    trace = run("See:\n\n```\nprint(1)\n```\nWhy?")
    assert trace.code.split("\n") == ["", "", "", "print(1)", "", ""]
    assert Trace.from_json(trace.to_json()).code == trace.code
    assert "program" not in json.loads(run("print(1)").to_json())


def told(value: Value) -> Trace:
    return Trace("", "script", Outcome("finished"), (e.GradCaptured(1, 0, 0, value),))


@pytest.mark.parametrize(
    "data, carried",
    [
        (math.inf, "inf"),
        (-math.inf, "-inf"),
        (2**63 - 1, str(2**63 - 1)),
        (-(2**63), str(-(2**63))),
        ([[1.5, math.inf]], [[1.5, "inf"]]),
        (True, True),
        (2**53, 2**53),
    ],
)
def test_numbers_that_json_would_spoil_travel_as_strings(data: object, carried: object) -> None:
    trace = told(Value((), "float32", data))
    assert json.loads(trace.to_json())["values"][0]["data"] == carried
    assert Trace.from_json(trace.to_json()) == trace


def test_nan_comes_back_as_nan() -> None:
    (event,) = Trace.from_json(told(Value((), "float32", math.nan)).to_json()).events
    assert isinstance(event, e.GradCaptured) and event.value is not None
    assert math.isnan(event.value.data)


def test_equal_values_are_told_once() -> None:
    values = [Value((), "float32", data) for data in (1.0, 2.0, 1.0, 0.0, -0.0)]
    trace = Trace("", "script", Outcome("finished"), tuple(e.GradCaptured(1, 0, 0, value) for value in values))
    assert len(json.loads(trace.to_json())["values"]) == 4
    assert len(trace.values) == 4


def test_calls_and_loops_go_on_from_those_around_them() -> None:
    deep = (("f", 1), ("g", 2))
    reached = [(3, deep, ((1, 1, 2),)), (4, deep, ((1, 2, 2),)), (1, deep[:1], ()), (5, (), ((1, 2, 2), (2, 1, None)))]
    events = tuple(e.LineReached(line, line, frames, loops) for line, frames, loops in reached)
    text = Trace("", "script", Outcome("finished"), events).to_json()
    assert json.loads(text)["stacks"] == [[], [0, "f", 1], [1, "g", 2], [0, 1, 1, 2], [0, 1, 2, 2], [4, 2, 1, None]]
    assert Trace.from_json(text).events == events


def test_json_of_another_schema_is_refused() -> None:
    with pytest.raises(ValueError, match="gradreel-trace/2"):
        Trace.from_json('{"schema": "gradreel-trace/99"}')


def test_a_recorder_calls_for_help_beyond_its_limit() -> None:
    class Spent(Exception):
        pass

    def spent(count: int) -> None:
        raise Spent(count)

    recorder = Recorder(2, spent)
    recorder.emit((e.Printed, "one"))
    recorder.emit((e.Printed, "two"))
    with pytest.raises(Spent, match="3"):
        recorder.emit((e.Printed, "three"))
    assert len(recorder) == 3
    assert recorder.trace("", "script", Outcome("stopped")).events[-1] == e.Printed("three")


FAILING = "import torch\ndef inner(x):\n    y = x * 2\n    return y[5]\ndef outer(z):\n    {}\n{}\n"
"""Of two functions: what the outer one does, and how it is called."""
STANDING = {
    ("return inner(z)", "outer(torch.ones(2))"): {"x", "y", "z"},
    ("return inner(z)", "try:\n    outer(torch.ones(2))\nexcept IndexError:\n    pass"): set(),
    ("try:\n        inner(z)\n    finally:\n        w = z + 1", "outer(torch.ones(2))"): {"z", "w"},
}
"""Which names of functions are there at the end."""


@pytest.mark.parametrize("parts", STANDING)
def test_an_error_that_ends_a_script_leaves_its_functions_as_they_stood(parts: tuple[str, str]) -> None:
    trace = run(FAILING.format(*parts))
    assert validate(trace) == []
    world = World(trace)
    for event in trace.events:
        world.apply(event)
    assert {name for (scope, name) in world.names if scope} == STANDING[parts]


def test_a_transcript_goes_on_outside_of_the_functions() -> None:
    trace = run(">>> def f(x):\n...     return 1 / x\n>>> f(0)\n>>> 1")
    assert sum(isinstance(event, e.FunctionLeft) for event in trace.events) == 1
