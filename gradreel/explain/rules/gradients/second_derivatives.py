"""Derivatives of derivatives: without `create_graph`, of straight pieces, or of operators that have none."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from gradreel.trace import events as e
from gradreel.trace.events import Value

from ...calls import callee, keyword
from ...diagnostics.diagnosis import Diagnosis, Failure, known_names
from ...diagnostics.failing_node import failing_node
from ...diagnostics.mentions import raising_code
from ...diagnostics.registry import Watcher, rule, watcher
from ...diagnostics.showing import FirstTrouble, gradient_names
from ...fixes.edits import in_brackets, set_keyword, stack_statements, value_of
from ...fixes.proposal import FREE, FixContext, Proposal
from ...fixes.registry import fix
from ...fixes.text import Edit, Text
from ...narration.words import bare, code, code_label, during, label, name_of, on, size, upper, without_graph
from ...optimizers import may_be_optimized
from ...replay.graph_queries import ancestors, by_graph, gradient_call, made_from
from ...replay.states import Call, NodeState, TensorState
from ...replay.world import World
from ..optimizer.zero_grad import BeforeSkipped, zero
from ..tracking.plain_numbers import LINEAR, SUMS

BENT = frozenset(
    {
        "pow",
        "square",
        "abs",
        "norm",
        "linalg_vector_norm",
        "sqrt",
        "relu",
        "clamp",
        "exp",
        "log",
        "mul",
        "mse_loss",
        "l1_loss",
    }
)
"""What makes a penalty of a gradient: a step along one is linear in it."""

CUT = re.compile(r"\.data\b|\.detach\(")

STRAIGHT = frozenset({"add", "sub", "rsub", "mul", "div", "neg", "select", "slice", "unsqueeze", "squeeze", "view"})
"""What leaves a derivative one."""

MOST = 50
"""So many terms are looked at: a loop has the same ones again."""


@watcher(e.NodeMade, e.BackwardStarted)
class ConstantGradient(FirstTrouble):
    """Follows the sums that have a term without a graph, until a backward from one of them meets a gradient in it."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.grads = sum(CUT.search(line) is not None for line in world.source.code)
        """How many gradients were taken without a graph, and how many lines cut something off its graph."""
        self.terms: dict[int, int] = {}
        """By sum the term without a graph."""
        self.parts: dict[int, tuple[int, int]] = {}
        """By sum of many entries the part without a graph, and the one with."""
        self.looked_at = 0

    def on_grad_captured(self, event: e.GradCaptured) -> None:
        call = self.world.calls[event.call]
        self.grads += call.called == "grad" and not call.create_graph

    def on_node_made(self, event: e.NodeMade) -> None:
        if not self.grads or self.diagnosis is not None or self.world.nodes[event.node].kind not in SUMS:
            return
        for number in event.inputs:
            tensor = self.world.tensors[number]
            if tensor.requires_grad:
                continue
            if tensor.inputs and size(tensor.shape) == 1:
                self.terms[event.node] = number
            with_graph = [other for other in event.inputs if self.world.tensors[other].requires_grad]
            if size(tensor.shape) > 1 and with_graph:
                self.parts[event.node] = number, with_graph[0]

    def on_backward_started(self, event: e.BackwardStarted) -> None:
        if event.called != "backward" or self.diagnosis is not None or self.looked_at > MOST:
            return
        if not self.terms and not self.parts:
            return
        trained = {self.world.nodes[number].variable for number in self.world.calls[event.call].expected}
        todo = [number for root in event.roots if (number := self.world.grad_node(root)) is not None]
        seen = set(todo)
        while todo:
            node = self.world.nodes[todo.pop()]
            if node.number in self.terms:
                term = self.world.tensors[self.terms.pop(node.number)]
                self.looked_at += 1
                found = self.penalized(term)
                if found is not None and trained & self.behind(found[1]):
                    self.tell(self.describe(node, term, *found), gradient_names(self.world.source))
                    return
                cut = self.cut_off(term, trained)
                if cut is not None:
                    self.tell(self.told_cut(node, term, cut), gradient_names(self.world.source))
                    return
            ways = [target for target, _ in node.edges if target is not None]
            if node.kind in LINEAR and (len(ways) == 1 or node.kind in SUMS):
                todo += [target for target in ways if target not in seen]
                seen.update(ways)
        self.residual(self.world.calls[event.call], trained)

    def cut_off(self, term: TensorState, trained: set[int | None]) -> TensorState | None:
        """What was cut off a trained leaf, if `term` is a penalty on it."""
        bent = False
        for tensor in ancestors(self.world, term):
            if tensor.requires_grad:
                return None
            if bent and bare(tensor.op) in ("data", "detach") and tensor.base in trained:
                return tensor
            bent |= bare(tensor.op) in BENT
        return None

    def told_cut(self, node: NodeState, term: TensorState, cut: TensorState) -> Diagnosis:
        world, place = self.world, cut.place
        return Diagnosis(
            kind="no_graph",
            title="A term of the loss has no graph",
            lines={"built": node.place.line, "cut": place.line, "raised": None},
            story=(
                f"{code(world.source.text(place.line, place.end_line))} {on(place.line)} computes a term of the loss "
                f"from {code_label(world, cut.base)} cut off its graph.",
                f"{describe_root(world)} has the term in its value and in no gradient, however large its factor.",
            ),
            nodes=(node.number,),
            events={"built": term.made, "cut": cut.made, "seen": world.count - 1},
            cause="constant_penalty",
            names=known_names(how="detach", target=name_of(world, term)),
        )

    def residual(self, backward: Call, trained: set[int | None]) -> None:
        """A derivative by an input that is added to what is trained, as in the residual of a differential equation.

        A step along a gradient, or a perturbation by one, adds it to what it was taken by.
        """
        for number in self.parts.keys() & backward.expected.keys():
            part, other = self.parts.pop(number)
            self.looked_at += 1
            found = self.derivative(self.world.tensors[part])
            if found is None or other in found[1].inputs:
                continue
            learned = trained & self.behind(found[1])
            inputs = (self.world.tensors[number] for number in found[1].inputs)
            if learned & by_graph(self.world, self.world.tensors[other]) and not any(map(self.is_trained, inputs)):
                told = self.told_residual(self.world.nodes[number], self.world.tensors[other], *found)
                self.tell(told, gradient_names(self.world.source))
                return

    def is_trained(self, tensor: TensorState) -> bool:
        return tensor.node is not None or may_be_optimized(self.world, tensor, known=True)

    def derivative(self, part: TensorState) -> tuple[TensorState, Call] | None:
        """The gradient without a graph that `part` is, or a multiple or a sum of some."""
        for tensor in ancestors(self.world, part):
            if tensor.requires_grad:
                return None
            call = gradient_call(self.world, tensor)
            if call is not None:
                return None if call.create_graph or not call.roots else (tensor, call)
            if bare(tensor.op) not in STRAIGHT and tensor.op != "number":
                return None
        return None

    def behind(self, call: Call) -> set[int]:
        """The leaves that what `call` differentiated came of, apart from those it differentiated by."""
        return by_graph(self.world, self.world.tensors[call.roots[0]]) - set(call.inputs)

    def penalized(self, term: TensorState) -> tuple[TensorState, Call] | None:
        """The gradient without a graph that `term` is a penalty on, with the call that gave it."""
        bent = False
        for tensor in ancestors(self.world, term):
            if tensor.requires_grad:
                return None
            call = gradient_call(self.world, tensor)
            if call is not None:
                return (tensor, call) if bent and not call.create_graph and call.roots else None
            of_two = len([state for state in made_from(self.world, tensor) if state.op != "number"]) > 1
            op = bare(tensor.op)
            bent |= op in BENT and (op != "mul" or of_two)
        return None

    def describe(self, node: NodeState, term: TensorState, gradient: TensorState, call: Call) -> Diagnosis:
        world = self.world
        term = self.first(term, gradient)
        place = term.place
        text = code(world.source.text(place.line, place.end_line))
        return Diagnosis(
            kind="no_graph",
            title="A term of the loss has no graph",
            lines=with_eval_line({"built": place.line, "cut": call.place.line, "raised": None}, world, call),
            story=(
                *plain_numbers(world, call, "gradient"),
                f"{text} {on(place.line)} computes a term of the loss from them, so the term has no graph either.",
                f"{describe_root(world)} has the term in its value and in no gradient, however large its factor.",
            ),
            nodes=(node.number,),
            events={"built": term.made, "cut": call.started, "seen": world.count - 1},
            cause="constant_penalty",
            names=known_names(how="no_create_graph", target=name_of(world, term)),
        )

    def told_residual(self, node: NodeState, other: TensorState, gradient: TensorState, call: Call) -> Diagnosis:
        world, place = self.world, node.place
        return Diagnosis(
            kind="no_graph",
            title="A derivative in the loss has no graph",
            lines=with_eval_line({"built": place.line, "cut": call.place.line, "raised": None}, world, call),
            story=(
                *plain_numbers(world, call, "derivative"),
                f"{code(world.source.text(place.line, place.end_line))} {on(place.line)} puts them beside "
                f"{code_label(world, other.number)}, which has a graph: of the two, only that one is trained.",
                "The loss has the derivative in its value and in no gradient.",
            ),
            nodes=(node.number,),
            events={"built": node.made, "cut": call.started, "seen": world.count - 1},
            cause="constant_penalty",
            names=known_names(how="no_create_graph", target=name_of(world, gradient)),
        )

    def first(self, term: TensorState, gradient: TensorState) -> TensorState:
        """The first single number on the way from `gradient` to `term`."""
        while True:
            before = [
                state
                for state in made_from(self.world, term)
                if size(state.shape) == 1 and any(other is gradient for other in ancestors(self.world, state))
            ]
            if not before or before[0] is gradient:
                return term
            term = before[0]


