"""What optimizers were given: the parameters of which objects, by their names when the optimizer was made."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from gradreel.trace import events as e

from .calls import callee
from .replay.states import Place, TensorState
from .replay.world import World

LISTS = ("parameters", "named_parameters")


@dataclass(frozen=True, slots=True)
class ParameterGroup:
    """All parameters of the object that the program calls `owner`, by what they are called in it."""

    owner: str
    place: Place
    event: int
    members: dict[int, str]


def read_groups(world: World, calls: list[ast.Call]) -> list[ParameterGroup]:
    """What those of `calls` are given that make optimizers on the line that was just reached."""
    place = world.place
    here = [call for call in calls if place.line <= call.lineno <= place.end_line]
    if not here:
        return []
    names, found = {**world.names_in.get(0, {}), **world.names_in.get(world.scope, {})}, []
    for call in here:
        for asked in [part for part in ast.walk(call) if isinstance(part, ast.Call) and callee(part) in LISTS]:
            owner = ast.unparse(asked.func.value) if isinstance(asked.func, ast.Attribute) else ""
            members = {
                bound.tensor: name.removeprefix(f"{owner}.")
                for name, bound in names.items()
                if bound.tensor is not None and name.startswith(f"{owner}.")
            }
            if members:
                found.append(ParameterGroup(owner, place, world.count - 1, members))
    return found


Names = dict[int, set[tuple[int, str]]]


def collect_names(world: World, tensors: Iterable[int]) -> Names:
    """Every name that `tensors` ever had, with its scope."""
    found: Names = {tensor: set() for tensor in tensors}
    for event in world.trace.events[: world.count]:
        if type(event) is e.NameBound and event.tensor in found:
            found[event.tensor].add((event.scope, event.name))
    return found


def constructor_line(world: World, group: ParameterGroup, tensor: TensorState, names: Names) -> int | None:
    """The line of the constructor of what was given that made `tensor`, which is not among its parameters."""
    frames = tensor.place.frames if tensor.made < group.event else ()
    for at, frame in enumerate(frames):
        for member, name in group.members.items():
            if (frame.scope, f"self.{name}") in names[member]:
                return frames[at + 1].line if at + 1 < len(frames) else tensor.place.line
    return None


def later_owners(group: ParameterGroup, tensor: TensorState, names: Names) -> set[tuple[int, str]]:
    """What the object that was given was called, in which scope, where it got `tensor`, which was made later."""
    found: set[tuple[int, str]] = set()
    for scope, name in names[tensor.number] if tensor.made > group.event else ():
        parts = name.split(".")
        owners = {".".join(parts[:at]) for at in range(1, len(parts))}
        found |= {
            (scope, owner)
            for owner in owners
            if any((scope, f"{owner}.{own}") in names[member] for member, own in group.members.items())
        }
    return found
