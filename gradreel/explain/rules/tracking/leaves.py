"""Leaves and results: what is asked of a result where only a leaf will do, and leaves that nobody can reach."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ...calls import callee
from ...diagnostics.diagnosis import Diagnosis, Failure, known_names
from ...diagnostics.mentions import begin_story, raising_code
from ...diagnostics.message_rules import is_tracked
from ...diagnostics.refusals import declare_refusal, is_computed
from ...diagnostics.registry import Watcher, rule, watcher
from ...diagnostics.showing import Showing
from ...fixes.edits import append_suffix, in_brackets, loads, stack_statements, value_of, without_keyword
from ...fixes.proposal import FREE, FixContext, Proposal
from ...fixes.registry import fix
from ...fixes.text import Edit, Text, names_in, targets
from ...narration.words import code, code_label, count, name_of, on, upper
from ...replay.states import TensorState
from ...replay.world import World
from ...source import nodes_of

STEPS = 2

DATA = frozenset(("tensor", "as_tensor", "from_numpy", "linspace", "arange"))
"""How data comes to be; what is to learn is drawn, or filled."""


@watcher(e.GradStored)
class Nameless(Watcher):
    """The leaves without a name that got a gradient, and how many steps of optimizers passed them by."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.arrived: set[int] = set()
        self.passed: dict[int, int] = {}
        self.showing = Showing(world)
        self.lines = {lost.lineno for lost in lost_parameters(world.source.tree) if computed_from_parameter(lost.value)}
        """Where an attribute is set to something computed from a Parameter that gets no name."""
        self.lost: dict[int, TensorState] = {}
        """The results of these lines whose leaves got a gradient, by leaf."""

    def subscriptions(self) -> dict[type[Event], Callable[[Any], None]]:
        return {
            e.GradStored: self.on_grad_stored,
            e.OptimizerStepped: self.on_optimizer_stepped,
            e.Printed: self.showing.on_printed,
        }

    def on_grad_stored(self, event: e.GradStored) -> None:
        tensor = self.world.tensors[event.tensor]
        if tensor.called is None and tensor.node is None and event.after is not None:
            self.arrived.add(event.tensor)
            if self.lines and event.tensor not in self.lost:
                for result in self.made_of(tensor):
                    if result.place.line in self.lines and result.node is not None:
                        self.lost[event.tensor] = result
                        self.showing.wait()

    def on_optimizer_stepped(self, event: e.OptimizerStepped) -> None:
        if event.phase == "began":
            return
        for number in self.arrived:
            self.passed[number] = self.passed.get(number, 0) + 1
            if self.passed[number] == STEPS and not self.showing.waiting and self.showing.line is None:
                self.showing.wait()
        self.arrived.clear()

    def report(self) -> list[Diagnosis]:
        for number, result in self.lost.items():
            return [self.showing.shown(self.describe(self.world.tensors[number], result))]
        if self.world.skipped:
            return []
        lost = [self.world.tensors[number] for number, steps in self.passed.items() if steps >= STEPS]
        for leaf in lost:
            written = any(write.optimizer is not None for write in self.world.writes.get(leaf.storage, ()))
            made = [] if leaf.called or written else self.made_of(leaf)
            if len(made) == 1 and made[0].alive and made[0].names and made[0].node is not None:
                if self.is_input(leaf, made[0]):
                    continue
                return [self.showing.shown(self.describe(leaf, made[0]))]
        return []

    def is_input(self, leaf: TensorState, result: TensorState) -> bool:
        """Whether `result` is what a function is differentiated at, or data of a training of other parameters."""
        if any(result.number in call.inputs for call in self.world.calls.values()):
            return True
        stepped = any(write.optimizer is not None for writes in self.world.writes.values() for write in writes)
        return stepped and leaf.op in DATA and not self.within_module(result.place.line)

    def within_module(self, line: int) -> bool:
        """Whether `line` stands in a class of modules: what is kept there is meant to learn."""
        classes = (node for node in self.world.source.nodes if isinstance(node, ast.ClassDef))
        return any(
            node.lineno <= line <= (node.end_lineno or 0) and any("Module" in ast.unparse(base) for base in node.bases)
            for node in classes
        )

    def made_of(self, leaf: TensorState) -> list[TensorState]:
        return [
            tensor
            for tensor in self.world.tensors.values()
            if leaf.number in tensor.inputs or leaf.number == tensor.base
        ]

    def describe(self, leaf: TensorState, result: TensorState) -> Diagnosis:
        world = self.world
        assert result.node is not None
        name, line = code_label(world, result.number), result.place.line
        return Diagnosis(
            kind="grad_none",
            title="A result in the place of a parameter",
            lines={"built": line, "raised": None},
            story=(
                f"{upper(name)} is the result of **{world.nodes[result.node].title}**, built {on(line)}: no leaf and "
                "no `Parameter`. No module lists it and no optimizer has it.",
                "The gradients go to the leaf behind it, which has no name: nobody can reach it.",
                f"So no step ever changes {name}.",
            ),
            nodes=(result.node,),
            events={"built": result.made, "seen": world.count - 1},
            cause="nameless_leaf",
            names=known_names(target=name_of(world, result)),
        )


