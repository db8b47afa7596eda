"""Programs as people post them, run on the engine itself: what they print, raise and leave behind is as in PyTorch."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest

import autograd_core as torch
import autograd_core.nn.functional
import autograd_core.optim
import autograd_core.utils.checkpoint
from tests.printing import same_text

from .naming import under_the_name_of_torch
from .native import describe
from .stored import load

SOURCES = {program["name"]: program["source"] for program in load("runs")}
EXPECTED: dict[str, Any] = load("native")

NOT_YET = {
    "the last digits of an inverse": ("s0_det_33",),
}
MISSING = {name for names in NOT_YET.values() for name in names}


def differences(expected: Any, got: Any, at: str = "") -> Iterator[str]:
    """Where two descriptions differ; numbers may in what float32 leaves open."""
    if isinstance(expected, dict) and isinstance(got, dict):
        for key in sorted(expected.keys() | got.keys()):
            yield from differences(expected.get(key), got.get(key), f"{at}.{key}")
    elif isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
        scale = max((abs(x) for x in expected if isinstance(x, float)), default=0.0)
        for i, (one, two) in enumerate(zip(expected, got, strict=True)):
            if isinstance(one, float) and isinstance(two, float):
                if not math.isclose(one, two, rel_tol=2e-5, abs_tol=1e-6 * max(1.0, scale)):
                    yield f"{at}[{i}]: {two}, expected {one}"
            else:
                yield from differences(one, two, f"{at}[{i}]")
    elif expected != got:
        yield f"{at}: {got}, expected {expected}"


@pytest.mark.parametrize("name", EXPECTED)
def test_a_program_leaves_behind_what_it_does_in_torch(name: str) -> None:
    expected = EXPECTED[name]
    with torch.enable_grad(), under_the_name_of_torch(torch):  # a usual thread: the quick paths are tested too
        got = describe(SOURCES[name], torch)
    found = [] if same_text(expected["stdout"], got["stdout"]) else [f"printed {got['stdout']}"]
    found += [] if expected["raised"] == got["raised"] else [f"raised {got['raised']}"]
    found += differences(expected["tensors"], got["tensors"])
    if name in MISSING:
        assert found, f"{name} agrees now: take it out of NOT_YET"
    else:
        assert not found
