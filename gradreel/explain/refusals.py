"""Post-mortems of what PyTorch refuses outright: writes into leaves, backward from what cannot be a root, and so on.

`INPLACE` and `PLAIN` are tables by the start of PyTorch's message; a root without a graph needs a search of its own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from .diagnosis import Diagnosis, Failure, on, origin
from .states import TensorState
from .words import called, code
from .world import World

# ---- writes


@dataclass(frozen=True, slots=True)
class Write:
    """A kind of write that is refused: what the memory is to autograd, and why it may not be written."""

    kind: str
    title: str
    what: str
    why: str


LEAF = "is a leaf that requires a gradient: its numbers are what the gradient will be taken at"
LOST = "Autograd could not say any more what the gradient belongs to, so PyTorch refuses the write."
GUARDED = "is seen through a view whose history autograd cannot rewrite"
UNSURE = "Autograd could not give the view a new history, so PyTorch refuses the write."

INPLACE = {
    "a leaf Variable that requires grad": Write("leaf_inplace", "A leaf would be written over", LEAF, LOST),
    "a view of a leaf Variable": Write("view_inplace", "A leaf would be written over through a view of it", LEAF, LOST),
    "A view was created in": Write(
        "view_inplace", "A view that may not be written would be written over", GUARDED, UNSURE
    ),
    "Output ": Write("view_inplace", "A view that may not be written would be written over", GUARDED, UNSURE),
}


def inplace_refused(world: World, failure: Failure) -> Diagnosis | None:
    """A leaf that requires a gradient, or a view of one, would be written over."""
    message, line = failure.raised.message, failure.raised.line
    write = next((INPLACE[start] for start in INPLACE if message.startswith(start)), None)
    if write is None or (message.startswith("Output ") and " is a view" not in message):
        return None
    text = world.source.text(line)
    target = first_named(world, text)
    if target is None:
        return None
    name = called(world, target.number)
    story = (
        f"{name}, made {on(target.place.line)}, {write.what}.",
        f"{code(text)} {on(line)} would write over it in place.",
        write.why,
    )
    lines: dict[str, int | None] = {"saved": target.place.line, "changed": line, "raised": line}
    events = {"raised": failure.number, "saved": target.made}
    return Diagnosis(write.kind, write.title, message, lines, story, (), events)


def first_named(world: World, text: str) -> TensorState | None:
    """The tensor whose memory is shown by the first of the program's tensors that `text` names."""
    for (_, name), binding in sorted(world.names.items(), key=lambda item: (text.find(item[0][1]), -len(item[0][1]))):
        tensor = world.tensors.get(binding.tensor) if binding.tensor is not None and name in text else None
        if tensor is not None:
            return origin(world, tensor)
    return None


# ---- what is asked of a tensor that cannot give it


@dataclass(frozen=True, slots=True)
class Refusal:
    """A kind of refusal whose story follows from the tensor it is about; `role` is that tensor's line."""

    kind: str
    title: str
    role: str
    story: tuple[str, ...]


PLAIN = {
    "grad can be implicitly created only for scalar": Refusal(
        "not_scalar",
        "Backward from more than one number",
        "built",
        (
            "{name}, made {where}, has {entries} entries.",
            "Backward starts from a single number, whose gradient with respect to itself is 1; for several it has to "
            "be told how much each of them counts.",
            "Give those weights as `gradient=`, or make one number of it, with `sum()` or `mean()`.",
        ),
    ),
    "Mismatch in shape: grad_output": Refusal(
        "shape",
        "A gradient of another shape",
        "built",
        (
            "{name}, made {where}, has the shape {shape}.",
            "The gradient to start from must say for each of its entries how much it counts, so it needs that shape.",
        ),
    ),
    "can't retain_grad on Tensor that has requires_grad=False": Refusal(
        "no_graph",
        "No gradient will come here",
        "cut",
        (
            "{name}, made {where}, does not require a gradient and was not made of anything that does.",
            "No gradient will ever reach it, so there is nothing to retain.",
        ),
    ),
    "only Tensors of floating point": Refusal(
        "dtype",
        "Whole numbers have no gradient",
        "built",
        (
            "{name}, made {where}, is of type {dtype}.",
            "A gradient says what a small change does, and whole numbers cannot change by a little.",
            "Make it of floating point numbers, with `.float()` or by writing `1.` for `1`.",
        ),
    ),
    "Only Tensors of floating point": Refusal(
        "dtype",
        "Whole numbers have no gradient",
        "",
        (
            "The tensor of line {line} would be of whole numbers or truth values.",
            "A gradient says what a small change does, and those cannot change by a little.",
            "Make it of floating point numbers: write `1.` for `1`, or give `dtype=torch.float32`.",
        ),
    ),
}


