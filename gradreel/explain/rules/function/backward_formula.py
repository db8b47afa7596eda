"""A backward of the program's own that ignores its gradient, returns none, or computes another formula."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event, Value

from ...calls import callee
from ...diagnostics.diagnosis import Diagnosis, Failure, known_names
from ...diagnostics.mentions import raising_code
from ...diagnostics.registry import rule, watcher
from ...diagnostics.showing import FirstTrouble
from ...fixes.edits import assigned_pairs, loads
from ...fixes.proposal import FREE, FixContext, Proposal
from ...fixes.registry import fix, reference
from ...fixes.text import Edit, Text, names_in
from ...narration.words import code, on
from ...narration.words import value as shown
from ...replay.graph_queries import all_zero, flat
from ...replay.states import NodeState
from ...replay.world import World
from ...source import nodes_of
from .definitions import is_none, method, own_class, returns, savings


@watcher(e.NodeRan)
class Ignored(FirstTrouble):
    """The backwards written so, until one is given something other than ones and returns a gradient."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.deaf = {
            kind.name: (backward.args.args[1].arg, last.lineno)
            for kind in world.source.nodes
            if isinstance(kind, ast.ClassDef)
            for backward in kind.body
            if isinstance(backward, ast.FunctionDef) and backward.name == "backward"
            for last in [deaf(backward)]
            if last is not None
        }

    def subscriptions(self) -> dict[type[Event], Callable[[Any], None]]:
        return {e.NodeRan: self.on_node_ran, e.Printed: self.showing.on_printed} if self.deaf else {}

    def on_node_ran(self, event: e.NodeRan) -> None:
        node = self.world.nodes[event.node]
        name = node.name.removesuffix("Backward")
        if self.diagnosis is not None or not node.custom or name not in self.deaf or node.came is None:
            return
        if ones(node.came) or not any(grad is not None and not all_zero(grad) for grad in event.grads):
            return
        self.tell(
            self.describe(node, name, node.came), self.world.source.assigned(self.world.calls[event.call].place.line)
        )

    def describe(self, node: NodeState, name: str, came: Value) -> Diagnosis:
        argument, line = self.deaf[name]
        text = code(self.world.source.text(line))
        return Diagnosis(
            kind="function_contract",
            title="A backward that ignores the gradient it is given",
            lines={"built": node.place.line, "cut": line, "raised": None},
            story=(
                f"The backward of {code(name)} was given {shown(came)} as {code(argument)} and never looks at it.",
                f"{text} {on(line)} returns the slope of forward alone, and the chain rule asks for the slope times "
                "what came.",
                f"So what is computed of the result, built {on(node.place.line)}, counts as if it were their plain "
                "sum.",
            ),
            nodes=(node.number,),
            events={"built": node.made, "seen": self.world.count - 1},
            cause="gradient_ignored",
            names=known_names(function=name, gradient=argument),
        )


def deaf(backward: ast.FunctionDef) -> ast.Return | None:
    """The last `return` of a backward that reads none of the gradients it is given."""
    given = {arg.arg for arg in backward.args.args[1:]}
    read = {node.id for node in ast.walk(backward) if isinstance(node, ast.Name)}
    ends = [node for node in ast.walk(backward) if isinstance(node, ast.Return) and node.value is not None]
    if not given or given & read or backward.args.vararg is not None or not ends:
        return None
    return ends[-1]


def ones(value: Value) -> bool:
    if not value.whole:
        return value.minimum == value.maximum == 1
    return all(number == 1 for number in flat(value.data))


