"""Mends for writes in place: out of place, into a clone, later, or unrecorded."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from ..calls import callee, keyword
from ..fixes.edits import (
    copies,
    enclosing,
    enumerated,
    followed,
    loads,
    needed_before,
    stack_statements,
    value_of,
    without_keyword,
)
from ..fixes.proposal import FREE, Proposal, Wanted
from ..fixes.registry import fix
from ..fixes.text import Edit, Text, names_in, targets
from .detaching import carried_over
from .functional_updates import join_parts, rebuild_entries
from .graphs import rebuilt_before, rebuilt_inside
from .out_of_place import COPY, PLAINLY, chained, out_of_place, plain, plain_sum, read_after, turns_over, written_name

UNRECORDED = "the write leaves no trace in the graph"


@fix(saved_modified=1)
def saved_changed(wanted: Wanted) -> Iterator[Proposal]:
    """A tensor that a node had kept was written over."""
    ways = (
        store_copy,
        rebuild_entries,
        join_parts,
        out_of_place,
        copy_rows,
        cloned_before,
        cloned_where_kept,
        looked_up_first,
        inplace_switched_off,
        moved_behind,
    )
    for way in (*ways, rebuilt_before):
        yield from way(wanted)


@fix(step_between=6)
def stepped_between(wanted: Wanted) -> Iterator[Proposal]:
    """An optimizer's step wrote over weights that a later backward needs."""
    yield from rebuilt_inside(wanted)
    yield from rebuilt_before(wanted)
    yield from carried_over(wanted)
    yield from detached_uses(wanted)
    yield from moved_behind(wanted)
    yield from detached_share(wanted)


@fix(leaf_inplace=2)
def leaf_changed(wanted: Wanted) -> Iterator[Proposal]:
    """A leaf that requires a gradient would be written over."""
    update = is_update(wanted)
    ways = [under_no_grad, out_of_place, flag_dropped, cloned_before]
    if not update:
        ways = [flag_dropped, out_of_place, cloned_before, under_no_grad]
    for way in (under_another_name, *ways):
        yield from way(wanted)


def is_update(wanted: Wanted) -> bool:
    """Whether the write is a step of a descent: it uses a gradient, or nothing but numbers."""
    statement = wanted.at("changed")
    if statement is None:
        return False
    shown = ast.unparse(statement)
    return ".grad" in shown or any(word in shown for word in ("lr", "rate", "step", "eta", "alpha"))


@fix(many_views=3)
def view_changed(wanted: Wanted) -> Iterator[Proposal]:
    for way in (out_of_place, cloned_at_view, cloned_before, under_no_grad):
        yield from way(wanted)


@fix(leaf_view=1)
def leaf_view_changed(wanted: Wanted) -> Iterator[Proposal]:
    """A leaf would be written over through a view of it."""
    first = out_of_place(wanted)
    yield from first
    yield from leaf_changed(wanted)
    yield from cloned_at_view(wanted)


# ---- ways


def store_copy(wanted: Wanted) -> Iterator[Proposal]:
    """What a method keeps for others to look at, `self.attention = a`, is kept as a copy: they may write into it."""
    text, changed = wanted.text, wanted.at("changed")
    if changed is None:
        return
    writer = enclosing(text, changed, ast.FunctionDef)
    known = {(wanted.name(role) or "").rpartition(".")[2] for role in ("kept", "whole", "written")}
    read = [part for part in text.parts(writer, ast.Assign) if written_name(changed) in targets(part)]
    known |= {part.value.attr for part in read if isinstance(part.value, ast.Attribute)}
    for node in text.parts(text.tree, ast.Assign):
        goal = node.targets[0]
        if not isinstance(goal, ast.Attribute) or goal.attr not in known or not isinstance(node.value, ast.Name):
            continue
        if enclosing(text, node, ast.FunctionDef) is writer or goal.attr in ast.unparse(changed):
            continue
        title = f"keep a copy in {text.get(goal)}, on line {node.lineno}"
        yield wanted.proposal(title, COPY, followed(text, node.value, ".detach().clone()"))


