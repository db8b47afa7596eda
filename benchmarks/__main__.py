"""`make bench`: the engine as ratios of torch's time, the price of recording, and a run from request to reply.

`python -m benchmarks engine` or `python -m benchmarks host` measures one of them.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable

import autograd_core
from autograd_core.events import listening
from gradreel.host import opened, run_program, safety

from .cases import CASES
from .timing import best_of_turns

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


def engine() -> None:
    """Each case on this engine, on it while recording, and on torch, in turns."""
    import torch

    torch.set_num_threads(1)
    print(f"{'CPU time, one thread':30}{'torch':>12}{'engine':>12}{'ratio':>8}{'recording':>11}")
    for name, case in CASES.items():
        ours = case(autograd_core)
        theirs, mine, recorded = best_of_turns([case(torch), ours, recording(ours)])
        print(
            f"{name:30}{theirs * 1e6:9.0f} us{mine * 1e6:9.0f} us{mine / theirs:8.2f}{recorded / mine:10.2f}x",
            flush=True,
        )


def recording(once: Callable[[], object]) -> Callable[[], object]:
    """`once` with somebody listening, who keeps all events."""

    def recorded() -> object:
        heard: list[object] = []
        with listening(heard.append):
            return once()

    return recorded


def host() -> None:
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


def main() -> None:
    chosen = sys.argv[1:] or ["engine", "host"]
    for name, measure in (("engine", engine), ("host", host)):
        if name in chosen:
            measure()


if __name__ == "__main__":
    main()
