"""An iterator of parameters that has been gone through: what goes over it later, be it an update, does nothing."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ...calls import callee
from ...diagnostics.diagnosis import Diagnosis
from ...diagnostics.registry import watcher
from ...diagnostics.showing import FirstTrouble
from ...fixes.edits import arguments_of
from ...fixes.proposal import FREE, FixContext, Proposal
from ...fixes.registry import fix
from ...narration.words import code, on
from ...replay.world import World

PARAMETERS = frozenset({"parameters", "named_parameters"})
LAZY = frozenset({*PARAMETERS, "chain", "from_iterable", "filter", "map", "zip", "iter", "enumerate", "islice"})
"""Calls that give an iterator: what is in it comes once."""
KEEPING = frozenset({*LAZY, "next", "print", "type", "id", "isinstance", "repr", "str"})
"""Calls that do not go through what they are given, or not at once."""


@watcher(e.GradStored)
class Exhausted(FirstTrouble):
    """Goes along with each name that stands for an iterator of parameters: what went through it, and what came then."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.made = (
            iterators(world.source.nodes) if any(f"{word}(" in world.source.whole for word in PARAMETERS) else {}
        )
        """By name, the assignment."""
        self.makers = {node.lineno: name for name, node in self.made.items()}
        self.sites = uses(world.source.nodes, set(self.made)) if self.made else {}
        """By line, the names that the statement there goes through."""
        self.loops = {node.lineno for node in world.source.nodes if isinstance(node, ast.For)}
        self.gone: dict[str, tuple[int, int]] = {}
        """By name the line, and the event, that went through it."""
        self.entered: tuple[int, str] | None = None
        """The loop that was begun just now over what is gone, if one was."""

    def subscriptions(self) -> dict[type[Event], Callable[[Any], None]]:
        return super().subscriptions() if self.sites else {}

    def on_line_reached(self, event: e.LineReached) -> None:
        turns = any(line == event.line for line, _, _ in event.loops)
        if self.entered is not None and self.diagnosis is None:
            line, name = self.entered
            if event.line != line or not turns:
                self.tell(self.describe(name, line))
        self.entered = None
        if event.line in self.makers:
            self.gone.pop(self.makers[event.line], None)
        for name in self.sites.get(event.line, ()) if not turns or event.line not in self.loops else ():
            if name in self.gone:
                self.entered = event.line, name
            else:
                self.gone[name] = event.line, self.world.count - 1

    def describe(self, name: str, line: int) -> Diagnosis:
        world, made, (first, event) = self.world, self.made[name], self.gone[name]
        text, again = code(world.source.text(made.lineno, made.end_lineno)), first == line
        went = f"{code(world.source.text(first))} {on(first)} went through {code(name)}, and nothing is left in it."
        later = "it" if again else f"{code(world.source.text(line))} {on(line)}"
        return Diagnosis(
            title="An iterator of parameters that is used up",
            lines={"built": made.lineno, "begun": first, "changed": line, "raised": None},
            story=(
                f"{text} {on(made.lineno)} makes an iterator: it gives each of its parts once.",
                went,
                f"From then on {later} goes over nothing: no parameter is stepped, clipped or cleared there.",
                "A list can be gone through again and again.",
            ),
            events={"begun": event, "seen": world.count - 1},
            cause="exhausted",
            names={"target": name},
        )


def iterators(nodes: list[ast.AST]) -> dict[str, ast.Assign]:
    """The names that are set once, to an iterator of parameters."""
    found: dict[str, list[ast.Assign]] = {}
    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name | ast.Attribute):
            found.setdefault(ast.unparse(node.targets[0]), []).append(node)
    names = {name: made[0] for name, made in found.items() if len(made) == 1}
    return {name: node for name, node in names.items() if is_lazy(node.value) and of_parameters(node.value)}


def is_lazy(value: ast.expr) -> bool:
    return isinstance(value, ast.GeneratorExp) or callee(value) in LAZY


def of_parameters(value: ast.expr) -> bool:
    return any(callee(part) in PARAMETERS for part in ast.walk(value))


def uses(nodes: list[ast.AST], names: set[str]) -> dict[int, list[str]]:
    """By line, which of `names` a statement there goes through to the end, itself or as the argument of a function."""
    found: dict[int, list[str]] = {}
    homes = {node.name: node for node in nodes if isinstance(node, ast.FunctionDef)}
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    for line, name in consumed(nodes, names, homes):
        found.setdefault(line, []).append(name)
    for home in homes.values():
        given = [pair for call in calls if callee(call) == home.name for pair in arguments_of(home, call)]
        for parameter in {pair[0] for pair in given}:
            values = {ast.unparse(value) for own, value in given if own == parameter}
            if len(values) == 1 and values <= names:
                for line, _ in consumed(list(ast.walk(home)), {parameter}, homes):
                    found.setdefault(line, []).append(min(values))
    return found


def consumed(nodes: list[ast.AST], names: set[str], homes: dict[str, ast.FunctionDef]) -> Iterator[tuple[int, str]]:
    for node in nodes:
        if isinstance(node, ast.For):
            ends = any(isinstance(part, ast.Break | ast.Return) for part in ast.walk(node))
            yield from ((node.lineno, name) for name in parts(node.iter) & names if not ends)
        elif isinstance(node, ast.comprehension):
            yield from ((node.iter.lineno, name) for name in parts(node.iter) & names)
        elif isinstance(node, ast.Call) and callee(node) not in KEEPING and callee(node) not in homes:
            given = [arg.value if isinstance(arg, ast.Starred) else arg for arg in node.args]
            yield from ((node.lineno, ast.unparse(arg)) for arg in given if ast.unparse(arg) in names)


def parts(value: ast.expr) -> set[str]:
    """What a loop over `value` goes through: `ps` of `ps`, of `zip(ps, gs)`, of `enumerate(ps)`."""
    if callee(value) in LAZY:
        assert isinstance(value, ast.Call)
        return {name for arg in value.args for name in parts(arg)}
    return {ast.unparse(value)} if isinstance(value, ast.Name | ast.Attribute) else set()


# ---- fixes


@fix(exhausted=1)
def list_parameters(wanted: FixContext) -> Iterator[Proposal]:
    """What is gone through again and again is a list."""
    text, built = wanted.text, wanted.at("built")
    if isinstance(built, ast.Assign):
        title = f"a list, which can be gone through again: list(…) on line {built.lineno}"
        yield wanted.proposal(title, FREE, text.replaced(built.value, f"list({text.get(built.value)})"))
