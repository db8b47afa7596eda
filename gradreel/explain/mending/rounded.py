"""Mends for places, truth values and steps, which have no derivative: a loss with a slope, chances, a softer step."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..calls import callee
from ..fixes.edits import enclosing, followed, grouped, value_of
from ..fixes.proposal import Proposal, Wanted
from ..fixes.registry import fix
from ..fixes.text import Text, names_in, targets


def scored(wanted: Wanted) -> Iterator[Proposal]:
    """Hits that were counted become a loss that has a slope: the cross entropy of the scores behind the guesses."""
    text = wanted.text
    scores = {}
    for node in ast.walk(text.tree):
        if (given := ranked(text, node)) is not None:
            scores[text.get(node)] = text.get(given)  # type: ignore[arg-type]
            outer = text.parents.get(node)
            while isinstance(outer, ast.Attribute | ast.Call):
                outer = text.parents.get(outer)
            if isinstance(outer, ast.Assign) and isinstance(outer.targets[0], ast.Name):
                scores[outer.targets[0].id] = text.get(given)
    for node in ast.walk(text.tree):
        if not isinstance(node, ast.expr) or len(sides := compared(node)) != 2:
            continue
        for guess, label in (sides, sides[::-1]):
            behind = scores.get(text.get(guess).removesuffix(".float()"))
            if behind is None:
                continue
            hits = isinstance(node, ast.Compare)
            sign = "-" if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq) else ""
            made = f"torch.nn.functional.cross_entropy({behind}, {text.get(label)})"
            whole, outer = chain(text, node), text.parents.get(chain(text, node))
            missed = isinstance(outer, ast.BinOp) and isinstance(outer.op, ast.Sub) and text.get(outer.left) in ONE
            if sign and missed and isinstance(outer, ast.BinOp):  # a share of misses falls as the loss does
                whole = outer
            else:
                made = f"{sign}{made}"
            instead = "a count of hits" if hits else "a distance of places"
            title = f"the cross entropy of {behind} instead of {instead}, on line {node.lineno}"
            yield wanted.proposal(title, "another loss, one with a slope", text.replaced(whole, made))


ONE = ("1", "1.", "1.0")


def chances_kept(wanted: Wanted) -> Iterator[Proposal]:
    """`(torch.sigmoid(x) > 0.5).float()` becomes `torch.sigmoid(x)`: a loss compares chances, not answers."""
    text, statement = wanted.text, wanted.at("cut")
    for hard in answers(text, statement):
        chances = text.get(hard.left)
        title = f"the chances themselves, {chances}, on line {hard.lineno}"
        cost = "from 0 to 1: take `> 0.5` where answers are counted"
        yield wanted.proposal(title, cost, text.replaced(chain(text, hard), chances))


def answers(text: Text, statement: ast.stmt | None) -> list[ast.Compare]:
    """Where `statement` makes yes or no of a chance: `torch.sigmoid(x) > 0.5`."""
    return [
        hard
        for hard in text.parts(statement, ast.Compare)
        if isinstance(hard.ops[0], ast.Gt | ast.GtE)
        and (is_half(hard.comparators[0]) or LIMIT.search(text.get(hard.comparators[0])))
        and is_chance(text, hard.left)
    ]


LIMIT = re.compile(r"^(?:self\.)?thr(?:esh(?:old)?)?$")


def is_half(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 0.5


CHANCE = re.compile(r"sigmoid|softmax|prob", re.IGNORECASE)


def is_chance(text: Text, value: ast.expr) -> bool:
    """Whether `value`, or what it was made of, is squashed between 0 and 1; of what a model gives: if any layer is."""
    makers = [node.value for node in text.parts(text.tree, ast.Assign) if names_in(value) & targets(node)]
    if any(CHANCE.search(text.get(part)) for part in (value, *makers)):
        return True
    return any(text.parts(maker, ast.Call) for maker in (value, *makers)) and bool(CHANCE.search(text.source))


def soft_step(wanted: Wanted) -> Iterator[Proposal]:
    """`(x > t).float()` becomes a step with a slope, `torch.sigmoid(x - t)`; a chance needs none."""
    text, statement = wanted.text, wanted.at("cut")
    if answers(text, statement):
        return
    for call in text.calls(statement, "float", "type_as", "to"):
        hard = call.func.value if isinstance(call.func, ast.Attribute) else None
        if not isinstance(hard, ast.Compare) or not isinstance(hard.ops[0], ast.Gt | ast.GtE | ast.Lt | ast.LtE):
            continue
        high, low = hard.left, hard.comparators[0]
        if isinstance(hard.ops[0], ast.Lt | ast.LtE):
            high, low = low, high
        taken = text.get(low) if isinstance(low, ast.Name | ast.Constant | ast.Call) else f"({text.get(low)})"
        made = f"torch.sigmoid({text.get(high)}{'' if taken == '0' else f' - {taken}'})"
        title = f"{made}, a step with a slope, on line {call.lineno}"
        yield wanted.proposal(title, "between 0 and 1, in the place of 0 or 1", text.replaced(call, made))


def ranked(text: Text, node: ast.AST) -> ast.expr | None:
    """The scores whose largest places `node` is: of `x.argmax(1)`, `x.max(1)[1]`, `torch.max(x, 1).indices`."""
    call, name = node, "argmax"
    if isinstance(node, ast.Subscript | ast.Attribute):
        part = text.get(node.slice) if isinstance(node, ast.Subscript) else node.attr
        call, name = node.value, "max" if part in ("1", "indices") else ""
    if not isinstance(call, ast.Call) or callee(call) != name or not isinstance(call.func, ast.Attribute):
        return None
    return call.args[0] if text.get(call.func.value) == "torch" and call.args else call.func.value


def compared(node: ast.expr) -> list[ast.expr]:
    """The two sides of `a == b`, of `a - b`, or of `mse_loss(a, b)`."""
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq | ast.NotEq):
        return [node.left, node.comparators[0]]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
        return [node.left, node.right]
    return node.args if isinstance(node, ast.Call) and len(node.args) == 2 else []


def chain(text: Text, node: ast.expr) -> ast.expr:
    """`node` with its power and the calls of methods that follow it: all of `((a - b) ** 2).float().mean()`, without a
    backward from it."""
    outer = text.parents.get(node)
    while (
        (isinstance(outer, ast.Attribute) and outer.value is node and outer.attr != "backward")
        or (isinstance(outer, ast.Call) and outer.func is node)
        or (isinstance(outer, ast.BinOp) and outer.left is node and isinstance(outer.op, ast.Pow))
    ):
        node, outer = outer, text.parents.get(outer)
    return node


def looked_up_straight_through(wanted: Wanted) -> Iterator[Proposal]:
    """What a table gives for the places of the nearest is returned with the gradient of what it stands for."""
    text, statement = wanted.text, wanted.at("cut")
    home = enclosing(text, statement, ast.FunctionDef) if statement is not None else None
    if not isinstance(statement, ast.Assign) or not isinstance(home, ast.FunctionDef):
        return
    places = targets(statement)
    looked_up = [
        node for node in text.parts(home, ast.Assign) if node is not statement and places & names_in(node.value)
    ]
    rows = set().union(*map(targets, looked_up))
    for source in [arg.arg for arg in home.args.args if arg.arg != "self"]:
        for end in text.parts(home, ast.Return):
            for name in [part for part in text.parts(end, ast.Name) if part.id in rows]:
                made = f"{source} + ({name.id} - {source}).detach()"
                title = f"let the gradient pass straight through the look-up: {made}, on line {end.lineno}"
                yield wanted.proposal(title, "a made-up gradient: that of doing nothing", text.replaced(name, made))


LOGARITHMS = re.compile(r"BCELoss|binary_cross_entropy\(|\blog\(")
"""Losses that are infinite at a sure answer that is wrong: no place for a 0 or 1."""


def straight_through(wanted: Wanted) -> Iterator[Proposal]:
    """What was rounded keeps its value and takes the gradient of what it was made of."""
    text, statement = wanted.text, wanted.at("cut")
    value = value_of(statement)
    source = wanted.name("source")
    if answers(text, statement) and LOGARITHMS.search(text.source):
        return
    if isinstance(statement, ast.Assign) and value is not None and source is not None:
        made = f"{source} + ({text.get(value)} - {source}).detach()"
        title = f"let the gradient pass straight through line {statement.lineno}"
        yield wanted.proposal(title, "a made-up gradient: that of doing nothing", text.replaced(value, made))
    if value is not None and source is not None and statement is not None:
        title = f"use {source} itself on line {statement.lineno}"
        yield wanted.proposal(title, "other numbers: they are not rounded", text.replaced(value, source))


ROUNDS = ("round", "floor", "ceil", "trunc", "sign", "sgn", "fix")
ESTIMATE = "the gradient passes as if nothing were rounded: an estimate, with which such networks are trained"


def rounding(wanted: Wanted) -> Iterator[tuple[ast.Call, ast.expr]]:
    """The calls that round, where a gradient ended, each with what it rounds."""
    text = wanted.text
    for call in text.calls(wanted.at("built"), *ROUNDS):
        function = isinstance(call.func, ast.Attribute) and text.get(call.func.value) == "torch"
        value = call.func.value if isinstance(call.func, ast.Attribute) else None
        value = call.args[0] if function and call.args else value
        if value is not None:
            yield call, value


@fix(zero_derivative=1)
def left_unrounded(wanted: Wanted) -> Iterator[Proposal]:
    """A loss gets what was rounded for it as it is: `torch.round(torch.sigmoid(x))` becomes `torch.sigmoid(x)`."""
    text = wanted.text
    for call, value in rounding(wanted) if wanted.name("how") == "last" else ():
        title = f"{text.get(value)} as it is, not rounded, on line {call.lineno}"
        outer = text.parents.get(call)
        alone = isinstance(outer, ast.Assign | ast.Return) or (isinstance(outer, ast.Call) and call in outer.args)
        shown = text.get(value) if alone else grouped(text, value)
        counted = [use for use in answers_counted(text, call) if call not in text.around(use)]
        if counted:
            title += f", but where answers are counted, on line {counted[0].lineno}"
        edits = [followed(text, use, f".{callee(call)}()") for use in counted]
        cost = "other numbers: round where answers are counted"
        yield wanted.proposal(title, cost, text.replaced(call, shown), *edits)


def answers_counted(text: Text, call: ast.Call) -> list[ast.expr]:
    """Where what `call` rounds, in place or in what the function around it gives, is compared for being the same."""
    home, statement = enclosing(text, call, ast.FunctionDef), enclosing(text, call, ast.stmt)
    names = targets(statement) if isinstance(statement, ast.Assign) else set()
    if isinstance(statement, ast.Return) and isinstance(home, ast.FunctionDef):
        owner = enclosing(text, home, ast.ClassDef)
        makers = [node for node in text.parts(text.tree, ast.Assign) if text.calls(node, getattr(owner, "name", ""))]
        givers = {home.name}.union(*map(targets, makers))
        given = [node for node in text.parts(text.tree, ast.Assign) if callee(node.value) in givers]
        names = set().union(*map(targets, given))
        home = None
    scope = home or text.tree
    sides = [side for node in text.parts(scope, ast.Compare) for side in compared(node)]
    for node in [call for call in text.parts(scope, ast.Call) if callee(call) == "eq"]:
        sides += [*node.args, *([node.func.value] if isinstance(node.func, ast.Attribute) else [])]
    return [side for side in sides if isinstance(inner := whole_of(side), ast.Name) and inner.id in names]


def whole_of(node: ast.expr) -> ast.expr:
    """What is turned, reshaped or cut off its graph, without that: `y` of `y.view(-1).detach()`."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and callee(node) in SHAPED:
        node = node.func.value
    return node


