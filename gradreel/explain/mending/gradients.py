"""Mends for gradients that are None, that pile up, or that carry a graph."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..calls import callee
from ..fixes.edits import copies, enclosing, enumerated, followed, root_name, set_keyword, stack_statements
from ..fixes.proposal import FREE, Proposal, Wanted
from ..fixes.registry import fix
from ..fixes.text import Edit, Text, names_in
from ..narration.words import code
from .hooks import hooks
from .inner_loops import ask_for_gradients
from .tracking import tracked_at_cut, tracked_before_use
from .wrong_tensor import leaf_last


@fix(not_leaf=1)
def not_leaf(wanted: Wanted) -> Iterator[Proposal]:
    """The gradient of a result was read."""
    used = wanted.line("shows") is None
    ways = (leaf_last, retained) if used else (retained, leaf_last)
    for way in (ask_for_gradients, updated_in_place, stepped_to_leaves, *ways):
        yield from way(wanted)


def stepped_to_leaves(wanted: Wanted) -> Iterator[Proposal]:
    """`[w - rate * w.grad for w in ws]` makes results of the old leaves; detached, they are leaves of their own."""
    text, built = wanted.text, wanted.at("built")
    steps = [
        part
        for part in text.parts(built, ast.BinOp)
        if isinstance(part.op, ast.Sub) and ".grad" in ast.unparse(part.right) and text.parents.get(part) is not built
    ]
    if steps and built is not None:
        title = f"make leaves of what was stepped: .detach().requires_grad_() on line {built.lineno}"
        edits = [followed(text, part, ".detach().requires_grad_()") for part in steps]
        yield wanted.proposal(title, "each gradient is that of one turn", *edits)


@fix(never_moved=4)
def retained(wanted: Wanted) -> Iterator[Proposal]:
    """`retain_grad()` behind the line that made it."""
    text, built, name = wanted.text, wanted.at("built"), wanted.name("target")
    if name is None:
        return
    for statement in [*stack_statements(wanted, "built"), built]:
        if not isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign):
            continue
        goals = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        shown = [ast.unparse(goal) for goal in goals]
        paths = [path for path in shown if path == name or same_end(path, name)]
        for path in paths or shown[:1]:
            if isinstance(ast.parse(path, mode="eval").body, ast.Name | ast.Attribute):
                title = f"ask it to keep its gradient: {path}.retain_grad() after line {statement.lineno}"
                yield wanted.proposal(
                    title, "its gradient stays in memory", text.after(statement, [f"{path}.retain_grad()"])
                )
    call = backward_before(wanted)
    if call is not None:
        title = f"{name}.retain_grad() before line {call.lineno}"
        yield wanted.proposal(title, "its gradient stays in memory", text.before(call, [f"{name}.retain_grad()"]))
    yield from retained_where_kept(wanted, name)


def retained_where_kept(wanted: Wanted, name: str) -> Iterator[Proposal]:
    """`retain_grad()` behind the line that puts it in a dict or on an object, as hooks do: `found[key] = out`."""
    text, holder = wanted.text, re.split(r"[.\[]", name)[0]
    for node in ast.walk(text.tree):
        goal = node.targets[0] if isinstance(node, ast.Assign) else None
        if not isinstance(node, ast.Assign) or not isinstance(goal, ast.Subscript | ast.Attribute):
            continue
        if ast.unparse(root_name(goal)) == holder:
            title = f"ask it to keep its gradient: {text.get(goal)}.retain_grad() after line {node.lineno}"
            line = f"{text.get(goal)}.retain_grad()"
            yield wanted.proposal(title, "its gradient stays in memory", text.after(node, [line]))


def same_end(path: str, name: str) -> bool:
    """`self.h` and `net.h`."""
    return "." in path and "." in name and path.partition(".")[2] == name.partition(".")[2]


def backward_before(wanted: Wanted) -> ast.stmt | None:
    """The last statement with a backward before the gradient is read."""
    line = wanted.line("shows") or wanted.line("raised") or 0
    text = wanted.text
    here = text.statement(line)
    within = enclosing(text, here, ast.FunctionDef) if here is not None else None
    found = [
        statement
        for node in ast.walk(text.tree)
        if isinstance(node, ast.Call)
        and callee(node) == "backward"
        and node.lineno < line
        and (statement := text.statement(node.lineno)) is not None
        and enclosing(text, statement, ast.FunctionDef) is within
    ]
    return found[-1] if found else None


@fix(never_moved=2)
def updated_in_place(wanted: Wanted) -> Iterator[Proposal]:
    """`w = w - rate * w.grad` makes another tensor; `w -= rate * w.grad` under no_grad keeps the leaf."""
    text = wanted.text
    rebound = [
        node
        for node in ast.walk(text.tree)
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.BinOp)
        and isinstance(node.value.op, ast.Sub)
        and ast.unparse(node.targets[0]) == ast.unparse(node.value.left)
        and ".grad" in ast.unparse(node.value.right)
    ]
    if not rebound:
        return
    for header in (None, "with torch.no_grad():"):
        edits = []
        for node in rebound:
            assert isinstance(node.value, ast.BinOp)
            made = f"{text.get(node.targets[0])} -= {text.get(node.value.right)}"
            quiet = header is None or any(
                isinstance(outer, ast.With) and "no_grad" in ast.unparse(outer.items[0]) for outer in text.around(node)
            )
            edits.append(text.replaced(node, made if quiet else f"{header} {made}"))
        title = "change the leaf in place, under torch.no_grad(), instead of binding its name anew"
        yield wanted.proposal(title, FREE, *edits)
        backward = backward_before(wanted)
        if backward is not None and header is not None:
            cleared = [f"{text.get(node.targets[0])}.grad = None" for node in rebound]
            yield wanted.proposal(f"{title}, and clear its gradient", FREE, *edits, text.before(backward, cleared))


@fix(handed_out=1)
def parameters_read(wanted: Wanted) -> Iterator[Proposal]:
    """The parameters themselves instead of what `state_dict()` hands out."""
    text = wanted.text
    for call in text.calls(wanted.at("built"), "state_dict"):
        if not isinstance(call.func, ast.Attribute):
            continue
        items = text.parents.get(call)
        whole = text.parents.get(items) if isinstance(items, ast.Attribute) and items.attr == "items" else None
        if isinstance(whole, ast.Call):
            made = f"{text.get(call.func.value)}.named_parameters()"
            yield wanted.proposal(f"{made} on line {call.lineno}", FREE, text.replaced(whole, made))
        title = f"keep_vars=True on line {call.lineno}: the parameters themselves"
        yield wanted.proposal(title, FREE, set_keyword(text, call, "keep_vars", "True"))


@fix(rebased=1)
def rebased(wanted: Wanted) -> Iterator[Proposal]:
    """The write into the base comes before the view is taken."""
    text, change, saved = wanted.text, wanted.at("changed"), wanted.at("saved")
    if change is not None and saved is not None and change in text.block(saved) and text.alone(change):
        title = f"line {change.lineno} before line {saved.lineno}: write before the view is taken"
        yield wanted.proposal(title, FREE, text.removed(change), text.before(saved, copies(text, [change])))


ASKED = ("register_hook", "retain_grad")
"""What is asked of a tensor before it has a gradient."""


@fix(too_early=1)
def too_early(wanted: Wanted) -> Iterator[Proposal]:
    """Until the first backward there is no gradient."""
    text, raised, name = wanted.text, wanted.at("raised"), wanted.name("target")
    if raised is None or name is None:
        return
    block = text.block(raised)
    group = [raised]
    at = block.index(raised)
    while at + len(group) < len(block) and is_clearing(block[at + len(group)]) and is_clearing(raised):
        group.append(block[at + len(group)])
    if isinstance(raised, ast.For | ast.While | ast.With | ast.If):
        return
    yield from backward_first(wanted, raised)
    test = f"{name}.requires_grad" if text.calls(raised, *ASKED) else f"{name}.grad is not None"
    yield wanted.proposal(f"only where there is one: if {test}", FREE, text.wrapped(group, f"if {test}:"))
    if len(block) > at + len(group) and all(text.alone(part) for part in group):
        title = f"line {raised.lineno} after the backward, at the end of the turn"
        edits = [text.removed(part) for part in group]
        yield wanted.proposal(title, FREE, *edits, text.after(block[-1], copies(text, group)))


def backward_first(wanted: Wanted, raised: ast.stmt) -> Iterator[Proposal]:
    """Where no line of the program goes backward, the loss made last does so before its gradients are used."""
    text = wanted.text
    if any(callee(call) in ("backward", "grad") for call in text.parts(text.tree, ast.Call)):
        return
    for statement in (raised, *(node for node in text.around(raised) if isinstance(node, ast.stmt))):
        block = text.block(statement)
        above = (
            [node for node in block[: block.index(statement)] if isinstance(node, ast.Assign)]
            if statement in block
            else []
        )
        names = [node.targets[0].id for node in above if isinstance(node.targets[0], ast.Name)]
        for name in [name for name in names[-1:] if name != wanted.name("target")]:
            title = f"{name}.backward() before line {statement.lineno}"
            yield wanted.proposal(title, "gradients are computed", text.before(statement, [f"{name}.backward()"]))


@fix(no_backward=1)
def driven(wanted: Wanted) -> Iterator[Proposal]:
    """The loss goes backward before the step that follows it, else at once."""
    text, built, name = wanted.text, wanted.at("built"), wanted.name("target")
    if built is None or name is None or not name.isidentifier():
        return
    block, added = text.block(built), [f"{name}.backward()"]
    rest = block[block.index(built) + 1 :] if built in block else []
    step = next((statement for statement in rest if text.calls(statement, "step")), None)
    title = f"{name}.backward() " + (f"after line {built.lineno}" if step is None else f"before line {step.lineno}")
    yield wanted.proposal(
        title, "gradients are computed", text.after(built, added) if step is None else text.before(step, added)
    )


@fix(never_stepped=1)
def stepped(wanted: Wanted) -> Iterator[Proposal]:
    """The optimizer takes a step behind the backward."""
    text, built, name = wanted.text, wanted.at("built"), wanted.name("target")
    if built is not None and name is not None:
        title = f"{name}.step() after line {built.lineno}"
        yield wanted.proposal(title, "the parameters change", text.after(built, [f"{name}.step()"]))


def is_clearing(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and ".grad" in ast.unparse(statement) and "zero_" in ast.unparse(statement)


@fix(emptied=1)
def emptied(wanted: Wanted) -> Iterator[Proposal]:
    """zero_grad sets gradients to None: zeros on request, or later."""
    text, change = wanted.text, wanted.at("changed")
    for call in text.calls(change, "zero_grad"):
        title = f"set_to_none=False on line {call.lineno}: zeros instead of None"
        yield wanted.proposal(title, "the zeros stay in memory", set_keyword(text, call, "set_to_none", "False"))
    for goal in stack_statements(wanted, "raised"):
        if change is not None and change in text.block(goal) and text.alone(change) and change is not goal:
            title = f"line {change.lineno} after line {goal.lineno}: reset it when it was used"
            yield wanted.proposal(title, FREE, text.removed(change), text.after(goal, copies(text, [change])))
    yield from too_early(wanted)


@fix(idle=1)
def emptied_later(wanted: Wanted) -> Iterator[Proposal]:
    """The gradients are emptied, by the helper that does so, when the step has used them."""
    text = wanted.text
    for goal in stack_statements(wanted, "seen"):
        change = wanted.beside("changed", goal)
        if change is not None and change in text.block(goal) and text.alone(change) and change is not goal:
            title = f"line {change.lineno} after line {goal.lineno}: reset them when the step has used them"
            yield wanted.proposal(title, FREE, text.removed(change), text.after(goal, copies(text, [change])))


@fix(not_tracked=2)
def not_tracked(wanted: Wanted) -> Iterator[Proposal]:
    yield from updated_in_place(wanted)
    yield from tracked_at_cut(wanted)
    yield from tracked_before_use(wanted)
    yield from too_early(wanted)


@fix(not_used=2)
def not_used(wanted: Wanted) -> Iterator[Proposal]:
    yield from too_early(wanted)


def clear_forgotten(wanted: Wanted) -> Iterator[Proposal]:
    """Where some gradients are emptied, one by one or in a loop, those that were forgotten are emptied, too."""
    text, target = wanted.text, wanted.name("target")
    for loop in text.parts(text.tree, ast.For):
        if not isinstance(loop.iter, ast.List | ast.Tuple) or not any(map(cleared_name, loop.body)):
            continue
        here = names_in(loop.iter)
        others = [part for kind in (ast.List, ast.Tuple) for part in text.parts(text.tree, kind)]
        for other in [part for part in others if isinstance(part, ast.expr) and here < names_in(part)]:
            if isinstance(other, ast.List | ast.Tuple) and all(isinstance(part, ast.Name) for part in other.elts):
                more = enumerated(
                    [part.id for part in other.elts if isinstance(part, ast.Name) and part.id not in here]
                )
                title = f"reset the gradients of {more}, too, on line {loop.lineno}"
                made = f"({', '.join(map(text.get, other.elts))})"
                yield wanted.proposal(title, FREE, text.replaced(loop.iter, made))
                return
    plain = [part for part in text.parts(text.tree, ast.Expr) if (cleared_name(part) or "").isidentifier()]
    if plain and target is not None and target.isidentifier() and target not in map(cleared_name, plain):
        made = text.get(plain[-1]).replace(f"{cleared_name(plain[-1])}.", f"{target}.", 1)
        title = f"reset the gradient of {target}, too: {made} after line {plain[-1].lineno}"
        yield wanted.proposal(title, FREE, text.after(plain[-1], [made]))


def cleared_name(statement: ast.stmt) -> str | None:
    """The name of what `w.grad.zero_()` resets the gradient of."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or callee(call) != "zero_" or not isinstance(call.func, ast.Attribute):
        return None
    owner = call.func.value
    owner = owner.value if isinstance(owner, ast.Attribute) and owner.attr == "data" else owner
    return ast.unparse(owner.value) if isinstance(owner, ast.Attribute) and owner.attr == "grad" else None


