"""Steps of one of several optimizers that never change anything: what it was given never gets a gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ..diagnosis import Diagnosis, named, on
from ..words import code
from ..world.world import World
from .showing import FirstTrouble

STEPS = 2
"""So many steps there must be on the line at least."""


class InVain(FirstTrouble):
    """By line of a step whether any of its steps wrote anything, while those on other lines did."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.steps: dict[int, int] = {}
        self.moving: set[int] = set()
        self.last: tuple[int, int, str] | None = None
        self.line = 0

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        return {e.OptimizerStepped: self.stepped, e.Written: self.written, e.Printed: self.showing.printed}

    def stepped(self, event: e.OptimizerStepped) -> None:
        if event.phase == "began":
            self.line = self.world.place.line
            self.steps[self.line] = self.steps.get(self.line, 0) + 1
            self.last = self.line, self.world.count - 1, event.optimizer
            if self.steps[self.line] == STEPS and self.line not in self.moving and not self.showing.waiting:
                self.showing.wait()

    def written(self, event: e.Written) -> None:
        if self.world.optimizer is not None:
            self.moving.add(self.line)

    def found(self) -> list[Diagnosis]:
        idle = [line for line, steps in self.steps.items() if steps >= STEPS and line not in self.moving]
        if not idle or not self.moving or self.world.skipped:
            return []
        line, text = idle[0], self.world.source.text(idle[0])
        story = (
            f"{code(text)} {on(line)} never changes anything: no parameter that this optimizer was given ever gets a "
            "gradient.",
            "The gradients come to other leaves, of a copy perhaps, or of another part of the program; a copy has its "
            "own, and hands nothing back.",
        )
        lines: dict[str, int | None] = {"built": line, "raised": None}
        title, names = "Steps in vain", named(target=text)
        found = Diagnosis("other", title, "", lines, story, (), {}, "in_vain", names)
        return [self.showing.shown(found)]
