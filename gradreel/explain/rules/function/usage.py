"""A Function of the program's own that is not used as one: called and not applied, or with an empty context."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ...calls import callee, parse_code
from ...diagnostics.diagnosis import Diagnosis, Failure, known_names
from ...diagnostics.failing_node import failing_node
from ...diagnostics.mentions import begin_story, raising_statement
from ...diagnostics.registry import rule, watcher
from ...diagnostics.showing import FirstTrouble
from ...fixes.edits import copies, enclosing, join_names
from ...fixes.proposal import FREE, FixContext, Proposal
from ...fixes.registry import fix
from ...fixes.text import Edit, Text, names_in, targets
from ...narration.words import code, code_label, listing, on
from ...replay.graph_queries import ancestors, gradient_call
from ...replay.states import NodeState
from ...replay.world import World
from ...source import nodes_of
from ..gradients.backward_root import root
from .contract import last_custom
from .definitions import function_classes, method, outputs, own_class, returns, savings

FORWARD = re.compile(r"^(?P<function>\w+)\.forward\(\) missing \d+ required positional arguments?: ")
MADE = re.compile(r"^(?:type object )?'(?P<function>\w+)' object has no attribute '(?P<what>\w+)'$")
MADE_CLASS = re.compile(r"^type object '(?P<function>\w+)' has no attribute '(?P<what>\w+)'$")
NOT_ON_CONTEXT = re.compile(r"^'(?P<function>\w+)Backward' object has no attribute '(?P<what>\w+)'$")
TOO_FEW = re.compile(r"^not enough values to unpack \(expected (?P<want>\d+), got (?P<has>\d+)\)$")
SET_UP = "must override the setup_context staticmethod"
DEEP = 5
"""So many calls of backward within one another are no accident."""


@rule
def function_misused(world: World, failure: Failure) -> Diagnosis | None:
    kinds = functions(world)
    tells: tuple[Callable[[World, Failure, dict[str, ast.ClassDef]], Diagnosis | None], ...] = (
        not_applied,
        empty_context,
        saved_too_few,
        not_set_up,
        through_itself,
        once_only,
    )
    return next((found for tell in tells if (found := tell(world, failure, kinds)) is not None), None)


def functions(world: World) -> dict[str, ast.ClassDef]:
    """The Functions that the program writes, by their names."""
    kinds = [node for node in world.source.nodes if isinstance(node, ast.ClassDef)]
    return {kind.name: kind for kind in kinds if any("Function" in ast.unparse(base) for base in kind.bases)}


def not_applied(world: World, failure: Failure, kinds: dict[str, ast.ClassDef]) -> Diagnosis | None:
    """`Square(x)` or `Square.forward(x)` in the place of `Square.apply(x)`."""
    message = failure.raised.message
    found = FORWARD.match(message) or MADE.match(message) or MADE_CLASS.match(message)
    kind = kinds.get(found["function"]) if found is not None else None
    if kind is None:
        return None
    name = kind.name
    calls = [node for node in world.source.nodes if isinstance(node, ast.Call)]
    direct = [call for call in calls if ast.unparse(call.func) in (name, f"{name}.forward")]
    if not direct:
        return None
    line, text = direct[0].lineno, ast.unparse(direct[0].func)
    does = "makes an object of the class" if text == name else "runs forward like any function, without a context"
    story = (
        f"{code(f'{text}(…)')} {on(line)} {does}, and records nothing.",
        f"{code(f'{name}.apply(…)')} makes the context, runs forward, and puts the node into the graph that later runs "
        "backward.",
    )
    return misuse_diagnosis(
        failure, "A Function is used through `apply`", story, {"built": line}, {}, "not_applied", name
    )


def empty_context(world: World, failure: Failure, kinds: dict[str, ast.ClassDef]) -> Diagnosis | None:
    """backward looks for something on its context that forward has not put there."""
    found = NOT_ON_CONTEXT.match(failure.raised.message)
    kind = kinds.get(found["function"]) if found is not None else None
    if found is None or kind is None:
        return None
    node = next((node for node in reversed(world.nodes.values()) if node.name == f"{kind.name}Backward"), None)
    forward = next((part for part in kind.body if getattr(part, "name", "") == "forward"), kind)
    lines: dict[str, int | None] = {"saved": forward.lineno}
    events = {}
    story = [f"{begin_story(world, failure)} asks the context for {code(found['what'])}."]
    if node is not None:
        lines["built"], events["built"] = node.place.line, node.made
        story.append(
            f"It is that of **{node.title}**, built {on(node.place.line)}: only what forward put there is on it."
        )
    story.append(
        f"The forward of {code(kind.name)}, written {on(forward.lineno)}, put no {code(found['what'])} there: "
        "tensors go through `save_for_backward`, anything else is set as an attribute."
    )
    title = "Nothing of that name is on the context"
    return misuse_diagnosis(failure, title, tuple(story), lines, events, "empty_context", kind.name, node)


def saved_too_few(world: World, failure: Failure, kinds: dict[str, ast.ClassDef]) -> Diagnosis | None:
    """backward takes more tensors out of its context than forward saved: `x, = ctx.saved_tensors`, and none was."""
    found = TOO_FEW.match(failure.raised.message)
    if found is None or ".saved_tensors" not in raising_statement(world, failure):
        return None
    line = failure.raised.line
    kind = next((kind for kind in kinds.values() if kind.lineno <= line <= (kind.end_lineno or 0)), None)
    forward = next((part for part in kind.body if getattr(part, "name", "") == "forward"), None) if kind else None
    if kind is None or forward is None:
        return None
    saving = [call for call in ast.walk(kind) if isinstance(call, ast.Call) and callee(call) == "save_for_backward"]
    place = saving[0].lineno if saving else forward.lineno
    saved = f"saved {found['has']} {on(place)}" if saving else "saved none: it does not call `save_for_backward`"
    story = (
        f"{begin_story(world, failure)} takes {found['want']} out of what was saved.",
        f"The forward of {code(kind.name)}, written {on(forward.lineno)}, {saved}.",
        "Backward gets the tensors, in the same order, that forward hands to `ctx.save_for_backward(…)`.",
    )
    return misuse_diagnosis(
        failure, "Forward saved less than backward takes", story, {"saved": place}, {}, "saved_too_few", kind.name
    )


def not_set_up(world: World, failure: Failure, kinds: dict[str, ast.ClassDef]) -> Diagnosis | None:
    """torch.func wants forward and what it keeps apart."""
    if SET_UP not in failure.raised.message:
        return None
    old = [
        kind for kind in kinds.values() if not any(getattr(part, "name", "") == "setup_context" for part in kind.body)
    ]
    if not old:
        return None
    story = (
        f"{begin_story(world, failure)} runs {code(old[0].name)}, written {on(old[0].lineno)}, inside of a transform "
        "of `torch.func`.",
        "Its forward takes the context and computes at once. A transform runs forward on tensors of its own, and has "
        "to be told apart what is kept: by `setup_context(ctx, inputs, output)`, beside a `forward` without `ctx`.",
    )
    lines: dict[str, int | None] = {"built": old[0].lineno}
    return misuse_diagnosis(
        failure, "A Function that keeps while it computes", story, lines, {}, "setup_context", old[0].name
    )


def through_itself(world: World, failure: Failure, kinds: dict[str, ast.ClassDef]) -> Diagnosis | None:
    """A backward, or a hook, asks for gradients through the node that it runs for, and so for itself."""
    deep = [call for call in world.calls.values() if call.parent is not None and call.ended is None or call.failed]
    if failure.raised.type != "RecursionError" or len(deep) < DEEP:
        return None
    again = [node for node in world.nodes.values() if len(node.runs) >= DEEP]
    if not again:
        return None
    node = next((node for node in again if node.name.removesuffix("Backward") in kinds), again[0])
    inner = deep[-1]
    lines: dict[str, int | None] = {"built": node.place.line, "changed": inner.place.line}
    own = node.name.removesuffix("Backward")
    who = f"The backward of {code(own)}" if own in kinds else "A hook that runs on the way back"
    story = (
        f"{who} asks {on(inner.place.line)} for gradients with {code(inner.text)}.",
        f"That goes back through **{node.title}**, built {on(node.place.line)}, for which it is running. So it runs "
        "again, asks again, and there is no end.",
        "Inside, a graph of its own has to be built, under `torch.enable_grad()`, from the saved tensors, detached.",
    )
    events = {"built": node.made}
    cause = "own_backward" if own in kinds else "own_hook"
    return misuse_diagnosis(failure, "A backward that goes through itself", story, lines, events, cause, own, node)


def once_only(world: World, failure: Failure, kinds: dict[str, ast.ClassDef]) -> Diagnosis | None:
    """A second derivative through a backward that is marked with `@once_differentiable`."""
    marked = [kind for kind in kinds.values() if "once_differentiable" in ast.unparse(kind)]
    start = root(world, failure) if failure.raised.message.endswith("does not have a grad_fn") else None
    node = failing_node(world, failure) if TWICE in failure.raised.message else last_custom(world)
    if marked and node is not None and TWICE in failure.raised.message:
        return differentiated_twice(failure, marked, node)
    if not marked or start is None or node is None:
        return None
    gradient = next(
        (one for one in ancestors(world, start) if (call := gradient_call(world, one)) and call.create_graph), None
    )
    if gradient is None:
        return None
    mark = marking(marked[0])
    place = gradient.bound or gradient.place
    lines: dict[str, int | None] = {"built": place.line, "cut": mark}
    events = {"built": gradient.made, "cut": node.made}
    story = (
        f"{code_label(world, gradient.number)}, taken {on(place.line)} with `create_graph`, came through "
        f"**{node.title}**, built {on(node.place.line)}.",
        f"`@once_differentiable` {on(mark)} says that its backward is not to be recorded, so there is no graph behind "
        "the gradient, and no second derivative.",
    )
    return misuse_diagnosis(failure, ONCE, story, lines, events, "once_differentiable", marked[0].name, node)


def differentiated_twice(failure: Failure, marked: list[ast.ClassDef], node: NodeState) -> Diagnosis:
    """The gradient of a gradient met the node that stands for the backward that was not recorded."""
    mark, name = marking(marked[0]), code(marked[0].name)
    lines: dict[str, int | None] = {"built": node.place.line, "cut": mark}
    story = (
        f"**{node.title}**, built {on(node.place.line)}, stands where the backward of {name} ran, and leads nowhere.",
        f"`@once_differentiable` {on(mark)} says that this backward is not to be recorded. A gradient comes out of it, "
        "and the gradient of that gradient cannot be had.",
        "Where it is made of tracked operators, PyTorch can record it, and the mark can go.",
    )
    events = {"built": node.made}
    return misuse_diagnosis(failure, ONCE, story, lines, events, "once_differentiable", marked[0].name, node)


ONCE = "A Function that can be differentiated once"
TWICE = "trying to differentiate twice a function that was marked with @once_differentiable"


def marking(kind: ast.ClassDef) -> int:
    """The line of `@once_differentiable` in a Function."""
    return next(
        mark.lineno
        for part in kind.body
        if isinstance(part, ast.FunctionDef)
        for mark in part.decorator_list
        if "once_differentiable" in ast.unparse(mark)
    )


def misuse_diagnosis(
    failure: Failure,
    title: str,
    story: tuple[str, ...],
    lines: dict[str, int | None],
    events: dict[str, int],
    cause: str,
    function: str,
    node: NodeState | None = None,
) -> Diagnosis:
    whole = {**lines, "raised": failure.raised.line}
    at = {**events, "raised": failure.number}
    return Diagnosis(
        kind="function_contract",
        title=title,
        message=failure.raised.message,
        lines=whole,
        story=story,
        nodes=() if node is None else (node.number,),
        events=at,
        cause=cause,
        names=known_names(function=function),
    )


@rule
def saved_tuple(world: World, failure: Failure) -> Diagnosis | None:
    """`x = ctx.saved_tensors`, and the line computes with `x` as with a tensor."""
    if failure.raised.type not in ("TypeError", "AttributeError"):
        return None
    here = parse_code(raising_statement(world, failure).strip())
    if here is None:
        return None
    used = {node.id for node in ast.walk(here) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    taken = [node for node in world.source.nodes if isinstance(node, ast.Assign) and of_context(node)]
    found = next((node for node in taken if ast.unparse(node.targets[0]) in used), None)
    if found is None or not 0 <= failure.raised.line - found.lineno < 40:
        return None
    name = ast.unparse(found.targets[0])
    lines: dict[str, int | None] = {"built": found.lineno, "raised": failure.raised.line}
    several = saved_beside(world, found)
    way = f"be it one tensor alone: {code(f'{name}, = ' + ast.unparse(found.value))} takes it out."
    if several:
        way = f"here {listing(map(code, several))}: {code(', '.join(several) + ' = …')} takes them out."
    return Diagnosis(
        title="What was saved comes as a tuple",
        message=failure.raised.message,
        lines=lines,
        story=(
            f"{begin_story(world, failure)} computes with {code(name)} as with a tensor, and it is a tuple.",
            f"`saved_tensors`, read {on(found.lineno)}, gives all that was saved as a tuple, {way}",
        ),
        events={"raised": failure.number},
        cause="saved_tuple",
        names=known_names(target=name),
    )


def saved_beside(world: World, found: ast.Assign) -> list[str]:
    """What the Function that `found` stands in saved, if it is more than one tensor."""
    homes = [node for node in world.source.nodes if isinstance(node, ast.ClassDef)]
    home = next((node for node in homes if any(part is found for part in ast.walk(node))), None)
    calls = [node for node in ast.walk(home) if isinstance(node, ast.Call)] if home is not None else []
    saving = next((call for call in calls if callee(call) == "save_for_backward" and len(call.args) > 1), None)
    return [ast.unparse(part) for part in saving.args] if saving is not None else []


def of_context(node: ast.Assign) -> bool:
    """Whether one name gets all that a Function saved."""
    value = node.value
    return isinstance(node.targets[0], ast.Name) and isinstance(value, ast.Attribute) and value.attr == "saved_tensors"


Store = tuple[int, str]
"""The line of a statement of forward, and what it gives a value."""


@watcher(e.NodeMade)
class KeptElsewhere(FirstTrouble):
    """Which tensors the forward of which node had in hand, until the backward of an earlier node computes with them."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.stores = stores(world.source.tree)
        """By Function that keeps something elsewhere."""
        self.forwards: list[tuple[int, set[int]]] = []
        """The calls of forward that run: their scopes, and the tensors they had in hand."""
        self.left: set[int] = set()
        """Those of the last that ended."""
        self.owners: dict[int, list[int]] = {}
        """By tensor the nodes whose forward had it in hand."""
        self.running: list[tuple[int, set[int]]] = []
        """The nodes whose backward runs, and the tensors made in it."""

    def subscriptions(self) -> dict[type[Event], Callable[[Any], None]]:
        return {} if not self.stores else super().subscriptions()

    def on_function_entered(self, event: e.FunctionEntered) -> None:
        if event.function == "forward":
            self.forwards.append((event.scope, set()))

    def on_function_left(self, event: e.FunctionLeft) -> None:
        if self.forwards and self.forwards[-1][0] == event.scope:
            self.left = self.forwards.pop()[1]

    def on_name_bound(self, event: e.NameBound) -> None:
        if self.forwards and event.tensor is not None and event.scope == self.forwards[-1][0]:
            self.forwards[-1][1].add(event.tensor)

    def on_node_made(self, event: e.NodeMade) -> None:
        node = self.world.nodes[event.node]
        if node.custom and node.name.removesuffix("Backward") in self.stores:
            for number in self.left.union(event.inputs):
                self.owners.setdefault(number, []).append(event.node)

    def on_node_started(self, event: e.NodeStarted) -> None:
        if self.world.nodes[event.node].name.removesuffix("Backward") in self.stores:
            self.running.append((event.node, set()))

    def on_node_ran(self, event: e.NodeRan) -> None:
        if self.running and self.running[-1][0] == event.node:
            self.running.pop()

    def on_tensor_made(self, event: e.TensorMade) -> None:
        if self.forwards:
            self.forwards[-1][1].add(event.tensor)
        if not self.running:
            return
        number, own = self.running[-1]
        own.add(event.tensor)
        for tensor in event.inputs:
            later = self.later(number, tensor) if self.diagnosis is None and tensor not in own else None
            if later is not None:
                self.tell(
                    self.describe(self.world.nodes[number], later, tensor),
                    self.world.source.assigned(self.world.calls[self.world.open_calls[-1]].place.line),
                )

    def later(self, number: int, tensor: int) -> NodeState | None:
        """The node, if `tensor` is not of node `number` but of a later one of the same Function."""
        node = self.world.nodes[number]
        owners = self.owners.get(tensor, [])
        if number in owners or any(slot.tensor == tensor for slot in node.slots.values()):
            return None
        others = (self.world.nodes[owner] for owner in owners)
        return next((other for other in others if other.name == node.name and other.made > node.made), None)

    def describe(self, node: NodeState, later: NodeState, tensor: int) -> Diagnosis:
        world, function = self.world, node.name.removesuffix("Backward")
        line, goal = self.stores[function]
        return Diagnosis(
            kind="function_contract",
            title="Calls of a Function that share what they keep",
            lines={
                "built": node.place.line,
                "saved": line,
                "changed": later.place.line,
                "raised": None,
            },
            story=(
                f"The forward of {code(function)} keeps what its backward needs in {code(goal)}, {on(line)}: all calls "
                "share that one place.",
                f"The call {on(later.place.line)} wrote over what the call {on(node.place.line)} had kept there.",
                f"The backward of **{node.title}** then computed with {code_label(world, tensor)}, which belongs to "
                "the other call.",
                "`ctx.save_for_backward` and the attributes of `ctx` keep things for each call apart.",
            ),
            nodes=(node.number, later.number),
            events={"built": node.made, "changed": later.made, "seen": world.count - 1},
            cause="kept_elsewhere",
            names=known_names(function=function, kept=goal),
        )