def plain_numbers(world: World, call: Call, what: str) -> tuple[str, ...]:
    """That `call` recorded nothing, and what left a module to evaluate, if that decided it."""
    asked = f"{code(call.text)} {on(call.place.line)} gives a {what} {without_graph(world, call.place)}"
    story = f"{asked}: plain numbers, which know nothing of how they came about."
    line = line_of_eval(world, call)
    if line is None:
        return (story,)
    return story, f"{code(world.source.text(line))} {on(line)} set it to evaluate, and nothing to train since."


def line_of_eval(world: World, call: Call) -> int | None:
    """The line that told a module last to evaluate before `call`, which records in training alone, if none has told one
    since to train."""
    if not without_graph(world, call.place).endswith(".training`, which is False"):
        return None
    for event in reversed(world.trace.events[: call.started]):
        if isinstance(event, e.LineReached):
            text = world.source.statement(event.line, event.end_line)
            if EVALUATES.search(text):
                return event.line
            if ".train(" in text:
                return None
    return None


EVALUATES = re.compile(r"\.(?:eval\(\)|train\((?:mode=)?False\))")


def with_eval_line(lines: dict[str, int | None], world: World, call: Call) -> dict[str, int | None]:
    line = line_of_eval(world, call)
    return lines if line is None else {**lines, "saved": line}


