"""Trace -> diagnoses: what went wrong, who built, kept, freed or changed what, and why PyTorch cannot go on.

Causes are found in the trace: which node asked for which slot, and what became of it before. Every error that nobody
caught is shown to the rules in turn, with the World as it stood; the first that knows it tells it. Watchers look for
trouble that raises nothing.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from dataclasses import replace

from gradreel.trace import Trace
from gradreel.trace import events as e
from gradreel.trace.events import Event

from ..narration.words import upper
from ..replay.states import Place
from ..replay.world import World
from .demonstrations import is_shown_on_purpose
from .diagnosis import Diagnosis, Failure
from .registry import Look, error_rules, watchers


def diagnose(trace: Trace) -> list[Diagnosis]:
    """The diagnoses of a run, errors first; none for a run in which nothing goes wrong."""
    world = World(trace)
    doctor = Doctor(world)
    every, of_skipped, left = doctor.subscriptions(), doctor.subscriptions_skipped(), 0
    for event in trace.events:
        world.apply(event)
        for look in (of_skipped if left else every).get(type(event), ()):
            look(event)
        left = event.left if isinstance(event, e.TurnsSkipped) else max(left - 1, 0)
    return doctor.diagnoses()


ERRORS = 200
"""So many errors are looked at, the first ones: a transcript may have hundreds more."""


class Doctor:
    """Goes along with a World: whoever applies events to it has the doctor look at each, and asks at the end."""

    def __init__(self, world: World) -> None:
        self.world = world
        there = Counter(map(type, world.trace.events))
        self.watchers = [watcher(world) for watcher, needs in watchers() if needs <= there]
        self.found: list[Diagnosis] = []
        self.failed: tuple[int, e.BackwardFailed] | None = None
        self.errors = 0
        """How many errors were looked at."""
        self.places: list[tuple[int, Place]] = []

    def subscriptions(self) -> dict[type[Event], tuple[Look, ...]]:
        """What to call for which kind of event, once the World has seen it."""
        looks: dict[type[Event], tuple[Look, ...]] = {
            e.LineReached: (self.moved,),
            e.FunctionLeft: (self.moved,),
            e.BackwardFailed: (self.call_failed,),
            e.Raised: (self.raised,),
        }
        for watcher in self.watchers:
            for kind, look in watcher.subscriptions().items():
                looks[kind] = (*looks.get(kind, ()), look)
        return looks

    def subscriptions_skipped(self) -> dict[type[Event], tuple[Look, ...]]:
        """The same for what tells of skipped turns: too little for watchers, who are told that turns are skipped."""
        return {e.LineReached: (self.moved,), e.FunctionLeft: (self.moved,)}

    def moved(self, event: Event) -> None:
        self.places.append((self.world.count - 1, self.world.place))

    def call_failed(self, event: e.BackwardFailed) -> None:
        """Of calls in calls, the innermost is the one that failed."""
        inner = self.failed is not None and self.world.calls[self.failed[1].call].parent == event.call
        self.failed = self.failed if inner else (self.world.count - 1, event)

    def raised(self, event: e.Raised) -> None:
        if not event.caught and self.errors < ERRORS:
            self.errors += 1
            self.found.extend(self.told_of(event))

    def told_of(self, event: e.Raised) -> list[Diagnosis]:
        """What the first rule says that knows the error."""
        failed = self.failed
        same = failed is not None and failed[1].message == event.message
        number = self.world.count - 1
        failure = Failure(failed[0], event, failed[1].call) if failed and same else Failure(number, event, None)
        failure = replace(failure, raised=replace(event, message=cut(event.message)))
        told = (rule(self.world, failure) for rule in error_rules())
        return next(([diagnosis] for diagnosis in told if diagnosis is not None), [])

    def diagnoses(self) -> list[Diagnosis]:
        silent = [diagnosis for watcher in self.watchers for diagnosis in watcher.report()]
        found = traced_back(self.found, silent) or [one for one in silent if not is_shown_on_purpose(self.world, one)]
        causes = {diagnosis.cause for diagnosis in found}
        found = [diagnosis for diagnosis in found if not causes & FOLLOWS.get(diagnosis.cause, frozenset())]
        return [
            replace(diagnosis, story=tuple(map(upper, diagnosis.story)), stacks=stacks(diagnosis, self.places))
            for diagnosis in found
        ]


LONGEST_MESSAGE, LONGEST_OF_STATES = 1_500, 4_000
"""So many letters of a message are looked at, with patterns that may take as long as the square of it; more of what
lists the keys and sizes of a state, which has patterns of its own."""


def cut(message: str) -> str:
    longest = LONGEST_OF_STATES if message.startswith("Error(s) in loading state_dict") else LONGEST_MESSAGE
    return message if len(message) <= longest else message[:longest] + "…"


def traced_back(found: list[Diagnosis], silent: list[Diagnosis]) -> list[Diagnosis]:
    """An error over gradients that are not finite is told with where NaN was born, if that was seen."""
    born = next((diagnosis for diagnosis in silent if diagnosis.cause == "nan"), None)
    if born is None:
        return found
    return [
        replace(
            born,
            message=error.message,
            lines={**born.lines, "raised": error.lines["raised"]},
            story=(*error.story[:1], *born.story),
            events={**born.events, "raised": error.events["raised"]},
        )
        if error.cause in ("not_finite", "no_number")
        else error
        for error in found
    ]


FOLLOWS = {
    "collected": frozenset({"lost", "lost_unread", "drawn", "growing"}),  # graphs that nobody ever comes back for
    "untouched": frozenset({"idle", "overwritten", "made_anew"}),
    "stale": frozenset({"old_graph"}),
    "not_leaf": frozenset({"nameless_leaf"}),
    "withheld": frozenset({"backward_no_return"}),
    "old_graph": frozenset({"growing", "in_vain"}),
    "piled": frozenset({"only_named"}),
    "idle": frozenset({"only_named"}),
    "lost_unread": frozenset({"lost", "unused_silently", "made_anew"}),
    "nan": frozenset({"swapped", "piled", "only_named"}),
    "diverged": frozenset({"piled", "only_named"}),
    "drawn": frozenset({"lost", "lost_unread"}),
    "never_stepped": frozenset({"only_named"}),
    "in_vain": frozenset({"lost", "lost_unread", "idle", "untouched", "unused_silently", "never_moved", "not_leaf"}),
}
"""What is not told beside the trouble that it came of."""


def stacks(diagnosis: Diagnosis, places: list[tuple[int, Place]]) -> dict[str, tuple[int, ...]]:
    """Where the program was with each of the events of `diagnosis`."""
    found: dict[str, tuple[int, ...]] = {}
    for role, number in diagnosis.events.items():
        at = bisect_right(places, number, key=lambda pair: pair[0]) - 1
        place = places[at][1] if at >= 0 else Place()
        found[role] = (*(frame.line for frame in place.frames), place.line)
    return found
