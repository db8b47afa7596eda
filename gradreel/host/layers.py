"""The layers of safety, and which of them are on here: asked of a real run, not of the settings."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .executors import run_program
from .jail import RLIMITS, SECCOMP
from .work import split_reply
from .zygote import LANGUAGE, PROCESS

WAY_OUT = "().__class__.__base__.__subclasses__()[0].__init__.__globals__"
"""What a run tries that looks whether it is held."""
POLICY = "content security policy"
MEANINGS = {
    LANGUAGE: "Programs are walked by an interpreter of our own, which knows no way to the host. Budgets for "
    "time, memory and size are charged before the work.",
    PROCESS: "Every run has a process of its own, without environment or files, that is ended after 8 seconds "
    "and that no other run ever sees.",
    RLIMITS: "The kernel limits the time and the memory of that process, and lets it write no file.",
    SECCOMP: "The kernel ends that process if it asks for anything but to compute and to answer.",
    "text only": "What a program says reaches the page as text, never as markup.",
    POLICY: "The browser is told to run nothing, and to load nothing, that does not come from this server.",
}

INNER = (LANGUAGE, PROCESS, RLIMITS, SECCOMP)
"""Those that a run can look for."""


@dataclass(frozen=True)
class Layer:
    """One layer: `on` says whether it holds here (None: no run could look), `meaning` what it does."""

    name: str
    on: bool | None
    meaning: str


_found: list[str] = []
"""The layers that held the last run that looked."""
_served: set[str] = {"text only"}
"""The layers around the page that hold in this process."""


def serve_with(name: str) -> None:
    """Note that this server puts the layer `name` around its pages."""
    _served.add(name)


def layers() -> list[Layer]:
    """Every layer there could be, the inner ones first."""
    known = active_layers()
    on = {*known, *_served}
    return [
        Layer(name, None if name in INNER and not known else name in on, meaning) for name, meaning in MEANINGS.items()
    ]


def active_layers() -> list[str]:
    """The names of the layers that held the last run that looked; none if no run could be made just now."""
    if not _found:
        note(split_reply(run_program(probe()))[0])
    return list(_found)


def probe() -> bytes:
    """A request that nobody made before, so that it is answered by a run: one that tries to get out."""
    return json.dumps({"source": WAY_OUT, "want": "trace", "probe": time.time_ns()}).encode()


def note(head: Mapping[str, Any]) -> None:
    """Note what a run of `probe` found, by the head of its reply; the language holds if it did not get out."""
    if head["ok"]:
        out = head["outcome"]["kind"] not in ("refused", "raised")
        _found[:] = [name for name in head["safety"] if not (out and name == LANGUAGE)]
