"""Losses: targets first, chances where scores belong, a column beside a row, a class that is not made."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from gradreel.trace import events as e

from ...calls import callee, calls_in, keyword
from ...diagnostics.diagnosis import Diagnosis, Failure, known_names
from ...diagnostics.mentions import begin_story, raising_statement, stands_for
from ...diagnostics.message_rules import MessageRule, message_rules
from ...diagnostics.refusals import declare_refusal
from ...diagnostics.registry import Watcher, rule, watcher
from ...diagnostics.showing import FirstTrouble
from ...fixes.edits import bracket
from ...fixes.proposal import FREE, FixContext, Proposal
from ...fixes.registry import fix
from ...fixes.text import Edit, Text
from ...narration.words import code, code_label, during, name_of, on, upper
from ...replay.graph_queries import ancestors, origin
from ...replay.states import NodeState, TensorState
from ...replay.world import World
from ..gradients.backward_root import drop_argument

LOSS = re.compile(r"loss|entropy|crit|kl_div|objective", re.IGNORECASE)
SAID = re.compile(r"log_softmax|nll_loss|\btarget\b|between 0 and 1")
"""What messages say that come out of losses."""
ORDER = "A loss takes the scores first, and then what they are compared with: the order says which of them is to learn."
TITLE = "The targets stand where the scores belong"


@rule
def swapped_arguments(world: World, failure: Failure) -> Diagnosis | None:
    said = SAID.search(failure.raised.message) is not None
    for call in calls_in(raising_statement(world, failure)):
        if len(call.args) < 2 or not (said or LOSS.search(callee(call))):
            continue
        one, two = call.args[:2]
        first, second = stands_for(world, ast.unparse(one)), stands_for(world, ast.unparse(two))
        if first is None or not targets_first(first, second):
            continue
        return Diagnosis(
            title=TITLE,
            message=failure.raised.message,
            lines={"built": first.place.line, "raised": failure.raised.line},
            story=(
                f"{begin_story(world, failure)} gives the loss "
                f"{code(ast.unparse(one))} first, made {on(first.place.line)}: {plainly(first)}.",
                ORDER,
            ),
            events={"built": first.made, "raised": failure.number},
            cause="swapped",
            names=known_names(first=ast.unparse(one), second=ast.unparse(two)),
        )
    return None


def targets_first(first: TensorState, second: TensorState | None) -> bool:
    """Whether the first is data, and the second what was computed to be compared with it."""
    if first.requires_grad:
        return False
    return second.requires_grad if second is not None else whole(first)


def whole(tensor: TensorState) -> bool:
    return tensor.dtype.startswith(("int", "uint", "bool"))


def plainly(tensor: TensorState) -> str:
    return f"whole numbers, of type {tensor.dtype}" if whole(tensor) else "data, which no gradient is asked for"


ASYMMETRIC_LOSSES = ("BinaryCrossEntropy",)
"""What losses are called that are another number the other way round."""


@watcher(e.NodeMade)
class TurnedRound(Watcher):
    """Looks at each such loss once: which of its two inputs wants a gradient."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.diagnosis: Diagnosis | None = None

    def on_node_made(self, event: e.NodeMade) -> None:
        if self.diagnosis is not None or not event.name.startswith(ASYMMETRIC_LOSSES):
            return
        world, node = self.world, self.world.nodes[event.node]
        line = node.place.line
        for call in calls_in(world.source.statement(line, world.ends.get(line))):
            if len(call.args) < 2:
                continue
            one, two = (ast.unparse(arg) for arg in call.args[:2])
            first, second = stands_for(world, one), stands_for(world, two)
            if first is None or second is None or first.requires_grad or not second.requires_grad:
                continue
            self.diagnosis = Diagnosis(
                title=TITLE,
                lines={"built": line, "raised": None},
                story=(
                    f"{code(world.source.text(line))} {on(line)}{during(node.place)} gives the loss {code(one)} first, "
                    f"made {on(first.place.line)}, for which no gradient is asked; {code(two)} is what learns.",
                    ORDER,
                ),
                nodes=(node.number,),
                events={"built": node.made},
                cause="swapped",
                names=known_names(first=one, second=two),
            )

    def report(self) -> list[Diagnosis]:
        return [] if self.diagnosis is None else [self.diagnosis]


PASSED_ON = frozenset({"View", "Squeeze", "Unsqueeze", "Transpose", "T", "Permute", "Select", "UnsafeView", "Expand"})
"""What leaves numbers as they are."""