def stores(tree: ast.Module) -> dict[str, Store]:
    """By Function the first statement of its forward that keeps something in a place that calls share."""
    found: dict[str, Store] = {}
    for kind in nodes_of(tree):
        if not isinstance(kind, ast.ClassDef) or not any("Function" in ast.unparse(base) for base in kind.bases):
            continue
        functions = [part for part in kind.body if isinstance(part, ast.FunctionDef) and part.args.args]
        forward = next((function for function in functions if function.name == "forward"), None)
        if forward is None:
            continue
        shared = {name for part in ast.walk(forward) if isinstance(part, ast.Global) for name in part.names}
        own = {forward.args.args[0].arg} | {
            name.id
            for name in ast.walk(forward)
            if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store) and name.id not in shared
        }
        for statement in ast.walk(forward):
            if isinstance(statement, ast.Assign) and (goal := elsewhere(statement.targets[0], own, shared)):
                found.setdefault(kind.name, (statement.lineno, goal))
    return found


def elsewhere(goal: ast.expr, own: set[str], shared: set[str]) -> str | None:
    """What is given a value, if it belongs neither to the context nor to the call."""
    root = goal
    while isinstance(root, ast.Attribute | ast.Subscript):
        root = root.value
    if not isinstance(root, ast.Name) or root.id in own:
        return None
    return ast.unparse(goal) if root is not goal or root.id in shared else None


