"""What a tensor was made of: not by the graph, which may have been cut, but by the numbers."""

from __future__ import annotations

import ast
import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import chain
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Value

from ..calls import callee
from .states import Call, Seen, TensorState
from .world import World

FACTORIES = frozenset({"tensor", "known before", "from_numpy", "as_tensor", "full", "number"})
"""Ways of making a tensor of plain numbers."""


MOST_WRITES, LATEST = 1000, 30
"""So many writes into a tensor, and numbers taken out of tensors, are followed: the last ones."""


def made_from(world: World, tensor: TensorState) -> list[TensorState]:
    """The tensors whose numbers went into `tensor`."""
    sources = tensor.inputs if tensor.base is None else (*tensor.inputs, tensor.base)
    if not sources and tensor.op == "known before":
        there = [world.tensors[number] for number in world.on_storage.get(tensor.storage, ())]
        earlier = [state for state in there if state.storage == tensor.storage and state.made < tensor.made]
        return earlier[-1:] or beside_result(world, tensor) or places_of(world, tensor)
    return [world.tensors[number] for number in dict.fromkeys(sources) if number in world.tensors]


def beside_result(world: World, tensor: TensorState) -> list[TensorState]:
    """What a node was given that kept `tensor` the moment it was made: places that were found, as max and sort do."""
    at = bisect_left(world.node_order, tensor.made, key=lambda node: node.made) - 1
    node = world.node_order[at] if at >= 0 else None
    if node is None or not any(slot.tensor == tensor.number for slot in node.slots.values()):
        return []
    return [world.tensors[number] for number in node.inputs if number in world.tensors]


PLACES = re.compile(r"\bnonzero\(|\bwhere\(")


def places_of(world: World, tensor: TensorState) -> list[TensorState]:
    """The mask whose places `tensor` holds: made in the same statement, or named in it."""
    text = world.source.statement(tensor.place.line, tensor.place.end_line)
    if not tensor.dtype.startswith("int") or PLACES.search(text) is None:
        return []
    masks = [state for state in world.tensors.values() if state.dtype == "bool" and state.made < tensor.made]
    here = [state for state in masks if state.place.since == tensor.place.since]
    words = set(re.findall(r"\w+", text))
    return here[-1:] or [state for state in masks if words & {state.called, *(name for _, name in state.names)}][-1:]


def written_from(world: World, tensor: TensorState) -> list[TensorState]:
    """The tensors whose numbers were written into the memory of `tensor`."""
    return [
        world.tensors[number]
        for write in world.writes.get(tensor.storage, [])[-MOST_WRITES:]
        for number in write.inputs
        if number in world.tensors
    ]


MOST = 20_000
"""So many tensors that one was made of are looked at: through parameters that are stepped the way goes far back."""


def ancestors(world: World, start: TensorState) -> Iterator[TensorState]:
    """`start` and all that it was made of, nearest first."""
    seen, todo = {start.number}, [start]
    memory: set[int] = set()
    for tensor in todo:
        if len(seen) > MOST:
            return
        yield tensor
        written = written_from(world, tensor) if tensor.storage not in memory else []
        memory.add(tensor.storage)
        for before in (*made_from(world, tensor), *written):
            if before.number not in seen:
                seen.add(before.number)
                todo.append(before)


def by_graph(world: World, start: TensorState) -> set[int]:
    """The leaves that the graph behind `start` leads to."""
    first = world.grad_node(start.number)
    reached = (world.nodes[number].variable for number in (nodes_behind(world, first) if first is not None else ()))
    return {variable for variable in reached if variable is not None}


def nodes_behind(world: World, start: int, oldest: int = 0) -> set[int]:
    """The node `start` and those that the graph leads to from it, without what is older than the node `oldest`."""
    seen, todo = {start}, [start]
    while todo:
        ways = {way for way, _ in world.nodes[todo.pop()].edges if way is not None and way >= oldest} - seen
        seen |= ways
        todo.extend(ways)
    return seen


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
        if source is None or not view_requires_grad(world, source):
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
            and view_requires_grad(world, world.tensors[taken.tensor])
        ),
        None,
    )


def within_call(world: World, taken: Seen, tensor: TensorState) -> bool:
    """Whether the numbers were taken in a function whose result the statement makes `tensor` of."""
    if not any(frame.line == tensor.place.line for frame in taken.place.frames[len(tensor.place.frames) :]):
        return False
    calls = [node for statement in world.source.simple(tensor.place.line) for node in ast.walk(statement)]
    makers = [call for call in calls if isinstance(call, ast.Call) and callee(call) in FACTORIES]
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
        for seen in world.taken[-LATEST:]
        if seen.tensor in world.tensors and any(state is goal for state in ancestors(world, world.tensors[seen.tensor]))
    ]
    return find_fed(world, start, mine)


def numbers_from_tracked(world: World, start: TensorState) -> tuple[TensorState, Seen] | None:
    """What `start` was made of that computed with plain numbers taken out of a tensor with a graph."""
    return find_fed(
        world, start, [seen for seen in world.taken if view_requires_grad(world, world.tensors.get(seen.tensor))]
    )


def find_fed(world: World, start: TensorState, taken: list[Seen]) -> tuple[TensorState, Seen] | None:
    """What `start` was made of in a statement that some of the numbers `taken` reach, with the last such."""
    for tensor in ancestors(world, start) if taken else ():
        feeding = world.source.feeding(tensor.place.line)
        for seen in reversed(taken):
            if seen.event < tensor.made and (
                seen.place.since == tensor.place.since or seen.place.line in feeding - {tensor.place.line}
            ):
                return tensor, seen
    return None


def view_requires_grad(world: World, tensor: TensorState | None) -> bool:
    """Whether `tensor`, or what it is a detached view of, requires a gradient."""
    while tensor is not None:
        if tensor.requires_grad:
            return True
        tensor = world.tensors.get(tensor.base) if tensor.base is not None else None
    return False


def gradient_call(world: World, tensor: TensorState) -> Call | None:
    """The call of autograd.grad whose result `tensor` is."""
    calls = list(calls_around(world, tensor.made))
    if not calls and tensor.op in ("known before", "grad"):
        calls = list(reversed(world.calls.values()))
    for call in calls:
        finished = call.called == "grad" and call.ended is not None
        if finished and any(same(value, tensor) for value in call.captured.values()):
            return call
    return None


def calls_around(world: World, event: int) -> Iterator[Call]:
    """The calls that ran when event number `event` happened, innermost first."""
    at = bisect_right(world.call_order, event, key=lambda call: call.started) - 1
    call = world.call_order[at] if at >= 0 else None
    while call is not None:
        if call.ended is None or event <= call.ended:
            yield call
        call = world.calls.get(call.parent) if call.parent is not None else None


def same(value: Any, tensor: TensorState) -> bool:
    """Whether `tensor` has (or had, before it was written into) the contents of `value`."""
    own = tensor.value
    return value is not None and own is not None and value.shape == own.shape and repr(value.data) == repr(own.data)


def origin(world: World, tensor: TensorState | None) -> TensorState | None:
    """The tensor whose memory `tensor` shows, past all views of it."""
    while tensor is not None and tensor.base is not None and tensor.base in world.tensors:
        tensor = world.tensors[tensor.base]
    return tensor


def are_equal(one: Value | None, other: Value | None) -> bool:
    """Whether two values are the same to the last digit."""
    return repr(one) == repr(other)
