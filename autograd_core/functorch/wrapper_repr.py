"""How tensors print inside of the levels that they belong to."""

from __future__ import annotations

import textwrap

from ..engine.state import state
from ..graph.accumulate_grad import AccumulateGrad
from ..tensor.dtypes import from_numpy
from ..tensor.printing import tensor_repr
from ..tensor.tensor import Tensor
from .batch import Batch, is_hidden
from .forward_mode import tangent_of
from .levels import Source, nodes_below, sources_of


def repr_in_levels(tensor: Tensor) -> str:
    """How `tensor` prints inside the levels that it belongs to."""
    if state.mapped and is_hidden(tensor) and not any(sources_of(tensor, level) for level in state.levels):
        return shown_batch(tensor.data_)
    inner = tensor
    while isinstance(inner.node, Source) and inner.node.level in state.levels:
        inner = inner.node.origin
    outside = any(isinstance(node, AccumulateGrad) for node in nodes_below(tensor.grad_fn))
    node = inner.grad_fn if outside else None
    dual = state.dual
    tangent = tangent_of(tensor, dual) if dual is not None else None
    text = (
        shown_batch(inner.data_)
        if is_hidden(inner)
        else tensor_repr(
            inner.data_,
            dtype=from_numpy(inner.data_.dtype),
            grad_fn=None if node is None else node.type_name(),
            requires_grad=outside,
            tangent="" if tangent is None else f"{tangent}",
        )
    )
    for level in [level for level in state.levels if level is not dual]:
        if sources_of(tensor, level):
            text = f"GradTrackingTensor(lvl={level.depth}, value=\n{indent(text)}\n)"
    return text


def shown_batch(batch: Batch) -> str:
    """How a tensor prints of which vmap hides a dimension."""
    if batch.at is None:
        return f"{batch.whole}"
    return f"BatchedTensor(lvl={batch.level.depth}, bdim={batch.at}, value=\n{indent(str(batch.whole))}\n)"


def indent(text: str) -> str:
    return textwrap.indent(text, "    ")
