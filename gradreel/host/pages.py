"""What the pages are made of: for each its title, the first question it asks, and what answers its questions."""

import gzip
import json
from collections.abc import Mapping
from dataclasses import asdict
from functools import cache, partial
from typing import Any

from gradreel.material.about import about
from gradreel.material.comparisons import comparisons
from gradreel.material.lessons import Lesson, lessons
from gradreel.material.museum import exhibits
from gradreel.material.operators import operators
from gradreel.player.mount import Page

from .desk import Run, answer
from .layers import layers
from .settings import settings

Head = Mapping[str, Any]

PLACES = (
    ("lab", "Lab", "./"),
    ("lessons", "Lessons", "./Lessons"),
    ("compare", "Compare", "./Compare"),
    ("operators", "Operators", "./Operators"),
    ("gallery", "Gallery", "./Gallery"),
    ("about", "About", "./About"),
)
"""Every page of the house: its name, its title, and where it is, seen from any other: beside it."""

EXPRESSIONS = ("sin(x*y) + x**2", "relu(W @ v).sum()", "softmax(z, dim=0)")
"""Examples of the short way in: free names become leaves."""

OPENING = "shared_in_a_loop"
"""The lesson whose program the Lab opens with."""

OPERATOR = "mul.Tensor"
"""The operator that their page opens with."""


def lab(run: Run) -> Page:
    """The Lab: one player, and all the programs of the house as examples."""
    head = {**about_the_house("lab"), "examples": examples()}
    return Page("lab", "Gradreel", asking(lesson(OPENING).source), partial(answer, head=head, run=run))


def course(run: Run, step: str | None = None) -> Page:
    """The lessons, opened at `step`; at the first one if there is no lesson of that name."""
    start = lesson(step) if step in {each.slug for each in lessons()} else lessons()[0]
    head = {**about_the_house("lessons"), "step": start.slug}
    return Page("lessons", "Lessons", asking(start.source), partial(answer, head=head, run=run, page=course_data()))


@cache
def course_data() -> bytes:
    return packed({"lessons": [told(each) for each in lessons()]})


def told(each: Lesson) -> Head:
    """A lesson as its page needs it."""
    return {
        "slug": each.slug,
        "title": each.title,
        "chapter": each.chapter,
        "prose": each.prose,
        "source": each.source,
        "question": each.question,
        "choices": [{"text": choice.text, "right": choice.right, "why": choice.why} for choice in each.choices],
        "more": [{"title": title_of(href), "href": href} for href in each.more],
        "show": {"kind": each.shown.kind, "line": each.shown.line, "which": each.shown.which},
    }


def title_of(href: str) -> str:
    """The title of a comparison or an exhibit by its address."""
    page, _, slug = href.removeprefix("./").partition("#")
    titles = {each.slug: each.title for each in (comparisons() if page == "Compare" else exhibits())}
    return f"{'Side by side' if page == 'Compare' else 'In the gallery'}: {titles[slug]}"


def comparison(run: Run) -> Page:
    """Two programs side by side."""
    first = comparisons()[0]
    data = packed({"comparisons": [asdict(each) for each in comparisons()]})
    question = {**asking(first.left.source), "beside": first.right.source}
    return Page("compare", "Compare", question, partial(answer, head=about_the_house("compare"), run=run, page=data))


def catalogue(run: Run) -> Page:
    """The operators of the engine, from its table."""
    first = next(entry for entry in operators() if entry.name == OPERATOR)
    head = {**about_the_house("operators"), "item": first.name}
    return Page(
        "operators", "Operators", asking(first.source), partial(answer, head=head, run=run, page=operator_data())
    )


@cache
def operator_data() -> bytes:
    return packed({"operators": [{**asdict(entry), "again": entry.again} for entry in operators()]})


def museum(run: Run) -> Page:
    """The gallery of errors."""
    first = exhibits()[0]
    head = {**about_the_house("gallery"), "item": first.slug}
    return Page("gallery", "Gallery", asking(first.source), partial(answer, head=head, run=run, page=museum_data()))


@cache
def museum_data() -> bytes:
    titles = {each.slug: each.title for each in lessons()}
    shown = [
        {**asdict(exhibit), "lesson": exhibit.lesson and {"slug": exhibit.lesson, "title": titles[exhibit.lesson]}}
        for exhibit in exhibits()
    ]
    return packed({"exhibits": shown})


def house(run: Run) -> Page:
    """About: what this is, and which layers of safety are on here."""
    shown = [(layer.name, layer.on, layer.meaning) for layer in layers()]
    data = packed({"text": about(shown, settings().contact)})
    return Page("about", "About", {"kind": "read"}, partial(answer, head=about_the_house("about"), run=run, page=data))


def lesson(slug: str | None) -> Lesson:
    return next(each for each in lessons() if each.slug == slug)


def examples() -> list[Head]:
    """The programs of the house for the Lab's menu, in groups."""
    chapters: dict[str, list[Head]] = {}
    for each in lessons():
        chapters.setdefault(each.chapter, []).append({"title": each.title, "source": each.source})
    short = [{"title": line, "source": line} for line in EXPRESSIONS]
    return [
        {"group": "One line is enough", "programs": short},
        *({"group": chapter, "programs": programs} for chapter, programs in chapters.items()),
    ]


def about_the_house(place: str) -> dict[str, Any]:
    """What every page knows: which it is, and where the others are."""
    return {
        "place": place,
        "home": "./",
        "nav": [{"place": name, "title": title, "href": href} for name, title, href in PLACES],
    }


def asking(source: str) -> Head:
    return {"kind": "run", "source": source, "values": None}


def packed(data: Any) -> bytes:
    return gzip.compress(json.dumps(data, allow_nan=False).encode(), mtime=0)
