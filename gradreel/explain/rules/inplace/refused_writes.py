"""Writes that PyTorch refuses: into a leaf that requires a gradient, and into views whose history cannot follow."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from ...calls import callee, keyword
from ...diagnostics.diagnosis import Diagnosis, Failure, known_names
from ...diagnostics.mentions import find_mentioned, raising_code, raising_statement
from ...diagnostics.registry import rule
from ...fixes.edits import append_suffix, loads, stack_statements, value_of, without_keyword
from ...fixes.proposal import FREE, FixContext, Proposal
from ...fixes.registry import fix
from ...fixes.text import Edit, Text, names_in, targets
from ...narration.program_layers import parts_of
from ...narration.words import code, code_label, name_of, on
from ...replay.graph_queries import origin
from ...replay.states import Frame, Place, TensorState
from ...replay.world import World
from .out_of_place import COPY, chain_start, plain_sum, read_after, turns_over, write_out_of_place, written_name


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedWrite:
    """A kind of write that is refused: whose it is, what that is to autograd, why it may not be written."""

    kind: str = "view_inplace"
    cause: str
    title: str
    fits: Callable[[World, TensorState], bool]
    what: str
    why: str


def leaf(world: World, tensor: TensorState) -> bool:
    base = origin(world, tensor)
    return base is not None and base.requires_grad and base.node is None


def view(world: World, tensor: TensorState) -> bool:
    return tensor.base is not None


def any_tensor(world: World, tensor: TensorState) -> bool:
    return True


LEAF = "is a leaf that requires a gradient: its numbers are what the gradient will be taken at"
LOST = "Autograd could not say any more what the gradient belongs to, so PyTorch refuses the write."
UNSURE = "Autograd could not give the view a new history, so PyTorch refuses the write."
OVER = "A leaf would be written over"
GUARDED = "A view that may not be written would be written over"

REFUSALS = {
    "a view of a leaf Variable": RefusedWrite(
        cause="leaf_view", title=OVER + " through a view of it", fits=leaf, what=LEAF, why=LOST
    ),
    "a leaf Variable that requires grad": RefusedWrite(
        kind="leaf_inplace", cause="leaf_inplace", title=OVER, fits=leaf, what=LEAF, why=LOST
    ),
    "A view was created in": RefusedWrite(
        cause="no_grad_view",
        title=GUARDED,
        fits=view,
        what="is seen through a view taken while nothing was recorded",
        why=UNSURE,
    ),
    "is a view of a view which was created in": RefusedWrite(
        cause="no_grad_view",
        title=GUARDED,
        fits=view,
        what="is seen through a view taken while nothing was recorded",
        why=UNSURE,
    ),
    "output of a function that returns multiple views": RefusedWrite(
        cause="many_views",
        title=GUARDED,
        fits=view,
        what="is one of several views that one operator gave out together",
        why="A write into one of them would have to change the history of all, so PyTorch refuses it.",
    ),
    "created inside a custom Function": RefusedWrite(
        cause="function_view",
        title="A view that a Function gave out was written over",
        fits=any_tensor,
        what="is a view that a Function of your own returned",
        why="The write would put another node in the place of the Function's own backward, so PyTorch refuses.",
    ),
    "more than one element of the written-to tensor refers to": RefusedWrite(
        cause="expanded",
        title="An expanded tensor would be written over",
        fits=any_tensor,
        what="shows the same numbers several times, because `expand` copies nothing",
        why="One write would have to put several numbers into one place, so PyTorch refuses; `clone()` gives each its "
        "own.",
    ),
    "functions with out=... arguments": RefusedWrite(
        kind="leaf_inplace",
        cause="out_argument",
        title="`out=` cannot be recorded",
        fits=leaf,
        what="is a leaf that requires a gradient",
        why="What is written through `out=` gets no history, so PyTorch refuses it where a gradient is wanted.",
    ),
    "Can't detach views in-place": RefusedWrite(
        cause="detach_view",
        title="A view cannot be detached in place",
        fits=view,
        what="is a view: it shares memory and history with its base",
        why="Its base would still have the history that the view has lost; `detach()` gives a new tensor instead.",
    ),
}
"""By a part of PyTorch's message."""


