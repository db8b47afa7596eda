"""deque and defaultdict as programs have them: however many lie in one another, the last to go frees all.

CPython frees what is in a list level by level (its trashcan), and so it does for classes written in Python; of these
two each level takes a piece of the host's stack.
"""

from __future__ import annotations

from collections import defaultdict, deque
from typing import Any

from .standing import stands_for


@stands_for("deque")
class Deque(deque[Any]):
    __slots__ = ()


@stands_for("defaultdict")
class DefaultDict(defaultdict[Any, Any]):
    __slots__ = ()
