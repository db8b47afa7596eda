"""What a program changes is gone with its run: nothing that it can reach belongs to the process."""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Iterator
from typing import Any

import pytest

from gradreel.interpreter import run
from gradreel.interpreter.builtins.namespace import BUILTINS
from gradreel.interpreter.library import MODULES
from gradreel.interpreter.machine import Machine
from gradreel.interpreter.runtime.attributes import own_attributes
from gradreel.interpreter.runtime.values import STAND_INS, Namespace, Type
from gradreel.trace.events import Printed

MUTABLE = (dict, list, set, bytearray, deque)


def values(value: Any, path: str, seen: set[int]) -> Iterator[tuple[str, Any]]:
    """All that `value` leads to of the modules' tables, with the way there."""
    if id(value) in seen:
        return
    seen.add(id(value))
    yield path, value
    inner = value.table if isinstance(value, Namespace) else value.methods if isinstance(value, Type) else {}
    for name, part in inner.items() if isinstance(inner, dict) else ():
        yield from values(part, f"{path}.{name}", seen)


def test_no_table_offers_what_a_program_could_change() -> None:
    seen: set[int] = set()
    tables = [*MODULES.items(), *BUILTINS.items()]
    found = [pair for name, value in tables for pair in values(value, name, seen)]
    assert len(found) > 2000
    assert not [path for path, value in found if isinstance(value, MUTABLE)]
    assert not [path for path, value in found if own_attributes(value) is not None]


START = "import os, sys, torch\nimport torch.distributions as D\n"
CHANGES = {
    "sys.argv.append('zz')": "sys.argv",
    "os.environ['zz'] = 'a'": "dict(os.environ), os.getenv('zz')",
    "D.register_kl(D.Normal, D.Normal)(lambda p, q: 77)": "D.kl_divergence(D.Normal(0.0, 1.0), D.Normal(0.0, 1.0))",
    "D.Normal(0.0, 1.0).arg_constraints['x'] = 5": "D.Normal(0.0, 1.0), list(D.Normal(0.0, 1.0).arg_constraints)",
    "D.Categorical(torch.ones(2)).arg_constraints.clear()": "list(D.Categorical(torch.ones(2)).arg_constraints)",
    "D.Normal(0.0, 1.0).support.zz = 1": "hasattr(D.Normal(0.0, 1.0).support, 'zz')",
    "D.identity_transform.zz = 1": "hasattr(D.identity_transform, 'zz')",
    **{
        f"{what}.zz = 1": f"hasattr({what}, 'zz')"
        for what in (
            *("torch.default_generator", "torch.manual_seed(3)", "torch.strided", "torch.ones(1).layout"),
            *("torch.contiguous_format", "torch.device('cpu')", "torch.ones(1).device", "torch.finfo(torch.float32)"),
            *(
                "torch.iinfo(torch.int8)",
                "torch.float32",
                "D.constraints.real",
                "torch.nn.functional.relu",
                "torch.sin",
            ),
            *("torch.nn.Linear", "D.constraints.positive", "len", "torch", "torch.backends.cudnn", "ValueError", "int"),
        )
    },
}


def printed(expression: str) -> str:
    trace = run(f"{START}print({expression})")
    return f"{trace.outcome} " + "".join(event.text for event in trace.events if isinstance(event, Printed))


@pytest.mark.parametrize("change", CHANGES)
def test_a_later_run_does_not_see_it(change: str) -> None:
    before = printed(CHANGES[change])
    run(START + change)
    assert printed(CHANGES[change]) == before


def test_within_a_run_it_is_seen() -> None:
    changes = "D.register_kl(D.Normal, D.Normal)(lambda p, q: 77)\nsys.argv.append('zz')\nos.environ['zz'] = 'a'\n"
    trace = run(
        f"{START}{changes}print(D.kl_divergence(D.Normal(0.0, 1.0), D.Normal(0.0, 1.0)), sys.argv, os.getenv('zz'))"
    )
    assert "".join(event.text for event in trace.events if isinstance(event, Printed)) == "77 ['', 'zz'] a\n"


CLASSES = {
    "Function": """
    @staticmethod
    def forward(ctx, x): return x * 2
    @staticmethod
    def backward(ctx, g): return g * 2
x = torch.ones(2, requires_grad=True)
y = C.apply(x)
y.sum().backward()
print(type(y.grad_fn), y.grad_fn.name(), C.apply, C)""",
    "vmapped Function": """
    generate_vmap_rule = True
    @staticmethod
    def forward(x): return x * 2
    @staticmethod
    def setup_context(ctx, inputs, output): pass
    @staticmethod
    def backward(ctx, g): return g * 2
print(torch.vmap(torch.func.grad(lambda x: C.apply(x).sum()))(torch.ones(2, 2)))""",
    "nn.Module": """
    def forward(self, x): return x
m = C()
m.register_forward_hook(lambda *given: None)
print(m(torch.ones(2)), type(m), type(m).__mro__, C.train)""",
    "optim.SGD": """
    def step(self, closure=None): super().step(closure)
o = C([torch.ones(2, requires_grad=True)], lr=0.1)
print(o.step(), type(o))""",
    "D.Normal": """
    def sample(self, shape=()): return super().sample(shape)
print(C(0.0, 1.0).sample(), type(C(0.0, 1.0)))""",
    "object": """
    def __call__(self, given): return given
x = torch.ones(2, requires_grad=True)
x.register_hook(C())
x.sum().backward()
try: torch.relu(C())
except TypeError as e: print(e)""",
}


@pytest.mark.parametrize("base", CLASSES)
def test_nothing_of_a_run_stays_in_memory(base: str) -> None:
    head = f"{START}from torch import nn, optim\nfrom torch.autograd import Function\n"
    before = {id(machine) for machine in machines()}
    assert run(f"{head}class C({base.split()[-1]}):{CLASSES[base]}").outcome.kind == "finished"
    assert {id(machine) for machine in machines()} <= before


def machines() -> list[Machine]:
    """The machines that something holds, those of tests that failed among them."""
    gc.collect()
    return [value for value in gc.get_objects() if type(value) is Machine]


def test_no_class_of_a_program_stands_for_one_of_ours() -> None:
    before = dict(STAND_INS)
    run(
        "import torch\nclass Function:\n    pass\nFunction.__module__ = 'gradreel.interpreter.runtime.values'\n"
        "class A:\n    __module__ = 'gradreel.interpreter.runtime.values'\n    __qualname__ = 'Function'\n"
        "for kind in (Function, A):\n    try: torch.relu(kind())\n    except TypeError as e: print(e)"
    )
    assert before == STAND_INS
