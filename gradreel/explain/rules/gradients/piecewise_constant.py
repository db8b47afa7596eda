"""Rounding, places and counts: their derivative is zero or none, so all that is behind them gets zeros."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from gradreel.trace import events as e
from gradreel.trace.events import Value

from ...calls import callee, keyword
from ...diagnostics.diagnosis import Diagnosis, known_names
from ...diagnostics.registry import watcher
from ...diagnostics.showing import FirstTrouble
from ...fixes.edits import append_suffix, assigned_pairs, enclosing, in_brackets, loads, parse_shape, value_of
from ...fixes.proposal import FixContext, Proposal
from ...fixes.registry import fix
from ...fixes.text import Edit, Text, names_in, targets
from ...narration.words import code, code_label, name_of, on
from ...replay.graph_queries import all_zero, by_graph, flat
from ...replay.states import Call, NodeState
from ...replay.world import World
from ..modules.losses import FUNCTIONS

ROUNDS = frozenset(["Round", "Floor", "Ceil", "Trunc", "Sign", "Sgn"])
"""Nodes of functions that are constant but for jumps."""
OF_ONE = {"Softmax": "softmax", "LogSoftmax": "log_softmax", "NativeLayerNorm": "layer norm"}
"""Nodes of functions that are the same whatever they are given, where that is a single entry."""
LAYERS = re.compile(
    r"(Mm|Mv|Bmm|Addmv|Addr|Dot|Linear|Einsum|Bilinear|Convolution|Attention|Embedding)$", re.IGNORECASE
)
"""Nodes of what computes with weights, or compares what a network made with what it made of something else."""
AGAIN = 5
"""So many gradients in a row were zeros, of a leaf that others came to before."""


@watcher(e.NodeRan)
class ZeroDerivative(FirstTrouble):
    """Remembers the rounding nodes that dropped a gradient; tells of a leaf behind one that never got anything else."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.dropped: dict[int, NodeState] = {}
        """By call the first node in it that was given a gradient and handed on zeros."""
        self.zeros: dict[int, tuple[NodeState, int]] = {}
        """By leaf the node, and the event at which zeros first came to it since something else did."""
        self.often: Counter[int] = Counter()
        """How often zeros came to a leaf since then."""
        self.moved: set[int] = set()
        """Leaves that something other than zeros came to."""
        self.reached: dict[int, set[int]] = {}
        """The leaves behind each of those nodes."""
        self.last: set[int] = set()
        """Those of the nodes behind which comes the loss, and no layer any more."""

    def on_node_ran(self, event: e.NodeRan) -> None:
        node = self.world.nodes[event.node]
        constant = (
            node.kind in ROUNDS or self.of_one(node)
        ) and not node.custom  # a Function may hand on what it likes
        if constant and event.call not in self.dropped and node.came is not None and not all_zero(node.came):
            self.dropped[event.call] = node

    def on_grad_stored(self, event: e.GradStored) -> None:
        if event.after is not None and event.call is not None:
            self.arrived(event.call, event.tensor, event.after)

    def on_grad_captured(self, event: e.GradCaptured) -> None:
        if event.value is not None:
            self.arrived(event.call, event.tensor, event.value)

    def of_one(self, node: NodeState) -> bool:
        """Whether the node normalizes entries of which there is only one: it gives 1, or 0, whatever that is."""
        if node.kind not in OF_ONE or not node.outputs:
            return False
        made = self.world.tensors[node.outputs[0]]
        if node.kind == "NativeLayerNorm":
            return bool(made.shape) and made.shape[-1] == 1
        value = made.value
        entries = [] if value is None else list(flat(value.data)) if value.whole else [value.minimum, value.maximum]
        return len(made.shape) > 1 and bool(entries) and set(entries) == {1.0 if node.kind == "Softmax" else 0.0}

    def arrived(self, call: int, leaf: int, gradient: Value) -> None:
        if not all_zero(gradient):
            self.moved.add(leaf)
            self.zeros.pop(leaf, None)
            self.often.pop(leaf, None)
        elif call in self.dropped and leaf in self.behind(self.dropped[call]):
            self.often[leaf] += 1
            if leaf not in self.zeros:
                self.zeros[leaf] = self.dropped[call], self.world.count - 1
                if not computed_on(self.world, self.world.calls[call], self.dropped[call]):
                    self.last.add(self.dropped[call].number)
                self.showing.wait()

    def behind(self, node: NodeState) -> set[int]:
        """The leaves that the graph behind `node` leads to."""
        if node.number not in self.reached:
            given = [self.world.tensors[number] for number in node.inputs]
            self.reached = {node.number: set().union(*(by_graph(self.world, tensor) for tensor in given))}
        return self.reached[node.number]

    def report(self) -> list[Diagnosis]:
        for leaf, (node, event) in self.zeros.items():
            if leaf not in self.moved or self.often[leaf] >= AGAIN:
                return [self.showing.shown(self.describe(leaf, node, event))]
        return []

    def describe(self, leaf: int, node: NodeState, event: int) -> Diagnosis:
        world, place, last = self.world, node.place, node.number in self.last
        story = (
            f"{code(world.source.text(place.line, place.end_line))} {on(place.line)} goes in steps: between its jumps "
            "nothing changes, so its derivative is 0.",
            f"**{node.title}** was given a gradient and handed on zeros, and they are all that came to "
            f"{code_label(world, leaf)}.",
            "A loss compares what was there before the rounding; to round is for counting answers."
            if last
            else "A straight-through estimator rounds the value and lets the gradient pass as if nothing had been "
            "rounded.",
        )
        lines: dict[str, int | None] = {"built": place.line, "raised": None}
        events = {"built": node.made, "seen": event}
        if node.kind in OF_ONE:
            return self.told_of_one(leaf, node, lines, events)
        return Diagnosis(
            title="A rounding sends back zeros",
            lines=lines,
            story=story,
            nodes=(node.number,),
            events=events,
            cause="zero_derivative",
            names=known_names(target=name_of(world, world.tensors[leaf]), how="last" if last else "within"),
        )

    def told_of_one(
        self, leaf: int, node: NodeState, lines: dict[str, int | None], events: dict[str, int]
    ) -> Diagnosis:
        world, what, place = self.world, OF_ONE[node.kind], node.place
        made = world.tensors[node.outputs[0]]
        return Diagnosis(
            title=f"A {what} of a single entry",
            lines=lines,
            story=(
                f"{code(world.source.text(place.line, place.end_line))} {on(place.line)} takes the {what} of a single "
                f"entry in each row: the shape is {list(made.shape)}.",
                "That is the same number whatever the entry is, so its derivative is 0, and zeros are all that came to "
                f"{code_label(world, leaf)}.",
                "One score for yes or no goes through `sigmoid`; `softmax` is for several that share one whole.",
            ),
            nodes=(node.number,),
            events=events,
            cause="of_one_entry",
            names=known_names(target=name_of(world, world.tensors[leaf]), kind=node.kind, wide=str(made.shape[-1] > 1)),
        )


