"""An evaluation that records: each turn's result is summed or kept with a graph of its own, and no backward comes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ..diagnostics.diagnosis import Diagnosis, named
from ..diagnostics.registry import watcher
from ..narration.words import code, count, on
from ..replay.states import NodeState, Turn
from ..replay.world import World
from .growing import holder

TURNS = 3
"""A loop of fewer turns is not told."""
Loop = tuple[int, int]
"""The line of a loop and which run of it."""


@dataclass(slots=True)
class Lap:
    """A turn: its number, the event it began with, the bytes kept then, and the nodes made in it."""

    number: int
    began: int
    nbytes: int
    nodes: list[int] = field(default_factory=list)


@watcher(e.NodeMade, e.OptimizerStepped)
class Collected:
    """Follows every loop in which no backward runs, once an optimizer has taken a step."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.trained = False
        self.open: dict[Loop, list[Lap]] = {}
        self.place = world.place
        self.suspects: list[tuple[int, list[Lap], int]] = []

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        return {
            e.LineReached: self.line,
            e.FunctionLeft: self.line,
            e.NodeMade: self.made,
            e.BackwardStarted: self.backward,
            e.OptimizerStepped: self.stepped,
            e.TurnsSkipped: self.skipped,
        }

    def skipped(self, event: e.TurnsSkipped) -> None:
        """Of a loop with skipped turns too little is known."""
        for laps in self.open.values():
            laps.clear()

    def stepped(self, event: e.OptimizerStepped) -> None:
        self.trained = True

    def backward(self, event: e.BackwardStarted) -> None:
        """A loop with a backward in it is a training loop, which is not looked at here."""
        for laps in self.open.values():
            laps.clear()

    def made(self, event: e.NodeMade) -> None:
        if event.variable is None:
            for laps in self.open.values():
                if laps:
                    laps[-1].nodes.append(event.node)

    def line(self, event: e.LineReached | e.FunctionLeft) -> None:
        place = self.world.place
        if not self.trained or place is self.place:
            return
        self.place = place
        turns = {(turn.line, turn.run): turn for turn in place.around if isinstance(turn, Turn)}
        for key in [key for key in self.open if key not in turns]:
            self.judge(key[0], self.open.pop(key))
        for key, turn in turns.items():
            laps = self.open.get(key)
            if laps is None:
                laps = self.open[key] = []
                self.begin(laps, turn)
            elif laps and laps[-1].number != turn.number:
                self.begin(laps, turn)

    def begin(self, laps: list[Lap], turn: Turn) -> None:
        laps.append(Lap(turn.number, self.world.count - 1, self.world.saved_bytes))

    def judge(self, line: int, laps: list[Lap]) -> None:
        """At the end of a loop: whether most of each turn's graph is alive, and none of it a continuation."""
        if len(laps) >= TURNS and all(lap.nodes and self.kept(lap, laps[0].began) for lap in laps):
            self.suspects.append((line, laps, self.world.saved_bytes))

    def kept(self, lap: Lap, first: int) -> bool:
        nodes = [self.world.nodes[number] for number in lap.nodes]
        carried: set[int] = set()
        for node in nodes:
            targets = [self.world.nodes[target] for target, _ in node.edges if target is not None]
            if any(
                target.number in carried or (target.variable is None and first <= target.made < lap.began)
                for target in targets
            ):
                carried.add(node.number)
        alive = sum(node.alive for node in nodes)
        return 2 * len(carried) <= len(nodes) and 2 * alive > len(nodes)

    def found(self) -> list[Diagnosis]:
        """Told unless a backward ran through what was kept after all, or might have if the run had gone on."""
        latest = {line: laps for line, laps, _ in self.suspects} if self.world.trace.outcome.kind == "stopped" else {}
        for line, laps, nbytes in self.suspects:
            if latest.get(line) is laps:
                continue
            states = [self.world.nodes[number] for lap in laps for number in lap.nodes]
            if self.world.skipped and not all(node.alive for node in states):
                continue  # perhaps a backward among the skipped turns came for them
            if not any(node.runs for node in states):
                return [self.told(line, laps, states, nbytes)]
        return []

    def told(self, line: int, laps: list[Lap], states: list[NodeState], nbytes: int) -> Diagnosis:
        name = holder(self.world, [self.world.nodes[number] for number in laps[0].nodes])
        weight = f" with {nbytes - laps[0].nbytes:,} bytes of saved tensors" if nbytes > laps[0].nbytes else ""
        held = f"{code(name)} leads to all of them." if name else "What was kept of each turn leads to them."
        built = states[0]
        return Diagnosis(
            title="An evaluation that records a graph",
            lines={"built": built.place.line, "raised": None, "shows": line},
            story=(
                f"Each of the {count(len(laps))} turns of the loop {on(line)} recorded a graph. All of them stayed "
                f"alive: {len(states)} nodes{weight}.",
                held,
                "No backward ever came for them, so they were recorded and kept for nothing.",
                "`with torch.no_grad():` around an evaluation records nothing; `item()` takes a number without its "
                "graph.",
            ),
            nodes=tuple(node.number for node in states[:6]),
            events={"built": built.made, "seen": laps[-1].began},
            cause="collected",
            names=named(target=name),
        )
