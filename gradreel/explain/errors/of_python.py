"""Errors of Python itself, on values that are no tensors: places in lists, keys, parts to unpack, types. A table."""

from __future__ import annotations

import re

from ..diagnostics.diagnosis import Diagnosis, Failure
from ..diagnostics.mentions import mentioned, statement
from ..diagnostics.message_rules import MessageRule, match_rules
from ..diagnostics.registry import rule
from ..narration.words import code, listed, on
from ..replay.world import World

WHOLE = (
    "{code} {line}{turn} needs a whole number, and is given one with a point.",
    "`/` gives a number with a point even where it comes out even, as 64 / 2 gives 32.0. `//` divides in whole "
    "numbers, and `int()` leaves out what is behind the point.",
)

TABLE: tuple[MessageRule, ...] = (
    MessageRule(
        re.compile(r"^(?:(?P<got>list|tuple|string) index out of range|pop from empty list)$"),
        cause="list_end",
        title="The list has no such place",
        story=(
            "{code} {line}{turn} asks for a place that is not there.",
            "Places are counted from 0, so the last of three is 2; -1 means the last one, however many there are.",
            "In a loop, the number of turns must go by the list that is asked: `range(len(...))` of that one.",
        ),
    ),
    MessageRule(
        re.compile(
            r"^(?:float |integer )?(?:division|modulo|division or modulo|floor division)(?: or modulo)? by zero$"
        ),
        cause="by_zero",
        title="Plain numbers cannot be divided by 0",
        story=(
            "{code} {line}{turn} divides by 0.",
            "It is mostly a count of what never came: an empty list, or a loop that made no turn.",
            "Tensors would give inf or NaN here; Python's own numbers raise.",
        ),
    ),
    MessageRule(
        re.compile(r"^not enough values to unpack \(expected (?P<want>\d+), got (?P<has>\d+)\)$"),
        cause="too_few_parts",
        title="More names than parts",
        story=(
            "{code} {line}{turn} has {want} names for what comes in {has}.",
            "A name takes one part; a part that is a tuple itself, as the state (h, c) of an LSTM, takes names in "
            "brackets: `out, (h, c)`.",
        ),
    ),
    MessageRule(
        re.compile(r"^too many values to unpack \(expected (?P<want>\d+)"),
        cause="too_many_parts",
        title="More parts than names",
        story=(
            "{code} {line}{turn} has {want} names, and there come more parts than that.",
            "A tensor comes apart along its first dimension, a list in its entries; `*_` takes what is left over.",
        ),
    ),
    MessageRule(
        re.compile(r'^can only concatenate str \(not "(?P<got>[\w.]+)"\) to str$'),
        cause="text_plus",
        title="A text and something that is none",
        story=(
            "{code} {line}{turn} puts a text and {a_got} together with `+`.",
            "Beside a text `+` takes texts alone; `str()` makes one of anything, and so does an f-string.",
        ),
    ),
    MessageRule(
        re.compile(r'^can only concatenate list \(not "(?P<got>[\w.]+)"\) to list$'),
        cause="list_plus",
        title="A list and something that is none",
        story=(
            "{code} {line}{turn} puts a list and {a_got} together with `+`, which beside a list takes lists alone.",
            "`[...]` makes a list of one, and `append` puts one thing at the end.",
        ),
    ),
    MessageRule(
        re.compile(r"^unsupported operand type\(s\) for \+: 'generator' and 'generator'$"),
        cause="generators",
        title="Two generators cannot be added",
        story=(
            "{code} {line}{turn} adds what `parameters()` gives, which is no list: it gives its parts one by one.",
            "`[*one.parameters(), *two.parameters()]` is a list of both.",
        ),
    ),
    MessageRule(
        re.compile(r"^unsupported operand type\(s\) for (?P<what>\S+): 'list' and '(?P<got>list|float|int)'$"),
        cause="list_of_numbers",
        title="Lists do not compute",
        story=(
            "{code} {line}{turn} computes with a list as if it were a tensor.",
            "A list only holds things; `torch.tensor` makes numbers of it that can be computed with, entry by entry.",
        ),
    ),
    MessageRule(
        re.compile(r"^'float' object cannot be interpreted as an integer$"),
        cause="whole_number",
        title="A whole number was asked for",
        story=WHOLE,
    ),
    MessageRule(
        re.compile(
            r"^(?:randn|rand|zeros|ones|empty|full|randint|view|reshape|expand|repeat)\(\)"
            r".*(?:but found element of type|got |\(|, )float\b"
        ),
        cause="whole_number",
        title="A size is a whole number",
        story=WHOLE,
    ),
    MessageRule(
        re.compile(r"^'NoneType' object has no attribute '(?P<what>\w+)'$"),
        cause="list_lost",
        title="What a list was told to do gives None",
        story=(
            "{code} {line}{turn} gives the name of the list to what `{what}` gave, and that is None.",
            "`append` and its kind change the list itself and give nothing back: from the second time on there is no "
            "list any more.",
        ),
        on_line=re.compile(r"^(\w+) = \1\.(?:append|extend|insert|sort|reverse|update|add)\("),
    ),
    MessageRule(
        re.compile(r"^(?P<what>max|min)\(\) (?:arg is an empty sequence|iterable argument is empty)$"),
        cause="most_of_nothing",
        title="Of nothing there is no largest and no smallest",
        story=(
            "{code} {line}{turn} asks for the `{what}` of something in which there is nothing.",
            "Ask first whether there is anything in it, or say with `default=` what to give if not.",
        ),
    ),
    MessageRule(
        re.compile(r"^invalid literal for int\(\) with base 10: (?P<got>.*)$"),
        cause="int_of_text",
        title="No whole number stands in the text",
        story=(
            "{code} {line}{turn} reads a whole number out of a text in which there is none.",
            "`int()` reads digits alone; a number with a point is read by `float()`.",
        ),
    ),
    MessageRule(
        re.compile(r"^'(?P<got>[\w.]+)' object is not callable$"),
        cause="not_a_function",
        title="What is called is no function",
        story=(
            "{code} {line}{turn} puts brackets behind something of type `{got}`, which Python takes for a call.",
            "Places are asked for in square brackets, and a product needs its `*`. A name that was given to something "
            "else, as `sum` or `max`, stands for that from then on.",
        ),
    ),
    MessageRule(
        re.compile(r"^'(?P<got>builtin_function_or_method|method|function)' object is not subscriptable$"),
        cause="method_places",
        title="A method has no places",
        story=(
            "{code} {line}{turn} asks a method for a place, not what it gives.",
            "Round brackets call it: `size(0)`; `shape[0]` is the same without a call.",
        ),
    ),
    MessageRule(
        re.compile(r"^'DataLoader' object is not subscriptable$"),
        cause="loader_places",
        title="A loader has no places",
        story=(
            "{code} {line}{turn} asks a loader for one of its batches by number.",
            "A loader hands out its batches one after another: `for batch in loader`, or `next(iter(loader))` for one. "
            "Its data set has places.",
        ),
    ),
    MessageRule(
        re.compile(r"^'type' object does not support the context manager protocol$"),
        cause="with_class",
        title="A class stands where `with` needs what it makes",
        story=(
            "{code} {line}{turn} gives `with` a class.",
            "Brackets make one of its kind: `torch.no_grad()`.",
        ),
    ),
    MessageRule(
        re.compile(r"^cannot access local variable '(?P<got>\w+)' where it is not associated with a value$"),
        cause="not_yet_local",
        title="A name of the function that stands for nothing yet",
        story=(
            "{code} {line}{turn} reads `{got}`, and no line of this function has given it a value so far.",
            "A name to which a function gives a value is its own in all of its lines, even where the program "
            "has that name outside.",
            "`global {got}` says that the outer one is meant; else give it a value first, on every way there.",
        ),
    ),
    MessageRule(
        re.compile(r"^'(?P<got>bool)' object has no attribute '(?P<what>backward|sum|grad|mean)'$"),
        cause="flag_read",
        title="The flag was read, not set",
        story=(
            "{code} {line}{turn} asks yes or no for `{what}`, as if it were a tensor.",
            "`x.requires_grad` tells whether `x` wants a gradient; `x.requires_grad_()` says that it does, and gives "
            "`x` back.",
        ),
    ),
)


