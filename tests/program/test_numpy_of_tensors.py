"""What numpy's functions make of tensors: what torch 2.13 with numpy 2 prints, as a table."""

import pytest

from gradreel.program import run
from gradreel.trace import events as e

PRINTS = {
    "print(np.tanh(torch.zeros(2)))": "tensor([0., 0.])\n",
    "print(torch.from_numpy(np.exp(torch.zeros(2).numpy())))": "tensor([1., 1.])\n",
    "try:\n    torch.from_numpy(np.exp(torch.zeros(2)))\nexcept TypeError as error:\n    print(error)": (
        "expected np.ndarray (got Tensor)\n"
    ),
}


@pytest.mark.parametrize("source", PRINTS)
def test_a_function_of_one_argument_gives_a_tensor_for_a_tensor(source: str) -> None:
    trace = run(f"import numpy as np\nimport torch\n{source}\n")
    assert trace.outcome.kind == "finished", trace.outcome
    assert "".join(event.text for event in trace.events if isinstance(event, e.Printed)) == PRINTS[source]
