"""What of the graph the program wrote itself: layers it called, and what they keep in the names that it gave."""

from __future__ import annotations

import ast
import re

from ..replay.states import NodeState, SlotState, TensorState
from ..replay.world import World
from .graph import saved_name, together
from .words import ATTRIBUTES, bare, code, during, name_of, on


def describe_built(world: World, node: NodeState) -> str:
    """`**MulBackward0 #3**, built by `gru(…)` on **line 4**`: a node, and where it came about."""
    return f"**{node.title}**, built{builder(world, node)} {on(node.place.line)}{during(node.place)}"


def builder(world: World, node: NodeState) -> str:
    """` by `gru(…)``, if `node` was built within a layer, and its line calls that and nothing else."""
    values = [getattr(statement, "value", None) for statement in world.source.simple(node.place.line)]
    whole = values[0] if len(values) == 1 else None
    if not isinstance(whole, ast.Call) or not is_layer(world, path := ast.unparse(whole.func)):
        return ""
    inner = [part for given in whole.args for part in ast.walk(given) if isinstance(part, ast.Call)]
    return "" if any(is_layer(world, ast.unparse(call.func)) for call in inner) else f" by {code(f'{path}(…)')}"


def is_layer(world: World, path: str) -> bool:
    """Whether the program calls a module `path`: a name bound to no tensor whose parts are bound to some."""
    return bool(parts_of(world, path))


def parts_of(world: World, path: str) -> list[TensorState]:
    """The tensors that `path`, a name bound to none itself, leads to: `net.fc.weight` and `net.fc.bias` of `net.fc`."""
    inside = tuple(f"{path.removeprefix('self.')}{sign}" for sign in ".[")
    bound = [(name, found.tensor) for names in world.names_in.values() for name, found in names.items()]
    numbers = [number for name, number in bound if name.startswith(inside) or any(f".{one}" in name for one in inside)]
    return [world.tensors[number] for number in dict.fromkeys(numbers) if number is not None]


def kept_by(world: World, slots: list[SlotState]) -> list[str]:
    """What is kept, each thing once, by the names that the program gave."""
    return together(list(dict.fromkeys(kept_name(world, slot) for slot in slots)))


def kept_name(world: World, slot: SlotState) -> str:
    """As `saved_name`, past turns and copies of a named tensor that no line of the program speaks of."""
    tensor = world.tensors.get(slot.tensor) if slot.tensor is not None and slot.slot != "result" else None
    while tensor is not None and name_of(world, tensor) is None and turned_within(world, tensor):
        tensor = world.tensors.get(tensor.inputs[0])
    name = name_of(world, tensor) if tensor is not None else None
    return code(name) if name is not None else saved_name(world, slot)


def turned_within(world: World, tensor: TensorState) -> bool:
    """Whether a layer turned round or copied to `tensor` what it was given: its line says nothing of that."""
    op = bare(tensor.op)
    if op not in ATTRIBUTES or len(tensor.inputs) != 1 or op in ("sum", "mean"):
        return False
    said = world.source.statement(tensor.place.line, tensor.place.end_line)
    written = r"\[" if op in ("slice", "index") else rf"\b({op}|{ATTRIBUTES[op].strip('.()…')})\b"
    return re.search(written, said) is None
