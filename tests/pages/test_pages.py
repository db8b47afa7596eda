"""Every page runs, and hands the browser its code once and a letter a player."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from gradreel.lessons import lessons

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "pages").glob("*.py"))


def letters(page: AppTest) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Head and scene of each letter on a page."""
    found = []
    for node in page.main:
        payload = getattr(getattr(node, "proto", None), "bytes", b"")
        if payload:
            line, _, scene = payload.partition(b"\n")
            found.append((json.loads(line), json.loads(gzip.decompress(scene))))
    return found


def test_the_lab_opens_with_the_first_story() -> None:
    page = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
    assert not page.exception
    [(head, scene)] = letters(page)
    assert (head["place"], scene["schema"], scene["outcome"]["kind"]) == ("lab", "gradreel-scene/1", "raised")
    assert [len(group["programs"]) for group in head["examples"][1:]] == [len(lesson.programs) for lesson in lessons()]


@pytest.mark.parametrize(
    ("path", "lesson"), list(zip(PAGES, lessons(), strict=True)), ids=[path.stem for path in PAGES]
)
def test_a_lesson_plays_all_its_programs(path: Path, lesson: Any) -> None:
    page = AppTest.from_file(str(path), default_timeout=60).run()
    assert not page.exception
    assert page.title[0].value == lesson.title
    assert [head["source"] for head, _ in letters(page)] == [program.source for program in lesson.programs]


def test_a_question_of_the_page_is_answered() -> None:
    page = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
    page.session_state["lab-question"] = {"kind": "run", "request": 7, "source": "sin(x)", "values": {"x": 0.5}}
    page.run()
    [(head, scene)] = letters(page)
    assert (head["request"], scene["expression"]["text"]) == (7, "sin(x)")
    assert scene["expression"]["leaves"] == [{"name": "x", "value": 0.5, "slider": True}]


@pytest.mark.parametrize("question", [{}, {"source": 3}, {"source": "x", "values": []}, {"source": "x" * 200_000}])
def test_a_question_that_is_none_gets_a_sentence(question: dict[str, Any]) -> None:
    from gradreel.host.desk import answer

    def unused(request: bytes) -> bytes:
        raise AssertionError("nothing should be run")

    head = json.loads(answer(question, {"place": "lab"}, unused).partition(b"\n")[0])
    assert head["message"].endswith(".") and head["scene"] == 0
