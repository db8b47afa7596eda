"""math, cmath and random."""

from __future__ import annotations

import ast
import cmath
import math
import random
from collections import deque
from collections.abc import Callable
from typing import Any

from ..builtins.hashing import hash_of
from ..builtins.iteration import collect_items, iterate
from ..builtins.operators import make_binary
from ..engine.engine import TENSORS, torch
from ..engine.gate import NUMBERS
from ..machine import Machine
from ..runtime.calls import call_method
from ..runtime.type_names import kind_name
from ..runtime.values import OBJECTS, Attribute, Builtin, Type, Value, make_module

# ---- math


def plain(machine: Machine, value: Value) -> Value:
    """A number as the host's functions take it."""
    if isinstance(value, torch.Tensor):
        return float(value)
    if isinstance(value, OBJECTS):
        for name in ("__float__", "__index__"):
            answer = call_method(machine, value, name, [])
            if answer is not NotImplemented:
                return answer
        if not isinstance(value, (int, float)):
            raise TypeError(f"must be real number, not {kind_name(value)}")
    return value


def _math(name: str) -> Callable[..., Any]:
    way = getattr(math, name)  # `name` from the list below

    def run(machine: Machine, /, *given: Value, **named: Value) -> Value:
        return way(*(plain(machine, part) for part in given), **named)

    return run


def rounding(name: str) -> Callable[..., Any]:
    """floor, ceil and trunc, which a class may have as methods."""
    way = getattr(math, name)

    def run(machine: Machine, value: Value) -> Value:
        answer = call_method(machine, value, f"__{name}__", [])
        return way(plain(machine, value)) if answer is NotImplemented else answer

    return run


def _factorial(machine: Machine, number: int) -> int:
    machine.meter.bits(number * max(number.bit_length(), 1) if isinstance(number, int) else 0)
    return math.factorial(number)


def _comb(machine: Machine, n: int, k: int) -> int:
    machine.meter.bits(n)
    return math.comb(n, k)


def _perm(machine: Machine, n: int, k: int | None = None) -> int:
    if isinstance(n, int):
        machine.meter.bits(n.bit_length() * (n if k is None else k))
    return math.perm(n, k)


def _lcm(machine: Machine, *given: int) -> int:
    machine.meter.bits(sum(number.bit_length() for number in given if isinstance(number, int)))
    return math.lcm(*given)


def _prod(machine: Machine, items: Value, *, start: Value = 1) -> Value:
    multiply, result = make_binary(machine, ast.Mult), start
    for item in iterate(machine, items):
        machine.meter.charge()
        result = multiply(result, item)
    return result


FLOATS = (
    "acos acosh asin asinh atan atan2 atanh cbrt copysign cos cosh degrees erf erfc exp exp2 expm1 fabs fmod frexp "
    "gamma hypot isclose isfinite isinf isnan ldexp lgamma log log10 log1p log2 modf nextafter pow radians remainder "
    "sin sinh sqrt tan tanh ulp"
).split()
MATH = make_module(
    "math",
    {name: _math(name) for name in FLOATS}
    | {name: rounding(name) for name in ("floor", "ceil", "trunc")}
    | {"factorial": _factorial, "comb": _comb, "perm": _perm, "prod": _prod, "lcm": _lcm}
    | {"fsum": lambda machine, items: math.fsum(collect_items(machine, items))}
    | {"dist": lambda machine, p, q: math.dist(collect_items(machine, p), collect_items(machine, q))}
    | {"gcd": lambda machine, *given: math.gcd(*given), "isqrt": lambda machine, number: math.isqrt(number)},
    {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan, "tau": math.tau},
)

# ---- cmath


def complex_function(name: str) -> Callable[..., Any]:
    way = getattr(cmath, name)  # `name` from the list below

    def run(machine: Machine, /, *given: Value, **named: Value) -> Value:
        parts = [complex(part) if isinstance(part, torch.Tensor) else plain(machine, part) for part in given]
        return way(*parts, **{key: plain(machine, value) for key, value in named.items()})

    return run


COMPLEX = (
    "acos acosh asin asinh atan atanh cos cosh exp isclose isfinite isinf isnan log log10 phase polar rect sin sinh "
    "sqrt tan tanh"
).split()
CMATH = make_module(
    "cmath",
    {name: complex_function(name) for name in COMPLEX},
    {name: getattr(cmath, name) for name in ("pi", "e", "inf", "nan", "tau", "infj", "nanj")},
)

# ---- random: CPython's own streams, one for each run


def stream(machine: Machine) -> random.Random:
    if machine.chance is None:
        machine.chance = random.Random(0)
    found: random.Random = machine.chance
    return found


SEEDS = (int, float, str, type(None))


def check_seed(machine: Machine, seed: Value) -> Value:
    """What a stream of the host's may begin with: that would take NaN, or an object of a program's, by its address."""
    if not isinstance(seed, SEEDS):
        raise TypeError("The only supported seed types are: None,\nint, float, str, bytes, and bytearray.")
    if seed is None:
        return 0
    return hash_of(machine, seed) if isinstance(seed, float) and (seed != seed or type(seed) is not float) else seed


