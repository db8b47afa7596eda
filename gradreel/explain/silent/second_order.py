"""A second-order graph that `.grad` keeps alive and adds to: backward(create_graph=True), again and again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ..diagnostics.diagnosis import Diagnosis, named
from ..diagnostics.registry import watcher
from ..narration.words import called, code, name_of, on
from ..replay.graph_queries import by_graph
from ..replay.world import World
from .before_skipped import BeforeSkipped
from .piled import zero


@watcher(e.GradStored)
class SecondOrder:
    """A gradient with a graph was added to one that still had its own; what was emptied by hand adds nothing."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.graphs: dict[int, int] = {}
        """For a leaf whose `.grad` has a graph: the call that made it."""
        self.before_skipped = BeforeSkipped(world)
        self.diagnosis: Diagnosis | None = None

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        return {e.GradStored: self.stored, e.TurnsSkipped: self.skipped}

    def skipped(self, event: e.TurnsSkipped) -> None:
        self.before_skipped.note(self.graphs)

    def stored(self, event: e.GradStored) -> None:
        call = self.world.calls.get(event.call) if event.call is not None else None
        grad = self.world.tensors.get(event.grad) if event.grad is not None else None
        if self.before_skipped.differs(event.tensor, event.before):
            self.graphs.pop(event.tensor, None)
        if call is None or not call.create_graph or grad is None or grad.node is None:
            self.graphs.pop(event.tensor, None)
            return
        if (
            event.before is not None
            and not zero(event.before)
            and event.tensor in self.graphs
            and self.diagnosis is None
        ):
            self.diagnosis = self.told(event.tensor, grad.number)
        self.graphs[event.tensor] = call.number

    def told(self, tensor: int, grad: int) -> Diagnosis:
        world = self.world
        call = world.calls[world.open_calls[-1]]
        name = called(world, tensor)
        line = call.place.line
        held = len([node for node in world.nodes.values() if node.alive and node.generation])
        through = by_graph(world, world.tensors[grad])
        back = f", which leads back to {name} itself" if tensor in through else ""
        return Diagnosis(
            title="`.grad` keeps a graph of its own alive",
            lines={
                "built": world.tensors[tensor].place.line,
                "changed": line,
                "raised": None,
                "shows": line,
            },
            story=(
                f"{code(call.text)} {on(line)} records the backward itself, so the gradient of {name} comes with a "
                f"graph{back}.",
                "`.grad` holds that graph, and nobody reset it: the new gradient and its graph were added to the old.",
                f"By now {held} nodes of it are alive, {world.saved_bytes:,} bytes of saved tensors in all, and each "
                "call adds to them.",
            ),
            events={"seen": world.count - 1},
            cause="second_order",
            names=named(target=name_of(world, world.tensors[tensor])),
        )

    def found(self) -> list[Diagnosis]:
        return [self.diagnosis] if self.diagnosis is not None else []
