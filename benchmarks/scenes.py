"""From a recorded run to the payload of a page: how long it takes and how large it is."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable
from typing import Any

from gradreel.interpreter import run
from gradreel.scene import build, encode

DETERMINANT = """import torch

def det(rows, columns):
    if len(columns) == 1:
        return rows[0][columns[0]]
    total = None
    for at, column in enumerate(columns):
        term = rows[0][column] * det(rows[1:], columns[:at] + columns[at + 1:])
        if total is None:
            total = term
        elif at % 2:
            total = total - term
        else:
            total = total + term
    return total

m = [[torch.tensor((r * 7 + c * 3) % 5 - 1.5 + (r == c), requires_grad=True) for c in range({0})] for r in range({0})]
det(m, tuple(range({0}))).backward()
"""
CHAIN = """import torch

x = torch.tensor(1.001, requires_grad=True)
y = x
for i in range({0}):
    y = y * x
y.backward()
"""
TRAINING = """import torch

torch.manual_seed(0)
x, t = torch.randn(32, 16), torch.randn(32, 1)
net = torch.nn.Sequential(torch.nn.Linear(16, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range({0}):
    loss = torch.nn.functional.mse_loss(net(x), t)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
CASES: tuple[tuple[str, str, float | None, int | None], ...] = (
    ("determinant 6x6", DETERMINANT.format(6), 0.5, 200_000),
    ("2,000 multiplications", CHAIN.format(2_000), 0.5, None),
    ("10,000 multiplications", CHAIN.format(10_000), 1.5, None),
    ("50 steps of training", TRAINING.format(50), None, None),
)
"""Name, program, and goals: seconds of CPU to build and encode, bytes of payload."""


def measure() -> None:
    """Print a row for each case."""
    print(f"\n{'CPU time, payload':28}{'nodes':>7}{'events':>9}{'run':>10}{'build':>10}{'encode':>10}{'payload':>11}")
    for name, source, seconds, size in CASES:
        ran, trace = timed(lambda source=source: run(source))
        built, scene = timed(lambda trace=trace: build(trace))
        encoded, payload = timed(lambda scene=scene: encode(scene))
        verdicts = []
        if seconds is not None:
            verdicts.append(f"in {seconds} s: {verdict(built + encoded <= seconds)}")
        if size is not None:
            verdicts.append(f"under {size // 1000} kB: {verdict(len(payload) <= size)}")
        times = "".join(f"{taken * 1000:7.0f} ms" for taken in (ran, built, encoded))
        row = f"{name:28}{len(scene.boxes):7}{len(trace.events):9}{times}{len(payload) / 1000:8.1f} kB"
        print(f"{row}  {', '.join(verdicts)}".rstrip(), flush=True)


def timed(work: Callable[[], Any], rounds: int = 3) -> tuple[float, Any]:
    """Seconds of CPU time, the median of a few rounds, and what came of it."""
    taken = []
    for _ in range(rounds):
        gc.collect()
        start = time.process_time()
        made = work()
        taken.append(time.process_time() - start)
    return statistics.median(taken), made


def verdict(met: bool) -> str:
    return "met" if met else "MISSED"
