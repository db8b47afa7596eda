"""A tape is read as the very events that a listener would have been told, and keeps nothing alive."""

from __future__ import annotations

import gc
import threading
import warnings
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import autograd_core as torch
from autograd_core.autograd.graph import get_gradient_edge, register_multi_grad_hook
from autograd_core.engine.state import isolated
from autograd_core.events import TensorMade, TensorReleased
from autograd_core.events.recording import Reader, Tape
from autograd_core.events.session import listening, tensor_id
from tests.released import sorted_out

Flights = list[tuple[Any, ...]]


def told(program: Callable[[], Any]) -> Flights:
    return taped(program, at_once=True)


def taped(program: Callable[[], Any], at_once: bool = False) -> Flights:
    tape = Tape(at_once)
    with isolated(), listening(tape), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program()
    return Reader(tape).read()


def agree(program: Callable[[], Any]) -> Flights:
    """The events of `program`, which the reader makes of facts as they would be told at once."""
    found = taped(program)
    for one, other in zip(sorted_out(found), sorted_out(expected := told(program)), strict=False):
        assert repr(one) == repr(other)
    assert len(found) == len(expected)
    return found


# ---- programs


def scalars() -> None:
    a, b = torch.tensor(2.0, requires_grad=True), torch.tensor(0.0, requires_grad=True)
    c = a * b - a / 3 + b.exp() * -a
    c.backward()
    a.grad = None
    (a * a).backward()


def shared_gradients() -> None:
    a, b, c = (torch.tensor([1.0, 2.0], requires_grad=True) for _ in range(3))
    s = a + b
    (s + c + s.tanh()).sum().backward()
    (a + a).sum().backward(retain_graph=True)


def training() -> None:
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.LayerNorm(3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
    optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
    x, y = torch.randn(5, 4), torch.randn(5, 1)
    for _ in range(2):
        loss = torch.nn.functional.mse_loss(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def several_leaves_at_once() -> None:
    x, w, b = (torch.ones(2, 2, requires_grad=True) for _ in range(3))
    (torch.addmm(b, x, w).sigmoid() * x).sum().backward()
    torch.stack([x, w, b]).sum().backward()


def second_backward() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = (x * x).exp().sum()
    y.backward(retain_graph=True)
    y.backward()
    with pytest.raises(RuntimeError, match="second time"):
        y.backward()


def changed_in_place() -> None:
    x = torch.ones(3, 2, requires_grad=True)
    w = x * 2
    z = w * w[0]
    w += 1
    with pytest.raises(RuntimeError, match="inplace"):
        z.sum().backward()


def views_and_aliases() -> None:
    x = torch.arange(6.0).reshape(2, 3).requires_grad_()
    y = x * 2
    row = y[0]
    row.mul_(3)
    y.detach().add_(1)
    y.data[1] = 0
    (y + x.t().sum()).sum().backward()


def a_leaf_that_is_a_view() -> None:
    w, b = (torch.ones(2).reshape(2, 1).requires_grad_() for _ in range(2))
    for _ in range(2):
        ((w * 2).tanh() + b).sum().backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
            b -= 0.1 * b.grad


def a_parameter_over_a_tensor() -> None:
    memory = torch.ones(2)
    weight = torch.nn.Parameter(memory)
    (weight * 2).sum().backward()
    with torch.no_grad():
        weight += 1
    memory.mul_(2)


def gradients_laid_out_in_two_ways() -> None:
    w, x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True), torch.tensor([1.0, -1.0, 2.0])
    (w @ x + w.t().sum() + w.t()[0].sum()).sum().backward()
    (w.t() @ (w.t() @ (w @ x)).new_ones(2) + w.t().exp().sum() + (w * w).sum()).sum().backward()


def higher_derivatives() -> None:
    x = torch.tensor(1.5, requires_grad=True)
    y = x.tanh() ** 3
    for _ in range(2):
        (y,) = torch.autograd.grad(y, x, create_graph=True)
    y.backward()


def hooks_and_modes() -> None:
    x = torch.ones(2, requires_grad=True)
    y = x * x
    y.register_hook(lambda grad: grad * 2)
    y.retain_grad()
    with torch.no_grad():
        z = y + 1
    (y * z).sum().backward()
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t * 1, lambda t: t):
        (x * x).sum().backward()
    with torch.inference_mode():
        x * x


def large_and_odd() -> None:
    x = torch.ones(40, 40, requires_grad=True)
    y = torch.ones(3, dtype=torch.float64, requires_grad=True)
    n = torch.arange(3) * 2
    ((x * x).mean() + (y * n + y.prod()).sum()).backward()
    torch.nn.functional.linear(y, torch.ones(2, 3, dtype=torch.float64)).sum().backward()


def numpy_looks_on() -> None:
    x = torch.ones(2)
    memory = x.numpy()
    w = torch.ones(2, requires_grad=True)
    memory[0] = 5
    (w * x).sum().backward()


def backward_in_a_hook() -> None:
    x = torch.tensor(2.0, requires_grad=True)
    y = x * x

    def again(grad: Any) -> None:
        with torch.enable_grad():
            (x * x).backward()

    y.register_hook(again)
    y.backward()


