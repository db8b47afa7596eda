"""What is told of the project, with figures from one file, which a test compares with what is stored."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from .operators import operators
from .reading import HERE

TORCH = "2.13"
ON = {True: "✓", False: "– off here:", None: "– not known just now:"}
NOBODY = "Open an issue where you found the source."


@dataclass(frozen=True)
class Figure:
    """How many recordings of torch are compared, and how many differ; `store` names them in tests/data."""

    store: str
    what: str
    compared: int
    different: int


@cache
def figures() -> tuple[Figure, ...]:
    text = (HERE / "figures.json").read_text(encoding="utf-8")
    return tuple(Figure(**figure) for figure in json.loads(text))


def about(layers: Iterable[tuple[str, bool | None, str]], contact: str = "") -> str:
    """The page as Markdown. `layers` are those of safety: name, whether it is on here if that is known, and what it
    means."""
    text = (HERE / "about.md").read_text(encoding="utf-8")
    return text.format(
        torch=TORCH,
        operators=len(operators()),
        figures=figure_table(),
        layers="\n".join(f"* {ON[on]} **{name}**. {meaning}" for name, on, meaning in layers),
        contact=f"Write to {contact}." if contact else NOBODY,
    )


def figure_table() -> str:
    rows = [f"| {each.what} | {each.compared} | {each.compared - each.different} |" for each in figures()]
    return "\n".join(["| recorded | compared | the same |", "|---|---|---|", *rows])
