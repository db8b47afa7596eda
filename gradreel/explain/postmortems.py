"""Post-mortems: for each kind of error a function that tells how it came about, or None if it is not of that kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from gradreel.trace import events as e

from .operators import operator
from .tell_graph import keep_name
from .words import called, code, count, label, listed, plural, some
from .world import Call, NodeState, Place, SlotState, TensorState, World, Write


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One error: `lines` of the program by role, a `story`, the `nodes` in it, `events` to go to by role."""

    kind: str
    title: str
    message: str
    lines: dict[str, int | None]
    story: tuple[str, ...]
    nodes: tuple[int, ...] = ()
    events: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Failure:
    """An error that nobody caught: event number, the event, and the backward call that failed with it, if one did."""

    number: int
    raised: e.Raised
    call: int | None


def during(place: Place) -> str:
    """` in **iteration 1**`, if `place` is in a loop."""
    return f" in **iteration {place.turns[-1].number}**" if place.turns else ""


def on(line: int) -> str:
    return f"on **line {line}**"


# ---- a second backward


def second_backward(world: World, failure: Failure) -> Diagnosis | None:
    """A node was asked for what an earlier call had freed."""
    if world.refused is None or not failure.raised.message.startswith("Trying to backward through the graph a second"):
        return None
    _, read = world.refused
    node = world.nodes[read.node]
    slot = node.slots.get(read.slot)
    freer = world.calls.get(slot.freed_by) if slot is not None and slot.freed_by is not None else None
    lines = {
        "built": node.place.line,
        "freed_by": freer.place.line if freer else None,
        "raised": failure.raised.line,
    }
    events = {"built": node.made, "raised": failure.number}
    if slot is not None and slot.freed is not None:
        events["freed"] = slot.freed
    story = [built_and_kept(world, node)]
    if freer is not None:
        story.append(freed_by(world, node, freer))
        story.append(walked_in_again(world, node, freer, failure))
    story.append("What it needs for its gradient is gone, so PyTorch cannot go on.")
    return Diagnosis(
        "second_backward",
        "Backward reached an emptied node",
        failure.raised.message,
        lines,
        tuple(story),
        (node.number,),
        events,
    )


def built_and_kept(world: World, node: NodeState) -> str:
    kept = list(dict.fromkeys(keep_name(world, slot) for slot in node.slots.values()))
    known = operator(node.kind)
    why = f": {known.why}" if known else " to compute its gradients"
    return f"**{node.title}**, built {on(node.place.line)}{during(node.place)}, keeps {some(kept)}{why}."


def freed_by(world: World, node: NodeState, freer: Call) -> str:
    what = "it" if len(node.slots) == 1 else "both" if len(node.slots) == 2 else "all of it"
    why = "its graph was not retained" if freer.create_graph else "`retain_graph` was not set"
    return f"{code(freer.text)} {on(freer.place.line)} freed {what}{during(freer.place)}, because {why}."


def walked_in_again(world: World, node: NodeState, freer: Call, failure: Failure) -> str:
    """How the failing call came to a node that an earlier one had used up."""
    call = world.calls.get(failure.call) if failure.call is not None else None
    if call is None:
        return f"Line {failure.raised.line} asks for it again."
    fresh = [
        world.nodes[number]
        for number in call.expected
        if world.nodes[number].made > freer.started and world.nodes[number].nr is not None
    ]
    again = f"{code(call.text)} {on(call.place.line)}"
    if not fresh:
        return f"{again} walks through the same nodes a second time."
    numbers = sorted(state.nr for state in fresh if state.nr is not None)
    span = f"#{numbers[0]}–#{numbers[-1]}" if len(numbers) > 1 else f"#{numbers[0]}"
    when = f"Iteration {call.place.turns[-1].number}" if call.place.turns else "The program"
    reused = next((code(name) for tensor in node.outputs if (name := label(world, tensor, 0))), None)
    through = f"reused {reused}" if reused else "they lead back to old ones"
    return f"{when} built new nodes {span}, but {through}, so {again} walks into **{node.title}** again."


# ---- a saved tensor that was changed


