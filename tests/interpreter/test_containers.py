"""Containers and iterators of programs: nested as deep as one likes, they end no process."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from gradreel.interpreter import run
from gradreel.interpreter.runtime.values import DefaultDict, Deque
from gradreel.trace.events import Printed


@pytest.mark.parametrize("nest", [lambda inner: Deque([inner]), lambda inner: DefaultDict(None, {1: inner})])
def test_what_lies_in_one_another_is_freed_on_a_small_stack(nest: Callable[[Any], Any]) -> None:
    """CPython's own deques and defaultdicts take 20,000 pieces of the stack here, and end the process."""

    def nested() -> None:
        held: Any = None
        for _ in range(20_000):
            held = nest(held)
        del held
        freed.append(True)

    freed: list[bool] = []
    before = threading.stack_size(512 << 10)
    thread = threading.Thread(target=nested)
    thread.start()
    threading.stack_size(before)
    thread.join()
    assert freed


CHAINS = """
map(bool, x)
zip(x)
filter(None, x)
enumerate(x)
itertools.chain(x)
itertools.chain.from_iterable([x])
itertools.islice(x, 3)
itertools.zip_longest(x)
itertools.pairwise(x)
itertools.compress(x, [1, 1, 1, 1])
itertools.compress([1, 1, 1, 1], x)
itertools.takewhile(bool, x)
itertools.accumulate(x, max)
itertools.filterfalse(lambda v: False, x)
enumerate(v for v in zip(x))
"""


@pytest.mark.parametrize("chain", CHAINS.strip().splitlines())
def test_iterators_go_through_one_another_no_deeper_than_the_stack_bears(chain: str) -> None:
    trace = run(
        f"import itertools\nx = iter([1] * 2000)\nfor i in range(1500):\n    x = {chain}\n"
        "try:\n    next(x)\nexcept RecursionError as e:\n    print(e)"
    )
    said = "".join(event.text for event in trace.events if isinstance(event, Printed))
    assert (trace.outcome.kind, said) == ("finished", "maximum recursion depth exceeded\n")


def test_a_few_hundred_may() -> None:
    source = (
        "def primes(n):\n    x = iter(range(2, n))\n    found = []\n    for p in x:\n        found.append(p)\n"
        "        x = filter(lambda v, p=p: v % p, x)\n        break\n    while (p := next(x, None)) is not None:\n"
        "        found.append(p)\n        x = filter(lambda v, p=p: v % p, x)\n    return found\nprint(primes(300)[-1])"
    )
    trace = run(source)
    assert [event.text for event in trace.events if isinstance(event, Printed)] == ["293\n"]


CALLS = {
    "schedulers": "S.ChainedScheduler([x])",
    "distributions": "D.Independent(x, 0)",
    "partials": "functools.partial(x)",
}
STARTS = {
    "schedulers": ("S.ExponentialLR(o, 0.9)", "o.step(); x.step()"),
    "distributions": ("D.Normal(0.0, 1.0)", "x.sample()"),
    "partials": ("(lambda: 1)", "x()"),
}


@pytest.mark.parametrize("kind", CALLS)
def test_calls_of_the_host_go_no_deeper_than_the_stack_bears(kind: str) -> None:
    start, use = STARTS[kind]
    source = (
        "import functools, torch\nS, D = torch.optim.lr_scheduler, torch.distributions\n"
        f"o = torch.optim.SGD([torch.ones(1, requires_grad=True)], 0.1)\nx = {start}\n"
        f"try:\n    for i in range(1200):\n        x = {CALLS[kind]}\n    {use}\n"
        "except RecursionError as e:\n    print(e)"
    )
    traces: list[Any] = []
    before = threading.stack_size(1 << 20)
    thread = threading.Thread(target=lambda: traces.append(run(source)))
    thread.start()
    thread.join()
    threading.stack_size(before)
    assert traces and traces[0].outcome.kind == "finished"


@pytest.mark.parametrize("nest", ["slice(x)", "slice(1, x, x)", "holder[x:]", "slice(slice(x))", "holder[0, ::x][1]"])
def test_slices_hold_slices_no_deeper_than_the_stack_bears(nest: str) -> None:
    trace = run(
        "class Holder:\n    def __getitem__(self, index):\n        return index\nholder = Holder()\nx = None\n"
        f"try:\n    for i in range(20000):\n        x = {nest}\nexcept RecursionError as e:\n    print(e)\n"
        "print(slice([slice(slice(1))]))"
    )
    said = [event.text for event in trace.events if isinstance(event, Printed)]
    assert said == [
        "maximum recursion depth exceeded\n",
        "slice(None, [slice(None, slice(None, 1, None), None)], None)\n",
    ]
