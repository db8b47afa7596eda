"""A second backward: a node is asked for what an earlier call freed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from gradreel.trace import events as e

from ...calls import callee, keyword
from ...derivatives.lookup import operator
from ...diagnostics.diagnosis import Diagnosis, Failure, known_names
from ...diagnostics.failing_node import find_asked_slot
from ...diagnostics.mentions import stands_for
from ...diagnostics.registry import rule
from ...fixes.edits import (
    append_suffix,
    copies,
    enclosing,
    join_names,
    loads,
    needed_before,
    set_keyword,
    stack_statements,
)
from ...fixes.origins import origins
from ...fixes.proposal import FREE, FixContext, Proposal
from ...fixes.registry import fix
from ...fixes.text import Edit, Text, names_in, targets
from ...narration.program_layers import describe_built, kept_by
from ...narration.words import code, during, label, on, short, some, upper
from ...optimizers import makings
from ...replay.graph_queries import nodes_behind
from ...replay.states import Call, NodeState, SlotState
from ...replay.world import World
from ..inplace.refused_writes import is_function
from ..optimizer.rebound_parameters import in_place
from .carried_state import (
    detached_after,
    detached_attribute,
    detached_beside,
    detached_border,
    detached_built,
    detached_carried,
    detached_state,
    detached_where_kept,
    find_vain_detach,
    reset_attribute,
)
from .derived_values import as_property, build_where_read, computed_where_read, makes_leaves, rebuilt_in_method


@rule
def second_backward(world: World, failure: Failure) -> Diagnosis | None:
    """A node was asked for what an earlier call had freed."""
    if not failure.raised.message.startswith("Trying to backward through the graph a second"):
        return None
    found = find_asked_slot(world, failure)
    if found is None:
        return None
    node, slot = found
    freer = freeing(world, node, slot, failure)
    same = freer is not None and freer.place.line <= failure.raised.line <= freer.place.end_line
    lines = {
        "built": node.place.line,
        "freed_by": failure.raised.line if same else freer.place.line if freer else None,
        "raised": failure.raised.line,
    }
    events = {"built": node.made, "raised": failure.number}
    if (kept := line_that_kept(world, failure, freer)) is not None:
        lines["saved"], events["saved"] = kept
    if slot is not None and slot.freed is not None:
        events["freed"] = slot.freed
    story = [built_and_kept(world, node)]
    if freer is not None:
        story.append(freed_by(world, node, freer))
        story.append(walked_in_again(world, node, freer, failure))
    at = border(world, node, failure, freer)
    if (vain := find_vain_detach(world.source.nodes, at)) is not None:
        lines["changed"] = vain.statement.lineno
        story.append(vain.told(at))
    else:
        story.append("What it needs for its gradient is gone, so PyTorch cannot go on.")
    return Diagnosis(
        kind="second_backward",
        title="Backward needs saved tensors that were freed",
        message=failure.raised.message,
        lines=lines,
        story=tuple(story),
        nodes=(node.number,),
        events=events,
        cause="second_backward",
        names=known_names(border=at, held=held_as(world, at)),
    )


def freeing(world: World, node: NodeState, slot: SlotState | None, failure: Failure) -> Call | None:
    """The call that freed `slot`; of a node that keeps no tensors, the last that used it up."""
    if slot is not None and slot.freed_by is not None:
        return world.calls.get(slot.freed_by)
    calls = [world.calls[call] for call, _ in node.runs if call != failure.call]
    return next((call for call in reversed(calls) if not call.retain_graph), None) if slot is None else None


def built_and_kept(world: World, node: NodeState) -> str:
    if node.name == "CopySlices":
        return f"{describe_built(world, node)}, saves how to go back through the write that made it."
    kept = kept_by(world, list(node.slots.values()))
    known = operator(node.kind)
    saved = some(kept) if kept else "what hooks packed"
    told = f"{describe_built(world, node)}, saves {saved}"
    if known is None:
        return f"{told} to compute its gradients."
    return f"{told}: {known.why}." if short(f"{told}: {known.why}") else f"{told}. {upper(known.why)}."


def freed_by(world: World, node: NodeState, freer: Call) -> str:
    what = "it" if len(node.slots) <= 1 else "both" if len(node.slots) == 2 else "all of it"
    why = "its graph was not retained" if freer.create_graph else "`retain_graph` was not set"
    return f"{code(freer.text)} {on(freer.place.line)} freed {what}{during(freer.place)}, because {why}."


def walked_in_again(world: World, node: NodeState, freer: Call, failure: Failure) -> str:
    """How the failing call came to a node that an earlier one had used up."""
    call = world.calls.get(failure.call) if failure.call is not None else None
    if call is None:
        return f"Line {failure.raised.line} asks for it again."
    fresh = [
        world.nodes[number]
        for number in call.expected
        if world.nodes[number].made > freer.started and world.nodes[number].nr is not None
    ]
    again = f"{code(call.text)} {on(call.place.line)}"
    if not fresh:
        return f"{again} walks through the same nodes a second time."
    numbers = sorted(state.nr for state in fresh if state.nr is not None)
    span = f"#{numbers[0]}–#{numbers[-1]}" if len(numbers) > 1 else f"#{numbers[0]}"
    when = f"Iteration {call.place.turns[-1].number}" if call.place.turns else "The program"
    reused = reused_name(world, node, fresh)
    through = f"reused {code(reused)}" if reused else "they lead back to old ones"
    return f"{when} built new nodes {span}, but {through}, so {again} walks into **{node.title}** again."


def border(world: World, node: NodeState, failure: Failure, freer: Call | None) -> str | None:
    """The name through which what was built since the freeing call leads back into what it used up."""
    call = world.calls.get(failure.call) if failure.call is not None else None
    if call is None or freer is None:
        return None
    states = [world.nodes[number] for number in call.expected]
    return reused_name(world, node, [state for state in states if state.made > freer.started and state.nr is not None])


def line_that_kept(world: World, failure: Failure, freer: Call | None) -> tuple[int, int] | None:
    """Where what is old was kept for later, after its backward or before: the line, and with which event."""
    call = world.calls.get(failure.call) if failure.call is not None else None
    if call is None or freer is None:
        return None
    fresh = {number for number in call.expected if world.nodes[number].made > freer.started}
    borders = [
        (state, target)
        for state in (world.nodes[number] for number in sorted(fresh))
        for target, _ in state.edges
        if target is not None and target not in fresh and world.nodes[target].variable is None
    ]
    for state, _ in borders:
        if state.place.turns != call.place.turns and state.place.line:
            return state.place.line, state.made
    old = {tensor for _, target in borders for tensor in world.nodes[target].outputs}
    line, callers = 0, []
    for number, event in enumerate(world.trace.events[: world.count] if old else ()):
        if isinstance(event, e.LineReached):
            line = event.line
        elif isinstance(event, e.FunctionEntered):
            callers.append(line)
        elif isinstance(event, e.FunctionLeft):
            line = callers.pop() if callers else line
        elif isinstance(event, e.NameBound) and event.tensor in old and re.search(r"[.\[]", event.name):
            path = KEPT_AS.match(event.name)
            if path is not None and re.search(rf"\b{path[1]}\b", world.source.text(line)):
                return line, number
    return None


KEPT_AS = re.compile(r"[\w.]*?(\w+)(?:\[.*|)$")
"""A path, and the name in it under which an object, a list or a dict is kept: `memory` of `self.memory[0]`."""


def held_as(world: World, name: str | None) -> str | None:
    """What an object keeps under an attribute, as `memory.buffer`, and the program calls `name` for now."""
    tensor = stands_for(world, name) if name is not None and "." not in name else None
    paths = [] if tensor is None else [path for _, path in tensor.names if "." in path]
    return paths[0] if paths else None


def reused_name(world: World, node: NodeState, fresh: list[NodeState]) -> str | None:
    """The name through which `fresh` nodes lead into the old graph: where an edge goes from new to old, on the way to
    `node`."""
    new = {state.number for state in fresh}
    borders = [target for state in fresh for target, _ in state.edges if target is not None and target not in new]
    borders.sort(key=lambda target: node.number not in nodes_behind(world, target, node.number))
    for number in (*borders, node.number):
        for tensor in world.nodes[number].outputs:
            if (name := attribute(world, tensor) or label(world, tensor, 0)) is not None:
                return name
    return None


def attribute(world: World, number: int) -> str | None:
    """What an object kept a tensor under, as `self.state`, if the names that it had elsewhere are gone."""
    if world.tensors[number].names:
        return None
    bound = (event for event in world.trace.events[: world.count] if isinstance(event, e.NameBound))
    return next((event.name for event in bound if event.tensor == number and "." in event.name), None)


# ---- fixes


AGAIN = "one forward more; the gradient is taken at the numbers of now"
KEEPS = "the graph and all it saved stay in memory until nothing holds them; in .grad, the gradients add up"


@fix(second_backward=12)
def rebuild_graph(wanted: FixContext) -> Iterator[Proposal]:
    """A second backward needs saved tensors that were freed."""
    raised = wanted.at("raised")
    in_loop = raised is not None and wanted.text.loop(raised) is not None
    ways = [rebuilt_inside, rebuilt_in_function, detached_border, detached_after, detached_where_kept, detached_state]
    ways += [detached_built, rebuilt_before, join_losses, retain_graph]
    if at_once(wanted):
        ways = [join_losses, retain_graph, *ways]
    if not in_loop:
        ways = [retain_graph, rebuilt_in_function, rebuilt_before, join_losses, detached_border, detached_built]
        if keeps_state(wanted):
            ways = [detached_border, detached_after, detached_state, *ways]
    for way in (
        reset_attribute,
        detached_beside,
        judged_again,
        drop_cache,
        memo_left_out,
        rebuilt_in_method,
        computed_where_read,
        as_property,
        build_where_read,
        detached_held,
        *ways,
        detached_carried,
    ):
        yield from way(wanted)


def at_once(wanted: FixContext) -> bool:
    """Whether two losses of one turn go backward one behind the other, with no step between."""
    text, first, second = wanted.text, wanted.at("freed_by"), wanted.at("raised")
    block = text.block(second) if second is not None else []
    if first is None or second is None or first is second or first not in block or second not in block:
        return False
    between = block[block.index(first) : block.index(second)]
    return not any(text.calls(part, "step") for part in between)


def keeps_state(wanted: FixContext) -> bool:
    """Whether the old graph is reached through what an object or a function keeps from one call to the next."""
    name, raised = wanted.name("border"), wanted.at("raised")
    if name is None or raised is None:
        return False
    return "." in name or enclosing(wanted.text, raised, ast.FunctionDef) is not None


def drop_cache(wanted: FixContext) -> Iterator[Proposal]:
    """A function that keeps its result computes it anew."""
    text = wanted.text
    for statement in stack_statements(wanted, "built"):
        function = enclosing(text, statement, ast.FunctionDef)
        for decorator in function.decorator_list if isinstance(function, ast.FunctionDef) else ():
            kind = ast.unparse(decorator).partition("(")[0].rpartition(".")[2]
            title = f"compute it anew every time it is asked for: line {decorator.lineno}"
            if kind == "cached_property":
                yield wanted.proposal(title, AGAIN, text.replaced(decorator, "property"))
            if kind in ("cache", "lru_cache"):
                yield wanted.proposal(title, AGAIN, Edit(decorator.lineno, 0, decorator.lineno + 1, 0, ""))


@fix(second_backward=1)
def go_backward_once(wanted: FixContext) -> Iterator[Proposal]:
    """A function that takes the gradient of one and the same graph in every call, as the product with a Hessian or a
    Jacobian does, keeps the graph."""
    text, raised = wanted.text, wanted.at("raised")
    home = enclosing(text, raised, ast.FunctionDef) if raised is not None else None
    freeing = [wanted.at("freed_by"), *stack_statements(wanted, "freed")]
    if raised not in freeing:
        return
    for call in [call for call in text.calls(raised, "grad") if len(call.args) > 2 or keyword(call, "grad_outputs")]:
        repeats = next((outer for outer in text.around(call) if isinstance(outer, REPEATED)), None)
        if repeats is not None and not within(text, repeats, wanted.at("built")):
            yield from (replace(one, decisive=True) for one in retain_graph(wanted))
            return
    if home is None or within(text, home, wanted.at("built")):
        return
    if text.calls(raised, "grad") and not text.parts(home, ast.For) and not text.calls(home, "step", "backward"):
        yield from (replace(one, decisive=True) for one in retain_graph(wanted))


REPEATED = (ast.Lambda, ast.For, ast.While, ast.FunctionDef)
"""What a program may go through again and again."""


def within(text: Text, home: ast.AST, statement: ast.stmt | None) -> bool:
    return statement is not None and home in text.around(statement)


def memo_left_out(wanted: FixContext) -> Iterator[Proposal]:
    """What a function kept of an earlier call, on an object or in a dict, it computes anew: `if node.h is not None:
    return node.h` goes, and of `if key not in memo: memo[key] = f(x)` the test."""
    text = wanted.text
    homes = [enclosing(text, statement, ast.FunctionDef) for statement in stack_statements(wanted, "built")]
    for test in [part for home in dict.fromkeys(homes) for part in text.parts(home, ast.If)]:
        shown, only = text.get(test.test), test.body[0]
        title = f"compute it anew every time it is asked for: line {test.lineno}"
        if test.orelse:
            continue
        if isinstance(only, ast.Return) and only.value is not None and len(test.body) == 1:
            kept = text.get(only.value).partition("[")[0]
            if kept in shown and KEPT_ALREADY.search(shown):
                yield wanted.proposal(title, AGAIN, text.removed(test))
        elif NOT_KEPT.search(shown) and all(isinstance(part, ast.Assign) for part in test.body):
            yield wanted.proposal(title, AGAIN, text.unwrapped(test))


KEPT_ALREADY = re.compile(r"\bis not None$|^[^ ]+ in |^hasattr\(|^[\w.]+$")
NOT_KEPT = re.compile(r"\bis None$|^[^ ]+ not in |^not ")


def detached_held(wanted: FixContext) -> Iterator[Proposal]:
    """What an object keeps from call to call is cut off its history before a method writes into it or reads it."""
    if (name := wanted.name("held")) is not None:
        yield from detached_attribute(wanted, name)


def retain_graph(wanted: FixContext) -> Iterator[Proposal]:
    """`retain_graph=True` on the call that freed."""
    text = wanted.text
    places = [wanted.at("freed_by"), *stack_statements(wanted, "freed")]
    for call in next(filter(None, (text.calls(place, "backward", "grad") for place in places)), []):
        yield wanted.proposal(
            f"keep the graph: retain_graph=True on line {call.lineno}",
            KEEPS,
            set_keyword(text, call, "retain_graph", "True"),
        )


def rebuilt_before(wanted: FixContext) -> Iterator[Proposal]:
    """What the second call needs is computed again before it."""
    text = wanted.text
    for goal in stack_statements(wanted, "raised"):
        first = wanted.beside("built", goal)
        if first is None or first not in text.block(goal) or first.lineno >= goal.lineno:
            continue
        statements = needed_before(text, goal, first)
        if statements:
            names = list(dict.fromkeys(name for one in statements for name in sorted(targets(one))))
            yield wanted.proposal(
                f"compute {join_names(names)} again before line {goal.lineno}",
                AGAIN,
                text.before(goal, copies(text, statements)),
            )


def judged_again(wanted: FixContext) -> Iterator[Proposal]:
    """Two losses on `judge(made)` with a step between, as of a GAN: the first on `made.detach()`, the second on a new
    `judge(made)`."""
    text, first, second = wanted.text, wanted.at("freed_by"), wanted.at("raised")
    block = text.block(second) if second is not None else []
    built = wanted.beside("built", second) if second is not None else None
    if first is None or second is None or first not in block or built not in block or at_once(wanted):
        return
    start, middle, end = block.index(built), block.index(first), block.index(second)
    judged = built.value if isinstance(built, ast.Assign) else None
    if not start < middle < end or not isinstance(judged, ast.Call) or not text.alone(built):
        return
    earlier = set().union(*map(targets, block[:start]))
    given = [part for part in judged.args if isinstance(part, ast.Name) and part.id in earlier]
    names = targets(built)
    read = [part for part in block[middle + 1 : end + 1] if names_in(part) & names]
    if not given or not read or not any(text.calls(part, "step") for part in block[middle:end]):
        return
    title = f"the first loss of {join_names([f'{part.id}.detach()' for part in given])}, on line {built.lineno}"
    title += f"; {text.get(judged)} again before line {read[0].lineno}"
    edits = [text.replaced(part, f"{part.id}.detach()") for part in given]
    proposal = wanted.proposal(title, AGAIN, *edits, text.before(read[0], copies(text, [built])))
    yield replace(proposal, decisive=True)


def rebuilt_inside(wanted: FixContext) -> Iterator[Proposal]:
    """What was built once, before the loop, is built in every turn: of the outermost loop, or else of one in it."""
    loops = [loop for goal in stack_statements(wanted, "raised") if (loop := wanted.text.loop(goal)) is not None]
    for loop in dict.fromkeys(reversed(loops)):
        yield from rebuilt_inside_of(wanted, loop)


def rebuilt_inside_of(wanted: FixContext, loop: ast.For | ast.While) -> Iterator[Proposal]:
    text = wanted.text
    built = wanted.beside("built", loop)
    block = text.block(loop)
    if built is None or built not in block or block.index(built) >= block.index(loop):
        return
    moved = [*started_before(block[: block.index(built)], built), built]
    made = set().union(*map(targets, moved))
    for statement in block[block.index(built) + 1 : block.index(loop)]:
        names = {part.id for part in ast.walk(statement) if isinstance(part, ast.Name)}
        if isinstance(statement, ast.Assign | ast.Expr) and names & made and text.alone(statement):
            moved.append(statement)
            made |= targets(statement)
    if not all(text.alone(statement) for statement in moved) or any(makes_leaves(text, part) for part in moved):
        return
    yield wanted.proposal(
        f"build {', '.join(sorted(made)) or 'it'} inside the loop",
        "one forward more in each turn",
        *(text.removed(statement) for statement in moved),
        text.before(loop.body[0], copies(text, moved)),
    )


def rebuilt_in_function(wanted: FixContext) -> Iterator[Proposal]:
    """What a function, such as a closure that is called again and again, finds outside of it is built within."""
    text, raised = wanted.text, wanted.at("raised")
    for outer in text.around(raised) if raised is not None else ():
        if not isinstance(outer, ast.FunctionDef):
            continue
        built = wanted.beside("built", outer)
        if built is None or built not in text.block(outer) or built.lineno >= outer.lineno:
            continue
        whole = needed_before(text, outer, text.block(outer)[0]) if text.loop(outer) is not None else []
        again = whole if not any(makes_leaves(text, part) for part in whole) else []
        for statements in filter(None, (again, needed_before(text, outer, built))):
            names = ", ".join(sorted(set().union(*map(targets, statements))))
            yield wanted.proposal(
                f"compute {names} within {outer.name}",
                "one forward more in each call",
                text.before(outer.body[0], copies(text, statements)),
                *map(text.removed, read_only_within(text, outer, statements)),
            )


def read_only_within(text: Text, home: ast.FunctionDef, statements: list[ast.stmt]) -> list[ast.stmt]:
    """Those of `statements` that bind plain names which nothing reads but `home`, and others of those."""
    moved: list[ast.stmt] = []
    scope = enclosing(text, home, ast.FunctionDef) or text.tree
    for statement in reversed(statements):
        own = {part for within in (home, *moved) for part in ast.walk(within)}
        plain = isinstance(statement, ast.Assign) and all(isinstance(goal, ast.Name) for goal in statement.targets)
        names = targets(statement)
        uses = [part for part in text.parts(scope, ast.Name) if part.id in names and part not in own]
        if plain and text.alone(statement) and all(isinstance(use.ctx, ast.Store) for use in uses):
            moved.append(statement)
    return moved


def started_before(before: list[ast.stmt], built: ast.stmt) -> list[ast.stmt]:
    """What a loop that builds something adds to: the lists and sums that were begun before it."""
    if not isinstance(built, ast.For | ast.While):
        return []
    grown: set[str] = set()
    for node in ast.walk(built):
        if isinstance(node, ast.AugAssign):
            grown |= targets(node)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and callee(node) == "append":
            grown |= names_in(node.func.value)
        elif isinstance(node, ast.Assign):
            grown |= targets(node) & names_in(node.value)
    return [statement for statement in before if isinstance(statement, ast.Assign) and targets(statement) & grown]


def join_losses(wanted: FixContext) -> Iterator[Proposal]:
    """Two losses with a part in common go backward as one sum."""
    text, first, second = wanted.text, wanted.at("freed_by"), wanted.at("raised")
    if first is None or second is None or first is second or first not in text.block(second):
        return
    calls = [text.calls(statement, "backward") for statement in (first, second)]
    if not all(len(found) == 1 and isinstance(found[0].func, ast.Attribute) for found in calls):
        return
    one, two = (found[0].func.value for found in calls if isinstance(found[0].func, ast.Attribute))
    if ast.dump(one) == ast.dump(two) or calls[0][0].args or calls[1][0].args:
        return
    yield wanted.proposal(
        "one backward of the sum of the losses",
        FREE + "; both graphs live until then",
        text.removed(first),
        text.replaced(two, f"({text.get(one)} + {text.get(two)})"),
    )


TWICE = "the backward is recorded, too: about twice the memory"


def with_create_graph(wanted: FixContext) -> Iterator[Proposal]:
    """The gradient without a graph is recorded."""
    for role in ("cut", "built"):
        for call in wanted.text.calls(wanted.at(role), "grad", "backward"):
            yield record_gradient(wanted, call)


@fix(second_backward=7)
def record_gradients(wanted: FixContext) -> Iterator[Proposal]:
    """A gradient whose call freed the graph, and which the next backward is to go through: keeping the graph would let
    the error go, and leave the gradient a constant."""
    text, raised = wanted.text, wanted.at("raised")
    for call in text.calls(wanted.at("freed_by"), "grad"):
        if raised is not None and reaches(text, call, raised):
            yield record_gradient(wanted, call)


def record_gradient(wanted: FixContext, call: ast.Call) -> Proposal:
    title = f"record the gradient: create_graph=True on line {call.lineno}"
    return wanted.proposal(title, TWICE, set_keyword(wanted.text, call, "create_graph", "True"))


def reaches(text: Text, call: ast.Call, goal: ast.stmt) -> bool:
    """Whether what `call` gives goes on, from name to name, to `goal`; out of a function it may go anywhere."""
    home = next(node for node in text.around(call) if isinstance(node, ast.stmt))
    if isinstance(home, ast.Return):
        return True
    names, before = targets(home), -1
    steps = text.parts(text.tree, ast.Assign) + text.parts(text.tree, ast.AugAssign)
    while len(names) > before:
        before = len(names)
        names = names.union(*(targets(step) for step in steps if names & names_in(step.value)))
    return bool(names & names_in(goal))


LOGARITHM = re.compile(r"log_?p|log_?softmax|\blog\(", re.IGNORECASE)


def is_logarithm(text: Text, value: ast.expr) -> bool:
    """Whether `value` is a log-probability: by what it is called, or by what it was made of."""
    return any(LOGARITHM.search(text.get(part)) for part in origins(text, value))


@fix(second_backward=6, step_between=3)
def detach_weights(wanted: FixContext) -> Iterator[Proposal]:
    """`log_prob * advantage` becomes `log_prob * advantage.detach()`: its own loss trains what it was made with."""
    text = wanted.text
    for product in text.parts(text.tree, ast.BinOp):
        if not isinstance(product.op, ast.Mult):
            continue
        one, two = product.left, product.right
        if is_logarithm(text, one) == is_logarithm(text, two):
            continue
        weight = two if is_logarithm(text, one) else one
        names = [name for name in text.parts(weight, ast.Name) if not is_function(text, name)]
        if len(names) == 1 and names[0].id != "self" and "detach" not in text.get(weight):
            title = f"detach {names[0].id} on line {product.lineno}: it only weighs the log-probabilities"
            cost = "this loss trains what chose, and not what valued"
            yield wanted.proposal(title, cost, append_suffix(text, names[0], ".detach()"))


@fix(second_backward=8)
def write_into_parameter(wanted: FixContext) -> Iterator[Proposal]:
    """`img = img.clamp(0, 1)` gives the name of what an optimizer changes to something else: it is written into it."""
    text = wanted.text
    listed = [call.args[0] for call in makings(text.tree) if call.args and isinstance(call.args[0], ast.List)]
    names = {text.get(part) for given in listed for part in given.elts if isinstance(part, ast.Name)}
    for node in text.parts(text.tree, ast.Assign):
        name = text.get(node.targets[0])
        if name in names and text.loop(node) is not None and loads(node.value, name):
            made = in_place(text, node.value, name)
            title = f"write into {name}, which the optimizer has: {made} on line {node.lineno}"
            edit = text.replaced(node, f"with torch.no_grad(): {made}")
            yield replace(wanted.proposal(title, "the write leaves no trace in the graph", edit), decisive=True)


@fix(second_backward=11)
def draw_in_loop(wanted: FixContext) -> Iterator[Proposal]:
    """`losses = [f(x) for x in data]` and `for loss in losses:` become `for x in data:` with `loss = f(x)` in it; of
    pairs, too."""
    text, raised = wanted.text, wanted.at("raised")
    loop = text.loop(raised) if raised is not None else None
    built = wanted.beside("built", loop) if loop is not None else None
    value = built.value if isinstance(built, ast.Assign) else None
    if not isinstance(loop, ast.For) or not isinstance(value, ast.ListComp) or built is None:
        return
    part, name = value.generators[0], text.get(built.targets[0]) if isinstance(built, ast.Assign) else ""
    for use, goal in entries_of(loop):
        pairs = pair_parts(text, goal, value.elt)
        if text.get(use) != name or len(value.generators) != 1 or part.ifs or not pairs:
            continue
        over = text.get(part.target) if goal is loop.target else f"({text.get(part.target).strip('()')})"
        over = over if isinstance(part.target, ast.Tuple) else text.get(part.target)
        computed = [(left, right) for left, right in pairs if left != right]
        edits = [
            text.replaced(goal, over),
            text.before(loop.body[0], [f"{left} = {right}" for left, right in computed]),
        ]
        if text.loop(loop) is None or not isinstance(part.iter, ast.Call):
            edits += [text.removed(built), text.replaced(use, text.get(part.iter))]
        else:  # what can be gone through once, as `zip`, is kept for every turn of the loop around
            edits.append(text.replaced(value, f"list({text.get(part.iter)})"))
        what = join_names([left for left, _ in computed])
        yield wanted.proposal(f"compute {what} in the turn that needs it, on line {loop.lineno}", FREE, *edits)


def pair_parts(text: Text, goal: ast.expr, value: ast.expr) -> list[tuple[str, str]]:
    """The names that take the parts of `value`, each with its part; none if they do not match."""
    if isinstance(goal, ast.Name):
        return [(goal.id, text.get(value))]
    if not isinstance(goal, ast.Tuple) or not isinstance(value, ast.Tuple) or len(goal.elts) != len(value.elts):
        return []
    return [(text.get(one), text.get(other)) for one, other in zip(goal.elts, value.elts, strict=True)]


def entries_of(loop: ast.For) -> list[tuple[ast.expr, ast.expr]]:
    """What `loop` goes through, each with the name that it gives to an entry: of `zip`, each of its arguments."""
    over, goal = loop.iter, loop.target
    if isinstance(over, ast.Call) and isinstance(goal, ast.Tuple) and ast.unparse(over.func) == "zip":
        return list(zip(over.args, goal.elts, strict=False))
    return [(over, goal)]
