"""Backward of a plain number: `.item()` or the like took it out of the graph before."""

from __future__ import annotations

import re

from ..diagnostics.diagnosis import Diagnosis, Failure, named
from ..diagnostics.registry import rule
from ..narration.words import called, code, name_of, on, taking
from ..replay.graph_queries import ancestors
from ..replay.world import World

NUMBER = re.compile(r"'(?:numpy\.)?(?:float|int|ndarray|float\d+|list)' object has no attribute '(?:backward|grad_fn)'")


@rule
def plain_number(world: World, failure: Failure) -> Diagnosis | None:
    """The last time that numbers were taken out of a tensor with a graph is what cut them off."""
    if NUMBER.search(failure.raised.message) is None:
        return None
    taken = [
        seen
        for seen in world.taken
        if any(state.requires_grad for state in ancestors(world, world.tensors[seen.tensor]))
    ]
    if not taken:
        return None
    last, line = taken[-1], failure.raised.line
    source = world.tensors[last.tensor]
    return Diagnosis(
        kind="no_graph",
        title="Backward from a plain number",
        message=failure.raised.message,
        lines={"built": last.place.line, "cut": last.place.line, "raised": line},
        story=(
            f"{taking(last)} {on(last.place.line)} takes plain numbers out of {called(world, source.number)}: numbers "
            "know of no graph.",
            f"{code(world.source.text(line))} {on(line)} asks them to go backward, and only a tensor can.",
            "Go backward from the tensor; take its number for printing only.",
        ),
        events={"raised": failure.number, "cut": last.event, "built": last.event},
        cause="no_graph",
        names=named(how="numbers", source=name_of(world, source)),
    )
