"""A saved tensor that `detach_()` took out of the graph: the node that kept it does not find its place any more."""

from __future__ import annotations

from ..diagnostics.diagnosis import Diagnosis, Failure, named
from ..diagnostics.failing_node import failing_node
from ..diagnostics.mentions import shown
from ..diagnostics.registry import rule
from ..narration.words import code, label, on
from ..replay.world import World
from .saved_modified import kept_at

MESSAGE = "saved tensor that has been detached in-place"


@rule
def saved_detached(world: World, failure: Failure) -> Diagnosis | None:
    """Which node kept the tensor, and where it was detached since."""
    message, line = failure.raised.message, failure.raised.line
    node = failing_node(world, failure) if MESSAGE in message else None
    kept = list(node.slots.values()) if node is not None else []
    pairs = [(slot, world.tensors[slot.tensor]) for slot in kept if slot.tensor in world.tensors]
    found = next(((slot, tensor) for slot, tensor in pairs if tensor.cut is not None), None)
    if node is None or found is None:
        return None
    slot, tensor = found
    assert tensor.cut is not None
    place, event = tensor.cut
    return Diagnosis(
        kind="saved_modified",
        title="A saved tensor was detached in place",
        message=message,
        lines={"built": node.place.line, "saved": tensor.place.line, "changed": place.line, "raised": line},
        story=(
            kept_at(world, node, slot),
            f"{code(world.source.text(place.line))} {on(place.line)} took that very tensor out of its graph: it has no "
            "grad_fn any more.",
            f"{code(shown(world, failure))} {on(line)} needs it where it was in the graph, so PyTorch refuses. "
            "`detach()` gives a new tensor outside of the graph and leaves the old one in it.",
        ),
        nodes=(node.number,),
        events={"built": node.made, "saved": tensor.made, "changed": event, "raised": failure.number},
        cause="saved_detached",
        names=named(kept=label(world, tensor.number)),
    )
