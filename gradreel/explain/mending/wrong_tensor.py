"""Mends for what was asked of the wrong tensor: of an input without a way, or of a result where only a leaf will do."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from ..calls import callee, keyword
from ..fixes.edits import (
    enclosing,
    followed,
    grouped,
    loads,
    set_keyword,
    stack_statements,
    value_of,
    with_argument,
    without_keyword,
)
from ..fixes.proposal import FREE, Proposal, Wanted
from ..fixes.registry import fix
from ..fixes.text import Edit, Text, names_in, targets
from .tracking import CUTS, tracked_before_use

OF_THE_RESULT = "the gradient is that of the result, not of what it was made from"


@fix(unused_silently=1, unused=1)
def unused_input(wanted: Wanted) -> Iterator[Proposal]:
    """No way leads from the output to an input."""
    text = wanted.text
    how = wanted.name("how")
    if how:
        for way in CUTS.get(how, ()):
            yield from way(wanted)
    if wanted.name("late"):
        yield from tracked_before_use(wanted)
    yield from columns_joined(wanted)
    yield from part_of_whole(wanted)
    yield from use_given_entry(wanted)
    raised, root = wanted.at("raised"), wanted.name("root")
    calls = text.calls(raised, "grad")
    for call in calls or [call for call in text.calls(raised) if call.args and text.get(call.args[0]) == root]:
        allow = set_keyword(text, call, "allow_unused", "True")
        cost = "None, or zeros, stand where there is no gradient"
        if keyword(call, "allow_unused") is None:
            both = with_argument(text, call, "allow_unused=True, materialize_grads=True")
            yield wanted.makeshift("allow_unused=True, with zeros for what was not used", cost, both)
            yield wanted.makeshift("allow_unused=True", cost, allow)
        else:
            yield wanted.makeshift(
                "materialize_grads=True: zeros for what was not used",
                cost,
                with_argument(text, call, "materialize_grads=True"),
            )
        source, target = wanted.name("source"), wanted.name("target")
        if source and target:
            for use in loads(call, target):
                title = f"differentiate by {source}, which was used"
                yield wanted.proposal(title, FREE, text.replaced(use, source))
    for node in ast.walk(text.tree):
        if not isinstance(node, ast.Call) or callee(node) != "grad" or keyword(node, "allow_unused") is None:
            continue
        if keyword(node, "materialize_grads") is None:
            title = f"zeros instead of None: materialize_grads=True on line {node.lineno}"
            yield wanted.makeshift(title, FREE, with_argument(text, node, "materialize_grads=True"))


def use_given_entry(wanted: Wanted) -> Iterator[Proposal]:
    """Of the weights that a function is given it takes this one, too: `w['b']` in the place of `self.p['b']`."""
    text = wanted.text
    key = re.search(r"\[([^\[\]]+)\]$", wanted.name("target") or "")
    for statement in filter(None, [wanted.at("saved")]):
        home = enclosing(text, statement, ast.FunctionDef)
        given = {arg.arg for arg in home.args.args} if isinstance(home, ast.FunctionDef) else set()
        owners = {text.get(part.value) for part in text.parts(home, ast.Subscript)} & given
        for use in text.parts(statement, ast.Subscript):
            if key is None or ast.unparse(use.slice) != key[1] or text.get(use.value) in given:
                continue
            for owner in sorted(owners):
                title = f"{owner}[{text.get(use.slice)}] instead of {text.get(use)} on line {use.lineno}"
                cost = "it is computed with what the function is given"
                yield wanted.proposal(title, cost, text.replaced(use.value, owner))


def columns_joined(wanted: Wanted) -> Iterator[Proposal]:
    """Columns that were cut out of an input are what the input is made of: `net(torch.cat([x, t], dim=1))`."""
    text = wanted.text
    names = {wanted.name("target"), *(wanted.name("aliases") or "").split(", ")}
    cuts = [(name, part) for node in ast.walk(text.tree) for name, part in columns(node)]
    mine = next((part for name, part in cuts if name in names), None)
    if mine is None:
        return
    whole = text.get(mine.value)
    among = [(name, part) for name, part in cuts if text.get(part.value) == whole]
    wide = any(isinstance(index, ast.Slice) for index in column_of(mine))
    made = f"torch.{'cat' if wide else 'stack'}([{', '.join(name for name, _ in among)}], dim=1)"
    here = {id(loaded) for _, part in among for loaded in loads(part, whole)}
    within = enclosing(text, mine, ast.FunctionDef)
    for use in loads(text.tree, whole):
        call = text.parents.get(use)
        same = enclosing(text, use, ast.FunctionDef) is within
        if isinstance(call, ast.Call) and use in call.args and id(use) not in here and same:
            title = f"give {text.get(call.func)} the columns themselves, joined, on line {use.lineno}"
            if use.lineno > mine.lineno:
                yield wanted.proposal(title, "one copy of the input", text.replaced(use, made))
                continue
            whole_line = enclosing(text, use, ast.Assign)
            last = enclosing(text, among[-1][1], ast.Assign)
            if isinstance(whole_line, ast.Assign) and isinstance(last, ast.Assign) and last in text.block(whole_line):
                moved = text.get(whole_line).replace(text.get(call), text.get(call).replace(whole, made))
                title += f", which comes after line {last.lineno}"
                yield wanted.proposal(
                    title, "one copy of the input", text.removed(whole_line), text.after(last, [moved])
                )


def part_of_whole(wanted: Wanted) -> Iterator[Proposal]:
    """The gradient of the whole, and then the part: of `x`, and `[k]`, where it was asked for `x[k]`."""
    text, target = wanted.text, wanted.name("target")
    for call in text.calls(text.tree, "grad"):
        if len(call.args) < 2 or text.get(call.args[1]) != target:
            continue
        parts = [
            node.value
            for node in text.parts(text.tree, ast.Assign)
            if text.get(node.targets[0]) == target and isinstance(node.value, ast.Subscript)
        ]
        if len(parts) != 1:
            continue
        whole, index = text.get(parts[0].value), text.get(parts[0].slice)
        outer = text.parents.get(call)
        first = isinstance(outer, ast.Subscript) and outer.value is call and text.get(outer.slice) == "0"
        asked = text.replaced(call.args[1], whole)
        end = outer if first and isinstance(outer, ast.Subscript) else call
        place = text.place(end.end_lineno or end.lineno, end.end_col_offset or 0)
        taken = Edit(*place, *place, f"[{index}]" if first else f"[0][{index}]")
        title = f"the gradient of {whole}, and of that [{index}], on line {call.lineno}"
        yield wanted.proposal(title, FREE, asked, taken)


def columns(node: ast.AST) -> Iterator[tuple[str, ast.Subscript]]:
    """The names that `node` gives to columns of a tensor: `t = xt[:, 1:2]`."""
    if not isinstance(node, ast.Assign):
        return
    goal, value = node.targets[0], node.value
    many = isinstance(goal, ast.Tuple) and isinstance(value, ast.Tuple)
    pairs = zip(goal.elts, value.elts, strict=False) if many else [(goal, value)]  # type: ignore[attr-defined]
    for name, part in pairs:
        if isinstance(name, ast.Name) and isinstance(part, ast.Subscript) and len(column_of(part)) == 2:
            yield name.id, part


def column_of(part: ast.Subscript) -> list[ast.expr]:
    """The two indices of `xt[:, 1:2]`, the first of which takes all rows; none of anything else."""
    index = part.slice.elts if isinstance(part.slice, ast.Tuple) else []
    every = len(index) == 2 and isinstance(index[0], ast.Slice) and index[0].lower is index[0].upper is None
    return list(index) if every else []


@fix(flag_on_result=1)
def flag_on_result(wanted: Wanted) -> Iterator[Proposal]:
    """Only a leaf can change its flag."""
    text, raised, name = wanted.text, wanted.at("raised"), wanted.name("target")
    if raised is None or name is None:
        return
    on = "True" in ast.unparse(raised)
    cost = "no gradient goes back beyond this point"
    loop = text.loop(raised)
    if isinstance(loop, ast.For) and not on and text.get(loop.target) == name and isinstance(loop.iter, ast.Name):
        states = loop.iter.id
        if loop.body == [raised]:
            made = f"{states} = [{name}.detach() for {name} in {states}]"
            title = f"detach each of {states} in place of line {loop.lineno}"
            yield replace(wanted.proposal(title, cost, text.replaced(loop, made)), decisive=True)
        else:
            yield wanted.proposal(
                f"{name}.detach_() on line {raised.lineno}", cost, text.replaced(raised, f"{name}.detach_()")
            )
    if not on and isinstance(raised, ast.Assign | ast.Expr):
        yield wanted.proposal(
            f"{name} = {name}.detach() on line {raised.lineno}",
            cost,
            text.replaced(raised, f"{name} = {name}.detach()"),
        )
    built = wanted.at("built")
    value = value_of(built)
    if isinstance(built, ast.Assign) and value is not None and not isinstance(value, ast.Tuple):
        title = f"detach it where it is made, on line {built.lineno}"
        yield wanted.proposal(title, cost, followed(text, value, ".detach()"))
    yield wanted.proposal(
        f"{name} = {name}.detach() before line {raised.lineno}",
        cost,
        text.before(raised, [f"{name} = {name}.detach()"]),
    )
    if on:
        title = f"leave out line {raised.lineno}: a result of tracked tensors requires a gradient anyway"
        yield wanted.proposal(title, FREE, text.removed(raised))


@fix(numpy=1)
def detached_numpy(wanted: Wanted) -> Iterator[Proposal]:
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "numpy"):
        if isinstance(call.func, ast.Attribute):
            title = f".detach().numpy() on line {call.lineno}"
            made = grouped(text, call.func.value) + ".detach().numpy()"
            yield wanted.proposal(title, "the array knows of no graph", text.replaced(call, made))
    raised, name = wanted.at("raised"), wanted.name("target")
    if raised is not None and name is not None:
        for use in loads(raised, name)[:1]:
            title = f"{name}.detach() on line {raised.lineno}"
            yield wanted.proposal(title, "the array knows of no graph", followed(text, use, ".detach()"))
            title = f"{name}.detach().numpy() on line {raised.lineno}"
            yield wanted.proposal(title, "the array knows of no graph", followed(text, use, ".detach().numpy()"))


@fix(numpy=2)
def numbers_collected(wanted: Wanted) -> Iterator[Proposal]:
    """A list that numpy is to read holds numbers: `losses.append(loss.item())`."""
    text, raised = wanted.text, wanted.at("raised")
    names = {part.id for call in text.calls(raised) for given in call.args for part in text.parts(given, ast.Name)}
    for call in text.calls(text.tree, "append"):
        if len(call.args) == 1 and isinstance(call.func, ast.Attribute) and text.get(call.func.value) in names:
            for taken in (".item()", ".detach()"):
                title = f"keep {text.get(call.args[0])}{taken} on line {call.lineno}"
                cost = "no gradient goes through the list"
                yield wanted.proposal(title, cost, followed(text, call.args[0], taken))


@fix(optimize_result=1, never_moved=3)
def leaf_last(wanted: Wanted) -> Iterator[Proposal]:
    """A leaf where a result was: one that asks for its gradient last, or one cut off."""
    yield from asked_last(wanted)
    text, built = wanted.text, wanted.at("built")
    calls = stack_statements(wanted, "built") if isinstance(built, ast.Return) else []
    rebound = [part for part in calls if isinstance(part, ast.Assign) and targets(part) & names_in(part.value)]
    for statement in [*rebound, built]:
        value = value_of(statement)
        if isinstance(statement, ast.Assign | ast.Return) and value is not None and not isinstance(value, ast.Tuple):
            title = f"make it a leaf: .detach().requires_grad_() on line {statement.lineno}"
            yield wanted.proposal(title, OF_THE_RESULT, followed(text, value, ".detach().requires_grad_()"))


@fix(second_backward=2, nameless_leaf=2, never_moved=1)
def asked_last(wanted: Wanted) -> Iterator[Proposal]:
    """Compute first, ask for the gradient last: `(randn(3) / 2).requires_grad_()`."""
    text, built = wanted.text, wanted.at("built")
    value = value_of(built)
    if built is None or value is None or not isinstance(built, ast.Assign | ast.Return):
        return
    made = [last for part in entries_of(value) if (last := flag_last(text, part))]
    if made:
        title = f"compute first and ask for the gradient last, on line {built.lineno}"
        yield wanted.proposal(title, OF_THE_RESULT, *(edit for edits in made for edit in edits))
    for result in results_of(text, [callee(call) for call in text.parts(value, ast.Call)]):
        edits = flag_last(text, result)
        if edits:
            title = f"compute first and ask for the gradient last, on line {result.lineno}"
            yield wanted.proposal(title, OF_THE_RESULT, *edits)


def entries_of(value: ast.expr) -> list[ast.expr]:
    """What a list or dict that is written out holds; else `value` itself."""
    if isinstance(value, ast.ListComp):
        return [value.elt]
    if isinstance(value, ast.DictComp):
        return [value.value]
    if isinstance(value, ast.List | ast.Tuple):
        return list(value.elts)
    return list(value.values) if isinstance(value, ast.Dict) else [value]


def results_of(text: Text, names: list[str]) -> list[ast.expr]:
    """What functions of the program with these names give."""
    named = [
        node.value
        for node in text.parts(text.tree, ast.Assign)
        if isinstance(node.value, ast.Lambda) and text.get(node.targets[0]).rpartition(".")[2] in names
    ]
    homes = [node for node in text.parts(text.tree, ast.FunctionDef) if node.name in names]
    given = [part.value for home in homes for part in ast.walk(home) if isinstance(part, ast.Return)]
    return [*(one.body for one in named if isinstance(one, ast.Lambda)), *(part for part in given if part is not None)]


def flag_last(text: Text, value: ast.expr) -> list[Edit]:
    """`value` with its flag taken off where it stands and asked for at the end."""
    calls = text.parts(value, ast.Call)
    removals = [edit for call in calls if (edit := without_keyword(text, call, "requires_grad")) is not None]
    marks = [call for call in calls if callee(call) == "requires_grad_" and isinstance(call.func, ast.Attribute)]
    end = text.place(value.end_lineno or 0, value.end_col_offset or 0)
    start = text.place(value.lineno, value.col_offset)
    if not removals and not marks:
        return []
    simple = isinstance(value, ast.Call | ast.Name | ast.Attribute)
    edits = list(removals)
    for call in marks:
        assert isinstance(call.func, ast.Attribute)
        inner = text.place(call.func.value.end_lineno or 0, call.func.value.end_col_offset or 0)
        edits.append(Edit(*inner, *text.place(call.end_lineno or 0, call.end_col_offset or 0), ""))
    opening = Edit(*start, *start, "" if simple else "(")
    closing = Edit(*end, *end, ("" if simple else ")") + ".requires_grad_()")
    if any((edit.end_line, edit.end_column) == end for edit in edits):
        return []
    return [opening, *edits, closing]


@fix(nameless_leaf=1, parameter_lost=1)
def parameter_last(wanted: Wanted) -> Iterator[Proposal]:
    """Compute first, make it a parameter last: `nn.Parameter(torch.ones(3).unsqueeze(0))`."""
    text, built = wanted.text, wanted.at("built")
    value = value_of(built)
    for call in text.calls(value, "Parameter") if value is not None else ():
        if call is not value and call.args and isinstance(value, ast.expr):
            inner = text.get(value).replace(text.get(call), grouped(text, call.args[0]), 1)
            title = f"compute first and make it a Parameter last, on line {call.lineno}"
            made = f"{text.get(call.func)}({inner})"
            yield wanted.proposal(title, OF_THE_RESULT, text.replaced(value, made))


@fix(parameter_lost=2)
def parameter_made(wanted: Wanted) -> Iterator[Proposal]:
    """A plain tensor that is to learn becomes a Parameter of its module."""
    text, built = wanted.text, wanted.at("built")
    if not isinstance(built, ast.Assign) or not isinstance(built.value, ast.Call):
        return
    call = built.value
    if callee(call) == "requires_grad_" and isinstance(call.func, ast.Attribute):
        inner = text.get(call.func.value)
    elif (edit := without_keyword(text, call, "requires_grad")) is not None:
        title = f"torch.nn.Parameter(…) on line {built.lineno}"
        end = text.place(call.end_lineno or call.lineno, call.end_col_offset or 0)
        start = text.place(call.lineno, call.col_offset)
        yield wanted.proposal(title, FREE, Edit(*start, *start, "torch.nn.Parameter("), edit, Edit(*end, *end, ")"))
        return
    else:
        return
    yield wanted.proposal(
        f"torch.nn.Parameter(…) on line {built.lineno}", FREE, text.replaced(call, f"torch.nn.Parameter({inner})")
    )


@fix(copy_result=5)
def deep_copy(wanted: Wanted) -> Iterator[Proposal]:
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "deepcopy"):
        if call.args:
            title = f".detach().clone() on line {call.lineno}"
            made = grouped(text, call.args[0]) + ".detach().clone()"
            yield wanted.proposal(title, "the copy has no graph", text.replaced(call, made))
            made = grouped(text, call.args[0]) + ".clone()"
            yield wanted.proposal(
                f".clone() on line {call.lineno}", "the copy stays in the graph", text.replaced(call, made)
            )


@fix(generator_copied=1)
def listed_copy(wanted: Wanted) -> Iterator[Proposal]:
    """What a generator gives can be copied, as a list."""
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "deepcopy", "copy"):
        if call.args:
            shown = text.get(call.args[0])
            made = f"[part.detach().clone() for part in {shown}]"
            yield wanted.proposal("a list of copies", "the copies know of no graph", text.replaced(call, made))
            yield wanted.proposal("a copy of the list", FREE, text.replaced(call.args[0], f"list({shown})"))


TRANSFORMS = {"jacobian": "jacrev", "hessian": "hessian"}


@fix(in_transform=3)
def transformed(wanted: Wanted) -> Iterator[Proposal]:
    """Inside of vmap and its kind, torch.func has the same by another name."""
    text = wanted.text
    for call in text.calls(wanted.at("raised"), *TRANSFORMS):
        if len(call.args) == 2:
            name = f"torch.func.{TRANSFORMS[callee(call)]}"
            made = f"{name}({text.get(call.args[0])})({text.get(call.args[1])})"
            yield wanted.proposal(f"{name} on line {call.lineno}", FREE, text.replaced(call, made))


@fix(hook_on_result=1)
def hook_on_result(wanted: Wanted) -> Iterator[Proposal]:
    text, name = wanted.text, "register_post_accumulate_grad_hook"
    for call in text.calls(wanted.at("raised"), name):
        shown = text.get(call).replace(name, "register_hook", 1)
        yield wanted.proposal(
            "register_hook instead", "the hook gets the gradient, not the tensor", text.replaced(call, shown)
        )


@fix(inference=1)
def no_inference(wanted: Wanted) -> Iterator[Proposal]:
    """no_grad makes ordinary tensors, and so does a clone."""
    text, name = wanted.text, wanted.name("target")
    told = [call.func for call in text.parts(text.tree, ast.Call) if call.args]  # `inference_mode(False)` is none
    edits = [
        text.replaced(node, text.get(node).replace("inference_mode", "no_grad"))
        for node in text.parts(text.tree, ast.Attribute)
        if node.attr == "inference_mode" and node not in told
    ]
    if edits:
        yield wanted.proposal("no_grad instead of inference_mode", "a little more bookkeeping", *edits)
    raised = wanted.at("raised")
    for use in loads(raised, name)[:1] if name is not None and raised is not None else []:
        title = f"{name}.clone() on line {use.lineno}"
        yield wanted.proposal(title, "one copy", followed(text, use, ".clone()"))


@fix(backward_result=1)
def gradient_read(wanted: Wanted) -> Iterator[Proposal]:
    """backward leaves gradients in `.grad` and returns nothing; autograd.grad returns them."""
    text, built = wanted.text, wanted.at("built")
    if not isinstance(built, ast.Assign) or not isinstance(built.value, ast.Call):
        return
    call, goal = built.value, text.get(built.targets[0])
    root = text.get(call.func.value) if isinstance(call.func, ast.Attribute) else None
    for leaf in dict.fromkeys((wanted.name("leaf"), *leaves(text))):
        if leaf is None or root is None:
            continue
        made = f"{text.get(call)}; {goal} = {leaf}.grad"
        title = f"read {leaf}.grad after line {built.lineno}"
        yield wanted.proposal(title, FREE, text.replaced(built, made))
        made = f"{goal}, = torch.autograd.grad({root}, {leaf})"
        yield wanted.proposal(f"torch.autograd.grad on line {built.lineno}", FREE, text.replaced(built, made))


def leaves(text: Text) -> list[str]:
    """The names that are given to what requires a gradient, as far as the text tells."""
    return [
        text.get(node.targets[0])
        for node in ast.walk(text.tree)
        if isinstance(node, ast.Assign) and "requires_grad" in ast.unparse(node.value)
    ]
