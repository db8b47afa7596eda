"""Mends for places and counts that are computed with: means over all places and shares of counts, which have slopes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..calls import callee, keyword
from ..fixes.edits import enclosing, loads, parse_shape
from ..fixes.proposal import Proposal, Wanted
from ..fixes.text import Edit, Text

MEAN_PLACE = "the mean place, weighted by softmax: beside the largest, where there are several peaks"


def soft_place(wanted: Wanted) -> Iterator[Proposal]:
    """Soft-argmax: the place of the largest becomes the mean of all places, weighted by the softmax of the scores."""
    text, statement = wanted.text, wanted.at("cut")
    for call, scores, dim in places(text, statement):
        if scores is None or dim is None:
            continue
        title = f"soft-argmax: the mean place by the softmax of {text.get(scores)}, on line {call.lineno}"
        shown, first, before = text.get(dim), text.get(scores), []
        if not isinstance(scores, ast.Name | ast.Attribute) and statement is not None and text.alone(statement):
            before, first = [text.before(statement, [f"scores = {first}"])], "scores"
        length, weights = f"{first}.shape[{shown}]", f"torch.softmax({first}, dim={shown})"
        name = statement.targets[0] if isinstance(statement, ast.Assign) and statement.value is call else None
        if isinstance(name, ast.Name):
            edits = by_names(text, statement, name.id, weights, length, shown)
        else:
            edits = [text.replaced(call, f"({weights} * torch.arange({length})).sum({shown})")]
        if edits:
            yield wanted.proposal(title, MEAN_PLACE, *before, *edits)


CHANCES = "chances in the place of classes; the largest is the answer where answers are counted"


def soft_class(wanted: Wanted) -> Iterator[Proposal]:
    """A class becomes its chance: `argmax(x, 1).float()` of two classes `softmax(x, 1)[:, 1]`, and a one-hot of it the
    whole softmax. What asked for a gradient of the result goes."""
    text, statement, leaf = wanted.text, wanted.at("cut"), wanted.name("leaf")
    flags = [part for part in text.parts(text.tree, ast.Assign) if text.get(part) == f"{leaf}.requires_grad = True"]
    calls = [part for part in text.parts(text.tree, ast.Expr) if text.get(part).startswith(f"{leaf}.requires_grad_(")]
    asked = [text.removed(part) for part in (*flags, *calls) if text.alone(part)]
    for place, scores, dim in places(text, statement):
        if scores is None or dim is None:
            continue
        chances, whole = f"torch.softmax({text.get(scores)}, dim={text.get(dim)})", text.parents.get(place)
        if isinstance(whole, ast.Call) and callee(whole) == "one_hot":
            target = with_calls(text, whole, "permute", "movedim", "float")
        elif size_along(wanted, dim) == 2:
            chances += {"1": "[:, 1]", "-1": "[..., 1]", "0": "[1]"}.get(text.get(dim), f".select({text.get(dim)}, 1)")
            target = with_calls(text, place, "float")
        else:
            continue
        title = f"chances, {chances}, on line {place.lineno}"
        yield wanted.proposal(title, CHANCES, text.replaced(target, chances), *asked)


def with_calls(text: Text, node: ast.expr, *names: str) -> ast.expr:
    """`node` with the calls of methods of these names behind it."""
    outer = text.parents.get(node)
    call = text.parents.get(outer) if isinstance(outer, ast.Attribute) and outer.attr in names else None
    return with_calls(text, call, *names) if isinstance(call, ast.Call) else node


def size_along(wanted: Wanted, dim: ast.expr) -> int | None:
    """How long what the graph led back to is along `dim`, if that is a number."""
    shape, shown = parse_shape(wanted.name("source_shape")), wanted.text.get(dim)
    at = int(shown) if shown.removeprefix("-").isdecimal() else len(shape)
    return shape[at] if -len(shape) <= at < len(shape) else None


Place = tuple[ast.expr, ast.expr | None, ast.expr | None]


def places(text: Text, statement: ast.stmt | None) -> Iterator[Place]:
    """What in `statement` gives the place of the largest, with the scores and the dimension: `argmax(1)`, and the
    second of what `max(1)` and `topk(1, 1)` give, which keep the dimension or can be asked to."""
    for call in text.calls(statement, "argmax"):
        yield (call, *of_argmax(text, call))
    for call in text.calls(statement, "max", "topk"):
        scores, dim = of_argmax(text, call)
        whole = second_of(text, call)
        if whole is None or dim is None:
            continue
        if callee(call) == "topk":
            count, dim = of_topk(text, call)
            if not (isinstance(count, ast.Constant) and count.value == 1):
                continue
        keeps = callee(call) == "topk" or keyword(call, "keepdim") is not None
        place = squeezed(text, whole) if keeps else whole
        if place is not None:
            yield place, scores, dim


LAST = ast.Constant(-1)


def of_topk(text: Text, call: ast.Call) -> tuple[ast.expr | None, ast.expr]:
    """The count and the dimension of `torch.topk(x, 1, dim=1)` and of `x.topk(1, 1)`."""
    function = isinstance(call.func, ast.Attribute) and text.get(call.func.value) == "torch"
    given = call.args[1:] if function else call.args
    counted, named = keyword(call, "k"), keyword(call, "dim")
    count = counted.value if counted is not None else given[0] if given else None
    return count, named.value if named is not None else given[1] if len(given) > 1 else LAST


def second_of(text: Text, call: ast.Call) -> ast.expr | None:
    """`call.indices` or `call[1]`, if that is what is taken of it."""
    outer = text.parents.get(call)
    if isinstance(outer, ast.Attribute) and outer.attr == "indices":
        return outer
    if isinstance(outer, ast.Subscript) and isinstance(outer.slice, ast.Constant) and outer.slice.value == 1:
        return outer
    return None


def squeezed(text: Text, whole: ast.expr) -> ast.expr | None:
    """`whole` with the `.squeeze()`, or the `[:, 0]`, that takes the dimension of its one entry away."""
    outer = text.parents.get(whole)
    call = text.parents.get(outer) if isinstance(outer, ast.Attribute) and outer.attr == "squeeze" else None
    if isinstance(call, ast.Call):
        return call
    if isinstance(outer, ast.Subscript) and ast.unparse(outer.slice) in ("(:, 0)", "(..., 0)"):
        return outer
    return None


def of_argmax(text: Text, call: ast.Call) -> tuple[ast.expr | None, ast.expr | None]:
    """The scores and the dimension of `torch.argmax(x, dim=1)` and of `x.argmax(1)`."""
    function = isinstance(call.func, ast.Attribute) and text.get(call.func.value) == "torch"
    given = list(call.args)
    scores = given.pop(0) if function and given else call.func.value if isinstance(call.func, ast.Attribute) else None
    named = keyword(call, "dim")
    return scores, named.value if named is not None else given[0] if given else None


def by_names(text: Text, statement: ast.stmt | None, name: str, weights: str, length: str, dim: str) -> list[Edit]:
    """What is computed of the place, `place // width` and `place % width`, becomes the mean of that over all places."""
    if not isinstance(statement, ast.Assign):
        return []
    home = enclosing(text, statement, ast.FunctionDef) or text.tree
    mean = [text.replaced(statement.targets[0], "places, weights")]
    edits = [*mean, text.replaced(statement.value, f"torch.arange({length}), {weights}")]
    for use in loads(home, name):
        if use.lineno <= statement.lineno:
            continue
        whole: ast.AST = use
        while isinstance(outer := text.parents.get(whole), ast.BinOp) and isinstance(outer.op, ast.FloorDiv | ast.Mod):
            whole = outer
        if isinstance(whole, ast.expr):
            inner = text.get(whole).replace(text.get(use), "places", 1)
            inner = inner if whole is use else f"({inner})"
            edits.append(text.replaced(whole, f"(weights * {inner}).sum({dim})"))
    return edits if len(edits) > 2 else []


SOFT_HISTC = (
    "def soft_histc(x, bins, low, high):",
    "    width = (high - low) / bins",
    "    centers = low + width * (torch.arange(bins) + 0.5)",
    "    return (1 - (x.reshape(-1, 1) - centers).abs() / width).clamp(min=0).sum(0)",
    "",
    "",
)
"""Each number is shared between the two bins whose centres it lies between."""


def soft_counts(wanted: Wanted) -> Iterator[Proposal]:
    """`torch.histc(x, bins, low, high)` becomes a soft histogram: each number is shared by the bins next to it."""
    text = wanted.text
    edits: list[Edit] = []
    for call in text.calls(text.tree, "histc"):
        given = arguments(call)
        if given is None or ast.unparse(given[2]) == ast.unparse(given[3]):
            return
        edits.append(text.replaced(call, f"soft_histc({', '.join(text.get(part) for part in given)})"))
    body = [node for node in text.tree.body if not isinstance(node, ast.Import | ast.ImportFrom)]
    doc = body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
    first = body[1:] if doc else body
    if edits and first:
        cost = "a number counts by its distance from the middles of the two bins next to it"
        title = "a soft histogram in the place of `histc`, one with slopes"
        yield wanted.proposal(title, cost, text.before(first[0], SOFT_HISTC), *edits)


def arguments(call: ast.Call) -> list[ast.expr] | None:
    """What `torch.histc(x, bins, min, max)` is given, in this order."""
    names = ("input", "bins", "min", "max")
    own = [*call.args] if isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) == "torch" else None
    if own is None and isinstance(call.func, ast.Attribute):
        own = [call.func.value, *call.args]
    found = list(own or [])
    for name in names[len(found) :]:
        given = keyword(call, name)
        if given is None:
            return None
        found.append(given.value)
    return found if len(found) == len(names) and callee(call) == "histc" else None
