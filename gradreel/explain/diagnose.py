"""Trace -> diagnoses: what went wrong, who built, kept, freed or changed what, and why PyTorch cannot go on.

Everything is found from the trace: which node asked for which slot, and what became of it before.
"""

from __future__ import annotations

from dataclasses import dataclass

from gradreel.trace import Trace


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One error: `lines` of the program by role, a `story`, the `nodes` in it, `events` to go to by role."""

    kind: str
    title: str
    message: str
    lines: dict[str, int | None]
    story: tuple[str, ...]
    nodes: tuple[int, ...]
    events: dict[str, int]


def diagnose(trace: Trace) -> list[Diagnosis]:
    return []
