"""Each budget stops the program that goes beyond it, names itself and the line, and leaves the trace so far."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, replace

import pytest

from gradreel.interpreter import Limits, Spent, run
from gradreel.trace.events import NameBound, Printed, Stopped, TensorReleased
from gradreel.trace.rules import validate

SMALL = Limits(steps=60_000, seconds=20.0, events=200_000, flops=2_000_000_000, bytes=64_000_000)

STOPPED: dict[str, tuple[str, int]] = {
    "while True: [1, 2].index(1)": ("steps", 1),
    "def f(n):\n    return [f(n - 1), f(n - 1)] if n else 0\nf(30)": ("steps", 2),
    "sum(range(10**9))": ("steps", 1),
    "max(i * j for i in range(10**5) for j in range(10**5))": ("steps", 1),
    "a = [1]\nfor i in range(30): a = [a, a]\nprint(a)": ("steps", 3),
    "x = [0] * 10**9": ("length", 1),
    "x = 'a' * 10**9": ("length", 1),
    "x = list(range(10**6))": ("steps", 1),
    "x = 'ab'.replace('a', 'b' * 99_999).replace('b', 'cc')": ("length", 1),
    "x = ' '.join(['a' * 50_000] * 3)": ("length", 1),
    "x = 10 ** 10 ** 6": ("bits", 1),
    "x = 1 << 10**9": ("bits", 1),
    "x = 3\nwhile True: x = x * x": ("bits", 2),
    "import math\nmath.factorial(10**6)": ("bits", 2),
    "print('a' * 60_000)\nprint('b' * 60_000)": ("output", 2),
    "import torch\nx = torch.zeros(10**12)": ("elements", 2),
    "import torch\nx = torch.zeros(10**6, 10**6)": ("elements", 2),
    "import torch\nx = torch.ones(1).expand(10**12).sum()": ("elements", 2),
    "import torch\nx = torch.ones(10**6)\ny = x[:, None] + x": ("elements", 3),
    "import torch\nx = torch.eye(10**5)": ("elements", 2),
    "import torch\nx = torch.zeros(1000, 900)\nx[torch.zeros(10**6, dtype=torch.long)] = 1.": ("elements", 3),
    "import torch\ny = torch.poisson(torch.ones(10**6))": ("effort", 2),
    "import torch\ny = torch.empty(999, 999).t().normal_()": ("effort", 2),
    "import torch\ny = torch.lgamma(torch.ones(1000, 1000))\nwhile True: z = y.digamma()": ("steps", 3),
    "import torch\nx = torch.ones(1000, 1000)\ny = torch.cdist(x, x, p=1.0)": ("elements", 3),
    "import torch\nx = torch.ones(1, 1, 10**5, 1)\ny = torch.nn.functional.scaled_dot_product_attention(x, x, x)": (
        "elements",
        3,
    ),
    "import torch\nx = torch.eye(1).expand(999_999, 1, 1)\ny = torch.linalg.svd(x)": ("product", 3),
    "import torch\nx = torch.ones(1).new_empty_strided((10**5, 10**5), (1, 1))": ("elements", 2),
    "import torch\nx = torch.ones(10**5)\ny = torch.cat([x] * 100)": ("elements", 3),
    "import torch\nx = torch.rand(1000, 1000)\nwhile True: y = x @ x": ("flops", 3),
    "import torch\nkept = []\nwhile True: kept.append(torch.ones(1000, 900))": ("bytes", 3),
    "import torch\nx = torch.ones(1, 1, 4)\ny = torch.conv1d(x, x, padding=10**9)": ("elements", 3),
    "import torch\nx = torch.ones(1, 1, 4)\ny = torch.conv_transpose1d(x, x, stride=10**9)": ("elements", 3),
    "import torch\nF = torch.nn.functional\ny = F.interpolate(torch.ones(1, 1, 2), size=10**9)": ("elements", 3),
    "import torch\nF = torch.nn.functional\ny = F.adaptive_avg_pool2d(torch.ones(1, 2, 2), 10**6)": ("elements", 3),
    "import torch\nF = torch.nn.functional\ny = F.pad(torch.ones(2), (0, 10**9))": ("elements", 3),
    "import torch\ny = torch.logspace(0, 1, 10**9)": ("elements", 2),
    "import torch\nrow = torch.nn.Sequential(torch.nn.ReLU())\nrow = row * 10**9": ("elements", 3),
    "import torch\nF = torch.nn.functional\ny = F.max_pool1d(torch.ones(1, 4), 9**8, padding=9**8 // 2)": (
        "elements",
        3,
    ),
    "import torch\nF = torch.nn.functional\ny = F.fold(torch.ones(1, 1), 1, 1, 1, 10**6, 10**7)": ("elements", 3),
    "import torch\nx = torch.nn.Conv2d(10**5, 10**5, 1)": ("elements", 2),
    "import torch\nx = torch.nn.BatchNorm1d(10**10)": ("elements", 2),
    "import torch\nx = torch.nn.LayerNorm([10**5, 10**5])": ("elements", 2),
    "import torch\nx = torch.nn.LSTMCell(10**5, 10**5)": ("elements", 2),
    "import torch\nx = torch.nn.MultiheadAttention(10**5, 1)": ("elements", 2),
    "import torch\nnormal = torch.distributions.Normal(0., 1.)\nx = normal.sample((10**5, 10**5))": ("elements", 3),
    "import torch\nx = torch.eye(900)\nwhile True: y = torch.linalg.inv(x)": ("flops", 3),
    "import torch\nx = torch.ones(1000, 10, 9, 9)\nwhile True: y = torch.conv2d(x[:100], x)": ("flops", 3),
    "import numpy\nx = numpy.zeros((10**6, 10**6))": ("elements", 2),
    "while True: x = (x := 1) + 1": ("steps", 1),
    "import torch\nx = torch.ones(2)\nwhile True: rows = [x * i for i in range(3000)]": ("events", 3),
    "while True: print('x' * 200)": ("output", 1),
    "import torch\nx = torch.ones(1, requires_grad=True)\nwhile True: x = x * 2": ("nodes", 3),
    "import torch\nx = torch.ones(1100, 800)\ny = x @ torch.ones(800, 1000)": ("elements", 3),
    "import torch\nx = torch.ones(999, 1000)\ny = torch.bmm(x[None], torch.ones(1, 1000, 1000)) @ x.T": ("product", 3),
    "kept = []\nwhile True: kept.append([0] * 90_000)": ("memory", 2),
    "import warnings\nfor i in range(300): warnings.warn(str(i) + 'x' * 900)": ("text", 2),
    "try: raise ValueError('x' * 9000)\nexcept ValueError: pass\n" * 20: ("text", 23),
    "import torch\nk = {}\nfor i in range(900): k['n' * 900 + str(i % 9)] = torch.ones(1)": (
        "text",
        3,
    ),
    "import random\nrandom.vonmisesvariate(0, float('nan'))": ("steps", 2),
    "import random\nrandom.gammavariate(float('nan'), 1)": ("steps", 2),
    "import random\nrandom.Random(1).betavariate(float('inf'), 1)": ("steps", 2),
    "import torch\ntorch.nn.init.trunc_normal_(torch.ones(4, 4), 1e6, 1e-6, -2, 2)": ("steps", 2),
    "import torch\nx = torch.ones(2, 2)\ntorch.linalg.multi_dot([x] * 900)": ("steps", 3),
    "import torch\ntorch.nn.modules.utils._ntuple(10**9)(1)": ("elements", 2),
    "import torch\ntorch.nn.modules.utils._reverse_repeat_tuple((1, 2), 10**9)": ("elements", 2),
    "import numpy as np\nnp.diff(np.ones(1000000), 1000)": ("effort", 2),
    "import numpy as np\nnp.einsum('a,b,c,d,e,f->', *[np.ones(30)] * 6)": ("product", 2),
    f"def {'f' * 900}(): pass\nwhile True: {'f' * 900}()": ("text", 2),
}

LOWER: dict[str, dict[str, int]] = {
    "events": {"events": 1_000},
    "nodes": {"nodes": 500},
    "memory": {"memory": 60_000_000, "steps": 10**7},
    "product": {"product": 900_000_000},
    "text": {"text": 100_000},
}


@pytest.mark.parametrize("source", STOPPED)
def test_a_spent_budget_stops_the_program(source: str) -> None:
    limits = replace(SMALL, **LOWER.get(STOPPED[source][0], {}))
    began = time.monotonic()
    trace = run(source, limits=limits)
    budget, line = STOPPED[source]
    assert (trace.outcome.kind, trace.outcome.type, trace.outcome.line) == ("stopped", budget, line)
    stop = trace.events[-1]
    assert isinstance(stop, Stopped) and (stop.budget, stop.line) == (budget, line)
    assert f"{stop.limit:,}" in (trace.outcome.message or "")
    assert time.monotonic() - began < 30


LONG = "n" * 3000
LONG_TEXTS = [
    f"{LONG} = 1; {LONG}y = torch.ones(1); {LONG}z = [torch.ones(1)]; del {LONG}y; {LONG}z = 2",
    f"def {LONG}(): return torch.ones(1)\nfor i in range(3): x = {LONG}()",
    f"held = {{'{LONG}' + str(i): torch.ones(1) for i in range(3)}}; held['{LONG}1'] = 1; held = None",
    f"class A: pass\na = A(); setattr(a, '{LONG}', torch.ones(1)); b = a; del a",
    f"m = torch.nn.Module(); m.register_buffer('{LONG}', torch.ones(1)); k = m",
    f"class {LONG}(Exception): pass\ntry: raise {LONG}('{LONG}' * 9)\nexcept {LONG}: pass\nraise {LONG}('{LONG}' * 9)",
    f"import warnings\nclass {LONG}(UserWarning): pass\nwarnings.warn('{LONG}' * 9, {LONG})",
    f"class {LONG}(torch.optim.SGD): pass\nx = torch.ones(1, requires_grad=True)\n{LONG}([x], lr=1.0).step()",
    f"class {LONG}(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x): ctx.{LONG} = x; return x * 2"
    f"\n    @staticmethod\n    def backward(ctx, g): raise ValueError('{LONG}' * 9)\n"
    f"x = {LONG}.apply(torch.ones(1, requires_grad=True))\nx.backward()",
]


@pytest.mark.parametrize("source", LONG_TEXTS)
def test_long_names_and_messages_are_cut_in_the_recording(source: str) -> None:
    trace = run(f"import torch\n{source}", limits=Limits(source=100_000))
    assert trace.outcome.kind in ("finished", "raised") and validate(trace) == []
    for each in (*trace.events, trace.outcome):
        for field in fields(each):
            most = 10_100 if field.name == "message" else 200
            texts = re.findall(r"\w+", str(getattr(each, field.name)))
            assert max(map(len, texts), default=0) <= most, (each.__class__.__name__, field.name)


ALLOWED = {
    "rows of a table": "e = torch.nn.Embedding(8000, 100)\ne(torch.zeros(16, 200, dtype=torch.long)).sum().backward()",
    "classes of many examples": (
        "x = torch.ones(3000, 10, requires_grad=True)\n"
        "torch.nn.functional.cross_entropy(x, torch.zeros(3000, dtype=torch.long)).backward()"
    ),
    "rows added": "x = torch.zeros(3000, 8)\nx.index_add_(0, torch.arange(2000), torch.ones(2000, 8))",
    "groups of many channels": "torch.nn.GroupNorm(4, 64)(torch.ones(1000, 64, 1))",
    "where numbers belong": "torch.bucketize(torch.ones(1500, 10), torch.arange(1000.0))",
    "what a mask takes": (
        "x = torch.zeros(600, 600)\nx.masked_scatter(torch.ones(600, 600, dtype=torch.bool), torch.ones(360_000))"
    ),
    "products of two arrays": "import numpy as np\nnp.einsum('ij,jk->ik', *[np.ones((400, 400))] * 2)",
    "pixels of many channels": "torch.nn.BatchNorm2d(4)(torch.ones(2, 4, 300, 300))",
}


@pytest.mark.parametrize("source", ALLOWED.values(), ids=ALLOWED)
def test_what_is_not_large_is_not_taken_for_it(source: str) -> None:
    assert run(f"import torch\n{source}").outcome.kind == "finished"


def test_norms_and_crosses_are_charged_as_what_they_are() -> None:
    source = "import torch\nx = torch.ones(300_000, 3)\nx.norm(dim=1), torch.linalg.cross(x, x), x.T.norm()"
    assert run(source, limits=Limits(flops=1, product=1)).outcome.kind == "finished"


def test_time_is_a_budget() -> None:
    trace = run("while True: pass", limits=Limits(seconds=0.2, steps=10**9, events=10**9))
    assert (trace.outcome.type, trace.outcome.line) == ("seconds", 1)


CATCHERS = (
    "while True:\n    try:\n        while True: pass\n    except BaseException: print('caught')",
    "while True:\n    try:\n        while True: pass\n    finally: print('caught')",
    """
