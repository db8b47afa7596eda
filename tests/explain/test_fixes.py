"""Which mends are offered, in which order and words, as a table."""

import pytest

from gradreel.explain.fixes import EDIT_ROLES, find_fixes
from gradreel.interpreter import run

HEAD = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\ntorch.manual_seed(0)\n"
OFFERED = {
    "net = nn.Linear(2, 1)\nwith torch.no_grad():\n    out = net(torch.ones(2))\nloss = out.sum()\nloss.backward()": [
        "leave out the no_grad of line 6"
    ],
    "net = nn.Linear(2, 3)\nx, y = torch.ones(2, 2), torch.tensor([0, 2])\n"
    "guess = net(x).argmax(1).float()\n((guess - y) ** 2).mean().backward()": [
        "the cross entropy of net(x) instead of a distance of places, on line 8",
        "soft-argmax: the mean place by the softmax of net(x), on line 7",
    ],
    "net = nn.Linear(2, 3)\nx, y = torch.ones(2, 2), torch.tensor([0., 2.])\n"
    "guess = net(x).argmax(1).float()\nF.mse_loss(guess, y).backward()": [
        "soft-argmax: the mean place by the softmax of net(x), on line 7",
    ],
    "net = nn.Linear(2, 3)\nx, y = torch.ones(2, 2), torch.tensor([0., 2.])\n"
    "guess = net(x).topk(1, 1)[1][:, 0].float()\nF.mse_loss(guess, y).backward()": [
        "soft-argmax: the mean place by the softmax of net(x), on line 7",
    ],
    "net = nn.Linear(2, 3)\nx, y = torch.ones(2, 2), torch.tensor([0., 2.])\n"
    "guess = net(x).max(1, keepdim=True).indices.squeeze(1).float()\nF.mse_loss(guess, y).backward()": [
        "soft-argmax: the mean place by the softmax of net(x), on line 7",
    ],
    "class Meter:\n    def __init__(self):\n        self.mean = torch.zeros(())\n"
    "    def update(self, loss):\n        self.mean = 0.9 * self.mean + 0.1 * loss\n"
    "net, meter = nn.Linear(2, 1), Meter()\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\nfor i in range(30):\n"
    "    opt.zero_grad()\n    loss = net(torch.ones(4, 2)).pow(2).mean()\n    loss.backward()\n    opt.step()\n"
    "    meter.update(loss)\nprint(meter.mean)": [
        "detach self.mean before line 9",
        "hand over the number: loss.item() on line 17",
        "take loss without the graph, at the head of update",
    ],
    "w, parts = torch.ones(2, requires_grad=True), []\nfor i in range(3):\n    part = (w * i).sum()\n"
    "    parts.append(part.item())\ntorch.tensor(parts).mean().backward()": [
        "keep the tensors in parts and stack them, on line 9"
    ],
    "x = torch.ones(2, requires_grad=True)\nloss = x.sum().detach()\nloss.backward()": [
        "leave out .detach() on line 6",
    ],
    "x = torch.ones(2, requires_grad=True)\nz = x.exp()\na = z.sum()\nb = z.mean()\na.backward()\nb.backward()": [
        "keep the graph: retain_graph=True on line 9",
        "compute z and b again before line 10",
        "one backward of the sum of the losses",
    ],
    "target = torch.randn(1, 3, 4, 4)\n"
    "img = torch.randn(1, 3, 4, 4)\n"
    "opt = torch.optim.Adam([img], lr=0.1)\n"
    "for i in range(2):\n"
    "    opt.zero_grad()\n"
    "    loss = F.mse_loss(img, target)\n"
    "    loss.backward()\n"
    "    opt.step()": [
        "ask for a gradient of img, which is to change, on line 6",
    ],
    "net = nn.Conv2d(3, 4, 3)\nx = torch.randn(2, 8, 8, 3)\nnet(x).sum().backward()": [
        "the channels in front: x.permute(0, 3, 1, 2) on line 7",
        "Conv2d with in_channels=8 on line 5",
        "3 instead of 8 in randn(…) on line 6",
    ],
    "cell = nn.LSTMCell(3, 4)\n"
    "h = torch.zeros(2, 4)\n"
    "for t in range(3):\n"
    "    h = cell(torch.randn(2, 3), h)\n"
    "h.sum().backward()": [
        "the pair (h, h_memory) on line 8",
    ],
    "lstm = nn.LSTM(3, 4, batch_first=True)\n"
    "fc = nn.Linear(4, 1)\n"
    "opt = torch.optim.Adam([*lstm.parameters(), *fc.parameters()], lr=0.1)\n"
    "hidden = (torch.zeros(1, 2, 4), torch.zeros(1, 2, 4))\n"
    "for step in range(3):\n"
    "    x, y = torch.randn(2, 5, 3), torch.randn(2, 5, 1)\n"
    "    out, hidden = lstm(x, hidden)\n"
    "    loss = ((fc(out) - y) ** 2).mean()\n"
    "    opt.zero_grad()\n"
    "    loss.backward(retain_graph=True)\n"
    "    opt.step()": [
        "detach every part of hidden at the top of the turn",
    ],
    "a = torch.zeros(2, 3, requires_grad=True)\n"
    "b = torch.zeros(2, 3)\n"
    "d = ((a - b) ** 2).sum(1).sqrt()\n"
    "loss = d.mean()\n"
    "loss.backward()\n"
    "print(a.grad)": [
        "keep the input of sqrt away from 0",
    ],
    "net = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 1))\n"
    "for p in net.parameters():\n"
    "    p.requires_grad = False\n"
    "net[1].requires_grad = True\n"
    "loss = net(torch.randn(2, 3)).sum()\n"
    "loss.backward()": [
        "net[1].requires_grad_(True) on line 8, which reaches the parameters of a module",
    ],
    "import numpy as np\nnet = nn.Linear(2, 2)\nout = net(torch.randn(4, 2))\nsm = np.exp(out.detach().numpy())\n"
    "loss = torch.from_numpy(sm).sum()\nloss.backward()": ["compute with torch instead of numpy"],
    "x = torch.randn(2, 3, 4, requires_grad=True)\ny = x.permute(0, 2, 1).view(2, 12)\ny.sum().backward()": [
        "reshape instead of view"
    ],
    "net = nn.Linear(4, 2)\n"
    "opt = torch.optim.Adam(net.parameters(), lr=0.01)\n"
    "chosen, rewards = [], []\n"
    "for episode in range(3):\n"
    "    for t in range(2):\n"
    "        chosen.append(F.log_softmax(net(torch.randn(4)), -1)[0])\n"
    "        rewards.append(1.0)\n"
    "    loss = -(torch.stack(chosen) * torch.tensor(rewards)).sum()\n"
    "    opt.zero_grad()\n"
    "    loss.backward()\n"
    "    opt.step()": [
        "clear chosen and rewards once the update is done, after line 15",
    ],
    "net = nn.Linear(4, 1)\n"
    "total = torch.tensor(0.)\n"
    "for epoch in range(2):\n"
    "    for i in range(2):\n"
    "        total = total + net(torch.randn(2, 4)).pow(2).mean()\n"
    "    total.backward()": [
        "begin total anew once the update is done, after line 10",
        "detach total at the top of the turn",
        "keep the graph: retain_graph=True on line 10",
    ],
    "net = nn.Linear(4, 1)\nx, y = torch.randn(8, 4), torch.ones(8, 1)\n"
    "pred = (torch.sigmoid(net(x)) > 0.5).float()\nF.binary_cross_entropy(pred, y).backward()": [
        "the chances themselves, torch.sigmoid(net(x)), on line 7",
    ],
    "actor, critic = nn.Linear(4, 2), nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))\n"
    "learn = torch.optim.Adam(critic.parameters())\n"
    "s = torch.randn(5, 4)\n"
    "log_prob = F.log_softmax(actor(s), 1)[:, 0]\n"
    "advantage = 1 - critic(s)\n"
    "advantage.pow(2).mean().backward(retain_graph=True)\n"
    "learn.step()\n"
    "loss = -(log_prob * advantage.squeeze()).mean()\n"
    "loss.backward()": [
        "detach advantage on line 12: it only weighs the log-probabilities",
        "compute advantage and loss again before line 13",
    ],
    "lstm, fc = nn.LSTM(3, 4), nn.Linear(4, 1)\n"
    "_, (h_n, c_n) = lstm(torch.randn(5, 2, 3))\n"
    "fc((h_n, c_n)).sum().backward()": ["h_n alone, and not the pair, on line 7"],
    "criterion = nn.CrossEntropyLoss\nnet = nn.Linear(2, 3)\n"
    "loss = criterion(net(torch.randn(4, 2)), torch.tensor([0, 1, 2, 0]))\nloss.backward()": [
        "nn.CrossEntropyLoss() on line 5"
    ],
    "net = nn.Linear(2, 1)\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\nloss = net(torch.ones(3, 2)).sum()\n"
    "opt.step()\nprint(loss)": ["loss.backward() before line 8"],
    "w = torch.ones(2, requires_grad=True)\narr = (w * 2).detach().numpy()\nout = torch.from_numpy(arr)\n"
    "loss = out.sum()\nloss.backward()\nprint(w.grad)": ["compute with torch instead of numpy"],
    "loss = nn.MSELoss\nout = loss(nn.Linear(2, 2)(torch.ones(1, 2)), torch.ones(1, 2))\nout.backward()": [
        "nn.MSELoss() on line 5"
    ],
}


