"""What `detach` cuts off where it should not: the steps of a sequence, the wrong side, an estimator."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ...calls import callee
from ...diagnostics.diagnosis import Diagnosis, known_names
from ...diagnostics.registry import watcher
from ...diagnostics.showing import FirstTrouble
from ...fixes.edits import append_suffix, enclosing, loads, stack_statements, value_of
from ...fixes.proposal import FREE, FixContext, Proposal
from ...fixes.references import LOSSES
from ...fixes.registry import fix
from ...fixes.text import targets
from ...narration.words import code, code_label, count, name_of, on
from ...replay.graph_queries import nodes_behind
from ...replay.states import TensorState
from ...replay.world import World
from ...source import is_straight_through, parts_of

CUTS = frozenset({"detach", "data"})
STEPS = 3


@watcher(e.BackwardStarted)
class CutSteps(FirstTrouble):
    """The results cut off since the last backward, by the line that cuts, and the first node that took each."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.cuts: dict[int, list[TensorState]] = {}
        self.taken: dict[int, int] = {}
        """By what was cut off the node that took it."""

    def subscriptions(self) -> dict[type[Event], Callable[[Any], None]]:
        return (
            {}
            if not any(".detach()" in line or ".data" in line for line in self.world.source.code)
            else super().subscriptions()
        )

    def on_tensor_made(self, event: e.TensorMade) -> None:
        if event.op not in CUTS or event.base is None or not self.world.place.turns or self.world.open_calls:
            return
        if self.world.tensors[event.base].node is not None and self.diagnosis is None:
            self.cuts.setdefault(self.world.place.line, []).append(self.world.tensors[event.tensor])

    def on_node_made(self, event: e.NodeMade) -> None:
        if self.cuts:
            for number in event.inputs:
                self.taken.setdefault(number, event.node)

    def on_backward_started(self, event: e.BackwardStarted) -> None:
        reached = self.world.calls[event.call].expected
        for line, cuts in self.cuts.items():
            if self.diagnosis is None and len(cuts) >= STEPS and self.in_vain(cuts, reached):
                self.tell(self.describe(line, cuts))
        self.cuts.clear()
        self.taken.clear()

    def in_vain(self, cuts: list[TensorState], reached: dict[int, int]) -> bool:
        """Whether each cut ends what came of the last, and what goes backward is connected to the last step alone."""
        users = [self.taken.get(tensor.number) for tensor in cuts]
        if any(user is None for user in users) or users[-1] not in reached:
            return False
        if len({self.world.nodes[user].place.line for user in users if user is not None}) > 1:
            return False
        if any(user in reached for user in users[:-1]):
            return False
        return all(self.leads(after, user) for after, user in zip(cuts[1:], users, strict=False) if user is not None)

    def leads(self, cut: TensorState, user: int) -> bool:
        """Whether `cut` came, by the graph until there, of what the node `user` made."""
        assert cut.base is not None
        first = self.world.grad_node(cut.base)
        return first is not None and user in nodes_behind(self.world, first, user)

    def describe(self, line: int, cuts: list[TensorState]) -> Diagnosis:
        world, last = self.world, cuts[-1]
        assert last.base is not None
        user = world.nodes[self.taken[last.number]]
        source = world.tensors[last.base]
        return Diagnosis(
            kind="no_graph",
            title="The history is dropped at every step",
            lines={"built": user.place.line, "cut": line, "raised": None},
            story=(
                f"{code(world.source.text(line))} {on(line)} cuts {code_label(world, source.number)} off its graph in "
                f"each of {count(len(cuts))} turns, and the next turn goes on with what is left.",
                f"Only what the last turn computed {on(user.place.line)} is connected to what goes backward. The "
                "graphs of the turns before are built and never used.",
                "Cut where a backward has been through, once for each stretch; within a stretch the history stays.",
            ),
            nodes=(user.number,),
            events={"built": user.made, "cut": last.made, "seen": world.count - 1},
            cause="cut_steps",
            names=known_names(how="detach", source=name_of(world, source), cut=name_of(world, last)),
        )


