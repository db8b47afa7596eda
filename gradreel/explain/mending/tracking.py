"""Mends for graphs that were cut or never begun: by flags, detach, no_grad or plain data."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from ..calls import callee, keyword
from ..fixes.edits import (
    enclosing,
    enumerated,
    followed,
    grouped,
    loads,
    set_keyword,
    stack_statements,
    value_of,
    with_argument,
)
from ..fixes.proposal import FREE, Proposal, Wanted
from ..fixes.references import LOSSES
from ..fixes.registry import fix
from ..fixes.text import Edit, Text, targets
from ..straight_through import is_straight_through, parts_of, reads
from ..unread_layers import unread_layer
from .gates import multiply_by_chance
from .modes import enabled, recording_on
from .moved_out import weight_computed
from .numbers import all_kept, from_tensors, in_torch, tensor_beside, tensors_listed, without_numbers
from .recorded import with_create_graph
from .rounded import chances_kept, looked_up_straight_through, scored, soft_step, straight_through
from .softened import soft_class, soft_counts, soft_place
from .unread import of_data

TRACKS = "a gradient is computed and kept for it"
ENDS = "the gradient ends there, and what is behind it gets none"
MAKERS = frozenset(
    (
        *(
            "tensor",
            "ones",
            "zeros",
            "empty",
            "full",
            "rand",
            "randn",
            "arange",
            "linspace",
            "logspace",
            "eye",
            "normal",
        ),
        *("ones_like", "zeros_like", "rand_like", "randn_like", "full_like"),
    )
)


@fix(no_graph=1, not_tracked=1, lost=1, lost_unread=1, overwritten=1, constant_term=1, constant_penalty=1, drawn=1)
def cut_off(wanted: Wanted) -> Iterator[Proposal]:
    """A root has no graph: by how it was lost."""
    how = wanted.name("how") or "plain"
    for way in CUTS.get(how, ()):
        yield from way(wanted)
    if how in ("rounded", "counted", "unread_layer"):
        return  # whatever else lets the error go, what is behind the cut learns nothing
    if how != "plain":  # there is something behind the cut, which a new leaf would not reach
        yield from (replace(one, cost=ENDS, makeshift=True) for one in tracked_at_cut(wanted))
    yield from skipped(wanted)


def left_in_floats(wanted: Wanted) -> Iterator[Proposal]:
    """What becomes whole numbers on the way to a loss stays as it is: `(w * x).long()` becomes `(w * x)`."""
    text = wanted.text
    for call in text.calls(wanted.at("cut"), "long", "int", "short"):
        if isinstance(call.func, ast.Attribute) and not call.args:
            title = f"without .{callee(call)}() on line {call.lineno}"
            cost = "fractions stay: round where answers are counted"
            yield wanted.proposal(title, cost, text.replaced(call, text.get(call.func.value)))


def optimized_tracked(wanted: Wanted) -> Iterator[Proposal]:
    """What an optimizer is to change requires a gradient: `Adam([img])` asks for one of `img`."""
    text = wanted.text
    lists = [call.args[0] for call in text.parts(text.tree, ast.Call) if call.args and keyword(call, "lr")]
    names = [part.id for given in lists if isinstance(given, ast.List) for part in text.parts(given, ast.Name)]
    for node in text.parts(text.tree, ast.Assign):
        if isinstance(node.targets[0], ast.Name) and node.targets[0].id in names:
            title = f"ask for a gradient of {node.targets[0].id}, which is to change, on line {node.lineno}"
            yield wanted.proposal(title, TRACKS, followed(text, node.value, ".requires_grad_()"))


def tracked_at_cut(wanted: Wanted) -> Iterator[Proposal]:
    """The data requires a gradient."""
    text = wanted.text
    for role in ("cut", "built"):
        statement = wanted.at(role)
        if statement is None:
            continue
        for call in text.calls(statement):
            if (
                callee(call) in MAKERS
                and keyword(call, "requires_grad") is None
                and isinstance(call.func, ast.Attribute)
            ):
                title = f"requires_grad=True on line {call.lineno}"
                yield wanted.proposal(title, TRACKS, with_argument(text, call, "requires_grad=True"))
                break
        value = value_of(statement)
        if isinstance(statement, ast.Assign) and value is not None and not isinstance(value, ast.Tuple):
            title = f"ask for a gradient: .requires_grad_() on line {statement.lineno}"
            yield wanted.proposal(title, TRACKS, followed(text, value, ".requires_grad_()"))
        name = wanted.name("cut")
        if name and name.isidentifier() and isinstance(statement, ast.Assign):
            title = f"ask for a gradient of {name} after line {statement.lineno}"
            yield wanted.proposal(title, TRACKS, text.after(statement, [f"{name}.requires_grad_()"]))


def tracked_before_use(wanted: Wanted) -> Iterator[Proposal]:
    """What a loop or a caller hands over is asked for a gradient before it is first computed with."""
    text, name = wanted.text, wanted.name("target")
    for goal in [part for role in ("raised", "seen", "built") for part in stack_statements(wanted, role)]:
        first = next((part for part in text.block(goal) if name and loads(part, name)), None)
        if name is not None and name.isidentifier() and first is not None:
            title = f"ask for a gradient of {name} before line {first.lineno}"
            cost = "a gradient is computed and kept for it"
            yield wanted.proposal(title, cost, text.before(first, [f"{name}.requires_grad_()"]))


def all_tracked(wanted: Wanted) -> Iterator[Proposal]:
    """Every call of the program that wraps data in Variable, or the makers on the line, require a gradient."""
    text = wanted.text
    calls = [node for node in ast.walk(text.tree) if isinstance(node, ast.Call) and callee(node) == "Variable"]
    bare = [call for call in calls if keyword(call, "requires_grad") is None]
    if bare:
        yield wanted.proposal(
            "requires_grad=True for every Variable",
            TRACKS,
            *(with_argument(text, call, "requires_grad=True") for call in bare),
        )


def track_input(wanted: Wanted) -> Iterator[Proposal]:
    """Through frozen layers a gradient goes back to what is given to them: where a hook waits for it, their input asks
    for one."""
    text = wanted.text
    if wanted.name("how") != "flag" or not text.calls(wanted.at("raised"), "register_hook", "retain_grad"):
        return
    path = re.findall(r"\w+", wanted.name("cut") or "")
    stack = [call for goal in stack_statements(wanted, "raised")[1:] for call in text.calls(goal)]
    for call in dict.fromkeys([*stack, *text.parts(text.tree, ast.Call)]):
        given, own = call.args[0] if call.args else None, re.findall(r"\w+", text.get(call.func))
        if isinstance(given, ast.Name) and own == path[: len(own)] != path:
            title = f"ask for a gradient of {given.id}, which goes through what is frozen, on line {call.lineno}"
            yield wanted.proposal(title, TRACKS, followed(text, given, ".requires_grad_()"))


def freeze_first(wanted: Wanted) -> Iterator[Proposal]:
    """What gives a model a new part, which is to learn, goes behind the loop that freezes the whole of it."""
    text, cut = wanted.text, wanted.at("cut")
    loop = text.loop(cut) if cut is not None else None
    whole = cut if text.calls(cut, "requires_grad_") else None
    parts = re.findall(r"\w+", wanted.name("cut") or "")
    for freezing in [loop or whole, *stack_statements(wanted, "cut")] if loop is not None or whole is not None else []:
        block = text.block(freezing) if freezing is not None else []
        for made in block[: block.index(freezing)] if freezing in block else []:
            goal = made.targets[0] if isinstance(made, ast.Assign) else None
            if not isinstance(goal, ast.Attribute | ast.Subscript) or freezing is None or not text.alone(made):
                continue
            own = re.findall(r"\w+", text.get(goal))
            if own[-1] in parts and isinstance(made.value, ast.Call) and callee(made.value)[:1].isupper():  # type: ignore[attr-defined]
                title = (
                    f"line {made.lineno}, which brings what is to learn, after line {freezing.end_lineno}: freeze first"
                )
                moved = text.after(freezing, text.lines_of(made))
                yield replace(wanted.proposal(title, FREE, text.removed(made), moved), decisive=True)
                return


def layer_renamed(wanted: Wanted) -> Iterator[Proposal]:
    """A new layer that forward never calls takes the name of the one that it calls."""
    text, layer = wanted.text, unread_layer(wanted.text.tree)
    if layer is not None:
        old, made = f"{layer.owner}.{layer.name}", f"{layer.owner}.{layer.used}"
        uses = [part for part in text.parts(text.tree, ast.Attribute) if ast.unparse(part) == old]
        title = f"set it as {made}, which forward calls, on line {layer.statement.lineno}"
        yield wanted.proposal(title, "it takes the place of the old one", *(text.replaced(use, made) for use in uses))


def flag_left(wanted: Wanted) -> Iterator[Proposal]:
    """The line that said no gradient is wanted is left out; a flag set on a module is told to its parameters."""
    text, statement = wanted.text, wanted.at("cut")
    for node in text.parts(text.tree, ast.Assign):
        goal = node.targets[0]
        on_part = (
            isinstance(goal, ast.Attribute) and goal.attr == "requires_grad" and isinstance(node.value, ast.Constant)
        )
        if on_part and node.value.value is True and node is not statement:  # type: ignore[attr-defined]
            made = f"{text.get(goal.value)}.requires_grad_(True)"  # type: ignore[attr-defined]
            title = f"{made} on line {node.lineno}, which reaches the parameters of a module"
            yield wanted.proposal(title, TRACKS, text.replaced(node, made))
    if statement is None:
        return
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Attribute):
        target = text.get(statement.targets[0])
        if isinstance(value_of(statement), ast.Constant):
            title = f"leave it free: {target} = True on line {statement.lineno}"
            yield wanted.proposal(title, TRACKS, text.replaced(statement.value, "True"))
    for call in text.calls(statement, "requires_grad_"):
        edits = [text.replaced(arg, "True") for arg in call.args] or [
            text.replaced(word.value, "True") for word in call.keywords
        ]
        if edits:
            yield wanted.proposal(f"leave it free on line {call.lineno}", TRACKS, *edits)
    for call in text.calls(statement, "detach_"):
        yield wanted.proposal(f"leave out detach_() on line {call.lineno}", TRACKS, text.removed(statement))


def asked_before(wanted: Wanted) -> Iterator[Proposal]:
    """The line that asks for a gradient goes in front of the first that computes with what it asks it for."""
    text, cut, name = wanted.text, wanted.at("cut"), wanted.name("source")
    if cut is None or name is None or not text.alone(cut):
        return
    block = text.block(cut)
    called_there = wanted.beside("begun", cut)
    for statement in block[: block.index(cut)] if cut in block else []:
        computes = loads(statement, name) and not isinstance(statement, ast.FunctionDef | ast.ClassDef)
        if (computes or statement is called_there) and text.alone(statement):
            title = f"line {cut.lineno} before line {statement.lineno}: ask first, then compute"
            yield wanted.proposal(title, TRACKS, text.removed(cut), text.before(statement, text.lines_of(cut)))
            return


def unwrapped(wanted: Wanted) -> Iterator[Proposal]:
    """`Variable(loss.data, requires_grad=True)` and its like make a new leaf of what had a graph: it goes as it is."""
    text, statement = wanted.text, wanted.at("cut")
    value = value_of(statement)
    if not isinstance(value, ast.Call) or callee(value) != "Variable" or not value.args or statement is None:
        return
    inner = value.args[0]
    while (isinstance(inner, ast.Attribute) and inner.attr == "data") or callee(inner) in ("detach", "clone"):
        inner = inner.value if isinstance(inner, ast.Attribute) else inner.func.value  # type: ignore[attr-defined]
    cost = "the gradient goes on back"
    if isinstance(statement, ast.Assign) and text.get(inner) == text.get(statement.targets[0]):
        yield wanted.proposal(f"leave out line {statement.lineno}", cost, text.removed(statement))
    else:
        title = f"{text.get(inner)} itself, and no Variable of it, on line {statement.lineno}"
        yield wanted.proposal(title, cost, text.replaced(value, text.get(inner)))


@fix(cut_steps=1)
def undetached(wanted: Wanted) -> Iterator[Proposal]:
    """`.detach()` or `.data` is left out where it cut."""
    text, statement = wanted.text, wanted.at("cut")
    if statement is None:
        return
    nodes: list[ast.expr] = [
        node
        for part in [statement]
        for node in ast.walk(part)
        if (isinstance(node, ast.Attribute) and node.attr == "data")
        or (
            isinstance(node, ast.Call)
            and callee(node) in ("detach", "detach_")
            and isinstance(node.func, ast.Attribute)
        )
    ]
    for node in nodes:
        inner = node.value if isinstance(node, ast.Attribute) else node.func.value  # type: ignore[attr-defined]
        word = ".data" if isinstance(node, ast.Attribute) else ".detach()"
        if (
            isinstance(statement, ast.Assign)
            and statement.value is node
            and ast.unparse(inner) == ast.unparse(statement.targets[0])
        ):
            title = f"leave out line {statement.lineno}"
            yield wanted.proposal(title, "the gradient goes on back", text.removed(statement))
        else:
            title = f"leave out {word} on line {node.lineno}"
            yield wanted.proposal(title, "the gradient goes on back", text.replaced(node, text.get(inner)))
    value = value_of(statement)
    if isinstance(statement, ast.Assign) and value is not None and wanted.found.cause != "constant_penalty":
        title = f"make it a new leaf: .requires_grad_() on line {statement.lineno}"
        cost = "the gradient stops there, in its .grad"
        yield wanted.proposal(title, cost, followed(text, value, ".requires_grad_()"))


@fix(moving_target=1)
def target_detached(wanted: Wanted) -> Iterator[Proposal]:
    """The side that was cut off has its graph back, and the other is detached where both are compared."""
    text, statement, loss, name = wanted.text, wanted.at("cut"), wanted.at("begun"), wanted.name("target")
    freed: list[tuple[ast.AST, Edit]] = [
        (node, text.replaced(node, text.get(node.func.value)))
        for node in text.calls(statement, "detach")
        if isinstance(node.func, ast.Attribute)
    ]
    freed += [
        (node, text.replaced(node, text.get(node.value)))
        for node in text.parts(statement, ast.Attribute)
        if node.attr == "data"
    ]
    blocks = [statement, *text.around(statement)] if statement is not None else []
    quiet = [part for part in blocks if isinstance(part, ast.With) and "no_grad" in ast.unparse(part.items[0])]
    freed += [(part, text.unwrapped(part)) for part in quiet[:1] if text.alone(part)]
    for node, edit in freed:
        fixed = loads(loss, wanted.name("cut") or "") if loss is not None else []
        others = [found for part in (node, *fixed) if (found := beside(text, part)) is not None]
        others += loads(loss, name) if name is not None and loss is not None else []
        if not others:
            continue
        other = others[0]
        where = f"on line {other.lineno}"
        title = f"detach {text.get(other) if isinstance(other, ast.Name | ast.Attribute) else 'the target'} instead, "
        yield wanted.proposal(title + where, TARGET, edit, followed(text, other, ".detach()"))


def beside(text: Text, side: ast.AST) -> ast.expr | None:
    """What `side` is compared with, if that stands beside it: in a difference, or in the call of a loss."""
    outer = text.parents.get(side)
    if isinstance(outer, ast.BinOp):
        return outer.right if outer.left is side else outer.left
    if isinstance(outer, ast.Call) and side in outer.args[:2] and len(outer.args) > 1:
        return outer.args[0] if side is outer.args[1] else outer.args[1]
    return None


TARGET = "the gradient goes to the prediction, and none to the target"


def not_reentrant(wanted: Wanted) -> Iterator[Proposal]:
    """The checkpoint that records by itself."""
    text = wanted.text
    calls = [c for c in ast.walk(text.tree) if isinstance(c, ast.Call) and callee(c).startswith("checkpoint")]
    if calls:
        edits = [set_keyword(text, call, "use_reentrant", "False") for call in calls]
        yield wanted.proposal("use_reentrant=False for the checkpoint", FREE, *edits)


def skipped(wanted: Wanted) -> Iterator[Proposal]:
    """Go backward only where there is a graph."""
    text, raised, root = wanted.text, wanted.at("raised"), wanted.name("root")
    if raised is None or isinstance(raised, ast.For | ast.While | ast.With | ast.If | ast.FunctionDef | ast.Return):
        return
    if isinstance(raised, ast.Expr) and root is not None:
        title = f"go backward only if there is a graph: line {raised.lineno}"
        header = f"if {root}.requires_grad:" if root.isidentifier() else None
        if header:
            yield wanted.makeshift(title, "nothing is computed where nothing can be", text.wrapped([raised], header))


def nonlinear(wanted: Wanted) -> Iterator[Proposal]:
    """The gradient of something linear is constant: its own gradient is nothing, which can be said by zeros."""
    yield from skipped(wanted)


def no_parameter(wanted: Wanted) -> Iterator[Proposal]:
    """What is computed stays a result: a Parameter is a new leaf.

    Where a module has a Parameter under the name, that is deleted first: only then does it take a plain tensor.
    """
    text, statement = wanted.text, wanted.at("cut")
    for call in text.calls(statement, "Parameter"):
        if not call.args:
            continue
        title = f"without Parameter on line {call.lineno}: the gradient goes on to what it was made of"
        alone = isinstance(statement, ast.Assign) and statement.value is call
        bare = text.replaced(call, text.get(call.args[0]) if alone else grouped(text, call.args[0]))
        yield wanted.proposal(title, "it is no leaf", bare)
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Attribute):
            path = text.get(statement.targets[0])
            yield wanted.proposal(
                f"{title}, and without the Parameter that was {path}",
                "it is no leaf",
                text.before(statement, [f"del {path}"]),
                bare,
            )


def sampled_with_graph(wanted: Wanted) -> Iterator[Proposal]:
    """`rsample` draws what `sample` does, as a function of the parameters."""
    text = wanted.text
    for call in text.calls(wanted.at("cut"), "sample"):
        made = text.get(call).replace(".sample(", ".rsample(", 1)
        title = f"rsample() on line {call.lineno}"
        yield wanted.proposal(title, "the gradient goes on back to the parameters", text.replaced(call, made))


@fix(unrecorded=1)
def write_recorded(wanted: Wanted) -> Iterator[Proposal]:
    """The write leaves no_grad, or becomes a new tensor."""
    text, changed = wanted.text, wanted.at("changed")
    for outer in text.around(changed) if changed is not None else ():
        if isinstance(outer, ast.With) and any("no_grad" in ast.unparse(item) for item in outer.items):
            title = f"leave out the no_grad of line {outer.lineno}: let the write be recorded"
            yield wanted.proposal(title, "the entries written over get the gradient 0", text.unwrapped(outer))


def not_loaded(wanted: Wanted) -> Iterator[Proposal]:
    """Instead of a copy of a model, the model itself."""
    text, statement = wanted.text, wanted.at("cut")
    if statement is None:
        return
    for call in text.calls(statement, "load_state_dict"):
        given = call.args[0] if call.args else None
        if isinstance(given, ast.Call) and callee(given) == "state_dict" and isinstance(given.func, ast.Attribute):
            assert isinstance(call.func, ast.Attribute)
            copy, model = text.get(call.func.value), text.get(given.func.value)
            made = [
                node
                for node in text.block(statement)
                if isinstance(node, ast.Assign) and copy in map(text.get, node.targets)
            ]
            edits = [text.replaced(call, f"{copy} = {model}")]
            if made and text.alone(statement):
                edits = [text.replaced(made[-1].value, model), text.removed(statement)]
            title = f"the model itself instead of a copy: {copy} = {model}"
            yield wanted.proposal(title, "there is one set of parameters only", *edits)


def rebound(wanted: Wanted) -> Iterator[Proposal]:
    """`w.data = w - s` becomes `w = w - s`: the name stands for the result, with its graph."""
    text, statement = wanted.text, wanted.at("cut")
    goal = statement.targets[0] if isinstance(statement, ast.Assign) else None
    if isinstance(goal, ast.Attribute) and goal.attr == "data":
        name = text.get(goal.value)
        title = f"let {name} stand for the result: {name} = … on line {goal.lineno}"
        yield wanted.proposal(title, "the graph of every turn stays", text.replaced(goal, name))


def leaves_again(wanted: Wanted) -> Iterator[Proposal]:
    """What an update without recording binds anew is a leaf that asks for its gradient, as what it replaces was."""
    text = wanted.text
    rebound = [
        node
        for node in text.parts(text.tree, ast.Assign)
        if f"{text.get(node.targets[0])}.grad" in text.get(node.value)
        and any(
            isinstance(outer, ast.With) and "no_grad" in text.get(outer.items[0].context_expr)
            for outer in text.around(node)
        )
    ]
    if rebound:
        names = enumerated([text.get(node.targets[0]) for node in rebound])
        title = f"ask for the gradient of the new {names}, on line {rebound[0].lineno}"
        edits = [followed(text, node.value, ".requires_grad_()") for node in rebound]
        yield wanted.proposal(title, FREE, *edits)


def detach_other_argument(wanted: Wanted) -> Iterator[Proposal]:
    """Of the two that a function compares, the other is detached: `p = p.detach()` becomes `z = z.detach()`."""
    text, cut = wanted.text, wanted.at("cut")
    home = enclosing(text, cut, ast.FunctionDef) if cut is not None else None
    if not isinstance(cut, ast.Assign) or not isinstance(home, ast.FunctionDef) or not wanted.name("parameter"):
        return
    own = [arg.arg for arg in home.args.args if arg.arg != "self"]
    name = text.get(cut.targets[0])
    if len(own) == 2 and name in own and ast.unparse(cut.value) == f"{name}.detach()":
        other = own[1 - own.index(name)]
        title = f"detach {other}, and not {name}, on line {cut.lineno}"
        cost = "the gradient goes to what the optimizer has"
        yield wanted.proposal(title, cost, text.replaced(cut, f"{other} = {other}.detach()"))


def detached_for_the_first(wanted: Wanted) -> Iterator[Proposal]:
    """Of two losses on what was made, as of a GAN, the first takes it detached, and the second as it was made."""
    text, cut = wanted.text, wanted.at("cut")
    marks = [call for call in text.calls(cut, "detach") if isinstance(call.func, ast.Attribute)]
    for made in stack_statements(wanted, "cut") if len(marks) == 1 else ():
        block, names = text.block(made), targets(made)
        rest = block[block.index(made) + 1 :] if isinstance(made, ast.Assign) and made in block else []
        uses = [found for part in rest for name in names if (found := loads(part, name))]
        if len(uses) < 2 or not isinstance(marks[0].func, ast.Attribute):
            continue
        first = uses[0]
        title = f"{text.get(first[0])}.detach() on line {first[0].lineno} alone, and not on line {marks[0].lineno}"
        free = text.replaced(marks[0], text.get(marks[0].func.value))
        yield wanted.proposal(title, FREE, free, *(text.replaced(use, f"{text.get(use)}.detach()") for use in first))


def estimator_later(wanted: Wanted) -> Iterator[Proposal]:
    """`q = x + (q - x).detach()` goes behind the loss that is of what `q` was; where more is computed with the new `q`
    between them, the loss goes before it."""
    text, cut, built, name = wanted.text, wanted.at("cut"), wanted.at("built"), wanted.name("target")
    block = text.block(cut) if cut is not None else []
    if (
        cut is None
        or built is None
        or name is None
        or built not in block
        or not (text.alone(cut) and text.alone(built))
    ):
        return
    cost = "the loss is of what was looked up"
    between = block[block.index(cut) + 1 : block.index(built)]
    if any(reads(part, name) for part in between):
        title = f"line {built.lineno} before line {cut.lineno}: the loss first, then straight through"
        yield wanted.proposal(title, cost, text.removed(built), text.before(cut, text.lines_of(built)))
    else:
        title = f"line {cut.lineno} after line {built.lineno}: the loss first, then straight through"
        yield wanted.proposal(title, cost, text.removed(cut), text.after(built, text.lines_of(cut)))


def reverse_estimator(wanted: Wanted) -> Iterator[Proposal]:
    """`hard + (soft - hard).detach()` becomes `soft + (hard - soft).detach()`."""
    text = wanted.text
    for node in [part for part in text.parts(wanted.at("cut"), ast.BinOp) if is_straight_through(part)]:
        soft, hard = parts_of(node)
        made = f"{soft} + ({hard} - {soft}).detach()"
        title = f"{made} on line {node.lineno}"
        yield wanted.proposal(title, "the value is that of what was picked", text.replaced(node, made))


def detach_other_side(wanted: Wanted) -> Iterator[Proposal]:
    """`loss(q.detach(), target)` becomes `loss(q, target.detach())`: what learns is to get the gradient."""
    text = wanted.text
    for node in text.parts(wanted.at("cut"), ast.Call) + text.parts(wanted.at("cut"), ast.BinOp):
        pair = [node.left, node.right] if isinstance(node, ast.BinOp) else list(node.args[:2])
        loss = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub)
        if len(pair) != 2 or not (loss or (isinstance(node, ast.Call) and LOSSES.search(text.get(node.func)))):
            continue
        marks = [callee(part) == "detach" and isinstance(part, ast.Call) and not part.args for part in pair]
        if sum(marks) != 1:
            continue
        stopped, other = pair if marks[0] else reversed(pair)
        if isinstance(other, ast.Constant) or not isinstance(stopped, ast.Call):
            continue
        assert isinstance(stopped.func, ast.Attribute)
        title = f"detach {text.get(other)}, and not {text.get(stopped.func.value)}, on line {node.lineno}"
        edits = [text.replaced(stopped, text.get(stopped.func.value)), followed(text, other, ".detach()")]
        yield wanted.proposal(title, "the gradient goes to what the optimizer has", *edits)


CUTS = {
    "turned_round": (reverse_estimator,),
    "estimated_early": (estimator_later,),
    "late": (asked_before,),
    "data": (weight_computed, rebound),
    "sample": (sampled_with_graph, recording_on),
    "plain": (of_data, optimized_tracked, all_tracked, tracked_at_cut),
    "unread_layer": (layer_renamed,),
    "flag": (freeze_first, track_input, flag_left),
    "detach": (
        *(detach_other_side, detached_for_the_first, detach_other_argument, unwrapped, undetached, not_loaded),
        *(enabled, in_torch),
    ),
    "tensor": (from_tensors, without_numbers),
    "numbers": (
        *(multiply_by_chance, tensors_listed, in_torch, tensor_beside, without_numbers, all_kept, from_tensors),
        undetached,
    ),
    "rounded": (
        multiply_by_chance,
        scored,
        chances_kept,
        soft_class,
        looked_up_straight_through,
        straight_through,
        soft_step,
        soft_place,
        left_in_floats,
    ),
    "counted": (soft_counts,),
    "no_grad": (leaves_again, recording_on),
    "no_create_graph": (with_create_graph,),
    "linear": (nonlinear,),
    "backward": (enabled, recording_on, with_create_graph),
    "checkpoint": (not_reentrant, tracked_at_cut),
    "parameter": (weight_computed, no_parameter),
}
