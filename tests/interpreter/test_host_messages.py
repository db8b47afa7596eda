"""What the host says in its errors: a program's own methods cannot break it, and it tells nothing of the host."""

from __future__ import annotations

import pytest

from gradreel.interpreter import run
from gradreel.trace.events import Printed

BROKEN = """
import torch
class M(torch.nn.Module):
    def extra_repr(self): raise ValueError("mine")
class Inner(torch.nn.Module):
    def extra_repr(self): return {}[self]
class E(Exception):
    def __str__(self): raise E(1)
class Five(Exception):
    def __str__(self): return 5
class X:
    def __repr__(self): raise KeyError(3)
    def __str__(self): raise KeyError(3)
class Law(torch.distributions.Normal):
    def __repr__(self): raise ValueError(1)
class S(str):
    def __str__(self): raise ValueError(1)
def waiting():
    return X()
    yield
"""
RAISING = [
    *("{}[M()]", "{}[Inner()]", "{1: 2}.pop(M())", "set().remove(M())", "raise E(2)", "raise Five(2)"),
    *("{}[Law(0.0, 1.0)]", "raise ValueError(X())", "raise ValueError(1, X())", "next(waiting())", "{}[X()]"),
    *("raise OSError(1, 'a', X())", "raise ValueError(S('a'))", "[][M()]", "raise KeyError(M())"),
    "torch.set_printoptions(threshold='x')\n{}[torch.ones(3)]",
    *("waiting().throw(E(1))", "exit(X())", "assert False, X()", "import warnings\nwarnings.warn(X())"),
]


@pytest.mark.parametrize("statements", RAISING)
@pytest.mark.parametrize("caught", [False, True])
def test_an_error_whose_text_raises_is_an_error_of_the_program(statements: str, caught: bool) -> None:
    source = BROKEN + statements
    if caught:
        indented = statements.replace("\n", "\n    ")
        source = f"{BROKEN}try:\n    {indented}\nexcept BaseException as e:\n    print('caught')"
    trace = run(source)
    assert trace.outcome.kind == ("finished" if caught or "exit" in statements else "raised"), trace.outcome


LARGE = {
    "a = [1]\nfor i in range(40): a = [a, a]\nstr(OSError(1, 'x', a))": "length",
    "s = 'x' * 100000\n{}[(s,) * 100000]": "length",
    "a = [1]\nfor i in range(40): a = [a, a]\nimport warnings\nwarnings.simplefilter(a)": "length",
}


@pytest.mark.parametrize("source", LARGE)
def test_the_text_of_an_error_is_charged(source: str) -> None:
    outcome = run(source).outcome
    assert (outcome.kind, outcome.type) == ("stopped", LARGE[source])


START = """
import collections, torch, typing, warnings, numpy as np
import torch.nn as nn, torch.distributions as D
class I: pass
def f(x): return x
linear, x, quiet = nn.Linear(2, 2), torch.ones(2), torch.no_grad()
"""
TOLD = {
    "warnings.simplefilter(quiet)": (
        "AssertionError invalid action: <torch.autograd.grad_mode.no_grad object at 0x...>"
    ),
    "warnings.simplefilter(f)": "AssertionError invalid action: <function f at 0x...>",
    "nn.utils.weight_norm(linear, quiet)": (
        "AttributeError 'Linear' object has no attribute '<torch.autograd.grad_mode.no_grad object at 0x...>'"
    ),
    "object.__getattribute__(object(), quiet)": (
        "AttributeError 'object' object has no attribute '<torch.autograd.grad_mode.no_grad object at 0x...>'"
    ),
    "linear.register_buffer(map(len, []), None)": "TypeError buffer name should be a string. Got map",
    "nn.NLLLoss((i for i in []))": (
        "TypeError cannot assign 'generator' object to buffer 'weight' (torch Tensor or None required)"
    ),
    "np.dtype(map(len, []))": "TypeError only numbers and lists of numbers can become an array here, not map",
    "'a'.translate({97: len})": "TypeError character mapping must return integer, None or str",
    "np.einsum(5, [1])": "TypeError the subscripts of einsum must be a str here, not int",
    "np.convolve([1], [1], 5)": "TypeError mode must be a str, not int",
    "typing.TypeVar(I())": "TypeError the name of a type must be str, not I",
    "linear.load_state_dict(collections.deque())": (
        "TypeError Expected state_dict to be dict-like, got <class 'deque'>."
    ),
    # a number that the program wrote stays
    "int('0xabcdef12', 5)": "ValueError invalid literal for int() with base 5: '0xabcdef12'",
    "{}['gradreel.interpreter']": "KeyError 'gradreel.interpreter'",
    "{}['']": "KeyError ''",
}


@pytest.mark.parametrize("expression", TOLD)
def test_messages_tell_no_address_and_no_class_of_the_host(expression: str) -> None:
    trace = run(f"{START}try: {expression}\nexcept Exception as e: print(type(e).__name__, e)")
    assert trace.outcome.kind == "finished", trace.outcome
    assert "".join(event.text for event in trace.events if isinstance(event, Printed)).strip() == TOLD[expression]
