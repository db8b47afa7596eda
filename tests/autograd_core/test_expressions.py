"""Thousands of expressions, every method with all kinds of operands, show what they show in torch (expressions.py)."""

import math
import re
from typing import Any

import numpy as np
import pytest

import autograd_core as torch
from autograd_core.engine.state import isolated

from .expressions import shown
from .stored import load

RECORDED: list[list[list[str]]] = load("expressions")
NUMBER = re.compile(r"[-+]?\d+\.\d*(?:e[-+]?\d+)?|[-+]?\d+e[-+]?\d+")


def alike(got: str, expected: str) -> bool:
    """The same text, with numbers that are close."""
    if got == expected:
        return True
    words = [NUMBER.sub("#", re.sub(r"\s+", " ", text)) for text in (got, expected)]
    pairs = zip(NUMBER.findall(got), NUMBER.findall(expected), strict=False)
    return words[0] == words[1] and all(math.isclose(float(a), float(b), rel_tol=1e-4, abs_tol=1e-5) for a, b in pairs)


@pytest.mark.parametrize("part", range(4))
def test_an_expression_shows_what_it_does_in_torch(part: int) -> None:
    wrong: list[Any] = []
    with np.errstate(all="ignore"):
        for expected in RECORDED[part::4]:
            with isolated():
                got = shown(torch, expected[0][0])
            same = len(got) == len(expected) and all(a[0] == b[0] for a, b in zip(got, expected, strict=True))
            if not same or not all(alike(a[1], b[1]) for a, b in zip(got, expected, strict=True)):
                wrong.append((expected, got))
    assert not wrong