@pytest.mark.parametrize("source", OFFERED)
def test_these_mends_are_offered(source: str) -> None:
    [(_, mends)] = find_fixes(run(HEAD + source), run)
    assert [mend.title for mend in mends] == OFFERED[source]
    assert all(mend.fixes for mend in mends)


def test_a_type_that_is_asked_for_is_told_with_the_one_that_is_given() -> None:
    scores = "nn.CrossEntropyLoss()(torch.ones(2, 3), torch.tensor([0., 2.]))"
    [(found, _)] = find_fixes(run(HEAD + scores), run)
    assert found.story[0] == f"`{scores[:59]}…` on **line 5** asks for numbers of type int64, and is given float32."
    assert found.story[1] == "The targets of this loss are the numbers of classes, and those are whole."


def test_a_row_is_written_by_its_place_and_no_new_tensor_is_lost() -> None:
    loop = "table = torch.ones(3, 2, requires_grad=True) * 2\nfor row in table:\n    row *= 3\ntable.sum().backward()"
    [(_, mends)] = find_fixes(run(HEAD + loop), run)
    assert mends[0].title == "write into table[i] on line 7"
    assert "for i, row in enumerate(table):\n    table[i] *= 3\n" in mends[0].source
    assert not any("row = " in mend.source for mend in mends)