def computed_on(world: World, call: Call, rounding: NodeState) -> bool:
    """Whether a layer, or a leaf, computes with what was rounded before it comes to the root of `call`."""
    between = {rounding.number}
    for number in sorted(number for number in call.expected if number > rounding.number):
        node = world.nodes[number]
        goals = {target for target, _ in node.edges if target is not None}
        if goals & between:
            between.add(number)
            beside = [world.nodes[target] for target in goals - between]
            if LAYERS.search(node.kind) or any(other.variable is not None for other in beside):
                return True
    return False


# ---- fixes


def use_scores(wanted: FixContext) -> Iterator[Proposal]:
    """Hits that were counted become a loss that has a slope: the cross entropy of the scores behind the guesses."""
    text = wanted.text
    scores = {}
    for node in ast.walk(text.tree):
        if (given := ranked_scores(text, node)) is not None:
            scores[text.get(node)] = text.get(given)  # type: ignore[arg-type]
            outer = text.parents.get(node)
            while isinstance(outer, ast.Attribute | ast.Call):
                outer = text.parents.get(outer)
            if isinstance(outer, ast.Assign) and isinstance(outer.targets[0], ast.Name):
                scores[outer.targets[0].id] = text.get(given)
    for node in ast.walk(text.tree):
        if not isinstance(node, ast.expr) or len(sides := compared_sides(node)) != 2:
            continue
        for guess, label in (sides, sides[::-1]):
            behind = scores.get(text.get(guess).removesuffix(".float()"))
            if behind is None:
                continue
            hits = isinstance(node, ast.Compare)
            sign = "-" if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq) else ""
            made = f"torch.nn.functional.cross_entropy({behind}, {text.get(label)})"
            whole, outer = chain(text, node), text.parents.get(chain(text, node))
            missed = isinstance(outer, ast.BinOp) and isinstance(outer.op, ast.Sub) and text.get(outer.left) in ONE
            if sign and missed and isinstance(outer, ast.BinOp):  # a share of misses falls as the loss does
                whole = outer
            else:
                made = f"{sign}{made}"
            instead = "a count of hits" if hits else "a distance of places"
            title = f"the cross entropy of {behind} instead of {instead}, on line {node.lineno}"
            yield wanted.proposal(title, "another loss, one with a slope", text.replaced(whole, made))


