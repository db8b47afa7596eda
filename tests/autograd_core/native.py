"""Runs a program on the engine itself, and describes all that it printed, raised and left behind.

The same functions described what PyTorch left behind; tests/data/native.json.gz keeps that. A description has, for each
tensor that a name of the program holds at the end: shape, dtype, numbers, version, flags, base, gradient, and the graph
below it, node by node, with edges and with what each saved slot holds.
"""

from __future__ import annotations

import ast
import contextlib
import gc
import io
import math
import re
import sys
import warnings
from collections.abc import Iterator
from typing import Any

LAST = 2**64 - 1
MOST = 64
"""How many nodes of a graph, and elements of a tensor, are described."""


class Program:
    """A run of `source` with `torch` under its name."""

    def __init__(self, source: str, torch: Any, transcript: bool = False) -> None:
        self.torch = torch
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self.raised: list[list[Any]] = []
        self.out = io.StringIO()
        with contextlib.redirect_stdout(self.out), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for piece in ast.parse(source).body:
                if not self.statement(piece) and not transcript:
                    break
        gc.collect()

    def statement(self, piece: ast.stmt) -> bool:
        """Run one statement; whether it went through."""
        try:
            exec(compile(ast.Module([piece], []), "<program>", "exec"), self.names)  # the programs are our own
        except Exception as error:
            trace, line = error.__traceback__, None
            while trace is not None:
                if trace.tb_frame.f_code.co_filename == "<program>":
                    line = trace.tb_lineno
                trace = trace.tb_next
            self.raised.append([type(error).__name__, without_addresses(str(error)), line])
            return False
        return True

    def described(self) -> dict[str, Any]:
        tensors = {name: thing for name, thing in self.named() if isinstance(thing, self.torch.Tensor)}
        about = {name: self.tensor(thing, tensors) for name, thing in tensors.items()}
        return {"stdout": self.out.getvalue(), "raised": self.raised, "tensors": about}

    def named(self) -> Iterator[tuple[str, Any]]:
        """What names, short lists and modules of the program hold."""
        for name, thing in list(self.names.items()):
            if name.startswith("__"):
                continue
            yield name, thing
            if isinstance(thing, self.torch.nn.Module):
                yield from ((f"{name}.{part}", p) for part, p in thing.named_parameters())
            elif isinstance(thing, list | tuple) and len(thing) < 9:
                yield from ((f"{name}[{i}]", part) for i, part in enumerate(thing))

    def tensor(self, t: Any, tensors: dict[str, Any]) -> dict[str, Any]:
        facts: dict[str, Any] = {"shape": list(t.shape), "dtype": str(t.dtype), "values": numbers(t)}
        for fact in ("requires_grad", "is_leaf", "retains_grad", "_version", "output_nr"):
            facts[fact] = attempt(lambda fact=fact: getattr(t, fact))
        facts["is_view"] = t._is_view()
        facts["base"] = sorted(name for name, other in tensors.items() if other is t._base)
        facts["same"] = sorted(name for name, other in tensors.items() if other is t)
        facts["memory"] = sorted(name for name, o in tensors.items() if o.data_ptr() == t.data_ptr() and o.numel() > 0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            grad = t.grad
        if grad is not None:
            facts["grad"] = [
                numbers(grad),
                grad._version,
                grad._is_view(),
                graph(attempt(lambda: grad.grad_fn), tensors),
            ]
        facts["graph"] = graph(attempt(lambda: t.grad_fn), tensors)
        return facts


def attempt(ask: Any) -> Any:
    try:
        return ask()
    except RuntimeError as error:
        return f"RuntimeError: {error}"


def numbers(t: Any) -> list[Any]:
    flat = t.detach().reshape(-1)[:MOST].tolist()
    return [str(x) if isinstance(x, float) and not math.isfinite(x) else x for x in flat]


def graph(root: Any, tensors: dict[str, Any]) -> Any:
    """The nodes below `root` in order of depth, with edges by place, sequence by rank, and the state of each slot."""
    if root is None or isinstance(root, str):
        return root
    order, at = [root], {root: 0}
    for node in order:
        for below, _ in node.next_functions:
            if below is not None and below not in at and len(order) < MOST:
                at[below] = len(order)
                order.append(below)
    ranks = sorted({n._sequence_nr() for n in order if n._sequence_nr() != LAST})
    described = []
    for node in order:
        nr = node._sequence_nr()
        edges = [None if below is None else [at.get(below, -1), k] for below, k in node.next_functions]
        about = [node.name(), "last" if nr == LAST else ranks.index(nr), edges, dict(slots(node))]
        if hasattr(node, "variable"):
            about.append(sorted(name for name, t in tensors.items() if t is node.variable))
        described.append(about)
    return described


def slots(node: Any) -> Iterator[tuple[str, Any]]:
    names = [n for n in dir(node) if n.startswith("_saved_")]
    if "saved_tensors" in dir(node):
        names.append("saved_tensors")
    for name in names:
        try:
            held = getattr(node, name)
        except RuntimeError as error:
            yield name, "freed" if "second time" in str(error) else "stale"
            continue
        yield name, kept(held)


def kept(held: Any) -> Any:
    if isinstance(held, tuple | list):
        return [kept(part) for part in held]
    if hasattr(held, "grad_fn"):
        return ["tensor", list(held.shape), held._version, held.grad_fn is None]
    return held if isinstance(held, int | float | str | None) else str(held)


def without_addresses(text: str) -> str:
    return re.sub(r"0x[0-9a-f]{6,}", "0x...", text)


def describe(source: str, torch: Any) -> dict[str, Any]:
    prompts = re.findall(r"(?m)^(?:>>>|\.\.\.) ?(.*)$", source)
    transcript = bool(prompts or re.search(r"(?m)^# record:.*transcript", source))
    source = "\n".join(prompts) or source
    sys.setrecursionlimit(max(sys.getrecursionlimit(), 3000))
    return Program(source, torch, transcript).described()
