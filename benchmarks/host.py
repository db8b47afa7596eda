"""A run from request to reply: a program of forty lines, in a process of its own, warm."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable
from itertools import product

from gradreel.host import active_layers, run_program, split_reply
from gradreel.interpreter import run

FORTY_LINES = (
    "import torch\n"
    "torch.manual_seed(0)\n"
    "w = torch.randn(3, 2, requires_grad=True)\n"
    "b = torch.zeros(3, requires_grad=True)\n"
    + "".join(
        f"x = torch.randn(2)\ny = torch.tanh(w @ x + b)\nloss = (y ** 2).sum()\nloss.backward()\n"
        f"print({step}, loss.item())\nwith torch.no_grad():\n    w -= 0.1 * w.grad\n    b -= 0.1 * b.grad\n"
        "w.grad.zero_(); b.grad.zero_()\n"
        for step in range(4)
    )
)
TO_MEND = FORTY_LINES.replace("; b.grad.zero_()", "")
"""The same program forgetting half of its gradients, which is told, and mends for it are tried."""
PROGRAMS = {"that is fine": FORTY_LINES, "to mend": TO_MEND}
REQUESTS = 40
STATEMENTS = {
    "an assignment": ("", "a = b"),
    "a sum": ("", "a = b + 1"),
    "a call": ("def f(x): return x\n", "f(b)"),
    "a list of three": ("", "[c for c in (1, 2, 3)]"),
    "a product of tensors": ("import torch\nb = torch.ones(3)\n", "a = b * b"),
}
"""Statements whose cost is measured: what comes before them, and they themselves."""
REPEATED = 3_000


def measure() -> None:
    """A program of forty lines in a process of its own, warm, from request to reply."""
    print(f"\nlayers of safety: {', '.join(active_layers())}")
    for (name, program), want in product(PROGRAMS.items(), ("trace", "scene")):
        took, inside, cpu = [], [], []
        for nr in range(REQUESTS):
            request = json.dumps({"source": f"{program}# {nr}", "want": want}).encode()
            start = time.perf_counter()
            head, _, _ = split_reply(run_program(request))
            took.append((time.perf_counter() - start) * 1000)
            inside.append(head["ms"])
            cpu.append(head["cpu"])
            assert head["ok"] and head["outcome"]["kind"] == "finished", head
        took.sort()
        print(
            f"{len(program.splitlines())} lines {name}, request to {want}: median {statistics.median(took):.0f} ms, "
            f"95% under {took[int(len(took) * 0.95)]:.0f} ms (inside the process {statistics.median(inside):.0f} ms, "
            f"{statistics.median(cpu):.0f} ms of it computing)"
        )
    print("the interpreter, recording included, and CPython alone:")
    for name, (before, statement) in STATEMENTS.items():
        ours, native = (cost(before, statement, way) * 1e6 for way in (interpreted, natively))
        print(f"  {name:22}{ours:7.2f} us{native:9.2f} us")


def cost(before: str, statement: str, way: Callable[[str], object]) -> float:
    """Seconds that one more `statement` takes."""

    def took(again: str) -> float:
        source = f"b = 1\n{before}for i in range({REPEATED}):\n    {again}\n"
        samples = []
        for _ in range(5):
            start = time.process_time()
            way(source)
            samples.append(time.process_time() - start)
        return min(samples)

    return max(took(f"{statement}; {statement}") - took(statement), 0.0) / REPEATED


def interpreted(source: str) -> None:
    assert run(source).outcome.kind == "finished"


def natively(source: str) -> None:
    exec(compile(source.replace("import torch", "import autograd_core as torch"), "native", "exec"), {})
