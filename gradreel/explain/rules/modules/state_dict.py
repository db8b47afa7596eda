"""A state dict that does not fit the module that is to load it: other names, other sizes, or no state dict."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from ...diagnostics.diagnosis import Diagnosis, Failure, known_names
from ...diagnostics.mentions import raising_code
from ...diagnostics.registry import rule
from ...fixes.edits import in_brackets, set_keyword
from ...fixes.proposal import FREE, FixContext, Proposal
from ...fixes.registry import fix
from ...narration.words import code, listing, on
from ...replay.world import World

LOADING = "Error(s) in loading state_dict for "
KEYS = re.compile(r"(Missing|Unexpected) key\(s\) in state_dict: (.*)\. ?$", re.MULTILINE)
KEY = re.compile(r'"([^"]*)"')
SIZES = re.compile(
    r"size mismatch for (?P<key>\S+): copying a param with shape torch\.Size\((?P<there>\[.*?\])\) from checkpoint, "
    r"the shape in current model is torch\.Size\((?P<here>\[.*?\])\)"
)
NO_STATE = "Expected state_dict to be dict-like"
STRICT = "PyTorch asks for exactly the names that the module has, unless `strict=False` is said."


@rule
def state_refused(world: World, failure: Failure) -> Diagnosis | None:
    message = failure.raised.message
    what = f"{code(raising_code(world, failure))} {on(failure.raised.line)}"
    if message.startswith(NO_STATE):
        story: tuple[str, ...] = (
            f"{what} gives something that is no state dict.",
            "A state dict has a tensor for each name, as `net.fc.weight`; `state_dict()` of a module makes one, and "
            "`parameters()` has no names.",
        )
        return state_diagnosis(failure, "no_state", "A state dict was asked for", story)
    if not message.startswith(LOADING):
        return None
    keys = {kind: KEY.findall(names) for kind, names in KEYS.findall(message)}
    missing, unexpected = keys.get("Missing", []), keys.get("Unexpected", [])
    sizes = SIZES.search(message)
    if sizes is not None:
        story = (
            f"{what} brings {code(sizes['key'])} in the shape {sizes['there']}, and the module has it in the shape "
            f"{sizes['here']}.",
            "The numbers were saved from a module that was built with other sizes; `strict=False` forgives other "
            "names, not other shapes.",
            "What has another shape can be left out: it keeps the numbers it began with, and has to learn.",
        )
        return state_diagnosis(failure, "state_sizes", "Weights of another size", story)
    if (ahead := prefix(missing, unexpected)) or (behind := prefix(unexpected, missing)):
        words = known_names(ahead=ahead or None, behind=None if ahead else behind)
        story = (
            f"{what} brings the names that the module has, but each of them "
            + (f"begins with {code(ahead)}." if ahead else f"lacks the {code(behind)} that it begins with here."),
            "A name says where in the modules a tensor stands. What was wrapped when it was saved, in `DataParallel` "
            "or as a part of another module, has one step more.",
        )
        return state_diagnosis(failure, "state_prefix", "The same weights under longer names", story, words)
    parts: list[str] = []
    if missing:
        parts.append(f"{listing([code(key) for key in missing[:3]])} {'is' if len(missing) == 1 else 'are'} missing")
    if unexpected:
        verb = "is" if len(unexpected) == 1 else "are"
        parts.append(f"{listing([code(key) for key in unexpected[:3]])} {verb} not in the module")
    told_so = [f"{what} brings other names than the module has: {'; '.join(parts)}.", STRICT]
    if missing and unexpected:
        told_so.append("A checkpoint of several things has the state dict of the module under a name of its own.")
    return state_diagnosis(
        failure, "state_keys", "A state dict of another module", told_so, known_names(keys="\n".join(unexpected))
    )


def state_diagnosis(
    failure: Failure, cause: str, title: str, story: Sequence[str], names: dict[str, str] | None = None
) -> Diagnosis:
    return Diagnosis(
        title=title,
        message=failure.raised.message,
        lines={"raised": failure.raised.line},
        story=tuple(story),
        events={"raised": failure.number},
        cause=cause,
        names=names or {},
    )


def prefix(short: list[str], long: list[str]) -> str:
    """What stands before each of `short` among `long`, where there may be more."""
    there = set(long)
    begins = [key.removesuffix(short[0]) for key in long if short and key.endswith(short[0])]
    return next((first for first in begins if all(first + key in there for key in short)), "")


# ---- fixes


ANEW = "what is left out keeps the numbers it began with"


def loads(wanted: FixContext) -> Iterator[tuple[ast.Call, ast.expr]]:
    """The calls of `load_state_dict` on the raising line, each with what it is given."""
    for call in wanted.text.calls(wanted.at("raised"), "load_state_dict"):
        if call.args:
            yield call, call.args[0]


@fix(state_prefix=1)
def rename_keys(wanted: FixContext) -> Iterator[Proposal]:
    """Every name loses the step that it has more, or gets the one that it lacks."""
    text, ahead, behind = wanted.text, wanted.name("ahead"), wanted.name("behind")
    for call, given in loads(wanted):
        key = f'key.removeprefix("{ahead}")' if ahead else f'"{behind}" + key'
        rest = f' if key.startswith("{ahead}")' if ahead else ""
        made = f"{{{key}: value for key, value in {in_brackets(text, given)}.items(){rest}}}"
        title = f"take {ahead} off the names" if ahead else f"put {behind} before the names"
        yield wanted.proposal(f"{title}, on line {call.lineno}", FREE, text.replaced(given, made))


@fix(state_keys=1)
def load_part(wanted: FixContext) -> Iterator[Proposal]:
    """A checkpoint of several things holds the state dict under one of its names; else what is there is loaded."""
    text, keys = wanted.text, wanted.name("keys") or ""
    for call, given in loads(wanted):
        for key in filter(None, keys.split("\n")):
            made = f'{in_brackets(text, given)}["{key}"]'
            yield wanted.proposal(f"{made} on line {call.lineno}", FREE, text.replaced(given, made))
        title = f"strict=False on line {call.lineno}: what both have is loaded"
        offer = wanted.workaround if keys else wanted.proposal
        yield offer(title, ANEW, set_keyword(text, call, "strict", "False"))


@fix(state_sizes=1)
def match_state_sizes(wanted: FixContext) -> Iterator[Proposal]:
    """What has the shape that the module has is loaded."""
    text = wanted.text
    for call, given in loads(wanted):
        if not isinstance(call.func, ast.Attribute):
            continue
        own = f"{text.get(call.func.value)}.state_dict()"
        kept = f"key in {own} and value.shape == {own}[key].shape"
        made = f"{{key: value for key, value in {in_brackets(text, given)}.items() if {kept}}}"
        title = f"load what has the same shape, on line {call.lineno}"
        yield wanted.proposal(title, ANEW, text.replaced(given, made), set_keyword(text, call, "strict", "False"))


@fix(no_state=1)
def load_state_of(wanted: FixContext) -> Iterator[Proposal]:
    """The state dict of what was given."""
    text = wanted.text
    for call, given in loads(wanted):
        owner = given.func.value if isinstance(given, ast.Call) and isinstance(given.func, ast.Attribute) else given
        made = f"{in_brackets(text, owner)}.state_dict()"
        yield wanted.proposal(f"{made} on line {call.lineno}", FREE, text.replaced(given, made))
