"""The layers of safety, and which of them are on here: asked of a real run, not of the settings."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from .jail import RLIMITS, SECCOMP
from .shared import run_program
from .work import opened

POLICY = "content security policy"
MEANINGS = {
    "checked language": "Programs are walked by an interpreter of our own, which knows no way to the host. Budgets for "
    "time, memory and size are charged before the work.",
    "own process": "Every run has a process of its own, without environment or files, that is ended after 8 seconds "
    "and that no other run ever sees.",
    RLIMITS: "The kernel limits the time and the memory of that process, and lets it write no file.",
    SECCOMP: "The kernel ends that process if it asks for anything but to compute and to answer.",
    "text only": "What a program says reaches the page as text, never as markup.",
    POLICY: "The browser is told to run nothing, and to load nothing, that does not come from this server.",
}


@dataclass(frozen=True)
class Layer:
    """One layer: `on` says whether it holds here, `meaning` what it does, in a sentence or two."""

    name: str
    on: bool
    meaning: str


_served: set[str] = {"text only"}
"""The layers around the page that hold in this process."""


def serve_with(name: str) -> None:
    """Note that this server puts the layer `name` around its pages."""
    _served.add(name)


def layers() -> list[Layer]:
    """Every layer there could be, the inner ones first."""
    on = {*held(), *_served}
    return [Layer(name, name in on, meaning) for name, meaning in MEANINGS.items()]


@cache
def held() -> tuple[str, ...]:
    """The names of the layers that held a run here."""
    found = safety()
    if not found:
        raise RuntimeError("no run could be made")
    return tuple(found)


def safety() -> list[str]:
    """The layers that hold a run on this machine, as a run found them; none if it could not be made just now."""
    head, _, _ = opened(run_program(b'{"source": ""}'))
    names: list[str] = head["safety"]
    return names
