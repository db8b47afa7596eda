"""The collector of cycles, paused where many small objects are made and no cycle.

A run and its scene are such: looking for cycles among them would take as long as making them. That holds of the first
look after the pause as well, so what was made meanwhile is put among what is old, at which the collector looks seldom.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

MANY = 50_000
"""Fewer new objects the collector may look at."""


@contextmanager
def collector_paused() -> Iterator[None]:
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            pass_by()
            gc.enable()


def pass_by() -> None:
    """Have the collector pass the new objects by, as if it had looked at them already, if they are many."""
    if gc.get_count()[0] > MANY and not anything_frozen():
        gc.freeze()
        gc.unfreeze()  # what was frozen before would be thawed as well: there is nothing


_frozen = False


def anything_frozen() -> bool:
    """Whether objects are frozen. To count them takes as long as they are many; where there were some, some stay."""
    global _frozen
    _frozen = _frozen or gc.get_freeze_count() > 0
    return _frozen
