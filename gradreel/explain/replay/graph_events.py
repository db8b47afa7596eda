"""What happens to tensors and to the graph, and what that changes in a World: made, written, saved, released."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from .states import NodeState, SlotState, TensorState, Write

if TYPE_CHECKING:
    from .world import World

# ---- tensors


def tensor_made(world: World, event: e.TensorMade) -> None:
    world.on_storage.setdefault(event.storage, []).append(event.tensor)
    world.tensors[event.tensor] = TensorState(
        event.tensor,
        event.storage,
        event.op,
        event.inputs,
        event.shape,
        event.dtype,
        event.requires_grad,
        event.version,
        event.node,
        event.base,
        event.value,
        world.place,
        world.count,
    )
    if event.node is not None and (node := world.nodes.get(event.node)) is not None:
        node.outputs.append(event.tensor)


def tensor_written(world: World, event: e.Written) -> None:
    write = Write(
        world.count,
        world.place,
        event.tensor,
        event.op,
        event.version,
        event.counted,
        world.optimizer,
        event.inputs,
    )
    world.writes.setdefault(event.storage, []).append(write)
    tensor = world.tensors.get(event.tensor)
    if tensor is not None:
        if tensor.storage != event.storage:
            world.on_storage.setdefault(event.storage, []).append(event.tensor)
        tensor.storage = event.storage
        holds(world, tensor, event)


def alias_changed(world: World, event: e.AliasChanged) -> None:
    holds(world, world.tensors[event.tensor], event)


def holds(world: World, tensor: TensorState, event: e.Written | e.AliasChanged) -> None:
    """`tensor` holds other numbers now; so does whoever has it as its `.grad`."""
    tensor.version, tensor.value = event.version, event.value
    owner = world.owner_of(event.tensor)
    if owner is not None:
        owner.grad = event.value


def flag_changed(world: World, event: e.FlagChanged) -> None:
    tensor = world.tensors[event.tensor]
    tensor.requires_grad = event.requires_grad
    tensor.cut = None if event.requires_grad else (world.place, world.count)


def tensor_released(world: World, event: e.TensorReleased) -> None:
    if (tensor := world.tensors.get(event.tensor)) is not None:
        tensor.alive = False


# ---- nodes


def node_made(world: World, event: e.NodeMade) -> None:
    call = world.calls[world.open_calls[-1]] if world.open_calls else None
    world.nodes[event.node] = NodeState(
        event.node,
        event.name,
        event.op,
        event.sequence_nr,
        event.edges,
        event.inputs,
        event.variable,
        world.place,
        world.count,
        call.level if call is not None and call.create_graph and event.variable is None else 0,
        call.number if call is not None else None,
    )
    world.node_order.append(world.nodes[event.node])
    if event.variable is not None:
        world.leaves[event.variable] = event.node


def tensor_saved(world: World, event: e.TensorSaved) -> None:
    slot = SlotState(event.slot, event.tensor, event.storage, event.version, event.nbytes, event.value, world.count)
    world.nodes[event.node].slots[event.slot] = slot
    keepers = world.keepers.get(event.storage)
    if keepers is None:
        keepers = world.keepers[event.storage] = {}
    keepers[event.node] = None
    held = world.held.get(event.storage)
    if held:
        held.append(event.nbytes)
    else:
        world.held[event.storage] = [event.nbytes]
        world.saved_bytes += event.nbytes


def value_saved(world: World, event: e.ValueSaved) -> None:
    world.nodes[event.node].values[event.slot] = event.text


def history_rebased(world: World, event: e.HistoryRebased) -> None:
    tensor = world.tensors[event.tensor]
    tensor.node = event.node
    if event.node is not None and event.node in world.nodes:
        world.nodes[event.node].outputs.append(event.tensor)


def node_released(world: World, event: e.NodeReleased) -> None:
    node = world.nodes[event.node]
    node.alive = False
    for slot in node.slots.values():
        if slot.state != "freed":
            let_go(world, slot)
    if node.variable is not None and world.leaves.get(node.variable) == node.number:
        del world.leaves[node.variable]


def slot_freed(world: World, event: e.SlotFreed) -> None:
    for slot in world.nodes[event.node].slots_named(event.slot):
        if slot.state != "freed":
            slot.state, slot.freed, slot.freed_by = "freed", world.count, event.call
            let_go(world, slot)


def slot_retained(world: World, event: e.SlotRetained) -> None:
    for slot in world.nodes[event.node].slots_named(event.slot):
        slot.state = "retained"


def let_go(world: World, slot: SlotState) -> None:
    """One slot less keeps the storage; when it was the last, its bytes are free."""
    held = world.held.get(slot.storage)
    if held:
        nbytes = held.pop(0)
        if not held:
            world.saved_bytes -= nbytes
        elif held[0] != nbytes:
            world.saved_bytes += held[0] - nbytes


CHANGES: dict[type[Event], Callable[[World, Any], None]] = {
    e.TensorMade: tensor_made,
    e.Written: tensor_written,
    e.AliasChanged: alias_changed,
    e.FlagChanged: flag_changed,
    e.TensorReleased: tensor_released,
    e.NodeMade: node_made,
    e.TensorSaved: tensor_saved,
    e.ValueSaved: value_saved,
    e.HistoryRebased: history_rebased,
    e.NodeReleased: node_released,
    e.SlotFreed: slot_freed,
    e.SlotRetained: slot_retained,
}
