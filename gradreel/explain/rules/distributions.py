"""Distributions: parameters out of their range, values that cannot come out, samples that cut the graph."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ..calls import callee, calls_in, keyword
from ..diagnostics.diagnosis import Diagnosis, Failure, known_names
from ..diagnostics.mentions import begin_story, raising_statement, stands_for
from ..diagnostics.message_rules import MessageRule, anything, match_rules
from ..diagnostics.registry import Watcher, rule, watcher
from ..diagnostics.showing import FirstTrouble, Showing
from ..fixes.edits import append_suffix, in_brackets, set_keyword
from ..fixes.proposal import FREE, FixContext, Proposal
from ..fixes.registry import fix
from ..narration.words import bare, code, code_label, listing, name_of, on
from ..replay.graph_queries import origin
from ..replay.states import NodeState, TensorState
from ..replay.world import World
from .tracking.cuts import SAMPLED

SCORED = ("Bernoulli", "Categorical", "OneHotCategorical", "Geometric")
COUNTED = ("Binomial", "Multinomial", "NegativeBinomial")
LOCATED = ("Normal", "LogNormal", "Laplace", "Cauchy", "Gumbel")

PARAMETERS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(SCORED, ("probs", "logits")),
    **dict.fromkeys(COUNTED, ("total_count", "probs", "logits")),
    **dict.fromkeys(LOCATED, ("loc", "scale")),
    **dict.fromkeys(("HalfNormal", "HalfCauchy"), ("scale",)),
    **dict.fromkeys(("Exponential", "Poisson"), ("rate",)),
    **dict.fromkeys(("Beta", "Kumaraswamy"), ("concentration1", "concentration0")),
    **dict.fromkeys(("RelaxedBernoulli", "RelaxedOneHotCategorical"), ("temperature", "probs", "logits")),
    "Gamma": ("concentration", "rate"),
    "InverseGamma": ("concentration", "rate"),
    "Dirichlet": ("concentration",),
    "Uniform": ("low", "high"),
    "Chi2": ("df",),
    "StudentT": ("df", "loc", "scale"),
    "FisherSnedecor": ("df1", "df2"),
    "Pareto": ("scale", "alpha"),
    "Weibull": ("scale", "concentration"),
    "VonMises": ("loc", "concentration"),
    "ContinuousBernoulli": ("probs", "logits"),
    "MultivariateNormal": ("loc", "covariance_matrix", "precision_matrix", "scale_tril"),
    "LowRankMultivariateNormal": ("loc", "cov_factor", "cov_diag"),
}


def parameter(call: ast.Call, distribution: str, name: str) -> ast.expr | None:
    """What `call` gives for a parameter of `distribution`, by its name or in its place."""
    word = keyword(call, name)
    if word is not None:
        return word.value
    order = PARAMETERS.get(distribution, ())
    place = order.index(name) if name in order else len(call.args)
    return call.args[place] if place < len(call.args) else None


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
    makers = [call for call in calls_in(raising_statement(world, failure)) if callee(call) == dist]
    given = parameter(makers[0], dist, what) if makers else None
    cause = "no_number" if "nan" in found["values"] else "support"
    rule = NEEDS["Real"] if cause == "no_number" else NEEDS.get(need, "has a range of its own.")
    story = [
        f"{begin_story(world, failure)} makes a `{dist}` whose `{what}` is out of its range.",
        *whose(world, given),
        f"`{what}` {rule}",
    ]
    if dist in SCORED and what == "probs" and cause == "support":
        story.append(f"Scores, as a layer gives them, are taken as they are by `{dist}(logits=…)`.")
    words = known_names(what=what, dist=dist, need=need)
    return parameter_diagnosis(world, failure, "A distribution cannot have this parameter", story, given, cause, words)


def out_of_support(world: World, failure: Failure, found: re.Match[str]) -> Diagnosis:
    dist, need = found["dist"], found["need"]
    askers = [call for call in calls_in(raising_statement(world, failure)) if callee(call) in ("log_prob", "cdf")]
    given = askers[0].args[0] if askers and askers[0].args else None
    bounds = dict(BOUND.findall(found["bounds"]))
    what = SUPPORTS.get(need, "certain numbers").format(**{"lower": "0", "upper": "1", **bounds})
    story = [
        f"{begin_story(world, failure)} asks how likely a value is that cannot come out of this `{dist}`.",
        *whose(world, given),
        f"Out of it come {what}; all else has no likelihood.",
    ]
    words = known_names(dist=dist, need=need, **bounds)
    return parameter_diagnosis(world, failure, "A value that cannot come out", story, given, "value", words)


def whose(world: World, given: ast.expr | None) -> list[str]:
    tensor = value_given(world, given)
    if tensor is None or given is None:
        return []
    return [f"It is given {code(ast.unparse(given))}, made {on(tensor.place.line)}."]


def value_given(world: World, given: ast.expr | None) -> TensorState | None:
    return stands_for(world, ast.unparse(given)) if isinstance(given, ast.Name | ast.Attribute) else None


def parameter_diagnosis(
    world: World,
    failure: Failure,
    title: str,
    story: list[str],
    given: ast.expr | None,
    cause: str,
    words: dict[str, str],
) -> Diagnosis:
    tensor = value_given(world, given)
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


DISCRETE = frozenset({"bernoulli", "multinomial", "poisson", "binomial"})
"""What draws from a distribution that has no `rsample`."""
FAR = 300
"""So many nodes back it is looked for what a sample was drawn from."""


@watcher(e.BackwardStarted)
class Drawn(Watcher):
    """Follows samples to the first nodes that take them, and asks of each what else it takes."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.samples: dict[int, TensorState] = {}
        """By tensor the sample that it is, or was computed from without a graph."""
        self.contacts: dict[int, TensorState] = {}
        """By node the sample that it takes."""
        self.scored: set[int] = set()
        """The lines whose samples meet what they were drawn from, as in their `log_prob`."""
        self.found_in: tuple[TensorState, Diagnosis] | None = None
        self.showing = Showing(world)

    def subscriptions(self) -> dict[type[Event], Callable[[Any], None]]:
        if not any(SAMPLED.search(line) for line in self.world.source.code):
            return {}
        return {
            e.TensorMade: self.on_tensor_made,
            e.NodeMade: self.on_node_made,
            e.BackwardStarted: self.on_backward_started,
            e.Printed: self.showing.on_printed,
        }

    def on_tensor_made(self, event: e.TensorMade) -> None:
        if event.requires_grad or not event.dtype.startswith("float"):
            return
        before = next((self.samples[number] for number in event.inputs if number in self.samples), None)
        if before is None and event.base in self.samples:
            before = self.samples[event.base]
        if before is not None:
            self.samples[event.tensor] = before
        elif self.draws(event):
            self.samples[event.tensor] = self.world.tensors[event.tensor]

    def draws(self, event: e.TensorMade) -> bool:
        source, place = self.world.source, self.world.place
        lines = {place.line, *(frame.line for frame in place.frames)}
        return (
            any(self.world.tensors[number].requires_grad for number in event.inputs)
            and bare(event.op) not in DISCRETE
            and bool(SAMPLED.search(source.statement(place.line, place.end_line)))
            and not lines & source.quiet_lines
            and not source.switches
        )

    def sources(self, sample: TensorState) -> list[TensorState]:
        """The tracked tensors that `sample` was drawn from, past the views that fit them to its shape."""
        given = [origin(self.world, self.world.tensors[number]) for number in sample.inputs]
        return [tensor for tensor in given if tensor is not None and tensor.requires_grad]

    def drawn_from(self, sample: TensorState) -> set[int]:
        """The nodes of what `sample` was drawn from."""
        nodes = [self.world.grad_node(tensor.number) for tensor in self.sources(sample)]
        return {node for node in nodes if node is not None}

    def on_node_made(self, event: e.NodeMade) -> None:
        sample = next((self.samples[number] for number in event.inputs if number in self.samples), None)
        if sample is None or event.variable is not None:
            return
        goals, todo, seen = self.drawn_from(sample), [event.node], {event.node}
        for number in todo:
            ways = [target for target, _ in self.world.nodes[number].edges if target is not None]
            if goals.intersection(ways) or len(todo) > FAR:
                self.scored.add(sample.place.line)
                return
            todo += [target for target in ways if target not in seen]
            seen.update(ways)
        self.contacts[event.node] = sample

    def on_backward_started(self, event: e.BackwardStarted) -> None:
        """Alarming is a sample in what is differentiated, if what it was drawn from is trained by the same loss."""
        if event.called != "backward" or self.found_in is not None or not self.contacts:
            return
        reached = self.world.calls[event.call].expected
        for node, sample in self.contacts.items():
            if node in reached and any(source in reached for source in self.drawn_from(sample)):
                self.found_in = sample, self.describe(sample, node)
                self.showing.wait()
                return

    def describe(self, sample: TensorState, node: int) -> Diagnosis:
        world, line = self.world, sample.place.line
        given = [code_label(world, tensor.number) for tensor in self.sources(sample)]
        user = world.nodes[node]
        return Diagnosis(
            kind="no_graph",
            title="No gradient goes through a sample",
            lines={"built": line, "cut": line, "raised": None},
            story=(
                f"{code(world.source.text(line, sample.place.end_line))} {on(line)} draws numbers without a graph from "
                f"{listing(given)}.",
                f"**{user.title}** {on(user.place.line)} computes with the sample, and no gradient goes back through "
                "it. What the loss says of the sample never reaches what it was drawn from.",
                "`rsample()` draws the same as a function of the parameters, noise apart, so that a gradient goes "
                "back.",
            ),
            nodes=(node,),
            events={"built": sample.made, "cut": sample.made, "seen": world.count - 1},
            cause="drawn",
            names=known_names(how="sample", target=name_of(world, sample)),
        )

    def report(self) -> list[Diagnosis]:
        if self.found_in is None or self.found_in[0].place.line in self.scored:
            return []
        return [self.showing.shown(self.found_in[1])]


