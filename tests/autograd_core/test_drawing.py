"""A tool that draws torch's graphs draws ours: the same boxes and lines, in the same order, with the same savings."""

import json

import pytest

import autograd_core as torch
import autograd_core.nn.functional
from autograd_core.engine.state import isolated

from .stored import DATA
from .walking import GRAPHS, drawn

DRAWINGS = json.loads((DATA / "drawings.json").read_text())


@pytest.mark.parametrize("name", GRAPHS)
def test_a_graph_is_drawn_as_torch_s(name: str) -> None:
    with isolated():
        assert drawn(torch, GRAPHS[name]) == DRAWINGS[name]


def test_every_drawing_was_recorded() -> None:
    assert DRAWINGS.keys() == GRAPHS.keys()
