"""What one expression shows in a package with the face of torch: its value, its node, and the gradients of leaves.

The expressions speak of the tensors of `names`. `shown` runs them in any such package;
tests/data/expressions.json.gz has what torch 2.13 showed.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterator
from typing import Any

from .mapping import tensors

LEAVES = tuple("awvzecskqpD")


def names(torch: Any) -> dict[str, Any]:
    """Tensors of all kinds: leaves, an empty and a 0-d one, ties, nan, other dtypes, and one not in order of memory."""
    t, nan, inf = torch.tensor, math.nan, math.inf
    rows = [[0.5, -1.25, 2.0], [1.5, 0.75, -0.5]]
    leaves = {
        "a": rows,
        "w": [[1.0, 0.25, -0.75], [2.0, 1.25, 0.5]],
        "v": [0.5, -1.5, 2.0],
        "z": 1.75,
        "c": [[[0.5, -1.0], [1.5, 0.25], [2.0, -0.75]], [[1.0, 0.5], [-0.5, 2.0], [-1.25, 0.75]]],
        "s": [[2.0, 0.5, 0.25], [0.5, 3.0, -0.5], [0.25, -0.5, 1.5]],
        "k": [1.0, nan, -inf, inf, 0.0, -0.0],
        "q": [[2.0, 1.0, 2.0, 1.0], [1.0, 1.0, 3.0, 3.0]],
        "p": [[0.25, 0.5, 0.75], [0.1, 0.9, 0.4]],
    }
    found = {name: t(value, requires_grad=True) for name, value in leaves.items()}
    found |= {"e": torch.zeros(0, 3, requires_grad=True), "D": t(rows, dtype=torch.float64, requires_grad=True)}
    found |= {"H": t(rows, dtype=torch.float16), "i": t([[1, 0, 2], [2, 1, 0]]), "j": t([2, 0, 1]), "i0": t(1)}
    found |= {"i8": t([[1, -3, 2], [100, 7, 0]], dtype=torch.int8), "b0": t(True)}
    found |= {"u8": t([[1, 3, 2], [200, 7, 0]], dtype=torch.uint8)}
    found |= {"b": t([[True, False, True], [False, True, True]]), "ei": torch.zeros(0, dtype=torch.long)}
    found |= {"nc": found["a"].t(), "inf": inf, "nan": nan}
    return found | {"torch": torch, "F": torch.nn.functional, "T": t}


def shown(torch: Any, code: str) -> list[list[str]]:
    """What the expression `code` shows, then each gradient and warning, with what it is of."""
    torch.manual_seed(0)
    here = names(torch)
    lines: list[list[str]] = []
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            value = eval(code, here)
            lines.append([code, told(torch, value)])
            lines += gradients(torch, [t for t in tensors(torch, value) if t.requires_grad], here)
        except Exception as error:
            lines.append([code, f"!! {type(error).__name__}: {error}"])
    ours = [w for w in said if "The .grad attribute" not in str(w.message)]
    lines += [["warning", f"{w.category.__name__}: {w.message}"] for w in ours]
    return [[what, normal(text)] for what, text in lines]


def gradients(torch: Any, live: list[Any], here: dict[str, Any]) -> Iterator[list[str]]:
    if not live:
        return
    try:
        torch.autograd.backward(live, [slope(torch, t) for t in live])
    except Exception as error:
        yield ["backward", f"!! {type(error).__name__}: {error}"]
    for name in LEAVES:
        if here[name].grad is not None:
            yield [f"grad {name}", repr(here[name].grad)]


def slope(torch: Any, t: Any) -> Any:
    """A gradient in which each element is another."""
    line = torch.linspace(0.5, 2, max(t.numel(), 1), dtype=torch.float64)
    return line[: t.numel()].reshape(t.shape).to(t.dtype)


def told(torch: Any, value: Any) -> str:
    if isinstance(value, torch.Tensor):
        facts = f"{value.dtype} {tuple(value.shape)} {value.stride()} view={value._is_view()}"
        return f"{facts} {type(value.grad_fn).__name__} v{value._version}\n{value.detach()!r}"
    if isinstance(value, tuple | list):
        return f"{type(value).__name__}[" + "\n, ".join(told(torch, part) for part in value) + "]"
    return repr(value)


def normal(text: str) -> str:
    """`text` without what is never the same twice, or names the package."""
    text = re.sub(r"(?m) \(Triggered internally.*?\)$", "", text)
    return re.sub(r"0x[0-9a-f]{6,}", "0x...", text).replace("autograd_core", "torch")
