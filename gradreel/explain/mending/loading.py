"""Mends for a state dict that does not fit: the right part of it, its names made to fit, or without what does not."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..fixes.edits import grouped, set_keyword
from ..fixes.proposal import FREE, Proposal, Wanted
from ..fixes.registry import fix

ANEW = "what is left out keeps the numbers it began with"


def loads(wanted: Wanted) -> Iterator[tuple[ast.Call, ast.expr]]:
    """The calls of `load_state_dict` on the raising line, each with what it is given."""
    for call in wanted.text.calls(wanted.at("raised"), "load_state_dict"):
        if call.args:
            yield call, call.args[0]


@fix(state_prefix=1)
def renamed(wanted: Wanted) -> Iterator[Proposal]:
    """Every name loses the step that it has more, or gets the one that it lacks."""
    text, ahead, behind = wanted.text, wanted.name("ahead"), wanted.name("behind")
    for call, given in loads(wanted):
        key = f'key.removeprefix("{ahead}")' if ahead else f'"{behind}" + key'
        rest = f' if key.startswith("{ahead}")' if ahead else ""
        made = f"{{{key}: value for key, value in {grouped(text, given)}.items(){rest}}}"
        title = f"take {ahead} off the names" if ahead else f"put {behind} before the names"
        yield wanted.proposal(f"{title}, on line {call.lineno}", FREE, text.replaced(given, made))


@fix(state_keys=1)
def part_of_it(wanted: Wanted) -> Iterator[Proposal]:
    """A checkpoint of several things holds the state dict under one of its names; else what is there is loaded."""
    text, keys = wanted.text, wanted.name("keys") or ""
    for call, given in loads(wanted):
        for key in filter(None, keys.split("\n")):
            made = f'{grouped(text, given)}["{key}"]'
            yield wanted.proposal(f"{made} on line {call.lineno}", FREE, text.replaced(given, made))
        title = f"strict=False on line {call.lineno}: what both have is loaded"
        offer = wanted.makeshift if keys else wanted.proposal
        yield offer(title, ANEW, set_keyword(text, call, "strict", "False"))


@fix(state_sizes=1)
def of_these_sizes(wanted: Wanted) -> Iterator[Proposal]:
    """What has the shape that the module has is loaded."""
    text = wanted.text
    for call, given in loads(wanted):
        if not isinstance(call.func, ast.Attribute):
            continue
        own = f"{text.get(call.func.value)}.state_dict()"
        kept = f"key in {own} and value.shape == {own}[key].shape"
        made = f"{{key: value for key, value in {grouped(text, given)}.items() if {kept}}}"
        title = f"load what has the same shape, on line {call.lineno}"
        yield wanted.proposal(title, ANEW, text.replaced(given, made), set_keyword(text, call, "strict", "False"))


@fix(no_state=1)
def state_of(wanted: Wanted) -> Iterator[Proposal]:
    """The state dict of what was given."""
    text = wanted.text
    for call, given in loads(wanted):
        owner = given.func.value if isinstance(given, ast.Call) and isinstance(given.func, ast.Attribute) else given
        made = f"{grouped(text, owner)}.state_dict()"
        yield wanted.proposal(f"{made} on line {call.lineno}", FREE, text.replaced(given, made))
