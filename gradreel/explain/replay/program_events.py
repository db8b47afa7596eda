"""What the program's own events change in a World: lines, names, calls of functions, output."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from .states import Seen

if TYPE_CHECKING:
    from .world import World


def line_reached(world: World, event: e.LineReached) -> None:
    world.gone.clear()
    world.lately.clear()
    world.ends[event.line] = event.end_line
    world.place = world.whereabouts.reach(event, world.place, world.count)


def name_bound(world: World, event: e.NameBound) -> None:
    scope, name, number = event.scope, event.name, event.tensor
    names = world.names_in.get(scope)
    if names is None:
        names = world.names_in[scope] = {}
    before = names.get(name)
    if before is not None:
        unbind(world, before, number)
    names[name] = event
    if number is None or (tensor := world.tensors.get(number)) is None:
        return
    key = scope, name
    if key not in tensor.names:
        tensor.names.append(key)
    if name.isidentifier():
        tensor.called = name
        if tensor.bound is None or not world.whereabouts.entering(world.place):
            tensor.bound = world.place
        return
    if tensor.called is None:
        tensor.called = name
    if world.functions.get(scope) == "forward" and is_context(world, event):
        world.on_contexts[name] = world.place.line, world.count, number


def is_context(world: World, event: e.NameBound) -> bool:
    """Whether a path leads to a part of the context of a Function: its root is shown as a node."""
    root = world.names_in[event.scope].get(event.name.partition(".")[0])
    return root is not None and (root.text or "").endswith("Backward")


def name_unbound(world: World, event: e.NameUnbound) -> None:
    names = world.names_in.get(event.scope)
    before = names.pop(event.name, None) if names else None
    if before is None:
        world.lately.setdefault(event.name, None)
        return
    world.lately.setdefault(event.name, before.tensor)
    unbind(world, before, None)


def unbind(world: World, before: e.NameBound, successor: int | None) -> None:
    """What `before` tells holds no more: the name stands for `successor` now, if for any tensor."""
    number = before.tensor
    if number is None or number == successor:
        return
    key = before.scope, before.name
    world.gone.append(key)
    tensor = world.tensors.get(number)
    if tensor is not None and key in tensor.names:
        tensor.names.remove(key)


def function_entered(world: World, event: e.FunctionEntered) -> None:
    world.functions[event.scope] = event.function
    world.whereabouts.enter(event, world.place)


def function_left(world: World, event: e.FunctionLeft) -> None:
    """The function's names go, and the program is back on the line that called it."""
    world.place = world.whereabouts.leave(event, world.place)
    for name, before in world.names_in.pop(event.scope, {}).items():
        world.lately.setdefault(name, before.tensor)
        unbind(world, before, None)


def optimizer_stepped(world: World, event: e.OptimizerStepped) -> None:
    world.stepping = (event.optimizer, world.scope) if event.phase == "began" else None


def text_printed(world: World, event: e.Printed) -> None:
    world.printed.append((event.text, world.count))


def warning_given(world: World, event: e.Warned) -> None:
    world.warnings.append((event, world.count))


def turns_skipped(world: World, event: e.TurnsSkipped) -> None:
    world.skipped.append((world.count, event))


def grad_missing(world: World, event: e.GradMissing) -> None:
    world.missing.append(Seen(world.count, world.place, event.tensor))


def numbers_taken(world: World, event: e.NumbersTaken) -> None:
    world.taken.append(Seen(world.count, world.place, event.tensor, event.how))


CHANGES: dict[type[Event], Callable[[World, Any], None]] = {
    e.LineReached: line_reached,
    e.NameBound: name_bound,
    e.NameUnbound: name_unbound,
    e.FunctionEntered: function_entered,
    e.FunctionLeft: function_left,
    e.OptimizerStepped: optimizer_stepped,
    e.Printed: text_printed,
    e.Warned: warning_given,
    e.TurnsSkipped: turns_skipped,
    e.GradMissing: grad_missing,
    e.NumbersTaken: numbers_taken,
}
