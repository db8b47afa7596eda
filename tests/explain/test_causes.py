"""Causes of many small programs, and no alarm on those that are fine. Half of them were written as a blind check."""

from __future__ import annotations

import pytest

from gradreel.explain import Diagnosis, diagnose
from gradreel.explain.fixes import EDIT_ROLES, find_fixes
from gradreel.interpreter import run

from .causes import Case, cases, check_told

CASES = cases()
FINE = [case for case in CASES if case.kind == "fine"]
TROUBLED = [case for case in CASES if case.kind != "fine"]


PAGE = "Hello everybody, this is what I do:\n\n```python\n{}\n```\n\nWhat is wrong with it?\n"
ON_A_PAGE = {case.name for case in CASES[::5]}
"""Of these the same is told with more around the program."""


@pytest.mark.parametrize("case", TROUBLED, ids=lambda case: case.name)
def test_the_cause_is_told_with_its_lines_and_a_mend_that_ran_through(case: Case) -> None:
    found = check_told(case, run(case.source))
    if case.name in ON_A_PAGE:
        assert told(diagnose(run(PAGE.format(case.source.rstrip()))), 3) == told(found, 0)


@pytest.mark.parametrize("case", FINE, ids=lambda case: case.name)
def test_nothing_is_told_of_a_program_that_is_fine(case: Case) -> None:
    trace = run(case.source)
    assert trace.outcome.kind == "finished"
    assert diagnose(trace) == []
    if case.name in ON_A_PAGE:
        assert diagnose(run(PAGE.format(case.source.rstrip()))) == []


def told(found: list[Diagnosis], above: int) -> list[object]:
    """What is told, its lines counted without those `above` the program."""
    return [(one.kind, one.cause, {role: at and at - above for role, at in own(one)}) for one in found]


def own(one: Diagnosis) -> list[tuple[str, int | None]]:
    """Its lines without those of an edit, which is found later."""
    return [(role, at) for role, at in one.lines.items() if role not in EDIT_ROLES]


LEAF = "import torch\nx = torch.ones(4, requires_grad=True)\n"
STORIES = [
    (
        "y = x * 2\ny.register_hook(lambda g: g.sum().backward())\ny.sum().backward()\n",
        "in hooks too, nothing is recorded",
    ),
    ("loss = float(x.sum())\nloss.backward()\n", "`float()` on **line 3** takes plain numbers out of `x.sum()`"),
    ("x.requires_grad_(False)\nx.sum().backward()\n", "`x`, for which **line 3** says that no gradient is wanted."),
    ("a, b = (x * 2).split(2)\na.mul_(2)\n", "`a`, taken on **line 3**, is one of several views"),
    (
        "f, g = x.sin(), x.exp()\ng.sum().backward()\n(f * 2 * g).sum().backward()\n",
        "but reused `g`, so `(f * 2 * g).sum().backward()`",
    ),
    (
        "m = (x * 2).bool()\nm.float().sum().backward()\n",
        "The recording ends on **line 3**: `m` has truth values (bool), which have no derivative.",
    ),
    (
        "m = (x * 2).long()\nm.float().sum().backward()\n",
        "The recording ends on **line 3**: `m` has whole numbers (int64), which have no derivative.",
    ),
    ("(x * 2).backward()\n", "An unnamed tensor, made on **line 3**, has 4 entries."),
    ("v = (x * 2)[:2]\nv.detach_()\n", "`v.detach_()` on **line 4** would cut it off its history in place."),
]


@pytest.mark.parametrize(("rest", "words"), STORIES)
def test_a_story_speaks_of_what_the_program_did(rest: str, words: str) -> None:
    (found,) = diagnose(run(LEAF + rest))
    assert words in " ".join(found.story)


KEPT = {
    "out, _ = nn.LSTM(3, 4, batch_first=True)(x)": "saves `x`, ",
    "net = nn.LSTM(3, 4, batch_first=True)\nout, _ = net(x)": "built by `net(…)` on **line 5**, saves `x`, `net.w",
    "net = nn.GRU(3, 4)\nout, _ = net(x)": "built by `net(…)` on **line 5**, saves its inputs",
    "net = nn.MultiheadAttention(3, 1)\nout, _ = net(x, x, x)": "saves `net.out_proj.weight` and",
    "net = nn.Linear(3, 3)\nout = F.mse_loss(net(x), x)": "#3**, built on **line 5**, saves",
    "w = torch.ones(3, 2, requires_grad=True)\nout = (x[0] @ w) @ w.t()": "saves `w.t()`",
}


@pytest.mark.parametrize("source", KEPT)
def test_what_a_layer_kept_is_told_in_the_names_of_the_program(source: str) -> None:
    twice = "\nout.sum().backward()\nout.sum().backward()\n"
    head = "import torch, torch.nn as nn\nimport torch.nn.functional as F\nx = torch.ones(1, 2, 3)\n"
    (found,) = diagnose(run(f"{head}{source}{twice}"))
    assert KEPT[source] in found.story[0]


EDITS = [
    ("(x * 2).backward()", "(x * 2).sum().backward()"),
    ("((x * 2)[:2] + 1).backward()", "((x * 2)[:2] + 1).sum().backward()"),
    ("x.exp().backward()", "x.exp().sum().backward()"),
    ("torch.autograd.backward(x * 2)", "torch.autograd.backward((x * 2).sum())"),
]