def is_emptying(text: Text, statement: ast.AST | None, within: bool = False) -> bool:
    """Whether all that `statement` does is to empty gradients: `opt.zero_grad()`, or a loop, or, unless it is `within`
    one, a function of the program that does nothing else."""
    if isinstance(statement, ast.For | ast.If):
        return all(is_emptying(text, part, within) for part in statement.body)
    if isinstance(statement, ast.Assign):
        goal = statement.targets[0]
        return isinstance(goal, ast.Attribute) and goal.attr == "grad" and ast.unparse(statement.value) == "None"
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(statement, ast.Expr) or not isinstance(call, ast.Call):
        return False
    homes = [] if within else [node for node in text.parts(text.tree, ast.FunctionDef) if node.name == callee(call)]
    own = any(all(is_emptying(text, part, True) for part in home.body) for home in homes)
    return own or callee(call) == "zero_grad" or cleared_name(statement) is not None


def emptied_again(wanted: Wanted) -> Iterator[Proposal]:
    """What empties the gradients before the first of two backwards in a turn does so before the second, too."""
    text = wanted.text
    for goal in stack_statements(wanted, "changed"):
        home = enclosing(text, goal, ast.FunctionDef)
        statements = [part for part in text.parts(home or text.tree, ast.stmt) if part.lineno < goal.lineno]
        here = [part for part in statements if enclosing(text, part, ast.FunctionDef) is home]
        for one in [part for part in here if text.alone(part) and is_emptying(text, part)]:
            if is_emptying(text, text.parents.get(one)):
                continue
            lines = text.lines_of(one)
            title = f"{lines[0].partition('#')[0].strip()} before line {goal.lineno}, too"
            yield wanted.proposal(title, OF_ONE_TURN, text.before(goal, lines))


