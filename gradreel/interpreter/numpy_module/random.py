"""numpy.random: numpy's own streams, the global one new for each run."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..engine.cost_model import broadcast_numel, solve_flops
from ..limits import extent
from ..machine import Machine
from ..runtime.attribute_tables import TABLES
from ..runtime.values import Builtin, Namespace, Type, Value
from . import result_sizes
from .arrays import numbers, shape_of
from .namespace import NUMPY

State = np.random.RandomState
Modern = np.random.Generator


def stream(machine: Machine) -> State:
    if machine.random is None:
        machine.random = State(0)
    found: State = machine.random
    return found


def seed(machine: Machine, number: int | None = None) -> None:
    machine.random = State(number or 0)


def draw(way: Callable[..., Any], before: int) -> Callable[..., Any]:
    """A draw whose first `before` arguments are numbers and whose next one is the size."""

    def run(machine: Machine, this: Any, /, *given: Value, size: Value = None, **named: Value) -> Any:
        values = [numbers(machine, part) for part in given[:before]]
        named = {name: numbers(machine, part) for name, part in named.items() if name != "dtype"}
        wanted = given[before] if len(given) > before else size
        shape = None if wanted is None else shape_of(machine, wanted)
        machine.meter.elements(draw_size(way.__name__, shape or (), values, named))
        if way.__name__ == "multivariate_normal":
            own = [result_sizes.sizes_in(part) for part in (*values, *named.values())]
            machine.meter.work(max(map(solve_flops, own), default=0))
        if way.__name__ == "vonmises":
            check_angles(*values, **named)
        return way(this, *values, **named, size=shape)

    return run


def draw_size(name: str, shape: tuple[int, ...], values: list[Any], named: dict[str, Any]) -> int:
    """How much is drawn, of a size asked for, or taken together to be drawn from."""
    own = result_sizes.broadcast_size(tuple(values), named)
    if name not in ROWS:
        return max(own, extent(shape))
    sizes = {
        key: result_sizes.sizes_in(part) for key, part in (dict(zip(ROWS[name], values, strict=False)) | named).items()
    }
    *before, length = sizes.get(ROWS[name][-1]) or (1,)
    return max(own, broadcast_numel([shape, tuple(before), sizes.get("n", ())]) * length)


STEEPEST = 1e8
"""Beyond, numpy's draws of angles are rejected or turned back for ever; C looks at no clock."""


def check_angles(mu: Any, kappa: Any) -> None:
    """
    Raises:
        ValueError: no angle could be drawn.
    """
    if not np.all(np.abs(mu) <= STEEPEST) or not np.all(np.asarray(kappa) <= STEEPEST):
        raise ValueError(f"vonmises: mu and kappa must be numbers of at most {STEEPEST:.0e} here")


def by_sizes(way: Callable[..., Any]) -> Callable[..., Any]:
    return lambda machine, this, *sizes: way(this, *shape_of(machine, sizes))