def test_a_step_of_a_descent_is_not_bound_to_the_name_of_its_turn() -> None:
    step = (
        "net = nn.Linear(2, 1)\nnet(torch.ones(2)).sum().backward()\nfor p in net.parameters():\n    p -= 0.1 * p.grad"
    )
    [(_, mends)] = find_fixes(run(HEAD + step), run)
    assert [mend.title for mend in mends] == ["update under torch.no_grad(): line 8"]


WRAPPED = """\
from torch.func import vmap
base, off = 3., 1.
def wrap(a):
    while a > base-off:
        a = a - 1.5
    return a
print(vmap(wrap)(torch.tensor([1., 4., 7.])))
"""
SOME_KEPT = """\
import copy
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Linear(2, 2)
    def forward(self, x, twice):
        if twice:
            self.kept = self.f(x)
        else:
            self.kept = self.f(x) * 2
        return self.kept.sum()
net = Net()
net(torch.ones(2), True).backward()
best = copy.deepcopy(net)
"""
NOT_WRITTEN = {
    "a limit without its brackets": (WRAPPED, "a.detach() - base-off"),
    "a name that one branch alone binds": (SOME_KEPT, "return kept.sum()"),
}


@pytest.mark.parametrize("case", NOT_WRITTEN)
def test_this_is_in_no_edit(case: str) -> None:
    source, words = NOT_WRITTEN[case]
    [(_, mends)] = find_fixes(run(HEAD + source), run)
    assert mends and mends[0].fixes and not any(words in mend.source for mend in mends)


