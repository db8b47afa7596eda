"""A second derivative in the loss that is zero everywhere: of a network that is made of straight pieces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event, Value

from ..diagnostics.diagnosis import Diagnosis
from ..diagnostics.registry import watcher
from ..diagnostics.showing import FirstTrouble
from ..narration.words import code, during, on
from ..replay.states import Call, NodeState
from ..replay.world import World
from .piled import zero

STRAIGHT = frozenset({"Relu", "LeakyRelu", "Threshold", "Hardtanh", "Abs", "Prelu", "PreluKernel", "RreluWithNoise"})
"""Activations whose slope changes in jumps, and is the same between them."""
TIMES = 2


@watcher(e.GradCaptured, e.GradCaptured, e.OptimizerStepped)
class NoCurvature(FirstTrouble):
    """Follows what `autograd.grad` hands back of a gradient: zero each time, while a network is trained with it."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.zeros = 0
        self.activation: NodeState | None = None
        """The first activation of straight pieces that the last first derivative went through."""
        self.curved = False

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        return {e.GradCaptured: self.captured, e.Printed: self.showing.printed}

    def captured(self, event: e.GradCaptured) -> None:
        call = self.world.calls[event.call]
        if call.level == 1:
            self.activation = self.straight(call)
        if call.level < 2 or event.value is None or self.curved:
            return
        if not nothing(event.value):
            self.curved = True
            return
        node = self.activation
        if node is None or not call.create_graph:
            return
        self.zeros += 1
        if self.zeros == TIMES:
            self.tell(self.told(call, node))

    def straight(self, call: Call) -> NodeState | None:
        """The first activation of straight pieces that the call goes through."""
        nodes = (self.world.nodes[number] for number in sorted(call.expected))
        return next((node for node in nodes if node.kind in STRAIGHT and node.generation == 0), None)

    def told(self, call: Call, node: NodeState) -> Diagnosis:
        text, line = code(self.world.source.text(call.place.line)), call.place.line
        return Diagnosis(
            title="A second derivative that is zero everywhere",
            lines={"built": node.place.line, "asked": line, "raised": None},
            story=(
                f"{text} {on(line)}{during(call.place)} asks for a second derivative, and gets zeros, each time.",
                f"The network of **line {node.place.line}** has **{node.title}** in it. Between its kinks it is "
                "linear, so its slope is constant there, and the slope of that is 0.",
                "What the loss makes of these zeros teaches nothing. A smooth activation, such as Tanh or Softplus, "
                "has a second derivative.",
            ),
            nodes=(node.number,),
            events={"built": node.made, "seen": self.world.count - 1},
            cause="second_derivative",
        )

    def found(self) -> list[Diagnosis]:
        return [] if self.curved else super().found()


def nothing(value: Value) -> bool:
    return zero(value) if value.whole else value.minimum == value.maximum == 0
