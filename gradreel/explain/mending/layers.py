"""Mends for layers that a module has and never calls, or has where it does not look for them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..calls import callee, keyword
from ..fixes.edits import enclosing, enumerated, followed, loads, value_of, with_argument, without_keyword
from ..fixes.proposal import FREE, Proposal, Wanted
from ..fixes.registry import fix, fix_kind
from ..fixes.text import Edit, Text, names_in, targets
from ..optimizers import makings

REGISTERED = {
    ast.List: ("ModuleList", "ParameterList"),
    ast.ListComp: ("ModuleList", "ParameterList"),
    ast.Tuple: ("ModuleList", "ParameterList"),
    ast.Dict: ("ModuleDict", "ParameterDict"),
    ast.DictComp: ("ModuleDict", "ParameterDict"),
}
"""What a module finds layers in, by how they were written down."""
OTHERWISE = "another function: see that it is what you mean"


@fix(not_used=1)
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


@fix_kind(shape=4)
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


@fix_kind(shape=14)
def of_these_dimensions(wanted: Wanted) -> Iterator[Proposal]:
    """`BatchNorm1d` becomes `BatchNorm2d`, where images come."""
    text, comes = wanted.text, COMES.search(wanted.found.message)
    rank = RANKS.get(int(comes[1])) if comes is not None else None
    for node in ast.walk(text.tree):
        found = NORMS.match(callee(node)) if isinstance(node, ast.Call) else None
        if found is not None and rank is not None and isinstance(node, ast.Call) and found["rank"] != str(rank):
            made = text.get(node.func).replace(found[0], f"{found['norm']}{rank}d")
            title = f"{found['norm']}{rank}d for {found[0]} on line {node.lineno}"
            yield wanted.proposal(title, "another layer", text.replaced(node.func, made))


WINDOW = re.compile(r"Kernel size: \((\d+)")


@fix_kind(shape=15)
def edges_added(wanted: Wanted) -> Iterator[Proposal]:
    """A convolution gets an edge around what comes, so that its window fits and nothing becomes smaller."""
    text, window = wanted.text, WINDOW.search(wanted.found.message)
    for node in ast.walk(text.tree) if window is not None else ():
        if not isinstance(node, ast.Call) or callee(node) not in ("Conv1d", "Conv2d", "Conv3d") or len(node.args) < 3:
            continue
        if window is not None and text.get(node.args[2]) == window[1] and keyword(node, "padding") is None:
            made = with_argument(text, node, f"padding={int(window[1]) // 2}")
            yield wanted.proposal(f"an edge of zeros: padding on line {node.lineno}", "a larger result", made)


@fix(no_parameters=1, unregistered=1)
def registered(wanted: Wanted) -> Iterator[Proposal]:
    """Layers in a plain list or dict go where the module can find them."""
    text = wanted.text
    for node in ast.walk(text.tree):
        if not isinstance(node, ast.Assign) or not ast.unparse(node.targets[0]).startswith("self."):
            continue
        for container in REGISTERED.get(type(node.value), ()):
            title = f"nn.{container} around what line {node.lineno} keeps"
            made = f"{nn(text)}.{container}({text.get(node.value)})"
            yield wanted.proposal(title, FREE, text.replaced(node.value, made))
        yield from add_module_list(wanted, node)
    yield from make_parameter(wanted)
    yield from make_module(wanted)
    yield from register_parameters(wanted)
    yield from given_too(wanted)


def nn(text: Text) -> str:
    """What the program calls `torch.nn`."""
    names = [name for node in text.parts(text.tree, ast.Import | ast.ImportFrom) for name in node.names]  # type: ignore[arg-type]
    return "nn" if any((name.asname or name.name) == "nn" for name in names) else "torch.nn"


def add_module_list(wanted: Wanted, node: ast.Assign) -> Iterator[Proposal]:
    """What a list of tuples holds, or a dict with other keys than names, is told to the module on a line of its own."""
    text, goal = wanted.text, wanted.text.get(node.targets[0])
    turns, part = entries(node.value, goal)
    if turns:
        made = f"{goal}_modules = {nn(text)}.ModuleList({part} {' '.join(turns)})"
        title = f"tell the module of the layers in {goal}: a ModuleList after line {node.end_lineno}"
        yield wanted.proposal(title, FREE, text.after(node, [made]))


def entries(value: ast.expr, shown: str, depth: int = 0) -> tuple[list[str], str]:
    """How to go through the layers that `value` holds: the `for`s, and what one layer is called in them."""
    one = ("each", "part")[depth] if depth < 2 else None
    inner = first_entry(value)
    if inner is None or one is None:
        return [], shown
    if isinstance(value, ast.Tuple) and depth:
        at = next((at for at, part in enumerate(value.elts) if makes_layer(part)), None)
        return ([], f"{shown}[{at}]") if at is not None else ([], shown)
    over = f"{shown}.values()" if isinstance(value, ast.Dict | ast.DictComp) else shown
    more, part = entries(inner, one, depth + 1)
    return [f"for {one} in {over}", *more], part


def first_entry(value: ast.expr) -> ast.expr | None:
    if isinstance(value, ast.ListComp):
        return value.elt
    if isinstance(value, ast.DictComp):
        return value.value
    if isinstance(value, ast.List | ast.Tuple) and value.elts:
        return value.elts[0]
    return value.values[0] if isinstance(value, ast.Dict) and value.values else None


def makes_layer(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and callee(node)[:1].isupper()


def make_parameter(wanted: Wanted) -> Iterator[Proposal]:
    """A tensor that asks for a gradient, and is kept by a module as it is, becomes a Parameter."""
    text, built = wanted.text, wanted.at("built")
    value = value_of(built)
    if not isinstance(built, ast.Assign) or value is None or not text.get(built.targets[0]).startswith("self."):
        return
    shown = text.get(value)
    if isinstance(value, ast.Call) and callee(value) == "requires_grad_" and isinstance(value.func, ast.Attribute):
        shown = text.get(value.func.value)
        shown = shown[1:-1] if shown.startswith("(") and shown.endswith(")") else shown
    elif isinstance(value, ast.Call) and (flag := without_keyword(text, value, "requires_grad")) is not None:
        start = text.place(value.lineno, value.col_offset)
        end = text.place(value.end_lineno or 0, value.end_col_offset or 0)
        edits = [Edit(*start, *start, f"{nn(text)}.Parameter("), flag, Edit(*end, *end, ")")]
        yield wanted.proposal(f"nn.Parameter(…) on line {built.lineno}", FREE, *edits)
        return
    elif "requires_grad" not in shown:
        return
    made = f"{nn(text)}.Parameter({shown})"
    yield wanted.proposal(f"nn.Parameter(…) on line {built.lineno}", FREE, text.replaced(value, made))


def make_module(wanted: Wanted) -> Iterator[Proposal]:
    """A class that keeps layers, and is part of a module, becomes a module itself."""
    text, built = wanted.text, wanted.at("built")
    names = [callee(call) for call in text.parts(built, ast.Call)]
    for maker in text.parts(text.tree, ast.ClassDef):
        start = next((p for p in maker.body if isinstance(p, ast.FunctionDef) and p.name == "__init__"), None)
        if maker.name not in names or maker.bases or start is None or maker.decorator_list:
            continue
        place = text.place(maker.lineno, maker.col_offset)
        head = place[1] + len(f"class {maker.name}")
        end = head + 2 if text.code[maker.lineno - 1][head:].startswith("()") else head
        edits = [Edit(maker.lineno, head, maker.lineno, end, f"({nn(text)}.Module)")]
        edits.append(text.before(start.body[0], ["super().__init__()"]))
        for method in maker.body:
            if isinstance(method, ast.FunctionDef) and method.name == "__call__":
                line = text.code[method.lineno - 1]
                at = line.index("__call__")
                edits.append(Edit(method.lineno, at, method.lineno, at + len("__call__"), "forward"))
        yield wanted.proposal(f"let {maker.name} be a module, which its owner finds: line {maker.lineno}", FREE, *edits)


def register_parameters(wanted: Wanted) -> Iterator[Proposal]:
    """What a function makes for a layer whose forward it replaces, or that it hooks, is registered with that layer."""
    text, built = wanted.text, wanted.at("built")
    if built is None or built not in text.block(built):
        return
    block = text.block(built)
    made = {name: part for part in block if callee(value_of(part)) == "Parameter" for name in sorted(targets(part))}
    owners = [owner for part in block[block.index(built) :] if (owner := taken_by(part, set(made))) is not None]
    for owner in dict.fromkeys(owners):
        lines = [f'{owner}.register_parameter("{name.lower()}", {name})' for name in made]
        last = max(made.values(), key=lambda part: part.lineno)
        title = f"register {enumerated(list(made))} with {owner}, after line {last.end_lineno}"
        yield wanted.proposal(title, "parameters() lists them", text.after(last, lines))


def taken_by(statement: ast.stmt, names: set[str]) -> str | None:
    """`mod` of `mod.forward = lambda x: old(x) @ a` and of `mod.register_forward_hook(…)`, if `names` go into it."""
    if isinstance(statement, ast.Assign):
        goal: ast.expr | None = statement.targets[0]
    else:
        call = statement.value if isinstance(statement, ast.Expr) else None
        goal = call.func if isinstance(call, ast.Call) and callee(call).startswith("register_") else None
    if isinstance(goal, ast.Attribute) and isinstance(goal.value, ast.Name) and names & names_in(statement):
        return goal.value.id
    return None


def given_too(wanted: Wanted) -> Iterator[Proposal]:
    """What stands in a plain dict or list, or under a name, is given to the optimizer beside what it has."""
    text, built = wanted.text, wanted.at("built")
    if not isinstance(built, ast.Assign) or not isinstance(text.parents.get(built), ast.Module):
        return
    values = isinstance(built.value, ast.Dict | ast.DictComp)
    names = [f"*{name}.values()" if values else name for name in sorted(targets(built))]
    if isinstance(built.value, ast.List | ast.ListComp):
        names = [f"*{name}" for name in names]
    for call in makings(text.tree):
        if call.args and not isinstance(call.args[0], ast.List | ast.Dict):
            title = f"give {enumerated(sorted(targets(built)))} to the optimizer, too, on line {call.lineno}"
            made = f"[*{text.get(call.args[0])}, {', '.join(names)}]"
            yield wanted.proposal(title, "they change with the others", text.replaced(call.args[0], made))


@fix(nothing_learns=1)
def last_learns(wanted: Wanted) -> Iterator[Proposal]:
    """Of a model that is frozen as a whole the last layer learns."""
    raised, last = wanted.at("raised"), wanted.name("last")
    if raised is not None and last is not None:
        path = re.sub(r"\.(\d+)", r"[\1]", last)
        title = f"let the last layer learn: {path}.requires_grad_(True) before line {raised.lineno}"
        made = wanted.text.before(raised, [f"{path}.requires_grad_(True)"])
        yield wanted.proposal(title, "gradients are computed for it", made)
