"""What the program tells: lines with their loops and calls, names and the parts they reach, calls, output, errors."""

from __future__ import annotations

from typing import TypeVar

from autograd_core.events import NodeReleased, TensorMade, TensorReleased
from gradreel.explain import World
from gradreel.interpreter import run
from gradreel.trace import Trace
from gradreel.trace.events import (
    FunctionEntered,
    FunctionLeft,
    GradMissing,
    LineReached,
    NameBound,
    NameUnbound,
    NumbersTaken,
    OptimizerStepped,
    Raised,
    Warned,
)

Kind = TypeVar("Kind")


def of(trace: Trace, kind: type[Kind]) -> list[Kind]:
    return [event for event in trace.events if isinstance(event, kind)]


def test_a_line_knows_its_loops_and_calls() -> None:
    trace = run("def f(k):\n    return k\nfor i in range(2):\n    while True:\n        f(i)\n        break")
    inside = [event for event in of(trace, LineReached) if event.line == 2]
    assert [event.frames for event in inside] == [(("f", 5),), (("f", 5),)]
    assert [event.loops for event in inside] == [((3, 1, 2), (4, 1, None)), ((3, 2, 2), (4, 1, None))]


def test_a_statement_over_several_lines_says_where_it_ends() -> None:
    lines = of(run("x = [\n  1,\n]\nfor i in range(\n  1):\n    pass"), LineReached)
    assert [(event.line, event.end_line) for event in lines] == [(1, 3), (4, 5), (4, 5), (6, 6)]


def test_a_loop_reaches_its_line_to_begin_and_in_each_turn() -> None:
    lines = of(run("for i in range(2):\n    pass"), LineReached)
    assert [(event.line, event.loops) for event in lines] == [
        (1, ()),
        (1, ((1, 1, 2),)),
        (2, ((1, 1, 2),)),
        (1, ((1, 2, 2),)),
        (2, ((1, 2, 2),)),
    ]


def test_a_name_is_told_before_what_it_stood_for_is_released() -> None:
    trace = run("import torch\nx = torch.ones(2)\nx = x * 2")
    kinds = [type(event) for event in trace.events if isinstance(event, (NameBound, TensorReleased))]
    assert kinds == [NameBound, NameBound, TensorReleased]


def test_the_parts_of_containers_and_modules_have_paths() -> None:
    trace = run(
        "import torch\na = torch.ones(1)\nparams = [a, 3, (a,)]\nstate = {'h': a}\n"
        "net = torch.nn.Sequential(torch.nn.Linear(1, 1))\n"
        "params.append(a)\nstate['c'] = a\nparams = None"
    )
    told = [(event.name, event.tensor is not None) for event in of(trace, NameBound)]
    assert told == [
        ("a", True),
        ("params", False),
        ("params[0]", True),
        ("params[2][0]", True),
        ("state", False),
        ("state['h']", True),
        ("net", False),
        ("net.0.weight", True),
        ("net.0.bias", True),
        ("params", False),
        ("params[3]", True),
        ("state", False),
        ("state['c']", True),
        ("params", False),
    ]
    assert [event.name for event in of(trace, NameUnbound)] == ["params[0]", "params[2][0]", "params[3]"]


def test_attributes_of_a_module_are_told_in_its_methods() -> None:
    source = (
        "import torch\nclass Net(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.w = torch.nn.Parameter(torch.ones(1))\n        self.h = torch.zeros(1)\nnet = Net()"
    )
    told = {(event.scope > 0, event.name) for event in of(run(source), NameBound)}
    assert {(True, "self.w"), (True, "self.h"), (False, "net.w"), (False, "net.h")} <= told


def test_the_names_of_a_call_go_with_it() -> None:
    trace = run("def f(a):\n    b = a\n    return b\nf(1)")
    (entered,), (left,) = of(trace, FunctionEntered), of(trace, FunctionLeft)
    assert (entered.function, entered.line) == ("f", 4) and entered.scope == left.scope > 0
    assert {event.name for event in of(trace, NameBound) if event.scope == left.scope} == {"a", "b"}
    assert not of(trace, NameUnbound)
    world = World(trace)
    for event in trace.events[: trace.events.index(left)]:
        world.apply(event)
    assert world.names_in[left.scope].keys() == {"a", "b"}
    world.apply(left)
    assert left.scope not in world.names_in and world.lately == {"a": None, "b": None}


def test_del_releases_at_its_own_line() -> None:
    trace = run("import torch\nx = torch.ones(1, requires_grad=True)\ny = x * 2\ndel y\nz = 1")
    events = list(trace.events)
    at = [event.line for event in events[: events.index(of(trace, NodeReleased)[0])] if isinstance(event, LineReached)]
    assert at[-1] == 4


