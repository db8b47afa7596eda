"""What was given is not what was asked for: a number for a tensor, a text for an index, a rate below 0. A table."""

from __future__ import annotations

import re

from ..diagnostics.message_rules import MessageRule, anything, empty, message_rules, several, tracked

WEIGHTS = (
    "{code} {line}{turn} goes back from {name}, and what stands in the brackets is no tensor.",
    "There belongs a tensor that says of each entry of {name} how much it counts, in the shape {shape}.",
    "`torch.ones_like` makes one in which each counts 1.",
)

message_rules(
    "misgiven",
    MessageRule(
        re.compile(
            r"(?P<what>\w+)\(\): argument '(?P<slot>\w+)' \(position (?P<at>\d+)\) must be Tensor, "
            r"not (?:torch\.return_types\.)?(?P<got>\w+)"
        ),
        cause="not_a_tensor",
        title="A tensor was asked for",
        story=(
            "{code} {line}{turn} gives `{what}` {a_got} for `{slot}`.",
            "torch's functions compute with tensors alone, and only what they compute with tensors gets a gradient.",
            "{way}",
        ),
    ),
    MessageRule(
        re.compile(
            r"unsupported operand type\(s\) for (?P<what>\S+): "
            r"(?=.*'Tensor')(?:'Tensor' and )?"
            r"'(?P<got>list|tuple|str|dict|method|builtin_function_or_method)'"
        ),
        cause="operand",
        title="A tensor and something that is none",
        story=(
            "{code} {line}{turn} puts a tensor and {a_got} on the two sides of `{what}`.",
            "Beside a tensor there may stand another tensor or a plain number.",
            "{way}",
        ),
    ),
    MessageRule(
        re.compile(r"new\(\): invalid data type '(?P<got>str)'"),
        cause="tensor_of_text",
        title="A tensor cannot hold text",
        story=(
            "{code} {line}{turn} makes a tensor of a text.",
            "Tensors hold numbers; a text of digits is a text until `float()` has read it.",
        ),
        on_line=re.compile(r"\b(?:tensor|as_tensor)\("),
    ),
    MessageRule(
        re.compile(r"new\(\): invalid data type '(?P<got>str)'"),
        cause="index_by_text",
        title="A tensor has places, not names",
        fits=anything,
        story=(
            "{code} {line}{turn} looks for a name in {name}{made}.",
            "{Name} is a tensor, whose entries have numbers for places; names are looked up in a dict.",
        ),
    ),
    MessageRule(
        re.compile(r"are valid indices \(got (?P<got>float)\)"),
        cause="index_of_float",
        title="A place is a whole number",
        fits=anything,
        story=(
            "{code} {line}{turn} asks for a place that is a number with a point, in {name}{made}.",
            "`/` gives such a number even where it comes out even; `//` divides in whole numbers.",
        ),
    ),
    MessageRule(
        re.compile(r"(?:expected a non-empty list of Tensors|expects a non-empty TensorList)"),
        cause="joined_nothing",
        title="Nothing to put together",
        story=(
            "{code} {line}{turn} is given an empty list.",
            "Of no tensors nobody can tell which shape and type the result should have, so PyTorch makes none.",
            "Ask whether there is anything in the list, and say what should happen if not.",
        ),
    ),
    MessageRule(
        re.compile(r"expected sequence of length (?P<one>\d+) at dim (?P<dim>\d+) \(got (?P<other>\d+)\)"),
        cause="ragged",
        title="Rows of different lengths",
        story=(
            "{code} {line}{turn} makes a tensor of rows that differ in length: one has {one} entries, another {other}.",
            "A tensor is a full table, with as many entries in each row.",
            "`pad_sequence` fills the short rows up; a list of tensors keeps each its length.",
        ),
    ),
    MessageRule(
        re.compile(r"betas must be either both floats or both Tensors"),
        cause="betas",
        title="A share of the past that is no float",
        story=(
            "{code} {line}{turn} gives betas that are not both floats.",
            "They are shares: how much of the past each average keeps. Adam takes two floats or two tensors, and `0` "
            "is a whole number: `0.0` is the same as a float.",
        ),
    ),
    MessageRule(
        re.compile(r"Invalid beta parameter at index (?P<at>\d): (?P<got>\S+)$"),
        cause="setting",
        title="A setting out of its range",
        story=(
            "{code} {line}{turn} sets a beta to {got}, which is out of its range.",
            "It is a share, at least 0 and below 1: how much of the past an average keeps. With all of it nothing new "
            "would ever come in.",
        ),
    ),
    MessageRule(
        re.compile(r"Invalid (?P<what>[\w ]+?)(?: value| parameter at index \d)?: (?P<got>-?[\d.e+-]+)$"),
        cause="setting",
        title="A setting out of its range",
        story=(
            "{code} {line}{turn} sets the {what} to {got}, which is out of its range.",
            "An optimizer goes against the gradient by itself: a rate below 0 would climb, so PyTorch refuses it. "
            "To climb, take the negative of the loss, or `maximize=True`.",
        ),
    ),
    MessageRule(
        re.compile(r"unsupported format string passed to Tensor.__format__"),
        cause="format_of_many",
        title="One number can be written so, not many",
        fits=several,
        story=(
            "{code} {line}{turn} asks to write a tensor as a number with so many digits.",
            "{Name}, made {where}, has the shape {shape}: several numbers, and a format is for one.",
            "`mean()` or `sum()` makes one of them; without the format the tensor is written as it is.",
        ),
    ),
    MessageRule(
        re.compile(r"'Tensor' object has no attribute '(?P<got>\w+)'"),
        cause="no_such_attribute",
        title="Tensors have no such attribute",
        fits=anything,
        story=(
            "{code} {line}{turn} asks a tensor for `{got}`.",
            "Tensors have no attribute of that name: it may be misspelt, or come from another library.",
        ),
    ),
    MessageRule(
        re.compile(r"assigned grad expected to be a Tensor or None but got grad of type (?P<got>\w+)"),
        cause="grad_of_number",
        title="A gradient is a tensor or None",
        fits=anything,
        story=(
            "{code} {line}{turn} puts {a_got} in the place of a gradient.",
            "A gradient has one entry for each entry of its tensor; None says that there is none yet, and the next "
            "backward begins afresh.",
        ),
        on_line=re.compile(r"\.grad\s*="),
    ),
    MessageRule(
        re.compile(r"'(?:float|int)' object is not iterable|gradients can be either Tensors or None, but got"),
        cause="weight_of_number",
        title="A weight for backward is a tensor",
        fits=tracked,
        story=WEIGHTS,
        on_line=re.compile(r"\bbackward\("),
    ),
    MessageRule(
        re.compile(r"'(?P<got>[A-Z]\w*)' object is not iterable"),
        cause="grad_of_module",
        title="A gradient by a module",
        story=(
            "{code} {line}{turn} asks for gradients by a `{got}`, which is a module.",
            "Gradients are taken by tensors: by those that `parameters()` lists.",
        ),
        on_line=re.compile(r"\bgrad\("),
    ),
    MessageRule(
        re.compile(r"Boolean value of Tensor with no values is ambiguous"),
        cause="truth_of_none",
        title="Yes or no was asked of an empty tensor",
        fits=empty,
        story=(
            "{code} {line}{turn} needs one yes or no.",
            "{Name}, made {where}, has the shape {shape}: there is no entry that could say either.",
            "A list is true if anything is in it; of a tensor `numel() > 0` asks that.",
        ),
    ),
)
