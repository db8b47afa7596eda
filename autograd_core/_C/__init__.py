"""torch._C: those names of torch's library in C that programs about autograd know.

They ask where a backward stands: in which call a hook runs, at which node, and what is still to come.
"""

from __future__ import annotations

import weakref

from ..engine.engine import Call
from ..engine.grad_mode import is_grad_enabled, is_inference_mode_enabled, is_multithreading_enabled
from ..engine.input_buffer import ReadyQueue
from ..engine.state import state, watch
from ..errors import LEAF_ASKED_FOR
from ..graph.accumulate_grad import AccumulateGrad
from ..graph.node import Node
from ..random.generator import Generator
from ..tensor.tensor import Tensor
from . import _autograd, _functions

ORDER_OF_THREADS = (
    "get_current_graph_task_execution_order expects the current backward to be executed with multithreading disabled, "
    "e.g. by running:\n\n>>> with torch.autograd.set_multithreading_enabled(False):\n...     torch.autograd.grad(...)\n"
)

has_lapack = True


def _current_graph_task_id() -> int:
    """The number of the innermost call of backward or grad that is under way, -1 outside."""
    return state.calls[-1].number - 1 if state.calls else -1


def _current_autograd_node() -> Node | None:
    """The node that runs, or whose hooks do."""
    node = state.calls[-1].running if state.calls else None
    watch(node)
    return node


def _current_graph_task_execution_order() -> list[Node]:
    """The nodes that the innermost call is going to run, in their order, as it looks before the first of them.

    Raises:
        RuntimeError: none is under way, or torch would run it on several threads.
    """
    if not state.calls:
        raise RuntimeError("_current_graph_task_execution_order should only be called during the backward pass")
    if is_multithreading_enabled():
        raise RuntimeError(ORDER_OF_THREADS)
    nodes = foresee(state.calls[-1])
    for node in nodes:
        watch(node)
    return nodes


def foresee(call: Call) -> list[Node]:
    """The nodes that `call` is going to run."""
    order, waiting, ready = [], dict(call.waiting), ReadyQueue()
    for root in call.roots:
        ready.push(root)
    while ready:
        node = ready.pop()
        order.append(node)
        for below in node.next:
            if below is not None:
                waiting[below] -= 1
                if waiting[below] == 0 and looks_at(call, below):
                    ready.push(below)
    return order


def looks_at(call: Call, node: Node) -> bool:
    """Whether `call` has business with `node`: it runs it, or gives what comes to it."""
    return call.needed is None or node in call.needed or call.captures_any(node)


def _will_engine_execute_node(node: Node) -> bool:
    """Whether the innermost call comes to `node`, or did so already, from a node above it.

    Raises:
        RuntimeError: none is under way, this is no node, or that of a leaf whose gradient `grad` is to give.
    """
    if not isinstance(node, Node):
        raise RuntimeError(f"_will_engine_execute_node expects an grad_fn, but got {type(node).__name__}")
    if not state.calls:
        raise RuntimeError("_get_should_execute_nodes should only be called during the backward pass")
    call = state.calls[-1]
    if node not in call.waiting or node is call.alone or not looks_at(call, node):
        return False
    if isinstance(node, AccumulateGrad) and call.captures_any(node):
        raise RuntimeError(LEAF_ASKED_FOR)
    return True


class _WeakTensorRef:
    """A reference to a tensor that does not keep it."""

    __slots__ = ("tensor",)

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = weakref.ref(tensor)

    def expired(self) -> bool:
        """Whether the tensor has gone."""
        return self.tensor() is None


__all__ = [
    "Generator", "_WeakTensorRef", "_autograd", "_current_autograd_node", "_current_graph_task_execution_order",
    "_current_graph_task_id", "_functions", "_will_engine_execute_node", "has_lapack", "is_grad_enabled",
    "is_inference_mode_enabled",
]  # fmt: skip