ONE = ("1", "1.", "1.0")


def chances_kept(wanted: FixContext) -> Iterator[Proposal]:
    """`(torch.sigmoid(x) > 0.5).float()` becomes `torch.sigmoid(x)`: a loss compares chances, not answers."""
    text, statement = wanted.text, wanted.at("cut")
    for hard in answers(text, statement):
        chances = text.get(hard.left)
        title = f"the chances themselves, {chances}, on line {hard.lineno}"
        cost = "from 0 to 1: take `> 0.5` where answers are counted"
        yield wanted.proposal(title, cost, text.replaced(chain(text, hard), chances))


def answers(text: Text, statement: ast.stmt | None) -> list[ast.Compare]:
    """Where `statement` makes yes or no of a chance: `torch.sigmoid(x) > 0.5`."""
    return [
        hard
        for hard in text.parts(statement, ast.Compare)
        if isinstance(hard.ops[0], ast.Gt | ast.GtE)
        and (is_half(hard.comparators[0]) or LIMIT.search(text.get(hard.comparators[0])))
        and is_chance(text, hard.left)
    ]


LIMIT = re.compile(r"^(?:self\.)?thr(?:esh(?:old)?)?$")


def is_half(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 0.5


CHANCE = re.compile(r"sigmoid|softmax|prob", re.IGNORECASE)


def is_chance(text: Text, value: ast.expr) -> bool:
    """Whether `value`, or what it was made of, is squashed between 0 and 1; of what a model gives: if any layer is."""
    makers = [node.value for node in text.parts(text.tree, ast.Assign) if names_in(value) & targets(node)]
    if any(CHANCE.search(text.get(part)) for part in (value, *makers)):
        return True
    return any(text.parts(maker, ast.Call) for maker in (value, *makers)) and bool(CHANCE.search(text.source))


def soft_step(wanted: FixContext) -> Iterator[Proposal]:
    """`(x > t).float()` becomes a step with a slope, `torch.sigmoid(x - t)`; a chance needs none."""
    text, statement = wanted.text, wanted.at("cut")
    if answers(text, statement):
        return
    for call in text.calls(statement, "float", "type_as", "to"):
        hard = call.func.value if isinstance(call.func, ast.Attribute) else None
        if not isinstance(hard, ast.Compare) or not isinstance(hard.ops[0], ast.Gt | ast.GtE | ast.Lt | ast.LtE):
            continue
        high, low = hard.left, hard.comparators[0]
        if isinstance(hard.ops[0], ast.Lt | ast.LtE):
            high, low = low, high
        taken = text.get(low) if isinstance(low, ast.Name | ast.Constant | ast.Call) else f"({text.get(low)})"
        made = f"torch.sigmoid({text.get(high)}{'' if taken == '0' else f' - {taken}'})"
        title = f"{made}, a step with a slope, on line {call.lineno}"
        yield wanted.proposal(title, "between 0 and 1, in the place of 0 or 1", text.replaced(call, made))


def ranked_scores(text: Text, node: ast.AST) -> ast.expr | None:
    """The scores whose largest places `node` is: of `x.argmax(1)`, `x.max(1)[1]`, `torch.max(x, 1).indices`."""
    call, name = node, "argmax"
    if isinstance(node, ast.Subscript | ast.Attribute):
        part = text.get(node.slice) if isinstance(node, ast.Subscript) else node.attr
        call, name = node.value, "max" if part in ("1", "indices") else ""
    if not isinstance(call, ast.Call) or callee(call) != name or not isinstance(call.func, ast.Attribute):
        return None
    return call.args[0] if text.get(call.func.value) == "torch" and call.args else call.func.value


def compared_sides(node: ast.expr) -> list[ast.expr]:
    """The two sides of `a == b`, of `a - b`, or of `mse_loss(a, b)`."""
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq | ast.NotEq):
        return [node.left, node.comparators[0]]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
        return [node.left, node.right]
    return node.args if isinstance(node, ast.Call) and len(node.args) == 2 else []


def chain(text: Text, node: ast.expr) -> ast.expr:
    """`node` with its power and the calls of methods that follow it: all of `((a - b) ** 2).float().mean()`, without a
    backward from it."""
    outer = text.parents.get(node)
    while (
        (isinstance(outer, ast.Attribute) and outer.value is node and outer.attr != "backward")
        or (isinstance(outer, ast.Call) and outer.func is node)
        or (isinstance(outer, ast.BinOp) and outer.left is node and isinstance(outer.op, ast.Pow))
    ):
        node, outer = outer, text.parents.get(outer)
    return node


