"""NaN and infinity: where they were born, in the backward or before it."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event, GradStored, Value

from ...calls import callee, keyword
from ...diagnostics.diagnosis import Diagnosis, Failure, known_names
from ...diagnostics.failing_node import failing_node
from ...diagnostics.mentions import begin_story, raising_code
from ...diagnostics.registry import Watcher, rule, watcher
from ...fixes.edits import append_suffix, enclosing, in_brackets, loads, set_keyword, value_of
from ...fixes.proposal import FREE, FixContext, Proposal
from ...fixes.registry import fix
from ...fixes.text import Edit, Text, names_in, targets
from ...narration.words import code, code_label, during, label, listing, on, value
from ...replay.graph_queries import all_finite, ancestors, flat, made_from
from ...replay.states import TensorState
from ...replay.world import World
from ..shapes.layer_sizes import written_count

NAN = re.compile(r"\bnan\b")


@watcher(e.NodeMade)
class BornNan(Watcher):
    """Remembers in each call the first node that made NaN, until one reaches a leaf or a result."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.births: dict[int, tuple[int, int]] = {}
        """For each call: the event and the node."""
        self.started: dict[int, bool] = {}
        self.infinite: dict[int, int] = {}
        """For each call the first node that made infinity of numbers."""
        self.forward: TensorState | None = None
        """The first tensor of the graph that held NaN, while none of what it was made of did."""
        self.diagnosis: Diagnosis | None = None
        self.shown: int | None = None

    def subscriptions(self) -> dict[type[Event], Callable[[Any], None]]:
        return {} if not any(map(has_nan, self.world.gradients)) else super().subscriptions()

    def on_printed(self, event: e.Printed) -> None:
        """NaN that is printed after one was born shows it, or what came of it."""
        if self.shown is None and (self.forward is not None or self.births) and NAN.search(event.text):
            self.shown = self.world.place.line

    def on_tensor_made(self, event: e.TensorMade) -> None:
        if self.forward is not None or event.node is None or self.world.open_calls or not has_nan(event.value):
            return
        tensor = self.world.tensors[event.tensor]
        before = made_from(self.world, tensor)
        if before and not any(has_nan(source.value) for source in before):
            self.forward = tensor

    def on_node_started(self, event: e.NodeStarted) -> None:
        self.started[event.node] = any(map(has_nan, event.grads))

    def on_node_ran(self, event: e.NodeRan) -> None:
        if event.call in self.births or self.started.get(event.node):
            return
        whole = all(finite(slot.value) for slot in self.world.nodes[event.node].slots.values())
        if whole and event.call not in self.infinite and not all(finite(grad) or has_nan(grad) for grad in event.grads):
            self.infinite[event.call] = event.node
        if any(map(has_nan, event.grads)):
            self.births[event.call] = self.world.count - 1, event.node

    def on_grad_stored(self, event: e.GradStored) -> None:
        if not has_nan(event.after) or has_nan(event.before):
            return
        if event.call in self.births:
            self.tell(event.call, event.tensor)
        if self.diagnosis is None and self.forward is not None:
            self.tell_forward(self.forward, event.call, event.tensor)

    def on_grad_captured(self, event: e.GradCaptured) -> None:
        if event.call in self.births and has_nan(event.value):
            self.tell(event.call, event.tensor)

    def tell(self, number: int, tensor: int) -> None:
        world = self.world
        if self.diagnosis is not None:
            return
        event, node_number = self.births[number]
        node, call = world.nodes[node_number], world.calls[number]
        bad = [slot for slot in node.slots.values() if slot.slot != "result" and has_nan(slot.value)]
        if not finite(world.tensors[tensor].value):
            return  # the numbers themselves had gone wrong before: the gradient is right for them
        if bad:
            self.tell_hidden(number, tensor)
            return
        steep = world.nodes.get(self.infinite.get(number, -1))
        if steep is not None and steep.number != node.number:
            how: tuple[str, ...] = (
                f"**{steep.title}**, built {on(steep.place.line)}{during(steep.place)}, got numbers from above and "
                "handed on infinity. Its slope is infinite at one of the values it saved.",
                f"**{node.title}**, built {on(node.place.line)}, multiplied that by 0, and 0 · ∞ is NaN.",
            )
            node = steep
        else:
            how = (
                f"**{node.title}**, built {on(node.place.line)}{during(node.place)}, got numbers from above, and what "
                "it handed on holds NaN. Its slope is infinite or undefined at one of the values it saved.",
                "What is multiplied by 0 later, as in the branch of `where` that is not taken, is no help: 0 · ∞ is "
                "NaN.",
            )
        self.diagnosis = Diagnosis(
            title="NaN is born in the backward",
            lines={"built": node.place.line, "raised": None, "shows": call.place.line},
            story=(
                *how,
                f"{code(call.text)} {on(call.place.line)} brings it to {code_label(world, tensor)}.",
            ),
            nodes=(node_number,),
            events={"born": event, "built": node.made, "seen": world.count - 1},
            cause="nan",
            names=known_names(target=label(world, tensor)),
        )

    def tell_hidden(self, number: int, tensor: int) -> None:
        """NaN among the data that was left out of the result: its gradient is 0 times NaN."""
        world = self.world
        event, node_number = self.births[number]
        node, call = world.nodes[node_number], world.calls[number]
        roots = [world.tensors[root] for root in call.roots if root in world.tensors]
        source = next((state for root in roots for state in ancestors(world, root) if first_nan(world, state)), None)
        if source is None or source.node is not None or any(has_nan(root.value) for root in roots):
            return
        lines: dict[str, int | None] = {"saved": source.place.line, "built": node.place.line, "raised": None}
        lines["shows"] = call.place.line
        self.diagnosis = Diagnosis(
            title="NaN that was left out comes back in the gradient",
            lines=lines,
            story=(
                f"{code_label(world, source.number)}, made {on(source.place.line)}, holds NaN.",
                f"{code_label(world, roots[0].number)} holds none of it: it was left out, as `where` and masks do. But "
                f"**{node.title}**, built {on(node.place.line)}{during(node.place)}, saved it, and the gradient of "
                "what is left out is 0 times NaN, which is NaN.",
                f"{code(call.text)} {on(call.place.line)} brings it to {code_label(world, tensor)}.",
                "Numbers in the place of NaN have to be there before anything is computed with it.",
            ),
            nodes=(node_number,),
            events={"born": event, "saved": source.made, "built": node.made, "seen": world.count - 1},
            cause="nan",
            names=known_names(target=label(world, tensor), hidden=label(world, source.number)),
        )

    def tell_forward(self, born: TensorState, number: int | None, tensor: int) -> None:
        """NaN that was there before the backward: the gradients it leads to are NaN, too."""
        world = self.world
        if not finite(world.tensors[tensor].value) or number is None or born.node is None:
            return
        node, call = world.nodes[born.node], world.calls[number]
        before = [state for state in made_from(world, born) if state.value is not None]
        given = listing([f"{code_label(world, state.number)} ({value(state.value)})" for state in before[:2]])
        self.diagnosis = Diagnosis(
            title="NaN is born in the forward",
            lines={"built": born.place.line, "raised": None, "shows": call.place.line},
            story=(
                f"{code(world.source.text(born.place.line))} {on(born.place.line)}{during(born.place)} made NaN of "
                f"numbers that were none: **{node.title}** was given {given}.",
                "0/0, ∞ - ∞, the root or logarithm of a negative number, and the spread of a single value have no "
                "answer.",
                "NaN stays NaN in whatever is computed with it, forward and backward.",
                f"{code(call.text)} {on(call.place.line)} brings it to the gradient of {code_label(world, tensor)}.",
            ),
            nodes=(born.node,),
            events={"born": born.made, "built": node.made, "seen": world.count - 1},
            cause="nan",
            names=known_names(target=label(world, tensor)),
        )

    def report(self) -> list[Diagnosis]:
        if self.diagnosis is None or self.shown is None:
            return [] if self.diagnosis is None else [self.diagnosis]
        return [replace(self.diagnosis, lines={**self.diagnosis.lines, "shows": self.shown})]


