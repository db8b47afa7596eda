"""What the core asks of modules that stand above it: each of them enters its function here at import."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..graph.accumulate_grad import AccumulateGrad
    from ..graph.node import Node
    from ..tensor.tensor import Tensor
    from .op import Op


class Callbacks:
    """The functions, by what they do."""

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
    before_write: Callable[[Tensor], None]
    """Clone what nodes saved of a tensor, inside `allow_mutation_on_saved_tensors`."""
    batched: Callable[[Op, tuple[Any, ...]], Any]
    """What an operator gives while vmap hides a dimension of one of its arguments, None if it does not."""
    write_batched: Callable[[Callable[..., Any], Tensor, tuple[Any, ...], dict[str, Any]], Tensor]
    """An operator in place, where vmap hides a dimension of what is written or read."""


callbacks = Callbacks()
