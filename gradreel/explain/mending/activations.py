"""Mends for networks of straight pieces: another activation, which is smooth."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..calls import callee
from ..fixes.proposal import Proposal, Wanted
from ..fixes.registry import fix
from ..fixes.text import Edit, Text

LAYERS = frozenset({"ReLU", "LeakyReLU", "ReLU6", "PReLU", "RReLU", "Hardtanh"})
FUNCTIONS = frozenset({"relu", "relu_", "leaky_relu", "relu6", "hardtanh", "rrelu"})
SMOOTH = {"Tanh": "torch.tanh", "Softplus": "torch.nn.functional.softplus"}
COST = "the network computes other numbers: its activations are smooth"


@fix(second_derivative=1)
def smooth(wanted: Wanted) -> Iterator[Proposal]:
    """Tanh, or Softplus, wherever the program has ReLU or the like."""
    text = wanted.text
    for layer, function in SMOOTH.items():
        edits = [edit for node in ast.walk(text.tree) if (edit := exchanged(text, node, layer, function)) is not None]
        if edits:
            yield wanted.proposal(f"{layer} in the place of ReLU, everywhere", COST, *edits)


def exchanged(text: Text, node: ast.AST, layer: str, function: str) -> Edit | None:
    """`nn.ReLU(...)` as `nn.Tanh()`, `F.relu(x)` as `torch.tanh(x)`, `x.relu()` as `torch.tanh(x)`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute | ast.Name):
        name = callee(node)
        if name in LAYERS:
            return text.replaced(node, text.get(node.func)[: -len(name)] + f"{layer}()")
        if name not in FUNCTIONS:
            return None
        of_module = isinstance(node.func, ast.Name) or ast.unparse(node.func.value) in MODULES
        given = node.args[0] if of_module and node.args else None
        if not of_module and isinstance(node.func, ast.Attribute):
            given = node.func.value
        return text.replaced(node, f"{function}({text.get(given)})") if given is not None else None
    if isinstance(node, ast.Attribute) and not isinstance(text.parents.get(node), ast.Call):
        if node.attr in LAYERS:
            return text.replaced(node, f"{text.get(node.value)}.{layer}")
        if node.attr in FUNCTIONS and ast.unparse(node.value) in MODULES:
            return text.replaced(node, function)
    return None


MODULES = frozenset({"F", "torch", "functional", "nn.functional", "torch.nn.functional"})
