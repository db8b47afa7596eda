"""Formulas against finite differences: first derivatives of every recorded call, second ones where torch has them.

The recording says what torch answers at one point; here the engine's derivatives are held against the function itself.
"""

import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import autograd_core as torch
from autograd_core.engine.state import isolated

from .not_yet import NOT_YET
from .oracle import Entry, entries, run, title, weights

Point = dict[str, Any]
"""A value for each leaf, and for "grad_output" where the first derivative is what is derived."""

NO_SLOPE = {
    "torch.bernoulli(a.sigmoid())": "a draw: its derivative is taken as zero",
    "F.embedding(i, a, padding_idx=0)": "the row of padding gets no gradient on purpose",
}
"""Calls whose gradient is not, in torch either, the slope of their value."""

AT_A_JUMP = """
a % 2
torch.div(a, 2, rounding_mode='floor')
torch.remainder(a, b0)
torch.fmod(a, 2)
torch.floor(a)
torch.ceil(a)
torch.round(a)
torch.trunc(a)
torch.frac(a)
x.floor_()
F.softshrink(a)
F.binary_cross_entropy(a, t) (target requires grad)
""".strip().splitlines()
"""Calls recorded where they jump or bend, or at the end of where they are defined: derived a little beside it."""

WIDE = {"float32": (2**-7, 2e-2), "float16": (2**-4, 5e-2)}
"""The step and what may be missed where numbers are rounded on the way to a narrow dtype."""


def differentiable(entry: Entry) -> bool:
    return bool(entry.get("grad_fn")) and "backward_error" not in entry and title(entry) not in NOT_YET


def twice_differentiable(entry: Entry) -> bool:
    return differentiable(entry) and entry["create_graph_grad_output_requires_grad"]["double_backward"] is True


def call(entry: Entry, point: Point) -> tuple[dict[str, Any], Any]:
    torch.manual_seed(0)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        leaves = {name: value.tolist() for name, value in point.items() if name != "grad_output"}
        return run({**entry, "leaves": leaves}, list(leaves))


def value(entry: Entry, point: Point) -> tuple[list[Any], list[Any]]:
    """The result, and what it is derived by."""
    names, out = call(entry, point)
    return [out], [names[name] for name in point]


def slope(entry: Entry, point: Point) -> tuple[list[Any], list[Any]]:
    """The first derivatives for `grad_output`, and what they are derived by."""
    names, out = call(entry, point)
    above = torch.tensor(point["grad_output"].tolist(), dtype=out.dtype, requires_grad=True)
    leaves = [names[name] for name in point if name != "grad_output"]
    first = torch.autograd.grad(out, leaves, above, create_graph=True, allow_unused=True)
    return list(first), [*leaves, above]


def gradients(outputs: list[Any], inputs: list[Any]) -> list[Any]:
    """By the engine, for `weights`."""
    followed = [out for out in outputs if out is not None and out.requires_grad]
    if not followed:
        return [None] * len(inputs)
    return list(torch.autograd.grad(followed, inputs, [weights(out) for out in followed], allow_unused=True))


def weighed(outputs: list[Any]) -> float:
    """One number of several results, by the same weights as the gradients were made for."""
    return sum(float((t.detach().double() * weights(t).double()).sum()) for t in outputs if t is not None)


def differences(entry: Entry, point: Point, function: Callable[..., Any], step: float) -> Iterator[tuple[str, Any]]:
    """For each name of the point the slope of `function`, by central differences."""
    for name, here in point.items():
        found = np.zeros(here.shape)
        for place in np.ndindex(here.shape):
            ends = []
            for sign in (1, -1):
                moved = here.copy()
                moved[place] += sign * step
                ends.append(weighed(function(entry, {**point, name: moved})[0]))
            found[place] = (ends[0] - ends[1]) / (2 * step)
        yield name, found


def disagreement(entry: Entry, function: Callable[..., Any]) -> str | None:
    """Where the engine's derivatives and the differences part, None if they agree."""
    point: Point = {name: np.array(v, np.float64) for name, v in entry["leaves"].items()}
    if function is slope:
        point["grad_output"] = np.array(weights(call(entry, point)[1]).tolist(), np.float64)
    if title(entry) in AT_A_JUMP:
        point = {name: np.asarray(0.9 * v + 0.04) for name, v in point.items()}
    step, close = WIDE.get("float32" if "float()" in entry["code"] else entry["out"]["dtype"], (1e-6, 2e-6))
    by_engine = dict(zip(point, gradients(*function(entry, point)), strict=True))
    for name, expected in differences(entry, point, function, step):
        got = by_engine[name]
        numbers = np.zeros_like(expected) if got is None else np.array(got.tolist(), np.float64)
        worst = float(np.max(np.abs(numbers - expected) / np.maximum(1, np.abs(expected)), initial=0))
        if not worst <= close or math.isnan(worst):
            return f"by {name}: {numbers.tolist()}, but the slope is {expected.tolist()}"
    return None


@pytest.mark.parametrize(
    ("order", "function", "wanted"),
    [("first", value, differentiable), ("second", slope, twice_differentiable)],
    ids=["gradcheck", "gradgradcheck"],
)
def test_derivatives_are_the_slopes(
    order: str, function: Callable[..., Any], wanted: Callable[[Entry], bool], capsys: pytest.CaptureFixture[str]
) -> None:
    found, wrong = 0, {}
    for entry in filter(wanted, entries()):
        if title(entry) in NO_SLOPE:
            continue
        with isolated():
            said = disagreement(entry, function)
        found += said is None
        if said is not None:
            wrong[title(entry)] = said
    with capsys.disabled():
        print(f"\n{order} derivatives: {found} of {found + len(wrong)} recorded calls agree with finite differences")
    assert not wrong
