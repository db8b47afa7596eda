"""The two places where programs run, in public and on one's own machine: how long each takes, beside its budgets.

The budgets stand in `interpreter/limits.py`. Everything else follows from them: when a run is stopped from outside,
when its reply has to do, when its process is killed, and what memory the kernel gives it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from gradreel.interpreter.limits import OWN, PUBLIC, Limits


@dataclass(frozen=True)
class Place:
    """Where programs run. `reply_seconds` are for what comes after a run: to explain it, to draw it, to send it."""

    name: str
    limits: Limits
    reply_seconds: float
    mending_seconds: float
    mendable: int
    """For so long edits are tried that mend a run of at most so many events, before the picture of it is sent."""
    spare: int
    """Bytes that the process may map beyond the memory of the run: what it shares with others, and the reply."""

    @property
    def hard_seconds(self) -> float:
        """When the process of a run is killed, by the wall clock and by the processor's."""
        return self.limits.seconds + self.reply_seconds

    @property
    def alarm_seconds(self) -> float:
        """When the alarm goes off, counted from the start of the run; the program's own clock comes first."""
        return self.limits.seconds + 0.8

    @property
    def ready_seconds(self) -> float:
        """When a reply should be ready, counted from its request."""
        return self.hard_seconds - 0.8

    @property
    def last_seconds(self) -> float:
        """When what is ready must do, before the process is killed."""
        return self.hard_seconds - 0.5

    @property
    def memory(self) -> int:
        """Bytes that the process of a run may map."""
        return self.limits.memory + self.spare


PLACES: Mapping[str, Place] = {
    "public": Place("public", PUBLIC, reply_seconds=3.0, mending_seconds=0.4, mendable=5_000, spare=280_000_000),
    "own": Place("own", OWN, reply_seconds=60.0, mending_seconds=5.0, mendable=60_000, spare=2_000_000_000),
}


def place_named(name: str, limits: Mapping[str, Any]) -> Place:
    """The place of this name, with some budgets of the host's own."""
    usual = PLACES[name]
    return replace(usual, limits=replace(usual.limits, **limits))


def read_limits(text: str) -> dict[str, float]:
    """Budgets by their names, out of a text like `seconds=60 memory=2000000000`.

    Raises:
        ValueError: it is none.
    """
    kinds = {field.name: type(getattr(PUBLIC, field.name)) for field in fields(Limits) if field.name != "free"}
    found: dict[str, float] = {}
    for part in text.split():
        name, _, number = part.partition("=")
        value = kinds[name](float(number)) if name in kinds else 0
        if not value > 0:
            raise ValueError(f"{part!r} is no budget; the budgets are {', '.join(kinds)}, each name=number")
        found[name] = value
    return found


_here = [PLACES["public"]]


def settle(place: Place) -> None:
    """From now on this process is at `place`."""
    _here[0] = place


def here() -> Place:
    """Where this process is: in public, unless somebody who knows has said other."""
    return _here[0]