def make_stream(machine: Machine, seed: Value = None) -> random.Random:
    return random.Random(check_seed(machine, seed))


def _seed(machine: Machine, a: Value = None, version: int = 2) -> None:
    machine.chance = make_stream(machine, a)


def _shuffle(machine: Machine, this: random.Random, items: Value) -> None:
    machine.meter.charge(len(items))
    if not isinstance(items, list):
        raise TypeError(f"'{type(items).__name__}' object does not support item assignment")
    this.shuffle(items)


def population(machine: Machine, items: Value) -> Value:
    if isinstance(items, (list, tuple, str, range)):
        return items
    return collect_items(machine, items)


def _sample(machine: Machine, this: random.Random, items: Value, k: int, *, counts: Value = None) -> list[Value]:
    if not isinstance(items, (list, tuple, str, range, deque)):
        raise TypeError("Population must be a sequence.  For dicts or sets, use sorted(d).")
    machine.meter.length(k)
    return this.sample(population(machine, items), k)


def _choice(machine: Machine, this: random.Random, items: Value) -> Value:
    if isinstance(items, (set, frozenset)):
        raise TypeError("'set' object is not subscriptable")
    return this.choice(population(machine, items))


def _choices(
    machine: Machine, this: random.Random, items: Value, weights: Value = None, *, cum_weights: Value = None, k: int = 1
) -> list[Value]:
    machine.meter.length(k)
    given = None if weights is None else collect_items(machine, weights)
    sums = None if cum_weights is None else collect_items(machine, cum_weights)
    return this.choices(population(machine, items), given, cum_weights=sums, k=k)


def _bits(machine: Machine, this: random.Random, k: int) -> int:
    machine.meter.bits(k)
    return this.getrandbits(k)


class ChargedStream:
    """A stream of which each number is charged: draws that are rejected for ever are met by a budget."""

    def __init__(self, machine: Machine, drawn: random.Random) -> None:
        self.meter, self.drawn = machine.meter, drawn

    def random(self) -> float:
        self.meter.charge()
        return self.drawn.random()

    def gammavariate(self, alpha: Value, beta: Value) -> Any:
        return REJECTING["gammavariate"](self, alpha, beta)


REJECTING: dict[str, Callable[..., Any]] = {
    way.__name__: way for way in (random.Random.gammavariate, random.Random.betavariate, random.Random.vonmisesvariate)
}
"""What draws until a number is accepted, asking its stream for `random` alone."""


def _of_numbers(way: Callable[..., Any], rejecting: bool = False) -> Callable[..., Any]:
    """`way` of numbers alone: what else is there, the host's operators would meet."""

    def draw(machine: Machine, this: random.Random, /, *given: Value, **named: Value) -> Value:
        for value in (*given, *named.values()):
            if not isinstance(value, DRAWN_BY):
                raise TypeError(f"must be real number, not {kind_name(value)}")
        return way(ChargedStream(machine, this) if rejecting else this, *given, **named)

    return draw


DRAWN_BY: Any = (int, float, type(None), *NUMBERS, *TENSORS)


class State:
    """What getstate() gives: to be handed back, no more."""

    __slots__ = ("held",)

    def __init__(self, held: Any) -> None:
        self.held = held


def _restore(machine: Machine, this: random.Random, state: Value) -> None:
    if not isinstance(state, State):
        raise ValueError("setstate() takes what getstate() gave")
    this.setstate(state.held)


DRAWS: dict[str, Callable[..., Any]] = {
    name: _of_numbers(getattr(random.Random, name))
    for name in (
        "random uniform gauss normalvariate lognormvariate expovariate triangular randint randrange paretovariate "
        "weibullvariate"
    ).split()
}
DRAWS |= {name: _of_numbers(way, rejecting=True) for name, way in REJECTING.items()}
DRAWS |= {
    "choice": _choice,
    "choices": _choices,
    "sample": _sample,
    "shuffle": _shuffle,
    "getrandbits": _bits,
    "getstate": lambda machine, this: State(this.getstate()),
    "setstate": _restore,
}


def make_global_draw(way: Callable[..., Any]) -> Callable[..., Any]:
    """The draw, from the stream of the run."""
    return lambda machine, /, *given, **named: way(machine, stream(machine), *given, **named)


RANDOM_METHODS: dict[str, Builtin | Attribute] = {name: Builtin(name, way, machine=True) for name, way in DRAWS.items()}
RANDOM_METHODS |= {
    "seed": Builtin("seed", lambda machine, this, a=None: this.seed(check_seed(machine, a)), machine=True)
}

RANDOM = make_module(
    "random",
    {name: make_global_draw(way) for name, way in DRAWS.items()} | {"seed": _seed},
    {
        "Random": Type(
            "Random",
            (random.Random,),
            Builtin("Random", make_stream, True),
            "random.Random",
        )
    },
)