SMALL = "All chances lie between 0 and 1, so {again} of them never comes near 0 or 1. The loss stays high, and what "
SMALL += "goes backward is small. Give the loss the scores as the last layer has them."
LOGARITHMS = "`nll_loss` takes the logarithms of chances: `log_softmax` makes them. Of the chances themselves it makes "
LOGARITHMS += "a number between -1 and 0, whose gradient says little of how wrong a guess is."


@watcher(e.NodeMade)
class Squashed(FirstTrouble):
    """Looks at each loss once: what its scores came from."""

    def on_node_made(self, event: e.NodeMade) -> None:
        if self.diagnosis is not None:
            return
        node = self.world.nodes[event.node]
        if node.kind == "BinaryCrossEntropyWithLogits" and (found := self.above(node, "Sigmoid")):
            self.squashed(node, found, "sigmoid", "Sigmoid twice", SMALL.format(again="a second sigmoid"))
        elif node.kind in ("NllLoss", "NllLoss2D"):
            logarithm = self.above(node, "LogSoftmax")
            if logarithm is None and (found := self.above(node, "Softmax")):
                self.squashed(node, found, "softmax", "Chances where their logarithms belong", LOGARITHMS)
            elif logarithm is not None and (found := self.above(logarithm, "Softmax")):
                self.squashed(node, found, "softmax", "Softmax twice", SMALL.format(again="a second softmax"))

    def above(self, node: NodeState, kind: str) -> NodeState | None:
        """The node of this kind whose numbers `node` was given."""
        while node.edges:
            before = node.edges[0][0]
            if before is None:
                return None
            node = self.world.nodes[before]
            if node.kind not in PASSED_ON:
                return node if node.kind == kind else None
        return None

    def squashed(self, node: NodeState, before: NodeState, by: str, title: str, why: str) -> None:
        line, made = node.place.line, before.place.line
        where = "on the same line" if line == made else on(made)
        cause = "chances" if why is LOGARITHMS else "squashed"
        nodes, events = (before.number, node.number), {"built": node.made}
        self.tell(
            Diagnosis(
                title=title,
                lines={"built": line, "squashed": made, "raised": None},
                story=(
                    f"{code(self.world.source.text(line))} {on(line)}{during(node.place)} is given chances: {code(by)} "
                    f"made them {where}.",
                    why,
                ),
                nodes=nodes,
                events=events,
                cause=cause,
                names={"by": by},
            )
        )


SIZES = re.compile(
    r"Using a target size \(torch\.Size\((\[[\d, ]*\])\)\) that is different to the input size "
    r"\(torch\.Size\((\[[\d, ]*\])\)\)"
)
EACH = frozenset({"Pow", "Abs", "Mul", "Div", "Neg", "Sqrt", "Cosh", "Log", "Exp", "Where", "Clamp"})
"""What a loss makes of differences entry by entry."""
TOTALS = frozenset({"Mean", "Sum"})
LOSSES = frozenset({"MseLoss", "SmoothL1Loss", "HuberLoss", "BinaryCrossEntropy", "BinaryCrossEntropyWithLogits"})
"""Losses that can be had entry by entry."""
PRODUCTS = frozenset({"Addmm", "Mm", "Mv", "Unsafe", "AddBmm"})
CURVES = frozenset({"Relu", "Tanh", "Sigmoid", "Softplus", "Gelu", "Elu", "LeakyRelu", "Mul", "Add", "Sub", "Silu"})
"""What stands between the last product of a network and its scores."""
RESHAPED = frozenset({"Squeeze", "View", "Select", "UnsafeView", "ReshapeAlias"})
"""What makes a row of a column."""
WHY = (
    "Broadcasting makes one shape of both, so that each score is compared with each target, not with its own.",
    "The loss then falls to that of a constant guess; `squeeze` or `unsqueeze` gives both one shape.",
)
WEIGHED = (
    "Broadcasting makes one shape of both, so that each loss is multiplied with each weight, not with its own.",
    "What should weigh nothing then counts as much as the rest; `squeeze` or `unsqueeze` gives both one shape.",
)