def numbers_seen_through_views() -> None:
    whole = torch.arange(3)[1]
    w = torch.ones(2, requires_grad=True)
    (w * whole.float() + torch.ones(1, dtype=torch.float64).view(()).float()).sum().backward()


def of_many_kinds() -> None:
    """What is computed again, and what lies or is made otherwise than the reader would compute it."""
    torch.manual_seed(0)
    w, b = torch.randn(3, 4, requires_grad=True), torch.randn(4, requires_grad=True)
    x, whole, wide = torch.randn(5, 3), torch.arange(4), torch.ones(4, dtype=torch.float64)
    h = (x @ w + b).tanh() @ w.t()
    z = torch.add(h, h, alpha=2) * 0.1 - 3 / (h.exp() + 1) + torch.sub(h, 1, alpha=3) ** 2
    y = (h.sum(0) @ w + whole * b - wide) / whole.clamp(1)
    (y.float() + z.sum() + w.t()[:, 1:].sum(1).sigmoid().mean() + (w * float("nan")).nansum()).sum().backward()
    with torch.no_grad():
        b -= 0.1 * b.grad + b * 2 - whole
        w.t().mul_(3).exp()
        torch.ones(1100, 1).sum(0) * torch.ones(1100, 1)[:, :0] + x.mm(w.detach() * 2).relu().sum()
    torch.nn.functional.dropout(b * 2, 0.5).softmax(0).log().sum().backward()


def laid_out_otherwise() -> None:
    """Sums come out otherwise where memory lies otherwise."""
    torch.manual_seed(0)
    big = torch.randn(20, 30, requires_grad=True)
    ((big.t() * 3).softmax(1) * torch.randn(30, 20)).sum().backward()
    ((big.t() * 3).var(1) * torch.randn(30)).sum().backward()


def made_of_much() -> None:
    w, x = torch.ones(2000, 2, requires_grad=True), torch.linspace(-1, 1, 2000)
    rows = x.reshape(1, -1) @ w
    (rows.tanh() @ torch.ones(2, 2000)[:, :3] + w[0].sum()).sum().backward()


def nodes_that_others_hold() -> None:
    """By name, below another one, as an edge, in a hook over several, or until an error is forgotten; or no longer."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)

    def end(y: Any) -> Any:
        return (y * 2).sum()

    held: list[Any] = [end(x.exp()).grad_fn, end(x * x).grad_fn.next_functions, get_gradient_edge(x + x)]
    y = x.sin() * 3
    y.detach_()
    z = x.cos()
    z._grad_fn = None
    parts = x.exp(), x.tanh()
    handle = register_multi_grad_hook(parts, lambda grads: None)
    end(parts[0] + parts[1]).backward()
    del parts
    handle.remove()
    long = x
    for _ in range(60):
        long = long * x
    kept = long.grad_fn.next_functions[0][0].next_functions[0][0]
    del long
    loss = end(x.sigmoid())
    loss.backward()
    try:
        loss.backward()
    except RuntimeError as error:
        held.append(error)
        del loss
    first, second = (x / 3).unbind()
    del first
    del second, kept
    for _ in held[:]:
        held.pop()


def in_inference_mode() -> None:
    with torch.inference_mode():
        a = torch.ones(2, 2)
        a.add_(1)
        a[0] = 3.0
        a.view(-1).mul_(2)
        torch.relu_(a)


class Silent(torch.autograd.Function):
    """Its gradient is None."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 1

    @staticmethod
    def backward(ctx: Any, grad: Any) -> None:
        return None


def nothing_comes() -> None:
    x, z = (torch.tensor([1.0, 2.0], requires_grad=True) for _ in range(2))
    y = (Silent.apply(x.exp() * z) + x * 2.0).sum()
    y.backward(retain_graph=True)
    y.backward()
    with pytest.raises(RuntimeError, match="a second time"):
        y.backward()


def choices_between_numbers() -> None:
    a = torch.tensor([-1.0, 2.0], requires_grad=True)
    chosen = torch.where(a > 0, 0.25, 0.75)
    (a * chosen + torch.where(a > 0, a, 0.5) + torch.where(a > 0, 1, 2)).sum().backward()