NO_PARAMETERS = "optimizer got an empty parameter list"


@rule
def parameter_lost(world: World, failure: Failure) -> Diagnosis | None:
    if NO_PARAMETERS not in failure.raised.message:
        return None
    found = lost_parameters(world.source.tree)
    if not found:
        return None
    statement, line = found[0], failure.raised.line
    name = ast.unparse(statement.targets[0])
    if made_last(statement):
        what = f"{code(name)}, set {on(statement.lineno)}, is a plain tensor: a module lists what is an `nn.Parameter`."
    else:
        what = (
            f"{code(name)}, set {on(statement.lineno)}, is computed from an `nn.Parameter`: a result, which is none, "
            "and the Parameter itself has no name left."
        )
    title, message = "A parameter that its module does not have", failure.raised.message
    return Diagnosis(
        title=title,
        message=message,
        lines={"built": statement.lineno, "raised": line},
        story=(
            f"{code(raising_code(world, failure))} {on(line)} finds nothing to optimize.",
            what,
            "Compute first and make it a Parameter last, or keep the Parameter and compute in forward.",
        ),
        events={"raised": failure.number},
        cause="parameter_lost",
        names=known_names(target=name),
    )


def lost_parameters(tree: ast.AST) -> list[ast.Assign]:
    """Where a method sets an attribute to something computed from a Parameter, or to a plain tensor that learns."""
    return [
        node
        for kind in nodes_of(tree)
        if isinstance(kind, ast.ClassDef)
        for node in ast.walk(kind)
        if isinstance(node, ast.Assign)
        and len(node.targets) == 1
        and isinstance(node.targets[0], ast.Attribute)
        and ast.unparse(node.targets[0].value) == "self"
        and (computed_from_parameter(node.value) or made_last(node))
    ]


def computed_from_parameter(value: ast.expr) -> bool:
    """Whether a Parameter is made within `value`, and something computed from it: `nn.Parameter(w).t()`."""
    if is_parameter(value) or isinstance(value, ast.List | ast.Tuple | ast.Dict | ast.ListComp | ast.DictComp):
        return False
    inner = [part for part in ast.walk(value) if is_parameter(part)]
    lists = [part for part in ast.walk(value) if isinstance(part, ast.Call) and "List" in ast.unparse(part.func)]
    return bool(inner) and not lists


