"""Mends for steps of a copy inside a loop, as in MAML: the copy becomes weights that are computed from the original."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..calls import called, keyword
from .common import enclosing
from .proposal import Proposal, Wanted
from .text import Edit, Text

OF_SECOND_ORDER = "second derivatives: the graph of every inner step is kept"


def compute_weights(wanted: Wanted) -> Iterator[Proposal]:
    """`fast = copy.deepcopy(net)` and an SGD of its own become `weights` that each inner step computes anew, with a
    graph back to `net`, and `fast` a function that calls `net` with them."""
    text = wanted.text
    for made in text.parts(text.tree, ast.Assign):
        if called(made.value) != "deepcopy" or not isinstance(made.targets[0], ast.Name) or not text.alone(made):
            continue
        if not isinstance(made.value, ast.Call) or not made.value.args:
            continue
        home = enclosing(text, made, ast.FunctionDef) or text.tree
        fast, model = made.targets[0].id, text.get(made.value.args[0])
        edits = compute_steps(text, home, fast)
        if edits:
            lines = [
                f"weights = dict({model}.named_parameters())",
                f"{fast} = lambda *given: torch.func.functional_call({model}, weights, given)",
            ]
            title = f"compute the weights of {fast} from those of {model}, with torch.func.functional_call, on line"
            first = text.replaced(made, f"\n{text.indent(made)}".join(lines))
            yield wanted.proposal(f"{title} {made.lineno}", OF_SECOND_ORDER, first, *edits)


def compute_steps(text: Text, home: ast.AST, fast: str) -> list[Edit]:
    """The steps of a plain SGD of `fast` as formulas; none if there is no such, or more than that is done with it."""
    inner = [part for part in text.parts(home, ast.Assign) if is_plain_sgd(text, part.value, fast)]
    if len(inner) != 1 or not isinstance(inner[0].value, ast.Call):
        return []
    name, rate = text.get(inner[0].targets[0]), inner[0].value
    size = keyword(rate, "lr")
    shown = text.get(size.value) if size is not None else text.get(rate.args[1])
    edits = [text.removed(inner[0])]
    statements = [part for part in text.parts(home, ast.Expr) if isinstance(part.value, ast.Call)]
    loops = [text.loop(part) for part in statements if ast.unparse(part) == f"{name}.step()"]
    for statement in statements:
        written = ast.unparse(statement)
        if written == f"{name}.zero_grad()":
            edits.append(text.removed(statement))
        elif written == f"{name}.step()":
            step = f"{{name: w - {shown} * grad for (name, w), grad in zip(weights.items(), grads)}}"
            edits.append(text.replaced(statement, f"weights = {step}"))
        elif written.endswith(".backward()") and text.loop(statement) in loops:
            call = statement.value
            assert isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
            asked = f"torch.autograd.grad({text.get(call.func.value)}, list(weights.values()), create_graph=True)"
            edits.append(text.replaced(statement, f"grads = {asked}"))
    return edits if len(edits) >= 3 and all(loop is not None for loop in loops) else []


def is_plain_sgd(text: Text, value: ast.expr, fast: str) -> bool:
    """Whether `value` is `SGD(fast.parameters(), lr=rate)`, without momentum or decay."""
    if not isinstance(value, ast.Call) or called(value) != "SGD" or not value.args:
        return False
    words = {word.arg for word in value.keywords}
    return text.get(value.args[0]) == f"{fast}.parameters()" and words <= {"lr"} and len(value.args) + len(words) == 2
