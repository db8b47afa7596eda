"""The node that failed in a backward, and the slot that it asked for."""

from __future__ import annotations

from gradreel.trace import events as e
from gradreel.trace.events import BackwardFailed

from ..replay.states import NodeState, SlotState
from ..replay.world import World
from .diagnosis import Failure


def failing_node(world: World, failure: Failure) -> NodeState | None:
    event = world.trace.events[failure.number]
    if isinstance(event, BackwardFailed) and event.node is not None:
        return world.nodes[event.node]
    return None


def find_asked_slot(world: World, failure: Failure) -> tuple[NodeState, SlotState | None] | None:
    """The node and the slot that it could not have.

    A Function of the program's own asks through its context, which tells nothing: of its slots it is one that was
    freed, or whose storage has another version now.
    """
    event = world.trace.events[failure.number]
    failed = event.node if isinstance(event, e.BackwardFailed) else None
    if failed is not None and world.nodes[failed].custom:
        node = world.nodes[failed]
        slots = list(node.slots.values())
        gone = [slot for slot in slots if slot.state == "freed" or latest(world, slot) > slot.version]
        return node, next(iter(gone or slots), None)
    if world.refused is None or failed is not None and world.refused[1].node != failed:
        return None if failed is None else (world.nodes[failed], None)  # CopySlices keeps no tensor, but a function
    _, read = world.refused
    node = world.nodes[read.node]
    return node, node.slots.get(read.slot)


def latest(world: World, slot: SlotState) -> int:
    """The version that the storage of `slot` has now."""
    versions = [write.version for write in world.writes.get(slot.storage, ()) if write.counted]
    return max(versions, default=slot.version)
