"""A result that nobody took: `relu(x)` on a line of its own changes nothing, and `opt.step` calls nothing."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ...calls import callee
from ...diagnostics.diagnosis import Diagnosis, known_names
from ...diagnostics.registry import Watcher, watcher
from ...diagnostics.showing import FirstTrouble
from ...fixes.proposal import FREE, FixContext, Proposal
from ...fixes.registry import fix
from ...narration.words import code, code_label, name_of, on
from ...replay.states import Place
from ...replay.world import World
from ...source import nodes_of

CHANGED = """
    relu sigmoid tanh clamp clip add sub mul div neg abs sqrt exp log pow masked_fill scatter index_fill
    index_add detach clone view reshape squeeze unsqueeze t transpose permute flatten float double half
    long to softmax log_softmax normalize dropout leaky_relu elu gelu round floor
"""
CHANGES = frozenset(CHANGED.split())
"""What somebody may call in the belief that it changes its tensor."""


@watcher(e.NodeMade)
class ThrownAway(FirstTrouble):
    """The calls on lines of their own whose result went at once, until the tensor they were given is used again."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.made_at: Place | None = None
        self.made: list[tuple[int, int]] = []
        """What the statement made of named tensors: the event and the tensor it was made of."""
        self.thrown: dict[int, tuple[int, Place]] = {}
        """By tensor the call that was to change it: its event and where."""
        self.used: dict[int, tuple[int, int, int]] = {}
        """By node that took such a tensor: the tensor, the event and the line."""
        self.printed = False

    def subscriptions(self) -> dict[type[Event], Callable[[Any], None]]:
        return {} if not any(map(throws_away, self.world.source.nodes)) else super().subscriptions()

    def on_tensor_made(self, event: e.TensorMade) -> None:
        place = self.world.place
        if not place.line or not (event.inputs or event.base is not None) or not self.alone(place):
            return
        source = event.inputs[0] if event.inputs else event.base
        if source is not None and self.world.tensors[source].names and self.world.tensors[source].requires_grad:
            self.made_at = place
            self.made.append((self.world.count - 1, source))

    def alone(self, place: Place) -> bool:
        """Whether one call with a plain result stands on the line, and nothing takes what it gives."""
        statements = self.world.source.simple(place.line)
        return len(statements) == 1 and throws_away(statements[0])

    def on_printed(self, event: e.Printed) -> None:
        self.printed = True
        self.showing.on_printed(event)

    def on_line_reached(self, event: e.LineReached) -> None:
        """The next line: what was made is gone, if nothing has a name for it, and it was not echoed."""
        if self.made_at is not None and len(self.made) == 1 and not self.printed:
            number, source = self.made[0]
            self.thrown[source] = number, self.made_at
        self.made_at, self.printed = None, False
        self.made.clear()

    def on_node_made(self, event: e.NodeMade) -> None:
        for number in event.inputs:
            if number in self.thrown and event.variable is None and self.made_at is None:
                place = self.world.place
                if place.line != self.thrown[number][1].line:
                    self.used.setdefault(event.node, (number, self.world.count - 1, place.line))

    def on_backward_started(self, event: e.BackwardStarted) -> None:
        if self.diagnosis is not None or not self.used:
            return
        reached = self.world.calls[event.call].expected
        for node, use in self.used.items():
            if node in reached or node in event.nodes:
                self.tell(self.describe(node, *use))
                return

    def describe(self, node: int, tensor: int, event: int, line: int) -> Diagnosis:
        world = self.world
        number, place = self.thrown[tensor]
        text, name = code(world.source.text(place.line, place.end_line)), code_label(world, tensor)
        return Diagnosis(
            title="A result that was thrown away",
            lines={"built": line, "changed": place.line, "raised": None},
            story=(
                f"{text} {on(place.line)} computes a new tensor, and nothing takes it: {name} stays as it was.",
                f"{code(world.source.text(line))} {on(line)} goes on with {name}, so neither the value nor the "
                "gradient knows of that line.",
                f"Give the result a name, such as {name} again; only what ends in `_` changes its tensor in place.",
            ),
            nodes=(node,),
            events={"changed": number, "built": event, "seen": world.count - 1},
            cause="thrown_away",
            names=known_names(target=name_of(world, world.tensors[tensor])),
        )


