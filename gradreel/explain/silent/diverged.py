"""Steps that were too large: a parameter grew from step to step until it overflowed, by gradients that were right."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event, Value

from ..diagnostics.diagnosis import Diagnosis, named
from ..diagnostics.registry import watcher
from ..narration.words import called, code, during, name_of, on
from ..replay.graph_queries import all_finite, flat
from ..replay.states import Place
from ..replay.world import World

STEPS = 3
"""So many steps in a row must have made it grow before it overflowed."""
BAD = re.compile(r"\b(nan|inf)\b")


@watcher(e.Written)
class Diverged:
    """Follows the size of each leaf that steps change."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.sizes: dict[int, list[float]] = {}
        """By memory, the largest number in it after each step that made it larger, in a row."""
        self.optimizers: dict[str, tuple[Place, int]] = {}
        """Where, and with which event, names were bound to what shows like this."""
        self.place: Place | None = None
        self.told_of: tuple[int, int, str | None] | None = None
        self.shown: int | None = None

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        return {e.NameBound: self.bound, e.Written: self.written, e.Printed: self.printed, e.TurnsSkipped: self.skipped}

    def skipped(self, event: e.TurnsSkipped) -> None:
        self.sizes.clear()

    def bound(self, event: e.NameBound) -> None:
        if event.tensor is None and event.text is not None:
            self.optimizers.setdefault(event.text, (self.world.place, self.world.count - 1))

    def written(self, event: e.Written) -> None:
        tensor = self.world.tensors[event.tensor]
        if self.told_of is not None or not (tensor.requires_grad or tensor.base is not None) or tensor.node is not None:
            return
        sizes = self.sizes.setdefault(tensor.storage, [])
        size = largest(event.value)
        if size is None or math.isnan(size) or math.isinf(size):
            if len(sizes) >= STEPS and sizes[-1] > 1e3 * max(sizes[0], 1e-30):
                self.told_of = event.tensor, self.world.count - 1, self.world.optimizer
                self.place = self.world.place
            return
        if sizes and size <= sizes[-1]:
            sizes.clear()
        sizes.append(size)

    def printed(self, event: e.Printed) -> None:
        if self.told_of is not None and self.shown is None and BAD.search(event.text):
            self.shown = self.world.place.line

    def found(self) -> list[Diagnosis]:
        if self.told_of is None or self.place is None:
            return []
        world = self.world
        tensor, event, optimizer = self.told_of
        made = self.optimizers.get(optimizer) if optimizer is not None else None
        changed, at = (made[0].line, made[1]) if made is not None else (self.place.line, event)
        sizes = self.sizes[world.tensors[tensor].storage][-STEPS:]
        grew = ", ".join(f"{size:.3g}" for size in sizes)
        return [
            Diagnosis(
                title="The steps are too large",
                lines={"changed": changed, "raised": None, "shows": self.shown or self.place.line},
                story=(
                    f"{code(world.source.text(self.place.line))} {on(self.place.line)}{during(self.place)} takes "
                    f"{called(world, tensor)} past what a number can hold. In the steps before its largest entry was "
                    f"{grew}.",
                    "The gradients are right; each step goes so far past the lowest point that the next gradient is "
                    "larger than the last.",
                    f"A smaller rate {on(changed)} mends it, or a bound on the gradients.",
                ),
                events={"changed": at, "seen": event},
                cause="diverged",
                names=named(target=name_of(world, world.tensors[tensor])),
            )
        ]


def largest(value: Value) -> float | None:
    if not value.whole:
        ends = [abs(end) for end in (value.minimum, value.maximum) if isinstance(end, (int, float))]
        return max(ends, default=None)
    numbers = [abs(number) for number in flat(value.data) if isinstance(number, (int, float))]
    return math.nan if not all_finite(numbers) and any(map(math.isnan, numbers)) else max(numbers, default=None)
