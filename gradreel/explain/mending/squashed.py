"""Mends for scores that were made chances before a loss does so."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..calls import callee, keyword
from ..fixes.edits import assigned_pairs
from ..fixes.proposal import FREE, Proposal, Wanted
from ..fixes.registry import fix
from ..fixes.text import Edit, Text
from .values import dropped

LAYERS = {"softmax": ("Softmax", "Softmax2d"), "sigmoid": ("Sigmoid",)}
FUNCTIONS = ("torch", "F", "nn.functional", "torch.nn.functional", "functional", "torch.special")
PLAIN = {
    "BCEWithLogitsLoss": "BCELoss",
    "binary_cross_entropy_with_logits": "binary_cross_entropy",
}
"""Losses that take chances, by those that make them."""


@fix(squashed=1)
def scores_as_they_are(wanted: Wanted) -> Iterator[Proposal]:
    """Without the call, or else without the layer, that squashes them."""
    text, by = wanted.text, wanted.name("by") or ""
    for call in text.calls(wanted.at("squashed")):
        scores = squashed_by(text, call, by)
        if scores is not None:
            title = f"without {by} on line {call.lineno}"
            yield wanted.proposal(
                title, "to show chances, take them of the scores", text.replaced(call, text.get(scores))
            )
    for owner, layer in layers(text, by):
        title = f"without {text.get(layer)} on line {layer.lineno}"
        yield wanted.proposal(title, "to show chances, take them of the scores", *left_out(text, owner, layer))


@fix(squashed=2)
def loss_of_chances(wanted: Wanted) -> Iterator[Proposal]:
    """The loss that takes chances as they are."""
    text = wanted.text
    losses = [call for call in text.calls(text.tree) if callee(call) in PLAIN]
    if losses:
        name = callee(losses[0])
        edits = [
            text.replaced(call.func, text.get(call.func).removesuffix(callee(call)) + PLAIN[callee(call)])
            for call in losses
        ]
        yield wanted.proposal(f"{PLAIN[name]}, which takes chances, for {name}", "less exact near 0 and 1", *edits)


@fix(chances=1)
def logarithms(wanted: Wanted) -> Iterator[Proposal]:
    """log_softmax in the place of softmax, where the loss takes logarithms."""
    text = wanted.text
    found = text.calls(wanted.at("squashed"), "softmax")
    edits: list[Edit] = [
        text.replaced(call.func, text.get(call.func).removesuffix("softmax") + "log_softmax") for call in found
    ]
    edits = edits or [
        text.replaced(layer.func, text.get(layer.func).removesuffix("Softmax") + "LogSoftmax")
        for _, layer in layers(text, "softmax")
    ]
    if edits:
        yield wanted.proposal("log_softmax for softmax", FREE, *edits)


def squashed_by(text: Text, call: ast.Call, by: str) -> ast.expr | None:
    """What `call` makes chances of, if that is what it does."""
    func, args = call.func, call.args
    name, made = text.get(func), isinstance(func, ast.Call) and callee(func) in LAYERS[by]
    assigned = (node for node in ast.walk(text.tree) if isinstance(node, ast.Assign))
    if made or any(holds(text, node, name, by) for node in assigned):
        return args[0] if args else None
    if callee(call) != by:
        return None
    if isinstance(func, ast.Attribute) and text.get(func.value) not in FUNCTIONS:
        return func.value
    return args[0] if args else None


def holds(text: Text, node: ast.Assign, name: str, by: str) -> bool:
    """Whether the assignment gives `name` to a layer that squashes."""
    return callee(node.value) in LAYERS[by] and any(text.get(target) == name for target in node.targets)


def layers(text: Text, by: str) -> Iterator[tuple[ast.Call | ast.List, ast.Call]]:
    """Layers that squash among the parts of a Sequential or of a list, last ones first."""
    found = [call for call in text.calls(text.tree) if callee(call) in LAYERS[by]]
    for call in reversed(found):
        parent = text.parents.get(call)
        if isinstance(parent, ast.List) or (isinstance(parent, ast.Call) and call in parent.args):
            yield parent, call


def left_out(text: Text, owner: ast.Call | ast.List, layer: ast.Call) -> list[Edit]:
    """`owner` without `layer`; what stands in the middle gives way to a layer that does nothing."""
    parts = owner.args if isinstance(owner, ast.Call) else owner.elts
    if parts[-1] is not layer:
        return [text.replaced(layer, "nn.Identity()")]
    if isinstance(owner, ast.Call):
        return dropped(text, owner, layer)
    before = parts[-2] if len(parts) > 1 else None
    if before is None:
        return [text.replaced(layer, "")]
    start = text.place(before.end_lineno or 0, before.end_col_offset or 0)
    return [Edit(*start, *text.place(layer.end_lineno or 0, layer.end_col_offset or 0), "")]


@fix(of_one_entry=1)
def sigmoid_of_one(wanted: Wanted) -> Iterator[Proposal]:
    """One score goes through `sigmoid`; where there are several in the last dimension, `softmax` is taken over that."""
    text, wide = wanted.text, wanted.name("wide") == "True"
    made_as = {text.get(goal) for goal, value in assigned_pairs(text.tree) if callee(value) == "Softmax"}
    here = text.calls(wanted.at("built"))
    calls = [call for call in here if callee(call) in ("softmax", "Softmax") or text.get(call.func) in made_as]
    for call in calls or text.calls(text.tree, "Softmax") if wanted.name("kind") == "Softmax" else ():
        given = keyword(call, "dim")
        place = 0 if callee(call) == "Softmax" or text.get(call.func).rpartition(".")[0] not in FUNCTIONS else 1
        dim = given.value if given is not None else call.args[place] if len(call.args) > place else None
        if wide and dim is not None:
            title = f"over the last dimension, dim=-1, on line {call.lineno}"
            yield wanted.proposal(title, "other entries share the whole", text.replaced(dim, "-1"))
        if callee(call) == "Softmax":
            made = f"{text.get(call.func).removesuffix('Softmax')}Sigmoid()"
        else:
            assert isinstance(call.func, ast.Attribute)
            scores = call.args[0] if place or text.get(call.func) in made_as else call.func.value
            made = f"torch.sigmoid({text.get(scores)})"
        title = f"{made} on line {call.lineno}: a chance for yes"
        yield wanted.proposal(title, "a number between 0 and 1 for each row", text.replaced(call, made))
