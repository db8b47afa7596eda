"""`torch.normal` of what is trained: what it draws has a graph, and the gradient that goes back through it is 0."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ..diagnostics.diagnosis import Diagnosis, named
from ..diagnostics.registry import watcher
from ..diagnostics.showing import FirstTrouble
from ..narration.words import bare, called, code, listed, name_of, on
from ..replay.states import NodeState, TensorState
from ..replay.world import World
from .drawn import FAR

DRAWS = "Normal"


@watcher(e.NodeMade, e.BackwardStarted)
class FlatDraws(FirstTrouble):
    """Follows such draws to what takes them first. Where their own likelihood is computed, they are to be numbers."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.takers: dict[int, int] = {}
        """By node the draw that it takes."""
        self.scored: set[int] = set()
        """The lines whose draws meet what they were drawn from, as in a log-probability."""
        self.line = 0

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        if not any("normal(" in line for line in self.world.source.code):
            return {}
        return {e.NodeMade: self.made, e.BackwardStarted: self.backward, e.Printed: self.showing.printed}

    def made(self, event: e.NodeMade) -> None:
        nodes, tensors = self.world.nodes, self.world.tensors
        number = next((number for number in event.inputs if bare(tensors[number].op) == "normal"), None)
        draw = next((to for to, _ in event.edges if to is not None and nodes[to].kind == DRAWS), None)
        if number is None or draw is None or event.variable is not None:
            return
        goals = {to for to, _ in nodes[draw].edges if to is not None}
        todo, seen = [event.node], {event.node, draw}
        for node in todo:
            ways = [to for to, _ in nodes[node].edges if to is not None]
            if goals.intersection(ways) or len(todo) > FAR:
                self.scored.add(tensors[number].place.line)
                return
            todo += [to for to in ways if to not in seen]
            seen.update(ways)
        self.takers[event.node] = number

    def backward(self, event: e.BackwardStarted) -> None:
        if event.called != "backward" or self.diagnosis is not None:
            return
        reached = self.world.calls[event.call].expected
        for node, number in self.takers.items():
            if node in reached:
                draw = self.world.tensors[number]
                self.line = draw.place.line
                self.tell(self.told(draw, self.world.nodes[node]))
                return

    def told(self, draw: TensorState, taker: NodeState) -> Diagnosis:
        world, place = self.world, draw.place
        given = [called(world, number) for number in draw.inputs if world.tensors[number].requires_grad]
        return Diagnosis(
            title="A draw sends back zeros",
            lines={"built": place.line, "raised": None},
            story=(
                f"{code(world.source.text(place.line, place.end_line))} {on(place.line)} draws numbers around "
                f"{listed(given)}.",
                f"**{taker.title}** {on(taker.place.line)} computes with what was drawn, and the gradient of a draw is "
                "0. Nothing that the loss says of it reaches what it was drawn from.",
                "Written as the mean plus the spread times `torch.randn_like`, the same numbers are a function of "
                "both.",
            ),
            nodes=(taker.number,),
            events={"built": draw.made, "seen": world.count - 1},
            cause="flat_draw",
            names=named(target=name_of(world, draw)),
        )

    def found(self) -> list[Diagnosis]:
        return [] if self.line in self.scored else super().found()
