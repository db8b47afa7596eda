"""A root without a graph: somewhere on the way to it the recording stopped, or never began."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TypeGuard

from ...calls import callee, keyword
from ...diagnostics.diagnosis import Diagnosis, Failure, known_names
from ...diagnostics.mentions import find_mentioned, raising_statement
from ...diagnostics.refusals import declare_refusal, is_untracked
from ...diagnostics.registry import rule
from ...fixes.edits import (
    append_suffix,
    enclosing,
    in_brackets,
    join_names,
    loads,
    set_keyword,
    stack_statements,
    value_of,
    with_argument,
)
from ...fixes.proposal import FREE, FixContext, Proposal
from ...fixes.registry import fix
from ...fixes.text import Edit, Text, targets
from ...narration.words import code, code_label, label, name_of, on, upper
from ...replay.states import TensorState
from ...replay.world import World
from ..gradients.backward_root import call_of, root
from ..gradients.piecewise_constant import (
    chances_kept,
    looked_up_straight_through,
    multiply_by_chance,
    soft_class,
    soft_counts,
    soft_place,
    soft_step,
    straight_through,
    use_scores,
)
from ..gradients.second_derivatives import train_again
from ..graph.second_backward import with_create_graph
from ..modules.layers import compute_weight
from ..python.unread_settings import of_data
from .cuts import before_line, unread_layer, where_cut
from .detached import (
    detach_other_argument,
    detach_other_side,
    detached_for_the_first,
    drop_detach,
    estimator_later,
    reverse_estimator,
)
from .leaves import make_leaf_before_use
from .plain_numbers import all_kept, from_tensors, in_torch, tensor_beside, tensors_listed, without_numbers

NO_ROOT = "does not require grad and does not have a grad_fn"
NOT_TRACKED = "One of the differentiated Tensors does not require grad"
NO_RETAIN = "can't retain_grad on Tensor that has requires_grad=False"
NO_HOOK = "cannot register a hook on a tensor that doesn't require gradient"


NO_WAY_BACK = "Without a graph there is no way back, and nobody to give a gradient to."
CONSTANT = (
    "Its derivative is zero everywhere, so no edit brings a gradient: only what is curved, as a square is, has another."
)


@rule
def no_graph(world: World, failure: Failure) -> Diagnosis | None:
    message = failure.raised.message
    if message.endswith(NO_ROOT):
        start = root(world, failure)
        return None if start is None else without_graph(world, failure, start)
    if message.startswith((NOT_TRACKED, NO_RETAIN, NO_HOOK)):
        return not_tracked(world, failure)
    return None


def without_graph(world: World, failure: Failure, start: TensorState) -> Diagnosis:
    call = call_of(world, failure)
    cut = where_cut(world, start)
    start = before_line(world, start, failure.raised.line)
    name = code_label(world, start.number)
    built = start.place if cut is None or cut.place.line != start.place.line else start.bound or start.place
    story = [
        f"{upper(name)}, of **line {built.line}**, has no graph behind it: nothing of how it came about was recorded."
    ]
    lines: dict[str, int | None] = {"built": built.line, "raised": failure.raised.line}
    events = {"raised": failure.number, "built": start.made}
    if cut is not None:
        if cut.place.line:
            lines["cut"], events["cut"] = cut.place.line, cut.event
        if cut.how == "late":
            events["begun"] = cut.tensor.made
        story.append(cut.told)
    story.append(CONSTANT if cut is not None and cut.how == "linear" else NO_WAY_BACK)
    return Diagnosis(
        kind="no_graph",
        title="Backward from a result without a graph",
        message=failure.raised.message,
        lines=lines,
        story=tuple(story),
        events=events,
        cause="no_graph",
        names=known_names(
            root=label(world, start.number),
            cut=name_of(world, cut.tensor) if cut else None,
            how=cut.how if cut else "constant",
            source=name_of(world, cut.source) if cut and cut.source else None,
            source_shape=cut.source_shape if cut else None,
            inputs=", ".join(filter(None, (label(world, number) for number in call.inputs))) if call else None,
        ),
    )


def not_tracked(world: World, failure: Failure) -> Diagnosis | None:
    """A gradient is asked for a tensor that wants none."""
    call = call_of(world, failure) or next(reversed(world.calls.values()), None)
    text = raising_statement(world, failure)
    pairs: list[tuple[str, TensorState]] = [
        (name, tensor) for name, tensor in find_mentioned(world, text) if not tensor.requires_grad
    ]
    if failure.raised.message.startswith(NOT_TRACKED) and call is not None and call.inputs:
        inputs = [world.tensors[number] for number in call.inputs]
        pairs = [(label(world, state.number) or "", state) for state in inputs if not state.requires_grad] or pairs
    if not pairs:
        off = [state for state in world.tensors.values() if state.cut is not None and state.alive and not state.inputs]
        pairs = [(code_label(world, state.number).strip("`"), state) for state in off[:1]]
    if not pairs:
        return None
    name, tensor = pairs[0]
    cut = where_cut(world, tensor)
    lines: dict[str, int | None] = {"built": tensor.place.line, "cut": tensor.place.line, "raised": failure.raised.line}
    events = {"raised": failure.number, "cut": tensor.made}
    story = [
        f"{code(name) if name else 'The tensor'}, made {on(tensor.place.line)}, does not require a gradient and was "
        "not made of anything that does."
    ]
    if cut is not None and cut.how != "plain":
        lines["cut"], events["cut"] = cut.place.line, cut.event
        story = [f"{code(name)}, made {on(tensor.place.line)}, has no graph behind it.", cut.told]
    story.append("No gradient will ever reach it, so PyTorch refuses to be asked for one.")
    return Diagnosis(
        kind="no_graph",
        title="No gradient will come here",
        message=failure.raised.message,
        lines=lines,
        story=tuple(story),
        events=events,
        cause="not_tracked",
        names=known_names(
            cut=name_of(world, cut.tensor) if cut else name, how=cut.how if cut else "plain", target=name
        ),
    )


declare_refusal(
    "Inference tensors cannot be saved for backward",
    cause="inference",
    title="A tensor of inference mode in a graph",
    fits=is_untracked,
    role="built",
    story=(
        "{name}, made {where}, was made under `inference_mode`, which keeps no books on it at all.",
        "{code} {line} would have to keep it for a gradient, and could never know whether it was changed since.",
        "`no_grad` makes ordinary tensors without a graph; a `clone()` is an ordinary tensor, too.",
    ),
)
declare_refusal(
    "nference tensor outside InferenceMode is not allowed",
    cause="inference",
    title="A tensor of inference mode cannot be changed",
    fits=is_untracked,
    role="built",
    story=(
        "{name}, made {where}, was made under `inference_mode`, which keeps no books on it at all.",
        "{code} {line} would change it out there, where books are kept.",
        "`no_grad` makes ordinary tensors without a graph; a `clone()` is an ordinary tensor, too.",
    ),
)


# ---- fixes


def recording_on(wanted: FixContext) -> Iterator[Proposal]:
    """no_grad is taken off what is differentiated later."""
    text = wanted.text
    for statement in (*stack_statements(wanted, "cut"), wanted.at("cut")):
        if statement is None:
            continue
        for outer in (statement, *text.around(statement)):
            if (
                isinstance(outer, ast.With)
                and any("no_grad" in ast.unparse(item) or "inference_mode" in ast.unparse(item) for item in outer.items)
                and text.alone(outer)
            ):
                title = f"leave out the no_grad of line {outer.lineno}"
                yield wanted.proposal(title, "what it saves is kept for the backward", text.unwrapped(outer))
            if isinstance(outer, ast.FunctionDef):
                for mark in outer.decorator_list:
                    if "no_grad" in ast.unparse(mark) or "inference_mode" in ast.unparse(mark):
                        edit = Edit(mark.lineno, 0, mark.lineno + 1, 0, "")
                        title = f"leave out the no_grad of line {mark.lineno}"
                        yield wanted.proposal(title, "what it saves is kept for the backward", edit)
    yield from off_for_the_rest(wanted)
    switches = [call for call in text.calls(text.tree, "set_grad_enabled") if call.args]
    for call in switches:
        arg = call.args[0]
        if not (isinstance(arg, ast.Constant) and arg.value is True) and not is_switched_back(text, call, switches):
            title = f"switch recording on: line {call.lineno}"
            yield wanted.proposal(title, "what it saves is kept", text.replaced(arg, "True"))
    if not text.calls(wanted.at("cut"), "set_grad_enabled"):  # all that comes later would stay unrecorded
        yield from enable_grad(wanted)


def is_switched_back(text: Text, call: ast.Call, switches: list[ast.Call]) -> bool:
    """Whether `call` is one of two in its function: recording is meant to be off between them."""
    home = enclosing(text, call, ast.FunctionDef)
    return any(other is not call and enclosing(text, other, ast.FunctionDef) is home for other in switches)


def off_for_the_rest(wanted: FixContext) -> Iterator[Proposal]:
    """`torch.set_grad_enabled(False)` in a function, or a turn of a loop, is meant for the rest of it: that goes under
    no_grad instead."""
    text = wanted.text
    for statement in text.parts(text.tree, ast.Expr):
        call, rest = statement.value, text.block(statement)
        rest = rest[rest.index(statement) + 1 :]
        if (
            callee(call) != "set_grad_enabled"
            or not isinstance(text.parents.get(statement), ast.FunctionDef | ast.For | ast.While)
            or not rest
        ):
            continue
        if text.alone(statement) and all(map(text.alone, rest)):
            whole = "function" if isinstance(text.parents.get(statement), ast.FunctionDef) else "turn"
            title = f"with torch.no_grad(): for the rest of the {whole}, from line {statement.lineno} on"
            edits = [text.removed(statement), text.wrapped(rest, "with torch.no_grad():")]
            yield wanted.proposal(title, "recording goes on behind it", *edits)


def enable_grad(wanted: FixContext) -> Iterator[Proposal]:
    """What is differentiated inside a hook or a backward is computed under enable_grad: there, rather than in what is
    called from there, which others call as well."""
    text, goals = wanted.text, stack_statements(wanted, "raised")
    cost = "the graph of this part is kept"
    places = stack_statements(wanted, "built")
    around = {part for goal in goals for part in (goal, *text.around(goal))}
    for built in sorted(places, key=lambda place: around.isdisjoint(text.block(place))):
        if not isinstance(built, ast.Assign | ast.AugAssign | ast.Return | ast.Expr):
            continue
        title = f"record it: torch.enable_grad() around line {built.lineno}"
        yield wanted.proposal(title, cost, text.wrapped([built], "with torch.enable_grad():"))
        block = text.block(built)
        for goal in [goal for goal in goals if goal in block]:
            group = block[block.index(built) : block.index(goal)]
            if len(group) > 1:
                yield wanted.proposal(title, cost, text.wrapped(group, "with torch.enable_grad():"))


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
def restore_graph(wanted: FixContext) -> Iterator[Proposal]:
    """A root has no graph: by how it was lost."""
    how = wanted.name("how") or "plain"
    for way in CUTS.get(how, ()):
        yield from way(wanted)
    if how in ("rounded", "counted", "unread_layer"):
        return  # whatever else lets the error go, what is behind the cut learns nothing
    if how != "plain":  # there is something behind the cut, which a new leaf would not reach
        yield from (replace(one, cost=ENDS, workaround=True) for one in tracked_at_cut(wanted))
    yield from skip_backward(wanted)


def left_in_floats(wanted: FixContext) -> Iterator[Proposal]:
    """What becomes whole numbers on the way to a loss stays as it is: `(w * x).long()` becomes `(w * x)`."""
    text = wanted.text
    for call in text.calls(wanted.at("cut"), "long", "int", "short"):
        if isinstance(call.func, ast.Attribute) and not call.args:
            title = f"without .{callee(call)}() on line {call.lineno}"
            cost = "fractions stay: round where answers are counted"
            yield wanted.proposal(title, cost, text.replaced(call, text.get(call.func.value)))


def make_leaf_earlier(wanted: FixContext) -> Iterator[Proposal]:
    """What is made a leaf only after it was computed with."""
    text, cut, name = wanted.text, wanted.at("cut"), wanted.name("cut")
    block = text.block(cut) if cut is not None else []
    for statement in block[block.index(cut) + 1 :] if cut in block else []:
        asks = re.search(r"requires_grad|\bParameter\(", text.get(statement))
        if isinstance(statement, ast.Assign) and asks and targets(statement) == {name}:
            yield from make_leaf_before_use(wanted, statement)


def optimized_tracked(wanted: FixContext) -> Iterator[Proposal]:
    """What an optimizer is to change requires a gradient: `Adam([img])` asks for one of `img`."""
    text = wanted.text
    lists = [call.args[0] for call in text.parts(text.tree, ast.Call) if call.args and keyword(call, "lr")]
    names = [part.id for given in lists if isinstance(given, ast.List) for part in text.parts(given, ast.Name)]
    for node in text.parts(text.tree, ast.Assign):
        if isinstance(node.targets[0], ast.Name) and node.targets[0].id in names:
            title = f"ask for a gradient of {node.targets[0].id}, which is to change, on line {node.lineno}"
            yield wanted.proposal(title, TRACKS, append_suffix(text, node.value, ".requires_grad_()"))


def tracked_at_cut(wanted: FixContext) -> Iterator[Proposal]:
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
            yield wanted.proposal(title, TRACKS, append_suffix(text, value, ".requires_grad_()"))
        name = wanted.name("cut")
        if name and name.isidentifier() and isinstance(statement, ast.Assign):
            title = f"ask for a gradient of {name} after line {statement.lineno}"
            yield wanted.proposal(title, TRACKS, text.after(statement, [f"{name}.requires_grad_()"]))


def tracked_before_use(wanted: FixContext) -> Iterator[Proposal]:
    """What a loop or a caller hands over is asked for a gradient before it is first computed with."""
    text, name = wanted.text, wanted.name("target")
    for goal in [part for role in ("raised", "seen", "built") for part in stack_statements(wanted, role)]:
        first = next((part for part in text.block(goal) if name and loads(part, name)), None)
        if name is not None and name.isidentifier() and first is not None:
            title = f"ask for a gradient of {name} before line {first.lineno}"
            cost = "a gradient is computed and kept for it"
            yield wanted.proposal(title, cost, text.before(first, [f"{name}.requires_grad_()"]))


def all_tracked(wanted: FixContext) -> Iterator[Proposal]:
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


def track_input(wanted: FixContext) -> Iterator[Proposal]:
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
            yield wanted.proposal(title, TRACKS, append_suffix(text, given, ".requires_grad_()"))


def freeze_first(wanted: FixContext) -> Iterator[Proposal]:
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


def restore_flags(wanted: FixContext) -> Iterator[Proposal]:
    """What is frozen for a backward in its block, as that of a sampler or an attack, learns again after it."""
    text = wanted.text
    for statement in stack_statements(wanted, "cut"):
        whole, lines = frozen_for_a_while(text, statement)
        repeats = any(isinstance(outer, ast.FunctionDef | ast.For | ast.While) for outer in text.around(whole))
        block = text.block(whole)
        rest = block[block.index(whole) + 1 :] if lines and whole in block and repeats else []
        if not any(callee(call) in ("grad", "backward") for part in rest for call in text.parts(part, ast.Call)):
            continue
        last = rest[-1]
        computed = [call for call in text.calls(last) if callee(call) not in ("detach", "clone", "cpu")]
        if computed and isinstance(last, ast.Return) and last.value is not None:
            made = [f"result = {text.get(last.value)}", *lines]
            edits, where = [text.before(last, made), text.replaced(last.value, "result")], "before"
        elif isinstance(last, ast.Return | ast.Raise):
            edits, where = [text.before(last, lines)], "before"
        else:
            edits, where = [text.after(last, lines)], "after"
        line = last.lineno if where == "before" else last.end_lineno
        title = f"let what line {whole.lineno} freezes learn again, {where} line {line}"
        yield replace(wanted.proposal(title, "frozen in between, as it was meant", *edits), decisive=True)


def frozen_for_a_while(text: Text, statement: ast.stmt) -> tuple[ast.stmt, list[str]]:
    """What freezes, with the loop over parameters that it is all of, and the lines that undo it."""
    whole = statement
    loop = text.parents.get(statement)
    if isinstance(loop, ast.For) and len(loop.body) == 1:
        whole = loop
    shown = "\n".join(text.lines_of(whole))
    own = {node.name for node in text.parts(text.tree, ast.FunctionDef)}
    told = [call for call in text.calls(statement) if callee(call) in own and "False" in text.get(call)]
    undone = re.sub(r"\bFalse\b", "True", shown) if told else FLAG_OFF.sub(r"\1True", shown)
    return whole, undone.split("\n") if undone != shown and text.alone(whole) else []


FLAG_OFF = re.compile(r"(\.requires_grad\s*=\s*|\.requires_grad_\((?:requires_grad\s*=\s*)?)False\b")


def layer_renamed(wanted: FixContext) -> Iterator[Proposal]:
    """A new layer that forward never calls takes the name of the one that it calls."""
    text, layer = wanted.text, unread_layer(wanted.text.tree)
    if layer is not None:
        old, made = f"{layer.owner}.{layer.name}", f"{layer.owner}.{layer.used}"
        uses = [part for part in text.parts(text.tree, ast.Attribute) if ast.unparse(part) == old]
        title = f"set it as {made}, which forward calls, on line {layer.statement.lineno}"
        yield wanted.proposal(title, "it takes the place of the old one", *(text.replaced(use, made) for use in uses))


def flag_left(wanted: FixContext) -> Iterator[Proposal]:
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


def asked_before(wanted: FixContext) -> Iterator[Proposal]:
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


def unwrap_leaf(wanted: FixContext) -> Iterator[Proposal]:
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


def not_reentrant(wanted: FixContext) -> Iterator[Proposal]:
    """The checkpoint that records by itself."""
    text = wanted.text
    calls = [c for c in ast.walk(text.tree) if isinstance(c, ast.Call) and callee(c).startswith("checkpoint")]
    if calls:
        edits = [set_keyword(text, call, "use_reentrant", "False") for call in calls]
        yield wanted.proposal("use_reentrant=False for the checkpoint", FREE, *edits)


def skip_backward(wanted: FixContext) -> Iterator[Proposal]:
    """Go backward only where there is a graph."""
    text, raised, root = wanted.text, wanted.at("raised"), wanted.name("root")
    if raised is None or isinstance(raised, ast.For | ast.While | ast.With | ast.If | ast.FunctionDef | ast.Return):
        return
    if isinstance(raised, ast.Expr) and root is not None:
        title = f"go backward only if there is a graph: line {raised.lineno}"
        header = f"if {root}.requires_grad:" if root.isidentifier() else None
        if header:
            yield wanted.workaround(title, "nothing is computed where nothing can be", text.wrapped([raised], header))


def nonlinear(wanted: FixContext) -> Iterator[Proposal]:
    """The gradient of something linear is constant: its own gradient is nothing, which can be said by zeros."""
    yield from skip_backward(wanted)


def no_parameter(wanted: FixContext) -> Iterator[Proposal]:
    """What is computed stays a result: a Parameter is a new leaf.

    Where a module has a Parameter under the name, that is deleted first: only then does it take a plain tensor.
    """
    text, statement = wanted.text, wanted.at("cut")
    for call in text.calls(statement, "Parameter"):
        if not call.args:
            continue
        title = f"without Parameter on line {call.lineno}: the gradient goes on to what it was made of"
        alone = isinstance(statement, ast.Assign) and statement.value is call
        bare = text.replaced(call, text.get(call.args[0]) if alone else in_brackets(text, call.args[0]))
        yield wanted.proposal(title, "it is no leaf", bare)
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Attribute):
            path = text.get(statement.targets[0])
            yield wanted.proposal(
                f"{title}, and without the Parameter that was {path}",
                "it is no leaf",
                text.before(statement, [f"del {path}"]),
                bare,
            )


def call_functionally(wanted: FixContext) -> Iterator[Proposal]:
    """Weights that are computed for a layer, as a hypernetwork does, go into it by `functional_call`; else they take
    the places of its Parameters, which are deleted first."""
    text, cut = wanted.text, wanted.at("cut")
    made = [part for part in text.block(cut) if is_put_in_layer(part)] if cut is not None else []
    owners = {ast.unparse(part.targets[0].value) for part in made}  # type: ignore[attr-defined]
    if cut not in made or len(made) == 1 or len(owners) != 1 or not all(map(text.alone, made)):
        return  # of one alone: weight_computed
    layer, lines = owners.pop(), join_names([str(part.lineno) for part in made])
    pairs = [(part.targets[0].attr, text.get(part.value.args[0])) for part in made]  # type: ignore[attr-defined]
    entries = ", ".join(f'"{name}": {value}' for name, value in pairs)
    home = enclosing(text, made[0], ast.ClassDef) or text.tree
    uses = [call for call in text.parts(home, ast.Call) if text.get(call.func) == layer and not call.keywords]
    if uses:
        kept = f"{layer}_weights"
        read, retained = gradients_of(text, layer, pairs)
        stored = [f"{kept} = {{{entries}}}", *retained]
        edits = [text.replaced(made[0], stored[0]), *map(text.removed, made[1:]), *read]
        edits += [text.after(made[-1], retained)] if retained else []
        for use in uses:
            given = ", ".join(map(text.get, use.args)) + ("," if len(use.args) == 1 else "")
            edits.append(text.replaced(use, f"torch.func.functional_call({layer}, {kept}, ({given}))"))
        title = f"call {layer} with what is computed for it, by torch.func.functional_call, on line {uses[0].lineno}"
        cost = "the gradient goes on to what the weights were made of"
        yield replace(wanted.proposal(title, cost, *edits), decisive=True)
    title = f"without Parameter on lines {lines}, once the Parameters of {layer} are deleted"
    edits = [text.before(part, [f"del {text.get(part.targets[0])}"]) for part in made]
    edits += [text.replaced(part.value, value) for part, (_, value) in zip(made, pairs, strict=True)]
    yield wanted.proposal(title, "they are no leaves", *edits)


def gradients_of(text: Text, layer: str, pairs: list[tuple[str, str]]) -> tuple[list[Edit], list[str]]:
    """Where the program reads the gradients of Parameters of `layer`: the edits that have it read those of the weights
    in their place, and the lines that have these keep theirs."""
    edits, lines, inner = [], [], layer.partition(".")[2] or layer
    for name, value in pairs:
        for read in text.parts(text.tree, ast.Attribute):
            shown = text.get(read.value)
            if read.attr == "grad" and re.search(rf"(?:^|\.){re.escape(inner)}\.{name}$", shown):
                edits.append(text.replaced(read.value, f'{shown[: -len(name) - 1]}_weights["{name}"]'))
                lines.append(f"{value}.retain_grad()")
    return edits, list(dict.fromkeys(lines))


def is_put_in_layer(statement: ast.stmt) -> TypeGuard[ast.Assign]:
    """Whether it is `layer.weight = nn.Parameter(w)`."""
    return (
        isinstance(statement, ast.Assign)
        and isinstance(statement.targets[0], ast.Attribute)
        and callee(statement.value) == "Parameter"
        and isinstance(statement.value, ast.Call)
        and len(statement.value.args) == 1
        and ast.unparse(statement.targets[0].value) != "self"
        and not loads(statement.value, ast.unparse(statement.targets[0]))
    )


def sampled_with_graph(wanted: FixContext) -> Iterator[Proposal]:
    """`rsample` draws what `sample` does, as a function of the parameters."""
    text = wanted.text
    for call in text.calls(wanted.at("cut"), "sample"):
        made = text.get(call).replace(".sample(", ".rsample(", 1)
        title = f"rsample() on line {call.lineno}"
        yield wanted.proposal(title, "the gradient goes on back to the parameters", text.replaced(call, made))


def not_loaded(wanted: FixContext) -> Iterator[Proposal]:
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


def rebound(wanted: FixContext) -> Iterator[Proposal]:
    """`w.data = w - s` becomes `w = w - s`: the name stands for the result, with its graph."""
    text, statement = wanted.text, wanted.at("cut")
    goal = statement.targets[0] if isinstance(statement, ast.Assign) else None
    if isinstance(goal, ast.Attribute) and goal.attr == "data":
        name = text.get(goal.value)
        title = f"let {name} stand for the result: {name} = … on line {goal.lineno}"
        yield wanted.proposal(title, "the graph of every turn stays", text.replaced(goal, name))


def leaves_again(wanted: FixContext) -> Iterator[Proposal]:
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
        names = join_names([text.get(node.targets[0]) for node in rebound])
        title = f"ask for the gradient of the new {names}, on line {rebound[0].lineno}"
        edits = [append_suffix(text, node.value, ".requires_grad_()") for node in rebound]
        yield wanted.proposal(title, FREE, *edits)


CUTS = {
    "turned_round": (reverse_estimator,),
    "estimated_early": (estimator_later,),
    "late": (asked_before,),
    "data": (compute_weight, rebound),
    "sample": (sampled_with_graph, recording_on),
    "plain": (make_leaf_earlier, of_data, optimized_tracked, all_tracked, tracked_at_cut),
    "unread_layer": (layer_renamed,),
    "flag": (freeze_first, restore_flags, track_input, flag_left),
    "detach": (
        *(detach_other_side, detached_for_the_first, detach_other_argument, unwrap_leaf, drop_detach, not_loaded),
        *(enable_grad, in_torch),
    ),
    "tensor": (from_tensors, without_numbers),
    "numbers": (
        *(multiply_by_chance, tensors_listed, in_torch, tensor_beside, without_numbers, all_kept, from_tensors),
        drop_detach,
    ),
    "rounded": (
        multiply_by_chance,
        use_scores,
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
    "no_create_graph": (train_again, with_create_graph),
    "linear": (nonlinear,),
    "backward": (enable_grad, recording_on, with_create_graph),
    "checkpoint": (not_reentrant, tracked_at_cut),
    "parameter": (call_functionally, compute_weight, no_parameter),
}


@fix(inference=1)
def use_no_grad(wanted: FixContext) -> Iterator[Proposal]:
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
        yield wanted.proposal(title, "one copy", append_suffix(text, use, ".clone()"))