def emptied_for_step(wanted: Wanted) -> Iterator[Proposal]:
    """Of several optimizers, the one that steps next is emptied before the backward that it steps with: in the place
    of another, if that is emptied there for nothing."""
    text, step = wanted.text, wanted.at("shows")
    owner = next(iter(owners(text, step, "step")), None)
    if step is None or owner is None or not text.alone(step):
        return
    block = text.block(step)
    before = block[: block.index(step)]
    others = [at for at, part in enumerate(before) if owners(text, part, "step")]
    stretch = before[others[-1] + 1 :] if others else before
    for part in stretch:
        emptied = [name for name in owners(text, part, "zero_grad") if name != owner]
        again = [later for later in block if later not in stretch and owners(text, later, "zero_grad") == emptied]
        if emptied and again and isinstance(part, ast.Expr) and isinstance(part.value, ast.Call):
            title = f"{owner}.zero_grad() instead of {emptied[0]}.zero_grad() on line {part.lineno}"
            yield wanted.proposal(title, OF_ONE_TURN, text.replaced(part.value.func, f"{owner}.zero_grad"))
    first = next((part for part in stretch if text.calls(part, "backward")), None)
    if first is not None and any(
        name != owner for part in text.parts(text.tree, ast.Expr) for name in owners(text, part, "step")
    ):
        line = f"{owner}.zero_grad()"
        yield wanted.proposal(f"{line} before line {first.lineno}", OF_ONE_TURN, text.before(first, [line]))


