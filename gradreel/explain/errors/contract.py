"""A Function of the program's own that broke its contract: what backward must return, and what forward may keep."""

from __future__ import annotations

import ast
import json
import re

from ..diagnostics.diagnosis import Diagnosis, Failure, named
from ..diagnostics.failing_node import failing_node
from ..diagnostics.registry import rule
from ..narration.words import called, code, listed, on
from ..replay.states import NodeState, TensorState
from ..replay.world import World
from .roots import root

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
        return broken(world, failure, last_named(world, returned.group(1)))
    node = failing_node(world, failure)
    if any(part in message for part in OTHERS) or arity(failure, node):
        return broken(world, failure, node or last_custom(world))
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


def broken(world: World, failure: Failure, node: NodeState | None) -> Diagnosis | None:
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
    names = named(function=name, expected=expected, got=got, needed="yes" if needed else None, **sizes)
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
    dims = f"dimension{'s' if len(over) > 1 else ''} {listed(map(str, over))}"
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
        names=named(function=node.name.removesuffix("Backward"), kept=name),
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
            f"So {called(world, made.number)}, taken {on((made.bound or made.place).line)} with `create_graph`, has no "
            "graph behind it.",
        ),
        nodes=(node.number,) if node else (),
        events={"built": made.made, "saved": event, "raised": failure.number},
        cause="kept_on_context",
        names=named(function=node.name.removesuffix("Backward") if node else None, kept=name),
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
