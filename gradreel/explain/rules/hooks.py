"""Hooks: what they return, what they may write into, and how often they are registered."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ..calls import callee, keyword
from ..diagnostics.diagnosis import Diagnosis, Failure, known_names
from ..diagnostics.failing_node import failing_node
from ..diagnostics.message_rules import MessageRule, is_tracked, message_rules
from ..diagnostics.refusals import declare_refusal, is_computed
from ..diagnostics.registry import Watcher, rule, watcher
from ..diagnostics.showing import FirstTrouble
from ..fixes.edits import append_suffix, enclosing, in_brackets, stack_statements
from ..fixes.proposal import FREE, FixContext, Proposal
from ..fixes.registry import fix, fix_kind, reference
from ..fixes.text import Edit, Text, names_in
from ..narration.words import code, code_label, on
from ..replay.graph_queries import are_equal
from ..replay.states import NodeState
from ..replay.world import World
from ..source import is_simple
from .function.definitions import is_none
from .graph.derived_values import local_names
from .inplace.out_of_place import COPY, PLAINLY, plain
from .inplace.refused_writes import inplace_switched_off
from .optimizer.zero_grad import from_gradient

declare_refusal(
    "expected Variable, but hook returned",
    cause="hook_returned",
    title="A hook gives a gradient, or nothing",
    fits=is_computed,
    role="built",
    story=(
        "A hook on {name}, made {where}, returned something that is no tensor.",
        "What a hook returns takes the place of the gradient that it was given. It has to be a tensor of the "
        "same shape; None leaves the gradient as it is.",
    ),
)
declare_refusal(
    "saved tensor unpack_hook expected",
    cause="unpacked",
    title="An unpack hook gives a tensor back",
    fits=is_computed,
    role="built",
    story=(
        "{code} {line} needs a tensor that was saved, and `pack` had put something else in its place.",
        "What `unpack` makes of that has to be a tensor again, with the same numbers: it gave something else.",
    ),
)
declare_refusal(
    "saved tensor pack hook is modifying its input",
    cause="packed",
    title="A pack hook may not write",
    fits=is_computed,
    role="built",
    story=(
        "{code} {line} saves a tensor, and the `pack` hook writes into it.",
        "That tensor is the program's own, and others compute with it. What is to be saved can be computed from it "
        "instead, as a new tensor.",
    ),
)
declare_refusal(
    "post accumulate grad hooks should return None",
    cause="post_hook_result",
    title="This hook returns nothing",
    fits=is_tracked,
    story=(
        "A hook that runs after a gradient was added up gets the leaf: {code} {line} runs one.",
        "It gives something back, which would go nowhere: what it is to change, it changes in `p.grad`.",
    ),
)
declare_refusal(
    "cannot resize variables that require grad",
    cause="resized",
    title="What requires a gradient keeps its size",
    fits=is_tracked,
    role="built",
    story=(
        "{name}, made {where}, requires a gradient, and {code} {line} would give it another size in place.",
        "The gradient has one entry for each number that there was. A new tensor of another size can be computed "
        "from it: by `F.pad`, `cat`, `expand` or an index.",
    ),
)
declare_refusal(
    "data set to a tensor that requires gradients must be floating point",
    cause="data_type",
    title="Only floating point numbers have a slope",
    fits=is_tracked,
    role="built",
    story=(
        "{name}, made {where}, requires a gradient, and {code} {line} puts whole numbers into it.",
        "Between whole numbers there is nothing to go along; `.float()` makes them floating point numbers.",
    ),
)


HOOK = re.compile(r"hook '(.+)' has changed the size of value")


@rule
def hook_shaped(world: World, failure: Failure) -> Diagnosis | None:
    """A hook returned a gradient of another shape: whose gradient it is, and where the hook is written."""
    message = failure.raised.message
    changed = HOOK.match(message)
    if changed is None:
        return None
    name = changed.group(1)
    functions = [node for node in world.source.nodes if isinstance(node, ast.FunctionDef)]
    hook = next((node for node in functions if node.name == name), None)
    node = failing_node(world, failure)
    number = None if node is None else node.variable if node.variable is not None else (*node.outputs, None)[0]
    tensor = world.tensors.get(number) if number is not None else None
    lines: dict[str, int | None] = {"raised": failure.raised.line}
    events = {"raised": failure.number}
    story = []
    if hook is not None:
        lines["saved"] = hook.lineno
    who = f"{code(name)}, written {on(hook.lineno)}," if hook is not None else "A hook"
    if tensor is not None:
        lines["built"], events["built"] = tensor.place.line, tensor.made
        whose = f"{code_label(world, tensor.number)}, made {on(tensor.place.line)}, has the shape {list(tensor.shape)}"
        story.append(f"{whose}, and so has its gradient.")
    story.append(f"{who} gets that gradient on its way back, and what it returns takes its place.")
    story.append("It returned one of another shape; a hook may change the numbers of a gradient, not its shape.")
    return Diagnosis(
        kind="shape",
        title="A hook that changes the shape",
        message=message,
        lines=lines,
        story=tuple(story),
        nodes=() if node is None else (node.number,),
        events=events,
        cause="hook_shape",
    )


GRADIENT_NAME = re.compile(r"(?i)g$|d?grads?\b|gradient|\w*_grad$")
"""How an argument is called by somebody who takes it for a gradient."""


@watcher(e.HookRan, e.Written)
class Hooked(Watcher):
    """Follows what is written between a node's being ready and its hook's end."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.entered: list[tuple[int, int]] = []
        """Functions that the engine called: scope, and with how many calls open."""
        self.given: dict[int, str] = {}
        """Gradients that such a function was given, and their names."""
        self.writes: list[tuple[int, int, str]] = []
        self.latest: dict[int, e.Written] = {}
        """The last write into each of them."""
        self.from_gradient = False
        """Whether one of the writes was computed from the gradient of what it went into."""
        self.waiting: dict[tuple[int, int, int], e.GradAdded] = {}
        """The gradients that nodes wait with, by call, node and which of its inputs: as each last arrived."""
        self.returned: tuple[e.HookRan, tuple[int, int, str]] | None = None
        """A hook that gave back the very gradient that it wrote into, and the write."""
        self.diagnosis: Diagnosis | None = None

    def on_grad_added(self, event: e.GradAdded) -> None:
        self.waiting[event.call, event.node, event.input_nr] = event

    def on_node_started(self, event: e.NodeStarted) -> None:
        """Another node that starts with what the hook made of a gradient, though something else had come to it."""
        for place, grad in enumerate(event.grads):
            came = self.waiting.pop((event.call, event.node, place), None)
            if came is None or self.returned is None or self.diagnosis is not None:
                continue
            ran, write = self.returned
            if event.node != ran.node and are_equal(grad, ran.after) and not are_equal(grad, came.after):
                self.diagnosis = self.describe(ran, write, self.world.nodes[event.node])

    def on_function_entered(self, event: e.FunctionEntered) -> None:
        if self.world.open_calls:
            self.entered.append((event.scope, len(self.world.open_calls)))
            self.given.clear()
            self.writes.clear()
            self.latest.clear()
            self.from_gradient = False

    def on_name_bound(self, event: e.NameBound) -> None:
        if not self.entered or event.scope != self.entered[-1][0] or event.tensor is None:
            return
        if self.world.place.frames and self.world.place.frames[-1].scope == event.scope:
            return  # a name that the function gave itself; its arguments come before its first line
        self.given[event.tensor] = event.name

    def on_written(self, event: e.Written) -> None:
        if event.tensor in self.given and self.world.open_calls:
            self.latest[event.tensor] = event
            self.from_gradient |= from_gradient(self.world, event.inputs, event.tensor)
            self.writes.append((self.world.count - 1, self.world.place.line, self.given[event.tensor]))

    def on_hook_ran(self, event: e.HookRan) -> None:
        """A hook that writes and returns nothing says one thing and does another; returning what it wrote is a fault
        only if others look at the same memory, which shows later."""
        if event.node is not None:
            self.waiting = {key: came for key, came in self.waiting.items() if key[1] != event.node}
        if event.hook == "post_accumulate" and self.diagnosis is None and event.tensor is not None:
            self.diagnosis = self.of_parameter(event.tensor)
        if self.writes and event.hook in ("tensor", "pre", "post") and self.diagnosis is None:
            if event.after is None:
                self.diagnosis = self.describe(event, self.writes[0], None)
            else:
                self.returned = event, self.writes[0]
        self.given.clear()
        self.writes.clear()
        self.latest.clear()
        self.from_gradient = False

    def of_parameter(self, tensor: int) -> Diagnosis | None:
        """A hook behind accumulation is given the parameter, whose `.grad` it may change: this one scaled the former.

        Writes that use the gradient are steps of an optimizer of its own; clamping and masking are about weights.
        """
        write, world = self.latest.get(tensor), self.world
        if write is None or self.from_gradient:
            return None
        number, line, name = next(one for one in self.writes if one[2] == self.given[tensor])
        scaled = write.op.partition(".")[0] in ("mul", "div") and not any(
            world.tensors[source].shape for source in write.inputs if source in world.tensors and source != tensor
        )
        if not scaled and not GRADIENT_NAME.match(name):
            return None
        owner = code_label(world, tensor)
        title, names = "A hook that changes the parameter instead of its gradient", known_names(target=name)
        return Diagnosis(
            title=title,
            lines={"changed": line, "raised": None, "shows": line},
            story=(
                f"`register_post_accumulate_grad_hook` hands its hooks the tensor itself, here {owner}, and no "
                "gradient.",
                f"{code(world.source.text(line))} {on(line)} so changes the numbers of {owner}, in every backward, and "
                "leaves its `.grad` as it was.",
                "The gradient is in the `.grad` of what is given; hooks of `register_hook` are given the gradient "
                "itself.",
            ),
            events={"changed": number, "seen": world.count - 1},
            cause="parameter_hooked",
            names=names,
        )

    def describe(self, ran: e.HookRan, write: tuple[int, int, str], other: NodeState | None) -> Diagnosis:
        number, line, name = write
        gave = (
            "It returned nothing, which says “leave it as it is”, and still the gradient is another now. That memory "
            "may belong to others as well, to a second branch or to a `.grad` that was kept."
            if other is None
            else f"The same memory was on its way to **{other.title}** of **line {other.place.line}**, too. It started "
            "with the changed numbers, though no hook was asked for there."
        )
        nodes = [] if ran.node is None else [ran.node]
        return Diagnosis(
            title="A hook changed a gradient in place",
            lines={"changed": line, "raised": None, "shows": line},
            story=(
                f"The hook writes into the gradient it was given: {code(self.world.source.text(line))} {on(line)}.",
                gave,
                "A hook that wants another gradient should compute a new one and return it.",
            ),
            nodes=(*nodes, *([] if other is None else [other.number])),
            events={"changed": number, "seen": self.world.count - 1},
            cause="hooked",
            names=known_names(target=name),
        )

    def report(self) -> list[Diagnosis]:
        return [self.diagnosis] if self.diagnosis is not None else []