def owners(text: Text, statement: ast.stmt | None, method: str) -> list[str]:
    """What the calls of `method` in a statement are made on."""
    calls = text.calls(statement, method)
    return [text.get(call.func.value) for call in calls if isinstance(call.func, ast.Attribute)]


OF_ONE_TURN = "each step uses the gradient of its own turn only"


@fix(piled=1)
def piled(wanted: Wanted) -> Iterator[Proposal]:
    """Somebody resets the gradients before the next are added."""
    text = wanted.text
    yield from clear_forgotten(wanted)
    yield from emptied_for_step(wanted)
    yield from emptied_again(wanted)
    goals = stack_statements(wanted, "changed")
    steps = [
        node
        for node in ast.walk(text.tree)
        if isinstance(node, ast.Call) and callee(node) == "step" and isinstance(node.func, ast.Attribute)
    ]
    cost = OF_ONE_TURN
    for goal in goals:
        for step in steps:
            assert isinstance(step.func, ast.Attribute)
            line = f"{text.get(step.func.value)}.zero_grad()"
            yield wanted.proposal(f"{line} before line {goal.lineno}", cost, text.before(goal, [line]))
    target = wanted.name("target")
    clears = [target] if target else []
    updated = [
        text.get(node.target)
        for node in ast.walk(text.tree)
        if isinstance(node, ast.AugAssign) and ".grad" in ast.unparse(node.value)
    ]
    updated += [
        ast.unparse(node.targets[0]).removesuffix(".data")
        for node in ast.walk(text.tree)
        if isinstance(node, ast.Assign)
        and ".grad" in ast.unparse(node.value)
        and ".data" in ast.unparse(node.targets[0])
    ]
    names = list(dict.fromkeys(name.removesuffix(".data") for name in [*updated, *clears]))
    lines = [f"{name}.grad = None" for name in names if name.isidentifier()]
    for goal in goals if lines else ():
        title = f"reset the gradients before line {goal.lineno}: {'; '.join(lines)}"
        yield wanted.proposal(title, cost, text.before(goal, lines))
    shows = [statement for statement in stack_statements(wanted, "seen") if isinstance(statement, ast.stmt)]
    for statement in shows[:1]:
        block = text.block(statement)
        if lines and text.alone(block[-1]):
            yield wanted.proposal(
                f"reset the gradients after the step: {'; '.join(lines)}", cost, text.after(block[-1], lines)
            )