SHAPED = ("view", "reshape", "squeeze", "flatten", "detach", "unsqueeze", "cpu", "t")


@fix(zero_derivative=2)
def round_straight_through(wanted: Wanted) -> Iterator[Proposal]:
    """`torch.round(x)` becomes `x + (torch.round(x) - x).detach()`: the value is rounded, and the slope is 1."""
    text, statement = wanted.text, wanted.at("built")
    for call, value in rounding(wanted):
        shown, before = grouped(text, value), []
        simple = isinstance(statement, ast.Assign | ast.Return) and text.alone(statement)
        within = any(isinstance(outer, ast.Lambda | ast.ListComp | ast.GeneratorExp) for outer in text.around(call))
        if text.parts(value, ast.Call) and statement is not None and simple and not within:
            before, shown = [text.before(statement, [f"smooth = {text.get(value)}"])], "smooth"
        rounded = text.get(call).replace(text.get(value), shown.removeprefix("(").removesuffix(")"), 1)
        whole = f"{shown} + ({rounded} - {shown}).detach()"
        alone = isinstance(text.parents.get(call), ast.Assign | ast.Return)
        title = f"let the gradient pass straight through the rounding on line {call.lineno}"
        yield wanted.proposal(title, ESTIMATE, *before, text.replaced(call, whole if alone else f"({whole})"))
