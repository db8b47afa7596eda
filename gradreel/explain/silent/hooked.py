"""A hook that changed a gradient in place: others who look at the same memory see the change, too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ..diagnosis import Diagnosis, named, on
from ..words import code
from ..world.world import World


class Hooked:
    """Follows what is written between a node's being ready and its hook's end."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.entered: list[tuple[int, int]] = []
        """Functions that the engine called: scope, and with how many calls open."""
        self.given: dict[int, str] = {}
        """Gradients that such a function was given, and their names."""
        self.writes: list[tuple[int, int, str]] = []
        self.diagnosis: Diagnosis | None = None

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        return {e.FunctionEntered: self.enter, e.NameBound: self.bound, e.Written: self.written, e.HookRan: self.ran}

    def enter(self, event: e.FunctionEntered) -> None:
        if self.world.open_calls:
            self.entered.append((event.scope, len(self.world.open_calls)))
            self.given.clear()
            self.writes.clear()

    def bound(self, event: e.NameBound) -> None:
        if not self.entered or event.scope != self.entered[-1][0] or event.tensor is None:
            return
        if self.world.place.frames and self.world.place.frames[-1].scope == event.scope:
            return  # a name that the function gave itself; its arguments come before its first line
        self.given[event.tensor] = event.name

    def written(self, event: e.Written) -> None:
        if event.tensor in self.given and self.world.open_calls:
            self.writes.append((self.world.count - 1, self.world.place.line, self.given[event.tensor]))

    def ran(self, event: e.HookRan) -> None:
        if self.writes and event.hook in ("tensor", "pre", "post") and event.after is None and self.diagnosis is None:
            number, line, name = self.writes[0]
            story = (
                f"The hook writes into the gradient it was given: {code(self.world.source.text(line))} {on(line)}.",
                "It returned nothing, which says “leave it as it is”, and still the gradient is another now: that "
                "memory may belong to others as well, to a second branch or to a `.grad` that was kept.",
                "A hook that wants another gradient should compute a new one and return it.",
            )
            lines: dict[str, int | None] = {"changed": line, "raised": None, "shows": line}
            self.diagnosis = Diagnosis(
                "other",
                "A hook changed a gradient in place",
                "",
                lines,
                story,
                () if event.node is None else (event.node,),
                {"changed": number, "seen": self.world.count - 1},
                "hooked",
                named(target=name),
            )
        self.given.clear()
        self.writes.clear()

    def found(self) -> list[Diagnosis]:
        return [self.diagnosis] if self.diagnosis is not None else []
