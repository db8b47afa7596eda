"""What the engine calls for a program: always through the interpreter, whatever kind of callable it was given."""

from __future__ import annotations

import pytest

from gradreel.interpreter import run
from gradreel.trace.events import Printed

START = """
import collections, copy, torch, numpy as np, warnings
from torch import nn
from torch.utils.checkpoint import checkpoint
def f(): pass
class A:
    def m(self): return super()
def call(function, *args): return checkpoint(function, *args, use_reentrant=False)
class kept:
    def __init__(self, group):
        sgd = torch.optim.SGD([torch.ones(1, requires_grad=True)], 0.1)
        sgd.add_param_group({"params": [torch.ones(1, requires_grad=True)], **group})
        self.a = sgd.param_groups[1]["a"]
x = torch.ones(2)
m = nn.Linear(1, 1)
"""
CALLS = {
    # no record of the interpreter is made by calling its type
    "call(type(f), 'n', int)": "TypeError cannot create 'function' instances",
    "call(type(len), 'n', int)": "TypeError cannot create 'builtin_function_or_method' instances",
    "call(type(A().m), f, 1)": "TypeError cannot create 'method' instances",
    "call(type(torch), 'n')": "TypeError cannot create 'module' instances",
    "call(type(i for i in ()), 1)": "TypeError cannot create 'generator' instances",
    "call(type(None), 1)": "TypeError cannot create 'NoneType' instances",
    "list(map(type(len), [1]))": "TypeError cannot create 'builtin_function_or_method' instances",
    "type(f)('n', int)": "TypeError cannot create 'function' instances",
    # the engine's callers give what a call by the program gives
    "call(type(type), 'X', (), {})": "<class '__main__.X'>",
    "call(type(np.ndarray), 'X', (), {})": "<class '__main__.X'>",
    "call(type(np.zeros(1)), (2,))": "[0. 0.]",
    "call(int, '5')": "5",
    "call(torch.sin, torch.zeros(1))": "tensor([0.])",
    "call(nn.Linear, 2, 2)": "Linear(in_features=2, out_features=2, bias=True)",
    "torch.vmap(torch.neg)(x)": "tensor([-1., -1.])",
    "m.register_forward_hook(type(len)) and m(x[:1])": (
        "TypeError cannot create 'builtin_function_or_method' instances"
    ),
    # classes where classes are wanted
    "torch.zeros(1, dtype=int)": "tensor([0])",
    "torch.zeros(1).to(int)": "tensor([0])",
    "torch.zeros(1).type(torch.LongTensor)": "tensor([0])",
    "torch.sum(x, 0, False, dtype=float)": "tensor(2., dtype=torch.float64)",
    "torch.add(x, type(f))": "TypeError add(): argument 'other' (position 2) must be Tensor, not type",
    "torch.add(x, x.t)": (
        "TypeError add(): argument 'other' (position 2) must be Tensor, not builtin_function_or_method"
    ),
    # what begins an object takes one of its own
    "torch.autograd.function.InplaceFunction.__init__(nn.Linear, True)": (
        "TypeError descriptor '__init__' requires a 'InplaceFunction' object but received a 'type'"
    ),
    "type(torch.distributions.constraints.real).__init__(type(f), 'evil', f)": (
        "AttributeError type object 'Constraint' has no attribute '__init__'"
    ),
    # what the engine keeps for a program comes back as it was
    "kept({'a': A()}).a.__class__.__name__": "A",
    "kept({'a': len}).a('xy')": "2",
    "kept({'a': type(len)}).a": "<class 'builtin_function_or_method'>",
    "type(kept({'a': f}).a)": "<class 'function'>",
    "setattr(m, 'p', type(len)) or m.p": "<class 'builtin_function_or_method'>",
    "nn.CELU(type(len))": "CELU(alpha=<class 'builtin_function_or_method'>)",
    "copy.deepcopy(collections.deque([warnings.catch_warnings()]))": (
        "TypeError cannot pickle 'catch_warnings' object"
    ),
    # and is never looked into
    "nn.InstanceNorm1d(slice(0, A()))": "TypeError must be real number, not A",
    "nn.Module.__call__(type(np.zeros(1)), (5,))": (
        "TypeError descriptor '__call__' requires a 'Module' object but received a 'type'"
    ),
    "list.__getitem__({1: 2}, 1)": "TypeError descriptor '__getitem__' requires a 'list' object but received a 'dict'",
    "object.__getattribute__(ValueError(1), 'args')": "(1,)",
    "nn.Module.__call__(m, torch.zeros(1)).shape": "torch.Size([1])",
    # a class is the engine's for what it is, not for what it says
    "type('Handle', (), {'__module__': 'torch.x'})().remove": (
        "AttributeError 'Handle' object has no attribute 'remove'"
    ),
}


@pytest.mark.parametrize("expression", CALLS)
def test_the_engine_calls_as_the_program_would(expression: str) -> None:
    trace = run(f"{START}try: print({expression})\nexcept Exception as e: print(type(e).__name__, e)")
    assert trace.outcome.kind == "finished", trace.outcome
    assert "".join(event.text for event in trace.events if isinstance(event, Printed)).strip() == CALLS[expression]


def test_classes_that_the_engine_makes_late_are_its_own() -> None:
    trace = run(
        "import copy, torch\nw = torch.nn.Parameter(torch.ones(2))\nopt = copy.deepcopy(torch.optim.SGD([w], lr=1.0))\n"
        "half, normal = torch.frexp(torch.ones(2)).mantissa, torch.distributions.Normal(0.0, 1.0)\n"
        "print(half.sum(), opt.defaults['lr'], normal.mean)\n"
        "with torch.autograd.graph.allow_mutation_on_saved_tensors() as context:\n    w.exp()\n"
    )
    printed = "".join(event.text for event in trace.events if isinstance(event, Printed))
    assert (trace.outcome.kind, printed) == ("finished", "tensor(1.) 1.0 tensor(0.)\n")