def copy_rows(wanted: Wanted) -> Iterator[Proposal]:
    """Of buffers that a loop fills row by row, the rows that it computes with are copies: `f(x[t].clone())`."""
    text, changed = wanted.text, wanted.at("changed")
    loop = text.loop(changed) if changed is not None else None
    inside = {id(part) for part in ast.walk(loop)} if loop is not None else set()
    filled = {written_name(part) for part in text.parts(loop, ast.Assign) if isinstance(part.targets[0], ast.Subscript)}
    if changed is None or written_name(changed) not in filled:
        return
    for built in stack_statements(wanted, "built"):
        rows = [part for part in text.parts(built, ast.Subscript) if isinstance(part.ctx, ast.Load)]
        rows = [row for row in rows if text.get(row.value) in filled and not is_method(text, row)]
        if rows and id(built) in inside:
            shown = enumerated(list(dict.fromkeys(f"{text.get(row)}.clone()" for row in rows)))
            title = f"compute with copies of the rows: {shown} on line {built.lineno}"
            yield wanted.proposal(title, COPY, *(followed(text, row, ".clone()") for row in rows))


def is_method(text: Text, node: ast.expr) -> bool:
    """Whether a method of `node` is asked for, or an entry of it taken: a copy comes of it anyway, or too much."""
    return isinstance(text.parents.get(node), ast.Subscript | ast.Attribute)


@fix(no_grad_view=3, function_view=2, expanded=3)
def cloned_before(wanted: Wanted) -> Iterator[Proposal]:
    """The write goes into a clone: `h = h.clone()` before it, or before a view is taken of it to be written into."""
    text = wanted.text
    for statement in stack_statements(wanted, "changed")[:1]:
        name = written_name(statement)
        viewed = viewed_name(statement) if name is None else None
        if viewed is not None:
            title = f"write into a clone: {viewed} = {viewed}.clone() before line {statement.lineno}"
            yield wanted.proposal(title, COPY, text.before(statement, [f"{viewed} = {viewed}.clone()"]))
            continue
        for view in text.block(statement) if name is not None and read_view(text, statement, name) else ():
            base = viewed_base(view, name)
            if base is not None and view.lineno < statement.lineno:
                title = f"write into a clone: {base} = {base}.clone() before line {view.lineno}"
                yield wanted.proposal(title, COPY, text.before(view, [f"{base} = {base}.clone()"]))
        if (
            name is None
            or isinstance(statement, ast.For | ast.While | ast.With | ast.If)
            or turns_over(text, statement)
        ):
            continue
        title = f"write into a clone: {name} = {name}.clone() before line {statement.lineno}"
        offered = wanted.proposal if read_after(text, statement) else wanted.makeshift
        yield offered(title, COPY, text.before(statement, [f"{name} = {name}.clone()"]))


VIEWS = frozenset(
    ("diagonal", "view", "t", "transpose", "permute", "squeeze", "unsqueeze", "select", "narrow", "flatten", "unfold")
)


def viewed_name(statement: ast.stmt) -> str | None:
    """The name of what `statement` writes into through a view: `K` of `K.diagonal().add_(1)`."""
    goal: ast.expr | None = None
    if isinstance(statement, ast.AugAssign | ast.Assign):
        goal = statement.target if isinstance(statement, ast.AugAssign) else statement.targets[0]
        goal = goal if isinstance(goal, ast.Subscript) else None
    elif isinstance(statement, ast.Expr) and callee(statement.value).endswith("_"):
        call = statement.value
        goal = chained(call.func.value) if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) else None
    return whole_of(goal) if goal is not None else None


def whole_of(node: ast.expr) -> str | None:
    """`K` of `K.diagonal()[1:]`."""
    through = False
    while True:
        if isinstance(node, ast.Subscript):
            node = node.value
        elif isinstance(node, ast.Call) and callee(node) in VIEWS and isinstance(node.func, ast.Attribute):
            node, through = node.func.value, True
        elif isinstance(node, ast.Name | ast.Attribute) and through and ast.unparse(node) != "torch":
            return ast.unparse(node)
        else:
            return None


def viewed_base(statement: ast.stmt, name: str | None) -> str | None:
    """`K` of `d = K.diagonal()`, if the name is `d`."""
    if isinstance(statement, ast.Assign) and name in targets(statement):
        return whole_of(statement.value)
    return None


def read_view(text: Text, statement: ast.stmt, name: str) -> bool:
    """Whether the name that is written into was given to a view in the same block."""
    return any(viewed_base(part, name) for part in text.block(statement))


