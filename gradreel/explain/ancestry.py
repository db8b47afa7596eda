"""What a tensor was made of: not by the graph, which may have been cut, but by the numbers."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from itertools import chain
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Value

from .calls import called
from .world.states import Call, Seen, TensorState
from .world.world import World

FACTORIES = frozenset({"tensor", "known before", "from_numpy", "as_tensor", "full", "number"})
"""Ways of making a tensor of plain numbers."""


def made_from(world: World, tensor: TensorState) -> list[TensorState]:
    """The tensors whose numbers went into `tensor`."""
    sources = tensor.inputs if tensor.base is None else (*tensor.inputs, tensor.base)
    if not sources and tensor.op == "known before":
        earlier = [state for state in world.tensors.values() if state.storage == tensor.storage]
        return [state for state in earlier if state.made < tensor.made][-1:] or beside_result(world, tensor)
    return [world.tensors[number] for number in dict.fromkeys(sources) if number in world.tensors]


def beside_result(world: World, tensor: TensorState) -> list[TensorState]:
    """What a node was given that kept `tensor` the moment it was made: places that were found, as max and sort do."""
    for node in reversed(world.nodes.values()):
        if node.made < tensor.made:
            kept = any(slot.tensor == tensor.number for slot in node.slots.values())
            return [world.tensors[number] for number in node.inputs if number in world.tensors] if kept else []
    return []


def written_from(world: World, tensor: TensorState) -> list[TensorState]:
    """The tensors whose numbers were written into the memory of `tensor`."""
    return [
        world.tensors[number]
        for write in world.writes.get(tensor.storage, ())
        for number in write.inputs
        if number in world.tensors
    ]


def ancestors(world: World, start: TensorState) -> Iterator[TensorState]:
    """`start` and all that it was made of, nearest first."""
    seen, todo = {start.number}, [start]
    for tensor in todo:
        yield tensor
        for before in (*made_from(world, tensor), *written_from(world, tensor)):
            if before.number not in seen:
                seen.add(before.number)
                todo.append(before)


def by_graph(world: World, start: TensorState) -> set[int]:
    """The leaves that the graph behind `start` leads to."""
    first = world.grad_node(start.number)
    seen: set[int] = set() if first is None else {first}
    todo = list(seen)
    leaves = set()
    while todo:
        node = world.nodes[todo.pop()]
        if node.variable is not None:
            leaves.add(node.variable)
        for target, _ in node.edges:
            if target is not None and target not in seen:
                seen.add(target)
                todo.append(target)
    return leaves


def flat(data: Any) -> list[Any]:
    """The numbers of a tensor that are told as lists in lists, all of one length."""
    if not isinstance(data, list):
        return [data]
    numbers: list[Any] = data
    while numbers and isinstance(numbers[0], list):
        numbers = list(chain.from_iterable(numbers))
    return numbers


def all_finite(numbers: list[Any]) -> bool:
    """Whether none of `numbers` is infinite or NaN; the sum tells at once where it is finite itself."""
    try:
        if math.isfinite(sum(numbers)):
            return True
    except (TypeError, OverflowError):  # complex numbers, and integers that no float can hold
        pass
    return all(not isinstance(number, float) or math.isfinite(number) for number in numbers)


def all_zero(value: Value) -> bool:
    """Whether there are numbers in `value`, and all of them are 0."""
    if not value.whole:
        return value.minimum == 0 == value.maximum
    entries = flat(value.data)
    return bool(entries) and not any(entries)


def rebuilt_from(world: World, tensor: TensorState) -> Seen | None:
    """Where the numbers of `tensor`, made of plain numbers, were taken out of a tensor with a graph, if they were."""
    if tensor.inputs or tensor.base is not None or tensor.value is None or tensor.op not in FACTORIES:
        return None
    numbers = [number for number in flat(tensor.value.data) if isinstance(number, float)]
    earlier = [seen for seen in world.taken if seen.event < tensor.made]
    for taken in reversed(earlier):
        source = world.tensors.get(taken.tensor)
        if source is None or not tracked(world, source):
            continue
        if taken.place.since == tensor.place.since or within_call(world, taken, tensor):
            return taken
        given = set(flat(source.value.data)) if source.value is not None else set()
        if numbers and any(number in given and number not in (0.0, 1.0) for number in numbers):
            return taken
    feeding = world.source.feeding(tensor.place.line) if earlier else frozenset()
    return next(
        (
            taken
            for taken in reversed(earlier)
            if taken.place.line in feeding
            and taken.tensor in world.tensors
            and tracked(world, world.tensors[taken.tensor])
        ),
        None,
    )


def within_call(world: World, taken: Seen, tensor: TensorState) -> bool:
    """Whether the numbers were taken in a function whose result the statement makes `tensor` of."""
    if not any(frame.line == tensor.place.line for frame in taken.place.frames[len(tensor.place.frames) :]):
        return False
    calls = [node for statement in world.source.simple(tensor.place.line) for node in ast.walk(statement)]
    makers = [call for call in calls if isinstance(call, ast.Call) and called(call) in FACTORIES]
    return any(isinstance(part, ast.Call) for call in makers for given in call.args for part in ast.walk(given))


def asked_later(world: World, source: TensorState, made: int) -> int | None:
    """The event with which it was asked for a gradient of `source`, if that was only after event `made`."""
    flag, later = False, None
    for number, event in enumerate(world.trace.events[: world.count]):
        if isinstance(event, e.TensorMade) and event.tensor == source.number:
            flag = event.requires_grad
        elif isinstance(event, e.FlagChanged) and event.tensor == source.number:
            if number > made and event.requires_grad and not flag:
                later = later if later is not None else number
            if number < made:
                flag = event.requires_grad
    return later if not flag else None


def numbers_on_way(world: World, start: TensorState, goal: TensorState) -> tuple[TensorState, Seen] | None:
    """What `start` was made of that computed with plain numbers taken out of `goal`, or out of what was made of it."""
    mine = [
        seen
        for seen in world.taken
        if seen.tensor in world.tensors and any(state is goal for state in ancestors(world, world.tensors[seen.tensor]))
    ]
    return fed(world, start, mine)


def numbers_from_tracked(world: World, start: TensorState) -> tuple[TensorState, Seen] | None:
    """What `start` was made of that computed with plain numbers taken out of a tensor with a graph."""
    return fed(world, start, [seen for seen in world.taken if tracked(world, world.tensors.get(seen.tensor))])


def fed(world: World, start: TensorState, taken: list[Seen]) -> tuple[TensorState, Seen] | None:
    """What `start` was made of in a statement that some of the numbers `taken` reach, with the last such."""
    for tensor in ancestors(world, start) if taken else ():
        feeding = world.source.feeding(tensor.place.line)
        for seen in reversed(taken):
            if seen.event < tensor.made and (
                seen.place.since == tensor.place.since or seen.place.line in feeding - {tensor.place.line}
            ):
                return tensor, seen
    return None


def tracked(world: World, tensor: TensorState | None) -> bool:
    """Whether `tensor`, or what it is a detached view of, requires a gradient."""
    while tensor is not None:
        if tensor.requires_grad:
            return True
        tensor = world.tensors.get(tensor.base) if tensor.base is not None else None
    return False


def gradient_call(world: World, tensor: TensorState) -> Call | None:
    """The call of autograd.grad whose result `tensor` is."""
    for call in reversed(world.calls.values()):
        if call.called != "grad" or call.ended is None:
            continue
        within = call.started <= tensor.made <= call.ended
        if (within or tensor.op in ("known before", "grad")) and any(
            same(value, tensor) for value in call.captured.values()
        ):
            return call
    return None


def same(value: Any, tensor: TensorState) -> bool:
    """Whether `tensor` has (or had, before it was written into) the contents of `value`."""
    return value is not None and tensor.value is not None and repr(value.data) == repr(tensor.value.data)