def saved_modified(world: World, failure: Failure) -> Diagnosis | None:
    """A node asked for what it had kept, and found another version."""
    if world.refused is None or "modified by an inplace operation" not in failure.raised.message:
        return None
    _, read = world.refused
    node = world.nodes[read.node]
    slot = node.slots.get(read.slot)
    if slot is None or read.found is None:
        return None
    writes = [
        write
        for write in world.writes.get(slot.storage, ())
        if write.counted and slot.version < write.version <= read.found
    ]
    origin = maker(world, slot)
    lines = {
        "built": node.place.line,
        "saved": origin.place.line if origin is not None else node.place.line,
        "changed": writes[0].place.line if writes else None,
        "raised": failure.raised.line,
    }
    events = {"built": node.made, "raised": failure.number}
    if writes:
        events["changed"] = writes[0].event
    story = [kept_at(world, node, slot), *changed_by(world, writes, slot)]
    call = world.calls.get(failure.call) if failure.call is not None else None
    asks = f"{code(call.text)} {on(call.place.line)}" if call else f"Line {failure.raised.line}"
    story.append(
        f"{asks} needs version {slot.version} and finds version {read.found}. With the new numbers the gradient would "
        "be wrong, so PyTorch refuses."
    )
    return Diagnosis(
        "saved_modified",
        "A saved tensor was changed in place",
        failure.raised.message,
        lines,
        tuple(story),
        (node.number,),
        events,
    )


def maker(world: World, slot: SlotState) -> TensorState | None:
    """The tensor whose memory `slot` keeps, past all views of it."""
    tensor = world.tensors.get(slot.tensor) if slot.tensor is not None else None
    while tensor is not None and tensor.base is not None and tensor.base in world.tensors:
        tensor = world.tensors[tensor.base]
    return tensor


def kept_at(world: World, node: NodeState, slot: SlotState) -> str:
    known = operator(node.kind)
    why = f", because {known.why}" if known else ""
    what = keep_name(world, slot)
    built = f"**{node.title}**, built {on(node.place.line)}{during(node.place)}"
    return f"{built}, kept {what} at version {slot.version}{why}."


def changed_by(world: World, writes: list[Write], slot: SlotState) -> Iterator[str]:
    """One sentence for all the writes, those of one line together."""
    parts = []
    for write in {(write.place.line, write.op): write for write in reversed(writes)}.values():
        same = [other for other in writes if (other.place.line, other.op) == (write.place.line, write.op)]
        times = f", {count(len(same))} times" if len(same) > 1 else ""
        who = f"{code(write.optimizer)}, taking a step" if write.optimizer else code(written_text(world, write))
        when = during(write.place) if len(same) == 1 else ""
        parts.append((same[0].event, f"{who} {on(write.place.line)}{when}{times}"))
    if parts:
        yield f"It was then written over in place by {listed(text for _, text in sorted(parts))}."


def written_text(world: World, write: Write) -> str:
    """The statement that wrote."""
    return world.source.text(write.place.line, write.place.end_line) or write.op


# ---- writes that are refused


def inplace_refused(world: World, failure: Failure) -> Diagnosis | None:
    """A leaf that requires a gradient, or a view of one, would be written over."""
    kinds = {
        "a leaf Variable that requires grad": ("leaf_inplace", "A leaf would be written over"),
        "a view of a leaf Variable": ("view_inplace", "A leaf would be written over through a view of it"),
    }
    kind = next((kinds[start] for start in kinds if failure.raised.message.startswith(start)), None)
    if kind is None:
        return None
    text = world.source.text(failure.raised.line)
    leaf = leaf_in(world, text)
    lines = {"saved": leaf.place.line if leaf else None, "changed": failure.raised.line, "raised": failure.raised.line}
    name = called(world, leaf.number) if leaf else "the leaf"
    made = f", made {on(leaf.place.line)}," if leaf else ""
    through = " through a view, which shares its memory" if kind[0] == "view_inplace" else ""
    story = (
        f"{name}{made} is a leaf that requires a gradient: its numbers are what the gradient will be taken at.",
        f"{code(text)} {on(failure.raised.line)} would write over them{through}.",
        "Autograd could not say any more what the gradient belongs to, so PyTorch refuses the write.",
    )
    events = {"raised": failure.number, **({"saved": leaf.made} if leaf else {})}
    return Diagnosis(*kind, failure.raised.message, lines, story, (), events)


