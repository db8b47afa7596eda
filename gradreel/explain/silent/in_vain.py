"""Steps of one of several optimizers that never change anything: what it was given never gets a gradient."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ..diagnostics.diagnosis import Diagnosis, named
from ..diagnostics.registry import watcher
from ..diagnostics.showing import FirstTrouble
from ..narration.words import called, code, on
from ..replay.world import World

STEPS = 2
"""So many steps there must be on the line at least."""


@watcher(e.OptimizerStepped, e.Written)
class InVain(FirstTrouble):
    """By line of a step whether any of its steps wrote anything, while those on other lines did, or gradients came."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.steps: dict[int, int] = {}
        self.moving: set[int] = set()
        self.arrived: tuple[int, int] | None = None
        """The last leaf that a gradient came to since the last step, and the line of the backward."""
        self.elsewhere: dict[int, tuple[int, int]] = {}
        """The same, by the line of the step that it came before."""
        self.beside: Counter[int] = Counter()
        """By line of a step how many of its steps followed a gradient that came to something else."""
        self.last: tuple[int, int, str] | None = None
        self.line = 0

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        return {
            e.OptimizerStepped: self.stepped,
            e.Written: self.written,
            e.GradStored: self.stored,
            e.Printed: self.showing.printed,
        }

    def stored(self, event: e.GradStored) -> None:
        if event.how not in ("assigned", "retained") and event.after is not None:
            self.arrived = event.tensor, self.world.place.line

    def stepped(self, event: e.OptimizerStepped) -> None:
        if event.phase == "began":
            self.line = self.world.place.line
            if self.arrived is not None:
                self.beside[self.line] += 1
                self.elsewhere[self.line] = self.arrived
            self.arrived = None
            self.steps[self.line] = self.steps.get(self.line, 0) + 1
            self.last = self.line, self.world.count - 1, event.optimizer
            if self.steps[self.line] == STEPS and self.line not in self.moving and not self.showing.waiting:
                self.showing.wait()

    def written(self, event: e.Written) -> None:
        if self.world.optimizer is not None:
            self.moving.add(self.line)

    def found(self) -> list[Diagnosis]:
        idle = [line for line, steps in self.steps.items() if steps >= STEPS and line not in self.moving]
        idle = [line for line in idle if self.moving or self.beside[line] >= STEPS]
        if not idle or self.world.skipped:
            return []
        line, text = idle[0], self.world.source.text(idle[0])
        story = (
            f"{code(text)} {on(line)} never changes anything: no parameter that this optimizer was given ever gets a "
            "gradient.",
            f"{self.goal(line)}. They may be of a copy, or of another part of the program: a copy has its own, and "
            "hands nothing back.",
        )
        lines: dict[str, int | None] = {"built": line, "raised": None}
        if line in self.elsewhere:
            lines["cut"] = self.world.tensors[self.elsewhere[line][0]].place.line
        title, names = "Steps in vain", named(target=text)
        found = Diagnosis(title=title, lines=lines, story=story, cause="in_vain", names=names)
        return [self.showing.shown(found)]

    def goal(self, line: int) -> str:
        """Where the gradients go that come before the step on `line`."""
        if line not in self.elsewhere:
            return "The gradients come to other leaves"
        leaf, backward = self.elsewhere[line]
        made = self.world.tensors[leaf].place.line
        what = f"{called(self.world, leaf)} of **line {made}**"
        return f"The gradients of {code(self.world.source.text(backward))} {on(backward)} come to others, as {what}"
