"""A backward through a graph that is older than the weights: they were stepped after it had been built."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

from gradreel.trace import events as e

from ...calls import keyword
from ...diagnostics.diagnosis import Diagnosis, known_names
from ...diagnostics.registry import watcher
from ...diagnostics.showing import FirstTrouble
from ...fixes.edits import append_suffix, copies, enclosing, needed_before, stack_statements, without_keyword
from ...fixes.proposal import FREE, FixContext, Proposal
from ...fixes.registry import Proposer, fix
from ...fixes.text import Text, targets
from ...narration.program_layers import describe_built
from ...narration.words import code, code_label, during, label, on
from ...replay.graph_queries import ancestors, nodes_behind, same
from ...replay.states import Call, NodeState, Place, TensorState
from ...replay.world import World
from ..optimizer.zero_grad import from_gradient, leaf_of, zero
from .carried_state import begin_anew, carried_over, detached_border
from .derived_values import as_property, build_where_read, computed_where_read, rebuilt_in_method
from .reference_values import detach_rest
from .second_backward import draw_in_loop, rebuilt_before, rebuilt_in_function, rebuilt_inside

LATELY, DEEP = 3, 9
"""Among so many of the last calls, and so many of the tensors behind what is written, a gradient is looked for."""


@dataclass(slots=True)
class Step:
    """A write into a leaf that took its gradient: with which event, where, by which optimizer if by any."""

    event: int
    place: Place
    optimizer: str | None


@watcher(e.BackwardStarted, e.Written)
class OldGraph(FirstTrouble):
    """Follows each leaf: its steps, and the gradients that came to it out of nodes made before the last of them.

    Such a gradient is told of once a step takes it, or nobody has emptied it at the end; where the program empties it
    unused, as that of a discriminator in the turn of the generator, nothing is wrong.
    """

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.steps: dict[int, list[Step]] = {}
        self.old: dict[int, tuple[NodeState, Step]] = {}
        """The leaves of the call that runs whose way to the root is older than their last step: the first node on it,
        and the first step that came after that was built."""
        self.suspect: Diagnosis | None = None
        self.waiting: set[int] = set()
        """The leaves to which the suspect brought gradients that nobody has used or emptied yet."""
        self.unused: set[int] = set()
        """Those whose old gradients were emptied before a step took them."""

    def on_turns_skipped(self, event: e.TurnsSkipped) -> None:
        """What is waiting may have been emptied in those turns."""
        self.waiting.clear()
        self.drop()

    def on_written(self, event: e.Written) -> None:
        world = self.world
        owner = world.owner_of(event.tensor)
        if owner is not None:
            if world.optimizer is None and not world.open_calls and zero(event.value):
                self.emptied(owner.number)
            return
        number = leaf_of(world, event.tensor)
        if number is None or not (world.optimizer or self.takes_gradient(event.inputs, number)):
            return
        if number in self.waiting:
            self.diagnosis = self.diagnosis or self.suspect
        self.steps.setdefault(number, []).append(Step(world.count - 1, world.place, world.optimizer))

    def takes_gradient(self, inputs: tuple[int, ...], leaf: int) -> bool:
        """Whether what is written was computed from the gradient of `leaf`: from its `.grad`, or what grad gave."""
        if self.world.tensors[leaf].grad is not None:
            return from_gradient(self.world, inputs, leaf)
        calls = [call for call in islice(reversed(self.world.calls.values()), LATELY) if leaf in call.inputs]
        given = [call.captured.get(call.inputs.index(leaf)) for call in calls]
        sources = [
            tensor for number in inputs for tensor in islice(ancestors(self.world, self.world.tensors[number]), DEEP)
        ]
        return any(same(value, tensor) for value in given for tensor in sources)

    def on_backward_started(self, event: e.BackwardStarted) -> None:
        self.old = {}
        if event.parent is not None or not self.steps or self.diagnosis is not None:
            return
        call = self.world.calls[event.call]
        nodes = sorted((self.world.nodes[number] for number in call.expected), key=lambda node: node.made)
        shown = {node.number: node.variable for node in nodes if node.variable in self.steps}
        for node in nodes:
            leaves = {shown[target] for target, _ in node.edges if target in shown}
            for number in leaves:
                assert number is not None
                if self.is_view(node, self.world.tensors[number]):
                    shown[node.number] = number
                elif node.made < self.steps[number][-1].event and number not in self.unused:
                    step = next(step for step in self.steps[number] if step.event > node.made)
                    self.old.setdefault(number, (node, step))

    def is_view(self, node: NodeState, leaf: TensorState) -> bool:
        """Whether `node` made a view of `leaf`, which shows its numbers of now."""
        outputs = [self.world.tensors[number] for number in node.outputs]
        return bool(outputs) and all(tensor.storage == leaf.storage for tensor in outputs)

    def on_grad_stored(self, event: e.GradStored) -> None:
        if event.after is None or event.how == "assigned":
            self.emptied(event.tensor)
        elif event.tensor in self.old and self.world.open_calls:
            if self.suspect is None:
                self.suspect = self.describe(self.world.calls[self.world.open_calls[-1]], event.tensor)
                self.showing.wait()
            self.waiting.add(event.tensor)

    def on_backward_finished(self, event: e.BackwardFinished) -> None:
        """What autograd.grad gave is for whoever asked."""
        call = self.world.calls[event.call]
        asked = [number for number in call.inputs if number in self.old]
        if call.called == "grad" and asked and self.diagnosis is None:
            self.tell(self.describe(call, asked[0]))
        self.old = {} if call.parent is None else self.old

    def emptied(self, number: int) -> None:
        if number in self.waiting:
            self.waiting.discard(number)
            self.unused.add(number)
            self.drop()

    def drop(self) -> None:
        """A suspect that brought nothing to anybody was none."""
        if not self.waiting and self.diagnosis is None:
            self.suspect, self.showing.waiting = None, False

    def report(self) -> list[Diagnosis]:
        found = self.diagnosis or self.suspect
        return [self.showing.shown(found)] if found is not None else []

    def describe(self, call: Call, number: int) -> Diagnosis:
        world, (first, step) = self.world, self.old[number]
        node = self.border(call, step)
        place = step.place
        who = f"{code(step.optimizer)}, taking a step" if step.optimizer else code(statement_of(world, place))
        kept = label(world, node.outputs[-1], 0) if node.outputs else None
        held = f" {code(kept)} kept it." if kept is not None and node.made < call.started else ""
        story = (
            f"{describe_built(world, node)}, belongs to what was computed with {code_label(world, number)} as it was "
            f"then.{held}",
            f"{who} {on(place.line)}{during(place)}, then changed {code_label(world, number)}.",
            f"{code(call.text)} {on(call.place.line)}{during(call.place)} goes back through that old graph. "
            "It brings the gradient of before the step, and nothing warns, since no saved tensor was seen to change.",
            "A graph is good for one step: what depends on the weights has to be computed again with the new ones.",
        )
        line = node.place.line
        lines: dict[str, int | None] = {
            "built": line,
            "changed": place.line,
            "raised": None,
            "shows": call.place.line,
        }
        if node.place.frames and node.place.frames != call.place.frames:
            lines["saved"] = node.place.frames[-1].line  # the call that built it
        return Diagnosis(
            title="A graph that is older than the weights",
            lines=lines,
            story=story,
            nodes=(node.number,),
            events={"built": node.made, "changed": step.event, "seen": call.started, "begun": first.made},
            cause="old_graph",
            names=known_names(border=kept, target=label(world, number)),
        )

    def border(self, call: Call, step: Step) -> NodeState:
        """Where what was built since `step` leads back into what is older: the node of the root, if that is."""
        todo = [number for root in call.roots if (number := self.world.grad_node(root)) is not None]
        seen = set(todo)
        found: list[NodeState] = []
        for number in todo:
            node = self.world.nodes[number]
            if node.variable is not None:
                continue
            if node.made < step.event:
                found.append(node)
                continue
            for target, _ in node.edges:
                if target is not None and target not in seen:
                    seen.add(target)
                    todo.append(target)
        leads = [node for node in found if self.leads_to_old(node)] or found
        return min(leads, key=lambda node: node.made)

    def leads_to_old(self, node: NodeState) -> bool:
        """Whether one of the leaves that were stepped since stands behind `node`."""
        behind = nodes_behind(self.world, node.number)
        return any(self.world.nodes[number].variable in self.old for number in behind)


def statement_of(world: World, place: Place) -> str:
    return world.source.text(place.line, place.end_line)


# ---- fixes


EACH = "one forward more in each turn"


@fix(old_graph=1)
def rebuild_older(wanted: FixContext) -> Iterator[Proposal]:
    """A backward went through a graph that was built before a step."""
    asking = as_asked(wanted)
    ways: tuple[Proposer, ...] = (
        kept_detached,
        begin_anew,
        detach_rest,
        stepped_later,
        draw_in_loop,
        rebuilt_in_method,
        computed_where_read,
    )
    ways = (*ways, as_property, build_where_read)
    for way in (*ways, rebuilt_inside, made_function):
        yield from drop_retain_graph(asking, way(asking))
    for other in (rebuilt_in_function, carried_over, rebuilt_before, detached_border):
        yield from drop_retain_graph(asking, other(asking))


def kept_detached(wanted: FixContext) -> Iterator[Proposal]:
    """What a turn appends to a list or a deque is detached at the end of the turn: its number stays, its graph goes."""
    text = wanted.text
    for statement in stack_statements(wanted, "built"):
        call = statement.value if isinstance(statement, ast.Expr) else None
        loop = text.loop(statement)
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or loop is None:
            continue
        kept = text.get(call.func.value)
        if call.func.attr == "append" and statement in loop.body and isinstance(call.args[0], ast.Call | ast.Name):
            line = f"{kept}[-1] = {kept}[-1].detach()"
            cost = "no gradient goes back into earlier turns"
            yield wanted.proposal(
                f"detach what {kept} keeps, at the end of the turn", cost, text.after(loop.body[-1], [line])
            )


def as_asked(wanted: FixContext) -> FixContext:
    """`wanted` as if the backward had raised: the fixes of a second backward ask for it by that."""
    found = wanted.found
    asked, begun = found.stacks.get("seen", ()), found.stacks.get("begun", ())
    lines = {**found.lines, "raised": asked[-1] if asked else None, "built": begun[-1] if begun else None}
    stacks = {**found.stacks, "raised": asked, "built": begun}
    return replace(wanted, found=replace(found, lines=lines, stacks=stacks))


def drop_retain_graph(wanted: FixContext, proposals: Iterable[Proposal]) -> Iterator[Proposal]:
    """Each without the `retain_graph=True` of the backward, which a graph of its own in every turn has no need of."""
    asked = {ast.dump(call) for call in retaining(wanted.text, wanted.at("raised"))}
    for proposal in proposals:
        try:
            text = Text(proposal.source)
        except SyntaxError:
            continue
        calls = [call for call in retaining(text, text.tree) if ast.dump(call) in asked or not asked]
        edits = [edit for call in calls if (edit := without_keyword(text, call, "retain_graph")) is not None]
        if edits and asked:
            yield replace(proposal, source=text.edited(*edits))
        yield proposal


def retaining(text: Text, node: ast.AST | None) -> list[ast.Call]:
    """The calls in `node` that keep their graph."""
    calls = text.parts(node, ast.Call)
    return [call for call in calls if (given := keyword(call, "retain_graph")) and ast.unparse(given.value) == "True"]


def stepped_later(wanted: FixContext) -> Iterator[Proposal]:
    """A step that stands between the loss and its backward goes behind the backward, whose gradients it is to take."""
    text = wanted.text
    for goal in stack_statements(wanted, "raised"):
        block = text.block(goal)
        for change in stack_statements(wanted, "changed"):
            built = wanted.beside("built", change)
            if change not in block or built not in block or not text.alone(change):
                continue
            first, step, last = (block.index(part) for part in (built, change, goal))
            if first < step < last and not any(text.calls(part, "backward", "grad") for part in block[first:step]):
                title = f"step (line {change.lineno}) only after the backward of line {goal.lineno}"
                yield wanted.proposal(title, FREE, text.removed(change), text.after(goal, text.lines_of(change)))
                return


def made_function(wanted: FixContext) -> Iterator[Proposal]:
    """A loss that is handed to a function is handed over as a function, which computes it anew in every turn."""
    text, raised = wanted.text, wanted.at("raised")
    home = enclosing(text, raised, ast.FunctionDef) if raised is not None else None
    calls = text.calls(raised, "backward")
    root = calls[0].func.value if len(calls) == 1 and isinstance(calls[0].func, ast.Attribute) else None
    if not isinstance(home, ast.FunctionDef) or not isinstance(root, ast.Name):
        return
    places = [argument.arg for argument in home.args.args]
    handed = [call for call in text.calls(text.tree, home.name) if isinstance(call.func, ast.Name)]
    if root.id not in places or len(handed) != 1 or len(handed[0].args) <= places.index(root.id):
        return
    given = handed[0].args[places.index(root.id)]
    outer = next((node for node in text.around(handed[0]) if isinstance(node, ast.stmt)), None)
    first = wanted.beside("built", outer) if outer is not None else None
    if outer is None or first is None or not isinstance(given, ast.Name):
        return
    steps = needed_before(text, outer, first)
    steps = [step for step in steps if step.lineno >= first.lineno and isinstance(step, ast.Assign)]
    if not steps or given.id not in targets(steps[-1]) or not all(map(text.alone, steps)):
        return
    lines = [f"def {given.id}():", *(f"    {line}" for line in copies(text, steps[:-1]))]
    last = steps[-1]
    assert isinstance(last, ast.Assign)
    lines.append(f"    return {text.get(last.value)}")
    title = f"hand {given.id} over as a function, which computes it anew on line {root.lineno}"
    edits = [text.removed(step) for step in steps[:-1]]
    indent = text.indent(last)
    edits.append(text.replaced(last, f"\n{indent}".join(lines)))
    yield wanted.proposal(title, EACH, *edits, append_suffix(text, root, "()"))
