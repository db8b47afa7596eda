"""Steps of an optimizer in a program that goes backward nowhere: a loss is made, and nobody asks for its gradients."""

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
from ..narration.words import code, name_of, on
from ..replay.states import TensorState
from ..replay.world import World

BACKWARD = frozenset(["backward", "grad", "vjp", "jacrev", "jacfwd", "hessian", "grad_and_value", "jacobian"])
"""What computes gradients, by the last name of the call."""


@watcher(e.OptimizerStepped, e.NodeMade)
class NoBackward(FirstTrouble):
    """Waits for a step while a loss with a graph has a name."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        calls = (node for node in world.source.nodes if isinstance(node, ast.Call))
        self.asked = any(callee(call) in BACKWARD for call in calls)

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        if self.asked or any(isinstance(event, e.BackwardStarted | e.GradStored) for event in self.world.trace.events):
            return {}
        return {e.OptimizerStepped: self.stepped, e.Printed: self.showing.printed}

    def stepped(self, event: e.OptimizerStepped) -> None:
        if self.diagnosis is None and event.phase == "began" and (losses := list(filter(is_loss, self.named()))):
            self.tell(self.told(losses[-1], event.optimizer))

    def named(self) -> list[TensorState]:
        """What has a name of the program's own, in the order in which it was made."""
        return [tensor for tensor in self.world.tensors.values() if tensor.names and tensor.bound is not None]

    def told(self, loss: TensorState, optimizer: str) -> Diagnosis:
        world, name = self.world, name_of(self.world, loss) or "loss"
        built = (loss.bound or loss.place).line
        return Diagnosis(
            kind="grad_none",
            title="A step without a backward",
            lines={"built": built, "raised": None, "shows": world.place.line},
            story=(
                f"{code(optimizer)} takes a step {on(world.place.line)}, and no parameter has a gradient to take it "
                "by: no line of the program goes backward.",
                f"{code(name)}, made {on(built)}, carries the graph they would come from; {code(name + '.backward()')} "
                "before the step computes them.",
            ),
            events={"built": loss.made, "seen": world.count - 1},
            cause="no_backward",
            names=named(target=name),
        )


def is_loss(tensor: TensorState) -> bool:
    """Whether backward could start from it: one number, computed of what requires a gradient."""
    return tensor.alive and tensor.node is not None and all(size == 1 for size in tensor.shape)