def first_nan(world: World, tensor: TensorState) -> bool:
    """Whether it holds NaN, and nothing that it was made of does."""
    return has_nan(tensor.value) and not any(has_nan(source.value) for source in made_from(world, tensor))


def has_nan(value: Value | None) -> bool:
    if value is None:
        return False
    if type(value.data) is float:
        return math.isnan(value.data)
    if not value.whole:
        return value.mean is not None and math.isnan(value.mean)
    numbers = flat(value.data)
    return not all_finite(numbers) and any(isinstance(number, float) and math.isnan(number) for number in numbers)


def finite(value: Value | None) -> bool:
    return value is None or all_finite(flat(value.data))


LOOKED_FOR = frozenset({"isfinite", "isinf", "isnan", "nan_to_num", "nan_to_num_"})


@watcher(e.NodeRan)
class BornInfinite(Watcher):
    """Remembers in each call the first node that made infinity of numbers, until it reaches a leaf or a result."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.births: dict[int, tuple[int, int]] = {}
        """For each call: the event and the node."""
        self.started: dict[int, bool] = {}
        self.diagnosis: Diagnosis | None = None
        self.shown: int | None = None

    def subscriptions(self) -> dict[type[Event], Callable[[Any], None]]:
        ends = self.world.gradients
        if not any(map(infinite, ends)) or any(map(has_nan, ends)) or asks(self.world.source.tree):
            return {}
        return super().subscriptions()

    def on_printed(self, event: e.Printed) -> None:
        if self.shown is None and self.diagnosis is not None and "inf" in event.text:
            self.shown = self.world.place.line

    def on_node_started(self, event: e.NodeStarted) -> None:
        self.started[event.node] = all(map(finite, event.grads))

    def on_node_ran(self, event: e.NodeRan) -> None:
        """A node that kept infinity, or made one, only hands on what had overflowed before the backward."""
        node = self.world.nodes[event.node]
        if event.call in self.births or not self.started.get(event.node) or not any(map(infinite, event.grads)):
            return
        if all(finite(slot.value) for slot in node.slots.values()):
            self.births[event.call] = self.world.count - 1, event.node

    def on_grad_stored(self, event: e.GradStored) -> None:
        if infinite(event.after) and finite(event.before):
            self.tell(event.call, event.tensor)

    def on_grad_captured(self, event: e.GradCaptured) -> None:
        if infinite(event.value):
            self.tell(event.call, event.tensor)

    def tell(self, number: int | None, tensor: int) -> None:
        world = self.world
        if self.diagnosis is not None or number is None or number not in self.births:
            return
        if not finite(world.tensors[tensor].value):
            return
        event, node_number = self.births[number]
        node, call = world.nodes[node_number], world.calls[number]
        self.diagnosis = Diagnosis(
            title="An infinite slope",
            lines={"built": node.place.line, "raised": None, "shows": call.place.line},
            story=(
                f"**{node.title}**, built {on(node.place.line)}{during(node.place)}, got numbers from above and handed "
                "on infinity. Its slope is infinite at one of the values it saved, as that of a root, a logarithm or a "
                "quotient is at 0.",
                f"{code(call.text)} {on(call.place.line)} brings it to {code_label(world, tensor)}; a step with it "
                "would leave no number there.",
            ),
            nodes=(node_number,),
            events={"born": event, "built": node.made, "seen": world.count - 1},
            cause="infinite",
            names=known_names(target=label(world, tensor)),
        )

    def report(self) -> list[Diagnosis]:
        if self.diagnosis is None or self.shown is None:
            return [] if self.diagnosis is None else [self.diagnosis]
        return [replace(self.diagnosis, lines={**self.diagnosis.lines, "shows": self.shown})]


def asks(tree: ast.AST) -> bool:
    """Whether the program looks for such numbers itself: it need not be told of them."""
    return any(isinstance(node, ast.Attribute) and node.attr in LOOKED_FOR for node in ast.walk(tree))


def infinite(value: Value | None) -> bool:
    if value is None:
        return False
    numbers = flat(value.data)
    return not all_finite(numbers) and any(isinstance(number, float) and math.isinf(number) for number in numbers)


SIGN = re.compile(r"The total norm of order \S+ for gradients from `parameters` is non-finite")


@rule
def not_finite(world: World, failure: Failure) -> Diagnosis | None:
    if SIGN.match(failure.raised.message) is None:
        return None
    last: dict[int, tuple[GradStored, int]] = {}
    for number, event in enumerate(world.trace.events[: failure.number]):
        if isinstance(event, GradStored):
            last[event.tensor] = event, number
    bad = {tensor: number for tensor, (event, number) in last.items() if not finite(event.after)}
    story = [
        f"{begin_story(world, failure)} measures all gradients together "
        "before it makes them shorter, and their length is infinite or no number."
    ]
    events = {"raised": failure.number}
    if bad:
        some = [code_label(world, tensor) for tensor in list(bad)[:2]]
        story.append(f"So is the gradient of {listing(some)}.")
        events["seen"] = next(iter(bad.values()))
    story.append("Nothing finite comes of shortening it; `error_if_nonfinite=True` asks to be told.")
    return Diagnosis(
        title="Gradients that are not finite",
        message=failure.raised.message,
        lines={"raised": failure.raised.line},
        story=tuple(story),
        events=events,
        cause="not_finite",
    )


NAN_RETURNED = re.compile(r"^Function '(\w+)' returned nan values in its (\d+)\w\w output")


@rule
def nan_found(world: World, failure: Failure) -> Diagnosis | None:
    """Anomaly mode stopped at the first node whose gradients hold NaN."""
    message, line = failure.raised.message, failure.raised.line
    found = NAN_RETURNED.match(message)
    node = failing_node(world, failure)
    if found is None or node is None:
        return None
    return Diagnosis(
        title="NaN is born in the backward",
        message=message,
        lines={"built": node.place.line, "raised": line},
        story=(
            f"**{node.title}**, built {on(node.place.line)}{during(node.place)}, handed on NaN. Its slope is infinite "
            "or undefined at one of the values that it saved, or it was given infinity.",
            f"Anomaly mode looks at every gradient, and stops {code(raising_code(world, failure))} {on(line)} at the "
            "first NaN.",
            "What is multiplied by 0 later, as in the branch of `where` that is not taken, is no help: 0 · ∞ is NaN.",
        ),
        nodes=(node.number,),
        events={"raised": failure.number, "built": node.made},
        cause="nan",
    )


# ---- fixes


@fix(nan=1, infinite=1)
def avoid_nan(wanted: FixContext) -> Iterator[Proposal]:
    """The function gets an input at which its slope is finite."""
    text = wanted.text
    statement = wanted.at("built")
    if statement is None:
        return
    if wanted.name("hidden") is not None:
        yield from numbers_first(wanted, statement)
        return
    yield from harmless_where_left_out(wanted, statement)
    yield from divisors(wanted, statement)
    for call in text.calls(statement, *RISKY):
        given = (
            call.args[0]
            if call.args and not isinstance(call.func, ast.Name) and ast.unparse(call.func).startswith(("torch", "F."))
            else call.func.value
            if isinstance(call.func, ast.Attribute)
            else None
        )
        if given is not None:
            if callee(call) == "pow" and call.args and isinstance(written_count(call.args[-1]), int):
                continue  # a whole power has a slope everywhere: the trouble came from above
            if callee(call) == "norm":
                yield from norm_bounded(wanted, call)
                continue
            title = f"keep the input of {callee(call)} away from 0"
            argument_of = given in call.args
            made = f"{text.get(given)} + 1e-12" if argument_of else f"({text.get(given)} + 1e-12)"
            yield wanted.proposal(title, "slightly other numbers", text.replaced(given, made))
            made = f"{in_brackets(text, given)}.clamp(min=1e-12)"
            yield wanted.proposal(title, "the gradient is 0 below", text.replaced(given, made))
    yield from safe_numbers(wanted, statement)
    yield from shifted_exponents(wanted)
    yield from spread_of_one(wanted)
    for node in ast.walk(statement):
        if isinstance(node, ast.Call) and callee(node) == "log" and node.args:
            found = softplus(node.args[0])
            if found is not None:
                made = f"torch.nn.functional.softplus({text.get(found)})"
                yield wanted.proposal("softplus, which is this function made safe", FREE, text.replaced(node, made))


def norm_bounded(wanted: FixContext, call: ast.Call) -> Iterator[Proposal]:
    """A length that something is divided by, or goes through, stays above 0."""
    text = wanted.text
    title = f"keep the norm on line {call.lineno} above 0"
    yield wanted.proposal(title, "slightly other numbers", append_suffix(text, call, ".clamp(min=1e-6)"))


def numbers_first(wanted: FixContext, statement: ast.stmt) -> Iterator[Proposal]:
    """Numbers take the place of NaN before anything is computed with it."""
    text, hidden = wanted.text, wanted.name("hidden")
    names = sorted(names_in(statement) - targets(statement), key=lambda name: (name != hidden, name))
    for name in names:
        uses = loads(statement, name)
        if uses and name not in MODULES:
            title = f"0 in the place of NaN: torch.nan_to_num({name}) on line {statement.lineno}"
            edits = [text.replaced(use, f"torch.nan_to_num({name})") for use in uses]
            yield wanted.proposal(title, FREE, *edits)


def harmless_where_left_out(wanted: FixContext, statement: ast.stmt) -> Iterator[Proposal]:
    """The function of a branch of `where` gets 1 in the places that the branch is not taken for."""
    text = wanted.text
    for condition, branch, first in branches(text, statement):
        for inner in ast.walk(branch):
            given = argument(inner) if isinstance(inner, ast.Call) and callee(inner) in STEEP else None
            if given is not None:
                one = "1.0" if first else f"torch.ones_like({text.get(given)})"
                pair = f"{text.get(given)}, {one}" if first else f"{one}, {text.get(given)}"
                title = f"a safe input for {callee(inner)} where its branch is not taken"
                yield wanted.proposal(title, FREE, text.replaced(given, f"torch.where({condition}, {pair})"))


def branches(text: Text, statement: ast.stmt) -> Iterator[tuple[str, ast.expr, bool]]:
    """What `statement` computes for a branch of a `where`, of its own or of one that reads its name: the condition,
    the expression, whether it is the first branch."""
    value = value_of(statement)
    for call in [node for node in ast.walk(text.tree) if isinstance(node, ast.Call) and callee(node) == "where"]:
        if len(call.args) != 3:
            continue
        own = any(node is call for node in ast.walk(statement))
        for place, branch in enumerate(call.args[1:]):
            if own:
                yield text.get(call.args[0]), branch, place == 0
            elif value is not None and call.lineno > statement.lineno and names_in(branch) & targets(statement):
                yield text.get(call.args[0]), value, place == 0


def divisors(wanted: FixContext, statement: ast.stmt) -> Iterator[Proposal]:
    """What is divided by gets 1 in the place of 0."""
    text = wanted.text
    for node in ast.walk(statement):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and not isinstance(node.right, ast.Constant):
            below = text.get(node.right)
            made = f"torch.where({in_brackets(text, node.right)} == 0, torch.ones_like({below}), {below})"
            title = f"1 in the place of a divisor that is 0, on line {node.lineno}"
            yield wanted.proposal(title, "other numbers where it is 0", text.replaced(node.right, made))


BOUNDED = ("acos", "asin", "arccos", "arcsin", "atanh")
"""Functions whose slope is infinite at -1 and 1."""


def safe_numbers(wanted: FixContext, statement: ast.stmt) -> Iterator[Proposal]:
    """Bounds that no value reaches, for what is steep at the ends; a large number for minus infinity."""
    text = wanted.text
    for call in text.calls(statement, *BOUNDED):
        owner = call.func.value if isinstance(call.func, ast.Attribute) else None
        given = call.args[0] if call.args else owner
        if given is not None:
            made = f"({text.get(given)}).clamp(-1 + 1e-6, 1 - 1e-6)"
            title = f"keep the input of {callee(call)} just inside -1 and 1"
            yield wanted.proposal(title, "slightly other numbers", text.replaced(given, made))
    for node in ast.walk(statement):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) and written_count(node.right) is None:
            made = f"{in_brackets(text, node.left)}.clamp(min=1e-12)"
            title = f"keep what is raised to a power on line {node.lineno} above 0"
            yield wanted.proposal(title, "the gradient is 0 below", text.replaced(node.left, made))
        if ast.unparse(node) in ("float('-inf')", "-float('inf')", "-torch.inf", "-math.inf", "-np.inf"):
            title = f"-1e9 instead of minus infinity on line {node.lineno}"  # type: ignore[attr-defined]
            yield wanted.proposal(title, "all entries count alike where all are masked", text.replaced(node, "-1e9"))  # type: ignore[arg-type]


RISKY = ("sqrt", "log", "log2", "log10", "pow", "norm", "acos", "asin", "atan2", "reciprocal", "rsqrt", "log1p")
STEEP = (*RISKY, "exp", "exp2", "expm1", "sinh", "cosh", "tan", "lgamma", "digamma", "atanh", "acosh")
"""Functions that have no slope somewhere, or one that is infinite."""


def softplus(node: ast.expr) -> ast.expr | None:
    """`x` of `1 + exp(x)`."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        for one, other in ((node.left, node.right), (node.right, node.left)):
            if (
                isinstance(one, ast.Constant)
                and one.value == 1
                and isinstance(other, ast.Call)
                and callee(other) == "exp"
            ):
                return other.args[0] if other.args else None
    return None


