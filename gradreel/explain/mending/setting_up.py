"""Mends for what was set up wrongly: modules, optimizers, loaders, and calls that lack a word."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from ..calls import callee, keyword
from ..errors.not_imported import IMPORTS, unbound
from ..fixes.edits import (
    arguments_of,
    assigned_pairs,
    bracketed,
    enclosing,
    enumerated,
    set_keyword,
    stack_statements,
    with_argument,
    without_keyword,
)
from ..fixes.proposal import FREE, Proposal, Wanted
from ..fixes.registry import fix, fix_kind
from ..fixes.text import Text, names_in, targets


@fix(no_super_init=1)
def super_called(wanted: Wanted) -> Iterator[Proposal]:
    """A module is set up before it is given layers."""
    text, raised = wanted.text, wanted.at("raised")
    for outer in text.around(raised) if raised is not None else ():
        if isinstance(outer, ast.FunctionDef) and outer.name == "__init__":
            late = [s for s in outer.body if "super(" in ast.unparse(s) and "__init__" in ast.unparse(s)]
            edits = [text.removed(statement) for statement in late]
            first = outer.body[0]
            title = f"super().__init__() first, before line {first.lineno}"
            yield wanted.proposal(title, FREE, text.before(first, ["super().__init__()"]), *edits)


@fix(not_imported=1)
def imported(wanted: Wanted) -> Iterator[Proposal]:
    """What is usually imported, before the first statement: all that is missing, at once."""
    missing, body = unbound(wanted.text.tree), wanted.text.tree.body
    first = next((one for one in body if not (isinstance(one, ast.ImportFrom) and one.module == "__future__")), None)
    if missing and first is not None:
        lines = list(dict.fromkeys(IMPORTS[name] for name in missing))
        yield wanted.proposal(f"{'; '.join(lines)} before line {first.lineno}", FREE, wanted.text.before(first, lines))


@fix(not_called=1)
def method_called(wanted: Wanted) -> Iterator[Proposal]:
    """`net.parameters` becomes `net.parameters()`."""
    text, raised = wanted.text, wanted.at("raised")
    own = {call.func for call in text.calls(raised)}
    for node in ast.walk(raised) if raised is not None else ():
        if isinstance(node, ast.Attribute) and node not in own and node.attr in METHODS:
            shown = f"{text.get(node)}()"
            yield wanted.proposal(f"{shown} on line {node.lineno}", FREE, text.replaced(node, shown))


METHODS = ("parameters", "named_parameters", "modules", "children", "buffers", "items", "keys", "values")


@fix(listed_twice=1)
def listed_once(wanted: Wanted) -> Iterator[Proposal]:
    """A group of all parameters gives up those that have a group of their own."""
    text = wanted.text
    groups = [node for node in ast.walk(text.tree) if isinstance(node, ast.Dict) and params_of(node) is not None]
    given = [params_of(group) for group in groups]
    for at, one in enumerate(given):
        others = [f"*{text.get(other)}" for i, other in enumerate(given) if i != at and other is not None]
        if one is None or not others:
            continue
        shown = text.get(one)
        taken = f"{{id(q) for q in [{', '.join(others)}]}}"
        made = f"[p for p in {shown} if id(p) not in {taken}]"
        title = f"leave out of {shown} what another group has, on line {one.lineno}"
        yield wanted.proposal(title, FREE, text.replaced(one, made))


def params_of(group: ast.Dict) -> ast.expr | None:
    for key, value in zip(group.keys, group.values, strict=True):
        if isinstance(key, ast.Constant) and key.value == "params":
            return value
    return None


@fix(reentrant_inputs=1, reentrant_grad=1, reentrant_words=1)
def not_reentrant(wanted: Wanted) -> Iterator[Proposal]:
    text = wanted.text
    for node in ast.walk(text.tree):
        if isinstance(node, ast.Call) and (callee(node) or "").startswith("checkpoint"):
            title = f"use_reentrant=False on line {node.lineno}"
            yield wanted.proposal(title, FREE, set_keyword(text, node, "use_reentrant", "False"))


@fix(no_metric=1)
def metric_given(wanted: Wanted) -> Iterator[Proposal]:
    """A schedule that watches a number is told it: the loss."""
    text = wanted.text
    losses = [
        text.get(node.func.value)
        for node in ast.walk(text.tree)
        if isinstance(node, ast.Call) and callee(node) == "backward" and isinstance(node.func, ast.Attribute)
    ]
    for call in text.calls(wanted.at("raised"), "step"):
        for loss in dict.fromkeys(losses):
            title = f"tell it the loss: {loss}.item() on line {call.lineno}"
            yield wanted.proposal(title, FREE, with_argument(text, call, f"{loss}.item()"))


@fix_kind(shape=20)
def whole_batches(wanted: Wanted) -> Iterator[Proposal]:
    """A last batch of one row is left out, or its layer uses what it learnt."""
    text = wanted.text
    if "more than 1 value per channel" not in wanted.found.message:
        return
    for node in ast.walk(text.tree):
        if isinstance(node, ast.Call) and callee(node) == "DataLoader" and keyword(node, "drop_last") is None:
            title = f"drop_last=True on line {node.lineno}"
            yield wanted.proposal(title, "the rows left over are not seen", with_argument(text, node, "drop_last=True"))


@fix(untouched=3)
def optimizer_of_these(wanted: Wanted) -> Iterator[Proposal]:
    """The optimizer gets the parameters to which the gradients come."""
    text, built = wanted.text, wanted.text.statement(wanted.found.stacks.get("optimizer", (0,))[-1])
    if not isinstance(built, ast.Assign):
        return
    cost, changed = "other parameters change", wanted.beside("changed", built)
    if changed is not None and changed in text.block(built) and built.lineno < changed.lineno and text.alone(built):
        title = f"make the optimizer after line {changed.end_lineno}"
        yield wanted.proposal(title, FREE, text.removed(built), text.after(changed, text.lines_of(built)))
    owner = (wanted.name("target") or "").partition(".")[0]
    for node in ast.walk(built.value):
        if isinstance(node, ast.Call) and callee(node) == "parameters" and isinstance(node.func, ast.Attribute):
            before = node.func.value
            if owner.isidentifier() and text.get(before) != owner:
                title = f"{owner}.parameters() on line {node.lineno}"
                yield wanted.proposal(title, cost, text.replaced(before, owner))
    last = last_change(text, built, names_in(built.value))
    if last is not None and last is not changed and text.alone(built):
        title = f"make the optimizer after line {last.end_lineno}"
        yield wanted.proposal(title, FREE, text.removed(built), text.after(last, text.lines_of(built)))


@fix(unfrozen=1)
def all_parameters_given(wanted: Wanted) -> Iterator[Proposal]:
    """`[p for p in net.parameters() if p.requires_grad]` for an optimizer becomes `net.parameters()`."""
    text = wanted.text
    comprehensions = (ast.ListComp, ast.GeneratorExp)
    for part in [node for node in ast.walk(text.tree) if isinstance(node, comprehensions)]:
        turn = part.generators[0]
        if turn.ifs and all(text.get(test).endswith(".requires_grad") for test in turn.ifs):
            title = f"give the optimizer all of {text.get(turn.iter)}, on line {part.lineno}"
            yield wanted.proposal(title, SKIPPED, text.replaced(part, text.get(turn.iter)))
    for call in text.calls(text.tree, "filter"):
        if len(call.args) == 2 and text.get(call.args[0]).endswith(".requires_grad"):
            title = f"give the optimizer all of {text.get(call.args[1])}, on line {call.lineno}"
            yield wanted.proposal(title, SKIPPED, text.replaced(call, text.get(call.args[1])))


SKIPPED = "the optimizer skips what has no gradient yet"


@fix(replaced=2)
def numbers_loaded(wanted: Wanted) -> Iterator[Proposal]:
    """`self.net = copy.deepcopy(other.net)` becomes `self.net.load_state_dict(other.net.state_dict())`."""
    text, changed = wanted.text, wanted.at("changed")
    if not isinstance(changed, ast.Assign) or len(changed.targets) != 1:
        return
    source = changed.value
    if isinstance(source, ast.Call) and callee(source) == "deepcopy" and source.args:
        goal, model = text.get(changed.targets[0]), text.get(source.args[0])
        title = f"load the numbers of {model} into {goal}, on line {changed.lineno}"
        yield wanted.proposal(title, FREE, text.replaced(changed, f"{goal}.load_state_dict({model}.state_dict())"))
    built = text.statement(wanted.found.stacks.get("optimizer", (0,))[-1])
    if isinstance(built, ast.Assign) and text.alone(changed):
        title = f"make the optimizer anew after line {changed.end_lineno}"
        yield wanted.proposal(
            title, "what the optimizer had gathered is gone", text.after(changed, text.lines_of(built))
        )


SIGNS = {ast.Mult: "mul_", ast.Div: "div_", ast.Add: "add_", ast.Sub: "sub_"}


@fix(untouched=1, replaced=1)
def written_in_place(wanted: Wanted) -> Iterator[Proposal]:
    """`self.w = nn.Parameter(self.w * s)`, behind the optimizer, becomes `self.w.mul_(s)`, under no_grad; so do all
    beside it."""
    text, changed = wanted.text, wanted.at("changed")
    beside = [(one, computed_anew(text, one)) for one in text.block(changed)] if changed is not None else []
    if changed not in [one for one, value in beside if value is not None]:
        return
    edits, lines = [], []
    for one, value in beside:
        if value is None or not isinstance(one, ast.Assign):
            continue
        path = text.get(one.targets[0])
        sign = SIGNS.get(type(value.op)) if isinstance(value, ast.BinOp) else None
        plain = isinstance(value, ast.BinOp) and text.get(value.left) in (path, f"{path}.data")
        made = f"{path}.{sign}({text.get(value.right)})" if sign and plain else f"{path}.copy_({text.get(value)})"  # type: ignore[attr-defined]
        edits.append(text.replaced(one, made if is_quiet(text, one) else f"with torch.no_grad(): {made}"))
        lines.append(str(one.lineno))
    title = f"write the numbers into the parameter that the optimizer has, on line{'s' * (len(lines) > 1)} "
    yield replace(wanted.proposal(title + enumerated(lines), FREE, *edits), decisive=True)


def computed_anew(text: Text, statement: ast.stmt) -> ast.expr | None:
    """What `self.w = nn.Parameter(f(self.w))` computes of the parameter that was there."""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Attribute | ast.Subscript):
        return None
    call, path = statement.value, text.get(statement.targets[0])
    if not isinstance(call, ast.Call) or callee(call) != "Parameter" or not call.args:
        return None
    return call.args[0] if any(text.get(part) == path for part in text.parts(call, ast.expr)) else None


def is_quiet(text: Text, statement: ast.stmt) -> bool:
    """Whether nothing is recorded where `statement` stands."""
    marks = [item.context_expr for part in text.around(statement) if isinstance(part, ast.With) for item in part.items]
    marks += [mark for part in text.around(statement) for mark in getattr(part, "decorator_list", ())]
    return any("no_grad" in ast.unparse(mark) for mark in marks)


@fix(untouched=4, replaced=4)
def added_to_optimizer(wanted: Wanted) -> Iterator[Proposal]:
    """What is put in the place of a part of the model later is added to the optimizer there, or where the function
    that does so is called."""
    text, built = wanted.text, wanted.text.statement(wanted.found.stacks.get("optimizer", (0,))[-1])
    if not isinstance(built, ast.Assign):
        return
    for changed, path in replaced_in(wanted):
        given = wanted.name("given") or path
        group = group_of_its_own(text, built, given)
        own = called_there(wanted, built, path, changed) if text.alone(changed) else None
        if own is not None and group is not None:
            yield in_its_group(wanted, changed, path, given, f"{own}.param_groups[{group}]")
            continue
        for params in (f"{path}.parameters()", f"[{path}]") if own is not None else ():
            line = f'{own}.add_param_group({{"params": {params}}})'
            title = f"give it to the optimizer, too: {line} after line {changed.end_lineno}"
            yield wanted.proposal(title, "what was replaced stays in the optimizer", text.after(changed, [line]))


@fix(untouched=2, replaced=3)
def changed_first(wanted: Wanted) -> Iterator[Proposal]:
    """Of two calls, one behind the other, of which the first makes the optimizer and the second replaces a part of the
    model, the first goes behind the second."""
    text = wanted.text
    lines = wanted.found.stacks.get("optimizer", ())
    making = [statement for line in lines if (statement := text.statement(line)) is not None]
    for first in [part for part in making if isinstance(part, ast.Expr) and text.alone(part)]:
        for second in stack_statements(wanted, "changed"):
            if second in text.block(first) and second.lineno > first.lineno and text.alone(second):
                title = f"line {first.lineno} after line {second.lineno}: the optimizer is made when the model is whole"
                yield wanted.proposal(title, FREE, text.removed(first), text.after(second, text.lines_of(first)))


def group_of_its_own(text: Text, built: ast.Assign, given: str) -> int | None:
    """Which group of the optimizer has the parameters of `given`, if it has settings of its own: those that a new
    group begins with are others."""
    calls = [call for call in text.parts(built.value, ast.Call) if call.args and isinstance(call.args[0], ast.List)]
    for at, group in enumerate(calls[0].args[0].elts if calls else ()):  # type: ignore[attr-defined]
        params = params_of(group) if isinstance(group, ast.Dict) and len(group.keys) > 1 else None
        if given and params is not None and any(text.get(part) == given for part in text.parts(params, ast.expr)):
            return at
    return None


def in_its_group(wanted: Wanted, changed: ast.stmt, path: str, given: str, group: str) -> Proposal:
    """What is put in the place of a group's parameters takes their place in it; in the place of some, a group of the
    same settings."""
    if path.rpartition(".")[2] == given.rpartition(".")[2]:
        line, cost = f'{group}["params"] = list({path}.parameters())', "it has the settings of what was replaced"
    else:
        own = group.rpartition(".")[0]
        line = f'{own}.add_param_group({{**{group}, "params": list({path}.parameters())}})'
        cost = "what was replaced stays in the optimizer"
    title = f"give it to the optimizer, too: {line} after line {changed.end_lineno}"
    return wanted.proposal(title, cost, wanted.text.after(changed, [line]))


@fix(untouched=5)
def optimizer_anew(wanted: Wanted) -> Iterator[Proposal]:
    """The optimizer is made again, as it was, behind what replaces a part of the model."""
    text, built = wanted.text, wanted.text.statement(wanted.found.stacks.get("optimizer", (0,))[-1])
    if not isinstance(built, ast.Assign) or not text.alone(built):
        return
    kind = ast.FunctionDef if isinstance(built.targets[0], ast.Name) else ast.ClassDef
    home = enclosing(text, built, kind)
    for changed in [part for part in stack_statements(wanted, "changed") if enclosing(text, part, kind) is home]:
        loop = text.loop(changed)
        trains = text.calls(loop, "step", "backward") if loop is not None else []
        last = changed if loop is None or trains or any(text.parts(loop, ast.FunctionDef)) else loop
        title = f"make the optimizer anew after line {last.end_lineno}"
        yield wanted.proposal(title, "what the optimizer had gathered is gone", text.after(last, text.lines_of(built)))


def replaced_in(wanted: Wanted) -> Iterator[tuple[ast.stmt, str]]:
    """The statement that replaces a part of the model, and those that call for it, each with what that part is called
    there: `self.fc` in `grow`, `self.net.fc` beside `self.net.grow(2)`."""
    text, stack = wanted.text, stack_statements(wanted, "changed")
    goal = stack[0].targets[0] if stack and isinstance(stack[0], ast.Assign) else None
    if not isinstance(goal, ast.Attribute | ast.Subscript):
        return
    path, inner = text.get(goal), stack[0]
    yield inner, path
    for statement in stack[1:]:
        home = enclosing(text, inner, ast.FunctionDef)
        if not isinstance(home, ast.FunctionDef):
            return
        first = re.split(r"[.\[]", path)[0]
        for call in text.calls(statement, home.name):
            given = dict(arguments_of(home, call))
            if first in given:
                path, inner = f"{text.get(given[first])}{path.removeprefix(first)}", statement
                yield statement, path
                break


def called_there(wanted: Wanted, built: ast.Assign, shown: str, where: ast.stmt) -> str | None:
    """What the optimizer that `built` makes is called in `where`, which sets `shown`: `trainer.opt` beside
    `trainer.model`."""
    text, own = wanted.text, wanted.text.get(built.targets[0])
    home = enclosing(text, built, ast.ClassDef)
    if not own.startswith("self.") or home is enclosing(text, where, ast.ClassDef):
        return own
    given = wanted.name("given") or ""
    kept = [given] if given.startswith("self.") else []
    kept += [text.get(target) for target, value in assigned_pairs(home) if text.get(value) == given]
    for path in kept:
        inside = re.search(rf"\.{re.escape(path.removeprefix('self.'))}(?=[.\[])", shown)
        if inside is not None and path.startswith("self."):
            return f"{shown[: inside.start()]}.{own.removeprefix('self.')}"
    return None


def last_change(text: Text, built: ast.stmt, names: set[str]) -> ast.stmt | None:
    """The last statement behind `built`, in its block, that gives one of `names` another value."""
    block = text.block(built)
    later = block[block.index(built) + 1 :]
    return next((s for s in reversed(later) if isinstance(s, ast.Assign) and targets(s) & names), None)


@fix(broadcast=1)
def in_one_shape(wanted: Wanted) -> Iterator[Proposal]:
    """Scores and targets of a loss get one shape."""
    text, built = wanted.text, wanted.at("built")
    pairs = [(call.args[0], call.args[1]) for call in text.calls(built) if len(call.args) == 2]
    for node in ast.walk(built) if built is not None else ():
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub | ast.Mult | ast.Div):
            pairs.append((node.left, node.right))
    for first, second in pairs:
        if isinstance(first, ast.Constant) or isinstance(second, ast.Constant):
            continue
        shown, other = text.get(first), text.get(second)
        title = f"{other} in the shape of {shown}, on line {second.lineno}"
        yield wanted.proposal(title, FREE, text.replaced(second, f"{bracketed(other)}.reshape({shown}.shape)"))
        title = f"{shown} in the shape of {other}, on line {first.lineno}"
        yield wanted.proposal(title, FREE, text.replaced(first, f"{bracketed(shown)}.reshape({other}.shape)"))


@fix_kind(shape=19)
def classes_second(wanted: Wanted) -> Iterator[Proposal]:
    """Scores of places in a sequence bring their classes into dimension 1."""
    text = wanted.text
    if "Expected target size" not in wanted.found.message:
        return
    for call in text.calls(wanted.at("raised")):
        if len(call.args) < 2:
            continue
        first, second = call.args[:2]
        title = f"the classes in dimension 1: transpose(1, 2), on line {call.lineno}"
        made = f"{bracketed(text.get(first))}.transpose(1, 2)"
        yield wanted.proposal(title, FREE, text.replaced(first, made))
        made = f"{bracketed(text.get(first))}.flatten(0, 1)"
        flat = f"{bracketed(text.get(second))}.flatten()"
        title = f"one long row of places, on line {call.lineno}"
        yield wanted.proposal(title, FREE, text.replaced(first, made), text.replaced(second, flat))


@fix(shuffled_twice=1)
def not_shuffled(wanted: Wanted) -> Iterator[Proposal]:
    """The order is left to the sampler, or to the set."""
    text = wanted.text
    for call in text.calls(wanted.at("raised")):
        edit = without_keyword(text, call, "shuffle")
        if edit is not None:
            yield wanted.proposal(f"without shuffle on line {call.lineno}", FREE, edit)


REDUCTIONS = ("mean", "sum", "none")


@fix(reduction=1)
def reduced(wanted: Wanted) -> Iterator[Proposal]:
    """One of the ways that there are."""
    text = wanted.text
    for call in ast.walk(text.tree):
        given = keyword(call, "reduction") if isinstance(call, ast.Call) else None
        if given is not None and isinstance(given.value, ast.Constant) and given.value.value not in REDUCTIONS:
            for way in REDUCTIONS:
                title = f'reduction="{way}" on line {given.lineno}'
                yield wanted.proposal(title, FREE, text.replaced(given.value, f'"{way}"'))