def looked_up_straight_through(wanted: FixContext) -> Iterator[Proposal]:
    """What a table gives for the places of the nearest is returned with the gradient of what it stands for."""
    text, statement = wanted.text, wanted.at("cut")
    home = enclosing(text, statement, ast.FunctionDef) if statement is not None else None
    if not isinstance(statement, ast.Assign) or not isinstance(home, ast.FunctionDef):
        return
    places = targets(statement)
    looked_up = [
        node for node in text.parts(home, ast.Assign) if node is not statement and places & names_in(node.value)
    ]
    rows = set().union(*map(targets, looked_up))
    for source in [arg.arg for arg in home.args.args if arg.arg != "self"]:
        for end in text.parts(home, ast.Return):
            for name in [part for part in text.parts(end, ast.Name) if part.id in rows]:
                made = f"{source} + ({name.id} - {source}).detach()"
                title = f"let the gradient pass straight through the look-up: {made}, on line {end.lineno}"
                yield wanted.proposal(title, "a made-up gradient: that of doing nothing", text.replaced(name, made))


LOGARITHMS = re.compile(r"BCELoss|binary_cross_entropy\(|\blog\(")
"""Losses that are infinite at a sure answer that is wrong: no place for a 0 or 1."""


def straight_through(wanted: FixContext) -> Iterator[Proposal]:
    """What was rounded keeps its value and takes the gradient of what it was made of."""
    text, statement = wanted.text, wanted.at("cut")
    value = value_of(statement)
    source = wanted.name("source")
    if answers(text, statement) and LOGARITHMS.search(text.source):
        return
    if isinstance(statement, ast.Assign) and value is not None and source is not None:
        made = f"{source} + ({text.get(value)} - {source}).detach()"
        title = f"let the gradient pass straight through line {statement.lineno}"
        yield wanted.proposal(title, "a made-up gradient: that of doing nothing", text.replaced(value, made))
    if value is not None and source is not None and statement is not None:
        title = f"use {source} itself on line {statement.lineno}"
        yield wanted.proposal(title, "other numbers: they are not rounded", text.replaced(value, source))


ROUNDING = ("round", "floor", "ceil", "trunc", "sign", "sgn", "fix")
ESTIMATE = "the gradient passes as if nothing were rounded: an estimate, with which such networks are trained"


def rounding(wanted: FixContext) -> Iterator[tuple[ast.Call, ast.expr]]:
    """The calls that round, where a gradient ended, each with what it rounds."""
    text = wanted.text
    for call in text.calls(wanted.at("built"), *ROUNDING):
        function = isinstance(call.func, ast.Attribute) and text.get(call.func.value) == "torch"
        value = call.func.value if isinstance(call.func, ast.Attribute) else None
        value = call.args[0] if function and call.args else value
        if value is not None:
            yield call, value


@fix(zero_derivative=1)
def drop_rounding(wanted: FixContext) -> Iterator[Proposal]:
    """A loss gets what was rounded for it as it is: `torch.round(torch.sigmoid(x))` becomes `torch.sigmoid(x)`."""
    text = wanted.text
    for call, value in rounding(wanted) if wanted.name("how") == "last" else ():
        title = f"{text.get(value)} as it is, not rounded, on line {call.lineno}"
        outer = text.parents.get(call)
        alone = isinstance(outer, ast.Assign | ast.Return) or (isinstance(outer, ast.Call) and call in outer.args)
        shown = text.get(value) if alone else in_brackets(text, value)
        counted = [use for use in answers_counted(text, call) if call not in text.around(use)]
        if counted:
            title += f", but where answers are counted, on line {counted[0].lineno}"
        edits = [append_suffix(text, use, f".{callee(call)}()") for use in counted]
        cost = "other numbers: round where answers are counted"
        yield wanted.proposal(title, cost, text.replaced(call, shown), *edits)


def answers_counted(text: Text, call: ast.Call) -> list[ast.expr]:
    """Where what `call` rounds, in place or in what the function around it gives, is compared for being the same."""
    home, statement = enclosing(text, call, ast.FunctionDef), enclosing(text, call, ast.stmt)
    names = targets(statement) if isinstance(statement, ast.Assign) else set()
    if isinstance(statement, ast.Return) and isinstance(home, ast.FunctionDef):
        owner = enclosing(text, home, ast.ClassDef)
        makers = [node for node in text.parts(text.tree, ast.Assign) if text.calls(node, getattr(owner, "name", ""))]
        givers = {home.name}.union(*map(targets, makers))
        given = [node for node in text.parts(text.tree, ast.Assign) if callee(node.value) in givers]
        names = set().union(*map(targets, given))
        home = None
    scope = home or text.tree
    sides = [side for node in text.parts(scope, ast.Compare) for side in compared_sides(node)]
    for node in [call for call in text.parts(scope, ast.Call) if callee(call) == "eq"]:
        sides += [*node.args, *([node.func.value] if isinstance(node.func, ast.Attribute) else [])]
    return [side for side in sides if isinstance(inner := whole_of(side), ast.Name) and inner.id in names]