# ---- fixes


@fix(kept_elsewhere=1)
def keep_on_context(wanted: FixContext) -> Iterator[Proposal]:
    """`Square.kept = x` becomes `ctx.kept = x`, and backward reads it there."""
    text, kind, kept = wanted.text, own_class(wanted), wanted.name("kept")
    forward = method(kind, "forward") if kind is not None else None
    backward = method(kind, "backward") if kind is not None else None
    if forward is None or backward is None or kept is None:
        return
    attribute = "".join(letter if letter.isalnum() or letter == "_" else "_" for letter in kept.rpartition(".")[2])
    edits = []
    for function in (forward, backward):
        if not function.args.args:
            return
        edits += [
            text.replaced(node, f"{function.args.args[0].arg}.{attribute}")
            for node in ast.walk(function)
            if isinstance(node, ast.Name | ast.Attribute | ast.Subscript) and ast.unparse(node) == kept
        ]
    ctx = forward.args.args[0].arg
    yield wanted.proposal(f"keep it on the context, as {ctx}.{attribute}", FREE, *edits)


@fix(not_applied=1)
def use_apply(wanted: FixContext) -> Iterator[Proposal]:
    """`Square(x)` and `Square.forward(x)` become `Square.apply(x)`, which records."""
    text = wanted.text
    own = {kind.name for kind in function_classes(text)}
    for call in text.parts(text.tree, ast.Call):
        shown = text.get(call.func)
        if shown.removesuffix(".forward") in own:
            made = f"{shown.removesuffix('.forward')}.apply"
            title = f"{made}(…) on line {call.lineno}: it records, and makes the context"
            yield wanted.proposal(title, FREE, text.replaced(call.func, made))


