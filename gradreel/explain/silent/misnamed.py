"""A setting under a name that nobody reads: Python lets any name be set, and PyTorch looks for its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ..diagnostics.diagnosis import Diagnosis, named
from ..diagnostics.mentions import stands_for
from ..diagnostics.registry import watcher
from ..narration.program_layers import parts_of
from ..narration.words import code, on
from ..replay.states import TensorState
from ..replay.world import World
from ..unread import FLAG, GRADIENT, GROUPS, IN_GROUPS, Unread, unread


@watcher(e.LineReached)
class Misnamed:
    """Looks at such settings where they are reached: whether what was to be set is otherwise, and stays so."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.settings: dict[int, Unread] = {}
        for setting in unread(world.source.tree):
            self.settings.setdefault(setting.line, setting)
        self.reached: list[tuple[Unread, int, list[TensorState], bool]] = []

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        return {e.LineReached: self.line} if self.settings else {}

    def line(self, event: e.LineReached) -> None:
        setting = self.settings.get(event.line)
        if setting is None or len(self.reached) > 20:
            return
        tensor = stands_for(self.world, setting.owner)
        parts = [tensor] if tensor is not None else parts_of(self.world, setting.owner)
        whole = tensor is None
        if setting.meant == GROUPS:
            self.reached.append((setting, self.world.count - 1, [], whole))
        elif setting.meant == GRADIENT and tensor is not None and tensor.grad is not None:
            self.reached.append((setting, self.world.count - 1, parts, whole))
        elif setting.meant == FLAG and (whole or setting.attribute != FLAG) and setting.flag is not None:
            leaves = [part for part in parts if part.node is None and part.requires_grad != setting.flag]
            self.reached += [(setting, self.world.count - 1, leaves, whole)] if leaves else []

    def found(self) -> list[Diagnosis]:
        for setting, number, parts, whole in self.reached:
            if setting.meant != FLAG or any(part.requires_grad != setting.flag for part in parts):
                return [told(self.world, setting, number, whole)]
        return []


def told(world: World, setting: Unread, number: int, whole: bool) -> Diagnosis:
    said, owner = code(world.source.text(setting.line)), code(setting.owner)
    story = [
        f"{said} {on(setting.line)} gives {owner} an attribute `{setting.attribute}`. Python takes any name there, and "
        "nothing in PyTorch reads this one."
    ]
    if setting.meant == GROUPS:
        key = IN_GROUPS[setting.attribute]
        story.append(
            f"An optimizer takes its steps with what stands in its groups of parameters, `param_groups`: there `{key}` "
            "is as it was."
        )
    elif setting.meant == GRADIENT:
        story.append(f"The gradient is `{setting.owner}.grad`: it stays, and the next backward adds to it.")
    elif whole:
        story.append(
            f"Each parameter of {owner} has a flag of its own, which stays {not setting.flag}; `requires_grad_()` of a "
            "module reaches them all."
        )
    else:
        then = "nothing is recorded for its sake" if setting.flag else "gradients for it are computed as before"
        story.append(f"`{setting.owner}.requires_grad` stays {not setting.flag}: {then}.")
    return Diagnosis(
        title="A setting that nobody reads",
        lines={"built": setting.line, "raised": None},
        story=tuple(story),
        events={"built": number},
        cause="unread_setting",
        names=named(target=setting.owner, what=setting.attribute, how="module" if whole else "tensor"),
    )