@rule
def of_python(world: World, failure: Failure) -> Diagnosis | None:
    """One of TABLE; else what the program raised itself."""
    return match_rules(TABLE, world, failure) or own_check(world, failure)


def own_check(world: World, failure: Failure) -> Diagnosis | None:
    """A `raise` or an `assert` of the program: what it says, and what its names stand for."""
    text = statement(world, failure)
    word = next((word for word in ("raise", "assert") if re.match(rf"{word}\b", text)), None)
    if word is None:
        return None
    test = f": {code(text.removeprefix('assert ').partition(',')[0])} does not hold" if word == "assert" else ""
    story = [f"**Line {failure.raised.line}** is the program's own check{test}; PyTorch has nothing against it."]
    pairs = list(mentioned(world, text))[:3]
    if word == "raise" and not pairs:  # its message says all
        return None
    if pairs:
        shapes = [
            f"{code(name)}, made {on(tensor.place.line)}, has the shape {list(tensor.shape)}" for name, tensor in pairs
        ]
        story.append(f"{listed(shapes)}.")
    lines: dict[str, int | None] = {"raised": failure.raised.line}
    events = {"raised": failure.number}
    if pairs:
        lines["built"], events["built"] = pairs[0][1].place.line, pairs[0][1].made
    return Diagnosis(
        title="The program raised this itself",
        message=failure.raised.message,
        lines=lines,
        story=tuple(story),
        events=events,
        cause="own_check",
    )
