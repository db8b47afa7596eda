"""An input that the output does not depend on, as far as the graph knows."""

from __future__ import annotations

from gradreel.trace.events import FlagChanged, LineReached

from ..diagnostics.diagnosis import Diagnosis, Failure, named
from ..diagnostics.registry import rule
from ..narration.words import called, code, label, name_of, on, upper
from ..replay.graph_queries import ancestors, gradient_call, made_from
from ..replay.states import Call, TensorState
from ..replay.world import World
from .cuts import Cut, constant_gradient, numbers_cut, tracked_cut
from .no_graph import before_line


@rule
def unused(world: World, failure: Failure) -> Diagnosis | None:
    """autograd.grad found no way to an input; or gave None for it, and the program went on with that None."""
    message = failure.raised.message
    if "appears to not have been used in the graph" not in message:
        return None
    call = next((call for call in reversed(world.calls.values()) if call.called == "grad"), None)
    if call is None or not call.inputs:
        return None
    return without_way(world, failure, call)


def without_way(world: World, failure: Failure, call: Call) -> Diagnosis | None:
    absent = [number for place, number in enumerate(call.inputs) if call.captured.get(place) is None]
    wanted = [number for number in absent if world.grad_node(number) not in call.expected] or absent
    if not wanted or not call.roots:
        return None
    goal, start = world.tensors[wanted[0]], world.tensors[call.roots[0]]
    cut = cut_between(world, start, goal)
    constant = gradient_of(world, start) if cut is None else None
    start = before_line(world, start, failure.raised.line)
    built = constant or start
    lines: dict[str, int | None] = {"built": built.place.line, "raised": failure.raised.line}
    events = {"raised": failure.number, "built": built.made}
    story = [
        f"The gradient of {called(world, start.number)}, made {on(start.place.line)}, with respect to "
        f"{called(world, goal.number)}, made {on(goal.place.line)}, is asked for.",
    ]
    if cut is not None:
        lines["cut"], events["cut"] = cut.place.line, cut.event
        story.append(cut.told)
    elif constant is not None:
        story.append(
            f"{called(world, start.number)} is the gradient of {called(world, constant.number)}, made "
            f"{on(constant.place.line)}, which is linear: it is the same everywhere and depends on nothing."
        )
    elif (late := asked_late(world, start, goal)) is not None:
        lines["changed"], events["changed"] = late
        story.append(
            f"{upper(code(world.source.text(late[0])))} {on(late[0])} asks for a gradient of "
            f"{called(world, goal.number)} only then: what was computed from it before knows nothing of that."
        )
    elif sibling(world, start, goal):
        if goal.node is not None:
            lines["cut"], events["cut"] = goal.place.line, goal.made
        user = used_instead(world, start, goal)
        where = f" {on(user.place.line)}" if user is not None else ""
        if user is not None:
            lines["saved"], events["saved"] = user.place.line, user.made
        story.append(
            f"{called(world, goal.number)} was itself made {on(goal.place.line)}. What was computed did not go "
            f"through it but{where} came from what it was made of."
        )
    else:
        story.append("No operation on the way to the one took the other: the graph has no way between them.")
    story.append("PyTorch gives no gradient where there is no way, unless `allow_unused=True` says that None will do.")
    return Diagnosis(
        kind="unused",
        title="The output does not depend on this input",
        message=failure.raised.message,
        lines=lines,
        story=tuple(story),
        nodes=tuple(number for number in (start.node, goal.node) if number is not None),
        events=events,
        cause="unused",
        names=named(
            root=label(world, start.number),
            target=label(world, goal.number),
            aliases=", ".join(aliases(world, goal)),
            how=cut.how if cut else None,
            cut=name_of(world, cut.tensor) if cut else None,
            source=before_goal(world, start, goal) if cut is None else None,
            late="yes" if "changed" in lines else None,
            listed="yes" if cut is None and listed(world, call, goal) else None,
        ),
    )


def asked_late(world: World, start: TensorState, goal: TensorState) -> tuple[int, int] | None:
    """The line and the event at which the leaf `goal`, which `start` was computed from, was told to ask for a gradient
    when that was done."""
    if goal.node is not None or not depends(world, [start], goal):
        return None
    line = 0
    for number, event in enumerate(world.trace.events[: world.count]):
        if isinstance(event, LineReached):
            line = event.line
        elif isinstance(event, FlagChanged) and event.tensor == goal.number and number > start.made:
            return line, number
    return None


def listed(world: World, call: Call, goal: TensorState) -> bool:
    """Whether `goal` is a part of a module, asked for among all its parts, some of which the graph leads to: then the
    gradient is zero, and meant to be."""
    reached = [number for number in call.inputs if world.grad_node(number) in call.expected]
    parts = [name for _, name in goal.names if "." in name or "[" in name]
    return goal.node is None and bool(parts) and len(call.inputs) > 2 and bool(reached)


def aliases(world: World, tensor: TensorState) -> list[str]:
    """All names of `tensor`, those in functions that the error has ended too."""
    lately = [name for name, number in world.lately.items() if number == tensor.number]
    return list(dict.fromkeys([*lately, *(name for _, name in tensor.names)]))


def gradient_of(world: World, tensor: TensorState) -> TensorState | None:
    """What `tensor`, or all that it was made of, is the gradient of, if autograd.grad gave it."""
    for before in ancestors(world, tensor):
        call = gradient_call(world, before)
        if call is not None and call.create_graph and call.roots:
            root = world.tensors[call.roots[0]]
            return before_line(world, root, call.place.line)
        if len(made_from(world, before)) > 1 or before.requires_grad and before.node is None:
            return None
    return None


def cut_between(world: World, start: TensorState, goal: TensorState) -> Cut | None:
    """Where the graph between them was cut: the numbers of `start` came from `goal`, the graph does not."""
    for tensor in ancestors(world, start):
        if tensor.node is not None or tensor is goal:
            continue
        call = gradient_call(world, tensor)
        if call is not None and not call.create_graph and depends(world, [world.tensors[n] for n in call.roots], goal):
            return constant_gradient(world, tensor, False)
        before = made_from(world, tensor)
        if any(state.requires_grad for state in before) and depends(world, before, goal):
            return tracked_cut(world, tensor)
    found = numbers_cut(world, start, goal)
    return found[1] if found is not None else None


def depends(world: World, tensors: list[TensorState], goal: TensorState) -> bool:
    return any(tensor is goal for start in tensors for tensor in ancestors(world, start))


def before_goal(world: World, start: TensorState, goal: TensorState) -> str | None:
    """The name of what `goal` was made of, if `start` was made of it too: the one to differentiate by."""
    behind = {tensor.number for tensor in ancestors(world, start)}
    return next((name_of(world, tensor) for tensor in made_from(world, goal) if tensor.number in behind), None)


def used_instead(world: World, start: TensorState, goal: TensorState) -> TensorState | None:
    """What was computed for `start`, with a name of its own in the line, from what `goal` was made of."""
    sources = {tensor.number for tensor in made_from(world, goal) if tensor.node is None and tensor.requires_grad}
    behind = [tensor for tensor in ancestors(world, start) if sources & set(tensor.inputs)]
    return behind[0] if behind and behind[0].made > goal.made else None


def sibling(world: World, start: TensorState, goal: TensorState) -> bool:
    """Whether both were made of something in common."""
    sources = {tensor.number for tensor in ancestors(world, goal)} - {goal.number}
    return bool(sources & {tensor.number for tensor in ancestors(world, start)})
