"""Parameters that no gradient ever comes to, though what goes backward was computed from their numbers: the graph was
cut where nobody cuts it in order to stop a gradient. And the same for what autograd.grad was asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ..diagnosis import Diagnosis, named, on, origin
from ..errors.no_graph import before_line
from ..errors.unused import cut_between, sibling
from ..optimized import optimized
from ..why_none import finished, lost
from ..words import called, code, label, name_of, upper
from ..world.states import Call, TensorState
from ..world.world import World
from .showing import Showing

STEPS, FEW = 2, 4
STOPS = frozenset({"no_grad", "detach"})
"""Cuts that stop a gradient on purpose, unless what is behind them was to move."""
UNMEANT = frozenset({"numbers", "tensor", "sample"})


class Unreached:
    def __init__(self, world: World) -> None:
        self.world = world
        self.reached: set[int] = set()
        """The memory of what a gradient came to."""
        self.steps = 0
        self.unused: Diagnosis | None = None
        self.in_vain: frozenset[str] = frozenset()
        """The names of gradients with respect to results that nothing was made of."""
        self.compared: set[int] = set()
        """The memory of what was compared with what it was before."""
        self.moved = Showing(world)
        self.showing = Showing(world)
        self.asked = Showing(world)

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        return {
            e.GradStored: self.stored,
            e.GradCaptured: self.captured,
            e.BackwardFinished: self.finished,
            e.OptimizerStepped: self.stepped,
            e.Printed: self.printed,
            e.TensorMade: self.made,
        }

    def made(self, event: e.TensorMade) -> None:
        """A parameter is compared with a copy of what it was before the steps: it was to move."""
        if not self.steps or len(event.inputs) != 2 or not event.op.startswith("sub"):
            return
        now, before = (self.world.tensors[number] for number in event.inputs)
        copy = origin(self.world, before) or before
        source = self.world.tensors.get(copy.inputs[0]) if copy.op == "clone" and copy.inputs else None
        if source is not None and source.storage == now.storage:
            self.compared.add(now.storage)
            if not self.moved.waiting and self.moved.line is None:
                self.moved.wait()

    def printed(self, event: e.Printed) -> None:
        self.showing.printed(event)
        self.asked.printed(event)
        self.moved.printed(event)

    def stored(self, event: e.GradStored) -> None:
        self.reached.add(self.world.tensors[event.tensor].storage)

    def stepped(self, event: e.OptimizerStepped) -> None:
        if event.phase != "began":
            self.steps += 1
            if self.steps == STEPS:
                self.showing.wait()

    def captured(self, event: e.GradCaptured) -> None:
        self.reached.add(self.world.tensors[event.tensor].storage)

    def finished(self, event: e.BackwardFinished) -> None:
        """An input without a way, which flags let pass as None or zeros, and whose numbers were used all the same."""
        call = self.world.calls[event.call]
        for place, number in enumerate(call.inputs):
            without = call.captured.get(place) is None and self.world.grad_node(number) not in call.expected
            if without and call.called == "grad" and call.roots and (self.unused is None or self.in_vain):
                self.asked_in_vain(call, number)

    def asked_in_vain(self, call: Call, number: int) -> None:
        goal, start = self.world.tensors[number], self.world.tensors[call.roots[0]]
        cut = cut_between(self.world, start, goal)
        if cut is None and len(self.in_vain) < FEW and self.made_in_vain(start, goal):
            self.in_vain |= self.world.source.assigned(call.place.line)
            self.unused = self.unused or self.told_in_vain(call, start, goal)
            self.asked.wait(self.in_vain)
        if cut is None or cut.how not in UNMEANT or self.unused is not None:
            return
        start = before_line(self.world, start, call.place.line)
        story = (
            f"{code(call.text)} {on(call.place.line)} asks for the gradient of {called(self.world, start.number)} with "
            f"respect to {called(self.world, goal.number)}, and its flags let None or zeros pass where there is none.",
            cut.told,
            f"The numbers of {called(self.world, goal.number)} were used, and the graph knows nothing of that.",
        )
        lines: dict[str, int | None] = {"built": start.place.line, "cut": cut.place.line, "raised": None}
        events = {"built": start.made, "cut": cut.event, "seen": self.world.count - 1}
        names = named(
            root=label(self.world, start.number),
            target=label(self.world, goal.number),
            how=cut.how,
            cut=name_of(self.world, cut.tensor),
            source=name_of(self.world, cut.source) if cut.source else None,
        )
        nodes = () if start.node is None else (start.node,)
        title = "The output does not depend on this input"
        self.unused = Diagnosis("unused", title, "", lines, story, nodes, events, "unused_silently", names)
        self.asked.wait(self.world.source.assigned(call.place.line))

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
        story = (
            f"{code(call.text)} {on(call.place.line)} asks for the gradient of {root} with respect to {name}, and its "
            "flags let None or zeros pass where there is none.",
            f"{upper(name)} was made {on(goal.place.line)}, and nothing was computed from it: {root}, of "
            f"**line {start.place.line}**, came of what {name} was made of, not of {name}.",
            "A slice is a tensor of its own: the gradient goes to it only if what is differentiated was computed from "
            "it.",
        )
        lines: dict[str, int | None] = {"built": goal.place.line, "raised": None}
        events = {"built": goal.made, "seen": self.world.count - 1}
        names = named(root=label(self.world, start.number), target=label(self.world, goal.number))
        nodes = () if goal.node is None else (goal.node,)
        title = "The output does not depend on this input"
        return Diagnosis("unused", title, "", lines, story, nodes, events, "unused_silently", names)

    def found(self) -> list[Diagnosis]:
        if self.unused is not None:
            return [self.asked.shown(self.unused)]
        if self.steps < STEPS or self.world.skipped:
            return []
        leaves = [tensor for tensor in self.world.tensors.values() if self.forgotten(tensor)]
        for tensor in leaves[:20]:
            diagnosis = self.told(tensor)
            if diagnosis is not None:
                showing = self.moved if tensor.storage in self.compared else self.showing
                return [showing.shown(diagnosis)]
        return []

    def forgotten(self, tensor: TensorState) -> bool:
        """Whether an optimizer has `tensor`, and nothing ever came to it."""
        leaf = tensor.requires_grad and tensor.node is None and tensor.alive and bool(tensor.names)
        return leaf and tensor.storage not in self.reached and optimized(self.world, tensor, known=True)

    def told(self, tensor: TensorState) -> Diagnosis | None:
        reason = lost(self.world, tensor)
        if reason is None:
            return None
        how, compared = reason.names.get("how"), tensor.storage in self.compared
        if how not in UNMEANT and not (compared and how in STOPS):
            return None
        lines, events = dict(reason.lines), dict(reason.events)
        again = next(state for state in self.world.tensors.values() if state.made == events["built"])
        lines["built"] = again.bound.line if again.bound is not None else lines["built"]
        if lines["built"] == lines["cut"]:
            call = finished(self.world)[-1]
            root = before_line(self.world, self.world.tensors[call.roots[0]], call.place.line)
            lines["built"], events["built"] = root.place.line, root.made
        name = called(self.world, tensor.number)
        story = (
            f"No gradient ever came to {name}, which the optimizer was given: it never changes.",
            *map(upper, reason.story),
        )
        names = {**reason.names}
        found = Diagnosis("no_graph", "No gradient reaches a parameter", "", lines, story, reason.nodes, events)
        return replace(found, cause="lost_unread", names=names, lines={**lines, "raised": None})