@fix(empty_context=1)
def put_on_context(wanted: FixContext) -> Iterator[Proposal]:
    """An argument of forward that backward looks for on its context is put there."""
    text, kind = wanted.text, own_class(wanted)
    forward = method(kind, "forward") if kind is not None else None
    found = MISSING_ON_CONTEXT.search(wanted.found.message)
    if forward is None or found is None or not forward.args.args:
        return
    ctx, name, last = forward.args.args[0].arg, found[2], forward.body[-1]
    known = {arg.arg for arg in forward.args.args[1:]}.union(*(targets(part) for part in forward.body))
    if name in known:
        line = f"{ctx}.{name} = {name}"
        yield wanted.proposal(f"{line} before line {last.lineno}", FREE, text.before(last, [line]))


@fix(saved_too_few=1)
def save_for_backward(wanted: FixContext) -> Iterator[Proposal]:
    """What backward takes out of its context by the names of forward is saved there."""
    text, kind, raised = wanted.text, own_class(wanted), wanted.at("raised")
    forward = method(kind, "forward") if kind is not None else None
    if kind is None or forward is None or not forward.args.args or not isinstance(raised, ast.Assign):
        return
    names = [text.get(part) for part in getattr(raised.targets[0], "elts", [])]
    known = {arg.arg for arg in forward.args.args[1:]}.union(*(targets(part) for part in forward.body))
    if not names or not known.issuperset(names):
        return
    saving = [call for call in text.parts(kind, ast.Call) if callee(call) == "save_for_backward"]
    made = f"{forward.args.args[0].arg}.save_for_backward({', '.join(names)})"
    if saving:
        yield wanted.proposal(f"{made} on line {saving[0].lineno}", FREE, text.replaced(saving[0], made))
    else:
        last = forward.body[-1]
        yield wanted.proposal(f"{made} before line {last.lineno}", FREE, text.before(last, [made]))


