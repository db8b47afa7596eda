"""What was given is not what was asked for: a number for a tensor, a text for an index, a rate below 0. A table."""

from __future__ import annotations

import re

from ..diagnostics.diagnosis import Diagnosis, Failure
from ..diagnostics.message_rules import Misgiven, anything, empty, nothing, several, told_by, tracked
from ..diagnostics.registry import rule
from ..replay.world import World

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


@rule
def misgiven(world: World, failure: Failure) -> Diagnosis | None:
    """One of TABLE."""
    return told_by(TABLE, world, failure)
