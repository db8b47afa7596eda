"""Ways to run an operator."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from autograd_core.engine.state import irregular, special


@contextmanager
def usual() -> Iterator[None]:
    """As a program finds the engine: its short ways are taken, whatever other tests have left behind."""
    before = set(irregular)
    irregular.clear()
    try:
        assert not special, "somebody listens, or gradients are off"
        yield
    finally:
        irregular.update(before)
