"""Order of execution, lifetimes, depth, hooks, views and custom functions: facts measured on torch."""

import gc
import warnings
import weakref
from typing import Any

import pytest

import autograd_core as torch
from autograd_core import events
from autograd_core.engine.state import isolated
from autograd_core.events.recording import Reader, Tape
from autograd_core.events.session import listening

Function = torch.autograd.Function


def leaves(count: int) -> list[Any]:
    return [torch.ones(2, requires_grad=True) for _ in range(count)]


# ---- order

TIES = {3: [0, 1, 2], 4: [0, 2, 1, 3], 5: [0, 2, 4, 1, 3], 6: [0, 2, 5, 4, 1, 3]}


@pytest.mark.parametrize("count", TIES)
def test_leaves_that_are_ready_together_go_in_the_order_of_a_heap(count: int) -> None:
    order: list[int] = []
    made = leaves(count)
    for i, leaf in enumerate(made):
        leaf.register_hook(lambda grad, i=i: order.append(i))
    torch.stack(made).sum().backward()
    assert order == TIES[count]


def test_the_node_made_last_runs_first_whatever_the_order_of_roots() -> None:
    order = []
    a = torch.ones(2, requires_grad=True)
    first, second = a.exp().sum(), a.sin().sum()
    for name, root in (("first", first), ("second", second)):
        root.grad_fn.register_prehook(lambda grads, name=name: order.append(name))
    torch.autograd.backward([first, second])
    assert order == ["second", "first"]


def test_gradients_are_added_in_order_of_arrival() -> None:
    a = torch.tensor(1.0, requires_grad=True)
    (a * -1e8 + a * 1.0 + a * 1e8).backward()
    one_by_one = (torch.tensor(1e8) + torch.tensor(1.0)) + torch.tensor(-1e8)
    assert a.grad.item() in (one_by_one.item(), 1.0)


# ---- depth and lifetimes


def test_a_chain_of_200000_operations_runs_backward_and_is_released() -> None:
    a = torch.tensor(1.0, requires_grad=True)
    x = a
    for _ in range(200_000):
        x = x + 0.5
    x.backward()
    assert a.grad.item() == 1.0
    node = weakref.ref(x.grad_fn)
    del x
    assert node() is None


def test_graphs_are_freed_by_reference_counting_alone() -> None:
    a = torch.ones(3, requires_grad=True)
    gc.disable()
    try:
        y = (a.exp() * a).sum()
        nodes = [weakref.ref(y.grad_fn), weakref.ref(y.grad_fn.next_functions[0][0])]
        y.backward()
        del y
        assert [node() for node in nodes] == [None, None]
    finally:
        gc.enable()


def test_the_accumulator_lives_as_long_as_a_graph_uses_it() -> None:
    a = torch.ones(2, requires_grad=True)
    y = a * 2
    accumulator = weakref.ref(y.grad_fn.next_functions[0][0])
    assert (a + 1).grad_fn.next_functions[0][0] is accumulator()
    del y
    assert accumulator() is None


def test_a_saved_result_is_a_new_tensor_each_time_with_the_same_memory() -> None:
    y = torch.ones(2, requires_grad=True).exp()
    assert y.grad_fn._saved_result is not y.grad_fn._saved_result
    assert y.grad_fn._saved_result.data_ptr() == y.data_ptr()


# ---- what frees


def test_only_nodes_that_keep_something_fail_the_second_time() -> None:
    a = torch.ones(2, requires_grad=True)
    linear, product = (a + 2).sum(), (a * 2).sum()
    linear.backward()
    linear.backward()
    product.backward()
    with pytest.raises(RuntimeError, match="a second time"):
        product.backward()


def test_a_graph_is_freed_node_by_node() -> None:
    a = torch.ones(2, requires_grad=True)
    b = a * a
    y = (b * b).sum()
    torch.autograd.grad(y, b)
    assert b.grad_fn._saved_self is a
    with pytest.raises(RuntimeError, match="a second time"):
        _ = y.grad_fn.next_functions[0][0]._saved_self


# ---- hooks


