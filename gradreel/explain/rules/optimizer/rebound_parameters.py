"""`p = p - lr * p.grad`: the name gets a new tensor, and the parameter stays as it was."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ...calls import callee, names_in
from ...diagnostics.diagnosis import Diagnosis, known_names
from ...diagnostics.mentions import stands_for
from ...diagnostics.registry import Watcher, watcher
from ...diagnostics.showing import FirstTrouble
from ...fixes.proposal import FixContext, Proposal
from ...fixes.registry import fix
from ...fixes.text import Text
from ...narration.words import bare, code, on
from ...replay.states import TensorState
from ...replay.world import World
from ..inplace.out_of_place import SIGNS

ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div)


@watcher(e.LineReached, e.NameBound)
class Rebound(Watcher):
    """Looks at statements that give a loop's own name a new value which nobody reads: which tensor had it before."""

    def __init__(self, world: World) -> None:
        self.world = world
        loops = [node for node in world.source.nodes if isinstance(node, ast.For)]
        self.statements = {node.lineno: name for node, name in lost_updates(world.source.tree, loops)}
        self.before: tuple[str, TensorState] | None = None
        self.diagnosis: Diagnosis | None = None

    def subscriptions(self) -> dict[type[Event], Callable[[Any], None]]:
        return {e.LineReached: self.on_line_reached, e.NameBound: self.on_name_bound} if self.statements else {}

    def on_line_reached(self, event: e.LineReached) -> None:
        name = self.statements.get(event.line)
        tensor = stands_for(self.world, name) if name is not None else None
        learns = tensor is not None and tensor.node is None and (tensor.requires_grad or of_module(tensor))
        self.before = (name, tensor) if name is not None and tensor is not None and learns else None

    def on_name_bound(self, event: e.NameBound) -> None:
        if self.before is None or self.diagnosis is not None or event.name != self.before[0] or event.tensor is None:
            return
        name, tensor = self.before
        if self.world.tensors[event.tensor].storage == tensor.storage:
            return
        world, place = self.world, self.world.place
        text = world.source.text(place.line, place.end_line)
        title, names = "A parameter that stays as it was", known_names(target=name)
        self.diagnosis = Diagnosis(
            title=title,
            lines={"built": place.line, "raised": None},
            story=(
                f"{code(text)} {on(place.line)} computes a new tensor and gives it the name {code(name)}.",
                f"The parameter that had the name stays as it was, and the next turn of the loop gives {code(name)} to "
                "another. Nobody has the new tensor then.",
                "What is written into a parameter stays in it: in place, under `torch.no_grad()`.",
            ),
            events={"built": world.count - 1},
            cause="rebound_parameter",
            names=names,
        )

    def report(self) -> list[Diagnosis]:
        return [self.diagnosis] if self.diagnosis is not None else []


def of_module(tensor: TensorState) -> bool:
    return any("." in name for _, name in tensor.names)


def lost_updates(tree: ast.AST, loops: list[ast.For]) -> Iterator[tuple[ast.Assign, str]]:
    """The assignments to a name that their loop binds, computed with it, that nobody reads before it is bound anew."""
    for loop in loops:
        own = {node.id for node in ast.walk(loop.target) if isinstance(node, ast.Name)}
        for at, statement in enumerate(loop.body):
            name = ast.unparse(statement.targets[0]) if isinstance(statement, ast.Assign) else ""
            if not isinstance(statement, ast.Assign) or name not in own or not updates(statement, name):
                continue
            if not any(reads(later, name) for later in loop.body[at + 1 :]) and not read_behind(tree, loop, name):
                yield statement, name


def updates(statement: ast.Assign, name: str) -> bool:
    sums = isinstance(statement.value, ast.BinOp) and isinstance(statement.value.op, ARITHMETIC)
    return sums and any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(statement.value))


def reads(node: ast.AST, name: str) -> bool:
    """Whether `node` reads `name`, but for emptying its gradient."""
    emptied = {
        id(part.value)
        for part in ast.walk(node)
        if isinstance(part, ast.Attribute) and part.attr in ("grad", "requires_grad")
    }
    names = (part for part in ast.walk(node) if isinstance(part, ast.Name) and id(part) not in emptied)
    return any(part.id == name and isinstance(part.ctx, ast.Load) for part in names)


def read_behind(tree: ast.AST, loop: ast.For, name: str) -> bool:
    """Whether `name` is read behind the loop, where no other loop or function binds it."""
    inside = {id(node) for node in ast.walk(loop)}
    for other in ast.walk(tree):
        if isinstance(other, ast.For | ast.FunctionDef | ast.Lambda | ast.comprehension) and id(other) not in inside:
            binds = other.args if isinstance(other, ast.FunctionDef | ast.Lambda) else other.target
            bound = {node.id for node in ast.walk(binds) if isinstance(node, ast.Name)}
            bound |= {node.arg for node in ast.walk(binds) if isinstance(node, ast.arg)}
            if name in bound and not any(part is loop for part in ast.walk(other)):
                inside |= {id(node) for node in ast.walk(other)}
                inside |= {id(node) for node in whole_comprehension(tree, other)}
    return any(
        isinstance(node, ast.Name)
        and node.id == name
        and isinstance(node.ctx, ast.Load)
        and id(node) not in inside
        and node.lineno > loop.lineno
        for node in ast.walk(tree)
    )