@fix(second_order=1)
def second_order(wanted: Wanted) -> Iterator[Proposal]:
    """Empty `.grad` before the next call, or do not record the backward."""
    text, name = wanted.text, wanted.name("target")
    for goal in stack_statements(wanted, "seen"):
        if name is not None and text.calls(goal, "backward"):
            line = f"{name}.grad = None"
            yield wanted.proposal(f"{line} before line {goal.lineno}", FREE, text.before(goal, [line]))
        for call in text.calls(goal, "backward"):
            title = f"leave the backward unrecorded: create_graph=False on line {call.lineno}"
            edits = [
                set_keyword(text, call, "create_graph", "False"),
            ]
            yield wanted.proposal(title, "no second derivative; the graph is freed", *edits)


@fix(hooked=1)
def hooked(wanted: Wanted) -> Iterator[Proposal]:
    """The hook returns a new gradient."""
    text, change, target = wanted.text, wanted.at("changed"), wanted.name("target")
    if change is None:
        return
    body = text.block(change)
    returns = isinstance(body[-1], ast.Return)
    made = None
    if isinstance(change, ast.AugAssign) and isinstance(change.target, ast.Name):
        sign = {ast.Mult: "*", ast.Add: "+", ast.Sub: "-", ast.Div: "/"}.get(type(change.op))
        made = f"{text.get(change.target)} {sign} {text.get(change.value)}" if sign else None
    elif isinstance(change, ast.Expr) and isinstance(change.value, ast.Call):
        name = callee(change.value)
        if name.endswith("_"):
            made = text.get(change.value).replace(f".{name}(", f".{name[:-1]}(", 1)
    if made is not None:
        shown = f"{target} = {made}" if returns else f"return {made}"
        yield wanted.proposal("return a new gradient instead", "one tensor more", text.replaced(change, shown))
    if target is not None and target.isidentifier():
        edits = [text.before(change, [f"{target} = {target}.clone()"])]
        edits += [] if returns else [text.after(body[-1], [f"return {target}"])]
        yield wanted.proposal("change a clone and return it", "one tensor more", *edits)


