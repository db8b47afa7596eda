"""The rules: what knows an error when it sees one, and what watches a run for trouble that raises nothing.

A rule registers itself where it is defined, by `@rule` or `@watcher`; in which order they are asked stands in order.py.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

from gradreel.trace import events
from gradreel.trace.events import Event

from ..replay.world import World
from .diagnosis import Diagnosis, Failure
from .order import ERRORS, SILENT

Rule = Callable[[World, Failure], Diagnosis | None]
"""Says how an error came about, or None if it is not of the kind that it knows."""
Look = Callable[[Any], None]


HANDLERS = {
    "on_" + re.sub("(?<!^)(?=[A-Z])", "_", name).lower(): kind
    for name, kind in vars(events).items()
    if isinstance(kind, type) and issubclass(kind, events.Event)
}
"""By the name of a handler, as `on_node_made`, the event that it is for."""


class Watcher:
    """Looks at events, with the World as it stands after each, and says at the end what it found.

    It must be sure: what may well be meant is no trouble. Of turns that were left out of the recording it is told that
    they were (TurnsSkipped), and nothing of what they left: what it has seen before them may hold no more.
    """

    def __init__(self, world: World) -> None:
        self.world = world

    def subscriptions(self) -> dict[type[Event], Look]:
        """What to call for which kind of event: the handlers that there are."""
        return {kind: getattr(self, name) for name, kind in HANDLERS.items() if hasattr(self, name)}

    def report(self) -> list[Diagnosis]:
        """What was found, at the end of the run."""
        raise NotImplementedError


Needs = Counter[type[Event]]
RULES: dict[str, Rule] = {}
WATCHERS: dict[str, tuple[type[Watcher], Needs]] = {}
R = TypeVar("R", bound=Rule)
W = TypeVar("W", bound=type[Watcher])


def rule(function: R) -> R:
    """Registers a function as a rule for errors, by its name."""
    register(RULES, function.__name__, function)
    return function


def watcher(*needs: type[Event]) -> Callable[[W], W]:
    """Registers a class as a watcher, with the events that there must be at least: without them it is not asked."""

    def registered(kind: W) -> W:
        register(WATCHERS, kind.__name__, (kind, Counter(needs)))
        return kind

    return registered


def register(table: dict[str, Any], name: str, entry: object) -> None:
    if name in table:
        raise ValueError(f"two rules are called {name}")
    table[name] = entry


@cache
def error_rules() -> tuple[Rule, ...]:
    """The rules for errors in the order in which they are asked."""
    return tuple(RULES[name] for level in ERRORS for name in level)


@cache
def watchers() -> tuple[tuple[type[Watcher], Needs], ...]:
    """The watchers in the order in which what they find is told."""
    return tuple(WATCHERS[name] for name in SILENT)