class Catcher:
    def __enter__(self): return self
    def __exit__(self, *error):
        print('caught')
        return True
with Catcher():
    while True: pass
""",
)


@pytest.mark.parametrize("source", CATCHERS)
def test_no_handler_sees_a_spent_budget(source: str) -> None:
    trace = run(source, limits=SMALL)
    assert trace.outcome.kind in ("stopped", "refused")
    assert not any(isinstance(event, Printed) for event in trace.events)


def test_deep_recursion_is_python_s_own_error_and_can_be_caught() -> None:
    trace = run("def f(): f()\ntry:\n    f()\nexcept RecursionError as e:\n    print(e)")
    assert [event.text for event in trace.events if isinstance(event, Printed)] == [
        "maximum recursion depth exceeded\n"
    ]


def test_calls_may_be_as_deep_as_those_of_ordinary_programs() -> None:
    trace = run("def fact(n): return 1 if n < 2 else n * fact(n - 1)\nprint(fact(180) > 0)")
    assert [event.text for event in trace.events if isinstance(event, Printed)] == ["True\n"]


def test_the_trace_so_far_is_kept() -> None:
    trace = run("print('before')\nwhile True: pass", limits=SMALL)
    assert any(isinstance(event, Printed) and event.text == "before\n" for event in trace.events)


def test_one_run_leaves_nothing_for_the_next() -> None:
    run("import torch\ntorch.set_default_dtype(torch.float64)\ntorch.manual_seed(3)\nleak = 5")
    trace = run("import torch\nprint(torch.ones(1).dtype, torch.rand(1))\nprint(leak)")
    alone = run("import torch\nprint(torch.ones(1).dtype, torch.rand(1))")
    first, second = ([e.text for e in t.events if isinstance(e, Printed)] for t in (trace, alone))
    assert first == second and "float32" in first[0]
    assert trace.outcome.type == "NameError"


def test_the_line_reached_last_can_be_seen_from_outside() -> None:
    place = [0]
    run("x = 1\nfor i in range(3):\n    x = x + i\nprint(x)", place=place)
    assert place == [4]


def test_a_stop_from_outside_has_its_line_and_the_trace_so_far() -> None:
    @contextmanager
    def during() -> Iterator[None]:
        yield
        raise Spent("seconds", 1)

    trace = run("print('before')\nx = 1", during=during)
    assert (trace.outcome.kind, trace.outcome.type, trace.outcome.line) == ("stopped", "seconds", 2)
    assert any(isinstance(event, Printed) for event in trace.events)


NESTED = """\
import torch
def grown(y, turns):
    total = y
    while turns:
        total = total * y
        squares = [each * each for each in (total, y)]
    return total