INNER = """\
import copy
net = nn.Linear(2, 1)
meta = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(6, 2), torch.randn(6, 1)
for task in range(3):
    fast = copy.deepcopy(net)
    inner = torch.optim.SGD(fast.parameters(), lr=0.1)
    loss = F.mse_loss(fast(x), y)
    loss.backward()
    inner.step()
    query = F.mse_loss(fast(x), y)
    meta.zero_grad()
    query.backward()
    meta.step()
"""


def test_only_the_backward_of_an_inner_step_becomes_gradients_by_name() -> None:
    [(_, mends)] = find_fixes(run(HEAD + INNER), run)
    sources = [mend.source for mend in mends if mend.fixes and "functional_call" in mend.source]
    assert sources and all("query.backward()" in source and "grad(loss, " in source for source in sources)


SCALE = """\
class Scale(torch.autograd.Function):
    def __init__(self, factor):
        self.factor = factor
    def forward(self, x):
        return x * self.factor
    def backward(self, g):
        return g * self.factor
x = torch.ones(2, requires_grad=True)
Scale(2)(x).sum().backward()
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("forward(self, x):\n        return x * self", "forward(*args):\n        return args[1] * args[0]"),
        ("__init__(self, factor):\n        self.factor = factor", "__init__(*args):\n        args[0].factor = args[1]"),
    ],
)
def test_arguments_without_places_of_their_own_are_not_moved(old: str, new: str) -> None:
    assert old in SCALE
    [(found, mends)] = find_fixes(run(HEAD + SCALE.replace(old, new)), run)
    assert (found.kind, mends) == ("function_contract", [])


ROUNDED = """\
net = nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(8, 2), torch.ones(8, 1)
def train():
    for i in range(4):
        opt.zero_grad()
        out = torch.round(torch.sigmoid(net(x)))
        loss = nn.MSELoss()(out, y)
        loss.backward()
        opt.step()
        print({}.sum().item())
train()
"""


@pytest.mark.parametrize(
    ("counted", "wanted"),
    [
        ("torch.eq(out, y)", "torch.eq(out.round(), y)"),
        ("out.eq(y)", "out.round().eq(y)"),
        ("(out == y)", "(out.round() == y)"),
    ],
)
def test_answers_that_a_function_counts_are_rounded_there(counted: str, wanted: str) -> None:
    [(found, mends)] = find_fixes(run(HEAD + ROUNDED.format(counted)), run)
    assert found.cause == "zero_derivative"
    [mend] = [mend for mend in mends if "not rounded" in mend.title]
    assert mend.source == HEAD + ROUNDED.format(wanted).replace(
        "torch.round(torch.sigmoid(net(x)))", "torch.sigmoid(net(x))"
    )


HOOKED = """\
w = torch.ones(2, 3, requires_grad=True)
def hook(g):
    if g.sum() < 0:
        return g.sum(0)
{}    return g.sum(0)
w.register_hook(hook)
(w * 2).sum().backward()
"""
EVERY_LINE = (
    "net = nn.Linear(2, 1)\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\nloss = net(torch.ones(3, 2)).sum()\n"
)
EDITED = {
    "lines that are replaced": (HOOKED.format(""), [8, 9]),
    "lines that are replaced far from one another": (HOOKED.format("    a = 1\n" * 450), [8, 459]),
    "a line that is removed": (WRAPPED, [9]),
    "a line before which one is put": (EVERY_LINE + "opt.step()\nprint(loss)\n", [8]),
}


@pytest.mark.parametrize("case", EDITED)
def test_the_lines_of_the_first_fix_are_told(case: str) -> None:
    source, lines = EDITED[case]
    [(found, _)] = find_fixes(run(HEAD + source), run)
    assert [found.lines[role] for role in EDIT_ROLES if role in found.lines] == lines


REDUCED = """\
w = torch.ones(3, 2, requires_grad=True)
def hook(g):
    if g.sum() < 0:
        return {}
    return {}
