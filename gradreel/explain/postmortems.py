"""Post-mortems: for each kind of error a function that tells how it came about, or None if it is not of that kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .diagnosis import Diagnosis, Failure, during, on, origin
from .operators import operator
from .refusals import REFUSALS
from .states import Call, NodeState, SlotState, Write
from .tell_graph import keep_name
from .words import code, count, label, listed, some
from .world import World

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
    kept_words = some(kept) if kept else "what hooks packed"
    return f"**{node.title}**, built {on(node.place.line)}{during(node.place)}, keeps {kept_words}{why}."


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
    reused = reused_name(world, node, fresh)
    through = f"reused {code(reused)}" if reused else "they lead back to old ones"
    return f"{when} built new nodes {span}, but {through}, so {again} walks into **{node.title}** again."


def reused_name(world: World, node: NodeState, fresh: list[NodeState]) -> str | None:
    """The name through which `fresh` nodes lead into the old graph: where an edge goes from new to old."""
    new = {state.number for state in fresh}
    borders = [target for state in fresh for target, _ in state.edges if target is not None and target not in new]
    for number in (*borders, node.number):
        for tensor in world.nodes[number].outputs:
            if (name := label(world, tensor, 0)) is not None:
                return name
    return None


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
    source = origin(world, world.tensors.get(slot.tensor) if slot.tensor is not None else None)
    lines = {
        "built": node.place.line,
        "saved": source.place.line if source is not None else node.place.line,
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


POSTMORTEMS: tuple[Callable[[World, Failure], Diagnosis | None], ...] = (
    second_backward,
    saved_modified,
    *REFUSALS,
)
"""Tried in order; the first that gives a diagnosis is believed."""
