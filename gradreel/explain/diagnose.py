"""Trace -> diagnoses: what went wrong, who built, kept, freed or changed what, and why PyTorch cannot go on.

Causes are found in the trace: which node asked for which slot, and what became of it before. Every error that nobody
caught is shown to the post-mortems in turn, with the World as it stood; the first that knows it tells it. Watchers
look for trouble that raises nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradreel.trace import Trace
from gradreel.trace import events as e
from gradreel.trace.events import Event

from .diagnosis import Diagnosis, Failure
from .errors import POSTMORTEMS
from .silent import WATCHERS
from .world import World


def diagnose(trace: Trace) -> list[Diagnosis]:
    """The diagnoses of a run, errors first; none for a run in which nothing goes wrong."""
    world = World(trace)
    watchers = [watcher(world) for watcher in WATCHERS]
    looks: dict[type[Event], list[Callable[[Any], None]]] = {}
    for watcher in watchers:
        for kind, look in watcher.looks_at().items():
            looks.setdefault(kind, []).append(look)
    found: list[Diagnosis] = []
    failed: tuple[int, e.BackwardFailed] | None = None
    for number, event in enumerate(trace.events):
        world.apply(event)
        for look in looks.get(type(event), ()):
            look(event)
        if isinstance(event, e.BackwardFailed):
            inner = failed is not None and world.calls[failed[1].call].parent == event.call
            failed = failed if inner else (number, event)
        elif isinstance(event, e.Raised) and not event.caught:
            same = failed is not None and failed[1].message == event.message
            failure = Failure(failed[0], event, failed[1].call) if failed and same else Failure(number, event, None)
            told = (postmortem(world, failure) for postmortem in POSTMORTEMS)
            found.extend(next(([diagnosis] for diagnosis in told if diagnosis is not None), []))
    if found:
        return found
    return [diagnosis for watcher in watchers for diagnosis in watcher.found()]
