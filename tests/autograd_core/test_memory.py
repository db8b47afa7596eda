"""Nothing leaks and nothing recurses: long chains, many steps, graphs that go by reference counting alone."""

import gc
import tracemalloc
import warnings
import weakref
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pytest

import autograd_core as torch
import autograd_core.nn.functional
import autograd_core.optim
import autograd_core.utils.checkpoint
from autograd_core.engine.state import isolated
from autograd_core.graph.node import Node

LONG = 50_000


@pytest.fixture
def without_gc() -> Iterator[None]:
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def alive(kind: type) -> int:
    """How many there are. (By their types: a dead proxy, as a tape of another test has, can be asked nothing else.)"""
    return sum(issubclass(type(thing), kind) for thing in gc.get_objects())


def nodes() -> int:
    return alive(Node)


# ---- depth

CHAINS = {
    "sums": lambda x, a: x + 0.5,
    "products": lambda x, a: x * 1.0,
    "of a leaf": lambda x, a: x + a,
    "views": lambda x, a: x.view(1),
    "in place": lambda x, a: x.add_(0.5),
}


@pytest.mark.parametrize("name", CHAINS)
def test_a_long_chain_is_built_run_and_released(name: str, without_gc: None) -> None:
    before = nodes()
    a = torch.ones(1, requires_grad=True)
    x = a * 1
    for _ in range(LONG):
        x = CHAINS[name](x, a)
    x.sum().backward()
    assert a.grad.item() == (LONG + 1 if name == "of a leaf" else 1)
    below = weakref.ref(x.grad_fn.next_functions[0][0])
    del x
    assert below() is None
    assert nodes() == before


def test_a_long_chain_is_released_unused(without_gc: None) -> None:
    before = nodes()
    x = torch.ones(1, requires_grad=True)
    for _ in range(LONG):
        x = x * 1.0
    del x
    assert nodes() == before


def test_a_long_chain_is_differentiated_twice(without_gc: None) -> None:
    before = nodes()
    a = torch.tensor(1.0, dtype=torch.float64, requires_grad=True)
    x = a * a
    for _ in range(LONG // 2):
        x = x * 1.0
    (slope,) = torch.autograd.grad(x, a, create_graph=True)
    (bend,) = torch.autograd.grad(slope, a)
    assert (slope.item(), bend.item()) == (2.0, 2.0)
    del x, slope, bend
    assert nodes() == before


def test_a_wide_sum_is_released(without_gc: None) -> None:
    before = nodes()
    a = torch.ones(1, requires_grad=True)
    total = torch.stack([a * float(i) for i in range(20_000)]).sum()
    total.backward()
    del total
    assert nodes() == before


# ---- reference counting alone


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        y = x**3
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        x, _ = ctx.saved_tensors
        return grad * 3 * x**2


def hooked(a: Any) -> Any:
    b = a.exp()
    b.register_hook(lambda grad: grad * 2)
    b.retain_grad()
    b.grad_fn.register_prehook(lambda grads: None)
    return b.sum()


def written(a: Any) -> Any:
    b = a * 1
    b[0] = 2.0
    b[1:].mul_(3)
    return (b * b).sum()


def twice(a: Any) -> Any:
    (slope,) = torch.autograd.grad((a**3).sum(), a, create_graph=True)
    return (slope * slope).sum()


def packed(a: Any) -> Any:
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach(), lambda t: t):
        return (a.exp() * a).sum()


GRAPHS = {
    "plain": lambda a: (a.exp() * a.sigmoid()).sum(),
    "views": lambda a: (a.view(3, 1).t()[0] * a[:2].sum()).sum(),
    "several outputs": lambda a: sum(part.exp().sum() for part in a.split(1)),
    "hooks": hooked,
    "in place": written,
    "a function of one's own": lambda a: Cube.apply(a).sum(),
    "create_graph": twice,
    "packed": packed,
    "checkpoint": lambda a: torch.utils.checkpoint.checkpoint(lambda t: t.exp().sin(), a, use_reentrant=False).sum(),
    "losses": lambda a: torch.nn.functional.cross_entropy(a.view(1, 3), torch.tensor([1])),
    "stacked": lambda a: torch.stack([a, a * 2]).max(0).values.sum(),
}


