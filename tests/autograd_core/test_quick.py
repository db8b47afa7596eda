"""The quick engine against the exact one, on graphs that hypothesis draws: the same bits, versions and errors."""

import operator
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import autograd_core as torch
from autograd_core.engine import fast_engine
from autograd_core.engine.state import RESHAPED, irregular, special

UNARY = {
    "neg": lambda a: -a,
    "exp": lambda a: torch.tanh(a).exp(),
    "twice": lambda a: a + a,
    "same": lambda a: a + 0.0,
    "number": lambda a: a * 1.5 - 2,
    "square": lambda a: a**2,
    "t": lambda a: a.t() if a.dim() == 2 else a,
    "row": lambda a: a[0] if a.dim() else a,
    "sum": lambda a: a.sum(),
    "mean": lambda a: a.mean(0) if a.dim() else a,
    "relu": torch.relu,
    "clone": lambda a: a.clone(),
    "max": lambda a: a.max(0).values if a.dim() else a,
    "detach": lambda a: a.detach(),
    "view": lambda a: a.reshape(-1),
    "softmax": lambda a: torch.softmax(a, 0) if a.dim() else a,
}
BINARY = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / (b * b + 1),
    "matmul": lambda a, b: a @ b if a.dim() and b.dim() else a * b,
    "stack": lambda a, b: torch.stack([a, b]),
    "cat": lambda a, b: torch.cat([a, b, a]),
    "maximum": torch.maximum,
    "where": lambda a, b: torch.where(a > 0, a, b),
}
SHAPES = [(), (), (3,), (3,), (1,), (2, 3), (3, 3)]

step = st.tuples(st.sampled_from([*UNARY, *BINARY]), st.integers(0, 30), st.integers(0, 30))
recipe = st.tuples(st.lists(st.integers(0, len(SHAPES) - 1), min_size=1, max_size=4), st.lists(step, max_size=14))


def built(leaves: list[Any], steps: list[tuple[str, int, int]]) -> list[Any]:
    """The tensors that the recipe makes; what does not fit is left out, for either engine alike."""
    made = list(leaves)
    for name, i, j in steps:
        a, b = made[i % len(made)], made[j % len(made)]
        try:
            made.append(UNARY[name](a) if name in UNARY else BINARY[name](a, b))
        except (RuntimeError, IndexError):
            continue
    return made


def fresh(shapes: list[int]) -> list[Any]:
    rng = np.random.default_rng(7)
    leaves = [torch.tensor(rng.normal(size=SHAPES[i]).astype(np.float32).tolist()) for i in shapes]
    for leaf in leaves:
        leaf.requires_grad_()
    return leaves


def told(tensor: Any) -> Any:
    """All that a program can see of a gradient."""
    if tensor is None:
        return None
    data = np.asarray(tensor.data_)
    return (data.shape, str(data.dtype), data.tobytes(), tensor._version, tensor.stride(), tensor._is_view())


ROOTS: dict[str, Callable[[list[Any]], Any]] = {
    "sum": lambda made: sum((m.sum() for m in made[-3:]), torch.tensor(0.0)),
    "one element": lambda made: next((m for m in reversed(made) if m.numel() == 1), made[-1].sum()),
    "an array of one": lambda made: made[-1].sum().reshape(1, 1),
    "of two additions": lambda made: made[-1].reshape(-1)[:1] + made[0].reshape(-1)[:1],
    "double": lambda made: made[-1].sum().double(),
}
"""Where a call starts, of the tensors made."""


def outcome(shapes: list[int], steps: list[tuple[str, int, int]], how: str, root: str) -> Any:
    leaves = fresh(shapes)
    made = built(leaves, steps)
    loss = ROOTS[root](made)
    if not loss.requires_grad:
        return None
    seen: list[Any] = []
    try:
        if how == "grad":
            seen += [told(g) for g in torch.autograd.grad(loss, leaves, allow_unused=True)]
        elif how == "create_graph":
            first = torch.autograd.grad(loss, leaves, create_graph=True, allow_unused=True)
            seen += [(told(g), None if g is None or g.grad_fn is None else g.grad_fn.name()) for g in first]
            again = sum(((g * g).sum() for g in first if g is not None and g.requires_grad), torch.tensor(0.0))
            if again.requires_grad:
                seen += [told(g) for g in torch.autograd.grad(again, leaves, allow_unused=True)]
        else:
            loss.backward(retain_graph=how == "retained")
            seen += [told(leaf.grad) for leaf in leaves]
            made[-1].sum().backward() if made[-1].requires_grad else None
    except RuntimeError as error:
        seen.append(str(error))
    return seen + [told(leaf.grad) for leaf in leaves]


