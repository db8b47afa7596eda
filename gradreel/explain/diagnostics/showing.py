"""Where the wrong result of a silent trouble is seen: on a line that prints after it."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from typing import ClassVar

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ..replay.states import Place
from ..replay.world import World
from ..source import Source, bound_by, is_simple
from .diagnosis import Diagnosis
from .registry import Look, Watcher


class Showing:
    """Waits, once told to, for the lines that print: the first that shows a gradient, else the first behind the loop
    that runs, else the first of all.

    What is to be seen may be something else: `seen` matches the statements that show it.
    """

    def __init__(self, world: World, seen: re.Pattern[str] | None = None) -> None:
        self.world = world
        self.waiting = False
        self.since = 0
        self.line: int | None = None
        self.loops: frozenset[tuple[int, int]] = frozenset()
        self.within: int | None = None
        """The first line that printed while those loops went on."""
        self.gradients = seen or GRADIENT

    def wait(self, names: frozenset[str] = frozenset()) -> None:
        """`names` stand for gradients, too."""
        self.waiting, self.since, self.line, self.within = True, self.world.place.line, None, None
        self.loops = loops(self.world.place)
        if names:
            self.gradients = re.compile(rf"{GRADIENT.pattern}|\b(?:{'|'.join(sorted(names))})\b")

    def on_printed(self, event: e.Printed) -> None:
        if not self.waiting or not event.text.strip():
            return
        place = self.world.place
        if self.loops & loops(place):
            self.within = self.within or place.line
        else:
            self.line = self.line or place.line
        if self.gradients.search(self.world.source.statement(place.line, place.end_line)):
            self.waiting, self.line = False, place.line

    def shown(self, diagnosis: Diagnosis) -> Diagnosis:
        """`diagnosis` with the line that shows it: where it happened, if nothing was printed later."""
        return replace(diagnosis, lines={**diagnosis.lines, "shows": self.line or self.within or self.since})


class FirstTrouble(Watcher):
    """A watcher that tells of the first trouble it is sure of, and of the line that shows it."""

    seen: ClassVar[re.Pattern[str] | None] = None
    """What shows it, if it is not gradients."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.diagnosis: Diagnosis | None = None
        self.showing = Showing(world, self.seen)

    def subscriptions(self) -> dict[type[Event], Look]:
        return {e.Printed: self.showing.on_printed, **super().subscriptions()}

    def tell(self, diagnosis: Diagnosis, names: frozenset[str] = frozenset()) -> None:
        """`names` stand for gradients, where it is shown."""
        self.diagnosis = diagnosis
        self.showing.wait(names)

    def report(self) -> list[Diagnosis]:
        return [self.showing.shown(self.diagnosis)] if self.diagnosis is not None else []


def loops(place: Place) -> frozenset[tuple[int, int]]:
    """The loops that `place` is in: the line and the run of each."""
    return frozenset((turn.line, turn.run) for turn in place.turns)


def gradient_names(source: Source) -> frozenset[str]:
    """The names that the program gives to what it reads from `.grad`, by assignment or by an `append`."""
    called = {id(node.func) for node in source.nodes if isinstance(node, ast.Call)}
    reads = [
        node
        for node in source.nodes
        if is_simple(node)
        and any(
            isinstance(part, ast.Attribute) and part.attr == "grad" and id(part) not in called
            for part in ast.walk(node)
        )
    ]
    return frozenset().union(*map(bound_by, reads))


GRADIENT = re.compile(r"\.grad\b")