DRAWS = "Normal"


@watcher(e.NodeMade, e.BackwardStarted)
class FlatDraws(FirstTrouble):
    """Follows such draws to what takes them first. Where their own likelihood is computed, they are to be numbers."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.takers: dict[int, int] = {}
        """By node the draw that it takes."""
        self.scored: set[int] = set()
        """The lines whose draws meet what they were drawn from, as in a log-probability."""
        self.line = 0

    def subscriptions(self) -> dict[type[Event], Callable[[Any], None]]:
        return {} if not any("normal(" in line for line in self.world.source.code) else super().subscriptions()

    def on_node_made(self, event: e.NodeMade) -> None:
        nodes, tensors = self.world.nodes, self.world.tensors
        number = next((number for number in event.inputs if bare(tensors[number].op) == "normal"), None)
        draw = next((to for to, _ in event.edges if to is not None and nodes[to].kind == DRAWS), None)
        if number is None or draw is None or event.variable is not None:
            return
        goals = {to for to, _ in nodes[draw].edges if to is not None}
        todo, seen = [event.node], {event.node, draw}
        for node in todo:
            ways = [to for to, _ in nodes[node].edges if to is not None]
            if goals.intersection(ways) or len(todo) > FAR:
                self.scored.add(tensors[number].place.line)
                return
            todo += [to for to in ways if to not in seen]
            seen.update(ways)
        self.takers[event.node] = number

    def on_backward_started(self, event: e.BackwardStarted) -> None:
        if event.called != "backward" or self.diagnosis is not None:
            return
        reached = self.world.calls[event.call].expected
        for node, number in self.takers.items():
            if node in reached:
                draw = self.world.tensors[number]
                self.line = draw.place.line
                self.tell(self.describe(draw, self.world.nodes[node]))
                return

    def describe(self, draw: TensorState, taker: NodeState) -> Diagnosis:
        world, place = self.world, draw.place
        given = [code_label(world, number) for number in draw.inputs if world.tensors[number].requires_grad]
        return Diagnosis(
            title="A draw sends back zeros",
            lines={"built": place.line, "raised": None},
            story=(
                f"{code(world.source.text(place.line, place.end_line))} {on(place.line)} draws numbers around "
                f"{listing(given)}.",
                f"**{taker.title}** {on(taker.place.line)} computes with what was drawn, and the gradient of a draw is "
                "0. Nothing that the loss says of it reaches what it was drawn from.",
                "Written as the mean plus the spread times `torch.randn_like`, the same numbers are a function of "
                "both.",
            ),
            nodes=(taker.number,),
            events={"built": draw.made, "seen": world.count - 1},
            cause="flat_draw",
            names=known_names(target=name_of(world, draw)),
        )

    def report(self) -> list[Diagnosis]:
        return [] if self.line in self.scored else super().report()


# ---- fixes


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
def move_into_range(wanted: FixContext) -> Iterator[Proposal]:
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
            yield wanted.proposal(
                title, "other numbers", text.replaced(given, way.format(shown, in_brackets(text, given)))
            )


@fix(no_number=1)
def replace_nan(wanted: FixContext) -> Iterator[Proposal]:
    """What is no number becomes 0."""
    text, what, dist = wanted.text, wanted.name("what") or "", wanted.name("dist") or ""
    for call in text.calls(wanted.at("raised"), dist):
        given = parameter(call, dist, what)
        if given is not None:
            title = f"0 where {text.get(given)} is no number, on line {call.lineno}"
            made = f"torch.nan_to_num({text.get(given)})"
            yield wanted.workaround(title, "see where NaN comes from", text.replaced(given, made))


@fix(value=1)
def move_into_support(wanted: FixContext) -> Iterator[Proposal]:
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
            shown = f"{in_brackets(text, call.args[0])}{way}"
            title = f"{shown} on line {call.lineno}: inside of what can come out"
            yield wanted.proposal(title, "other numbers", append_suffix(text, call.args[0], way))


CHANCES = {
    "negative_chances": (("softmax(-1)", "chances made of the scores"), ("clamp(min=0)", "no chance below 0")),
    "no_chances": (("softmax(-1)", "each gets a chance"),),
    "no_chance": (("sigmoid()", "chances made of any numbers"), ("clamp(0, 1)", "what is beyond is cut off")),
}
"""What makes chances of the numbers that `multinomial` and `bernoulli` refuse."""


@fix(negative_chances=1, no_chances=1, no_chance=1)
def make_chances(wanted: FixContext) -> Iterator[Proposal]:
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "multinomial", "bernoulli"):
        func = call.func
        own = isinstance(func, ast.Attribute) and ast.unparse(func.value) != "torch"
        given = func.value if own and isinstance(func, ast.Attribute) else call.args[0] if call.args else None
        for way, words in CHANCES.get(wanted.found.cause, ()) if given is not None else ():
            assert given is not None
            title = f"{words}: {in_brackets(text, given)}.{way} on line {call.lineno}"
            yield wanted.proposal(title, "other chances", append_suffix(text, given, f".{way}"))


@fix(drawn_out=1)
def draw_again(wanted: FixContext) -> Iterator[Proposal]:
    """What was drawn may come again."""
    text = wanted.text
    for call in text.calls(wanted.at("raised")):
        if callee(call) == "multinomial":
            title = f"replacement=True on line {call.lineno}"
            edit = set_keyword(text, call, "replacement", "True")
            yield wanted.proposal(title, "a place may come more than once", edit)


@fix(flat_draw=1)
def draw_as_function(wanted: FixContext) -> Iterator[Proposal]:
    """`torch.normal(mean, std)` becomes `mean + std * torch.randn_like(mean)`, which draws the same."""
    text = wanted.text
    for call in text.calls(wanted.at("built"), "normal"):
        given = [*call.args, *(word.value for word in call.keywords if word.arg in ("mean", "std"))]
        if len(given) == 2:
            mean, std = (in_brackets(text, part) for part in given)
            like = std if isinstance(given[0], ast.Constant) else mean
            made = f"({mean} + {std} * torch.randn_like({like}))"
            bare = isinstance(text.parents.get(call), ast.Assign | ast.Return)
            title = f"{made[1:-1]} on line {call.lineno}: the same, as a function of both"
            yield wanted.proposal(title, FREE, text.replaced(call, made[1:-1] if bare else made))