def cloned_where_kept(wanted: Wanted) -> Iterator[Proposal]:
    """The node keeps a clone: where it is built, `h` becomes `h.clone()`."""
    text, built = wanted.text, wanted.at("built")
    known = [name for name in map(wanted.name, ("kept", "whole", "written")) if name]
    paths = [name.split(".") for name in known]
    own = [".".join(["self", *path[at:]]) for path in paths for at in range(1, len(path))]
    kept = dict.fromkeys([*known, *own])
    if built is None:
        return
    for name in kept:
        uses = [use for use in loads(built, name) if not is_written(text, use)]
        if uses:
            title = f"let line {built.lineno} work on a clone of {name}"
            yield wanted.proposal(title, COPY, *(followed(text, use, ".clone()") for use in uses))
    value = value_of(built)
    if isinstance(built, ast.Assign) and value is not None:
        title = f"clone the result of line {built.lineno}, so that the write changes the clone"
        yield wanted.proposal(title, COPY, followed(text, value, ".clone()"))


def looked_up_first(wanted: Wanted) -> Iterator[Proposal]:
    """A lookup that shortens rows comes before what computes with the whole table."""
    text = wanted.text
    for change in stack_statements(wanted, "changed") if wanted.name("how") == "max_norm" else ():
        first = wanted.beside("built", change)
        block = text.block(change)
        if first is None or first not in block or first.lineno >= change.lineno or not text.alone(change):
            continue
        between = block[block.index(first) : block.index(change)]
        if not any(targets(part) & names_in(value_of(change) or change) for part in between):
            title = f"line {change.lineno} before line {first.lineno}: look up first"
            cost = "what comes behind it computes with the shortened rows"
            yield wanted.proposal(title, cost, text.removed(change), text.before(first, text.lines_of(change)))
            return


def is_written(text: Text, use: ast.expr) -> bool:
    """Whether `use` is what is written into: `h` of `h[t] = …`."""
    outer: ast.AST | None = use
    while isinstance(outer, ast.Subscript | ast.Attribute | ast.Name):
        if isinstance(outer.ctx, ast.Store):
            return True
        outer = text.parents.get(outer)
    return False


@fix(no_grad_view=1, function_view=1, expanded=2)
def cloned_at_view(wanted: Wanted) -> Iterator[Proposal]:
    """`row = table[1]` becomes `row = table[1].clone()`."""
    text, built = wanted.text, wanted.at("built")
    value = value_of(built)
    if not isinstance(built, ast.Assign) or value is None:
        return
    title = f"clone on line {built.lineno}: a copy is no view"
    if isinstance(built.targets[0], ast.Tuple | ast.List):
        made = f"[part.clone() for part in {text.get(value)}]"
        yield wanted.proposal(title, COPY, text.replaced(value, made))
    else:
        yield wanted.proposal(title, COPY, followed(text, value, ".clone()"))


def inplace_switched_off(wanted: Wanted) -> Iterator[Proposal]:
    """`inplace=True` becomes `inplace=False`, and `nn.ReLU(True)` becomes `nn.ReLU(False)`."""
    text = wanted.text
    calls = [node for node in ast.walk(text.tree) if isinstance(node, ast.Call)]
    edits = [
        text.replaced(given, "False")
        for given in map(inplace, calls)
        if isinstance(given, ast.Constant) and given.value is True
    ]
    if edits:
        yield wanted.proposal("inplace=False", COPY, *edits)


FIRST = dict.fromkeys(["Hardsigmoid", "Hardswish", "Mish", "ReLU", "ReLU6", "SELU", "SiLU"], 0)
INPLACE = {**FIRST, **dict.fromkeys(["CELU", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "ELU", "LeakyReLU"], 1)}
"""Where `inplace` stands among the settings of a module, if it is given without its name."""


def inplace(call: ast.Call) -> ast.expr | None:
    """What `call` says of writing in place."""
    if (word := keyword(call, "inplace")) is not None:
        return word.value
    place = INPLACE.get(callee(call))
    return call.args[place] if place is not None and place < len(call.args) else None


@fix(hooked_view=1)
def hooked_view(wanted: Wanted) -> Iterator[Proposal]:
    """What a hook of a module handed on is written over, by a module beside it or by the program itself."""
    yield from inplace_switched_off(wanted)
    text, raised = wanted.text, wanted.at("raised")
    made = plain(text, raised)
    if made is not None and raised is not None:
        yield wanted.proposal(f"{PLAINLY}: line {raised.lineno}", COPY, text.replaced(raised, made))


