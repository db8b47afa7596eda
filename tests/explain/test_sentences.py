"""What single sentences say of programs, as a table."""

import pytest

from gradreel.explain import sentences
from gradreel.explain.derivatives.lookup import operator
from gradreel.interpreter import run

SAID = {
    "Line 2: `if 1 < 2`.": "if 1 < 2:\n    pass",
    "`checkpoint(…, x)` builds": """\
from torch.utils.checkpoint import checkpoint
x = torch.ones(2, requires_grad=True)
checkpoint(lambda t: t.exp(), x, use_reentrant=True).sum().backward()""",
    "back through the forward that ran again and hands": """\
from torch.utils.checkpoint import checkpoint
x = torch.ones(2, requires_grad=True)
checkpoint(lambda t: t.exp(), x, use_reentrant=True).sum().backward()""",
    "runs the backward you wrote on what came ([1, 1, 1]) and hands [1, 1, 1] to `x`": """\
class Sign(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.sign()
    @staticmethod
    def backward(ctx, grad):
        return grad
x = torch.ones(3, requires_grad=True)
Sign.apply(x).sum().backward()""",
    "“Trying to use a saved tensor that has been detached in-place, i.e. with .detach_()": """\
a = torch.tensor(2., requires_grad=True) * 1
b = a * a
a.detach_()
b.backward()""",
    "`(-a) ** 2` builds": "a = torch.tensor(2., requires_grad=True)\n(-a) ** 2",
    "on as it is, to an unnamed leaf": "(torch.tensor(2., requires_grad=True) + 1).backward()",
    "`a * a` builds **MulBackward0 #0**; a hook packs what it would save": """\
a = torch.tensor(2., requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t.tolist(), torch.tensor):
    (a * a).backward()""",
    "`LBFGS` takes a step, in which it calls the closure": """\
w = torch.tensor([2.], requires_grad=True)
opt = torch.optim.LBFGS([w], max_iter=1)
def closure():
    loss = (w * w).sum()
    loss.backward()
    return loss
opt.step(closure)""",
    "inside, `x` is what it is outside": "def f(x):\n    return x * 2\nx = torch.ones(1)\nf(x)",
    "`f` is called; inside, `n` is `3` and `x` and `w` are what they are outside": """\
def f(x, w, n):
    return x * w * n
x, w = torch.ones(1), torch.ones(1)
f(x, w, 3)""",
    "starts at **MulBackward0 #0** with 1.0, the gradient of `c` with respect to itself": """\
a = torch.tensor(2., requires_grad=True)
c = a * 3
c.backward(retain_graph=True)""",
    "`a * b + b` builds **AddBackward0": """\
a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
(a * b) + b""",
    "`a - (b - a)` builds **SubBackward0": """\
a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
a - (b - a)""",
    "`(a * b) ** 2` builds **PowBackward0": """\
a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
(a * b) ** 2""",
    "`tanh(a @ b + c * b).sum()` builds **SumBackward0": """\
a, b, c = torch.ones(2, 2, requires_grad=True), torch.ones(2), torch.ones(2)
torch.tanh(a @ b + c * b).sum()""",
    "passes what came (1.0) on as it is, to `a` twice.": "a = torch.tensor(2., requires_grad=True)\n(a + a).backward()",
    "multiplies what came (4×3) by its saved result (4×3) and hands a 4×3 tensor to `a`": """\
a = torch.ones(4, 3, requires_grad=True)
a.exp().sum().backward()""",
    "`w.grad` was None; now it is [-123, 457, 0.0123, 0.0457, 0.5, 0.0568].": """\
w = torch.zeros(6, requires_grad=True)
(w * torch.tensor([-123.456, 456.789, 0.0123456, 0.0456789, 0.5, 0.056789])).sum().backward()""",
    "passes zeros on, since it is flat between its steps, and hands 0.0 to `a`": """\
a = torch.tensor(7., requires_grad=True)
torch.div(a, 2, rounding_mode="floor").backward()""",
    "passes zeros on, since it is flat between its steps, and hands [0, 0] to `a`": """\
a = torch.tensor([1.5, 2.5], requires_grad=True)
a.floor().sum().backward()""",
    "it flips the sign of what came and hands -1.0 to `b`": """\
a, b = torch.tensor(1., requires_grad=True), torch.tensor(2., requires_grad=True)
(a - b).backward()""",
    "`w.grad` was None; now it is [-0.123, 0.235, -0.346, 0.457, 0.568].": """\
w = torch.zeros(5, requires_grad=True)
(w * torch.tensor([-0.12345, 0.23456, -0.34567, 0.45678, 0.5678])).sum().backward()""",
    "Gradients meet at **MulBackward0 #0**, whose result `a` was used twice: 20.0 + 18.0 = 38.0": """\
x = torch.tensor(3., requires_grad=True)
a = x * x
((a + 1) * (a * 2)).backward()""",
    "Gradients meet at `x`, which was used three times:": """\
x = torch.tensor(3., requires_grad=True)
(x * 2 + x * 3 + x * 4).backward()""",
    "for another pass: `create_graph` implies `retain_graph`.": """\
x = torch.tensor(3., requires_grad=True)
torch.autograd.grad(x ** 3, x, create_graph=True)""",
    "`create_graph` records the backward itself, so `x ** 2.0` builds": """\
x = torch.tensor(3., requires_grad=True)
torch.autograd.grad(x ** 3, x, create_graph=True)""",
    "what **PowBackward0 #0** saved of it is stale now": """\
x = torch.ones(2, requires_grad=True)
y = (x ** 2)
z = x.detach()
z.add_(1)""",
    "`opt.zero_grad()` finds no gradient to reset": """\
w = torch.ones(1, requires_grad=True)
opt = torch.optim.SGD([w], 0.1)
opt.zero_grad()""",
    "PyTorch raises “Trying to backward through the graph a second time”.": """\
a = torch.tensor(2., requires_grad=True)
b = a * a
b.backward()
b.backward()""",
    "`x` names [1, 1], which shares the memory of what `x` named before": """\
x = torch.ones(2, requires_grad=True)
x = x.data""",
    "`x` names the result, [[0, 1], [2, 3]]; no gradient is wanted for it.": "x = torch.arange(4).view(2, 2)",
    "`parts` is an empty list": "parts = []",
    "in place: 2.0 + 2.0 = 4.0; a step has used the old part already.": """\
w = torch.tensor(1., requires_grad=True)
opt = torch.optim.SGD([w], 0.1)
(w * 2).backward()
opt.step()
(w * 2).backward()""",
    "A hook on `x` changed what it was given in place, to 4.0, and returned nothing.": """\
x = torch.tensor(1., requires_grad=True)
def double(g):
    g *= 2
x.register_hook(double)
(x * 2).backward()""",
    "reads a saved tensor that was overwritten since, and no version tells.": """\
w = torch.tensor(2., requires_grad=True)
y = w ** 2
w.data.fill_(5.)
y.backward()""",
}


