"""Mends for layers that a module has and never calls, or has where it does not look for them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .common import enclosing, value_of
from .proposal import FREE, Proposal, Wanted
from .text import Text

REGISTERED = {
    ast.List: ("ModuleList", "ParameterList"),
    ast.ListComp: ("ModuleList", "ParameterList"),
    ast.Dict: ("ModuleDict",),
    ast.DictComp: ("ModuleDict",),
}
"""What a module finds layers in, by how they were written down."""
OTHERWISE = "another function: see that it is what you mean"


def called_too(wanted: Wanted) -> Iterator[Proposal]:
    """In place of the second call of a layer of the same making, or behind another layer."""
    text, built = wanted.text, wanted.at("built")
    if not isinstance(built, ast.Assign) or not isinstance(built.value, ast.Call):
        return
    name = text.get(built.targets[0])
    made = same_making(text, built)
    calls = calls_of_layers(text, built)
    for other in made:
        uses = [call for call in calls if text.get(call.func) == other]
        for use in reversed(uses[1:]):
            title = f"call {name} instead of {other} on line {use.lineno}"
            yield wanted.proposal(title, FREE, text.replaced(use.func, name))
    for use in reversed(calls):
        title = f"call {name} behind {text.get(use.func)} on line {use.lineno}"
        yield wanted.proposal(title, OTHERWISE, text.replaced(use, f"{name}({text.get(use)})"))
    yield from returned_through(wanted, built, name)


def same_making(text: Text, built: ast.Assign) -> list[str]:
    """The layers made as `built` makes its own, by their names."""
    return [
        text.get(node.targets[0])
        for node in ast.walk(enclosing(text, built, ast.ClassDef) or text.tree)
        if isinstance(node, ast.Assign) and node is not built and ast.dump(node.value) == ast.dump(built.value)
    ]


def calls_of_layers(text: Text, built: ast.Assign) -> list[ast.Call]:
    """The calls of layers, in the methods of the class or, outside of classes, anywhere."""
    home = enclosing(text, built, ast.ClassDef) or text.tree
    layers = {
        text.get(node.targets[0])
        for node in ast.walk(home)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
    }
    found = [node for node in ast.walk(home) if isinstance(node, ast.Call) and text.get(node.func) in layers]
    return sorted(found, key=lambda call: (call.lineno, call.col_offset))


def returned_through(wanted: Wanted, built: ast.Assign, name: str) -> Iterator[Proposal]:
    text, home = wanted.text, enclosing(wanted.text, built, ast.ClassDef)
    for method in home.body if isinstance(home, ast.ClassDef) else ():
        last = method.body[-1] if isinstance(method, ast.FunctionDef) and method.name == "forward" else None
        value = value_of(last)
        if isinstance(last, ast.Return) and value is not None and not isinstance(value, ast.Tuple):
            title = f"call {name} on what line {last.lineno} returns"
            yield wanted.proposal(title, OTHERWISE, text.replaced(value, f"{name}({text.get(value)})"))


def registered(wanted: Wanted) -> Iterator[Proposal]:
    """Layers in a plain list or dict go where the module can find them."""
    text = wanted.text
    for node in ast.walk(text.tree):
        if not isinstance(node, ast.Assign) or not ast.unparse(node.targets[0]).startswith("self."):
            continue
        for container in REGISTERED.get(type(node.value), ()):
            title = f"nn.{container} around what line {node.lineno} keeps"
            made = f"torch.nn.{container}({text.get(node.value)})"
            yield wanted.proposal(title, FREE, text.replaced(node.value, made))
