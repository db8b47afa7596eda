"""torch.autograd.graph: nodes, hooks on what is saved, edges as values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, WeakSet

from .. import errors
from ..engine.roots import GradientEdge as GradientEdge
from ..engine.state import state, watch
from ..graph.accumulate_grad import AccumulateGrad, accumulator
from ..graph.allow_mutation import _AllowMutationOnSavedContext, contexts
from ..graph.edges import gradient_edge
from ..graph.node import Handle
from ..graph.node import Node as Node
from ..namespace.absent import absent
from ..namespace.module_names import settle
from ..tensor.tensor import Tensor

if TYPE_CHECKING:
    from ..engine.engine import Call


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """The edge along which the gradient of `tensor` comes."""
    if not tensor.requires_grad:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    node, nr = gradient_edge(tensor)
    if node is None:
        return GradientEdge(accumulator(tensor), 0)
    watch(node)
    return GradientEdge(node, nr)


class saved_tensors_hooks:
    """While it is on, every tensor that a node saves goes through `pack_hook`, when read through `unpack_hook`."""

    def __init__(self, pack_hook: Callable[[Any], Any], unpack_hook: Callable[[Any], Any]) -> None:
        self.hooks = (pack_hook, unpack_hook)

    def __enter__(self) -> None:
        if state.saved_hooks_refused is not None:
            raise RuntimeError(state.saved_hooks_refused)
        state.saved_hooks = (*state.saved_hooks, self.hooks)

    def __exit__(self, *_: object) -> None:
        state.saved_hooks = state.saved_hooks[:-1]


class save_on_cpu(saved_tensors_hooks):
    """Keep what is saved in main memory, where it is already."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        super().__init__(lambda tensor: tensor, lambda tensor: tensor)


@contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """Refuse saved_tensors_hooks inside the block, with `error_message`.

    Raises:
        RuntimeError: some are on already.
    """
    if state.saved_hooks:
        raise RuntimeError(error_message)
    before, state.saved_hooks_refused = state.saved_hooks_refused, error_message
    try:
        yield
    finally:
        state.saved_hooks_refused = before


@contextmanager
def allow_mutation_on_saved_tensors() -> Iterator[_AllowMutationOnSavedContext]:
    """Let tensors be written that nodes saved: backward reads what they were. Gives what it knows of them.

    Raises:
        RuntimeError: such a context is on already.
    """
    nested, context = any(contexts()), _AllowMutationOnSavedContext()
    with saved_tensors_hooks(context.pack, context.unpack):
        try:
            if nested:
                raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
            yield context
        finally:
            context.clear()


def register_multi_grad_hook(
    tensors: Sequence[Tensor], fn: Callable[[Any], None], *, mode: str = "all"
) -> _MultiHandle:
    """Call `fn` once the gradients of all `tensors` that a backward comes to are there, or at the first of them."""
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    if mode == "any":  # where all would have to come, one that never can is refused
        tensors = [t for t in tensors if t.requires_grad]
    elif not all(t.requires_grad for t in tensors):
        raise AssertionError("Expected gradient function to be set")
    hooks = (AllHook if mode == "all" else AnyHook)(tensors, fn)
    return _MultiHandle([t.register_hook(hooks.at(i)) for i, t in enumerate(tensors)])


def increment_version(tensor: Tensor | Sequence[Tensor]) -> None:
    """Count a write that was made where torch does not see it."""
    tensors = [tensor] if isinstance(tensor, Tensor) else tensor
    if not isinstance(tensors, Iterable):
        raise RuntimeError("increment_version expect a Iterable[Tensor] as input")
    for t in tensors:
        if not isinstance(t, Tensor):
            raise RuntimeError("increment_version expects each element of the iterable to be a tensor")
        if not t.shared_storage().inference:  # such a tensor counts nothing
            t.bump()


class AllHook:
    """What has come in each backward that runs now, until it is all."""

    def __init__(self, tensors: Sequence[Tensor], fn: Callable[[Any], None]) -> None:
        self.edges = [gradient_edge(t) for t in tensors]
        for node, _ in self.edges:
            watch(node)
        self.fn = fn
        self.came: WeakKeyDictionary[Call, list[Any]] = WeakKeyDictionary()
        self.waiting: WeakKeyDictionary[Call, int] = WeakKeyDictionary()

    def at(self, index: int) -> Callable[[Tensor], None]:
        def hook(grad: Tensor) -> None:
            call = state.calls[-1]
            if call not in self.came:
                self.came[call] = [None] * len(self.edges)
                below = [(n, nr) for n, nr in self.edges if n is not None and n is not call.alone]
                coming = [(n, nr) for n, nr in below if call.comes_to(n, nr)]
                if any(isinstance(n, AccumulateGrad) and (n, nr) in (call.captures or ()) for n, nr in coming):
                    raise RuntimeError(errors.LEAF_ASKED_FOR)
                self.waiting[call] = len(coming)
            self.came[call][index] = grad
            self.waiting[call] -= 1
            if self.waiting[call] == 0:
                del self.waiting[call]
                self.fn(self.came.pop(call))

        return hook


class AnyHook:
    """Which backward was heard already."""

    def __init__(self, tensors: Sequence[Tensor], fn: Callable[[Any], None]) -> None:
        self.fn = fn
        self.heard: WeakSet[Call] = WeakSet()

    def at(self, index: int) -> Callable[[Tensor], None]:
        def hook(grad: Tensor) -> None:
            call = state.calls[-1]
            if call not in self.heard:
                self.heard.add(call)
                self.fn(grad)

        return hook


class _MultiHandle:
    """Removes several hooks together."""

    __module__ = "torch.autograd.graph"

    def __init__(self, handles: Sequence[Handle]) -> None:
        self.handles = tuple(handles)

    def remove(self) -> None:
        for handle in self.handles:
            handle.remove()

    def __enter__(self) -> _MultiHandle:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


# ---- the counts of writes that nodes check, set by hand: for writes that a program knows to be harmless


def _unsafe_set_version_counter(tensors: Sequence[Tensor], versions: Sequence[int]) -> None:
    """Let each of `tensors` have been written as often as `versions` say.

    Raises:
        RuntimeError: there are not as many of both, or one is negative.
    """
    if len(tensors) != len(versions):
        raise RuntimeError(f"tensors_len={len(tensors)}, versions_len={len(versions)}")
    for tensor, version in zip(tensors, versions, strict=True):
        if version < 0:
            raise RuntimeError(f"Cannot set a version_counter to a value below 0: {version}")
        tensor.shared_storage().version = version


class _unsafe_preserve_version_counter:
    """Writes to these tensors in the block are not counted."""

    __module__ = "torch.autograd.grad_mode"

    def __init__(self, tensors: Tensor | tuple[Tensor, ...]) -> None:
        self.tensors = (tensors,) if isinstance(tensors, Tensor) else tensors
        self.versions = tuple(tensor._version for tensor in self.tensors)

    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None:
        _unsafe_set_version_counter(self.tensors, self.versions)


settle(globals())

__getattr__ = absent("torch.autograd.graph")
