"""Which mends are offered, in which order and words, as a table."""

import pytest

from gradreel.explain.mending import mended
from gradreel.program import run

HEAD = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\ntorch.manual_seed(0)\n"
OFFERED = {
    "net = nn.Linear(2, 1)\nwith torch.no_grad():\n    out = net(torch.ones(2))\nloss = out.sum()\nloss.backward()": [
        "leave out the no_grad of line 6"
    ],
    "net = nn.Linear(2, 3)\nx, y = torch.ones(2, 2), torch.tensor([0, 2])\n"
    "guess = net(x).argmax(1).float()\n((guess - y) ** 2).mean().backward()": [
        "the cross entropy of net(x) instead of a distance of places, on line 8"
    ],
    "net = nn.Linear(2, 3)\nx, y = torch.ones(2, 2), torch.tensor([0., 2.])\n"
    "guess = net(x).argmax(1).float()\nF.mse_loss(guess, y).backward()": [
        "the cross entropy of net(x) instead of a distance of places, on line 8; y.long() on line 8"
    ],
    "w, parts = torch.ones(2, requires_grad=True), []\nfor i in range(3):\n    part = (w * i).sum()\n"
    "    parts.append(part.item())\ntorch.tensor(parts).mean().backward()": [
        "keep the tensors in parts and stack them, on line 9"
    ],
    "x = torch.ones(2, requires_grad=True)\nloss = x.sum().detach()\nloss.backward()": [
        "leave out .detach() on line 6",
        "make it a new leaf: .requires_grad_() on line 6",
    ],
    "x = torch.ones(2, requires_grad=True)\nz = x.exp()\na = z.sum()\nb = z.mean()\na.backward()\nb.backward()": [
        "keep the graph: retain_graph=True on line 9",
        "compute z and b again before line 10",
        "one backward of the sum of the losses",
    ],
}


@pytest.mark.parametrize("source", OFFERED)
def test_these_mends_are_offered(source: str) -> None:
    [(_, mends)] = mended(run(HEAD + source), run)
    assert [mend.title for mend in mends] == OFFERED[source]


def test_a_type_that_is_asked_for_is_told_with_the_one_that_is_given() -> None:
    scores = "nn.CrossEntropyLoss()(torch.ones(2, 3), torch.tensor([0., 2.]))"
    [(found, _)] = mended(run(HEAD + scores), run)
    assert found.story[0] == f"`{scores[:59]}…` on **line 5** asks for numbers of type int64, and is given float32."
    assert found.story[1] == "The targets of this loss are the numbers of classes, and those are whole."


def test_a_row_is_written_by_its_place_and_no_new_tensor_is_lost() -> None:
    loop = "table = torch.ones(3, 2, requires_grad=True) * 2\nfor row in table:\n    row *= 3\ntable.sum().backward()"
    [(_, mends)] = mended(run(HEAD + loop), run)
    assert mends[0].title == "write into table[i] on line 7"
    assert "for i, row in enumerate(table):\n    table[i] *= 3\n" in mends[0].source
    assert not any("row = " in mend.source for mend in mends)


def test_a_step_of_a_descent_is_not_bound_to_the_name_of_its_turn() -> None:
    step = (
        "net = nn.Linear(2, 1)\nnet(torch.ones(2)).sum().backward()\nfor p in net.parameters():\n    p -= 0.1 * p.grad"
    )
    [(_, mends)] = mended(run(HEAD + step), run)
    assert [mend.title for mend in mends] == ["update under torch.no_grad(): line 8"]
