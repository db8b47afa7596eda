"""How much of a text goes into a trace: names and messages are a program's own, and may be of any length."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

from autograd_core.events.frozen_dataclass import maker

from .events import (
    BackwardFailed,
    Event,
    FunctionEntered,
    NameBound,
    NameUnbound,
    NodeMade,
    OptimizerStepped,
    Raised,
    TensorMade,
    ValueSaved,
    Warned,
)

LONGEST_NAME = 120
LONGEST_MESSAGE = 10_000
NAMING = (FunctionEntered, NameBound, NameUnbound, NodeMade, OptimizerStepped, TensorMade, ValueSaved)
SAYING = (BackwardFailed, Raised, Warned)


def brief(name: str) -> str:
    """`name`, or its beginning and its end where it is long."""
    return name if len(name) <= LONGEST_NAME else f"{name[:70]}…{name[-40:]}"


def cut(message: str) -> str:
    """`message`, or its beginning and how much is left out where it is long."""
    if len(message) <= LONGEST_MESSAGE:
        return message
    kept = LONGEST_MESSAGE - 60  # what is cut may come here again, and stays as it is
    return f"{message[:kept]}… and {len(message) - kept:,} characters more"


def shortening(kind: type[Event]) -> Callable[[tuple[Any, ...]], Event]:
    """What makes a `kind` of its flight, with its texts cut."""
    make: Callable[[tuple[Any, ...]], Event] = maker(kind)
    if kind not in NAMING + SAYING:
        return make
    texts = [(at, field.name) for at, field in enumerate(fields(kind), 1) if field.type == "str"]
    ways = [(at, cut if name == "message" else brief) for at, name in texts]
    places = [at for at, _ in ways]

    def make_short(flight: tuple[Any, ...]) -> Event:
        for at in places:
            if (text := flight[at]) and len(text) > LONGEST_NAME:
                parts = list(flight)
                for place, way in ways:
                    parts[place] = parts[place] and way(parts[place])
                return make(tuple(parts))
        return make(flight)

    return make_short
