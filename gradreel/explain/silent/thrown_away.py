"""A result that nobody took: `relu(x)` on a line of its own changes nothing, and the program goes on with the old x."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ..calls import callee
from ..diagnostics.diagnosis import Diagnosis, named
from ..diagnostics.registry import watcher
from ..diagnostics.showing import FirstTrouble
from ..narration.words import called, code, name_of, on
from ..replay.states import Place
from ..replay.world import World

CHANGED = """
    relu sigmoid tanh clamp clip add sub mul div neg abs sqrt exp log pow masked_fill scatter index_fill
    index_add detach clone view reshape squeeze unsqueeze t transpose permute flatten float double half
    long to softmax log_softmax normalize dropout leaky_relu elu gelu round floor
"""
CHANGES = frozenset(CHANGED.split())
"""What somebody may call in the belief that it changes its tensor."""


@watcher(e.NodeMade)
class ThrownAway(FirstTrouble):
    """The calls on lines of their own whose result went at once, until the tensor they were given is used again."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.made_at: Place | None = None
        self.made: list[tuple[int, int]] = []
        """What the statement made of named tensors: the event and the tensor it was made of."""
        self.thrown: dict[int, tuple[int, Place]] = {}
        """By tensor the call that was to change it: its event and where."""
        self.used: dict[int, tuple[int, int, int]] = {}
        """By node that took such a tensor: the tensor, the event and the line."""
        self.printed = False

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        if not any(map(throws_away, self.world.source.nodes)):
            return {}
        return {
            e.TensorMade: self.tensor,
            e.LineReached: self.line,
            e.NodeMade: self.node,
            e.BackwardStarted: self.backward,
            e.Printed: self.prints,
        }

    def tensor(self, event: e.TensorMade) -> None:
        place = self.world.place
        if not place.line or not (event.inputs or event.base is not None) or not self.alone(place):
            return
        source = event.inputs[0] if event.inputs else event.base
        if source is not None and self.world.tensors[source].names and self.world.tensors[source].requires_grad:
            self.made_at = place
            self.made.append((self.world.count - 1, source))

    def alone(self, place: Place) -> bool:
        """Whether one call with a plain result stands on the line, and nothing takes what it gives."""
        statements = self.world.source.simple(place.line)
        return len(statements) == 1 and throws_away(statements[0])

    def prints(self, event: e.Printed) -> None:
        self.printed = True
        self.showing.printed(event)

    def line(self, event: e.LineReached) -> None:
        """The next line: what was made is gone, if nothing has a name for it, and it was not echoed."""
        if self.made_at is not None and len(self.made) == 1 and not self.printed:
            number, source = self.made[0]
            self.thrown[source] = number, self.made_at
        self.made_at, self.printed = None, False
        self.made.clear()

    def node(self, event: e.NodeMade) -> None:
        for number in event.inputs:
            if number in self.thrown and event.variable is None and self.made_at is None:
                place = self.world.place
                if place.line != self.thrown[number][1].line:
                    self.used.setdefault(event.node, (number, self.world.count - 1, place.line))

    def backward(self, event: e.BackwardStarted) -> None:
        if self.diagnosis is not None or not self.used:
            return
        reached = self.world.calls[event.call].expected
        for node, use in self.used.items():
            if node in reached or node in event.nodes:
                self.tell(self.told(node, *use))
                return

    def told(self, node: int, tensor: int, event: int, line: int) -> Diagnosis:
        world = self.world
        number, place = self.thrown[tensor]
        text, name = code(world.source.text(place.line, place.end_line)), called(world, tensor)
        return Diagnosis(
            title="A result that was thrown away",
            lines={"built": line, "changed": place.line, "raised": None},
            story=(
                f"{text} {on(place.line)} computes a new tensor, and nothing takes it: {name} stays as it was.",
                f"{code(world.source.text(line))} {on(line)} goes on with {name}, so neither the value nor the "
                "gradient knows of that line.",
                f"Give the result a name, such as {name} again; only what ends in `_` changes its tensor in place.",
            ),
            nodes=(node,),
            events={"changed": number, "built": event, "seen": world.count - 1},
            cause="thrown_away",
            names=named(target=name_of(world, world.tensors[tensor])),
        )


def throws_away(statement: ast.AST) -> bool:
    """Whether a statement is one call with a plain result."""
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return False
    call = statement.value
    given: list[ast.expr] = [*call.args, *(word.value for word in call.keywords)]
    if isinstance(call.func, ast.Attribute):
        given.append(call.func.value)
    return callee(call) in CHANGES and not any(isinstance(part, ast.Call) for arg in given for part in ast.walk(arg))
