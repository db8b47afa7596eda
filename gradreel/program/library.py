"""Modules that can be imported beside torch: small faces of math, random, sys, copy, collections and others."""

from __future__ import annotations

import ast
import itertools
import math
import random
from collections import OrderedDict, defaultdict
from collections.abc import Callable
from difflib import get_close_matches
from typing import Any

from .calls import call, iterate, listed
from .copying import deep_copy, shallow_copy
from .engine import torch
from .face import NAMES, SPACES
from .kinds import unknown_name
from .machine import Machine
from .numpy_face import NUMPY
from .operators import binary
from .refusal import Refusal
from .values import MISSING, Builtin, Function, Namespace, Type, Value
from .words import words


def _module(name: str, ours: dict[str, Callable[..., Any]], values: dict[str, Value] | None = None) -> Namespace:
    table: dict[str, Value] = {word: Builtin(word, way, machine=True) for word, way in ours.items()}
    return Namespace(name, table | (values or {}))


# ---- math


def _math(name: str) -> Callable[..., Any]:
    way = getattr(math, name)  # `name` from the list below

    def run(machine: Machine, *given: Value) -> Value:
        return way(*(float(part) if isinstance(part, torch.Tensor) else part for part in given))

    return run


def _factorial(machine: Machine, number: int) -> int:
    machine.meter.bits(number * max(number.bit_length(), 1) if isinstance(number, int) else 0)
    return math.factorial(number)


def _comb(machine: Machine, n: int, k: int) -> int:
    machine.meter.bits(n)
    return math.comb(n, k)


def _prod(machine: Machine, items: Value) -> Value:
    multiply, result = binary(machine, ast.Mult), 1
    for item in iterate(machine, items):
        machine.meter.charge()
        result = multiply(result, item)
    return result


FLOATS = words(
    "acos acosh asin asinh atan atan2 atanh ceil copysign cos cosh degrees erf erfc exp expm1 fabs floor fmod "
    "gamma hypot isclose isfinite isinf isnan ldexp lgamma log log10 log1p log2 modf pow radians sin sinh sqrt "
    "tan tanh trunc"
)
MATH = _module(
    "math",
    {name: _math(name) for name in FLOATS}
    | {"factorial": _factorial, "comb": _comb, "prod": _prod}
    | {"fsum": lambda machine, items: math.fsum(listed(machine, items))}
    | {"gcd": lambda machine, *given: math.gcd(*given), "isqrt": lambda machine, number: math.isqrt(number)},
    {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan, "tau": math.tau},
)

# ---- random


def _stream(machine: Machine) -> random.Random:
    if machine.chance is None:
        machine.chance = random.Random(0)
    found: random.Random = machine.chance
    return found


def _seed(machine: Machine, number: Value = 0) -> None:
    machine.chance = random.Random(number if isinstance(number, (int, float, str)) else 0)


def _shuffle(machine: Machine, items: list[Value]) -> None:
    machine.meter.charge(len(items))
    _stream(machine).shuffle(items)


RANDOM = _module(
    "random",
    {
        "seed": _seed,
        "random": lambda machine: _stream(machine).random(),
        "uniform": lambda machine, low, high: _stream(machine).uniform(low, high),
        "gauss": lambda machine, mu=0.0, sigma=1.0: _stream(machine).gauss(mu, sigma),
        "randint": lambda machine, low, high: _stream(machine).randint(low, high),
        "randrange": lambda machine, *bounds: _stream(machine).randrange(*bounds),
        "choice": lambda machine, items: _stream(machine).choice(items),
        "sample": lambda machine, items, k: _stream(machine).sample(items, k),
        "shuffle": _shuffle,
    },
)

# ---- collections, itertools, functools


def _default_dict(machine: Machine, factory: Value = None, given: Value = ()) -> dict[Value, Value]:
    way = None if factory is None else lambda: call(machine, factory, [], {})
    made: defaultdict[Value, Value] = defaultdict(way)
    made.update(given)
    return made


def _ordered_dict(machine: Machine, given: Value = (), **named: Value) -> OrderedDict[Value, Value]:
    pairs = (
        given.items() if isinstance(given, dict) else map(tuple, (listed(machine, p) for p in listed(machine, given)))
    )
    return OrderedDict([*pairs, *named.items()])


def _reduce(machine: Machine, function: Value, items: Value, start: Value = MISSING) -> Value:
    result = start
    for item in iterate(machine, items):
        machine.meter.charge()
        result = item if result is MISSING else call(machine, function, [result, item], {})
    if result is MISSING:
        raise TypeError("reduce() of empty iterable with no initial value")
    return result


def _partial(machine: Machine, function: Value, *args: Value, **kwargs: Value) -> Builtin:
    return Builtin("partial", lambda m, *more, **named: call(m, function, [*args, *more], {**kwargs, **named}), True)


def _wraps(machine: Machine, wrapped: Value) -> Builtin:
    def name_it(made: Value) -> Value:
        if isinstance(made, Function) and isinstance(wrapped, Function):
            made.name, made.doc = wrapped.name, wrapped.doc
        return made

    return Builtin("wraps", name_it)


