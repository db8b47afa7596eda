"""Mends for distributions: parameters brought into their range, values into what can come out, chances of scores."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..calls import callee
from ..distributions import SCORED, parameter
from ..fixes.edits import followed, grouped, set_keyword
from ..fixes.proposal import FREE, Proposal, Wanted
from ..fixes.registry import fix

SOFTPLUS = ("torch.nn.functional.softplus({0})", "made positive by softplus")
WAYS = {
    "GreaterThan": SOFTPLUS,
    "GreaterThanEq": SOFTPLUS,
    "Simplex": ("{1}.softmax(-1)", "made chances by softmax"),
    "Interval": ("torch.sigmoid({0})", "made a chance by sigmoid"),
    "PositiveDefinite": ("{0} @ {0}.mT + 0.0001 * torch.eye({0}.shape[-1])", "times itself turned"),
    "LowerCholesky": ("torch.linalg.cholesky({0} @ {0}.mT)", "made a triangle by cholesky"),
}
"""How any number becomes one in the range."""


@fix(support=1)
def into_range(wanted: Wanted) -> Iterator[Proposal]:
    """The parameter of a distribution is brought into its range; scores are said to be scores."""
    text, what, dist = wanted.text, wanted.name("what") or "", wanted.name("dist") or ""
    for call in text.calls(wanted.at("raised"), dist):
        given = parameter(call, dist, what)
        if given is None:
            continue
        shown = text.get(given)
        if dist in SCORED and what == "probs" and not isinstance(given, ast.Constant):
            whole = text.parents.get(given)
            edit = text.replaced(whole if isinstance(whole, ast.keyword) else given, f"logits={shown}")
            yield wanted.proposal(f"logits={shown} on line {call.lineno}: they are scores", FREE, edit)
        if isinstance(given, ast.UnaryOp) and isinstance(given.operand, ast.Constant):
            above = text.get(given.operand)
            title = f"{above} for {shown} on line {call.lineno}"
            yield wanted.proposal(title, "another distribution", text.replaced(given, above))
        if wanted.name("need") == "LessThan" and len(call.args) > 1:
            one, two = call.args[:2]
            title = f"the other way round on line {call.lineno}"
            edits = text.replaced(one, text.get(two)), text.replaced(two, text.get(one))
            yield wanted.proposal(title, "another distribution", *edits)
        way, words = WAYS.get(wanted.name("need") or "", ("", ""))
        if way and not isinstance(given, ast.Constant | ast.UnaryOp):
            title = f"{what} {words}, on line {call.lineno}"
            yield wanted.proposal(title, "other numbers", text.replaced(given, way.format(shown, grouped(text, given))))


@fix(no_number=1)
def a_number(wanted: Wanted) -> Iterator[Proposal]:
    """What is no number becomes 0."""
    text, what, dist = wanted.text, wanted.name("what") or "", wanted.name("dist") or ""
    for call in text.calls(wanted.at("raised"), dist):
        given = parameter(call, dist, what)
        if given is not None:
            title = f"0 where {text.get(given)} is no number, on line {call.lineno}"
            made = f"torch.nan_to_num({text.get(given)})"
            yield wanted.makeshift(title, "see where NaN comes from", text.replaced(given, made))


@fix(value=1)
def into_support(wanted: Wanted) -> Iterator[Proposal]:
    """Values beyond the border are moved to it, or just inside of it."""
    text, need = wanted.text, wanted.name("need") or ""
    low, high = wanted.name("lower") or "0", wanted.name("upper")
    ways = [".clamp(1e-06, 1 - 1e-06)"] if need == "Interval" and (low, high) == ("0.0", "1.0") else []
    if need in ("GreaterThan", "GreaterThanEq") and low in ("0", "0.0"):
        ways.append(".clamp(min=1e-06)")
    elif high is not None:
        ways.append(f".clamp({low}, {high})")
    elif need.endswith(("GreaterThan", "GreaterThanEq")):
        ways.append(f".clamp(min={low})")
    if need == "Boolean":
        ways.append(".gt(0.5).float()")
    if need == "Simplex":
        ways.append(".softmax(-1)")
    for call in text.calls(wanted.at("raised"), "log_prob", "cdf"):
        for way in ways if call.args else ():
            shown = f"{grouped(text, call.args[0])}{way}"
            title = f"{shown} on line {call.lineno}: inside of what can come out"
            yield wanted.proposal(title, "other numbers", followed(text, call.args[0], way))


CHANCES = {
    "negative_chances": (("softmax(-1)", "chances made of the scores"), ("clamp(min=0)", "no chance below 0")),
    "no_chances": (("softmax(-1)", "each gets a chance"),),
    "no_chance": (("sigmoid()", "chances made of any numbers"), ("clamp(0, 1)", "what is beyond is cut off")),
}
"""What makes chances of the numbers that `multinomial` and `bernoulli` refuse."""


@fix(negative_chances=1, no_chances=1, no_chance=1)
def into_chances(wanted: Wanted) -> Iterator[Proposal]:
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "multinomial", "bernoulli"):
        func = call.func
        own = isinstance(func, ast.Attribute) and ast.unparse(func.value) != "torch"
        given = func.value if own and isinstance(func, ast.Attribute) else call.args[0] if call.args else None
        for way, words in CHANCES.get(wanted.found.cause, ()) if given is not None else ():
            assert given is not None
            title = f"{words}: {grouped(text, given)}.{way} on line {call.lineno}"
            yield wanted.proposal(title, "other chances", followed(text, given, f".{way}"))


@fix(drawn_out=1)
def drawn_again(wanted: Wanted) -> Iterator[Proposal]:
    """What was drawn may come again."""
    text = wanted.text
    for call in text.calls(wanted.at("raised")):
        if callee(call) == "multinomial":
            title = f"replacement=True on line {call.lineno}"
            edit = set_keyword(text, call, "replacement", "True")
            yield wanted.proposal(title, "a place may come more than once", edit)
