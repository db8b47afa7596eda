"""Nodes to which no gradient comes: torch reads what they keep before it looks whether one came."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import autograd_core as torch


class Silent(torch.autograd.Function):
    """Its gradient is None."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 1

    @staticmethod
    def backward(ctx: Any, grad: Any) -> None:
        return None


AGAIN: dict[str, tuple[Callable[[Any, Any], Any], bool]] = {
    "a product with itself": (lambda x, z: x * x, True),
    "a product": (lambda x, z: x * z, True),
    "a product with a number": (lambda x, z: x * 2.0, True),
    "a product with a constant": (lambda x, z: x * z.detach(), True),
    "exp, which keeps its result": (lambda x, z: x.exp(), True),
    "exp above a product": (lambda x, z: (x * 2).exp(), True),
    "a power": (lambda x, z: x**2, True),
    "an outer product": (lambda x, z: x.outer(z), True),
    "chosen rows": (lambda x, z: x[torch.tensor([0, 1])], True),
    "a choice": (lambda x, z: torch.where(x > 1, x, z), True),
    "the largest": (lambda x, z: x.max(0)[0], True),
    "a sum, which keeps nothing": (lambda x, z: x + z, False),
    "a stack": (lambda x, z: torch.stack([x, z]), False),
    "a running sum": (lambda x, z: x.cumsum(0), False),
}
"""What the gradient ends above, and whether torch 2.13 refuses to run it again."""


@pytest.mark.parametrize("name", AGAIN)
def test_what_was_freed_is_missed_all_the_same(name: str) -> None:
    make, refused = AGAIN[name]
    x, z = (torch.tensor([1.0, 2.0], requires_grad=True) for _ in range(2))
    y = Silent.apply(make(x, z)).sum()
    y.backward()
    if refused:
        with pytest.raises(RuntimeError, match="^Trying to backward through the graph a second time"):
            y.backward()
    else:
        y.backward()
    assert x.grad is None and z.grad is None


def test_what_was_written_is_missed_all_the_same() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    kept = (x * 1).exp()
    y = Silent.apply(kept).sum()
    kept.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


def test_a_node_that_is_called_with_nothing_reads_what_it_keeps() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * x
    assert y.grad_fn(None) == (None, None)
    y.sum().backward()
    with pytest.raises(RuntimeError, match="a second time"):
        y.grad_fn(None)
