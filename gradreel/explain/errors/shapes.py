"""Operands whose shapes do not go together."""

from __future__ import annotations

import re

from ..diagnosis import Diagnosis, Failure, named, on, origin
from ..mentions import mentioned, shown, statement
from ..words import code
from ..world.states import TensorState
from ..world.world import World

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
    "Expected target size",
    "has changed the size of value",
    "must be the same as input size",
    "that is different to the input size",
    "multi-target not supported",
    "channels, but got",
    "(unbatched) or",
    "can't be greater than actual input size",
    "must be equal to input_size",
    "has inconsistent",
    "Expected hidden",
    "running_mean should contain",
    "Given normalized_shape",
    "Expected more than 1 value per channel",
    "must be greater or equal to the number of dimensions",
    "expects split_sizes to sum exactly",
)
"""Parts of PyTorch's messages."""

WHY = {
    "shapes cannot be multiplied": "A matrix product adds up over the columns of the left and the rows of the right: "
    "there must be as many of the one as of the other.",
    "must match the size of tensor": "Entry by entry, two sizes go together if they are equal or one of them is 1.",
    "is invalid for input of size": "Another shape must have as many entries as the tensor has.",
    "view size is not compatible": "A view cannot rearrange numbers in memory; `reshape` copies where it must.",
    "attempting to assign a gradient": "A gradient has one entry for each entry of its tensor.",
    "must be the same as input size": "This loss compares entry by entry, so scores and targets need one shape: "
    "`squeeze(1)` the one or `unsqueeze(1)` the other.",
    "that is different to the input size": "This loss compares entry by entry, so scores and targets need one shape: "
    "`squeeze(1)` the one or `unsqueeze(1)` the other.",
    "multi-target": "This loss takes one class number for each row of scores, in a target of one dimension.",
    "to match target batch_size": "There must be one target for each row of scores.",
    "Expected target size": "Scores of classes stand in dimension 1, [batch, classes, places], and targets are the "
    "same without it, [batch, places]: `transpose(1, 2)` brings the classes there.",
    "channels, but got": "A convolution is made for a number of channels, which stand in front of height and width: "
    "an image alone is [channels, height, width].",
    "(unbatched) or": "Channels stand in front of height and width, and the batch in front of them all.",
    "can't be greater than actual": "A kernel must fit into what it slides over: the image has become too small.",
    "must be equal to input_size": "A recurrent layer is made for a number of features: each step must bring as many.",
    "inconsistent": "A cell is made for a number of features, and what comes in must have as many.",
    "Expected hidden": "A state is [layers, batch, features]: it must have been made for as many rows as come in now.",
    "running_mean": "A normalisation keeps one mean per channel, and there come more or fewer channels.",
    "Given normalized_shape": "The sizes to normalise over must be the last ones of what comes in.",
    "Expected more than 1 value": "With one row in the batch there is no spread to normalise by; `eval()` uses what "
    "was learnt instead.",
    "must be greater or equal": "`expand` repeats along dimensions that are there, or adds some in front; it takes "
    "none away.",
    "expects split_sizes": "The parts of a split must add up to the whole.",
    "Sizes of tensors must match": "Joined along one dimension, tensors must agree in all the others.",
    "stack expects": "`stack` lays tensors on one another, so all of them need one shape.",
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
    given = [(name, tensor) for name, tensor in pairs if f"{name}.grad =" not in statement(world, failure)]
    found = fitting(given if "attempting to assign" in message and given else pairs, message)
    if found is not None:
        base = found[1] if found[1].called else origin(world, found[1]) or found[1]
        lines["built"], events["built"] = base.place.line, base.made
        shapes = [
            f"{code(name)} (made {on(tensor.place.line)}) has the shape {list(tensor.shape)}"
            for name, tensor in pairs[:3]
        ]
        story.append("; ".join(shapes)[:1].upper() + "; ".join(shapes)[1:] + ".")
    why = next((why for part, why in WHY.items() if part in message), ELSE)
    inner = re.search(r"\(\d+x(\d+) and (\d+)x\d+\)", message)
    story.append(why if inner is None else f"{why[:-1]}, and here they are {inner[1]} and {inner[2]}.")
    names = named(target=found[0] if found else None, first=pairs[0][0] if pairs else None)
    return Diagnosis("shape", "Shapes that do not go together", message, lines, tuple(story), (), events, sign, names)


def fitting(pairs: list[tuple[str, TensorState]], message: str) -> tuple[str, TensorState] | None:
    """Of the tensors that the line names, the last made whose sizes the message tells; else the last made."""
    numbers = {int(number) for number in re.findall(r"\d+", message)}
    fit = [pair for pair in pairs if pair[1].shape and set(pair[1].shape) & numbers]
    return max(fit or pairs, key=lambda pair: pair[1].made, default=None)
