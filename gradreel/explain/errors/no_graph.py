"""A root without a graph: somewhere on the way to it the recording stopped, or never began."""

from __future__ import annotations

from ..diagnostics.diagnosis import Diagnosis, Failure, named
from ..diagnostics.mentions import mentioned, statement
from ..diagnostics.registry import rule
from ..narration.words import called, code, label, name_of, on, upper
from ..replay.graph_queries import made_from
from ..replay.states import TensorState
from ..replay.world import World
from .cuts import where_cut
from .roots import call_of, root

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
    name = called(world, start.number)
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
        names=named(
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
    text = statement(world, failure)
    pairs: list[tuple[str, TensorState]] = [
        (name, tensor) for name, tensor in mentioned(world, text) if not tensor.requires_grad
    ]
    if failure.raised.message.startswith(NOT_TRACKED) and call is not None and call.inputs:
        inputs = [world.tensors[number] for number in call.inputs]
        pairs = [(label(world, state.number) or "", state) for state in inputs if not state.requires_grad] or pairs
    if not pairs:
        off = [state for state in world.tensors.values() if state.cut is not None and state.alive and not state.inputs]
        pairs = [(called(world, state.number).strip("`"), state) for state in off[:1]]
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
        names=named(cut=name_of(world, cut.tensor) if cut else name, how=cut.how if cut else "plain", target=name),
    )


def before_line(world: World, tensor: TensorState, line: int) -> TensorState:
    """`tensor`, or what it was made of if `line` made it, nameless, of one tensor alone: `loss.sum().backward()`."""
    while tensor.place.line == line and tensor.called is None:
        before = [state for state in made_from(world, tensor) if state.op != "number"]
        if len(before) != 1:
            break
        tensor = before[0]
    return tensor
