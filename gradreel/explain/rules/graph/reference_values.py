"""What is computed once to be compared with, such as targets, and a target that is moved to meet the prediction."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ...calls import callee
from ...diagnostics.diagnosis import Diagnosis, known_names
from ...diagnostics.registry import watcher
from ...diagnostics.showing import FirstTrouble
from ...fixes.edits import append_suffix, join_names, loads, stack_statements
from ...fixes.proposal import FixContext, Proposal
from ...fixes.references import NAMES, is_ratio, is_target, references
from ...fixes.registry import fix
from ...fixes.text import Edit, Text, targets
from ...narration.words import code, code_label, name_of, on, upper
from ...replay.graph_queries import by_graph, made_from
from ...replay.states import Call, NodeState, TensorState
from ...replay.world import World
from ..tracking.cuts import tracked_cut
from .carried_state import CUTS

DISTANCES = frozenset({"MseLoss", "SmoothL1Loss", "HuberLoss", "L1Loss"})
MAGNITUDES = DISTANCES | {"Pow", "Square", "Abs"}
"""What a difference goes into that is to become small."""
SUMS = frozenset({"add", "sub", "rsub"})
MEANT = frozenset({"detach", "data", "no_grad"})
TURNS, MOST, LOOKS = 2, 400, 20
"""Told of what has happened so often; so many tensors behind a side are looked at, and so many backwards."""


@watcher(e.BackwardStarted, e.BackwardStarted)
class MovingTarget(FirstTrouble):
    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.turns = self.looks = 0

    def subscriptions(self) -> dict[type[Event], Callable[[Any], None]]:
        return (
            {}
            if not any(word in self.world.source.whole for word in ("detach()", ".data", "no_grad"))
            else super().subscriptions()
        )

    def on_backward_started(self, event: e.BackwardStarted) -> None:
        call = self.world.calls[event.call]
        if self.diagnosis is not None or call.called != "backward" or not call.place.turns or self.looks == LOOKS:
            return
        self.looks += 1
        for node, fixed, moved in differences(self.world, call):
            cut = self.cut_off(call, fixed, moved)
            if cut is not None:
                self.turns += 1
                if self.turns == TURNS:
                    self.tell(self.describe(call, node, cut, moved))
                return

    def cut_off(self, call: Call, fixed: TensorState, moved: TensorState) -> TensorState | None:
        """Where `fixed` was cut off the parameters that `moved` goes back to, if that is an estimate, and `moved` one
        that is corrected by data: it is the target."""
        world = self.world
        behind = list(ancestors_to_leaves(world, fixed))
        leaves = {state.number for state in behind if is_leaf(state)}
        cuts = [state for state in behind if any(one.requires_grad for one in made_from(world, state))]
        sources = [one for state in cuts for one in made_from(world, state) if one.requires_grad]
        if any(one.node in call.expected for one in sources if one.node is not None):
            return None  # it learns by another term
        if not cuts or not leaves & by_graph(world, moved):
            return None
        if adds_data(world, fixed) or not adds_data(world, moved):
            return None
        return cuts[0] if tracked_cut(world, cuts[0]).how in MEANT else None

    def describe(self, call: Call, node: NodeState, cut: TensorState, moved: TensorState) -> Diagnosis:
        world, found = self.world, tracked_cut(self.world, cut)
        source = next(state for state in made_from(world, cut) if state.requires_grad)
        aim = code_label(world, moved.number) if name_of(world, moved) else "the other side"
        line = node.place.line
        lines: dict[str, int | None] = {"built": moved.place.line, "cut": found.place.line, "begun": line}
        lines["raised"] = None
        return Diagnosis(
            kind="no_graph",
            title="The gradient goes to the target",
            lines=lines,
            story=(
                found.told,
                f"{code(world.source.text(line, node.place.end_line))} {on(line)} compares it with {aim} of **line "
                f"{moved.place.line}**, made of data and of an estimate by the same parameters.",
                f"So {code(call.text)} {on(call.place.line)} moves {aim}, which is to be met, and not what is to meet "
                "it.",
                f"{upper(aim)} is the side to detach.",
            ),
            nodes=(node.number,),
            events={"built": moved.made, "cut": cut.made, "begun": node.made, "seen": world.count - 1},
            cause="moving_target",
            names=known_names(
                how=found.how, target=name_of(world, moved), source=name_of(world, source), cut=name_of(world, cut)
            ),
        )


def differences(world: World, call: Call) -> Iterator[tuple[NodeState, TensorState, TensorState]]:
    """The differences that `call` makes small, each with the side that has no graph and the one that has."""
    nodes = [world.nodes[number] for number in sorted(call.expected, reverse=True)]
    measured = {number for node in nodes if node.kind in MAGNITUDES or is_square(node) for number in node.inputs}
    for node in nodes:
        differs = node.kind in DISTANCES or (node.kind == "Sub" and not measured.isdisjoint(node.outputs))
        sides = [world.tensors[number] for number in node.inputs if number in world.tensors]
        if differs and len(sides) == 2 and sides[0].requires_grad != sides[1].requires_grad:
            fixed, moved = sorted(sides, key=lambda side: side.requires_grad)
            yield node, fixed, moved


def is_square(node: NodeState) -> bool:
    return node.kind == "Mul" and len(node.inputs) == 2 and node.inputs[0] == node.inputs[1]


def is_leaf(state: TensorState) -> bool:
    return state.requires_grad and state.node is None


def ancestors_to_leaves(world: World, start: TensorState) -> Iterator[TensorState]:
    """`start` and what it was made of, nearest first, as far as the leaves."""
    seen, todo = {start.number}, [start]
    for state in todo:
        yield state
        if is_leaf(state) or len(seen) > MOST:
            continue
        more = [one for one in made_from(world, state) if one.number not in seen]
        seen.update(one.number for one in more)
        todo += more


def adds_data(world: World, side: TensorState) -> bool:
    """Whether data is added to what the last layer gave, on the way to `side`."""
    seen, todo = {side.number}, [side]
    for state in todo:
        before = made_from(world, state)
        if any(map(is_leaf, before)) or len(seen) > MOST:
            continue
        estimates = [any(map(is_leaf, ancestors_to_leaves(world, one))) for one in before]
        if state.op.partition(".")[0] in SUMS and len(before) == 2 and sum(estimates) == 1:
            return True
        todo += [one for one, estimate in zip(before, estimates, strict=True) if estimate and one.number not in seen]
        seen.update(one.number for one in before)
    return False


# ---- fixes


@fix(second_backward=9, step_between=4)
def detach_rest(wanted: FixContext) -> Iterator[Proposal]:
    """Of a ratio of chances, all else only lets the error go: made anew, or its graph kept, both sides would learn."""
    text = wanted.text
    for name, uses in references(wanted):
        title = f"detach {name} on line {uses[0].lineno}"
        made = wanted.proposal(title, CUTS, *(append_suffix(text, use, ".detach()") for use in uses))
        yield replace(made, decisive=is_ratio(text, uses))


@fix(second_backward=10)
def detach_where_made(wanted: FixContext) -> Iterator[Proposal]:
    """Targets that were computed once, before the loop, one or a list or dict of them, are kept without their graph:
    the one that led to the error, and those that the same functions computed."""
    text = wanted.text
    reached = (wanted.name("border") or "").partition("[")[0]
    for goal in stack_statements(wanted, "raised"):
        loop = text.loop(goal)
        if loop is None:
            continue
        built, homes = wanted.beside("built", loop), [one for one in text.around(loop) if isinstance(one, ast.stmt)]
        block = [part for home in (*reversed(homes), loop) for part in text.block(home)]
        before = [part for part in block if part.lineno < loop.lineno and isinstance(part, ast.Assign)]
        made = [part for part in before if text.alone(part) and held_only_to_compare(text, part, loop)]
        asked = [part for part in made if part is built or reached in targets(part)]
        makers = {callee(call) for part in asked for call in text.parts(part, ast.Call)} - METHODS
        alike = [part for part in made if makers & {callee(call) for call in text.parts(part, ast.Call)}]
        statements = [part for part in made if part in asked or part in alike]
        if asked:
            names = join_names(sorted(set().union(*map(targets, statements))))
            numbers = join_names([str(part.lineno) for part in statements])
            title = f"detach {names} where computed once, on line{'s'[: len(statements) > 1]} {numbers}"
            edits = [kept_without_graph(text, part) for part in statements]
            yield replace(wanted.proposal(title, CUTS, *edits), decisive=True)
            return


METHODS = frozenset(("items", "values", "keys", "zip", "enumerate", "range", "list", "dict", "tuple"))


def kept_without_graph(text: Text, statement: ast.Assign) -> Edit:
    value = statement.value
    if isinstance(value, ast.ListComp):
        return append_suffix(text, value.elt, ".detach()")
    if isinstance(value, ast.DictComp):
        return append_suffix(text, value.value, ".detach()")
    return text.wrapped([statement], "with torch.no_grad():")


def held_only_to_compare(text: Text, statement: ast.Assign, loop: ast.For | ast.While) -> bool:
    """Whether `loop` reads what `statement` binds as targets and nothing else."""
    names = targets(statement)
    if not all(isinstance(goal, ast.Name) for goal in statement.targets) or not text.parts(statement.value, ast.Call):
        return False
    uses = [use for name in names for part in loop.body for use in loads(part, name)]
    return bool(uses) and all(is_compared(text, use, loop) for use in uses)


def is_compared(text: Text, use: ast.expr, loop: ast.stmt) -> bool:
    """Whether `use`, one entry of it, or what a loop within takes of it, beside others or not, is a target."""
    whole, outer = use, text.parents.get(use)
    if isinstance(outer, ast.Subscript) and outer.value is use:
        whole, outer = outer, text.parents.get(outer)
    if is_target(text, whole) or (isinstance(outer, ast.Subscript) and outer.slice is use):
        return True
    if isinstance(outer, ast.BinOp) and isinstance(outer.op, ast.Sub):
        return bool(NAMES.search(text.get(use).lower())) or outer.right is whole
    goals = taken_of(text, whole)
    uses = [one for goal in goals for one in loads(loop, goal)]
    return bool(goals) and all(is_compared(text, one, loop) for one in uses)


def taken_of(text: Text, value: ast.expr) -> list[str]:
    """The names under which a loop takes what `value`, a list, a dict or its items, holds; of a dict its keys."""
    whole, outer, at = value, text.parents.get(value), None
    if isinstance(outer, ast.Attribute) and outer.attr in ("items", "keys", "values"):
        at = 1 if outer.attr == "items" else None
        call = text.parents.get(outer)
        whole, outer = call if isinstance(call, ast.Call) else whole, text.parents.get(call) if call else None
    elif isinstance(outer, ast.Call) and callee(outer) in ("zip", "enumerate") and value in outer.args:
        at = outer.args.index(value) + (callee(outer) == "enumerate")
        whole, outer = outer, text.parents.get(outer)
    if not isinstance(outer, ast.For | ast.comprehension) or outer.iter is not whole:
        return []
    goal = outer.target
    if at is not None:
        goal = goal.elts[at] if isinstance(goal, ast.Tuple) and at < len(goal.elts) else goal
    return [goal.id] if isinstance(goal, ast.Name) else []


@fix(second_backward=4)
def detach_old_chances(wanted: FixContext) -> Iterator[Proposal]:
    """What chances are divided by is collected without a graph, or detached where they are divided."""
    ratios = [name for name, uses in references(wanted) if is_ratio(wanted.text, uses)]
    if ratios:
        yield from collected_unrecorded(wanted, ratios[0])
        yield from detach_rest(wanted)


def collected_unrecorded(wanted: FixContext, name: str) -> Iterator[Proposal]:
    """The outermost loop, or else the call, that collects what is only compared with runs under no_grad."""
    text, asked = wanted.text, stack_statements(wanted, "raised")
    for built in reversed(stack_statements(wanted, "built")):
        loops = [node for node in text.around(built) if isinstance(node, ast.For | ast.While)]
        alone = [loop for loop in loops if not any(loop in text.around(goal) for goal in asked)]
        calls = isinstance(built, ast.Assign) and callee(built.value) in own_functions(text)
        whole = alone[-1] if alone else built if calls else None
        if (
            whole is None
            or not text.alone(whole)
            or any(callee(call) in TRAINING for call in text.parts(whole, ast.Call))
        ):
            continue
        title = f"with torch.no_grad(): around line {whole.lineno}, which collects {name}"
        yield replace(wanted.proposal(title, UNRECORDED, text.wrapped([whole], "with torch.no_grad():")), decisive=True)
        return


TRAINING = ("backward", "step")
UNRECORDED = "no gradient goes back into what was collected"


def own_functions(text: Text) -> set[str]:
    return {node.name for node in text.parts(text.tree, ast.FunctionDef)}


@fix(moving_target=1)
def detach_target(wanted: FixContext) -> Iterator[Proposal]:
    """The side that was cut off has its graph back, and the other is detached where both are compared."""
    text, statement, loss, name = wanted.text, wanted.at("cut"), wanted.at("begun"), wanted.name("target")
    freed: list[tuple[ast.AST, Edit]] = [
        (node, text.replaced(node, text.get(node.func.value)))
        for node in text.calls(statement, "detach")
        if isinstance(node.func, ast.Attribute)
    ]
    freed += [
        (node, text.replaced(node, text.get(node.value)))
        for node in text.parts(statement, ast.Attribute)
        if node.attr == "data"
    ]
    blocks = [statement, *text.around(statement)] if statement is not None else []
    quiet = [part for part in blocks if isinstance(part, ast.With) and "no_grad" in ast.unparse(part.items[0])]
    freed += [(part, text.unwrapped(part)) for part in quiet[:1] if text.alone(part)]
    for node, edit in freed:
        fixed = loads(loss, wanted.name("cut") or "") if loss is not None else []
        others = [found for part in (node, *fixed) if (found := beside(text, part)) is not None]
        others += loads(loss, name) if name is not None and loss is not None else []
        if not others:
            continue
        other = others[0]
        where = f"on line {other.lineno}"
        title = f"detach {text.get(other) if isinstance(other, ast.Name | ast.Attribute) else 'the target'} instead, "
        yield wanted.proposal(title + where, TARGET, edit, append_suffix(text, other, ".detach()"))


def beside(text: Text, side: ast.AST) -> ast.expr | None:
    """What `side` is compared with, if that stands beside it: in a difference, or in the call of a loss."""
    outer = text.parents.get(side)
    if isinstance(outer, ast.BinOp):
        return outer.right if outer.left is side else outer.left
    if isinstance(outer, ast.Call) and side in outer.args[:2] and len(outer.args) > 1:
        return outer.args[0] if side is outer.args[1] else outer.args[1]
    return None


TARGET = "the gradient goes to the prediction, and none to the target"
