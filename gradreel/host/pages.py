"""What the pages are made of: for each its title, the first question it asks, what answers its questions, and what is
said of it where a link to it is posted."""

import gzip
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import cache
from typing import Any, TypeVar

from gradreel.material.about import about
from gradreel.material.comparisons import Comparison, comparisons
from gradreel.material.gallery import Exhibit, exhibits
from gradreel.material.lessons import Lesson, lessons
from gradreel.material.operators import operators
from gradreel.player.mount import Page
from gradreel.player.preview import strip_marks

from .layers import layers
from .responses import Run, answer
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
"""Every page of the site: its name, its title, and where it is, seen from any other: beside it."""

LANDINGS: Mapping[str, tuple[str, str | None]] = {
    **{href.removeprefix("./"): (name, None) for name, _, href in PLACES},
    "Why_the_second_backward_fails": ("lessons", "the_second_backward"),
    "Gradients_add_up": ("lessons", "calls_add_up"),
    "Higher_derivatives": ("lessons", "create_graph"),
    "A_graph_cannot_be_refilled": ("lessons", "no_refilling"),
}
"""Every address of the site: the page that is there, and what it opens at."""

EXPRESSIONS = ("sin(x*y) + x**2", "relu(W @ v).sum()", "softmax(z, dim=0)")
"""Examples of the short way in: free names become leaves."""

OPENING = "shared_in_a_loop"
"""The lesson whose program the Lab opens with."""

OPERATOR = "mul.Tensor"
"""The operator that their page opens with."""

HEADINGS: Mapping[str, Head] = {
    "operators": {
        "title": "Operators",
        "intro": "What each computes, what its node saves for the gradient, and whether it survives a second backward.",
    },
    "gallery": {
        "title": "Gallery of errors",
        "intro": "What PyTorch says, what it means, and the smallest program that does it.",
    },
}
"""What stands above the search on the pages that have one."""

DESCRIPTIONS = {
    "lab": "Type or paste a PyTorch program and watch its backward pass: gradients meet and add up, saved tensors are "
    "freed, and an error shows the node that it comes from.",
    "lessons": "A short course in autograd: each step a program that plays, and a question to be answered first.",
    "compare": "Two PyTorch programs on one clock: what one line changes in the graph, the gradients, the memory.",
    "about": "What Gradreel is, how it is checked against PyTorch, and how it keeps strangers' programs apart.",
    **{place: str(heading["intro"]) for place, heading in HEADINGS.items()},
}
"""What is said of each page where a link to it is posted."""


def lab_page(run: Run, at: str | None = None) -> Page:
    """The Lab: one player, and all the programs of the house as examples."""
    return make_page("lab", asking(lesson(OPENING).source), run, more={"examples": examples()})


def lessons_page(run: Run, at: str | None = None) -> Page:
    """The lessons, opened at one of them; at the first one if there is no lesson of that name."""
    start = entry_of(lessons(), at)
    return make_page("lessons", asking(start.source), run, more={"step": start.slug}, data=course_data())


@cache
def course_data() -> bytes:
    return gzip_json({"lessons": [lesson_head(each) for each in lessons()]})


def lesson_head(each: Lesson) -> Head:
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
        "open": asdict(each.opens),
        "show": asdict(each.shown),
    }


def title_of(href: str) -> str:
    """The title of a comparison or an exhibit by its address."""
    page, _, slug = href.removeprefix("./").partition("#")
    titles = {each.slug: each.title for each in (comparisons() if page == "Compare" else exhibits())}
    return f"{'Side by side' if page == 'Compare' else 'In the gallery'}: {titles[slug]}"


def compare_page(run: Run, at: str | None = None) -> Page:
    """Two programs side by side."""
    first = entry_of(comparisons(), at)
    question = {**asking(first.left.source), "beside": first.right.source}
    return make_page("compare", question, run, more={"step": first.slug}, data=comparison_data())


@cache
def comparison_data() -> bytes:
    return gzip_json({"comparisons": [asdict(each) for each in comparisons()]})


def operators_page(run: Run, at: str | None = None) -> Page:
    """The operators of the engine, from its table."""
    known = {entry.name: entry for entry in operators()}
    first = known.get(at or "", known[OPERATOR])
    return make_page(
        "operators", asking(first.source), run, more={"item": first.name, **HEADINGS["operators"]}, data=operator_data()
    )


@cache
def operator_data() -> bytes:
    return gzip_json({"operators": [{**asdict(entry), "again": entry.again} for entry in operators()]})


