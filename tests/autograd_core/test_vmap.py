"""vmap, and the transformations made of it, against what torch 2.13 gave for the same expressions (see mapping.py)."""

from __future__ import annotations

import math
from typing import Any

import pytest

import autograd_core as torch

from .mapping import recorded
from .stored import load

EXPECTED: dict[str, dict[str, Any]] = load("vmap")


NOT_YET = {
    "plain": {
        "a view is taken below, where torch turns the batch itself": ("a.clone().t_()",),
        "the batch is clamped at once, where torch goes through its examples": ("a.clone().clamp_(0,1)",),
    },
    "both": {"one reshape more": ("torch.einsum('ij,kj->ik', a, w)", "torch.tensordot(a,w,dims=([1],[1]))")},
    "weights": {"one reshape more": ("torch.einsum('ij,kj->ik', a, w)", "torch.tensordot(a,w,dims=([1],[1]))")},
    "vmap of grad": {"refused in other words: torch counts the elements first": ("a.item()",)},
    "vmap of jacrev": {"refused in other words: torch counts the elements first": ("a.item()",)},
    "jacfwd": {"refused in other words: a dual tensor has memory here": ("a.numpy()",)},
    "batched": {
        "second derivatives that torch takes one example after the other": (
            "a.std()", "a.std(0)", "a.cumprod(1)", "torch.mv(a,a[0])", "torch.std_mean(a)[0]",
            "torch.bmm(a.unsqueeze(0), a.t().unsqueeze(0))", "torch.einsum('i,i->', a[0], a[1])",
            "F.binary_cross_entropy_with_logits(a, w.sigmoid())", "torch.linalg.det(a[:4,:4])",
            "torch.linalg.inv(a[:4,:4])", "torch.inverse(a[:4,:4])", "torch.linalg.solve(a[:4,:4], w[:4,0])",
            "torch.linalg.slogdet(a[:4,:4])[1]", "torch.linalg.cholesky(a[:4,:4]@a[:4,:4].t()+torch.eye(4))",
            "torch.linalg.svdvals(a)", "torch.linalg.eigvalsh(a[:4,:4])", "torch.det(a[:4,:4])",
            "torch.logdet(a[:4,:4]@a[:4,:4].t()+torch.eye(4))",
        ),
    },
}  # fmt: skip
"""Expressions whose graph, or words of refusal, are not torch's yet; their numbers are."""


def alike(expected: Any, got: Any) -> bool:
    if isinstance(expected, list) and isinstance(got, list):
        return len(expected) == len(got) and all(map(alike, expected, got))
    if isinstance(expected, float | int) and isinstance(got, float | int):
        return math.isclose(expected, got, rel_tol=2e-3, abs_tol=2e-3)
    return bool(expected == got)


def differs(expected: dict[str, Any], got: dict[str, Any]) -> list[str]:
    return [part for part in expected.keys() | got.keys() if not alike(expected.get(part), got.get(part))]


@pytest.mark.parametrize("way", EXPECTED)
def test_an_expression_gives_what_it_does_in_torch(way: str) -> None:
    found = {source: differs(expected, recorded(torch, way, source)) for source, expected in EXPECTED[way].items()}
    wrong = {source: parts for source, parts in found.items() if parts}
    known = {source for sources in NOT_YET.get(way, {}).values() for source in sources}
    assert {source: parts for source, parts in wrong.items() if source not in known} == {}
    assert set(wrong) == known, "all of these are as in torch now: take them out of NOT_YET"
    assert all(parts in (["graphs"], ["text"]) for parts in wrong.values())


class Square(torch.autograd.Function):
    """A function of two inputs with a rule of its own making for vmap."""

    generate_vmap_rule = True

    @staticmethod
    def forward(x: Any, y: Any) -> Any:
        return x * x * y

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        x, y = ctx.saved_tensors
        return 2 * x * y * grad, x * x * grad


class Sine(torch.autograd.Function):
    """A function that says itself what it does with a batch."""

    told: list[Any] = []

    @staticmethod
    def forward(x: Any) -> Any:
        return x.sin()

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad * ctx.saved_tensors[0].cos()

    @staticmethod
    def vmap(info: Any, in_dims: Any, x: Any) -> Any:
        Sine.told.append((info.batch_size, info.randomness, in_dims, tuple(x.shape)))
        return Sine.apply(x), in_dims[0]


def batch() -> Any:
    return torch.arange(6.0).view(3, 2).requires_grad_()


def test_a_custom_function_goes_over_a_batch_as_one_node() -> None:
    x, y = batch(), torch.ones(2, requires_grad=True)
    result = torch.vmap(Square.apply, in_dims=(0, None))(x, y)
    assert result.grad_fn.name() == "VmappedSquareBackward"
    result.sum().backward()
    assert (x.grad.tolist(), y.grad.tolist()) == ([[0, 2], [4, 6], [8, 10]], [20, 35])


def test_a_custom_function_is_differentiated_inside_of_vmap() -> None:
    x, y = batch(), torch.ones(2)
    slopes = torch.vmap(torch.func.grad(lambda a: Square.apply(a, y).sum()))(x.detach())
    assert slopes.tolist() == [[0, 2], [4, 6], [8, 10]]


def test_a_custom_function_may_have_a_rule_of_its_own() -> None:
    Sine.told.clear()
    x = batch()
    result = torch.vmap(Sine.apply)(x)
    assert Sine.told == [(3, "error", (0,), (3, 2))]
    assert result.grad_fn.name() == "SineBackward" and torch.allclose(result, x.sin())


SEEDED = {
    "different": [[0.4963, 0.7682], [0.0885, 0.1320], [0.3074, 0.6341]],
    "same": [[0.4963, 0.7682]] * 3,
}


@pytest.mark.parametrize("randomness", SEEDED)
def test_random_numbers_are_the_same_for_all_examples_or_others_for_each(randomness: str) -> None:
    torch.manual_seed(0)
    drawn = torch.vmap(lambda a: a * torch.rand(2), randomness=randomness)(torch.ones(3, 2))
    assert [[round(v, 4) for v in row] for row in drawn.tolist()] == SEEDED[randomness]


def test_a_hidden_tensor_shows_its_batch() -> None:
    shown: list[str] = []

    def look(a: Any) -> Any:
        shown.append(repr(a))
        return torch.func.grad(lambda b: (shown.append(repr(b)), (b * b).sum())[1])(a)

    torch.vmap(look)(torch.ones(2, 1))
    inner = "BatchedTensor(lvl=1, bdim=0, value=\n    tensor([[1.],\n            [1.]])\n)"
    within = "\n".join(f"    {line}" for line in inner.splitlines())
    assert shown == [inner, f"GradTrackingTensor(lvl=2, value=\n{within}\n)"]


def test_every_rule_is_that_of_an_operator() -> None:
    from autograd_core.dispatch.registry import TABLE
    from autograd_core.functorch.batching_rules.rules import RULES

    assert set(RULES) <= set(TABLE)
