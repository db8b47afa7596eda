"""Calls of backward inside calls of backward, deeper than the frames of one thread reach."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import autograd_core as torch
from autograd_core.engine.state import isolated, singular, special, state


def nest(depth: int, at_the_bottom: Any) -> torch.Tensor:
    """The gradient of a function whose backward calls that of one like it, and so on; each level adds 1."""

    class Inside(torch.autograd.Function):  # type: ignore[name-defined, misc]
        @staticmethod
        def forward(ctx: Any, x: Any, below: int) -> Any:
            ctx.below = below
            return x * 1

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            if not ctx.below:
                at_the_bottom()
                return grad, None
            with torch.enable_grad():
                inner = torch.ones(1, requires_grad=True)
                total = Inside.apply(inner, ctx.below - 1).sum()
            total.backward()
            return inner.grad + 1, None

    x = torch.ones(1, requires_grad=True)
    Inside.apply(x, depth).sum().backward()
    return x.grad


@pytest.mark.parametrize("depth", [0, 59, 60, 61, 122, 2000])
def test_calls_inside_calls_are_no_matter_of_depth(depth: int) -> None:
    assert nest(depth, lambda: None).item() == depth + 1


@pytest.mark.parametrize(("depth", "alone"), [(60, True), (61, False)])
def test_sixty_calls_inside_another_stay_in_its_thread(depth: int, alone: bool) -> None:
    found: list[int] = []
    nest(depth, lambda: found.append(threading.get_ident()))
    assert (found == [threading.get_ident()]) is alone


def test_an_error_comes_through_all_threads() -> None:
    def fail() -> None:
        raise ValueError("at the bottom")

    with pytest.raises(ValueError, match="at the bottom"):
        nest(200, fail)
    assert not state.calls and state.grad_enabled


def test_the_threads_share_one_state() -> None:
    seen: list[Any] = []

    def look() -> None:
        seen.append((torch.is_grad_enabled(), len(state.calls), torch.get_default_dtype()))
        torch.manual_seed(5)
        torch.set_default_dtype(torch.float64)

    with isolated():
        try:
            nest(100, look)
            after = torch.rand(1).item(), torch.get_default_dtype()
        finally:
            torch.set_default_dtype(torch.float32)
        torch.manual_seed(5)
        assert seen == [(False, 101, torch.float32)]
        assert after == (torch.rand(1, dtype=torch.float64).item(), torch.float64)


def test_threads_that_ended_are_forgotten() -> None:
    before = set(special), dict(singular)
    nest(300, lambda: None)
    assert (special, singular) == before
