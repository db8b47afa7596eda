"""A step that has nothing to use: the gradients were emptied between the backward and the step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ..diagnostics.diagnosis import Diagnosis, named
from ..diagnostics.registry import watcher
from ..diagnostics.showing import FirstTrouble
from ..narration.words import called, code, name_of, on
from ..replay.world import World


@watcher(e.OptimizerStepped)
class Idle(FirstTrouble):
    """Between two steps of optimizers: which gradients arrived, which of them were emptied, what a step then wrote."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.arrived: dict[int, int] = {}
        """The tensors to which a gradient came since the last step: the line of the backward."""
        self.emptied: dict[int, tuple[int, int]] = {}
        """Those of them whose gradient was emptied before a step used it: the event and the line."""
        self.wrote = False

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        return {
            e.GradStored: self.stored,
            e.Written: self.written,
            e.OptimizerStepped: self.stepped,
            e.TurnsSkipped: self.skipped,
            e.Printed: self.showing.printed,
        }

    def skipped(self, event: e.TurnsSkipped) -> None:
        self.arrived.clear()
        self.emptied.clear()

    def stored(self, event: e.GradStored) -> None:
        if event.after is not None and event.how != "assigned":
            self.arrived[event.tensor] = self.world.place.line
            self.emptied.pop(event.tensor, None)
        elif event.after is None and event.tensor in self.arrived:
            self.emptied[event.tensor] = self.world.count - 1, self.world.place.line

    def written(self, event: e.Written) -> None:
        self.wrote = True

    def stepped(self, event: e.OptimizerStepped) -> None:
        if event.phase == "began":
            self.wrote = False
            return
        lost = [tensor for tensor in self.arrived if tensor in self.emptied]
        if lost and len(lost) == len(self.arrived) and not self.wrote and self.diagnosis is None:
            self.tell(self.told(lost[0], event.optimizer))
        self.arrived.clear()
        self.emptied.clear()

    def told(self, tensor: int, optimizer: str) -> Diagnosis:
        world = self.world
        event, line = self.emptied[tensor]
        shows, backward = world.place.line, self.arrived[tensor]
        return Diagnosis(
            kind="grad_none",
            title="A step without gradients",
            lines={"built": backward, "changed": line, "raised": None, "shows": shows},
            story=(
                f"{code(world.source.text(backward))} {on(backward)} brought gradients, one of them to "
                f"{called(world, tensor)}.",
                f"{code(world.source.text(line))} {on(line)} then set them to None, before anything had used them.",
                f"{code(optimizer)} {on(shows)} takes its step without a gradient, so no parameter changes.",
            ),
            events={"changed": event, "seen": world.count - 1},
            cause="idle",
            names=named(target=name_of(world, world.tensors[tensor])),
        )
