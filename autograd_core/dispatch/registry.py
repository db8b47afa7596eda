"""What modules call that stand below those that have it: the operators by name, and functions entered at import."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..graph.accumulate_grad import AccumulateGrad
    from ..graph.node import Node
    from ..tensor.tensor import Tensor
    from .op import Op

TABLE: dict[str, Op] = {}
"""The operators by their full names, as `add.Tensor`, in the order of their declaration; `op` enters them here."""
RAW: dict[str, Any] = {}
"""What formulas over arrays name: the forwards, and helpers."""
GRAPH: dict[str, Any] = {}
"""What formulas over tensors name: the operators, and helpers."""


def call(name: str, *args: Any) -> Any:
    """What the operator (or helper of formulas) of this name in Python gives for tensors."""
    return GRAPH[name](*args)


class Callbacks:
    """What the core asks of modules above it: each of them enters its function here."""

    construct: Callable[[tuple[Any, ...]], Tensor]
    """`torch.Tensor(...)`."""
    set_requires_grad: Callable[[Tensor, Any], Any]
    """`tensor.requires_grad = ...`."""
    remake_grad_fn: Callable[[Tensor], Node | None]
    """The grad_fn of a view whose memory was written; tensor/views.py says how."""
    accumulator: Callable[[Tensor], AccumulateGrad]
    """The AccumulateGrad of a leaf, made at first use."""
    remember_forward: Callable[[Node], None]
    """Keep where a node is made, in anomaly mode."""
    rounded: Callable[[Any], Any]
    """An array as bfloat16; see tensor/bfloat16.py."""
    before_write: Callable[[Tensor], None]
    """Clone what nodes saved of a tensor, inside `allow_mutation_on_saved_tensors`."""
    batched: Callable[[Op, tuple[Any, ...]], Any]
    """What an operator gives while vmap hides a dimension of one of its arguments, None if it does not."""
    write_batched: Callable[[Callable[..., Any], Tensor, tuple[Any, ...], dict[str, Any]], Tensor]
    """An operator in place, where vmap hides a dimension of what is written or read."""


callbacks = Callbacks()
