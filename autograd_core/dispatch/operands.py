"""What the compiled code of operators calls: operands from what programs give, arrays from what nodes keep."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import errors
from ..engine.state import state
from ..graph.node import Node
from ..graph.saved_tensor import SAVED, VERSION, Packed, pack_slot, unpack_slot
from ..graph.saved_tensor import SavedResult as SavedResult
from ..namespace.type_names import named_in_c
from ..tensor.tensor import Array, Tensor, plain, wrapped_number
from ..tensor.type_promotion import common
from ..tensor.views import ReplayedView, remember, take_view

if TYPE_CHECKING:
    from .op import Op

NUMBERS = (float, int)
"""The Python numbers that a node may keep as they are, where torch keeps them wrapped in a tensor."""


def operand(value: Any, op: Op, name: str) -> Tensor | None:
    """`value` as an operand: tensors as they are, Python numbers wrapped.

    Raises:
        TypeError: it is neither.
    """
    if isinstance(value, Tensor):
        return value
    if value is None and name in op.optional:
        return None
    parameters = list(op.signature.parameters)
    if name != parameters[0]:
        numbers = not op.traits.get("tensors_only")
        if numbers and isinstance(value, bool | int | float | complex):
            return wrapped_number(value)
        if numbers and isinstance(value, np.generic):
            return wrapped_number(value.item())
    shown = "input" if name == "self" else name
    raise TypeError(errors.not_a_tensor(op.python_name, shown, parameters.index(name) + 1, value))


def list_arrays(tensors: Any, op: Op, gaps: bool) -> tuple[list[Any], list[Array]]:
    if not isinstance(tensors, list | tuple):
        raise TypeError(errors.not_a_tensor_list(op.python_name, tensors))
    for i, tensor in enumerate(tensors):
        if not (isinstance(tensor, Tensor) or (gaps and tensor is None)):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {named_in_c(tensor)}")
    return list(tensors), [None if t is None else t.data_ for t in tensors]


def promote(tensors: tuple[Tensor, ...], floating: bool) -> tuple[Array, ...]:
    """The arrays of `tensors` in one dtype, as torch chooses it; wrapped numbers yield."""
    return common(tensors, floating)


def weak(tensor: Tensor) -> Array:
    """The array of a kept tensor; a Python number where one was wrapped."""
    if tensor.meta is not None and tensor.meta.wrapped:
        return tensor.data_.item()
    return tensor.data_


def array(kept: Any) -> Any:
    if kept is None:
        return None
    if isinstance(kept, list | tuple):
        return [array(part) for part in kept]
    return weak(kept)


def load_saved(node: Node, slot: str) -> Any:
    """The array of what `node` keeps in `slot`, checked; a number if that is what it keeps.

    Raises:
        RuntimeError: it was freed, or changed in place since.
    """
    kept = getattr(node, SAVED[slot])
    if kept.__class__ in NUMBERS:
        return kept
    return array(unpack_slot(node, slot))


def loaded_quietly(node: Node, slot: str) -> Any:
    """`loaded`, of which nobody is told if it succeeds."""
    kept = getattr(node, SAVED[slot])
    if kept.__class__ in NUMBERS:
        return kept
    if kept is None or isinstance(kept, Packed) or is_changed(node, slot, kept):
        return load_saved(node, slot)
    return array(kept)


def is_changed(node: Node, slot: str, kept: Any) -> bool:
    """Whether what `node` keeps in `slot` was written since."""
    return bool((0 if kept.storage_ is None else kept.storage_.version) != getattr(node, VERSION[slot]))


def strides(data: Array) -> tuple[int, ...]:
    """Strides in elements, as torch counts them."""
    return in_floats[data.strides] if data.itemsize == FLOAT else tuple(step // data.itemsize for step in data.strides)


class InElements(dict[tuple[int, ...], tuple[int, ...]]):
    """Strides in elements of `FLOAT` bytes by those in bytes: there are few of them."""

    def __missing__(self, steps: tuple[int, ...]) -> tuple[int, ...]:
        if len(self) >= MANY:
            self.clear()
        found = self[steps] = tuple(step // FLOAT for step in steps)
        return found


FLOAT, MANY = 4, 4096
in_floats = InElements()


def version_of(tensor: Tensor) -> int:
    return tensor.shared_storage().version


def kept_list(tensors: list[Tensor | None]) -> tuple[list[Tensor | None], list[int | None]]:
    return list(tensors), [None if t is None else 0 if t.storage_ is None else t.storage_.version for t in tensors]


def pack_all(node: Node) -> None:
    """Hand every tensor that the new node keeps to the innermost pack hook."""
    node.own_hooks()  # so that the exact engine runs it: what unpacks may ask which call it is in
    hooks = state.saved_hooks[-1]
    for slot in node.slots:
        kept = getattr(node, SAVED[slot])
        if isinstance(kept, list):
            setattr(node, SAVED[slot], [k if k is None else pack_slot(node, k, hooks) for k in kept])
        elif kept is not None:
            setattr(node, SAVED[slot], pack_slot(node, kept, hooks))


def finish(op: Op, source: Tensor, value: Any, args: tuple[Any, ...]) -> list[Tensor]:
    """The view or views of `source` that a view operator gives; several results that are no views."""
    if not op.view:
        return [plain(part) for part in value]
    parts = value if op.many else [value]
    toggles = "" if op.view is True or op.view == "parts" else op.view
    views = [take_view(source, part, "multi_output" if op.many else None, toggles) for part in parts]
    replayed = op.view is not True or (source.meta is not None and source.meta.view.__class__ is ReplayedView)
    if replayed and not source.shared_storage().inference:
        remember(op, source, args, views)
    return views