def leaf_in(world: World, text: str) -> TensorState | None:
    """The leaf behind the first of the program's tensors that `text` names."""
    for (_, name), binding in sorted(world.names.items(), key=lambda item: (text.find(item[0][1]), -len(item[0][1]))):
        tensor = world.tensors.get(binding.tensor) if binding.tensor is not None and name in text else None
        while tensor is not None and tensor.base is not None and tensor.base in world.tensors:
            tensor = world.tensors[tensor.base]
        if tensor is not None and tensor.requires_grad and tensor.node is None:
            return tensor
    return None


# ---- roots that cannot be


def root(world: World, failure: Failure) -> TensorState | None:
    """The tensor that backward was asked to start from."""
    call = world.calls.get(failure.call) if failure.call is not None else None
    return world.tensors.get(call.roots[0]) if call is not None and call.roots else None


def not_scalar(world: World, failure: Failure) -> Diagnosis | None:
    if not failure.raised.message.startswith("grad can be implicitly created only for scalar"):
        return None
    start = root(world, failure)
    name = called(world, start.number) if start else "the result"
    entries = plural(_entries(start), "entry").replace("entrys", "entries") if start else "several entries"
    made = f", made {on(start.place.line)}," if start else ""
    story = (
        f"{name}{made} has {entries}.",
        "backward starts from a single number, whose gradient with respect to itself is 1; for several it has to be "
        "told how much each of them counts.",
        "Give those weights as `gradient=`, or make one number of it, with sum() or mean().",
    )
    lines = {"built": start.place.line if start else None, "raised": failure.raised.line}
    events = {"raised": failure.number, **({"built": start.made} if start else {})}
    return Diagnosis(
        "not_scalar", "Backward from more than one number", failure.raised.message, lines, story, (), events
    )


def _entries(tensor: TensorState) -> int:
    total = 1
    for length in tensor.shape:
        total *= length
    return total


def no_graph(world: World, failure: Failure) -> Diagnosis | None:
    """The root has no graph: somewhere on the way to it the recording stopped, or never began."""
    if not failure.raised.message.endswith("does not require grad and does not have a grad_fn"):
        return None
    start = root(world, failure)
    if start is None:
        return None
    cut = where_cut(world, start)
    name = called(world, start.number)
    story = [f"{name}, made {on(start.place.line)}, has no graph behind it: nothing of how it came about was recorded."]
    lines: dict[str, int | None] = {"built": start.place.line, "raised": failure.raised.line}
    events = {"raised": failure.number, "built": start.made}
    if cut is not None:
        lines["cut"], events["cut"] = cut.place.line, cut.made
        story.append(cut_story(world, cut))
    story.append("Without a graph there is no way back, and nobody to give a gradient to.")
    return Diagnosis(
        "no_graph", "Backward from a result without a graph", failure.raised.message, lines, tuple(story), (), events
    )


def where_cut(world: World, start: TensorState) -> TensorState | None:
    """Going back from `start`: the tensor at which the recording ended, else the oldest piece of plain data."""
    seen, todo, oldest = {start.number}, [start], None
    while todo:
        tensor = todo.pop(0)
        before = [world.tensors[number] for number in (*tensor.inputs, *based_on(tensor)) if number in world.tensors]
        if any(state.requires_grad for state in before):
            return tensor
        if not before and tensor is not start:
            oldest = tensor
        for state in before:
            if state.number not in seen:
                seen.add(state.number)
                todo.append(state)
    return oldest


def based_on(tensor: TensorState) -> tuple[int, ...]:
    return () if tensor.base is None else (tensor.base,)


def cut_story(world: World, cut: TensorState) -> str:
    name = called(world, cut.number)
    if any(world.tensors[number].requires_grad for number in (*cut.inputs, *based_on(cut)) if number in world.tensors):
        return f"The recording ends {on(cut.place.line)}, where {name} comes out of tracked tensors without a graph."
    return f"It goes back to {name} of **line {cut.place.line}**, for which no gradient was asked."


POSTMORTEMS: tuple[Callable[[World, Failure], Diagnosis | None], ...] = (
    second_backward,
    saved_modified,
    inplace_refused,
    not_scalar,
    no_graph,
)
"""Tried in order; the first that gives a diagnosis is believed."""