@pytest.mark.parametrize("words", SAID)
def test_a_sentence_says(words: str) -> None:
    told = [sentence for _, sentence in sentences(run("import torch\n" + SAID[words]))]
    assert any(words in sentence for sentence in told), told


@pytest.mark.parametrize(
    ("dims", "words"),
    [
        ((8,), "an 8-element"),
        ((11, 2), "an 11×2"),
        ((18, 1), "an 18×1"),
        ((80,), "an 80-element"),
        ((110,), "a 110-element"),
    ],
)
def test_a_shape_has_the_article_that_it_is_spoken_with(dims: tuple[int, ...], words: str) -> None:
    assert any(
        f"names a new tensor, {words} tensor" in said
        for _, said in sentences(run(f"import torch\na = torch.ones{dims}"))
    )


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("SelectBackward", "its gradient needs no values"),
        ("EmbeddingDenseBackward", "its gradient needs no values"),
        ("MaxPool2DWithIndicesBackward", "it must know where the largest entry was"),
        ("TanhBackward", "the slope of Tanh depends on its input, and so does the slope of its backward"),
    ],
)
def test_the_backward_of_a_backward_keeps_what_it_keeps_for_a_reason_of_its_own(kind: str, why: str) -> None:
    known = operator(kind)
    assert known is not None and known.why == why
