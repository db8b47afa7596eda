"""What the compiled path tells a tape, against the Python that it stands before; and the ledger, against a list."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograd_core import inplace, native
from autograd_core.methods import tracking
from autograd_core.recording import engine
from gradreel import run

pytestmark = pytest.mark.skipif(native.compiled is None, reason="the compiled path was not made")

# ---- a ledger is a list of entries

entry = st.one_of(st.integers(), st.text(max_size=3), st.tuples(st.integers(), st.text(max_size=2)), st.none())
change = st.one_of(
    st.tuples(st.just("append"), entry),
    st.tuples(st.just("extend"), st.lists(entry, max_size=9)),
    st.tuples(st.just("cut"), st.integers(0, 30)),
    st.tuples(st.just("replace"), st.tuples(st.integers(0, 30), st.lists(entry, max_size=5))),
    st.tuples(st.just("clear"), st.none()),
)


def apply(entries: Any, how: str, what: Any) -> None:
    match how:
        case "append":
            entries.append(what)
        case "extend":
            entries.extend(what)
        case "cut":
            del entries[min(what, len(entries)) :]
        case "replace":
            entries[min(what[0], len(entries)) :] = what[1]
        case _:
            entries.clear()


@settings(max_examples=300, deadline=None)
@given(st.lists(change, max_size=25))
def test_a_ledger_is_changed_as_a_list_is(changes: list[tuple[str, Any]]) -> None:
    ledger, plain = native.compiled.Ledger(), []
    for how, what in changes:
        apply(ledger, how, what)
        apply(plain, how, what)
        assert list(ledger) == plain == ledger[:] and len(ledger) == len(plain)
    for at in range(-len(plain), len(plain)):
        assert ledger[at] == plain[at] and ledger[at:] == plain[at:]


def test_it_holds_many_entries_and_lets_go_of_them() -> None:
    ledger, thing = native.compiled.Ledger(), ["held"]
    for _ in range(50_000):
        ledger.append(thing)
    before = sys.getrefcount(thing)
    del ledger[20_000:]
    assert before - sys.getrefcount(thing) == 30_000 and ledger[19_999] is thing
    ledger.append("last")
    assert ledger[20_000] == "last"
    ledger.clear()
    assert before - sys.getrefcount(thing) == 50_000 and not len(ledger)


@pytest.mark.parametrize("wrong", ["ledger[9]", "ledger[-4]", "ledger[::2]", "ledger['a']"])
def test_what_is_not_there_is_an_error(wrong: str) -> None:
    ledger = native.compiled.Ledger()
    ledger.extend("abc")
    with pytest.raises((IndexError, ValueError, TypeError)):
        eval(wrong)


def test_it_is_only_changed_at_its_end() -> None:
    ledger = native.compiled.Ledger()
    ledger.extend("abc")
    for change_ in ("del ledger[0:1]", "ledger[0] = 1", "ledger[0:2] = 'x'"):
        with pytest.raises((IndexError, TypeError)):
            exec(change_)
    assert list(ledger) == ["a", "b", "c"]


# ---- calls, writes and leaves

TRAINING = """
import torch
torch.manual_seed(0)
w = torch.randn(4, 3, requires_grad=True)
b = torch.zeros(3, requires_grad=True)
x = torch.randn(5, 4)
for step in range(3):
    loss = ((x @ w + b) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        b -= 0.1 * b.grad
    w.grad = None
    b.grad = None
"""

PROGRAMS = {
    "training": TRAINING,
    "gradients add up": TRAINING.replace("    w.grad = None\n", ""),
    "gradients are kept elsewhere": TRAINING.replace("    w.grad = None\n", "    kept = w.grad\n    w.grad = None\n"),
    "views of one tensor": TRAINING.replace(
        "torch.randn(4, 3, requires_grad=True)", "torch.randn(12).reshape(4, 3).requires_grad_()"
    ),
    "a view that sees a part": TRAINING.replace(
        "torch.randn(4, 3, requires_grad=True)", "torch.randn(9, 3)[2:6].requires_grad_()"
    ),
    "a second look at the same memory": TRAINING.replace("b = torch", "d = w.detach()\nb = torch"),
    "its memory has an address": TRAINING.replace("b = torch", "p = w.data_ptr()\nb = torch"),
    "larger than a fact holds": TRAINING.replace("4, 3,", "4, 900,").replace("zeros(3,", "zeros(900,"),
    "kept graphs": TRAINING.replace("loss.backward()", "loss.backward(retain_graph=True)\n    loss.backward()"),
    "a second backward": TRAINING.replace("loss.backward()", "loss.backward()\n    loss.backward()"),
    "a write before backward": TRAINING.replace(
        "    loss.back", "    with torch.no_grad():\n        w *= 2\n    loss.back"
    ),
    "a write that grad mode forbids": TRAINING.replace("    loss.back", "    w *= 2\n    loss.back"),
    "a node that fails with leaves done": """
import torch
a = torch.ones(2, requires_grad=True)
b = torch.ones(2, requires_grad=True)
h = a * 2
k = h * b
h += 1
(k.sum() + (a * 3).sum()).backward()
""",
    "shared gradients": """
import torch
a = torch.ones(2, 2, requires_grad=True)
b = torch.ones(2, 2, requires_grad=True)
for _ in range(2):
    (a + b).sum().backward()
print(a.grad is b.grad, a.grad)
""",
    "squares of rows": """
import torch
a = torch.arange(6.0, requires_grad=True)
h = a * 3
(h * h).sum().backward()
(a * a).mean().backward()
print(a.grad)
""",
    "scalars, many leaves": """
import torch
xs = [torch.tensor(float(i), requires_grad=True) for i in range(6)]
total = xs[0]
for x in xs[1:]:
    total = total * x + x
total.backward()
print([x.grad for x in xs])
""",
    "an optimizer": """
import torch
model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
sgd = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(2):
    sgd.zero_grad()
    model(torch.ones(4, 2)).sum().backward()
    sgd.step()
""",
    "a function of its own": """
import torch
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, grad):
        return grad * 2
