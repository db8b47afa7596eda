"""Mends for shapes that have not as many entries as the tensor: the sizes that fit, what a layer expects, no rest."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator

from ..fixes.edits import grouped
from ..fixes.proposal import Proposal, Wanted
from ..fixes.registry import fix_kind
from ..fixes.text import names_in

MISFIT = re.compile(r"shape '\[(?P<shape>[-\d, ]+)\]' is invalid for input of size (?P<size>\d+)")


@fix_kind(shape=7)
def flattened(wanted: Wanted) -> Iterator[Proposal]:
    """A batch stays a batch: `x.view(-1, 400)` before a layer becomes `x.flatten(1)`, whatever the sizes are."""
    text, found = wanted.text, MISFIT.search(wanted.found.message)
    several = len((wanted.name("sizes") or "").split()) > 2
    if found is None or not several or not re.fullmatch(r"-1, \d+", found["shape"]):
        return
    for call in text.calls(wanted.at("raised"), "view", "reshape"):
        if isinstance(call.func, ast.Attribute):
            made = f"{grouped(text, call.func.value)}.flatten(1)"
            title = f"one row for each of the batch: flatten(1) on line {call.lineno}"
            yield wanted.proposal(title, "another shape", text.replaced(call, made))


@fix_kind(shape=8)
def batch_in_front(wanted: Wanted) -> Iterator[Proposal]:
    """`b, c, h, w = x.shape` and then `x.view(c, h * w)`: the batch comes first, as a dimension or a factor of one."""
    text, raised = wanted.text, wanted.at("raised")
    if MISFIT.search(wanted.found.message) is None:
        return
    for call in text.calls(raised, "view", "reshape"):
        batch = batch_left_out(wanted, call)
        if batch is not None:
            title = f"the batch in front, {batch}, on line {call.lineno}"
            yield wanted.proposal(
                title, "another shape", text.replaced(call.args[0], f"{batch}, {text.get(call.args[0])}")
            )
            made = f"{batch} * {grouped(text, call.args[0])}"
            title = f"the batch among the rows: {made} on line {call.lineno}"
            yield wanted.proposal(title, "another shape", text.replaced(call.args[0], made))


def batch_left_out(wanted: Wanted, call: ast.Call) -> str | None:
    """The first size of a tensor, if `call` gives it a shape of all its other sizes."""
    text = wanted.text
    if not isinstance(call.func, ast.Attribute) or not call.args or isinstance(call.args[0], ast.Tuple):
        return None
    owner = text.get(call.func.value)
    for node in text.parts(text.tree, ast.Assign):
        goal = node.targets[0]
        if not isinstance(goal, ast.Tuple) or text.get(node.value) not in (f"{owner}.size()", f"{owner}.shape"):
            continue
        first, *rest = map(text.get, goal.elts)
        used = set().union(*map(names_in, call.args))
        if first not in used and used and used <= set(rest):
            return first
    return None


@fix_kind(shape=9)
def last_turned(wanted: Wanted) -> Iterator[Proposal]:
    """`x.t()` of more than two dimensions: the last two change places, in each of a batch."""
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "t") if "t() expects" in wanted.found.message else ():
        if isinstance(call.func, ast.Attribute) and not call.args:
            made = f"{text.get(call.func.value)}.transpose(-2, -1)"
            title = f"turn the last two dimensions: {made} on line {call.lineno}"
            yield wanted.proposal(title, "each of a batch is turned", text.replaced(call, made))


@fix_kind(shape=10)
def sizes_that_fit(wanted: Wanted) -> Iterator[Proposal]:
    """One size is left to be worked out; where one is already, another gets a number that divides the entries."""
    text, found = wanted.text, MISFIT.search(wanted.found.message)
    if found is None:
        return
    shape, size = [int(part) for part in found["shape"].split(", ")], int(found["size"])
    for call in text.calls(wanted.at("raised"), "view", "reshape"):
        parts = call.args[0].elts if call.args and isinstance(call.args[0], ast.Tuple | ast.List) else call.args
        if len(parts) != len(shape) or batch_left_out(wanted, call) is not None:
            continue
        places = [at for at in reversed(range(len(shape))) if shape[at] > 0]
        for at in places:
            others = math.prod(other for place, other in enumerate(shape) if place != at)
            if others > 0 and size % others == 0:
                title = f"-1 for {text.get(parts[at])} on line {call.lineno}: as many as there are"
                yield wanted.proposal(title, "another shape", text.replaced(parts[at], "-1"))
        for at in places if -1 in shape else []:
            rest = abs(math.prod(other for place, other in enumerate(shape) if place != at))
            for new in near(size // rest if rest and size % rest == 0 else 0, shape[at], own(wanted))[:2]:
                title = f"{new} for {text.get(parts[at])} on line {call.lineno}: {size} entries are a multiple of it"
                yield wanted.proposal(title, "another shape", text.replaced(parts[at], str(new)))


def own(wanted: Wanted) -> list[int]:
    """The sizes that the tensor has."""
    return [int(part) for part in (wanted.name("sizes") or "").split()]


def near(size: int, wanted: int, first: list[int]) -> list[int]:
    """The divisors of `size`: those in `first` before the others, the nearest to `wanted` before those further off."""
    divisors = [number for number in range(2, min(size, 4 * wanted) + 1) if size % number == 0]
    return sorted(divisors, key=lambda number: (number not in first, abs(number - wanted)))


@fix_kind(shape=26)
def without_rest(wanted: Wanted) -> Iterator[Proposal]:
    """What does not fill a row is left out."""
    text = wanted.text
    if "is invalid for input of size" not in wanted.found.message or " " in (wanted.name("sizes") or ""):
        return
    for call in text.calls(wanted.at("raised"), "reshape", "view"):
        if not isinstance(call.func, ast.Attribute) or len(call.args) != 2 or text.get(call.args[0]) != "-1":
            continue
        owner, width = grouped(text, call.func.value), grouped(text, call.args[1])
        made = f"{owner}[:len({owner}) // {width} * {width}]"
        title = f"leave out what does not fill a row of {width}, on line {call.lineno}"
        cost = "the last entries are left out"
        yield wanted.proposal(title, cost, text.replaced(call.func.value, made))
