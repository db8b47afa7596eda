"""Gradients clipped before they are there: the backward behind it brings them to the step as large as they are."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ..diagnostics.diagnosis import Diagnosis
from ..diagnostics.registry import watcher
from ..diagnostics.showing import FirstTrouble
from ..narration.words import code, on
from ..replay.world import World

CLIPPING = re.compile(r"^(?!\s*(?:def|from|import)\b).*\bclip_grad_(?:norm|value)_\((?!.*\binf\b)")
"""A statement that clips; at infinity nothing is clipped, and the norm is wanted for itself."""


@watcher(e.OptimizerStepped, e.GradStored)
class ClippedEarly(FirstTrouble):
    """Between two steps of optimizers: what was clipped, and which gradients arrived only then."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        lines = enumerate(world.source.code, 1)
        self.lines = {number for number, text in lines if CLIPPING.search(text) and ";" not in text}
        self.there: set[int] = set()
        """The tensors that have got a gradient since the last step."""
        self.clipped: tuple[int, int] | None = None
        self.had: frozenset[int] = frozenset()
        """What had a gradient when it was clipped last."""
        self.arrived: tuple[int, int] | None = None
        """The first gradient to come later: to what had none, or once more to what had one."""

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
        self.forget()

    def forget(self) -> None:
        self.arrived = self.clipped = None
        self.there.clear()

    def line(self, event: e.LineReached) -> None:
        if event.line in self.lines:
            self.clipped, self.arrived = (event.line, self.world.count - 1), None
            self.had = frozenset(self.there)

    def stored(self, event: e.GradStored) -> None:
        if event.after is None:
            self.there.discard(event.tensor)
            self.had -= {event.tensor}
        elif event.how != "assigned":
            late = self.clipped is not None and (event.tensor in self.had or not self.there)
            if late and self.arrived is None:
                self.arrived = self.world.place.line, self.world.count - 1
            self.there.add(event.tensor)

    def stepped(self, event: e.OptimizerStepped) -> None:
        if event.phase == "began":
            return
        if self.clipped is not None and self.arrived is not None and self.diagnosis is None:
            self.tell(self.told(self.clipped, self.arrived, event.optimizer))
        self.forget()

    def told(self, clipped: tuple[int, int], arrived: tuple[int, int], optimizer: str) -> Diagnosis:
        world = self.world
        shows = world.place.line
        return Diagnosis(
            title="Clipped before the gradients came",
            lines={"changed": clipped[0], "seen": arrived[0], "raised": None, "shows": shows},
            story=(
                f"{code(world.source.text(clipped[0]))} {on(clipped[0])} clips the gradients that are there: none yet, "
                "or those of an earlier backward.",
                f"{code(world.source.text(arrived[0]))} {on(arrived[0])} brings the new ones only then, and "
                f"{code(optimizer)} takes its step with them {on(shows)} as they are, however large.",
            ),
            events={"changed": clipped[1], "seen": arrived[1]},
            cause="clipped_early",
        )
