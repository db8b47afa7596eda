"""A reply holds the mends of what went wrong, each run in the same process, within a budget of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import import_module
from itertools import count
from typing import Any

import pytest

from gradreel.explain import diagnose
from gradreel.explain.fixes import find_fixes, runner
from gradreel.explain.fixes.proposal import Proposal
from gradreel.explain.fixes.text import Text
from gradreel.host.work import split_reply, work
from gradreel.interpreter import run
from gradreel.scene.encode import decode

TWICE = "import torch\nx = torch.ones(2, requires_grad=True)\ny = (x * x).sum()\ny.backward()\ny.backward()\n"


def test_a_scene_tells_the_mends_with_cost_and_difference() -> None:
    _, scene, _ = split_reply(work(json.dumps({"source": TWICE}).encode()))
    (diagnosis,) = decode(scene)["diagnoses"]
    first = diagnosis["mends"][0]
    assert first["title"] == "keep the graph: retain_graph=True on line 4"
    assert first["source"] == TWICE.replace("y.backward()\ny", "y.backward(retain_graph=True)\ny")
    assert "+y.backward(retain_graph=True)" in first["diff"] and first["cost"]


def test_a_mend_of_a_pasted_page_keeps_what_stands_around_the_program_but_not_its_error() -> None:
    error = "Traceback (most recent call last):\n  ...\nRuntimeError: Trying to backward\n\n"
    page = f"This raises an error:\n\n```python\n{TWICE}```\n\n{error}Thanks!\n"
    _, scene, _ = split_reply(work(json.dumps({"source": page}).encode()))
    (diagnosis,) = decode(scene)["diagnoses"]
    first = diagnosis["mends"][0]
    assert first["title"] == "keep the graph: retain_graph=True on line 7"
    mended = page.replace("y.backward()\ny", "y.backward(retain_graph=True)\ny")
    assert first["source"].split() == mended.replace(error, "").split()
    assert first["diff"].count("\n+") == 1


def test_a_long_run_is_diagnosed_without_trying_mends() -> None:
    long = TWICE.replace("y.backward()\ny", "for k in range(480): z = x + k\ny.backward()\ny")
    _, scene, _ = split_reply(work(json.dumps({"source": long}).encode()))
    (diagnosis,) = decode(scene)["diagnoses"]
    assert diagnosis["kind"] == "second_backward" and diagnosis["mends"] == []


def test_the_picture_is_sent_before_edits_are_tried() -> None:
    early: list[bytes] = []
    last = work(json.dumps({"source": TWICE}).encode(), early=early.append)
    before, after = (decode(split_reply(answer)[1]) for answer in (*early, last))
    (found,), (tried,) = before.pop("diagnoses"), after.pop("diagnoses")
    assert before == after and found["mends"] == [] and tried["mends"]
    fine = work(json.dumps({"source": "print(1)"}).encode(), early=early.append)
    assert split_reply(fine)[0]["ok"] and len(early) == 1


def test_edits_are_proposed_for_a_time_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many there are, and however long each takes to be written down."""

    def endless(wanted: Any) -> Iterator[Proposal]:
        return (Proposal("", "", f"{wanted.text.source}\n# {number}") for number in count())

    monkeypatch.setattr(runner, "proposals", endless)
    ((_, found),) = find_fixes(run(TWICE), run, 0.02)
    assert found == []


def test_the_first_errors_are_looked_at_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = run(">>> import torch\n" + ">>> torch.ones(2) @ torch.ones(3)\n" * 3)
    assert len(diagnose(trace)) == 3
    monkeypatch.setattr(import_module("gradreel.explain.diagnostics.diagnose"), "ERRORS", 2)
    assert len(diagnose(trace)) == 2


def test_a_text_gives_its_parts_as_they_stand() -> None:
    text = Text('x = (1,\n  "ä" + "é")  # é\nif x: y = "ü"; z = [y]\n')
    first, second = text.tree.body
    assert text.get(first) == 'x = (1,\n  "ä" + "é")' and text.statement(2) is first
    assert text.get(second.body[1]) == "z = [y]"  # type: ignore[attr-defined]
    assert text.statement(3) is second and text.statement(4) is None