HOOKED = "BackwardHookFunction is a view"
"""The view is none of the program's: the hook of a module made it."""

OF_THE_VIEW = frozenset({"many_views", "expanded", "detach_view"})
"""Refusals that are about the view itself, not about what it shows."""


@rule
def inplace_refused(world: World, failure: Failure) -> Diagnosis | None:
    """One of REFUSALS."""
    message, line = failure.raised.message, failure.raised.line
    refusal = next((REFUSALS[part] for part in REFUSALS if part in message), None)
    if refusal is None or HOOKED in message:
        return None
    found = target(world, failure, refusal)
    if found is None:
        return None
    name, tensor = found
    base = origin(world, tensor) or tensor
    node = world.nodes.get(tensor.node) if tensor.node is not None else None
    writes = [write for write in world.writes.get(tensor.storage, ()) if write.event > tensor.made]
    later = "has been modified" in message and bool(writes)
    changed = writes[-1].place.line if later else line
    built = place_applied(tensor).line if refusal.cause == "function_view" else tensor.place.line
    lines: dict[str, int | None] = {"saved": base.place.line, "built": built, "changed": changed, "raised": line}
    events = {"raised": failure.number, "saved": base.made, "built": tensor.made}
    if later:
        events["changed"] = writes[-1].event
    if refusal.cause == "leaf_inplace":
        del lines["built"]
    whole = code_label(world, base.number)
    story = [f"{whole}, made {on(base.place.line)}, {refusal.what}."]
    if refusal.cause in OF_THE_VIEW and tensor is not base:
        story = [f"{code(name)}, taken {on(tensor.place.line)}, {refusal.what}; its memory is that of {whole}."]
    elif tensor is not base and refusal.cause != "function_view":
        story.append(f"{code(name)}, taken {on(tensor.place.line)}, shows the same memory.")
    if later:
        story.append(f"{code(world.source.text(changed))} {on(changed)} wrote over it in place.")
    else:
        doing = "cut it off its history" if refusal.cause == "detach_view" else "write over it"
        story.append(f"{code(raising_code(world, failure))} {on(line)} would {doing} in place.")
    story.append(refusal.why)
    return Diagnosis(
        kind=refusal.kind,
        title=refusal.title,
        message=message,
        lines=lines,
        story=tuple(story),
        nodes=() if node is None else (node.number,),
        events=events,
        cause=refusal.cause,
        names=known_names(target=name, whole=name_of(world, base)),
    )


def place_applied(tensor: TensorState) -> Place | Frame:
    """Where the Function was applied that gave out `tensor`."""
    place = tensor.place
    return place.frames[-1] if place.function == "forward" else tensor.bound or place


def target(world: World, failure: Failure, refusal: RefusedWrite) -> tuple[str, TensorState] | None:
    """The tensor that the statement speaks of and that fits; else any that it speaks of."""
    text = raising_statement(world, failure)
    found = list(find_mentioned(world, text))
    fitting = next((pair for pair in found if refusal.fits(world, pair[1])), None)
    fitting = fitting or next(iter(written_there(world, failure, refusal)), None) or (found[0] if found else None)
    return fitting or next(iter(of_modules(world, text, refusal)), None)


def written_there(world: World, failure: Failure, refusal: RefusedWrite) -> Iterator[tuple[str, TensorState]]:
    """What the statement took a view of to write into, as `self.mem[slot]`, whatever it is called there."""
    for tensor in reversed(world.tensors.values()) if refusal.cause == "leaf_view" else ():
        base = origin(world, tensor)
        if tensor.place.line != failure.raised.line:
            return
        if base is not None and base is not tensor and leaf(world, tensor):
            yield name_of(world, base) or base.called or "it", base