def is_parameter(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == "Parameter"


def made_last(statement: ast.Assign) -> bool:
    """Whether it is a tensor that was asked for a gradient, and made no Parameter."""
    value = statement.value
    if not isinstance(value, ast.Call) or any(is_parameter(part) for part in ast.walk(value)):
        return False
    asked = any(word.arg == "requires_grad" and ast.unparse(word.value) == "True" for word in value.keywords)
    return asked or ast.unparse(value.func).endswith(".requires_grad_")


@rule
def nothing_learns(world: World, failure: Failure) -> Diagnosis | None:
    frozen = all_frozen(world) if failure.raised.message == NO_PARAMETERS else {}
    if not frozen:
        return None
    last = list(frozen)[-1]
    place, event = frozen[last].cut or (world.place, failure.number)
    title, names = "An optimizer without parameters", known_names(last=last.rpartition(".")[0])
    return Diagnosis(
        title=title,
        message=failure.raised.message,
        lines={"cut": place.line, "raised": failure.raised.line},
        story=(
            f"{begin_story(world, failure)} finds nothing to optimize: none of {count(len(frozen))} parameters wants a "
            "gradient.",
            f"**Line {place.line}** says that none is wanted for them. What is to learn is left out of that, or told "
            "otherwise behind it.",
        ),
        events={"cut": event, "raised": failure.number},
        cause="nothing_learns",
        names=names,
    )


def all_frozen(world: World) -> dict[str, TensorState]:
    """The parameters of modules by their names, if each of them was told to want no gradient."""
    bound = {name: found.tensor for names in world.names_in.values() for name, found in names.items() if "." in name}
    parts = {name: world.tensors[number] for name, number in bound.items() if number is not None}
    return parts if all(part.cut is not None and not part.requires_grad for part in parts.values()) else {}


declare_refusal(
    "you can only change requires_grad flags of leaf variables",
    cause="flag_on_result",
    title="Only leaves can change their flag",
    fits=is_computed,
    role="built",
    story=(
        "{name}, made {where}, is computed from other tensors: whether it requires a gradient follows from them.",
        "Only a leaf can be told to want one or not; {code} {line} asks that of a result.",
        "`detach()` gives the same numbers without the history, as a leaf.",
    ),
)
declare_refusal(
    "Can't call numpy() on Tensor that requires grad",
    cause="numpy",
    title="An array cannot carry a gradient",
    fits=is_tracked,
    role="saved",
    story=(
        "{name}, made {where}, requires a gradient, and numpy would compute with it unrecorded.",
        "PyTorch asks you to say that this is meant: `detach()` first.",
    ),
)
declare_refusal(
    "can't optimize a non-leaf Tensor",
    cause="optimize_result",
    title="An optimizer needs leaves",
    fits=is_computed,
    role="built",
    story=(
        "{name}, made {where}, is a result, no leaf: no gradient would be kept for it.",
        "An optimizer changes leaves, whose `.grad` backward fills.",
        "Compute first and call `requires_grad_()` last, or `detach()` what was computed.",
    ),
)
declare_refusal(
    "post accumulate grad hooks cannot be registered on non-leaf",
    cause="hook_on_result",
    title="This hook belongs on a leaf",
    fits=is_computed,
    role="built",
    story=(
        "{name}, made {where}, is a result: nothing is accumulated into its `.grad`.",
        "Such a hook runs after a leaf's gradient has been added up; `register_hook` works on results, too.",
    ),
)
declare_refusal(
    "(torch.nn.Parameter or None expected)",
    cause="not_parameter",
    title="A module takes only Parameters there",
    story=(
        "{code} {line} puts a plain tensor in the place of a registered parameter.",
        "`nn.Parameter` makes a new leaf of it, cut off what it was computed from.",
        "What is to hand its gradient on goes into `torch.func.functional_call`, or takes the place of a parameter "
        "that was deleted before.",
    ),
)


# ---- fixes


OF_THE_RESULT = "the gradient is that of the result, not of what it was made from"


@fix(flag_on_result=1)
def set_flag_on_leaf(wanted: FixContext) -> Iterator[Proposal]:
    """Only a leaf can change its flag."""
    text, raised, name = wanted.text, wanted.at("raised"), wanted.name("target")
    if raised is None or name is None:
        return
    on = "True" in ast.unparse(raised)
    cost = "no gradient goes back beyond this point"
    loop = text.loop(raised)
    if isinstance(loop, ast.For) and not on and text.get(loop.target) == name and isinstance(loop.iter, ast.Name):
        states = loop.iter.id
        if loop.body == [raised]:
            made = f"{states} = [{name}.detach() for {name} in {states}]"
            title = f"detach each of {states} in place of line {loop.lineno}"
            yield replace(wanted.proposal(title, cost, text.replaced(loop, made)), decisive=True)
        else:
            yield wanted.proposal(
                f"{name}.detach_() on line {raised.lineno}", cost, text.replaced(raised, f"{name}.detach_()")
            )
    if not on and isinstance(raised, ast.Assign | ast.Expr):
        yield wanted.proposal(
            f"{name} = {name}.detach() on line {raised.lineno}",
            cost,
            text.replaced(raised, f"{name} = {name}.detach()"),
        )
    built = wanted.at("built")
    value = value_of(built)
    if isinstance(built, ast.Assign) and value is not None and not isinstance(value, ast.Tuple):
        title = f"detach it where it is made, on line {built.lineno}"
        yield wanted.proposal(title, cost, append_suffix(text, value, ".detach()"))
    yield wanted.proposal(
        f"{name} = {name}.detach() before line {raised.lineno}",
        cost,
        text.before(raised, [f"{name} = {name}.detach()"]),
    )
    if on:
        title = f"leave out line {raised.lineno}: a result of tracked tensors requires a gradient anyway"
        yield wanted.proposal(title, FREE, text.removed(raised))


@fix(numpy=1)
def detach_before_numpy(wanted: FixContext) -> Iterator[Proposal]:
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "numpy"):
        if isinstance(call.func, ast.Attribute):
            title = f".detach().numpy() on line {call.lineno}"
            made = in_brackets(text, call.func.value) + ".detach().numpy()"
            yield wanted.proposal(title, "the array knows of no graph", text.replaced(call, made))
    raised, name = wanted.at("raised"), wanted.name("target")
    if raised is not None and name is not None:
        for use in loads(raised, name)[:1]:
            title = f"{name}.detach() on line {raised.lineno}"
            yield wanted.proposal(title, "the array knows of no graph", append_suffix(text, use, ".detach()"))
            title = f"{name}.detach().numpy() on line {raised.lineno}"
            yield wanted.proposal(title, "the array knows of no graph", append_suffix(text, use, ".detach().numpy()"))


