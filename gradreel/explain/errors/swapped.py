"""A loss that was given the targets first: what is learnt comes first, and what it is compared with second."""

from __future__ import annotations

import ast
import re

from ..calls import callee, calls_in
from ..diagnostics.diagnosis import Diagnosis, Failure, named
from ..diagnostics.mentions import begun, stands_for, statement
from ..diagnostics.registry import rule
from ..narration.words import code, on
from ..replay.states import TensorState
from ..replay.world import World

LOSS = re.compile(r"loss|entropy|crit|kl_div|objective", re.IGNORECASE)
SAID = re.compile(r"log_softmax|nll_loss|\btarget\b|between 0 and 1")
"""What messages say that come out of losses."""
ORDER = "A loss takes the scores first, and then what they are compared with: the order says which of them is to learn."
TITLE = "The targets stand where the scores belong"


@rule
def swapped(world: World, failure: Failure) -> Diagnosis | None:
    said = SAID.search(failure.raised.message) is not None
    for call in calls_in(statement(world, failure)):
        if len(call.args) < 2 or not (said or LOSS.search(callee(call))):
            continue
        one, two = call.args[:2]
        first, second = stands_for(world, ast.unparse(one)), stands_for(world, ast.unparse(two))
        if first is None or not targets_first(first, second):
            continue
        return Diagnosis(
            title=TITLE,
            message=failure.raised.message,
            lines={"built": first.place.line, "raised": failure.raised.line},
            story=(
                f"{begun(world, failure)} gives the loss "
                f"{code(ast.unparse(one))} first, made {on(first.place.line)}: {plainly(first)}.",
                ORDER,
            ),
            events={"built": first.made, "raised": failure.number},
            cause="swapped",
            names=named(first=ast.unparse(one), second=ast.unparse(two)),
        )
    return None


def targets_first(first: TensorState, second: TensorState | None) -> bool:
    """Whether the first is data, and the second what was computed to be compared with it."""
    if first.requires_grad:
        return False
    return second.requires_grad if second is not None else whole(first)


def whole(tensor: TensorState) -> bool:
    return tensor.dtype.startswith(("int", "uint", "bool"))


def plainly(tensor: TensorState) -> str:
    return f"whole numbers, of type {tensor.dtype}" if whole(tensor) else "data, which no gradient is asked for"