def rebound_estimators(tree: ast.AST) -> list[tuple[ast.Assign, str]]:
    """The statements such as `q = x + (q - x).detach()`, each with the name that they give to the estimator."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and is_straight_through(node.value):
            name = ast.unparse(node.targets[0])
            if parts_of(node.value)[0] == name:
                found.append((node, name))
    return found


def reads_behind(tree: ast.AST, line: int, name: str) -> list[int]:
    """The lines of the assignments that compute something with `name`, not detached, in the block of `line` behind it;
    first those in which the other side is detached, as in a loss that is to move `name`."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and any(part.lineno == line for part in body):
            later = [part for part in body if part.lineno > line and isinstance(part, ast.Assign | ast.AugAssign)]
            found = [part for part in later if reads(part, name)]
            return [part.lineno for part in sorted(found, key=lambda part: not detaches(part))]
    return []


def detaches(statement: ast.AST) -> bool:
    return any(isinstance(node, ast.Attribute) and node.attr in ("detach", "data") for node in ast.walk(statement))


def reads(statement: ast.AST, name: str) -> bool:
    """Whether `statement` reads `name` other than to detach it."""
    cut = {
        id(node.value)
        for node in ast.walk(statement)
        if isinstance(node, ast.Attribute) and node.attr in ("detach", "data", "shape", "size")
    }
    loads = (part for part in ast.walk(statement) if isinstance(part, ast.Name | ast.Attribute))
    return any(isinstance(part.ctx, ast.Load) and id(part) not in cut and ast.unparse(part) == name for part in loads)


# ---- fixes


@fix(cut_steps=1)
def drop_detach(wanted: FixContext) -> Iterator[Proposal]:
    """`.detach()` or `.data` is left out where it cut."""
    text, statement = wanted.text, wanted.at("cut")
    if statement is None:
        return
    nodes: list[ast.expr] = [
        node
        for part in [statement]
        for node in ast.walk(part)
        if (isinstance(node, ast.Attribute) and node.attr == "data")
        or (
            isinstance(node, ast.Call)
            and callee(node) in ("detach", "detach_")
            and isinstance(node.func, ast.Attribute)
        )
    ]
    for node in nodes:
        inner = node.value if isinstance(node, ast.Attribute) else node.func.value  # type: ignore[attr-defined]
        word = ".data" if isinstance(node, ast.Attribute) else ".detach()"
        if (
            isinstance(statement, ast.Assign)
            and statement.value is node
            and ast.unparse(inner) == ast.unparse(statement.targets[0])
        ):
            title = f"leave out line {statement.lineno}"
            yield wanted.proposal(title, "the gradient goes on back", text.removed(statement))
        else:
            title = f"leave out {word} on line {node.lineno}"
            yield wanted.proposal(title, "the gradient goes on back", text.replaced(node, text.get(inner)))
    value = value_of(statement)
    if isinstance(statement, ast.Assign) and value is not None and wanted.found.cause != "constant_penalty":
        title = f"make it a new leaf: .requires_grad_() on line {statement.lineno}"
        cost = "the gradient stops there, in its .grad"
        yield wanted.proposal(title, cost, append_suffix(text, value, ".requires_grad_()"))


def detach_other_argument(wanted: FixContext) -> Iterator[Proposal]:
    """Of the two that a function compares, the other is detached: `p = p.detach()` becomes `z = z.detach()`."""
    text, cut = wanted.text, wanted.at("cut")
    home = enclosing(text, cut, ast.FunctionDef) if cut is not None else None
    if not isinstance(cut, ast.Assign) or not isinstance(home, ast.FunctionDef) or not wanted.name("parameter"):
        return
    own = [arg.arg for arg in home.args.args if arg.arg != "self"]
    name = text.get(cut.targets[0])
    if len(own) == 2 and name in own and ast.unparse(cut.value) == f"{name}.detach()":
        other = own[1 - own.index(name)]
        title = f"detach {other}, and not {name}, on line {cut.lineno}"
        cost = "the gradient goes to what the optimizer has"
        yield wanted.proposal(title, cost, text.replaced(cut, f"{other} = {other}.detach()"))


