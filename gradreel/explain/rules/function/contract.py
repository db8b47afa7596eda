"""A Function of the program's own that breaks its contract: what backward returns, and what forward keeps."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

from ...calls import callee
from ...diagnostics.diagnosis import Diagnosis, Failure, known_names
from ...diagnostics.failing_node import failing_node
from ...diagnostics.registry import rule
from ...fixes.edits import copies, in_brackets, join_names, loads, parse_shape, with_argument
from ...fixes.proposal import FREE, FixContext, Proposal
from ...fixes.registry import fix
from ...fixes.text import Edit, Text, names_in, targets
from ...narration.words import code, code_label, listing, on
from ...replay.states import NodeState, TensorState
from ...replay.world import World
from ..gradients.backward_root import root
from ..graph.derived_values import render
from .backward_formula import return_names
from .definitions import function_classes, method, own_class, returns, savings

TITLE = "A Function broke its contract"
RETURNED = re.compile(r"[Ff]unction (\w+) returned an? ")
OTHERS = (
    "expected Variable or None",
    "You must implement either the backward or vjp method",
    "Legacy autograd function with non-static forward method",
    "save_for_backward can only save variables",
    "must be overridden",
    "You must implement the forward function",
    "Some elements marked as dirty during the forward",
)
SHAPES = re.compile(r"got (\[[\d, ]*\]) but expected shape compatible with (\[[\d, ]*\])")


@rule
def contract(world: World, failure: Failure) -> Diagnosis | None:
    message = failure.raised.message
    returned = RETURNED.match(message)
    if returned is not None:
        return diagnose_broken(world, failure, last_named(world, returned.group(1)))
    node = failing_node(world, failure)
    if any(part in message for part in OTHERS) or arity(failure, node):
        return diagnose_broken(world, failure, node or last_custom(world))
    if "GradcheckError" in failure.raised.type:
        return gradcheck(world, failure)
    if message.endswith(
        ("does not have a grad_fn", "used in the graph. Set allow_unused=True if this is the desired behavior.")
    ):
        return cut_inside(world, failure)
    return None


def arity(failure: Failure, node: NodeState | None) -> bool:
    """Whether the backward of `node` could not be called with the gradients that came."""
    return (
        node is not None and node.custom and failure.raised.type == "TypeError" and "argument" in failure.raised.message
    )


def last_named(world: World, name: str) -> NodeState | None:
    return next((node for node in reversed(world.nodes.values()) if node.name == name), None)


def last_custom(world: World) -> NodeState | None:
    return next((node for node in reversed(world.nodes.values()) if node.custom), None)


def diagnose_broken(world: World, failure: Failure, node: NodeState | None) -> Diagnosis | None:
    """backward returned too few or too many gradients, or one of another shape or kind."""
    message = failure.raised.message
    lines: dict[str, int | None] = {"built": failure.raised.line, "raised": failure.raised.line}
    events = {"raised": failure.number}
    story = []
    nodes: tuple[int, ...] = ()
    if node is not None:
        lines["built"], events["built"] = node.place.line, node.made
        nodes = (node.number,)
        story.append(f"**{node.title}**, built {on(node.place.line)}, runs the backward of a Function of your own.")
    at = returned_at(world, node, message) if node is not None else None
    if "save_for_backward can only save" in message:
        at = saving_line(world, failure)
    if at is not None:
        lines["saved"] = at
    counts = re.search(r"expected (\d+), got (\d+)", message)
    shapes = SHAPES.search(message)
    summed = find_sum(world, at, shapes[1], shapes[2]) if shapes else None
    if counts:
        story.append(f"It returned {counts.group(2)} where the arguments of forward call for {counts.group(1)}.")
    elif shapes:
        where = f", made {on(at)}," if at is not None else ""
        story.append(
            f"It returned a gradient{where} of shape {shapes.group(1)} for an argument of shape {shapes.group(2)}."
        )
        story += [over_words(*summed)] if summed is not None else []
    else:
        story.append(f"PyTorch says: “{message.split('. ')[0].rstrip('.')}”.")
    story.append(
        "The methods of a Function are static; its backward takes one gradient for each output of forward. It returns "
        "one for each argument, of that argument's shape, and None for what is no tensor."
    )
    cause = "gradient_count" if counts else "gradient_of_shape" if shapes else "contract"
    name = node.name.removesuffix("Backward") if node is not None else None
    expected, got = counts.groups() if counts else (None, None)
    needed = node is not None and counts and any(target is not None for target, _ in node.edges[int(counts.group(2)) :])
    place = PLACE.search(message)
    sizes = {"shape": shapes[2], "came": shapes[1]} if shapes else {}
    if summed is not None:
        sizes |= {"summand": str(list(summed[0])), "over": str(list(summed[1]))}
    names = known_names(function=name, expected=expected, got=got, needed="yes" if needed else None, **sizes)
    names |= {"place": place[1]} if place else {}
    return Diagnosis(
        kind="function_contract",
        title=TITLE,
        message=message,
        lines=lines,
        story=tuple(story),
        nodes=nodes,
        events=events,
        cause=cause,
        names=names,
    )


def find_sum(world: World, line: int | None, came: str, wanted: str) -> tuple[Shape, Shape] | None:
    """The shape of what the sum on `line` that has the shape `came` was taken of, and the dimensions along which
    forward repeated an argument of the shape `wanted` to it."""
    made = [state for state in world.tensors.values() if state.place.line == line and str(list(state.shape)) == came]
    sums = [state for state in made if state.inputs and state.op.partition(".")[0] in SUMS]
    summand = world.tensors.get(sums[0].inputs[0]) if sums else None
    shape = tuple(json.loads(wanted))
    if summand is None or len(shape) > len(summand.shape):
        return None
    added = len(summand.shape) - len(shape)
    pairs = zip(shape, summand.shape[added:], strict=True)
    over = (*range(added), *(added + at for at, (size, whole) in enumerate(pairs) if size == 1 != whole))
    alike = all(size in (1, whole) for size, whole in zip(shape, summand.shape[added:], strict=True))
    return (summand.shape, over) if over and alike else None


def over_words(whole: Shape, over: Shape) -> str:
    dims = f"dimension{'s' if len(over) > 1 else ''} {listing(map(str, over))}"
    return f"It has to be summed over what forward repeats the argument along: {dims} of {list(whole)}."


Shape = tuple[int, ...]
SUMS = ("sum", "mean", "einsum")
PLACE = re.compile(r"at index (\d+)")


def returned_at(world: World, node: NodeState, message: str) -> int | None:
    """The line in the backward of `node` that makes the gradient `message` is about, or else returns all of them."""
    name = node.name.removesuffix("Backward")
    kinds = [part for part in world.source.nodes if isinstance(part, ast.ClassDef) and part.name == name]
    methods = [part for kind in kinds for part in kind.body if isinstance(part, ast.FunctionDef)]
    backward = next((part for part in methods if part.name == "backward"), None)
    ends = [part for part in ast.walk(backward) if isinstance(part, ast.Return)] if backward is not None else []
    if backward is None or not ends:
        return None
    place = PLACE.search(message)
    given = ends[-1].value.elts if isinstance(ends[-1].value, ast.Tuple) else [ends[-1].value]
    if place is None or int(place[1]) >= len(given):
        return backward.lineno if "positional argument" in message else ends[-1].lineno
    part = given[int(place[1])]
    makers = [
        step.lineno
        for step in ast.walk(backward)
        if isinstance(step, ast.Assign) and part is not None and ast.unparse(step.targets[0]) == ast.unparse(part)
    ]
    return max(makers, default=ends[-1].lineno)


def saving_line(world: World, failure: Failure) -> int | None:
    """The line that saves for backward, in the Function that the failing statement applies, if it is the only one."""
    text = world.source.statement(failure.raised.line, world.ends.get(failure.raised.line))
    found = [
        node.lineno
        for kind in world.source.nodes
        if isinstance(kind, ast.ClassDef) and f"{kind.name}." in text
        for node in ast.walk(kind)
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".save_for_backward")
    ]
    return found[0] if len(found) == 1 else None


# ---- what was kept without a graph


def gradcheck(world: World, failure: Failure) -> Diagnosis | None:
    kept = kept_without_graph(world)
    node = last_custom(world)
    if node is None:
        return None
    lines: dict[str, int | None] = {"raised": failure.raised.line}
    events = {"raised": failure.number}
    if kept is None:
        story: tuple[str, ...] = (
            f"The backward of {code(node.name.removesuffix('Backward'))} gives another number than small steps of its "
            "forward do.",
            "Its formula is not the derivative of what forward computes.",
        )
        cause, name = "wrong_formula", None
        lines["built"] = node.place.line
    else:
        name, place, event, tensor = kept
        lines["saved"], events["saved"] = place, event
        story = (*half_result(world, name, place, tensor), "Small steps show that it does depend on the input.")
        cause = "kept_on_context"
    return Diagnosis(
        kind="function_contract",
        title=TITLE,
        message=failure.raised.message,
        lines=lines,
        story=story,
        nodes=(node.number,),
        events=events,
        cause=cause,
        names=known_names(function=node.name.removesuffix("Backward"), kept=name),
    )


def cut_inside(world: World, failure: Failure) -> Diagnosis | None:
    """A second derivative finds no graph, because backward computed with something forward had left on its context."""
    kept = kept_without_graph(world)
    start = root(world, failure)
    if kept is None or start is None:
        return None
    name, place, event, tensor = kept
    made = before_sum(world, start, failure.raised.line)
    node = last_custom(world)
    return Diagnosis(
        kind="function_contract",
        title=TITLE,
        message=failure.raised.message,
        lines={
            "built": (made.bound or made.place).line,
            "saved": place,
            "raised": failure.raised.line,
        },
        story=(
            *half_result(world, name, place, tensor),
            f"So {code_label(world, made.number)}, taken {on((made.bound or made.place).line)} with `create_graph`, "
            "has no graph behind it.",
        ),
        nodes=(node.number,) if node else (),
        events={"built": made.made, "saved": event, "raised": failure.number},
        cause="kept_on_context",
        names=known_names(function=node.name.removesuffix("Backward") if node else None, kept=name),
    )


def half_result(world: World, name: str, place: int, tensor: TensorState) -> tuple[str, ...]:
    return (
        f"{code(name)}, set {on(place)}, holds something that forward computed: forward runs without recording, so it "
        "has no graph.",
        "Its backward computes with it, and autograd cannot know that it depends on the input.",
    )


def before_sum(world: World, tensor: TensorState, line: int) -> TensorState:
    while tensor.place.line == line and len(tensor.inputs) == 1 and tensor.called is None:
        tensor = world.tensors[tensor.inputs[0]]
    return tensor


def kept_without_graph(world: World) -> tuple[str, int, int, TensorState] | None:
    """What a forward put on its context after computing it itself, and a backward used under create_graph."""
    for name, (line, event, number) in world.on_contexts.items():
        tensor = world.tensors.get(number)
        if tensor is None or not tensor.inputs or tensor.requires_grad:
            continue
        used = [
            state
            for state in world.tensors.values()
            if number in state.inputs and any(frame.function == "backward" for frame in state.place.frames)
        ]
        if used and any(call.create_graph for call in world.calls.values()):
            return name, line, event, tensor
    return None


# ---- fixes


PRODUCTS = ("mm", "matmul", "outer", "ger")
REDUCTIONS = ("sum", "mean")


@fix(gradient_of_shape=1)
def return_gradient_of_shape(wanted: FixContext) -> Iterator[Proposal]:
    """The gradient gets the shape of its argument: turned, added up otherwise, or in its own place."""
    text, kind = wanted.text, own_class(wanted)
    forward, backward = (method(kind, name) if kind is not None else None for name in ("forward", "backward"))
    ends = returns(backward) if backward is not None else []
    if forward is None or backward is None or not ends:
        return
    arguments = [arg.arg for arg in forward.args.args[1:]]
    value = ends[-1].value
    parts = value.elts if isinstance(value, ast.Tuple) else [value]
    place = int(wanted.name("place") or 0)
    if place >= min(len(parts), len(arguments)) or (part := parts[place]) is None:
        return
    name, made = arguments[place], last_value(backward, part)
    yield from sum_over_repeated(wanted, name, made)
    yield from sum_to_aligned(wanted, backward, part, name)
    yield from transpose_gradient(wanted, part, made)
    yield from change_sum(wanted, part, made)
    yield from reorder_gradients(wanted, parts)
    shown, ctx, own = in_brackets(text, part), forward.args.args[0].arg, backward.args.args[0].arg
    note = text.before(forward.body[0], [f"{ctx}.shape_of_argument = {name}.shape"])
    for way in ("sum_to_size", "reshape", "expand"):
        title = f"give the gradient of {name} its shape, by {way}, on line {part.lineno}"
        yield wanted.proposal(title, FREE, note, text.replaced(part, f"{shown}.{way}({own}.shape_of_argument)"))


def sum_to_aligned(wanted: FixContext, backward: ast.FunctionDef, part: ast.expr, name: str) -> Iterator[Proposal]:
    """A gradient of the shape of the result is summed over all but the dimensions of its argument, where those stand
    first, or in the middle: `g.flatten(1).sum(1)`, `g.sum((0, 2, 3))`. Where they stand is what forward says."""
    text = wanted.text
    came, shape = parse_shape(wanted.name("came")), parse_shape(wanted.name("shape"))
    starts = [at for at in range(len(came) - len(shape)) if came[at : at + len(shape)] == shape] if shape else []
    made_by_sum = any(callee(node) in REDUCTIONS for node in ast.walk(last_value(backward, part)))
    if len(starts) != 1 or made_by_sum:
        return
    over = [at for at in range(len(came)) if not starts[0] <= at < starts[0] + len(shape)]
    shown = str(over[0]) if len(over) == 1 else str(tuple(over))
    ranks = any(word in text.get(backward) for word in (".dim()", ".ndim"))
    made = f".flatten({len(shape)}).sum({len(shape)})" if ranks and not starts[0] else f".sum({shown})"
    title = f"{in_brackets(text, part)}{made} on line {part.lineno}: the shape of {name}"
    edit = text.replaced(part, f"{in_brackets(text, part)}{made}")
    yield replace(wanted.proposal(title, FREE, edit), decisive=True)


def last_value(backward: ast.FunctionDef, part: ast.expr) -> ast.expr:
    """What `part` of what is returned was last given in `backward`; itself, if it is no name."""
    steps = [
        step
        for step in ast.walk(backward)
        if isinstance(step, ast.Assign) and ast.unparse(step.targets[0]) == ast.unparse(part)
    ]
    return max(steps, key=lambda step: step.lineno).value if steps else part


def transpose_gradient(wanted: FixContext, part: ast.expr, made: ast.expr) -> Iterator[Proposal]:
    """Of `a.t() @ b`, whose shape is the other way round, the factors change places: `b.t() @ a`."""
    text = wanted.text
    came, shape = parse_shape(wanted.name("came")), parse_shape(wanted.name("shape"))
    if len(came) < 2 or came[:-2] + came[:-3:-1] != shape:
        return
    factors = factors_of(made)
    if factors is not None and len(shape) == 2:
        one, two = (transpose(text, factor) for factor in reversed(factors))
        shown = f"{one} @ {two}" if isinstance(made, ast.BinOp) else f"{one}.mm({two})"
        title = f"{shown} on line {made.lineno}: the product the other way round"
        yield wanted.proposal(title, FREE, text.replaced(made, shown))
    end = ".t()" if len(shape) == 2 else ".transpose(-2, -1)"
    title = f"{text.get(part)}{end} on line {part.lineno}: turned as its argument is"
    yield wanted.proposal(title, FREE, text.replaced(part, f"{in_brackets(text, part)}{end}"))


def factors_of(made: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    if isinstance(made, ast.BinOp) and isinstance(made.op, ast.MatMult):
        return made.left, made.right
    if not isinstance(made, ast.Call) or callee(made) not in PRODUCTS or not isinstance(made.func, ast.Attribute):
        return None
    if len(made.args) == 2:
        return made.args[0], made.args[1]
    return (made.func.value, made.args[0]) if len(made.args) == 1 else None


def transpose(text: Text, factor: ast.expr) -> str:
    """`a` of `a.t()` and `a.T`, `a.t()` of `a`."""
    if isinstance(factor, ast.Call) and callee(factor) == "t" and isinstance(factor.func, ast.Attribute):
        return text.get(factor.func.value)
    if isinstance(factor, ast.Attribute) and factor.attr in ("T", "mT"):
        return text.get(factor.value)
    return f"{in_brackets(text, factor)}{'.T' if '.T' in text.source else '.t()'}"


def reorder_gradients(wanted: FixContext, parts: list[ast.expr | None] | list[ast.expr]) -> Iterator[Proposal]:
    """Two gradients change places: they are returned in the order of the arguments of forward."""
    text = wanted.text
    given = [part for part in parts if part is not None]
    for one, two in combinations(given, 2):
        title = f"{text.get(two)} and {text.get(one)} in the order of the arguments, on line {one.lineno}"
        edits = (text.replaced(one, text.get(two)), text.replaced(two, text.get(one)))
        yield wanted.proposal(title, FREE, *edits)


def change_sum(wanted: FixContext, part: ast.expr, made: ast.expr) -> Iterator[Proposal]:
    """A sum over another dimension, over all but those of the argument, or none."""
    text = wanted.text
    came, shape = parse_shape(wanted.name("came")), parse_shape(wanted.name("shape"))
    for call in (node for node in ast.walk(made) if isinstance(node, ast.Call) and callee(node) in REDUCTIONS):
        if not isinstance(call.func, ast.Attribute):
            continue
        method = ast.unparse(call.func.value) != "torch"
        owner = in_brackets(text, call.func.value if method else call.args[0])
        own = text.get(call.args[-1]) if call.args and len(call.args) == (1 if method else 2) else None
        kept = [f"{owner}.sum({own}, keepdim=True)"] if own is not None else []
        for way in (*kept, *(f"{owner}.sum({dim}{keep})" for keep in ("", ", keepdim=True") for dim in range(3))):
            if way != text.get(call):
                yield wanted.proposal(f"{way} on line {call.lineno}", FREE, text.replaced(call, way))
        title = f"{owner} on line {call.lineno}, entry by entry"
        yield wanted.proposal(title, FREE, text.replaced(call, owner))
    if len(came) > len(shape):
        over = list(range(len(came) - len(shape)))
        shown = str(over[0]) if len(over) == 1 else str(tuple(over))
        title = f"{text.get(part)}.sum({shown}) on line {part.lineno}: over what the argument was repeated along"
        yield wanted.proposal(title, FREE, text.replaced(part, f"{in_brackets(text, part)}.sum({shown})"))


def sum_over_repeated(wanted: FixContext, name: str, made: ast.expr) -> Iterator[Proposal]:
    """A sum that goes over the wrong dimensions goes over those along which forward repeated the argument."""
    text = wanted.text
    shape, whole, dims = (parse_shape(wanted.name(word)) for word in ("shape", "summand", "over"))
    for call in (node for node in ast.walk(made) if isinstance(node, ast.Call) and dims):
        sum_words = sum_to_shape(text, call, dims, shape, whole)
        if sum_words is not None and sum_words != text.get(call):
            title = f"{sum_words} on line {call.lineno}: over what {name} was repeated along"
            yield replace(wanted.proposal(title, FREE, text.replaced(call, sum_words)), decisive=True)


def sum_to_shape(text: Text, call: ast.Call, dims: list[int], shape: list[int], whole: list[int]) -> str | None:
    """A sum, or an `einsum` of what has the shape `whole`, that gives the shape of an argument."""
    if callee(call) == "einsum" and isinstance(call.args[0], ast.Constant):
        given, arrow, _ = str(call.args[0].value).partition("->")
        letters = given.partition(",")[0].strip()
        if not arrow or len(letters) != len(whole) or len(shape) + len(dims) != len(whole):
            return None
        kept = "".join(letter for at, letter in enumerate(letters) if at not in dims)
        operands = ", ".join(map(text.get, call.args[1:]))
        return f'{text.get(call.func)}("{given}->{kept}", {operands})'
    if callee(call) not in REDUCTIONS or not isinstance(call.func, ast.Attribute):
        return None
    method = ast.unparse(call.func.value) != "torch"
    owner = in_brackets(text, call.func.value if method else call.args[0])
    over = str(dims[0]) if len(dims) == 1 else str(tuple(dims))
    if not shape:
        return f"{owner}.sum()"
    return f"{owner}.sum({over}, keepdim=True)" if 1 in shape else f"{owner}.sum({over})"


@fix(gradient_count=1)
def return_gradient_count(wanted: FixContext) -> Iterator[Proposal]:
    """One gradient for each argument of forward."""
    text, kind = wanted.text, own_class(wanted)
    backward = method(kind, "backward") if kind is not None else None
    expected, got = int(wanted.name("expected") or 0), int(wanted.name("got") or 0)
    if backward is not None and not returns(backward) and isinstance(backward.body[-1], ast.Expr):
        last = backward.body[-1]
        title = f"return what line {last.lineno} says"
        yield wanted.proposal(title, FREE, text.replaced(last, f"return {text.get(last.value)}"))
    if backward is None or not returns(backward):
        yield from return_names(wanted)
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


@fix(kept_on_context=1)
def save_and_compute_again(wanted: FixContext) -> Iterator[Proposal]:
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
def make_static(wanted: FixContext) -> Iterator[Proposal]:
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
        title += f", which is given {join_names(settings)}" if settings else ""
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
def return_saved_tensors(wanted: FixContext) -> Iterator[Proposal]:
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
def keep_others_apart(wanted: FixContext) -> Iterator[Proposal]:
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
def unpack_list(wanted: FixContext) -> Iterator[Proposal]:
    """`ctx.save_for_backward([a, b])` becomes `ctx.save_for_backward(a, b)`."""
    text, kind = wanted.text, own_class(wanted)
    forward = method(kind, "forward") if kind is not None else None
    for call in savings(text, forward) if forward is not None and NO_TENSOR.search(wanted.found.message) else []:
        if len(call.args) == 1 and isinstance(call.args[0], ast.List | ast.Tuple):
            given = ", ".join(map(text.get, call.args[0].elts))
            title = f"one after another, and no list: {text.get(call.func)}({given}) on line {call.lineno}"
            yield wanted.proposal(title, FREE, text.replaced(call.args[0], given))


@fix(contract=4)
def drop_mark_dirty(wanted: FixContext) -> Iterator[Proposal]:
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
def return_all_gradients(wanted: FixContext) -> Iterator[Proposal]:
    """backward takes one gradient for each output of forward."""
    text, kind = wanted.text, own_class(wanted)
    backward = method(kind, "backward") if kind is not None else None
    if backward is None or "positional argument" not in wanted.found.message or not backward.args.args:
        return
    last = backward.args.args[-1]
    title = f"take the gradients of the other outputs, too: *others, on line {last.lineno}"
    yield wanted.workaround(title, "what they bring is left out", text.replaced(last, f"{last.arg}, *others"))


@fix(contract=6)
def return_none_for_numbers(wanted: FixContext) -> Iterator[Proposal]:
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