def whole_comprehension(tree: ast.AST, clause: ast.AST) -> Iterator[ast.AST]:
    """All of the comprehension that `clause` belongs to."""
    for node in ast.walk(tree):
        if clause in getattr(node, "generators", ()):
            yield from ast.walk(node)


KEEPING = re.compile(r"=.*\.(?:weight|bias|data)\b")
DIFFERENCES = frozenset({"sub", "eq", "ne"})


@watcher(e.Written, e.NameBound)
class SameMemory(FirstTrouble):
    """Looks at what is compared with itself after it was written into: under a name of its own, or as its `.data`."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        nodes = world.source.nodes if KEEPING.search(world.source.whole) else []
        plain = [node for node in nodes if isinstance(node, ast.Assign) and keeps(node.value)]
        self.kept = {ast.unparse(node.targets[0]): node for node in plain}
        self.bound: dict[str, tuple[int, int]] = {}
        """By name that was to keep something the storage that it stands for, and the event that gave it the name."""
        self.written: dict[int, int] = {}
        """By storage when a step wrote into it last."""

    def subscriptions(self) -> dict[type[Event], Callable[[Any], None]]:
        return {} if not self.kept else super().subscriptions()

    def on_name_bound(self, event: e.NameBound) -> None:
        if event.name in self.kept and event.tensor is not None:
            self.bound[event.name] = self.world.tensors[event.tensor].storage, self.world.count - 1

    def on_written(self, event: e.Written) -> None:
        if self.world.optimizer is not None:
            self.written[event.storage] = self.world.count - 1

    def on_tensor_made(self, event: e.TensorMade) -> None:
        if self.diagnosis is not None or bare(event.op) not in DIFFERENCES or len(event.inputs) != 2:
            return
        one, two = (self.world.tensors[number] for number in event.inputs)
        if one.storage != two.storage or self.past_cuts(one) is not self.past_cuts(two):
            return
        said = self.world.source.statement(self.world.place.line, self.world.ends.get(self.world.place.line))
        words = names_in(said)
        for name, (storage, since) in self.bound.items():
            if name in words and storage == one.storage and self.written.get(storage, -1) > since:
                self.tell(self.describe(name))
                return

    def past_cuts(self, tensor: TensorState) -> TensorState:
        """What `tensor` was cut off, all of it: `net.weight` of `net.weight.data`."""
        while bare(tensor.op) in ("data", "detach") and tensor.base is not None:
            tensor = self.world.tensors[tensor.base]
        return tensor

    def describe(self, name: str) -> Diagnosis:
        world, node = self.world, self.kept[name]
        title, names = "Before and after are one memory", known_names(target=name)
        return Diagnosis(
            title=title,
            lines={"built": node.lineno, "raised": None},
            story=(
                f"{code(world.source.text(node.lineno))} {on(node.lineno)} copies nothing: {code(name)} shows the "
                "memory of the parameter itself.",
                f"A step has written into that since, so {code(world.source.text(world.place.line))} "
                f"{on(world.place.line)} compares the new numbers with the new numbers.",
                "`.detach().clone()` keeps the numbers as they are.",
            ),
            cause="same_memory",
            names=names,
        )


def keeps(value: ast.expr) -> bool:
    """Whether `value` is an attribute of a layer, `net.weight`, perhaps with `.data` or `.detach()`: no copy."""
    if callee(value) == "detach" and isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        value = value.func.value
    return isinstance(value, ast.Attribute) and value.attr in ("weight", "bias", "data")


# ---- fixes


@fix(rebound_parameter=1)
def write_into(wanted: FixContext) -> Iterator[Proposal]:
    """`p = p - lr * p.grad` becomes `p -= lr * p.grad`, under no_grad if it is not already."""
    text, built, name = wanted.text, wanted.at("built"), wanted.name("target")
    if not isinstance(built, ast.Assign) or name is None:
        return
    made = in_place(text, built.value, name)
    quiet = any(isinstance(outer, ast.With) and "no_grad" in text.source for outer in text.around(built))
    header = "" if quiet else "with torch.no_grad(): "
    title = f"write into the parameter: {made} on line {built.lineno}"
    yield wanted.proposal(title, "the write leaves no trace in the graph", text.replaced(built, f"{header}{made}"))


def in_place(text: Text, value: ast.expr, name: str) -> str:
    if isinstance(value, ast.BinOp) and text.get(value.left) == name and type(value.op) in SIGNS:
        return f"{name} {SIGNS[type(value.op)]}= {text.get(value.right)}"
    return f"{name}.copy_({text.get(value)})"


@fix(same_memory=1)
def keep_copy(wanted: FixContext) -> Iterator[Proposal]:
    """`before = net.weight` becomes `before = net.weight.detach().clone()`."""
    text, built = wanted.text, wanted.at("built")
    if isinstance(built, ast.Assign):
        shown = text.get(built.value)
        made = f"{shown}.clone()" if shown.endswith((".detach()", ".data")) else f"{shown}.detach().clone()"
        title = f"keep a copy: {made} on line {built.lineno}"
        yield wanted.proposal(title, "one tensor more in memory", text.replaced(built.value, made))
