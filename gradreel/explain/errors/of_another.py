"""A method that another of the program's things has: a loss has no `step`, a layer no `backward`."""

from __future__ import annotations

import ast
import re

from ..diagnostics.diagnosis import Diagnosis, Failure, named
from ..diagnostics.mentions import begun
from ..diagnostics.registry import rule
from ..narration.words import code, name_of, size
from ..optimizers import optimizers
from ..replay.states import TensorState
from ..replay.world import World

ASKED = re.compile(r"^'(?P<got>\w+)' object has no attribute '(?P<what>step|zero_grad|backward)'$")
OF_OPTIMIZER = "Steps are taken by the optimizer, which has the parameters and their gradients: {it}."
OF_LOSS = "Backward starts from what was computed, a tensor that knows how it came about: {it}."
TENSORS, LOSS = "Tensor", re.compile(r"loss|cost|error|nll|total", re.IGNORECASE)


@rule
def of_another(world: World, failure: Failure) -> Diagnosis | None:
    """Told where the program has one thing with that method."""
    found = ASKED.match(failure.raised.message)
    if found is None or made_of_data(world, found["got"]):
        return None
    got, what = found["got"], found["what"]
    if what == "backward":
        has, why = losses(world) if got != TENSORS else [], OF_LOSS
    else:
        has, why = [goal for goal in optimizers(world.source.tree) if "." not in goal or "self." in goal], OF_OPTIMIZER
    if len(has) != 1 or f"{has[0]}.{what}" in world.source.statement(failure.raised.line):
        return None
    asked = "a tensor" if got == TENSORS else f"the `{got}`"
    title, names = "A method of something else", named(what=what, near=has[0])
    return Diagnosis(
        title=title,
        message=failure.raised.message,
        lines={"raised": failure.raised.line},
        story=(
            f"{begun(world, failure)} asks {asked} for `{what}`, which it does not have.",
            why.format(it=code(has[0])),
        ),
        events={"raised": failure.number},
        cause="of_another",
        names=names,
    )


def made_of_data(world: World, kind: str) -> bool:
    """Whether a loss was made where it should have been called: `nn.MSELoss(out, y)`."""
    calls = (node for node in world.source.nodes if isinstance(node, ast.Call))
    own = (call for call in calls if ast.unparse(call.func).rpartition(".")[2] == kind)
    return kind.endswith("Loss") and any(len(call.args) > 1 for call in own)


def losses(world: World) -> list[str]:
    """What the program calls the last single number with a graph, by preference one that is called a loss."""
    names = {name_of(world, tensor): tensor for tensor in in_sight(world)}
    single = {
        name: tensor
        for name, tensor in names.items()
        if name and "[" not in name and tensor.node is not None and size(tensor.shape) == 1
    }
    chosen = {name: tensor for name, tensor in single.items() if LOSS.search(name)} or single
    return sorted(chosen, key=lambda name: chosen[name].made)[-1:]


def in_sight(world: World) -> list[TensorState]:
    numbers = [bound.tensor for names in world.names_in.values() for bound in names.values()]
    return [world.tensors[number] for number in numbers if number is not None]
