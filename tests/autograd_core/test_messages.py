"""Whatever torch raises or warns of, in its words."""

import copy
import warnings
from typing import Any

import pytest

import autograd_core as torch
from autograd_core.engine.state import isolated, state

from .stored import load

RECORD = load("messages")


def attempt(code: str) -> tuple[str | None, str, list[str]]:
    """What running `code` after the setup raises, and what it warns of."""
    names: dict[str, Any] = {"torch": torch, "F": torch.nn.functional}
    names["G"] = names
    kind, message = None, ""
    with isolated(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            exec(RECORD["setup"], names)
            exec(code, names)
        except Exception as error:
            kind, message = type(error).__name__, str(error)
    return kind, message, [str(warning.message) for warning in caught]


@pytest.mark.parametrize("case", RECORD["messages"])
def test_messages_are_those_of_torch(case: str) -> None:
    recorded = RECORD["messages"][case]
    kind, message, warned = attempt(recorded["code"])
    assert (kind, message) == (recorded.get("type"), recorded.get("message") or "")
    shown = [warning for warning in warned if not warning.startswith("Converting a tensor")]
    expected = [
        w["message"] for w in recorded.get("warnings", []) if not w["message"].startswith("Converting a tensor")
    ]
    assert shown == expected


def test_converting_to_a_number_warns_once() -> None:
    with isolated(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        leaf = torch.tensor([1.0, 2.0], requires_grad=True)
        assert float(leaf[0]) + int(leaf[1]) == 3.0
        assert "scalar" in state.warned
    assert [w.category for w in caught] == [UserWarning]


def test_a_copy_of_a_leaf_is_a_leaf() -> None:
    leaf = torch.tensor([1.0], requires_grad=True)
    twin = copy.deepcopy(leaf)
    assert twin is not leaf
    assert twin.is_leaf
    assert twin.requires_grad
