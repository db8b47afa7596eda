"""What single sentences say of programs, as a table."""

import pytest

from gradreel.explain import sentences
from gradreel.explain.operators.lookup import operator
from gradreel.program import run

SAID = {
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
    "`(-a) ** 2` builds": "a = torch.tensor(2., requires_grad=True)\n(-a) ** 2",
    "hands 1.0 to an unnamed leaf": "(torch.tensor(2., requires_grad=True) + 1).backward()",
    "`a * a` builds **MulBackward0 #0**; a hook packs what it would keep": """\
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
    "inside, `x` is the same `x`": "def f(x):\n    return x * 2\nx = torch.ones(1)\nf(x)",
    "`parts` is an empty list": "parts = []",
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
