"""A write into a result that the graph never heard of: under no_grad the numbers change, and their history does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ..diagnostics.diagnosis import Diagnosis, named
from ..diagnostics.registry import watcher
from ..diagnostics.showing import FirstTrouble
from ..narration.words import called, code, name_of, on
from ..replay.graph_queries import ancestors, origin
from ..replay.states import TensorState, Write
from ..replay.world import World


@watcher(e.Written)
class Unrecorded(FirstTrouble):
    """Writes of plain numbers into results, until a backward goes through what was computed of them later."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.writes: dict[int, tuple[TensorState, Write]] = {}
        """By memory, the result that lives there and the first such write into it."""
        self.used: dict[int, int] = {}
        """By node that took the memory after the write."""

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        if not self.world.source.quiet_lines:
            return {}
        return {
            e.Written: self.written,
            e.NodeMade: self.node,
            e.BackwardStarted: self.backward,
            e.Printed: self.showing.printed,
        }

    def written(self, event: e.Written) -> None:
        place = self.world.place
        lines = {place.line, *(frame.line for frame in place.frames)}
        tensor = self.world.tensors[event.tensor]
        result = origin(self.world, tensor) or tensor
        quiet = lines & self.world.source.quiet_lines and self.world.optimizer is None and not self.world.open_calls
        if not quiet or not event.counted or result.node is None or event.storage in self.writes:
            return
        given = [self.world.tensors[number] for number in event.inputs if number != event.tensor]
        if any(before.storage == event.storage for state in given for before in ancestors(self.world, state)):
            return  # made of what was there: the slope may be meant to stay
        self.writes[event.storage] = result, self.world.writes[event.storage][-1]

    def node(self, event: e.NodeMade) -> None:
        for number in event.inputs if event.variable is None and self.writes else ():
            storage = self.world.tensors[number].storage
            if storage in self.writes:
                self.used[event.node] = storage

    def backward(self, event: e.BackwardStarted) -> None:
        if self.diagnosis is not None or not self.used:
            return
        reached = self.world.calls[event.call].expected
        node = next((node for node in self.used if node in reached or node in event.nodes), None)
        if node is not None:
            self.tell(self.told(node, *self.writes[self.used[node]]))

    def told(self, node: int, result: TensorState, write: Write) -> Diagnosis:
        world, name = self.world, called(self.world, result.number)
        text = code(world.source.text(write.place.line, write.place.end_line))
        return Diagnosis(
            kind="view_inplace",
            title="A write that the graph does not know of",
            lines={"saved": result.place.line, "changed": write.place.line, "raised": None},
            story=(
                f"{text} {on(write.place.line)} writes into {name} of **line {result.place.line}** while nothing is "
                "recorded: its numbers change, and its history does not.",
                f"The backward goes through {name} as it was built, so gradients flow through the entries that were "
                "written over.",
                "Written outside of `no_grad`, the change becomes part of the graph, and those entries get the "
                "gradient 0.",
            ),
            nodes=(node,),
            events={"saved": result.made, "changed": write.event, "seen": world.count - 1},
            cause="unrecorded",
            names=named(target=name_of(world, result)),
        )