def _iterator(way: Callable[..., Any]) -> Callable[..., Any]:
    return lambda machine, *sources: way(*(iterate(machine, source) for source in sources))


COLLECTIONS = _module(
    "collections",
    {},
    {
        "OrderedDict": Type(
            "OrderedDict", (OrderedDict,), Builtin("OrderedDict", _ordered_dict, True), "collections.OrderedDict"
        ),
        "defaultdict": Type(
            "defaultdict", (defaultdict,), Builtin("defaultdict", _default_dict, True), "collections.defaultdict"
        ),
    },
)
ITERTOOLS = _module(
    "itertools",
    {
        "chain": _iterator(itertools.chain),
        "count": lambda machine, start=0, step=1: itertools.count(start, step),
        "repeat": lambda machine, item, *times: itertools.repeat(item, *times),
        "zip_longest": _iterator(itertools.zip_longest),
        "islice": lambda machine, source, *bounds: itertools.islice(iterate(machine, source), *bounds),
        "accumulate": lambda machine, source: itertools.accumulate(iterate(machine, source)),
        "pairwise": _iterator(itertools.pairwise),
        "cycle": lambda machine, source: itertools.cycle(listed(machine, source)),
        "product": lambda machine, *sources: itertools.product(*(listed(machine, source) for source in sources)),
        "combinations": lambda machine, source, k: itertools.combinations(listed(machine, source), k),
        "permutations": lambda machine, source, *k: itertools.permutations(listed(machine, source), *k),
    },
)
FUNCTOOLS = _module("functools", {"reduce": _reduce, "partial": _partial, "wraps": _wraps})

# ---- the rest


def _exit(machine: Machine, code: Value = None) -> None:
    from .errors import TYPES, raise_error
    from .values import Error

    raise raise_error(Error(TYPES["SystemExit"], () if code is None else (code,)), "")


def _nothing(machine: Machine, *args: Value, **kwargs: Value) -> None:
    return None


SYS = _module("sys", {"exit": _exit}, {"stdout": True, "stderr": False, "version": "3.11", "maxsize": 2**63 - 1})
COPY = _module("copy", {"copy": shallow_copy, "deepcopy": deep_copy})
TIME = _module(
    "time",
    {"time": lambda machine: machine.meter.steps / 1e6, "perf_counter": lambda machine: machine.meter.steps / 1e6}
    | {"sleep": _nothing},
)
WARNINGS = _module("warnings", {"filterwarnings": _nothing, "simplefilter": _nothing})
HINTS = "Any Callable Dict Iterable Iterator List Optional Sequence Tuple Type Union NamedTuple"
TYPING = Namespace("typing", {name: Type(name, (), None, f"typing.{name}") for name in HINTS.split()})

MODULES: dict[str, Namespace] = {
    "math": MATH,
    "random": RANDOM,
    "sys": SYS,
    "copy": COPY,
    "collections": COLLECTIONS,
    "itertools": ITERTOOLS,
    "functools": FUNCTOOLS,
    "time": TIME,
    "warnings": WARNINGS,
    "typing": TYPING,
    "numpy": NUMPY,
    "numpy.random": NUMPY.table["random"],
    **SPACES,
}
"""Every module that a program can import."""

REASONS = {
    "os": "it would give access to this machine",
    "subprocess": "it would start programs on this machine",
    "socket": "there is no network here",
    "requests": "there is no network here",
    "urllib": "there is no network here",
    "matplotlib": "there is nowhere to draw but the player",
    "tqdm": "there is no terminal for a progress bar",
    "torchvision": "there are no files or downloads here",
}


def importable(name: str, line: int) -> Namespace:
    """The module `name`, or a refusal that says why not."""
    if name in MODULES:
        return MODULES[name]
    top = name.partition(".")[0]
    if top in REASONS:
        raise Refusal(f"`import {name}` is not possible here: {REASONS[top]}.", line)
    if top == "torch":
        raise Refusal(f"The module `{name}` of PyTorch is not supported here.", line)
    near = get_close_matches(name, MODULES, 1)
    hint = f" Did you mean `{near[0]}`?" if near else ""
    offered = ", ".join(sorted({found.partition(".")[0] for found in MODULES}))
    raise Refusal(f"`import {name}` is not possible here.{hint} What can be imported: {offered}.", line)


def member(module: str, name: str, line: int) -> Value:
    """What `from module import name` gives."""
    if f"{module}.{name}" in MODULES:
        return MODULES[f"{module}.{name}"]
    space = importable(module, line)
    if name in space.table:
        return space.table[name]
    if name in NAMES.get(module, ()):
        missing = unknown_name(space, name)
        sentence = missing.sentence if isinstance(missing, Refusal) else str(missing)
        raise Refusal(sentence, line)
    raise Refusal(f"`{name}` cannot be imported from `{module}` here.", line)