def detached_for_the_first(wanted: FixContext) -> Iterator[Proposal]:
    """Of two losses on what was made, as of a GAN, the first takes it detached, and the second as it was made."""
    text, cut = wanted.text, wanted.at("cut")
    marks = [call for call in text.calls(cut, "detach") if isinstance(call.func, ast.Attribute)]
    for made in stack_statements(wanted, "cut") if len(marks) == 1 else ():
        block, names = text.block(made), targets(made)
        rest = block[block.index(made) + 1 :] if isinstance(made, ast.Assign) and made in block else []
        uses = [found for part in rest for name in names if (found := loads(part, name))]
        if len(uses) < 2 or not isinstance(marks[0].func, ast.Attribute):
            continue
        first = uses[0]
        title = f"{text.get(first[0])}.detach() on line {first[0].lineno} alone, and not on line {marks[0].lineno}"
        free = text.replaced(marks[0], text.get(marks[0].func.value))
        yield wanted.proposal(title, FREE, free, *(text.replaced(use, f"{text.get(use)}.detach()") for use in first))


def estimator_later(wanted: FixContext) -> Iterator[Proposal]:
    """`q = x + (q - x).detach()` goes behind the loss that is of what `q` was; where more is computed with the new `q`
    between them, the loss goes before it."""
    text, cut, built, name = wanted.text, wanted.at("cut"), wanted.at("built"), wanted.name("target")
    block = text.block(cut) if cut is not None else []
    if (
        cut is None
        or built is None
        or name is None
        or built not in block
        or not (text.alone(cut) and text.alone(built))
    ):
        return
    cost = "the loss is of what was looked up"
    between = block[block.index(cut) + 1 : block.index(built)]
    if any(reads(part, name) for part in between):
        title = f"line {built.lineno} before line {cut.lineno}: the loss first, then straight through"
        yield wanted.proposal(title, cost, text.removed(built), text.before(cut, text.lines_of(built)))
    else:
        title = f"line {cut.lineno} after line {built.lineno}: the loss first, then straight through"
        yield wanted.proposal(title, cost, text.removed(cut), text.after(built, text.lines_of(cut)))


def reverse_estimator(wanted: FixContext) -> Iterator[Proposal]:
    """`hard + (soft - hard).detach()` becomes `soft + (hard - soft).detach()`."""
    text = wanted.text
    for node in [part for part in text.parts(wanted.at("cut"), ast.BinOp) if is_straight_through(part)]:
        soft, hard = parts_of(node)
        made = f"{soft} + ({hard} - {soft}).detach()"
        title = f"{made} on line {node.lineno}"
        yield wanted.proposal(title, "the value is that of what was picked", text.replaced(node, made))


def detach_other_side(wanted: FixContext) -> Iterator[Proposal]:
    """`loss(q.detach(), target)` becomes `loss(q, target.detach())`: what learns is to get the gradient."""
    text = wanted.text
    for node in text.parts(wanted.at("cut"), ast.Call) + text.parts(wanted.at("cut"), ast.BinOp):
        pair = [node.left, node.right] if isinstance(node, ast.BinOp) else list(node.args[:2])
        loss = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub)
        if len(pair) != 2 or not (loss or (isinstance(node, ast.Call) and LOSSES.search(text.get(node.func)))):
            continue
        marks = [callee(part) == "detach" and isinstance(part, ast.Call) and not part.args for part in pair]
        if sum(marks) != 1:
            continue
        stopped, other = pair if marks[0] else reversed(pair)
        if isinstance(other, ast.Constant) or not isinstance(stopped, ast.Call):
            continue
        assert isinstance(stopped.func, ast.Attribute)
        title = f"detach {text.get(other)}, and not {text.get(stopped.func.value)}, on line {node.lineno}"
        edits = [text.replaced(stopped, text.get(stopped.func.value)), append_suffix(text, other, ".detach()")]
        yield wanted.proposal(title, "the gradient goes to what the optimizer has", *edits)
