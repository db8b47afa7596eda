"""A typed expression becomes a program: its free names get values that work, and the result goes backward."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradreel.interpreter import Leaf, hint_for, propose_expression, run
from gradreel.interpreter.expression import FUNCTIONS
from gradreel.interpreter.notation import Unreadable, read_notation
from gradreel.trace import Trace

TABLE = Path(__file__).parent.parent / "data" / "formulas.txt"
FORMULAS = {
    row[0]: row[1:]
    for line in TABLE.read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
    for row in [line.split("  ⇒  ")]
}
PIECES = "x y 2 .5 sin ln max( ( ) | || ‖ ^ ** ² ᵀ ⁻¹ + - * / · , = [ ] √ ! e A T ' . < ≥ π f( log_2 {".split()

SHAPES: dict[str, dict[str, tuple[int, ...]]] = {
    "sin(x*y) + x**2": {"x": (), "y": ()},
    "torch.exp(-a*x)": {"a": (), "x": ()},
    "relu(W @ v).sum()": {"W": (2, 3), "v": (3,)},
    "W @ v": {"W": (2, 3), "v": (3,)},
    "tanh(W1 @ relu(W0 @ x + b0) + b1).sum()": {"W1": (2, 3), "W0": (3, 3), "x": (3,), "b0": (), "b1": ()},
    "x.sum(dim=1)": {"x": (2, 3)},
    "x[0] * x[1]": {"x": (3,)},
    "u @ v": {"u": (3,), "v": (3,)},
    "mse_loss(guess, wanted)": {"guess": (), "wanted": ()},
    "z = x * pi": {"x": ()},
}

NO_EXPRESSIONS = (
    "",
    "import torch",
    "x = 3",
    "print(x)",
    "x +",
    "1 + 2",
    "foo(x)",
    "x = 1\ny = 2",
    "[a for a in x]",
    "open(x)",
    "exit(x)",
)


def shape(value: object) -> tuple[int, ...]:
    return (len(value), *shape(value[0])) if isinstance(value, list) else ()


@pytest.mark.parametrize("text", SHAPES)
def test_free_names_become_leaves_with_values_that_work(text: str) -> None:
    expression = propose_expression(text)
    assert expression is not None
    assert [(leaf.name, shape(leaf.value)) for leaf in expression.leaves] == list(SHAPES[text].items())
    assert run(expression.source).outcome.kind == "finished"


@pytest.mark.parametrize("text", NO_EXPRESSIONS)
def test_a_program_is_no_expression(text: str) -> None:
    assert propose_expression(text) is None


@pytest.mark.parametrize("text", FORMULAS)
def test_a_formula_is_read_as_it_was_meant(text: str) -> None:
    expression, told = propose_expression(text), FORMULAS[text]
    if expression is None:
        hint = hint_for(text)
        assert told == ["none", *([hint.sentence, *hint.offers] if hint is not None else [])]
        return
    leaves = [leaf.name + "".join(str(list(shape(leaf.value))).split()).replace("[]", "") for leaf in expression.leaves]
    assert [expression.formula, ", ".join(leaves)] == told
    assert run(expression.source).outcome.kind == "finished"


def test_what_is_offered_in_its_place_can_be_run() -> None:
    for text in FORMULAS:
        expression, hint = propose_expression(text), hint_for(text)
        for offer in (*(expression.offers if expression else ()), *(hint.offers if hint else ())):
            offered = propose_expression(offer)
            assert offered is not None and run(offered.source).outcome.kind == "finished", (text, offer)


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
@settings(max_examples=300, deadline=None)
def test_whatever_is_typed_is_read_or_refused(text: str) -> None:
    try:
        reading = read_notation(text, FUNCTIONS)
    except Unreadable:
        return
    assert ast.unparse(reading.tree)


def test_what_goes_too_deep_is_refused() -> None:
    assert propose_expression("(" * 240 + "x²" + ")" * 240) is None


def test_the_source_reads_like_a_program() -> None:
    expression = propose_expression("sin(x*y) + x**2")
    assert expression is not None
    assert expression.source == (
        "import torch\n\n"
        "x = torch.tensor(2.0, requires_grad=True)\n"
        "y = torch.tensor(3.0, requires_grad=True)\n"
        "result = torch.sin(x * y) + x ** 2\n"
        "result.backward()\n"
    )


def test_a_result_that_is_no_scalar_goes_backward_with_ones_and_says_so() -> None:
    expression = propose_expression("relu(W @ v)")
    assert expression is not None and expression.ones
    assert "result.backward(torch.ones_like(result))  # not a scalar" in expression.source


def test_values_can_be_given() -> None:
    expression = propose_expression("a * b")
    assert expression is not None and expression.leaves[0] == Leaf("a", 2.0)
    program = expression.program({"a": 7.5})
    assert "a = torch.tensor(7.5, requires_grad=True)" in program and "b = torch.tensor(3.0" in program
    trace: Trace = run(program)
    assert trace.outcome.kind == "finished"
