"""A sequence whose history is dropped at every step: only the last step is connected to what goes backward.

Truncation goes backward before it cuts, and what is unrolled without a gradient ends on a line of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ..diagnostics.diagnosis import Diagnosis, named
from ..diagnostics.registry import watcher
from ..diagnostics.showing import FirstTrouble
from ..narration.words import called, code, count, name_of, on
from ..replay.graph_queries import nodes_behind
from ..replay.states import TensorState
from ..replay.world import World

CUTS = frozenset({"detach", "data"})
STEPS = 3


@watcher(e.BackwardStarted)
class CutSteps(FirstTrouble):
    """The results cut off since the last backward, by the line that cuts, and the first node that took each."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.cuts: dict[int, list[TensorState]] = {}
        self.taken: dict[int, int] = {}
        """By what was cut off the node that took it."""

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        if not any(".detach()" in line or ".data" in line for line in self.world.source.code):
            return {}
        return {
            e.TensorMade: self.made,
            e.NodeMade: self.node,
            e.BackwardStarted: self.backward,
            e.Printed: self.showing.printed,
        }

    def made(self, event: e.TensorMade) -> None:
        if event.op not in CUTS or event.base is None or not self.world.place.turns or self.world.open_calls:
            return
        if self.world.tensors[event.base].node is not None and self.diagnosis is None:
            self.cuts.setdefault(self.world.place.line, []).append(self.world.tensors[event.tensor])

    def node(self, event: e.NodeMade) -> None:
        if self.cuts:
            for number in event.inputs:
                self.taken.setdefault(number, event.node)

    def backward(self, event: e.BackwardStarted) -> None:
        reached = self.world.calls[event.call].expected
        for line, cuts in self.cuts.items():
            if self.diagnosis is None and len(cuts) >= STEPS and self.in_vain(cuts, reached):
                self.tell(self.told(line, cuts))
        self.cuts.clear()
        self.taken.clear()

    def in_vain(self, cuts: list[TensorState], reached: dict[int, int]) -> bool:
        """Whether each cut ends what came of the last, and what goes backward is connected to the last step alone."""
        users = [self.taken.get(tensor.number) for tensor in cuts]
        if any(user is None for user in users) or users[-1] not in reached:
            return False
        if len({self.world.nodes[user].place.line for user in users if user is not None}) > 1:
            return False
        if any(user in reached for user in users[:-1]):
            return False
        return all(self.leads(after, user) for after, user in zip(cuts[1:], users, strict=False) if user is not None)

    def leads(self, cut: TensorState, user: int) -> bool:
        """Whether `cut` came, by the graph until there, of what the node `user` made."""
        assert cut.base is not None
        first = self.world.grad_node(cut.base)
        return first is not None and user in nodes_behind(self.world, first, user)

    def told(self, line: int, cuts: list[TensorState]) -> Diagnosis:
        world, last = self.world, cuts[-1]
        assert last.base is not None
        user = world.nodes[self.taken[last.number]]
        source = world.tensors[last.base]
        return Diagnosis(
            kind="no_graph",
            title="The history is dropped at every step",
            lines={"built": user.place.line, "cut": line, "raised": None},
            story=(
                f"{code(world.source.text(line))} {on(line)} cuts {called(world, source.number)} off its graph in each "
                f"of {count(len(cuts))} turns, and the next turn goes on with what is left.",
                f"Only what the last turn computed {on(user.place.line)} is connected to what goes backward. The "
                "graphs of the turns before are built and never used.",
                "Cut where a backward has been through, once for each stretch; within a stretch the history stays.",
            ),
            nodes=(user.number,),
            events={"built": user.made, "cut": last.made, "seen": world.count - 1},
            cause="cut_steps",
            names=named(how="detach", source=name_of(world, source), cut=name_of(world, last)),
        )