LOCALS = (
    "import torch\nx = torch.ones(1, requires_grad=True)\n"
    "def f(a):\n    a = a + 1\n    c = a * 3\n    return 5\n"
    "f(x * 2)\nfor t in [x * 2, x * 3]:\n    t = None\ntry:\n    (x * 2).view(7)\nexcept RuntimeError as e:\n    pass\n"
    "[y * 2 for y in [x]]\nprint('end')"
)


def test_calls_loops_comprehensions_and_errors_keep_nothing() -> None:
    trace = run(LOCALS)
    made = sum(type(event).__name__ == "NodeMade" for event in trace.events)
    assert made == len(of(trace, NodeReleased)) > 5


FAILS = """\
import torch
a = torch.ones(2, requires_grad=True)
def step(a):
    b = a.exp()
    loss = (b * 2).sum()
    b.mul_(2)
    loss.backward()
"""


def test_what_is_in_the_frames_of_an_error_lives_until_it_is_caught_or_ends_the_program() -> None:
    assert of(run(FAILS + "step(a)"), NodeReleased) == []
    caught = FAILS + "try:\n    step(a)\nexcept RuntimeError:\n    pass"
    assert len(of(run(caught), NodeReleased)) == 5
    assert len(of(run(FAILS + "step(a)\nprint(a)", mode="transcript"), NodeReleased)) == 5


def test_errors_are_told_with_line_and_whether_they_were_caught() -> None:
    trace = run("def f():\n    1 / 0\ntry:\n    f()\nexcept ZeroDivisionError:\n    pass\nf()")
    raised = [(event.type, event.line, event.caught, event.frames) for event in of(trace, Raised)]
    assert raised == [("ZeroDivisionError", 2, True, (("f", 4),)), ("ZeroDivisionError", 2, False, (("f", 7),))]


def test_an_optimizer_step_is_told_at_both_ends() -> None:
    trace = run(
        "import torch\nw = torch.ones(1, requires_grad=True)\nopt = torch.optim.SGD([w], lr=0.1)\n"
        "(w * w).backward()\nopt.step()"
    )
    assert [(event.optimizer, event.phase) for event in of(trace, OptimizerStepped)] == [
        ("SGD", "began"),
        ("SGD", "ended"),
    ]


def test_a_warning_is_told_once_for_its_line() -> None:
    trace = run("import torch\nx = torch.ones(1, requires_grad=True) * 2\nfor i in range(2):\n    x.grad")
    assert [(event.category, event.line) for event in of(trace, Warned)] == [("UserWarning", 4)]


def test_a_gradient_that_is_none_is_told_when_it_is_read() -> None:
    trace = run(LEAF + "print(x.grad)\nx.sum().backward()\nprint(x.grad)")
    assert len(of(trace, GradMissing)) == 1


def test_numbers_taken_out_of_a_tensor_are_told() -> None:
    trace = run(LEAF + "y = x.sum()\ny.item()\nfloat(y)\nx.tolist()\nx.detach().numpy()")
    assert [event.how for event in of(trace, NumbersTaken)] == ["item", "float", "tolist", "numpy"]


def test_what_a_function_puts_on_its_context_is_told_as_a_part_of_it() -> None:
    trace = run(
        "import torch\nclass F(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n"
        "        ctx.kept = x * 2\n        return ctx.kept * 1\nF.apply(torch.ones(1))"
    )
    assert "ctx.kept" in [event.name for event in of(trace, NameBound) if event.tensor is not None]


LEAF = "import torch\nx = torch.ones(2, requires_grad=True)\n"


SHARED = """import torch
def of_closure():
    A, b, c = torch.ones(1), torch.ones(2), torch.ones(3)
    return lambda: (b, A, c)
f = of_closure()
del f
def of_locals():
    z, y, x = torch.ones(4), torch.ones(5), torch.ones(6)
    g = lambda: (y, z, x)
    del g
of_locals()
def of_parameters(b, a):
    t = torch.ones(9)
    g = lambda: (a, b, t)
    del g
of_parameters(torch.ones(7), torch.ones(8))
"""


def test_what_functions_share_goes_in_pythons_order() -> None:
    """A closure from its last to its first by name; variables of a call by name, parameters first. No hash decides."""
    events = run(SHARED).events
    sizes = {event.tensor: event.shape[0] for event in events if isinstance(event, TensorMade)}
    gone = [sizes[event.tensor] for event in events if isinstance(event, TensorReleased)]
    assert gone == [3, 2, 1, 6, 5, 4, 7, 8, 9]


def test_a_part_of_a_variable_that_an_inner_function_reads_is_told_when_it_is_set() -> None:
    source = (
        "import torch\nclass Kept:\n    def keep(self, x):\n        half = lambda: self.last / 2\n"
        "        self.last = x * 2\n        return half()\nKept().keep(torch.ones(2))\n"
    )
    (bound,) = [event for event in of(run(source), NameBound) if event.name == "self.last"]
    assert bound.tensor is not None
