"""A loss that was given the targets first: the gradient goes into what is compared with, and nothing says so."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ..calls import calls_in
from ..diagnostics.diagnosis import Diagnosis, named
from ..diagnostics.mentions import stands_for
from ..diagnostics.registry import watcher
from ..errors.swapped import ORDER, TITLE
from ..narration.words import code, during, on
from ..replay.world import World

LOSSES = ("BinaryCrossEntropy",)
"""What losses are called that are another number the other way round."""


@watcher(e.NodeMade)
class TurnedRound:
    """Looks at each such loss once: which of its two inputs wants a gradient."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.diagnosis: Diagnosis | None = None

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        return {e.NodeMade: self.made}

    def made(self, event: e.NodeMade) -> None:
        if self.diagnosis is not None or not event.name.startswith(LOSSES):
            return
        world, node = self.world, self.world.nodes[event.node]
        line = node.place.line
        for call in calls_in(world.source.statement(line, world.ends.get(line))):
            if len(call.args) < 2:
                continue
            one, two = (ast.unparse(arg) for arg in call.args[:2])
            first, second = stands_for(world, one), stands_for(world, two)
            if first is None or second is None or first.requires_grad or not second.requires_grad:
                continue
            self.diagnosis = Diagnosis(
                title=TITLE,
                lines={"built": line, "raised": None},
                story=(
                    f"{code(world.source.text(line))} {on(line)}{during(node.place)} gives the loss {code(one)} first, "
                    f"made {on(first.place.line)}, for which no gradient is asked; {code(two)} is what learns.",
                    ORDER,
                ),
                nodes=(node.number,),
                events={"built": node.made},
                cause="swapped",
                names=named(first=one, second=two),
            )

    def found(self) -> list[Diagnosis]:
        return [] if self.diagnosis is None else [self.diagnosis]
