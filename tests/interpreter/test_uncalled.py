"""A method that was not called, where a tensor is wanted: torch says what it got, by who wrote the method."""

import pytest

from gradreel.interpreter import run

SAYS = {
    "torch.mm(x.t, x)": "mm(): argument 'input' (position 1) must be Tensor, not builtin_function_or_method",
    "torch.mm(x.norm, x)": "mm(): argument 'input' (position 1) must be Tensor, not method",
    "F.relu(x.double)": "relu(): argument 'input' (position 1) must be Tensor, not builtin_function_or_method",
    "torch.stack([x, x.clone])": "expected Tensor as element 1 in argument 0, but got builtin_function_or_method",
    "torch.tensor(x.sum)": "Could not infer dtype of builtin_function_or_method",
    "F.mse_loss(x, x.detach)": "'builtin_function_or_method' object has no attribute 'size'",
    "x[x.sum]": (
        "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got "
        "builtin_function_or_method)"
    ),
    "nn.Linear(2, 2)(layer.forward)": "linear(): argument 'input' (position 1) must be Tensor, not method",
}


@pytest.mark.parametrize("call", SAYS)
def test_a_method_that_was_not_called_is_named_as_torch_names_it(call: str) -> None:
    head = (
        "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\nx, layer = torch.ones(2, 2), nn.ReLU()\n"
    )
    outcome = run(head + call).outcome
    assert (outcome.kind, outcome.message) == ("raised", SAYS[call])


def test_such_a_method_can_be_called_by_the_engine() -> None:
    source = """
import torch
x, seen = torch.tensor([1., 2.], requires_grad=True), torch.zeros(2)
x.register_hook(seen.add_)
x.prod().backward()
assert seen.tolist() == x.grad.tolist() == [2., 1.]
assert torch.func.grad(torch.ones(2).dot)(torch.zeros(2)).tolist() == [1., 1.]
"""
    assert run(source).outcome.kind == "finished"