w.register_hook(hook)
(w * 2).sum().backward()
"""


@pytest.mark.parametrize(
    ("one", "other", "wanted"),
    [
        ("g.sum(0)", "g.sum(0,)", ("g.sum(0, keepdim=True).expand_as(g)",) * 2),
        ("g.mean(dim=0,)", "g.sum()", ("g.mean(dim=0, keepdim=True).expand_as(g)", "g.sum().expand_as(g)")),
        ("g.sum(0, keepdim=True)", "g.sum(0)", ("g.sum(0, keepdim=True).expand_as(g)",) * 2),
        (
            "g.mean(0, True)",
            "g.mean(**{'dim': 0})",
            ("g.mean(0, True).expand_as(g)", "g.mean(**{'dim': 0}, keepdim=True).expand_as(g)"),
        ),
    ],
)
def test_a_hook_keeps_the_dimensions_that_it_sums_over(one: str, other: str, wanted: tuple[str, str]) -> None:
    [(_, mends)] = find_fixes(run(HEAD + REDUCED.format(one, other)), run)
    assert HEAD + REDUCED.format(*wanted) in [mend.source for mend in mends]


TWICE = [
    "import torch",
    "x = torch.ones(2, requires_grad=True)",
    "y = x * x",
    "y.sum().backward()",
    "y.sum().backward()",
]
SAID = "RuntimeError: Trying to backward through the graph a second time.\nSpecify retain_graph=True."
TRACEBACK = f'Traceback (most recent call last):\n  File "a.py", line 5, in <module>\n    y.sum().backward()\n{SAID}'
CELL = f"-----------\nRuntimeError   Traceback (most recent call last)\nCell In[1], line 5\n\n----> 5 y.sum()\n\n{SAID}"
PASTED = {
    "a program, then its error": ("", TRACEBACK),
    "a transcript": (">>> ", TRACEBACK),
    "only what it says": (">>> ", SAID),
    "a notebook's frames": (">>> ", CELL),
}


@pytest.mark.parametrize("case", PASTED)
def test_a_mended_program_is_without_the_error_that_was_posted(case: str) -> None:
    prompt, error = PASTED[case]
    page = "\n".join([*(prompt + line for line in TWICE), error, "", f"{prompt}print(x.grad)", "tensor([4., 4.])", ""])
    for _, mends in find_fixes(run(page), run):
        assert mends
        for mend in mends:
            assert "Error" not in mend.source and "Specify" not in mend.source and "Traceback" not in mend.diff
            assert mend.source.endswith(f"{prompt}print(x.grad)\ntensor([4., 4.])\n")


def test_a_traceback_in_a_text_of_the_program_stays() -> None:
    page = f'{chr(10).join(TWICE)}\nwords = """\n{TRACEBACK}\n"""\n'
    [(_, mends), *_] = find_fixes(run(page), run)
    assert mends and all(TRACEBACK in mend.source for mend in mends)


def test_what_is_computed_once_of_a_parameter_is_not_cut_off_for_good() -> None:
    """Detached after the first turn, it would let the error go, and the parameter would learn in one turn alone."""
    source = (
        "class Schedule(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.gamma = nn.Parameter(torch.ones(3))\n        self.alpha = torch.sigmoid(self.gamma)\n"
        "    def mix(self, x): return self.alpha * x\n"
        "plan, net = Schedule(), nn.Linear(3, 1)\n"
        "opt = torch.optim.SGD([*plan.parameters(), *net.parameters()], lr=0.1)\nfor i in range(4):\n"
        "    opt.zero_grad()\n    loss = net(plan.mix(torch.ones(2, 3))).pow(2).mean()\n    loss.backward()\n"
        "    opt.step()"
    )
    [(found, mends)] = find_fixes(run(HEAD + source), run)
    assert found.cause == "second_backward"
    assert not [mend.title for mend in mends if mend.fixes and "detach" in mend.title]
