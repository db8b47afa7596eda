"""A second backward: a node was asked for what an earlier call had freed."""

from __future__ import annotations

import re

from gradreel.trace import events as e

from ..derivatives.lookup import operator
from ..diagnostics.diagnosis import Diagnosis, Failure, named
from ..diagnostics.failing_node import asked
from ..diagnostics.mentions import stands_for
from ..diagnostics.registry import rule
from ..narration.program_layers import built, kept_by
from ..narration.words import code, during, label, on, short, some, upper
from ..replay.graph_queries import nodes_behind
from ..replay.states import Call, NodeState, SlotState
from ..replay.world import World


@rule
def second_backward(world: World, failure: Failure) -> Diagnosis | None:
    """A node was asked for what an earlier call had freed."""
    if not failure.raised.message.startswith("Trying to backward through the graph a second"):
        return None
    found = asked(world, failure)
    if found is None:
        return None
    node, slot = found
    freer = freeing(world, node, slot, failure)
    same = freer is not None and freer.place.line <= failure.raised.line <= freer.place.end_line
    lines = {
        "built": node.place.line,
        "freed_by": failure.raised.line if same else freer.place.line if freer else None,
        "raised": failure.raised.line,
    }
    events = {"built": node.made, "raised": failure.number}
    if (kept := line_that_kept(world, failure, freer)) is not None:
        lines["saved"], events["saved"] = kept
    if slot is not None and slot.freed is not None:
        events["freed"] = slot.freed
    story = [built_and_kept(world, node)]
    if freer is not None:
        story.append(freed_by(world, node, freer))
        story.append(walked_in_again(world, node, freer, failure))
    at = border(world, node, failure, freer)
    story.append(in_vain(world, at) or "What it needs for its gradient is gone, so PyTorch cannot go on.")
    return Diagnosis(
        kind="second_backward",
        title="Backward needs saved tensors that were freed",
        message=failure.raised.message,
        lines=lines,
        story=tuple(story),
        nodes=(node.number,),
        events=events,
        cause="second_backward",
        names=named(border=at, held=held_as(world, at)),
    )


def in_vain(world: World, name: str | None) -> str | None:
    """Where `name` was to be cut off its history, and was not, since the result of `detach()` was not taken."""
    lines = [number for number, text in enumerate(world.source.code, 1) if text.strip() == f"{name}.detach()"]
    if not lines:
        return None
    vain = f"{code(f'{name}.detach()')} {on(lines[0])} gives a tensor without a history"
    return f"{vain}, and nobody takes it: {code(str(name))} keeps its own."


def freeing(world: World, node: NodeState, slot: SlotState | None, failure: Failure) -> Call | None:
    """The call that freed `slot`; of a node that keeps no tensors, the last that used it up."""
    if slot is not None and slot.freed_by is not None:
        return world.calls.get(slot.freed_by)
    calls = [world.calls[call] for call, _ in node.runs if call != failure.call]
    return next((call for call in reversed(calls) if not call.retain_graph), None) if slot is None else None


def built_and_kept(world: World, node: NodeState) -> str:
    if node.name == "CopySlices":
        return f"{built(world, node)}, saves how to go back through the write that made it."
    kept = kept_by(world, list(node.slots.values()))
    known = operator(node.kind)
    saved = some(kept) if kept else "what hooks packed"
    told = f"{built(world, node)}, saves {saved}"
    if known is None:
        return f"{told} to compute its gradients."
    return f"{told}: {known.why}." if short(f"{told}: {known.why}") else f"{told}. {upper(known.why)}."


def freed_by(world: World, node: NodeState, freer: Call) -> str:
    what = "it" if len(node.slots) <= 1 else "both" if len(node.slots) == 2 else "all of it"
    why = "its graph was not retained" if freer.create_graph else "`retain_graph` was not set"
    return f"{code(freer.text)} {on(freer.place.line)} freed {what}{during(freer.place)}, because {why}."