def outer():
    x = torch.ones(2, requires_grad=True)
    return grown(x * 2, 1)
outer()
"""


def test_what_calls_hold_is_still_there_where_a_run_is_stopped() -> None:
    trace = run(NESTED, limits=replace(Limits(), steps=400))
    assert (trace.outcome.kind, trace.outcome.line) == ("stopped", trace.events[-1].line)
    told = [type(event).__name__ for event in trace.events]
    assert told[-1] == "Stopped" and "FunctionLeft" not in told
    last = {event.name: event.tensor for event in trace.events if isinstance(event, NameBound)}
    gone = {event.tensor for event in trace.events if isinstance(event, TensorReleased)}
    assert {"x", "y", "total"} <= last.keys() and not gone & {*last.values()}


TRAINING = """\
import torch
x, w = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
for i in range(4):
    loss = (x * w + x).sum()
    loss.backward()
    with torch.no_grad():
        x -= 0.1 * x.grad
    x.grad = None
"""


def test_a_run_can_be_stopped_at_every_event() -> None:
    whole = run(TRAINING)
    for most in range(1, len(whole.events) - 20, 3):
        trace = run(TRAINING, limits=replace(Limits(), events=most))
        assert trace.outcome.kind == "stopped"
        begun = max(0, len(trace.events) - 50)  # at its end, nodes and tensors are let go
        assert [*map(type, trace.events[:begun])] == [*map(type, whole.events[:begun])]


@pytest.mark.parametrize("made", ["x * i", "x.detach() + i"])
@pytest.mark.parametrize("kept, kind", [(5, "finished"), (900, "stopped")])
def test_results_that_the_engine_only_notes_are_counted_too(made: str, kept: int, kind: str) -> None:
    loop = f"for i in range(900):\n    held = held[-{kept}:] + [{made}]"
    source = f"import torch\nx = torch.ones(1000, requires_grad=True)\nheld = []\n{loop}"
    trace = run(source, limits=replace(SMALL, bytes=2_000_000, steps=10**7))
    assert (trace.outcome.kind, trace.outcome.type) == (kind, "bytes" if kind == "stopped" else None)
