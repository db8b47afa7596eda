"""The programs of the lessons do what PyTorch 2.13 was recorded to do with them, so the prose around them is true."""

import json
import re
from pathlib import Path

import pytest

from gradreel.lessons import FOLDER, Program, lessons
from gradreel.program import run
from gradreel.trace.events import Printed

RECORDED = json.loads((Path(__file__).parents[1] / "data" / "lessons.json").read_text(encoding="utf-8"))
PROGRAMS = [(lesson.slug, program) for lesson in lessons() for program in lesson.programs]


@pytest.mark.parametrize(("slug", "program"), PROGRAMS, ids=[program.title for _, program in PROGRAMS])
def test_a_program_does_what_torch_did(slug: str, program: Program) -> None:
    trace = run(program.source)
    recorded = RECORDED[slug][program.title]
    assert "".join(event.text for event in trace.events if isinstance(event, Printed)) == recorded["stdout"]
    outcome = trace.outcome
    told = [outcome.type, outcome.message, outcome.line] if outcome.kind == "raised" else None
    assert told == recorded["error"]


def test_every_lesson_file_is_a_page_and_every_block_is_read() -> None:
    assert {path.stem for path in FOLDER.glob("*.md")} == {lesson.slug for lesson in lessons()}
    for lesson in lessons():
        text = (FOLDER / f"{lesson.slug}.md").read_text(encoding="utf-8")
        assert len(re.findall("^```play", text, re.MULTILINE)) == len(lesson.programs) > 3


def test_lessons_link_to_pages_that_exist() -> None:
    pages = {path.stem.partition("_")[2] for path in (Path(__file__).parents[2] / "pages").glob("*.py")}
    for lesson in lessons():
        for part in lesson.parts:
            if isinstance(part, str):
                assert set(re.findall(r"\]\(\./(\w+)\)", part)) <= pages