PROGRAMS = [
    of_many_kinds,
    nodes_that_others_hold,
    laid_out_otherwise,
    made_of_much,
    scalars,
    shared_gradients,
    training,
    several_leaves_at_once,
    second_backward,
    changed_in_place,
    views_and_aliases,
    a_leaf_that_is_a_view,
    a_parameter_over_a_tensor,
    gradients_laid_out_in_two_ways,
    higher_derivatives,
    hooks_and_modes,
    large_and_odd,
    numpy_looks_on,
    backward_in_a_hook,
    numbers_seen_through_views,
    in_inference_mode,
    choices_between_numbers,
    nothing_comes,
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_tape_tells_what_a_listener_is_told(program: Callable[[], None]) -> None:
    assert agree(program)


UNARY = ("exp", "tanh", "sigmoid", "relu", "sin", "neg", "clone", "detach", "t", "square", "sum", "contiguous", "mean")
BINARY = ("add", "sub", "mul", "div", "maximum", "matmul")
IN_PLACE = ("add_", "mul_", "sigmoid_", "zero_")
STEPS = st.lists(
    st.tuples(st.sampled_from([*UNARY, *BINARY, *IN_PLACE, "number", "row", "del", "backward", "retain", "grad",
                               "node", "forget"]),
              st.integers(0, 7), st.integers(0, 7)),
    max_size=14,
)  # fmt: skip


def play(steps: list[tuple[str, int, int]]) -> None:
    leaves = [torch.tensor([[0.5, -1.0], [2.0, 1.0]], requires_grad=True), torch.ones(2, 2, requires_grad=True)]
    things = [*leaves, torch.tensor([[1.0, 2.0], [3.0, 4.0]]), leaves[0] * leaves[1]]
    nodes: list[Any] = []
    for what, i, j in steps:
        one, other = things[i % len(things)], things[j % len(things)]
        try:
            if what in UNARY:
                things.append(getattr(one, what)())
            elif what in BINARY:
                things.append(getattr(one, what)(other))
            elif what in IN_PLACE:
                getattr(one, what)(*([other] if what in ("add_", "mul_") else []))
            elif what == "number":
                things.append(one * 2 + 1)
            elif what == "row":
                things.append(one[0])
            elif what == "del" and len(things) > 2:
                del things[2 + i % (len(things) - 2)]
            elif what == "node":
                nodes.append(one.grad_fn if j > 3 else one.grad_fn and one.grad_fn.next_functions[0][0])
            elif what == "forget":
                del nodes[: 1 + j // 4]
            elif what == "grad":
                things.extend(torch.autograd.grad(one.sum(), leaves, create_graph=j > 3, allow_unused=True)[:1])
            elif what != "del":
                one.sum().backward(retain_graph=what == "retain")
        except (RuntimeError, IndexError, TypeError):
            continue
        things = [thing for thing in things if thing is not None]
        one = other = None


@settings(max_examples=60, deadline=None)
@given(STEPS)
def test_any_program_is_told_alike(steps: list[tuple[str, int, int]]) -> None:
    agree(lambda: play(steps))


# ---- lifetimes and numbers


def test_nothing_lives_longer_for_being_watched() -> None:
    gc.disable()
    try:
        with listening(Tape()):
            x = torch.ones(2, 2, requires_grad=True)
            y = (x * x).tanh()
            ref, node = weakref.ref(y), weakref.ref(y.grad_fn)
            array = weakref.ref(y.data_)
            y.sum().backward()
            del y
            assert (ref(), node(), array()) == (None, None, None)
    finally:
        gc.enable()


def test_numbers_are_known_at_once() -> None:
    tape = Tape()
    with listening(tape):
        x = torch.tensor(1.0, requires_grad=True)
        y = x * x
        number = tensor_id(y)
        del y
    flights = Reader(tape).read()
    assert [f[1] for f in flights if f[0] is TensorMade] == [0, number]
    assert (TensorReleased, number) in flights


def test_a_tensor_from_before_is_announced_to_each_tape_anew() -> None:
    x = torch.tensor(2.0, requires_grad=True)
    runs = []
    for _ in range(2):
        tape = Tape()
        with listening(tape):
            x * x
        runs.append([repr(flight) for flight in Reader(tape).read()])
        assert runs[-1][0].count("known before")
    assert [len(run) for run in runs] == [len(runs[0])] * 2


def test_two_tapes_at_a_time_do_not_disturb_each_other() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    outer, inner, other = Tape(), Tape(), Tape()

    def elsewhere() -> None:
        with listening(other):
            (x * x).sum().backward()

    with listening(outer):
        y = x * x
        with listening(inner):
            (y * y).sum().backward()
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        (x * 3).sum().backward()
    for tape in (outer, inner, other):
        flights = Reader(tape).read()
        made = [flight[1] for flight in flights if flight[0] is TensorMade]
        assert sorted(made) == list(range(len(made))) and len(made) > 2


def test_what_is_read_so_far_goes_on() -> None:
    tape = Tape()
    reader = Reader(tape)
    with listening(tape):
        x = torch.tensor(1.0, requires_grad=True)
        y = x * x
        before = len(reader.read())
        y.backward()
        assert len(reader.read()) > before
    assert reader.read() == Reader(tape).read()


def test_values_are_those_of_their_moment() -> None:
    tape = Tape()
    with listening(tape):
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        y = x * 3
        with torch.no_grad():
            y.zero_()
    values = [flight[-1].data for flight in Reader(tape).read() if flight[0] is TensorMade]
    assert [3.0, 6.0] in values
    assert np.array_equal(y.detach().numpy(), [0, 0])


def test_what_a_run_held_goes_when_the_old_state_is_back(monkeypatch: pytest.MonkeyPatch) -> None:
    faults: list[Any] = []
    monkeypatch.setattr("sys.unraisablehook", faults.append)
    tape = Tape()
    with isolated() as state, listening(tape):
        held = torch.ones(2, requires_grad=True)
        tape.tensor(held)
        state.saved_hooks = ((held, held),)
        del held
    assert faults == []
