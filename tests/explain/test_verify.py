"""What counts as a fix: for each rule an edit that breaks it, and edits that break none; and the judge of fixes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gradreel.explain import diagnose
from gradreel.explain.fixes import find_fixes
from gradreel.explain.fixes.observe import observe
from gradreel.explain.fixes.text import changed_blocks, difference
from gradreel.explain.fixes.verify import RULES, verify
from gradreel.interpreter import Limits, run
from gradreel.trace import Trace
from gradreel.trace.events import Stopped, TurnsSkipped

from .fixes import LIMITS, by_engine, faults, judged, offers, programs

HEAD = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\ntorch.manual_seed(0)\n"
TRAINED = (
    "w = torch.ones(2, requires_grad=True)\nopt = torch.optim.SGD([w], lr=0.1)\n"
    "loss = ((w - 3) ** 2).sum()\nfor i in range(4):\n    opt.zero_grad()\n    loss.backward()\n    opt.step()\n"
)
BY_HAND = (
    "a = torch.tensor(2., requires_grad=True)\nb = torch.tensor(3., requires_grad=True)\n"
    "y = a * b * a\nfor i in range(3):\n    y.backward()\n    a.data -= 0.1 * a.grad\n    print(a.item())\n"
)
MASKED = (
    "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.inner = nn.Linear(4, 2)\n"
    "        self.register_buffer('mask', torch.tensor([[1., 0., 1., 0.]] * 2))\n    def forward(self, x):\n"
    "        self.inner.weight = nn.Parameter(self.inner.weight * self.mask)\n        return self.inner(x)\n"
    "net = Net()\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\nx = torch.ones(3, 4)\n"
    "for i in range(4):\n    opt.zero_grad()\n    net(x).pow(2).mean().backward()\n    opt.step()\n"
)
FUNCTION = (
    "class Scale(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x, weight):\n"
    "        ctx.save_for_backward(x, weight)\n        return x * weight\n    @staticmethod\n"
    "    def backward(ctx, g):\n        x, weight = ctx.saved_tensors\n        return g * weight\n"
    "x = torch.ones(2, requires_grad=True)\nweight = torch.ones(2, requires_grad=True)\n"
    "Scale.apply(x, weight).sum().backward()\n"
)
TWO_STEPS = (
    "a = torch.ones(2, requires_grad=True)\nb = torch.ones(2, requires_grad=True)\n"
    "one, two = torch.optim.SGD([a], lr=0.1), torch.optim.SGD([b], lr=0.1)\ny = (a * a).sum()\n"
    "y.backward(retain_graph=True)\none.step()\n(y * (b * b).sum()).backward()\ntwo.step()\n"
)
UNUSED = (
    "x = torch.ones(2, requires_grad=True)\nz = torch.ones(2, requires_grad=True)\ny = (x * x).sum()\n"
    "gx, gz = torch.autograd.grad(y, [x, z])\n"
)
CUT = (
    "w = torch.ones(2, requires_grad=True)\nloss = torch.tensor((w * w).sum().item())\nloss.backward()\nprint(w.grad)\n"
)
LATE = (
    "w, x = torch.ones(2, requires_grad=True), torch.ones(2)\nloss = (w * x).sum()\n"
    "x = x.detach().requires_grad_()\nloss.backward()\nx.data += x.grad\n"
)
BY_PHASES = (
    "a, b = nn.Linear(2, 1), nn.Linear(2, 1)\nps = [*a.parameters(), *b.parameters()]\nx = torch.ones(3, 2)\n"
    "for i in range(4):\n    loss = a(x).pow(2).sum()\n    if i < 1:\n        loss = loss + b(x).sum()\n"
    "    grads = torch.autograd.grad(loss, ps)\n"
)
WRITTEN = "x = torch.ones(2, requires_grad=True)\ny = x.exp()\ny += 1\nloss = y.sum()\nprint(loss)\nloss.backward()\n"
REFILLED = (
    "ax = torch.ones(2, requires_grad=True)\nout = (ax ** 2).sum()\nout.backward(retain_graph=True)\n"
    "ax += 1\nout.backward()\nprint(ax.grad)\n"
)
SAMPLER = (
    "net = nn.Linear(2, 1)\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\nfor i in range(2):\n"
    "    x = torch.ones(3, 2, requires_grad=True)\n    net.requires_grad_(False)\n    net(x).sum().backward()\n"
    "    opt.zero_grad()\n    net(x.grad).sum().backward()\n    opt.step()\n"
)
PRODUCTS = (
    "x = torch.ones(2, requires_grad=True)\ny = (x * x).exp()\nv = torch.ones(2)\nfor i in range(3):\n"
    "    v = torch.autograd.grad(y, x, v)[0]\n(x * v).sum().backward()\n"
)
TURNED_ROUND = (
    "enc, dec = nn.Linear(3, 2), nn.Linear(2, 3)\nweights = [*enc.parameters(), *dec.parameters()]\n"
    "opt = torch.optim.SGD(weights, lr=0.1)\nx = torch.rand(4, 3)\nfor i in range(3):\n    p = enc(x)\n"
    "    bits = (p > 0).float()\n    code = bits + (p - bits).detach()\n    opt.zero_grad()\n"
    "    (dec(code) - x).pow(2).mean().backward()\n    opt.step()\n"
)
TWO_OPTIMIZERS = (
    "f, d = nn.Linear(2, 2), nn.Linear(2, 1)\nx = torch.ones(3, 2)\n"
    "own, foe = torch.optim.SGD(f.parameters(), lr=0.1), torch.optim.SGD(d.parameters(), lr=0.1)\n"
    "for i in range(4):\n    own.zero_grad()\n    d(f(x).detach()).sum().backward()\n    foe.step()\n"
    "    own.zero_grad()\n    (-d(f(x))).mean().backward()\n    own.step()\n"
)
MADE_ONCE = (
    "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.mix, self.lin = nn.Parameter(torch.ones(2)), nn.Linear(2, 1)\n"
    "        self.share = self.shares()\n    def shares(self):\n        return self.mix.softmax(0)\n"
    "    def forward(self, x):\n        return self.lin(x * self.share)\n"
    "net = Net()\nopt = torch.optim.AdamW(net.parameters(), lr=0.1)\nx = torch.randn(3, 2)\n"
    "for i in range(3):\n    opt.zero_grad()\n    loss = net(x).pow(2).mean()\n    loss.backward()\n    opt.step()\n"
)
ADVERSARIES = (
    "made, judge = nn.Linear(2, 2), nn.Linear(2, 1)\nfirst = torch.optim.SGD(judge.parameters(), lr=0.1)\n"
    "second = torch.optim.SGD(made.parameters(), lr=0.1)\nfor i in range(3):\n    fake = made(torch.randn(4, 2))\n"
    "    score = judge(fake)\n    first.zero_grad()\n    low = F.softplus(score).mean()\n    low.backward()\n"
    "    first.step()\n    second.zero_grad()\n    high = F.softplus(-score).mean()\n    high.backward()\n"
    "    second.step()\n"
)
ASKED = (
    "w = torch.ones(2, requires_grad=True)\ny = w * 2\ny.sum().backward()\n(w * 3).sum().backward()\nprint(y.grad)\n"
)
BEHIND_A_CUT = (
    "body, head = nn.Linear(2, 2), nn.Linear(2, 1)\n"
    "opt = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)\nfor i in range(3):\n"
    "    opt.zero_grad()\n    found = torch.tensor(body(torch.ones(1, 2)).tolist())\n"
    "    head(found).pow(2).mean().backward()\n    opt.step()\n"
)
TRANSPOSED = (
    "class Product(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x, weight):\n"
    "        ctx.save_for_backward(x, weight)\n        return x @ weight\n    @staticmethod\n"
    "    def backward(ctx, g):\n        x, weight = ctx.saved_tensors\n        return g @ weight.t(), g.t() @ x\n"
    "x = torch.tensor([[1.0, 2.0], [3.0, 5.0]])\nweight = torch.randn(2, 3, requires_grad=True)\n"
    "Product.apply(x, weight).pow(2).sum().backward()\n"
)
COMPARED = (
    "net = nn.Linear(2, 2)\nimage = torch.ones(1, 2, requires_grad=True)\ngoal = net(torch.zeros(1, 2)) ** 2\n"
    "opt = torch.optim.SGD([image], lr=0.1)\nfor i in range(3):\n    opt.zero_grad()\n"
    "    loss = (net(image) - goal).pow(2).sum()\n    loss.backward()\n    opt.step()\n"
)
CLOSURE = (
    "w, v = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)\n"
    "opt = torch.optim.LBFGS([w, v], lr=0.1, max_iter=3)\nfor i in range(2):\n    pred = w.exp()\n    def closure():\n"
    "        opt.zero_grad()\n        loss = (pred - 3).pow(2).sum() + (v - 2).pow(2).sum()\n        loss.backward()\n"
    "        return loss\n    opt.step(closure)\n"
)
PENALIZED = (
    "w, v = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)\n"
    "opt = torch.optim.SGD([w, v], lr=0.1)\npred = w.exp()\nfor i in range(3):\n    opt.zero_grad()\n"
    "    loss = (pred - 3).pow(2).sum() + (v - 2).pow(2).sum()\n    loss.backward()\n    opt.step()\n"
)
OF_A_COPY = (
    "import copy\nnet = nn.Linear(2, 1)\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\nfor i in range(3):\n"
    "    fast = copy.deepcopy(net)\n    opt.zero_grad()\n    loss = fast(torch.ones(3, 2)).pow(2).mean()\n"
    "    loss.backward()\n    opt.step()\n"
)
LEAVES = "leaves keep their gradients"
KEPT_ONCE = "        self.share = self.shares()\n"
DETACHED = "        self.share = self.shares().detach()\n"

BROKEN = {
    "a detached result of a parameter": (MADE_ONCE, KEPT_ONCE, DETACHED, "stepped leaves keep theirs"),
    "a judge that stops the way": (
        ADVERSARIES,
        "    first.step()\n",
        "    first.step()\n    score = score.detach().requires_grad_()\n",
        "steps step",
    ),
    "a graph kept in a loop of training": (TRAINED, "backward()", "backward(retain_graph=True)", "graphs are fresh"),
    "the same by hand": (BY_HAND, "y.backward()", "y.backward(retain_graph=True)", "graphs are fresh"),
    "a name bound to a clone": (REFILLED, "ax += 1", "ax = ax.clone()", "no gradient is None"),
    "None for a weight": (FUNCTION, "g * weight\n", "g * weight, None\n", "no leaf is withheld its gradient"),
    "only if there is a graph": (CUT, "loss.back", "if loss.requires_grad:\n    loss.back", "the call is made"),
    "a new leaf where the graph was cut": (CUT, ".item())", ".item(), requires_grad=True)", "no gradient is None"),
    "allow_unused": (UNUSED, "[x, z]", "[x, z], allow_unused=True", "no result is None"),
    "zeros for what was not used": (
        UNUSED,
        "[x, z]",
        "[x, z], allow_unused=True, materialize_grads=True",
        "no result is None",
    ),
    "a step after the other backward": (
        TWO_STEPS,
        "one.step()\n(y * (b * b).sum()).backward()\n",
        "(y * (b * b).sum()).backward()\none.step()\n",
        "first steps stay",
    ),
    "a write left out": (WRITTEN, "y += 1\n", "", "the forward stays"),
    "a backward left out": (CUT, "loss.backward()\n", "", "a gradient arrives"),
    "another leaf": (CUT, "torch.tensor((w * w).sum().item())", "torch.ones(1, requires_grad=True)", LEAVES),
    "a loss of nothing": (
        TWO_STEPS,
        "y.backward(retain_graph=True)\none.step()\n(y * (b",
        "(y * 0).backward()\none.step()\n(y.detach() * (b",
        "no gradient is zero",
    ),
    "one backward for all steps": (
        TRAINED,
        "opt.zero_grad()\n    loss.backward()",
        "if i == 0:\n        loss.backward()",
        "gradients are fresh",
    ),
    "a loss that stays": (TRAINED, "backward()", "backward(retain_graph=True)", "the loss moves"),
    "other numbers printed": (WRITTEN, "y += 1\nloss = y.sum()", "loss = y.sum()", "printed numbers stay"),
}  # fmt: skip

BROKEN_UNREAD = {
    "a sampler that computes what it was to leave out": (
        SAMPLER,
        "requires_grad_(False)",
        "requires_grad_(True)",
        "frozen stay frozen",
    ),
    "a product with a Jacobian of nothing": (
        PRODUCTS,
        "v = torch.autograd.grad(y, x, v)",
        "y = y.detach().requires_grad_()\n    v = torch.autograd.grad(y, x, v, materialize_grads=True)",
        "each grad gives as before",
    ),
    "an estimator behind one that is turned round": (
        TURNED_ROUND,
        "dec(code)",
        "dec(p + (code - p).detach())",
        "estimators have their value",
    ),
    "zeros for what was trained before": (
        BY_PHASES,
        "(loss, ps)",
        "(loss, ps, allow_unused=True, materialize_grads=True)",
        "gradients keep coming",
    ),
    "only if there is a gradient": (LATE, "x.data", "if x.grad is not None:\n    x.data", "the line runs"),
    "gradients that the steps, in vain before, do not get": (
        OF_A_COPY,
        "loss.backward()",
        "torch.autograd.grad(loss, list(fast.parameters()))",
        "steps step",
    ),
    "a gradient from before another step": (
        TWO_OPTIMIZERS,
        "    (-d(f",
        "    foe.zero_grad()\n    (-d(f",
        "gradients are own",
    ),
    "a graph kept of what is compared with": (
        COMPARED,
        "backward()",
        "backward(retain_graph=True)",
        "graphs are fresh",
    ),
    "a closure that is cut off after its first call": (
        CLOSURE,
        "        loss = (pred",
        "        global pred\n        used, pred = pred, pred.detach()\n        loss = (used",
        "closures reach the same",
    ),
    "another backward left out": (ASKED, "(w * 3).sum().backward()\n", "", "as many gradients arrive"),
    "a parameter that is still cut off": (BEHIND_A_CUT, ".pow(2).mean()", ".pow(2).sum()", "the parameter learns"),
    "a mask left out": (
        MASKED,
        "self.inner.weight = nn.Parameter(self.inner.weight * self.mask)",
        "pass",
        "operations stay",
    ),
}
"""What the program neither reads nor steps with afterwards, so that only the rules see it."""


@pytest.mark.parametrize("case", BROKEN | BROKEN_UNREAD)
def test_an_edit_that_ends_the_error_and_not_the_trouble_breaks_a_rule(case: str) -> None:
    source, old, new, rule = (BROKEN | BROKEN_UNREAD)[case]
    before = run(HEAD + source)
    (found,) = diagnose(before)
    assert old in source
    verdict = verify(observe(before), observe(run(HEAD + source.replace(old, new, 1))), found)
    assert verdict.runs and not verdict.fixes and verdict.lost
    assert rule in dict(verdict.broken), verdict.broken


GOOD = {
    "built in each turn": (
        TRAINED,
        "loss = ((w - 3) ** 2).sum()\nfor i in range(4):\n",
        "for i in range(4):\n    loss = ((w - 3) ** 2).sum()\n",
    ),
    "a new tensor": (WRITTEN, "y += 1", "y = y + 1"),
    "the tensor itself": (CUT, "torch.tensor((w * w).sum().item())", "(w * w).sum()"),
    "a gradient for each": (FUNCTION, "return g * weight\n", "return g * weight, g * x\n"),
    "computed in forward": (MADE_ONCE, "* self.share)", "* self.shares())"),
    "detached": (TWO_STEPS, "(y * (b", "(y.detach() * (b"),
}


@pytest.mark.parametrize("case", GOOD)
def test_an_edit_that_fixes_breaks_none(case: str) -> None:
    source, old, new = GOOD[case]
    before = run(HEAD + source)
    (found,) = diagnose(before)
    assert old in source
    edited = run(HEAD + source.replace(old, new, 1))
    assert verify(observe(before), observe(edited), found).broken == ()
    assert faults(by_engine(HEAD + source), by_engine(HEAD + source.replace(old, new, 1)), found) == []


STEPPED = (
    "def stepped(ps):\n    return {name: p - 0.1 * p.grad for name, p in ps.items()}\n"
    "ps = {name: torch.ones(2, requires_grad=True) for name in 'ab'}\n"
    "for i in range(3):\n    (ps['a'] * ps['b'] - 3).pow(2).sum().backward()\n    ps = stepped(ps)\n"
)
PRUNED = (
    "net = nn.Linear(2, 2)\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\nmask = torch.eye(2)\n"
    "for i in range(3):\n    net(torch.ones(1, 2)).pow(2).sum().backward()\n    opt.step()\n    opt.zero_grad()\n"
    "    net.weight = net.weight * mask\n"
)
FLAGS = (
    "cell = nn.LSTMCell(1, 2)\nopt = torch.optim.AdamW(cell.parameters(), lr=0.1)\nstate = [torch.zeros(1, 2)] * 2\n"
    "for i in range(3):\n    state = cell(torch.ones(1, 1), state)\n    opt.zero_grad()\n"
    "    state[0].sum().backward()\n    opt.step()\n    for h in state:\n        h.requires_grad = False\n"
)
DRAWN = (
    "def drawn():\n    z = torch.randn(3, requires_grad=True)\n    return 0.1 * z\n"
    "z = drawn()\nopt = torch.optim.SGD([z], lr=0.1)\n(z ** 2).sum().backward()\nopt.step()\n"
)
REVERSED = (
    "class Reverse(torch.autograd.Function):\n    def __init__(self, rate):\n        self.rate = rate\n\n"
    "    def forward(self, x):\n        return x.view_as(x)\n\n    def backward(self, g):\n"
    "        return -self.rate * g\nw = torch.ones(2, requires_grad=True)\n"
    "Reverse(0.5)(w).sum().backward()\nprint(w.grad)\n"
)
BEST = [
    (REVERSED, "        return -self.rate * g, None\nw"),
    (REVERSED, "Reverse.apply(w, 0.5).sum()"),
    (MADE_ONCE, "return self.lin(x * self.shares())"),
    (ADVERSARIES, "score = judge(fake.detach())"),
    (STEPPED, "name: (p - 0.1 * p.grad).detach().requires_grad_() for"),
    (PRUNED, "with torch.no_grad(): net.weight.copy_(net.weight * mask)"),
    (FLAGS, "state = [h.detach() for h in state]"),
    (DRAWN, "return (0.1 * z).detach().requires_grad_()"),
]


@pytest.mark.parametrize(("source", "edit"), BEST, ids=[edit for _, edit in BEST])
def test_the_first_fix_is_the_edit_that_one_would_make(source: str, edit: str) -> None:
    ((_, mends),) = find_fixes(run(HEAD + source), run)
    assert mends[0].fixes and edit in mends[0].source


FOUR_CLASSES = (
    "net = nn.Sequential(nn.Linear(3, 2), nn.Tanh(), nn.Linear(2, 4))\n"
    "opt = torch.optim.SGD(net.parameters(), lr=0.1)\nx, y = torch.randn(6, 3), torch.ones(6)\n"
    "for i in range(3):\n    guess = net(x).argmax(1).float()\n    loss = (guess - y).pow(2).mean()\n"
    "    loss.requires_grad_()\n    loss.backward()\n    opt.step()\n"
)
NEVER = {
    "a prediction cut off after the first call of a closure": (CLOSURE, "detach"),
    "a prediction cut off after the first turn of a loop": (PENALIZED, "detach"),
    "the derivative of the identity in the place of a reversal": (
        REVERSED.replace("    def __init__(self, rate):\n        self.rate = rate\n\n", "").replace("(0.5)", "()"),
        "autograd.grad",
    ),
    "the chance of the second of four classes": (FOUR_CLASSES, "[:, 1]"),
}


@pytest.mark.parametrize("case", NEVER)
def test_an_edit_is_not_offered_where_it_does_not_belong(case: str) -> None:
    source, words = NEVER[case]
    found = find_fixes(run(HEAD + source), run)
    assert found and not any(words in mend.source for _, mends in found for mend in mends)


LONG = TRAINED.replace("range(4)", "range(100000)")


def test_a_fix_of_a_long_loop_need_not_come_to_its_end() -> None:
    def briefly(source: str) -> Trace:
        return run(source, limits=LIMITS)

    ((_, mends),) = find_fixes(run(HEAD + LONG), briefly)
    assert mends[0].fixes and "inside the loop" in mends[0].title


def test_an_operation_of_the_forward_is_not_dropped() -> None:
    for _, mends in find_fixes(run(HEAD + MASKED), run):
        (mend,) = mends
        assert "F.linear(x, self.inner.weight * self.mask, self.inner.bias)" in mend.source.replace(
            "torch.nn.functional", "F"
        )
    before = run(HEAD + MASKED)
    assert "self.inner.weight * self.mask" in MASKED
    dropped = MASKED.replace("self.inner.weight = nn.Parameter(self.inner.weight * self.mask)", "pass")
    verdict = verify(observe(before), observe(run(HEAD + dropped)), diagnose(before)[0])
    assert verdict.lost == "Mul is no longer computed in each turn"


def test_what_only_ends_the_error_stands_apart_with_what_is_lost() -> None:
    ((_, mends),) = find_fixes(run(HEAD + CUT.replace("(w * w).sum().item()", "int(w.argmax())")), run)
    assert mends and not any(mend.fixes for mend in mends) and all(mend.lost for mend in mends)


def test_a_mend_tells_what_is_printed_from_where_it_differs() -> None:
    ((_, mends),) = find_fixes(run(HEAD + "print('begun')\n" + WRITTEN + "print(x.grad)\n"), run)
    assert mends[0].printed == "…\ntensor(7.4366, grad_fn=<SumBackward0>)"
    assert mends[0].prints.endswith("\ntensor([2.7183, 2.7183])")


@pytest.mark.parametrize("case", BROKEN)
def test_the_judge_finds_them_too(case: str) -> None:
    source, old, new, _ = BROKEN[case]
    (found,) = diagnose(run(HEAD + source))
    assert faults(by_engine(HEAD + source), by_engine(HEAD + source.replace(old, new, 1)), found)


def test_fixes_of_programs_that_are_kept_are_good() -> None:
    stored = list(programs(None, material=True, kept_with_tests=True).items())
    every = list(offers(dict(stored[::23])))
    judged(every, None)
    assert len(every) > 15
    assert [(offer.name, offer.mend.title, offer.faults) for offer in every if offer.faults] == []


def test_rules_are_sentences_with_names() -> None:
    assert all(rule.__doc__ for rule in RULES.values())
    assert {*(entry[3] for entry in (BROKEN | BROKEN_UNREAD).values()), AGREEMENT, WATCHING} == set(RULES)


AGREEMENT = "formulas agree"


@pytest.mark.parametrize(("way", "right"), [("(g.t() @ x).t()", True), ("(g.t() @ x).reshape(2, 3)", False)])
def test_a_gradient_of_the_right_shape_has_the_numbers_of_autograd(way: str, right: bool) -> None:
    before = run(HEAD + TRANSPOSED)
    (found,) = diagnose(before)
    by_autograd = run(HEAD + TRANSPOSED.replace("Product.apply(x, weight)", "(x @ weight)"))
    edited = run(HEAD + TRANSPOSED.replace("g.t() @ x", way))
    verdict = verify(observe(before), observe(edited), found, observe(by_autograd))
    assert (AGREEMENT not in dict(verdict.broken)) == right


WATCHING = "a hook that watches changes nothing"
WATCHED = (
    "w = torch.ones(3, requires_grad=True)\nkept = []\ndef hook(g):\n    kept.append(g.norm())\n    return g.norm()\n"
    "y = w.exp()\ny.register_hook(hook)\ny.pow(2).sum().backward()\n"
)


@pytest.mark.parametrize(("way", "right"), [("", True), ("return g.norm().expand_as(g)", False)])
def test_what_a_hook_that_watches_returns_does_not_take_the_place_of_a_gradient(way: str, right: bool) -> None:
    before, edited = run(HEAD + WATCHED), run(HEAD + WATCHED.replace("return g.norm()", way))
    (found,) = diagnose(before)
    silent = run(HEAD + WATCHED.replace("return g.norm()", ""))
    verdict = verify(observe(before), observe(edited), found, observe(silent))
    assert (WATCHING not in dict(verdict.broken)) == right


def test_long_texts_are_compared_where_they_differ() -> None:
    old = [str(number) for number in range(9000)]
    new = [*old[:4000], "x", *old[4001:]]
    assert changed_blocks(old, new)[1] == ("replace", 4000, 4001, 4000, 4001)
    assert difference("\n".join(old), "\n".join(new)).split("\n")[0] == "@@ -3999,5 +3999,5 @@"
    assert changed_blocks(["a"] * 900, ["b"] * 900) == [("replace", 0, 900, 0, 900)]


@pytest.mark.parametrize("word", ["a", "Invalid ", "'", "f() "])
def test_of_a_long_message_the_beginning_is_looked_at(word: str) -> None:
    assert diagnose(run(f"raise RuntimeError({word!r} * {24_000 // len(word)})")) == []


UNREGISTERED = (
    "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.first = nn.Linear(3, 4)\n"
    "        self.layers = [nn.Linear(4, 4) for _ in range(3)]\n        self.last = nn.Linear(4, 1)\n"
    "    def forward(self, x):\n        x = self.first(x)\n        for layer in self.layers:\n"
    "            x = torch.tanh(layer(x))\n        return self.last(x)\n"
    "net = Net()\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\nx = torch.ones(5, 3)\n"
    "for step in range(60):\n    opt.zero_grad()\n    net(x).pow(2).mean().backward()\n    opt.step()\n"
)


def test_a_trial_of_silent_trouble_that_a_budget_ends_counts_by_its_first_turns() -> None:
    before = run(HEAD + UNREGISTERED)
    assert before.outcome.kind == "finished"
    outcomes = []

    def trial(source: str) -> Trace:
        after = run(source, limits=replace(Limits(), steps=2_000))
        outcomes.append(after.outcome.kind)
        return after

    ((_, mends),) = find_fixes(before, trial)
    assert "stopped" in outcomes
    assert [mend.title for mend in mends if mend.fixes][:1] == ["nn.ModuleList around what line 9 keeps"]


def test_a_run_that_a_budget_ends_anywhere_asked_for_nothing_in_vain() -> None:
    whole = run(HEAD + "x = torch.ones(2, requires_grad=True)\ng, = torch.autograd.grad((x * x).sum(), x)\nprint(g)\n")
    for number in range(len(whole.events)):
        cut = replace(whole, events=(*whole.events[:number], Stopped("seconds", 1, 6)))
        assert not observe(cut).unused


def test_gradients_of_recordings_that_leave_turns_out_are_compared_by_call() -> None:
    limits = replace(Limits(), events=4_000)
    before = run(
        HEAD + "net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))\n"
        "opt = torch.optim.SGD(net.parameters(), lr=0.01)\nx = torch.ones(5, 3)\n"
        "for step in range(100):\n    net(x).pow(2).mean().backward()\n    opt.step()\n",
        limits=limits,
    )
    assert any(isinstance(event, TurnsSkipped) for event in before.events)
    ((_, mends),) = find_fixes(before, lambda source: run(source, limits=limits))
    assert [mend.title for mend in mends if mend.fixes] == ["opt.zero_grad() before line 9"]
