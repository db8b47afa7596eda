"""Operators whose gradients come from one computation, which the node does once for all its inputs.

    @joint("convolution", of=("input", "weight", "bias"),
              formula=lambda grad, input, weight, ..., mask: convolution_backward(grad, input, weight, ..., mask))
    def convolution(input: Array, weight: Array, bias: Array | None, ...) -> Array: ...

As `@op` has it, with one formula that gives as many gradients as `of` names inputs. `mask` says which of them are
wanted. What is not wanted comes back as it may: the node passes on nothing there.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import types
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..dispatch.codegen.cache import kept
from ..dispatch.op import op, over
from ..dispatch.operands import array
from ..dispatch.registry import GRAPH, RAW
from ..dispatch.schema.schema import operator_name
from ..engine import fast_engine
from ..events.recorded_engine import told_step
from ..graph.node import Node
from ..graph.saved_tensor import unpack_slot

# ---- one formula for several inputs


ABSENT = np.float32(0)
"""Stands for a result that nobody wants; torch describes what is absent as a float of no dimensions, too."""


def joint(
    schemas: str, /, *, of: Sequence[str], formula: Callable[..., Any], **traits: Any
) -> Callable[[Callable[..., Any]], Any]:
    """Declare an operator by one formula for the gradients of all the inputs `of`."""
    each = {p: without_mask(formula) for p in of}

    def declare(forward: Callable[..., Any]) -> Any:
        made = op(schemas, **each, **traits)(forward)
        node: type[Node] = made.op.node_class
        file = forward.__code__.co_filename
        text = kept.get("joint", forward.__module__, lambda: texts(file)).get(made.op.name, "")
        node.formulas = dict.fromkeys(of, text)
        asked = list(inspect.signature(formula).parameters)
        node.raw = runner(over(formula, RAW), asked, made.op, data_of)  # type: ignore[method-assign]
        node.graph = runner(over(formula, GRAPH), asked, made.op, lambda kept: kept)  # type: ignore[method-assign]
        node.step, node.graph_step = fast_engine.step, fast_engine.graph_step
        node.heard_step, node.notes = told_step, False
        return made

    return declare


def runner(formula: Callable[..., Any], asked: Sequence[str], entry: Any, face: Callable[[Any], Any]) -> Any:
    """`raw` or `graph` of a node: load what is kept, run the one formula, hand out what is wanted."""

    def run(self: Node, grads: Sequence[Any], wanted: Sequence[Node | None]) -> list[Any]:
        given: dict[str, Any] = {"grads": grads, "grad": grads[0], "mask": [below is not None for below in wanted]}
        for name in asked:
            if name not in given:
                tensor = entry.is_tensor(name)
                given[name] = face(unpack_slot(self, name)) if tensor else getattr(self, f"saved_{name}")
        got = formula(*[given[name] for name in asked])
        return [None if below is None else grad for below, grad in zip(wanted, got, strict=True)]

    return run


def data_of(kept: Any) -> Any:
    return None if kept is None else kept.data_


def without_mask(formula: Callable[..., Any]) -> Callable[..., Any]:
    """The formula as `@op` is to see it: `mask` is nothing that a node keeps."""
    shown = types.FunctionType(formula.__code__, formula.__globals__)
    signature = inspect.signature(formula)
    kept = [p for name, p in signature.parameters.items() if name != "mask"]
    shown.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
    return shown


def texts(file: str) -> dict[str, str]:
    """The formulas of the `@joint(...)` entries in `file`, for people to read."""
    found = {}
    for node in ast.walk(ast.parse("".join(linecache.getlines(file)))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "joint":
            name = node.args[0]
            for keyword in node.keywords:
                if (
                    keyword.arg == "formula"
                    and isinstance(keyword.value, ast.Lambda)
                    and isinstance(name, ast.Constant)
                ):
                    found[operator_name(str(name.value))] = ast.unparse(keyword.value.body)
    return found


# ---- one computation for several formulas


def together(node: type[Node], compute: str, several: bool, names: Sequence[str]) -> None:
    """Let `node` call `compute` once, with what comes in and what it keeps under `names`.

    The formulas of the operator pick their gradients from the list that `compute` gives. `several` says that the
    operator has several results, whose gradients come as a list.
    """
    tensors = set(node.slots)

    def run(self: Any, functions: dict[str, Any], face: Any, grads: Any, wanted: Any) -> list[Any]:
        kept = [face(unpack_slot(self, n)) if n in tensors else getattr(self, f"saved_{n}") for n in names]
        got = functions[compute](grads if several else grads[0], *kept)
        return [None if below is None else grad for below, grad in zip(wanted, got, strict=True)]

    def raw(self: Any, grads: Any, wanted: Any) -> list[Any]:
        return run(self, RAW, array, grads, wanted)

    def graph(self: Any, grads: Any, wanted: Any) -> list[Any]:
        return run(self, GRAPH, lambda tensor: tensor, grads, wanted)

    node.raw, node.graph = raw, graph  # type: ignore[method-assign]
    node.step, node.graph_step = fast_engine.step, fast_engine.graph_step
    node.heard_step, node.notes = told_step, False
