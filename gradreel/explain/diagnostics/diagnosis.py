"""What a diagnosis is, and the words that all of them use."""

from __future__ import annotations

from dataclasses import dataclass, field

from gradreel.trace import events as e


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """What went wrong: `lines` of the program by role, a `story`, the `nodes` in it, `events` to go to by role.

    `cause` tells apart what has one `kind`, and `names` what the program calls the things in it: by these the fixes
    are found.
    """

    kind: str = "other"
    title: str
    message: str = ""
    lines: dict[str, int | None]
    story: tuple[str, ...]
    nodes: tuple[int, ...] = ()
    events: dict[str, int] = field(default_factory=dict)
    cause: str = ""
    names: dict[str, str] = field(default_factory=dict)
    stacks: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """For each role of `events` the line and, before it, those of the calls around it, outermost first."""


@dataclass(frozen=True, slots=True)
class Failure:
    """An error that nobody caught: where to look (an event number), the event, and the call that failed with it."""

    number: int
    raised: e.Raised
    call: int | None


def known_names(**things: str | None) -> dict[str, str]:
    """The names among `things`: what has none is left out."""
    return {role: name for role, name in things.items() if name is not None}
