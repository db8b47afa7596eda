"""Mends for what `forward` does that belongs elsewhere: layers that are made in it, dropout without a mode."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..calls import called
from ..optimized import makings
from ..silent.dropping import is_drop
from ..silent.made_anew import made_in_forward
from .common import enclosing, set_keyword
from .proposal import FREE, Proposal, Wanted
from .text import names_in


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
        goal = parent.targets[0] if isinstance(parent, ast.Assign) else None
        name = goal.id if isinstance(goal, ast.Name) else goal.attr if isinstance(goal, ast.Attribute) else "made"
        made = f"self.{name} = {text.get(call)}"
        title = f"{made} in __init__, and self.{name} on line {line}"
        edits = [text.after(init.body[-1], [made]), text.replaced(call, f"self.{name}")]
        if isinstance(goal, ast.Attribute) and isinstance(parent, ast.Assign):
            edits[1] = text.removed(parent)
        yield wanted.proposal(title, "made once, it is among the parameters", *edits)


COMPUTED = {
    "Linear": "torch.nn.functional.linear({given}, {weight}, {layer}.bias)",
    "Conv1d": "{layer}._conv_forward({given}, {weight}, {layer}.bias)",
    "Conv2d": "{layer}._conv_forward({given}, {weight}, {layer}.bias)",
}


def weight_computed(wanted: Wanted) -> Iterator[Proposal]:
    """`layer.weight = nn.Parameter(layer.weight * mask)` in a forward: the layer computes with the product instead."""
    text, built = wanted.text, wanted.at("built")
    if not isinstance(built, ast.Assign) or called(built.value) != "Parameter" or not isinstance(built.value, ast.Call):
        return
    goal, home = built.targets[0], enclosing(text, built, ast.FunctionDef)
    if not isinstance(goal, ast.Attribute) or goal.attr != "weight" or home is None or len(built.value.args) != 1:
        return
    layer, weight = text.get(goal.value), text.get(built.value.args[0])
    makers = [node for node in text.parts(text.tree, ast.Assign) if text.get(node.targets[0]) == layer]
    pattern = COMPUTED.get(called(makers[0].value)) if makers else None
    uses = [call for call in text.parts(home, ast.Call) if text.get(call.func) == layer and len(call.args) == 1]
    if pattern is None or not uses or not text.alone(built):
        return
    edits = [
        text.replaced(call, pattern.format(given=text.get(call.args[0]), weight=weight, layer=layer)) for call in uses
    ]
    title = f"compute with {weight} where {layer} is called, and leave its weight a parameter, on line {uses[0].lineno}"
    yield wanted.proposal(title, FREE, text.removed(built), *edits)


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


def handed_back(wanted: Wanted) -> Iterator[Proposal]:
    """The gradients of a copy, `fast = copy.deepcopy(net)`, are handed over to what the optimizer has."""
    text, built = wanted.text, wanted.at("built")
    given = {text.get(call.args[0]).partition(".")[0] for call in makings(text.tree) if call.args}
    for node in text.parts(text.tree, ast.Assign):
        if called(node.value) != "deepcopy" or not isinstance(node.value, ast.Call) or built is None:
            continue
        whole, copy = text.get(node.value.args[0]), text.get(node.targets[0])
        if whole in given and text.alone(built):
            lines = [
                f"for own, other in zip({whole}.parameters(), {copy}.parameters()):",
                "    own.grad = other.grad",
            ]
            title = f"hand the gradients of {copy} over to {whole}, before line {built.lineno}"
            yield wanted.proposal(title, "as they are at the copy: of first order", text.before(built, lines))
