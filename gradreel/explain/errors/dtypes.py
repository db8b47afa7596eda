"""Types of numbers: whole ones have no gradient, and operands of two types do not go together."""

from __future__ import annotations

import re

from ..diagnostics.diagnosis import Diagnosis, Failure, named
from ..diagnostics.mentions import mentioned, shown, statement
from ..diagnostics.registry import rule
from ..narration.words import code, name_of, on
from ..replay.graph_queries import ancestors, origin
from ..replay.states import TensorState
from ..replay.world import World

FLAGGED = ("only Tensors of floating point", "Only Tensors of floating point")
SIGNS = (
    "to have the same dtype",
    "to have same dtype",
    "Found dtype",
    "expected scalar type",
    "expected target dtype",
    "can't be cast to the desired output type",
    "could not infer output dtype",
    "not implemented for 'Long'",
    "not implemented for 'Int'",
    "with dtype",
    "must have the same dtype",
    "to be equal to src.dtype",
    "one of the following scalar types",
    "floating point type for target with class probabilities",
)
EXPECTED = re.compile(r"expected (?:scalar type|target dtype to be) (?P<wanted>\w+).* but (?:found|got) (?P<got>\w+)")
TYPES = {"Long": "int64", "Int": "int32", "Byte": "uint8", "Float": "float32", "Double": "float64", "Half": "float16"}
"""What messages call a type, and what programs do."""
FLAG_STORY = (
    "A gradient says what a small change does, and whole numbers cannot change by a little.",
    "Make it of floating point numbers, with `.float()` or by writing `1.` for `1`.",
)


@rule
def dtype_mixed(world: World, failure: Failure) -> Diagnosis | None:
    message = failure.raised.message
    if message.startswith(FLAGGED):
        return flagged(world, failure)
    if not any(sign in message for sign in SIGNS):
        return None
    line = failure.raised.line
    pairs = list(mentioned(world, statement(world, failure)))
    odd = oddest(pairs, "desired output type" in message)
    lines: dict[str, int | None] = {"raised": line}
    events = {"raised": failure.number}
    what = code(shown(world, failure))
    expected = EXPECTED.search(message)
    story = [f"{what} {on(line)} takes numbers of two types together, or of one it cannot take."]
    if expected is not None:
        wanted, got = (TYPES.get(expected[part], expected[part]) for part in ("wanted", "got"))
        story = [f"{what} {on(line)} asks for numbers of type {wanted}, and is given {got}."]
    if "class probabilities" in message:
        story.append(
            "A target in the shape of the scores says how likely each class is, in numbers with a point. "
            "The number of the class alone, `argmax(1)` of a row of 0 and 1, is a whole one."
        )
    if "target dtype" in message:
        story.append("The targets of this loss are the numbers of classes, and those are whole.")
    if odd is not None:
        base = before_loop(world, origin(world, odd[1]) or odd[1])
        lines["built"], events["built"] = base.place.line, base.made
        kinds = [f"{code(name)} (made {on(tensor.place.line)}) is of {tensor.dtype}" for name, tensor in pairs[:3]]
        story.append("; ".join(kinds) + ".")
    whole = "scalar types: Long" in message or expected is not None and expected["wanted"] == "Long"
    ways = "`.long()`" if whole else "`.float()`"
    story.append(f"PyTorch does not convert them by itself here: convert one of them, with {ways} or `.to(...)`.")
    return Diagnosis(
        kind="dtype",
        title="Types of numbers that do not go together",
        message=message,
        lines=lines,
        story=tuple(story),
        events=events,
        cause="mixed",
        names=named(target=odd[0] if odd else None),
    )


def before_loop(world: World, tensor: TensorState) -> TensorState:
    """What a batch is made of, where a loop over a loader made it: the data of its type that has a name."""
    if not world.source.loop_names(tensor.place.line):
        return tensor
    of_type = [state for state in ancestors(world, tensor) if state.dtype == tensor.dtype and state.called]
    outside = [state for state in of_type if state.place.line != tensor.place.line]
    return (origin(world, outside[0]) or outside[0]) if outside else tensor


def oddest(pairs: list[tuple[str, TensorState]], written: bool) -> tuple[str, TensorState] | None:
    """Of what the line names, the last tensor that is not float32, or (`written`) the first, which is written into;
    else the last."""
    odd = [pair for pair in pairs if pair[1].dtype != "float32"]
    return odd[0 if written else -1] if odd else pairs[-1] if pairs else None


def flagged(world: World, failure: Failure) -> Diagnosis:
    """A gradient was wanted for whole numbers."""
    message, line = failure.raised.message, failure.raised.line
    text = statement(world, failure)
    whole = [
        (name, tensor) for name, tensor in mentioned(world, text) if not tensor.dtype.startswith(("float", "complex"))
    ]
    lines: dict[str, int | None] = {"raised": line}
    events = {"raised": failure.number}
    if whole and (not message.startswith("Only") or "Parameter(" in text):
        name, tensor = whole[0]
        base = origin(world, tensor) or tensor
        lines["built"], events["built"] = base.place.line, base.made
        first = f"{code(name)}, whose numbers were made {on(base.place.line)}, is of type {tensor.dtype}."
        names = named(target=name, whole=name_of(world, base))
    else:
        first, names = f"The tensor of line {line} would be of whole numbers or truth values.", {}
    return Diagnosis(
        kind="dtype",
        title="Whole numbers have no gradient",
        message=message,
        lines=lines,
        story=(first, *FLAG_STORY),
        events=events,
        cause="whole_numbers",
        names=names,
    )
