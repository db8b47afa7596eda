"""What the pages are made of: the Lab's examples and links, and the parts of a lesson, as data for the roof."""

from collections.abc import Mapping
from functools import cache, partial
from typing import Any

from gradreel.lessons import Lesson, Program, lessons, read
from gradreel.player.mount import Answer, LessonPage

from .desk import Run, answer

Head = Mapping[str, Any]


def address(lesson: Lesson) -> str:
    """Where a lesson's page is, seen from any page: beside it."""
    return f"./{lesson.slug[:1].upper()}{lesson.slug[1:]}"


@cache
def lab() -> Head:
    """What the Lab's page says of itself: examples by lesson, and the way to the lessons."""
    return {
        "place": "lab",
        "home": "./",
        "lessons": _links(),
        "examples": [
            {"group": "One line is enough", "programs": [{"title": line, "source": line} for line in EXPRESSIONS]},
            *(
                {"group": lesson.title, "programs": [{"title": p.title, "source": p.source} for p in lesson.programs]}
                for lesson in lessons()
            ),
        ],
    }


def lesson(slug: str, run: Run) -> LessonPage:
    """The page of a lesson, whose programs are run by `run`."""
    found = read(slug)
    parts = [part if isinstance(part, str) else _played(part, run) for part in found.parts]
    return LessonPage(found.title, parts, [("Lab", "./"), *((other.title, address(other)) for other in lessons())])


def _played(program: Program, run: Run) -> tuple[Head, Answer]:
    """The first question of a program, and what answers it and those that follow."""
    head = {"place": "lesson", "home": "./", "title": program.title}
    return {"kind": "run", "source": program.source, "values": None}, partial(answer, head=head, run=run)


def _links() -> list[dict[str, str]]:
    return [{"title": lesson.title, "href": address(lesson)} for lesson in lessons()]


EXPRESSIONS = ("sin(x*y) + x**2", "relu(W @ v).sum()", "softmax(z, dim=0)")
"""Examples of the short way in: free names become leaves."""

FIRST: Head = {"kind": "run", "source": lessons()[0].programs[1].source, "values": None}
"""What the Lab opens with: the program of the first story."""