def of_modules(world: World, text: str, refusal: RefusedWrite) -> Iterator[tuple[str, TensorState]]:
    """What fits of the modules that `text` names, as of `net` in `[p.sub_(1) for p in net.parameters()]`."""
    for path in re.findall(r"[A-Za-z_][\w.]*", text):
        for tensor in parts_of(world, path.removesuffix(".parameters")):
            if refusal.fits(world, tensor):
                yield name_of(world, tensor) or path, tensor


# ---- fixes


UNRECORDED = "the write leaves no trace in the graph"


@fix(leaf_inplace=2)
def change_leaf(wanted: FixContext) -> Iterator[Proposal]:
    """A leaf that requires a gradient would be written over."""
    update = is_update(wanted)
    ways = [write_under_no_grad, write_out_of_place, flag_dropped, clone_before]
    if not update:
        ways = [flag_dropped, write_out_of_place, clone_before, write_under_no_grad]
    for way in (under_another_name, *ways):
        yield from way(wanted)


def is_update(wanted: FixContext) -> bool:
    """Whether the write is a step of a descent: it uses a gradient, or nothing but numbers."""
    statement = wanted.at("changed")
    if statement is None:
        return False
    shown = ast.unparse(statement)
    return ".grad" in shown or any(word in shown for word in ("lr", "rate", "step", "eta", "alpha"))


@fix(many_views=3)
def change_view(wanted: FixContext) -> Iterator[Proposal]:
    for way in (write_out_of_place, clone_at_view, clone_before, write_under_no_grad):
        yield from way(wanted)


@fix(leaf_view=1)
def change_leaf_view(wanted: FixContext) -> Iterator[Proposal]:
    """A leaf would be written over through a view of it."""
    yield from clone_start(wanted)
    first = write_out_of_place(wanted)
    yield from first
    yield from change_leaf(wanted)
    yield from clone_at_view(wanted)


def clone_start(wanted: FixContext) -> Iterator[Proposal]:
    """What begins with the numbers of a parameter, and is written into, is a copy: `self.mem = self.init.clone()`."""
    text, path = wanted.text, wanted.name("whole") or ""
    for statement in text.parts(text.tree, ast.Assign):
        goal = text.get(statement.targets[0])
        if "." in path and text.get(statement.value) == path and goal != path:
            title = f"{goal} begins as a copy: {path}.clone() on line {statement.lineno}"
            yield wanted.proposal(title, COPY, text.replaced(statement.value, f"{path}.clone()"))


@fix(no_grad_view=3, function_view=2, expanded=3)
def clone_before(wanted: FixContext) -> Iterator[Proposal]:
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
        offered = wanted.proposal if read_after(text, statement) else wanted.workaround
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
        goal = (
            chain_start(call.func.value)
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
            else None
        )
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


@fix(no_grad_view=1, function_view=1, expanded=2)
def clone_at_view(wanted: FixContext) -> Iterator[Proposal]:
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
        yield wanted.proposal(title, COPY, append_suffix(text, value, ".clone()"))


def inplace_switched_off(wanted: FixContext) -> Iterator[Proposal]:
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


@fix(no_grad_view=4)
def write_under_no_grad(wanted: FixContext) -> Iterator[Proposal]:
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


def under_another_name(wanted: FixContext) -> Iterator[Proposal]:
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


def flag_dropped(wanted: FixContext) -> Iterator[Proposal]:
    """What is written into does not require a gradient itself."""
    text, saved = wanted.text, wanted.at("saved")
    for call in text.calls(saved):
        edit = without_keyword(text, call, "requires_grad")
        if edit is not None:
            title = f"leave out requires_grad=True on line {call.lineno}: what is written into needs none of its own"
            yield wanted.proposal(title, "no .grad for the buffer; what is written into it keeps its graph", edit)


def is_function(text: Text, use: ast.expr) -> bool:
    parent = text.parents.get(use)
    return isinstance(parent, ast.Call) and parent.func is use


@fix(out_argument=1)
def drop_out(wanted: FixContext) -> Iterator[Proposal]:
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