@contextmanager
def exact_only() -> Iterator[None]:
    run, gradients = fast_engine.run, fast_engine.gradients
    fast_engine.run, fast_engine.gradients = lambda *_: False, lambda *_: None  # type: ignore[assignment]
    try:
        yield
    finally:
        fast_engine.run, fast_engine.gradients = run, gradients


@pytest.mark.parametrize("how", ["backward", "retained", "grad", "create_graph"])
@settings(max_examples=150, deadline=None)
@given(recipe, st.sampled_from([*ROOTS]))
def test_both_engines_do_the_same(how: str, recipe: tuple[list[int], list[tuple[str, int, int]]], root: str) -> None:
    with exact_only():
        expected = outcome(*recipe, how, root)
    assert outcome(*recipe, how, root) == expected


def test_the_quick_engine_is_the_one_that_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not special
    irregular.discard(RESHAPED)  # another test may have brought it up
    monkeypatch.setattr(
        "autograd_core.autograd.differentiate.run", None
    )  # the exact engine would be called through this
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (x * x + torch.cat([x, x]).sum()).sum().backward()
    assert x.grad.tolist() == [6.0, 8.0]
    (g,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    assert torch.autograd.grad(g.sum(), x)[0].tolist() == [6.0, 12.0]


@pytest.mark.parametrize("watched", [False, True])
@pytest.mark.parametrize("create_graph", [False, True])
def test_a_gradient_that_is_summed_to_its_shape_was_not_written(watched: bool, create_graph: bool) -> None:
    """As torch counts: it writes the gradients of `maximum`, and makes a new one of that which was broadcast."""
    a, b = torch.tensor([0.1, 0.5], requires_grad=True), torch.tensor(0.3, requires_grad=True)
    largest = torch.maximum(a, b)
    if watched:  # for the exact engine
        largest.register_hook(lambda grad: None)
    found = torch.autograd.grad(largest.sum(), (a, b), create_graph=create_graph)
    assert [grad._version for grad in found] == [1, 0]


def test_hooks_and_custom_functions_are_left_to_the_exact_engine() -> None:
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: Any) -> Any:
            return a * 2

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * 2

    x = torch.tensor(3.0, requires_grad=True)
    seen = []
    y = x * x
    y.register_hook(lambda grad: seen.append(grad.item()))
    assert not fast_engine.run(y.node, 0, np.float32(1), True)
    y.backward()
    assert seen == [1.0]
    assert not fast_engine.run((Twice.apply(x) * 1.0).node, 0, np.float32(1), True)


def test_what_came_for_a_leaf_before_an_error_is_kept() -> None:
    for engine in ("quick", "exact"):
        x, y = (torch.tensor(v, requires_grad=True) for v in (2.0, 3.0))
        inner = y * y
        inner.backward()
        late = x * 1.5 + inner
        if engine == "quick":
            with pytest.raises(RuntimeError, match="second time"):
                late.backward()
        else:
            with exact_only(), pytest.raises(RuntimeError, match="second time"):
                late.backward()
        assert (x.grad.item(), y.grad.item()) == (1.5, 6.0)


def test_a_gradient_is_copied_only_if_another_leaf_still_holds_it() -> None:
    """The versions are torch's: 0 for a gradient taken over, 1 for a copy or a sum written in place."""
    seen = []
    for shape in ((), (3,)):
        a, b = (torch.ones(shape, requires_grad=True) for _ in range(2))
        n, c = -b, a + b
        (((torch.tensor(0.0) + b.sum()) + n.sum()) + c.sum()).backward(retain_graph=True)
        seen.append((a.grad._version, b.grad._version))
        a, b = (torch.ones(shape, requires_grad=True) for _ in range(2))
        (((a + b) * 2).sum() + b.sum()).backward()
        seen.append((a.grad._version, b.grad._version))
    assert seen == [(0, 1), (0, 0), (1, 1), (0, 0)]


def replaced(tensor: Any, shape: tuple[int, ...]) -> None:
    tensor.data = torch.ones(shape)


def resized(tensor: Any, shape: tuple[int, ...]) -> None:
    tensor.resize_(shape)


@pytest.mark.parametrize(
    ("change", "shape", "words"),
    [
        (replaced, (2, 2), "MmBackward0 returned an invalid gradient at index 0 - got [2, 2] but expected shape"),
        (replaced, (4, 2), "MmBackward0 returned an invalid gradient at index 0 - got [2, 4] but expected shape"),
        (resized, (2, 2), "[torch.FloatTensor [2, 2]] is at version 1; expected version 0 instead"),
    ],
)
def test_kept_matrices_of_another_shape_are_noticed(change: Any, shape: tuple[int, ...], words: str) -> None:
    x, c = torch.ones(2, 3, requires_grad=True), torch.ones(3, 2)
    total = (x @ c).sum()
    change(c, shape)
    with pytest.raises(RuntimeError, match=re.escape(words)):
        total.backward()