def gallery_page(run: Run, at: str | None = None) -> Page:
    """The gallery of errors."""
    first = entry_of(exhibits(), at)
    return make_page(
        "gallery", asking(first.source), run, more={"item": first.slug, **HEADINGS["gallery"]}, data=gallery_data()
    )


@cache
def gallery_data() -> bytes:
    titles = {each.slug: each.title for each in lessons()}
    shown = [
        {**asdict(exhibit), "lesson": exhibit.lesson and {"slug": exhibit.lesson, "title": titles[exhibit.lesson]}}
        for exhibit in exhibits()
    ]
    return gzip_json({"exhibits": shown})


def about_page(run: Run, at: str | None = None) -> Page:
    """About: what this is, and which layers of safety are on here."""
    shown = [(layer.name, layer.on, layer.meaning) for layer in layers()]
    return make_page("about", {"kind": "read"}, run, data=gzip_json({"text": about(shown, settings().contact)}))


PAGES: Mapping[str, Callable[[Run, str | None], Page]] = {
    "lab": lab_page,
    "lessons": lessons_page,
    "compare": compare_page,
    "operators": operators_page,
    "gallery": gallery_page,
    "about": about_page,
}


def landing(address: str, run: Run) -> Page:
    """The page at an address of the site, opened where the address says."""
    place, at = LANDINGS[address]
    return PAGES[place](run, at)


def make_page(place: str, first: Head, run: Run, *, more: Head | None = None, data: bytes = b"") -> Page:
    """A page that answers for all of them: who opened one goes on to the others without loading anything anew."""
    head = {**site_head(place), **(more or {})}

    def answer_visit(question: Mapping[str, Any]) -> bytes:
        given = question.get("place")
        asked = given if isinstance(given, str) else ""
        if question.get("kind") == "visit" and asked in PAGES:
            at = question.get("at")
            visited = PAGES[asked](run, at if isinstance(at, str) else None)
            return visited.answer({**visited.first, "request": question.get("request")})
        if asked in PAGES and asked != place:
            return PAGES[asked](run, None).answer(question)
        return answer(question, head, run, data)

    return Page(place, page_title(place), first, answer_visit)


def page_title(place: str) -> str:
    """What a browser calls the page."""
    title = next(title for name, title, _ in PLACES if name == place)
    return "Gradreel" if place == "lab" else f"{title} · Gradreel"


def describe(place: str, at: str | None) -> tuple[str, str]:
    """The title of a page that is opened at `at`, and a description, for where a link to it is posted.

    A link to a program has it behind its #, which no server is told: what is posted then is the Lab.
    """
    entries = {
        "lessons": {each.slug: (each.title, each.prose) for each in lessons()},
        "compare": {each.slug: (each.title, each.words) for each in comparisons()},
        "operators": {each.name: (each.name, DESCRIPTIONS["operators"]) for each in operators()},
        "gallery": {each.slug: (each.title, each.words) for each in exhibits()},
    }
    if (found := entries.get(place, {}).get(at or "")) is not None:
        title, text = found
        return f"{title} · Gradreel", strip_marks(text)
    return "Gradreel: watch autograd, frame by frame" if place == "lab" else page_title(place), DESCRIPTIONS[place]


S = TypeVar("S", Lesson, Comparison, Exhibit)


def entry_of(entries: tuple[S, ...], slug: str | None) -> S:
    """The entry of that name, else the first."""
    return next((each for each in entries if each.slug == slug), entries[0])


def lesson(slug: str | None) -> Lesson:
    return next(each for each in lessons() if each.slug == slug)


def examples() -> list[Head]:
    """The stored programs for the Lab's menu, in groups."""
    chapters: dict[str, list[Head]] = {}
    for each in lessons():
        chapters.setdefault(each.chapter, []).append({"title": each.title, "source": each.source})
    short = [{"title": line, "source": line} for line in EXPRESSIONS]
    return [
        {"group": "One line is enough", "programs": short},
        *({"group": chapter, "programs": programs} for chapter, programs in chapters.items()),
    ]


def site_head(place: str) -> dict[str, Any]:
    """What every page knows: which it is, and where the others are."""
    return {
        "place": place,
        "home": "./",
        "nav": [
            {"place": name, "title": title, "href": href, "full": page_title(name)} for name, title, href in PLACES
        ],
    }


def asking(source: str) -> Head:
    return {"kind": "run", "source": source, "values": None}


def gzip_json(data: Any) -> bytes:
    return gzip.compress(json.dumps(data, allow_nan=False).encode(), mtime=0)