@watcher(e.NodeMade)
class Broadcast(FirstTrouble):
    """Keeps the first warning of this kind, or the first difference of such shapes that a backward starts from."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.differences: dict[int, tuple[TensorState, TensorState]] = {}
        """By node the scores and the targets that it takes the differences of."""

    def on_warned(self, event: e.Warned) -> None:
        sizes = SIZES.search(event.message)
        if sizes is None or self.diagnosis is not None:
            return
        place = self.world.place
        text = code(self.world.source.statement(place.line, place.end_line))
        self.tell(
            Diagnosis(
                kind="shape",
                title="Scores and targets of two shapes",
                lines={"built": place.line, "raised": None, "shows": place.line},
                story=(
                    f"{text} {on(place.line)} compares scores of shape {sizes[2]} with targets of shape {sizes[1]}.",
                    *WHY,
                ),
                events={"built": self.world.count - 1},
                cause="broadcast",
            )
        )

    def on_tensor_made(self, event: e.TensorMade) -> None:
        """A column and a row, of which nobody asked for a table of all pairs: scores that a network gave and data, or
        the losses of rows and their weights."""
        if event.node is None or len(event.inputs) != 2 or len(event.shape) != 2:
            return
        pair = [self.world.tensors[number] for number in event.inputs]
        column, row = sorted(pair, key=lambda tensor: -len(tensor.shape))
        n = row.shape[0] if len(row.shape) == 1 else 0
        if n < 2 or column.shape != (n, 1) or event.shape != (n, n):
            return
        if event.op.startswith(("sub", "rsub")):
            if not row.requires_grad and self.from_network(column, CURVES):
                self.differences[event.node] = column, row
            elif not column.requires_grad and column.base is None and self.from_network(row, CURVES | RESHAPED):
                self.differences[event.node] = row, column
        elif event.op.startswith(("mul", "div")) and not row.requires_grad and self.of_rows(column):
            self.differences[event.node] = column, row

    def from_network(self, scores: TensorState, between: frozenset[str]) -> bool:
        """Whether `scores` came out of a product with weights, and at most a curve and a scale behind it."""
        node = self.world.nodes[scores.node] if scores.node is not None else None
        while node is not None and node.kind in between:
            ways = [target for target, _ in node.edges if target is not None and self.world.nodes[target].edges]
            node = self.world.nodes[ways[0]] if len(ways) == 1 else None
        return node is not None and node.kind in PRODUCTS

    def of_rows(self, losses: TensorState) -> bool:
        """Whether `losses`, a column, holds one loss for each row: made entry by entry of what is compared with a
        column."""
        node = self.world.nodes[losses.node] if losses.node is not None else None
        while node is not None and node.kind in EACH:
            ways = [target for target, _ in node.edges if target is not None]
            node = self.world.nodes[ways[0]] if len(ways) == 1 else None
        if node is None or node.kind not in LOSSES | {"Sub"}:
            return False
        return [self.world.tensors[number].shape for number in node.inputs[:2]] == [losses.shape] * 2

    def on_backward_started(self, event: e.BackwardStarted) -> None:
        if self.diagnosis is not None or not self.differences:
            return
        for root in event.roots:
            for tensor in ancestors(self.world, self.world.tensors[root]):
                node = self.world.nodes[tensor.node] if tensor.node is not None else None
                found = self.added_up(node) if node is not None and node.kind in TOTALS and not tensor.shape else None
                if found is not None and self.diagnosis is None:
                    self.tell(self.describe(found, *self.differences[found.number]))

    def added_up(self, node: NodeState) -> NodeState | None:
        """The differences that `node` adds up all of, each made a loss of its own."""
        todo, seen = [target for target, _ in node.edges if target is not None], set()
        while todo:
            number = todo.pop()
            if number in self.differences:
                return self.world.nodes[number]
            if number not in seen and self.world.nodes[number].kind in EACH:
                seen.add(number)
                todo += [target for target, _ in self.world.nodes[number].edges if target is not None]
        return None

    def describe(self, node: NodeState, scores: TensorState, targets: TensorState) -> Diagnosis:
        world, place = self.world, node.place
        base = targets if targets.called else origin(world, targets) or targets
        text, weighted = code(world.source.text(place.line, place.end_line)), node.kind != "Sub"
        which = "a row beside a column" if len(targets.shape) == 1 else "a column beside a row"
        shapes = f"of shape {list(scores.shape)} and {{}} of shape {list(targets.shape)}."
        if weighted:
            first = f"{text} {on(place.line)} weighs losses " + shapes.format("weights")
        else:
            first = f"{text} {on(place.line)} takes the difference of scores " + shapes.format("targets")
        return Diagnosis(
            kind="shape",
            title="Scores and targets of two shapes",
            lines={"built": place.line, "saved": base.place.line, "raised": None},
            story=(
                first,
                f"{upper(code_label(world, targets.number))}, made {on(base.place.line)}, is {which}.",
                *(WEIGHED if weighted else WHY),
            ),
            nodes=(node.number,),
            events={"built": node.made, "saved": base.made, "seen": world.count - 1},
            cause="broadcast",
            names=known_names(target=name_of(world, targets), scores=name_of(world, scores)),
        )


@rule
def loss_class(world: World, failure: Failure) -> Diagnosis | None:
    """The line gives scores and targets to what was never made."""
    if "Boolean value of Tensor" not in failure.raised.message:
        return None
    asked = {ast.unparse(call.func) for call in calls_in(raising_statement(world, failure))}
    kept = next((node for node in classes_kept(world.source.tree) if ast.unparse(node.targets[0]) in asked), None)
    if kept is None:
        return None
    name, loss = ast.unparse(kept.targets[0]), ast.unparse(kept.value)
    return Diagnosis(
        title="A loss is made first, and called then",
        message=failure.raised.message,
        lines={"built": kept.lineno, "raised": failure.raised.line},
        story=(
            f"{begin_story(world, failure)} calls {code(name)}, which {on(kept.lineno)} became the class {code(loss)}, "
            "not a loss made of it. A class takes settings, and asks whether they are true or false.",
            f"Brackets make a loss, {code(loss + '()')}, and that takes scores and targets.",
        ),
        events={"raised": failure.number},
        cause="loss_class",
        names=known_names(target=name),
    )


def classes_kept(tree: ast.AST) -> Iterator[ast.Assign]:
    """Where a name is given to a class of losses: `self.criterion = nn.CrossEntropyLoss`."""
    made = (node for node in ast.walk(tree) if isinstance(node, ast.Assign))
    return (node for node in made if is_name(node.value) and ast.unparse(node.value).endswith("Loss"))


def is_name(node: ast.expr) -> bool:
    return isinstance(node, ast.Name | ast.Attribute)


message_rules(
    "loss_not_made",
    MessageRule(
        re.compile(r"Boolean value of Tensor with more than one value is ambiguous"),
        cause="loss_at_once",
        title="A loss is made first, and called then",
        story=(
            "{code} {line}{turn} gives scores and targets to the class of the loss, which takes settings: it asks "
            "whether they are true or false.",
            "`nn.MSELoss()` makes a function of it, and that takes scores and targets.",
        ),
        on_line=re.compile(r"\b\w+Loss\((?!\)|\w+\s*=)"),
    ),
)


declare_refusal(
    "is not a valid value for reduction",
    cause="reduction",
    title="A loss knows three ways to put its entries together",
    story=(
        "{code} {line} names another way.",
        "There are `'mean'`, `'sum'` and `'none'`, which leaves one entry for each example.",
    ),
)


# ---- fixes


LAYERS = {"softmax": ("Softmax", "Softmax2d"), "sigmoid": ("Sigmoid",)}
FUNCTIONS = ("torch", "F", "nn.functional", "torch.nn.functional", "functional", "torch.special")
PLAIN = {
    "BCEWithLogitsLoss": "BCELoss",
    "binary_cross_entropy_with_logits": "binary_cross_entropy",
}
"""Losses that take chances, by those that make them."""


@fix(squashed=1)
def give_scores(wanted: FixContext) -> Iterator[Proposal]:
    """Without the call, or else without the layer, that squashes them."""
    text, by = wanted.text, wanted.name("by") or ""
    for call in text.calls(wanted.at("squashed")):
        scores = squashed_by(text, call, by)
        if scores is not None:
            title = f"without {by} on line {call.lineno}"
            yield wanted.proposal(
                title, "to show chances, take them of the scores", text.replaced(call, text.get(scores))
            )
    for owner, layer in layers(text, by):
        title = f"without {text.get(layer)} on line {layer.lineno}"
        yield wanted.proposal(title, "to show chances, take them of the scores", *left_out(text, owner, layer))


@fix(squashed=2)
def use_loss_of_chances(wanted: FixContext) -> Iterator[Proposal]:
    """The loss that takes chances as they are."""
    text = wanted.text
    losses = [call for call in text.calls(text.tree) if callee(call) in PLAIN]
    if losses:
        name = callee(losses[0])
        edits = [
            text.replaced(call.func, text.get(call.func).removesuffix(callee(call)) + PLAIN[callee(call)])
            for call in losses
        ]
        yield wanted.proposal(f"{PLAIN[name]}, which takes chances, for {name}", "less exact near 0 and 1", *edits)


@fix(chances=1)
def take_logarithms(wanted: FixContext) -> Iterator[Proposal]:
    """log_softmax in the place of softmax, where the loss takes logarithms."""
    text = wanted.text
    found = text.calls(wanted.at("squashed"), "softmax")
    edits: list[Edit] = [
        text.replaced(call.func, text.get(call.func).removesuffix("softmax") + "log_softmax") for call in found
    ]
    edits = edits or [
        text.replaced(layer.func, text.get(layer.func).removesuffix("Softmax") + "LogSoftmax")
        for _, layer in layers(text, "softmax")
    ]
    if edits:
        yield wanted.proposal("log_softmax for softmax", FREE, *edits)


def squashed_by(text: Text, call: ast.Call, by: str) -> ast.expr | None:
    """What `call` makes chances of, if that is what it does."""
    func, args = call.func, call.args
    name, made = text.get(func), isinstance(func, ast.Call) and callee(func) in LAYERS[by]
    assigned = (node for node in ast.walk(text.tree) if isinstance(node, ast.Assign))
    if made or any(holds(text, node, name, by) for node in assigned):
        return args[0] if args else None
    if callee(call) != by:
        return None
    if isinstance(func, ast.Attribute) and text.get(func.value) not in FUNCTIONS:
        return func.value
    return args[0] if args else None


def holds(text: Text, node: ast.Assign, name: str, by: str) -> bool:
    """Whether the assignment gives `name` to a layer that squashes."""
    return callee(node.value) in LAYERS[by] and any(text.get(target) == name for target in node.targets)


def layers(text: Text, by: str) -> Iterator[tuple[ast.Call | ast.List, ast.Call]]:
    """Layers that squash among the parts of a Sequential or of a list, last ones first."""
    found = [call for call in text.calls(text.tree) if callee(call) in LAYERS[by]]
    for call in reversed(found):
        parent = text.parents.get(call)
        if isinstance(parent, ast.List) or (isinstance(parent, ast.Call) and call in parent.args):
            yield parent, call


def left_out(text: Text, owner: ast.Call | ast.List, layer: ast.Call) -> list[Edit]:
    """`owner` without `layer`; what stands in the middle gives way to a layer that does nothing."""
    parts = owner.args if isinstance(owner, ast.Call) else owner.elts
    if parts[-1] is not layer:
        return [text.replaced(layer, "nn.Identity()")]
    if isinstance(owner, ast.Call):
        return drop_argument(text, owner, layer)
    before = parts[-2] if len(parts) > 1 else None
    if before is None:
        return [text.replaced(layer, "")]
    start = text.place(before.end_lineno or 0, before.end_col_offset or 0)
    return [Edit(*start, *text.place(layer.end_lineno or 0, layer.end_col_offset or 0), "")]


@fix(swapped=1)
def swap_arguments(wanted: FixContext) -> Iterator[Proposal]:
    """The scores first, and then the targets."""
    text, one, two = wanted.text, wanted.name("first"), wanted.name("second")
    for call in text.calls(wanted.at("raised") or wanted.at("built")):
        if [ast.unparse(arg) for arg in call.args[:2]] == [one, two]:
            first, second = call.args[:2]
            title = f"the other way round on line {call.lineno}"
            edits = text.replaced(first, text.get(second)), text.replaced(second, text.get(first))
            yield wanted.proposal(title, FREE, *edits)


@fix(broadcast=1)
def give_one_shape(wanted: FixContext) -> Iterator[Proposal]:
    """Scores and targets of a loss get one shape."""
    text, built = wanted.text, wanted.at("built")
    pairs = [(call.args[0], call.args[1]) for call in text.calls(built) if len(call.args) == 2]
    for node in ast.walk(built) if built is not None else ():
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub | ast.Mult | ast.Div):
            pairs.append((node.left, node.right))
    for first, second in pairs:
        if isinstance(first, ast.Constant) or isinstance(second, ast.Constant):
            continue
        shown, other = text.get(first), text.get(second)
        title = f"{other} in the shape of {shown}, on line {second.lineno}"
        yield wanted.proposal(title, FREE, text.replaced(second, f"{bracket(other)}.reshape({shown}.shape)"))
        title = f"{shown} in the shape of {other}, on line {first.lineno}"
        yield wanted.proposal(title, FREE, text.replaced(first, f"{bracket(shown)}.reshape({other}.shape)"))


REDUCTIONS = ("mean", "sum", "none")


@fix(reduction=1)
def known_reduction(wanted: FixContext) -> Iterator[Proposal]:
    """One of the ways that there are."""
    text = wanted.text
    for call in ast.walk(text.tree):
        given = keyword(call, "reduction") if isinstance(call, ast.Call) else None
        if given is not None and isinstance(given.value, ast.Constant) and given.value.value not in REDUCTIONS:
            for way in REDUCTIONS:
                title = f'reduction="{way}" on line {given.lineno}'
                yield wanted.proposal(title, FREE, text.replaced(given.value, f'"{way}"'))