def test_hooks_run_in_the_order_of_torch() -> None:
    order: list[str] = []
    a = torch.ones(2, requires_grad=True)
    b = a * 2
    b.retain_grad()
    b.register_hook(lambda grad: order.append("tensor") or grad * 10)
    b.grad_fn.register_prehook(lambda grads: order.append("pre"))
    b.grad_fn.register_hook(lambda given, grads: order.append("post"))
    a.register_hook(lambda grad: order.append("leaf"))
    a.register_post_accumulate_grad_hook(lambda leaf: order.append("accumulated"))
    b.sum().backward()
    assert order == ["tensor", "pre", "post", "leaf", "accumulated"]
    assert b.grad.tolist() == [10.0, 10.0]
    assert a.grad.tolist() == [20.0, 20.0]


def test_saved_tensors_go_through_hooks() -> None:
    packed: list[Any] = []
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: packed.append(t) or len(packed) - 1, lambda i: packed[i]):
        y = (a * a).sum()
    y.backward()
    assert len(packed) == 2
    assert a.grad.tolist() == [2.0, 4.0]


# ---- in place and views


def test_writing_into_a_view_gives_the_base_a_copy_slices() -> None:
    a = torch.arange(4.0, requires_grad=True)
    b = a.clone()
    v = b[1:3]
    v.mul_(10)
    assert [n.name() for n, _ in b.grad_fn.next_functions if n] == ["CloneBackward0"]
    assert (type(b.grad_fn).__name__, type(v.grad_fn).__name__) == ("CopySlices", "AsStridedBackward0")
    b.sum().backward()
    assert a.grad.tolist() == [1.0, 10.0, 10.0, 1.0]


@pytest.mark.parametrize("write", ["b.add_(1)", "b[0] = 5.0", "b.detach().zero_()", "b += 1"])
def test_a_saved_tensor_written_in_place_is_noticed(write: str) -> None:
    a = torch.ones(2, requires_grad=True)
    b = a * 1
    y = (b * b).sum()
    exec(write)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


def test_a_write_through_data_is_not_noticed() -> None:
    a = torch.ones(2, requires_grad=True)
    y = (a * a).sum()
    a.data.mul_(3)
    y.backward()
    assert (a._version, a.grad.tolist()) == (0, [6.0, 6.0])


# ---- custom functions and higher derivatives


class Cube(Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        (x,) = ctx.saved_tensors
        return grad * 3 * x**2


def test_a_custom_function_can_be_differentiated_twice() -> None:
    x = torch.tensor(2.0, requires_grad=True)
    (first,) = torch.autograd.grad(Cube.apply(x), x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    assert (first.item(), second.item()) == (12.0, 12.0)


def test_the_eighth_derivative_of_the_seventh_power_is_zero() -> None:
    x = torch.tensor(1.5, dtype=torch.float64, requires_grad=True)
    y = x**7
    for _ in range(7):
        (y,) = torch.autograd.grad(y, x, create_graph=True)
    assert y.item() == 5040.0
    (y,) = torch.autograd.grad(y, x, create_graph=True)
    assert (y.item(), y.requires_grad) == (0.0, False)


def test_gradients_under_create_graph_are_copied_then_added_anew() -> None:
    a = torch.ones(2, requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (a * a).sum().backward(create_graph=True)
        first = a.grad
        (a * a).sum().backward(create_graph=True)
    assert (type(first.grad_fn).__name__, type(a.grad.grad_fn).__name__) == ("CopyBackwards", "AddBackward0")
    a.grad = None


# ---- telling


def test_a_small_program_is_told_in_order() -> None:
    tape = Tape()
    with isolated(), listening(tape):
        a = torch.tensor(3.0, requires_grad=True)
        y = a * a
        y.backward()
        del y
    told = Reader(tape).read()
    names = [flight[0].__name__ for flight in told]
    expected = ["TensorMade", "NodeMade", "NodeMade", "TensorSaved", "TensorSaved", "TensorMade", "BackwardStarted"]
    assert names[: len(expected)] == expected
    assert names.index("SlotRead") < names.index("NodeRan") < names.index("SlotFreed") < names.index("GradStored")
    assert names.index("BackwardFinished") < names.index("TensorReleased") < names.index("NodeReleased")
    assert all(isinstance(events.Event.of(flight), events.Event) for flight in told)


def test_nobody_hears_what_is_done_outside() -> None:
    tape = Tape()
    with isolated(), listening(tape):
        pass
    torch.ones(2, requires_grad=True).sum().backward()
    assert Reader(tape).read() == []
