"""What vmap and the transformations made of it do with one expression, told in a way that can be stored.

The expressions speak of `a` (4 x 5, one example of a batch) and `w` (4 x 5, the same for all). `recorded` runs them in
any package with the face of torch; tests/data/vmap.json.gz has what torch 2.13 gave.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any

PRELUDE = """
def zeroed(y):
    y[0] = 0
    return y
def column(y, w):
    y[:, 1] = w[:, 0]
    return y
def doubled(y):
    y[0] = y[1] * 2
    return y
def rows(a):
    out = a.new_zeros(5)
    for row in a: out += row
    return out
"""

GRAPHS = ("plain", "both", "weights", "grad of vmap", "batched")
"""The ways whose graphs are compared node for node."""


def ways(torch: Any, f: Callable[..., Any], x: Any, w: Any) -> dict[str, Callable[[], Any]]:
    """How an expression is run."""
    func = torch.func
    three = torch.stack([w, w * 2, w * 3])

    def squared(a: Any) -> Any:
        return sum((t * t).sum() for t in tensors(torch, f(a, w)))

    def batched() -> Any:
        leaf = x[0].clone().requires_grad_()
        root = next(t for t in tensors(torch, f(leaf, w)) if t.requires_grad)
        rows = torch.stack([torch.ones_like(root), 2 * torch.ones_like(root)])
        return torch.autograd.grad(root, leaf, rows, is_grads_batched=True, create_graph=True)[0]

    def plain() -> Any:
        weight = w.clone().requires_grad_()
        return func.vmap(lambda a: f(a, weight))(x.clone().requires_grad_())

    return {
        "plain": plain,
        "both": lambda: func.vmap(f)(x.clone().requires_grad_(), three.clone().requires_grad_()),
        "weights": lambda: func.vmap(lambda w: f(x[0], w))(three.clone().requires_grad_()),
        "nested": lambda: func.vmap(func.vmap(lambda a: f(a, w)), in_dims=1)(torch.stack([x, x * 2], 1)),
        "vmap of grad": lambda: func.vmap(func.grad(squared))(x),
        "grad of vmap": lambda: func.grad(lambda x: func.vmap(squared)(x).sum())(x),
        "jacrev": lambda: func.jacrev(lambda a: f(a, w))(x[0]),
        "jacfwd": lambda: func.jacfwd(lambda a: f(a, w))(x[0]),
        "hessian": lambda: func.hessian(squared)(x[0]),
        "vmap of jacrev": lambda: func.vmap(func.jacrev(lambda a: f(a, w)))(x),
        "batched": batched,
    }


def tensors(torch: Any, value: Any) -> Iterator[Any]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, tuple | list):
        for part in value:
            yield from tensors(torch, part)


def recorded(torch: Any, way: str, source: str) -> dict[str, Any]:
    """What the expression `source` gives, or raises."""
    torch.manual_seed(0)
    x, w = torch.randn(3, 4, 5), torch.randn(4, 5)
    code = compile(source, "<expression>", "eval")
    names: dict[str, Any] = {"torch": torch, "F": torch.nn.functional}
    exec(PRELUDE, names)

    def f(a: Any, w: Any) -> Any:
        return eval(code, {**names, "a": a, "w": w})

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = ways(torch, f, x, w)[way]()
    except Exception as error:
        return {"raised": type(error).__name__, "text": str(error)}
    found = list(tensors(torch, result))
    told: dict[str, Any] = {"values": [values_of(t) for t in found]}
    if way in GRAPHS:
        told["graphs"] = [graph_of(t) for t in found]
    return told


def values_of(tensor: Any) -> list[Any]:
    """dtype, shape, a few elements, and a sum in which each counts otherwise."""
    flat = [float(v) for v in tensor.detach().reshape(-1).tolist()]
    shown = [v if math.isfinite(v) else str(v) for v in (*flat[:8], sum(v * (1 + i % 7) for i, v in enumerate(flat)))]
    numbers = [float(f"{v:.5g}") if isinstance(v, float) else v for v in shown]
    return [str(tensor.dtype).rpartition(".")[2], list(tensor.shape), numbers]


def graph_of(tensor: Any) -> str:
    """The graph in one line: a node with its edges, `#n` for the n-th node met before."""
    met: dict[Any, int] = {}

    def told(node: Any) -> str:
        if node is None:
            return "None"
        if node in met:
            return f"#{met[node]}"
        met[node] = len(met)
        edges = ", ".join(told(below) for below, _ in node.next_functions)
        return node.name().rpartition("::")[2].removesuffix("Backward0") + (f"({edges})" if edges else "")

    return told(tensor.grad_fn)
