"""Layers and linear algebra beyond torch's record of operators: options, second derivatives, modules, errors."""

import math
import warnings
from typing import Any

import pytest

import autograd_core as torch
import autograd_core.nn
import autograd_core.nn.functional as F
from autograd_core.engine.state import isolated

from .layer_cases import build, run
from .stored import load

STORED = load("images_and_matrices")
CALLS = {case["code"]: case for case in STORED["calls"]}
MODULES = {case["code"]: case for case in STORED["modules"]}


def alike(got: Any, expected: Any, close: float) -> bool:
    if isinstance(expected, dict):
        return expected.keys() == got.keys() and all(alike(got[k], v, close) for k, v in expected.items())
    if isinstance(expected, list):
        same = isinstance(got, list) and len(got) == len(expected)
        return same and all(alike(a, b, close) for a, b in zip(got, expected, strict=True))
    if isinstance(expected, float) and isinstance(got, float):
        if math.isnan(expected) or math.isinf(expected):
            return str(got) == str(expected)
        return abs(got - expected) <= close * max(1.0, abs(expected))
    return bool(got == expected)


@pytest.mark.parametrize("code", CALLS)
def test_a_call_does_what_torch_does(code: str) -> None:
    case = CALLS[code]
    with isolated(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        got = run(torch, F, case["leaves"], code.partition("|")[2].strip())
    for fact, expected in case["facts"].items():
        assert alike(got.get(fact), expected, 1e-7), f"{fact}: {got.get(fact)}, expected {expected}"
    assert "raised" in case["facts"] or "raised" not in got


@pytest.mark.parametrize("code", MODULES)
def test_a_module_does_what_torch_does(code: str) -> None:
    case = MODULES[code]
    with isolated(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        got = build(torch, code, case["shape"])
    assert got.get("state") == case["facts"].get("state")  # the stream of random numbers, bit for bit
    assert got.keys() == case["facts"].keys(), got.get("raised")
    for fact, expected in case["facts"].items():
        assert alike(got[fact], expected, 2e-4), f"{fact}: {got[fact]}, expected {expected}"


def test_what_is_beyond_the_engine_is_named() -> None:
    image = torch.zeros(1, 1, 4, 4)
    for call, name in (
        (lambda: F.interpolate(image, scale_factor=2, mode="lanczos"), "lanczos"),
        (lambda: F.embedding_bag(torch.tensor([[0]]), torch.zeros(1, 1), sparse=True), "sparse"),
        (lambda: torch.linalg.pinv(torch.eye(2), hermitian=True), "hermitian"),
    ):
        with pytest.raises(NotImplementedError, match=name):
            call()


def test_the_record_is_large() -> None:
    assert len(CALLS) > 250 and len(MODULES) > 50
    assert sum("first graph" in case["facts"] for case in CALLS.values()) > 100
