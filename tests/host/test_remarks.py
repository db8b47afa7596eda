"""What is said beside the editor of a program that was pasted."""

import json

import pytest

from gradreel.host.work import remarks, split_reply, work
from gradreel.interpreter import paste, run

CASES = [
    ("import torch\nprint(torch.ones(2))", []),
    ("!ls\nprint(1)", ["Line 1: `!ls` is for IPython or the shell, and was left out"]),
    (
        "import torch\nfor i in range(3):\n    x = torch.ones(2).cuda()",
        [
            "Line 3: There is no GPU here: everything stays on the CPU. Random numbers drawn on a GPU would be others.",
        ],
    ),
    ("import torch\ndevice = 'cuda' if torch.cuda.is_available() else 'cpu'\nx = torch.ones(2, device=device)", []),
]


@pytest.mark.parametrize(("source", "said"), CASES)
def test_what_was_left_out_and_what_is_other_here_is_said_once(source: str, said: list[str]) -> None:
    assert remarks(run(source), paste(source)) == said


FORMULAS = {
    "3xy": (True, ["Read as `3 * x * y`."], []),
    "A^T b": (True, ["Read as `A.T @ b`."], ["(A^T b)[0]"]),
    "(x+1": (True, ["Read as `x + 1`.", "A `)` was missing at the end."], []),
    "sin x": (True, ["Read as `sin(x)`."], []),
    "x^2 = y": (False, ["An equation has no slope; the difference of its sides has."], ["x^2 - (y)"]),
    "RuntimeError: x^2": (False, [], []),
    "What is x^2?": (False, [], []),
}


@pytest.mark.parametrize("text", FORMULAS)
def test_how_a_formula_was_read_is_said_and_what_else_may_be_meant(text: str) -> None:
    head, _, _ = split_reply(work(json.dumps({"source": text}).encode()))
    assert (head["expression"], head["remarks"], head["offers"]) == FORMULAS[text]
