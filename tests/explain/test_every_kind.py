"""Each kind of beat told once, on events put together by hand."""

import re

import pytest

from gradreel.explain import sentences
from gradreel.explain.narration.sentences import TELL
from gradreel.interpreter import Limits, run
from gradreel.trace import events as e
from tests.small_programs import SMALL, mul
from tests.tape import Tape, value

SOURCE = """\
w = leaf()
y = f(w)
del y
w.requires_grad_(False)
w.data.mul_(2)
g, = torch.autograd.grad(y, w)
print(g)
"""


def told() -> list[tuple[str, str]]:
    tape = Tape(SOURCE)
    w = tape.leaf(3.0)
    tape.bind("w", w)
    tape.line(2)
    tape.emit((e.FunctionEntered, "f", 1, 2))
    tape.bind("value", w, scope=1)
    y = mul(tape, w, w)
    tape.emit((e.FunctionLeft, 1))
    tape.emit((e.NameUnbound, "value", 1))
    tape.bind("y", y)
    assert y.node is not None
    tape.line(6)
    tape.emit((e.BackwardStarted, 1, "grad", (y.number,), (y.node.number,), True, True, (w.number,), None))
    tape.emit((e.HookRan, "tensor", y.node.number, None, value(1.0), value(2.0)))
    tape.emit((e.HookRan, "tensor", y.node.number, w.number, value(2.0), None))
    tape.emit((e.Recomputed, y.node.number))
    made = mul(tape, w, w)
    tape.emit((e.GradStored, 1, y.number, "retained", made.number, None, value(2.0), value(2.0)))
    tape.emit((e.BackwardFinished, 1))
    tape.emit((e.GradCaptured, 1, 0, w.number, value(12.0)))
    tape.line(3)
    tape.emit((e.NameUnbound, "y", 0))
    tape.line(4)
    tape.emit((e.FlagChanged, w.number, False))
    tape.line(5)
    tape.write(w, "mul_", 6.0, counted=False)
    tape.emit((e.Warned, "UserWarning", "Mind this. And more.", 6))
    tape.emit((e.Raised, "ValueError", "no good", 6, True, ()))
    tape.line(7)
    tape.emit((e.OptimizerStepped, "SGD", "began"))
    tape.emit((e.OptimizerStepped, "SGD", "ended"))
    tape.emit((e.BackwardStarted, 2, "backward", (w.number,), (), False, False, (), None))
    tape.emit((e.BackwardFailed, 2, None, "RuntimeError", "no way"))
    tape.emit((e.Stopped, "steps", 100, 7))
    return [(beat.kind, sentence) for beat, sentence in sentences(tape.trace())]


EXPECTED = {
    "function_entered": "Line 2: `f` is called; inside, `value` is `w`.",
    "function_left": "`f` returns, and its own names are gone.",
    "backward_started": "Line 6: `torch.autograd.grad(y, w)` starts at **MulBackward0 #0**; with `create_graph`, it "
    "is recorded too.",
    "grad_captured": "`autograd.grad` hands back 12.0 for `w`; no `.grad` is touched.",
    "name_unbound": "Line 3: `y` is gone; what only that name held goes with it.",
    "flag_changed": "Line 4: `w` no longer requires a gradient: what is computed from it goes unrecorded.",
    "written": "Line 5: `w.data.mul_(2)` writes into `w` in place: it is now 6.0; its version stays 0, so "
    "autograd cannot notice.",
    "warned": "PyTorch warns: “Mind this”.",
    "raised": "Line 6 raises ValueError: “no good”; the program catches it.",
    "optimizer_stepped": "Line 7: `SGD` takes a step, but no parameter has a gradient.",
    "backward_refused": "`backward()` cannot start. PyTorch raises “no way”.",
    "stopped": "The run is stopped on line 7: it may use 100 steps.",
}


@pytest.mark.parametrize("kind", EXPECTED)
def test_a_kind_has_its_words(kind: str) -> None:
    assert EXPECTED[kind] in dict(told()).values()


def test_a_run_that_was_stopped_says_what_it_may_use() -> None:
    *_, (_, sentence) = sentences(run("x = 1\nwhile True:\n    x = -x\n", limits=Limits(steps=50_000)))
    assert re.fullmatch(r"Line (\d): the run is stopped( on line (?!\1)\d)?: it may use 50,000 steps\.", sentence)


def test_what_is_other_here_is_no_warning_of_pytorch() -> None:
    told = [sentence for _, sentence in sentences(run("import torch\nx = torch.ones(2).cuda()\n"))]
    assert "Line 2: Gradreel says: “There is no GPU here: everything stays on the CPU”." in told


def test_all_kinds_are_tried_somewhere() -> None:
    kinds = {kind for kind, _ in told()}
    for make in SMALL.values():
        kinds |= {beat.kind for beat, _ in sentences(make())}
    assert kinds == set(TELL)


def test_all_of_it_is_sentences() -> None:
    for _, sentence in told():
        assert re.match(r"[A-Z`*]", sentence) and "None" not in sentence and "{" not in sentence, sentence
