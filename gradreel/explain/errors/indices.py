"""Places and dimensions that a tensor does not have, single numbers asked of many: a table by PyTorch's messages."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from ..diagnostics.diagnosis import Diagnosis, Failure, named
from ..diagnostics.mentions import mentioned, shown, statement
from ..diagnostics.registry import rule
from ..narration.words import code, count, during, on, plural
from ..replay.graph_queries import flat
from ..replay.states import TensorState
from ..replay.world import World

Pair = tuple[str, TensorState]
Fits = Callable[[TensorState, dict[str, str]], bool]


@dataclass(frozen=True, slots=True)
class Fault:
    """For messages that `pattern` finds: the kind, the cause, a title, which tensor it is about, and the story.

    The story's slots are the pattern's groups, and what `words_for` adds to them.
    """

    pattern: re.Pattern[str]
    kind: str
    cause: str
    title: str
    fits: Fits
    story: tuple[str, ...]


def whole(tensor: TensorState, said: dict[str, str]) -> bool:
    return tensor.dtype.startswith(("int", "uint"))


def has_size(tensor: TensorState, said: dict[str, str]) -> bool:
    return int(said["size"]) in tensor.shape


def dimension(tensor: TensorState, said: dict[str, str]) -> str | None:
    """The dimension that the message means, as far as it can be told: PyTorch counts parts of the index for it."""
    if "dim" not in said or "size" not in said:
        return said.get("dim")
    dim, size = int(said["dim"]), int(said["size"])
    if len(tensor.shape) > dim and tensor.shape[dim] == size:
        return said["dim"]
    return str(tensor.shape.index(size)) if list(tensor.shape).count(size) == 1 else None


def many(tensor: TensorState, said: dict[str, str]) -> bool:
    return any(size != 1 for size in tensor.shape)


def dims_fit(tensor: TensorState, said: dict[str, str]) -> bool:
    return max(len(tensor.shape), 1) == int(said["high"]) + 1


def no_dims(tensor: TensorState, said: dict[str, str]) -> bool:
    return not tensor.shape


def of_dims(tensor: TensorState, said: dict[str, str]) -> bool:
    return len(tensor.shape) == int(said["rank"])


def no_index(tensor: TensorState, said: dict[str, str]) -> bool:
    return tensor.dtype.startswith("float")


def anything(tensor: TensorState, said: dict[str, str]) -> bool:
    return True


COUNTED = "Places are counted from 0, so the last of {many} is {last}; -1 means the last one, too."
MATCHING = "`gather` picks one entry for each place of its index, so both need the same number of dimensions."

FAULTS: tuple[Fault, ...] = (
    Fault(
        re.compile(r"index (?P<index>-?\d+) is out of bounds for dimension (?P<dim>\d+) with size (?P<size>\d+)"),
        "other",
        "past_the_end",
        "There is no such place",
        has_size,
        (
            "{code} {line}{turn} asks for place {index}{along}.",
            "{Name} has the shape {shape}: {size} places there.",
            COUNTED,
        ),
    ),
    Fault(
        re.compile(r"Target (?P<index>-?\d+) is out of bounds"),
        "other",
        "class_missing",
        "A class that has no score",
        lambda tensor, said: len(tensor.shape) >= 1 and tensor.dtype.startswith("float"),
        (
            "{code} {line}{turn} is given the class {index} as a target.",
            "{Name} has the shape {shape}, one score for each of {many} classes, which are counted from 0 to {last}.",
            "Give the last layer one output per class, or count the classes from 0.",
        ),
    ),
    Fault(
        re.compile(r"index out of range in self"),
        "other",
        "row_missing",
        "A row that the table does not have",
        lambda tensor, said: len(tensor.shape) == 2 and tensor.requires_grad,
        (
            "{code} {line}{turn} looks up rows by number, and one of the numbers is too large or negative.",
            "{Name} has the shape {shape}: {many} rows, which are counted from 0 to {last}.",
            "An embedding needs as many rows as there are different numbers, the largest one plus 1.",
        ),
    ),
    Fault(
        re.compile(
            r"Dimension out of range \(expected to be in range of \[-\d+, (?P<high>\d+)\], but got (?P<dim>-?\d+)"
        ),
        "shape",
        "dimension_missing",
        "There is no such dimension",
        dims_fit,
        (
            "{code} {line}{turn} works along dimension {dim}.",
            "{Name} has the shape {shape}: {dims}, counted from 0 to {high}.",
            "`dim=-1` means the last dimension, however many there are; `unsqueeze(0)` adds one in front.",
        ),
    ),
    Fault(
        re.compile(r"too many indices for tensor of dimension (?P<rank>\d+)"),
        "shape",
        "too_many_indices",
        "More places are named than there are dimensions",
        of_dims,
        (
            "{code} {line}{turn} names a place in more dimensions than there are.",
            "{Name} has the shape {shape}: {dims}.",
            "`unsqueeze` adds a dimension, and `...` stands for all that are not named.",
        ),
    ),
    Fault(
        re.compile(r"invalid index of a 0-dim tensor|(?:iteration over|len\(\) of) a 0-d tensor"),
        "shape",
        "no_dimensions",
        "A single number has no places",
        no_dims,
        (
            "{code} {line}{turn} treats {name} as a row of entries.",
            "{Name} is a single number, a tensor without dimensions, so there is nothing to count or to pick from.",
            "`item()` takes the number out; `reshape(1)` makes a row of one.",
        ),
    ),
    Fault(
        re.compile(
            r"a Tensor with \d+ elements cannot be converted to Scalar|only one element tensors can be converted"
            r"|only integer tensors of a single element can be converted"
        ),
        "other",
        "one_of_many",
        "One number was asked of many",
        many,
        (
            "{code} {line}{turn} asks for one plain number.",
            "{Name} has the shape {shape}: {entries}, and which of them is meant, or whether their sum is, only you "
            "can say.",
            "`mean()` or `sum()` makes one of them; `tolist()` gives them all.",
        ),
    ),
    Fault(
        re.compile(r"Boolean value of Tensor with more than one value is ambiguous"),
        "other",
        "truth_of_many",
        "Yes or no was asked of many",
        many,
        (
            "{code} {line}{turn} needs one yes or no.",
            "{Name} has the shape {shape}, so a comparison with it gives {entries}: some may say yes and others no.",
            "`all()` asks if every entry says yes, `any()` if one of them does; `torch.where` decides entry by entry.",
        ),
    ),
    Fault(
        re.compile(
            r"Expected dtype int32(?:/| or )int64 for index|only applicable to index tensor"
            r"|tensors used as indices must be long|(?<!tuple )indices must be"
        ),
        "dtype",
        "index_type",
        "Places are whole numbers",
        no_index,
        (
            "{code} {line}{turn} uses numbers with a point as places.",
            "{Name}, made {where}, is of {dtype}; places are counted in whole numbers.",
            "`.long()` makes whole numbers of them.",
        ),
    ),
    Fault(
        re.compile(r"Class values must be smaller than num_classes"),
        "other",
        "classes_beyond",
        "A class beyond the last",
        whole,
        (
            "{code} {line}{turn} makes a column for each class, and one of the classes in {name} has none.",
            "Classes are counted from 0, so there must be as many as the largest one plus 1.",
        ),
    ),
    Fault(
        re.compile(r"Index tensor must have the same number of dimensions as input"),
        "shape",
        "index_shape",
        "The index has another number of dimensions",
        whole,
        (
            "{code} {line}{turn} picks by {name}, which has the shape {shape}.",
            MATCHING,
            "`unsqueeze(1)` makes a column of it.",
        ),
    ),
    Fault(
        re.compile(r"selected index k out of range"),
        "other",
        "too_few",
        "More entries are asked for than there are",
        anything,
        (
            "{code} {line}{turn} asks for more entries than there are.",
            "{Name} has the shape {shape}, and the largest k entries are taken along one dimension: k is at most its "
            "size.",
        ),
    ),
)


@rule
def place_missing(world: World, failure: Failure) -> Diagnosis | None:
    """One of FAULTS, with the tensor of the line that it is about."""
    message = failure.raised.message
    pairs = ((fault, fault.pattern.search(message)) for fault in FAULTS)
    fault, found = next(((fault, found) for fault, found in pairs if found is not None), (None, None))
    if fault is None or found is None:
        return None
    said = found.groupdict()
    pair = about(world, failure, fault, said)
    lines: dict[str, int | None] = {"raised": failure.raised.line}
    events = {"raised": failure.number}
    words = words_for(world, failure, pair, said)
    if pair is not None:
        lines["built"], events["built"] = pair[1].place.line, pair[1].made
    return Diagnosis(
        kind=fault.kind,
        title=fault.title,
        message=message,
        lines=lines,
        story=tuple(
            sentence.format(**words) for sentence in fault.story if pair is not None or "{Name}" not in sentence
        ),
        nodes=() if pair is None or pair[1].node is None else (pair[1].node,),
        events=events,
        cause=fault.cause,
        names=named(
            target=pair[0] if pair else None,
            index=said.get("index"),
            dim=dimension(pair[1], said) if pair else said.get("dim"),
            size=words["many"],
            most=largest(world, failure),
        ),
    )


def about(world: World, failure: Failure, fault: Fault, said: dict[str, str]) -> Pair | None:
    """The tensor that the line names and the message fits; else the last made that it fits, else one of the line."""
    pairs = list(mentioned(world, statement(world, failure)))
    fitting = [pair for pair in pairs if fault.fits(pair[1], said)]
    if fitting:
        return fitting[-1 if fault.cause == "index_type" else 0]
    loose = [tensor for tensor in world.tensors.values() if tensor.called and fault.fits(tensor, said)]
    return (loose[-1].called or "", loose[-1]) if loose else pairs[0] if pairs else None


def largest(world: World, failure: Failure) -> str | None:
    """The largest whole number in the tensors that the line names, else in the last made."""
    found = [tensor for _, tensor in mentioned(world, statement(world, failure)) if tensor.dtype.startswith("int")]
    if not found:
        found = [tensor for tensor in world.tensors.values() if tensor.dtype.startswith("int")][-1:]
    numbers = [int(number) for tensor in found if tensor.value is not None for number in flat(tensor.value.data)]
    return str(max(numbers)) if numbers else None


def words_for(world: World, failure: Failure, pair: Pair | None, said: dict[str, str]) -> dict[str, str]:
    """What the slots of a story are filled with."""
    words = {
        **said,
        "code": code(shown(world, failure)),
        "line": on(failure.raised.line),
        "along": f" along dimension {said['dim']}" if "dim" in said else "",
        "turn": during(world.place),
        "name": "a tensor",
        "many": said.get("size") or "",
        "last": "",
    }
    if pair is None:
        return words
    name, tensor = pair
    along = dimension(tensor, said)
    size = int(words["many"] or (tensor.shape[-1] if "Target" in failure.raised.message else (tensor.shape or (1,))[0]))
    entries = 1
    for length in tensor.shape:
        entries *= length
    return words | {
        "name": code(name),
        "Name": code(name),
        "along": "" if along is None else f" along dimension {along}",
        "where": on(tensor.place.line),
        "shape": str(list(tensor.shape)),
        "dtype": tensor.dtype,
        "dims": plural(len(tensor.shape), "dimension"),
        "entries": "one entry" if entries == 1 else f"{count(entries)} entries",
        "many": str(size),
        "last": str(size - 1),
    }
