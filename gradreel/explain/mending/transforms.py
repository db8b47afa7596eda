"""Mends for torch.func and autograd.functional: what the function gives, and what goes with it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..calls import callee, keyword
from ..fixes.edits import copies, enclosing, enumerated, grouped, needed_before, set_keyword, with_argument
from ..fixes.proposal import FREE, Proposal, Wanted
from ..fixes.registry import fix
from ..fixes.text import Edit, Text, names_in, targets

NUMBERS = ("item", "tolist")
MAKERS = (
    "grad",
    "grad_and_value",
    "value_and_grad",
    "vjp",
    "jvp",
    "jacrev",
    "jacfwd",
    "hessian",
    "jacobian",
    "hvp",
    "vhp",
)
Function = ast.FunctionDef | ast.Lambda


def functions(text: Text) -> list[Function]:
    """The functions of the text that a transform is given."""
    calls = [call for call in text.parts(text.tree, ast.Call) if callee(call) in (*MAKERS, "vmap") and call.args]
    names = {part.id for call in calls for part in text.parts(call.args[0], ast.Name)}
    plain = [part for call in calls for part in text.parts(call.args[0], ast.Lambda)]
    return [*plain, *(node for node in text.parts(text.tree, ast.FunctionDef) if node.name in names)]


@fix(function_result=1)
def as_tensor(wanted: Wanted) -> Iterator[Proposal]:
    """The function gives the tensor itself, and no number taken out of it."""
    text = wanted.text
    for function in functions(text):
        for call in text.parts(function, ast.Call):
            if callee(call) in NUMBERS and isinstance(call.func, ast.Attribute):
                title = f"leave out .{callee(call)}() on line {call.lineno}"
                yield wanted.proposal(title, "the graph stays", text.replaced(call, text.get(call.func.value)))
            if callee(call) in ("float", "int") and len(call.args) == 1:
                title = f"leave out {callee(call)}() on line {call.lineno}"
                yield wanted.proposal(title, "the graph stays", text.replaced(call, grouped(text, call.args[0])))


@fix(auxiliary=1)
def with_auxiliary(wanted: Wanted) -> Iterator[Proposal]:
    """`grad(f)` becomes `grad(f, has_aux=True)`."""
    text = wanted.text
    for call in text.parts(text.tree, ast.Call):
        if callee(call) in MAKERS and keyword(call, "has_aux") is None and call.args:
            title = f"has_aux=True on line {call.lineno}"
            cost = "the result is a pair: the gradient, and what else the function gives"
            yield wanted.proposal(title, cost, with_argument(text, call, "has_aux=True"))


@fix(vmap_item=2)
def log_outside(wanted: Wanted) -> Iterator[Proposal]:
    """What a function under `vmap(grad(f))` appends to a log, it returns beside its result; the log gets it outside."""
    text, raised = wanted.text, wanted.at("raised")
    home = enclosing(text, raised, ast.FunctionDef) if raised is not None else None
    adding = raised.value if isinstance(raised, ast.Expr) else None
    if not isinstance(home, ast.FunctionDef) or not isinstance(adding, ast.Call) or callee(adding) != "append":
        return
    shown = adding.args[0] if len(adding.args) == 1 else None
    if not isinstance(shown, ast.Call) or callee(shown) not in ("item", "float") or raised is None:
        return
    one = text.get(shown.func.value) if isinstance(shown.func, ast.Attribute) else text.get(shown.args[0])
    last = home.body[-1]
    for grad in [call for call in text.parts(text.tree, ast.Call) if callee(call) == "grad" and call.args]:
        outer = next((node for node in text.around(grad) if isinstance(node, ast.Assign)), None)
        if text.get(grad.args[0]).rpartition(".")[2] != home.name or outer is None or keyword(grad, "has_aux"):
            continue
        if not isinstance(last, ast.Return) or last.value is None or not isinstance(outer.targets[0], ast.Name):
            continue
        extra = f"{one if one.isidentifier() else 'value'}_of_each"
        edits = [text.removed(raised), text.replaced(last.value, f"{text.get(last.value)}, {one}")]
        edits.append(with_argument(text, grad, "has_aux=True"))
        edits.append(text.replaced(outer.targets[0], f"{text.get(outer.targets[0])}, {extra}"))
        assert isinstance(adding.func, ast.Attribute)
        edits.append(text.after(outer, [f"{text.get(adding.func.value)}.extend({extra}.tolist())"]))
        title = f"return {one} as well, with has_aux=True, and log it outside, after line {outer.end_lineno}"
        yield wanted.proposal(title, FREE, *edits)


@fix(no_vector=1, vector_shape=1)
def vector_given(wanted: Wanted) -> Iterator[Proposal]:
    """A vector of ones, in the shape of what it goes with."""
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "vjp", "jvp", "hvp", "vhp"):
        if len(call.args) < 2:
            continue
        function, point = text.get(call.args[0]), text.get(call.args[1])
        function = function if function.isidentifier() else f"({function})"
        shape = f"{function}({point})" if callee(call) == "vjp" else point
        given = keyword(call, "v")
        old = given.value if given is not None else call.args[2] if len(call.args) > 2 else None
        made = f"torch.ones_like({shape})"
        title = f"a vector of ones in that shape: {made} on line {call.lineno}"
        edit = with_argument(text, call, made) if old is None else text.replaced(old, made)
        yield wanted.proposal(title, "each entry counts 1", edit)


@fix(backward_in_transform=1)
def differentiated(wanted: Wanted) -> Iterator[Proposal]:
    """A function that goes backward inside of a transform becomes `torch.func.grad` of what it went back from."""
    text, raised = wanted.text, wanted.at("raised")
    home = next((node for node in text.around(raised) if isinstance(node, ast.FunctionDef)), None) if raised else None
    calls = text.calls(raised, "backward")
    if home is None or len(calls) != 1 or not isinstance(calls[0].func, ast.Attribute) or raised not in home.body:
        return
    last = home.body[-1]
    if not isinstance(last, ast.Return) or last.value is None or not text.get(last.value).endswith(".grad"):
        return
    if text.get(last.value).removesuffix(".grad") != home.args.args[0].arg:
        return
    root = text.get(calls[0].func.value)
    edits = [text.removed(raised), text.replaced(last.value, root)]
    for call in text.parts(text.tree, ast.Call):
        for given in call.args:
            if isinstance(given, ast.Name) and given.id == home.name:
                edits.append(text.replaced(given, f"torch.func.grad({home.name})"))
    title = f"let {home.name} give {root}, and take torch.func.grad of it"
    yield wanted.proposal(title, FREE, *edits)


@fix(in_transform=2)
def without_flag(wanted: Wanted) -> Iterator[Proposal]:
    """Inside of a transform nothing has to be asked for a gradient."""
    text, raised = wanted.text, wanted.at("raised")
    if raised is None:
        return
    shown = text.get(raised)
    if isinstance(raised, ast.Expr) and ".requires_grad_(" in shown:
        title = f"leave out line {raised.lineno}: the transform follows its input anyway"
        yield wanted.proposal(title, FREE, text.removed(raised))
    for call in text.calls(raised, "requires_grad_"):
        if isinstance(call.func, ast.Attribute) and not isinstance(raised, ast.Expr):
            title = f"leave out .requires_grad_() on line {call.lineno}: the transform follows its input anyway"
            yield wanted.proposal(title, FREE, text.replaced(call, text.get(call.func.value)))


@fix(in_transform=1)
def gradient_by_transform(wanted: Wanted) -> Iterator[Proposal]:
    """`z.requires_grad_()` and `autograd.grad(energy, z)` within a transform become `torch.func.grad` of a function
    that computes the energy: transforms can be nested."""
    text, raised = wanted.text, wanted.at("raised")
    home = enclosing(text, raised, ast.FunctionDef) if raised is not None else None
    block = text.block(raised) if raised is not None else []
    if home is None or raised is None or not text.alone(raised):
        return
    for step in block[block.index(raised) + 1 :]:
        for call in text.calls(step, "grad"):
            given = [*call.args, *(word.value for word in call.keywords if word.arg in ("outputs", "inputs"))]
            if len(given) >= 2 and isinstance(given[1], ast.Name) and "func.grad" not in text.get(call.func):
                yield from nest_transform(wanted, call, given[0], given[1].id)


def nest_transform(wanted: Wanted, call: ast.Call, root: ast.expr, leaf: str) -> Iterator[Proposal]:
    """`call`, which asks for the gradient of `root` at `leaf`, as a transform of its own."""
    text, raised = wanted.text, wanted.at("raised")
    step = next(node for node in text.around(call) if isinstance(node, ast.stmt))
    block = text.block(step)
    if raised is None or raised not in block:
        return
    steps = needed_before(text, step, block[block.index(raised) + 1]) if block.index(raised) + 1 < len(block) else []
    steps = [part for part in steps if targets(part) & names_in(root) or needs(steps, part, root)]
    value = f"{grouped(text, root)}.sum()" if is_weighted(call) else text.get(root)
    single = steps[-1] if len(steps) == 1 and isinstance(steps[0], ast.Assign) else None
    edits = [*remove_flag(text, raised, leaf)]
    later = set().union(*(names_in(part) for part in block[block.index(step) + 1 :]))
    if isinstance(root, ast.Name) and isinstance(single, ast.Assign) and text.get(single.targets[0]) == root.id:
        shown = grouped(text, single.value) if is_weighted(call) else text.get(single.value)
        function = f"lambda {leaf}: {shown}{'.sum()' if is_weighted(call) else ''}"
        if isinstance(single.value, ast.Call) and shown == f"{text.get(single.value.func)}({leaf})":
            function = text.get(single.value.func) if not is_weighted(call) else function
        edits += [] if root.id in later else [text.removed(single)]
    elif steps:
        function = f"{root.id}_of_{leaf}" if isinstance(root, ast.Name) else f"value_of_{leaf}"
        head = [f"def {function}({leaf}):", *(f"    {line}" for line in copies(text, steps)), f"    return {value}"]
        edits.append(text.before(step, head))
        edits += [text.removed(part) for part in steps if not targets(part) & later]
    else:
        function = f"lambda {leaf}: {value}"
    outer = text.parents.get(call)
    whole = outer if isinstance(outer, ast.Subscript) else call
    edits.append(text.replaced(whole, f"torch.func.grad({function})({leaf})"))
    if whole is call and isinstance(step, ast.Assign) and isinstance(step.targets[0], ast.Tuple):
        edits.append(text.replaced(step.targets[0], text.get(step.targets[0].elts[0])))
    title = f"torch.func.grad in the place of autograd.grad on line {call.lineno}: transforms can be nested"
    yield wanted.proposal(title, FREE, *edits)


def needs(steps: list[ast.stmt], part: ast.stmt, root: ast.expr) -> bool:
    """Whether what computes `root` reads, from name to name, what `part` binds."""
    wanted = names_in(root)
    for step in reversed(steps):
        if targets(step) & wanted:
            wanted |= names_in(step)
    return bool(targets(part) & wanted)


def is_weighted(call: ast.Call) -> bool:
    """Whether `grad_outputs` are given: of several numbers the gradient is that of their sum."""
    return len(call.args) > 2 or keyword(call, "grad_outputs") is not None


def remove_flag(text: Text, raised: ast.stmt, leaf: str) -> list[Edit]:
    """The line that asks for a leaf goes; under another name it hands on what it was made of."""
    source = raised.value if isinstance(raised, ast.Assign | ast.Expr) else None
    while isinstance(source, ast.Call) and isinstance(source.func, ast.Attribute) and callee(source) in OF_LEAF:
        source = source.func.value
    if source is None or (isinstance(source, ast.Name) and source.id == leaf) or isinstance(raised, ast.Expr):
        return [text.removed(raised)]
    return [text.replaced(raised, f"{leaf} = {text.get(source)}")]


OF_LEAF = ("requires_grad_", "detach", "clone")


@fix(gradient_shape=3)
def cotangent_like(wanted: Wanted) -> Iterator[Proposal]:
    """What `vjp` gave is given ones in the shape of the output that came with it."""
    text, raised = wanted.text, wanted.at("raised")
    for node in text.parts(text.tree, ast.Assign):
        goal = node.targets[0]
        if callee(node.value) != "vjp" or not isinstance(goal, ast.Tuple) or len(goal.elts) != 2:
            continue
        output, pull = map(text.get, goal.elts)
        for call in text.calls(raised, pull):
            if len(call.args) == 1 and names_in(call.func):
                made = f"torch.ones_like({output})"
                title = f"ones of the shape of {output} on line {call.lineno}"
                yield wanted.proposal(title, "each entry counts 1", text.replaced(call.args[0], made))


@fix(captured_write=1)
def normalized_alone(wanted: Wanted) -> Iterator[Proposal]:
    """A batch norm becomes a group norm, or keeps no running statistics."""
    text = wanted.text
    calls = [call for call in text.parts(text.tree, ast.Call) if callee(call) in BATCH_NORMS and call.args]
    if not calls:
        return
    lines = enumerated([str(call.lineno) for call in calls])
    edits = []
    for call in calls:
        size, function = call.args[0], text.get(call.func)
        whole = isinstance(size, ast.Constant) and isinstance(size.value, int)
        groups = 2 if whole and int(ast.literal_eval(size)) % 2 == 0 else 1
        made = f"{function.removesuffix(callee(call))}GroupNorm({groups}, {text.get(size)})"
        edits.append(text.replaced(call, made))
    yield wanted.proposal(f"a group norm in the place of the batch norm, on line {lines}", ALONE, *edits)
    plain = [set_keyword(text, call, "track_running_stats", "False") for call in calls]
    cost = "each example is normalized by itself, in evaluation too"
    yield wanted.proposal(f"track_running_stats=False on line {lines}", cost, *plain)


BATCH_NORMS = ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d")
ALONE = "each example is normalized by itself, over groups of its channels"
