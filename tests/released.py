"""What goes at once goes in no order: a tape knows of a node only that it went meanwhile."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Any

from autograd_core.events import NodeReleased, TensorReleased

GONE = NodeReleased, TensorReleased


def sorted_out(told: Iterable[Any]) -> list[Any]:
    """`told`, flights or events, with each run of releases sorted."""
    runs = groupby(told, key=lambda one: (one[0] if type(one) is tuple else type(one)) in GONE)
    return [one for gone, some in runs for one in (sorted(some, key=repr) if gone else some)]