@watcher(e.GradStored)
class SecondOrder(Watcher):
    """A gradient with a graph was added to one that still had its own; what was emptied by hand adds nothing."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.graphs: dict[int, int] = {}
        """For a leaf whose `.grad` has a graph: the call that made it."""
        self.before_skipped = BeforeSkipped(world)
        self.diagnosis: Diagnosis | None = None

    def on_turns_skipped(self, event: e.TurnsSkipped) -> None:
        self.before_skipped.note(self.graphs)

    def on_grad_stored(self, event: e.GradStored) -> None:
        call = self.world.calls.get(event.call) if event.call is not None else None
        grad = self.world.tensors.get(event.grad) if event.grad is not None else None
        if self.before_skipped.differs(event.tensor, event.before):
            self.graphs.pop(event.tensor, None)
        if call is None or not call.create_graph or grad is None or grad.node is None:
            self.graphs.pop(event.tensor, None)
            return
        if (
            event.before is not None
            and not zero(event.before)
            and event.tensor in self.graphs
            and self.diagnosis is None
        ):
            self.diagnosis = self.describe(event.tensor, grad.number)
        self.graphs[event.tensor] = call.number

    def describe(self, tensor: int, grad: int) -> Diagnosis:
        world = self.world
        call = world.calls[world.open_calls[-1]]
        name = code_label(world, tensor)
        line = call.place.line
        held = len([node for node in world.nodes.values() if node.alive and node.generation])
        through = by_graph(world, world.tensors[grad])
        back = f", which leads back to {name} itself" if tensor in through else ""
        return Diagnosis(
            title="`.grad` keeps a graph of its own alive",
            lines={
                "built": world.tensors[tensor].place.line,
                "changed": line,
                "raised": None,
                "shows": line,
            },
            story=(
                f"{code(call.text)} {on(line)} records the backward itself, so the gradient of {name} comes with a "
                f"graph{back}.",
                "`.grad` holds that graph, and was not reset before the next: the new gradient and its graph were "
                "added to the old.",
                f"By now {held} nodes of it are alive, {world.saved_bytes:,} bytes of saved tensors in all, and each "
                "call adds to them.",
            ),
            events={"seen": world.count - 1},
            cause="second_order",
            names=known_names(target=name_of(world, world.tensors[tensor])),
        )

    def report(self) -> list[Diagnosis]:
        return [self.diagnosis] if self.diagnosis is not None else []


STRAIGHT_PIECES = frozenset(
    {"Relu", "LeakyRelu", "Threshold", "Hardtanh", "Abs", "Prelu", "PreluKernel", "RreluWithNoise"}
)
"""Activations whose slope changes in jumps, and is the same between them."""
TIMES = 2


@watcher(e.GradCaptured, e.GradCaptured, e.OptimizerStepped)
class NoCurvature(FirstTrouble):
    """Follows what `autograd.grad` hands back of a gradient: zero each time, while a network is trained with it."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.zeros = 0
        self.activation: NodeState | None = None
        """The first activation of straight pieces that the last first derivative went through."""
        self.curved = False

    def on_grad_captured(self, event: e.GradCaptured) -> None:
        call = self.world.calls[event.call]
        if call.level == 1:
            self.activation = self.straight(call)
        if call.level < 2 or event.value is None or self.curved:
            return
        if not nothing(event.value):
            self.curved = True
            return
        node = self.activation
        if node is None or not call.create_graph:
            return
        self.zeros += 1
        if self.zeros == TIMES:
            self.tell(self.describe(call, node))

    def straight(self, call: Call) -> NodeState | None:
        """The first activation of straight pieces that the call goes through."""
        nodes = (self.world.nodes[number] for number in sorted(call.expected))
        return next((node for node in nodes if node.kind in STRAIGHT_PIECES and node.generation == 0), None)

    def describe(self, call: Call, node: NodeState) -> Diagnosis:
        text, line = code(self.world.source.text(call.place.line)), call.place.line
        return Diagnosis(
            title="A second derivative that is zero everywhere",
            lines={"built": node.place.line, "asked": line, "raised": None},
            story=(
                f"{text} {on(line)}{during(call.place)} asks for a second derivative, and gets zeros, each time.",
                f"The network of **line {node.place.line}** has **{node.title}** in it. Between its kinks it is "
                "linear, so its slope is constant there, and the slope of that is 0.",
                "What the loss makes of these zeros teaches nothing. A smooth activation, such as Tanh or Softplus, "
                "has a second derivative.",
            ),
            nodes=(node.number,),
            events={"built": node.made, "seen": self.world.count - 1},
            cause="second_derivative",
        )

    def report(self) -> list[Diagnosis]:
        return [] if self.curved else super().report()


