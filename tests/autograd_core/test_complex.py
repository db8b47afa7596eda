"""Complex numbers as PyTorch has them: what it showed of each call in complex_calls.txt, and what this engine shows."""

import math
from collections.abc import Iterator
from typing import Any

import pytest

import autograd_core as torch

from .complex_calls import calls, observe
from .stored import load

RECORDED = load("complex")
CLOSE = 1e-9
SINGLE = 2e-5


def close(got: str, expected: str, by: float) -> bool:
    a, b = float(got), float(expected)
    return (math.isnan(a) and math.isnan(b)) or a == b or abs(a - b) <= by * max(1.0, abs(b))


def same(got: Any, expected: Any) -> bool:
    """Whether two values as `spell` gives them are the same but for rounding."""
    if not isinstance(got, list) or not isinstance(expected, list):
        return bool(got == expected)
    if got[:3] != expected[:3]:
        return False
    by = SINGLE if got[0] in ("torch.complex64", "torch.float32") else CLOSE
    return len(got[3]) == len(expected[3]) and all(close(a, b, by) for a, b in zip(got[3], expected[3], strict=True))


def complaints(got: dict[str, Any], expected: dict[str, Any]) -> Iterator[str]:
    for what in {**expected, **got}:
        mine, torchs = got.get(what), expected.get(what)
        if what in ("first", "second") and isinstance(mine, list) and isinstance(torchs, list):
            agree = len(mine) == len(torchs) and all(map(same, mine, torchs))
        else:
            agree = same(mine, torchs) if what == "value" else mine == torchs
        if not agree:
            yield f"{what}: {mine} instead of {torchs}"


@pytest.mark.parametrize("code", calls())
def test_as_pytorch(code: str) -> None:
    assert list(complaints(observe(torch, code), RECORDED[code])) == []
