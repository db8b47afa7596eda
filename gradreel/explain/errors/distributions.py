"""Distributions: a parameter that is out of its range, a value that cannot come out, chances that are none."""

from __future__ import annotations

import ast
import re

from ..calls import callee, calls_in
from ..diagnostics.diagnosis import Diagnosis, Failure, named
from ..diagnostics.mentions import begun, stands_for, statement
from ..diagnostics.message_rules import MessageRule, anything, match_rules
from ..diagnostics.registry import rule
from ..distributions import SCORED, parameter
from ..narration.words import code, on
from ..replay.states import TensorState
from ..replay.world import World

PARAMETER = re.compile(
    r"Expected parameter (?P<what>\w+) .*?of distribution (?P<dist>\w+)\(.*?"
    r"to satisfy the constraint (?P<need>\w+)\((?P<bounds>.*?)\), but found invalid values:\n(?P<values>.*)",
    re.DOTALL,
)
VALUE = re.compile(
    r"Expected value argument .*?to be within the support \((?P<need>\w+)\((?P<bounds>.*?)\)\) of the distribution "
    r"(?P<dist>\w+)\(.*?, but found invalid values:\n(?P<values>.*)",
    re.DOTALL,
)
POSITIVE = "must be larger than 0; layers give any numbers, and `softplus` or `exp` makes positive ones of them."
CHANCE = "is a chance, from 0 to 1; `sigmoid` makes chances of any numbers."
NEEDS = {
    "GreaterThan": POSITIVE,
    "GreaterThanEq": "must not be negative; `softplus`, `exp` or `clamp(min=0)` see to that.",
    "Interval": CHANCE,
    "Simplex": "is a row of chances that add up to 1; `softmax` makes such a row of any numbers.",
    "PositiveDefinite": "is a covariance: symmetric, and with a variance above 0 in every direction.",
    "LessThan": "must be smaller than the bound after it.",
    "LowerCholesky": "is a triangle with nothing above its diagonal and numbers above 0 on it; `cholesky` gives one.",
    "Real": "must be a number, and NaN is none.",
    "IndependentConstraint": "must be a number, and NaN is none.",
}
"""What a constraint of a parameter means."""
SUPPORTS = {
    "Interval": "numbers from {lower} to {upper}",
    "IntegerInterval": "the whole numbers from {lower} to {upper}",
    "GreaterThanEq": "numbers from {lower} on",
    "GreaterThan": "numbers above {lower}",
    "IntegerGreaterThan": "the whole numbers from {lower} on",
    "Boolean": "0 and 1",
    "Simplex": "rows of chances that add up to 1",
    "OneHot": "rows with one 1 among 0",
}
"""What comes out of a distribution, by its support."""
BOUND = re.compile(r"(lower|upper)_bound=(-?[\w.]+)")

TABLE: tuple[MessageRule, ...] = (
    MessageRule(
        re.compile(r"probability tensor contains either `inf`, `nan` or element < 0"),
        cause="negative_chances",
        title="A chance below 0",
        fits=anything,
        story=(
            "{code} {line}{turn} draws by the chances in {name}{made}: one of them is negative, infinite or NaN.",
            "`multinomial` takes chances as they are, 0 or larger; `softmax(-1)` makes chances of scores.",
        ),
    ),
    MessageRule(
        re.compile(r"invalid multinomial distribution \(sum of probabilities <= 0\)"),
        cause="no_chances",
        title="Nothing has a chance",
        fits=anything,
        story=(
            "{code} {line}{turn} draws by the chances in {name}{made}: all of them are 0.",
            "Something must be able to come: give every place a little, or none of it is drawn at all.",
        ),
    ),
    MessageRule(
        re.compile(r"cannot sample n_sample > prob_dist\.size\(-1\) samples without replacement"),
        cause="drawn_out",
        title="More is drawn than there is",
        fits=anything,
        story=(
            "{code} {line}{turn} draws each place only once, and more of them than there are in {name}{made}.",
            "With `replacement=True` the same place may come again.",
        ),
    ),
    MessageRule(
        re.compile(r"Expected p_in >= 0 && p_in <= 1 to be true"),
        cause="no_chance",
        title="A chance is a number from 0 to 1",
        fits=anything,
        story=(
            "{code} {line}{turn} takes for chances what is in {name}{made}: a number there is below 0 or above 1.",
            "`sigmoid` makes chances of any numbers; `clamp(0, 1)` cuts off what is beyond.",
        ),
    ),
)


@rule
def chance_refused(world: World, failure: Failure) -> Diagnosis | None:
    """A parameter or a value of a distribution; else one of TABLE."""
    message = failure.raised.message
    if (found := PARAMETER.search(message)) is not None:
        return out_of_range(world, failure, found)
    if (found := VALUE.search(message)) is not None:
        return out_of_support(world, failure, found)
    return match_rules(TABLE, world, failure)


def out_of_range(world: World, failure: Failure, found: re.Match[str]) -> Diagnosis:
    what, dist, need = found["what"], found["dist"], found["need"]
    makers = [call for call in calls_in(statement(world, failure)) if callee(call) == dist]
    given = parameter(makers[0], dist, what) if makers else None
    cause = "no_number" if "nan" in found["values"] else "support"
    rule = NEEDS["Real"] if cause == "no_number" else NEEDS.get(need, "has a range of its own.")
    story = [
        f"{begun(world, failure)} makes a `{dist}` whose `{what}` is out of its range.",
        *whose(world, given),
        f"`{what}` {rule}",
    ]
    if dist in SCORED and what == "probs" and cause == "support":
        story.append(f"Scores, as a layer gives them, are taken as they are by `{dist}(logits=…)`.")
    words = named(what=what, dist=dist, need=need)
    return told(world, failure, "A distribution cannot have this parameter", story, given, cause, words)


def out_of_support(world: World, failure: Failure, found: re.Match[str]) -> Diagnosis:
    dist, need = found["dist"], found["need"]
    askers = [call for call in calls_in(statement(world, failure)) if callee(call) in ("log_prob", "cdf")]
    given = askers[0].args[0] if askers and askers[0].args else None
    bounds = dict(BOUND.findall(found["bounds"]))
    what = SUPPORTS.get(need, "certain numbers").format(**{"lower": "0", "upper": "1", **bounds})
    story = [
        f"{begun(world, failure)} asks how likely a value is that cannot come out of this `{dist}`.",
        *whose(world, given),
        f"Out of it come {what}; all else has no likelihood.",
    ]
    words = named(dist=dist, need=need, **bounds)
    return told(world, failure, "A value that cannot come out", story, given, "value", words)


def whose(world: World, given: ast.expr | None) -> list[str]:
    tensor = stood(world, given)
    if tensor is None or given is None:
        return []
    return [f"It is given {code(ast.unparse(given))}, made {on(tensor.place.line)}."]


def stood(world: World, given: ast.expr | None) -> TensorState | None:
    return stands_for(world, ast.unparse(given)) if isinstance(given, ast.Name | ast.Attribute) else None


def told(
    world: World,
    failure: Failure,
    title: str,
    story: list[str],
    given: ast.expr | None,
    cause: str,
    words: dict[str, str],
) -> Diagnosis:
    tensor = stood(world, given)
    lines: dict[str, int | None] = {"raised": failure.raised.line}
    events = {"raised": failure.number}
    if tensor is not None:
        lines["built"], events["built"] = tensor.place.line, tensor.made
    return Diagnosis(
        title=title,
        message=failure.raised.message,
        lines=lines,
        story=tuple(story),
        events=events,
        cause=cause,
        names=words,
    )
