"""Calls of layers and of linear algebra: how one is run, and what is kept of it.

A case names its leaves by shape and gives an expression: `x=2x3 w=3 | F.layer_norm(x, (3,), w)`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

Facts = dict[str, Any]


def graph(node: Any, seen: dict[int, int], held: list[Any]) -> Iterator[str]:
    """The graph below `node`, a line for each: its name, what it keeps, shapes of its outputs, where it leads."""
    if node is None or id(node) in seen:
        return
    seen[id(node)] = len(seen)
    held.append(node)
    below = [(None if n is None else n, nr) for n, nr in node.next_functions]
    name = type(node).__name__
    kept = [] if name == "AccumulateGrad" else [f"{slot[7:]}={shown(node, slot)}" for slot in saved(node)]
    outs = [] if name == "AccumulateGrad" else [str(tuple(meta.shape)) for meta in node._input_metadata]
    line = f"{seen[id(node)]} {name} {' '.join(kept)} -> {' '.join(outs)}"
    rest = [text for n, _ in below for text in graph(n, seen, held)]
    ways = ", ".join("nowhere" if n is None else f"{seen[id(n)]}.{nr}" for n, nr in below)
    yield f"{line} : {ways}"
    yield from rest


def saved(node: Any) -> list[str]:
    return sorted(name for name in dir(node) if name.startswith("_saved_"))


def shown(node: Any, slot: str) -> str:
    value = getattr(node, slot)
    if hasattr(value, "grad_fn"):
        return f"tensor{tuple(value.shape)}"
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value)


def numbers(tensor: Any) -> Any:
    """The values of a tensor; a copy, since torch has tensors of zeros without memory."""
    return None if tensor is None else rounded(tensor.detach().clone().tolist())


def rounded(values: Any) -> Any:
    return [rounded(v) for v in values] if isinstance(values, list) else float(f"{values:.9g}")


def run(torch: Any, functional: Any, leaves: dict[str, Any], code: str) -> Facts:
    """Value, graph, gradients and second derivatives of a call; or the error that it raises."""
    names: dict[str, Any] = {"torch": torch, "F": functional}
    names |= {name: torch.tensor(value, dtype=torch.float64, requires_grad=True) for name, value in leaves.items()}
    inputs = [names[name] for name in leaves]
    facts: Facts = {}
    try:
        out = eval(code, names)
    except Exception as error:
        return {"raised": f"{type(error).__name__}: {error}"}
    results = [t for t in (out if isinstance(out, tuple | list) else [out]) if hasattr(t, "grad_fn")]
    results = [t for t in results if t.dtype == torch.float64]
    held: list[Any] = []
    facts["value"] = [numbers(t) for t in results]
    facts["graph"] = [list(graph(t.grad_fn, {}, held)) for t in results]
    results = [t for t in results if t.requires_grad]
    stream = np.random.default_rng(1)

    def drawn(like: Any) -> Any:
        return torch.tensor(np.round(stream.standard_normal(tuple(like.shape)), 3).tolist(), dtype=torch.float64)

    try:
        above = [drawn(t).requires_grad_() for t in results]
        plain = [t.detach() for t in above]
        first = torch.autograd.grad(results, inputs, plain, retain_graph=True, allow_unused=True)
        facts["first"] = [numbers(g) for g in first]
        first = torch.autograd.grad(results, inputs, above, create_graph=True, allow_unused=True)
        facts["first graph"] = [None if g is None else list(graph(g.grad_fn, {}, held)) for g in first]
        followed = [g for g in first if g is not None and g.requires_grad]
        second = torch.autograd.grad(followed, inputs + above, [drawn(g) for g in followed], allow_unused=True)
        facts["second"] = [numbers(g) for g in second]
    except Exception as error:
        facts["refused"] = f"{type(error).__name__}: {error}"
    return facts


def build(torch: Any, code: str, shape: str) -> Facts:
    """A module made after a seed: how it is shown, its state, what two calls in each mode give, its gradients."""
    torch.manual_seed(3)
    try:
        module = eval(code, {"nn": torch.nn})
        facts: Facts = {"shown": repr(module), "state": state(module), "outputs": []}
        if shape == "bags":
            inputs = [torch.tensor([[0, 1], [3, 1]])]
        else:
            inputs = [torch.randn(*map(int, part.split(","))).requires_grad_() for part in shape.split(";")]
        for training in (True, False):
            module.train(training)
            for _ in range(2):
                out = module(*inputs) * 1
                (out * out).sum().backward()
                facts["outputs"].append(out.tolist())
        facts["gradients"] = [t.grad.tolist() for t in (*inputs, *module.parameters()) if t.grad is not None]
        facts["afterwards"] = state(module)
    except Exception as error:
        return {"raised": f"{type(error).__name__}: {error}"}
    return facts


def state(module: Any) -> dict[str, Any]:
    return {name: [tensor.tolist(), tensor._version] for name, tensor in module.state_dict().items()}