def nothing(value: Value) -> bool:
    return zero(value) if value.whole else value.minimum == value.maximum == 0


NONE = "is not implemented"


OPERATORS = {
    "_cdist": "`torch.cdist`",
    "_pdist": "`torch.pdist`",
    "_scaled_dot_product": "`scaled_dot_product_attention`",
    "_ctc_loss": "`ctc_loss`",
    "_embedding_bag": "`embedding_bag`",
    "_thnn_fused": "a fused cell",
}
"""What programs call it, by how the name of the operator begins."""

AGAIN = re.compile(r"derivative for '?(?:aten::)?(\w+?)_backward'? is not implemented")
FORWARD_MODE = re.compile(r"^Trying to use forward AD with (?:aten::)?(\w+)")


@rule
def once_only(world: World, failure: Failure) -> Diagnosis | None:
    """A second derivative, or forward mode, through an operator for which PyTorch has a formula of the first alone."""
    message, line = failure.raised.message, failure.raised.line
    again, forward = AGAIN.search(message), FORWARD_MODE.match(message)
    found = again or forward
    if found is None:
        return None
    operator = next((shown for begin, shown in OPERATORS.items() if found.group(1).startswith(begin)), None)
    operator = operator or code(found.group(1))
    lines: dict[str, int | None] = {"raised": line}
    events = {"raised": failure.number}
    own = [node for node in world.nodes.values() if node.op.partition(".")[0].startswith(found.group(1))]
    nodes = [node for node in own if not node.generation] or own
    if nodes:
        lines["built"], events["built"] = nodes[-1].place.line, nodes[-1].made
    where = f" of **line {nodes[-1].place.line}**" if nodes and nodes[-1].place.line != line else ""
    asked = "a second derivative" if again else "a derivative in forward mode"
    cause = "no_second_derivative" if again else "no_forward_derivative"
    numbers = tuple(node.number for node in nodes[-1:])
    return Diagnosis(
        title=f"{operator} has no second derivative" if again else f"{operator} has no forward derivative",
        message=message,
        lines=lines,
        story=(
            f"{code(raising_code(world, failure))} {on(line)} asks for {asked} through {operator}{where}.",
            f"PyTorch has a formula for the gradient of {operator}, and none for the gradient of that one."
            if again
            else f"PyTorch has a backward formula for {operator}, and none that goes forward.",
            "Written with smaller operators, which have both, it can be asked for.",
        ),
        nodes=numbers,
        events=events,
        cause=cause,
        names={"operator": found.group(1)},
    )


