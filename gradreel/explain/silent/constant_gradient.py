"""A penalty on a gradient that is a plain number: without `create_graph`, autograd.grad gives what has no graph."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ..diagnostics.diagnosis import Diagnosis, named
from ..diagnostics.registry import watcher
from ..diagnostics.showing import FirstTrouble, gradient_names
from ..narration.words import bare, called, code, name_of, on, size, upper
from ..optimizers import optimized
from ..replay.graph_queries import ancestors, by_graph, gradient_call, made_from
from ..replay.states import Call, NodeState, TensorState
from ..replay.world import World
from .constant_term import LINEAR, SUMS

BENT = frozenset({"pow", "square", "abs", "norm", "linalg_vector_norm", "sqrt", "relu", "clamp", "exp", "log", "mul"})
"""What makes a penalty of a gradient: a step along one is linear in it."""

CUT = re.compile(r"\.data\b|\.detach\(")

STRAIGHT = frozenset({"add", "sub", "rsub", "mul", "div", "neg", "select", "slice", "unsqueeze", "squeeze", "view"})
"""What leaves a derivative one."""

MOST = 50
"""So many terms are looked at: a loop has the same ones again."""


@watcher(e.NodeMade, e.BackwardStarted)
class ConstantGradient(FirstTrouble):
    """Follows the sums that have a term without a graph, until a backward from one of them meets a gradient in it."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.grads = sum(CUT.search(line) is not None for line in world.source.code)
        """How many gradients were taken without a graph, and how many lines cut something off its graph."""
        self.terms: dict[int, int] = {}
        """By sum the term without a graph."""
        self.parts: dict[int, tuple[int, int]] = {}
        """By sum of many entries the part without a graph, and the one with."""
        self.looked_at = 0

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        return {
            e.GradCaptured: self.captured,
            e.NodeMade: self.made,
            e.BackwardStarted: self.backward,
            e.Printed: self.showing.printed,
        }

    def captured(self, event: e.GradCaptured) -> None:
        call = self.world.calls[event.call]
        self.grads += call.called == "grad" and not call.create_graph

    def made(self, event: e.NodeMade) -> None:
        if not self.grads or self.diagnosis is not None or self.world.nodes[event.node].kind not in SUMS:
            return
        for number in event.inputs:
            tensor = self.world.tensors[number]
            if tensor.requires_grad:
                continue
            if tensor.inputs and size(tensor.shape) == 1:
                self.terms[event.node] = number
            with_graph = [other for other in event.inputs if self.world.tensors[other].requires_grad]
            if size(tensor.shape) > 1 and with_graph:
                self.parts[event.node] = number, with_graph[0]

    def backward(self, event: e.BackwardStarted) -> None:
        if event.called != "backward" or self.diagnosis is not None or self.looked_at > MOST:
            return
        if not self.terms and not self.parts:
            return
        trained = {self.world.nodes[number].variable for number in self.world.calls[event.call].expected}
        todo = [number for root in event.roots if (number := self.world.grad_node(root)) is not None]
        seen = set(todo)
        while todo:
            node = self.world.nodes[todo.pop()]
            if node.number in self.terms:
                term = self.world.tensors[self.terms.pop(node.number)]
                self.looked_at += 1
                found = self.penalized(term)
                if found is not None and trained & self.behind(found[1]):
                    self.tell(self.told(node, term, *found), gradient_names(self.world.source))
                    return
                cut = self.cut_off(term, trained)
                if cut is not None:
                    self.tell(self.told_cut(node, term, cut), gradient_names(self.world.source))
                    return
            ways = [target for target, _ in node.edges if target is not None]
            if node.kind in LINEAR and (len(ways) == 1 or node.kind in SUMS):
                todo += [target for target in ways if target not in seen]
                seen.update(ways)
        self.residual(self.world.calls[event.call], trained)

    def cut_off(self, term: TensorState, trained: set[int | None]) -> TensorState | None:
        """What was cut off a trained leaf, if `term` is a penalty on it."""
        bent = False
        for tensor in ancestors(self.world, term):
            if tensor.requires_grad:
                return None
            if bent and bare(tensor.op) in ("data", "detach") and tensor.base in trained:
                return tensor
            bent |= bare(tensor.op) in BENT
        return None

    def told_cut(self, node: NodeState, term: TensorState, cut: TensorState) -> Diagnosis:
        world, place = self.world, cut.place
        return Diagnosis(
            kind="no_graph",
            title="A term of the loss has no graph",
            lines={"built": node.place.line, "cut": place.line, "raised": None},
            story=(
                f"{code(world.source.text(place.line, place.end_line))} {on(place.line)} computes a term of the loss "
                f"from {called(world, cut.base)} cut off its graph.",
                f"{upper(called(world, world.calls[max(world.calls)].roots[0]))} has the term in its value and in no "
                "gradient, however large its factor.",
            ),
            nodes=(node.number,),
            events={"built": term.made, "cut": cut.made, "seen": world.count - 1},
            cause="constant_penalty",
            names=named(how="detach", target=name_of(world, term)),
        )

    def residual(self, backward: Call, trained: set[int | None]) -> None:
        """A derivative by an input that is added to what is trained, as in the residual of a differential equation.

        A step along a gradient, or a perturbation by one, adds it to what it was taken by.
        """
        for number in self.parts.keys() & backward.expected.keys():
            part, other = self.parts.pop(number)
            self.looked_at += 1
            found = self.derivative(self.world.tensors[part])
            if found is None or other in found[1].inputs:
                continue
            learned = trained & self.behind(found[1])
            inputs = (self.world.tensors[number] for number in found[1].inputs)
            if learned & by_graph(self.world, self.world.tensors[other]) and not any(map(self.is_trained, inputs)):
                told = self.told_residual(self.world.nodes[number], self.world.tensors[other], *found)
                self.tell(told, gradient_names(self.world.source))
                return

    def is_trained(self, tensor: TensorState) -> bool:
        return tensor.node is not None or optimized(self.world, tensor, known=True)

    def derivative(self, part: TensorState) -> tuple[TensorState, Call] | None:
        """The gradient without a graph that `part` is, or a multiple or a sum of some."""
        for tensor in ancestors(self.world, part):
            if tensor.requires_grad:
                return None
            call = gradient_call(self.world, tensor)
            if call is not None:
                return None if call.create_graph or not call.roots else (tensor, call)
            if bare(tensor.op) not in STRAIGHT and tensor.op != "number":
                return None
        return None

    def behind(self, call: Call) -> set[int]:
        """The leaves that what `call` differentiated came of, apart from those it differentiated by."""
        return by_graph(self.world, self.world.tensors[call.roots[0]]) - set(call.inputs)

    def penalized(self, term: TensorState) -> tuple[TensorState, Call] | None:
        """The gradient without a graph that `term` is a penalty on, with the call that gave it."""
        bent = False
        for tensor in ancestors(self.world, term):
            if tensor.requires_grad:
                return None
            call = gradient_call(self.world, tensor)
            if call is not None:
                return (tensor, call) if bent and not call.create_graph and call.roots else None
            of_two = len([state for state in made_from(self.world, tensor) if state.op != "number"]) > 1
            op = bare(tensor.op)
            bent |= op in BENT and (op != "mul" or of_two)
        return None

    def told(self, node: NodeState, term: TensorState, gradient: TensorState, call: Call) -> Diagnosis:
        world = self.world
        term = self.first(term, gradient)
        place = term.place
        text = code(world.source.text(place.line, place.end_line))
        return Diagnosis(
            kind="no_graph",
            title="A term of the loss has no graph",
            lines={"built": place.line, "cut": call.place.line, "raised": None},
            story=(
                f"{code(call.text)} {on(call.place.line)} gives a gradient without `create_graph`: plain numbers, "
                "which know nothing of how they came about.",
                f"{text} {on(place.line)} computes a term of the loss from them, so the term has no graph either.",
                f"{upper(called(world, world.calls[max(world.calls)].roots[0]))} has the term in its value and in no "
                "gradient, however large its factor.",
            ),
            nodes=(node.number,),
            events={"built": term.made, "cut": call.started, "seen": world.count - 1},
            cause="constant_penalty",
            names=named(how="no_create_graph", target=name_of(world, term)),
        )

    def told_residual(self, node: NodeState, other: TensorState, gradient: TensorState, call: Call) -> Diagnosis:
        world, place = self.world, node.place
        return Diagnosis(
            kind="no_graph",
            title="A derivative in the loss has no graph",
            lines={"built": place.line, "cut": call.place.line, "raised": None},
            story=(
                f"{code(call.text)} {on(call.place.line)} gives a derivative without `create_graph`: plain numbers, "
                "which know nothing of how they came about.",
                f"{code(world.source.text(place.line, place.end_line))} {on(place.line)} puts them beside "
                f"{called(world, other.number)}, which has a graph: of the two, only that one is trained.",
                "The loss has the derivative in its value and in no gradient.",
            ),
            nodes=(node.number,),
            events={"built": node.made, "cut": call.started, "seen": world.count - 1},
            cause="constant_penalty",
            names=named(how="no_create_graph", target=name_of(world, gradient)),
        )

    def first(self, term: TensorState, gradient: TensorState) -> TensorState:
        """The first single number on the way from `gradient` to `term`."""
        while True:
            before = [
                state
                for state in made_from(self.world, term)
                if size(state.shape) == 1 and any(other is gradient for other in ancestors(self.world, state))
            ]
            if not before or before[0] is gradient:
                return term
            term = before[0]
