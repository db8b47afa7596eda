"""Down a graph through the sequence numbers: the loop that both quick engines share; see Note [Sorted runs] there."""

from __future__ import annotations

from collections.abc import Callable, Container

from ..graph.node import Node, Run

MISSES = 64
"""So many sequence numbers in turn that nobody has, before the next one is looked for."""

Stepped = Callable[[Node, int, Run], None]
Settle = Callable[[Run], None]


def descend(this: Run, settle: Settle, stepped: Stepped | None = None, direct: Container[int] = ()) -> None:
    """Run all nodes that are pending, and what they lead to; `settle` sees to the leaves that share a gradient.

    Where somebody listens, `stepped` runs the nodes of `direct`, which tell of themselves at once. A node that fails
    is pending again.
    """
    pending, came_for, shared = this.pending, this.buffers.pop, this.shared
    at, misses = max(pending) + 1, 0
    while pending:
        at -= 1
        node = pending.pop(at, None)
        if node is None:
            misses += 1
            if misses > MISSES:
                at, misses = max(pending) + 1, 0
            continue
        misses = 0
        try:
            if stepped is None:
                node.step(came_for(at, None), None, this)  # type: ignore[misc]
            elif direct and node.told in direct:
                stepped(node, at, this)
            else:
                node.heard_step(came_for(at, None), None, this)  # type: ignore[misc]
            if shared:
                settle(this)
        except BaseException:
            pending[at] = node
            raise
