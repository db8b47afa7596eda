"""What a program's text says on a line."""

import pytest

from gradreel.explain.source import Source


@pytest.mark.parametrize(
    "line, called, text",
    [
        ("loss.backward()", "backward", "loss.backward()"),
        (
            "    mse(hint, goal).backward(retain_graph=True)  # keep",
            "backward",
            "mse(hint, goal).backward(retain_graph=True)",
        ),
        ("(y * torch.ones(2)).sum().backward()", "backward", "(y * torch.ones(2)).sum().backward()"),
        (
            "g, = torch.autograd.grad(y, [x], create_graph=True)",
            "grad",
            "torch.autograd.grad(y, [x], create_graph=True)",
        ),
        ("print(torch.autograd.grad(y, x)[0])", "grad", "torch.autograd.grad(y, x)"),
        (">>> losses[0].backward()", "backward", "losses[0].backward()"),
        ("run(everything)", "backward", "backward()"),
        ("a.b = torch.autograd.grad(" + "x" * 80 + ")", "grad", "torch.autograd.grad(…)"),
    ],
)
def test_the_call_is_quoted(line: str, called: str, text: str) -> None:
    assert Source(line).call_text(1, 1, called) == text


def test_a_statement_over_lines_is_told_on_one() -> None:
    assert Source("f(1,  # one\n  2)\n").text(1, 2) == "f(1, 2)"


def test_loops_are_asked_for_their_names() -> None:
    assert Source("for i, (a, b) in enumerate(pairs):").loop_names(1) == ("i", "a", "b")
    assert Source("while True:").loop_names(1) == ()
