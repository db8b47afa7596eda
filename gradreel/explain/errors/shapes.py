"""Operands whose shapes do not go together."""

from __future__ import annotations

import re

from ..diagnosis import Diagnosis, Failure, named, on, origin
from ..mentions import mentioned, shown, statement
from ..states import TensorState
from ..words import code
from ..world import World

SIGNS = (
    "must match the size of tensor",
    "shapes cannot be multiplied",
    "size mismatch",
    "doesn't match the broadcast shape",
    "inconsistent tensor size",
    "1D tensors expected",
    "must be a matrix",
    "vector + matrix @ vector expected",
    "must be a 3D tensor",
    "Expected size for first two dimensions",
    "both arguments to matmul need to be at least 1D",
    "is invalid for input of size",
    "view size is not compatible",
    "The expanded size of the tensor",
    "Sizes of tensors must match",
    "Tensors must have same number of dimensions",
    "stack expects each tensor to be equal size",
    "does not match the shape of the indexed tensor",
    "number of dimensions in the tensor input does not match",
    "expects a tensor with <= 2 dimensions",
    "attempting to assign a gradient of size",
    "to match target batch_size",
    "has changed the size of value",
)
"""Parts of PyTorch's messages."""

WHY = {
    "shapes cannot be multiplied": "A matrix product adds up over the columns of the left and the rows of the right: "
    "there must be as many of the one as of the other.",
    "must match the size of tensor": "Entry by entry, two sizes go together if they are equal or one of them is 1.",
    "is invalid for input of size": "Another shape must have as many entries as the tensor has.",
    "view size is not compatible": "A view cannot rearrange numbers in memory; `reshape` copies where it must.",
    "attempting to assign a gradient": "A gradient has one entry for each entry of its tensor.",
    "has changed the size of value": "A hook may change the numbers of a gradient, not its shape.",
}
ELSE = "The operator needs sizes that go together."


def shapes_differ(world: World, failure: Failure) -> Diagnosis | None:
    message, line = failure.raised.message, failure.raised.line
    sign = next((sign for sign in SIGNS if sign in message), None)
    if sign is None:
        return None
    pairs = list(mentioned(world, statement(world, failure)))
    lines: dict[str, int | None] = {"raised": line}
    events = {"raised": failure.number}
    story = [f"{code(shown(world, failure))} {on(line)} puts together what does not fit."]
    found = fitting(pairs, message)
    if found is not None:
        base = origin(world, found[1]) or found[1]
        lines["built"], events["built"] = base.place.line, base.made
        shapes = [
            f"{code(name)} (made {on(tensor.place.line)}) has the shape {list(tensor.shape)}"
            for name, tensor in pairs[:3]
        ]
        story.append("; ".join(shapes)[:1].upper() + "; ".join(shapes)[1:] + ".")
    story.append(next((why for part, why in WHY.items() if part in message), ELSE))
    names = named(target=found[0] if found else None, first=pairs[0][0] if pairs else None)
    return Diagnosis("shape", "Shapes that do not go together", message, lines, tuple(story), (), events, sign, names)


def fitting(pairs: list[tuple[str, TensorState]], message: str) -> tuple[str, TensorState] | None:
    """Of the tensors that the line names, the last made whose sizes the message tells; else the last made."""
    numbers = {int(number) for number in re.findall(r"\d+", message)}
    fit = [pair for pair in pairs if pair[1].shape and set(pair[1].shape) & numbers]
    return max(fit or pairs, key=lambda pair: pair[1].made, default=None)