def plain_refusal(world: World, failure: Failure) -> Diagnosis | None:
    """One of PLAIN."""
    message, line = failure.raised.message, failure.raised.line
    refusal = next((PLAIN[start] for start in PLAIN if message.startswith(start)), None)
    if refusal is None:
        return None
    lines: dict[str, int | None] = {"raised": line}
    events = {"raised": failure.number}
    words = {"line": str(line)}
    if refusal.role:
        tensor = root(world, failure) or first_named(world, world.source.text(line))
        if tensor is None:
            return None
        lines[refusal.role], events[refusal.role] = tensor.place.line, tensor.made
        words |= {
            "name": called(world, tensor.number),
            "where": on(tensor.place.line),
            "entries": str(math.prod(tensor.shape)),
            "shape": str(list(tensor.shape)),
            "dtype": tensor.dtype,
        }
    story = tuple(sentence.format(**words) for sentence in refusal.story)
    return Diagnosis(refusal.kind, refusal.title, message, lines, story, (), events)


def root(world: World, failure: Failure) -> TensorState | None:
    """The tensor that backward was asked to start from."""
    call = world.calls.get(failure.call) if failure.call is not None else None
    return world.tensors.get(call.roots[0]) if call is not None and call.roots else None


# ---- a root without a graph


def no_graph(world: World, failure: Failure) -> Diagnosis | None:
    """The root has no graph: somewhere on the way to it the recording stopped, or never began."""
    message = failure.raised.message
    start = root(world, failure)
    if start is None or not message.endswith("does not require grad and does not have a grad_fn"):
        return None
    cut = where_cut(world, start)
    start = before_line(world, start, failure.raised.line)
    name = called(world, start.number)
    built = start.bound or start.place
    story = [f"{name}, of **line {built.line}**, has no graph behind it: nothing of how it came about was recorded."]
    lines: dict[str, int | None] = {"built": built.line, "raised": failure.raised.line}
    events = {"raised": failure.number, "built": start.made}
    if cut is not None:
        place, event = cut.cut or (cut.place, cut.made)
        lines["cut"], events["cut"] = place.line, event
        story.append(cut_story(world, cut))
    story.append("Without a graph there is no way back, and nobody to give a gradient to.")
    return Diagnosis("no_graph", "Backward from a result without a graph", message, lines, tuple(story), (), events)


def before_line(world: World, tensor: TensorState, line: int) -> TensorState:
    """`tensor`, or what it was made of if `line` made it, nameless, of one tensor alone: `loss.sum().backward()`."""
    while tensor.place.line == line and len(before := made_from(world, tensor)) == 1 and tensor.called is None:
        tensor = before[0]
    return tensor


def where_cut(world: World, start: TensorState) -> TensorState | None:
    """Going back from `start`: the tensor at which the recording ended, else the oldest piece of plain data."""
    seen, todo = {start.number}, [start]
    oldest: TensorState | None = None
    for tensor in todo:
        before = made_from(world, tensor)
        if any(state.requires_grad for state in before):
            return tensor
        if not before and tensor is not start:
            oldest = tensor
        fresh = [state for state in before if state.number not in seen]
        seen.update(state.number for state in fresh)
        todo.extend(fresh)
    return oldest


def made_from(world: World, tensor: TensorState) -> list[TensorState]:
    sources = tensor.inputs if tensor.base is None else (*tensor.inputs, tensor.base)
    return [world.tensors[number] for number in dict.fromkeys(sources) if number in world.tensors]


def cut_story(world: World, cut: TensorState) -> str:
    name = called(world, cut.number)
    if any(state.requires_grad for state in made_from(world, cut)):
        return f"The recording ends {on(cut.place.line)}, where {name} comes out of tracked tensors without a graph."
    if cut.cut is not None:
        return f"It goes back to {name}, for which {on(cut.cut[0].line)} says that no gradient is wanted."
    return f"It goes back to {name} of **line {cut.place.line}**, for which no gradient was asked."


# ---- custom functions


def contract(world: World, failure: Failure) -> Diagnosis | None:
    """The backward of a custom Function gave something else than its forward calls for."""
    message = failure.raised.message
    if not message.startswith("function ") or " returned an " not in message:
        return None
    name = message.split()[1]
    node = next((node for node in reversed(world.nodes.values()) if node.name == name), None)
    if node is None:
        return None
    story = (
        f"**{node.title}**, built {on(node.place.line)}, runs the backward of a Function of your own.",
        "It has to return one gradient for each argument of forward, of that argument's shape, and None for what is "
        "no tensor.",
    )
    lines: dict[str, int | None] = {"built": node.place.line, "raised": failure.raised.line}
    events = {"raised": failure.number, "built": node.made}
    title = "A Function broke its contract"
    return Diagnosis("function_contract", title, message, lines, story, (node.number,), events)


REFUSALS = (inplace_refused, plain_refusal, no_graph, contract)