@fix(parameter_hooked=1)
def parameter_hooked(wanted: Wanted) -> Iterator[Proposal]:
    """The hook goes where gradients are given to it, or changes `.grad` of the tensor that it is given."""
    text, target = wanted.text, wanted.name("target")
    if target is None or not target.isidentifier():
        return
    change: ast.stmt | ast.expr | None = wanted.at("changed")
    if change is None or target not in names_in(change):  # a lambda, which has no line of its own
        inner = [hook for hook in hooks(text, REGISTERS, 0) if isinstance(hook, ast.Lambda)]
        change = next((hook.body for hook in inner if target in names_in(hook.body)), None)
    if change is None:
        return
    ways = [call.func for call in text.calls(text.tree, REGISTERS) if isinstance(call.func, ast.Attribute)]
    computed = returned_anew(text, change, target)
    if computed is not None and ways:
        outer = [text.replaced(way, f"{text.get(way.value)}.register_hook") for way in ways]
        title = "register it with `register_hook`, which gives it the gradient"
        yield wanted.proposal(title, FREE, *outer, computed)
    places = [node for node in ast.walk(change) if isinstance(node, ast.Name) and node.id == target]
    edits = [text.replaced(node, f"{target}.grad") for node in places]
    if edits:
        yield wanted.proposal(f"change `.grad` of {code(target)}, not {code(target)} itself", FREE, *edits)


REGISTERS = "register_post_accumulate_grad_hook"


def returned_anew(text: Text, change: ast.stmt | ast.expr, target: str) -> Edit | None:
    """`change`, which writes into `target`, as one that gives back a new tensor."""
    if isinstance(change, ast.AugAssign) and isinstance(change.target, ast.Name):
        sign = {ast.Mult: "*", ast.Div: "/"}.get(type(change.op))
        made = f"{target} {sign} {text.get(change.value)}"
        returns = isinstance(text.block(change)[-1], ast.Return)
        return text.replaced(change, f"{target} = {made}" if returns else f"return {made}") if sign else None
    for call in text.parts(change, ast.Call):
        written = isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) == target
        result_is_used = not isinstance(change, ast.Expr | ast.Assign) or isinstance(text.parents.get(call), ast.Lambda)
        if written and callee(call).endswith("_") and result_is_used:
            return text.replaced(call.func, f"{target}.{callee(call)[:-1]}")
    return None
