"""Trace -> bytes in one go: the collector of cycles waits until the scene is gone again, and has nothing to look at."""

from collections.abc import Callable

from gradreel.collecting import collector_paused
from gradreel.trace import Trace

from .build import Mender, build
from .encode import encode
from .model import Expression


def payload(
    trace: Trace,
    expression: Expression | None = None,
    mender: Mender | None = None,
    early: Callable[[bytes], None] | None = None,
) -> bytes:
    """The encoded scene of a run, as `encode(build(...))` gives it."""
    with collector_paused():
        first = None if early is None else lambda scene: early(encode(scene))
        return encode(build(trace, expression, mender, first))