@fix(numpy=2)
def collect_numbers(wanted: FixContext) -> Iterator[Proposal]:
    """A list that numpy is to read holds numbers: `losses.append(loss.item())`."""
    text, raised = wanted.text, wanted.at("raised")
    names = {part.id for call in text.calls(raised) for given in call.args for part in text.parts(given, ast.Name)}
    for call in text.calls(text.tree, "append"):
        if len(call.args) == 1 and isinstance(call.func, ast.Attribute) and text.get(call.func.value) in names:
            for taken in (".item()", ".detach()"):
                title = f"keep {text.get(call.args[0])}{taken} on line {call.lineno}"
                cost = "no gradient goes through the list"
                yield wanted.proposal(title, cost, append_suffix(text, call.args[0], taken))


@fix(optimize_result=1, never_moved=3)
def make_leaf_last(wanted: FixContext) -> Iterator[Proposal]:
    """A leaf where a result was: one that asks for its gradient last, or one cut off."""
    yield from ask_last(wanted)
    text, built = wanted.text, wanted.at("built")
    calls = stack_statements(wanted, "built") if isinstance(built, ast.Return) else []
    rebound = [part for part in calls if isinstance(part, ast.Assign) and targets(part) & names_in(part.value)]
    for statement in [*rebound, built]:
        value = value_of(statement)
        if isinstance(statement, ast.Assign | ast.Return) and value is not None and not isinstance(value, ast.Tuple):
            title = f"make it a leaf: .detach().requires_grad_() on line {statement.lineno}"
            yield wanted.proposal(title, OF_THE_RESULT, append_suffix(text, value, ".detach().requires_grad_()"))


@fix(second_backward=2, nameless_leaf=2, never_moved=1)
def ask_last(wanted: FixContext) -> Iterator[Proposal]:
    """Compute first, ask for the gradient last: `(randn(3) / 2).requires_grad_()`."""
    text, built = wanted.text, wanted.at("built")
    value = value_of(built)
    if built is None or value is None or not isinstance(built, ast.Assign | ast.Return):
        return
    made = [last for part in entries_of(value) if (last := flag_last(text, part))]
    if made:
        title = f"compute first and ask for the gradient last, on line {built.lineno}"
        yield wanted.proposal(title, OF_THE_RESULT, *(edit for edits in made for edit in edits))
    for result in results_of(text, [callee(call) for call in text.parts(value, ast.Call)]):
        edits = flag_last(text, result)
        if edits:
            title = f"compute first and ask for the gradient last, on line {result.lineno}"
            yield wanted.proposal(title, OF_THE_RESULT, *edits)