def throws_away(statement: ast.AST) -> bool:
    """Whether a statement is one call with a plain result."""
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return False
    call = statement.value
    given: list[ast.expr] = [*call.args, *(word.value for word in call.keywords)]
    if isinstance(call.func, ast.Attribute):
        given.append(call.func.value)
    return callee(call) in CHANGES and not any(isinstance(part, ast.Call) for arg in given for part in ast.walk(arg))


@watcher(e.BackwardStarted)
class PureCalls(FirstTrouble):
    """Looks for a statement that only calls such a function, and sees whether it is reached and a backward follows."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.calls = pure_calls(world.source.tree)
        self.reached: tuple[int, int] | None = None

    def subscriptions(self) -> dict[type[Event], Callable[[Any], None]]:
        return {} if not self.calls else super().subscriptions()

    def on_line_reached(self, event: e.LineReached) -> None:
        if self.reached is None and event.line in self.calls:
            self.reached = event.line, self.world.count - 1

    def on_backward_finished(self, event: e.BackwardFinished) -> None:
        if self.reached is not None and self.diagnosis is None:
            self.tell(self.describe(*self.reached))

    def describe(self, line: int, number: int) -> Diagnosis:
        function, name, rebound = self.calls[line]
        text = code(self.world.source.text(line))
        return Diagnosis(
            title="A result that was thrown away",
            lines={"built": rebound, "changed": line, "raised": None},
            story=(
                f"{text} {on(line)} hands {code(name)} to {code(function.name)}, and nobody takes what that returns.",
                f"{code(self.world.source.text(rebound))} {on(rebound)} gives the name another tensor within the "
                f"function alone: {code(name)} outside of it stays as it was.",
                "The result is to be taken, or what was given is to be written into, under `no_grad` if it is a "
                "parameter.",
            ),
            events={"changed": number, "seen": self.world.count - 1},
            cause="result_unused",
            names=known_names(target=name),
        )


Call = tuple[ast.FunctionDef, str, int]


def pure_calls(tree: ast.AST) -> dict[int, Call]:
    """By line the statements that only call such a function: the function, what it is given, and where it binds that
    anew."""
    functions = {
        node.name: (node, found)
        for node in nodes_of(tree)
        if isinstance(node, ast.FunctionDef) and (found := rebinds(node)) is not None
    }
    alone = {id(node.value) for node in nodes_of(tree) if isinstance(node, ast.Expr)}
    tried = {id(part) for node in nodes_of(tree) if isinstance(node, ast.Try) for part in ast.walk(node)}
    calls: dict[str, dict[int, Call]] = {}
    taken = set()
    for call in nodes_of(tree):
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.func.id not in functions:
            continue
        function, (at, line) = functions[call.func.id]
        text = ast.unparse(call)
        if id(call) not in alone:
            taken.add(text)  # elsewhere, it is called to be timed, or to warm up
        elif at < len(call.args) and isinstance(call.args[at], ast.Name | ast.Attribute) and id(call) not in tried:
            calls.setdefault(text, {})[call.lineno] = function, ast.unparse(call.args[at]), line
    return {line: told for text, here in calls.items() if text not in taken for line, told in here.items()}


OUTLIVES = (ast.AugAssign, ast.Global, ast.Nonlocal, ast.Yield, ast.Delete, ast.Raise, ast.Assert, ast.ListComp)
"""What changes something beyond the function, checks what it is given, or makes no tensor."""
BUILT_IN = frozenset({"len", "max", "min", "abs", "float", "int", "range", "sum", "tuple"})
TORCH = ("torch", "nn", "F", "math")


def is_pure(call: ast.Call, known: set[str]) -> bool:
    """Whether a call only computes, with what is `known`: a function or a module of the program may do anything."""
    name, owner = callee(call), call.func
    while isinstance(owner, ast.Attribute | ast.Subscript | ast.Call):
        owner = owner.func if isinstance(owner, ast.Call) else owner.value
    if isinstance(call.func, ast.Name):
        return name in BUILT_IN
    changes = name.startswith("rand") or name.endswith(("_", "append", "step", "backward", "update", "item"))
    return not changes and (not isinstance(owner, ast.Name) or owner.id in known)


def rebinds(function: ast.FunctionDef) -> tuple[int, int] | None:
    """Which argument a function gives another value and then returns, and on which line; None if it does anything that
    outlives it."""
    given = [part.arg for part in function.args.args]
    bound: dict[str, int] = {}
    own = {part.id for part in ast.walk(function) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
    for part in ast.walk(function):
        if isinstance(part, OUTLIVES) or (isinstance(part, ast.Call) and not is_pure(part, own.union(given, TORCH))):
            return None
        if isinstance(part, ast.Expr) and not isinstance(part.value, ast.Constant):
            return None
        if isinstance(part, ast.Assign):
            if not all(isinstance(goal, ast.Name) for goal in part.targets):
                return None
            bound |= {goal.id: part.lineno for goal in part.targets if isinstance(goal, ast.Name)}
    last = function.body[-1]
    name = last.value.id if isinstance(last, ast.Return) and isinstance(last.value, ast.Name) else ""
    return (given.index(name), bound[name]) if name in given and name in bound else None


METHODS = frozenset({"step", "zero_grad", "backward", "train", "eval"})


@watcher(e.LineReached)
class OnlyNamed(Watcher):
    """Looks for a statement that only names such a method, and sees whether it is reached."""

    def __init__(self, world: World) -> None:
        self.world = world
        nodes = [node for node in world.source.nodes if isinstance(node, ast.Expr)]
        self.statements = {node.lineno: ast.unparse(part) for node in nodes if (part := only_named(node)) is not None}
        self.reached: tuple[int, int] | None = None

    def subscriptions(self) -> dict[type[Event], Callable[[Any], None]]:
        return {e.LineReached: self.on_line_reached} if self.statements else {}

    def on_line_reached(self, event: e.LineReached) -> None:
        if self.reached is None and event.line in self.statements:
            self.reached = event.line, self.world.count - 1

    def report(self) -> list[Diagnosis]:
        if self.reached is None:
            return []
        line, number = self.reached
        text = self.statements[line]
        return [
            Diagnosis(
                title="A method that was not called",
                lines={"built": line, "raised": None},
                story=(
                    f"{code(text)} {on(line)} names a method and does not call it, so nothing happens there.",
                    f"Brackets call it: {code(text + '()')}.",
                ),
                events={"built": number},
                cause="only_named",
                names=known_names(target=text),
            )
        ]


def only_named(node: ast.Expr) -> ast.Attribute | None:
    """The method that a statement names and does not call: `opt.zero_grad`, `[o.zero_grad for o in opts]`."""
    value = node.value
    part = value.elt if isinstance(value, ast.ListComp | ast.GeneratorExp | ast.SetComp) else value
    return part if isinstance(part, ast.Attribute) and part.attr in METHODS else None


# ---- fixes


@fix(only_named=1)
def call_itself(wanted: FixContext) -> Iterator[Proposal]:
    """The statement that only names a method calls it."""
    text, built = wanted.text, wanted.at("built")
    named = [part for part in text.parts(built, ast.Attribute) if text.get(part) == wanted.name("target")]
    if isinstance(built, ast.Expr) and named:
        made = f"{text.get(named[0])}()"
        yield wanted.proposal(f"{made} on line {built.lineno}", FREE, text.replaced(named[0], made))


@fix(thrown_away=1)
def bind_result(wanted: FixContext) -> Iterator[Proposal]:
    """The result gets the name of what it was made of."""
    text, changed, name = wanted.text, wanted.at("changed"), wanted.name("target")
    if isinstance(changed, ast.Expr) and name is not None:
        title = f"take the result: {name} = … on line {changed.lineno}"
        yield wanted.proposal(title, FREE, text.replaced(changed, f"{name} = {text.get(changed)}"))


@fix(result_unused=1)
def take_result(wanted: FixContext) -> Iterator[Proposal]:
    """`project(w)` becomes `w = project(w)`; what an optimizer has is written into instead."""
    text, changed, name = wanted.text, wanted.at("changed"), wanted.name("target")
    if not isinstance(changed, ast.Expr) or name is None:
        return
    shown = text.get(changed)
    title = f"take the result: {name} = {shown} on line {changed.lineno}"
    yield wanted.proposal(title, FREE, text.replaced(changed, f"{name} = {shown}"))
    made = f"with torch.no_grad(): {name}.copy_({shown})"
    title = f"write the result into {name}: {made} on line {changed.lineno}"
    yield wanted.proposal(title, "the write leaves no trace in the graph", text.replaced(changed, made))
