"""Lessons: prose with programs that play. The words are in the .md files beside this one; here is how they are read.

A lesson is Markdown whose fenced blocks that begin with ``play`` are programs; what follows the word is the title.
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
BLOCK = re.compile(r"^```play +(?P<title>.+?)\n(?P<source>.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Program:
    """A program of a lesson, to be played where it stands."""

    title: str
    source: str


@dataclass(frozen=True)
class Lesson:
    """A lesson in reading order: Markdown, and programs between."""

    slug: str
    title: str
    parts: tuple[str | Program, ...]

    @property
    def programs(self) -> tuple[Program, ...]:
        return tuple(part for part in self.parts if isinstance(part, Program))


@cache
def read(slug: str) -> Lesson:
    """The lesson in `slug`.md; its title is its first heading."""
    text = (FOLDER / f"{slug}.md").read_text(encoding="utf-8")
    title, _, body = text.removeprefix("# ").partition("\n")
    parts: list[str | Program] = []
    end = 0
    for block in BLOCK.finditer(body):
        parts += [body[end : block.start()].strip(), Program(block["title"], block["source"])]
        end = block.end()
    parts.append(body[end:].strip())
    return Lesson(slug, title.strip(), tuple(part for part in parts if part))


@cache
def lessons() -> tuple[Lesson, ...]:
    """All lessons in the order of their pages."""
    return tuple(read(slug) for slug in ORDER)


ORDER = (
    "why_the_second_backward_fails",
    "gradients_add_up",
    "higher_derivatives",
    "a_graph_cannot_be_refilled",
)
