"""Warnings have torch's category and text, name the line that torch's name, and are shown as often."""

from __future__ import annotations

from typing import Any

import pytest

import autograd_core as torch
from autograd_core.engine.state import isolated

from .naming import under_the_name_of_torch
from .stored import load
from .warned import cases, warned_of

CASES = cases()
EXPECTED: dict[str, Any] = load("warned")

NOT_YET = {"an assignment by a mask to what is expanded"}
"""Torch warns twice: of `index_put_`, and of the `masked_fill_` that does its work."""


@pytest.mark.parametrize("name", EXPECTED)
def test_a_program_is_warned_where_torch_warns_it(name: str) -> None:
    with isolated(), under_the_name_of_torch(torch):
        shown = warned_of(CASES[name], torch)
    assert (shown == EXPECTED[name]) == (name not in NOT_YET), shown