@fix(setup_context=1)
def add_setup_context(wanted: FixContext) -> Iterator[Proposal]:
    """What forward keeps on its context is kept by `setup_context`, as torch.func asks for it."""
    text = wanted.text
    for kind in function_classes(text):
        forward = method(kind, "forward")
        if forward is None or method(kind, "setup_context") is not None or not forward.args.args:
            continue
        ctx, *arguments = [arg.arg for arg in forward.args.args]
        last = forward.body[-1]
        keeping = [part for part in forward.body if ctx in names_in(part)]
        result = text.get(last.value) if isinstance(last, ast.Return) and isinstance(last.value, ast.Name) else None
        read = set().union(*(names_in(part) for part in keeping)) - {ctx, "torch"}
        if not isinstance(last, ast.Return) or last in keeping or read - {*arguments, result}:
            continue
        lines = [f"{', '.join(arguments)}{',' if len(arguments) == 1 else ''} = inputs"]
        lines += [f"{result} = output"] if result in read else []
        head = ["", "@staticmethod", f"def setup_context({ctx}, inputs, output):"]
        whole = [*head, *(f"    {line}" for line in [*lines, *copies(text, keeping)])]
        start, first = forward.args.args[0], forward.args.args[1] if arguments else None
        begin = text.place(start.lineno, start.col_offset)
        end = text.place(first.lineno, first.col_offset) if first is not None else begin
        edits = [Edit(*begin, *end, ""), *(text.removed(part) for part in keeping), text.after(forward, whole)]
        rule = text.before(kind.body[0], ["generate_vmap_rule = True"])
        title = f"keep it in setup_context of {kind.name}, which torch.func asks for"
        yield wanted.proposal(title, FREE, *edits)
        yield wanted.proposal(f"{title}; generate_vmap_rule = True", FREE, rule, *edits)


