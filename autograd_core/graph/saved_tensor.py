"""What a node keeps for its backward: tensors as they were at a version, its own results, and what hooks packed."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .. import errors, events
from ..dispatch.registry import callbacks
from ..engine.state import state
from ..namespace.type_names import named_in_c
from ..tensor.storage import Storage
from ..tensor.tensor import Array, Tensor, plain, wrapped_number

if TYPE_CHECKING:
    from .node import Node


class Names(dict[str, str]):
    """The attribute of a node for each slot. (Names made anew at each look would fill Python's caches.)"""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix

    def __missing__(self, slot: str) -> str:
        name = self[slot] = sys.intern(self.prefix + slot)
        return name


SAVED, VERSION = Names("saved_"), Names("version_")


class SavedResult:
    """A result of the node itself, kept by its parts: keeping the tensor would make a cycle of node and tensor."""

    __slots__ = ("data_", "storage_", "output_nr", "seen_as")

    data_: Array
    storage_: Storage
    output_nr: int
    seen_as: weakref.ref[Node]
    """Only of what was written through a view: the grad_fn that the view got then."""

    @property
    def nbytes(self) -> int:
        return int(self.data_.nbytes)

    def shared_storage(self) -> Storage:
        return self.storage_

    def tensor(self, node: Node) -> Tensor:
        """The result again, as a new tensor: its grad_fn is this node, or that of the view if it is still in use."""
        data = self.data_
        if self.storage_.boxed is not None and data.shape == ():
            data = self.storage_.boxed
        view_fn = self.seen_as() if hasattr(self, "seen_as") else None
        tensor = plain(data, node, self.output_nr) if view_fn is None else plain(data, view_fn)
        tensor.storage_ = self.storage_
        return tensor


def save_result(tensor: Tensor) -> SavedResult:
    """What a node keeps of its own result `tensor`."""
    kept = SavedResult()
    kept.data_, kept.output_nr = tensor.data_, tensor.output_nr
    kept.storage_ = tensor.storage_ or tensor.shared_storage()
    return kept


class Packed:
    """What a saved_tensors_hooks pack hook gave for a tensor, the hook that gives it back, and its place in the graph.

    Of the tensor itself nothing is kept but what backward through it needs.
    """

    __slots__ = ("packed", "unpack", "storage_", "is_result", "output_nr", "node", "accumulator", "requires_grad")

    def __init__(self, packed: Any, unpack: Callable[[Any], Any], kept: Tensor | SavedResult, source: Tensor) -> None:
        self.packed, self.unpack = packed, unpack
        self.storage_ = None
        self.is_result = isinstance(kept, SavedResult)
        self.output_nr = kept.output_nr
        self.node = None if self.is_result else source.grad_fn
        self.requires_grad = source.requires_grad
        self.accumulator = None
        if self.requires_grad and not self.is_result and self.node is None:
            callbacks.accumulator(source)
            self.accumulator = source.own_meta().accumulator


class SavedTensor:
    """`node._raw_saved_x`: the place where a node keeps one tensor; hooks can be put on it."""

    __module__ = "torch._C._autograd"

    def __init__(self, node: Node | None = None, slot: str = "", index: int | None = None) -> None:
        if node is None:
            raise RuntimeError("Trying to create a SavedTensor object from Python is forbidden.")
        self.node_, self.slot_, self.index_ = node, slot, index

    def __dir__(self) -> list[str]:
        own = (name for name in object.__dir__(self) if name.startswith("__"))
        return [*own, "data", "register_hooks", "unpack", "unpack_hook"]

    def kept(self) -> Any:
        """What lies here now.

        Raises:
            RuntimeError: it was freed.
        """
        kept = self.node_.kept_in(self.slot_)
        if isinstance(kept, float | int):
            return wrapped_number(kept)
        return kept[self.index_] if isinstance(kept, list) and self.index_ is not None else kept

    def was_freed(self) -> bool:
        return self.node_.freed and was_kept(self.node_, self.slot_)

    def unpack(self) -> Tensor | None:
        """The tensor, checked as it is when backward reads it."""
        if self.was_freed():
            raise RuntimeError(errors.SECOND_BACKWARD)
        version = self.node_.version_in(self.slot_)
        if self.index_ is not None and isinstance(version, list):
            version = version[self.index_]
        return unpack(self.node_, self.slot_, self.kept(), version)

    @property
    def data(self) -> Any:
        """The tensor, unchecked, or what a pack hook made of it."""
        kept = None if self.was_freed() else self.kept()
        if isinstance(kept, Packed):
            return kept.packed
        return detach_alias(kept.tensor(self.node_)) if isinstance(kept, SavedResult) else kept

    @property
    def unpack_hook(self) -> Callable[[Any], Any] | None:
        kept = None if self.was_freed() else self.kept()
        return kept.unpack if isinstance(kept, Packed) else None

    def register_hooks(self, *hooks: Callable[[Any], Any]) -> None:
        """Pack what lies here by the first of two hooks, now, and unpack it by the other when it is read.

        Raises:
            TypeError: these are not two functions.
            RuntimeError: nothing lies here, or hooks are there already.
        """
        if len(hooks) != 2 or not all(map(callable, hooks)):
            raise TypeError(errors.NOT_HOOKS.format(", ".join(map(repr, (self, *hooks)))))
        pack, unpack = hooks
        if self.was_freed():
            raise RuntimeError("Calling register_hooks on a saved tensor after it has been freed. " + errors.FREED_HINT)
        kept = self.kept()
        if kept is None:
            raise RuntimeError("Calling register_hooks on a saved tensor with value None is forbidden")
        if isinstance(kept, Packed):
            raise RuntimeError(
                "Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only one pair of "
                "hooks is allowed at a time."
            )
        tensor = kept.tensor(self.node_) if isinstance(kept, SavedResult) else kept
        self.node_.own_hooks()
        self.node_.keep_in(self.slot_, self.index_, pack_tensor(tensor, detach_alias(tensor), kept, (pack, unpack)))


def pack_slot(node: Node, kept: Any, hooks: tuple[Callable[[Any], Any], Callable[[Any], Any]]) -> Any:
    """Hand what is kept to a pack hook; numbers stay as they are."""
    tensor = kept.tensor(node) if isinstance(kept, SavedResult) else kept
    if tensor.meta is not None and tensor.meta.wrapped:
        return kept
    node.own_hooks()  # only the exact engine runs such a node: hooks may ask in which call they are
    return pack_tensor(tensor, tensor, kept, hooks)


def pack_tensor(
    source: Tensor, shown: Tensor, kept: Any, hooks: tuple[Callable[[Any], Any], Callable[[Any], Any]]
) -> Packed:
    with_grad, before = state.grad_enabled, shown.shared_storage().version
    state.grad_enabled = False
    try:
        packed = hooks[0](shown)
    finally:
        state.grad_enabled = with_grad
    if shown.shared_storage().version != before:
        raise RuntimeError(errors.PACKED_IN_PLACE)
    return Packed(packed, hooks[1], kept, source)


def detach_alias(tensor: Tensor) -> Tensor:
    """The same memory outside the graph: what hooks see that are put on a slot by hand."""
    alias = plain(tensor.data_)
    alias.storage_ = tensor.shared_storage()
    return alias


def unpack_slot(node: Node, slot: str) -> Any:
    """The tensor (or list of tensors) kept in `slot`, checked; None if that side was not kept.

    Raises:
        RuntimeError: it was freed, or changed in place since.
    """
    kept = getattr(node, SAVED[slot])
    if isinstance(kept, list | tuple):
        versions = getattr(node, VERSION[slot])
        return [unpack(node, f"{slot}[{i}]", part, v) for i, (part, v) in enumerate(zip(kept, versions, strict=True))]
    if kept is None and slot not in getattr(node, "kept_slots", ()):
        if node.freed and was_kept(node, slot):
            tell_read(node, slot, getattr(node, VERSION[slot], 0) or 0, None)
            raise RuntimeError(errors.SECOND_BACKWARD)
        return None
    return unpack(node, slot, kept, getattr(node, VERSION[slot]))


def was_kept(node: Node, slot: str) -> bool:
    return getattr(node, VERSION[slot], None) is not None


def read_in_vain(node: Node) -> None:
    """Read all that `node`, to which no gradient came, keeps: as torch does before it looks whether any came.

    Raises:
        RuntimeError: it was freed, or changed in place since.
    """
    for slot in sorted(node.slots):
        unpack_slot(node, slot)


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
        made_by = node if isinstance(kept, SavedResult) else kept.grad_fn
        raise RuntimeError(errors.modification(kept, made_by, found, version or 0, state.anomaly))
    return kept.tensor(node) if isinstance(kept, SavedResult) else kept


def keeps_detached(node: Node) -> bool:
    """Whether a tensor that `node` keeps was taken out in place, with `detach_`, of the graph that `node` leads to."""
    for slot in node.slots:
        kept = getattr(node, SAVED[slot], None)
        if isinstance(kept, Tensor) and kept.node is None and kept.meta is not None and kept.meta.detached_from:
            before = kept.meta.detached_from()
            if before is not None and any(below is before for below in node.next):
                return True
    return False


def unpack_hooked(node: Node, slot: str, kept: Packed) -> Tensor:
    """Ask the unpack hook for the tensor, and give it its place in the graph again."""
    value = kept.unpack(kept.packed)
    if not isinstance(value, Tensor):
        raise TypeError(
            "Output of saved tensor unpack_hook expected to be a Tensor but got result of type " + named_in_c(value)
        )
    if state.session is not None:
        state.session.emit((events.SavedUnpacked, state.session.node(node), slot))
    return in_place_of(kept, value, node)


def in_place_of(kept: Packed, value: Tensor, node: Node | None = None) -> Tensor:
    """`value`, which an unpack hook gave, where the tensor was in the graph; as it is, if that was nowhere."""
    if not (kept.is_result or kept.requires_grad):
        return value
    tensor = plain(value.data_)
    tensor.storage_ = value.shared_storage()
    if kept.is_result:
        tensor.node, tensor.output_nr = node, kept.output_nr
    elif kept.node is not None:
        tensor.node, tensor.output_nr = kept.node, kept.output_nr
    elif kept.requires_grad:
        tensor.own_meta().requires_grad = True
        tensor.own_meta().accumulator = kept.accumulator
    return tensor


def tell_read(node: Node, slot: str, kept: int, found: int | None) -> None:
    if state.session is not None:
        state.session.emit((events.SlotRead, state.session.node(node), slot, kept, found))
