"""A saved tensor that was changed: a node asked for what it had kept, and found another version."""

from __future__ import annotations

from collections.abc import Iterator

from ..derivatives.lookup import operator
from ..diagnostics.diagnosis import Diagnosis, Failure, named
from ..diagnostics.failing_node import asked, latest
from ..diagnostics.registry import rule
from ..narration.program_layers import built, kept_name
from ..narration.words import code, count, during, label, listed, name_of, on, short, upper
from ..replay.graph_queries import origin
from ..replay.states import NodeState, SlotState, Write
from ..replay.world import World


@rule
def saved_modified(world: World, failure: Failure) -> Diagnosis | None:
    """A node asked for what it had kept, and found another version."""
    found = asked(world, failure) if "modified by an inplace operation" in failure.raised.message else None
    if found is None:
        return None
    node, slot = found
    if slot is None:
        return None
    now = slot.found if slot.found is not None else latest(world, slot)
    writes = [
        write for write in world.writes.get(slot.storage, ()) if write.counted and slot.version < write.version <= now
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
        f"{asks} needs version {slot.version} and finds version {now}. With other numbers the gradient would "
        "be wrong, so PyTorch refuses."
    )
    return Diagnosis(
        kind="saved_modified",
        title="A saved tensor was changed in place",
        message=failure.raised.message,
        lines=lines,
        story=tuple(story),
        nodes=(node.number,),
        events=events,
        cause="step_between" if writes and writes[0].optimizer else "saved_modified",
        names=named(
            kept=label(world, slot.tensor) if slot.tensor is not None else result_name(world, node),
            written=label(world, writes[0].tensor) if writes else None,
            whole=name_of(world, source) if source is not None else None,
            how="max_norm" if writes and writes[0].op == LOOKUP else None,
        ),
    )


LOOKUP = "embedding_renorm_"


def result_name(world: World, node: NodeState) -> str | None:
    """What the program calls the result of `node`."""
    return next((name for tensor in node.outputs if (name := label(world, tensor, 0)) is not None), None)


def kept_at(world: World, node: NodeState, slot: SlotState) -> str:
    known = operator(node.kind)
    told = f"{built(world, node)}, saved {kept_name(world, slot)} at version {slot.version}"
    if known is None:
        return f"{told}."
    return f"{told}, because {known.why}." if short(f"{told}, because {known.why}") else f"{told}. {upper(known.why)}."


def changed_by(world: World, writes: list[Write], slot: SlotState) -> Iterator[str]:
    """One sentence for all the writes, those of one line together."""
    parts = []
    for write in {write.place.line: write for write in reversed(writes)}.values():
        same = [other for other in writes if other.place.line == write.place.line]
        turns = len({other.place.since for other in same})
        many = "again and again" if world.skipped else f"{count(turns)} times"
        times = f", {many}" if turns > 1 else ""
        who = f"{code(write.optimizer)}, taking a step" if write.optimizer else code(written_text(world, write))
        who += ", a lookup that `max_norm` lets shorten the rows it finds," if write.op == LOOKUP else ""
        when = during(write.place) if turns == 1 else ""
        parts.append((same[0].event, f"{who} {on(write.place.line)}{when}{times}"))
    if parts:
        yield f"It was then written over in place by {listed(text for _, text in sorted(parts))}."


def written_text(world: World, write: Write) -> str:
    """The statement that wrote."""
    return world.source.text(write.place.line, write.place.end_line) or write.op
