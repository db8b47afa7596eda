"""At every step of every program of the oracle the player says what the trace says."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from gradreel.explain import World, beats
from gradreel.interpreter import run
from gradreel.scene import build, encode
from gradreel.trace import Trace
from gradreel.trace.events import Value
from tests.interpreter.recorded import programs
from tests.scene.replay import alike

STATES = Path(__file__).parent / "states.mjs"
ORACLE = {
    program.name: program.source for program in programs() if program.name[0] in "sx" and program.name[1] in "0123_"
}
"""The programs of the issue's oracle, and those of its supplement."""


@pytest.fixture(scope="module")
def traces() -> dict[str, Trace]:
    return {name: run(source) for name, source in ORACLE.items()}


@pytest.fixture(scope="module")
def told(traces: dict[str, Trace], tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    """The states of every program; reading them forwards, backwards and in leaps was found to give the same."""
    folder = tmp_path_factory.mktemp("scenes")
    for name, trace in traces.items():
        (folder / name).write_bytes(encode(build(trace)))
    done = subprocess.run([shutil.which("node") or "node", STATES, folder], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(line) for line in done.stdout.splitlines())


@pytest.mark.parametrize("name", ORACLE)
def test_the_player_says_what_the_trace_says(
    name: str, traces: dict[str, Trace], told: dict[str, list[dict[str, Any]]]
) -> None:
    trace, states = traces[name], told[name]
    world = World(trace)
    for state, beat in zip(states[1:], beats(trace.events), strict=True):
        for event in trace.events[beat.start : beat.stop]:
            world.apply(event)
        agree(state, world)


def agree(state: dict[str, Any], world: World) -> None:
    assert state["line"] == (world.place.line or None)
    assert {(name["scope"], name["name"]): name["tensor"] for name in state["names"]} == {
        key: None if bound.tensor is None else f"t{bound.tensor}" for key, bound in world.names.items()
    }
    alive = {number: node for number, node in world.nodes.items() if node.alive}
    boxes = {int(box["id"][1:]): box for box in state["boxes"]}
    assert boxes.keys() == alive.keys()
    for number, node in alive.items():
        assert boxes[number]["name"] == node.name
        assert boxes[number]["slots"] == {slot.slot: slot.state for slot in node.slots.values()}
    leaves = [node.variable for node in alive.values() if node.variable is not None]
    shown = [leaf["grad"] for leaf in state["leaves"]]
    assert len(shown) >= len(leaves)
    for grad, tensor in zip(shown, leaves, strict=False):
        assert same(grad, world.tensors[tensor].grad)


def same(shown: Any, value: Value | None) -> bool:
    if shown is None or value is None:
        return shown is None and value is None
    return alike(shown["head"] if isinstance(shown, dict) else shown, value.data)
