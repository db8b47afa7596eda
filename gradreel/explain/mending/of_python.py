"""Mends for errors of Python itself: places, parts, whole numbers, brackets."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from ..calls import callee
from ..errors.of_comma import commas, kept_as
from ..fixes.edits import enclosing, grouped, with_argument
from ..fixes.proposal import FREE, Proposal, Wanted
from ..fixes.registry import fix
from ..fixes.text import Text, names_in, targets


@fix(list_end=1)
def another_place(wanted: Wanted) -> Iterator[Proposal]:
    """The loop goes by the list that is asked; a place that is written becomes the last one."""
    text, raised = wanted.text, wanted.at("raised")
    for node in text.parts(raised, ast.Subscript):
        if isinstance(node.slice, ast.Slice):
            continue
        shown = text.get(node.value)
        for loop in text.around(node):
            if isinstance(loop, ast.For) and isinstance(loop.iter, ast.Call) and callee(loop.iter) == "range":
                if not names_in(loop.target) & names_in(node.slice) or not loop.iter.args:
                    continue
                stop = loop.iter.args[0 if len(loop.iter.args) == 1 else 1]
                title = f"let the loop on line {loop.lineno} stop at len({shown})"
                yield wanted.proposal(title, "fewer turns", text.replaced(stop, f"len({shown})"))
        if isinstance(node.slice, ast.Constant):
            title = f"the last one, {shown}[-1], on line {node.lineno}"
            yield wanted.proposal(title, "another entry", text.replaced(node.slice, "-1"))
        yield from length_of(wanted, node)


def length_of(wanted: Wanted, node: ast.Subscript) -> Iterator[Proposal]:
    """A data set says how long the list is in which its items stand."""
    text = wanted.text
    home, method = enclosing(text, node, ast.ClassDef), enclosing(text, node, ast.FunctionDef)
    if not isinstance(home, ast.ClassDef) or not isinstance(method, ast.FunctionDef) or method.name != "__getitem__":
        return
    for part in ast.walk(home):
        inside = enclosing(text, part, ast.FunctionDef)
        if isinstance(part, ast.Return) and isinstance(inside, ast.FunctionDef) and inside.name == "__len__":
            made = f"return len({text.get(node.value)})"
            yield wanted.proposal(f"{made} on line {part.lineno}", "fewer items", text.replaced(part, made))


@fix(by_zero=1)
def at_least_one(wanted: Wanted) -> Iterator[Proposal]:
    text, raised = wanted.text, wanted.at("raised")
    for node in text.parts(raised, ast.BinOp):
        if isinstance(node.op, ast.Div | ast.FloorDiv | ast.Mod):
            made = f"max({text.get(node.right)}, 1)"
            title = f"{made} on line {node.lineno}: nothing divided by 1 is nothing"
            yield wanted.proposal(title, "0 where there was nothing", text.replaced(node.right, made))


def goals(wanted: Wanted) -> Iterator[tuple[ast.stmt, ast.Tuple]]:
    """The names that the raising line wants to fill: of an assignment or a loop."""
    raised = wanted.at("raised")
    nodes = raised.targets if isinstance(raised, ast.Assign) else [raised.target] if isinstance(raised, ast.For) else []
    for goal in nodes:
        if isinstance(goal, ast.Tuple) and raised is not None:
            yield raised, goal


@fix(too_few_parts=1, too_many_parts=1)
def names_for_parts(wanted: Wanted) -> Iterator[Proposal]:
    """As many names as there are parts: the last of them in brackets, or left out; what is left over to `*_`."""
    text = wanted.text
    for raised, goal in goals(wanted):
        names = [text.get(part) for part in goal.elts]
        bare = not text.get(goal).startswith("(")
        if wanted.found.cause == "too_many_parts":
            made = ", ".join([*names, "*_"])
            title = f"{made} on line {raised.lineno}: the others are left out"
            yield wanted.proposal(
                title, "what is left over is dropped", text.replaced(goal, made if bare else f"({made})")
            )
            continue
        has = int(wanted.name("has") or 0)
        if 1 < has < len(names):
            made = ", ".join([*names[: has - 1], f"({', '.join(names[has - 1 :])})"])
            title = f"{made} on line {raised.lineno}: the last part has parts of its own"
            yield wanted.proposal(title, FREE, text.replaced(goal, made if bare else f"({made})"))
        if 0 < has < len(names):
            made = ", ".join(names[:has]) + ("," if has == 1 else "")
            title = f"{made} on line {raised.lineno}: only what comes"
            brackets = isinstance(raised, ast.For) and has == 1
            yield wanted.proposal(title, FREE, text.replaced(goal, f"({made})" if brackets or not bare else made))
            if has == 1 and isinstance(raised, ast.Assign):
                title = f"one name, {names[0]}, on line {raised.lineno}"
                yield wanted.proposal(title, FREE, text.replaced(goal, names[0]))


@fix(text_plus=1)
def as_text(wanted: Wanted) -> Iterator[Proposal]:
    """What stands beside a text is made one."""
    text, raised, got = wanted.text, wanted.at("raised"), wanted.name("got")
    for node in text.parts(raised, ast.BinOp):
        if isinstance(node.op, ast.Add) and not literal(node.right):
            made = f"{grouped(text, node.right)}.item()" if got == "Tensor" else text.get(node.right)
            title = f"str({made}) on line {node.lineno}"
            yield wanted.proposal(title, FREE, text.replaced(node.right, f"str({made})"))


def literal(node: ast.expr) -> bool:
    """Whether it is a text as it stands: one that is written, or what `str` gives."""
    return (
        isinstance(node, ast.JoinedStr)
        or callee(node) == "str"
        or (isinstance(node, ast.Constant) and isinstance(node.value, str))
    )


@fix(list_plus=1)
def as_list(wanted: Wanted) -> Iterator[Proposal]:
    text, raised = wanted.text, wanted.at("raised")
    for node in text.parts(raised, ast.BinOp):
        if isinstance(node.op, ast.Add):
            made = f"[{text.get(node.right)}]"
            yield wanted.proposal(f"{made} on line {node.lineno}", FREE, text.replaced(node.right, made))


@fix(generators=1)
def both_listed(wanted: Wanted) -> Iterator[Proposal]:
    """`a.parameters() + b.parameters()` and `[a.parameters(), b.parameters()]` become a list of both."""
    text, raised = wanted.text, wanted.at("raised")
    for node in text.parts(raised, ast.expr):
        parts: list[ast.expr] = []
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            parts = [node.left, node.right]
        elif isinstance(node, ast.List):
            parts = node.elts
        if len(parts) > 1 and all(callee(part) == "parameters" for part in parts):
            made = f"[{', '.join(f'*{text.get(part)}' for part in parts)}]"
            yield wanted.proposal(f"{made} on line {node.lineno}", FREE, text.replaced(node, made))


@fix(list_of_numbers=1)
def tensors_of_lists(wanted: Wanted) -> Iterator[Proposal]:
    text, raised = wanted.text, wanted.at("raised")
    for node in text.parts(raised, ast.BinOp):
        sides = [side for side in (node.left, node.right) if not isinstance(side, ast.Constant)]
        edits = [text.replaced(side, f"torch.tensor({text.get(side)})") for side in sides]
        title = f"tensors of the lists, on line {node.lineno}"
        yield wanted.proposal(title, "tensors instead of lists", *edits)


@fix(one_of_many=3, whole_number=1)
def whole_numbers(wanted: Wanted) -> Iterator[Proposal]:
    """`//` for the `/` that the number comes from; else `int()` around it."""
    text, raised = wanted.text, wanted.at("raised")
    if raised is None:
        return
    names = names_in(raised) | {ast.unparse(node) for node in text.parts(raised, ast.Attribute)}
    for node in text.parts(text.tree, ast.BinOp):
        home = enclosing(text, node, ast.stmt)
        if not isinstance(node.op, ast.Div) or not isinstance(home, ast.stmt):
            continue
        if home is raised or targets(home) & names or ast.unparse(getattr(home, "target", node)) in names:
            made = f"{text.get(node.left)} // {text.get(node.right)}"
            yield wanted.proposal(f"{made} on line {node.lineno}", "whole numbers", text.replaced(node, made))
    for call in text.calls(raised):
        for given in call.args:
            if not isinstance(given, ast.Constant | ast.Starred):
                made = f"int({text.get(given)})"
                yield wanted.proposal(f"{made} on line {given.lineno}", "whole numbers", text.replaced(given, made))


@fix(int_of_text=1)
def read_with_point(wanted: Wanted) -> Iterator[Proposal]:
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "int"):
        if call.args:
            shown = text.get(call.args[0])
            title = f"float({shown}) on line {call.lineno}"
            yield wanted.proposal(title, "a number with a point", text.replaced(call, f"float({shown})"))


@fix(not_a_function=1)
def not_called(wanted: Wanted) -> Iterator[Proposal]:
    """Square brackets for a place, `*` for a product, another name for what hides a function of Python's."""
    text, raised = wanted.text, wanted.at("raised")
    for call in text.calls(raised):
        shown = text.get(call.func)
        if isinstance(call.func, ast.Name) and hasattr(builtins, shown):
            uses = [node for node in ast.walk(text.tree) if isinstance(node, ast.Name) and node.id == shown]
            others = [use for use in uses if use is not call.func and not is_called(text, use)]
            title = f"another name, {shown}_, for what hides Python's own {shown}"
            yield wanted.proposal(title, FREE, *(text.replaced(use, f"{shown}_") for use in others))
        if len(call.args) == 1 and not call.keywords:
            given = text.get(call.args[0])
            place = isinstance(call.args[0], ast.Constant | ast.Name) and wanted.name("got") != "Tensor"
            ways = [f"{shown}[{given}]", f"{shown} * ({given})"]
            for made in ways if place else ways[::-1]:
                yield wanted.proposal(f"{made} on line {call.lineno}", FREE, text.replaced(call, made))
        if not call.args and not call.keywords:
            title = f"{shown} without brackets on line {call.lineno}"
            yield wanted.proposal(title, FREE, text.replaced(call, shown))


