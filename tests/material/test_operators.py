"""The catalogue says of each operator what the engine does: its miniature reaches it, a second backward too."""

import re

import pytest

from autograd_core.dispatch.registry import TABLE
from gradreel.interpreter import run
from gradreel.material.formula_words import in_words
from gradreel.material.operators import Entry, operators
from gradreel.trace import events as e

CHUNK = 28
SECOND = "Trying to backward through the graph a second time"


def twice(source: str) -> str:
    """The program with its last backward called a second time, where it ends with one of `y.sum()`."""
    return source.replace("y.sum().backward()\n", "z = y.sum()\nz.backward()\nz.backward()\n")


def complaint(entry: Entry) -> str | None:
    """What is wrong with an entry, by its run."""
    trace = run(twice(entry.source))
    made = {event.op: event.name for event in trace.events if isinstance(event, e.NodeMade)}
    reached = set(made) | {event.op for event in trace.events if isinstance(event, e.TensorMade)}
    if entry.name not in reached or (entry.node and entry.name not in made):
        return f"{entry.name} is not reached: {trace.outcome}"
    if entry.node and entry.node not in (made[entry.name], "NotImplemented"):
        return f"{entry.name} is {made[entry.name]}, not {entry.node}"
    others = set(made) - {entry.name, "sum", "AccumulateGrad"}
    if others or "z.backward()" not in twice(entry.source) or entry.again == "depends":
        return None
    raised = SECOND in (trace.outcome.message or "")
    return f"{entry.name}: a second backward, {entry.again}" if raised is not (entry.again == "never") else None


@pytest.mark.parametrize("start", range(0, len(TABLE), CHUNK))
def test_the_miniatures_reach_their_operators_and_show_a_second_backward(start: int) -> None:
    found = [complaint(entry) for entry in operators()[start : start + CHUNK]]
    assert [text for text in found if text] == []


def test_every_operator_of_the_engine_is_there_with_words_for_each_gradient() -> None:
    assert [entry.name for entry in operators()] == list(TABLE)
    for entry in operators():
        assert (entry.node is None) == (not entry.ways)
        for way in entry.ways:
            assert way.formula and way.words and "{" not in way.words, entry.name


def test_when_something_is_kept_is_what_the_engine_does() -> None:
    """mul keeps a factor only for the gradient of the other; exp keeps its result in any case."""
    found = {entry.name: {kept.name: kept.when for kept in entry.kept} for entry in operators()}
    assert found["mul.Tensor"] == {"other": ("self",), "self": ("other",)}
    assert found["exp"] == {"result": ()}
    assert {
        entry.name: entry.again for entry in operators() if entry.name in ("add.Tensor", "mul.Tensor", "eq.Tensor")
    } == {
        "add.Tensor": "always",
        "mul.Tensor": "never",
        "eq.Tensor": "none",
    }


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        ("grad * other", "`grad` times `other`"),
        ("grad * (1 - result * result)", "`grad` times (`1` minus `result` times `result`)"),
        ("-grad / self", "minus `grad` divided by `self`"),
        ("expand(grad, self_sym_sizes)", "`grad`, spread to the sizes of `self`"),
        (
            "where(self > 0, grad, zeros_as(grad))",
            "`grad` where `self` is greater than `0`, else zeros in the shape of `grad`",
        ),
        ("f(grads[0], dim, keepdim=True)", "`f` of `grads[0]`, `dim` and keepdim `True`"),
        ("grad if dim is None else g(grad)", "`grad` if `dim` is `None`, else `g` of `grad`"),
        ("grad.reshape(self.shape)", "`grad`, reshaped to the shape of `self`"),
        ("[a, b]", "`[a, b]`"),
        ("rsqrt(self + 1)", "`rsqrt` of (`self` plus `1`)"),
    ],
)
def test_a_formula_is_read_aloud(formula: str, words: str) -> None:
    assert in_words(formula) == words


def test_a_miniature_begins_with_its_imports() -> None:
    for entry in operators():
        assert entry.source.startswith("import torch\n")
        assert bool(re.search(r"\bF\.", entry.source)) == ("functional as F" in entry.source)