@fix(no_grad_view=4)
def under_no_grad(wanted: Wanted) -> Iterator[Proposal]:
    """The write, and those beside it, under torch.no_grad()."""
    text, statement = wanted.text, wanted.at("changed")
    if statement is None or isinstance(statement, ast.FunctionDef):
        return
    if isinstance(statement, ast.For | ast.While | ast.If | ast.With) and statement.body[0].lineno > statement.lineno:
        return
    block = text.block(statement)
    at = block.index(statement) if statement in block else -1
    group = [statement]
    while at >= 0 and at + len(group) < len(block) and alike(group[-1], block[at + len(group)]):
        group.append(block[at + len(group)])
    title = f"update under torch.no_grad(): line {statement.lineno}"
    if len(group) > 1:
        title += f" to {group[-1].lineno}"
    yield wanted.proposal(title, UNRECORDED, text.wrapped(group, "with torch.no_grad():"))


def under_another_name(wanted: Wanted) -> Iterator[Proposal]:
    """A step along a recorded gradient, that a later loss is to go back through: `fast_w = w - 0.1 * g`."""
    text, statement = wanted.text, wanted.at("changed")
    block = text.block(statement) if statement is not None else []
    recording = [call for call in text.calls(text.tree, "grad") if keyword(call, "create_graph") is not None]
    grads = {name for one in text.parts(text.tree, ast.Assign) if one.value in recording for name in targets(one)}
    steps = [one for one in block if isinstance(one, ast.AugAssign) and isinstance(one.target, ast.Name)]
    steps = [one for one in steps if names_in(one.value) & grads and plain_sum(text, one)]
    if not isinstance(statement, ast.AugAssign) or statement not in steps:
        return
    edits, fast = [], {text.get(one.target): f"fast_{text.get(one.target)}" for one in steps}
    for one in steps:
        name = text.get(one.target)
        edits.append(text.replaced(one, (plain_sum(text, one) or "").replace(name, fast[name], 1)))
    for later in block[block.index(steps[-1]) + 1 :]:
        for name, other in fast.items():
            edits += [text.replaced(use, other) for use in loads(later, name)]
    names = " and ".join(fast.values())
    title = f"keep what the step gives under names of its own, {names}, from line {steps[0].lineno} on"
    made = wanted.proposal(title, "the leaves stay, and the later loss goes back to them through the step", *edits)
    yield replace(made, decisive=True)


def alike(one: ast.stmt, two: ast.stmt) -> bool:
    """Whether two statements write in place in the same manner."""
    return type(one) is type(two) and written_name(one) is not None and written_name(two) is not None


def flag_dropped(wanted: Wanted) -> Iterator[Proposal]:
    """What is written into does not require a gradient itself."""
    text, saved = wanted.text, wanted.at("saved")
    for call in text.calls(saved):
        edit = without_keyword(text, call, "requires_grad")
        if edit is not None:
            title = f"leave out requires_grad=True on line {call.lineno}: what is written into needs none of its own"
            yield wanted.proposal(title, "no .grad for the buffer; what is written into it keeps its graph", edit)


def moved_behind(wanted: Wanted) -> Iterator[Proposal]:
    """The write comes after the backward that needs the old numbers."""
    text = wanted.text
    goals = stack_statements(wanted, "raised")
    changes = stack_statements(wanted, "changed")
    for goal in goals:
        for change in changes:
            block = text.block(goal)
            if change not in block or goal not in block or not text.alone(change):
                continue
            after = goal
            if block.index(change) >= block.index(goal):
                continue
            title = f"line {change.lineno} after line {goal.lineno}: write when backward has what it needs"
            cost = FREE
            if wanted.found.cause == "step_between":
                title = f"step (line {change.lineno}) only after the backward of line {goal.lineno}"
                cost = "parameters that both losses reach get the sum of both gradients"
            edits = [text.removed(change), text.after(after, text.lines_of(change))]
            between = wanted.found.cause == "step_between"  # a step with other gradients than were meant for it
            yield (wanted.makeshift if between else wanted.proposal)(title, cost, *edits)
            return


