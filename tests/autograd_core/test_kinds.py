"""Layers, losses and operators given tensors of any dtype: what torch refuses is refused in its words.

tests/data/kinds.json.gz has thousands of calls with what torch answered: shape, dtype and node, or the error. Under
`differ` are those that this engine answers in another way; they only get fewer.
"""

import warnings

import pytest

import autograd_core as torch
from autograd_core.engine.state import isolated

from .stored import load

RECORD = load("kinds")
NAMES = {"torch": torch, "nn": torch.nn, "F": torch.nn.functional}
PARTS = 8


def answer(code: str) -> str:
    try:
        result = eval(code, dict(NAMES))
    except Exception as error:
        return f"{type(error).__name__} {error}"[: len(type(error).__name__) + 331]
    result = result[0] if isinstance(result, tuple) else result
    if not isinstance(result, torch.Tensor):
        return str(result)
    return str((tuple(result.shape), result.dtype, type(result.grad_fn).__name__))


@pytest.mark.parametrize("part", range(PARTS))
def test_every_dtype_is_taken_or_refused_as_torch_does(part: int) -> None:
    calls = RECORD["calls"][part::PARTS]
    with isolated(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wrong = {code: (got, told) for code, told in calls if (got := answer(code)) != told}
    known = set(RECORD["differ"])
    assert {code: pair for code, pair in wrong.items() if code not in known} == {}
    agreeing = [code for code, _ in calls if code in known and code not in wrong]
    assert not agreeing, "these agree now: take them out of the record's list of those that differ"