@pytest.mark.parametrize(("line", "wanted"), EDITS)
def test_a_mend_is_written_as_one_would_write_it(line: str, wanted: str) -> None:
    ((_, mends),) = find_fixes(run(f"{LEAF}{line}\n"), run)
    assert f"{LEAF}{wanted}\n" in [mend.source for mend in mends]


def test_one_cut_is_told_once_and_mended_without_brackets_that_nobody_needs() -> None:
    ((found, mends),) = find_fixes(
        run("""\
import torch
from torch import nn
enc, head = nn.Linear(4, 3), nn.Linear(3, 1)
opt = torch.optim.SGD([*enc.parameters(), *head.parameters()], lr=0.1)
x = torch.randn(8, 4)
for step in range(3):
    h = torch.tensor(enc(x).tolist())
    loss = head(h).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(enc.weight.grad)
"""),
        run,
    )
    assert (found.kind, found.lines["cut"]) == ("no_graph", 7)
    assert "    h = enc(x)\n" in mends[0].source


PROBED = """\
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)
    def forward(self, x):
        return self.fc(x)
net = Net()
for p in net.parameters():
    p.requires_grad = False
net.probe = nn.Linear(4, 3)
print(net.probe.weight.shape)
{}
loss = net(x).sum()
loss.backward()
"""


@pytest.mark.parametrize(
    ("line", "unread"),
    [
        ("out = net.probe(x)", False),
        ("out = nn.Sequential(net.probe, nn.Tanh())(x)", False),
        ("opt = torch.optim.SGD(net.probe.parameters(), lr=0.1)", True),
    ],
)
def test_a_layer_that_is_called_outside_of_its_model_is_called(line: str, unread: bool) -> None:
    [found] = diagnose(run(LEAF.replace(", requires_grad=True", "") + PROBED.format(line)))
    assert (found.kind, found.names["how"] == "unread_layer") == ("no_graph", unread)


COUNTED = """\
from torch.distributions import Normal
from torch.utils.checkpoint import checkpoint
{}
calls = [0]
def block(t):
    calls[0] += 1
    for _ in range(4 - calls[0]):
        t = (t * {}).sin()
    return t
checkpoint(block, x, use_reentrant=False).sum().backward()
"""
DRAWN = "draws from random numbers that are not torch's"


@pytest.mark.parametrize(
    ("line", "drawn", "elsewhere"),
    [
        ("", "Normal(0., 1.).sample()", False),
        ("noise = Normal(0., 1.)", "noise.sample()", False),
        ("from torch import rand", "rand(4)", False),
        ("import random", "random.random()", True),
        ("from random import uniform as drawn, gauss", "gauss(0., 1.)", True),
        ("import numpy as np", "float(np.random.rand())", True),
        ("import random\ndraws = random.Random(0)", "draws.random()", True),
        ("from numpy.random import default_rng\ndraws = default_rng(0)", "float(draws.random())", True),
        ("import numpy", "float(numpy.random.default_rng(0).random())", True),
    ],
)
def test_whose_random_numbers_are_drawn_is_told_by_where_they_come_from(line: str, drawn: str, elsewhere: bool) -> None:
    [found] = diagnose(run(LEAF + COUNTED.format(line, drawn)))
    assert found.cause == "recomputed" and (DRAWN in " ".join(found.story)) == elsewhere


SUMMED = """\
total = torch.zeros(())
for i in range(12):
    loss = (x * x).sum()
    total = total + loss
    g, = torch.autograd.grad(loss, x,  # {} keep it
        retain_graph=True)
    x.data -= 0.1 * g
print(total)
"""


@pytest.mark.parametrize("word", ["do not", "don't"])
def test_an_apostrophe_hides_no_graph_that_grows(word: str) -> None:
    [found] = diagnose(run(LEAF + SUMMED.format(word)))
    assert (found.cause, found.names["target"], found.lines["shows"]) == ("growing", "total", 4)


METER = """\
class Meter:
    pass
meter = Meter()
meter.kl = (x * {}).sum().item()
loss = x.sum() + meter.kl
loss.backward()
"""


@pytest.mark.parametrize("factor", ["float('nan')", "float('inf')"])
def test_a_number_that_is_not_finite_may_be_a_term(factor: str) -> None:
    trace = run(LEAF + METER.format(factor))
    assert trace.outcome.kind == "finished" and diagnose(trace) == []


def test_there_are_many_programs_and_half_of_them_are_blind() -> None:
    assert len(CASES) >= 300 and len({case.name for case in CASES}) == len(CASES)


def test_a_leaf_that_was_no_leaf_is_made_one_before_anything_is_cut_off() -> None:
    ((found, mends),) = find_fixes(
        run("""\
import torch
w = torch.randn(5, 1, requires_grad=True) * 0.01
x = torch.randn(20, 5)
for i in range(3):
    loss = ((x @ w) ** 2).mean()
    loss.backward()
"""),
        run,
    )
    assert (found.kind, found.lines["built"]) == ("second_backward", 2)
    assert "w = (torch.randn(5, 1) * 0.01).requires_grad_()\n" in mends[0].source