# ---- exponentials that overflow


def shifted_exponents(wanted: FixContext) -> Iterator[Proposal]:
    """`exp(s) / exp(s).sum(1)` stays the same with the largest score taken off; `log(exp(s).sum(1))` has a name."""
    text, statement = wanted.text, wanted.at("built")
    if statement is None:
        return
    for node in ast.walk(statement):
        if isinstance(node, ast.Call) and callee(node) == "log" and (total := argument(node)) is not None:
            inner = summand(total)
            if inner is not None and callee(inner[0]) == "exp" and (given := argument(inner[0])) is not None:
                made = (
                    f"torch.logsumexp({text.get(given)}, {inner[1] or 'tuple(range(' + text.get(given) + '.dim()))'})"
                )
                title = f"logsumexp on line {node.lineno}, which is this function made safe"
                yield wanted.proposal(title, FREE, text.replaced(node, made))
    block = text.block(statement)
    feeding = [s for s in block[: block.index(statement)] if targets(s) & names_in(statement)] + [statement]
    if not any(isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) for node in ast.walk(statement)):
        return
    exps = [(part, given) for part in feeding for call in text.calls(part, "exp") if (given := argument(call))]
    dims = [found[1] for part in feeding for node in ast.walk(part) if (found := summand(node)) and found[1]]
    if len({ast.dump(given) for _, given in exps}) != 1:
        return
    first, given = exps[0]
    name = text.get(given) if isinstance(given, ast.Name | ast.Attribute) else "scores"
    most = f"{name}.max(dim={dims[0]}, keepdim=True).values" if dims else f"{name}.max()"
    edits = [text.replaced(given, f"{name} - {most}") for _, given in exps]
    if name != text.get(given):
        edits.append(text.before(first, [f"{name} = {text.get(given)}"]))
    yield wanted.proposal("take the largest score off before exp: the quotient stays the same", FREE, *edits)