def entries_of(value: ast.expr) -> list[ast.expr]:
    """What a list or dict that is written out holds; else `value` itself."""
    if isinstance(value, ast.ListComp):
        return [value.elt]
    if isinstance(value, ast.DictComp):
        return [value.value]
    if isinstance(value, ast.List | ast.Tuple):
        return list(value.elts)
    return list(value.values) if isinstance(value, ast.Dict) else [value]


def results_of(text: Text, names: list[str]) -> list[ast.expr]:
    """What functions of the program with these names give."""
    named = [
        node.value
        for node in text.parts(text.tree, ast.Assign)
        if isinstance(node.value, ast.Lambda) and text.get(node.targets[0]).rpartition(".")[2] in names
    ]
    homes = [node for node in text.parts(text.tree, ast.FunctionDef) if node.name in names]
    given = [part.value for home in homes for part in ast.walk(home) if isinstance(part, ast.Return)]
    return [*(one.body for one in named if isinstance(one, ast.Lambda)), *(part for part in given if part is not None)]


def flag_last(text: Text, value: ast.expr) -> list[Edit]:
    """`value` with its flag taken off where it stands and asked for at the end."""
    calls = text.parts(value, ast.Call)
    removals = [edit for call in calls if (edit := without_keyword(text, call, "requires_grad")) is not None]
    marks = [call for call in calls if callee(call) == "requires_grad_" and isinstance(call.func, ast.Attribute)]
    end = text.place(value.end_lineno or 0, value.end_col_offset or 0)
    start = text.place(value.lineno, value.col_offset)
    if not removals and not marks:
        return []
    simple = isinstance(value, ast.Call | ast.Name | ast.Attribute)
    edits = list(removals)
    for call in marks:
        assert isinstance(call.func, ast.Attribute)
        inner = text.place(call.func.value.end_lineno or 0, call.func.value.end_col_offset or 0)
        edits.append(Edit(*inner, *text.place(call.end_lineno or 0, call.end_col_offset or 0), ""))
    opening = Edit(*start, *start, "" if simple else "(")
    closing = Edit(*end, *end, ("" if simple else ")") + ".requires_grad_()")
    if any((edit.end_line, edit.end_column) == end for edit in edits):
        return []
    return [opening, *edits, closing]


@fix(nameless_leaf=1, parameter_lost=1)
def make_parameter_last(wanted: FixContext) -> Iterator[Proposal]:
    """Compute first, make it a parameter last: `nn.Parameter(torch.ones(3).unsqueeze(0))`."""
    text, built = wanted.text, wanted.at("built")
    value = value_of(built)
    for call in text.calls(value, "Parameter") if value is not None else ():
        if call is not value and call.args and isinstance(value, ast.expr):
            inner = text.get(value).replace(text.get(call), in_brackets(text, call.args[0]), 1)
            title = f"compute first and make it a Parameter last, on line {call.lineno}"
            made = f"{text.get(call.func)}({inner})"
            yield wanted.proposal(title, OF_THE_RESULT, text.replaced(value, made))


@fix(parameter_lost=2)
def make_parameter(wanted: FixContext) -> Iterator[Proposal]:
    """A plain tensor that is to learn becomes a Parameter of its module."""
    text, built = wanted.text, wanted.at("built")
    if not isinstance(built, ast.Assign) or not isinstance(built.value, ast.Call):
        return
    call = built.value
    if callee(call) == "requires_grad_" and isinstance(call.func, ast.Attribute):
        inner = text.get(call.func.value)
    elif (edit := without_keyword(text, call, "requires_grad")) is not None:
        title = f"torch.nn.Parameter(…) on line {built.lineno}"
        end = text.place(call.end_lineno or call.lineno, call.end_col_offset or 0)
        start = text.place(call.lineno, call.col_offset)
        yield wanted.proposal(title, FREE, Edit(*start, *start, "torch.nn.Parameter("), edit, Edit(*end, *end, ")"))
        return
    else:
        return
    yield wanted.proposal(
        f"torch.nn.Parameter(…) on line {built.lineno}", FREE, text.replaced(call, f"torch.nn.Parameter({inner})")
    )