@rule
def no_derivative(world: World, failure: Failure) -> Diagnosis | None:
    """What the operator made that has none: the node that failed, wherever backward was asked for."""
    message, line = failure.raised.message, failure.raised.line
    if NONE not in message or "derivative" not in message:
        return None
    node = failing_node(world, failure)
    users = [user for user in world.nodes.values() if node is not None and (node.number, 0) in user.edges]
    tensor = world.tensors.get(users[0].inputs[0]) if users and users[0].inputs else None
    lines: dict[str, int | None] = {"raised": line}
    events = {"raised": failure.number}
    name, where = "a tensor", on(line)
    made = tensor or node
    if node is not None and made is not None:
        lines["built"], events["built"] = made.place.line, made.made
        known = label(world, tensor.number) if tensor is not None else None
        name, where = code(known or world.source.text(made.place.line)), on(made.place.line)
    return Diagnosis(
        title="This operator has no derivative",
        message=message,
        lines=lines,
        story=(
            f"{name}, made {where}, comes from an operator that is constant in steps.",
            f"PyTorch has no gradient for it and says so when one is asked for: {code(raising_code(world, failure))} "
            f"{on(line)} does.",
            "Where it jumps there is no slope, and between the jumps the slope is 0.",
        ),
        nodes=() if node is None else (node.number,),
        events=events,
        cause="no_derivative",
    )


