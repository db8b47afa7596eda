"""Rules that are rows of a table: a message of PyTorch or Python, and the story that goes with it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from string import Formatter

from gradreel.trace import events as e

from ..narration.words import code, during, on
from ..replay.states import TensorState
from ..replay.world import World
from .diagnosis import Diagnosis, Failure, known_names
from .mentions import find_mentioned, raising_code, raising_statement
from .registry import RULES, register

Fits = Callable[[TensorState], bool]


def anything(tensor: TensorState) -> bool:
    return True


def nothing(tensor: TensorState) -> bool:
    return False


def several(tensor: TensorState) -> bool:
    return any(size != 1 for size in tensor.shape)


def empty(tensor: TensorState) -> bool:
    return 0 in tensor.shape


def is_tracked(tensor: TensorState) -> bool:
    return tensor.requires_grad


@dataclass(frozen=True, slots=True)
class MessageRule:
    """For messages that `pattern` finds, on lines where `on_line` is found: the tensor it is about, and the story.

    The story's slots are the pattern's groups, and what `match_rules` adds to them.
    """

    pattern: re.Pattern[str]
    _: KW_ONLY
    cause: str
    title: str
    story: tuple[str, ...]
    fits: Fits = nothing
    on_line: re.Pattern[str] = re.compile("")
    kind: str = "other"


def message_rules(name: str, *rows: MessageRule) -> None:
    """Registers rows as a rule for errors: the first that fits is told."""

    def rule(world: World, failure: Failure) -> Diagnosis | None:
        return match_rules(rows, world, failure)

    register(RULES, name, rule)


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


def match_rules(table: tuple[MessageRule, ...], world: World, failure: Failure) -> Diagnosis | None:
    """One of `table`, with the tensor of the line that it is about, or the line that gave a name to what was given."""
    message, text = failure.raised.message, raising_statement(world, failure)
    rows = ((row, row.pattern.search(message)) for row in table if row.on_line.search(text))
    row, found = next(((row, found) for row, found in rows if found is not None), (None, None))
    if row is None or found is None:
        return None
    said = {name: part for name, part in found.groupdict().items() if part is not None}
    got = said.get("got", "")
    lines: dict[str, int | None] = {"raised": failure.raised.line}
    events = {"raised": failure.number}
    pairs = list(find_mentioned(world, text))
    pair = next((pair for pair in pairs if row.fits(pair[1])), None)
    words = {"code": code(raising_code(world, failure)), "line": on(failure.raised.line), "turn": during(world.place)}
    words |= {"name": "a tensor", "a_got": KINDS.get(got, f"a {got}"), "way": WAYS.get(got, ""), "made": "", **said}
    like = re.search(r"Did you mean: '(\w+)'", world.trace.outcome.message or "")
    words |= known_names(like=like.group(1) if like else None)
    if pair is not None:
        name, tensor = pair
        lines["built"], events["built"] = tensor.place.line, tensor.made
        words |= {"name": code(name), "Name": code(name), "where": on(tensor.place.line)}
        words["made"] = f", made {words['where']}"
        words["shape"] = str(list(tensor.shape))
    elif (first := named_first(world, failure, text, got)) is not None:
        lines["built"], events["built"] = first
    return Diagnosis(
        kind=row.kind,
        title=row.title,
        message=message,
        lines=lines,
        story=tuple(told for part in row.story if blanks(part) <= words.keys() and (told := part.format(**words))),
        events=events,
        cause=row.cause,
        names={**said, "got": got, **known_names(target=pair[0] if pair else None, like=words.get("like"))},
    )


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
