"""What PyTorch refuses with a message that says it all: rows, and whom of the line they are about."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from gradreel.trace.events import LineReached, NameBound

from ..narration.words import code, code_label, name_of, on
from ..replay.graph_queries import origin
from ..replay.states import TensorState
from ..replay.world import World
from .diagnosis import Diagnosis, Failure, known_names
from .mentions import PARTS, find_mentioned, raising_code, raising_statement
from .message_rules import anything
from .registry import rule


@dataclass(frozen=True, slots=True)
class Refusal:
    """By a part of the message: what to look for on the line, under which role it goes, and what to say of it."""

    cause: str
    title: str
    fits: Callable[[TensorState], bool]
    role: str
    story: tuple[str, ...]


def is_computed(tensor: TensorState) -> bool:
    return tensor.node is not None


def is_untracked(tensor: TensorState) -> bool:
    return not tensor.requires_grad


REFUSALS: dict[str, Refusal] = {}


def declare_refusal(
    *parts: str,
    cause: str,
    title: str,
    story: tuple[str, ...],
    fits: Callable[[TensorState], bool] = anything,
    role: str = "",
) -> None:
    """Registers what there is to say of messages with one of these parts."""
    REFUSALS.update(dict.fromkeys(parts, Refusal(cause, title, fits, role, story)))


@rule
def refused_operation(world: World, failure: Failure) -> Diagnosis | None:
    """The refusal with the longest part of the message, with the tensor of the line that it is about."""
    message, line = failure.raised.message, failure.raised.line
    part = max((part for part in REFUSALS if part in message), key=len, default=None)
    if part is None:
        return None
    refusal = REFUSALS[part]
    found = list(find_mentioned(world, raising_statement(world, failure)))
    if "of target" in message:
        found.reverse()
    if refusal.cause == "inference":
        found = [pair for pair in found if of_inference(world, pair[1])] or [*last_of_inference(world), *found]
    pair = next((pair for pair in found if refusal.fits(pair[1])), found[-1] if found else None)
    if pair is None or not refusal.fits(pair[1]):
        pair = next(parts(world, raising_statement(world, failure), refusal), pair)
    lines: dict[str, int | None] = {"raised": line}
    events = {"raised": failure.number}
    if refusal.cause == "copy_result" and pair is None:
        return copied_whole(world, failure, refusal)
    words = {"code": code(raising_code(world, failure)), "line": on(line), "name": "The tensor", "where": on(line)}
    nodes: tuple[int, ...] = ()
    if pair is not None:
        name, tensor = pair
        words |= {"name": code_label(world, tensor.number), "where": on(tensor.place.line)}
        if refusal.role:
            lines[refusal.role], events[refusal.role] = kept_at(world, name, tensor)
        nodes = () if tensor.node is None else (tensor.node,)
    if refusal.cause in IN_TRANSFORM and (transformed := transforming(world)) is not None:
        lines["shows"] = transformed
    return Diagnosis(
        title=refusal.title,
        message=message,
        lines=lines,
        story=tuple(sentence.format(**words) for sentence in refusal.story),
        nodes=nodes,
        events=events,
        cause=refusal.cause,
        names=known_names(target=pair[0] if pair else None),
    )


IN_TRANSFORM = ("in_transform", "backward_in_transform")
"""Causes where a gradient is taken inside of a transform."""
TRANSFORM = re.compile(r"\b(?:vmap|grad|grad_and_value|vjp|jvp|jacrev|jacfwd|hessian)\(")


def transforming(world: World) -> int | None:
    """The line that runs a transform of the function that the program is in."""
    lines = [frame.line for frame in reversed(world.place.frames)]
    return next((line for line in lines if TRANSFORM.search(world.source.statement(line, world.ends.get(line)))), None)


def of_inference(world: World, tensor: TensorState) -> bool:
    """Whether `tensor`, or what it is a view of, was made in inference mode."""
    place = (origin(world, tensor) or tensor).place
    return bool({place.line, *(frame.line for frame in place.frames)} & world.source.inference_lines)


def last_of_inference(world: World) -> list[tuple[str, TensorState]]:
    """The last tensor made in inference mode that is still there."""
    made = (tensor for tensor in reversed(world.tensors.values()) if tensor.alive and of_inference(world, tensor))
    return [(name_of(world, tensor) or "", tensor) for tensor in made][:1]


def copied_whole(world: World, failure: Failure, refusal: Refusal) -> Diagnosis:
    """A list, a dict or a module is copied, with a tensor in it that no name leads to."""
    line = failure.raised.line
    return Diagnosis(
        title=refusal.title,
        message=failure.raised.message,
        lines={"raised": line},
        story=(
            f"{code(raising_code(world, failure))} {on(line)} copies all that is in it, and something in it hangs on a "
            "graph, which cannot be copied. That may be what a loop put in a list, or what a module stores.",
            "Of a list its tensors can be copied one by one, with `detach().clone()`. A module made anew takes the "
            "numbers of another from its `state_dict()`. `torch.nn.utils.weight_norm` and its kin keep a computed "
            "weight in their layer.",
        ),
        events={"raised": failure.number},
        cause=refusal.cause,
    )


def parts(world: World, text: str, refusal: Refusal) -> Iterator[tuple[str, TensorState]]:
    """The tensors that fit among the parts of what `text` names, each with its name: `net.last` of `net`; then those
    that a method keeps as `self.last`."""
    words = set(re.findall(r"[A-Za-z_]\w*", text))
    for (_, name), bound in world.names.items():
        tensor = world.tensors.get(bound.tensor) if bound.tensor is not None else None
        whole = PARTS.split(name, maxsplit=1)[0]
        if tensor is not None and whole != name and whole in words and refusal.fits(tensor):
            yield name, tensor
    for _, kept in reversed(bound_parts(world)):
        tensor = world.tensors.get(kept.tensor) if kept.tensor is not None else None
        if tensor is not None and tensor.alive and kept.name.startswith("self.") and refusal.fits(tensor):
            yield kept.name, tensor


def bound_parts(world: World) -> list[tuple[int, NameBound]]:
    """Each time that a part of something got a name so far, with the number of the event."""
    events = enumerate(world.trace.events[: world.count])
    return [(number, event) for number, event in events if isinstance(event, NameBound) and "." in event.name]


def kept_at(world: World, name: str, tensor: TensorState) -> tuple[int, int]:
    """The line and event with which an object got `tensor` as its part `name`; of a plain name, where it was made."""
    for number, event in bound_parts(world) if "." in name else ():
        if event.name.rpartition(".")[2] == name.rpartition(".")[2] and event.tensor == tensor.number:
            before = (world.trace.events[n] for n in range(number, -1, -1))
            return next(reached.line for reached in before if isinstance(reached, LineReached)), number
    return tensor.place.line, tensor.made
