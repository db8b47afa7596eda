"""What programs ask of layers and of torch's functions as of any Python: their attributes, words, what they lack."""

import pytest

from gradreel.interpreter import run
from gradreel.trace.events import Printed

PRINTS = {
    "print([k for k in vars(nn.Linear(2, 1)) if 'hook' not in k], vars(nn.Linear(2, 1))['in_features'])": (
        "['training', '_parameters', '_buffers', '_modules', 'in_features', 'out_features'] 2\n"
    ),
    "vars(nn.Linear(2, 1))['_parameters'].clear()\nprint(vars(nn.Linear(2, 1))['_parameters']['bias'].shape)": (
        "torch.Size([1])\n"
    ),
    "print(type(nn.Linear.__doc__), nn.ReLU.__doc__ == nn.ReLU().__doc__, nn.ReLU.__doc__ != nn.Linear.__doc__)": (
        "<class 'str'> True True\n"
    ),
    "import io\nnet, buf = nn.Linear(2, 1), io.BytesIO()\ntorch.save(net.state_dict(), buf)\nblob = buf.getvalue()\n"
    "with torch.no_grad():\n    net.weight.add_(1)\nbuf.seek(0)\nbuf.truncate()\ntorch.save([1], buf)\nbuf.seek(0)\n"
    "again = torch.load(io.BytesIO(blob))\nprint(torch.load(buf), (net.weight - again['weight']).detach().round())\n"
    "with open('./a.pt', 'wb') as f:\n    f.write(blob)\nprint(list(torch.load('a.pt')))\n"
    "try:\n    torch.load(io.BytesIO())\nexcept EOFError as e:\n    print(repr(e))": (
        "[1] tensor([[1., 1.]])\n['weight', 'bias']\nEOFError()\n"
    ),
    "from torch.autograd.variable import Variable\nprint(Variable(torch.ones(1)))": "tensor([1.])\n",
}
RAISES = {
    "torch.save(torch.ones(1))": "save() missing 1 required positional argument: 'f'",
    "torch.save()": "save() missing 2 required positional arguments: 'obj' and 'f'",
    "pow(torch.ones(1), 2, 3)": "unsupported operand type(s) for ** or pow(): 'Tensor', 'int', 'int'",
    "pow(2, 3, torch.ones(1))": "unsupported operand type(s) for ** or pow(): 'int', 'int', 'Tensor'",
}
HEAD = "import torch\nfrom torch import nn\n"


@pytest.mark.parametrize("source", PRINTS)
def test_layers_tell_of_themselves(source: str) -> None:
    trace = run(HEAD + source)
    assert "".join(event.text for event in trace.events if isinstance(event, Printed)) == PRINTS[source]


@pytest.mark.parametrize("source", RAISES)
def test_functions_say_what_they_lack(source: str) -> None:
    outcome = run(HEAD + source).outcome
    assert (outcome.type, outcome.message) == ("TypeError", RAISES[source])