CALLS = 4
"""In so many backwards there must be once, twice, three times as many."""


@watcher(e.HookRan, e.BackwardStarted)
class HooksPile(FirstTrouble):
    """In each backward: how often hooks of a leaf ran, and how often a registered function did at one node; a module
    that is called more often has more nodes."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.registering = find_registrations(world.source.tree)
        self.names = {name for _, name in self.registering}
        self.now: Counter[tuple[str, object]] = Counter()
        self.at_node: Counter[str] = Counter()
        self.before: list[Counter[tuple[str, object]]] = []
        self.reached: dict[int, int] = {}

    def subscriptions(self) -> dict[type[Event], Callable[[Any], None]]:
        return {} if not self.registering else super().subscriptions()

    def on_line_reached(self, event: e.LineReached) -> None:
        self.reached.setdefault(event.line, self.world.count - 1)

    def on_hook_ran(self, event: e.HookRan) -> None:
        if event.hook == "tensor" and event.tensor is not None and self.world.tensors[event.tensor].node is None:
            self.now["leaf", event.tensor] += 1

    def on_node_ran(self, event: e.NodeRan) -> None:
        self.at_node.clear()

    def on_function_entered(self, event: e.FunctionEntered) -> None:
        name = event.function
        if self.world.open_calls and name in self.names:
            self.at_node[name] += 1
            self.now["function", name] = max(self.now["function", name], self.at_node[name])

    def on_backward_finished(self, event: e.BackwardFinished) -> None:
        if self.world.open_calls or self.diagnosis is not None:
            return
        self.before.append(self.now)
        self.now = Counter()
        if len(self.before) == CALLS:
            first = self.before[0]
            for key, once in first.items():
                if [count[key] for count in self.before] == [once * (at + 1) for at in range(CALLS)]:
                    self.tell(self.describe(key, once))
                    return

    def describe(self, key: tuple[str, object], once: int) -> Diagnosis:
        world = self.world
        line = next((line for line, name in self.registering if key[0] == "leaf" or name == key[1]))
        text = code(world.source.text(line))
        return Diagnosis(
            title="Hooks that pile up",
            lines={"built": line, "raised": None},
            story=(
                f"{text} {on(line)} registers a hook each time that it is reached, and nobody removes the one before.",
                f"In the first backward hooks ran {once} times there, in the fourth {CALLS * once} times. What a hook "
                "does to a gradient is done again and again, or written down again and again.",
                "A hook is registered once, before the loop, or removed after its backward by the handle that "
                "registering gives.",
            ),
            events={"built": self.reached.get(line, world.count - 1), "seen": world.count - 1},
            cause="hooks_pile",
            names=known_names(target=text),
        )


def find_registrations(tree: ast.AST) -> list[tuple[int, str]]:
    """The lines that register a hook in a loop, or in a function, and what they register."""
    found = []
    for home in ast.walk(tree):
        if not isinstance(home, ast.For | ast.While | ast.FunctionDef) or getattr(home, "name", "") == "__init__":
            continue
        for part in [node for node in ast.walk(home) if is_simple(node)]:
            for call in [node for node in ast.walk(part) if isinstance(node, ast.Call)]:
                if callee(call).startswith("register_") and callee(call).endswith("hook") and call.args:
                    hook = call.args[0]
                    name = "<lambda>" if isinstance(hook, ast.Lambda) else ast.unparse(hook).rpartition(".")[2]
                    found.append((part.lineno, name))
    return found


message_rules(
    "hooked_written",
    MessageRule(
        re.compile(r"BackwardHookFunction is a view"),
        cause="hooked_view",
        title="A write beside a hook",
        story=(
            "{code} {line}{turn} writes in place over what a module with a full backward hook was given, or gave out.",
            "Such a hook puts a node before its module and one behind it, and what those hand on are views that nobody "
            "may write over.",
            "A new tensor in place of the write is right; a hook on the tensor, `out.register_hook`, needs no such "
            "nodes.",
        ),
        kind="view_inplace",
    ),
)


# ---- fixes


Hook = ast.FunctionDef | ast.Lambda


@fix(hook_returned=1)
def return_gradient(wanted: FixContext) -> Iterator[Proposal]:
    """A number that a hook returns becomes a factor of the gradient that it was given."""
    text = wanted.text
    for hook in hooks(text, "register_hook", 0):
        came = hook.args.args[0].arg if hook.args.args else None
        for value in results(hook):
            if came is None or is_none(value) or text.get(value) == came:
                continue
            factor = text.get(value).removesuffix(".item()")
            reads = came in names_in(value)
            made = (
                factor
                if reads and factor != text.get(value)
                else f"{came} * {text.get(value) if isinstance(value, ast.Constant) else in_brackets(text, value)}"
            )
            title = f"return a tensor: {made} on line {value.lineno}"
            yield wanted.proposal(title, "the gradient that came goes in", text.replaced(value, made))
            made = f"torch.full_like({came}, {text.get(value)})"
            title = f"return a tensor: {made} on line {value.lineno}"
            yield wanted.proposal(title, "the gradient that came is left out", text.replaced(value, made))


KEEPERS = frozenset(
    {"append", "add", "update", "setdefault", "extend", "insert", "add_scalar", "write", "print", "info"}
)
"""Calls that keep or show what they are given."""
FORM = frozenset({"shape", "size", "dim", "ndim", "dtype", "device", "numel"})


@fix(hook_shape=1)
def silence_hook(wanted: FixContext) -> Iterator[Proposal]:
    """A hook that only keeps or shows what it computes returns nothing, and so changes nothing."""
    found = silenced(wanted)
    if found is not None:
        hook, edits = found
        title = f"return nothing from the hook on line {hook.lineno}, which only watches"
        yield replace(wanted.proposal(title, "the gradient goes on as it came", *edits), decisive=True)


@reference
def without_watching(wanted: FixContext) -> str | None:
    """The program with a hook that only watches: no other edit may have it change the gradient."""
    found = silenced(wanted) if wanted.found.cause == "hook_shape" else None
    return wanted.text.edited(*found[1]) if found is not None else None


def silenced(wanted: FixContext) -> tuple[Hook, list[Edit]] | None:
    """The hook that changed the shape, if it keeps or shows what it returns, and edits that have it return nothing."""
    text, changed = wanted.text, HOOK_NAME.match(wanted.found.message)
    for node in text.nodes if changed is not None else ():
        if not isinstance(node, ast.Lambda | ast.FunctionDef) or not node.args.args:
            continue
        if getattr(node, "name", "<lambda>") != changed.group(1):  # type: ignore[union-attr]
            continue
        edits = [edit for edit in map(partial(unreturned, text, node), ends_of(node)) if edit is not None]
        if edits and len(edits) == len(ends_of(node)):
            return node, edits
    return None


def ends_of(hook: Hook) -> list[ast.expr]:
    """What `hook` returns, but for None and for what it was given."""
    given = hook.args.args[-1].arg
    return [value for value in results(hook) if not is_none(value) and ast.unparse(value) != given]


def unreturned(text: Text, hook: Hook, value: ast.expr) -> Edit | None:
    """The edit after which `value`, which the hook keeps or shows, is not returned any more."""
    end = text.parents.get(value)
    if isinstance(value, ast.BoolOp) and isinstance(value.op, ast.Or) and any(map(keeps, value.values[:-1])):
        first = value.values[-2]
        start = text.place(first.end_lineno or 0, first.end_col_offset or 0)
        return Edit(*start, *text.place(value.end_lineno or 0, value.end_col_offset or 0), "")
    if calls_keeper(text, value):
        return text.replaced(end, text.get(value)) if isinstance(end, ast.Return) else nothing_of(text, value)
    if isinstance(end, ast.Return) and is_kept(text, hook, value):
        alone = len(text.block(end)) > 1 and end is text.block(end)[-1] and end in hook.body  # type: ignore[operator]
        return text.removed(end) if alone else text.replaced(end, "return")
    return None


def nothing_of(text: Text, value: ast.expr) -> Edit:
    return text.replaced(value, f"({text.get(value)}, None)[1]")


def keeps(part: ast.AST) -> bool:
    return callee(part) in KEEPERS


def calls_keeper(text: Text, value: ast.expr) -> bool:
    """Whether `value` is a call that keeps what it is given, or one of a function that does and returns that."""
    if keeps(value):
        return True
    functions = [node for node in text.parts(text.tree, ast.FunctionDef) if node.name == callee(value)]
    return any(is_kept(text, own, end) for own in functions for end in results(own))


def is_kept(text: Text, hook: Hook, value: ast.expr) -> bool:
    """Whether another statement of `hook` keeps or shows `value`: not its shape alone."""
    shown = ast.unparse(value)
    for node in ast.walk(hook):
        if isinstance(node, ast.Call) and (keeps(node) or shows(node)):
            parts: list[ast.expr] = [*node.args, *(word.value for word in node.keywords)]
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript | ast.Attribute):
            parts = [node.value, *node.targets]
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Subscript | ast.Attribute):
            parts = [node.value]
        else:
            continue
        read = [one for part in parts for one in ast.walk(part) if isinstance(one, ast.expr) and one is not value]
        if any(ast.unparse(one) == shown and not of_form(text, one) for one in read):
            return True
    return False


def shows(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id == "print"


def of_form(text: Text, use: ast.expr) -> bool:
    outer = text.parents.get(use)
    return isinstance(outer, ast.Attribute) and outer.attr in FORM


@fix(hook_shape=2)
def return_tuple(wanted: FixContext) -> Iterator[Proposal]:
    """A hook on a module returns a tuple of gradients, one for each input."""
    text = wanted.text
    for hook in [*hooks(text, "register_full_backward_hook", 0), *hooks(text, "register_backward_hook", 0)]:
        edits = [text.replaced(value, f"({text.get(value)},)") for value in results(hook) if not is_tuple(value)]
        if edits:
            title = f"return a tuple, one gradient for each input, from the hook on line {hook.lineno}"
            yield wanted.proposal(title, FREE, *edits)


def is_tuple(value: ast.expr) -> bool:
    return isinstance(value, ast.Tuple) or is_none(value)


@fix(post_hook_result=1)
def return_nothing(wanted: FixContext) -> Iterator[Proposal]:
    """A hook that runs when all is added up returns nothing: what it computes, it does."""
    text = wanted.text
    for hook in hooks(text, "register_post_accumulate_grad_hook", 0):
        edits = []
        for node in ast.walk(hook):
            if isinstance(node, ast.Return) and node.value is not None:
                edits.append(text.replaced(node, text.get(node.value)))
        if isinstance(hook, ast.Lambda):
            edits.append(text.replaced(hook.body, f"({text.get(hook.body)}, None)[1]"))
        if edits:
            yield wanted.proposal(f"return nothing from the hook on line {hook.lineno}", FREE, *edits)


@fix(unpacked=1)
def unpack_tensor(wanted: FixContext) -> Iterator[Proposal]:
    """What `pack` kept is made a tensor again; a `pack` that keeps nothing keeps what it was given."""
    text = wanted.text
    for hook in hooks(text, "saved_tensors_hooks", 0):
        if hook.args.args and (values := results(hook)) and all(map(is_none, values)):
            came = hook.args.args[0].arg
            edits = [text.replaced(value, came) for value in values]
            yield wanted.proposal(f"keep the tensor: return {came} on line {values[0].lineno}", FREE, *edits)
    for hook in hooks(text, "saved_tensors_hooks", 1):
        for value in results(hook):
            for made in ("torch.as_tensor({})", "torch.tensor({})"):
                shown = made.format(text.get(value))
                title = f"give a tensor back: {shown} on line {value.lineno}"
                yield wanted.proposal(title, "one copy", text.replaced(value, shown))


@fix(packed=1)
def pack_copy(wanted: FixContext) -> Iterator[Proposal]:
    """A `pack` that writes works on a copy."""
    text = wanted.text
    for hook in hooks(text, "saved_tensors_hooks", 0):
        came = hook.args.args[0].arg if hook.args.args else None
        if isinstance(hook, ast.FunctionDef) and came is not None:
            title = f"work on a copy: {came} = {came}.clone() before line {hook.body[0].lineno}"
            yield wanted.proposal(
                title, "one tensor more in memory", text.before(hook.body[0], [f"{came} = {came}.clone()"])
            )
        elif isinstance(hook, ast.Lambda):
            for use in text.parts(hook.body, ast.Attribute):
                if use.attr.endswith("_") and text.get(use.value) == came:
                    title = f"{came}.{use.attr[:-1]}, which writes nothing, on line {use.lineno}"
                    yield wanted.proposal(
                        title, "one tensor more in memory", text.replaced(use, f"{came}.{use.attr[:-1]}")
                    )


@fix(resized=1)
def pad_tensor(wanted: FixContext) -> Iterator[Proposal]:
    """A longer tensor is computed, with zeros behind."""
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "resize_"):
        if len(call.args) == 1 and isinstance(call.func, ast.Attribute):
            shown = in_brackets(text, call.func.value)
            made = f"torch.nn.functional.pad({shown}, (0, {text.get(call.args[0])} - {shown}.numel()))"
            yield wanted.proposal(
                "a new tensor, with zeros behind", "one tensor more in memory", text.replaced(call, made)
            )


@fix(data_type=1)
def write_floats(wanted: FixContext) -> Iterator[Proposal]:
    text, raised = wanted.text, wanted.at("raised")
    if isinstance(raised, ast.Assign):
        title = f"floating point numbers: .float() on line {raised.lineno}"
        yield wanted.proposal(title, "a converted copy", append_suffix(text, raised.value, ".float()"))


def hooks(text: Text, register: str, place: int) -> list[Hook]:
    """The functions that are given to `register` at that place of its arguments."""
    given = [
        call.args[place]
        for call in text.parts(text.tree, ast.Call)
        if callee(call) == register and len(call.args) > place
    ]
    names = {part.id for part in given if isinstance(part, ast.Name)}
    written: list[Hook] = [part for part in text.parts(text.tree, ast.FunctionDef) if part.name in names]
    named = [
        node.value
        for node in text.parts(text.tree, ast.Assign)
        if isinstance(node.value, ast.Lambda) and names & names_in(node.targets[0])
    ]
    return [*(part for part in given if isinstance(part, ast.Lambda)), *named, *written]


def results(hook: Hook) -> list[ast.expr]:
    if isinstance(hook, ast.Lambda):
        return [hook.body]
    return [node.value for node in ast.walk(hook) if isinstance(node, ast.Return) and node.value is not None]


ONCE = "the hook runs once in each backward"


@fix(hooks_pile=1)
def register_once(wanted: FixContext) -> Iterator[Proposal]:
    """A hook that a loop registers in every turn is registered before the loop, or removed at the end of the turn."""
    text, built = wanted.text, wanted.at("built")
    home = enclosing(text, built, ast.FunctionDef) if built is not None else None
    if not isinstance(built, ast.Expr) or not text.alone(built):
        return
    read = names_in(built) - {part.arg for part in ast.walk(built) if isinstance(part, ast.arg)}
    local = local_names(home)
    for statement in stack_statements(wanted, "built"):
        loops = [node for node in text.around(statement) if isinstance(node, ast.For | ast.While)]
        for loop in reversed(loops):
            moved = next((node for node in (statement, *loops) if node in loop.body), None)
            free = [built] if statement is not built and not read & {*local, "self"} else []
            for one in [*([moved] if moved is not None and text.alone(moved) else []), *free]:
                title = f"once, before the loop: line {one.lineno} before line {loop.lineno}"
                yield wanted.proposal(title, ONCE, text.removed(one), text.before(loop, text.lines_of(one)))
            if moved is built:
                title = f"remove it at the end of the turn: handle.remove() after line {loop.body[-1].end_lineno}"
                start = text.place(built.lineno, built.col_offset)
                named = Edit(*start, *start, "handle = ")
                yield wanted.proposal(title, ONCE, named, text.after(loop.body[-1], ["handle.remove()"]))
    owner = enclosing(text, home, ast.ClassDef) if home is not None else None
    for init in text.parts(owner, ast.FunctionDef) if "self" in read and not read & local else ():
        if init.name == "__init__" and init is not home:
            title = f"once, in __init__: line {built.lineno} after line {init.body[-1].end_lineno}"
            yield wanted.proposal(title, ONCE, text.removed(built), text.after(init.body[-1], text.lines_of(built)))


@fix(hooked=1)
def return_new_gradient(wanted: FixContext) -> Iterator[Proposal]:
    """The hook returns a new gradient."""
    text, change, target = wanted.text, wanted.at("changed"), wanted.name("target")
    if change is None:
        return
    body = text.block(change)
    returns = isinstance(body[-1], ast.Return)
    made = None
    if isinstance(change, ast.AugAssign) and isinstance(change.target, ast.Name):
        sign = {ast.Mult: "*", ast.Add: "+", ast.Sub: "-", ast.Div: "/"}.get(type(change.op))
        made = f"{text.get(change.target)} {sign} {text.get(change.value)}" if sign else None
    elif isinstance(change, ast.Expr) and isinstance(change.value, ast.Call):
        name = callee(change.value)
        if name.endswith("_"):
            made = text.get(change.value).replace(f".{name}(", f".{name[:-1]}(", 1)
    if made is not None:
        shown = f"{target} = {made}" if returns else f"return {made}"
        yield wanted.proposal("return a new gradient instead", "one tensor more", text.replaced(change, shown))
    if target is not None and target.isidentifier():
        edits = [text.before(change, [f"{target} = {target}.clone()"])]
        edits += [] if returns else [text.after(body[-1], [f"return {target}"])]
        yield wanted.proposal("change a clone and return it", "one tensor more", *edits)


@fix(parameter_hooked=1)
def hook_parameter(wanted: FixContext) -> Iterator[Proposal]:
    """The hook goes where gradients are given to it, or changes `.grad` of the tensor that it is given."""
    text, target = wanted.text, wanted.name("target")
    if target is None or not target.isidentifier():
        return
    change: ast.stmt | ast.expr | None = wanted.at("changed")
    if change is None or target not in names_in(change):  # a lambda, which has no line of its own
        inner = [hook for hook in hooks(text, REGISTERS, 0) if isinstance(hook, ast.Lambda)]
        change = next((hook.body for hook in inner if target in names_in(hook.body)), None)
    if change is None:
        return
    ways = [call.func for call in text.calls(text.tree, REGISTERS) if isinstance(call.func, ast.Attribute)]
    computed = returned_anew(text, change, target)
    if computed is not None and ways:
        outer = [text.replaced(way, f"{text.get(way.value)}.register_hook") for way in ways]
        title = "register it with `register_hook`, which gives it the gradient"
        yield wanted.proposal(title, FREE, *outer, computed)
    places = [node for node in ast.walk(change) if isinstance(node, ast.Name) and node.id == target]
    edits = [text.replaced(node, f"{target}.grad") for node in places]
    if edits:
        yield wanted.proposal(f"change `.grad` of {code(target)}, not {code(target)} itself", FREE, *edits)


REGISTERS = "register_post_accumulate_grad_hook"


def returned_anew(text: Text, change: ast.stmt | ast.expr, target: str) -> Edit | None:
    """`change`, which writes into `target`, as one that gives back a new tensor."""
    if isinstance(change, ast.AugAssign) and isinstance(change.target, ast.Name):
        sign = {ast.Mult: "*", ast.Div: "/"}.get(type(change.op))
        made = f"{target} {sign} {text.get(change.value)}"
        returns = isinstance(text.block(change)[-1], ast.Return)
        return text.replaced(change, f"{target} = {made}" if returns else f"return {made}") if sign else None
    for call in text.parts(change, ast.Call):
        written = isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) == target
        result_is_used = not isinstance(change, ast.Expr | ast.Assign) or isinstance(text.parents.get(call), ast.Lambda)
        if written and callee(call).endswith("_") and result_is_used:
            return text.replaced(call.func, f"{target}.{callee(call)[:-1]}")
    return None


HOOK_NAME = re.compile(r"^hook '(.+)' has changed the size of value")
RESHAPING = frozenset(
    {"mean", "sum", "squeeze", "unsqueeze", "flatten", "view", "reshape", "t", "transpose", "permute"}
)
REDUCING = frozenset({"mean", "sum"})


@fix(hook_shape=4)
@fix_kind(shape=2)
def keep_hook_shape(wanted: FixContext) -> Iterator[Proposal]:
    """A hook returns what it computes in the shape of the gradient that it was given: without the call that changes it
    at the end, or laid out, or spread over that shape."""
    text, found = wanted.text, HOOK_NAME.match(wanted.found.message)
    for node in ast.walk(text.tree) if found is not None else ():
        if not isinstance(node, ast.Lambda | ast.FunctionDef) or not node.args.args:
            continue
        if getattr(node, "name", "<lambda>") != found.group(1):  # type: ignore[union-attr]
            continue
        given = node.args.args[-1].arg
        parts = [node.body] if isinstance(node, ast.Lambda) else [r.value for r in returned_by(node) if r.value]
        changes = [call for part in parts for call in changing_shape(part)]
        if changes and all(text.get(owner_of(call)) != given for call in changes):
            title = f"leave out .{callee(changes[0])}(…) on line {changes[0].end_lineno}, and keep the shape of {given}"
            edits = [text.replaced(call, text.get(owner_of(call))) for call in changes]
            yield wanted.proposal(title, "each entry keeps the gradient of its own", *edits)
        title = f"in the shape of {given}, on line {parts[0].lineno}" if parts else ""
        laid = [text.replaced(part, f"{in_brackets(text, part)}.reshape_as({given})") for part in parts]
        yield wanted.proposal(title, FREE, *laid)
        means = [call for call in changes if callee(call) in REDUCING and keyword(call, "keepdim") is None]
        spread = [
            text.replaced(
                part, f"{kept_dimensions(text, part) if means else in_brackets(text, part)}.expand_as({given})"
            )
            for part in parts
        ]
        title = f"give the shape of {given} to what the hook on line {node.lineno} returns"
        yield wanted.proposal(title, "one number for all entries", *spread)


def changing_shape(value: ast.expr) -> Iterator[ast.Call]:
    """The calls at the end of `value`, of either side of a choice, that may change a shape."""
    if isinstance(value, ast.IfExp):
        yield from changing_shape(value.body)
        yield from changing_shape(value.orelse)
    elif isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in RESHAPING:
        yield value


def owner_of(call: ast.Call) -> ast.expr:
    assert isinstance(call.func, ast.Attribute)
    return call.func.value


def kept_dimensions(text: Text, part: ast.expr) -> str:
    """`part` in brackets, the reduction at its end with keepdim=True where it only names dimensions."""
    if not isinstance(part, ast.Call) or callee(part) not in REDUCING:
        return in_brackets(text, part)
    by_place = any(isinstance(arg, ast.Constant) and isinstance(arg.value, bool) for arg in part.args)
    if by_place or keyword(part, "keepdim") is not None:
        return text.get(part)
    given = [*map(text.get, part.args), *map(ast.unparse, part.keywords)]
    return f"{text.get(part.func)}({', '.join([*given, 'keepdim=True'])})" if given else text.get(part)


@fix(hook_shape=3)
@fix_kind(shape=1)
def restore_rows(wanted: FixContext) -> Iterator[Proposal]:
    """A hook that computes with some rows of the gradient puts them back into the whole of it."""
    text = wanted.text
    for node in text.parts(text.tree, ast.FunctionDef):
        given = node.args.args[-1].arg if node.args.args else ""
        rows = [part for part in text.parts(node, ast.Subscript) if text.get(part.value) == given]
        ends = returned_by(node)
        if len({text.get(part) for part in rows}) == 1 and len(ends) == 1 and ends[0].value is not None:
            place, end = text.get(rows[0].slice), ends[0]
            lines = [f"whole = {given}.clone()", f"whole[{place}] = {text.get(ends[0].value)}"]
            title = f"put what it computed back into the whole gradient, on line {end.lineno}"
            cost = "the other rows keep the gradient that came"
            yield wanted.proposal(title, cost, text.before(end, lines), text.replaced(ends[0].value, "whole"))


def returned_by(function: ast.FunctionDef) -> list[ast.Return]:
    return [node for node in ast.walk(function) if isinstance(node, ast.Return)]


@fix(hooked_view=1)
def write_beside_hook(wanted: FixContext) -> Iterator[Proposal]:
    """What a hook of a module handed on is written over, by a module beside it or by the program itself."""
    yield from inplace_switched_off(wanted)
    text, raised = wanted.text, wanted.at("raised")
    made = plain(text, raised)
    if made is not None and raised is not None:
        yield wanted.proposal(f"{PLAINLY}: line {raised.lineno}", COPY, text.replaced(raised, made))
