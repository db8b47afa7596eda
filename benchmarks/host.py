"""A run from request to reply: a program of forty lines, in a process of its own, warm."""

from __future__ import annotations

import json
import statistics
import time

from gradreel.host import opened, run_program, safety

FORTY_LINES = (
    "import torch\n"
    "torch.manual_seed(0)\n"
    "w = torch.randn(3, 2, requires_grad=True)\n"
    "b = torch.zeros(3, requires_grad=True)\n"
    + "".join(
        f"x = torch.randn(2)\ny = torch.tanh(w @ x + b)\nloss = (y ** 2).sum()\nloss.backward()\n"
        f"print({step}, loss.item())\nwith torch.no_grad():\n    w -= 0.1 * w.grad\n    b -= 0.1 * b.grad\n"
        "w.grad.zero_()\n"
        for step in range(4)
    )
)
REQUESTS = 40


def measure() -> None:
    """A program of forty lines in a process of its own, warm, from request to reply."""
    print(f"\nlayers of safety: {', '.join(safety())}")
    for want in ("trace", "scene"):
        request = json.dumps({"source": FORTY_LINES, "want": want}).encode()
        took, inside = [], []
        for _ in range(REQUESTS):
            start = time.perf_counter()
            head, _, _ = opened(run_program(request))
            took.append((time.perf_counter() - start) * 1000)
            inside.append(head["ms"])
            assert head["ok"] and head["outcome"]["kind"] == "finished", head
        took.sort()
        print(
            f"{len(FORTY_LINES.splitlines())} lines, request to {want}: median {statistics.median(took):.0f} ms, "
            f"95% under {took[int(len(took) * 0.95)]:.0f} ms (inside the process {statistics.median(inside):.0f} ms)"
        )
