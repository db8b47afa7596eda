"""Writes that PyTorch refuses: into a leaf that requires a gradient, and into views whose history cannot follow."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ..diagnostics.diagnosis import Diagnosis, Failure, named
from ..diagnostics.mentions import mentioned, shown, statement
from ..diagnostics.registry import rule
from ..narration.program_layers import parts_of
from ..narration.words import called, code, name_of, on
from ..replay.graph_queries import origin
from ..replay.states import Frame, Place, TensorState
from ..replay.world import World


@dataclass(frozen=True, slots=True)
class Refusal:
    """A kind of write that is refused: whose it is, what that is to autograd, why it may not be written."""

    kind: str
    cause: str
    title: str
    fits: Callable[[World, TensorState], bool]
    what: str
    why: str


def leaf(world: World, tensor: TensorState) -> bool:
    base = origin(world, tensor)
    return base is not None and base.requires_grad and base.node is None


def view(world: World, tensor: TensorState) -> bool:
    return tensor.base is not None


def any_tensor(world: World, tensor: TensorState) -> bool:
    return True


LEAF = "is a leaf that requires a gradient: its numbers are what the gradient will be taken at"
LOST = "Autograd could not say any more what the gradient belongs to, so PyTorch refuses the write."
UNSURE = "Autograd could not give the view a new history, so PyTorch refuses the write."
OVER = "A leaf would be written over"
GUARDED = "A view that may not be written would be written over"

REFUSALS = {
    "a view of a leaf Variable": Refusal("view_inplace", "leaf_view", OVER + " through a view of it", leaf, LEAF, LOST),
    "a leaf Variable that requires grad": Refusal("leaf_inplace", "leaf_inplace", OVER, leaf, LEAF, LOST),
    "A view was created in": Refusal(
        "view_inplace", "no_grad_view", GUARDED, view, "is seen through a view taken while nothing was recorded", UNSURE
    ),
    "is a view of a view which was created in": Refusal(
        "view_inplace", "no_grad_view", GUARDED, view, "is seen through a view taken while nothing was recorded", UNSURE
    ),
    "output of a function that returns multiple views": Refusal(
        "view_inplace",
        "many_views",
        GUARDED,
        view,
        "is one of several views that one operator gave out together",
        "A write into one of them would have to change the history of all, so PyTorch refuses it.",
    ),
    "created inside a custom Function": Refusal(
        "view_inplace",
        "function_view",
        "A view that a Function gave out was written over",
        any_tensor,
        "is a view that a Function of your own returned",
        "The write would put another node in the place of the Function's own backward, so PyTorch refuses.",
    ),
    "more than one element of the written-to tensor refers to": Refusal(
        "view_inplace",
        "expanded",
        "An expanded tensor would be written over",
        any_tensor,
        "shows the same numbers several times, because `expand` copies nothing",
        "One write would have to put several numbers into one place, so PyTorch refuses; `clone()` gives each its own.",
    ),
    "functions with out=... arguments": Refusal(
        "leaf_inplace",
        "out_argument",
        "`out=` cannot be recorded",
        leaf,
        "is a leaf that requires a gradient",
        "What is written through `out=` gets no history, so PyTorch refuses it where a gradient is wanted.",
    ),
    "Can't detach views in-place": Refusal(
        "view_inplace",
        "detach_view",
        "A view cannot be detached in place",
        view,
        "is a view: it shares memory and history with its base",
        "Its base would still have the history that the view has lost; `detach()` gives a new tensor instead.",
    ),
}
"""By a part of PyTorch's message."""


HOOKED = "BackwardHookFunction is a view"
"""The view is none of the program's: the hook of a module made it."""

OF_THE_VIEW = frozenset({"many_views", "expanded", "detach_view"})
"""Refusals that are about the view itself, not about what it shows."""


@rule
def inplace_refused(world: World, failure: Failure) -> Diagnosis | None:
    """One of REFUSALS."""
    message, line = failure.raised.message, failure.raised.line
    refusal = next((REFUSALS[part] for part in REFUSALS if part in message), None)
    if refusal is None or HOOKED in message:
        return None
    found = target(world, failure, refusal)
    if found is None:
        return None
    name, tensor = found
    base = origin(world, tensor) or tensor
    node = world.nodes.get(tensor.node) if tensor.node is not None else None
    writes = [write for write in world.writes.get(tensor.storage, ()) if write.event > tensor.made]
    later = "has been modified" in message and bool(writes)
    changed = writes[-1].place.line if later else line
    built = applied(tensor).line if refusal.cause == "function_view" else tensor.place.line
    lines: dict[str, int | None] = {"saved": base.place.line, "built": built, "changed": changed, "raised": line}
    events = {"raised": failure.number, "saved": base.made, "built": tensor.made}
    if later:
        events["changed"] = writes[-1].event
    if refusal.cause == "leaf_inplace":
        del lines["built"]
    whole = called(world, base.number)
    story = [f"{whole}, made {on(base.place.line)}, {refusal.what}."]
    if refusal.cause in OF_THE_VIEW and tensor is not base:
        story = [f"{code(name)}, taken {on(tensor.place.line)}, {refusal.what}; its memory is that of {whole}."]
    elif tensor is not base and refusal.cause != "function_view":
        story.append(f"{code(name)}, taken {on(tensor.place.line)}, shows the same memory.")
    if later:
        story.append(f"{code(world.source.text(changed))} {on(changed)} wrote over it in place.")
    else:
        doing = "cut it off its history" if refusal.cause == "detach_view" else "write over it"
        story.append(f"{code(shown(world, failure))} {on(line)} would {doing} in place.")
    story.append(refusal.why)
    return Diagnosis(
        kind=refusal.kind,
        title=refusal.title,
        message=message,
        lines=lines,
        story=tuple(story),
        nodes=() if node is None else (node.number,),
        events=events,
        cause=refusal.cause,
        names=named(target=name, whole=name_of(world, base)),
    )


def applied(tensor: TensorState) -> Place | Frame:
    """Where the Function was applied that gave out `tensor`."""
    place = tensor.place
    return place.frames[-1] if place.function == "forward" else tensor.bound or place


def target(world: World, failure: Failure, refusal: Refusal) -> tuple[str, TensorState] | None:
    """The tensor that the statement speaks of and that fits; else any that it speaks of."""
    text = statement(world, failure)
    found = list(mentioned(world, text))
    fitting = next((pair for pair in found if refusal.fits(world, pair[1])), found[0] if found else None)
    return fitting or next(iter(of_modules(world, text, refusal)), None)


def of_modules(world: World, text: str, refusal: Refusal) -> Iterator[tuple[str, TensorState]]:
    """What fits of the modules that `text` names, as of `net` in `[p.sub_(1) for p in net.parameters()]`."""
    for path in re.findall(r"[A-Za-z_][\w.]*", text):
        for tensor in parts_of(world, path.removesuffix(".parameters")):
            if refusal.fits(world, tensor):
                yield name_of(world, tensor) or path, tensor