def argument(call: ast.Call) -> ast.expr | None:
    """What `torch.exp(x)` or `x.exp()` is the exponential of."""
    if isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) not in MODULES:
        return call.func.value
    return call.args[0] if call.args else None


MODULES = ("torch", "F", "torch.nn.functional", "nn.functional", "torch.special", "math", "np", "numpy")


def summand(node: ast.AST) -> tuple[ast.Call, str | None] | None:
    """Of a sum what is summed, if that is a call, or the sum itself, and the dimension it says."""
    if not isinstance(node, ast.Call) or callee(node) != "sum":
        return None
    owner = argument(node)
    rest = node.args[1:] if node.args and owner is node.args[0] else node.args
    named = keyword(node, "dim")
    given = named.value if named is not None else rest[0] if rest else None
    inner = owner if isinstance(owner, ast.Call) else node
    return inner, None if given is None else ast.unparse(given)


# ---- the spread of a single value


def spread_of_one(wanted: FixContext) -> Iterator[Proposal]:
    """The spread of one value has no answer with n - 1 below the line; with n it is 0, which nothing is divided by."""
    text, statement = wanted.text, wanted.at("built")
    within = enclosing(text, statement, ast.FunctionDef) if statement is not None else None
    for call in [node for node in ast.walk(within or text.tree) if isinstance(node, ast.Call)]:
        if callee(call) in ("std", "var") and keyword(call, "unbiased") is None and keyword(call, "correction") is None:
            title = f"the spread over n values, and no division by 0, on line {call.lineno}"
            shown = text.get(call)
            if call.args or call.keywords:
                made = f"{shown[:-1].rstrip(', ')}, correction=0)"
            else:
                made = f"{shown[:-1]}correction=0)"
            yield wanted.proposal(title, "slightly other numbers", text.replaced(call, f"({made} + 1e-6)"))


@fix(nan=2, not_finite=1)
def skip_step(wanted: FixContext) -> Iterator[Proposal]:
    """A step is taken only where the gradients are finite."""
    text, raised = wanted.text, wanted.at("raised")
    for call in text.calls(raised, "clip_grad_norm_"):
        allowed = set_keyword(text, call, "error_if_nonfinite", "False")
        if raised is None or keyword(call, "error_if_nonfinite") is None:
            continue
        block = text.block(raised)
        step = next((one for one in block[block.index(raised) + 1 :] if text.calls(one, "step")), None)
        names = sorted(targets(raised)) if isinstance(raised, ast.Assign) else ["norm"]
        if step is None or not isinstance(step, ast.Expr) or len(names) != 1:
            continue
        start = text.place(raised.lineno, raised.col_offset)
        naming = [] if isinstance(raised, ast.Assign) else [Edit(*start, *start, f"{names[0]} = ")]
        made = f"if {names[0]}.isfinite(): {text.get(step)}"
        title = f"leave out the steps with such gradients, on line {step.lineno}"
        yield wanted.workaround(title, "nothing is learnt in those turns", *naming, allowed, text.replaced(step, made))
