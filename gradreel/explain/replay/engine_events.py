"""What a backward call does, and what that changes in a World: nodes that run, gradients that arrive and stay."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ..calls import callee
from .expected_gradients import arrivals
from .states import Call, Frame, Place

if TYPE_CHECKING:
    from .world import World


def backward_started(world: World, event: e.BackwardStarted) -> None:
    goals = {world.grad_node(tensor) for tensor in event.inputs}
    expected = arrivals(world.nodes, event.nodes, goals)
    level = 1 + max((world.nodes[number].generation for number in expected), default=0)
    place = place_of_call(world, event.called)
    world.calls[event.call] = Call(
        event.call,
        event.called,
        place,
        world.source.call_text(place.line, place.end_line, event.called),
        event.retain_graph,
        event.create_graph,
        event.parent,
        world.count,
        event.roots,
        level,
        expected,
        event.inputs,
    )
    world.call_order.append(world.calls[event.call])
    world.open_calls.append(event.call)


def place_of_call(world: World, called: str) -> Place:
    """Where a backward begins: in a lambda, of which no line is told, where the only one stands that makes such a
    call."""
    place = world.place
    if world.functions.get(world.scope) != "<lambda>" or f"{called}(" in world.source.statement(*place[:2]):
        return place
    lambdas = [node for node in world.source.nodes if isinstance(node, ast.Lambda)]
    calls = {part for node in lambdas for part in ast.walk(node.body) if callee(part) == called}
    if len(calls) != 1:
        return place
    call: Any = calls.pop()
    around = (*place.around, Frame("<lambda>", place.line, world.scope))
    return Place(call.lineno, call.end_lineno or call.lineno, around, place.since)


def node_started(world: World, event: e.NodeStarted) -> None:
    call = world.calls[event.call]
    call.order += 1
    node = world.nodes[event.node]
    node.runs.append((event.call, call.order))
    node.came = next((grad for grad in event.grads if grad is not None), None)
    world.running.append(event.node)


def node_ran(world: World, event: e.NodeRan) -> None:
    if event.node in world.running:
        world.running.remove(event.node)


def slot_read(world: World, event: e.SlotRead) -> None:
    if event.found == event.kept:
        return
    world.refused = world.count, event
    slot = world.nodes[event.node].slots.get(event.slot)
    if slot is not None and event.found is not None:
        slot.state, slot.found = "stale", event.found


def grad_added(world: World, event: e.GradAdded) -> None:
    arrived = world.calls[event.call].arrived
    arrived[event.node] = arrived.get(event.node, 0) + 1


def grad_stored(world: World, event: e.GradStored) -> None:
    tensor = world.tensors[event.tensor]
    if event.after is None and tensor.grad is not None:
        tensor.emptied = world.place, world.count
    tensor.grad, tensor.grad_tensor = event.after, event.grad
    tensor.came, tensor.arrived = tensor.arrived, world.count
    if event.grad is not None:
        world.owners[event.grad] = event.tensor


def grad_captured(world: World, event: e.GradCaptured) -> None:
    world.calls[event.call].captured[event.index] = event.value


def call_ended(world: World, event: e.BackwardFinished | e.BackwardFailed) -> None:
    call = world.calls[event.call]
    call.ended, call.failed = world.count, isinstance(event, e.BackwardFailed)
    world.open_calls.remove(event.call)
    if not world.open_calls:
        world.running.clear()


CHANGES: dict[type[Event], Callable[[World, Any], None]] = {
    e.BackwardStarted: backward_started,
    e.NodeStarted: node_started,
    e.NodeRan: node_ran,
    e.SlotRead: slot_read,
    e.GradAdded: grad_added,
    e.GradStored: grad_stored,
    e.GradCaptured: grad_captured,
    e.BackwardFinished: call_ended,
    e.BackwardFailed: call_ended,
}
