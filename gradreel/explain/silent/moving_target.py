"""A difference of two estimates by the same parameters in which the wrong one is cut off: the prediction stands still,
and the target, which data went into, is moved to meet it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ..diagnostics.diagnosis import Diagnosis, named
from ..diagnostics.registry import watcher
from ..diagnostics.showing import FirstTrouble
from ..errors.cuts import tracked_cut
from ..narration.words import called, code, name_of, on, upper
from ..replay.graph_queries import by_graph, made_from
from ..replay.states import Call, NodeState, TensorState
from ..replay.world import World

DISTANCES = frozenset({"MseLoss", "SmoothL1Loss", "HuberLoss", "L1Loss"})
MAGNITUDES = DISTANCES | {"Pow", "Square", "Abs"}
"""What a difference goes into that is to become small."""
SUMS = frozenset({"add", "sub", "rsub"})
MEANT = frozenset({"detach", "data", "no_grad"})
TURNS, MOST, LOOKS = 2, 400, 20
"""Told of what has happened so often; so many tensors behind a side are looked at, and so many backwards."""


@watcher(e.BackwardStarted, e.BackwardStarted)
class MovingTarget(FirstTrouble):
    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.turns = self.looks = 0

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        if not any(word in self.world.source.whole for word in ("detach()", ".data", "no_grad")):
            return {}
        return {e.BackwardStarted: self.backward, e.Printed: self.showing.printed}

    def backward(self, event: e.BackwardStarted) -> None:
        call = self.world.calls[event.call]
        if self.diagnosis is not None or call.called != "backward" or not call.place.turns or self.looks == LOOKS:
            return
        self.looks += 1
        for node, fixed, moved in differences(self.world, call):
            cut = self.cut_off(call, fixed, moved)
            if cut is not None:
                self.turns += 1
                if self.turns == TURNS:
                    self.tell(self.told(call, node, cut, moved))
                return

    def cut_off(self, call: Call, fixed: TensorState, moved: TensorState) -> TensorState | None:
        """Where `fixed` was cut off the parameters that `moved` goes back to, if that is an estimate, and `moved` one
        that is corrected by data: it is the target."""
        world = self.world
        behind = list(ancestors_to_leaves(world, fixed))
        leaves = {state.number for state in behind if is_leaf(state)}
        cuts = [state for state in behind if any(one.requires_grad for one in made_from(world, state))]
        sources = [one for state in cuts for one in made_from(world, state) if one.requires_grad]
        if any(one.node in call.expected for one in sources if one.node is not None):
            return None  # it learns by another term
        if not cuts or not leaves & by_graph(world, moved):
            return None
        if adds_data(world, fixed) or not adds_data(world, moved):
            return None
        return cuts[0] if tracked_cut(world, cuts[0]).how in MEANT else None

    def told(self, call: Call, node: NodeState, cut: TensorState, moved: TensorState) -> Diagnosis:
        world, found = self.world, tracked_cut(self.world, cut)
        source = next(state for state in made_from(world, cut) if state.requires_grad)
        aim = called(world, moved.number) if name_of(world, moved) else "the other side"
        line = node.place.line
        lines: dict[str, int | None] = {"built": moved.place.line, "cut": found.place.line, "begun": line}
        lines["raised"] = None
        return Diagnosis(
            kind="no_graph",
            title="The gradient goes to the target",
            lines=lines,
            story=(
                found.told,
                f"{code(world.source.text(line, node.place.end_line))} {on(line)} compares it with {aim} of **line "
                f"{moved.place.line}**, made of data and of an estimate by the same parameters.",
                f"So {code(call.text)} {on(call.place.line)} moves {aim}, which is to be met, and not what is to meet "
                "it.",
                f"{upper(aim)} is the side to detach.",
            ),
            nodes=(node.number,),
            events={"built": moved.made, "cut": cut.made, "begun": node.made, "seen": world.count - 1},
            cause="moving_target",
            names=named(
                how=found.how, target=name_of(world, moved), source=name_of(world, source), cut=name_of(world, cut)
            ),
        )


def differences(world: World, call: Call) -> Iterator[tuple[NodeState, TensorState, TensorState]]:
    """The differences that `call` makes small, each with the side that has no graph and the one that has."""
    nodes = [world.nodes[number] for number in sorted(call.expected, reverse=True)]
    measured = {number for node in nodes if node.kind in MAGNITUDES or is_square(node) for number in node.inputs}
    for node in nodes:
        differs = node.kind in DISTANCES or (node.kind == "Sub" and not measured.isdisjoint(node.outputs))
        sides = [world.tensors[number] for number in node.inputs if number in world.tensors]
        if differs and len(sides) == 2 and sides[0].requires_grad != sides[1].requires_grad:
            fixed, moved = sorted(sides, key=lambda side: side.requires_grad)
            yield node, fixed, moved


def is_square(node: NodeState) -> bool:
    return node.kind == "Mul" and len(node.inputs) == 2 and node.inputs[0] == node.inputs[1]


def is_leaf(state: TensorState) -> bool:
    return state.requires_grad and state.node is None


def ancestors_to_leaves(world: World, start: TensorState) -> Iterator[TensorState]:
    """`start` and what it was made of, nearest first, as far as the leaves."""
    seen, todo = {start.number}, [start]
    for state in todo:
        yield state
        if is_leaf(state) or len(seen) > MOST:
            continue
        more = [one for one in made_from(world, state) if one.number not in seen]
        seen.update(one.number for one in more)
        todo += more


def adds_data(world: World, side: TensorState) -> bool:
    """Whether data is added to what the last layer gave, on the way to `side`."""
    seen, todo = {side.number}, [side]
    for state in todo:
        before = made_from(world, state)
        if any(map(is_leaf, before)) or len(seen) > MOST:
            continue
        estimates = [any(map(is_leaf, ancestors_to_leaves(world, one))) for one in before]
        if state.op.partition(".")[0] in SUMS and len(before) == 2 and sum(estimates) == 1:
            return True
        todo += [one for one, estimate in zip(before, estimates, strict=True) if estimate and one.number not in seen]
        seen.update(one.number for one in before)
    return False
