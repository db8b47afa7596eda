"""The course: short steps, each a program and a question to be answered before it is played.

A lesson is a file of lessons/. Its keys: the `chapter` it stands in, the confusions it `covers` (by their numbers in
tests/data/confusions.json), the step to `open` at, which is a picture of what it teaches and does not give the answer
away, the step of the run that `show`s the answer, and where there is `more` of it. Below its
`##` question stand the choices: `* [x] text {claim}`, with the reason indented beneath. A claim is what a choice says
of the run, in a form that a test can check (tests/material/claims.py): the right one holds, the others do not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from .reading import Page, folder

CHOICE = re.compile(r"^\* \[(?P<mark>[ x])\] (?P<text>.+?) \{(?P<claim>[^\n]+)\}\n(?P<why>(?:^  .+\n?)+)", re.MULTILINE)
MOMENT = re.compile(r"(?P<kind>\w+) line (?P<line>\d+) (?P<which>first|last)")


@dataclass(frozen=True)
class Choice:
    """An answer that can be picked, and why it is right or wrong."""

    text: str
    right: bool
    why: str
    claim: str


@dataclass(frozen=True)
class Moment:
    """A step of a run: the first or last of its kind on a line."""

    kind: str
    line: int
    which: str


@dataclass(frozen=True)
class Lesson:
    slug: str
    title: str
    chapter: str
    covers: tuple[int, ...]
    prose: str
    source: str
    question: str
    choices: tuple[Choice, ...]
    opens: Moment
    shown: Moment
    more: tuple[str, ...]
    """Addresses of other pages where it goes on."""


@cache
def lessons() -> tuple[Lesson, ...]:
    """The course, in order."""
    return tuple(lesson(page) for page in folder("lessons"))


def lesson(page: Page) -> Lesson:
    """What a file says as a lesson.

    Raises:
        ValueError: it has not one question, one program, one moment to open at and one that shows the answer.
    """
    [(question, below)] = page.sections
    return Lesson(
        page.slug,
        page.title,
        page.keys["chapter"],
        tuple(int(number) for number in page.keys["covers"].split(",") if number.strip()),
        page.prose,
        page.block("play"),
        question,
        tuple(choices(below)),
        moment(page, "open"),
        moment(page, "show"),
        tuple(page.keys[key] for key in ("more", "also") if key in page.keys),
    )


def moment(page: Page, key: str) -> Moment:
    """The step that a key names."""
    found = MOMENT.fullmatch(page.keys[key])
    if found is None:
        raise ValueError(f"{page.slug}: “{key}: {page.keys[key]}” names no step")
    return Moment(found["kind"], int(found["line"]), found["which"])


def choices(text: str) -> list[Choice]:
    """The choices below a question."""
    return [
        Choice(found["text"], found["mark"] == "x", " ".join(found["why"].split()), found["claim"])
        for found in CHOICE.finditer(text + "\n")
    ]