@watcher(e.NodeRan)
class Withheld(FirstTrouble):
    """Looks at each run of a Function of the program whose backward need not come to a `return`."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.backwards = falling_through(world.source.tree)
        """By Function the backward, if its last statement is no `return`."""

    def subscriptions(self) -> dict[type[Event], Callable[[Any], None]]:
        return {e.NodeRan: self.on_node_ran, e.Printed: self.showing.on_printed} if self.backwards else {}

    def on_node_ran(self, event: e.NodeRan) -> None:
        node = self.world.nodes[event.node]
        backward = self.backwards.get(node.name.removesuffix("Backward"))
        if self.diagnosis is not None or backward is None or node.came is None:
            return
        if any(target is not None for target, _ in node.edges) and not any(event.grads):
            self.tell(self.describe(node, backward))

    def describe(self, node: NodeState, backward: ast.FunctionDef) -> Diagnosis:
        function, last = node.name.removesuffix("Backward"), backward.body[-1]
        title, names = "A backward without a return", known_names(function=function)
        return Diagnosis(
            kind="function_contract",
            title=title,
            lines={"built": node.place.line, "saved": last.lineno, "raised": None},
            story=(
                f"**{node.title}**, built {on(node.place.line)}, got a gradient and ran the backward of "
                f"{code(function)}, which ends {on(last.lineno)} without a `return`.",
                "Python then gives None, and for a Function that means: no gradient for any argument.",
                "So nothing behind it gets a gradient, and PyTorch does not complain.",
            ),
            nodes=(node.number,),
            events={"built": node.made, "seen": self.world.count - 1},
            cause="backward_no_return",
            names=names,
        )


def falling_through(tree: ast.Module) -> dict[str, ast.FunctionDef]:
    found = {}
    for kind in [node for node in nodes_of(tree) if isinstance(node, ast.ClassDef)]:
        for part in kind.body:
            last = part.body[-1] if isinstance(part, ast.FunctionDef) and part.name == "backward" else None
            if isinstance(part, ast.FunctionDef) and isinstance(last, ast.Expr | ast.Assign | ast.If | ast.AugAssign):
                found[kind.name] = part
    return found


COARSE = "is not a double precision floating point"
NUMBER = re.compile(r"[-+]?\d+\.\d*(?:e[-+]?\d+)?")
ROUNDING = 0.25
"""What rounding may change: a step of 1e-6 between numbers that are right to 1e-7."""


@rule
def coarse_steps(world: World, failure: Failure) -> Diagnosis | None:
    """The two Jacobians differ by what rounding makes of small steps in float32, and PyTorch has warned of it."""
    message, line = failure.raised.message, failure.raised.line
    if not message.startswith("Jacobian mismatch") or not has_warning(world, failure) or not near(message):
        return None
    return Diagnosis(
        title="These steps are too fine for float32",
        message=message,
        lines={"raised": line},
        story=(
            f"{code(raising_code(world, failure))} {on(line)} compares the gradients with what small steps give, in "
            "float32.",
            "The steps are of a millionth, and float32 is right to about a tenth of that. What comes of them is "
            "rounding, and the gradients may well be right.",
            "In float64 the comparison says something; the numbers and the weights have to be of that type.",
        ),
        events={"raised": failure.number},
        cause="coarse_steps",
    )


def has_warning(world: World, failure: Failure) -> bool:
    before = world.trace.events[: failure.number]
    return any(isinstance(event, e.Warned) and COARSE in event.message for event in before)


def near(message: str) -> bool:
    """Whether the numbers that are shown differ by rounding only."""
    numerical, _, analytical = message.partition("analytical:")
    pairs = list(zip(map(float, NUMBER.findall(numerical)), map(float, NUMBER.findall(analytical)), strict=False))
    size = max((abs(value) for _, value in pairs), default=0.0)
    return all(abs(one - other) <= ROUNDING * max(1.0, size) for one, other in pairs)


# ---- fixes


TWICE = "what forward computes is computed twice; no second derivative goes through it"


@fix(
    gradient_ignored=2,
    saved_tuple=2,
    gradient_count=2,
    backward_no_return=2,
    withheld=3,
    empty_context=2,
    saved_too_few=2,
    own_backward=1,
    gradient_of_shape=2,
    wrong_formula=1,
    contract=8,
)
def use_autograd(wanted: FixContext) -> Iterator[Proposal]:
    """backward computes forward again from the saved arguments, recorded, and asks autograd for its gradients."""
    text, kind = wanted.text, own_class(wanted)
    forward = method(kind, "forward") if kind is not None else None
    backward = method(kind, "backward") if kind is not None else None
    if forward is None or len(forward.args.args) < 2 or (backward is None and not missing(wanted)):
        return
    if backward is not None and returns(backward) and stands_in(forward):
        return
    ctx, *arguments = [arg.arg for arg in forward.args.args]
    last = forward.body[-1]
    steps = [statement for statement in forward.body[:-1] if ctx not in names_in(statement)]
    if not isinstance(last, ast.Return) or last.value is None:
        return
    if ctx in names_in(last):
        return
    plain = {arg.arg for arg in forward.args.args[len(forward.args.args) - len(forward.args.defaults) :]}
    kept = {name for name in arguments if kept_as_it_is(forward, ctx, name)}
    plain |= kept
    tensors = [name for name in arguments if name not in plain]
    if not tensors:
        return
    own = [f"{ctx}.{name} = {name}" for name in arguments if name in plain - kept]
    saving = [f"{ctx}.save_for_backward({', '.join(tensors)})", *own]
    old = [call for call in savings(text, forward) if isinstance(text.parents.get(call), ast.Expr)]
    edits = [text.replaced(call, saving[0]) for call in old[:1]]
    edits += [text.before(forward.body[0], saving[1:] if old else saving)] if own or not old else []
    came, taking = gradients_taken(text, backward, last.value)
    edits += taking
    lines = recompute_lines(text, ctx, came, arguments, tensors, steps, last.value)
    title = "let autograd go back through what forward computes"
    if backward is None:
        head = ["", "@staticmethod", f"def backward({ctx}, {came.strip('()')}):", *(f"    {line}" for line in lines)]
        yield wanted.proposal(title, TWICE, *edits, text.after(forward, head))
        return
    first, *rest = [statement for statement in backward.body if text.alone(statement)]
    lines = recompute_lines(text, backward.args.args[0].arg, came, arguments, tensors, steps, last.value)
    edits += [text.removed(statement) for statement in rest]
    indent = "\n" + text.indent(first)
    yield wanted.proposal(title, TWICE, *edits, text.replaced(first, indent.join(lines)))


def stands_in(forward: ast.FunctionDef) -> bool:
    """Whether forward hands on its argument as it is, or a step of it: then backward is no formula of a derivative, but
    stands in for one that is of no use, as where gradients are reversed, clipped or passed straight through."""
    last = forward.body[-1]
    value = last.value if isinstance(last, ast.Return) else None
    made = {ast.unparse(goal): given for goal, given in assigned_pairs(forward)}
    while isinstance(value, ast.Name) and value.id in made or callee(value) in AS_IT_IS:
        if isinstance(value, ast.Name):
            value = made.pop(value.id)
        elif isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
            value = value.func.value
        else:
            break
    if isinstance(value, ast.Name):
        return value.id in {arg.arg for arg in forward.args.args}
    return isinstance(value, ast.Compare) or callee(value) in STRAIGHT


AS_IT_IS = ("view_as", "clone", "contiguous", "float", "double", "to", "type_as")
STRAIGHT = ("round", "sign", "floor", "ceil", "trunc", "heaviside", "bernoulli", "argmax", "detach")
"""Where forward has steps, backward stands in for a derivative that says nothing, and is no formula of it."""


@reference
def with_autograd(wanted: FixContext) -> str | None:
    """The program with gradients that autograd computes, against which the formula of a backward can be held."""
    kind = own_class(wanted)
    forward = method(kind, "forward") if kind is not None else None
    if wanted.found.cause not in OF_FORMULA or forward is None:
        return None
    steps = [part for part in ast.walk(forward) if isinstance(part, ast.Compare)]
    calls = [part for part in ast.walk(forward) if isinstance(part, ast.Call) and callee(part) in STRAIGHT]
    if calls or steps or stands_in(forward):
        return None
    return next((one.source for one in use_autograd(wanted)), None)


OF_FORMULA = ("gradient_of_shape",)


def gradients_taken(text: Text, backward: ast.FunctionDef | None, value: ast.expr) -> tuple[str, list[Edit]]:
    """The gradients that come, one for each output of forward, and the edits that let backward take them all."""
    names = [arg.arg for arg in backward.args.args[1:]] if backward is not None else []
    many = len(value.elts) if isinstance(value, ast.Tuple) else 1
    if many == 1:
        return (names or ["grad"])[0], []
    if backward is None or not names:
        return "(*grads_of_outputs)", []
    if len(names) >= many or backward.args.vararg is not None:
        rest = [f"*{backward.args.vararg.arg}"] if backward.args.vararg is not None else []
        return f"({', '.join([*names[:many], *rest])})", []
    last = backward.args.args[-1]
    return f"({', '.join(names)}, *others)", [text.replaced(last, f"{last.arg}, *others")]


def missing(wanted: FixContext) -> bool:
    return "must implement either the backward" in wanted.found.message


def kept_as_it_is(forward: ast.FunctionDef, ctx: str, name: str) -> bool:
    """Whether forward puts the argument `name` on its context as it came: `ctx.k = k`."""
    return any(
        isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Attribute)
        and ast.unparse(node.targets[0].value) == ctx
        and ast.unparse(node.value) == name
        for node in ast.walk(forward)
    )


def recompute_lines(
    text: Text,
    ctx: str,
    came: str,
    arguments: list[str],
    tensors: list[str],
    steps: list[ast.stmt],
    value: ast.expr,
) -> list[str]:
    """The lines of such a backward."""
    wanted = f"({', '.join(tensors)}{',' if len(tensors) == 1 else ''})"
    grads = [f"grads[{tensors.index(name)}]" if name in tensors else "None" for name in arguments]
    return [
        f"{wanted[1:-1]} = (part.detach().requires_grad_() for part in {ctx}.saved_tensors)",
        *(f"{name} = {ctx}.{name}" for name in arguments if name not in tensors),
        "with torch.enable_grad():",
        *(f"    {line}" for step in steps for line in text.lines_of(step)),
        f"    result = {text.get(value)}",
        f"grads = torch.autograd.grad(result, {wanted}, {came}, allow_unused=True)",
        f"return {', '.join(grads)}",
    ]


@fix(backward_no_return=1, withheld=2)
def return_names(wanted: FixContext) -> Iterator[Proposal]:
    """What backward computed last and nobody read is what it was to return: one for each argument of forward."""
    text, kind = wanted.text, own_class(wanted)
    forward = method(kind, "forward") if kind is not None else None
    backward = method(kind, "backward") if kind is not None else None
    if forward is None or backward is None:
        return
    last = backward.body[-1]
    if isinstance(last, ast.Expr) and not isinstance(last.value, ast.Constant):
        title = f"return what line {last.lineno} says"
        yield wanted.proposal(title, FREE, text.replaced(last, f"return {text.get(last.value)}"))
    steps = [
        part for part in ast.walk(backward) if isinstance(part, ast.Assign) and isinstance(part.targets[0], ast.Name)
    ]
    names = [text.get(step.targets[0]) for step in sorted(steps, key=lambda step: step.lineno)]
    unread = [name for name in dict.fromkeys(names) if not loads(backward, name)]
    many = len(forward.args.args) - 1
    if len(unread) == many or (unread and many == 1):
        made = f"return {', '.join(unread[-many:])}"
        yield wanted.proposal(f"{made} after line {last.end_lineno}", FREE, text.after(last, [made]))


@fix(withheld=1)
def return_own_gradient(wanted: FixContext) -> Iterator[Proposal]:
    """A gradient that backward computed stands where it returns None; a test of `needs_input_grad` asks for its own."""
    text, kind = wanted.text, own_class(wanted)
    forward = method(kind, "forward") if kind is not None else None
    backward = method(kind, "backward") if kind is not None else None
    if forward is None or backward is None:
        return
    for test in text.parts(backward, ast.If):
        gates = [part for part in ast.walk(test.test) if ast.unparse(part).startswith("ctx.needs_input_grad[")]
        gate = gates[0].slice if len(gates) == 1 and isinstance(gates[0], ast.Subscript) else None
        for place in places_behind(backward, test):
            if gate is not None and ast.unparse(gate) != str(place):
                title = f"ask for argument {place}, whose gradient it is, on line {test.lineno}"
                yield wanted.proposal(title, FREE, text.replaced(gate, str(place)))
    unread = [
        text.get(step.targets[0])
        for step in text.parts(backward, ast.Assign)
        if isinstance(step.targets[0], ast.Name) and not loads(backward, text.get(step.targets[0]))
    ]
    for end in text.parts(backward, ast.Return):
        given = end.value.elts if isinstance(end.value, ast.Tuple) else []
        for none in filter(is_none, given):
            for name in unread[:2]:
                title = f"return {name}, which was computed, on line {end.lineno}"
                yield wanted.proposal(title, FREE, text.replaced(none, name))


def places_behind(backward: ast.FunctionDef, test: ast.If) -> list[int]:
    """The places of the gradients that `backward` returns only where `test` holds."""
    ends = [node for node in ast.walk(backward) if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple)]
    inner = {id(part) for statement in test.body for part in ast.walk(statement)}
    given = [(id(end) in inner, end.value.elts) for end in ends if isinstance(end.value, ast.Tuple)]
    withheld = {at for within, parts in given if not within for at, part in enumerate(parts) if is_none(part)}
    returned = {at for within, parts in given if within for at, part in enumerate(parts) if not is_none(part)}
    names = {
        ast.unparse(goal) for statement in test.body if isinstance(statement, ast.Assign) for goal in statement.targets
    }
    named = {at for within, parts in given if not within for at, part in enumerate(parts) if ast.unparse(part) in names}
    return sorted(withheld & returned | named)


@fix(gradient_ignored=1)
def multiply_gradient(wanted: FixContext) -> Iterator[Proposal]:
    """What backward returns is multiplied by the gradient that came."""
    text, kind, came = wanted.text, own_class(wanted), wanted.name("gradient")
    backward = method(kind, "backward") if kind is not None else None
    if backward is None or came is None:
        return
    edits = []
    for node in returns(backward):
        parts = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        for part in parts:
            if part is not None and not (isinstance(part, ast.Constant) and part.value is None):
                edits.append(text.replaced(part, f"{came} * ({text.get(part)})"))
    yield wanted.proposal(f"multiply by {came}, the gradient that comes in", FREE, *edits)


# ---- numbers that are too coarse


SINGLE = ("torch.float32", "torch.float")


@fix(coarse_steps=1)
def compute_in_double(wanted: FixContext) -> Iterator[Proposal]:
    """All numbers with a point are of float64."""
    text = wanted.text
    rest = [statement for statement in text.tree.body if not isinstance(statement, ast.Import | ast.ImportFrom)]
    asked = [node for node in ast.walk(text.tree) if isinstance(node, ast.Attribute) and text.get(node) in SINGLE]
    edits = [text.replaced(node, "torch.float64") for node in asked]
    if rest:
        added = text.before(rest[0], ["torch.set_default_dtype(torch.float64)"])
        yield wanted.proposal(f"compute in float64, from line {rest[0].lineno} on", "twice the memory", added, *edits)
