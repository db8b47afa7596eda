"""Calls with complex numbers, and what is seen of each: the same code looks at PyTorch and at this engine.

Run under PyTorch, `python -m tests.autograd_core.complex_calls` writes what it saw to tests/data/complex.json.gz.
"""

import gzip
import json
import re
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CALLS = Path(__file__).parents[1] / "data" / "complex_calls.txt"
RECORDING = CALLS.with_name("complex.json.gz")

LEAVES: dict[str, Any] = {
    "z": [[1 + 2j, 3 - 1j, -0.5 + 0.25j], [0.75j, -2 - 1.5j, 1.25]],
    "w": [[0.5 - 1j, -1.5 + 0.5j, 2 + 1j], [1 + 1j, 0.25 - 2j, -1 + 0.5j]],
    "m": [[2 + 1j, 0.5, -1j], [1 - 0.5j, 3, 0.25j], [0.5j, -1, 1.5 + 1j]],
    "v": [1 - 1j, 0.5 + 2j, -1.5j],
    "s": 1.5 - 0.5j,
    "x": [[0.5, -1.25, 2.0], [1.5, 0.75, -0.5]],
    "y": [[1.0, 0.5, -0.75], [2.0, -1.5, 1.25]],
    "p": [[0.5, 1.25, 2.0, 1.0], [1.5, 0.75, 3.0, -2.0]],
    "t": [0.5, -1.0, 1.5, 2.0, -0.25, 1.0, 0.75, -1.5],
}
"""Double precision, each with a gradient; which of them a call speaks of follows from its text."""


def calls() -> list[str]:
    return [line for line in CALLS.read_text().splitlines() if line and not line.startswith("#")]


def leaves_of(torch: Any, code: str) -> dict[str, Any]:
    return {
        name: torch.tensor(value, dtype=torch.float64 if name in "xypt" else torch.complex128, requires_grad=True)
        for name, value in LEAVES.items()
        if re.search(rf"(?<![\w.']){name}\b(?!=)", code)
    }


def observe(torch: Any, code: str) -> dict[str, Any]:
    """What is seen of a call: its result, the graph above it, gradients and their gradients; or its error."""
    leaves = leaves_of(torch, code)
    names = {"torch": torch, "F": torch.nn.functional, "fft": torch.fft, "linalg": torch.linalg, **leaves}
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            out = eval(code, names)
            return {"value": spell(torch, out, True), **(graph_of(torch, out, leaves) if torch.is_tensor(out) else {})}
        except Exception as error:
            return {"error": f"{type(error).__name__}: {error}"}


def spell(torch: Any, value: Any, lazy: bool = False) -> Any:
    """A value as JSON holds it: complex numbers as pairs; of a result also whether it is a lazy view.

    (That of a gradient is left out: PyTorch hands on some that are conjugated when they are read, this engine none.)
    """
    if not torch.is_tensor(value):
        return repr(value)
    bits = [name for name in ("conj", "neg") if lazy and getattr(value, f"is_{name}")()]
    data = value.detach().resolve_conj().resolve_neg()
    parts = torch.view_as_real(data) if data.is_complex() else data
    return [str(value.dtype), list(value.shape), bits, [repr(float(n)) for n in parts.reshape(-1).tolist()]]


def graph_of(torch: Any, out: Any, leaves: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {"nodes": [type(node).__name__ for node in nodes_below(out.grad_fn)]}
    if out.grad_fn is None or not (out.is_complex() or out.is_floating_point()):
        return found
    found["saved"] = sorted(name for name in dir(out.grad_fn) if name.startswith("_saved_"))
    first = torch.autograd.grad(out, list(leaves.values()), weights(torch, out), create_graph=True, allow_unused=True)
    found["first"] = [None if grad is None else spell(torch, grad) for grad in first]
    again = [(grad * grad.conj()).real.sum() for grad in first if grad is not None and grad.requires_grad]
    if again:
        second = torch.autograd.grad(sum(again), list(leaves.values()), allow_unused=True)
        found["second"] = [None if grad is None else spell(torch, grad) for grad in second]
    return found


def weights(torch: Any, out: Any) -> Any:
    """A gradient that tells elements apart, and real parts from imaginary ones."""
    numbers = [1.0 + 0.5 * ((i * 7) % 5) - 0.25 * (i % 3) for i in range(out.numel())]
    real = torch.tensor(numbers, dtype=torch.float64).reshape(out.shape)
    return (real * (1 - 0.5j) if out.is_complex() else real).to(out.dtype)


def nodes_below(root: Any) -> Iterator[Any]:
    seen, stack = set(), [root]
    while stack:
        node = stack.pop()
        if node is not None and node not in seen:
            seen.add(node)
            yield node
            stack.extend(below for below, _ in reversed(node.next_functions))


def main() -> None:
    torch = __import__("torch")
    seen = {code: observe(torch, code) for code in calls()}
    RECORDING.write_bytes(gzip.compress(json.dumps(seen, indent=0).encode(), mtime=0))
    failing = [code for code, found in seen.items() if "error" in found]
    sys.stdout.write(f"{len(seen)} calls, {len(failing)} of which raise\n")


if __name__ == "__main__":
    main()