def detached_uses(wanted: Wanted) -> Iterator[Proposal]:
    """What a later forward takes from an earlier network is detached."""
    text = wanted.text
    for goal in stack_statements(wanted, "raised"):
        block = text.block(goal)
        change = wanted.beside("changed", goal)
        if change is None or change not in block or goal not in block:
            continue
        built = wanted.beside("built", goal)
        made = {name for name in names_in(built)} if isinstance(built, ast.Assign) else set()
        for statement in block[block.index(change) + 1 : block.index(goal)]:
            for name in sorted(made):
                uses = [use for use in loads(statement, name) if isinstance(use, ast.Name)]
                uses = [use for use in uses if not isinstance(text.parents.get(use), ast.Attribute)]
                uses = [use for use in uses if not is_function(text, use)]
                if uses and isinstance(statement, ast.Assign):
                    title = f"detach {name} on line {statement.lineno}"
                    cost = "no gradient goes back into what made it"
                    yield wanted.proposal(title, cost, *(followed(text, use, ".detach()") for use in uses))


def detached_share(wanted: Wanted) -> Iterator[Proposal]:
    """What several losses share, made once and stepped on by the first, is detached for the last of them."""
    text = wanted.text
    for made in stack_statements(wanted, "built"):
        block = text.block(made)
        if not isinstance(made, ast.Assign) or made not in block:
            continue
        later = block[block.index(made) + 1 :]
        for name in sorted(targets(made)):
            uses = [entry_of(text, use) for statement in later for use in loads(statement, name)]
            uses = [use for use in uses if not is_function(text, use)]
            if len(uses) > 1:
                last = max(uses, key=lambda use: (use.lineno, use.col_offset))
                title = f"detach {name} where it is used last, on line {last.lineno}"
                cost = f"this loss trains nothing that {name} was made with"
                yield wanted.proposal(title, cost, followed(text, last, ".detach()"))


def entry_of(text: Text, use: ast.expr) -> ast.expr:
    """`outputs[name]` for the `outputs` in it."""
    outer = text.parents.get(use)
    return entry_of(text, outer) if isinstance(outer, ast.Subscript) and outer.value is use else use


def is_function(text: Text, use: ast.expr) -> bool:
    parent = text.parents.get(use)
    return isinstance(parent, ast.Call) and parent.func is use


@fix(out_argument=1)
def without_out(wanted: Wanted) -> Iterator[Proposal]:
    """`torch.add(a, 1, out=b)` becomes `b = torch.add(a, 1)`."""
    text, statement = wanted.text, wanted.at("raised")
    for call in text.calls(statement):
        out = keyword(call, "out")
        edit = without_keyword(text, call, "out")
        if out is None or edit is None or statement is None:
            continue
        start = text.place(call.lineno, call.col_offset)
        assign = Edit(*start, *start, f"{text.get(out.value)} = ")
        if isinstance(statement, ast.Expr) and statement.value is call:
            yield wanted.proposal("take the result instead of out=", COPY, assign, edit)


@fix(stale=1)
def stale(wanted: Wanted) -> Iterator[Proposal]:
    """Something was written through `.data` between a forward and its backward."""
    for way in (out_of_place_data, moved_behind_seen, recomputed_seen, cloned_where_kept):
        yield from way(wanted)


def out_of_place_data(wanted: Wanted) -> Iterator[Proposal]:
    """The write through `.data` goes into a clone instead."""
    text, statement = wanted.text, wanted.at("changed")
    name = written_name(statement)
    if statement is None or name is None:
        return
    title = f"write into a clone: {name} = {name}.clone() before line {statement.lineno}"
    yield wanted.proposal(title, COPY, text.before(statement, [f"{name} = {name}.clone()"]))


def moved_behind_seen(wanted: Wanted) -> Iterator[Proposal]:
    text = wanted.text
    for goal in stack_statements(wanted, "seen") + [wanted.at("shows")]:
        for change in stack_statements(wanted, "changed"):
            if goal is None or goal not in text.block(change) or goal.lineno <= change.lineno:
                continue
            if text.alone(change):
                title = f"line {change.lineno} after line {goal.lineno}: write when backward has what it needs"
                yield wanted.proposal(title, FREE, text.removed(change), text.after(goal, text.lines_of(change)))
                return


def recomputed_seen(wanted: Wanted) -> Iterator[Proposal]:
    text = wanted.text
    for goal in stack_statements(wanted, "seen"):
        first = wanted.beside("built", goal)
        if first is None or first not in text.block(goal):
            continue
        statements = needed_before(text, goal, first)
        if statements:
            cost = "one forward more; the gradient is taken at the numbers of now"
            title = f"compute it again before line {goal.lineno}"
            yield wanted.proposal(title, cost, text.before(goal, copies(text, statements)))
