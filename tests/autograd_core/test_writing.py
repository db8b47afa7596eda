"""Arithmetic in place at once against the general way: the same values, versions, histories and errors."""

import operator
from collections.abc import Callable
from typing import Any

import pytest

import autograd_core as torch
from autograd_core.api.methods import inplace

WRITES: dict[str, Callable[[Any, Any], Any]] = {
    "add_": lambda a, b: a.add_(b),
    "alpha": lambda a, b: a.add_(b, alpha=2),
    "sub_": lambda a, b: a.sub_(b),
    "mul_": lambda a, b: a.mul_(b),
    "div_": lambda a, b: a.div_(b),
    "mode": lambda a, b: a.div_(b, rounding_mode="floor"),
}
PAIRS: dict[str, Callable[[], tuple[Any, Any]]] = {
    "alike": lambda: (torch.ones(2, 3), torch.full((2, 3), 3.0)),
    "itself": lambda: (torch.full((3,), 3.0),) * 2,
    "its own transpose": lambda: (lambda a: (a, a.t()))(torch.arange(1.0, 10.0).reshape(3, 3)),
    "part of a base": lambda: (torch.ones(4, 3)[1:3], torch.full((2, 3), 3.0)),
    "wider": lambda: (torch.ones(3), torch.full((2, 3), 3.0)),
    "narrower": lambda: (torch.ones(2, 3), torch.full((3,), 3.0)),
    "a number": lambda: (torch.ones(2), 3.0),
    "single": lambda: (torch.tensor(2.0), torch.tensor(3.0)),
    "double": lambda: (torch.ones(2), torch.ones(2, dtype=torch.float64)),
    "whole": lambda: (torch.ones(2, dtype=torch.int64), torch.ones(2, dtype=torch.int64)),
    "expanded": lambda: (torch.ones(1).expand(3), torch.ones(3)),
    "leaf": lambda: (torch.ones(2, requires_grad=True), torch.ones(2)),
    "leaf on the right": lambda: (torch.ones(2), torch.ones(2, requires_grad=True)),
    "result": lambda: (torch.ones(2, requires_grad=True) * 2, torch.ones(2)),
    "parameter": lambda: (torch.nn.Parameter(torch.ones(2)), torch.nn.Parameter(torch.ones(2))),
    "a list": lambda: (torch.ones(2), [1.0, 2.0]),
    "more dimensions": lambda: (torch.ones(1), torch.full((1, 1), 3.0)),
    "fewer dimensions": lambda: (torch.ones(1, 1), torch.full((1,), 3.0)),
    "nothing": lambda: (torch.ones(0, 3), torch.ones(1, 3)),
}
AUGMENTED = {"add_": operator.iadd, "sub_": operator.isub, "mul_": operator.imul}


def told(write: Callable[[Any, Any], Any], pair: str, tracking: bool) -> Any:
    """What a program sees of the write: the error, or the values, versions and histories of both sides."""
    target, other = PAIRS[pair]()
    base = target._base
    try:
        with torch.set_grad_enabled(tracking):
            assert write(target, other) is target
    except (RuntimeError, TypeError) as error:
        return type(error), str(error)
    sides = [side for side in (target, other, base) if isinstance(side, torch.Tensor)]
    return [(s.tolist(), s.dtype, s._version, s.grad_fn and s.grad_fn.name(), s.requires_grad) for s in sides]


@pytest.mark.parametrize("tracking", [True, False])
@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("write", WRITES)
def test_a_write_at_once_is_a_write(write: str, pair: str, tracking: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    got = told(WRITES[write], pair, tracking)
    monkeypatch.setattr(inplace, "at_once", lambda *_: False)
    assert got == told(WRITES[write], pair, tracking)


def test_plain_writes_do_go_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inplace, "in_place", None)
    weight, grad = torch.nn.Parameter(torch.ones(2)), torch.ones(2)
    with torch.no_grad():
        weight -= 0.5 * grad
        weight.mul_(grad).div_(grad).add_(grad)
    assert (weight.tolist(), weight._version) == ([1.5, 1.5], 4)


def test_a_window_past_what_is_known_of_a_memory_is_refused() -> None:
    lost = torch.arange(6.0)[2:].detach()
    assert lost.as_strided((2,), (1,), 3).tolist() == [3.0, 4.0]
    with pytest.raises(NotImplementedError, match="only within what the view itself shows"):
        lost.as_strided((2,), (1,), 0)


@pytest.mark.parametrize("tracking", [True, False])
@pytest.mark.parametrize("pair", sorted(PAIRS.keys() - {"a list"}))
@pytest.mark.parametrize("write", AUGMENTED)
def test_an_assignment_is_the_method(write: str, pair: str, tracking: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    got = told(AUGMENTED[write], pair, tracking)
    monkeypatch.setattr(inplace, "at_once", lambda *_: False)
    assert got == told(WRITES[write], pair, tracking)
