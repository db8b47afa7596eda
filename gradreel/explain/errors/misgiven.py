"""What was given is not what was asked for: a number for a tensor, a text for an index, a rate below 0. A table."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from string import Formatter

from gradreel.trace import events as e

from ..diagnostics.diagnosis import Diagnosis, Failure, named
from ..diagnostics.mentions import mentioned, shown, statement
from ..narration.words import code, during, on
from ..replay.states import TensorState
from ..replay.world import World

Fits = Callable[[TensorState], bool]


@dataclass(frozen=True, slots=True)
class Misgiven:
    """For messages that `pattern` finds, on lines where `on_line` is found: the tensor it is about, and the story.

    The story's slots are the pattern's groups, and what `misgiven` adds to them.
    """

    pattern: re.Pattern[str]
    cause: str
    title: str
    fits: Fits
    story: tuple[str, ...]
    on_line: re.Pattern[str] = re.compile("")
    kind: str = "other"


def anything(tensor: TensorState) -> bool:
    return True


def nothing(tensor: TensorState) -> bool:
    return False


def several(tensor: TensorState) -> bool:
    return any(size != 1 for size in tensor.shape)


def empty(tensor: TensorState) -> bool:
    return 0 in tensor.shape


def tracked(tensor: TensorState) -> bool:
    return tensor.requires_grad


WEIGHTS = (
    "{code} {line}{turn} goes back from {name}, and what stands in the brackets is no tensor.",
    "There belongs a tensor that says of each entry of {name} how much it counts, in the shape {shape}.",
    "`torch.ones_like` makes one in which each counts 1.",
)

TABLE: tuple[Misgiven, ...] = (
    Misgiven(
        re.compile(
            r"(?P<what>\w+)\(\): argument '(?P<slot>\w+)' \(position (?P<at>\d+)\) must be Tensor, "
            r"not (?:torch\.return_types\.)?(?P<got>\w+)"
        ),
        "not_a_tensor",
        "A tensor was asked for",
        nothing,
        (
            "{code} {line}{turn} gives `{what}` {a_got} for `{slot}`.",
            "torch's functions compute with tensors alone, and only what they compute with tensors gets a gradient.",
            "{way}",
        ),
    ),
    Misgiven(
        re.compile(
            r"unsupported operand type\(s\) for (?P<what>\S+): "
            r"(?=.*'Tensor')(?:'Tensor' and )?"
            r"'(?P<got>list|tuple|str|dict|method|builtin_function_or_method)'"
        ),
        "operand",
        "A tensor and something that is none",
        nothing,
        (
            "{code} {line}{turn} puts a tensor and {a_got} on the two sides of `{what}`.",
            "Beside a tensor there may stand another tensor or a plain number.",
            "{way}",
        ),
    ),
    Misgiven(
        re.compile(r"new\(\): invalid data type '(?P<got>str)'"),
        "tensor_of_text",
        "A tensor cannot hold text",
        nothing,
        (
            "{code} {line}{turn} makes a tensor of a text.",
            "Tensors hold numbers; a text of digits is a text until `float()` has read it.",
        ),
        re.compile(r"\b(?:tensor|as_tensor)\("),
    ),
    Misgiven(
        re.compile(r"new\(\): invalid data type '(?P<got>str)'"),
        "index_by_text",
        "A tensor has places, not names",
        anything,
        (
            "{code} {line}{turn} looks for a name in {name}{made}.",
            "{Name} is a tensor, whose entries have numbers for places; names are looked up in a dict.",
        ),
    ),
    Misgiven(
        re.compile(r"are valid indices \(got (?P<got>float)\)"),
        "index_of_float",
        "A place is a whole number",
        anything,
        (
            "{code} {line}{turn} asks for a place that is a number with a point, in {name}{made}.",
            "`/` gives such a number even where it comes out even; `//` divides in whole numbers.",
        ),
    ),
    Misgiven(
        re.compile(r"(?:expected a non-empty list of Tensors|expects a non-empty TensorList)"),
        "joined_nothing",
        "Nothing to put together",
        nothing,
        (
            "{code} {line}{turn} is given an empty list.",
            "Of no tensors nobody can tell which shape and type the result should have, so PyTorch makes none.",
            "Ask whether there is anything in the list, and say what should happen if not.",
        ),
    ),
    Misgiven(
        re.compile(r"expected sequence of length (?P<one>\d+) at dim (?P<dim>\d+) \(got (?P<other>\d+)\)"),
        "ragged",
        "Rows of different lengths",
        nothing,
        (
            "{code} {line}{turn} makes a tensor of rows that differ in length: one has {one} entries, another {other}.",
            "A tensor is a full table, with as many entries in each row.",
            "`pad_sequence` fills the short rows up; a list of tensors keeps each its length.",
        ),
    ),
    Misgiven(
        re.compile(r"betas must be either both floats or both Tensors"),
        "betas",
        "A share of the past that is no float",
        nothing,
        (
            "{code} {line}{turn} gives betas that are not both floats.",
            "They are shares: how much of the past each average keeps. Adam takes two floats or two tensors, and `0` "
            "is a whole number: `0.0` is the same as a float.",
        ),
    ),
    Misgiven(
        re.compile(r"Invalid beta parameter at index (?P<at>\d): (?P<got>\S+)$"),
        "setting",
        "A setting out of its range",
        nothing,
        (
            "{code} {line}{turn} sets a beta to {got}, which is out of its range.",
            "It is a share, at least 0 and below 1: how much of the past an average keeps. With all of it nothing new "
            "would ever come in.",
        ),
    ),
    Misgiven(
        re.compile(r"Invalid (?P<what>[\w ]+?)(?: value| parameter at index \d)?: (?P<got>-?[\d.e+-]+)$"),
        "setting",
        "A setting out of its range",
        nothing,
        (
            "{code} {line}{turn} sets the {what} to {got}, which is out of its range.",
            "An optimizer goes against the gradient by itself: a rate below 0 would climb, so PyTorch refuses it. "
            "To climb, take the negative of the loss, or `maximize=True`.",
        ),
    ),
    Misgiven(
        re.compile(r"unsupported format string passed to Tensor.__format__"),
        "format_of_many",
        "One number can be written so, not many",
        several,
        (
            "{code} {line}{turn} asks to write a tensor as a number with so many digits.",
            "{Name}, made {where}, has the shape {shape}: several numbers, and a format is for one.",
            "`mean()` or `sum()` makes one of them; without the format the tensor is written as it is.",
        ),
    ),
    Misgiven(
        re.compile(r"'Tensor' object has no attribute '(?P<got>\w+)'"),
        "no_such_attribute",
        "Tensors have no such attribute",
        anything,
        (
            "{code} {line}{turn} asks a tensor for `{got}`.",
            "Tensors have no attribute of that name: it may be misspelt, or come from another library.",
        ),
    ),
    Misgiven(
        re.compile(r"assigned grad expected to be a Tensor or None but got grad of type (?P<got>\w+)"),
        "grad_of_number",
        "A gradient is a tensor or None",
        anything,
        (
            "{code} {line}{turn} puts {a_got} in the place of a gradient.",
            "A gradient has one entry for each entry of its tensor; None says that there is none yet, and the next "
            "backward begins afresh.",
        ),
        re.compile(r"\.grad\s*="),
    ),
    Misgiven(
        re.compile(r"'(?:float|int)' object is not iterable|gradients can be either Tensors or None, but got"),
        "weight_of_number",
        "A weight for backward is a tensor",
        tracked,
        WEIGHTS,
        re.compile(r"\bbackward\("),
    ),
    Misgiven(
        re.compile(r"'(?P<got>[A-Z]\w*)' object is not iterable"),
        "grad_of_module",
        "A gradient by a module",
        nothing,
        (
            "{code} {line}{turn} asks for gradients by a `{got}`, which is a module.",
            "Gradients are taken by tensors: by those that `parameters()` lists.",
        ),
        re.compile(r"\bgrad\("),
    ),
    Misgiven(
        re.compile(r"Boolean value of Tensor with no values is ambiguous"),
        "truth_of_none",
        "Yes or no was asked of an empty tensor",
        empty,
        (
            "{code} {line}{turn} needs one yes or no.",
            "{Name}, made {where}, has the shape {shape}: there is no entry that could say either.",
            "A list is true if anything is in it; of a tensor `numel() > 0` asks that.",
        ),
    ),
)

METHODS = ("method", "builtin_function_or_method")
"""What Python calls a method that was not called: one written in Python, and one in C."""
KINDS = {
    "str": "a text",
    "list": "a list",
    "tuple": "a tuple",
    "float": "a plain number",
    "int": "a plain number",
    "NoneType": "None",
}
PAIRS = ("max", "min", "sort", "topk", "median", "mode", "kthvalue", "cummax", "cummin")
"""What gives its values and the places where they stood, as a pair."""
KINDS |= dict.fromkeys(PAIRS, "a pair of values and places")
KINDS |= dict.fromkeys(METHODS, "a method, not what it gives,")
WAYS = dict.fromkeys(METHODS, "Brackets call it: `x.t()`.") | {
    "list": "`torch.stack` makes one tensor of a list of tensors and keeps the graph of each; `torch.tensor` makes one "
    "of a list of numbers.",
    "str": "A number in quotes is a text: `float()` reads it. To print a tensor with words, use an f-string.",
    "float": "For plain numbers there is `math`, or `torch.tensor` around the number.",
}
WAYS |= dict.fromkeys(
    PAIRS, "Along a dimension there are two results, the values and their places: `.values` and `.indices`."
)
WAYS |= {
    "int": WAYS["float"],
    "tuple": "A recurrent layer gives a tuple: its output first, then its last state. `torch.stack` makes one tensor "
    "of a tuple of tensors.",
}


def misgiven(world: World, failure: Failure) -> Diagnosis | None:
    """One of TABLE."""
    return told_by(TABLE, world, failure)


def told_by(table: tuple[Misgiven, ...], world: World, failure: Failure) -> Diagnosis | None:
    """One of `table`, with the tensor of the line that it is about, or the line that gave a name to what was given."""
    message, text = failure.raised.message, statement(world, failure)
    rows = ((row, row.pattern.search(message)) for row in table if row.on_line.search(text))
    row, found = next(((row, found) for row, found in rows if found is not None), (None, None))
    if row is None or found is None:
        return None
    said = {name: part for name, part in found.groupdict().items() if part is not None}
    got = said.get("got", "")
    lines: dict[str, int | None] = {"raised": failure.raised.line}
    events = {"raised": failure.number}
    pairs = list(mentioned(world, text))
    pair = next((pair for pair in pairs if row.fits(pair[1])), None)
    words = {"code": code(shown(world, failure)), "line": on(failure.raised.line), "turn": during(world.place)}
    words |= {"name": "a tensor", "a_got": KINDS.get(got, f"a {got}"), "way": WAYS.get(got, ""), "made": "", **said}
    like = re.search(r"Did you mean: '(\w+)'", world.trace.outcome.message or "")
    words |= named(like=like.group(1) if like else None)
    if pair is not None:
        name, tensor = pair
        lines["built"], events["built"] = tensor.place.line, tensor.made
        words |= {"name": code(name), "Name": code(name), "where": on(tensor.place.line)}
        words["made"] = f", made {words['where']}"
        words["shape"] = str(list(tensor.shape))
    elif (first := named_first(world, failure, text, got)) is not None:
        lines["built"], events["built"] = first
    story = tuple(told for part in row.story if blanks(part) <= words.keys() and (told := part.format(**words)))
    names = {**said, "got": got, **named(target=pair[0] if pair else None, like=words.get("like"))}
    return Diagnosis(row.kind, row.title, message, lines, story, (), events, row.cause, names)


def blanks(part: str) -> set[str]:
    """The names of what is to be put into `part`: it is left out where one is not known."""
    return {name for _, name, _, _ in Formatter().parse(part) if name}


PLAIN = {"str": "'", "list": "list of", "tuple": "tuple of", "float": "", "int": ""}


def named_first(world: World, failure: Failure, text: str, got: str) -> tuple[int, int] | None:
    """Where what was given first got a name: the line and event of the first name bound to what a name of the
    raising line stood for, if that is of the kind that was refused."""
    begin = PLAIN.get(got)
    if not begin:
        return None
    words = set(re.findall(r"[A-Za-z_]\w*", text))
    line = 0
    first: dict[str, tuple[int, int]] = {}
    last: e.NameBound | None = None
    for number, event in enumerate(world.trace.events[: failure.number]):
        if isinstance(event, e.LineReached):
            line = event.line
        if isinstance(event, e.NameBound) and event.tensor is None and event.text.startswith(begin):
            first.setdefault(event.text, (line, number))
            last = event if event.name in words else last
    return first[last.text] if last is not None else None
