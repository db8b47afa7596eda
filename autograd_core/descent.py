"""What of the engine was compiled, for the Python that asks for it: see Note [Native path] in native/."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .graph import Node, Run


class Never:
    """In the place of a class that nothing is of."""


Fact: Any = Never
"""A fact on a tape in few bytes: `told(base)` gives it as a tuple, `ref` is its weak proxy."""

Stepped = Callable[[Node, int, Run], None]

native: Callable[[Run, Stepped, Callable[[Run], None], Any], None] | None = None
"""The loop of the quick engine. It runs all nodes that are pending, and what they lead to: by the second argument those
that are not for it, by the third what leaves share. The last one is the set of nodes that tell of themselves at once,
None if nobody listens. Where it fails, the node that did is pending again."""