@fix(once_differentiable=1)
def allow_second_derivative(wanted: FixContext) -> Iterator[Proposal]:
    """Without `@once_differentiable` backward is recorded, and can be gone back through."""
    text = wanted.text
    for node in text.parts(text.tree, ast.FunctionDef):
        for mark in node.decorator_list:
            if keeps_untracked(text, enclosing(text, node, ast.ClassDef)):
                continue  # what forward computed on the way is kept as plain numbers
            if ast.unparse(mark).endswith("once_differentiable"):
                title = f"leave out @once_differentiable on line {mark.lineno}"
                yield wanted.proposal(title, "backward has to be made of tracked operators", removed_line(mark))


@fix(once_differentiable=2)
def compute_again_from_inputs(wanted: FixContext) -> Iterator[Proposal]:
    """What forward computed and saved, which has no history, backward computes anew from the arguments: so there is a
    second derivative."""
    text, kind = wanted.text, own_class(wanted)
    forward, backward = (method(kind, name) if kind is not None else None for name in ("forward", "backward"))
    if forward is None or backward is None or not keeps_untracked(text, kind):
        return
    saved = savings(text, forward)
    taken = [part for part in text.parts(backward, ast.Assign) if ast.unparse(part.value).endswith(".saved_tensors")]
    steps = [part for part in forward.body if isinstance(part, ast.Assign) and isinstance(part.targets[0], ast.Name)]
    read = set().union(*(names_in(part.value) for part in steps))
    given = [arg.arg for arg in forward.args.args[1:] if arg.arg in read]
    marks = [mark for mark in backward.decorator_list if ast.unparse(mark).endswith("once_differentiable")]
    if len(saved) != 1 or len(taken) != 1 or not given or saved[0].keywords:
        return
    call, unpacked = saved[0], taken[0]
    names = f"{', '.join(given)}{',' if len(given) == 1 else ''} = {text.get(unpacked.value)}"
    edits = [
        text.replaced(call, f"{text.get(call.func)}({', '.join(given)})"),
        text.replaced(unpacked, names),
        text.after(unpacked, copies(text, steps)),
        *map(removed_line, marks),
    ]
    title = f"save {join_names(given)} and compute the rest again in backward, without the mark of line "
    line = marks[0].lineno if marks else backward.lineno
    yield wanted.proposal(f"{title}{line}", "part of forward is computed twice", *edits)


