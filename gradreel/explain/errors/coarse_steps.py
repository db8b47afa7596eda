"""gradcheck in float32: the small steps that it takes are lost in the rounding, and say nothing of the formula."""

from __future__ import annotations

import re

from gradreel.trace import events as e

from ..diagnostics.diagnosis import Diagnosis, Failure
from ..diagnostics.mentions import shown
from ..diagnostics.registry import rule
from ..narration.words import code, on
from ..replay.world import World

COARSE = "is not a double precision floating point"
NUMBER = re.compile(r"[-+]?\d+\.\d*(?:e[-+]?\d+)?")
ROUNDING = 0.25
"""What rounding may change: a step of 1e-6 between numbers that are right to 1e-7."""


@rule
def coarse_steps(world: World, failure: Failure) -> Diagnosis | None:
    """The two Jacobians differ by what rounding makes of small steps in float32, and PyTorch has warned of it."""
    message, line = failure.raised.message, failure.raised.line
    if not message.startswith("Jacobian mismatch") or not warned(world, failure) or not near(message):
        return None
    return Diagnosis(
        title="These steps are too fine for float32",
        message=message,
        lines={"raised": line},
        story=(
            f"{code(shown(world, failure))} {on(line)} compares the gradients with what small steps give, in float32.",
            "The steps are of a millionth, and float32 is right to about a tenth of that. What comes of them is "
            "rounding, and the gradients may well be right.",
            "In float64 the comparison says something; the numbers and the weights have to be of that type.",
        ),
        events={"raised": failure.number},
        cause="coarse_steps",
    )


def warned(world: World, failure: Failure) -> bool:
    before = world.trace.events[: failure.number]
    return any(isinstance(event, e.Warned) and COARSE in event.message for event in before)


def near(message: str) -> bool:
    """Whether the numbers that are shown differ by rounding only."""
    numerical, _, analytical = message.partition("analytical:")
    pairs = list(zip(map(float, NUMBER.findall(numerical)), map(float, NUMBER.findall(analytical)), strict=False))
    size = max((abs(value) for _, value in pairs), default=0.0)
    return all(abs(one - other) <= ROUNDING * max(1.0, size) for one, other in pairs)