x = torch.ones(2, requires_grad=True)
(Twice.apply(x * 3) * x).sum().backward()
print(x.grad)
""",
    "grad mode off in a call": """
import torch
x = torch.ones(2, requires_grad=True)
y = (x * x).sum()
with torch.no_grad():
    y.backward()
    x -= x.grad
    x.grad = None
print(x, torch.is_grad_enabled())
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_tells_what_python_tells(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    here = run(PROGRAMS[name]).to_json()
    monkeypatch.setattr(engine, "backward", engine.backward_in_python)
    monkeypatch.setattr(inplace, "written_natively", inplace.not_here)
    monkeypatch.setattr(tracking, "forgotten", tracking.forgotten_in_python)
    assert run(PROGRAMS[name]).to_json() == here


def test_a_step_of_training_is_told_there(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[tuple[str, bool]] = []

    def watched(name: str, function: Any) -> Any:
        def call(*args: Any) -> bool:
            found: bool = function(*args)
            done.append((name, found))
            return found

        return call

    monkeypatch.setattr(engine, "backward", watched("backward", engine.backward))
    monkeypatch.setattr(inplace, "written_natively", watched("write", inplace.written_natively))
    monkeypatch.setattr(tracking, "forgotten", watched("forget", tracking.forgotten))
    run(TRAINING)
    assert done.count(("backward", True)) == 3
    assert done.count(("write", True)) == 4 and done.count(("write", False)) == 4  # the first of each makes its storage
    assert done.count(("forget", True)) == 6


def test_what_goes_begins_nothing() -> None:
    ran, gone = 7, ~7
    assert engine.opens(ran) and engine.opens((ran, None)) and engine.opens((engine.BEGAN, ran, 1))
    assert not engine.opens(gone) and not engine.opens((engine.LEAF, ran, []))
