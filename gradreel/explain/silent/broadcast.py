"""A loss of scores in a column and targets in a row: entry by entry becomes each with each, and torch only warns."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ..diagnosis import Diagnosis, on
from ..words import code
from ..world.world import World

SIZES = re.compile(
    r"Using a target size \(torch\.Size\((\[[\d, ]*\])\)\) that is different to the input size "
    r"\(torch\.Size\((\[[\d, ]*\])\)\)"
)


class Broadcast:
    """Keeps the first warning of this kind."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.diagnosis: Diagnosis | None = None

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        return {e.Warned: self.warned}

    def warned(self, event: e.Warned) -> None:
        sizes = SIZES.search(event.message)
        if sizes is None or self.diagnosis is not None:
            return
        place = self.world.place
        text = code(self.world.source.statement(place.line, place.end_line))
        story = (
            f"{text} {on(place.line)} compares scores of shape {sizes[2]} with targets of shape {sizes[1]}.",
            "Broadcasting makes one shape of both, so that each score is compared with each target, not with its own.",
            "The loss then falls to that of a constant guess; `squeeze` or `unsqueeze` gives both one shape.",
        )
        lines: dict[str, int | None] = {"built": place.line, "raised": None, "shows": place.line}
        events = {"built": self.world.count - 1}
        title = "Scores and targets of two shapes"
        self.diagnosis = Diagnosis("shape", title, "", lines, story, (), events, "broadcast")

    def found(self) -> list[Diagnosis]:
        return [self.diagnosis] if self.diagnosis is not None else []
