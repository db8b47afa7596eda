"""What a page is told of a run that gave no scene."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gradreel.host.desk import answer
from gradreel.host.work import refusal


def told(reply: bytes, **question: Any) -> dict[str, Any]:
    letter = answer({"kind": "run", "request": 3, "source": "x = 1", "values": None, **question}, {}, lambda _: reply)
    head: dict[str, Any] = json.loads(letter.partition(b"\n")[0])
    return head


@pytest.mark.parametrize("again", [True, False])
@pytest.mark.parametrize("more", [{}, {"file": "html"}, {"beside": "x = 2"}], ids=["run", "file", "beside"])
def test_a_run_that_was_lost_may_be_asked_for_again(again: bool, more: dict[str, str]) -> None:
    head = told(refusal("The process of this run was lost.", again=again), **more)
    assert (head["message"], head["again"], head["request"]) == ("The process of this run was lost.", again, 3)


def test_a_question_without_a_program_is_answered_with_a_sentence() -> None:
    assert told(b"", source="  ")["message"] == "There is no program yet: type one, or take an example."