def is_called(text: Text, node: ast.expr) -> bool:
    outer = text.parents.get(node)
    return isinstance(outer, ast.Call) and outer.func is node


@fix(method_places=1)
def round_brackets(wanted: Wanted) -> Iterator[Proposal]:
    """`x.size[0]` becomes `x.size(0)`."""
    text, raised = wanted.text, wanted.at("raised")
    for node in text.parts(raised, ast.Subscript):
        if isinstance(node.value, ast.Attribute):
            owner, place = text.get(node.value), text.get(node.slice)
            for made in (f"{owner}({place})", f"{owner}()[{place}]"):
                yield wanted.proposal(f"{made} on line {node.lineno}", FREE, text.replaced(node, made))


@fix(loader_places=1)
def next_batch(wanted: Wanted) -> Iterator[Proposal]:
    text, raised = wanted.text, wanted.at("raised")
    for node in text.parts(raised, ast.Subscript):
        made = f"next(iter({text.get(node.value)}))"
        yield wanted.proposal(f"{made} on line {node.lineno}", "the first batch", text.replaced(node, made))


@fix(with_class=1)
def with_brackets(wanted: Wanted) -> Iterator[Proposal]:
    text, raised = wanted.text, wanted.at("raised")
    for item in raised.items if isinstance(raised, ast.With) else ():
        if not isinstance(item.context_expr, ast.Call):
            made = f"{text.get(item.context_expr)}()"
            title = f"{made} on line {item.context_expr.lineno}"
            yield wanted.proposal(title, FREE, text.replaced(item.context_expr, made))


