"""The engine beside its peers: the same program for everybody, in turns, as ratios of CPU time next to their goals."""

from __future__ import annotations

import re
import sys
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import recording
from .peers import installed, peer, torch_of
from .programs import Scalars, Tensors, cofactors, derivatives, entries, mlp, products, rnn, square
from .timing import Once, medians

OURS = "engine"
READING = "recording {}: "
MEMORY, BYTES = "bytes per live operation", 350
LIVE = 10_000
"""Operations alive while their memory is counted."""


@dataclass(frozen=True)
class Case:
    """A program, ready for a contestant by `make`, and the ratio to reach against each other contestant, if any.

    Where `without` is given, its time is taken off: what is left is the time of what `make` does beyond it. The
    collector of cycles is on, as in Python, or off for everybody where not `collecting`.
    """

    name: str
    make: Callable[[str], Once]
    goals: dict[str, float | None]
    without: Callable[[str], Once] | None = None
    collecting: bool = True


def scalars(program: Scalars, values: list[float]) -> Callable[[str], Once]:
    return lambda name: peer(name)(program, values)


def tensors(program: Tensors) -> Callable[[str], Once]:
    return lambda name: program(torch_of(name))


def recorded(make: Callable[[str], Once], listen: Callable[[Once], Once], count: int = 1) -> Callable[[str], Once]:
    """The engine with a listener, against itself without."""

    def ready(name: str) -> Once:
        program = recording.times(make(OURS), count)
        return listen(program) if name == OURS else program

    return ready


def determinant(size: int) -> Callable[[str], Once]:
    return scalars(cofactors(size), entries(size))


DETERMINANT_GOALS: dict[int, dict[str, float | None]] = {
    3: {"torch": None, "micrograd": None, "mygrad": None},
    4: {"torch": None, "micrograd": None, "mygrad": None},
    5: {"torch": 0.28, "micrograd": 0.65, "HIPS autograd": 0.09, "mygrad": 0.14},
    6: {"torch": 0.28, "micrograd": 0.65, "HIPS autograd": 0.09, "mygrad": 0.14},
    7: {"torch": 0.28, "micrograd": 0.65},
}
NETWORKS = (((32, 16, 16), 0.32), ((256, 64, 256), 0.60))
RECORDED = (
    ("determinant 6x6", determinant(6), 1),
    ("20 MLP steps", tensors(mlp(32, 16, 16, update=True)), 20),
    ("5 RNN passes", tensors(rnn(50, 32, 8)), 5),
)
LISTENING: tuple[tuple[str, Callable[[Once], Once], float | None, bool], ...] = (
    ("bare events", recording.bare, 1.25, True),
    ("as in a run", recording.whole, 1.50, False),
    ("and its trace", recording.traced, None, False),
)
"""Ways to record, their goals, and whether the collector of cycles is on meanwhile."""


def cases() -> Iterator[Case]:
    for size, goals in DETERMINANT_GOALS.items():
        yield Case(f"determinant {size}x{size}", determinant(size), goals)
    long, short = (scalars(products(length), [1.0, 0.999]) for length in (600, 100))
    yield Case("500 more multiplications", long, {"micrograd": 1.5, "torch": None}, without=short)
    yield Case("one operation", scalars(square, [1.5]), {"torch": 0.20, "micrograd": None})
    for sizes, goal in NETWORKS:
        shape = ",".join(map(str, sizes))
        yield Case(f"MLP step {shape}", tensors(mlp(*sizes, update=True)), {"torch": goal})
        yield Case(f"MLP forward+backward {shape}", tensors(mlp(*sizes, update=False)), {"torch": None})
    yield Case("RNN, 50 steps", tensors(rnn(50, 32, 8)), {"torch": 0.45})
    for order in range(1, 6):
        yield Case(f"{order} derivatives of x**7", tensors(derivatives(order, ())), {"torch": 0.25})
    yield Case("5 derivatives of torch.ones(1)**7", tensors(derivatives(5, (1,))), {"torch": 0.25})
    for name, make, count in RECORDED:
        for how, listen, goal, collecting in LISTENING:
            ready = recorded(make, listen, count)
            yield Case(f"recording {name}, {how}", ready, {"off": goal}, collecting=collecting)


