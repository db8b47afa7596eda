"""A reply holds the mends of what went wrong, each run in the same process, within a budget of its own."""

from __future__ import annotations

import json

from gradreel.host.work import opened, work
from gradreel.scene.encode import decode

TWICE = "import torch\nx = torch.ones(2, requires_grad=True)\ny = (x * x).sum()\ny.backward()\ny.backward()\n"


def test_a_scene_tells_the_mends_with_cost_and_difference() -> None:
    _, scene, _ = opened(work(json.dumps({"source": TWICE}).encode()))
    (diagnosis,) = decode(scene)["diagnoses"]
    first = diagnosis["mends"][0]
    assert first["title"] == "keep the graph: retain_graph=True on line 4"
    assert first["source"] == TWICE.replace("y.backward()\ny", "y.backward(retain_graph=True)\ny")
    assert "+y.backward(retain_graph=True)" in first["diff"] and first["cost"]


def test_a_mend_of_a_pasted_page_keeps_what_stands_around_the_program_but_not_its_error() -> None:
    error = "Traceback (most recent call last):\n  ...\nRuntimeError: Trying to backward\n\n"
    page = f"This raises an error:\n\n```python\n{TWICE}```\n\n{error}Thanks!\n"
    _, scene, _ = opened(work(json.dumps({"source": page}).encode()))
    (diagnosis,) = decode(scene)["diagnoses"]
    first = diagnosis["mends"][0]
    assert first["title"] == "keep the graph: retain_graph=True on line 7"
    mended = page.replace("y.backward()\ny", "y.backward(retain_graph=True)\ny")
    assert first["source"].split() == mended.replace(error, "").split()
    assert first["diff"].count("\n+") == 1


def test_a_long_run_is_diagnosed_without_trying_mends() -> None:
    long = TWICE.replace("y.backward()\ny", "for k in range(480): z = x + k\ny.backward()\ny")
    _, scene, _ = opened(work(json.dumps({"source": long}).encode()))
    (diagnosis,) = decode(scene)["diagnoses"]
    assert diagnosis["kind"] == "second_backward" and diagnosis["mends"] == []
