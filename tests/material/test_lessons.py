"""The course: every program does what PyTorch 2.13 was recorded to do, the answers are true of the run."""

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from gradreel.interpreter import run
from gradreel.material.lessons import Lesson, Moment, lessons
from gradreel.material.reading import HERE
from gradreel.scene import build, to_json
from gradreel.trace import Trace
from gradreel.trace.events import Printed
from tests.material.claims import holds

DATA = Path(__file__).parents[1] / "data"
RECORDED = json.loads((DATA / "lessons.json").read_text(encoding="utf-8"))
GOLDEN = DATA / "golden" / "lessons.txt"
CONFUSIONS = json.loads((DATA / "confusions.json").read_text(encoding="utf-8"))
IDS = [lesson.slug for lesson in lessons()]


@cache
def trace_of(source: str) -> Trace:
    return run(source)


@cache
def scene_of(source: str) -> dict[str, Any]:
    scene: dict[str, Any] = json.loads(to_json(build(trace_of(source))))
    return scene


def outline(lesson: Lesson) -> str:
    """What a program builds and in which order it runs, a line for each node: enough to see that something changed."""
    scene = scene_of(lesson.source)
    rows = [f"{lesson.slug}: {scene['outcome']['kind']}, {len(scene['calls'])} calls"]
    for box in scene["boxes"]:
        kept = ", ".join(slot["name"] for slot in box["slots"])
        rows.append(f"  line {box['line']} {box['name']} {box['variable'] or f'({kept})'}".rstrip())
    return "\n".join(rows) + "\n"


@pytest.mark.parametrize("lesson", lessons(), ids=IDS)
def test_a_program_does_what_torch_did(lesson: Lesson) -> None:
    trace, recorded = trace_of(lesson.source), RECORDED[lesson.slug]
    assert "".join(event.text for event in trace.events if isinstance(event, Printed)) == recorded["stdout"]
    outcome = trace.outcome
    told = [outcome.type, outcome.message, outcome.line] if outcome.kind == "raised" else None
    assert told == recorded["error"]
    assert recorded["source"] == lesson.source, "the program has changed: record it with torch again"


def test_every_program_builds_what_it_built() -> None:
    """FIX_GOLDEN=1 writes the outlines anew."""
    text = "\n".join(outline(lesson) for lesson in lessons())
    if os.environ.get("FIX_GOLDEN"):
        GOLDEN.write_text(text, encoding="utf-8")
    assert GOLDEN.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("lesson", lessons(), ids=IDS)
def test_the_right_answer_is_true_of_the_run_and_the_others_are_not(lesson: Lesson) -> None:
    told = {choice.text: holds(choice.claim, lesson.source, scene_of) for choice in lesson.choices}
    assert told == {choice.text: choice.right for choice in lesson.choices}
    assert len(told) >= 3 and sum(told.values()) == 1


@pytest.mark.parametrize("lesson", lessons(), ids=IDS)
def test_it_opens_before_the_answer_and_both_steps_are_there(lesson: Lesson) -> None:
    steps = scene_of(lesson.source)["steps"]
    opens, shows = (
        [number for number, step in enumerate(steps) if (step["kind"], step["line"]) == (moment.kind, moment.line)]
        for moment in (lesson.opens, lesson.shown)
    )
    assert opens and shows
    assert at(opens, lesson.opens) < at(shows, lesson.shown)
    assert all(choice.why for choice in lesson.choices)


def at(steps: list[int], moment: Moment) -> int:
    return steps[0 if moment.which == "first" else -1]


def test_the_course_is_of_a_size_that_can_be_finished() -> None:
    assert 20 <= len(lessons()) <= 27
    assert len({lesson.slug for lesson in lessons()}) == len(lessons()) == len(list((HERE / "lessons").glob("*.md")))
    assert all(len(lesson.prose.split()) < 140 for lesson in lessons())


@pytest.mark.parametrize("number", range(1, 21))
def test_a_confusion_has_a_lesson(number: int) -> None:
    """The twenty that people meet most, counted over public posts; the words that its lesson must come to speak of."""
    words = CONFUSIONS[str(number)]["words"]
    told = [lesson for lesson in lessons() if number in lesson.covers]
    assert told, CONFUSIONS[str(number)]["confusion"]
    text = "\n".join((HERE / "lessons" / path).read_text() for path in files(told)).lower()
    assert [word for word in words if word not in text] == []


def files(told: list[Lesson]) -> list[str]:
    return [path.name for lesson in told for path in (HERE / "lessons").glob(f"*_{lesson.slug}.md")]


def test_a_claim_can_fail() -> None:
    """The words that claims are made of tell true from false, each of them."""
    source = (
        "import torch\na = torch.tensor(2., requires_grad=True)\nb = a * a\nb.backward()\nprint(a.grad)\nb.backward()\n"
    )
    true = (
        "prints 5: tensor(4.)", "says 5: 4.", "starts 5: tensor", "raises 6: second time", "nodes 1", "culprit 3",
        "keeps 3 MulBackward0: self, other", "order: Mul", "hook 0", "grad a: 4",
    )  # fmt: skip
    false = (
        "prints 5: 4.", "says 5: None", "starts 5: (", "raises 5: second time", "raises 6: inplace", "nodes 2",
        "culprit 6", "keeps 3 MulBackward0: self", "order: Mul Mul", "order: Mul#1", "hook 1", "grad a: 8", "finishes",
        "stale 3 by 4", "plain 3",
    )  # fmt: skip
    assert [claim for claim in true if not holds(claim, source, scene_of)] == []
    assert [claim for claim in false if holds(claim, source, scene_of)] == []
    assert holds('without "print(a.grad)" raises 6: second time', source, scene_of)