def measure(only: str, rounds: int) -> None:
    """Print a row for each case and contestant, then how many goals are met."""
    sys.setrecursionlimit(10_000)  # micrograd walks its graph recursively
    print(f"{'median CPU time, one thread each':40}{'against':>15}{'theirs':>12}{'engine':>12}{'ratio':>8}{'goal':>7}")
    met: list[bool] = []
    for case in cases():
        if re.search(only, case.name):
            met += compare(case, rounds)
    if re.search(only, MEMORY):
        size = bytes_alive()
        print(f"{MEMORY:40}{'':27}{size:12.0f}{'':8}{BYTES:7}  {verdict(size <= BYTES)}")
        met.append(size <= BYTES)
    for name, make, count in RECORDED:
        if re.search(only, READING):
            print(READING.format(name) + read_and_held(recording.times(make(OURS), count)))
    print(f"{sum(met)} of {len(met)} goals met")


def read_and_held(once: Once) -> str:
    """What a recording comes to after the run, and how much memory it takes at most."""
    events, read, made = min((recording.reading(once) for _ in range(5)), key=lambda took: took[1] + took[2])
    off, on = recording.peak(once), recording.peak(recording.bare(once))
    return (
        f"{events:7} events, read in {read * 1e3:.1f} ms and made a trace in {made * 1e3:.1f} ms; "
        f"at most {off / 1e6:.2f} MB off, {on / 1e6:.2f} MB on ({(on - off) / events:.0f} bytes an event)"
    )


def compare(case: Case, rounds: int) -> Iterator[bool]:
    """Print the rows of `case`; for each goal, whether it is met."""
    contestants = [OURS, *filter(installed, case.goals)]
    agree(case, contestants)
    makes = [case.make, case.without] if case.without else [case.make]
    taken = medians([make(name) for make in makes for name in contestants], rounds, case.collecting)
    if case.without:
        taken = [whole - rest for whole, rest in zip(taken, taken[len(contestants) :], strict=False)]
    times = dict(zip(contestants, taken, strict=False))
    for name, goal in case.goals.items():
        if name not in times:
            print(f"{case.name:40}{name:>15}  is not installed")
            continue
        ratio = times[OURS] / times[name]
        row = f"{case.name:40}{name:>15}{times[name] * 1e6:9.1f} us{times[OURS] * 1e6:9.1f} us{ratio:8.3f}"
        print(row if goal is None else f"{row}{goal:7.2f}  {verdict(ratio <= goal)}", flush=True)
        if goal is not None:
            yield ratio <= goal


def agree(case: Case, contestants: list[str]) -> None:
    """Run everybody's program twice, for the second run starts where the first one ended, and compare.

    Raises:
        AssertionError: two contestants computed different things.
    """
    found = {}
    for name in contestants:
        program = case.make(name)
        found[name] = numbers(program()) + numbers(program())
        np.testing.assert_allclose(found[name], found[OURS], rtol=1e-4, atol=1e-5, err_msg=f"{case.name}: {name}")


def numbers(results: Sequence[Any]) -> list[float]:
    """All numbers in what a program gave back, whoever's they are."""
    arrays = [result.detach() if hasattr(result, "detach") else result for result in results]
    return [float(number) for array in arrays for number in np.asarray(array).ravel()]


def bytes_alive() -> float:
    """What one operation on scalars occupies as long as its graph lives: tensor, node, edges and values."""
    x = torch_of(OURS).tensor(1.0, requires_grad=True)
    product = x * x
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        for _ in range(LIVE):
            product = product * x
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert product.requires_grad
    return (after - before) / LIVE


def verdict(met: bool) -> str:
    return "met" if met else "MISSED"
