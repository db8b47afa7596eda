"""The program went on with a gradient that is None, and Python refused."""

from __future__ import annotations

from ..diagnostics.diagnosis import Diagnosis, Failure
from ..diagnostics.registry import rule
from ..narration.words import on
from ..replay.states import Call
from ..replay.world import World
from ..why_none import why_none
from .unused import without_way


@rule
def no_gradient(world: World, failure: Failure) -> Diagnosis | None:
    """A TypeError or AttributeError about NoneType, on a line that read a `.grad` that was None or got None of grad."""
    if "NoneType" not in failure.raised.message:
        return None
    line = failure.raised.line
    read = [seen for seen in world.missing if seen.place.line == line]
    if not read:
        call = gave_none(world)
        return without_way(world, failure, call) if call is not None else None
    reason = why_none(world, read[-1])
    return Diagnosis(
        kind=reason.kind,
        title="There is no gradient here",
        message=failure.raised.message,
        lines={**reason.lines, "raised": line},
        story=(
            f"{reason.name} is None {on(line)}, and Python cannot compute with None.",
            *reason.story,
        ),
        nodes=reason.nodes,
        events={"raised": failure.number, **reason.events},
        cause=reason.cause,
        names=reason.names,
    )


def gave_none(world: World) -> Call | None:
    """The last call of autograd.grad that found no way to one of its inputs."""
    for call in reversed(world.calls.values()):
        if call.called == "grad" and not call.failed and len(call.captured) < len(call.inputs):
            return call
    return None