@fix(not_yet_local=1)
def of_outside(wanted: Wanted) -> Iterator[Proposal]:
    """`global total` at the head of the function, or `nonlocal` in a function of a function."""
    text, got, raised = wanted.text, wanted.name("got"), wanted.at("raised")
    home = enclosing(text, raised, ast.FunctionDef) if raised is not None else None
    if not isinstance(home, ast.FunctionDef):
        return
    for word in ("nonlocal", "global"):
        if (word == "nonlocal") == (enclosing(text, home, ast.FunctionDef) is not None):
            title = f"{word} {got} at the head of {home.name}"
            yield wanted.proposal(
                title, "the function changes what is outside", text.before(home.body[0], [f"{word} {got}"])
            )


@fix(list_lost=1)
def left_standing(wanted: Wanted) -> Iterator[Proposal]:
    """`xs = xs.append(x)` becomes `xs.append(x)`."""
    text, raised = wanted.text, wanted.at("raised")
    if isinstance(raised, ast.Assign):
        made = text.get(raised.value)
        title = f"{made} alone, without giving a name to None, on line {raised.lineno}"
        yield wanted.proposal(title, FREE, text.replaced(raised, made))


@fix(most_of_nothing=1)
def default_given(wanted: Wanted) -> Iterator[Proposal]:
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "max", "min"):
        made = with_argument(text, call, "default=0")
        yield wanted.proposal(f"default=0 on line {call.lineno}", "0 where there is nothing", made)


@fix(flag_read=1)
def flag_set(wanted: Wanted) -> Iterator[Proposal]:
    text = wanted.text
    for node in ast.walk(text.tree):
        if isinstance(node, ast.Attribute) and node.attr == "requires_grad" and isinstance(node.ctx, ast.Load):
            title = f"requires_grad_() on line {node.lineno}"
            yield wanted.proposal(title, FREE, text.replaced(node, f"{text.get(node.value)}.requires_grad_()"))


@fix(comma=1)
def without_comma(wanted: Wanted) -> Iterator[Proposal]:
    """`lr = 0.1,` becomes `lr = 0.1`."""
    text = wanted.text
    for node in commas(text.tree):
        if kept_as(node) == wanted.name("target") and isinstance(node.value, ast.Tuple):
            title = f"without the comma at the end of line {node.value.end_lineno}"
            yield wanted.proposal(title, FREE, text.replaced(node.value, text.get(node.value.elts[0])))
