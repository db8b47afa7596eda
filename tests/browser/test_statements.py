"""What the page shows after every statement is what PyTorch had then: names, leaf gradients, nodes alive, slots freed.

The statements were recorded from PyTorch 2.13 (names with their gradients, nodes with the state of their buffers).
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page

from .driving import run

PROGRAMS = json.loads(gzip.decompress((Path(__file__).parents[1] / "data" / "statements.json.gz").read_bytes()))

# The recorder found nodes by walking from the variables. It does not see those that only a gradient leads to, which
# create_graph makes, nor those of views that nobody has asked for their grad_fn yet.
UNREAD = {"AsStridedBackward0"}

SHOWN = """(root, steps) => steps.map((step) => {
  root.player.seek(step);
  return root.player.state();
})"""
LINES = """(root) => {
  const lines = [];
  for (let step = 0; step <= Number(root.dataset.steps); step++) {
    root.player.seek(step);
    lines.push(root.player.state().line ?? 0);
  }
  return lines;
}"""


@pytest.mark.parametrize("program", PROGRAMS, ids=[program["name"] for program in PROGRAMS])
def test_every_statement_shows_what_torch_had(lab: Page, program: dict[str, Any]) -> None:
    player = lab.get_by_test_id("player")
    run(lab, program["source"])
    ends = ends_of(player.evaluate(LINES), [statement["line"] for statement in program["statements"]])
    forward = shown(player, ends)
    assert shown(player, ends[::-1])[::-1] == forward
    first: dict[str, str] = {}
    for statement, moment in zip(program["statements"], forward, strict=True):
        where = f"line {statement['line']}"
        assert tensors(moment) == set(statement["grads"]), where
        had = Counter((kind, buffers) for kind, buffers in statement["nodes"])
        assert not had - nodes(moment), where
        if "create_graph" not in program["source"]:
            assert not {kind for kind, _ in nodes(moment) - had} - UNREAD, where
        named = {name["name"]: name["tensor"] for name in moment["names"]}
        for leaf in moment["leaves"]:
            name = leaf["name"]
            # A leaf keeps its name; once that stands for another tensor, the recording tells of the other.
            if name in statement["leaves"] and first.setdefault(name, named[name]) == named[name]:
                assert flat(leaf["grad"]) == pytest.approx(flat(statement["grads"][name]), 1e-4, 1e-6), where


def ends_of(lines: list[int], starts: list[int]) -> list[int]:
    """The last step of each statement: the one before the program reaches a later statement."""
    ends = []
    for after in [*starts[1:], 10**9]:
        ends.append(next((step for step, line in enumerate(lines) if line >= after), len(lines)) - 1)
    return ends


def shown(player: Locator, steps: list[int]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = player.evaluate(SHOWN, steps)
    return found


def tensors(moment: dict[str, Any]) -> set[str]:
    """The names of tensors; what is inside a module, and what a prompt keeps as `_`, was not recorded."""
    names = {name["name"] for name in moment["names"] if name["tensor"] is not None}
    return {name for name in names if name.isidentifier() and name != "_"}


def nodes(moment: dict[str, Any]) -> Counter[tuple[str, str]]:
    """The nodes that are alive and how their saved tensors stand."""
    return Counter(
        (box["name"], buffers(box["slots"].values())) for box in moment["boxes"] if box["name"] != "AccumulateGrad"
    )


def buffers(slots: Any) -> str:
    states = set(slots)
    return "freed" if "freed" in states else "live" if states else "none"


def flat(data: Any) -> list[float]:
    if data is None:
        return []
    return [number for part in data for number in flat(part)] if isinstance(data, list) else [float(data)]
