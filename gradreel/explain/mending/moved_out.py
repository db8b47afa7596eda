"""Mends for what `forward` does that belongs elsewhere: layers that are made in it, dropout without a mode."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..calls import callee
from ..fixes.edits import enclosing, loads, set_keyword
from ..fixes.proposal import FREE, Proposal, Wanted
from ..fixes.registry import fix
from ..fixes.text import Text, names_in
from ..optimizers import makings
from ..silent.dropping import is_drop
from ..silent.made_anew import made_in_forward


@fix(made_anew=2)
def made_once(wanted: Wanted) -> Iterator[Proposal]:
    """What `forward` makes is made in `__init__` and kept on `self`."""
    text, line = wanted.text, wanted.line("built")
    for call in made_in_forward(text.tree):
        forward = enclosing(text, call, ast.FunctionDef)
        home = enclosing(text, call, ast.ClassDef)
        if call.lineno != line or not isinstance(home, ast.ClassDef) or not isinstance(forward, ast.FunctionDef):
            continue
        init = next((node for node in home.body if isinstance(node, ast.FunctionDef) and node.name == "__init__"), None)
        own = {arg.arg for arg in forward.args.args[1:]}
        if init is None or names_in(call) & own:
            continue
        parent = text.parents.get(call)
        if isinstance(parent, ast.Assign) and call.args and loads(call, text.get(parent.targets[0])):
            continue  # it is computed from itself: `weight_computed`
        goal = parent.targets[0] if isinstance(parent, ast.Assign) else None
        name = goal.id if isinstance(goal, ast.Name) else goal.attr if isinstance(goal, ast.Attribute) else "made"
        made = f"self.{name} = {text.get(call)}"
        title = f"{made} in __init__, and self.{name} on line {line}"
        edits = [text.after(init.body[-1], [made]), text.replaced(call, f"self.{name}")]
        if isinstance(goal, ast.Attribute) and isinstance(parent, ast.Assign):
            edits[1] = text.removed(parent)
        yield wanted.proposal(title, "made once, it is among the parameters", *edits)


@fix(made_anew=1)
def weight_computed(wanted: Wanted) -> Iterator[Proposal]:
    """`layer.weight = nn.Parameter(layer.weight * mask)` in a forward, or `layer.weight.data = …`: it computes with the
    product, and keeps none."""
    text = wanted.text
    made = wanted.at("cut") or wanted.at("built")
    path, value = put_into(text, made) if made is not None and text.alone(made) else ("", None)
    itself = value is not None and bool(loads(value, path))
    if made is None or value is None or not (itself or wanted.name("how") in ("parameter", "data")):
        return
    home = enclosing(text, made, ast.FunctionDef) or text.tree
    product = text.get(value)
    layer, _, name = path.rpartition(".")
    title = f"compute with {product} where {layer or path} is used, and keep {path} as it is"
    cost = "the gradient goes through the product to the parameter"
    makers = [node for node in text.parts(text.tree, ast.Assign) if text.get(node.targets[0]) == layer]
    linear = bool(makers) and callee(makers[0].value) == "Linear" and name == "weight"
    pattern = LINEAR if linear else ANY_LAYER
    calls = [use for use in text.parts(home, ast.Call) if text.get(use.func) == layer and len(use.args) == 1]
    later = [use for use in loads(home, path) if use.lineno > (made.end_lineno or 0)]
    words = {"layer": layer, "name": name, "product": product}
    if calls:
        edits = [text.replaced(use, pattern.format(**words, given=text.get(use.args[0]))) for use in calls]
        yield wanted.proposal(title, cost, text.removed(made), *edits)
    elif later and "." in path:
        edits = [text.replaced(use, name) for use in later]
        yield wanted.proposal(title, cost, text.replaced(made, f"{name} = {product}"), *edits)


def put_into(text: Text, made: ast.stmt) -> tuple[str, ast.expr | None]:
    """What `layer.weight = nn.Parameter(w)`, `layer.weight.data = w` and `layer.weight.data.copy_(w)` set, and what
    to."""
    if isinstance(made, ast.Expr) and callee(made.value) == "copy_" and isinstance(made.value, ast.Call):
        function, given = made.value.func, made.value.args
        goal: ast.expr | None = function.value if isinstance(function, ast.Attribute) else None
        value = given[0] if len(given) == 1 else None
    elif isinstance(made, ast.Assign):
        goal, value = made.targets[0], made.value
    else:
        return "", None
    if isinstance(goal, ast.Attribute) and goal.attr == "data":
        return text.get(goal.value), value
    whole = value.args[0] if isinstance(value, ast.Call) and callee(value) == "Parameter" and value.args else None
    return text.get(goal) if goal is not None else "", whole


LINEAR = "torch.nn.functional.linear({given}, {product}, {layer}.bias)"
ANY_LAYER = "torch.func.functional_call({layer}, {{'{name}': {product}}}, ({given},))"


@fix(dropping=1)
def by_mode(wanted: Wanted) -> Iterator[Proposal]:
    """`F.dropout(x, 0.5)` in a module becomes `F.dropout(x, 0.5, training=self.training)`."""
    text = wanted.text
    calls = [call for call in text.parts(text.tree, ast.Call) if is_drop(call)]
    switched = [call for call in text.calls(wanted.at("changed"), "eval", "train")]
    owner = next((text.get(call.func.value) for call in switched if isinstance(call.func, ast.Attribute)), None)
    edits = []
    for call in calls:
        method = enclosing(text, call, ast.FunctionDef)
        inside = isinstance(method, ast.FunctionDef) and method.args.args and method.args.args[0].arg == "self"
        whose = "self" if inside else owner
        edits += [set_keyword(text, call, "training", f"{whose}.training")] if whose else []
    if edits:
        lines = " and ".join(dict.fromkeys(str(call.lineno) for call in calls))
        yield wanted.proposal(f"as the mode of the module says, on line {lines}", FREE, *edits)


@fix(in_vain=2)
def handed_back(wanted: Wanted) -> Iterator[Proposal]:
    """The gradients of a copy, `fast = copy.deepcopy(net)`, are handed over to what the optimizer has."""
    text, built = wanted.text, wanted.at("built")
    if built is None:
        return
    given = {text.get(call.args[0]).rpartition(".")[0] for call in makings(text.tree) if call.args}
    for node in text.parts(text.tree, ast.Assign):
        if callee(node.value) != "deepcopy" or not isinstance(node.value, ast.Call) or not node.value.args:
            continue
        whole, copy = text.get(node.value.args[0]), text.get(node.targets[0])
        if any(whole == owner or owner.startswith(f"{whole}.") for owner in given) and text.alone(built):
            lines = [
                f"for own, other in zip({whole}.parameters(), {copy}.parameters()):",
                "    own.grad = other.grad",
            ]
            title = f"hand the gradients of {copy} over to {whole}, before line {built.lineno}"
            stepped = any(text.get(call.args[0]) == f"{copy}.parameters()" for call in makings(text.tree) if call.args)
            way = wanted.makeshift if stepped else wanted.proposal  # the gradients of its own steps are in there, too
            yield way(title, "as they are at the copy: of first order", text.before(built, lines))
