"""Every page runs, and hands the browser its code once and one letter."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from gradreel.host.pages import LANDINGS
from gradreel.material.lessons import lessons
from gradreel.scene import decode

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "pages").glob("*.py"))
READ = {"scene": decode, "beside": decode, "page": lambda part: json.loads(gzip.decompress(part))}
Letter = tuple[dict[str, Any], dict[str, Any]]


def letters(page: AppTest) -> list[Letter]:
    """Head and parts of each letter on a page."""
    found = []
    for node in page.main:
        payload = getattr(getattr(node, "proto", None), "bytes", b"")
        if payload:
            line, _, rest = payload.partition(b"\n")
            head, parts = json.loads(line), {}
            for name in ("scene", "beside", "page"):
                part, rest = rest[: head[name]], rest[head[name] :]
                parts[name] = READ[name](part) if part else None
            found.append((head, parts))
    return found


def opened(path: str, **query: str) -> Letter:
    """The one letter of a page."""
    page = AppTest.from_file(str(ROOT / path), default_timeout=60)
    for name, value in query.items():
        page.query_params[name] = value
    page.run()
    assert not page.exception
    [letter] = letters(page)
    return letter


def test_the_lab_opens_with_a_story_and_has_every_lesson_as_an_example() -> None:
    head, parts = opened("app.py")
    scene = parts["scene"]
    assert (head["place"], scene["schema"], scene["outcome"]["kind"]) == ("lab", "gradreel-scene/1", "raised")
    titles = {program["title"] for group in head["examples"] for program in group["programs"]}
    assert {lesson.title for lesson in lessons()} <= titles


@pytest.mark.parametrize("path", PAGES, ids=[path.stem for path in PAGES])
def test_a_page_opens_with_its_own_letter(path: Path) -> None:
    head, parts = opened(f"pages/{path.name}")
    assert head["message"] is None if "message" in head else head["request"] is None
    assert parts["page"]
    assert [entry["href"] for entry in head["nav"]][0] == "./"


def test_every_address_is_a_page() -> None:
    assert set(LANDINGS) == {path.stem.partition("_")[2] for path in PAGES} | {""}


def test_every_way_leads_to_a_page() -> None:
    head, _ = opened("app.py")
    pages = {path.stem.partition("_")[2] for path in PAGES}
    assert {entry["href"].removeprefix("./") for entry in head["nav"]} <= pages | {""}
    assert head["place"] in {entry["place"] for entry in head["nav"]}


@pytest.mark.parametrize(
    ("path", "query", "step"),
    [
        ("1_Lessons", {}, lessons()[0].slug),
        ("1_Lessons", {"step": "hooks"}, "hooks"),
        ("1_Lessons", {"step": "no such lesson"}, lessons()[0].slug),
        ("91_Why_the_second_backward_fails", {}, "the_second_backward"),
        ("92_Gradients_add_up", {}, "calls_add_up"),
        ("93_Higher_derivatives", {}, "create_graph"),
        ("94_A_graph_cannot_be_refilled", {}, "no_refilling"),
    ],
)
def test_the_course_opens_where_it_is_asked_to(path: str, query: dict[str, str], step: str) -> None:
    head, parts = opened(f"pages/{path}.py", **query)
    [wanted] = [lesson for lesson in lessons() if lesson.slug == step]
    assert (head["step"], parts["scene"]["source"].strip()) == (step, wanted.source.strip())
    assert [lesson["slug"] for lesson in parts["page"]["lessons"]] == [lesson.slug for lesson in lessons()]


def test_a_question_of_the_page_is_answered() -> None:
    page = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
    page.session_state["lab-question"] = {"kind": "run", "request": 7, "source": "sin(x)", "values": {"x": 0.5}}
    page.run()
    [(head, parts)] = letters(page)
    assert (head["request"], parts["scene"]["expression"]["text"]) == (7, "sin(x)")
    assert parts["scene"]["expression"]["leaves"] == [{"name": "x", "value": 0.5}]


@pytest.mark.parametrize(
    "question",
    [{}, {"source": 3}, {"source": "x", "values": []}, {"source": "x" * 200_000}, {"source": "1", "beside": 3}],
)
def test_a_question_that_is_none_gets_a_sentence(question: dict[str, Any]) -> None:
    from gradreel.host.responses import answer

    def unused(request: bytes) -> bytes:
        raise AssertionError("nothing should be run")

    head = json.loads(answer(question, {"place": "lab"}, unused).partition(b"\n")[0])
    assert head["message"].endswith(".") and head["scene"] == 0
