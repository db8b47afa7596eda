"""A leaf that gets gradients and that nobody can reach: only a result made of it once has a name."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ..diagnostics.diagnosis import Diagnosis, named
from ..diagnostics.registry import watcher
from ..diagnostics.showing import Showing
from ..errors.lost_parameters import computed_from_parameter, lost_parameters
from ..narration.words import called, name_of, on, upper
from ..replay.states import TensorState
from ..replay.world import World

STEPS = 2

DATA = frozenset(("tensor", "as_tensor", "from_numpy", "linspace", "arange"))
"""How data comes to be; what is to learn is drawn, or filled."""


@watcher(e.GradStored)
class Nameless:
    """The leaves without a name that got a gradient, and how many steps of optimizers passed them by."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.arrived: set[int] = set()
        self.passed: dict[int, int] = {}
        self.showing = Showing(world)
        self.lines = {lost.lineno for lost in lost_parameters(world.source.tree) if computed_from_parameter(lost.value)}
        """Where an attribute is set to something computed from a Parameter that gets no name."""
        self.lost: dict[int, TensorState] = {}
        """The results of these lines whose leaves got a gradient, by leaf."""

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        return {e.GradStored: self.stored, e.OptimizerStepped: self.stepped, e.Printed: self.showing.printed}

    def stored(self, event: e.GradStored) -> None:
        tensor = self.world.tensors[event.tensor]
        if tensor.called is None and tensor.node is None and event.after is not None:
            self.arrived.add(event.tensor)
            if self.lines and event.tensor not in self.lost:
                for result in self.made_of(tensor):
                    if result.place.line in self.lines and result.node is not None:
                        self.lost[event.tensor] = result
                        self.showing.wait()

    def stepped(self, event: e.OptimizerStepped) -> None:
        if event.phase == "began":
            return
        for number in self.arrived:
            self.passed[number] = self.passed.get(number, 0) + 1
            if self.passed[number] == STEPS and not self.showing.waiting and self.showing.line is None:
                self.showing.wait()
        self.arrived.clear()

    def found(self) -> list[Diagnosis]:
        for number, result in self.lost.items():
            return [self.showing.shown(self.told(self.world.tensors[number], result))]
        if self.world.skipped:
            return []
        lost = [self.world.tensors[number] for number, steps in self.passed.items() if steps >= STEPS]
        for leaf in lost:
            written = any(write.optimizer is not None for write in self.world.writes.get(leaf.storage, ()))
            made = [] if leaf.called or written else self.made_of(leaf)
            if len(made) == 1 and made[0].alive and made[0].names and made[0].node is not None:
                if self.is_input(leaf, made[0]):
                    continue
                return [self.showing.shown(self.told(leaf, made[0]))]
        return []

    def is_input(self, leaf: TensorState, result: TensorState) -> bool:
        """Whether `result` is what a function is differentiated at, or data of a training of other parameters."""
        if any(result.number in call.inputs for call in self.world.calls.values()):
            return True
        stepped = any(write.optimizer is not None for writes in self.world.writes.values() for write in writes)
        return stepped and leaf.op in DATA and not self.within_module(result.place.line)

    def within_module(self, line: int) -> bool:
        """Whether `line` stands in a class of modules: what is kept there is meant to learn."""
        classes = (node for node in self.world.source.nodes if isinstance(node, ast.ClassDef))
        return any(
            node.lineno <= line <= (node.end_lineno or 0) and any("Module" in ast.unparse(base) for base in node.bases)
            for node in classes
        )

    def made_of(self, leaf: TensorState) -> list[TensorState]:
        return [
            tensor
            for tensor in self.world.tensors.values()
            if leaf.number in tensor.inputs or leaf.number == tensor.base
        ]

    def told(self, leaf: TensorState, result: TensorState) -> Diagnosis:
        world = self.world
        assert result.node is not None
        name, line = called(world, result.number), result.place.line
        return Diagnosis(
            kind="grad_none",
            title="A result in the place of a parameter",
            lines={"built": line, "raised": None},
            story=(
                f"{upper(name)} is the result of **{world.nodes[result.node].title}**, built {on(line)}: no leaf and "
                "no `Parameter`. No module lists it and no optimizer has it.",
                "The gradients go to the leaf behind it, which has no name: nobody can reach it.",
                f"So no step ever changes {name}.",
            ),
            nodes=(result.node,),
            events={"built": result.made, "seen": world.count - 1},
            cause="nameless_leaf",
            names=named(target=name_of(world, result)),
        )