def choice(machine: Machine, this: Any, a: Value, size: Value = None, replace: Value = True, p: Value = None) -> Any:
    wanted = None if size is None else shape_of(machine, size)
    weights = None if p is None else numbers(machine, p)
    if size is None and isinstance(a, (list, tuple)) and any(isinstance(part, str) for part in a):
        machine.meter.charge(len(a))
        return a[this.choice(len(a), None, bool(replace), weights)]
    found = numbers(machine, a)
    rows = int(a) if isinstance(a, int) else len(found)
    machine.meter.elements(max(rows, math.prod(wanted or ()) * (result_sizes.size_of(found) // max(rows, 1) or 1)))
    return this.choice(found, wanted, bool(replace), weights)


def permutation(machine: Machine, this: Any, x: Value) -> Any:
    found = numbers(machine, x)
    machine.meter.elements(int(found) if isinstance(found, int) else len(found))
    return this.permutation(found)


def shuffle(machine: Machine, this: Any, x: Value) -> None:
    machine.meter.charge(len(x))
    if not isinstance(x, (list, np.ndarray)):
        raise TypeError("only arrays and lists can be shuffled here")
    this.shuffle(x)


ROWS = {"multinomial": ("n", "pvals"), "dirichlet": ("alpha",), "multivariate_normal": ("mean",)}
"""Draws of which each is a row, as long as the last of these arguments."""
BY_ARGUMENTS = {
    0: ("standard_exponential", "standard_cauchy"),
    1: (
        "standard_gamma",
        "standard_t",
        "chisquare",
        "rayleigh",
        "weibull",
        "pareto",
        "power",
        "geometric",
        "dirichlet",
    ),
    2: ("lognormal", "laplace", "logistic", "gumbel", "vonmises", "wald", "f", "negative_binomial", "multinomial"),
    3: ("triangular",),
}
"""Draws that both kinds of streams have, by how many numbers come before the size."""


def drawn(kind: type[State] | type[Modern]) -> dict[str, Callable[..., Any]]:
    return {name: draw(getattr(kind, name), before) for before, names in BY_ARGUMENTS.items() for name in names}


SHARED: dict[str, Callable[..., Any]] = {"choice": choice, "permutation": permutation, "shuffle": shuffle}

DRAWS: dict[str, Callable[..., Any]] = (
    SHARED
    | drawn(State)
    | {
        "uniform": draw(State.uniform, 2),
        "normal": draw(State.normal, 2),
        "randint": draw(State.randint, 2),
        "random": draw(State.random_sample, 0),
        "random_sample": draw(State.random_sample, 0),
        "standard_normal": draw(State.standard_normal, 0),
        "binomial": draw(State.binomial, 2),
        "exponential": draw(State.exponential, 1),
        "poisson": draw(State.poisson, 1),
        "beta": draw(State.beta, 2),
        "multivariate_normal": draw(State.multivariate_normal, 2),
        "gamma": draw(State.gamma, 2),
        "rand": by_sizes(State.rand),
        "randn": by_sizes(State.randn),
    }
)
GENERATOR: dict[str, Callable[..., Any]] = (
    SHARED
    | drawn(Modern)
    | {
        "uniform": draw(Modern.uniform, 2),
        "normal": draw(Modern.normal, 2),
        "multivariate_normal": draw(Modern.multivariate_normal, 2),
        "integers": draw(Modern.integers, 2),
        "random": draw(Modern.random, 0),
        "standard_normal": draw(Modern.standard_normal, 0),
        "exponential": draw(Modern.exponential, 1),
        "binomial": draw(Modern.binomial, 2),
        "poisson": draw(Modern.poisson, 1),
        "beta": draw(Modern.beta, 2),
        "gamma": draw(Modern.gamma, 2),
    }
)


def make_global_draw(way: Callable[..., Any]) -> Callable[..., Any]:
    """The draw, from the stream of the run."""
    return lambda machine, /, *given, **named: way(machine, stream(machine), *given, **named)


def check_seed(number: Value) -> int:
    if number is not None and not isinstance(number, (int, np.integer)):
        raise TypeError("a seed is a whole number here")
    return 0 if number is None else int(number)


TABLES[State] = {name: Builtin(name, way, machine=True) for name, way in DRAWS.items()}
TABLES[Modern] = {name: Builtin(name, way, machine=True) for name, way in GENERATOR.items()}

RANDOM = Namespace(
    "numpy.random",
    {name: Builtin(name, make_global_draw(way), machine=True) for name, way in DRAWS.items()}
    | {
        "seed": Builtin("seed", seed, machine=True),
        "default_rng": Builtin(
            "default_rng", lambda machine, seed=None: np.random.default_rng(check_seed(seed)), machine=True
        ),
        "RandomState": Type(
            "RandomState",
            (State,),
            Builtin("RandomState", lambda machine, seed=None: State(check_seed(seed)), True),
            "numpy.random.RandomState",
        ),
    },
)
NUMPY.table["random"] = RANDOM