@pytest.mark.parametrize("run", [True, False], ids=["run", "never run"])
@pytest.mark.parametrize("name", GRAPHS)
def test_a_graph_goes_with_its_last_name(name: str, run: bool, without_gc: None) -> None:
    a = torch.tensor([0.5, 1.0, 2.0], requires_grad=True)
    before = nodes()
    y = GRAPHS[name](a)
    assert nodes() > before
    if run:
        y.backward()
    del y
    assert nodes() == before


def test_an_error_in_backward_keeps_no_graph(without_gc: None) -> None:
    a = torch.ones(2, requires_grad=True)
    before = nodes()
    y = (a * a).sum()
    y.backward()
    with pytest.raises(RuntimeError, match="second time"):
        y.backward()
    del y
    assert nodes() == before


def test_the_cycle_of_a_leaf_and_its_gradient_s_graph_is_told_and_stays(without_gc: None) -> None:
    before = nodes()
    a = torch.ones(2, requires_grad=True)
    with isolated(), pytest.warns(UserWarning, match="create a reference cycle between the parameter and its gradient"):
        (a**2).sum().backward(create_graph=True)
    assert nodes() > before
    del a
    gc.collect()
    assert nodes() > before, "torch's references are C++'s, which Python's collector does not see"


def twice(take_away: Callable[[Any], None]) -> None:
    """A leaf with a gradient that can be differentiated, dropped after `take_away` had it."""
    leaf = torch.tensor(2.0, requires_grad=True)
    (leaf**3).backward(create_graph=True)
    take_away(leaf)


def give_back(leaf: Any) -> None:
    grad, leaf.grad = leaf.grad, None
    leaf.grad = grad


STAYING = {
    "the gradient as it is": (lambda leaf: None, True),
    "used for a second backward": (lambda leaf: leaf.grad.backward(), True),
    "assigned again": (give_back, True),
    "taken away": (lambda leaf: setattr(leaf, "grad", None), False),
    "detached in place": (lambda leaf: leaf.grad.detach_(), False),
}


@pytest.mark.parametrize("name", STAYING)
def test_what_stays_when_a_leaf_goes_is_what_stays_in_torch(name: str) -> None:
    take_away, stays = STAYING[name]
    before = nodes()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        twice(take_away)
    gc.collect()
    assert (nodes() > before) is stays


def test_the_cycle_is_broken_by_taking_the_gradient_away(without_gc: None) -> None:
    before = nodes()
    a = torch.ones(2, requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (a**2).sum().backward(create_graph=True)
    a.grad = None
    assert nodes() == before


# ---- training


def growth(work: Callable[[int], None], count: int) -> int:
    """The bytes by which memory grows when `work` does `count` turns: the least of three measurements.

    A leak grows every time; a table that is made larger, or what another thread takes meanwhile, does not.
    """
    sizes = []
    tracemalloc.start()
    try:
        for _ in range(4):
            work(count)
            gc.collect()  # or Python's lists of free tuples would be counted
            sizes.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    return min(late - early for early, late in pairwise(sizes))


def test_thousands_of_steps_hold_memory_flat() -> None:
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
    adam = torch.optim.Adam(net.parameters(), lr=0.01)
    x, y = torch.randn(4, 2), torch.randn(4, 1)

    def steps(count: int) -> None:
        for _ in range(count):
            adam.zero_grad()
            torch.nn.functional.mse_loss(net(x), y).backward()
            adam.step()

    steps(500)  # fills Python's own caches
    assert growth(steps, 500) < 16 * 500, "even one tensor a step would take more"
    before = nodes()
    tensors = alive(torch.Tensor)
    steps(2_000)
    assert nodes() == before
    assert alive(torch.Tensor) == tensors


def test_higher_derivatives_in_a_loop_hold_memory_flat() -> None:
    x = torch.tensor(1.5, dtype=torch.float64, requires_grad=True)

    def derivatives(count: int) -> None:
        for _ in range(count):
            y = x**7
            for _ in range(4):
                (y,) = torch.autograd.grad(y, x, create_graph=True)

    derivatives(20)
    assert growth(derivatives, 300) < 2048