def whole_of(node: ast.expr) -> ast.expr:
    """What is turned, reshaped or cut off its graph, without that: `y` of `y.view(-1).detach()`."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and callee(node) in SHAPED:
        node = node.func.value
    return node


SHAPED = ("view", "reshape", "squeeze", "flatten", "detach", "unsqueeze", "cpu", "t")


@fix(zero_derivative=2)
def round_straight_through(wanted: FixContext) -> Iterator[Proposal]:
    """`torch.round(x)` becomes `x + (torch.round(x) - x).detach()`: the value is rounded, and the slope is 1."""
    text, statement = wanted.text, wanted.at("built")
    for call, value in rounding(wanted):
        shown, before = in_brackets(text, value), []
        simple = isinstance(statement, ast.Assign | ast.Return) and text.alone(statement)
        within = any(isinstance(outer, ast.Lambda | ast.ListComp | ast.GeneratorExp) for outer in text.around(call))
        if text.parts(value, ast.Call) and statement is not None and simple and not within:
            before, shown = [text.before(statement, [f"smooth = {text.get(value)}"])], "smooth"
        rounded = text.get(call).replace(text.get(value), shown.removeprefix("(").removesuffix(")"), 1)
        whole = f"{shown} + ({rounded} - {shown}).detach()"
        alone = isinstance(text.parents.get(call), ast.Assign | ast.Return)
        title = f"let the gradient pass straight through the rounding on line {call.lineno}"
        yield wanted.proposal(title, ESTIMATE, *before, text.replaced(call, whole if alone else f"({whole})"))


MEAN_PLACE = "the mean place, weighted by softmax: beside the largest, where there are several peaks"


def soft_place(wanted: FixContext) -> Iterator[Proposal]:
    """Soft-argmax: the place of the largest becomes the mean of all places, weighted by the softmax of the scores."""
    text, statement = wanted.text, wanted.at("cut")
    for call, scores, dim in places(text, statement):
        if scores is None or dim is None:
            continue
        title = f"soft-argmax: the mean place by the softmax of {text.get(scores)}, on line {call.lineno}"
        shown, first, before = text.get(dim), text.get(scores), []
        if not isinstance(scores, ast.Name | ast.Attribute) and statement is not None and text.alone(statement):
            before, first = [text.before(statement, [f"scores = {first}"])], "scores"
        length, weights = f"{first}.shape[{shown}]", f"torch.softmax({first}, dim={shown})"
        name = statement.targets[0] if isinstance(statement, ast.Assign) and statement.value is call else None
        if isinstance(name, ast.Name):
            edits = by_names(text, statement, name.id, weights, length, shown)
        else:
            edits = [text.replaced(call, f"({weights} * torch.arange({length})).sum({shown})")]
        if edits:
            yield wanted.proposal(title, MEAN_PLACE, *before, *edits)


CHANCES = "chances in the place of classes; the largest is the answer where answers are counted"


def soft_class(wanted: FixContext) -> Iterator[Proposal]:
    """A class becomes its chance: `argmax(x, 1).float()` of two classes `softmax(x, 1)[:, 1]`, and a one-hot of it the
    whole softmax. What asked for a gradient of the result goes."""
    text, statement, leaf = wanted.text, wanted.at("cut"), wanted.name("leaf")
    flags = [part for part in text.parts(text.tree, ast.Assign) if text.get(part) == f"{leaf}.requires_grad = True"]
    calls = [part for part in text.parts(text.tree, ast.Expr) if text.get(part).startswith(f"{leaf}.requires_grad_(")]
    asked = [text.removed(part) for part in (*flags, *calls) if text.alone(part)]
    for place, scores, dim in places(text, statement):
        if scores is None or dim is None:
            continue
        chances, whole = f"torch.softmax({text.get(scores)}, dim={text.get(dim)})", text.parents.get(place)
        if isinstance(whole, ast.Call) and callee(whole) == "one_hot":
            target = with_calls(text, whole, "permute", "movedim", "float")
        elif size_along(wanted, dim) == 2:
            chances += {"1": "[:, 1]", "-1": "[..., 1]", "0": "[1]"}.get(text.get(dim), f".select({text.get(dim)}, 1)")
            target = with_calls(text, place, "float")
        else:
            continue
        title = f"chances, {chances}, on line {place.lineno}"
        yield wanted.proposal(title, CHANCES, text.replaced(target, chances), *asked)


def with_calls(text: Text, node: ast.expr, *names: str) -> ast.expr:
    """`node` with the calls of methods of these names behind it."""
    outer = text.parents.get(node)
    call = text.parents.get(outer) if isinstance(outer, ast.Attribute) and outer.attr in names else None
    return with_calls(text, call, *names) if isinstance(call, ast.Call) else node


def size_along(wanted: FixContext, dim: ast.expr) -> int | None:
    """How long what the graph led back to is along `dim`, if that is a number."""
    shape, shown = parse_shape(wanted.name("source_shape")), wanted.text.get(dim)
    at = int(shown) if shown.removeprefix("-").isdecimal() else len(shape)
    return shape[at] if -len(shape) <= at < len(shape) else None


Place = tuple[ast.expr, ast.expr | None, ast.expr | None]


def places(text: Text, statement: ast.stmt | None) -> Iterator[Place]:
    """What in `statement` gives the place of the largest, with the scores and the dimension: `argmax(1)`, and the
    second of what `max(1)` and `topk(1, 1)` give, which keep the dimension or can be asked to."""
    for call in text.calls(statement, "argmax"):
        yield (call, *of_argmax(text, call))
    for call in text.calls(statement, "max", "topk"):
        scores, dim = of_argmax(text, call)
        whole = second_of(text, call)
        if whole is None or dim is None:
            continue
        if callee(call) == "topk":
            count, dim = of_topk(text, call)
            if not (isinstance(count, ast.Constant) and count.value == 1):
                continue
        keeps = callee(call) == "topk" or keyword(call, "keepdim") is not None
        place = squeezed_call(text, whole) if keeps else whole
        if place is not None:
            yield place, scores, dim


LAST = ast.Constant(-1)


def of_topk(text: Text, call: ast.Call) -> tuple[ast.expr | None, ast.expr]:
    """The count and the dimension of `torch.topk(x, 1, dim=1)` and of `x.topk(1, 1)`."""
    function = isinstance(call.func, ast.Attribute) and text.get(call.func.value) == "torch"
    given = call.args[1:] if function else call.args
    counted, named = keyword(call, "k"), keyword(call, "dim")
    count = counted.value if counted is not None else given[0] if given else None
    return count, named.value if named is not None else given[1] if len(given) > 1 else LAST


def second_of(text: Text, call: ast.Call) -> ast.expr | None:
    """`call.indices` or `call[1]`, if that is what is taken of it."""
    outer = text.parents.get(call)
    if isinstance(outer, ast.Attribute) and outer.attr == "indices":
        return outer
    if isinstance(outer, ast.Subscript) and isinstance(outer.slice, ast.Constant) and outer.slice.value == 1:
        return outer
    return None


def squeezed_call(text: Text, whole: ast.expr) -> ast.expr | None:
    """`whole` with the `.squeeze()`, or the `[:, 0]`, that takes the dimension of its one entry away."""
    outer = text.parents.get(whole)
    call = text.parents.get(outer) if isinstance(outer, ast.Attribute) and outer.attr == "squeeze" else None
    if isinstance(call, ast.Call):
        return call
    if isinstance(outer, ast.Subscript) and ast.unparse(outer.slice) in ("(:, 0)", "(..., 0)"):
        return outer
    return None


def of_argmax(text: Text, call: ast.Call) -> tuple[ast.expr | None, ast.expr | None]:
    """The scores and the dimension of `torch.argmax(x, dim=1)` and of `x.argmax(1)`."""
    function = isinstance(call.func, ast.Attribute) and text.get(call.func.value) == "torch"
    given = list(call.args)
    scores = given.pop(0) if function and given else call.func.value if isinstance(call.func, ast.Attribute) else None
    named = keyword(call, "dim")
    return scores, named.value if named is not None else given[0] if given else None


def by_names(text: Text, statement: ast.stmt | None, name: str, weights: str, length: str, dim: str) -> list[Edit]:
    """What is computed of the place, `place // width` and `place % width`, becomes the mean of that over all places."""
    if not isinstance(statement, ast.Assign):
        return []
    home = enclosing(text, statement, ast.FunctionDef) or text.tree
    mean = [text.replaced(statement.targets[0], "places, weights")]
    edits = [*mean, text.replaced(statement.value, f"torch.arange({length}), {weights}")]
    for use in loads(home, name):
        if use.lineno <= statement.lineno:
            continue
        whole: ast.AST = use
        while isinstance(outer := text.parents.get(whole), ast.BinOp) and isinstance(outer.op, ast.FloorDiv | ast.Mod):
            whole = outer
        if isinstance(whole, ast.expr):
            inner = text.get(whole).replace(text.get(use), "places", 1)
            inner = inner if whole is use else f"({inner})"
            edits.append(text.replaced(whole, f"(weights * {inner}).sum({dim})"))
    return edits if len(edits) > 2 else []


SOFT_HISTC = (
    "def soft_histc(x, bins, low, high):",
    "    width = (high - low) / bins",
    "    centers = low + width * (torch.arange(bins) + 0.5)",
    "    return (1 - (x.reshape(-1, 1) - centers).abs() / width).clamp(min=0).sum(0)",
    "",
    "",
)
"""Each number is shared between the two bins whose centres it lies between."""


def soft_counts(wanted: FixContext) -> Iterator[Proposal]:
    """`torch.histc(x, bins, low, high)` becomes a soft histogram: each number is shared by the bins next to it."""
    text = wanted.text
    edits: list[Edit] = []
    for call in text.calls(text.tree, "histc"):
        given = arguments(call)
        if given is None or ast.unparse(given[2]) == ast.unparse(given[3]):
            return
        edits.append(text.replaced(call, f"soft_histc({', '.join(text.get(part) for part in given)})"))
    body = [node for node in text.tree.body if not isinstance(node, ast.Import | ast.ImportFrom)]
    doc = body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
    first = body[1:] if doc else body
    if edits and first:
        cost = "a number counts by its distance from the middles of the two bins next to it"
        title = "a soft histogram in the place of `histc`, one with slopes"
        yield wanted.proposal(title, cost, text.before(first[0], SOFT_HISTC), *edits)


def arguments(call: ast.Call) -> list[ast.expr] | None:
    """What `torch.histc(x, bins, min, max)` is given, in this order."""
    names = ("input", "bins", "min", "max")
    own = [*call.args] if isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) == "torch" else None
    if own is None and isinstance(call.func, ast.Attribute):
        own = [call.func.value, *call.args]
    found = list(own or [])
    for name in names[len(found) :]:
        given = keyword(call, name)
        if given is None:
            return None
        found.append(given.value)
    return found if len(found) == len(names) and callee(call) == "histc" else None


SCALED = "what is picked is scaled by its chance, as gates are trained"


@dataclass(frozen=True, slots=True)
class Pick:
    """The line that picks the largest of `scores`: what it calls the `place`, and the `chance` once it is edited."""

    home: ast.FunctionDef
    statement: ast.Assign
    place: str
    chance: str
    edits: tuple[Edit, ...]


def multiply_by_chance(wanted: FixContext) -> Iterator[Proposal]:
    """What the picked expert gives is multiplied by the chance of the pick: `top_p.unsqueeze(-1) * expert(x)`."""
    text, pick = wanted.text, find_pick(wanted)
    if pick is None:
        return
    for use in [use for use in loads(pick.home, pick.place) if use.lineno > pick.statement.lineno]:
        loop = find_expert_loop(text, use)
        if loop is not None:
            for name in filled_names(text, loop, pick.home):
                title = f"multiply {name} by the chance of the pick, {pick.chance}, after line {loop.end_lineno}"
                line = f"{name} = {name} * {pick.chance}"
                yield wanted.proposal(title, SCALED, *pick.edits, text.after(loop, [line]))
        row = next((outer for outer in text.around(use) if isinstance(outer, ast.Subscript)), None)
        if row is None or use not in ast.walk(row.slice):
            continue
        outer = text.parents.get(row)
        whole = outer if isinstance(outer, ast.Call) and outer.func is row else row
        made = f"{pick.chance} * {text.get(whole)}"
        plain = isinstance(text.parents.get(whole), ast.Assign | ast.Return | ast.Call)
        title = f"multiply {text.get(whole)} by the chance of the pick, {pick.chance}, on line {whole.lineno}"
        edit = text.replaced(whole, made if plain else f"({made})")
        yield wanted.proposal(title, SCALED, *pick.edits, edit)


def find_pick(wanted: FixContext) -> Pick | None:
    """`idx = scores.argmax(dim)`, or what `max` and `topk` give, where the graph ends."""
    text, statement = wanted.text, wanted.at("cut")
    home = enclosing(text, statement, ast.FunctionDef) if statement is not None else None
    calls = text.calls(statement, "argmax", "max", "topk")
    if not isinstance(statement, ast.Assign) or not isinstance(home, ast.FunctionDef) or not calls:
        return None
    call, goal = calls[0], statement.targets[0]
    scores, dim = of_argmax(text, call)
    if callee(call) == "topk":
        dim = of_topk(text, call)[1]
    if scores is None:
        return None
    if isinstance(goal, ast.Name) and dim is None and callee(call) == "argmax":
        soft = text.get(scores) if is_chance(text, scores) else f"torch.softmax({text.get(scores)}, dim=-1)"
        return Pick(home, statement, goal.id, f"{soft}[{goal.id}]", ())
    if dim is None:
        return None
    wide = callee(call) == "topk" or keyword(call, "keepdim") is not None
    softened = f"{in_brackets(text, scores)}.softmax(dim={text.get(dim)})"
    softening = () if is_chance(text, scores) else (text.replaced(scores, softened),)
    if isinstance(goal, ast.Tuple) and len(goal.elts) == 2 and statement.value is call:
        chance, place = (part.id if isinstance(part, ast.Name) else "" for part in goal.elts)
        edits = softening
        if not chance or loads(home, chance) and not chance.strip("_"):
            return None
        if not chance.strip("_"):
            chance, edits = "chance", (*edits, text.replaced(goal.elts[0], "chance"))
    elif isinstance(goal, ast.Name) and not wide:
        place, chance = goal.id, "chance"
        shown = softened if softening else in_brackets(text, scores)
        whole = f"chance, {place} = {shown}.max(dim={text.get(dim)})"
        edits = (text.replaced(statement, whole),)
    else:
        return None
    return Pick(home, statement, place, chance if wide else f"{chance}.unsqueeze(-1)", edits)


def find_expert_loop(text: Text, use: ast.expr) -> ast.For | None:
    """The loop over experts whose number `use` is compared with: `idx == k`."""
    test, loop = text.parents.get(use), text.loop(use)
    number = names_in(loop.target) if isinstance(loop, ast.For) else set()
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.Eq):
        return None
    return loop if isinstance(loop, ast.For) and names_in(test) & number else None


def filled_names(text: Text, loop: ast.For, home: ast.FunctionDef) -> list[str]:
    """What `loop` fills that was made before it, and is used behind it."""
    filled: dict[str, None] = {}
    for part in text.parts(loop, ast.Assign):
        goal = part.targets[0]
        filled |= dict.fromkeys(
            [goal.value.id] if isinstance(goal, ast.Subscript) and isinstance(goal.value, ast.Name) else targets(part)
        )
    for added in text.parts(loop, ast.AugAssign):
        filled |= dict.fromkeys(sorted(names_in(added.target) - names_in(loop.target)))
    for call in text.parts(loop, ast.Call):
        if (
            isinstance(call.func, ast.Attribute)
            and call.func.attr.endswith("_")
            and isinstance(call.func.value, ast.Name)
        ):
            filled[call.func.value.id] = None
    before = {name for part in text.parts(home, ast.Assign) if part.lineno < loop.lineno for name in targets(part)}
    later = [part for part in text.parts(home, ast.Name) if part.lineno > (loop.end_lineno or 0)]
    return [name for name in filled if name in before and any(part.id == name for part in later)]


@fix(of_one_entry=1)
def use_sigmoid(wanted: FixContext) -> Iterator[Proposal]:
    """One score goes through `sigmoid`; where there are several in the last dimension, `softmax` is taken over that."""
    text, wide = wanted.text, wanted.name("wide") == "True"
    made_as = {text.get(goal) for goal, value in assigned_pairs(text.tree) if callee(value) == "Softmax"}
    here = text.calls(wanted.at("built"))
    calls = [call for call in here if callee(call) in ("softmax", "Softmax") or text.get(call.func) in made_as]
    for call in calls or text.calls(text.tree, "Softmax") if wanted.name("kind") == "Softmax" else ():
        given = keyword(call, "dim")
        place = 0 if callee(call) == "Softmax" or text.get(call.func).rpartition(".")[0] not in FUNCTIONS else 1
        dim = given.value if given is not None else call.args[place] if len(call.args) > place else None
        if wide and dim is not None:
            title = f"over the last dimension, dim=-1, on line {call.lineno}"
            yield wanted.proposal(title, "other entries share the whole", text.replaced(dim, "-1"))
        if callee(call) == "Softmax":
            made = f"{text.get(call.func).removesuffix('Softmax')}Sigmoid()"
        else:
            assert isinstance(call.func, ast.Attribute)
            scores = call.args[0] if place or text.get(call.func) in made_as else call.func.value
            made = f"torch.sigmoid({text.get(scores)})"
        title = f"{made} on line {call.lineno}: a chance for yes"
        yield wanted.proposal(title, "a number between 0 and 1 for each row", text.replaced(call, made))
