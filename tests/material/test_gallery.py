"""The gallery: every exhibit says, when it is run, what torch 2.13 was recorded to say."""

import gzip
import json
import re
from pathlib import Path

import pytest

from autograd_core.dispatch.registry import TABLE
from gradreel.interpreter import run
from gradreel.material.about import about, figures
from gradreel.material.comparisons import comparisons
from gradreel.material.gallery import exhibits
from gradreel.material.lessons import lessons
from gradreel.scene import decode, payload
from gradreel.trace import Trace
from gradreel.trace import events as e
from tests.autograd_core import not_yet, test_native
from tests.interpreter import not_yet as programs_not_yet

ROOT = Path(__file__).parents[2]
DIFFERENT = {
    "ops": not_yet.NOT_YET,
    "native": test_native.MISSING,
    "runs": {*programs_not_yet.NOT_YET, *programs_not_yet.NOT_YET_ALIVE},
}
"""What the tests list as different, by the store of recordings that they compare with."""

RECORDED = json.loads((ROOT / "tests" / "data" / "comparisons.json").read_text(encoding="utf-8"))
LESSONS = {lesson.slug for lesson in lessons()}
ROOMS = sorted({exhibit.room for exhibit in exhibits()})


def said(trace: Trace) -> str | None:
    """The error of a run with its type, else its first warning."""
    if trace.outcome.kind == "raised":
        return f"{trace.outcome.type}: {trace.outcome.message}"
    assert trace.outcome.kind == "finished", trace.outcome
    warned = (f"{event.category}: {event.message}" for event in trace.events if isinstance(event, e.Warned))
    return next(warned, None)


@pytest.mark.parametrize("room", ROOMS)
def test_an_exhibit_says_what_torch_says(room: str) -> None:
    shown = [exhibit for exhibit in exhibits() if exhibit.room == room]
    traces = {exhibit.slug: run(exhibit.source) for exhibit in shown}
    assert {slug: said(trace) for slug, trace in traces.items()} == {exhibit.slug: exhibit.message for exhibit in shown}
    for trace in traces.values():
        assert decode(payload(trace))["source"] == trace.source


def test_every_exhibit_has_a_name_of_its_own_words_and_a_lesson_that_exists() -> None:
    slugs = [exhibit.slug for exhibit in exhibits()]
    assert len(slugs) == len(set(slugs)) > 100
    assert all(exhibit.words and exhibit.title for exhibit in exhibits())
    assert {exhibit.lesson for exhibit in exhibits()} - {None} <= LESSONS
    autograd = [exhibit for exhibit in exhibits() if not exhibit.room.startswith(("Shapes", "Indices", "Types"))]
    assert all(exhibit.lesson for exhibit in autograd)


@pytest.mark.parametrize("slug", [each.slug for each in comparisons()])
def test_both_sides_of_a_comparison_do_what_torch_did(slug: str) -> None:
    [comparison] = [each for each in comparisons() if each.slug == slug]
    assert comparison.lesson in LESSONS and comparison.left.title != comparison.right.title
    for name, side in (("left", comparison.left), ("right", comparison.right)):
        trace, recorded = run(side.source), RECORDED[f"{slug}/{name}"]
        assert recorded["source"] == side.source
        assert "".join(event.text for event in trace.events if isinstance(event, e.Printed)) == recorded["stdout"]
        outcome = trace.outcome
        assert recorded["error"] == (
            [outcome.type, outcome.message, outcome.line] if outcome.kind == "raised" else None
        )


def test_lessons_lead_to_comparisons_and_exhibits_that_exist() -> None:
    found = {"Compare": {each.slug for each in comparisons()}, "Gallery": {each.slug for each in exhibits()}}
    for lesson in lessons():
        for address in lesson.more:
            way = re.fullmatch(r"\./(Compare|Gallery)#(\w+)", address)
            assert way and way[2] in found[way[1]], address


def test_the_figures_that_are_told_are_those_of_what_is_stored() -> None:
    for figure in figures():
        stored = json.loads(gzip.decompress((ROOT / "tests" / "data" / f"{figure.store}.json.gz").read_bytes()))
        cases = stored.get(figure.store, stored) if isinstance(stored, dict) else stored
        assert figure.compared == len(cases), figure.store
        assert figure.different == len(DIFFERENT.get(figure.store, ())), figure.store


def test_what_is_told_of_the_house_names_each_layer_and_whether_it_is_on() -> None:
    text = about([("a lock", True, "It locks."), ("a moat", False, "It is deep.")], "someone@example.org")
    assert "✓ **a lock**" in text and "– off here: **a moat**" in text and "someone@example.org" in text
    assert "{" not in text and f"{len(TABLE)} operators" in text