@fix(hook_on_result=1)
def move_hook(wanted: FixContext) -> Iterator[Proposal]:
    text, name = wanted.text, "register_post_accumulate_grad_hook"
    for call in text.calls(wanted.at("raised"), name):
        shown = text.get(call).replace(name, "register_hook", 1)
        yield wanted.proposal(
            "register_hook instead", "the hook gets the gradient, not the tensor", text.replaced(call, shown)
        )


def leaves(text: Text) -> list[str]:
    """The names that are given to what requires a gradient, as far as the text tells."""
    return [
        text.get(node.targets[0])
        for node in ast.walk(text.tree)
        if isinstance(node, ast.Assign) and "requires_grad" in ast.unparse(node.value)
    ]


@fix(nothing_learns=1)
def unfreeze_last(wanted: FixContext) -> Iterator[Proposal]:
    """Of a model that is frozen as a whole the last layer learns."""
    raised, last = wanted.at("raised"), wanted.name("last")
    if raised is not None and last is not None:
        path = re.sub(r"\.(\d+)", r"[\1]", last)
        title = f"let the last layer learn: {path}.requires_grad_(True) before line {raised.lineno}"
        made = wanted.text.before(raised, [f"{path}.requires_grad_(True)"])
        yield wanted.proposal(title, "gradients are computed for it", made)


@fix(not_parameter=2)
def delete_parameter(wanted: FixContext) -> Iterator[Proposal]:
    """Where `setattr(layer, name, made)` puts what was computed, the parameter that has the name is deleted before."""
    text, raised = wanted.text, wanted.at("raised")
    for call in text.calls(raised, "setattr"):
        if raised is None or len(call.args) != 3:
            continue
        owner, name, _ = map(text.get, call.args)
        line = f"if {name} in {owner}._parameters: delattr({owner}, {name})"
        title = f"delete the parameter before: delattr({owner}, {name}) before line {raised.lineno}"
        cost = "the layer computes with the plain tensor, and lists it no more"
        yield wanted.proposal(title, cost, text.before(raised, [line]))


@fix(not_parameter=1)
def assign_parameter(wanted: FixContext) -> Iterator[Proposal]:
    """A tensor becomes a Parameter where a module registers it."""
    text, raised = wanted.text, wanted.at("raised")
    goal = text.get(raised.targets[0]) if isinstance(raised, ast.Assign) else ""
    if isinstance(raised, ast.Assign) and loads(raised.value, goal):  # its numbers change, and an optimizer has it
        made = f"with torch.no_grad(): {goal}.copy_({text.get(raised.value)})"
        title = f"write into the parameter, under torch.no_grad(), on line {raised.lineno}"
        yield wanted.proposal(title, "the write leaves no trace in the graph", text.replaced(raised, made))
    elif isinstance(raised, ast.Assign):
        title = f"torch.nn.Parameter(…) on line {raised.lineno}"
        made = f"torch.nn.Parameter({text.get(raised.value)})"
        yield wanted.proposal(title, "a new leaf: gradients end there", text.replaced(raised.value, made))


def make_leaf_before_use(wanted: FixContext, built: ast.stmt | None) -> Iterator[Proposal]:
    """The line that makes a leaf of a name goes in front of what computes with it: the graph is to begin there."""
    text = wanted.text
    names = targets(built) if isinstance(built, ast.Assign) else set()
    name = next(iter(names)) if len(names) == 1 else None
    if name is None or built is None or not text.alone(built):
        return
    block = text.block(built)
    above = block[: block.index(built)]
    needed = names_in(built) - {name, "torch", "nn"}
    since = max((at + 1 for at, other in enumerate(above) if binds(other) & {name, *needed}), default=0)
    first = next((other for other in above[since:] if loads(other, name)), None)
    if first is not None and text.alone(first):
        title = f"line {built.lineno} before line {first.lineno}: make it a leaf first, then compute"
        moved = text.before(first, text.lines_of(built))
        yield replace(
            wanted.proposal(title, "a gradient is computed and kept for it", text.removed(built), moved), decisive=True
        )


def binds(statement: ast.stmt) -> set[str]:
    """The plain names that `statement`, or what stands in it, gives a value."""
    parts = ast.walk(statement)
    return {part.id for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
