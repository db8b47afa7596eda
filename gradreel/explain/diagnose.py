"""Trace -> diagnoses: what went wrong, who built, kept, freed or changed what, and why PyTorch cannot go on.

Causes are found in the trace: which node asked for which slot, and what became of it before. Every error that nobody
caught is shown to the post-mortems in turn, with the World as it stood; the first that knows it tells it. Watchers
look for trouble that raises nothing.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from gradreel.trace import Trace
from gradreel.trace import events as e
from gradreel.trace.events import Event

from .diagnosis import Diagnosis, Failure
from .errors import POSTMORTEMS
from .silent import WATCHERS
from .states import Place
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
    places: list[tuple[int, Place]] = []
    for number, event in enumerate(trace.events):
        world.apply(event)
        if not places or world.place is not places[-1][1]:
            places.append((number, world.place))
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
    found = found or [diagnosis for watcher in watchers for diagnosis in watcher.found()]
    return [replace(diagnosis, stacks=stacks(diagnosis, places)) for diagnosis in found]


def stacks(diagnosis: Diagnosis, places: list[tuple[int, Place]]) -> dict[str, tuple[int, ...]]:
    """Where the program was with each of the events of `diagnosis`."""
    found: dict[str, tuple[int, ...]] = {}
    for role, number in diagnosis.events.items():
        place = places[bisect_right(places, number, key=lambda pair: pair[0]) - 1][1]
        found[role] = (*(frame.line for frame in place.frames), place.line)
    return found