def keeps_untracked(text: Text, kind: ast.AST | None) -> bool:
    """Whether forward saves what is neither an argument of it nor its result."""
    forward = method(kind, "forward") if isinstance(kind, ast.ClassDef) else None
    if forward is None:
        return False
    known = {arg.arg for arg in forward.args.args}
    known |= {part.id for end in returns(forward) if end.value is not None for part in outputs(end.value)}
    return any(
        isinstance(part, ast.Name) and part.id not in known for call in savings(text, forward) for part in call.args
    )


def removed_line(mark: ast.expr) -> Edit:
    return Edit(mark.lineno, 0, (mark.end_lineno or mark.lineno) + 1, 0, "")


MISSING_ON_CONTEXT = re.compile(r"'(\w+)Backward' object has no attribute '(\w+)'")
"""What backward looked for on its context, and nobody had put there."""


@fix(saved_tuple=1)
def unpack_saved(wanted: FixContext) -> Iterator[Proposal]:
    """`x = ctx.saved_tensors` becomes `x, = ctx.saved_tensors`; of several, if `x` is one, each gets its name."""
    text, built = wanted.text, wanted.at("built")
    home = enclosing(text, built, ast.ClassDef) if built is not None else None
    if not isinstance(built, ast.Assign) or not isinstance(built.targets[0], ast.Name):
        return
    name, line = text.get(built.targets[0]), built.lineno
    several = [list(map(text.get, call.args)) for call in saving(text, home) if len(call.args) > 1]
    if not several:
        title = f"{name}, = … on line {line}: the one tensor out of the tuple"
        yield wanted.proposal(title, FREE, text.replaced(built.targets[0], f"{name},"))
    elif name in several[0] and all(saved.isidentifier() for saved in several[0]):
        made = ", ".join(several[0])
        title = f"{made} = … on line {line}: each out of the tuple, in the order in which they were saved"
        yield wanted.proposal(title, FREE, text.replaced(built.targets[0], made))


def saving(text: Text, home: ast.AST | None) -> list[ast.Call]:
    """Where a Function says what is to be saved."""
    return [call for call in text.parts(home, ast.Call) if callee(call) == "save_for_backward"]
