"""Calls at the edges of operators, as torch answered them: shapes that fit and do not, other modes, zeros and nan.

Each was recorded with the names below: its values, dtypes, graphs and gradients, or what it raised.
"""

import warnings
from typing import Any

import numpy as np
import pytest

import autograd_core as torch
from autograd_core.engine.state import isolated

from .oracle import alike, nodes_of, numbers, slots, type_name, weights
from .stored import load

LEAVES = {
    "a": [[0.5, -1.25, 2.0, 0.75], [1.5, 0.75, -0.5, 3.0], [-2.0, 0.25, 1.0, 0.75]],
    "b": [[1.5, 0.25, -2.0, 0.75], [-0.75, 3.0, 1.25, -0.5], [2.0, 0.5, 1.0, -1.0]],
    "c": [[[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]], [[1.0, 0.5, -0.5], [2.0, -1.25, 0.75]]],
    "p": [[0.25, 1.5, 3.25], [2.5, 0.75, 4.5]],
    "q": [3.0, 1.0, 3.0, 1.0, 2.0, float("nan")],
    "s": 1.75,
    "v": [0.5, -1.5, 2.0, 1.25],
    "w": [1.0, 0.25, -0.75],
    "z": [[0.0, 2.0, 3.0], [4.0, 0.0, 5.0]],
}

CONSTANTS = {"i": [[0, 1, 0, 2], [2, 0, 1, 0]], "n": [1, 2, 3], "m": [True, False, True], "h": [0.5, 1.5], "e": []}


def call(code: str) -> tuple[dict[str, Any], list[Any]]:
    """The names of a call and its results; what stands before `;;` is done first."""
    names: dict[str, Any] = {"torch": torch, "F": torch.nn.functional}
    names |= {name: torch.tensor(v, dtype=torch.float64, requires_grad=True) for name, v in LEAVES.items()}
    names |= {name: torch.tensor(v) for name, v in CONSTANTS.items()}
    torch.manual_seed(0)
    before, _, last = code.rpartition(" ;; ")
    exec(before, names)
    out = eval(last, names)
    return names, list(out) if isinstance(out, tuple | list) else [out]


def graph(root: Any) -> list[Any]:
    """The nodes below `root`: type, edges, what is saved."""
    order = nodes_of(root)
    at = {id(node): i for i, node in enumerate(order)}
    return [
        [type_name(node), [None if n is None else [at[id(n)], nr] for n, nr in node.next_functions], slots(node)]
        for node in order
    ]


def gradients(names: dict[str, Any], live: list[Any]) -> dict[str, Any]:
    try:
        torch.autograd.backward(live, [weights(t) for t in live])
    except Exception as error:
        return {"backward": f"{type(error).__name__}: {error}"}
    return {"grads": {name: numbers(names[name].grad) for name in LEAVES if names[name].grad is not None}}


def answer(code: str) -> dict[str, Any]:
    """What the engine does, in the form of the recording."""
    try:
        names, results = call(code)
    except Exception as error:
        return {"raises": f"{type(error).__name__}: {error}"}
    tensors = [t for t in results if isinstance(t, torch.Tensor)]
    live = [t for t in tensors if t.requires_grad]
    found = {
        "values": [numbers(t) for t in tensors],
        "dtypes": [str(t.dtype) for t in tensors],
        "views": [t._is_view() for t in tensors],
        "graphs": [graph(t.grad_fn) for t in live],
    }
    return found | (gradients(names, live) if live else {})


def same(got: Any, expected: Any) -> bool:
    if isinstance(expected, dict):
        return got.keys() == expected.keys() and all(same(got[k], expected[k]) for k in expected)
    if isinstance(expected, list):
        return isinstance(got, list) and len(got) == len(expected) and all(map(same, got, expected))
    return got == expected or (not isinstance(expected, bool) and isinstance(got, float) and alike(got, expected))


@pytest.mark.parametrize("recorded", load("calls"), ids=lambda recorded: recorded["code"])
def test_a_call_at_the_edge_does_what_torch_does(recorded: dict[str, Any]) -> None:
    with isolated(), warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        got = answer(recorded["code"])
    for fact in recorded.keys() - {"code"}:
        assert same(got.get(fact), recorded[fact]), (fact, got.get(fact), recorded[fact])
    assert got.keys() == recorded.keys() - {"code"}
