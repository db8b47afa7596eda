"""Operands whose shapes do not go together."""

from __future__ import annotations

import re

from ..diagnostics.diagnosis import Diagnosis, Failure, named
from ..diagnostics.mentions import entries, mentioned, shown, statement
from ..diagnostics.registry import rule
from ..narration.words import code, on
from ..replay.graph_queries import origin
from ..replay.states import TensorState
from ..replay.world import World

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
    "cannot be concatenated",
    "2D or 3D input (got",
    "expected 4D input (got",
    "expected 5D input (got",
    "which does not broadcast with previously seen size",
    "the number of subscripts in the equation",
    "Output size is too small",
    "Padding length should be",
)
"""Parts of PyTorch's messages."""

DOT = "A product of two vectors adds up over their entries: there must be as many of the one as of the other."
WHY = {
    "inconsistent tensor size": DOT,
    "size mismatch": "A matrix times a vector adds up over its columns: the vector must have one entry for each.",
    "1D tensors expected": "`dot` takes two vectors, of one dimension each; `(a * b).sum()` takes any shape.",
    "must be a matrix": "`mm` takes two matrices, of two dimensions each; `@` takes vectors as well.",
    "vector + matrix @ vector": "`mv` takes a matrix and a vector, in this order; `@` takes two vectors as well.",
    "must be a 3D tensor": "`bmm` takes two batches of matrices, of three dimensions each; `@` takes matrices.",
    "Expected size for first two": "Of two batches each matrix is multiplied with its partner: there must be as many "
    "of the one as of the other. The columns of the left must be as many as the rows of the right.",
    "both arguments to matmul": "`@` adds up over a dimension, and a single number has none; `*` takes one times each "
    "entry.",
    "doesn't match the broadcast": "What is written in place keeps its shape, and the result would be larger; out of "
    "place it may grow.",
    "The expanded size": "Entries are repeated only along dimensions of size 1, or along new ones in front.",
    "Tensors must have same number": "Joined along one dimension, tensors must have the same number of dimensions; "
    "`unsqueeze(0)` makes a table of one row of a row.",
    "does not match the shape of the indexed": "A mask says of each entry whether it is taken: it must be as long.",
    "number of dimensions in the tensor input": "`permute` names every dimension once, no more and no fewer.",
    "expects a tensor with <= 2": "`t()` is for matrices; in a batch `transpose(-2, -1)` turns each matrix.",
    "shapes cannot be multiplied": "A matrix product adds up over the columns of the left and the rows of the right. "
    "There must be as many of the one as of the other.",
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
    "cannot be concatenated": "`cat` joins along a dimension, and a single number has none: `stack` makes a row of "
    "single numbers.",
    "2D or 3D input (got": "This layer normalises [batch, channels] or [batch, channels, places]; for images, "
    "[batch, channels, height, width], there is `BatchNorm2d`.",
    "expected 4D input (got": "This layer takes images, [batch, channels, height, width]; for [batch, channels] there "
    "is `BatchNorm1d`.",
    "expected 5D input (got": "This layer takes volumes, [batch, channels, depth, height, width].",
    "which does not broadcast": "A letter stands for one size, wherever it appears: all dimensions that it names must "
    "have that size.",
    "the number of subscripts": "An operand has one letter for each of its dimensions.",
    "Output size is too small": "A window must fit into what it slides over: the image has become too small.",
    "Padding length should be": "`pad` takes two numbers for each dimension, from the last one on: there are more "
    "pairs than dimensions.",
    "expects split_sizes": "The parts of a split must add up to the whole.",
    "Sizes of tensors must match": "Joined along one dimension, tensors must agree in all the others.",
    "stack expects": "`stack` lays tensors on one another, so all of them need one shape.",
    "has changed the size of value": "A hook may change the numbers of a gradient, not its shape.",
}
ELSE = "The operator needs sizes that go together."


WRITTEN = re.compile(r"[\w.]+\[.*?\] = ")
RANKS = {"must be a matrix": (2,), "must be a 3D tensor": (3,), "to be at least 1D": (1, 2, 3, 4)}
"""How many dimensions a message asks for."""


@rule
def shapes_differ(world: World, failure: Failure) -> Diagnosis | None:
    message, line = failure.raised.message, failure.raised.line
    sign = next((sign for sign in SIGNS if sign in message), None)
    if sign is None:
        return None
    pairs = list(mentioned(world, statement(world, failure)))
    pairs += [pair for pair in entries(world, statement(world, failure)) if pair[1] not in [one for _, one in pairs]]
    lines: dict[str, int | None] = {"raised": line}
    events = {"raised": failure.number}
    story = [f"{code(shown(world, failure))} {on(line)} puts together what does not fit."]
    given = [(name, tensor) for name, tensor in pairs if f"{name}.grad =" not in statement(world, failure)]
    if "The expanded size" in message and (written := WRITTEN.match(statement(world, failure))):
        given = [pair for pair in pairs if pair[0] not in written.group()]
    elif "attempting to assign" not in message:
        given = pairs
    found = fitting(given or pairs, message)
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
    makers = dict.fromkeys((origin(world, tensor) or tensor).place.line for _, tensor in pairs)
    return Diagnosis(
        kind="shape",
        title="Shapes that do not go together",
        message=message,
        lines=lines,
        story=tuple(story),
        events=events,
        cause=sign,
        names=named(
            target=found[0] if found else None,
            first=pairs[0][0] if pairs else None,
            makers=" ".join(map(str, makers)),
            sizes=" ".join(map(str, found[1].shape)) if found else None,
        ),
    )


def fitting(pairs: list[tuple[str, TensorState]], message: str) -> tuple[str, TensorState] | None:
    """Of the tensors that the line names, the last made whose sizes the message tells; else the last made."""
    for part, ranks in RANKS.items():
        odd = [pair for pair in pairs if part in message and len(pair[1].shape) not in ranks]
        if odd:
            return odd[-1]
    numbers = {int(number) for number in re.findall(r"\d+", message)}
    fit = [pair for pair in pairs if pair[1].shape and set(pair[1].shape) & numbers]
    return max(fit or pairs, key=lambda pair: pair[1].made, default=None)
