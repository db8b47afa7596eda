"""What a node keeps for its backward: tensors as they were at a version, its own results, and what hooks packed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import errors, events
from .state import state
from .tensor import Array, Storage, Tensor, new_storage, plain, wrapped_number

if TYPE_CHECKING:
    from .graph import Node


class SavedResult:
    """A result of the node itself, kept by its parts: keeping the tensor would make a cycle of node and tensor."""

    __slots__ = ("data_", "storage_", "output_nr")

    def __init__(self, tensor: Tensor) -> None:
        self.data_, self.output_nr = tensor.data_, tensor.output_nr
        self.storage_: Storage = tensor.shared_storage()

    @property
    def nbytes(self) -> int:
        return int(self.data_.nbytes)

    def shared_storage(self) -> Storage:
        return self.storage_

    def tensor(self, node: Node) -> Tensor:
        """The result again, as a new tensor with this node as its grad_fn."""
        data = self.data_
        if self.storage_.boxed is not None and data.shape == ():
            data = self.storage_.boxed
        tensor = plain(data, node, self.output_nr)
        tensor.storage_ = self.storage_
        return tensor


def save_result(tensor: Tensor) -> SavedResult:
    """`SavedResult(tensor)`, for compiled code: no call of a class, which costs as much as the operation itself."""
    kept = object.__new__(SavedResult)
    kept.data_, kept.output_nr = tensor.data_, tensor.output_nr
    if tensor.storage_ is None:
        tensor.storage_ = new_storage()
    kept.storage_ = tensor.storage_
    return kept


class Packed:
    """What a saved_tensors_hooks pack hook gave for a tensor, and the hook that gives it back."""

    __slots__ = ("packed", "unpack", "storage_", "is_result", "output_nr", "grad_edge", "requires_grad")

    def __init__(self, packed: Any, unpack: Callable[[Any], Any], kept: Tensor | SavedResult, source: Tensor) -> None:
        self.packed, self.unpack = packed, unpack
        self.storage_ = None
        self.is_result = isinstance(kept, SavedResult)
        self.output_nr = kept.output_nr
        self.grad_edge = None if self.is_result else source
        self.requires_grad = source.requires_grad


class SavedTensorView:
    """`node._raw_saved_x`: lets hooks be put on one slot."""

    def __init__(self, node: Node, slot: str) -> None:
        self.node, self.slot = node, slot

    def register_hooks(self, pack: Callable[[Any], Any], unpack: Callable[[Any], Any]) -> None:
        """Pack what the slot holds, now, and unpack it when it is read.

        Raises:
            RuntimeError: the slot holds nothing, or hooks are there already.
        """
        kept = getattr(self.node, f"saved_{self.slot}")
        if kept is None:
            raise RuntimeError("Calling register_hooks on a saved tensor after it has been freed. " + errors.FREED_HINT)
        if isinstance(kept, Packed):
            raise RuntimeError("Calling register_hooks on a saved tensor whose hooks have already been set. ")
        setattr(self.node, f"saved_{self.slot}", pack_slot(self.node, kept, (pack, unpack)))

    @property
    def unpack_hook(self) -> Callable[[Any], Any] | None:
        kept = getattr(self.node, f"saved_{self.slot}", None)
        return kept.unpack if isinstance(kept, Packed) else None


def pack_slot(node: Node, kept: Any, hooks: tuple[Callable[[Any], Any], Callable[[Any], Any]]) -> Packed:
    """Hand what is kept to a pack hook."""
    tensor = kept.tensor(node) if isinstance(kept, SavedResult) else kept
    with_grad = state.grad_enabled
    state.grad_enabled = False
    try:
        return Packed(hooks[0](detached(tensor)), hooks[1], kept, tensor)
    finally:
        state.grad_enabled = with_grad


def detached(tensor: Tensor) -> Tensor:
    """What hooks get to see: the tensor itself when it is a leaf, else its values outside the graph."""
    if tensor.node is None and tensor.meta is not None:
        return tensor
    alias = plain(tensor.data_)
    alias.storage_ = tensor.shared_storage()
    return alias


def unpack_slot(node: Node, slot: str) -> Any:
    """The tensor (or list of tensors) kept in `slot`, checked; None if that side was not kept.

    Raises:
        RuntimeError: it was freed, or changed in place since.
    """
    kept = getattr(node, f"saved_{slot}")
    if isinstance(kept, list | tuple):
        versions = getattr(node, f"version_{slot}")
        return [unpack(node, f"{slot}[{i}]", part, v) for i, (part, v) in enumerate(zip(kept, versions, strict=True))]
    if kept is None and slot not in getattr(node, "kept_slots", ()):
        if node.freed and was_kept(node, slot):
            tell_read(node, slot, getattr(node, f"version_{slot}", 0) or 0, None)
            raise RuntimeError(errors.SECOND_BACKWARD)
        return None
    return unpack(node, slot, kept, getattr(node, f"version_{slot}"))


def was_kept(node: Node, slot: str) -> bool:
    return getattr(node, f"version_{slot}", None) is not None


def unpack(node: Node, slot: str, kept: Any, version: int | None) -> Tensor | None:
    if kept is None:
        return None
    if isinstance(kept, Packed):
        return unpack_hooked(node, slot, kept)
    if isinstance(kept, float | int):
        return wrapped_number(kept)
    storage = kept.storage_
    found = 0 if storage is None else storage.version
    tell_read(node, slot, version or 0, found)
    if found != version:
        raise RuntimeError(errors.modified(kept, node, found, version or 0))
    return kept.tensor(node) if isinstance(kept, SavedResult) else kept


def unpack_hooked(node: Node, slot: str, kept: Packed) -> Tensor:
    """Ask the unpack hook for the tensor, and give it its place in the graph again."""
    value = kept.unpack(kept.packed)
    if not isinstance(value, Tensor):
        raise TypeError(
            "Output of saved tensor unpack_hook expected to be a Tensor but got result of type " + type(value).__name__
        )
    if state.session is not None:
        state.session.emit((events.SavedUnpacked, state.session.node(node), slot))
    tensor = plain(value.data_)
    tensor.storage_ = value.shared_storage()
    if kept.is_result:
        tensor.node, tensor.output_nr = node, kept.output_nr
    elif kept.grad_edge is not None and kept.requires_grad:
        source = kept.grad_edge
        if source.grad_fn is None:
            return source if value is source else with_flag(tensor, source)
        tensor.node, tensor.output_nr = source.grad_fn, source.output_nr
    return tensor


def with_flag(tensor: Tensor, source: Tensor) -> Tensor:
    """`tensor` as a stand-in for the leaf `source`: gradients end where those of `source` do."""
    tensor.own_meta().requires_grad = True
    tensor.own_meta().accumulator = source.own_meta().accumulator
    return tensor


def tell_read(node: Node, slot: str, kept: int, found: int | None) -> None:
    if state.session is not None:
        state.session.emit((events.SlotRead, state.session.node(node), slot, kept, found))


def array_of(tensor: Tensor | None) -> Array:
    return None if tensor is None else tensor.data_
