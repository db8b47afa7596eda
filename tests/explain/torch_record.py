"""Runs programs in real torch and writes down what becomes of their gradients: `PYTHON torch_record.py < SOURCES`.

Reads a JSON list of programs, writes a JSON list of records with the fields of `fixes.Record`. Each program runs in a
fork of its own. Needs torch and nothing of Gradreel.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import signal
import sys
import tempfile
import traceback
import warnings
from typing import Any

import torch
from torch.optim import optimizer as optimizers

SECONDS = 10
PROGRAM = "<program>"
COMPARED = re.compile(r"\bis (?:not )?None\b|\bhasattr\b|^\s*(?:if|elif|while)\b")
MOST_NODES = 20_000


class Harness:
    """Wraps what touches gradients; `record` fills while the program runs."""

    def __init__(self, source: str) -> None:
        self.lines = source.split("\n")
        self.record: dict[str, Any] = {
            "error": None, "stopped": False, "output": "", "reads": [], "none_results": 0, "steps": [], "backwards": [],
        }  # fmt: skip
        self.ran: dict[int, tuple[Any, int]] = {}
        """Nodes that went backward, by id: the node, kept so that its id stays its own, and the call."""
        self.weights: list[dict[int, tuple[float, float]]] = []
        """For each call what its leaves held."""
        self.leaves: dict[int, Any] = {}
        self.fresh: set[int] = set()
        self.stepped: set[int] = set()
        self.began: list[Any] = []
        self.alive: set[int] = set()
        """To what a gradient that is not zero came since a step began."""
        self.inside = False

    def line(self) -> int:
        frame: Any = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename != PROGRAM:
            frame = frame.f_back
        return frame.f_lineno if frame is not None else 0

    # ---- reads of .grad

    def wrap_grad(self) -> None:
        raw = torch._C.TensorBase.grad

        def get(tensor: Any) -> Any:
            grad = raw.__get__(tensor)
            frame = sys._getframe(1)
            if frame.f_code.co_filename == PROGRAM and not self.inside:
                text = self.lines[frame.f_lineno - 1].strip()
                if not COMPARED.search(text):
                    self.record["reads"].append([text, state(grad), bool(tensor.requires_grad)])
            return grad

        def put(tensor: Any, grad: Any) -> None:
            raw.__set__(tensor, grad)
            self.fresh.add(id(tensor))

        torch.Tensor.grad = property(get, put, lambda t: raw.__delete__(t))

    # ---- backward

    def reachable(self, roots: list[Any]) -> tuple[list[Any], list[Any]]:
        """The nodes behind `roots`, and the leaves that they end in."""
        todo, leaves = list(roots), []
        seen: dict[int, Any] = {}
        while todo and len(seen) < MOST_NODES:
            node = todo.pop()
            if node is None or id(node) in seen:
                continue
            seen[id(node)] = node
            if hasattr(node, "variable"):
                leaves.append(node.variable)
            todo.extend(nxt for nxt, _ in node.next_functions)
        return list(seen.values()), leaves

    def before_backward(self, roots: list[Any]) -> tuple[dict[str, Any], list[Any]]:
        nodes, leaves = self.reachable([root.grad_fn for root in roots])
        now = {id(leaf): digest(leaf) for leaf in leaves}
        call = len(self.weights)
        self.weights.append(now)
        self.leaves.update((id(leaf), leaf) for leaf in leaves)
        old = [node for node in nodes if id(node) in self.ran and not hasattr(node, "variable")]
        outdated = False
        for node in old:
            then = self.weights[self.ran[id(node)][1]]
            _, its = self.reachable([node])
            if any(then.get(id(leaf), now[id(leaf)]) != now[id(leaf)] for leaf in its if id(leaf) in now):
                outdated = True
                break
        entry = {
            "line": self.line(), "roots": [digest(root)[0] for root in roots], "outdated": outdated, "withheld": 0,
            "failed": True, "steps": len(self.record["steps"]),
        }  # fmt: skip
        self.record["backwards"].append(entry)
        for node in nodes:
            self.ran.setdefault(id(node), (node, call))
            self.ran[id(node)] = (node, call)
        return entry, leaves

    def wrap_backward(self) -> None:
        raw, raw_grad = torch.autograd.backward, torch.autograd.grad

        def backward(tensors: Any, *args: Any, **kwargs: Any) -> Any:
            if self.inside:
                return raw(tensors, *args, **kwargs)
            roots = [t for t in ([tensors] if isinstance(tensors, torch.Tensor) else list(tensors))]
            entry, leaves = self.before_backward(roots)
            self.inside = True
            try:
                result = raw(tensors, *args, **kwargs)
            finally:
                self.inside = False
            entry["failed"] = False
            if not kwargs.get("inputs"):
                entry["withheld"] = sum(torch._C.TensorBase.grad.__get__(leaf) is None for leaf in leaves)
            return result

        def grad(outputs: Any, *args: Any, **kwargs: Any) -> Any:
            if self.inside:
                return raw_grad(outputs, *args, **kwargs)
            roots = [t for t in ([outputs] if isinstance(outputs, torch.Tensor) else list(outputs))]
            entry, _ = self.before_backward(roots)
            self.inside = True
            try:
                result = raw_grad(outputs, *args, **kwargs)
            finally:
                self.inside = False
            entry["failed"] = False
            if sys._getframe(1).f_code.co_filename == PROGRAM:  # what `gradcheck` asks for is its affair
                self.record["none_results"] += sum(
                    part is None or bool(kwargs.get("materialize_grads")) and state(part) == "zero" for part in result
                )
            return result

        torch.autograd.backward, torch.autograd.grad = backward, grad

    # ---- steps

    def wrap_steps(self) -> None:
        add = torch.optim.Optimizer.add_param_group

        def add_param_group(optimizer: Any, group: Any) -> None:
            add(optimizer, group)
            for parameter in optimizer.param_groups[-1]["params"]:
                if parameter.requires_grad and parameter.is_leaf:
                    parameter.register_post_accumulate_grad_hook(self.arrived)

        torch.optim.Optimizer.add_param_group = add_param_group
        optimizers.register_optimizer_step_pre_hook(self.before_step)
        optimizers.register_optimizer_step_post_hook(self.after_step)

    def arrived(self, parameter: Any) -> None:
        self.fresh.add(id(parameter))
        if state(torch._C.TensorBase.grad.__get__(parameter)) == "some":
            self.alive.add(id(parameter))

    def before_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        states = []
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                now = state(torch._C.TensorBase.grad.__get__(parameter))
                stale = now != "none" and id(parameter) in self.stepped and id(parameter) not in self.fresh
                states.append([now, stale, 0.0])
                if now != "none":
                    self.stepped.add(id(parameter))
                self.fresh.discard(id(parameter))
        self.alive.clear()
        self.record["steps"].append([])
        self.began = states

    def after_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        """A step that failed stays empty; one with a closure gets its gradients while it runs."""
        parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
        for entry, parameter in zip(self.began, parameters, strict=False):
            if entry[0] == "none":
                now = state(torch._C.TensorBase.grad.__get__(parameter))
                entry[0] = "some" if id(parameter) in self.alive else now
            entry[2] = digest(parameter)[0]
        self.record["steps"][-1] = self.began


def state(grad: Any) -> str:
    if grad is None:
        return "none"
    dense = grad.to_dense() if grad.is_sparse else grad
    if not bool(dense.detach().isfinite().any()):
        return "nan"
    return "some" if bool((dense.detach() != 0).any()) else "zero"


def digest(tensor: Any) -> tuple[float, float]:
    if tensor.is_sparse or torch._C._functorch.is_functorch_wrapped_tensor(tensor):
        return 0.0, 0.0
    with torch.no_grad():
        plain = tensor.detach().double() if not tensor.is_complex() else tensor.detach().abs().double()
        return float(plain.sum()), float((plain * torch.arange(1, plain.numel() + 1).view(plain.shape)).sum())


class Late(BaseException):
    pass


def late(signal_number: int, frame: Any) -> None:
    raise Late


def run(source: str) -> dict[str, Any]:
    harness = Harness(source)
    harness.wrap_grad()
    harness.wrap_backward()
    harness.wrap_steps()
    output = io.StringIO()
    signal.signal(signal.SIGALRM, late)
    signal.alarm(SECONDS)
    try:
        with contextlib.redirect_stdout(output):
            exec(compile(source, PROGRAM, "exec"), {"__name__": "__main__"})
    except Late:
        harness.record["stopped"] = True
    except SystemExit:
        pass
    except BaseException as error:
        harness.record["error"] = (traceback.format_exception_only(error)[-1].strip().splitlines() or [""])[0][:300]
    signal.alarm(0)
    harness.record["output"] = output.getvalue()[:64_000]
    return harness.record


def forked(source: str) -> dict[str, Any]:
    with tempfile.NamedTemporaryFile("r", suffix=".json") as file:
        child = os.fork()
        if not child:
            try:
                os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
                os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
                with open(file.name, "w", encoding="utf-8", errors="backslashreplace") as out:
                    json.dump(run(source), out)
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        text = file.read()
        return json.loads(text) if text else {"error": "the process ended", **EMPTY}


EMPTY = {"stopped": False, "output": "", "reads": [], "none_results": 0, "steps": [], "backwards": []}


def warm_up() -> None:
    """Imports what a first step imports, once for all forks."""
    leaf = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.Adam([leaf])
    leaf.sum().backward()
    optimizer.step()


if __name__ == "__main__":
    torch.set_num_threads(1)
    warm_up()
    warnings.simplefilter("ignore")
    json.dump([forked(source) for source in json.load(sys.stdin)], sys.stdout)
