"""What numpy's functions make of tensors: what torch 2.13 with numpy 2 prints, as a table."""

import pytest

from gradreel.interpreter import run
from gradreel.trace import events

PRINTS = {
    "print(np.tanh(torch.zeros(2)))": "tensor([0., 0.])\n",
    "print(torch.from_numpy(np.exp(torch.zeros(2).numpy())))": "tensor([1., 1.])\n",
    "try:\n    torch.from_numpy(np.exp(torch.zeros(2)))\nexcept TypeError as error:\n    print(error)": (
        "expected np.ndarray (got Tensor)\n"
    ),
    "a = torch.tensor([1., 2.])\nprint(a * np.ones(2), np.maximum(a, 1.5), np.isnan(a), np.add(a, a))": (
        "tensor([1., 2.], dtype=torch.float64) tensor([1.5000, 2.0000]) tensor([0, 0], dtype=torch.uint8) "
        "tensor([2., 4.])\n"
    ),
    "a = torch.tensor([1., 2.])\nprint(a == np.array([1., 3.]), np.array([1., 3.]) == a, np.array([1., 2.]) / a)": (
        "tensor([ True, False]) tensor([ True, False]) tensor([1., 1.], dtype=torch.float64)\n"
    ),
    "w = torch.ones(1, requires_grad=True)\nlosses = np.zeros((2, 2))\n"
    "losses[0, 1] = (w * 3).sum()\nlosses[-1][0] = w\n"
    "counts = np.zeros(2, dtype=int)\ncounts[1] = w * 2.5\nprint(losses, counts)": "[[0. 3.]\n [1. 0.]] [0 2]\n",
    "a = np.zeros(2)\nw = torch.ones(2, requires_grad=True)\n"
    "for value, at in [(w, 0), (torch.ones(2), 1), (w[:1], slice(1))]:\n"
    "    try:\n        a[at] = value\n    except (RuntimeError, ValueError) as error:\n        print(error)": (
        "only one element tensors can be converted to Python scalars\n"
        "only one element tensors can be converted to Python scalars\n"
        "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.\n"
    ),
    "print(np.maximum(np.ones(2, dtype=np.float32), 1.5).dtype)": "float32\n",
}


@pytest.mark.parametrize("source", PRINTS)
def test_a_function_of_one_argument_gives_a_tensor_for_a_tensor(source: str) -> None:
    trace = run(f"import numpy as np\nimport torch\n{source}\n")
    assert trace.outcome.kind == "finished", trace.outcome
    assert "".join(event.text for event in trace.events if isinstance(event, events.Printed)) == PRINTS[source]
