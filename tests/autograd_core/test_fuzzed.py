"""Small programs made at random that once showed a difference from torch, and some that never did.

Each was run under torch by the functions of native.py: what it printed, raised and left behind, with the graphs below.
"""

from typing import Any

import pytest

import autograd_core as torch
from tests.printing import same_text

from .naming import under_the_name_of_torch
from .native import describe
from .stored import load
from .test_native import differences


@pytest.mark.parametrize("program", load("fuzzed"), ids=lambda program: "found" if program["found"] else "other")
def test_a_program_made_at_random_does_what_it_does_in_torch(program: dict[str, Any]) -> None:
    expected = program["left"]
    with torch.enable_grad(), under_the_name_of_torch(torch):
        got = describe(program["source"], torch)
    assert same_text(expected["stdout"], got["stdout"])
    assert got["raised"] == expected["raised"]
    assert not list(differences(expected["tensors"], got["tensors"]))