def walked_in_again(world: World, node: NodeState, freer: Call, failure: Failure) -> str:
    """How the failing call came to a node that an earlier one had used up."""
    call = world.calls.get(failure.call) if failure.call is not None else None
    if call is None:
        return f"Line {failure.raised.line} asks for it again."
    fresh = [
        world.nodes[number]
        for number in call.expected
        if world.nodes[number].made > freer.started and world.nodes[number].nr is not None
    ]
    again = f"{code(call.text)} {on(call.place.line)}"
    if not fresh:
        return f"{again} walks through the same nodes a second time."
    numbers = sorted(state.nr for state in fresh if state.nr is not None)
    span = f"#{numbers[0]}–#{numbers[-1]}" if len(numbers) > 1 else f"#{numbers[0]}"
    when = f"Iteration {call.place.turns[-1].number}" if call.place.turns else "The program"
    reused = reused_name(world, node, fresh)
    through = f"reused {code(reused)}" if reused else "they lead back to old ones"
    return f"{when} built new nodes {span}, but {through}, so {again} walks into **{node.title}** again."


def border(world: World, node: NodeState, failure: Failure, freer: Call | None) -> str | None:
    """The name through which what was built since the freeing call leads back into what it used up."""
    call = world.calls.get(failure.call) if failure.call is not None else None
    if call is None or freer is None:
        return None
    states = [world.nodes[number] for number in call.expected]
    return reused_name(world, node, [state for state in states if state.made > freer.started and state.nr is not None])


def line_that_kept(world: World, failure: Failure, freer: Call | None) -> tuple[int, int] | None:
    """Where what is old was kept for later, after its backward or before: the line, and with which event."""
    call = world.calls.get(failure.call) if failure.call is not None else None
    if call is None or freer is None:
        return None
    fresh = {number for number in call.expected if world.nodes[number].made > freer.started}
    borders = [
        (state, target)
        for state in (world.nodes[number] for number in sorted(fresh))
        for target, _ in state.edges
        if target is not None and target not in fresh and world.nodes[target].variable is None
    ]
    for state, _ in borders:
        if state.place.turns != call.place.turns and state.place.line:
            return state.place.line, state.made
    old = {tensor for _, target in borders for tensor in world.nodes[target].outputs}
    line, callers = 0, []
    for number, event in enumerate(world.trace.events[: world.count] if old else ()):
        if isinstance(event, e.LineReached):
            line = event.line
        elif isinstance(event, e.FunctionEntered):
            callers.append(line)
        elif isinstance(event, e.FunctionLeft):
            line = callers.pop() if callers else line
        elif isinstance(event, e.NameBound) and event.tensor in old and re.search(r"[.\[]", event.name):
            path = KEPT_AS.match(event.name)
            if path is not None and re.search(rf"\b{path[1]}\b", world.source.text(line)):
                return line, number
    return None


KEPT_AS = re.compile(r"[\w.]*?(\w+)(?:\[.*|)$")
"""A path, and the name in it under which an object, a list or a dict is kept: `memory` of `self.memory[0]`."""


def held_as(world: World, name: str | None) -> str | None:
    """What an object keeps under an attribute, as `memory.buffer`, and the program calls `name` for now."""
    tensor = stands_for(world, name) if name is not None and "." not in name else None
    paths = [] if tensor is None else [path for _, path in tensor.names if "." in path]
    return paths[0] if paths else None


def reused_name(world: World, node: NodeState, fresh: list[NodeState]) -> str | None:
    """The name through which `fresh` nodes lead into the old graph: where an edge goes from new to old, on the way to
    `node`."""
    new = {state.number for state in fresh}
    borders = [target for state in fresh for target, _ in state.edges if target is not None and target not in new]
    borders.sort(key=lambda target: node.number not in nodes_behind(world, target, node.number))
    for number in (*borders, node.number):
        for tensor in world.nodes[number].outputs:
            if (name := attribute(world, tensor) or label(world, tensor, 0)) is not None:
                return name
    return None


def attribute(world: World, number: int) -> str | None:
    """What an object kept a tensor under, as `self.state`, if the names that it had elsewhere are gone."""
    if world.tensors[number].names:
        return None
    bound = (event for event in world.trace.events[: world.count] if isinstance(event, e.NameBound))
    return next((event.name for event in bound if event.tensor == number and "." in event.name), None)
