"""Gradients were to be made shorter, and some of them are infinite or no numbers."""

from __future__ import annotations

import re

from gradreel.trace.events import GradStored

from ..diagnostics.diagnosis import Diagnosis, Failure
from ..diagnostics.mentions import begun
from ..diagnostics.registry import rule
from ..narration.words import called, listed
from ..replay.world import World
from ..silent.born_nan import finite

SIGN = re.compile(r"The total norm of order \S+ for gradients from `parameters` is non-finite")


@rule
def not_finite(world: World, failure: Failure) -> Diagnosis | None:
    if SIGN.match(failure.raised.message) is None:
        return None
    last: dict[int, tuple[GradStored, int]] = {}
    for number, event in enumerate(world.trace.events[: failure.number]):
        if isinstance(event, GradStored):
            last[event.tensor] = event, number
    bad = {tensor: number for tensor, (event, number) in last.items() if not finite(event.after)}
    story = [
        f"{begun(world, failure)} measures all gradients together "
        "before it makes them shorter, and their length is infinite or no number."
    ]
    events = {"raised": failure.number}
    if bad:
        some = [called(world, tensor) for tensor in list(bad)[:2]]
        story.append(f"So is the gradient of {listed(some)}.")
        events["seen"] = next(iter(bad.values()))
    story.append("Nothing finite comes of shortening it; `error_if_nonfinite=True` asks to be told.")
    return Diagnosis(
        title="Gradients that are not finite",
        message=failure.raised.message,
        lines={"raised": failure.raised.line},
        story=tuple(story),
        events=events,
        cause="not_finite",
    )
