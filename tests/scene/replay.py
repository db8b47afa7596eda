"""Plays a scene's steps forward and back, and holds each moment against a World that saw the same events."""

from __future__ import annotations

import json
import math
from typing import Any

from gradreel.explain import World, beats
from gradreel.scene import Scene, build, to_json
from gradreel.trace import Trace
from gradreel.trace.events import Value

State = dict[str, dict[str, Any]]


def check(trace: Trace) -> Scene:
    """The scene of `trace`, after every step of it was found right.

    Raises:
        AssertionError: a step does not fit the one before, or does not say what the World says.
    """
    scene = build(trace)
    played = json.loads(to_json(scene))
    state: State = {}
    world = World(trace)
    steps = played["steps"]
    assert steps[0]["changes"] == {}
    for step, beat in zip(steps[1:], beats(trace.events), strict=True):
        for event in trace.events[beat.start : beat.stop]:
            world.apply(event)
        move(state, step["changes"], 0, 1)
        agree(state, world, played)
    for step in reversed(steps):
        move(state, step["changes"], 1, 0)
    assert all(value is None for thing in state.values() for value in thing.values())
    return scene


def move(state: State, changes: dict[str, dict[str, list[Any]]], there: int, here: int) -> None:
    """Apply `changes` from their side `there` to their side `here`."""
    for thing, properties in changes.items():
        known = state.setdefault(thing, {})
        for name, sides in properties.items():
            assert known.get(name) == sides[there], (thing, name, known.get(name), sides)
            assert sides[0] != sides[1], (thing, name)
            known[name] = sides[here]


def agree(state: State, world: World, played: dict[str, Any]) -> None:
    """What the player shows is what the World knows."""
    names = {
        (int(scope), name): properties.get("tensor")
        for thing, properties in state.items()
        if thing.startswith("name:") and (properties.get("tensor") or properties.get("text")) is not None
        for _, scope, name in [thing.split(":", 2)]
    }
    assert names == {
        key: None if binding.tensor is None else f"t{binding.tensor}" for key, binding in world.names.items()
    }
    for number, node in world.nodes.items():
        box = state[f"n{number}"]
        assert (box["state"] == "released") == (not node.alive)
        if not node.alive:
            continue
        for slot in node.slots.values():
            assert box[f"slot:{slot.slot}"] == slot.state
        if node.variable is not None:
            assert same(played, box.get("grad"), world.tensors[node.variable].grad)
    for key, number in names.items():
        if number is not None:
            tensor = world.tensors[int(number[1:])]
            assert state[number]["state"] == ("alive" if tensor.alive else "released"), key
            assert state[number]["version"] == tensor.version
            assert same(played, state[number].get("grad"), tensor.grad)
            assert same(played, state[number]["value"], tensor.value), key
    assert state["program"].get("line") == (world.place.line or None)
    assert state["program"]["bytes"] == world.saved_bytes >= 0
    for wire in played["wires"]:
        if wire["id"] in state:
            alive = world.nodes[int(wire["from"][1:])].alive
            assert (state[wire["id"]]["state"] == "gone") == (not alive)


def same(played: dict[str, Any], index: int | None, value: Value | None) -> bool:
    """Whether value number `index` of the scene is `value`, up to the digits that scenes carry."""
    if index is None or value is None:
        return index is None and value is None
    shown = played["values"][index]
    return alike(shown["data"] if shown["whole"] else shown["head"], value.data)


def alike(one: Any, two: Any) -> bool:
    if isinstance(two, list):
        return len(one) == len(two) and all(map(alike, one, two))
    return repr(float(one)) == repr(float(two)) or math.isclose(float(one), two, rel_tol=1e-4)