# ---- fixes


LAYERS = frozenset({"ReLU", "LeakyReLU", "ReLU6", "PReLU", "RReLU", "Hardtanh"})
FUNCTIONS = frozenset({"relu", "relu_", "leaky_relu", "relu6", "hardtanh", "rrelu"})
SMOOTH = {"Tanh": "torch.tanh", "Softplus": "torch.nn.functional.softplus"}
COST = "the network computes other numbers: its activations are smooth"


@fix(second_derivative=1)
def smooth_activation(wanted: FixContext) -> Iterator[Proposal]:
    """Tanh, or Softplus, wherever the program has ReLU or the like."""
    text = wanted.text
    for layer, function in SMOOTH.items():
        edits = [
            edit
            for node in ast.walk(text.tree)
            if (edit := exchange_activation(text, node, layer, function)) is not None
        ]
        if edits:
            yield wanted.proposal(f"{layer} in the place of ReLU, everywhere", COST, *edits)


def exchange_activation(text: Text, node: ast.AST, layer: str, function: str) -> Edit | None:
    """`nn.ReLU(...)` as `nn.Tanh()`, `F.relu(x)` as `torch.tanh(x)`, `x.relu()` as `torch.tanh(x)`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute | ast.Name):
        name = callee(node)
        if name in LAYERS:
            return text.replaced(node, text.get(node.func)[: -len(name)] + f"{layer}()")
        if name not in FUNCTIONS:
            return None
        of_module = isinstance(node.func, ast.Name) or ast.unparse(node.func.value) in MODULES
        given = node.args[0] if of_module and node.args else None
        if not of_module and isinstance(node.func, ast.Attribute):
            given = node.func.value
        return text.replaced(node, f"{function}({text.get(given)})") if given is not None else None
    if isinstance(node, ast.Attribute) and not isinstance(text.parents.get(node), ast.Call):
        if node.attr in LAYERS:
            return text.replaced(node, f"{text.get(node.value)}.{layer}")
        if node.attr in FUNCTIONS and ast.unparse(node.value) in MODULES:
            return text.replaced(node, function)
    return None


MODULES = frozenset({"F", "torch", "functional", "nn.functional", "torch.nn.functional"})


SLOWER = "more tensors, and slower"


@fix(no_second_derivative=1, no_forward_derivative=1)
def compose_smaller(wanted: FixContext) -> Iterator[Proposal]:
    """`cdist` by a product of matrices or by differences, attention by its own formula."""
    operator = wanted.name("operator") or ""
    if operator.startswith("_cdist"):
        yield from distances(wanted)
    if operator.startswith("_scaled_dot_product"):
        yield from attention(wanted)


def distances(wanted: FixContext) -> Iterator[Proposal]:
    text = wanted.text
    calls = [call for call in text.calls(text.tree, "cdist") if len(call.args) == 2]
    if not calls:
        return
    euclidean = [call for call in calls if keyword(call, "p") is None]
    if wanted.found.cause == "no_second_derivative" and len(euclidean) == len(calls):
        edits = [set_keyword(text, call, "compute_mode", "'use_mm_for_euclid_dist'") for call in calls]
        yield wanted.proposal("let `cdist` use a product of matrices, which can be differentiated twice", FREE, *edits)
    if len(euclidean) == len(calls):
        edits = [text.replaced(call, by_differences(text, call)) for call in calls]
        yield wanted.proposal("the norms of the differences in the place of `cdist`", SLOWER, *edits)


def by_differences(text: Text, call: ast.Call) -> str:
    one, other = (in_brackets(text, given) for given in call.args)
    return f"({one}.unsqueeze(-2) - {other}.unsqueeze(-3)).norm(dim=-1)"


def attention(wanted: FixContext) -> Iterator[Proposal]:
    text = wanted.text
    edits: list[Edit] = []
    for call in text.calls(text.tree, "scaled_dot_product_attention"):
        if len(call.args) != 3 or call.keywords:
            return
        query, key, value = (in_brackets(text, given) for given in call.args)
        made = f"torch.softmax({query} @ {key}.transpose(-2, -1) / {query}.shape[-1] ** 0.5, -1) @ {value}"
        edits.append(text.replaced(call, f"({made})" if not whole(text, call) else made))
    if edits:
        yield wanted.proposal("attention by its formula: softmax of the scores, times the values", SLOWER, *edits)


def describe_root(world: World) -> str:
    """What the last backward went from, at the beginning of a sentence."""
    root = world.tensors[world.calls[max(world.calls)].roots[0]]
    return upper(code_label(world, root.number)) if root.names or root.called else "The loss"


def whole(text: Text, call: ast.Call) -> bool:
    """Whether `call` stands alone, so that what takes its place needs no brackets."""
    return isinstance(text.parents.get(call), ast.Assign | ast.Return | ast.Lambda | ast.Expr)


@fix(no_derivative=1)
def divide_without_rounding(wanted: FixContext) -> Iterator[Proposal]:
    """`//` becomes `/`, which has a slope; or the result is rounded down, with a slope of 0 or of doing nothing."""
    text, built = wanted.text, wanted.at("built")
    value = value_of(built)
    for node in ast.walk(value) if value is not None else ():
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv):
            made = f"{in_brackets(text, node.left)} / {in_brackets(text, node.right)}"
            title = f"/ instead of // on line {node.lineno}"
            yield wanted.proposal(title, "other numbers: they are not rounded", text.replaced(node, made))
            title = f"torch.floor of the quotient on line {node.lineno}"
            yield wanted.proposal(title, "a gradient of 0", text.replaced(node, f"torch.floor({made})"))
    for call in text.calls(value, "floor_divide") if value is not None else ():
        shown = text.get(call).replace("floor_divide", "div", 1)
        title = f"div instead of floor_divide on line {call.lineno}"
        yield wanted.proposal(title, "other numbers: they are not rounded", text.replaced(call, shown))


@fix(second_order=1)
def end_second_order(wanted: FixContext) -> Iterator[Proposal]:
    """Empty `.grad` before the next call, or do not record the backward."""
    text, name = wanted.text, wanted.name("target")
    for goal in stack_statements(wanted, "seen"):
        if name is not None and text.calls(goal, "backward"):
            line = f"{name}.grad = None"
            yield wanted.proposal(f"{line} before line {goal.lineno}", FREE, text.before(goal, [line]))
        for call in text.calls(goal, "backward"):
            title = f"leave the backward unrecorded: create_graph=False on line {call.lineno}"
            edits = [
                set_keyword(text, call, "create_graph", "False"),
            ]
            yield wanted.proposal(title, "no second derivative; the graph is freed", *edits)


def train_again(wanted: FixContext) -> Iterator[Proposal]:
    """Where a function sets a module to evaluate, it sets it to train again at its end."""
    text, statement = wanted.text, wanted.at("saved")
    calls = [call for call in text.calls(statement, "eval", "train") if isinstance(call.func, ast.Attribute)]
    if statement is None or not calls or not isinstance(calls[0].func, ast.Attribute):
        return
    last, owner = text.block(statement)[-1], text.get(calls[0].func.value)
    plain = isinstance(last, ast.Return) and not text.calls(last)
    line = f"{owner}.train()"
    edit = text.before(last, [line]) if plain else text.after(last, [line])
    title = f"{line} {'before' if plain else 'after'} line {last.lineno if plain else last.end_lineno}"
    if plain or not isinstance(last, ast.Return):
        yield wanted.proposal(title, FREE, edit)
