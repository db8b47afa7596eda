"""Down a graph through the sequence numbers: the loop that both quick engines share; see Note [Sorted runs] there.

Where that was compiled, `descend` is the compiled one; see Note [Native path] in native/.
"""

from __future__ import annotations

from collections.abc import Callable

from .graph import Node, Run

MISSES = 64
"""So many sequence numbers in turn that nobody has, before the next one is looked for."""

Stepped = Callable[[Node, int, Run], None]
Settle = Callable[[Run], None]


def in_python(this: Run, stepped: Stepped, settle: Settle, direct: set[int] | None) -> None:
    """Run all nodes that are pending, and what they lead to; `settle` sees to the leaves that share a gradient.

    `direct` are the nodes that tell of themselves at once, None if nobody listens. Such ones are for `stepped`, and in
    the compiled loop whatever else is not for that. A node that fails is pending again.
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
            if direct is None:
                node.step(came_for(at, None), node.next, this)  # type: ignore[misc]
            elif direct and node.told in direct:
                stepped(node, at, this)
            else:
                node.heard_step(came_for(at, None), node.next, this)  # type: ignore[misc]
            if shared:
                settle(this)
        except BaseException:
            pending[at] = node
            raise


descend: Callable[[Run, Stepped, Settle, set[int] | None], None] = in_python
