"""A gradient that autograd.grad was asked for and that has no way: flags let None or zeros pass, though the numbers of
the input were used, or a slice of it stands beside what was computed."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ..diagnostics.diagnosis import Diagnosis, named
from ..diagnostics.registry import watcher
from ..diagnostics.showing import FirstTrouble
from ..errors.cuts import Cut
from ..errors.no_graph import before_line
from ..errors.unused import cut_between, sibling
from ..narration.words import called, code, label, name_of, on, upper
from ..replay.states import Call, TensorState
from ..replay.world import World

UNMEANT = frozenset({"numbers", "tensor", "sample", "parameter"})
"""Cuts that nobody makes in order to stop a gradient."""
FEW = 4
"""So many names of gradients are looked for where something is printed."""
TITLE = "The output does not depend on this input"


@watcher(e.BackwardFinished)
class AskedInVain(FirstTrouble):
    """Looks at the inputs of each call of autograd.grad that the call never came to."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.in_vain: frozenset[str] = frozenset()
        """The names of gradients with respect to results that nothing was made of."""
        self.asked: Counter[tuple[int, int]] = Counter()
        """How often each tensor was asked for in vain, by the line that asked."""

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        return {e.BackwardFinished: self.finished, e.Printed: self.showing.printed}

    def finished(self, event: e.BackwardFinished) -> None:
        """An input without a way, which flags let pass as None or zeros, and whose numbers were used all the same."""
        call = self.world.calls[event.call]
        for place, number in enumerate(call.inputs):
            without = call.captured.get(place) is None and self.world.grad_node(number) not in call.expected
            self.asked[number, call.place.line] += without
            often = self.asked[number, call.place.line] > FEW  # a loop asks for the same again and again
            if (
                without
                and not often
                and call.called == "grad"
                and call.roots
                and not (self.diagnosis and not self.in_vain)
            ):
                self.asked_in_vain(call, number)

    def asked_in_vain(self, call: Call, number: int) -> None:
        goal, start = self.world.tensors[number], self.world.tensors[call.roots[0]]
        cut = cut_between(self.world, start, goal)
        if cut is None and len(self.in_vain) < FEW and self.made_in_vain(start, goal):
            self.in_vain |= self.world.source.assigned(call.place.line)
            self.tell(self.diagnosis or self.told_in_vain(call, start, goal), self.in_vain)
        if cut is not None and cut.how in UNMEANT and self.diagnosis is None:
            results = self.world.source.assigned(call.place.line)
            if not passes_over_none(self.world.source.tree, results):
                self.tell(self.told_cut(call, start, goal, cut), results)

    def told_cut(self, call: Call, start: TensorState, goal: TensorState, cut: Cut) -> Diagnosis:
        start = before_line(self.world, start, call.place.line)
        return Diagnosis(
            kind="unused",
            title=TITLE,
            lines={"built": start.place.line, "cut": cut.place.line, "raised": None},
            story=(
                f"{code(call.text)} {on(call.place.line)} asks for the gradient of {called(self.world, start.number)} "
                f"with respect to {called(self.world, goal.number)}. Its flags let None or zeros pass where there is "
                "none.",
                cut.told,
                f"The numbers of {called(self.world, goal.number)} were used, and the graph knows nothing of that.",
            ),
            nodes=() if start.node is None else (start.node,),
            events={"built": start.made, "cut": cut.event, "seen": self.world.count - 1},
            cause="unused_silently",
            names=named(
                root=label(self.world, start.number),
                target=label(self.world, goal.number),
                how=cut.how,
                cut=name_of(self.world, cut.tensor),
                source=name_of(self.world, cut.source) if cut.source else None,
            ),
        )

    def made_in_vain(self, start: TensorState, goal: TensorState) -> bool:
        """Whether `goal` is a result that nothing was made of, though what it was made of led to `start`."""
        if goal.node is None or not sibling(self.world, start, goal):
            return False
        return not any(
            goal.number in state.inputs or goal.number == state.base for state in self.world.tensors.values()
        )

    def told_in_vain(self, call: Call, start: TensorState, goal: TensorState) -> Diagnosis:
        name, start = called(self.world, goal.number), before_line(self.world, start, call.place.line)
        root = called(self.world, start.number)
        return Diagnosis(
            kind="unused",
            title=TITLE,
            lines={"built": goal.place.line, "raised": None},
            story=(
                f"{code(call.text)} {on(call.place.line)} asks for the gradient of {root} with respect to {name}. Its "
                "flags let None or zeros pass where there is none.",
                f"{upper(name)} was made {on(goal.place.line)}, and nothing was computed from it. {upper(root)}, of "
                f"**line {start.place.line}**, came of what {name} was made of, not of {name}.",
                "A slice is a tensor of its own: the gradient goes to it only if what is differentiated was computed "
                "from it.",
            ),
            nodes=() if goal.node is None else (goal.node,),
            events={"built": goal.made, "seen": self.world.count - 1},
            cause="unused_silently",
            names=named(root=label(self.world, start.number), target=label(self.world, goal.number)),
        )


def passes_over_none(tree: ast.Module, names: frozenset[str]) -> bool:
    """Whether a program that gives its gradients these names goes through them and leaves out those that are None."""
    turns = [node for node in ast.walk(tree) if isinstance(node, ast.For | ast.comprehension)]
    parts = {
        name.id
        for turn in turns
        if names & {part.id for part in ast.walk(turn.iter) if isinstance(part, ast.Name)}
        for name in ast.walk(turn.target)
        if isinstance(name, ast.Name)
    }
    return any(
        isinstance(test, ast.Compare)
        and isinstance(test.left, ast.Name)
        and test.left.id in parts
        and isinstance(test.comparators[0], ast.Constant)
        and test.comparators[0].value is None
        for test in ast.walk(tree)
    )
