"""What a page is told of a run that gave no scene."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gradreel.host.pages import PAGES, asking, make_page
from gradreel.host.responses import answer
from gradreel.host.work import refusal, split_reply, work

FOUND = work(b'{"source": "x = 1", "want": "both"}')


def told(reply: bytes, **question: Any) -> dict[str, Any]:
    letter = answer({"kind": "run", "request": 3, "source": "x = 1", "values": None, **question}, {}, lambda _: reply)
    head: dict[str, Any] = json.loads(letter.partition(b"\n")[0])
    return head


@pytest.mark.parametrize("again", [True, False])
@pytest.mark.parametrize("more", [{}, {"file": "html"}, {"beside": "x = 2"}], ids=["run", "file", "beside"])
def test_a_run_that_was_lost_may_be_asked_for_again(again: bool, more: dict[str, str]) -> None:
    head = told(refusal("The process of this run was lost.", again=again), **more)
    assert (head["message"], head["again"], head["request"]) == ("The process of this run was lost.", again, 3)


DEEP: list[Any] = []
for _ in range(900):
    DEEP = [DEEP]

ODD: list[Any] = [
    ["html"],
    {"a": 1},
    b"html",
    10**5000,
    -1,
    True,
    1.5,
    "no such thing",
    "\udc80",
    "\0",
    DEEP,
    float("nan"),
]


@pytest.mark.parametrize("field", ["source", "values", "file", "step", "beside", "request", "kind", "place", "at"])
@pytest.mark.parametrize("odd", ODD, ids=lambda odd: repr(odd)[:20] if odd is not DEEP and odd != 10**5000 else "large")
def test_a_question_may_hold_anything(field: str, odd: Any) -> None:
    """What a browser sends that is not ours: it gets a letter all the same."""
    page = make_page("lab", asking("x = 1"), lambda _: FOUND)
    for question in ({"kind": "run", "source": "x = 1", "values": None}, {"kind": "visit", "place": "gallery"}):
        head = json.loads(page.answer({**question, "request": 3, field: odd}).partition(b"\n")[0])
        assert head["place"] in PAGES and (field == "request" or head["request"] == 3)


@pytest.mark.parametrize("values", [DEEP, {"x": float("nan")}, {"x": {1, 2}}, {"x": "1" * 200_000}, "x"])
def test_values_that_are_none_are_told_so(values: Any) -> None:
    assert told(b"", values=values)["message"]


@pytest.mark.parametrize("depth", [4, 400, 900, 100_000])
def test_values_inside_values_are_left_out(depth: int) -> None:
    request = b'{"source": "sin(x)", "values": {"x": ' + b"[" * depth + b"1" + b"]" * depth + b"}}"
    head, *_ = split_reply(work(request))
    assert head["outcome"]["kind"] == "finished" if head["ok"] else "not JSON" in head["message"]


def test_a_question_without_a_program_is_answered_with_a_sentence() -> None:
    assert told(b"", source="  ")["message"] == "There is no program yet: type one, or take an example."