def test_leaves_that_are_views_of_plain_memory_are_updated_and_used_again() -> None:
    """`_version` and the gradients are torch's."""
    w = torch.zeros(6).reshape(2, 3).requires_grad_()
    (w * 2).sum().backward()
    with torch.no_grad():
        w -= w.grad
    (w * w).sum().backward()
    assert (w._version, w.grad[0].tolist()) == (1, [-2.0, -2.0, -2.0])
    base = torch.zeros(6)
    view = base.reshape(2, 3)
    base.mul_(torch.ones(6, requires_grad=True))
    assert type(view.grad_fn).__name__ == "AsStridedBackward0"


@pytest.mark.parametrize("other", [torch.ones(2), torch.ones(2, 4), torch.ones(3, 2, 1)])
def test_the_operator_of_matrices_takes_what_matmul_takes(other: Any) -> None:
    x = torch.ones(3, 2)
    assert (x @ other).tolist() == torch.matmul(x, other).tolist()
    with torch.no_grad():
        assert (x @ other).tolist() == torch.matmul(x, other).tolist()


@pytest.mark.parametrize("function", [operator.mul, operator.matmul, operator.truediv, torch.atan2])
@pytest.mark.parametrize("written", [0, 1])
@pytest.mark.parametrize("wanted", [0, 1])
def test_what_is_kept_for_a_gradient_that_nobody_wants_is_checked_too(function: Any, written: int, wanted: int) -> None:
    leaves = [torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True) for _ in range(2)]
    operands = [leaf * 1 for leaf in leaves]
    result = function(*operands).sum()
    with torch.no_grad():
        operands[written].add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        torch.autograd.grad(result, [leaves[wanted]])


@pytest.mark.parametrize("number", [0.01, 2, 0.0, -0.0, -3, 1e300, float("inf"), float("nan")])
def test_an_array_beside_a_number_gives_the_bits_that_numpy_gives(number: float) -> None:
    values = np.array([[1.5, -2.0, 0.0], [-0.0, 4.0, np.inf]], np.float32)
    with np.errstate(all="ignore"):
        expected = [values * number, number * values, values > number, values == number]
        expected += [values / number] if number else []
    x = torch.from_numpy(values.copy()).requires_grad_()
    got = [x * number, number * x, x > number, x == number] + ([x / number] if number else [])
    assert [t.detach().numpy().tobytes() for t in got] == [np.asarray(array).tobytes() for array in expected]
    got[0].sum().backward()
    assert x.grad.numpy().tobytes() == (np.ones_like(values) * number).tobytes()


HELD = {
    "by nobody": lambda h: None,
    "by name": lambda h: h,
    "by a view": lambda h: h[0],
    "detached": lambda h: h.detach(),
    "by numpy": lambda h: h.detach().numpy(),
    "by what numpy takes of it": lambda h: h.detach().numpy()[1:],
    "by another node": lambda h: h * h,
    "by a saved tensor": lambda h: h.grad_fn._saved_result,
}


@pytest.mark.parametrize("shape", [(2, 3), (160, 130)])
@pytest.mark.parametrize("how", HELD)
def test_a_result_that_anything_else_holds_is_not_written_over(how: str, shape: tuple[int, int]) -> None:
    x = torch.linspace(-2, 2, shape[0] * shape[1]).reshape(shape).requires_grad_()
    expected = np.tanh(x.detach().numpy().astype(np.float64))
    h = torch.tanh(x * 1.0)
    held, total = HELD[how](h), (h * torch.full(shape, 2.0)).sum()
    before = None if held is None else np.array(getattr(held, "data_", held))
    total.backward(retain_graph=True)
    again = torch.tanh(x * 1.0).detach().numpy()
    np.testing.assert_array_equal(h.detach().numpy(), again)
    del h, again
    total.backward()
    if held is not None:
        np.testing.assert_array_equal(np.array(getattr(held, "data_", held)), before)
    np.testing.assert_allclose(x.grad.numpy(), 4 * (1 - expected**2), rtol=1e-3, atol=1e-5)


def test_memory_that_a_result_shares_is_not_written_over() -> None:
    whole = np.ones((2, 3), np.float32)
    leaf = torch.full((3,), 0.5, requires_grad=True)
    row = torch.from_numpy(whole[0])
    row.mul_(leaf)
    row.tanh_()
    total = (row * torch.ones(3)).sum()
    del row
    total.backward()
    np.testing.assert_array_equal(whole[0], torch.tanh(leaf).detach().numpy())
    np.testing.assert_allclose(leaf.grad.numpy(), 1 - whole[0] ** 2, rtol=1e-5)
