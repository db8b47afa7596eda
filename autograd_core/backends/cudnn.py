"""torch.backends.cudnn, whose switches programs set for runs that can be repeated."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from . import unavailable

enabled = allow_tf32 = True
deterministic = benchmark = False
benchmark_limit: int | None = None

is_available, version = unavailable.answering(False), unavailable.answering(None)


@contextmanager
def flags(
    enabled: bool = False,
    benchmark: bool = False,
    benchmark_limit: int = 10,
    deterministic: bool = False,
    allow_tf32: bool = True,
    fp32_precision: str = "none",
) -> Iterator[None]:
    """The switches as given, for a block."""
    given = {"enabled": enabled, "benchmark": benchmark, "deterministic": deterministic, "allow_tf32": allow_tf32}
    switches = vars(sys.modules[__name__])
    before = {name: switches[name] for name in given}
    switches.update(given)
    try:
        yield
    finally:
        switches.update(before)
