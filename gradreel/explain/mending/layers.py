"""Mends for layers that a module has and never calls, or has where it does not look for them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..calls import called, keyword
from .common import enclosing, followed, loads, value_of, with_argument
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


CHANNELS = re.compile(r"expected input\[(?P<sizes>[\d, ]+)\] to have (?P<wants>\d+) channels")
FRONT = {3: "transpose(1, 2)", 4: "permute(0, 3, 1, 2)", 5: "permute(0, 4, 1, 2, 3)"}
"""What brings the last dimension behind that of the batch."""


def channels_first(wanted: Wanted) -> Iterator[Proposal]:
    """Images that come with their channels last get them in front."""
    text, found, name = wanted.text, CHANNELS.search(wanted.found.message), wanted.name("target")
    raised = wanted.at("raised")
    sizes = found["sizes"].split(", ") if found is not None else []
    if found is None or raised is None or name is None or sizes[-1] != found["wants"] or len(sizes) not in FRONT:
        return
    for use in loads(raised, name)[:1]:
        title = f"the channels in front: {name}.{FRONT[len(sizes)]} on line {use.lineno}"
        yield wanted.proposal(title, FREE, followed(text, use, f".{FRONT[len(sizes)]}"))


NORMS = re.compile(r"^(?P<norm>BatchNorm|InstanceNorm|Dropout|AvgPool|MaxPool)(?P<rank>[123])d$")
COMES = re.compile(r"\(got (\d)D input\)")
RANKS = {2: 1, 3: 1, 4: 2, 5: 3}
"""Which kind of layer is for so many dimensions."""


def of_these_dimensions(wanted: Wanted) -> Iterator[Proposal]:
    """`BatchNorm1d` becomes `BatchNorm2d`, where images come."""
    text, comes = wanted.text, COMES.search(wanted.found.message)
    rank = RANKS.get(int(comes[1])) if comes is not None else None
    for node in ast.walk(text.tree):
        found = NORMS.match(called(node)) if isinstance(node, ast.Call) else None
        if found is not None and rank is not None and isinstance(node, ast.Call) and found["rank"] != str(rank):
            made = text.get(node.func).replace(found[0], f"{found['norm']}{rank}d")
            title = f"{found['norm']}{rank}d for {found[0]} on line {node.lineno}"
            yield wanted.proposal(title, "another layer", text.replaced(node.func, made))


WINDOW = re.compile(r"Kernel size: \((\d+)")


def edges_added(wanted: Wanted) -> Iterator[Proposal]:
    """A convolution gets an edge around what comes, so that its window fits and nothing becomes smaller."""
    text, window = wanted.text, WINDOW.search(wanted.found.message)
    for node in ast.walk(text.tree) if window is not None else ():
        if not isinstance(node, ast.Call) or called(node) not in ("Conv1d", "Conv2d", "Conv3d") or len(node.args) < 3:
            continue
        if window is not None and text.get(node.args[2]) == window[1] and keyword(node, "padding") is None:
            made = with_argument(text, node, f"padding={int(window[1]) // 2}")
            yield wanted.proposal(f"an edge of zeros: padding on line {node.lineno}", "a larger result", made)


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


def last_learns(wanted: Wanted) -> Iterator[Proposal]:
    """Of a model that is frozen as a whole the last layer learns."""
    raised, last = wanted.at("raised"), wanted.name("last")
    if raised is not None and last is not None:
        path = re.sub(r"\.(\d+)", r"[\1]", last)
        title = f"let the last layer learn: {path}.requires_grad_(True) before line {raised.lineno}"
        made = wanted.text.before(raised, [f"{path}.requires_grad_(True)"])
        yield wanted.proposal(title, "gradients are computed for it", made)