@fix(many_views=1)
def write_by_place(wanted: FixContext) -> Iterator[Proposal]:
    """`for row in x: row += 1` becomes `for i, row in enumerate(x): x[i] += 1`, as each `x[i]` is a view of its own."""
    text, changed = wanted.text, wanted.at("changed")
    loop = text.loop(changed) if changed is not None else None
    name = written_name(changed)
    if not isinstance(loop, ast.For) or name is None or changed is loop:
        return
    found = rows_of(loop, name)
    if found is None:
        return
    whole, place = found
    index = place or next(letter for letter in "ijkn" if letter not in names_in(text.tree))
    part = f"{text.get(whole)}[{index}]"
    uses = [node for one in loop.body for node in ast.walk(one) if isinstance(node, ast.Name) and node.id == name]
    edits = [text.replaced(use, part) for use in uses]
    if place is None:
        goal = text.get(loop.target)
        goal = f"({goal})" if isinstance(loop.target, ast.Tuple) else goal
        edits.append(text.replaced(loop.target, f"{index}, {goal}"))
        edits.append(text.replaced(loop.iter, f"enumerate({text.get(loop.iter)})"))
    yield wanted.proposal(f"write into {part} on line {loop.body[0].lineno}", FREE, *edits)


@fix(many_views=2)
def stack_anew(wanted: FixContext) -> Iterator[Proposal]:
    """`[p.mul_(3) for p in parts]` becomes `parts = [p.mul(3) for p in parts]`."""
    text, changed = wanted.text, wanted.at("changed")
    listed = changed.value if isinstance(changed, ast.Expr) else None
    if not isinstance(listed, ast.ListComp) or len(listed.generators) != 1 or not isinstance(changed, ast.Expr):
        return
    call, over = listed.elt, listed.generators[0].iter
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr.endswith("_"):
        owner, name = text.get(call.func.value), call.func.attr[:-1]
        if isinstance(over, ast.Name) and owner == text.get(listed.generators[0].target):
            start = text.place(changed.lineno, changed.col_offset)
            title = f"new tensors in {over.id}: {owner}.{name}(…) on line {changed.lineno}"
            naming = Edit(*start, *start, f"{over.id} = ")
            yield wanted.proposal(title, COPY, naming, text.replaced(call.func, f"{owner}.{name}"))


def unbound(over: ast.expr) -> ast.expr | None:
    """The `x` of `x.unbind()`, which gives the rows of x."""
    if not isinstance(over, ast.Call) or not isinstance(over.func, ast.Attribute) or over.func.attr != "unbind":
        return None
    rows = not over.keywords and all(ast.unparse(part) == "0" for part in over.args)
    return over.func.value if rows else None


def rows_of(loop: ast.For, name: str) -> tuple[ast.expr, str | None] | None:
    """What `name` goes through the rows of in `for name in x`, `enumerate(x)` or `zip(x, ...)`; and the name of their
    places, if there is one."""
    goal, over = loop.target, loop.iter
    if isinstance(goal, ast.Name) and goal.id == name:
        whole = unbound(over)
        return (whole, None) if whole is not None else None if isinstance(over, ast.Call) else (over, None)
    if not isinstance(goal, ast.Tuple) or not isinstance(over, ast.Call):
        return None
    parts = [part.id if isinstance(part, ast.Name) else None for part in goal.elts]
    if callee(over) == "enumerate" and parts[1:] == [name] and not isinstance(over.args[0], ast.Call):
        return over.args[0], parts[0]
    if callee(over) == "zip" and name in parts and len(over.args) == len(parts):
        return over.args[parts.index(name)], None
    return None


@fix(leaf_inplace=1)
def apply_to_copy(wanted: FixContext) -> Iterator[Proposal]:
    """A Function that writes into its argument is given a copy of a leaf."""
    text, name = wanted.text, wanted.name("target")
    for call in text.calls(wanted.at("raised"), "apply"):
        for given in call.args:
            if name is not None and text.get(given) == name:
                title = f"give it a copy: {name}.clone() on line {call.lineno}"
                yield wanted.proposal(title, "one tensor more in memory", append_suffix(text, given, ".clone()"))
