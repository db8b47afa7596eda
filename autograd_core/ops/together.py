"""For operators whose gradients come from one computation: the node does it once, not once for each formula."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import quick
from ..graph import Node
from ..op import GRAPH, RAW
from ..operands import array
from ..recording.engine import told_step
from ..saved import unpack_slot


def together(node: type[Node], compute: str, several: bool, names: Sequence[str]) -> None:
    """Let `node` call `compute` once, with what comes in and what it keeps under `names`.

    The formulas of the operator pick their gradients from the list that `compute` gives. `several` says that the
    operator has several results, whose gradients come as a list.
    """
    tensors = set(node.slots)

    def run(self: Any, functions: dict[str, Any], face: Any, grads: Any, wanted: Any) -> list[Any]:
        kept = [face(unpack_slot(self, n)) if n in tensors else getattr(self, f"saved_{n}") for n in names]
        got = functions[compute](grads if several else grads[0], *kept)
        return [None if below is None else grad for below, grad in zip(wanted, got, strict=True)]

    def raw(self: Any, grads: Any, wanted: Any) -> list[Any]:
        return run(self, RAW, array, grads, wanted)

    def graph(self: Any, grads: Any, wanted: Any) -> list[Any]:
        return run(self, GRAPH, lambda tensor: tensor, grads, wanted)

    node.raw, node.graph = raw, graph  # type: ignore[method-assign]
    node.step, node.graph_step = quick.step, quick.graph_step
    node.heard_step, node.notes = told_step, False
