"""Traces of small programs, told by the tape: what trace, explain and scene are tried on without an engine."""

from __future__ import annotations

from dataclasses import replace
from math import exp
from pathlib import Path

from gradreel.trace import Trace
from gradreel.trace.skipping import Skipping

from .tape import Tape, Tensor, times

DIAMOND = """\
import torch
a = torch.tensor(2., requires_grad=True)
b = a * a
c = b.exp()
d = b + c
d.backward()
print(a.grad)
"""


def mul(tape: Tape, one: Tensor, two: Tensor) -> Tensor:
    return tape.op(
        "MulBackward0",
        "mul.Tensor",
        [one, two],
        one.data * two.data,
        lambda grad: (grad * two.data, grad * one.data),
        {"self": one, "other": two},
    )


def plus(tape: Tape, one: Tensor, two: Tensor) -> Tensor:
    both = (
        [left + right for left, right in zip(one.data, two.data, strict=True)]
        if isinstance(one.data, list)
        else (one.data + two.data)
    )
    return tape.op("AddBackward0", "add.Tensor", [one, two], both, lambda grad: (grad, grad), values={"alpha": "1"})


def diamond() -> Trace:
    tape = Tape(DIAMOND)
    a = tape.assign(2, "a", Tape.leaf, 2.0)
    b = tape.assign(3, "b", mul, a, a)
    tape.line(4)
    c = tape.op("ExpBackward0", "exp", [b], exp(4), lambda grad: (grad * exp(4),), {"result": None})
    tape.bind("c", c)
    d = tape.assign(5, "d", plus, b, c)
    tape.line(6)
    tape.backward(d)
    tape.line(7)
    tape.printed("tensor(222.3926)\n")
    return tape.trace()


SHARED = (Path(__file__).parent / "data" / "golden" / "shared_in_a_loop.py").read_text(encoding="utf-8")


def mv(tape: Tape, matrix: Tensor, vector: Tensor) -> Tensor:
    rows, column = matrix.data, vector.data

    def pull(grad: list[float]) -> tuple[list[list[float]], list[float]]:
        outer = [[g * v for v in column] for g in grad]
        return outer, [sum(rows[i][j] * grad[i] for i in range(2)) for j in range(2)]

    product = [sum(r * v for r, v in zip(row, column, strict=True)) for row in rows]
    return tape.op("MvBackward0", "mv", [matrix, vector], product, pull, {"self": matrix, "vec": vector})


def shared_in_a_loop() -> Trace:
    """The shared `y = t @ a`: the second backward meets its freed node."""
    tape = Tape(SHARED)
    x = tape.assign(2, "x", Tape.tensor, [1.0, 0.0])
    t = tape.assign(3, "t", Tape.leaf, [[1.0, 0.0], [0.0, 1.0]])
    a = tape.assign(4, "a", Tape.leaf, [1.0, 1.0])
    y = tape.assign(5, "y", mv, t, a)
    old_out = old_loss = None
    old_nodes: list[object] = []
    for turn in (1, 2):
        tape.line(7, loops=((7, turn, 2),))
        tape.bind("step", str(turn - 1))
        tape.line(8)
        moved = plus(tape, x, y)
        out = mv(tape, t, moved)
        tape.bind("out", out)
        if old_out is not None:
            tape.release(old_out)
        tape.line(9)
        off = tape.op(
            "SubBackward0",
            "sub.Tensor",
            [out, x],
            [o - i for o, i in zip(out.data, x.data, strict=True)],
            lambda grad: (grad, None),
            values={"alpha": "1"},
        )
        square = tape.op(
            "PowBackward0",
            "pow.Tensor_Scalar",
            [off],
            [o * o for o in off.data],
            lambda grad, off=off: ([2 * g * o for g, o in zip(grad, off.data, strict=True)],),
            {"self": off},
            {"exponent": "2"},
        )
        loss = tape.op(
            "MeanBackward0",
            "mean",
            [square],
            sum(square.data) / 2,
            lambda grad: (times(grad / 2, [1.0, 1.0]),),
            values={"self_sym_numel": "2", "self_sym_sizes": "(2,)"},
        )
        tape.release(square)
        tape.bind("loss", loss)
        if old_loss is not None:
            tape.release(old_loss, *old_nodes)  # type: ignore[arg-type]
        tape.line(10)
        if not tape.backward(loss):
            break
        old_out, old_loss = out, loss
        old_nodes = [loss.node, square.node, off.node, out.node, moved.node]
    return tape.trace()


TRAINING = """\
import torch
w = torch.tensor(1., requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for step in range({turns}):
    loss = w * w
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(w.item())
"""


def training(turns: int = 3) -> Trace:
    from autograd_core import events as e
    from gradreel.trace import events as p

    from .tape import value

    tape = Tape(TRAINING.format(turns=turns))
    w = tape.assign(2, "w", Tape.leaf, 1.0)
    tape.line(3)
    tape.bind("opt", "SGD(lr=0.1)")
    old: Tensor | None = None
    for turn in range(1, turns + 1):
        tape.line(4, loops=((4, turn, turns),))
        tape.bind("step", str(turn - 1))
        loss = tape.assign(5, "loss", mul, w, w)
        if old is not None and old.node is not None:
            tape.release(old, old.node)
        old = loss
        tape.line(6)
        if w.grad is not None:
            tape.emit((e.GradStored, None, w.number, "assigned", None, value(w.grad), None, None))
            tape.release(tape.accumulated)
            w.grad = None
        tape.line(7)
        tape.backward(loss)
        tape.line(8)
        tape.emit((p.OptimizerStepped, "opt", "began"))
        tape.write(w, "sub_", w.data - 0.1 * w.grad)
        tape.emit((p.OptimizerStepped, "opt", "ended"))
        tape.line(9)
        tape.printed(f"{w.data:.4f}\n")
    return tape.trace()


def turns_skipped() -> Trace:
    """The same with eight turns, of which six are left out."""
    whole = training(8)
    shorter = Skipping(whole.events).within(len(whole.events) - 1, turns=1)
    assert shorter is not None
    return replace(whole, events=tuple(shorter))


MODIFIED = """\
import torch
a = torch.tensor(3., requires_grad=True)
b = a * a
c = b * b
b += 1
b.mul_(2)
c.backward()
"""


def saved_modified() -> Trace:
    """`b` is kept by line 4 and written twice before backward asks for it."""
    tape = Tape(MODIFIED)
    a = tape.assign(2, "a", Tape.leaf, 3.0)
    b = tape.assign(3, "b", mul, a, a)
    c = tape.assign(4, "c", mul, b, b)
    tape.line(5)
    tape.write(b, "add_", 10.0)
    tape.bind("b", b)
    tape.line(6)
    tape.write(b, "mul_", 20.0)
    tape.line(7)
    tape.backward(c)
    return tape.trace()


TWO_CALLS = """\
import torch
a = torch.tensor(3., requires_grad=True)
b = a * a
b.backward(retain_graph=True)
b.backward()
"""


def accumulation() -> Trace:
    tape = Tape(TWO_CALLS)
    a = tape.assign(2, "a", Tape.leaf, 3.0)
    b = tape.assign(3, "b", mul, a, a)
    tape.line(4)
    tape.backward(b, retain=True)
    tape.line(5)
    tape.backward(b)
    return tape.trace()


SMALL = {
    "diamond": diamond,
    "shared_in_a_loop": shared_in_a_loop,
    "training": training,
    "turns_skipped": turns_skipped,
    "saved_modified": saved_modified,
    "accumulation": accumulation,
}
