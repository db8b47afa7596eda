"""Gradients clipped before they are there: the backward behind it brings them to the step as large as they are."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ..diagnosis import Diagnosis, on
from ..words import code
from ..world.world import World
from .showing import FirstTrouble

CLIPPING = re.compile(r"^\s*(\w+\.)*clip_grad_(norm|value)_\(")
"""A statement that clips and does nothing else; a norm that is taken with a name may be wanted for itself."""


class ClippedEarly(FirstTrouble):
    """Between two steps of optimizers: whether it was clipped before any gradient arrived, and one arrived then."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        lines = enumerate(world.source.code, 1)
        self.lines = {number for number, text in lines if CLIPPING.search(text) and ";" not in text}
        self.arrived: tuple[int, int] | None = None
        self.clipped: tuple[int, int] | None = None

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        if not self.lines:
            return {}
        return {
            e.LineReached: self.line,
            e.GradStored: self.stored,
            e.OptimizerStepped: self.stepped,
            e.TurnsSkipped: self.skipped,
            e.Printed: self.showing.printed,
        }

    def skipped(self, event: e.TurnsSkipped) -> None:
        self.arrived = self.clipped = None

    def line(self, event: e.LineReached) -> None:
        if event.line in self.lines and self.arrived is None:
            self.clipped = event.line, self.world.count - 1

    def stored(self, event: e.GradStored) -> None:
        if event.after is not None and event.how != "assigned" and self.arrived is None:
            self.arrived = self.world.place.line, self.world.count - 1

    def stepped(self, event: e.OptimizerStepped) -> None:
        if event.phase == "began":
            return
        if self.clipped is not None and self.arrived is not None and self.diagnosis is None:
            self.tell(self.told(self.clipped, self.arrived, event.optimizer))
        self.arrived = self.clipped = None

    def told(self, clipped: tuple[int, int], arrived: tuple[int, int], optimizer: str) -> Diagnosis:
        world = self.world
        shows = world.place.line
        story = (
            f"{code(world.source.text(clipped[0]))} {on(clipped[0])} clips the gradients that are there: none yet, or "
            "those of the turn before.",
            f"{code(world.source.text(arrived[0]))} {on(arrived[0])} brings the new ones only then, and "
            f"{code(optimizer)} takes its step with them {on(shows)} as they are, however large.",
        )
        lines: dict[str, int | None] = {"changed": clipped[0], "seen": arrived[0], "raised": None, "shows": shows}
        events = {"changed": clipped[1], "seen": arrived[1]}
        return Diagnosis("other", "Clipped before the gradients came", "", lines, story, (), events, "clipped_early")
