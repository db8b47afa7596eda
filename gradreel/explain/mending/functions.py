"""Mends for Functions of the program's own: what backward returns, and what forward keeps."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..calls import callee
from ..fixes.edits import copies, enclosing, enumerated, followed, loads, with_argument
from ..fixes.proposal import FREE, Proposal, Wanted
from ..fixes.registry import fix
from ..fixes.text import Edit, Text, names_in, targets
from .derived_attributes import render


def own_class(wanted: Wanted) -> ast.ClassDef | None:
    """The class of the Function in question."""
    text, name = wanted.text, wanted.name("function")
    named = [kind for kind in text.parts(text.tree, ast.ClassDef) if kind.name == name]
    return next(iter(named or function_classes(text)), None)


def function_classes(text: Text) -> list[ast.ClassDef]:
    """The Functions of the program."""
    classes = text.parts(text.tree, ast.ClassDef)
    return [kind for kind in classes if any("Function" in ast.unparse(base) for base in kind.bases)]


def method(kind: ast.ClassDef, name: str) -> ast.FunctionDef | None:
    return next((part for part in kind.body if isinstance(part, ast.FunctionDef) and part.name == name), None)


def returns(function: ast.FunctionDef) -> list[ast.Return]:
    return [node for node in ast.walk(function) if isinstance(node, ast.Return) and node.value is not None]


@fix(gradient_count=1)
def gradient_count(wanted: Wanted) -> Iterator[Proposal]:
    """One gradient for each argument of forward."""
    text, kind = wanted.text, own_class(wanted)
    backward = method(kind, "backward") if kind is not None else None
    expected, got = int(wanted.name("expected") or 0), int(wanted.name("got") or 0)
    if backward is not None and not returns(backward) and isinstance(backward.body[-1], ast.Expr):
        last = backward.body[-1]
        title = f"return what line {last.lineno} says"
        yield wanted.proposal(title, FREE, text.replaced(last, f"return {text.get(last.value)}"))
    if backward is None or not returns(backward):
        yield from names_returned(wanted)
        return
    if wanted.name("needed") and not any(isinstance(node.value, ast.List) for node in returns(backward)):
        return  # what is left out is to learn: None would end the error, and the learning
    if expected > got:
        edits = []
        for node in returns(backward):
            value = node.value
            if isinstance(value, ast.List):
                made = ", ".join(text.get(part) for part in value.elts[:expected])
                edits.append(text.replaced(value, made))
            elif value is not None:
                edits.append(with_none(text, value, expected - got))
        if any(isinstance(node.value, ast.List) for node in returns(backward)):
            yield wanted.proposal("return a tuple, not a list", FREE, *edits)
            return
        title = f"return None for the other argument{'s' if expected - got > 1 else ''}"
        yield wanted.proposal(title, "no gradient for what gets None", *edits)
        return
    edits = []
    for node in returns(backward):
        if isinstance(node.value, ast.Tuple | ast.List):
            kept = ", ".join(text.get(part) for part in node.value.elts[:expected])
            edits.append(text.replaced(node.value, kept))
    yield wanted.proposal("return one gradient for each argument of forward", FREE, *edits)


def with_none(text: Text, value: ast.expr, more: int) -> Edit:
    """What backward returns, with None for so many arguments more."""
    rest = ", None" * more
    if isinstance(value, ast.Tuple) and text.get(value).startswith("("):
        return text.replaced(value, f"({', '.join(map(text.get, value.elts))}{rest})")
    return text.replaced(value, f"{text.get(value).rstrip(', ')}{rest}")


@fix(backward_no_return=1, withheld=2)
def names_returned(wanted: Wanted) -> Iterator[Proposal]:
    """What backward computed last and nobody read is what it was to return: one for each argument of forward."""
    text, kind = wanted.text, own_class(wanted)
    forward = method(kind, "forward") if kind is not None else None
    backward = method(kind, "backward") if kind is not None else None
    if forward is None or backward is None:
        return
    last = backward.body[-1]
    if isinstance(last, ast.Expr) and not isinstance(last.value, ast.Constant):
        title = f"return what line {last.lineno} says"
        yield wanted.proposal(title, FREE, text.replaced(last, f"return {text.get(last.value)}"))
    steps = [
        part for part in ast.walk(backward) if isinstance(part, ast.Assign) and isinstance(part.targets[0], ast.Name)
    ]
    names = [text.get(step.targets[0]) for step in sorted(steps, key=lambda step: step.lineno)]
    unread = [name for name in dict.fromkeys(names) if not loads(backward, name)]
    many = len(forward.args.args) - 1
    if len(unread) == many or (unread and many == 1):
        made = f"return {', '.join(unread[-many:])}"
        yield wanted.proposal(f"{made} after line {last.end_lineno}", FREE, text.after(last, [made]))


@fix(withheld=1)
def own_gradient_returned(wanted: Wanted) -> Iterator[Proposal]:
    """A gradient that backward computed stands where it returns None; a test of `needs_input_grad` asks for its own."""
    text, kind = wanted.text, own_class(wanted)
    forward = method(kind, "forward") if kind is not None else None
    backward = method(kind, "backward") if kind is not None else None
    if forward is None or backward is None:
        return
    for test in text.parts(backward, ast.If):
        gates = [part for part in ast.walk(test.test) if ast.unparse(part).startswith("ctx.needs_input_grad[")]
        gate = gates[0].slice if len(gates) == 1 and isinstance(gates[0], ast.Subscript) else None
        for place in places_behind(backward, test):
            if gate is not None and ast.unparse(gate) != str(place):
                title = f"ask for argument {place}, whose gradient it is, on line {test.lineno}"
                yield wanted.proposal(title, FREE, text.replaced(gate, str(place)))
    unread = [
        text.get(step.targets[0])
        for step in text.parts(backward, ast.Assign)
        if isinstance(step.targets[0], ast.Name) and not loads(backward, text.get(step.targets[0]))
    ]
    for end in text.parts(backward, ast.Return):
        given = end.value.elts if isinstance(end.value, ast.Tuple) else []
        for none in filter(is_none, given):
            for name in unread[:2]:
                title = f"return {name}, which was computed, on line {end.lineno}"
                yield wanted.proposal(title, FREE, text.replaced(none, name))


def places_behind(backward: ast.FunctionDef, test: ast.If) -> list[int]:
    """The places of the gradients that `backward` returns only where `test` holds."""
    ends = [node for node in ast.walk(backward) if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple)]
    inner = {id(part) for statement in test.body for part in ast.walk(statement)}
    given = [(id(end) in inner, end.value.elts) for end in ends if isinstance(end.value, ast.Tuple)]
    withheld = {at for within, parts in given if not within for at, part in enumerate(parts) if is_none(part)}
    returned = {at for within, parts in given if within for at, part in enumerate(parts) if not is_none(part)}
    names = {
        ast.unparse(goal) for statement in test.body if isinstance(statement, ast.Assign) for goal in statement.targets
    }
    named = {at for within, parts in given if not within for at, part in enumerate(parts) if ast.unparse(part) in names}
    return sorted(withheld & returned | named)


def is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


@fix(not_applied=1)
def applied(wanted: Wanted) -> Iterator[Proposal]:
    """`Square(x)` and `Square.forward(x)` become `Square.apply(x)`, which records."""
    text = wanted.text
    own = {kind.name for kind in function_classes(text)}
    for call in text.parts(text.tree, ast.Call):
        shown = text.get(call.func)
        if shown.removesuffix(".forward") in own:
            made = f"{shown.removesuffix('.forward')}.apply"
            title = f"{made}(…) on line {call.lineno}: it records, and makes the context"
            yield wanted.proposal(title, FREE, text.replaced(call.func, made))


@fix(empty_context=1)
def put_on_context(wanted: Wanted) -> Iterator[Proposal]:
    """An argument of forward that backward looks for on its context is put there."""
    text, kind = wanted.text, own_class(wanted)
    forward = method(kind, "forward") if kind is not None else None
    found = EMPTY.search(wanted.found.message)
    if forward is None or found is None or not forward.args.args:
        return
    ctx, name, last = forward.args.args[0].arg, found[2], forward.body[-1]
    known = {arg.arg for arg in forward.args.args[1:]}.union(*(targets(part) for part in forward.body))
    if name in known:
        line = f"{ctx}.{name} = {name}"
        yield wanted.proposal(f"{line} before line {last.lineno}", FREE, text.before(last, [line]))


@fix(saved_too_few=1)
def saved_for_backward(wanted: Wanted) -> Iterator[Proposal]:
    """What backward takes out of its context by the names of forward is saved there."""
    text, kind, raised = wanted.text, own_class(wanted), wanted.at("raised")
    forward = method(kind, "forward") if kind is not None else None
    if kind is None or forward is None or not forward.args.args or not isinstance(raised, ast.Assign):
        return
    names = [text.get(part) for part in getattr(raised.targets[0], "elts", [])]
    known = {arg.arg for arg in forward.args.args[1:]}.union(*(targets(part) for part in forward.body))
    if not names or not known.issuperset(names):
        return
    saving = [call for call in text.parts(kind, ast.Call) if callee(call) == "save_for_backward"]
    made = f"{forward.args.args[0].arg}.save_for_backward({', '.join(names)})"
    if saving:
        yield wanted.proposal(f"{made} on line {saving[0].lineno}", FREE, text.replaced(saving[0], made))
    else:
        last = forward.body[-1]
        yield wanted.proposal(f"{made} before line {last.lineno}", FREE, text.before(last, [made]))


@fix(setup_context=1)
def context_set_up(wanted: Wanted) -> Iterator[Proposal]:
    """What forward keeps on its context is kept by `setup_context`, as torch.func asks for it."""
    text = wanted.text
    for kind in function_classes(text):
        forward = method(kind, "forward")
        if forward is None or method(kind, "setup_context") is not None or not forward.args.args:
            continue
        ctx, *arguments = [arg.arg for arg in forward.args.args]
        last = forward.body[-1]
        keeping = [part for part in forward.body if ctx in names_in(part)]
        result = text.get(last.value) if isinstance(last, ast.Return) and isinstance(last.value, ast.Name) else None
        read = set().union(*(names_in(part) for part in keeping)) - {ctx, "torch"}
        if not isinstance(last, ast.Return) or last in keeping or read - {*arguments, result}:
            continue
        lines = [f"{', '.join(arguments)}{',' if len(arguments) == 1 else ''} = inputs"]
        lines += [f"{result} = output"] if result in read else []
        head = ["", "@staticmethod", f"def setup_context({ctx}, inputs, output):"]
        whole = [*head, *(f"    {line}" for line in [*lines, *copies(text, keeping)])]
        start, first = forward.args.args[0], forward.args.args[1] if arguments else None
        begin = text.place(start.lineno, start.col_offset)
        end = text.place(first.lineno, first.col_offset) if first is not None else begin
        edits = [Edit(*begin, *end, ""), *(text.removed(part) for part in keeping), text.after(forward, whole)]
        rule = text.before(kind.body[0], ["generate_vmap_rule = True"])
        title = f"keep it in setup_context of {kind.name}, which torch.func asks for"
        yield wanted.proposal(title, FREE, *edits)
        yield wanted.proposal(f"{title}; generate_vmap_rule = True", FREE, rule, *edits)


@fix(once_differentiable=1)
def differentiable_again(wanted: Wanted) -> Iterator[Proposal]:
    """Without `@once_differentiable` backward is recorded, and can be gone back through."""
    text = wanted.text
    for node in text.parts(text.tree, ast.FunctionDef):
        for mark in node.decorator_list:
            if keeps_untracked(text, enclosing(text, node, ast.ClassDef)):
                continue  # what forward computed on the way is kept as plain numbers
            if ast.unparse(mark).endswith("once_differentiable"):
                title = f"leave out @once_differentiable on line {mark.lineno}"
                yield wanted.proposal(title, "backward has to be made of tracked operators", removed_line(mark))


@fix(once_differentiable=2)
def computed_again_from_inputs(wanted: Wanted) -> Iterator[Proposal]:
    """What forward computed and saved, which has no history, backward computes anew from the arguments: so there is a
    second derivative."""
    text, kind = wanted.text, own_class(wanted)
    forward, backward = (method(kind, name) if kind is not None else None for name in ("forward", "backward"))
    if forward is None or backward is None or not keeps_untracked(text, kind):
        return
    saved = savings(text, forward)
    taken = [part for part in text.parts(backward, ast.Assign) if ast.unparse(part.value).endswith(".saved_tensors")]
    steps = [part for part in forward.body if isinstance(part, ast.Assign) and isinstance(part.targets[0], ast.Name)]
    read = set().union(*(names_in(part.value) for part in steps))
    given = [arg.arg for arg in forward.args.args[1:] if arg.arg in read]
    marks = [mark for mark in backward.decorator_list if ast.unparse(mark).endswith("once_differentiable")]
    if len(saved) != 1 or len(taken) != 1 or not given or saved[0].keywords:
        return
    call, unpacked = saved[0], taken[0]
    names = f"{', '.join(given)}{',' if len(given) == 1 else ''} = {text.get(unpacked.value)}"
    edits = [
        text.replaced(call, f"{text.get(call.func)}({', '.join(given)})"),
        text.replaced(unpacked, names),
        text.after(unpacked, copies(text, steps)),
        *map(removed_line, marks),
    ]
    title = f"save {enumerated(given)} and compute the rest again in backward, without the mark of line "
    line = marks[0].lineno if marks else backward.lineno
    yield wanted.proposal(f"{title}{line}", "part of forward is computed twice", *edits)


def keeps_untracked(text: Text, kind: ast.AST | None) -> bool:
    """Whether forward saves what is neither an argument of it nor its result."""
    forward = method(kind, "forward") if isinstance(kind, ast.ClassDef) else None
    if forward is None:
        return False
    known = {arg.arg for arg in forward.args.args}
    known |= {part.id for end in returns(forward) if end.value is not None for part in outputs(end.value)}
    return any(
        isinstance(part, ast.Name) and part.id not in known for call in savings(text, forward) for part in call.args
    )


def outputs(value: ast.expr) -> list[ast.Name]:
    parts = value.elts if isinstance(value, ast.Tuple) else [value]
    return [part for part in parts if isinstance(part, ast.Name)]


def removed_line(mark: ast.expr) -> Edit:
    return Edit(mark.lineno, 0, (mark.end_lineno or mark.lineno) + 1, 0, "")


@fix(leaf_inplace=1)
def applied_to_copy(wanted: Wanted) -> Iterator[Proposal]:
    """A Function that writes into its argument is given a copy of a leaf."""
    text, name = wanted.text, wanted.name("target")
    for call in text.calls(wanted.at("raised"), "apply"):
        for given in call.args:
            if name is not None and text.get(given) == name:
                title = f"give it a copy: {name}.clone() on line {call.lineno}"
                yield wanted.proposal(title, "one tensor more in memory", followed(text, given, ".clone()"))


EMPTY = re.compile(r"'(\w+)Backward' object has no attribute '(\w+)'")
"""What backward looked for on its context, and nobody had put there."""


@fix(kept_on_context=1)
def saved_and_computed_again(wanted: Wanted) -> Iterator[Proposal]:
    """What forward left on its context is computed again in backward from the saved inputs, and so gets a graph."""
    text, kind = wanted.text, own_class(wanted)
    forward = method(kind, "forward") if kind is not None else None
    backward = method(kind, "backward") if kind is not None else None
    if forward is None or backward is None or not forward.args.args:
        return
    ctx, own = forward.args.args[0].arg, backward.args.args[0].arg
    arguments = [arg.arg for arg in forward.args.args[1:]]
    stores = [
        statement
        for statement in forward.body
        if isinstance(statement, ast.Assign)
        and isinstance(statement.targets[0], ast.Attribute)
        and ast.unparse(statement.targets[0].value) == ctx
        and depends(forward, statement, arguments)
    ]
    if not stores or any("save_for_backward" in ast.unparse(statement) for statement in forward.body):
        return
    needed = {name for store in stores for name in names_in(store.value)}
    steps: list[ast.Assign] = []
    for statement in reversed(forward.body):
        if isinstance(statement, ast.Assign) and targets(statement) & needed and statement not in stores:
            steps.insert(0, statement)
            needed |= names_in(statement.value)
    used = [argument for argument in arguments if argument in needed]
    lines = [f"{', '.join(used)}{',' if len(used) == 1 else ''} = {own}.saved_tensors", *copies(text, steps)]
    saving = f"{ctx}.save_for_backward({', '.join(used)})"
    if any(loads(forward, ast.unparse(store.targets[0])) for store in stores):
        edits = [text.before(stores[0], [saving])]
    else:
        edits = [text.replaced(stores[0], saving), *(text.removed(store) for store in stores[1:])]
    edits += uses_of(text, backward, own, stores)
    first = backward.body[0]
    yield wanted.proposal(
        "save the input and compute from it in backward",
        "the pieces are computed twice, and can be differentiated",
        text.before(first, lines),
        *edits,
    )


def depends(forward: ast.FunctionDef, store: ast.Assign, arguments: list[str]) -> bool:
    """Whether what is stored was computed in forward."""
    return not (isinstance(store.value, ast.Constant) or ast.unparse(store.value) in arguments) and bool(
        names_in(store.value)
    )


def uses_of(text: Text, backward: ast.FunctionDef, own: str, stores: list[ast.Assign]) -> list[Edit]:
    """The places where backward reads what was stored, which read what is computed again instead."""
    edits = []
    for store in stores:
        path = f"{own}.{store.targets[0].attr}"  # type: ignore[attr-defined]
        value = text.get(store.value)
        for node in ast.walk(backward):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and ast.unparse(node) == path:
                edits.append(text.replaced(node, value if value.isidentifier() else f"({value})"))
    return edits


@fix(contract=1)
def static(wanted: Wanted) -> Iterator[Proposal]:
    """forward and backward are static methods, and the Function is used through `apply`; what its instances were made
    with is given to forward."""
    text = wanted.text
    kind = next(filter(is_legacy, function_classes(text)), own_class(wanted))
    forward, backward = (method(kind, name) if kind is not None else None for name in ("forward", "backward"))
    if kind is None or forward is None:
        return
    plain = [function for function in (forward, backward) if function is not None and not is_static(function)]
    edits: list[Edit] | None = [text.before(function, ["@staticmethod"]) for function in plain]
    init = method(kind, "__init__")
    if init is not None and edits is not None:
        moved = move_init(text, init, forward, backward)
        edits = [*edits, *moved] if moved is not None else None
    for call in text.parts(text.tree, ast.Call):
        if ast.unparse(call.func) == kind.name and edits is not None:
            applied = apply_instance(text, kind, init, call)
            edits = [*edits, *applied] if applied is not None else None
    if edits:
        settings = [arg.arg for arg in init.args.args[1:]] if init is not None else []
        title = "static methods, and apply" if plain else f"{kind.name}.apply in the place of an instance"
        title += f", which is given {enumerated(settings)}" if settings else ""
        yield wanted.proposal(title, FREE, *edits)


def is_legacy(kind: ast.ClassDef) -> bool:
    """Whether forward is no static method, as in the first versions of PyTorch."""
    forward = method(kind, "forward")
    return forward is not None and not is_static(forward)


def is_static(function: ast.FunctionDef) -> bool:
    return any("staticmethod" in ast.unparse(mark) for mark in function.decorator_list)


def move_init(
    text: Text, init: ast.FunctionDef, forward: ast.FunctionDef, backward: ast.FunctionDef | None
) -> list[Edit] | None:
    """What `__init__` was given is given to forward, which begins with what `__init__` did, and backward returns None
    for it; None where names or defaults are in the way."""
    if not by_place(init) or not by_place(forward) or not init.args.args or not forward.args.args:
        return None
    settings, own, ctx = [arg.arg for arg in init.args.args[1:]], init.args.args[0].arg, forward.args.args[0].arg
    known = {part.id for part in text.parts(forward, ast.Name)} | {arg.arg for arg in forward.args.args}
    if forward.args.defaults or set(settings) & known:
        return None
    last = forward.args.args[-1]
    end = text.place(last.end_lineno or last.lineno, last.end_col_offset or 0)
    edits = [text.removed(init), Edit(*end, *end, "".join(f", {name}" for name in settings))]
    steps = [part for part in init.body if not does_nothing(part)]
    lines = [line for step in steps for line in render(text, step, {own: ctx} if own != ctx else {})]
    edits += [text.before(forward.body[0], lines)] if lines else []
    ends = returns(backward) if backward is not None and settings else []
    return edits + [with_none(text, part.value, len(settings)) for part in ends if part.value is not None]


def by_place(function: ast.FunctionDef) -> bool:
    """Whether `function` takes arguments by their places alone."""
    given = function.args
    return not (given.vararg or given.kwarg or given.kwonlyargs or given.posonlyargs)


def does_nothing(statement: ast.stmt) -> bool:
    """Whether a statement of `__init__` is a word about it, or the `__init__` of Function."""
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant) or callee(statement.value) == "__init__"
    return isinstance(statement, ast.Pass)


def apply_instance(text: Text, kind: ast.ClassDef, init: ast.FunctionDef | None, call: ast.Call) -> list[Edit] | None:
    """`Scale(2)(x)` becomes `Scale.apply(x, 2)`, and an instance that is kept a function that says so; None where what
    it is made with cannot be told, or is changed later."""
    arguments = init.args.args[1:] if init is not None else []
    defaults = init.args.defaults if init is not None else []
    given = {arg.arg: text.get(value) for arg, value in zip(reversed(arguments), reversed(defaults), strict=False)}
    given |= {arg.arg: text.get(value) for arg, value in zip(arguments, call.args, strict=False)}
    given |= {word.arg: text.get(word.value) for word in call.keywords if word.arg is not None}
    names = [arg.arg for arg in arguments]
    if set(given) != set(names) or len(call.args) > len(names):
        return None
    outer, apply = text.parents.get(call), text.replaced(call, f"{kind.name}.apply")
    if not names:
        return [apply]
    if isinstance(outer, ast.Call) and outer.func is call:
        return [apply, with_argument(text, outer, ", ".join(given[name] for name in names))]
    kept = outer.targets[0] if isinstance(outer, ast.Assign) else None
    if kept is None or is_set_on(text, kept):
        return None
    settings = ", ".join(f"{name}={given[name]}" for name in names)
    made = f"lambda *given, {settings}: {kind.name}.apply(*given, {', '.join(names)})"
    return [text.replaced(call, made)]


def is_set_on(text: Text, kept: ast.expr) -> bool:
    """Whether the program sets attributes of what it calls `kept`: `net.scale.factor = 2` beside `self.scale`."""
    stores = [part.value for part in text.parts(text.tree, ast.Attribute) if isinstance(part.ctx, ast.Store)]
    end = ast.unparse(kept).rpartition(".")[2]
    return any(ast.unparse(owner).rpartition(".")[2] == end for owner in stores)


@fix(contract=7)
def returned_tensors(wanted: Wanted) -> Iterator[Proposal]:
    """backward returns tensors: what is a number is multiplied by the gradient that came."""
    text, kind = wanted.text, own_class(wanted)
    backward = method(kind, "backward") if kind is not None else None
    if backward is None or len(backward.args.args) < 2:
        return
    came = backward.args.args[1].arg
    for node in returns(backward):
        assert node.value is not None
        if came not in names_in(node.value):
            yield wanted.proposal(
                f"return {came} times it: the gradient that came must go in",
                "the chain rule",
                text.replaced(node.value, f"{came} * ({text.get(node.value)})"),
            )


NO_TENSOR = re.compile(r"save_for_backward can only save variables, but argument (\d+) is of type")


@fix(contract=3)
def kept_apart(wanted: Wanted) -> Iterator[Proposal]:
    """What is no tensor is kept on the context itself."""
    text, kind, found = wanted.text, own_class(wanted), NO_TENSOR.search(wanted.found.message)
    forward = method(kind, "forward") if kind is not None else None
    backward = method(kind, "backward") if kind is not None else None
    if found is None or forward is None or backward is None or not backward.args.args:
        return
    own = backward.args.args[0].arg
    for call in savings(text, forward):
        at = int(found[1])
        if at >= len(call.args) or not isinstance(call.args[at], ast.Name) or not isinstance(call.func, ast.Attribute):
            continue
        name = text.get(call.args[at])
        rest = ", ".join(text.get(part) for i, part in enumerate(call.args) if i != at)
        saved = f"{text.get(call.func)}({rest}); {text.get(call.func.value)}.{name} = {name}"
        edits = [text.replaced(call, saved)]
        for statement in backward.body:
            if isinstance(statement, ast.Assign) and "saved_tensors" in ast.unparse(statement.value):
                target = statement.targets[0]
                if isinstance(target, ast.Tuple) and at < len(target.elts):
                    kept = [text.get(part) for i, part in enumerate(target.elts) if i != at]
                    left = ", ".join(kept) + ("," if len(kept) == 1 else "")
                    lines = [f"{left} = {own}.saved_tensors", f"{text.get(target.elts[at])} = {own}.{name}"]
                    edits += [text.replaced(statement, lines[0]), text.after(statement, lines[1:])]
        yield wanted.proposal(f"keep {name} on {own} itself", FREE, *edits)


@fix(contract=2)
def unlisted(wanted: Wanted) -> Iterator[Proposal]:
    """`ctx.save_for_backward([a, b])` becomes `ctx.save_for_backward(a, b)`."""
    text, kind = wanted.text, own_class(wanted)
    forward = method(kind, "forward") if kind is not None else None
    for call in savings(text, forward) if forward is not None and NO_TENSOR.search(wanted.found.message) else []:
        if len(call.args) == 1 and isinstance(call.args[0], ast.List | ast.Tuple):
            given = ", ".join(map(text.get, call.args[0].elts))
            title = f"one after another, and no list: {text.get(call.func)}({given}) on line {call.lineno}"
            yield wanted.proposal(title, FREE, text.replaced(call.args[0], given))


@fix(contract=4)
def not_dirty(wanted: Wanted) -> Iterator[Proposal]:
    """forward writes into a copy, and marks nothing as changed in place."""
    text = wanted.text
    if "marked as dirty" not in wanted.found.message:
        return
    for node in ast.walk(text.tree):
        call = node.value if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) else None
        if call is not None and callee(call) == "mark_dirty" and call.args:
            lines = [f"{text.get(part)} = {text.get(part)}.clone()" for part in call.args]
            title = f"write into a copy: {lines[0]} on line {call.lineno}"
            yield wanted.proposal(title, "the input stays as it was", text.replaced(call, "; ".join(lines)))


@fix(contract=5)
def all_gradients(wanted: Wanted) -> Iterator[Proposal]:
    """backward takes one gradient for each output of forward."""
    text, kind = wanted.text, own_class(wanted)
    backward = method(kind, "backward") if kind is not None else None
    if backward is None or "positional argument" not in wanted.found.message or not backward.args.args:
        return
    last = backward.args.args[-1]
    title = f"take the gradients of the other outputs, too: *others, on line {last.lineno}"
    yield wanted.makeshift(title, "what they bring is left out", text.replaced(last, f"{last.arg}, *others"))


@fix(contract=6)
def none_for_numbers(wanted: Wanted) -> Iterator[Proposal]:
    """backward returns None for an argument that is no tensor."""
    text, kind = wanted.text, own_class(wanted)
    place = re.search(r"different than None at position (\d+)", wanted.found.message)
    backward = method(kind, "backward") if kind is not None else None
    if place is None or backward is None:
        return
    number = int(place.group(1))
    values = [node.value for node in returns(backward)]
    parts = [value.elts[number - 1] for value in values if isinstance(value, ast.Tuple) and len(value.elts) >= number]
    if parts:
        title = f"return None for argument {number} of forward, on line {parts[0].lineno}"
        cost = "a number has no gradient; hand it over as a tensor if it is to have one"
        yield wanted.proposal(title, cost, *(text.replaced(part, "None") for part in parts))


def savings(text: Text, forward: ast.FunctionDef) -> list[ast.Call]:
    return [call for statement in forward.body for call in text.calls(statement, "save_for_backward")]


@fix(gradient_ignored=1)
def gradient_multiplied(wanted: Wanted) -> Iterator[Proposal]:
    """What backward returns is multiplied by the gradient that came."""
    text, kind, came = wanted.text, own_class(wanted), wanted.name("gradient")
    backward = method(kind, "backward") if kind is not None else None
    if backward is None or came is None:
        return
    edits = []
    for node in returns(backward):
        parts = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        for part in parts:
            if part is not None and not (isinstance(part, ast.Constant) and part.value is None):
                edits.append(text.replaced(part, f"{came} * ({text.get(part)})"))
    yield wanted.proposal(f"multiply by {came}, the gradient that comes in", FREE, *edits)


@fix(no_vmap_rule=1)
def vmap_rule(wanted: Wanted) -> Iterator[Proposal]:
    """PyTorch makes the rule for vmap out of forward and backward."""
    text = wanted.text
    named = re.search(r"vmap over (\w+),", wanted.found.message)
    for node in ast.walk(text.tree):
        if isinstance(node, ast.ClassDef) and named is not None and node.name == named[1]:
            title = f"generate_vmap_rule = True in {node.name}"
            yield wanted.proposal(title, FREE, text.before(node.body[0], ["generate_vmap_rule = True"]))


@fix(saved_tuple=1)
def taken_out(wanted: Wanted) -> Iterator[Proposal]:
    """`x = ctx.saved_tensors` becomes `x, = ctx.saved_tensors`; of several, if `x` is one, each gets its name."""
    text, built = wanted.text, wanted.at("built")
    home = enclosing(text, built, ast.ClassDef) if built is not None else None
    if not isinstance(built, ast.Assign) or not isinstance(built.targets[0], ast.Name):
        return
    name, line = text.get(built.targets[0]), built.lineno
    several = [list(map(text.get, call.args)) for call in saving(text, home) if len(call.args) > 1]
    if not several:
        title = f"{name}, = … on line {line}: the one tensor out of the tuple"
        yield wanted.proposal(title, FREE, text.replaced(built.targets[0], f"{name},"))
    elif name in several[0] and all(saved.isidentifier() for saved in several[0]):
        made = ", ".join(several[0])
        title = f"{made} = … on line {line}: each out of the tuple, in the order in which they were saved"
        yield wanted.proposal(title, FREE, text.replaced(built.targets[0], made))


def saving(text: Text, home: ast.AST | None) -> list[ast.Call]:
    """Where a Function says what is to be saved."""
    return [call for call in text.parts(home, ast.Call) if callee(call) == "save_for_backward"]
