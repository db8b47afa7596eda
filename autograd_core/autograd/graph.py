"""torch.autograd.graph: nodes, hooks on what is saved, edges as values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from ..graph import Handle, Node, accumulator, gradient_edge
from ..state import state
from ..tensor import Tensor


class GradientEdge(NamedTuple):
    """A place in the graph: output number `output_nr` of `node`."""

    node: Node
    output_nr: int


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """The edge along which the gradient of `tensor` comes."""
    if not tensor.requires_grad:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    node, nr = gradient_edge(tensor)
    return GradientEdge(accumulator(tensor), 0) if node is None else GradientEdge(node, nr)


class saved_tensors_hooks:
    """While it is on, every tensor that a node saves goes through `pack_hook`, when read through `unpack_hook`."""

    def __init__(self, pack_hook: Callable[[Any], Any], unpack_hook: Callable[[Any], Any]) -> None:
        self.hooks = (pack_hook, unpack_hook)

    def __enter__(self) -> None:
        if state.saved_hooks_refused is not None:
            raise RuntimeError(state.saved_hooks_refused)
        state.saved_hooks.append(self.hooks)

    def __exit__(self, *_: object) -> None:
        state.saved_hooks.pop()


class save_on_cpu(saved_tensors_hooks):
    """Keep what is saved in main memory, where it is already."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        super().__init__(lambda tensor: tensor, lambda tensor: tensor)


@contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """Refuse saved_tensors_hooks inside the block, with `error_message`."""
    if state.saved_hooks:
        raise RuntimeError(error_message)
    before, state.saved_hooks_refused = state.saved_hooks_refused, error_message
    try:
        yield
    finally:
        state.saved_hooks_refused = before


def register_multi_grad_hook(tensors: Sequence[Tensor], fn: Callable[[Any], None], *, mode: str = "all") -> MultiHandle:
    """Call `fn` once the gradients of all `tensors` have come, or with mode="any" at the first."""
    grads: list[Any] = [None] * len(tensors)
    waiting = {"count": len(tensors)}

    def came(index: int) -> Callable[[Tensor], None]:
        def hook(grad: Tensor) -> None:
            grads[index] = grad
            waiting["count"] -= 1
            if mode == "any" and waiting["count"] == len(tensors) - 1:
                fn(grad)
            elif mode == "all" and waiting["count"] == 0:
                fn(list(grads))
            if waiting["count"] == 0:
                waiting["count"] = len(tensors)
                grads[:] = [None] * len(tensors)

        return hook

    return MultiHandle([t.register_hook(came(i)) for i, t in enumerate(tensors)])


class MultiHandle:
    """Removes several hooks together."""

    def __init__(self, handles: Sequence[Handle]) -> None:
        self.handles = handles

    def remove(self) -> None:
        for handle in self.handles:
            handle.remove()


__all__ = ["GradientEdge", "Node", "get_gradient_edge", "save_on_cpu", "saved_tensors_hooks"]
